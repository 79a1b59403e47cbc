//! One call of the hook, from standard input to the answer.

use crate::answer::Answer;
use crate::context;
use crate::environment::HookEnvironment;
use crate::event::Event;
use crate::input::{Input, read_input};
use crate::rules;
use crate::subject::{Finding, Subject, find};
use charrette_store::active::ReactionToErrors;
use std::ffi::OsString;
use std::io::{Read, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Runs the hook for this process: event as an argument, JSON as its input.
pub fn run_hook(event: Option<OsString>, input: impl Read) -> u8 {
    // Standard error is for the reason of a denial only.
    std::panic::set_hook(Box::new(|_| {}));
    let environment = HookEnvironment::read();
    let event = event.map(|event| event.to_string_lossy().into_owned()).unwrap_or_default();
    let answer = hook(&event, &environment, input);
    // A client that has closed its end wants no answer.
    if let Some(text) = answer.stdout() {
        let _ = writeln!(std::io::stdout(), "{text}");
    }
    if let Some(line) = answer.stderr() {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    answer.exit_code()
}

/// The answer to an event. Unknown events are allowed.
pub fn hook(event: &str, environment: &HookEnvironment, input: impl Read) -> Answer {
    let Some(event) = Event::parse(event) else { return Answer::Allow };
    let input = read_input(input);
    let folder = folder_of(input.as_ref().ok(), environment);
    let finding = find(environment, &folder);
    let decided = catch_unwind(AssertUnwindSafe(|| decide(event, input, &finding, environment, &folder)));
    decided.unwrap_or_else(|_| on_error(event, &finding, "it failed inside"))
}

/// Folder of the session: that of the input, of the client, of this process.
fn folder_of(input: Option<&Input>, environment: &HookEnvironment) -> PathBuf {
    let given = input.and_then(|input| input.folder.clone());
    let given = given.or_else(|| environment.project.clone()).or_else(|| environment.folder.clone());
    given.unwrap_or_else(|| PathBuf::from("/"))
}

fn decide(
    event: Event,
    input: Result<Input, String>,
    finding: &Finding,
    environment: &HookEnvironment,
    folder: &Path,
) -> Answer {
    if let Some(problem) = &finding.problem {
        return on_error(event, finding, problem);
    }
    match (event, &finding.subject, input) {
        (Event::SessionStart, Subject::Session(session), _) => context::of_session(&session.runs),
        (Event::SessionStart, Subject::Free(runs), _) => context::of_session(runs),
        (Event::SessionStart, Subject::Lane(_), _) | (_, Subject::Free(_), _) => Answer::Allow,
        (Event::BeforeTool, _, Err(problem)) => on_error(event, finding, &problem),
        (Event::BeforeTool, subject, Ok(input)) => {
            match rules::judge(subject, &input.acts, environment, folder) {
                Some(reason) => Answer::deny(&reason),
                None => Answer::Allow,
            }
        }
    }
}

/// The answer when something went wrong: `hooks.on_error` decides inside a run.
fn on_error(event: Event, finding: &Finding, problem: &str) -> Answer {
    if event != Event::BeforeTool || finding.on_error == ReactionToErrors::Open {
        return Answer::Allow;
    }
    Answer::deny(&format!(
        "the hook could not judge this tool: {problem}. It was not run, because hooks.on_error is \"closed\". To allow it, \
         set hooks.on_error = \"open\" in charrette.toml and restart the run"
    ))
}
