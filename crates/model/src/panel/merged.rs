//! `findings.md`: what all reviewers found, each thing once, with everyone who found it.
//!
//! The items here are what the voters vote on. Who proposed an item matters for the scoreboard, so no proposer may
//! be lost when findings are merged: [`unheard`] says who was.

use super::blocks::{Block, blocks, write_field, write_head};
use super::findings::{Focus, NO_ISSUES_FOUND};
use super::ids::{ItemId, ItemKind};
use super::lines::{MARKS, Problem, is_blank, trimmed};
use indexmap::IndexSet;
use std::collections::HashSet;

/// One thing to vote on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewItem {
    /// Its name: a finding, or an observation out of scope.
    pub id: ItemId,
    /// What it is about, in a few words.
    pub title: String,
    /// Everyone who found it.
    pub proposers: Vec<String>,
    /// Which focus area it belongs to.
    pub focus: Option<Focus>,
    /// What is wrong.
    pub concern: String,
    /// What the plan should say instead; may be empty out of scope.
    pub revision: String,
}

impl ReviewItem {
    /// Whether it is worth tracking, but not here.
    pub fn is_out_of_scope(&self) -> bool {
        self.id.kind == ItemKind::OutOfScope
    }

    /// Everyone who found it, as one text.
    pub fn reviewers(&self) -> String {
        self.proposers.join(", ")
    }
}

const REVIEWERS: usize = 0;
const FOCUS: usize = 1;
const CONCERN: usize = 2;
const REVISION: usize = 3;
/// The fields, and after them other names for two of them.
const FIELDS: [&str; 7] =
    ["Reviewers", "Focus", "Concern", "Revision", "Reviewer", "Proposers", "Suggested revision"];
const ALSO_REVIEWERS: [usize; 3] = [REVIEWERS, 4, 5];
const ALSO_REVISION: [usize; 2] = [REVISION, 6];

/// Reads the file. What is kept has a name of its own, a concern and at least one proposer.
pub fn read_items(text: &str) -> (Vec<ReviewItem>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    let mut items = Vec::new();
    let blocks = blocks(text, item_id, &FIELDS);
    if blocks.is_empty() && trimmed(text) != NO_ISSUES_FOUND {
        let message = format!("expected '### FINDING_1: title' blocks, or exactly {NO_ISSUES_FOUND}");
        problems.push(Problem::new(1, message));
    }
    for block in &blocks {
        if seen.insert(block.head) {
            items.extend(item(block, &mut problems));
        } else {
            problems.push(Problem::new(block.line, format!("{} is there already", block.head)));
        }
    }
    (items, problems)
}

fn item_id(name: &str) -> Option<ItemId> {
    ItemId::parse(name).filter(|id| id.kind != ItemKind::Decision)
}

fn item(block: &Block<'_, ItemId>, problems: &mut Vec<Problem>) -> Option<ReviewItem> {
    let id = block.head;
    let mut value = |names: &[usize]| {
        let found = names.iter().find_map(|name| block.value(*name, &FIELDS, problems));
        found.unwrap_or_default().to_owned()
    };
    let proposers = names(&value(&ALSO_REVIEWERS));
    let focus = Focus::parse(&value(&[FOCUS]));
    let (concern, revision) = (value(&[CONCERN]), value(&ALSO_REVISION));
    let mut missing = |name: usize| {
        problems.push(Problem::new(block.line_of(name), format!("{id} has no {}", FIELDS[name])));
    };
    if proposers.is_empty() {
        missing(REVIEWERS);
    }
    if concern.is_empty() {
        missing(CONCERN);
    }
    if revision.is_empty() && id.kind == ItemKind::Finding {
        missing(REVISION);
    }
    let title = block.title.to_owned();
    let complete = !proposers.is_empty() && !concern.is_empty();
    complete.then_some(ReviewItem { id, title, proposers, focus, concern, revision })
}

/// The names in a comma list, each once.
fn names(list: &str) -> Vec<String> {
    let names = list.split(',').map(|name| name.trim_matches(|c| is_blank(c) || MARKS.contains(&c)));
    let unique: IndexSet<&str> = names.filter(|name| !name.is_empty()).collect();
    unique.into_iter().map(str::to_owned).collect()
}

/// Writes the file.
pub fn write_items(items: &[ReviewItem]) -> String {
    let mut out = String::new();
    for item in items {
        write_head(&mut out, "###", item.id, &item.title);
        let focus = item.focus.map_or("", Focus::name);
        let values = [&item.reviewers(), focus, &item.concern, &item.revision];
        for (name, value) in FIELDS.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
            write_field(&mut out, "- ", name, value);
        }
    }
    if out.is_empty() { format!("{NO_ISSUES_FOUND}\n") } else { out }
}

