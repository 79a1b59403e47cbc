//! The process we run in, as a value: the only place that reads the environment.

#![expect(clippy::disallowed_methods, reason = "this is the place")]

use charrette_app::Environment;
use std::path::PathBuf;
use std::sync::Arc;

/// How much of the command line is kept.
const LONGEST: usize = 200;

/// The process as it is now.
pub(crate) fn environment() -> Arc<Environment> {
    Arc::new(Environment {
        variables: std::env::vars_os().collect(),
        folder: PathBuf::from("."),
        command_line: command_line(),
        program: std::env::current_exe().ok(),
    })
}

/// The command line, for locks and history.
fn command_line() -> String {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut line = format!("charrette {}", words.join(" "));
    if let Some((cut, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(cut);
    }
    line
}
