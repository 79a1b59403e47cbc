//! Environment of the process as a value: the only module that reads environment variables.

#![expect(clippy::disallowed_methods, reason = "the only module that reads the environment")]

use charrette_app::Environment;
use charrette_app::trust::TrustGrant;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum length of the recorded command line, in characters.
const MAX_COMMAND_LINE_CHARS: usize = 200;

/// Captures the variables, folder, command line and program of this process.
pub(crate) fn read_environment(trust: TrustGrant) -> Arc<Environment> {
    let variables = std::env::vars_os().collect();
    charrette_git::set_environment(&variables);
    Arc::new(Environment {
        variables,
        folder: PathBuf::from("."),
        command_line: command_line(),
        program: std::env::current_exe().ok(),
        trust,
    })
}

/// Command line as recorded in locks and history.
fn command_line() -> String {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut line = format!("charrette {}", words.join(" "));
    if let Some((cut, _)) = line.char_indices().nth(MAX_COMMAND_LINE_CHARS) {
        line.truncate(cut);
    }
    line
}
