//! Answer grammars of the seats: split an answer into files, or explain to the agent what is wrong with it.

use charrette_model::collect::command::Validation;
use charrette_model::collect::substance;
use charrette_model::diagram::fences::fences;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PARTS, PROJECT_PARTS, read_parts};
use charrette_model::panel::debate::{DebateSide, read_defense};
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::plan::missing_sections;
use charrette_model::panel::questions::{QuestionRound, read_questions};
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::verdict::read_verdict;
use charrette_model::problem::Problem;
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::manifest::{LevelManifest, file_name};
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::words;
use std::fmt::Write as _;

/// Files of an answer (name, text), or the problem that is sent back to the agent.
pub(crate) type AnswerFiles = Result<Vec<(String, String)>, String>;

/// Minimum number of words of a paragraph of a sketch.
const MIN_PARAGRAPH_WORDS: usize = 20;

/// The verdicts of a validator.
const VERDICTS: [&str; 2] = ["PASS", "FAIL"];

/// Parses an answer by the form of its seat.
pub(super) fn parse_answer(seat: &Seat, answer: &str, summary_words: usize) -> AnswerFiles {
    if answer.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    match seat.form {
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
        }
        AnswerForm::Plan => require_no_problems(&missing_sections(answer))?,
        AnswerForm::Findings => check_findings(answer)?,
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
        // The flow checks that the cited places exist.
        AnswerForm::ResearchNotes => require_no_problems(&read_research_notes(answer).1)?,
    }
    Ok(verbatim(seat, answer))
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
pub(crate) fn parse_spec_files(seat: &Seat, answer: &str) -> AnswerFiles {
    let files = split_files(answer, seat.writes)?;
    for (name, text) in &files {
        let level = SpecLevel::ALL.into_iter().find(|level| file_name(*level) == Some(name));
        if let Some(Err(error)) = level.map(|level| LevelManifest::parse(level, text)) {
            return Err(format!("{name}: {error}"));
        }
    }
    Ok(files)
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
        require_no_problems(&read_decisions(contested).errors)?;
    }
    Ok(files)
}

fn check_findings(answer: &str) -> Result<(), String> {
    let read = read_findings(answer);
    if read.status == FindingsStatus::Invalid {
        let reason = read.errors.first().map(|problem| format!(": {}", problem.message)).unwrap_or_default();
        return Err(format!("neither numbered findings nor exactly NO_ISSUES_FOUND{reason}"));
    }
    if read.status == FindingsStatus::NoIssues {
        return Ok(());
    }
    substance::validate_answer(Some(answer), Validation::Check).map_err(|rejection| rejection.to_string())
}

fn require_no_problems(problems: &[Problem]) -> Result<(), String> {
    let errors: Vec<String> =
        problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.message)).collect();
    require_no_errors(&errors)
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
            parse_answer(seat, notes, 500),
            Ok(vec![("research-notes.md".to_owned(), format!("{notes}\n"))])
        );
        assert_eq!(
            parse_answer(seat, &notes.replace("src/a.rs:3: ", ""), 500).unwrap_err(),
            "line 4: the section 'Code references' has no line with path:line and what is there; \
             line 5: a code reference needs path:line and what is there"
        );
    }
}
