//! How a run stopped: what is left to say about it, and the exit code.

use crate::here::Here;
use crate::output;
use charrette_app::which::shown_feature;
use charrette_app::{AppError, ErrorKind};
use charrette_engine::{Flow, Stop, Wait};
use charrette_model::checkpoint::DocumentName;
use std::process::ExitCode;

/// A run that came to its end or to a stop.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(crate) outcome: Flow<()>,
    /// Everything it warned about.
    pub(crate) warnings: Vec<String>,
    /// Somebody was there to be asked.
    pub(crate) is_attended: bool,
}

/// What is left to say about how a run stopped, and the exit code.
pub(crate) fn ended(here: &Here, name: &DocumentName, stopped: Stopped) -> Result<ExitCode, AppError> {
    let feature = shown_feature(name);
    match stopped.outcome {
        Ok(()) | Err(Stop::Enough) => Ok(ExitCode::SUCCESS),
        Err(Stop::Waiting(waits)) => {
            if stopped.is_attended {
                say_paused(here, name, &waits);
            } else {
                say_waiting(here, name, &waits);
            }
            Ok(ExitCode::from(3))
        }
        Err(Stop::Refused(message)) => Err(refusal(name, &message)),
        Err(Stop::Interrupted | Stop::Again) => {
            output::log(&format!("Interrupted; what was done is kept. To go on: charrette resume {feature}"));
            Ok(ExitCode::from(130))
        }
        Err(Stop::Failed(message)) => Err(failure(&feature, message)),
    }
}

/// Something that failed. What says itself how to go on needs no hint.
fn failure(feature: &str, message: String) -> AppError {
    let says_how = message.lines().skip(1).any(|line| line.contains("re-run with: charrette "));
    let error = AppError::failed(message);
    if says_how {
        return error;
    }
    error.hint(format!("What was done is kept. To try again: charrette resume {feature}"))
}

/// A person was asked, and wants to answer later.
fn say_paused(here: &Here, name: &DocumentName, waits: &[Wait]) {
    let gates: Vec<&str> = waits.iter().map(|wait| wait.gate.as_str()).collect();
    let gates = gates.join(" and ");
    let how = how_to_go_on(name);
    output::note(here, &format!("Paused at {gates}; what was answered is kept. {how}"));
}

fn say_waiting(here: &Here, name: &DocumentName, waits: &[Wait]) {
    let feature = shown_feature(name);
    for wait in waits {
        let keys: Vec<&str> = wait.questions.iter().map(|question| question.key.as_str()).collect();
        output::note(here, &format!("Waiting at {}: {}", wait.gate, keys.join(", ")));
    }
    output::note(here, &format!("To see the questions: charrette answer {feature}"));
    output::note(
        here,
        &format!("To answer and go on: charrette answer {feature} --file FILE && charrette resume {feature}"),
    );
    output::note(here, &how_to_go_on(name));
}

/// `Design paused. Resume with: …`.
fn how_to_go_on(name: &DocumentName) -> String {
    let (feature, command) = (shown_feature(name), name.command());
    let mut letters = command.chars();
    let title: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    format!("{title} paused. Resume with: charrette {command} {feature} --resume")
}

/// A guard that said no. Lines for scripts, `KEY=VALUE`, come first and stay as they are.
fn refusal(name: &DocumentName, message: &str) -> AppError {
    let (feature, command) = (shown_feature(name), name.command());
    let is_for_scripts = |line: &&str| {
        line.split_once('=').is_some_and(|(key, _)| {
            !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    let raw: Vec<&str> = message.lines().take_while(is_for_scripts).collect();
    for line in &raw {
        output::log(line);
    }
    let mut rest = message.lines().skip(raw.len());
    let mut error = AppError::new(ErrorKind::Refused, rest.next().unwrap_or("refused"));
    for line in rest {
        error = error.more(line);
    }
    if raw.is_empty() {
        error.hint(format!(
            "To answer differently: charrette answer {feature} --file FILE && charrette resume {feature}"
        ))
    } else {
        error.hint(format!("What was asked for is kept. Then: charrette {command} {feature} --resume"))
    }
}
