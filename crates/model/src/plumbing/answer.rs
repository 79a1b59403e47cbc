//! The answer of a plumbing command: an exit code and exact lines.

/// Output and exit code of a command. Lines have no line ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandAnswer {
    pub code: u8,
    /// Lines of standard output.
    pub stdout: Vec<String>,
    /// Lines of standard error.
    pub stderr: Vec<String>,
}

impl CommandAnswer {
    /// Success, with these lines on standard output.
    pub fn ok(stdout: Vec<String>) -> CommandAnswer {
        CommandAnswer { code: 0, stdout, stderr: Vec::new() }
    }

    /// Failure, with one line on standard error and nothing on standard output.
    pub fn failure(code: u8, line: String) -> CommandAnswer {
        CommandAnswer { code, stdout: Vec::new(), stderr: vec![line] }
    }
}
