//! The proof that the hook would allow a tool, or the start of a session, and say nothing.

use super::bytes::{Terminated, equal, is_listed};
use super::folder::is_free;
use super::input::EarlyInput;
use super::json;
use super::path::PathRoom;
use super::process::Process;

/// Events, as the clients that charrette configures name them. The hook knows other spellings too.
const EVENTS: &[u8] =
    b"PreToolUse SessionStart BeforeTool preToolUse beforeShellExecution beforeReadFile tool.execute.before";

/// True if it is certain that the hook would allow and say nothing: the event is a usual one, the process is no lane, and no
/// run is recorded for any folder that may be the folder of the session.
pub(super) fn is_allowed(process: &Process, input: EarlyInput) -> bool {
    prove_allowed(process, input).is_some()
}

fn prove_allowed(process: &Process, input: EarlyInput) -> Option<()> {
    if !is_listed(process.only_argument()?.read()?.text(), EVENTS) {
        return None;
    }
    let project = find_project(process)?;
    // The hook takes the folder that the input names, else that of the client, else the current one. All must be free, so
    // that it does not matter here which one it takes.
    let mut room = PathRoom::new();
    let current = room.read_current_folder()?;
    let is_also_free = |folder: Terminated<'_>| equal(folder.text(), current.text()) || is_free(folder);
    if !is_free(current) || !project.is_none_or(is_also_free) {
        return None;
    }
    let is_good = |folder: &[u8]| PathRoom::new().terminate(folder).is_some_and(is_also_free);
    json::all_folders(input.read_all()?, is_good).then_some(())
}

/// The folder that the client names in the environment, if any. None if the environment is one for the hook.
#[expect(clippy::option_option, reason = "`?` ends the look where the environment decides")]
fn find_project(process: &Process) -> Option<Option<Terminated<'static>>> {
    let mut project = None;
    for variable in process.variables() {
        if variable.strip_prefix(b"CHARRETTE_").is_some() {
            return None;
        }
        if let Some(folder) = variable.strip_prefix(b"CLAUDE_PROJECT_DIR=")
            && project.replace(folder.read()?).is_some()
        {
            return None;
        }
    }
    Some(project)
}
