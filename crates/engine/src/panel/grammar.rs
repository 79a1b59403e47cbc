//! Answer grammars of the seats: split an answer into files, or explain to the agent what is wrong with it.

use crate::agent::{AnswerFiles, CallInputs};
use crate::ports::PromptInput;
use charrette_model::diagram::fences::fences;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::ballot::ballot_ids;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PARTS, PROJECT_PARTS, read_parts};
use charrette_model::panel::debate::{DebateSide, excess_words, read_defense};
use charrette_model::panel::decisions::{excess_decisions, read_decisions};
use charrette_model::panel::file_names::{
    ACCEPTED, BALLOT, BROKEN_SCENARIOS, PLAN, PLAN_DRAFT, PLAN_REVIEWED, PLAN_WALKED, RESOLUTIONS,
};
use charrette_model::panel::findings::check_review;
use charrette_model::panel::ids::ItemId;
use charrette_model::panel::implementation::read_implementation;
use charrette_model::panel::inquiries::read_inquiries;
use charrette_model::panel::investigation::{AnswerKind, read_investigation};
use charrette_model::panel::plan::{PlanDuties, check_plan};
use charrette_model::panel::questions::{QuestionRound, read_questions};
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::panel::resolutions::read_resolutions;
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::section_edits::apply_edits;
use charrette_model::panel::task_review::read_task_review;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::panel::votes::missing_votes;
use charrette_model::panel::walkthrough::{read_breaks, read_walkthrough};
use charrette_model::problem::Problem;
use charrette_model::seats::files::{marker, split_files};
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::manifest::{LevelManifest, file_name};
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::sections::Sections;
use charrette_model::words;
use std::fmt::Write as _;

/// Minimum number of words of a paragraph of a sketch.
const MIN_PARAGRAPH_WORDS: usize = 20;

/// The verdicts of a validator.
const VERDICTS: [&str; 2] = ["PASS", "FAIL"];

/// Parses an answer by the form of its seat. Some forms depend on the inputs: edits, and duties to account for.
pub(super) fn parse_answer(
    seat: &Seat,
    answer: &str,
    summary_words: usize,
    inputs: &CallInputs,
) -> AnswerFiles {
    if answer.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    match seat.form {
        AnswerForm::HandoffResponse if seat.is_writer() => {
            require_no_errors(&read_implementation(answer, summary_words).1)?;
        }
        AnswerForm::HandoffResponse => {
            require_no_errors(&response_in_markdown(answer, summary_words).report.errors)?;
        }
        AnswerForm::ContextSummary => {
            require_no_problems(&read_parts(answer, labels(seat), summary_words).1)?;
        }
        AnswerForm::Questions => require_no_problems(&read_questions(answer, question_round(seat)).problems)?,
        AnswerForm::Sketch => {
            if !answer.split("\n\n").any(|paragraph| words::count(paragraph) >= MIN_PARAGRAPH_WORDS) {
                return Err("there is no paragraph that says what to do and why".to_owned());
            }
        }
        AnswerForm::Synthesis => return parse_synthesis(seat, answer),
        AnswerForm::Defense => {
            let side = if seat.role == "thesis" { DebateSide::Thesis } else { DebateSide::AntiThesis };
            read_defense(answer, side)
                .map_err(|failure| format!("the defense cannot be judged: {}", failure.token()))?;
            require_no_errors(&excess_words(answer))?;
        }
        // Votes are validated against the ballot by the tally.
        AnswerForm::DecisionVotes => {
            if !answer.to_uppercase().contains("DECISION_") {
                return Err("expected lines like  DECISION_1: THESIS — reason".to_owned());
            }
        }
        AnswerForm::FindingVotes => {
            let upper = answer.to_uppercase();
            if !upper.contains("FINDING_") && !upper.contains("OOS_") {
                return Err("expected lines like  FINDING_1: YES — reason".to_owned());
            }
            let ballot = ballot_ids(inputs.text(BALLOT).unwrap_or_default());
            require_no_errors(&missing_votes(answer, &ballot))?;
        }
        AnswerForm::Plan => return parse_plan(seat, answer, inputs),
        AnswerForm::Inquiries => require_no_problems(&read_inquiries(answer).problems)?,
        AnswerForm::Investigation => require_no_problems(&read_investigation(answer).1)?,
        // The flow knows which scenarios were assigned.
        AnswerForm::Walkthrough => require_no_problems(&read_walkthrough(answer, &[]).1)?,
        AnswerForm::Findings => {
            let plan = Sections::parse(inputs.text(PLAN_DRAFT).unwrap_or_default());
            check_review(answer, &plan.titles().collect::<Vec<_>>())?;
        }
        AnswerForm::MergedFindings => require_no_problems(&read_review_items(answer).1)?,
        AnswerForm::Diagram => {
            if fences(answer).len() != 1 {
                return Err("expected one heading and exactly one ```mermaid fence".to_owned());
            }
        }
        AnswerForm::SpecFiles => return parse_spec_files(seat, answer),
        AnswerForm::Verdict => {
            if read_verdict(answer, &VERDICTS).verdict.is_none() {
                return Err("expected a line  Verdict: PASS  or  Verdict: FAIL".to_owned());
            }
        }
        AnswerForm::TaskReview => require_no_problems(&read_task_review(answer).1)?,
        // The flow checks that the cited places exist.
        AnswerForm::ResearchNotes => require_no_problems(&read_research_notes(answer).1)?,
    }
    Ok(verbatim(seat, answer))
}

