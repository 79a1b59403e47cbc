//! Questions before a run, and the mode of the terminal after them.

use charrette_term::{
    Confirmation, ExistingRunChoice, Screen, Style, Terminal, choose_existing_run, confirm,
};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Pseudo-terminal with its keyboard and its output.
struct TestTerminal {
    terminal: Terminal,
    line: OwnedFd,
    keyboard: std::fs::File,
    output: ScreenOutput,
}

#[derive(Clone, Default)]
struct ScreenOutput(Arc<Mutex<Vec<u8>>>);

impl ScreenOutput {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for ScreenOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl TestTerminal {
    fn new() -> TestTerminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let line = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let output = ScreenOutput::default();
        let style = Style { color: false, width: 80, is_tty: true };
        let screen = Screen::new(Box::new(output.clone()));
        let terminal = Terminal::new(line.try_clone().unwrap(), screen, style);
        TestTerminal { terminal, line, keyboard: std::fs::File::from(master), output }
    }

    /// Asks, and types each line when the next prompt is shown.
    fn type_lines<T: Send>(&self, lines: &[&str], ask: impl FnOnce(&Terminal) -> T + Send) -> T {
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
        while self.output.text().matches(text).count() < times {
            assert!(Instant::now() < until, "{:?}", self.output.text());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_restored(&self) -> bool {
        let modes = tcgetattr(&self.line).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

#[test]
fn a_preview_is_confirmed_or_cancelled() {
    for (lines, expected) in [
        (&["\r"][..], Confirmation::Run),
        (&["RUN\r"], Confirmation::Run),
        (&["what\r", "y\r"], Confirmation::Run),
        (&["n\r"], Confirmation::Cancel),
        (&["\u{1b}"], Confirmation::Cancel),
        (&["\u{4}"], Confirmation::Cancel),
        (&["\u{3}"], Confirmation::Interrupted),
    ] {
        let test = TestTerminal::new();
        assert_eq!(test.type_lines(lines, confirm), expected, "{lines:?}");
        assert!(test.is_restored(), "{lines:?}");
    }
}

#[test]
fn an_existing_run_is_resumed_replaced_or_left() {
    for (lines, expected) in [
        (&["\r"][..], ExistingRunChoice::Resume),
        (&["yes\r", "fresh\r"], ExistingRunChoice::Fresh),
        (&["c\r"], ExistingRunChoice::Cancel),
        (&["\u{3}"], ExistingRunChoice::Interrupted),
    ] {
        let test = TestTerminal::new();
        let decided = test.type_lines(lines, |terminal| {
            choose_existing_run(terminal, "There is a run of design for x already.")
        });
        assert_eq!(decided, expected, "{lines:?}");
        assert!(test.output.text().contains("There is a run of design for x already.\n"));
    }
}

#[test]
fn keys_pressed_before_the_question_are_discarded() {
    let test = TestTerminal::new();
    (&test.keyboard).write_all(b"\r\r").unwrap();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(test.type_lines(&["n\r"], confirm), Confirmation::Cancel);
}

#[test]
fn a_closed_terminal_cancels() {
    let TestTerminal { terminal, line, keyboard, .. } = TestTerminal::new();
    drop((line, keyboard));
    assert_eq!(confirm(&terminal), Confirmation::Cancel);
}
