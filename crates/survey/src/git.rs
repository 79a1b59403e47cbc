//! The `git` program: asked with arguments and `-z`, never through a shell, never over the network.
//!
//! Nothing is written, not even a refreshed index. Whatever a repository's own configuration would start
//! (monitors, pagers, external diffs) stays off.

use std::path::Path;
use std::process::{Command, Stdio};

/// Git in some folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Git<'a>(pub(crate) &'a Path);

impl Git<'_> {
    /// What git printed; nothing if it could not, or is not there.
    pub(crate) fn bytes(self, args: &[&str]) -> Option<Vec<u8>> {
        let output = self.command(args).output().ok()?;
        output.status.success().then_some(output.stdout)
    }

    /// One line git printed.
    pub(crate) fn line(self, args: &[&str]) -> Option<String> {
        let text = String::from_utf8(self.bytes(args)?).ok()?;
        let line = text.trim_end_matches(['\r', '\n']);
        (!line.is_empty()).then(|| line.to_owned())
    }

    fn command(self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(["--no-optional-locks", "--no-pager", "--literal-pathspecs"])
            .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
            .args(["-c", "protocol.allow=never", "-c", "log.showSignature=false"])
            .args(args)
            .current_dir(self.0)
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

/// Whether there is a git to ask.
pub(crate) fn is_there() -> bool {
    Git(Path::new(".")).bytes(&["--version"]).is_some()
}