/// Those of `reviewers`, all of whom found something, whom no item names.
pub fn unheard<'a>(items: &[ReviewItem], reviewers: &[&'a str]) -> Vec<&'a str> {
    let heard: HashSet<&str> = items.iter().flat_map(|item| &item.proposers).map(String::as_str).collect();
    reviewers.iter().filter(|name| !heard.contains(**name)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::lines::flat;
    use proptest::prelude::*;

    const WHOLE: &str = "### FINDING_1: No rollback\n- **Reviewers**: Cursor-Arch, Codex-Pragmatic\n- **Focus**: correctness\n\
                         - **Concern**: A failed write stays.\n- **Revision**: Undo it.\n";

    #[test]
    fn a_whole_item_is_read_and_written() {
        let (items, problems) = read_items(WHOLE);
        assert_eq!(problems, []);
        assert_eq!(items[0].reviewers(), "Cursor-Arch, Codex-Pragmatic");
        assert_eq!(items[0].focus, Some(Focus::Correctness));
        assert_eq!(write_items(&items), WHOLE);
        let loose = "## finding_1: No rollback\nReviewer: `Cursor-Arch`, Cursor-Arch,\n\n**Suggested revision:** Undo it.\nConcern: A\n  failed write stays.";
        let (items, problems) = read_items(loose);
        assert_eq!((items[0].proposers.as_slice(), problems.len()), (&["Cursor-Arch".to_owned()][..], 0));
        assert_eq!(
            (items[0].concern.as_str(), items[0].revision.as_str()),
            ("A failed write stays.", "Undo it.")
        );
    }

    #[test]
    fn what_is_missing_is_said_with_its_line() {
        let without = |label: &str| {
            let lines: Vec<&str> = WHOLE.lines().filter(|line| !line.contains(label)).collect();
            let (items, problems) = read_items(&lines.join("\n"));
            (items.len(), problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>())
        };
        assert_eq!(without("Reviewers"), (0, vec!["FINDING_1 has no Reviewers".to_owned()]));
        assert_eq!(without("Concern"), (0, vec!["FINDING_1 has no Concern".to_owned()]));
        assert_eq!(without("Revision"), (1, vec!["FINDING_1 has no Revision".to_owned()]));
        assert_eq!(without("Focus"), (1, vec![]));
        let out_of_scope = WHOLE.replace("FINDING", "OOS").replace("- **Revision**: Undo it.\n", "");
        let (items, problems) = read_items(&out_of_scope);
        assert!(items[0].is_out_of_scope() && problems.is_empty());
        let twice = format!("{WHOLE}{WHOLE}");
        assert_eq!(read_items(&twice).1, [Problem::new(6, "FINDING_1 is there already")]);
    }

    #[test]
    fn nothing_found_is_said_with_one_word() {
        assert_eq!(read_items("NO_ISSUES_FOUND\n"), (vec![], vec![]));
        assert_eq!(write_items(&[]), "NO_ISSUES_FOUND\n");
        for text in ["", "### DECISION_1: x", "fine"] {
            assert_eq!(read_items(text).1.len(), 1, "{text}");
        }
    }

    #[test]
    fn a_lost_proposer_is_named() {
        let (items, _) = read_items(WHOLE);
        assert_eq!(unheard(&items, &["Cursor-Arch", "Cursor-Edge", "Code"]), ["Cursor-Edge", "Code"]);
    }

    prop_compose! {
        fn any_item()(
            texts in prop::collection::vec("\\PC{0,30}a", 3),
            proposers in prop::collection::hash_set("[A-Z][a-z]{2,6}-[A-Z][a-z]{2,6}", 1..4),
            focus in prop::option::of(prop::sample::select(Focus::ALL.to_vec())),
            out_of_scope in any::<bool>(),
        ) -> ReviewItem {
            let [title, concern, revision] = <[String; 3]>::try_from(texts.iter().map(|text| flat(text)).collect::<Vec<_>>()).unwrap();
            let kind = if out_of_scope { ItemKind::OutOfScope } else { ItemKind::Finding };
            ReviewItem { id: ItemId { kind, n: 1 }, title, proposers: proposers.into_iter().collect(), focus, concern, revision }
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(mut items in prop::collection::vec(any_item(), 0..5)) {
            (1..).zip(&mut items).for_each(|(n, item)| item.id.n = n);
            prop_assert_eq!(read_items(&write_items(&items)), (items, vec![]));
        }
    }
}
