//! Asks a person at a terminal, one gate at a time.

use crate::dialog::{Console, Talk, talk};
use crate::editor;
use crate::terminal::{Conversation, Terminal, Typed};
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

/// Finds the text of a file that a person wants to see, or says why not.
pub type Reader = Box<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// What asking needs from outside.
pub struct Desk {
    /// Where the person is.
    pub terminal: Terminal,
    /// Their editor, as a command.
    pub editor: String,
    /// A folder for pages that are open in the editor.
    pub scratch: PathBuf,
    /// Reads what they want to see.
    pub reader: Reader,
    /// Ends the run on Ctrl-C, and ends a question when the run ends.
    pub cancel: Cancel,
}

/// Asks a person at a terminal. Gates that open at the same time wait for their turn.
pub struct TerminalAsker {
    view: View,
    desk: Arc<Desk>,
    /// Whose turn it is. Once the person has gone away, they are not asked again.
    turn: Mutex<Option<Reply>>,
}

impl TerminalAsker {
    /// Asks at that desk; what the view holds back about the stage is shown before.
    pub fn new(view: View, desk: Desk) -> TerminalAsker {
        TerminalAsker { view, desk: Arc::new(desk), turn: Mutex::new(None) }
    }

    /// Talks in a thread of its own, so that agents and signals are heard meanwhile.
    async fn talk(&self, view: &GateView) -> Talk {
        let stop = Arc::new(AtomicBool::new(false));
        let (done, outcome) = oneshot::channel();
        let (desk, gate, stops) = (self.desk.clone(), view.clone(), stop.clone());
        let spawned = std::thread::Builder::new().name("asking".to_owned()).spawn(move || {
            let _ = done.send(at_desk(&desk, &gate, stops));
        });
        let nobody = || Talk { answers: serde_json::Map::new(), end: Some(Reply::Nobody) };
        if spawned.is_err() {
            return nobody();
        }
        let interrupted = pin!(self.desk.cancel.requested(Urgency::Soon));
        let outcome = match select(outcome, interrupted).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), outcome)) => {
                // The terminal must be as it was before anything else happens.
                stop.store(true, Ordering::Relaxed);
                outcome.await
            }
        };
        outcome.unwrap_or_else(|_| nobody())
    }
}

impl Asker for TerminalAsker {
    fn ask<'a>(&'a self, view: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async move {
            let mut turn = self.turn.lock().await;
            if let Some(gone) = &*turn {
                return gone.clone();
            }
            if self.desk.cancel.is_requested() {
                return Reply::Interrupted;
            }
            self.view.reveal();
            let Talk { answers, end } = self.talk(view).await;
            if end == Some(Reply::Interrupted) && !self.desk.cancel.is_requested() {
                self.desk.cancel.request();
            }
            turn.clone_from(&end);
            match end {
                // What was answered before going away is kept; the gate comes back for the rest and hears of it.
                Some(end) if answers.is_empty() => end,
                _ => Reply::Answers(answers),
            }
        })
    }
}

fn at_desk(desk: &Desk, view: &GateView, stop: Arc<AtomicBool>) -> Talk {
    match desk.terminal.conversation(stop) {
        Ok(conversation) => talk(&mut AtTerminal { conversation, desk }, view, desk.terminal.style()),
        Err(_) => Talk { answers: serde_json::Map::new(), end: Some(Reply::Nobody) },
    }
}

struct AtTerminal<'a> {
    conversation: Conversation<'a>,
    desk: &'a Desk,
}

impl Console for AtTerminal<'_> {
    fn say(&mut self, text: &str) {
        self.conversation.say(text);
    }

    fn line(&mut self, prompt: &str, if_empty: &str) -> Typed {
        self.conversation.line(prompt, if_empty)
    }

    fn edit(&mut self, question: &str) -> Result<String, String> {
        let Desk { editor, scratch, .. } = self.desk;
        self.conversation.lent(|conversation| {
            editor::edit(editor, scratch, question, conversation.input(), &|| conversation.is_stopped())
        })
    }

    fn read(&mut self, name: &str) -> Result<String, String> {
        (self.desk.reader)(name)
    }
}

impl std::fmt::Debug for TerminalAsker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalAsker").field("editor", &self.desk.editor).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("editor", &self.editor).finish_non_exhaustive()
    }
}
