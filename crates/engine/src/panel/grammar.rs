//! How an answer must look, seat by seat: the files it becomes, or what to say to whoever gave it.

use charrette_model::collect::command::Validation;
use charrette_model::collect::substance;
use charrette_model::diagram::fences::fences;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PARTS, PROJECT_PARTS, read_parts};
use charrette_model::panel::debate::{Side, defense};
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::findings::{FindingsStatus, read_findings};
use charrette_model::panel::lines::Problem;
use charrette_model::panel::merged::read_items;
use charrette_model::panel::plan::missing_sections;
use charrette_model::panel::questions::{Round, read_questions};
use charrette_model::panel::research_notes::read_research_notes;
use charrette_model::panel::verdict::read_review;
use charrette_model::seats::files::split_files;
use charrette_model::seats::{AnswerForm, Seat};
use charrette_model::spec::manifest::{Manifest, file_name};
use charrette_model::spec::resolver::Level;
use charrette_model::words;
use std::fmt::Write as _;

/// What an answer becomes, by name.
pub(crate) type Files = Result<Vec<(String, String)>, String>;

/// The fewest words of a paragraph that counts as one.
const PARAGRAPH: usize = 20;

/// The verdicts of a validator.
const VERDICTS: [&str; 2] = ["PASS", "FAIL"];

/// Holds an answer against the form of its seat.
pub(super) fn files(seat: &Seat, answer: &str, summary_words: usize) -> Files {
    if answer.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    match seat.form {
        AnswerForm::HandoffResponse => {
            accepted(&response_in_markdown(answer, summary_words).report.errors)?;
        }
        AnswerForm::ContextSummary => clean(&read_parts(answer, labels(seat), summary_words).1)?,
        AnswerForm::Questions => clean(&read_questions(answer, round(seat)).problems)?,
        AnswerForm::Sketch => {
            if !answer.split("\n\n").any(|paragraph| words::count(paragraph) >= PARAGRAPH) {
                return Err("there is no paragraph that says what to do and why".to_owned());
            }
        }
        AnswerForm::Synthesis => return synthesis(seat, answer),
        AnswerForm::Defense => {
            let side = if seat.role == "thesis" { Side::Thesis } else { Side::AntiThesis };
            defense(answer, side)
                .map_err(|failure| format!("the defense cannot be judged: {}", failure.token()))?;
        }
        // Whether votes are valid depends on the ballot; the tally says what it did not count.
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
        AnswerForm::Plan => clean(&missing_sections(answer))?,
        AnswerForm::Findings => findings(answer)?,
        AnswerForm::MergedFindings => clean(&read_items(answer).1)?,
        AnswerForm::Diagram => {
            if fences(answer).len() != 1 {
                return Err("expected one heading and exactly one ```mermaid fence".to_owned());
            }
        }
        AnswerForm::SpecFiles => return spec_files(seat, answer),
        AnswerForm::Verdict => {
            if read_review(answer, &VERDICTS).verdict.is_none() {
                return Err("expected a line  Verdict: PASS  or  Verdict: FAIL".to_owned());
            }
        }
        // Whether its places exist is for the flow to ask, which can look.
        AnswerForm::ResearchNotes => clean(&read_research_notes(answer).1)?,
    }
    Ok(as_it_is(seat, answer))
}

/// The answer itself, as the seat's only file.
pub(super) fn as_it_is(seat: &Seat, answer: &str) -> Vec<(String, String)> {
    let name = seat.writes.first().copied().unwrap_or(seat.id);
    vec![(name.to_owned(), format!("{}\n", answer.trim_end()))]
}

/// A summary that was too long twice, each part cut at the end of a sentence.
pub(super) fn cut_summary(seat: &Seat, answer: &str, limit: usize) -> Files {
    let labels = labels(seat);
    let (parts, problems) = read_parts(answer, labels, usize::MAX);
    clean(&problems)?;
    // The labels count as well.
    let taken: usize = labels.iter().map(|label| words::count(label) + 1).sum();
    let room = limit.saturating_sub(taken) / labels.len();
    let mut text = String::new();
    for (label, part) in labels.iter().zip(&parts) {
        // Writing to a string cannot fail.
        let _ = write!(text, "## {label}\n\n{}\n\n", words::cut_at_sentence(part, room));
    }
    Ok(as_it_is(seat, &text))
}

/// The labels of the summary that a seat writes.
fn labels(seat: &Seat) -> &'static [&'static str; 6] {
    match seat.variant {
        Some("project") => &PROJECT_PARTS,
        Some("feature") => &FEATURE_PARTS,
        _ => &PARTS,
    }
}

/// The files of a specification. A manifest among them must be one.
pub(crate) fn spec_files(seat: &Seat, answer: &str) -> Files {
    let files = split_files(answer, seat.writes)?;
    for (name, text) in &files {
        let level = Level::ALL.into_iter().find(|level| file_name(*level) == Some(name));
        if let Some(Err(error)) = level.map(|level| Manifest::parse(level, text)) {
            return Err(format!("{name}: {error}"));
        }
    }
    Ok(files)
}

/// The questioner's round.
pub(crate) fn round(seat: &Seat) -> Round {
    match seat.variant {
        Some("clarify") => Round::Clarify,
        Some("scope") => Round::Scope,
        _ => Round::Design,
    }
}

fn synthesis(seat: &Seat, answer: &str) -> Files {
    let files = split_files(answer, seat.writes)?;
    let contested = files.iter().find(|(name, _)| name == "contested-decisions.md");
    if let Some((_, contested)) = contested {
        clean(&read_decisions(contested).errors)?;
    }
    Ok(files)
}

fn findings(answer: &str) -> Result<(), String> {
    let read = read_findings(answer);
    if read.status == FindingsStatus::Invalid {
        let said = read.errors.first().map(|problem| format!(": {}", problem.message)).unwrap_or_default();
        return Err(format!("neither numbered findings nor exactly NO_ISSUES_FOUND{said}"));
    }
    if read.status == FindingsStatus::NoIssues {
        return Ok(());
    }
    substance::judge(Some(answer), Validation::Check).map_err(|thin| thin.to_string())
}

fn clean(problems: &[Problem]) -> Result<(), String> {
    let said: Vec<String> =
        problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.message)).collect();
    accepted(&said)
}

fn accepted(errors: &[String]) -> Result<(), String> {
    if errors.is_empty() { Ok(()) } else { Err(errors.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::research::seats::SEATS;

    #[test]
    fn notes_are_held_against_their_form_and_become_one_file() {
        let seat = SEATS.iter().find(|seat| seat.form == AnswerForm::ResearchNotes).unwrap();
        let notes = "## Findings\nIt retries.\n\n## Code references\n- src/a.rs:3: the loop\n\n\
                     ## Recommendations\nNone\n\n## Open questions\nNone";
        assert_eq!(files(seat, notes, 500), Ok(vec![("research-notes.md".to_owned(), format!("{notes}\n"))]));
        assert_eq!(
            files(seat, &notes.replace("src/a.rs:3: ", ""), 500).unwrap_err(),
            "line 4: the section 'Code references' has no line with path:line and what is there; \
             line 5: a code reference needs path:line and what is there"
        );
    }
}
