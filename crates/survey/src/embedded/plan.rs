//! The planner: a plan of existing paths, and the notes it rests on. Decisions, interfaces, scenarios and the like are in
//! [`super::plan_sections`].

use super::citable_facts::{CitableFacts, NO_MODEL, file_citation, risk_sentence, sanitize};
use super::inputs::DraftInputs;
use super::person::PersonWords;
use super::plan_sections;
use super::plan_text::SECTIONS;
use super::synthesis::cited_files;
use crate::tree::kind::{FileKind, file_kind};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::file_names::{DESIGN_NOTES, PLAN_DRAFT};
use charrette_model::panel::investigation::AnswerKind;
use charrette_model::panel::resolutions::{Disposition, read_resolutions};
use charrette_model::seats::files::join_files;

/// Maximum number of files in a plan, without tests and docs.
const MAX_FILES: usize = 6;

/// Writes the plan and the notes.
pub(super) fn draft(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let files = select_files(inputs, &facts);
    let failures = failure_modes(&facts);
    let mut sections = vec![
        (SECTIONS[0], files_section(&facts, &files)),
        (SECTIONS[1], approach(inputs, &facts, &files)),
        ("Decisions", plan_sections::decisions(inputs)),
        ("Interfaces and data", plan_sections::interfaces(&facts, &files)),
        (SECTIONS[2], edge_cases(inputs, &facts)),
        ("Error handling", plan_sections::error_handling(&facts, &files)),
        (SECTIONS[3], failures.clone()),
        ("Scenarios", plan_sections::scenarios(&facts, &files, &failures)),
        ("Order of work", plan_sections::order_of_work(&facts, &files, &test_files(&facts, &files))),
        ("Roll-out and roll-back", plan_sections::roll_out()),
        ("Rejected alternatives", plan_sections::rejected_alternatives(inputs)),
        (SECTIONS[4], testing(&facts, &files)),
    ];
    sections.extend(plan_sections::measure_first(inputs).map(|text| ("Measure first", text)));
    let titled = sections.into_iter().map(|(title, text)| format!("## {title}\n{text}\n"));
    let plan = format!("> {NO_MODEL}\n\n{}", titled.collect::<Vec<_>>().join("\n"));
    join_files(&[(PLAN_DRAFT, &plan), (DESIGN_NOTES, &plan_sections::design_notes(inputs, &facts, &files))])
}

/// A file of the plan.
pub(super) struct PlannedFile {
    pub(super) path: String,
    why: String,
}

/// Files of the plan: those of resolved decisions, then sources the synthesis cites, then the best of the survey.
fn select_files(inputs: &DraftInputs<'_>, facts: &CitableFacts<'_>) -> Vec<PlannedFile> {
    let surveyed = facts.sources();
    let rank = |path: &str| surveyed.iter().position(|file| file.path == path).unwrap_or(usize::MAX);
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    let person = PersonWords::read(inputs);
    let mut decided: Vec<String> =
        resolutions.iter().flat_map(|resolution| cited_files(inputs, &resolution.resolution)).collect();
    decided.retain(|path| is_code(path));
    let mut named = cited_files(inputs, inputs.artifact("approach-synthesis.txt"));
    named.retain(|path| is_code(path));
    named.sort_by_key(|path| rank(path));
    named.truncate(4);
    let first = surveyed.iter().take(3).map(|file| file.path.clone());
    let mut all: Vec<PlannedFile> = Vec::new();
    for path in person.included.iter().filter(|path| !person.excluded.contains(path)) {
        if !all.iter().any(|known| known.path == *path) {
            all.push(PlannedFile { why: "the person put it into the scope".to_owned(), path: path.clone() });
        }
    }
    for path in decided.into_iter().chain(named).chain(first) {
        let is_wanted = !person.excluded.contains(&path) && !all.iter().any(|known| known.path == path);
        if all.len() < MAX_FILES && is_wanted {
            all.push(PlannedFile { why: file_reason(facts, &path), path });
        }
    }
    if let Some(first) =
        facts.first().filter(|first| all.is_empty() && !person.excluded.contains(&first.path))
    {
        all.push(PlannedFile { path: first.path.clone(), why: file_reason(facts, &first.path) });
    }
    all
}

fn is_code(path: &str) -> bool {
    file_kind(path) == Some(FileKind::Source)
}

fn file_reason(facts: &CitableFacts<'_>, path: &str) -> String {
    let known = facts.files.iter().find(|file| file.path == path);
    let reason = known.and_then(|file| file.reasons.first());
    reason
        .map_or_else(|| "named by the synthesis".to_owned(), |reason| format!("it {}", sanitize(reason, 140)))
}

fn files_section(facts: &CitableFacts<'_>, files: &[PlannedFile]) -> String {
    let mut lines: Vec<String> =
        files.iter().map(|file| format!("- `{}`: {}.", file.path, file.why)).collect();
    for (n, test) in test_files(facts, files).iter().take(2).enumerate() {
        let what =
            if n == 0 { "a test that fails first, then the cases named below" } else { "must keep passing" };
        lines.push(format!("- `{test}`: {what}."));
    }
    if let Some(changelog) = facts.changelog().filter(|path| !files.iter().any(|file| file.path == **path)) {
        lines.push(format!("- `{changelog}`: one line, as the repository's habit is."));
    }
    if lines.is_empty() {
        return "- None: no file of the repository fits the request. A person must name the place."
            .to_owned();
    }
    lines.join("\n")
}

