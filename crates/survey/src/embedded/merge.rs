//! The merger: one list of all reviewers' findings.
//!
//! Two findings are one only if they have the same tag and are about the same file, or share most of their words.
//! Nothing else is merged, and every proposer is kept.

use super::citable_facts::{NO_MODEL, sanitize};
use super::inputs::DraftInputs;
use super::synthesis::strip_line;
use charrette_model::panel::citations;
use charrette_model::panel::findings::{FindingSeverity, Focus, read_findings};
use charrette_model::panel::ids::{ItemId, ItemKind};
use charrette_model::panel::review_items::{FindingRef, ReviewItem, write_review_items};
use std::collections::BTreeSet;

/// Minimum share of common words for two findings to be one, in percent.
const SHARED_WORDS_PERCENT: usize = 60;

/// Artifact with the label of each review file: `- FILE: LABEL`.
const LABELS_FILE: &str = "reviewers.md";

/// Writes `findings.md`.
pub(super) fn merge(inputs: &DraftInputs<'_>) -> String {
    let mut items: Vec<MergedFinding> = Vec::new();
    for (name, text) in inputs.artifacts_like("", "-plan-", "-output.txt") {
        let label = lookup_label(inputs.artifact(LABELS_FILE), name).unwrap_or_else(|| reviewer_label(name));
        for finding in read_findings(text).findings {
            let found = MergedFinding {
                title: finding.severity.map(|_| finding.title().into_owned()),
                severity: finding.severity,
                focus: finding.focus,
                concern: finding.concern.to_string(),
                revision: finding.revision.as_deref().unwrap_or_default().to_owned(),
                out_of_scope: finding.out_of_scope,
                from: vec![FindingRef { reviewer: label.clone(), n: finding.n, part: None }],
            };
            match items.iter_mut().find(|known| known.is_same(&found)) {
                Some(known) => known.absorb(found),
                None => items.push(found),
            }
        }
    }
    // In scope first: findings are numbered from 1, and so are those out of scope.
    let (inside, outside): (Vec<MergedFinding>, Vec<MergedFinding>) =
        items.into_iter().partition(|item| !item.out_of_scope);
    let named = |kind: ItemKind, items: Vec<MergedFinding>| {
        items
            .into_iter()
            .zip(1..)
            .map(move |(item, n)| item.into_item(ItemId { kind, n }))
            .collect::<Vec<_>>()
    };
    let mut all = named(ItemKind::Finding, inside);
    all.extend(named(ItemKind::OutOfScope, outside));
    let notice = if all.is_empty() { String::new() } else { format!("> {NO_MODEL}\n\n") };
    notice + &write_review_items(&all)
}

/// Label of a review file, from the list. The file name has the seat, which another agent may have taken.
fn lookup_label(labels: &str, file: &str) -> Option<String> {
    let mut listed = labels.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    listed.find(|(name, _)| *name == file).map(|(_, label)| label.trim().to_owned())
}

/// Label of a reviewer, from its file name: `Cursor-Arch` for `cursor-plan-arch-output.txt`.
pub fn reviewer_label(file: &str) -> String {
    let tool = file.split('-').next().unwrap_or_default();
    let lens = file.strip_suffix("-output.txt").and_then(|name| name.rsplit('-').next()).unwrap_or_default();
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
    };
    format!("{}-{}", capital(tool), capital(lens))
}

struct MergedFinding {
    /// None in the older form of findings.
    title: Option<String>,
    severity: Option<FindingSeverity>,
    focus: Option<Focus>,
    concern: String,
    revision: String,
    out_of_scope: bool,
    from: Vec<FindingRef>,
}

impl MergedFinding {
    fn is_same(&self, other: &MergedFinding) -> bool {
        self.focus == other.focus
            && (same_file(&self.concern, &other.concern) || shares_words(&self.concern, &other.concern))
    }

