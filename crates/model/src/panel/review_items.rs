//! `findings.md`: the merged findings of all reviewers, each with the reviewers' findings it was made from.
//!
//! These items are voted on. Scores go to the proposers, so the merger must not lose any finding:
//! [`super::accounting`] compares the list with the reviews. [`super::remedies`] has the options of an item.

use super::blocks::{Block, blocks, write_field, write_head};
use super::findings::{FindingSeverity, Focus, NO_ISSUES_FOUND};
use super::ids::{ItemId, ItemKind};
use super::remedies::{RemedyOption, format_options, read_options};
use crate::markdown::{MARKS, is_blank, trimmed};
use crate::problem::Problem;
use indexmap::IndexSet;
use std::collections::HashSet;
use std::fmt;

/// Merged finding or out-of-scope observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewItem {
    pub id: ItemId,
    pub title: String,
    /// Findings of the reviewers that it was made from; empty in the older form.
    pub from: Vec<FindingRef>,
    /// Labels of all reviewers who raised it.
    pub proposers: Vec<String>,
    pub severity: Option<FindingSeverity>,
    pub focus: Option<Focus>,
    pub concern: String,
    /// Suggested revision of the plan; may be empty if out of scope or with options.
    pub revision: String,
    /// Different remedies that reviewers want; empty, or at least two.
    pub options: Vec<RemedyOption>,
    /// Decisions whose resolution it contradicts.
    pub contradicts: Vec<ItemId>,
}

/// Finding of a reviewer, `Cursor-Arch#2`, or a part of it that raises a concern of its own, `Cursor-Arch#2a`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FindingRef {
    /// Label of the reviewer.
    pub reviewer: String,
    /// Number in the review.
    pub n: u32,
    /// Lower-case letter of the part; none for the whole finding.
    pub part: Option<char>,
}

impl fmt::Display for FindingRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.reviewer, self.n)?;
        self.part.map_or(Ok(()), |part| write!(f, "{part}"))
    }
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

const FROM: usize = 0;
const REVIEWERS: usize = 1;
const SEVERITY: usize = 2;
const FOCUS: usize = 3;
const CONCERN: usize = 4;
const REVISION: usize = 5;
const OPTIONS: usize = 6;
const CONTRADICTS: usize = 7;
/// Field labels, followed by synonyms of two of them.
const FIELDS: [&str; 11] = [
    "From",
    "Reviewers",
    "Severity",
    "Focus",
    "Concern",
    "Revision",
    "Options",
    "Contradicts",
    "Reviewer",
    "Proposers",
    "Suggested revision",
];
const ALSO_REVIEWERS: [usize; 3] = [REVIEWERS, 8, 9];
const ALSO_REVISION: [usize; 2] = [REVISION, 10];

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
    let (from, mut unnumbered) = read_refs(&value(&[FROM]));
    let reviewers = parse_names(&value(&ALSO_REVIEWERS));
    let (severity, focus) = (value(&[SEVERITY]), Focus::parse(&value(&[FOCUS])));
    let (concern, revision) = (value(&[CONCERN]), value(&ALSO_REVISION));
    let (options, contradicts) = (value(&[OPTIONS]), value(&[CONTRADICTS]));
    let mut report = |name: usize, message: String| {
        problems.push(Problem::new(block.line_of(name), format!("{id}{message}")));
    };
    for name in &unnumbered {
        report(FROM, format!(": From has '{name}' without a number; write {name}#2 for its second finding"));
    }
    unnumbered.extend(reviewers);
    let named = from.iter().map(|finding| finding.reviewer.clone()).chain(unnumbered);
    let proposers: Vec<String> = named.collect::<IndexSet<String>>().into_iter().collect();
    let grade = FindingSeverity::parse(&severity);
    if grade.is_none() && !severity.is_empty() {
        report(SEVERITY, format!(": Severity '{severity}' is not critical, major or minor"));
    }
    let read = read_options(&options);
    if read.is_empty() && !is_none(&options) {
        report(OPTIONS, ": Options must be two or more, as 'A: one remedy; B: another'".to_owned());
    }
    let decisions = read_decision_ids(&contradicts);
    if decisions.is_empty() && !is_none(&contradicts) {
        report(CONTRADICTS, ": Contradicts must name a decision, as DECISION_2".to_owned());
    }
    let mut missing = |name: usize| report(name, format!(" has no {}", FIELDS[name]));
    if proposers.is_empty() {
        missing(FROM);
    }
    if concern.is_empty() {
        missing(CONCERN);
    }
    if revision.is_empty() && read.is_empty() && id.kind == ItemKind::Finding {
        missing(REVISION);
    }
    let complete = !proposers.is_empty() && !concern.is_empty();
    complete.then(|| ReviewItem {
        id,
        title: block.title.to_owned(),
        from,
        proposers,
        severity: grade,
        focus,
        concern,
        revision,
        options: read,
        contradicts: decisions,
    })
}