/// Separate test files of the planned files; if there are none, the first test of the survey.
fn test_files<'a>(facts: &CitableFacts<'a>, files: &[PlannedFile]) -> Vec<&'a str> {
    let mut found: Vec<&str> = files.iter().flat_map(|file| facts.tests_of(&file.path)).collect();
    if found.is_empty() {
        // The nearest test is a start; more would be guesses.
        found = facts.tests();
        found.truncate(1);
    }
    let mut each: Vec<&str> = Vec::new();
    for test in found {
        if !each.contains(&test) && !files.iter().any(|file| file.path == test) {
            each.push(test);
        }
    }
    each
}

fn approach(inputs: &DraftInputs<'_>, facts: &CitableFacts<'_>, files: &[PlannedFile]) -> String {
    let mut text = vec![format!("The request {}.", facts.request_phrases().asks)];
    if let Some(first) = files.first() {
        let found = facts.files.iter().find(|file| file.path == first.path);
        let at = found.map_or_else(|| first.path.clone(), |file| file_citation(file));
        text.push(format!("The work begins at {at} and stays inside the files above; nothing new is created unless a person wants it."));
        for symbol in facts.symbols_of(&first.path).iter().take(3) {
            text.push(format!(
                "{} {} is defined at {}:{}.",
                sentence_start(&symbol.kind),
                sanitize(&symbol.name, 60),
                symbol.path,
                symbol.line
            ));
        }
    }
    let (settled, _) = read_discussion(inputs.artifact("discussion-round1.md"));
    for entry in &settled {
        text.push(format!(
            "Decided beforehand, {}: {}",
            sanitize(&entry.title, 80),
            with_full_stop(&sanitize(&entry.resolution, 200))
        ));
    }
    for (name, answer) in plan_sections::investigations(inputs) {
        let kind = match answer.kind {
            AnswerKind::Fact => "A fact",
            AnswerKind::Unknown => "Not known here",
            AnswerKind::MeasureFirst => "To be measured first",
        };
        text.push(format!(
            "{kind} ({name}): {} Therefore: {}",
            with_full_stop(&sanitize(&answer.answer, 300)),
            with_full_stop(&sanitize(&answer.consequence, 300))
        ));
    }
    text.push("How the behaviour works in detail is not in any file and is left to the implementer, within a person's decisions.".to_owned());
    text.join("\n")
}

fn edge_cases(inputs: &DraftInputs<'_>, facts: &CitableFacts<'_>) -> String {
    let mut lines = vec![
        "- Nothing is given, or something empty: what happens is for a person to decide; today's behaviour must not change.".to_owned(),
        "- More is given than the code expects: the limit is for a person to decide.".to_owned(),
        "- The same is asked for twice, or by two at once: it must not be done twice.".to_owned(),
    ];
    for risk in
        facts.risks().iter().filter(|risk| matches!(risk.kind.as_str(), "todo" | "deprecated")).take(3)
    {
        lines.push(format!("- Note: {}.", risk_sentence(risk)));
    }
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    for resolution in
        resolutions.iter().filter(|resolution| resolution.outcome.disposition() == Disposition::Voted)
    {
        lines.push(format!(
            "- DECISION_{}, the side that lost feared: {}",
            resolution.n,
            with_full_stop(&sanitize(&resolution.antithesis_summary, 200))
        ));
    }
    lines.join("\n")
}

/// Three failure modes, each with its first sign and a remedy. Risks in the code are notes, not failure modes: whether
/// the change meets them is unknown.
fn failure_modes(facts: &CitableFacts<'_>) -> String {
    let run = facts.test_command().map_or("a test".to_owned(), |run| format!("\"{}\"", sanitize(run, 100)));
    let modes = [
        format!("Callers that rely on today's behaviour break. First sign: {run} fails. Remedy: keep the old behaviour until it is asked otherwise."),
        "The change lands in the wrong place, because words led to it and not understanding. First sign: the first failing test needs another file. Remedy: stop and survey again with better words.".to_owned(),
        "The request was understood too narrowly. First sign: the person who asked does not recognise it. Remedy: show the test names before the code is written.".to_owned(),
    ];
    modes.iter().enumerate().map(|(n, mode)| format!("{}. {mode}", n + 1)).collect::<Vec<_>>().join("\n")
}

fn testing(facts: &CitableFacts<'_>, files: &[PlannedFile]) -> String {
    let mut lines = Vec::new();
    for file in files.iter().take(4) {
        lines.push(match facts.covered_by(&file.path) {
            Some(tests) => format!(
                "- `{}`: covered by {tests}, with a new case that fails without the change.",
                file.path
            ),
            None => {
                format!(
                    "- `{}`: {}; the first task writes one.",
                    file.path, "imports and names do not show which test covers it"
                )
            }
        });
    }
    if let Some(run) = facts.test_command() {
        lines.push(format!("- Everything is run with `{}`.", sanitize(run, 100)));
    }
    if lines.is_empty() {
        lines.push("- No test and no command to run tests were found: a person must say how a change is proven here.".to_owned());
    }
    lines.join("\n")
}

pub(super) fn with_full_stop(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

fn sentence_start(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| format!("The {}{}", first.to_lowercase(), chars.as_str()))
}
