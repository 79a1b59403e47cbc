//! Ranking quality on any repository with history: a commit's subject is the request, the files it modified are the
//! answer, and the survey sees the tree and the history before it, nothing later.

#![allow(clippy::cast_precision_loss, reason = "commits and files are counted")]

use crate::Outcome;
use crate::programs::scratch;
use charrette_survey::citations::{CitationReport, check_citations};
use charrette_survey::evaluation::{Bm25Baseline, RankingCase, is_source_or_doc};
use charrette_survey::{SurveyOptions, Weights, survey};
use std::path::Path;
use std::process::{Command, Stdio};

/// Length of the ranking that counts.
const NAMED: usize = 10;
/// Commits that modify more are not one change.
const MOST_FILES: usize = 6;

/// Prints recall@10 of the survey and of plain rankings, and looks up whatever the surveys cite.
pub(in crate::bench) fn recall(repository: &Path, commits: usize, each: bool) -> Outcome {
    let scratch = scratch("survey")?;
    let tree = scratch.path().join("tree");
    let cache = scratch.path().join("cache");
    // A clone of its own: the repository itself is not touched.
    let status = Command::new("git")
        .args(["clone", "-q", "--shared", "--no-checkout"])
        .arg(repository.canonicalize()?)
        .arg(&tree)
        .status()?;
    if !status.success() {
        return Err(format!("{} cannot be cloned", repository.display()).into());
    }
    let changes = spread(changes(&tree)?, commits);
    if changes.is_empty() {
        return Err("no commit modifies 1 to 6 source or doc files".into());
    }
    let mut sums = [0.0; 3];
    let mut cited = CitationReport::default();
    for change in &changes {
        git(&tree, &["checkout", "-q", "-f", "--detach", &change.parent])?;
        let case = RankingCase::new(&tree, &change.request, Some(&cache));
        let (plain, paths) = (Bm25Baseline::index(&tree, false), Bm25Baseline::index(&tree, true));
        let ours = case.rank(&Weights::default());
        let orders = [plain.rank(&change.request), paths.rank(&change.request), ours];
        let recalls = orders.each_ref().map(|order| change.recall(order));
        for (sum, recall) in sums.iter_mut().zip(recalls) {
            *sum += recall;
        }
        let found =
            survey(SurveyOptions { root: &tree, request: &change.request, top: NAMED, cache: Some(&cache) })?;
        let citations = check_citations(&tree, &found);
        cited.checked += citations.checked;
        cited.errors.extend(citations.errors);
        if each {
            println!("{:.2} {:.2} {:.2}  {}", recalls[0], recalls[1], recalls[2], change.request);
            for file in &change.files {
                let place = orders[2].iter().position(|path| path == file);
                println!("      {} {file}", place.map_or("-".to_owned(), |place| format!("#{}", place + 1)));
            }
        }
    }
    let count = changes.len() as f64;
    let [plain, paths, ours] = sums.map(|sum| sum / count);
    println!("commits {}, recall@{NAMED}:", changes.len());
    println!("  plain BM25            {plain:.3}");
    println!("  BM25 with path words  {paths:.3}");
    println!("  survey                {ours:.3}");
    println!("  gap to 1.0 closed     {:+.0} %", (ours - plain) / (1.0 - plain).max(1e-9) * 100.0);
    println!("cited {} places, {} of them wrong", cited.checked, cited.errors.len());
    if let Some(wrong) = cited.errors.first() {
        return Err(wrong.clone().into());
    }
    Ok(())
}

/// A commit to be found again.
struct Change {
    parent: String,
    request: String,
    files: Vec<String>,
}

impl Change {
    fn recall(&self, order: &[&str]) -> f64 {
        let named = &order[..order.len().min(NAMED)];
        let found = self.files.iter().filter(|file| named.contains(&file.as_str())).count();
        found as f64 / self.files.len() as f64
    }
}

/// Commits that modify a few files a person wrote, newest first.
fn changes(tree: &Path) -> Outcome<Vec<Change>> {
    let log = git(
        tree,
        &["log", "-z", "--no-merges", "--no-renames", "--name-status", "--format=%x01%P%n%s", "HEAD"],
    )?;
    let mut all: Vec<Change> = Vec::new();
    let mut fields = log.split('\0');
    while let Some(field) = fields.next() {
        if let Some(head) = field.strip_prefix('\u{1}') {
            let (parents, subject) = head.split_once('\n').unwrap_or_default();
            let parent = parents.split(' ').next().unwrap_or_default().to_owned();
            all.push(Change { parent, request: request(subject), files: Vec::new() });
        } else if let (Some(path), Some(change)) = (fields.next(), all.last_mut())
            && field.trim_start() == "M"
            && is_source_or_doc(path)
        {
            change.files.push(path.to_owned());
        }
    }
    all.retain(|change| {
        let asked = change.request.split_whitespace().count() > 1;
        asked && !change.parent.is_empty() && (1..=MOST_FILES).contains(&change.files.len())
    });
    Ok(all)
}

/// A subject without its conventional prefix and without numbers of issues.
fn request(subject: &str) -> String {
    let mut rest = subject.trim();
    if let Some((head, after)) = rest.split_once(": ") {
        let kind = head.trim_end_matches('!').split('(').next().unwrap_or_default();
        if KINDS.contains(&kind) {
            rest = after;
        }
    }
    if let Some((_, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        rest = after;
    }
    let is_number = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#');
        bare.strip_prefix('#').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
    };
    rest.split_whitespace().filter(|word| !is_number(word)).collect::<Vec<_>>().join(" ")
}

const KINDS: [&str; 13] = [
    "build", "chore", "ci", "doc", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test",
    "tests",
];

fn spread(all: Vec<Change>, most: usize) -> Vec<Change> {
    let step = all.len().div_ceil(most.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

fn git(folder: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new("git").args(args).current_dir(folder).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(format!("git {}: {}", args[0], String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_become_requests() {
        for (subject, expected) in [
            ("feat(cli)!: add a survey (#12)", "add a survey"),
            ("fix: crash, see #7.", "crash, see"),
            ("[nextest-runner] add retries (#1234)", "add retries"),
            ("printer: fix colours", "printer: fix colours"),
            ("#5", ""),
        ] {
            assert_eq!(request(subject), expected);
        }
    }
}
