//! `findings.md`: the merged findings of all reviewers, each with all its proposers.
//!
//! These items are voted on. Scores go to the proposers, so the merger must not lose any: [`missing_proposers`]
//! finds lost ones.

use super::blocks::{Block, blocks, write_field, write_head};
use super::findings::{Focus, NO_ISSUES_FOUND};
use super::ids::{ItemId, ItemKind};
use crate::markdown::{MARKS, is_blank, trimmed};
use crate::problem::Problem;
use indexmap::IndexSet;
use std::collections::HashSet;

/// Merged finding or out-of-scope observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewItem {
    pub id: ItemId,
    pub title: String,
    /// Labels of all reviewers who raised it.
    pub proposers: Vec<String>,
    pub focus: Option<Focus>,
    pub concern: String,
    /// Suggested revision of the plan; may be empty if out of scope.
    pub revision: String,
}

impl ReviewItem {
    pub fn is_out_of_scope(&self) -> bool {
        self.id.kind == ItemKind::OutOfScope
    }

    /// The proposers as a comma list.
    pub fn reviewers(&self) -> String {
        self.proposers.join(", ")
    }
}

const REVIEWERS: usize = 0;
const FOCUS: usize = 1;
const CONCERN: usize = 2;
const REVISION: usize = 3;
/// Field labels, followed by synonyms of two of them.
const FIELDS: [&str; 7] =
    ["Reviewers", "Focus", "Concern", "Revision", "Reviewer", "Proposers", "Suggested revision"];
const ALSO_REVIEWERS: [usize; 3] = [REVIEWERS, 4, 5];
const ALSO_REVISION: [usize; 2] = [REVISION, 6];

/// Parses `findings.md`. Items without an id of their own, a concern or a proposer are dropped with a problem.
pub fn read_review_items(text: &str) -> (Vec<ReviewItem>, Vec<Problem>) {
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
            items.extend(read_item(block, &mut problems));
        } else {
            problems.push(Problem::new(block.line, format!("{} is there already", block.head)));
        }
    }
    (items, problems)
}

fn item_id(name: &str) -> Option<ItemId> {
    ItemId::parse(name).filter(|id| id.kind != ItemKind::Decision)
}

fn read_item(block: &Block<'_, ItemId>, problems: &mut Vec<Problem>) -> Option<ReviewItem> {
    let id = block.head;
    let mut value = |names: &[usize]| {
        let found = names.iter().find_map(|name| block.value(*name, &FIELDS, problems));
        found.unwrap_or_default().to_owned()
    };
    let proposers = parse_names(&value(&ALSO_REVIEWERS));
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

/// Parses a comma list without duplicates.
fn parse_names(list: &str) -> Vec<String> {
    let names = list.split(',').map(|name| name.trim_matches(|c| is_blank(c) || MARKS.contains(&c)));
    let unique: IndexSet<&str> = names.filter(|name| !name.is_empty()).collect();
    unique.into_iter().map(str::to_owned).collect()
}

/// Writes `findings.md`.
pub fn write_review_items(items: &[ReviewItem]) -> String {
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

/// The `reviewers` that no item names as proposer. All of them must have raised a finding.
pub fn missing_proposers<'a>(items: &[ReviewItem], reviewers: &[&'a str]) -> Vec<&'a str> {
    let heard: HashSet<&str> = items.iter().flat_map(|item| &item.proposers).map(String::as_str).collect();
    reviewers.iter().filter(|name| !heard.contains(**name)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::flat;
    use proptest::prelude::*;

    const WHOLE: &str = "### FINDING_1: No rollback\n- **Reviewers**: Cursor-Arch, Codex-Pragmatic\n- **Focus**: correctness\n\
                         - **Concern**: A failed write stays.\n- **Revision**: Undo it.\n";

    #[test]
    fn a_whole_item_is_read_and_written() {
        let (items, problems) = read_review_items(WHOLE);
        assert_eq!(problems, []);
        assert_eq!(items[0].reviewers(), "Cursor-Arch, Codex-Pragmatic");
        assert_eq!(items[0].focus, Some(Focus::Correctness));
        assert_eq!(write_review_items(&items), WHOLE);
        let loose = "## finding_1: No rollback\nReviewer: `Cursor-Arch`, Cursor-Arch,\n\n**Suggested revision:** Undo it.\nConcern: A\n  failed write stays.";
        let (items, problems) = read_review_items(loose);
        assert_eq!((items[0].proposers.as_slice(), problems.len()), (&["Cursor-Arch".to_owned()][..], 0));
        assert_eq!(
            (items[0].concern.as_str(), items[0].revision.as_str()),
            ("A failed write stays.", "Undo it.")
        );
    }

    #[test]
    fn missing_fields_are_reported() {
        let without = |label: &str| {
            let lines: Vec<&str> = WHOLE.lines().filter(|line| !line.contains(label)).collect();
            let (items, problems) = read_review_items(&lines.join("\n"));
            (items.len(), problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>())
        };
        assert_eq!(without("Reviewers"), (0, vec!["FINDING_1 has no Reviewers".to_owned()]));
        assert_eq!(without("Concern"), (0, vec!["FINDING_1 has no Concern".to_owned()]));
        assert_eq!(without("Revision"), (1, vec!["FINDING_1 has no Revision".to_owned()]));
        assert_eq!(without("Focus"), (1, vec![]));
        let out_of_scope = WHOLE.replace("FINDING", "OOS").replace("- **Revision**: Undo it.\n", "");
        let (items, problems) = read_review_items(&out_of_scope);
        assert!(items[0].is_out_of_scope() && problems.is_empty());
        let twice = format!("{WHOLE}{WHOLE}");
        assert_eq!(read_review_items(&twice).1, [Problem::new(6, "FINDING_1 is there already")]);
    }

    #[test]
    fn no_findings_is_one_token() {
        assert_eq!(read_review_items("NO_ISSUES_FOUND\n"), (vec![], vec![]));
        assert_eq!(write_review_items(&[]), "NO_ISSUES_FOUND\n");
        for text in ["", "### DECISION_1: x", "fine"] {
            assert_eq!(read_review_items(text).1.len(), 1, "{text}");
        }
    }

    #[test]
    fn lost_proposers_are_found() {
        let (items, _) = read_review_items(WHOLE);
        assert_eq!(
            missing_proposers(&items, &["Cursor-Arch", "Cursor-Edge", "Code"]),
            ["Cursor-Edge", "Code"]
        );
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
        fn written_items_parse_again(mut items in prop::collection::vec(any_item(), 0..5)) {
            (1..).zip(&mut items).for_each(|(n, item)| item.id.n = n);
            prop_assert_eq!(read_review_items(&write_review_items(&items)), (items, vec![]));
        }
    }
}
