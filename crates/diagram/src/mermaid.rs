//! Adapter of the Mermaid engine, a young crate whose API may still change; no other module uses it.
//!
//! The engine runs on a thread of its own: with a stack that deep nesting does not exhaust, under a name by
//! which its panics are silenced (their messages can quote the diagram), and with a timeout.

use merman::resources::{InputResourcePolicy, ResourceProfile};
use merman::{OperationControl, ParseOptions, RenderError, RenderOutput, RenderRequest, Renderer};
#[cfg(feature = "svg")]
use merman::{SvgEnvironment, SvgRequest, svg::RenderResourcePolicy};
use std::panic;
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Maximum length of a diagram in characters: Mermaid's own default.
pub const MAX_CHARS: usize = 50_000;

const STACK_BYTES: usize = 64 << 20;
/// Timeout of the engine: it is asked to stop after this, and abandoned after twice the time.
const TIMEOUT: Duration = Duration::from_secs(10);
const THREAD: &str = "charrette-diagram";

/// Checks that the text is a valid Mermaid diagram.
///
/// ```
/// assert!(charrette_diagram::parse("flowchart TD\n  A[Start] --> B[Done]\n").is_ok());
/// assert_eq!(charrette_diagram::parse("flowchart TD\n  A[Start --> B\n").unwrap_err().line, Some(2));
/// ```
pub fn parse(text: &str) -> Result<(), ParseError> {
    let found = run_supervised(text, TIMEOUT, |text, control| {
        let request = RenderRequest::semantic(text, control)
            .with_parse_options(ParseOptions::strict())
            .with_resource_policy(InputResourcePolicy::for_profile(PROFILE));
        match Renderer::new().render(request)? {
            RenderOutput::Semantic(Some(_)) => Ok(()),
            _ => Err(RenderError::NoDiagram),
        }
    });
    found.map_err(|failure| failure.into_parse_error(text))
}

/// Renders the diagram as an SVG document.
#[cfg(feature = "svg")]
pub fn svg(text: &str) -> Result<String, SvgError> {
    let drawn = run_supervised(text, TIMEOUT, |text, control| {
        let environment =
            SvgEnvironment::deterministic().with_resource_policy(RenderResourcePolicy::for_profile(PROFILE));
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

const PROFILE: ResourceProfile = ResourceProfile::Interactive;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// 1-based, where the parser reports one.
    pub line: Option<usize>,
    /// May quote the diagram, so it is for its author, not for a log.
    pub message: String,
}

#[cfg(feature = "svg")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SvgError {
    /// Not a valid diagram.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// Valid, but the layout failed.
    #[error("the diagram could not be laid out: {0}")]
    Layout(String),
}

/// The engine's error code for a diagram type that was not compiled in.
const UNSUPPORTED: &str = "merman.parse.unsupported_diagram";

/// Failure of the engine.
#[derive(Debug)]
enum Failure {
    TooLong(usize),
    Engine(RenderError),
    Panicked,
    TimedOut,
}

impl Failure {
    fn into_parse_error(self, text: &str) -> ParseError {
        let without_line = |message: String| ParseError { line: None, message };
        match self {
            Failure::TooLong(chars) => {
                without_line(format!("the diagram has {chars} characters; at most {MAX_CHARS} are drawn"))
            }
            Failure::Panicked => without_line("the diagram engine failed on this text".to_owned()),
            Failure::TimedOut | Failure::Engine(RenderError::Cancelled(_)) => {
                without_line(format!("the diagram timed out after {} s", TIMEOUT.as_secs()))
            }
            Failure::Engine(RenderError::Parse(diagnostic)) => {
                let details = diagnostic.terminal_diagnostic_details();
                if details.code == UNSUPPORTED {
                    let kind = details.diagram_type.unwrap_or_default();
                    return without_line(format!("unsupported diagram type '{kind}'"));
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

/// Runs the engine on `text` with a timeout.
fn run_supervised<T: Send + 'static>(
    text: &str,
    timeout: Duration,
    engine: impl FnOnce(&str, OperationControl) -> Result<T, RenderError> + Send + 'static,
) -> Result<T, Failure> {
    let chars = text.chars().count();
    if chars > MAX_CHARS {
        return Err(Failure::TooLong(chars));
    }
    silence_engine_panics();
    let text = text.to_owned();
    let (sender, receiver) = mpsc::channel();
    let control = OperationControl::new().with_deadline(timeout);
    let worker = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK_BYTES);
    let spawned = worker.spawn(move || {
        // The receiver is gone after a timeout.
        let _ = sender.send(engine(&text, control));
    });
    if spawned.is_err() {
        return Err(Failure::Panicked);
    }
    match receiver.recv_timeout(timeout * 2) {
        Ok(result) => result.map_err(Failure::Engine),
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Panicked),
        // The thread is abandoned; it ends with the process.
        Err(RecvTimeoutError::Timeout) => Err(Failure::TimedOut),
    }
}

/// Silences panics of the engine, which are reported as errors: their messages may quote the diagram.
fn silence_engine_panics() {
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
        let result = run_supervised::<()>("x", TIMEOUT, |text, _| panic!("quoting {text}"));
        assert!(matches!(result, Err(Failure::Panicked)), "{result:?}");
        let error = Failure::Panicked.into_parse_error("x");
        assert_eq!(error.message, "the diagram engine failed on this text");
    }

    #[test]
    fn a_stuck_engine_times_out() {
        let result = run_supervised::<()>("x", Duration::from_millis(20), |_, _| {
            thread::sleep(Duration::from_mins(1));
            Ok(())
        });
        assert!(matches!(result, Err(Failure::TimedOut)), "{result:?}");
        assert_eq!(Failure::TimedOut.into_parse_error("x").message, "the diagram timed out after 10 s");
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
