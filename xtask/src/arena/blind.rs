//! `arena blind`: both sides without traces, in random order, and the judge's prompt.

use super::folder::{Arena, DOCUMENTS, Order, Side, write_json};
use super::lone::{render_answers, subject_matter};
use super::traces::{SubjectMatter, find_traces, is_name, remove_traces};
use crate::TaskResult;
use crate::driver::{clone_at, git};
use clap::Args;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

const PROMPT: &str = include_str!("../../assets/arena/judge.md");

#[derive(Debug, Args)]
pub(crate) struct BlindArgs {
    /// Folder of the round
    pub(super) folder: PathBuf,
    /// Seed of the order [default: random]; it is kept in order.json, outside of what judges see
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Go on although traces are left, which are listed
    #[arg(long)]
    pub(super) with_leftovers: bool,
}

pub(super) fn blind(args: &BlindArgs) -> TaskResult {
    let arena = Arena::open(&args.folder)?;
    if let Some((judge, _)) = arena.verdicts()?.first() {
        return Err(
            format!("{judge} has judged already; move blind/ and order.json away to begin again").into()
        );
    }
    let subject = subject_matter(&arena)?;
    let mut leftovers = Vec::new();
    let mut sides = Vec::new();
    for side in Side::ALL {
        let documents = clean_documents(&arena, side, &subject)?;
        for (name, text) in &documents {
            leftovers.extend(
                find_traces(text, &subject)
                    .iter()
                    .map(|trace| format!("{} {name}:{}: {}", side.name(), trace.line, trace.text)),
            );
        }
        sides.push((side, documents));
    }
    if !leftovers.is_empty() && !args.with_leftovers {
        let list = leftovers.join("\n");
        return Err(format!("traces are left (edit the documents, or use --with-leftovers):\n{list}").into());
    }
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one("order"));
    // An order that was drawn stays, so that the documents can be cleaned again.
    let order = arena.order()?.filter(|order| args.seed.is_none_or(|seed| seed == order.seed));
    let order = order.unwrap_or_else(|| Order::from_seed(seed));
    write_json(&arena.path("order.json"), &order)?;
    for (label, side) in [("A", order.a), ("B", order.b)] {
        let folder = arena.path("blind").join(label);
        fs_err::create_dir_all(&folder)?;
        for (name, text) in sides.iter().filter(|(of, _)| *of == side).flat_map(|(_, documents)| documents) {
            fs_err::write(folder.join(name), text)?;
        }
    }
    let repository = arena.path("blind/repository");
    if !repository.exists() {
        clone_at(&arena.repository(Side::Lone), &arena.record.commit, &repository)?;
    }
    fs_err::write(arena.path("blind/judge.md"), judge_prompt(&arena, &subject)?)?;
    println!("Prompt of the judges: {}", arena.path("blind/judge.md").display());
    println!("Words that are content here: {}", subject.words().collect::<Vec<_>>().join(", "));
    for leftover in leftovers {
        println!("left: {leftover}");
    }
    Ok(())
}

fn clean_documents(arena: &Arena, side: Side, subject: &SubjectMatter) -> TaskResult<Vec<(String, String)>> {
    let folder = arena.documents(side);
    let clean = |(name, title): &(&str, &str)| -> TaskResult<(String, String)> {
        let text = fs_err::read_to_string(folder.join(name))?;
        let text = without_places(arena, &text);
        Ok(((*name).to_owned(), remove_traces(&text, title, subject)))
    };
    DOCUMENTS.iter().map(clean).collect()
}

/// Paths of this round would tell the side: files of the repository are named from its root.
fn without_places(arena: &Arena, text: &str) -> String {
    let mut text = text.to_owned();
    for side in Side::ALL {
        let root = arena.repository(side).display().to_string();
        text = text.replace(&format!("{root}/"), "").replace(&root, ".");
    }
    text
}

fn judge_prompt(arena: &Arena, subject: &SubjectMatter) -> TaskResult<String> {
    let place = |name: &str| arena.path("blind").join(name).display().to_string();
    Ok(PROMPT
        .replace("{repository}", &place("repository"))
        .replace("{a}", &place("A"))
        .replace("{b}", &place("B"))
        .replace("{verdict}", &place("verdict-YOUR-NAME.md"))
        .replace("{decisions}", &render_answers(&arena.answers()?, subject))
        .replace("{request}", arena.request()?.trim_end()))
}

/// True if a tracked file has that word.
pub(super) fn repository_has(repository: &Path, commit: &str, word: &str) -> bool {
    let case: &[&str] = if is_name(word) { &[] } else { &["-i"] };
    let mut arguments = vec!["grep", "-q", "-w", "-I", "-F"];
    arguments.extend(case);
    arguments.extend(["-e", word, commit]);
    git(repository, &arguments).is_ok()
}
