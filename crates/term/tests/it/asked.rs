//! What is asked before a run, and what becomes of the terminal.

use charrette_term::{Confirmed, Existing, Screen, Style, Terminal, confirm, existing};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A terminal, the keyboard at its other end, and what is on its screen.
struct Desk {
    terminal: Terminal,
    line: OwnedFd,
    keyboard: std::fs::File,
    seen: Seen,
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<u8>>>);

impl Seen {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Desk {
    fn new() -> Desk {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let line = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let seen = Seen::default();
        let style = Style { color: false, width: 80, is_tty: true };
        let screen = Screen::new(Box::new(seen.clone()));
        let terminal = Terminal::new(line.try_clone().unwrap(), screen, style);
        Desk { terminal, line, keyboard: std::fs::File::from(master), seen }
    }

    /// Asks, and types one line after the other, each when there is a question.
    fn typed<T: Send>(&self, lines: &[&str], ask: impl FnOnce(&Terminal) -> T + Send) -> T {
        std::thread::scope(|scope| {
            let answer = scope.spawn(|| ask(&self.terminal));
            for (n, line) in lines.iter().enumerate() {
                self.wait_for("] > \r", n + 1);
                (&self.keyboard).write_all(line.as_bytes()).unwrap();
            }
            answer.join().unwrap()
        })
    }

    fn wait_for(&self, text: &str, times: usize) {
        let until = Instant::now() + Duration::from_secs(30);
        while self.seen.text().matches(text).count() < times {
            assert!(Instant::now() < until, "{:?}", self.seen.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_as_before(&self) -> bool {
        let modes = tcgetattr(&self.line).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

#[test]
fn a_run_is_confirmed_or_left() {
    for (lines, expected) in [
        (&["\r"][..], Confirmed::Run),
        (&["RUN\r"], Confirmed::Run),
        (&["what\r", "y\r"], Confirmed::Run),
        (&["n\r"], Confirmed::Cancel),
        (&["\u{1b}"], Confirmed::Cancel),
        (&["\u{4}"], Confirmed::Cancel),
        (&["\u{3}"], Confirmed::Interrupted),
    ] {
        let desk = Desk::new();
        assert_eq!(desk.typed(lines, confirm), expected, "{lines:?}");
        assert!(desk.is_as_before(), "{lines:?}");
    }
}

#[test]
fn a_run_that_is_there_is_resumed_begun_anew_or_left() {
    for (lines, expected) in [
        (&["\r"][..], Existing::Resume),
        (&["yes\r", "fresh\r"], Existing::Fresh),
        (&["c\r"], Existing::Cancel),
        (&["\u{3}"], Existing::Interrupted),
    ] {
        let desk = Desk::new();
        let decided =
            desk.typed(lines, |terminal| existing(terminal, "There is a run of design for x already."));
        assert_eq!(decided, expected, "{lines:?}");
        assert!(desk.seen.text().contains("There is a run of design for x already.\n"));
    }
}

#[test]
fn what_was_typed_before_there_was_a_question_answers_nothing() {
    let desk = Desk::new();
    (&desk.keyboard).write_all(b"\r\r").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(desk.typed(&["n\r"], confirm), Confirmed::Cancel);
}

#[test]
fn a_terminal_that_is_gone_leaves_everything_as_it_is() {
    let Desk { terminal, line, keyboard, .. } = Desk::new();
    drop((line, keyboard));
    assert_eq!(confirm(&terminal), Confirmed::Cancel);
}
