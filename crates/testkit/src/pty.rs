//! A program at a terminal: a real pseudo-terminal, with somebody who reads its screen and types.

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::io::Write as _;
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Rows enough that nothing scrolls away.
const ROWS: u16 = 400;
/// A program that takes longer to say something has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program at a terminal.
pub struct Pty {
    master: std::fs::File,
    /// Kept open, so that the terminal can be looked at after the program has ended.
    slave: OwnedFd,
    child: Child,
    bytes: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    written: Vec<u8>,
    /// How much of what was written has been waited for.
    seen: usize,
}

impl Pty {
    /// Starts a program at a terminal of that width.
    pub fn start(command: Command, columns: u16) -> Pty {
        Pty::start_with_stdout(command, columns, None)
    }

    /// The same, with its standard output elsewhere.
    pub fn start_with_stdout(mut command: Command, columns: u16, stdout: Option<Stdio>) -> Pty {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).expect("grantpt");
        unlockpt(&master).expect("unlockpt");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let slave =
            rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        let size = Winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a size");
        let end = || Stdio::from(slave.try_clone().expect("a copy"));
        command.stdin(end()).stdout(stdout.unwrap_or_else(end)).stderr(end());
        let child = command.spawn().unwrap_or_else(|error| panic!("{command:?} starts: {error}"));
        let master = std::fs::File::from(master);
        let bytes = reading(master.try_clone().expect("a copy"));
        let nonzero = |count| NonZero::new(count).expect("a terminal has rows and columns");
        let parser = vt100::Parser::new(nonzero(ROWS), nonzero(columns), 0);
        Pty { master, slave, child, bytes, parser, written: Vec::new(), seen: 0 }
    }

    /// Waits until the program has written this, after what was waited for before.
    pub fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            let new = &self.written[self.seen..];
            if let Some(at) = new.windows(text.len()).position(|window| window == text.as_bytes()) {
                self.seen += at + text.len();
                return;
            }
            assert!(self.take(until), "it never said {text:?}:\n{}", self.screen());
        }
    }

    /// Types.
    pub fn send(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits for that text, then types.
    pub fn answer(&mut self, text: &str, keys: &str) {
        self.wait_for(text);
        self.send(keys);
    }

    /// What can be seen, without blanks at the ends of lines.
    pub fn screen(&self) -> String {
        let contents = self.parser.screen().contents();
        contents.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
    }

    /// Everything that was written, as it was.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.written).into_owned()
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the program has ended; its exit code. The screen is complete then.
    pub fn end(&mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                break status;
            }
            assert!(Instant::now() < until, "it does not end:\n{}", self.screen());
            self.take(Instant::now() + Duration::from_millis(10));
        };
        // What was written before the end may still be on its way.
        while self.take(Instant::now() + Duration::from_millis(100)) {}
        status.code()
    }

    /// Whether the terminal shows what is typed and waits for whole lines, as it did before.
    pub fn is_as_before(&self) -> bool {
        let modes = tcgetattr(&self.slave).expect("its modes").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Takes in what has been written since; whether anything came in time.
    fn take(&mut self, until: Instant) -> bool {
        match self.bytes.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                self.written.extend(bytes);
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

/// Reads in a thread of its own until the terminal is gone.
fn reading(mut master: std::fs::File) -> Receiver<Vec<u8>> {
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
