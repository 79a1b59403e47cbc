//! Coverage of a plan by the files of a specification: no decision, file, failure mode or scenario gets lost.
//!
//! Something the writer drops on purpose stands in a section `## Left out` of design.md, with its reason. Reworded text
//! counts: decisions and failure modes are recognised by half of their significant words, files and scenarios by name.

use super::check::{IssueCode, SpecIssue};
use super::sections::Sections;
use crate::markdown::lines;
use crate::panel::citations::cited_files;
use crate::panel::plan::read_scenarios;
use crate::panel::resolutions::read_resolutions;
use crate::words;
use std::collections::BTreeSet;

/// The texts that are compared.
#[derive(Debug, Clone, Copy)]
pub struct CoverageTexts<'a> {
    pub plan: &'a str,
    /// `dialectic-resolutions.md`; may be empty.
    pub resolutions: &'a str,
    pub requirements: &'a str,
    pub design: &'a str,
    pub tasks: &'a str,
}

const DESIGN: &str = "design.md";
const TASKS: &str = "tasks.md";

/// Words of a title or sentence that must be found, of all its significant ones.
const NEEDED_SHARE: (usize, usize) = (1, 2);

/// Words of a decision below which it cannot hold a reason.
const MIN_REASON_WORDS: usize = 6;

/// Parts of the plan that are in none of the files.
pub fn lost_parts(texts: &CoverageTexts<'_>) -> Vec<SpecIssue> {
    let mut issues = lost_decisions(texts);
    issues.extend(lost_files(texts));
    issues.extend(lost_failure_modes(texts));
    issues.extend(lost_scenarios(texts));
    issues
}

fn issue(file: &'static str, message: String) -> SpecIssue {
    SpecIssue::new(file, 1, IssueCode::Lost, message)
}

/// Contested decisions and the plan's own ones that are missing, and contested ones without a reason.
fn lost_decisions(texts: &CoverageTexts<'_>) -> Vec<SpecIssue> {
    let design = Sections::parse(texts.design);
    let decisions = design.find(&["Decisions", "Design Decisions", "Key Decisions"]);
    let decided = decisions.map_or("", |section| section.body);
    let text = decided.to_owned() + left_out(texts.design);
    let known = significant_words(&text);
    let mut issues = Vec::new();
    for resolution in read_resolutions(texts.resolutions).0 {
        let (name, title) = (format!("DECISION_{}", resolution.n), &resolution.title);
        if !names_id(&text, &name) && !is_covered(title, &known) {
            let message = format!(
                "{name} ({title}) is not among the decisions; add it with its reason, or name it under 'Left out'"
            );
            issues.push(issue(DESIGN, message));
        } else if is_without_reason(decided, &name) {
            issues
                .push(issue(DESIGN, format!("{name} ({title}) has no reason; say why, and at which price")));
        }
    }
    let plan = Sections::parse(texts.plan);
    let own = plan.find(&["Decisions"]).map(|section| list_items(section.body)).unwrap_or_default();
    let own = own.into_iter().filter(|item| !item.trim_start_matches(['*', '`']).starts_with("DECISION_"));
    let lost = own.map(first_sentence).filter(|decision| !is_covered(decision, &known));
    issues.extend(lost.map(|decision| {
        let decision = decision.trim_end_matches(['.', ':']);
        issue(DESIGN, format!("the decision \"{decision}\" of the plan is not among the decisions"))
    }));
    issues
}

/// True if the section of a decision says what was decided and nothing else.
fn is_without_reason(decisions: &str, name: &str) -> bool {
    let sections = Sections::parse(decisions);
    let section =
        sections.all().find(|section| names_id(section.title, name) || names_id(section.body, name));
    section.is_some_and(|section| words::count(section.body) < MIN_REASON_WORDS)
}

fn lost_files(texts: &CoverageTexts<'_>) -> Vec<SpecIssue> {
    let plan = Sections::parse(texts.plan);
    let Some(files) = plan.find(&["Files to modify"]) else { return Vec::new() };
    let items = list_items(files.body);
    let named: BTreeSet<&str> =
        items.iter().filter_map(|item| cited_files(item).next().or_else(|| backticked(item))).collect();
    let lost = named.into_iter().filter(|path| !texts.tasks.contains(path) && !texts.design.contains(path));
    lost.map(|path| {
        issue(
            TASKS,
            format!(
                "the plan changes {path}, and no task does; add it, or name it under 'Left out' of design.md"
            ),
        )
    })
    .collect()
}

