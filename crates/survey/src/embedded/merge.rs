//! The merger: one list of what the reviewers found.
//!
//! Two findings are one only if they have the same tag and are about the same file, or share most of their words.
//! Nothing else is merged, and nobody is lost.

use super::ground::{NO_MODEL, said};
use super::inputs::Inputs;
use super::synthesis::without_line;
use charrette_model::panel::cited;
use charrette_model::panel::findings::{Focus, read_findings};
use charrette_model::panel::ids::{ItemId, ItemKind};
use charrette_model::panel::merged::{ReviewItem, write_items};
use std::collections::BTreeSet;

/// How much of their words two findings must share to be one, in percent.
const SHARED: usize = 60;

/// Where it stands who wrote which review: `- FILE: LABEL`.
const LABELS: &str = "reviewers.md";

/// Writes `findings.md`.
pub(super) fn merge(inputs: &Inputs<'_>) -> String {
    let mut items: Vec<Merged> = Vec::new();
    for (name, text) in inputs.artifacts_like("", "-plan-", "-output.txt") {
        let label = listed_label(inputs.artifact(LABELS), name).unwrap_or_else(|| reviewer_label(name));
        for finding in read_findings(text).findings {
            let found = Merged {
                focus: finding.focus,
                concern: finding.concern.to_string(),
                revision: finding.revision.as_deref().unwrap_or_default().to_owned(),
                out_of_scope: finding.out_of_scope,
                proposers: vec![label.clone()],
            };
            match items.iter_mut().find(|known| known.is_same(&found)) {
                Some(known) => known.take(found),
                None => items.push(found),
            }
        }
    }
    // In scope first: the names of findings go through from 1, and so do those out of scope.
    let (inside, outside): (Vec<Merged>, Vec<Merged>) =
        items.into_iter().partition(|item| !item.out_of_scope);
    let named = |kind: ItemKind, items: Vec<Merged>| {
        items.into_iter().zip(1..).map(move |(item, n)| item.named(ItemId { kind, n })).collect::<Vec<_>>()
    };
    let mut all = named(ItemKind::Finding, inside);
    all.extend(named(ItemKind::OutOfScope, outside));
    let notice = if all.is_empty() { String::new() } else { format!("> {NO_MODEL}\n\n") };
    notice + &write_items(&all)
}

/// What a reviewer is called, by the list of them. The name of a file says whose seat it was, not who sat there.
fn listed_label(labels: &str, file: &str) -> Option<String> {
    let mut listed = labels.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    listed.find(|(name, _)| *name == file).map(|(_, label)| label.trim().to_owned())
}

/// What a reviewer is called, by the name of its file: `Cursor-Arch` for `cursor-plan-arch-output.txt`.
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

struct Merged {
    focus: Option<Focus>,
    concern: String,
    revision: String,
    out_of_scope: bool,
    proposers: Vec<String>,
}

impl Merged {
    fn is_same(&self, other: &Merged) -> bool {
        self.focus == other.focus
            && (same_file(&self.concern, &other.concern) || shares_words(&self.concern, &other.concern))
    }

    /// In scope for one is in scope for all. The longer concern tells more, and keeps the revision that belongs to it;
    /// what the other one says about another place is added.
    fn take(&mut self, other: Merged) {
        for proposer in other.proposers {
            if !self.proposers.contains(&proposer) {
                self.proposers.push(proposer);
            }
        }
        self.out_of_scope &= other.out_of_scope;
        let (mut concern, mut revision) = (other.concern, other.revision);
        if concern.len() > self.concern.len() {
            std::mem::swap(&mut self.concern, &mut concern);
            std::mem::swap(&mut self.revision, &mut revision);
        }
        let known = cited::paths(&self.concern);
        let elsewhere = cited::paths(&concern).iter().any(|place| !known.contains(place));
        if elsewhere {
            self.concern = format!("{} {concern}", self.concern);
        }
        if self.revision.is_empty() {
            self.revision = revision;
        } else if elsewhere && !revision.is_empty() && revision != self.revision {
            self.revision = format!("{} {revision}", self.revision);
        }
    }

    fn named(self, id: ItemId) -> ReviewItem {
        let title = title(&self.concern);
        let revision = if self.revision.is_empty() && id.kind == ItemKind::Finding {
            "The reviewer suggests nothing in particular.".to_owned()
        } else {
            self.revision
        };
        ReviewItem {
            id,
            title,
            proposers: self.proposers,
            focus: self.focus,
            concern: self.concern,
            revision,
        }
    }
}

/// Both are about one file, and about the same one.
fn same_file(a: &str, b: &str) -> bool {
    let files = |text: &str| -> BTreeSet<String> {
        cited::paths(text).into_iter().map(|path| without_line(path).to_owned()).collect()
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
    fewer > 0 && a.intersection(&b).count() * 100 >= fewer * SHARED
}

/// The first words of a concern.
fn title(concern: &str) -> String {
    let words: Vec<&str> = concern.split_whitespace().take(12).collect();
    let title = said(&words.join(" "), 80);
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
    fn who_sat_in_anothers_seat_keeps_its_name() {
        let labels = "- cursor-plan-arch-output.txt: Embedded-Arch\n- cursor-plan-edge-output.txt: Code\n";
        assert_eq!(listed_label(labels, "cursor-plan-edge-output.txt").as_deref(), Some("Code"));
        assert_eq!(listed_label(labels, "codex-primary-plan-innovation-output.txt"), None);
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
