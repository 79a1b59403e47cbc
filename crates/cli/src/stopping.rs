//! How a run stopped: what is left to say about it, and the exit code.

use crate::arguments::Global;
use crate::drive::shown_feature;
use crate::error::{CommandError, ErrorKind};
use crate::output;
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
pub(crate) fn ended(
    global: &Global,
    name: &DocumentName,
    stopped: Stopped,
) -> Result<ExitCode, CommandError> {
    let feature = shown_feature(name);
    match stopped.outcome {
        Ok(()) | Err(Stop::Enough) => Ok(ExitCode::SUCCESS),
        Err(Stop::Waiting(waits)) => {
            if stopped.is_attended {
                say_paused(global, name, &waits);
            } else {
                say_waiting(global, name, &waits);
            }
            Ok(ExitCode::from(3))
        }
        Err(Stop::Refused(message)) => Err(refusal(&feature, &message)),
        Err(Stop::Interrupted | Stop::Again) => {
            output::log(&format!("Interrupted; what was done is kept. To go on: charrette resume {feature}"));
            Ok(ExitCode::from(130))
        }
        Err(Stop::Failed(message)) => Err(failure(&feature, message)),
    }
}

/// Something that failed. What says itself how to go on needs no hint.
fn failure(feature: &str, message: String) -> CommandError {
    let says_how = message.lines().skip(1).any(|line| line.contains("re-run with: charrette "));
    let error = CommandError::failed(message);
    if says_how {
        return error;
    }
    error.hint(format!("What was done is kept. To try again: charrette resume {feature}"))
}

/// A person was asked, and wants to answer later.
fn say_paused(global: &Global, name: &DocumentName, waits: &[Wait]) {
    let gates: Vec<&str> = waits.iter().map(|wait| wait.gate.as_str()).collect();
    let gates = gates.join(" and ");
    let feature = shown_feature(name);
    let how = match name.command() {
        "design" => format!("Design paused. Resume with: charrette design {feature} --resume"),
        _ => format!("To go on: charrette resume {feature}"),
    };
    output::note(global, &format!("Paused at {gates}; what was answered is kept. {how}"));
}

fn say_waiting(global: &Global, name: &DocumentName, waits: &[Wait]) {
    let feature = shown_feature(name);
    for wait in waits {
        let keys: Vec<&str> = wait.questions.iter().map(|question| question.key.as_str()).collect();
        output::note(global, &format!("Waiting at {}: {}", wait.gate, keys.join(", ")));
    }
    output::note(global, &format!("To see the questions: charrette answer {feature}"));
    output::note(
        global,
        &format!("To answer and go on: charrette answer {feature} --file FILE && charrette resume {feature}"),
    );
    if name.command() == "design" {
        output::note(global, &format!("Design paused. Resume with: charrette design {feature} --resume"));
    }
}

/// A guard that said no. Lines for scripts, `KEY=VALUE`, come first and stay as they are.
fn refusal(feature: &str, message: &str) -> CommandError {
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
    let mut error = CommandError::new(ErrorKind::Refused, rest.next().unwrap_or("refused"));
    for line in rest {
        error = error.more(line);
    }
    if raw.is_empty() {
        error.hint(format!(
            "To answer differently: charrette answer {feature} --file FILE && charrette resume {feature}"
        ))
    } else {
        error.hint(format!("What was asked for is kept. Then: charrette design {feature} --resume"))
    }
}
