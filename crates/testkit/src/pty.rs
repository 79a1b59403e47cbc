//! A program in a real pseudo-terminal; tests read its screen and type.

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::io::Write as _;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Enough rows that nothing scrolls off.
const ROWS: u16 = 400;
/// Timeout for expected output and for the exit.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Longest time between two looks at a screen that does not change.
const SCREEN_INTERVAL: Duration = Duration::from_millis(200);

/// A program in a pseudo-terminal.
pub struct Pty {
    master: std::fs::File,
    /// Kept open, so that the terminal can be inspected after the program has ended.
    slave: OwnedFd,
    child: Child,
    bytes: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    output: Vec<u8>,
    /// Bytes of the output consumed by `wait_for`.
    seen: usize,
}

impl Pty {
    /// Starts a program in a terminal of that width.
    pub fn start(command: Command, columns: u16) -> Pty {
        Pty::start_with_stdout(command, columns, None)
    }

    /// Starts a program with its standard output elsewhere.
    pub fn start_with_stdout(command: Command, columns: u16, stdout: Option<Stdio>) -> Pty {
        Pty::start_sized(command, (ROWS, columns), stdout)
    }

    /// Starts a program that fills the screen, in a terminal with that many rows and columns.
    pub fn start_full_screen(command: Command, rows: u16, columns: u16) -> Pty {
        Pty::start_sized(command, (rows, columns), None)
    }

    fn start_sized(mut command: Command, (rows, columns): (u16, u16), stdout: Option<Stdio>) -> Pty {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).expect("grantpt");
        unlockpt(&master).expect("unlockpt");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let slave =
            rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let end = || Stdio::from(slave.try_clone().expect("a copy"));
        command.stdin(end()).stdout(stdout.unwrap_or_else(end)).stderr(end());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?} starts: {error}"));
        let master = std::fs::File::from(master);
        let bytes = spawn_reader(master.try_clone().expect("a copy"));
        let nonzero = |count| NonZero::new(count).expect("a terminal has rows and columns");
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        Pty { master, slave, child, bytes, parser, output: Vec::new(), seen: 0 }
    }

    /// Waits until the program writes this text, after the text waited for before.
    pub fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + TIMEOUT;
        loop {
            let new = &self.output[self.seen..];
            if let Some(at) = new.windows(text.len()).position(|window| window == text.as_bytes()) {
                self.seen += at + text.len();
                return;
            }
            assert!(self.receive(until), "timed out waiting for {text:?}:\n{}", self.screen());
        }
    }

    /// Waits until the screen is as wanted. The error is the screen after the timeout, or at the end of the program.
    pub fn wait_for_screen(
        &mut self,
        timeout: Duration,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<String, String> {
        let until = Instant::now() + timeout;
        loop {
            let screen = self.screen();
            if is_wanted(&screen) {
                return Ok(screen);
            }
            let has_ended = self.child.try_wait().is_ok_and(|status| status.is_some());
            let more = self.receive(until.min(Instant::now() + SCREEN_INTERVAL));
            if !more && (has_ended || Instant::now() >= until) {
                return Err(screen);
            }
        }
    }

    /// Types keys.
    pub fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits for the text, then types keys.
    pub fn answer(&mut self, text: &str, keys: &str) {
        self.wait_for(text);
        self.send(keys);
    }

    /// Text on the screen, without trailing blanks.
    pub fn screen(&self) -> String {
        let contents = self.parser.screen().contents();
        contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// All output, with control sequences.
    pub fn raw_output(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the program has ended and returns its exit code. The screen is complete then.
    pub fn wait_for_exit(&mut self) -> Option<i32> {
        let until = Instant::now() + TIMEOUT;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                break status;
            }
            assert!(Instant::now() < until, "timed out waiting for the exit:\n{}", self.screen());
            self.receive(Instant::now() + Duration::from_millis(10));
        };
        // Output written before the exit may still be in the pipe.
        while self.receive(Instant::now() + Duration::from_millis(100)) {}
        status.code()
    }

    /// True if echo, line mode and signals are on, as before the program started.
    pub fn has_cooked_modes(&self) -> bool {
        let modes = tcgetattr(&self.slave).expect("its modes").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Receives more output. False if none came in time.
    fn receive(&mut self, until: Instant) -> bool {
        match self.bytes.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                self.output.extend(bytes);
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl std::fmt::Debug for Pty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pty").field("child", &self.child.id()).finish_non_exhaustive()
    }
}

/// Reads the terminal in a thread until it is closed.
fn spawn_reader(mut master: std::fs::File) -> Receiver<Vec<u8>> {
    let (sender, bytes) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count) = std::io::Read::read(&mut master, &mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    bytes
}
