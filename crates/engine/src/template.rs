//! How all templates are filled in, and how their faults are told.
//!
//! Undefined names are errors, nothing is escaped, and a value is never looked at for template marks. What a
//! template may include and where it comes from is for its owner to decide.

use charrette_model::shown::shown;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use std::error::Error as _;

/// How much work one text may be. A template comes from a repository, and must not keep us busy for ever.
const FUEL: u64 = 200_000;

/// An environment without templates.
pub(crate) fn environment<'a>() -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    if let Ok(syntax) = syntax.build() {
        environment.set_syntax(syntax);
    }
    environment
}

/// The innermost cause of an error: what is wrong inside whatever was included last.
pub(crate) fn deepest(error: &minijinja::Error) -> &minijinja::Error {
    let mut deepest = error;
    while let Some(cause) = deepest.source().and_then(|cause| cause.downcast_ref::<minijinja::Error>()) {
        deepest = cause;
    }
    deepest
}

/// The line of a fault in `text`, and what is wrong with it.
pub(crate) fn fault(error: &minijinja::Error, text: &str) -> (usize, String) {
    let line = error.line().unwrap_or(1);
    let mut message = error.kind().to_string();
    if let Some(detail) = error.detail() {
        message = format!("{message}: {}", shown(detail));
    }
    if let Some(source) = line.checked_sub(1).and_then(|above| text.lines().nth(above)) {
        message = format!("{message}, in '{}'", shown(source.trim()));
    }
    (line, message)
}
