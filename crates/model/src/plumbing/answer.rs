//! The answer of a plumbing command: an exit code and exact lines.

/// What a command prints and how it exits. Lines carry no line ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The exit code.
    pub code: u8,
    /// For standard output, in order.
    pub stdout: Vec<String>,
    /// For standard error, in order.
    pub stderr: Vec<String>,
}

impl Answer {
    /// Success, with these lines on standard output.
    pub fn ok(stdout: Vec<String>) -> Answer {
        Answer { code: 0, stdout, stderr: Vec::new() }
    }

    /// Failure with one line on standard error and nothing on standard output.
    pub fn refused(code: u8, line: String) -> Answer {
        Answer { code, stdout: Vec::new(), stderr: vec![line] }
    }
}
