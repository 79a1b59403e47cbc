//! Asks a person at a terminal, one gate at a time.

use crate::dialog::{Console, DialogOutcome, run_dialog};
use crate::editor;
use crate::terminal::{LineInput, Terminal, TerminalSession};
use crate::view::View;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::gate::{GateView, Reply};
use charrette_engine::ports::{Asker, BoxFuture};
use futures_util::future::{Either, select};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Mutex, oneshot};

/// Reads a file that the person wants to review, or returns the reason why not.
pub type FileReader = Box<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// Options of a [`TerminalAsker`].
pub struct AskerOptions {
    pub terminal: Terminal,
    /// Editor command.
    pub editor: String,
    /// Folder for temporary files of the editor.
    pub scratch: PathBuf,
    pub reader: FileReader,
    /// Cancelled by Ctrl-C; its cancellation ends an open question.
    pub cancel: Cancel,
}

/// Asks a person at a terminal. Gates that open at the same time are asked one after the other.
pub struct TerminalAsker {
    view: View,
    options: Arc<AskerOptions>,
    /// Serialises gates. Holds the reply that ended the last dialog early; after that no gate is asked.
    turn: Mutex<Option<Reply>>,
}

impl TerminalAsker {
    /// Asks at the terminal of `options`, below the stage heading of `view`.
    pub fn new(view: View, options: AskerOptions) -> TerminalAsker {
        TerminalAsker { view, options: Arc::new(options), turn: Mutex::new(None) }
    }

    /// Runs the dialog on a thread of its own, so that agents and signals are handled meanwhile.
    async fn run_dialog(&self, view: &GateView) -> DialogOutcome {
        let stop = Arc::new(AtomicBool::new(false));
        let (done, outcome) = oneshot::channel();
        let (options, gate, stops) = (self.options.clone(), view.clone(), stop.clone());
        let spawned = std::thread::Builder::new().name("asking".to_owned()).spawn(move || {
            let _ = done.send(ask_at_terminal(&options, &gate, stops));
        });
        let unattended = || DialogOutcome { answers: serde_json::Map::new(), end: Some(Reply::Unattended) };
        if spawned.is_err() {
            return unattended();
        }
        let interrupted = pin!(self.options.cancel.wait_for(Urgency::Soon));
        let outcome = match select(outcome, interrupted).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), outcome)) => {
                // The terminal must be restored before anything else happens.
                stop.store(true, Ordering::Relaxed);
                outcome.await
            }
        };
        outcome.unwrap_or_else(|_| unattended())
    }
}

impl Asker for TerminalAsker {
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async move {
            let mut turn = self.turn.lock().await;
            if let Some(ended) = &*turn {
                return ended.clone();
            }
            if self.options.cancel.is_requested() {
                return Reply::Interrupted;
            }
            self.view.announce_stage();
            let DialogOutcome { answers, end } = self.run_dialog(view).await;
            if end == Some(Reply::Interrupted) && !self.options.cancel.is_requested() {
                self.options.cancel.request();
            }
            turn.clone_from(&end);
            match end {
                // Answers given before the end are kept; the gate asks for the rest and then gets the end.
                Some(end) if answers.is_empty() => end,
                _ => Reply::Answers(answers),
            }
        })
    }
}

fn ask_at_terminal(options: &AskerOptions, view: &GateView, stop: Arc<AtomicBool>) -> DialogOutcome {
    match options.terminal.start_session(stop) {
        Ok(session) => run_dialog(&mut TerminalConsole { session, options }, view, options.terminal.style()),
        Err(_) => DialogOutcome { answers: serde_json::Map::new(), end: Some(Reply::Unattended) },
    }
}

struct TerminalConsole<'a> {
    session: TerminalSession<'a>,
    options: &'a AskerOptions,
}

impl Console for TerminalConsole<'_> {
    fn print(&mut self, text: &str) {
        self.session.print(text);
    }

    fn read_line(&mut self, prompt: &str, if_empty: &str) -> LineInput {
        self.session.read_line(prompt, if_empty)
    }

    fn edit(&mut self, question: &str) -> Result<String, String> {
        let AskerOptions { editor, scratch, .. } = self.options;
        self.session.with_original_mode(|session| {
            editor::edit(editor, scratch, question, session.input(), &|| session.is_stopped())
        })
    }

    fn read(&mut self, name: &str) -> Result<String, String> {
        (self.options.reader)(name)
    }
}

impl std::fmt::Debug for TerminalAsker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalAsker").field("editor", &self.options.editor).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for AskerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AskerOptions").field("editor", &self.editor).finish_non_exhaustive()
    }
}
