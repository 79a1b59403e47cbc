//! Ranking quality on any repository with history: a commit's subject is the request, the files it modified are the
//! answer, and the survey sees the tree and the history before it, nothing later.

#![allow(clippy::cast_precision_loss, reason = "commits and files are counted")]

use crate::TaskResult;
use crate::programs::create_scratch_folder;
use charrette_survey::citations::{CitationReport, check_citations};
use charrette_survey::evaluation::{Bm25Baseline, RankingCase, is_source_or_doc};
use charrette_survey::{SurveyOptions, Weights, survey};
use std::path::Path;
use std::process::{Command, Stdio};

/// Number of ranked files that count.
const TOP: usize = 10;
/// Maximum number of files of a commit that counts as one change.
const MAX_FILES: usize = 6;

/// Prints recall@10 of the survey and of BM25 baselines, and checks the citations of the surveys.
pub(in crate::bench) fn measure_recall(repository: &Path, commits: usize, each: bool) -> TaskResult {
    let scratch = create_scratch_folder("survey")?;
    let tree = scratch.path().join("tree");
    let cache = scratch.path().join("cache");
    // Works on a clone, so that the repository is not touched.
    let status = Command::new("git")
        .args(["clone", "-q", "--shared", "--no-checkout"])
        .arg(repository.canonicalize()?)
        .arg(&tree)
        .status()?;
    if !status.success() {
        return Err(format!("{} cannot be cloned", repository.display()).into());
    }
    let changes = sample_evenly(changes(&tree)?, commits);
    if changes.is_empty() {
        return Err(format!("no commit modifies 1 to {MAX_FILES} source or doc files").into());
    }
    let mut sums = [0.0; 3];
    let mut citations = CitationReport::default();
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
        let report = survey(SurveyOptions {
            root: &tree,
            request: &change.request,
            top: TOP,
            cache: Some(&cache),
            sources: None,
        })?;
        let checked = check_citations(&tree, &report);
        citations.checked += checked.checked;
        citations.errors.extend(checked.errors);
        if each {
            println!("{:.2} {:.2} {:.2}  {}", recalls[0], recalls[1], recalls[2], change.request);
            for file in &change.files {
                let rank = orders[2].iter().position(|path| path == file);
                println!("      {} {file}", rank.map_or("-".to_owned(), |rank| format!("#{}", rank + 1)));
            }
        }
    }
    let count = changes.len() as f64;
    let [plain, paths, ours] = sums.map(|sum| sum / count);
    println!("commits {}, recall@{TOP}:", changes.len());
    println!("  plain BM25            {plain:.3}");
    println!("  BM25 with path words  {paths:.3}");
    println!("  survey                {ours:.3}");
    println!("  gap to 1.0 closed     {:+.0} %", (ours - plain) / (1.0 - plain).max(1e-9) * 100.0);
    println!("citations {}, of them wrong {}", citations.checked, citations.errors.len());
    if let Some(wrong) = citations.errors.first() {
        return Err(wrong.clone().into());
    }
    Ok(())
}

/// A commit whose files the ranking should name.
struct Change {
    parent: String,
    request: String,
    files: Vec<String>,
}

impl Change {
    fn recall(&self, order: &[&str]) -> f64 {
        let top = &order[..order.len().min(TOP)];
        let found = self.files.iter().filter(|file| top.contains(&file.as_str())).count();
        found as f64 / self.files.len() as f64
    }
}

/// Commits that modify a few source or doc files, newest first.
fn changes(tree: &Path) -> TaskResult<Vec<Change>> {
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
            all.push(Change { parent, request: request_from(subject), files: Vec::new() });
        } else if let (Some(path), Some(change)) = (fields.next(), all.last_mut())
            && field.trim_start() == "M"
            && is_source_or_doc(path)
        {
            change.files.push(path.to_owned());
        }
    }
    all.retain(|change| {
        let has_words = change.request.split_whitespace().count() > 1;
        has_words && !change.parent.is_empty() && (1..=MAX_FILES).contains(&change.files.len())
    });
    Ok(all)
}

/// Commit subject without its conventional prefix and issue numbers.
fn request_from(subject: &str) -> String {
    let mut rest = subject.trim();
    if let Some((head, after)) = rest.split_once(": ") {
        let kind = head.trim_end_matches('!').split('(').next().unwrap_or_default();
        if COMMIT_TYPES.contains(&kind) {
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

const COMMIT_TYPES: [&str; 13] = [
    "build", "chore", "ci", "doc", "docs", "feat", "fix", "perf", "refactor", "revert", "style", "test",
    "tests",
];

fn sample_evenly(all: Vec<Change>, count: usize) -> Vec<Change> {
    let step = all.len().div_ceil(count.max(1)).max(1);
    all.into_iter().step_by(step).collect()
}

fn git(folder: &Path, args: &[&str]) -> TaskResult<String> {
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
            assert_eq!(request_from(subject), expected);
        }
    }
}
