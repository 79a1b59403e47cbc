//! Sections of a plan about decisions, interfaces, errors, scenarios, order and roll-back: what the survey can say of
//! them, or `None: reason`. The files, the approach and the tests are in [`super::plan`].

use super::citable_facts::{CitableFacts, join_list, risk_citation, risk_clause, sanitize};
use super::inputs::DraftInputs;
use super::plan::{PlannedFile, with_full_stop};
use charrette_model::panel::debate::DebateSide;
use charrette_model::panel::investigation::{AnswerKind, Investigation, read_investigation};
use charrette_model::panel::resolutions::{DecisionOutcome, DecisionResolution, read_resolutions};

/// Maximum number of definitions named.
const MAX_DEFINITIONS: usize = 8;

/// Resolutions of the contested decisions.
pub(super) fn resolutions(inputs: &DraftInputs<'_>) -> Vec<DecisionResolution> {
    read_resolutions(inputs.artifact("dialectic-resolutions.md")).0
}

/// Every contested decision with its reason.
pub(super) fn decisions(inputs: &DraftInputs<'_>) -> String {
    let resolutions = resolutions(inputs);
    if resolutions.is_empty() {
        return "None: no decision was contested.".to_owned();
    }
    let line = |resolution: &DecisionResolution| {
        let title = sanitize(&resolution.title, 80);
        let chosen = sanitize(&resolution.resolution, 200);
        let chosen = chosen.trim_end_matches('.');
        format!("- DECISION_{}: {title}: {chosen}, because {}", resolution.n, reason(resolution))
    };
    resolutions.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Reason of a decision: that of the judges, else what the synthesis stands on.
fn reason(resolution: &DecisionResolution) -> String {
    let given: Vec<String> = resolution.reasons.iter().map(|reason| sanitize(reason, 160)).collect();
    if !given.is_empty() {
        return with_full_stop(&given.join("; "));
    }
    "most of the evidence in the repository leads there; no argument was heard against it, so a person may still decide otherwise.".to_owned()
}

/// Definitions that exist today in the planned files. New ones cannot be derived from a survey.
pub(super) fn interfaces(facts: &CitableFacts<'_>, files: &[PlannedFile]) -> String {
    let symbols = files.iter().flat_map(|file| facts.symbols_of(&file.path)).take(MAX_DEFINITIONS);
    let mut lines: Vec<String> = symbols
        .map(|symbol| {
            format!(
                "- {} {} at {}:{} is there today; callers rely on it.",
                symbol.kind,
                sanitize(&symbol.name, 60),
                symbol.path,
                symbol.line
            )
        })
        .collect();
    if lines.is_empty() {
        return "None: no definition in these files shares a word with the request, and types, signatures and stored data of the new behaviour cannot be derived without a model.".to_owned();
    }
    lines.push("- New types, signatures and stored data cannot be derived without a model; the implementer writes them down before the first change, and a person agrees.".to_owned());
    lines.join("\n")
}

/// Notes on places in the planned files where errors are lost today. They are no part of what is asked for.
pub(super) fn error_handling(facts: &CitableFacts<'_>, files: &[PlannedFile]) -> String {
    let fails_badly = |kind: &str| matches!(kind, "panic" | "swallowed");
    let is_planned = |path: &str| files.iter().any(|file| file.path == path);
    let risks = facts.risks().into_iter().filter(|risk| fails_badly(&risk.kind) && is_planned(&risk.path));
    let lines: Vec<String> = risks
        .take(4)
        .map(|risk| {
            format!(
                "- Note: at {} {}; to change that is not asked for.",
                risk_citation(risk),
                risk_clause(risk)
            )
        })
        .collect();
    if lines.is_empty() {
        return "None: no place was found in these files where an error is dropped or ends the process; which errors the new behaviour has is for a person to decide.".to_owned();
    }
    lines.join("\n")
}

/// Mechanical scenarios: a first use, a crash in the middle, and each failure mode.
pub(super) fn scenarios(facts: &CitableFacts<'_>, files: &[PlannedFile], failure_modes: &str) -> String {
    let Some(first) = files.first() else {
        return "None: no file of the repository fits the request, so there is nothing to walk through."
            .to_owned();
    };
    let proof = facts
        .tests_of(&first.path)
        .first()
        .map_or_else(|| "a new test shows it".to_owned(), |test| format!("a test in {test} shows it"));
    let mut all = vec![
        format!("a first use on a fresh machine: {} does what the request names, and {proof}", first.path),
        format!(
            "a crash in the middle: the process ends while {} is at work, and the next start finds nothing half done",
            first.path
        ),
    ];
    let numbered = |line: &str| {
        let (_, mode) = line.split_once(". ")?;
        Some(mode.split(" First sign:").next()?.trim_end_matches('.').to_owned())
    };
    let modes = failure_modes.lines().filter_map(numbered);
    all.extend((1..).zip(modes).map(|(n, mode)| format!("failure mode {n}: {mode}")));
    (1..).zip(all).map(|(n, text)| format!("- S{n}: {text}.")).collect::<Vec<_>>().join("\n")
}

/// Test first, then each file, then everything.
pub(super) fn order_of_work(facts: &CitableFacts<'_>, files: &[PlannedFile], tests: &[&str]) -> String {
    if files.is_empty() {
        return "None: the order depends on the place, which a person must name first.".to_owned();
    }
    let mut steps = vec![match tests.first() {
        Some(test) => format!("Write a test in `{test}` that fails because the behaviour is missing."),
        None => "Write a test that fails because the behaviour is missing.".to_owned(),
    }];
    steps.extend(files.iter().map(|file| format!("Change `{}` as far as that test needs it.", file.path)));
    if let Some(run) = facts.test_command() {
        steps.push(format!("Run \"{}\"; it passes.", sanitize(run, 100)));
    }
    (1..).zip(steps).map(|(n, step)| format!("{n}. {step}")).collect::<Vec<_>>().join("\n")
}

pub(super) fn roll_out() -> String {
    "None: a survey does not see stored data, flags or deployments, so a person must say whether this change needs any; without them it is taken back by reverting its commits.".to_owned()
}

/// Options that lost, as far as they were written down.
pub(super) fn rejected_alternatives(inputs: &DraftInputs<'_>) -> String {
    let lost = |resolution: &DecisionResolution| {
        let DecisionOutcome::Voted { winner, .. } = resolution.outcome else { return None };
        let (side, summary) = match winner {
            DebateSide::Thesis => ("the alternative", &resolution.antithesis_summary),
            DebateSide::AntiThesis => ("the choice of the synthesis", &resolution.thesis_summary),
        };
        Some(format!("- DECISION_{}, {side}: {}", resolution.n, with_full_stop(&sanitize(summary, 200))))
    };
    let lines: Vec<String> = resolutions(inputs).iter().filter_map(lost).collect();
    if lines.is_empty() {
        return "None: no alternative was argued for and rejected.".to_owned();
    }
    lines.join("\n")
}

/// Answers of the investigators, by file.
pub(super) fn investigations(inputs: &DraftInputs<'_>) -> Vec<(String, Investigation)> {
    let files = inputs.artifacts_like("investigation-", "", ".md");
    files
        .into_iter()
        .filter_map(|(name, text)| Some((name.to_owned(), read_investigation(text).0?)))
        .collect()
}

/// Measurements that the investigators want before anything else; none without such an answer.
pub(super) fn measure_first(inputs: &DraftInputs<'_>) -> Option<String> {
    let investigations = investigations(inputs);
    let measured = investigations.iter().filter(|(_, answer)| answer.kind == AnswerKind::MeasureFirst);
    let lines: Vec<String> = measured
        .map(|(name, answer)| format!("- {name}: {}", with_full_stop(&sanitize(&answer.answer, 400))))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The notes of the chief designer: what the draft stands on.
pub(super) fn design_notes(
    inputs: &DraftInputs<'_>,
    facts: &CitableFacts<'_>,
    files: &[PlannedFile],
) -> String {
    let named: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let looked = if named.is_empty() {
        "Nothing: no file of the repository fits the request.".to_owned()
    } else {
        format!("The survey's facts about {}; no file was understood.", join_list(&named))
    };
    let mut watch = vec!["Whether the first file is the right place: words led to it.".to_owned()];
    watch.extend(facts.unknown_words().map(|note| sanitize(note, 200)));
    let unknown = investigations(inputs);
    let unknown = unknown.iter().filter(|(_, answer)| answer.kind == AnswerKind::Unknown);
    watch.extend(unknown.map(|(name, answer)| format!("{name}: {}", sanitize(&answer.answer, 200))));
    let watch: Vec<String> = watch.iter().map(|line| format!("- {line}")).collect();
    format!(
        "> {}\n\n## Looked up\n{looked}\n\n## Rests on\nThe rule that a change stays in existing files until a failing test needs another.\n\n## Watch\n{}\n",
        super::citable_facts::NO_MODEL,
        watch.join("\n")
    )
}
