//! Terminal input: questions and lines, read key by key.
//!
//! It has its own reader because of three things that prompt libraries rarely get right: a pasted text of several
//! lines is one answer; Escape, Ctrl-C and Ctrl-Z work at every question; and whatever ends the run, the terminal mode
//! is restored.

use crate::continued;
use crate::keys::{Key, KeyDecoder};
use crate::line_editor::LineEditor;
use crate::screen::{Screen, ScreenGuard};
use crate::style::{Style, Tone};
use crate::text::{columns, fit, safe, wrapped};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use rustix::process::{Signal, kill_current_process_group};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time to wait for the rest of a key sequence; also the polling interval of cancellation.
const KEY_TIMEOUT: Duration = Duration::from_millis(50);

/// Longest time until a stop takes hold. In a group that no shell controls, none does.
const STOP_TIMEOUT: Duration = Duration::from_millis(200);

/// Interval of looks for it.
const STOP_INTERVAL: Duration = Duration::from_millis(5);

const PASTE_ON: &str = "\u{1b}[?2004h";
const PASTE_OFF: &str = "\u{1b}[?2004l";

/// Result of reading a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineInput {
    /// A line; a pasted text may have several.
    Line(String),
    /// Escape, Ctrl-D, or the terminal is gone.
    Closed,
    /// Ctrl-C, or the run was cancelled.
    Interrupted,
}

/// Terminal that a person types at.
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

    /// Starts a session: reserves the screen and enables raw mode. Keys that were pressed before the question are
    /// discarded.
    pub(crate) fn start_session(&self, stop: Arc<AtomicBool>) -> std::io::Result<TerminalSession<'_>> {
        let screen = self.screen.reserve();
        let original_mode = tcgetattr(&self.input)?;
        let session = TerminalSession {
            terminal: self,
            screen,
            original_mode,
            keys: KeyDecoder::default(),
            stop,
            continued: continued::count(),
        };
        session.enable_raw_mode(OptionalActions::Flush)?;
        Ok(session)
    }
}

/// Session at a terminal. Dropping it restores the terminal mode.
#[derive(Debug)]
pub(crate) struct TerminalSession<'a> {
    terminal: &'a Terminal,
    screen: ScreenGuard,
    original_mode: Termios,
    keys: KeyDecoder,
    stop: Arc<AtomicBool>,
    /// How often this process had been continued when the mode was set last.
    continued: usize,
}

