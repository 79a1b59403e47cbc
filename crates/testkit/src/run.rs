//! Runs a program to its end and captures its output.

use serde_json::Value;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Output and exit code of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Exit code; none if a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// Runs a command with `stdin` as its input.
    pub fn capture(mut command: Command, stdin: &[u8]) -> Output {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?} starts: {error}"));
        let mut pipe = child.stdin.take().expect("a pipe");
        let input = stdin.to_owned();
        // In a thread of its own: a program may print before it has read everything, or not read at all.
        let feeder = std::thread::spawn(move || pipe.write_all(&input));
        let output = child.wait_with_output().expect("the program ends");
        let _ = feeder.join();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("JSON ({error}) in {self:?}"))
    }
}