/// Parses a plan: a whole one, or edits of the plan that the seat revises. It must account for everything that binds.
fn parse_plan(seat: &Seat, answer: &str, inputs: &CallInputs) -> AnswerFiles {
    let (name, notes) = match seat.writes {
        [plan, notes] => (*plan, Some(*notes)),
        [plan, ..] => (*plan, None),
        [] => (seat.id, None),
    };
    let mut files = match notes {
        Some(notes) => split_plan(answer, name, notes)?,
        None => vec![(name.to_owned(), answer.to_owned())],
    };
    let base =
        REVISED_PLANS.iter().find(|(revised, _)| *revised == name).and_then(|(_, base)| inputs.text(base));
    let plan = match base {
        Some(base) => apply_edits(base, &files[0].1).map_err(|problems| list_problems(&problems))?.text,
        None => files[0].1.clone(),
    };
    // A plan of an earlier version lacks sections that nobody asked for then.
    let duties = duties(name, inputs);
    let known = PlanDuties { accepted: Vec::new(), breaks: Vec::new(), ..duties.clone() };
    let inherited = base.map_or_else(Vec::new, |base| check_plan(base, &known));
    let mut problems = check_plan(&plan, &duties);
    problems.retain(|problem| inherited.iter().all(|known| known.message != problem.message));
    require_no_problems(&problems)?;
    files[0].1 = format!("{}\n", plan.trim_end());
    Ok(files)
}

/// Plan and notes of a draft. Notes are welcome and not required; an answer without any marker is the plan.
fn split_plan(answer: &str, plan: &str, notes: &str) -> AnswerFiles {
    let has = |name: &str| answer.lines().any(|line| line.trim() == marker(name));
    let without_notes =
        |plan_text: String| vec![(plan.to_owned(), plan_text), (notes.to_owned(), "None.\n".to_owned())];
    match (has(plan), has(notes)) {
        (false, false) => Ok(without_notes(answer.to_owned())),
        (true, false) => {
            let mut files = split_files(answer, &[plan])?;
            Ok(without_notes(files.remove(0).1))
        }
        _ => split_files(answer, &[plan, notes]),
    }
}

/// Plans that revise an earlier one, with the file of that.
const REVISED_PLANS: [(&str, &str); 3] =
    [(PLAN_REVIEWED, PLAN_DRAFT), (PLAN_WALKED, PLAN_REVIEWED), (PLAN, PLAN_WALKED)];

/// Duties of a plan, by the inputs of the call: decisions, findings, breaks and measurements.
fn duties(plan: &str, inputs: &CallInputs) -> PlanDuties {
    let text = |name: &str| inputs.text(name).unwrap_or_default();
    let resolutions = read_resolutions(text(RESOLUTIONS)).0;
    let measures = |input: &PromptInput| {
        let answer = read_investigation(&input.text).0.filter(|_| input.name.starts_with("investigation-"));
        answer.is_some_and(|answer| answer.kind == AnswerKind::MeasureFirst)
    };
    let accepted = if plan == PLAN_REVIEWED { headed_ids(text(ACCEPTED)) } else { Vec::new() };
    let broken = if plan == PLAN_WALKED { read_breaks(text(BROKEN_SCENARIOS)) } else { Vec::new() };
    PlanDuties {
        decisions: resolutions.iter().map(|resolution| resolution.n).collect(),
        accepted,
        breaks: broken,
        measurements: inputs.all().iter().any(measures),
    }
}