impl TerminalSession<'_> {
    pub(crate) fn print(&self, text: &str) {
        self.screen.write(text);
    }

    pub(crate) fn input(&self) -> &OwnedFd {
        &self.terminal.input
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Reads a line; `if_empty` is shown as the answer if the line is empty.
    pub(crate) fn read_line(&mut self, prompt: &str, if_empty: &str) -> LineInput {
        let mut line = LineEditor::default();
        self.draw(prompt, &line);
        let typed = loop {
            let next = self.next_key(|session| session.draw(prompt, &line));
            let Some(key) = next else { break LineInput::Interrupted };
            match key {
                Key::Enter => {
                    self.draw_accepted(prompt, &line, if_empty);
                    break LineInput::Line(line.text());
                }
                Key::Interrupt => break LineInput::Interrupted,
                // Escape by mistake: with text on the line, only the text is cleared.
                Key::Escape if !line.is_empty() => line = LineEditor::default(),
                Key::EndOfInput if !line.is_empty() => line.press(&Key::Delete),
                Key::Escape | Key::EndOfInput => break LineInput::Closed,
                Key::Suspend => self.suspend(),
                key => line.press(&key),
            }
            self.draw(prompt, &line);
        };
        self.print("\n");
        typed
    }

    /// Runs `work` with the terminal in its original mode, for another program.
    pub(crate) fn with_original_mode<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.restore_mode();
        let result = work(self);
        // If the terminal is gone, reading the next key fails.
        let _ = self.enable_raw_mode(OptionalActions::Flush);
        result
    }

    fn draw(&self, prompt: &str, line: &LineEditor) {
        let width = self.terminal.style.width;
        let prompt = fit(prompt, width / 2);
        let (seen, before) = line.visible(width.saturating_sub(columns(&prompt) + 1));
        let column = columns(&prompt) + before;
        let ask = self.terminal.style.paint(Tone::Heading, &prompt);
        let there = if column > 0 { format!("\u{1b}[{column}C") } else { String::new() };
        self.print(&format!("\r\u{1b}[K{ask}{seen}\r{there}"));
    }

    /// Draws the whole accepted answer, which may be longer than its visible part.
    fn draw_accepted(&self, prompt: &str, line: &LineEditor, if_empty: &str) {
        let style = self.terminal.style;
        let text = line.text();
        if text.trim().is_empty() {
            self.print(&format!("\r\u{1b}[K{}{}", style.paint(Tone::Heading, prompt), safe(if_empty)));
        } else if text.contains('\n') || columns(prompt) + columns(&text) >= style.width {
            let indent = " ".repeat(prompt.len() - prompt.trim_start().len());
            let lines = wrapped(&text, style.width.saturating_sub(indent.len() + 1));
            let lines: Vec<String> = lines.iter().map(|line| format!("\n{indent}{line}")).collect();
            self.print(&format!(
                "\r\u{1b}[K{}{}",
                style.paint(Tone::Heading, prompt.trim_end()),
                lines.concat()
            ));
        }
    }

    /// Reads the next key; none if the run was cancelled. `redraw` is called where this process was stopped meanwhile: a
    /// shell has used the terminal, and changed its mode.
    fn next_key(&mut self, redraw: impl Fn(&Self)) -> Option<Key> {
        loop {
            if self.was_continued() {
                // If the terminal is gone, reading the next key fails.
                let _ = self.enable_raw_mode(OptionalActions::Now);
                redraw(self);
            }
            if let Some(key) = self.keys.next(false) {
                return Some(key);
            }
            if self.is_stopped() {
                return None;
            }
            match self.read_bytes() {
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

    /// Reads available bytes, waiting up to [`KEY_TIMEOUT`]. True if any came.
    fn read_bytes(&mut self) -> Result<bool, Errno> {
        let input = self.terminal.input.as_fd();
        let mut watched = [PollFd::new(&input, PollFlags::IN)];
        let moment = Timespec { tv_sec: 0, tv_nsec: i64::from(KEY_TIMEOUT.subsec_nanos()) };
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

    /// Ctrl-Z: suspends the process group as a shell expects, until it is continued. Another thread may take the signal, and
    /// this one run on until the stop takes hold: the mode of the terminal is the shell's until then.
    fn suspend(&mut self) {
        self.with_original_mode(|session| {
            session.continued = continued::count();
            let until = Instant::now() + STOP_TIMEOUT;
            let _ = kill_current_process_group(Signal::TSTP);
            while !session.was_continued() && Instant::now() < until {
                std::thread::sleep(STOP_INTERVAL);
            }
        });
    }

    /// True once after this process was continued.
    fn was_continued(&mut self) -> bool {
        let count = continued::count();
        std::mem::replace(&mut self.continued, count) != count
    }

    fn enable_raw_mode(&self, when: OptionalActions) -> std::io::Result<()> {
        let mut modes = self.original_mode.clone();
        modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        modes.input_modes -= InputModes::ICRNL | InputModes::IXON;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&self.terminal.input, when, &modes)?;
        self.print(PASTE_ON);
        Ok(())
    }

    fn restore_mode(&self) {
        self.print(PASTE_OFF);
        let _ = tcsetattr(&self.terminal.input, OptionalActions::Drain, &self.original_mode);
    }
}

impl Drop for TerminalSession<'_> {
    fn drop(&mut self) {
        self.restore_mode();
    }
}
