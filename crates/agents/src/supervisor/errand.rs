//! What is asked of one process.

use super::clocks::Clocks;
use crate::acp::AcpOrder;
use crate::stream::Reader;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// One call of a program.
pub struct Errand {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// Everything in its environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// Where it works.
    pub folder: PathBuf,
    /// How it is talked to.
    pub conversation: Conversation,
    /// How long it may take.
    pub clocks: Clocks,
    /// Whether to end it as soon as its vendor says to wait, instead of letting it retry.
    pub ends_on_rate_limit: bool,
    /// Where its standard output is kept.
    pub stdout: Kept,
    /// Where its standard error is kept.
    pub stderr: Kept,
    /// How many bytes of each are kept.
    pub most: u64,
    /// What its processes carry, so that they can be found.
    pub token: String,
}

/// How a process is talked to.
pub enum Conversation {
    /// It is given a text and prints something.
    Printed {
        /// What it is given.
        feed: Feed,
        /// Who reads what it prints.
        reader: Box<dyn Reader>,
    },
    /// It speaks the Agent Client Protocol.
    Acp(AcpOrder),
}

/// What a process is given on standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feed {
    /// Nothing: it is closed.
    Nothing,
    /// This, and then it is closed.
    Text(String),
}

/// Where a stream is kept, and by whom it is written down.
#[derive(Debug)]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// Takes out what must not be written.
    pub scribe: Scribe,
}

/// Turns a line into what may be written of it.
pub struct Scribe(Box<OfLine>);

type OfLine = dyn FnMut(&[u8]) -> Cow<'_, [u8]> + Send;

impl Scribe {
    /// A scribe that writes what the function makes of a line.
    pub fn new(of_line: impl FnMut(&[u8]) -> Cow<'_, [u8]> + Send + 'static) -> Scribe {
        Scribe(Box::new(of_line))
    }

    pub(super) fn line<'a>(&mut self, line: &'a [u8]) -> Cow<'a, [u8]> {
        (self.0)(line)
    }
}

impl Default for Scribe {
    /// Writes everything as it is.
    fn default() -> Scribe {
        Scribe::new(as_it_is)
    }
}

fn as_it_is(line: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(line)
}

impl fmt::Debug for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its environment may hold secrets.
        f.debug_struct("Errand")
            .field("command", &self.command)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Scribe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scribe")
    }
}
