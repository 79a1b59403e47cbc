//! Template environment and template errors, for all templates.
//!
//! Undefined names are errors, nothing is escaped, and values are never parsed as templates. The owner of a template
//! decides where it comes from and what it may include.
//!
//! A template comes from a repository: its steps, its time, its text, what its filters make and what it puts together are
//! limited. [`check`] refuses the constructs that no limit would reach, before a template is compiled. Both are done on a
//! thread of their own ([`supervised`]), so that nothing in a template stops or ends the process.

mod budget;
mod filters;
mod growth;
mod length;
mod ranges;
mod supervised;

pub(crate) use filters::add_text_filter;
pub(crate) use supervised::{Failure, TIME_LIMIT, supervise};

use charrette_model::escape::printable;
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use std::error::Error as _;
use std::io;

/// Maximum number of template instructions (fuel). A template comes from a repository and must not loop for ever.
const MAX_FUEL: u64 = 200_000;

/// Maximum size of a rendered text, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Maximum size of a template, in bytes.
const MAX_TEMPLATE_BYTES: usize = 256 << 10;

/// Renders a template that includes no other, within the limits of size and time.
pub(crate) fn render(
    template: &minijinja::Template<'_, '_>,
    values: impl Into<minijinja::Value>,
) -> Result<String, minijinja::Error> {
    // The thread may outlive the environment of the template, and gets one of its own.
    let (name, source, values) = (template.name().to_owned(), template.source().to_owned(), values.into());
    let rendered = supervise(TIME_LIMIT, move || {
        let environment = environment();
        render_here(&environment.template_from_named_str(&name, &source)?, values)
    });
    rendered?
}

/// Renders a template on the thread of the caller, within the limit of its size.
pub(crate) fn render_here(
    template: &minijinja::Template<'_, '_>,
    values: minijinja::Value,
) -> Result<String, minijinja::Error> {
    let mut text = BoundedText(Vec::new());
    match template.render_captured_to(values, &mut text) {
        Err(error) if error.kind() == minijinja::ErrorKind::WriteFailure => {
            Err(too_large("the text", MAX_BYTES))
        }
        Err(error) => Err(error),
        Ok(_) => Ok(String::from_utf8_lossy(&text.0).into_owned()),
    }
}

fn too_large(what: &str, limit: usize) -> minijinja::Error {
    let limit = if limit >= 1 << 20 { format!("{} MB", limit >> 20) } else { limit.to_string() };
    minijinja::Error::new(minijinja::ErrorKind::InvalidOperation, format!("{what} exceeds {limit} (limit)"))
}

/// Checks a template before it is compiled; an error is a line and a message.
pub(crate) fn check(text: &str) -> Result<(), (usize, String)> {
    let owned = text.to_owned();
    let checked = supervise(TIME_LIMIT, move || {
        check_here(&owned)?;
        // What the caller compiles must not panic. An ordinary error is the caller's to report.
        let _ = environment().template_from_str(&owned);
        Ok(())
    });
    checked.unwrap_or_else(|failure| Err((1, failure.to_string())))
}

/// Checks a template on the thread of the caller.
pub(crate) fn check_here(text: &str) -> Result<(), (usize, String)> {
    if text.len() > MAX_TEMPLATE_BYTES {
        return Err((1, format!("the template exceeds {} KB (limit)", MAX_TEMPLATE_BYTES >> 10)));
    }
    // What is too deep must not reach the parser.
    let checked = length::check(text).and_then(|short| match short {
        Ok(()) => growth::check(text),
        Err(refused) => Ok(Err(refused)),
    });
    match checked {
        Ok(Ok(())) => Ok(()),
        Ok(Err((line, reason))) => Err((line, with_source(reason, line, text))),
        Err(error) => Err(describe_error(&error, text)),
    }
}

/// A text that refuses to grow beyond the limits.
struct BoundedText(Vec<u8>);

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        supervised::end_if_over();
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
    environment.set_syntax(syntax());
    filters::limit(&mut environment);
    environment
}

fn syntax() -> SyntaxConfig {
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    syntax.build().unwrap_or_default()
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
    let mut message = error.kind().to_string();
    if let Some(detail) = error.detail() {
        message = format!("{message}: {}", printable(detail));
    }
    match error.line() {
        Some(line) => (line, with_source(message, line, text)),
        None => (1, message),
    }
}

fn with_source(message: String, line: usize, text: &str) -> String {
    match line.checked_sub(1).and_then(|above| text.lines().nth(above)) {
        Some(source) => format!("{message}, in '{}'", printable(source.trim())),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::Value;

    /// What the template engine panics on.
    const PANIC: &str = "{% for i in [1] %}{{ loop.cycle(*[]) }}{% endfor %}";

    #[test]
    fn a_template_without_includes_is_supervised_too() {
        let environment = environment();
        let template = |text| environment.template_from_named_str("t", text).unwrap();
        assert_eq!(render(&template("{{ 1 + 1 }}\n"), Value::UNDEFINED).ok().as_deref(), Some("2\n"));
        let error = render(&template(PANIC), Value::UNDEFINED).unwrap_err();
        let said = "the template engine failed on an argument or index in the template";
        assert_eq!(describe_error(&error, PANIC), (1, format!("invalid operation: {said}")));
        let error = render(&template("a\n{{ b }}"), Value::UNDEFINED).unwrap_err();
        assert_eq!(describe_error(&error, "a\n{{ b }}").0, 2);
    }

    #[test]
    fn a_template_is_checked_before_it_is_rendered() {
        assert_eq!(check(PANIC), Ok(()), "it fails when it is rendered");
        assert_eq!(check("{{ x }}"), Ok(()));
        assert!(check("{% if %}").is_err_and(|(line, said)| line == 1 && said.starts_with("syntax error")));
    }
}
