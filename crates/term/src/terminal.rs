//! A terminal that a person types at: questions and lines, read key by key.
//!
//! It is its own small reader because three things matter here that prompts rarely get right: a text of several
//! lines that is pasted is one answer and not several; Escape, Ctrl-C and Ctrl-Z work at every question; and
//! whatever ends the run, the terminal is as it was before.

use crate::keys::{Key, Keys};
use crate::line::Line;
use crate::screen::{Held, Screen};
use crate::style::{Style, Tone};
use crate::text::{columns, fit, safe, wrapped};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::{Signal, getpgrp, kill_process_group};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long to wait for the rest of a key; also how soon a request to end is seen.
const MOMENT: Duration = Duration::from_millis(50);

const PASTE_ON: &str = "\u{1b}[?2004h";
const PASTE_OFF: &str = "\u{1b}[?2004l";

/// What came of asking for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    /// A line; what was pasted may have several.
    Line(String),
    /// Escape, Ctrl-D, or the terminal is gone.
    Away,
    /// Ctrl-C, or the run was asked to end.
    Interrupted,
}

/// A terminal that a person types at.
#[derive(Debug)]
pub struct Terminal {
    input: OwnedFd,
    screen: Screen,
    style: Style,
}

impl Terminal {
    /// Reads keys from `input`, which is a terminal, and writes to the screen that shows it.
    pub fn new(input: OwnedFd, screen: Screen, style: Style) -> Terminal {
        Terminal { input, screen, style }
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// The terminal for a conversation: the screen is kept for it, and keys come as they are pressed. What was
    /// typed before there was a question answers nothing.
    pub(crate) fn conversation(&self, stop: Arc<AtomicBool>) -> std::io::Result<Conversation<'_>> {
        let held = self.screen.hold();
        let before = tcgetattr(&self.input)?;
        let conversation = Conversation { terminal: self, held, before, keys: Keys::default(), stop };
        conversation.key_by_key(OptionalActions::Flush)?;
        Ok(conversation)
    }
}

/// A conversation at a terminal. When it is dropped, the terminal is as it was.
#[derive(Debug)]
pub(crate) struct Conversation<'a> {
    terminal: &'a Terminal,
    held: Held,
    before: Termios,
    keys: Keys,
    stop: Arc<AtomicBool>,
}

impl Conversation<'_> {
    pub(crate) fn say(&self, text: &str) {
        self.held.write(text);
    }

    pub(crate) fn input(&self) -> &OwnedFd {
        &self.terminal.input
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Asks for a line; `if_empty` is what is taken if there is none.
    pub(crate) fn line(&mut self, prompt: &str, if_empty: &str) -> Typed {
        let mut line = Line::default();
        self.draw(prompt, &line);
        let typed = loop {
            let Some(key) = self.key() else { break Typed::Interrupted };
            match key {
                Key::Enter => {
                    self.draw_taken(prompt, &line, if_empty);
                    break Typed::Line(line.text());
                }
                Key::Interrupt => break Typed::Interrupted,
                // A slip of the finger loses no text: with a line begun, only the line goes.
                Key::Escape if !line.is_empty() => line = Line::default(),
                Key::EndOfInput if !line.is_empty() => line.press(&Key::Delete),
                Key::Escape | Key::EndOfInput => break Typed::Away,
                Key::Suspend => self.suspend(),
                key => line.press(&key),
            }
            self.draw(prompt, &line);
        };
        self.say("\n");
        typed
    }

    /// Gives the terminal to another program meanwhile.
    pub(crate) fn lent<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.as_before();
        let result = work(self);
        // If the terminal is gone, the next key says so.
        let _ = self.key_by_key(OptionalActions::Flush);
        result
    }

    fn draw(&self, prompt: &str, line: &Line) {
        let width = self.terminal.style.width;
        let prompt = fit(prompt, width / 2);
        let (seen, before) = line.seen(width.saturating_sub(columns(&prompt) + 1));
        let column = columns(&prompt) + before;
        let ask = self.terminal.style.paint(Tone::Heading, &prompt);
        let there = if column > 0 { format!("\u{1b}[{column}C") } else { String::new() };
        self.say(&format!("\r\u{1b}[K{ask}{seen}\r{there}"));
    }

    /// What was taken, all of it: it may have been longer than what could be seen.
    fn draw_taken(&self, prompt: &str, line: &Line, if_empty: &str) {
        let style = self.terminal.style;
        let text = line.text();
        if text.trim().is_empty() {
            self.say(&format!("\r\u{1b}[K{}{}", style.paint(Tone::Heading, prompt), safe(if_empty)));
        } else if text.contains('\n') || columns(prompt) + columns(&text) >= style.width {
            let indent = " ".repeat(prompt.len() - prompt.trim_start().len());
            let lines = wrapped(&text, style.width.saturating_sub(indent.len() + 1));
            let lines: Vec<String> = lines.iter().map(|line| format!("\n{indent}{line}")).collect();
            self.say(&format!(
                "\r\u{1b}[K{}{}",
                style.paint(Tone::Heading, prompt.trim_end()),
                lines.concat()
            ));
        }
    }

    /// The next key; nothing if the run was asked to end.
    fn key(&mut self) -> Option<Key> {
        loop {
            if let Some(key) = self.keys.next(false) {
                return Some(key);
            }
            if self.is_stopped() {
                return None;
            }
            match self.bytes() {
                Ok(has_come) if has_come || !self.keys.is_partial() => {}
                Ok(_) => {
                    if let Some(key) = self.keys.next(true) {
                        return Some(key);
                    }
                }
                Err(_) => return Some(Key::EndOfInput),
            }
        }
    }

    /// Takes what has come within a moment. Whether anything has.
    fn bytes(&mut self) -> Result<bool, Errno> {
        let input = self.terminal.input.as_fd();
        let mut watched = [PollFd::new(&input, PollFlags::IN)];
        let moment = Timespec { tv_sec: 0, tv_nsec: i64::from(MOMENT.subsec_nanos()) };
        match poll(&mut watched, Some(&moment)) {
            Ok(0) | Err(Errno::INTR) => return Ok(false),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
        let mut bytes = [0; 1024];
        match read(input, &mut bytes) {
            Ok(0) => Err(Errno::IO),
            Ok(count) => {
                self.keys.feed(&bytes[..count]);
                Ok(true)
            }
            Err(Errno::INTR | Errno::AGAIN) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// As a shell expects of Ctrl-Z: everything of this job stops, and goes on when it is called back.
    fn suspend(&mut self) {
        self.lent(|_| {
            let _ = kill_process_group(getpgrp(), Signal::TSTP);
        });
    }

    fn key_by_key(&self, when: OptionalActions) -> std::io::Result<()> {
        let mut modes = self.before.clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        modes.input_modes -= InputModes::ICRNL | InputModes::IXON;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&self.terminal.input, when, &modes)?;
        self.say(PASTE_ON);
        Ok(())
    }

    fn as_before(&self) {
        self.say(PASTE_OFF);
        let _ = tcsetattr(&self.terminal.input, OptionalActions::Drain, &self.before);
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        self.as_before();
    }
}