    /// Merges another finding into this one. In scope for one is in scope for all. The longer concern and its
    /// revision are kept; the other one is added if it cites another place.
    fn absorb(&mut self, other: MergedFinding) {
        self.from.extend(other.from);
        // The gravest comes first in the order of severities.
        self.severity = [self.severity, other.severity].into_iter().flatten().min();
        self.title = self.title.take().or(other.title);
        self.out_of_scope &= other.out_of_scope;
        let (mut concern, mut revision) = (other.concern, other.revision);
        if concern.len() > self.concern.len() {
            std::mem::swap(&mut self.concern, &mut concern);
            std::mem::swap(&mut self.revision, &mut revision);
        }
        let known = citations::paths(&self.concern);
        let elsewhere = citations::paths(&concern).iter().any(|place| !known.contains(place));
        if elsewhere {
            self.concern = format!("{} {concern}", self.concern);
        }
        if self.revision.is_empty() {
            self.revision = revision;
        } else if elsewhere && !revision.is_empty() && revision != self.revision {
            self.revision = format!("{} {revision}", self.revision);
        }
    }

    fn into_item(self, id: ItemId) -> ReviewItem {
        let title = self.title.unwrap_or_else(|| title(&self.concern));
        let mut proposers: Vec<String> = Vec::new();
        for from in &self.from {
            if !proposers.contains(&from.reviewer) {
                proposers.push(from.reviewer.clone());
            }
        }
        let revision = if self.revision.is_empty() && id.kind == ItemKind::Finding {
            "The reviewer suggests nothing in particular.".to_owned()
        } else {
            self.revision
        };
        ReviewItem {
            id,
            title,
            from: self.from,
            proposers,
            severity: self.severity,
            focus: self.focus,
            concern: self.concern,
            revision,
            options: Vec::new(),
            contradicts: Vec::new(),
        }
    }
}

/// True if both cite exactly one file, the same one.
fn same_file(a: &str, b: &str) -> bool {
    let files = |text: &str| -> BTreeSet<String> {
        citations::paths(text).into_iter().map(|path| strip_line(path).to_owned()).collect()
    };
    let (a, b) = (files(a), files(b));
    a.len() == 1 && a == b
}

fn shares_words(a: &str, b: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(str::to_lowercase)
            .collect()
    };
    let (a, b) = (words(a), words(b));
    let fewer = a.len().min(b.len());
    fewer > 0 && a.intersection(&b).count() * 100 >= fewer * SHARED_WORDS_PERCENT
}

/// Title: the first words of a concern.
fn title(concern: &str) -> String {
    let words: Vec<&str> = concern.split_whitespace().take(12).collect();
    let title = sanitize(&words.join(" "), 80);
    title.trim_end_matches([',', '.', ':', ';', '(']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reviewers_are_called_by_their_files() {
        for (file, label) in [
            ("cursor-plan-arch-output.txt", "Cursor-Arch"),
            ("codex-primary-plan-innovation-output.txt", "Codex-Innovation"),
            ("codex-fallback-cursor-plan-edge-output.txt", "Codex-Edge"),
        ] {
            assert_eq!(reviewer_label(file), label);
        }
    }

    #[test]
    fn a_substitute_reviewer_keeps_its_label() {
        let labels = "- cursor-plan-arch-output.txt: Embedded-Arch\n- cursor-plan-edge-output.txt: Code\n";
        assert_eq!(lookup_label(labels, "cursor-plan-edge-output.txt").as_deref(), Some("Code"));
        assert_eq!(lookup_label(labels, "codex-primary-plan-innovation-output.txt"), None);
    }

    #[test]
    fn only_the_same_thing_is_merged() {
        assert!(same_file("in src/a.rs:3 x", "y src/a.rs"));
        assert!(!same_file("src/a.rs", "src/a.rs and src/b.rs"));
        assert!(!same_file("no file", "none here"));
        assert!(shares_words(
            "the limiter counts requests twice",
            "requests are counted twice: the limiter counts"
        ));
        assert!(!shares_words("the limiter counts twice", "the parser loops forever"));
    }
}