/// Parses `Cursor-Arch#2, Codex-Edge#1, #3`; a bare number belongs to the reviewer before it. Returns names without a
/// number separately.
fn read_refs(list: &str) -> (Vec<FindingRef>, Vec<String>) {
    let (mut refs, mut names) = (IndexSet::new(), Vec::new());
    let mut last = String::new();
    for entry in list.split([',', ';']).flat_map(|part| part.split(" and ")) {
        let entry = trim_name(entry);
        let numbered = entry.rsplit_once('#').and_then(|(name, n)| {
            let n = n.trim_matches(is_blank);
            let part = n.chars().next_back().filter(char::is_ascii_alphabetic);
            let number = n.trim_end_matches(|c: char| Some(c) == part);
            let number = number.parse::<u32>().ok().filter(|n| *n > 0)?;
            Some((trim_name(name), number, part.map(|part| part.to_ascii_lowercase())))
        });
        match numbered {
            Some((name, n, part)) if !(name.is_empty() && last.is_empty()) => {
                if !name.is_empty() {
                    name.clone_into(&mut last);
                }
                refs.insert(FindingRef { reviewer: last.clone(), n, part });
            }
            _ if entry.is_empty() => {}
            _ => names.push(entry.to_owned()),
        }
    }
    (refs.into_iter().collect(), names)
}

/// Parses a comma list without duplicates.
fn parse_names(list: &str) -> Vec<String> {
    let unique: IndexSet<&str> = list.split(',').map(trim_name).filter(|name| !name.is_empty()).collect();
    unique.into_iter().map(str::to_owned).collect()
}

fn trim_name(name: &str) -> &str {
    name.trim_matches(|c| is_blank(c) || MARKS.contains(&c))
}

/// The decisions named in a text, each once.
fn read_decision_ids(text: &str) -> Vec<ItemId> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter_map(ItemId::parse);
    words.filter(|id| id.kind == ItemKind::Decision).collect::<IndexSet<ItemId>>().into_iter().collect()
}

/// True for an empty field.
fn is_none(text: &str) -> bool {
    let text = text.trim_matches(|c: char| is_blank(c) || MARKS.contains(&c) || c == '.' || c == '-');
    text.is_empty() || text.eq_ignore_ascii_case("none") || text.eq_ignore_ascii_case("n/a")
}

/// Writes `findings.md`.
pub fn write_review_items(items: &[ReviewItem]) -> String {
    let mut out = String::new();
    for item in items {
        write_head(&mut out, "###", item.id, &item.title);
        let from = join(&item.from);
        let is_derived =
            item.proposers.iter().all(|name| item.from.iter().any(|from| from.reviewer == *name));
        let reviewers = if is_derived { String::new() } else { item.reviewers() };
        let severity = item.severity.map_or("", FindingSeverity::name);
        let focus = item.focus.map_or("", Focus::name);
        let (options, contradicts) = (format_options(&item.options), join(&item.contradicts));
        let values: [&str; 8] =
            [&from, &reviewers, severity, focus, &item.concern, &item.revision, &options, &contradicts];
        for (name, value) in FIELDS.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
            write_field(&mut out, "- ", name, value);
        }
    }
    if out.is_empty() { format!("{NO_ISSUES_FOUND}\n") } else { out }
}