/// Ids in the headings of a file.
fn headed_ids(text: &str) -> Vec<ItemId> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let name = |line: &str| line.trim_start_matches(['#', ' ']).split([':', ' ']).next().map(str::to_owned);
    headings.filter_map(|line| ItemId::parse(&name(line)?)).collect()
}

/// The answer as the only file of the seat.
pub(super) fn verbatim(seat: &Seat, answer: &str) -> Vec<(String, String)> {
    let name = seat.writes.first().copied().unwrap_or(seat.id);
    vec![(name.to_owned(), format!("{}\n", answer.trim_end()))]
}

/// Truncates each part of a summary at the end of a sentence, after two answers over the limit.
pub(super) fn truncate_summary(seat: &Seat, answer: &str, limit: usize) -> AnswerFiles {
    let labels = labels(seat);
    let (parts, problems) = read_parts(answer, labels, usize::MAX);
    require_no_problems(&problems)?;
    // Headings count as words, too.
    let heading_words: usize = labels.iter().map(|label| words::count(label) + 1).sum();
    let part_limit = limit.saturating_sub(heading_words) / labels.len();
    let mut text = String::new();
    for (label, part) in labels.iter().zip(&parts) {
        // Writing to a string cannot fail.
        let _ = write!(text, "## {label}\n\n{}\n\n", words::cut_at_sentence(part, part_limit));
    }
    Ok(verbatim(seat, &text))
}

/// Headings of the summary that a seat writes.
fn labels(seat: &Seat) -> &'static [&'static str; 6] {
    match seat.variant {
        Some("project") => &PROJECT_PARTS,
        Some("feature") => &FEATURE_PARTS,
        _ => &PARTS,
    }
}

/// Splits an answer into the files of a specification; a manifest among them must parse.
fn parse_spec_files(seat: &Seat, answer: &str) -> AnswerFiles {
    let files = split_files(answer, seat.writes)?;
    check_manifests(&files)?;
    Ok(files)
}

/// Checks the manifests among the files of a specification, in whichever folder.
pub(crate) fn check_manifests(files: &[(String, String)]) -> Result<(), String> {
    for (path, text) in files {
        let name = path.rsplit('/').next().unwrap_or(path);
        let level = SpecLevel::ALL.into_iter().find(|level| file_name(*level) == Some(name));
        if let Some(Err(error)) = level.map(|level| LevelManifest::parse(level, text)) {
            return Err(format!("{name}: {error}"));
        }
    }
    Ok(())
}

/// Round of questions that a questioner seat asks.
pub(crate) fn question_round(seat: &Seat) -> QuestionRound {
    match seat.variant {
        Some("clarify") => QuestionRound::Clarify,
        Some("scope") => QuestionRound::Scope,
        _ => QuestionRound::Design,
    }
}

fn parse_synthesis(seat: &Seat, answer: &str) -> AnswerFiles {
    let files = split_files(answer, seat.writes)?;
    let contested = files.iter().find(|(name, _)| name == "contested-decisions.md");
    if let Some((_, contested)) = contested {
        let read = read_decisions(contested);
        require_no_problems(&read.errors)?;
        excess_decisions(&read).map_or(Ok(()), Err)?;
    }
    Ok(files)
}

pub(super) fn require_no_problems(problems: &[Problem]) -> Result<(), String> {
    if problems.is_empty() { Ok(()) } else { Err(list_problems(problems)) }
}

fn list_problems(problems: &[Problem]) -> String {
    let lines = problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.message));
    lines.collect::<Vec<_>>().join("; ")
}

fn require_no_errors(errors: &[String]) -> Result<(), String> {
    if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::research::seats::SEATS;

    #[test]
    fn research_notes_are_validated_and_become_one_file() {
        let seat = SEATS.iter().find(|seat| seat.form == AnswerForm::ResearchNotes).unwrap();
        let notes = "## Findings\nIt retries.\n\n## Code references\n- src/a.rs:3: the loop\n\n\
                     ## Recommendations\nNone\n\n## Open questions\nNone";
        assert_eq!(
            parse_answer(seat, notes, 500, &CallInputs::default()),
            Ok(vec![("research-notes.md".to_owned(), format!("{notes}\n"))])
        );
        assert_eq!(
            parse_answer(seat, &notes.replace("src/a.rs:3: ", ""), 500, &CallInputs::default()).unwrap_err(),
            "line 4: the section 'Code references' has no line with path:line and what is there; \
             line 5: a code reference needs path:line and what is there"
        );
    }
}
