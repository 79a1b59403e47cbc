//! Template environment and template errors, for all templates.
//!
//! Undefined names are errors, nothing is escaped, and values are never parsed as templates. The owner of a template
//! decides where it comes from and what it may include.

use charrette_model::escape::printable;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use std::error::Error as _;
use std::io;

/// Maximum number of template instructions (fuel). A template comes from a repository and must not loop for ever.
const MAX_FUEL: u64 = 200_000;

/// Maximum size of a template and of a rendered text, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Renders a template, within the limit of its size.
pub(crate) fn render(
    template: &minijinja::Template<'_, '_>,
    values: impl Into<minijinja::Value>,
) -> Result<String, minijinja::Error> {
    let too_large = || {
        let detail = format!("the text exceeds {} MB", MAX_BYTES >> 20);
        minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, detail)
    };
    if template.source().len() > MAX_BYTES {
        return Err(too_large());
    }
    let mut text = BoundedText(Vec::new());
    match template.render_captured_to(values, &mut text) {
        Err(error) if error.kind() == minijinja::ErrorKind::WriteFailure => Err(too_large()),
        Err(error) => Err(error),
        Ok(_) => Ok(String::from_utf8_lossy(&text.0).into_owned()),
    }
}

/// A text that refuses to grow beyond the limit.
struct BoundedText(Vec<u8>);

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_BYTES {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes an environment without templates.
pub(crate) fn environment<'a>() -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(MAX_FUEL));
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    if let Ok(syntax) = syntax.build() {
        environment.set_syntax(syntax);
    }
    environment
}

/// Innermost cause of an error: the error inside the template that was included last.
pub(crate) fn root_cause(error: &minijinja::Error) -> &minijinja::Error {
    let mut innermost = error;
    while let Some(cause) = innermost.source().and_then(|cause| cause.downcast_ref::<minijinja::Error>()) {
        innermost = cause;
    }
    innermost
}

/// Line of an error in `text`, and its message.
pub(crate) fn describe_error(error: &minijinja::Error, text: &str) -> (usize, String) {
    let line = error.line().unwrap_or(1);
    let mut message = error.kind().to_string();
    if let Some(detail) = error.detail() {
        message = format!("{message}: {}", printable(detail));
    }
    if let Some(source) = line.checked_sub(1).and_then(|above| text.lines().nth(above)) {
        message = format!("{message}, in '{}'", printable(source.trim()));
    }
    (line, message)
}
