//! Multi-line answers from the user's editor.

use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Line that ends the answer; text below it is ignored.
const SCISSORS: &str = "------------------------ >8 ------------------------";

static COUNT: AtomicU32 = AtomicU32::new(0);

/// Opens the editor on a temporary file with the question below the scissors line; returns the answer.
pub(crate) fn edit(
    command: &str,
    scratch: &Path,
    question: &str,
    terminal: &OwnedFd,
    is_stopped: &dyn Fn() -> bool,
) -> Result<String, String> {
    let file = AnswerFile::new(scratch, question)
        .map_err(|error| format!("cannot create a temporary file: {error}"))?;
    let stdio = || terminal.try_clone().map(Stdio::from);
    let mut child = Command::new("sh")
        // As other programs read EDITOR: a shell command, maybe with options, chosen by the user.
        .args(["-c", &format!("{command} \"$@\""), command])
        .arg(&file.0)
        .stdin(stdio().map_err(|error| error.to_string())?)
        .stdout(stdio().map_err(|error| error.to_string())?)
        .stderr(stdio().map_err(|error| error.to_string())?)
        .spawn()
        .map_err(|error| format!("cannot start the editor: {error}"))?;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if is_stopped() => {
                let _ = child.kill();
            }
            Ok(None) => {}
            Err(error) => return Err(error.to_string()),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if !status.success() {
        return Err(format!("the editor ended with {status}"));
    }
    let text = fs_err::read(&file.0).map_err(|error| error.to_string())?;
    Ok(parse_answer(&String::from_utf8_lossy(&text)))
}

/// Temporary file for an answer, removed on drop.
struct AnswerFile(PathBuf);

impl AnswerFile {
    fn new(scratch: &Path, question: &str) -> std::io::Result<AnswerFile> {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = scratch.join(format!("charrette-answer-{}-{count}.md", std::process::id()));
        // Left by a killed process with the same pid.
        let _ = fs_err::remove_file(&path);
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let answer_file = AnswerFile(path);
        write!(file, "\n{SCISSORS}\nThe answer goes above this line.\n\n{question}\n")?;
        Ok(answer_file)
    }
}

impl Drop for AnswerFile {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.0);
    }
}

fn parse_answer(text: &str) -> String {
    let lines: Vec<&str> = text.lines().take_while(|line| line.trim() != SCISSORS).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tty() -> OwnedFd {
        fs_err::OpenOptions::new().read(true).write(true).open("/dev/null").unwrap().into_file().into()
    }

    #[test]
    fn text_above_the_scissors_line_is_the_answer() {
        let scratch = std::env::temp_dir();
        let write = |script: &str| edit(script, &scratch, "Why?", &tty(), &|| false);
        assert_eq!(
            write("f() { printf 'one\\n\\ntwo\\n' | cat - \"$1\" > \"$1.x\"; mv \"$1.x\" \"$1\"; }; f"),
            Ok("one\n\ntwo".to_owned())
        );
        assert_eq!(write("true"), Ok(String::new()));
        assert!(write("false").unwrap_err().contains("exit status: 1"));
        assert!(write("no-such-editor-anywhere 2>/dev/null").is_err());
    }

    #[test]
    fn an_editor_does_not_outlive_the_run() {
        let ended = edit("exec sleep 60 #", &std::env::temp_dir(), "Why?", &tty(), &|| true);
        assert!(ended.unwrap_err().contains("signal: 9"));
    }
}