fn join<T: fmt::Display>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::flat;
    use proptest::prelude::*;

    const WHOLE: &str = "### FINDING_1: No rollback\n- **From**: Cursor-Arch#2, Codex-Pragmatic#1\n- **Severity**: major\n\
                         - **Focus**: correctness\n- **Concern**: A failed write stays.\n- **Revision**: Undo it.\n\
                         - **Options**: A: undo it; B: write to a copy\n- **Contradicts**: DECISION_2\n";
    const OLDER: &str = "### FINDING_1: No rollback\n- **Reviewers**: Cursor-Arch, Codex-Pragmatic\n- **Focus**: correctness\n\
                         - **Concern**: A failed write stays.\n- **Revision**: Undo it.\n";

    fn read_one(text: &str) -> ReviewItem {
        let (mut items, problems) = read_review_items(text);
        assert_eq!((items.len(), problems), (1, vec![]), "{text}");
        items.remove(0)
    }

    fn messages(text: &str) -> Vec<String> {
        read_review_items(text).1.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_whole_item_is_read_and_written() {
        let item = read_one(WHOLE);
        assert_eq!(item.reviewers(), "Cursor-Arch, Codex-Pragmatic");
        assert_eq!(join(&item.from), "Cursor-Arch#2, Codex-Pragmatic#1");
        assert_eq!((item.severity, item.focus), (Some(FindingSeverity::Major), Some(Focus::Correctness)));
        assert_eq!(
            item.options.iter().map(|option| option.text.as_str()).collect::<Vec<_>>(),
            ["undo it", "write to a copy"]
        );
        assert_eq!(item.contradicts, [ItemId::decision(2)]);
        assert_eq!(write_review_items(&[item]), WHOLE);
    }

    #[test]
    fn the_older_form_is_read_and_written() {
        let item = read_one(OLDER);
        assert_eq!((item.reviewers().as_str(), item.from.len()), ("Cursor-Arch, Codex-Pragmatic", 0));
        assert_eq!(write_review_items(&[item]), OLDER);
        let loose = "## finding_1: No rollback\nReviewer: `Cursor-Arch`, Cursor-Arch,\n\n**Suggested revision:** Undo it.\nConcern: A\n  failed write stays.";
        let item = read_one(loose);
        assert_eq!(item.proposers, ["Cursor-Arch"]);
        assert_eq!((item.concern.as_str(), item.revision.as_str()), ("A failed write stays.", "Undo it."));
    }

    #[test]
    fn references_are_read_as_people_write_them() {
        for (text, refs, names) in [
            ("a#1", "a#1", ""),
            (
                "`Cursor-Arch#2`, **Codex-Edge** #1; Code# 3 and b#4",
                "Cursor-Arch#2 Codex-Edge#1 Code#3 b#4",
                "",
            ),
            ("a#1, #2, a#1", "a#1 a#2", ""),
            ("a#1b, a#2C, a#2cc", "a#1b a#2c", ""),
            ("a, b#0, #3, c#x", "", "a b#0 #3 c#x"),
            ("", "", ""),
        ] {
            let (found, others) = read_refs(text);
            let found: Vec<String> = found.iter().map(ToString::to_string).collect();
            assert_eq!((found.join(" "), others.join(" ")), (refs.to_owned(), names.to_owned()), "{text}");
        }
        let from = WHOLE.replace("Codex-Pragmatic#1", "Codex-Pragmatic");
        assert_eq!(
            messages(&from),
            [
                "FINDING_1: From has 'Codex-Pragmatic' without a number; write Codex-Pragmatic#2 for its second finding"
            ]
        );
        assert_eq!(read_review_items(&from).0[0].proposers, ["Cursor-Arch", "Codex-Pragmatic"]);
    }

    #[test]
    fn options_and_contradictions_may_be_absent() {
        for none in ["none", "None.", "n/a", "-", ""] {
            let text = WHOLE.replace("A: undo it; B: write to a copy", none).replace("DECISION_2", none);
            let item = read_one(&text);
            assert!(item.options.is_empty() && item.contradicts.is_empty(), "{none}");
        }
        let listed =
            WHOLE.replace(" A: undo it; B: write to a copy", "\n  - A: undo it\n  - **B**: write to a copy");
        assert_eq!(read_one(&listed), read_one(WHOLE));
        let without_revision = WHOLE.replace("- **Revision**: Undo it.\n", "");
        assert_eq!(messages(&without_revision), [""; 0], "the options are its revision");
        for (from, to, message) in [
            (
                "A: undo it; B: write to a copy",
                "A: undo it",
                "FINDING_1: Options must be two or more, as 'A: one remedy; B: another'",
            ),
            ("DECISION_2", "the second", "FINDING_1: Contradicts must name a decision, as DECISION_2"),
            ("major", "huge", "FINDING_1: Severity 'huge' is not critical, major or minor"),
        ] {
            assert_eq!(messages(&WHOLE.replace(from, to)), [message]);
        }
    }

    #[test]
    fn missing_fields_are_reported() {
        let without = |label: &str| {
            let lines: Vec<&str> = OLDER.lines().filter(|line| !line.contains(label)).collect();
            let text = lines.join("\n");
            (read_review_items(&text).0.len(), messages(&text))
        };
        assert_eq!(without("Reviewers"), (0, vec!["FINDING_1 has no From".to_owned()]));
        assert_eq!(without("Concern"), (0, vec!["FINDING_1 has no Concern".to_owned()]));
        assert_eq!(without("Revision"), (1, vec!["FINDING_1 has no Revision".to_owned()]));
        assert_eq!(without("Focus"), (1, vec![]));
        let out_of_scope = OLDER.replace("FINDING", "OOS").replace("- **Revision**: Undo it.\n", "");
        let (items, problems) = read_review_items(&out_of_scope);
        assert!(items[0].is_out_of_scope() && problems.is_empty());
        let twice = format!("{OLDER}{OLDER}");
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

    prop_compose! {
        fn any_item()(
            texts in prop::collection::vec("\\PC{0,30}a", 3),
            proposers in prop::collection::hash_set("[A-Z][a-z]{2,6}-[A-Z][a-z]{2,6}", 1..4),
            numbers in prop::option::of(1u32..9),
            part in prop::option::of(prop::char::range('a', 'z')),
            severity in prop::option::of(prop::sample::select(FindingSeverity::ALL.to_vec())),
            focus in prop::option::of(prop::sample::select(Focus::ALL.to_vec())),
            options in prop::sample::select(vec![0usize, 2, 3]),
            contradicts in prop::collection::btree_set(1u32..9, 0..3),
            out_of_scope in any::<bool>(),
        ) -> ReviewItem {
            let [title, concern, revision] = <[String; 3]>::try_from(texts.iter().map(|text| flat(text)).collect::<Vec<_>>()).unwrap();
            let kind = if out_of_scope { ItemKind::OutOfScope } else { ItemKind::Finding };
            let proposers: Vec<String> = proposers.into_iter().collect();
            let from = numbers.map(|n| proposers.iter().map(|name| FindingRef { reviewer: name.clone(), n, part }).collect()).unwrap_or_default();
            let options = ('A'..).take(options).map(|letter| RemedyOption { letter, text: format!("do {letter}") }).collect();
            let contradicts = contradicts.into_iter().map(ItemId::decision).collect();
            ReviewItem { id: ItemId { kind, n: 1 }, title, from, proposers, severity, focus, concern, revision, options, contradicts }
        }
    }

    proptest! {
        #[test]
        fn written_items_parse_again(mut items in prop::collection::vec(any_item(), 0..5)) {
            (1..).zip(&mut items).for_each(|(n, item)| item.id.n = n);
            prop_assert_eq!(read_review_items(&write_review_items(&items)), (items, vec![]));
        }

        #[test]
        fn what_was_read_once_reads_the_same_again(text in "(### FINDING_1: t\n|From: |Reviewers: |Concern: |Options: |Contradicts: |DECISION_2|a#1|, |; | and |A: |B: |C: |\\(B\\)|Option |x|\n|\\*\\*){0,30}") {
            let (items, _) = read_review_items(&text);
            prop_assert_eq!(read_review_items(&write_review_items(&items)).0, items);
        }
    }
}
