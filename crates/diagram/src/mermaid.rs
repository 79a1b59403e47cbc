//! The only module that knows the engine, a young crate whose names may still move.
//!
//! The engine runs on a thread of its own: with a stack that deep nesting does not exhaust, under a name by
//! which its panics are kept quiet (their messages can quote the diagram), and behind a clock.

use merman::svg::RenderResourcePolicy;
use merman::{
    OperationControl, ParseOptions, RenderError, RenderOutput, RenderRequest, Renderer, SvgEnvironment,
    SvgRequest,
};
use std::panic;
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The longest diagram that is looked at, in characters: what Mermaid itself accepts by default.
pub const MAX_CHARS: usize = 50_000;

const STACK_BYTES: usize = 64 << 20;
/// The engine is asked to stop after this, and given up on after the same time again.
const PATIENCE: Duration = Duration::from_secs(10);
const THREAD: &str = "charrette-diagram";

/// Whether the text is a diagram that Mermaid would take.
///
/// ```
/// assert!(charrette_diagram::parse("flowchart TD\n  A[Start] --> B[Done]\n").is_ok());
/// assert_eq!(charrette_diagram::parse("flowchart TD\n  A[Start --> B\n").unwrap_err().line, Some(2));
/// ```
pub fn parse(text: &str) -> Result<(), ParseError> {
    let found = supervised(text, PATIENCE, |text, control| {
        let request = RenderRequest::semantic(text, control)
            .with_parse_options(ParseOptions::strict())
            .with_resource_policy(*POLICY.input_policy());
        match Renderer::new().render(request)? {
            RenderOutput::Semantic(Some(_)) => Ok(()),
            _ => Err(RenderError::NoDiagram),
        }
    });
    found.map_err(|failure| failure.into_parse_error(text))
}

/// The diagram as an SVG document.
pub fn svg(text: &str) -> Result<String, SvgError> {
    let drawn = supervised(text, PATIENCE, |text, control| {
        let environment = SvgEnvironment::deterministic().with_resource_policy(POLICY);
        let request = RenderRequest::svg(text, control, SvgRequest { environment, ..SvgRequest::default() })
            .with_parse_options(ParseOptions::strict());
        match Renderer::new().render(request)? {
            RenderOutput::Svg(Some(svg)) => Ok(svg.into_parts().0),
            _ => Err(RenderError::NoDiagram),
        }
    });
    drawn.map_err(|failure| match failure {
        Failure::Engine(RenderError::Svg(error)) => SvgError::Layout(error.to_string()),
        other => SvgError::Parse(other.into_parse_error(text)),
    })
}

const POLICY: RenderResourcePolicy = RenderResourcePolicy::interactive();

/// A text that is no diagram.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// The 1-based line, where the parser knows one.
    pub line: Option<usize>,
    /// What is wrong. It may quote the diagram, so it belongs in front of its author, not in a log.
    pub message: String,
}

/// A diagram that could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SvgError {
    /// It is no diagram.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It is one, but no picture came of it.
    #[error("the diagram could not be laid out: {0}")]
    Layout(String),
}

/// The engine's word for a kind of diagram that was not compiled in.
const UNSUPPORTED: &str = "merman.parse.unsupported_diagram";

/// Why the engine gave nothing back.
#[derive(Debug)]
enum Failure {
    TooLong(usize),
    Engine(RenderError),
    Panicked,
    Stuck,
}

impl Failure {
    fn into_parse_error(self, text: &str) -> ParseError {
        let without_line = |message: String| ParseError { line: None, message };
        match self {
            Failure::TooLong(chars) => {
                without_line(format!("the diagram has {chars} characters; at most {MAX_CHARS} are drawn"))
            }
            Failure::Panicked => without_line("the diagram engine failed on this text".to_owned()),
            Failure::Stuck | Failure::Engine(RenderError::Cancelled(_)) => {
                without_line(format!("the diagram took longer than {} s", PATIENCE.as_secs()))
            }
            Failure::Engine(RenderError::Parse(diagnostic)) => {
                let details = diagnostic.terminal_diagnostic_details();
                if details.code == UNSUPPORTED {
                    let kind = details.diagram_type.unwrap_or_default();
                    return without_line(format!("diagrams of the kind '{kind}' are not drawn here"));
                }
                let line = details.span.map(|span| line_at(text, span.start));
                ParseError { line, message: diagnostic.terminal_safe_message() }
            }
            Failure::Engine(error) => without_line(error.to_string()),
        }
    }
}

/// The 1-based line of a byte of `text`; the end of the text belongs to its last line.
fn line_at(text: &str, byte: usize) -> usize {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.split(|b| *b == b'\n').count();
    line.min(text.lines().count().max(1))
}

/// Runs the engine on `text` and waits for it, but not for ever.
fn supervised<T: Send + 'static>(
    text: &str,
    patience: Duration,
    engine: impl FnOnce(&str, OperationControl) -> Result<T, RenderError> + Send + 'static,
) -> Result<T, Failure> {
    let chars = text.chars().count();
    if chars > MAX_CHARS {
        return Err(Failure::TooLong(chars));
    }
    keep_panics_quiet();
    let text = text.to_owned();
    let (sender, receiver) = mpsc::channel();
    let control = OperationControl::new().with_deadline(patience);
    let worker = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK_BYTES);
    let spawned = worker.spawn(move || {
        // Nobody listens any more when the clock ran out first.
        let _ = sender.send(engine(&text, control));
    });
    if spawned.is_err() {
        return Err(Failure::Panicked);
    }
    match receiver.recv_timeout(patience * 2) {
        Ok(result) => result.map_err(Failure::Engine),
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Panicked),
        // The thread is left behind; it ends with the process.
        Err(RecvTimeoutError::Timeout) => Err(Failure::Stuck),
    }
}

/// Panics of the engine are reported as errors; their messages, which may quote the diagram, are not printed.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(THREAD) {
                others(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_engine_is_an_error() {
        let result = supervised::<()>("x", PATIENCE, |text, _| panic!("quoting {text}"));
        assert!(matches!(result, Err(Failure::Panicked)), "{result:?}");
        let error = Failure::Panicked.into_parse_error("x");
        assert_eq!(error.message, "the diagram engine failed on this text");
    }

    #[test]
    fn an_engine_that_does_not_come_back_is_left_behind() {
        let result = supervised::<()>("x", Duration::from_millis(20), |_, _| {
            thread::sleep(Duration::from_mins(1));
            Ok(())
        });
        assert!(matches!(result, Err(Failure::Stuck)), "{result:?}");
        assert_eq!(Failure::Stuck.into_parse_error("x").message, "the diagram took longer than 10 s");
    }

    #[test]
    fn the_end_of_the_text_belongs_to_its_last_line() {
        for (text, byte, line) in
            [("a\nb\n", 0, 1), ("a\nb\n", 2, 2), ("a\nb\n", 4, 2), ("a\nb", 99, 2), ("", 0, 1)]
        {
            assert_eq!(line_at(text, byte), line, "{byte} of {text:?}");
        }
    }
}
