//! Asks the hook itself, without a client, so that a program that is missing or broken is named.

use crate::client_run::{ClientProgram, NO_MODEL, SHORT_LIMIT, base_command};
use crate::process;
use crate::stage::Stage;
use crate::verdict::{Failure, short};
use charrette_hosts::HOOK_PROGRAM;
use serde_json::json;

/// Asks about a call that must be blocked. A failure names the program.
pub(crate) fn check_hook(program: &ClientProgram, stage: &Stage) -> Option<Failure> {
    let Some(hook) = &program.hook else {
        return Some(Failure::new(HOOK_PROGRAM, "the program is not on PATH"));
    };
    let mut command = base_command(program, hook, stage, NO_MODEL);
    command.arg("PreToolUse");
    let call = json!({"hook_event_name": "PreToolUse", "cwd": stage.repository(), "tool_name": "Bash",
                      "tool_input": {"command": "git switch main"}});
    let name = hook.display().to_string();
    let reason = match process::run(command, call.to_string().as_bytes(), SHORT_LIMIT, &stage.output()) {
        Ok(output) if output.code == Some(2) && !output.stderr.trim().is_empty() => return None,
        Ok(output) => {
            let code = output.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            format!("answered `git switch main` with {code} instead of 2: {}", short(&output.stderr))
        }
        Err(error) => format!("cannot be started: {error}"),
    };
    Some(Failure::new(&name, reason))
}
