//! `arena panel`: the panel's run. The seats are queues: `charrette seats next` and `seats answer` serve them meanwhile.

use super::folder::{Arena, DOCUMENTS, Side};
use crate::TaskResult;
use crate::driver::{DesignDriver, read_answers, recorded_answers};
use crate::programs::build_debug_charrette;
use crate::rehearse::QueueKeeper;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PanelArgs {
    /// Folder of the round
    folder: PathBuf,
    /// Program to run [default: the debug build of this workspace]
    #[arg(long, value_name = "BIN")]
    charrette: Option<PathBuf>,
    /// File with answers by gate and question, YAML or JSON; the others are answered as recommended
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
}

pub(super) fn run(args: &PanelArgs) -> TaskResult {
    let arena = Arena::open(&args.folder)?;
    let program = match &args.charrette {
        Some(program) => fs_err::canonicalize(program)?,
        None => build_debug_charrette()?,
    };
    let driver = DesignDriver {
        program,
        repository: arena.repository(Side::Panel),
        state: arena.state(),
        config: arena.path("charrette.toml"),
        feature: arena.record.name.clone(),
        request: arena.request()?,
        options: Vec::new(),
        now: None,
    };
    let keeper = QueueKeeper::start(&arena.state().join("charrette/queue"), &arena.calls());
    println!("Serve them with XDG_STATE_HOME={} charrette seats next --wait 600", arena.state().display());
    let driven = driver.drive(&read_answers(args.answers.as_deref())?, |given| {
        for given in given {
            println!("{}/{}: {}", given.gate, given.key, given.answer);
        }
        arena.add_answers(given)
    });
    keeper.finish()?;
    // Answers that a person gave beside this task count as well.
    if let Some(document) = driver.document() {
        let known = arena.answers()?;
        let is_new = |given: &crate::driver::GivenAnswer| {
            !known.iter().any(|known| {
                (&known.gate, &known.key, &known.answer) == (&given.gate, &given.key, &given.answer)
            })
        };
        let missing: Vec<_> = recorded_answers(&document).into_iter().filter(is_new).collect();
        arena.add_answers(&missing)?;
    }
    driven?;
    let files = arena.documents(Side::Panel);
    if let Some((missing, _)) = DOCUMENTS.iter().find(|(name, _)| !files.join(name).is_file()) {
        return Err(format!("the design is done, but {} is missing", files.join(missing).display()).into());
    }
    println!("The panel is done: {}", files.display());
    println!("Next: cargo xtask arena lone {}", arena.folder.display());
    Ok(())
}
