//! `charrette dirty-tree`: has anybody written to the work tree?

use crate::commands::raw::RawArgs;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_git::Git;
use charrette_model::dirty_tree::{
    Baseline, NEW_UNTRACKED_PATHS, Question, Report, Request, Seen, TRACKED_PATHS, from_baseline,
    since_checkpoint,
};
use charrette_model::plumbing::Answer;
use charrette_model::session::DISCARD;
use charrette_store::atomic;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Print whether anybody wrote to the work tree
///
/// Three lines: `STATUS=clean|dirty|unknown`, `MODE`, and `REASON` unless it is clean.
///
/// In mode checkpoint everything that is not as committed is dirt. In mode baseline, files that git does not know
/// are none if they are in --baseline, a list in which every name is ended with NUL. With --output, the lines go
/// to that file as well, and the paths to FILE.tracked-paths and FILE.new-untracked-paths beside it. Nobody is
/// asked, nothing is restored, and the exit code is always 0: what could not be found out is unknown. Files that
/// git ignores are not looked at.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "charrette dirty-tree --mode checkpoint|baseline [--baseline FILE] [--output FILE]"
)]
pub(crate) struct DirtyTreeArgs {
    #[command(flatten)]
    typed: RawArgs,
}

pub(crate) fn dirty_tree(here: &Here, args: &DirtyTreeArgs) -> Result<ExitCode, AppError> {
    let request = Request::read(&args.typed.words());
    let mut report = match &request.question {
        Err(report) => report.clone(),
        Ok(question) => looked(here, question),
    };
    if let Some(output) = request.output.as_deref().filter(|path| *path != DISCARD) {
        report = written(report, Path::new(output));
    }
    output::answer(&Answer::ok(report.lines()))
}

fn looked(here: &Here, question: &Question) -> Report {
    // The top, because git lists some things from the current folder only.
    let root = here.silent_site().ok().filter(|site| site.repository.is_some()).map(|site| site.root);
    let git = |args: &[&str]| root.as_deref().and_then(|root| Git::new(root).bytes(args).ok());
    let status = git(&["status", "--porcelain"]);
    match question {
        Question::Checkpoint => since_checkpoint(status.as_deref()),
        Question::Baseline(list) => {
            let list = fs_err::read(list);
            from_baseline(&Seen {
                status: status.as_deref(),
                unstaged: git(&["diff", "--name-only", "-z"]).as_deref(),
                staged: git(&["diff", "--cached", "--name-only", "-z"]).as_deref(),
                untracked: git(&["ls-files", "--others", "--exclude-standard", "-z"]).as_deref(),
                baseline: match &list {
                    Ok(list) => Baseline::List(list),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Baseline::Missing,
                    Err(_) => Baseline::Unreadable,
                },
            })
        }
    }
}

/// Writes the answer down, the paths first. An answer that could not be written completely is no clean one.
fn written(report: Report, output: &Path) -> Report {
    let lists = [
        (&report.tracked, TRACKED_PATHS, "tracked-paths-write-failed"),
        (&report.new_untracked, NEW_UNTRACKED_PATHS, "new-untracked-paths-write-failed"),
    ];
    let beside = |ending: &str| {
        let mut name = output.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let failed = lists.iter().find(|(list, ending, _)| put(&beside(ending), list).is_err());
    let failed = failed.map(|(.., reason)| *reason);
    let report = match failed {
        Some(reason) => report.but(reason),
        None => report,
    };
    let text = report.lines().join("\n") + "\n";
    if put(output, text.as_bytes()).is_err() { report.but("output-write-failed") } else { report }
}

/// Puts a file in place; one without content is removed, so that nobody takes an old one for this answer's.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return match fs_err::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        };
    }
    let path = std::path::absolute(path)?;
    let temp = path.with_added_extension(format!("{}.tmp", std::process::id()));
    atomic::replace(&path, &temp, bytes).map_err(io::Error::other)
}
