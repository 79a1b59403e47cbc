//! The `git` program, asked with arguments and never through a shell.

use crate::error::CommandError;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Git in some folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Git<'a>(pub(crate) &'a Path);

impl Git<'_> {
    /// What git printed; an error with git's own words if it could not.
    pub(crate) fn print(self, args: &[&str]) -> Result<String, CommandError> {
        let output = self.run(args).map_err(CommandError::failed)?;
        if !output.status.success() {
            return Err(CommandError::failed(format!("git {}: {}", args[0], complaint(&output))));
        }
        Ok(printed(&output))
    }

    /// What git printed; nothing if it found nothing.
    pub(crate) fn find(self, args: &[&str]) -> Option<String> {
        let output = self.run(args).ok().filter(|output| output.status.success())?;
        Some(printed(&output)).filter(|text| !text.is_empty())
    }

    /// Has git do something; if it cannot, git's own words.
    pub(crate) fn act(self, args: &[&str]) -> Result<(), String> {
        let output = self.run(args)?;
        if output.status.success() { Ok(()) } else { Err(complaint(&output)) }
    }

    fn run(self, args: &[&str]) -> Result<Output, String> {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.0).stdin(Stdio::null());
        command.output().map_err(|error| format!("cannot run git: {error}"))
    }
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches(['\r', '\n']).to_owned()
}

/// The last line that says something: git puts its reason there.
fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.map_or_else(|| format!("git failed ({})", output.status), str::to_owned)
}
