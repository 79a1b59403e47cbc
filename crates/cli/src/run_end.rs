//! End of a run: its exit code, and the hints for resuming, answering or retrying it.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::entry_check::{leading_assignments, refusal};
use charrette_app::run_lookup::feature_argument;
use charrette_app::{AppError, ErrorKind, Site};
use charrette_engine::{FlowResult, PendingGate, Stop};
use charrette_model::checkpoint::DocumentName;
use charrette_model::escape::shell_word;
use charrette_model::gate::texts;
use std::process::ExitCode;

/// Outcome of driving a run.
#[derive(Debug)]
pub(crate) struct RunEnd {
    pub(crate) outcome: FlowResult<()>,
    pub(crate) warnings: Vec<String>,
    /// True if questions could be asked at a terminal.
    pub(crate) is_attended: bool,
}

/// Logs how a run ended and how to resume it, and returns the exit code.
pub(crate) fn report_end(
    invocation: &Invocation,
    site: &Site,
    name: &DocumentName,
    end: RunEnd,
) -> Result<ExitCode, AppError> {
    let feature = feature_argument(name);
    match end.outcome {
        Ok(()) | Err(Stop::RequestedPhasesDone) => Ok(ExitCode::SUCCESS),
        Err(Stop::Waiting(waits)) => {
            if end.is_attended {
                note_paused(invocation, name, &waits);
            } else {
                note_waiting(invocation, name, &waits);
            }
            Ok(ExitCode::from(3))
        }
        Err(Stop::Refused(message)) => Err(refusal_error(site, name, &message)),
        Err(Stop::Interrupted | Stop::Revise) => {
            output::log(&format!("Interrupted; finished steps are kept. Resume: charrette resume {feature}"));
            Ok(ExitCode::from(130))
        }
        Err(Stop::Failed(message)) => Err(failure_error(site, &feature, message)),
    }
}

/// Error of a failed step. Adds a retry hint unless the message has one.
fn failure_error(site: &Site, feature: &str, message: String) -> AppError {
    let has_retry_hint = message.lines().skip(1).any(|line| line.contains("re-run with: charrette "));
    if let Some(command) = index_cure(site, &message) {
        return AppError::failed(message)
            .hint(format!("Git's index is broken; files and commits are not. Make it anew: {command}"))
            .hint(format!("Finished steps are kept. Then resume: charrette resume {feature}"));
    }
    let error = AppError::failed(message);
    if has_retry_hint {
        return error;
    }
    error.hint(format!("Finished steps are kept. Retry: charrette resume {feature}"))
}

/// Command that makes git's index anew, if git says that it cannot be read.
fn index_cure(site: &Site, message: &str) -> Option<String> {
    let says = ["index file corrupt", "index file smaller than expected", "index uses", "bad index file"];
    if !says.iter().any(|words| message.contains(words)) {
        return None;
    }
    let index = site.repository.as_ref()?.git_dir().join("index").display().to_string();
    let (index, aside) = (shell_word(&index), shell_word(&format!("{index}.broken")));
    Some(format!("mv {index} {aside} && git reset --quiet"))
}

/// Notes the gates at which a person paused.
fn note_paused(invocation: &Invocation, name: &DocumentName, waits: &[PendingGate]) {
    let gates: Vec<&str> = waits.iter().map(|wait| wait.gate.as_str()).collect();
    let gates = gates.join(" and ");
    let hint = resume_hint(name);
    output::note(invocation, &format!("Paused at {gates}; answers given so far are kept. {hint}"));
}

/// Notes the open questions, and the commands that show and answer them.
fn note_waiting(invocation: &Invocation, name: &DocumentName, waits: &[PendingGate]) {
    let feature = feature_argument(name);
    for wait in waits {
        let keys: Vec<&str> = wait.questions.iter().map(|question| question.key.as_str()).collect();
        output::note(invocation, &format!("Waiting at {}: {}", wait.gate, keys.join(", ")));
    }
    output::note(invocation, &format!("See the questions: charrette answer {feature}"));
    output::note(
        invocation,
        &format!("Answer and resume: charrette answer {feature} --file FILE && charrette resume {feature}"),
    );
    output::note(invocation, &resume_hint(name));
}

/// `Design paused. Resume with: …`
fn resume_hint(name: &DocumentName) -> String {
    let (feature, command) = (feature_argument(name), name.command());
    let mut letters = command.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    format!("{title} paused. Resume with: charrette {command} {feature} --resume")
}

/// Error of a guard that refused the run.
fn refusal_error(site: &Site, name: &DocumentName, message: &str) -> AppError {
    let (feature, command) = (feature_argument(name), name.command());
    if let Some(message) = message.strip_suffix(texts::THEN_RESUME) {
        let mut lines = message.trim_end().lines();
        let error = AppError::new(ErrorKind::Refused, lines.next().unwrap_or("refused"));
        return lines.fold(error, AppError::more).hint(format!("Then resume: charrette resume {feature}"));
    }
    if leading_assignments(message).is_empty() {
        let mut lines = message.lines();
        let error = AppError::new(ErrorKind::Refused, lines.next().unwrap_or("refused"));
        return lines.fold(error, AppError::more).hint(format!(
            "Change your answers: charrette answer {feature} --file FILE && charrette resume {feature}"
        ));
    }
    refusal(site, message)
        .hint(format!("The request is kept. After fixing this: charrette {command} {feature} --resume"))
}