fn lost_failure_modes(texts: &CoverageTexts<'_>) -> Vec<SpecIssue> {
    let plan = Sections::parse(texts.plan);
    let Some(modes) = plan.find(&["Failure modes"]) else { return Vec::new() };
    let design = Sections::parse(texts.design);
    let text = ["Risk", "Error Handling", "Failure"].iter().filter_map(|title| design.find(&[title]));
    let text = text.map(|section| section.body).collect::<String>() + left_out(texts.design);
    let known = significant_words(&text);
    let lost = list_items(modes.body).into_iter().filter(|mode| !is_covered(first_sentence(mode), &known));
    lost.map(|mode| {
        let message = format!(
            "the failure mode \"{}\" of the plan is in neither Risks nor Error Handling",
            first_sentence(mode).trim_end_matches('.')
        );
        issue(DESIGN, message)
    })
    .collect()
}

fn lost_scenarios(texts: &CoverageTexts<'_>) -> Vec<SpecIssue> {
    let lost =
        read_scenarios(texts.plan).into_iter().filter(|scenario| !names_id(texts.design, &scenario.id));
    lost.map(|scenario| {
        issue(DESIGN, format!("the scenario {} of the plan is not in 'Scenarios'", scenario.id))
    })
    .collect()
}

/// The section of things that are left out on purpose.
fn left_out(design: &str) -> &str {
    Sections::parse(design).find(&["Left out"]).map_or("", |section| section.body)
}

/// Items of a list, without their marks. Lines of an item after the first are left out.
fn list_items(body: &str) -> Vec<&str> {
    let item = |line: &'_ str| -> Option<usize> {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        let mark = match trimmed.as_bytes() {
            [b'-' | b'*' | b'+', b' ', ..] => 2,
            bytes if digits > 0 && matches!(bytes.get(digits), Some(b'.' | b')')) => digits + 1,
            _ => return None,
        };
        (indent < 4).then_some(indent + mark)
    };
    let found = lines(body).filter(|line| !line.fenced);
    found.filter_map(|line| item(line.text).map(|from| line.text[from..].trim())).collect()
}

fn first_sentence(text: &str) -> &str {
    let end = text.find(". ").or_else(|| text.find(": ")).map_or(text.len(), |at| at + 1);
    &text[..end]
}

fn backticked(text: &str) -> Option<&str> {
    text.split('`').nth(1).filter(|name| name.contains(['/', '.']) && !name.contains(' '))
}

/// True if an id such as `S1` or `DECISION_2` stands in the text as a word.
fn names_id(text: &str, id: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(id)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + id.len()..].starts_with(is_word))
}

/// True if enough of the significant words of a text are known.
fn is_covered(text: &str, known: &BTreeSet<String>) -> bool {
    let wanted = significant_words(text);
    let found = wanted.iter().filter(|word| known.contains(*word)).count();
    found * NEEDED_SHARE.1 >= wanted.len() * NEEDED_SHARE.0
}

/// Words of four letters or more, in lower case and without their endings.
fn significant_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 4);
    let words = words.map(str::to_lowercase);
    words.filter(|word| !COMMON.contains(&word.as_str())).map(|word| stem(&word)).collect()
}

/// A word without a common ending, cut to its first six letters.
fn stem(word: &str) -> String {
    let endings = ["ing", "ed", "es", "s"].iter().filter_map(|ending| word.strip_suffix(ending));
    let stem = endings.into_iter().find(|stem| stem.chars().count() >= 4).unwrap_or(word);
    stem.chars().take(6).collect()
}

const COMMON: [&str; 24] = [
    "that", "without", "within", "this", "with", "from", "into", "when", "then", "than", "they", "them",
    "there", "which", "while", "what", "where", "have", "does", "each", "more", "only", "still", "because",
];

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "## Decisions\n- DECISION_1: in memory, because one process runs.\n- Batches stay at 500 rows: the lock is held briefly.\n\n\
                        ## Files to modify/create\n- `src/a.rs`: one more layer.\n- `src/new.rs` (new): the table.\n- `Makefile`: a target.\n\n\
                        ## Failure modes\n1. The table grows without end. First sign: memory. Remedy: drop.\n2. The clock jumps. First sign: bursts. Remedy: monotonic.\n\n\
                        ## Scenarios\n- S1: a first use.\n- S10: a crash in the middle.\n";
    const RESOLUTIONS: &str = "### DECISION_1: Where counts live\n**Resolution**: In memory.\n**Disposition**: over-cap\n**Why thesis prevails**: x\n";
    const DESIGN_TEXT: &str = "## Scenarios\n- S1: first use. \n- S10: crash.\n\n## Decisions\n### D1: Counts live in memory\nDECISION_1: Because one process runs, and a restart is rare.\n\
                          ### D2: Batches stay small\nA large batch holds the lock for long.\n\n\
                          ## Risks\n- A growing table: buckets are dropped.\n- Jumps of the clock: a monotonic one.\n\n## Confidence\nhigh\n";
    const TASK_TEXT: &str = "**Files:** src/a.rs, src/new.rs (new), Makefile\n";

    fn messages(design: &str, tasks: &str) -> Vec<String> {
        let texts = CoverageTexts { plan: PLAN, resolutions: RESOLUTIONS, requirements: "", design, tasks };
        lost_parts(&texts).into_iter().map(|issue| format!("{}: {}", issue.file, issue.message)).collect()
    }

    #[test]
    fn a_reworded_plan_is_covered() {
        assert_eq!(read_resolutions(RESOLUTIONS).0.len(), 1);
        assert_eq!(messages(DESIGN_TEXT, TASK_TEXT), [""; 0]);
    }

    #[test]
    fn every_lost_part_is_named() {
        let without = |part: &str| messages(&DESIGN_TEXT.replace(part, ""), TASK_TEXT);
        assert_eq!(
            without(
                "### D1: Counts live in memory\nDECISION_1: Because one process runs, and a restart is rare.\n"
            ),
            [
                "design.md: DECISION_1 (Where counts live) is not among the decisions; add it with its reason, or name it under 'Left out'"
            ]
        );
        assert_eq!(
            messages(
                &DESIGN_TEXT.replace("Because one process runs, and a restart is rare.", "In memory."),
                TASK_TEXT
            ),
            ["design.md: DECISION_1 (Where counts live) has no reason; say why, and at which price"]
        );
        assert_eq!(
            without("### D2: Batches stay small\nA large batch holds the lock for long.\n"),
            ["design.md: the decision \"Batches stay at 500 rows\" of the plan is not among the decisions"]
        );
        assert_eq!(
            without("- Jumps of the clock: a monotonic one.\n"),
            [
                "design.md: the failure mode \"The clock jumps\" of the plan is in neither Risks nor Error Handling"
            ]
        );
        assert_eq!(
            without("- S1: first use. \n"),
            ["design.md: the scenario S1 of the plan is not in 'Scenarios'"]
        );
        assert_eq!(
            messages(DESIGN_TEXT, &TASK_TEXT.replace(", src/new.rs (new)", "")),
            [
                "tasks.md: the plan changes src/new.rs, and no task does; add it, or name it under 'Left out' of design.md"
            ]
        );
    }

    #[test]
    fn what_is_left_out_on_purpose_is_not_lost() {
        let design = DESIGN_TEXT.replace("- Jumps of the clock: a monotonic one.\n", "")
            + "\n## Left out\n- The clock jumps: not on the hosts we run. Makefile: no target needed.\n";
        assert_eq!(messages(&design, &TASK_TEXT.replace(", Makefile", "")), [""; 0]);
    }

    #[test]
    fn nothing_is_demanded_of_an_empty_plan() {
        let texts = CoverageTexts { plan: "", resolutions: "", requirements: "", design: "", tasks: "" };
        assert_eq!(lost_parts(&texts), []);
    }
}
