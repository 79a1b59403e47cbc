//! The commands that change something, and a repository for each to happen in.

use crate::Outcome;
use crate::programs::{repository, scratch};
use std::ffi::OsString;
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A command that changes the document `design-x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// The first change of all: folders are created too.
    FirstUpdate,
    Update,
    Save,
    Complete,
    Abandon,
    /// After another process was killed.
    Gc,
}

impl Operation {
    pub(super) const ALL: &[Operation] = &[
        Operation::FirstUpdate,
        Operation::Update,
        Operation::Save,
        Operation::Complete,
        Operation::Abandon,
        Operation::Gc,
    ];

    fn arguments(self) -> &'static [&'static str] {
        match self {
            Operation::FirstUpdate | Operation::Update => UPDATE,
            Operation::Save => &["checkpoint", "save", "--command", "design", "--feature", "x"],
            Operation::Complete => &["checkpoint", "complete", "--command", "design", "--feature", "x"],
            Operation::Abandon => &["abandon", "x"],
            Operation::Gc => &["checkpoint", "gc"],
        }
    }

    fn stdin(self) -> &'static str {
        match self {
            Operation::FirstUpdate | Operation::Update => {
                r#"{"status": "complete", "context_summary": "new"}"#
            }
            Operation::Save => {
                r#"{"version": 1, "phases": {"research": {"status": "complete", "context_summary": "new"}}}"#
            }
            _ => "",
        }
    }

    /// True if this text is the expected result of the operation.
    pub(super) fn is_done(self, document: &str) -> bool {
        match self {
            Operation::FirstUpdate | Operation::Update | Operation::Save => {
                document.contains("\"context_summary\": \"new\"")
            }
            Operation::Complete => document.contains("\"completed_at\""),
            Operation::Abandon | Operation::Gc => false,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Operation::FirstUpdate => "the first update-phase",
            Operation::Update => "update-phase",
            Operation::Save => "save",
            Operation::Complete => "complete",
            Operation::Abandon => "abandon",
            Operation::Gc => "gc",
        };
        f.pad(name)
    }
}

const UPDATE: &[&str] = &["checkpoint", "update-phase", "research", "--command", "design", "--feature", "x"];

/// Output and end of a command.
#[derive(Debug)]
pub(super) struct CommandOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A repository as an operation finds it.
#[derive(Debug)]
pub(super) struct OperationScene {
    folder: TempDir,
    /// The document before the operation, if there was one.
    pub(super) before: Option<String>,
}

impl OperationScene {
    pub(super) fn set(operation: Operation) -> Outcome<OperationScene> {
        let folder = scratch("crash")?;
        repository(folder.path())?;
        let mut scene = OperationScene { folder, before: None };
        if operation != Operation::FirstUpdate {
            fs_err::create_dir_all(scene.state().join("history"))?;
            let steps = "\n      \"filler\": \"".to_owned() + &"x".repeat(3000) + "\",";
            let text = format!(
                "{{\n  \"version\": 1,\n  \"command\": \"design\",\n  \"feature\": \"x\",\n  \"phases\": {{\n    \"research\": {{{steps}\n      \"status\": \"in_progress\",\n      \"context_summary\": \"old\"\n    }}\n  }}\n}}"
            );
            fs_err::write(scene.document(), &text)?;
            scene.before = Some(text);
        }
        if operation == Operation::Gc {
            fs_err::write(scene.state().join(".design-x.json.tmp"), "{torn")?;
            fs_err::write(scene.state().join("history/design-gone.jsonl"), "")?;
        }
        Ok(scene)
    }

    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join(".claude/state")
    }

    pub(super) fn work(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn document(&self) -> PathBuf {
        self.state().join("design-x.json")
    }

    /// The document as it is now, if there is one.
    pub(super) fn now(&self) -> Outcome<Option<String>> {
        match fs_err::read_to_string(self.document()) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs the operation, behind some other program if `wrapper` is not empty.
    pub(super) fn run_with(
        &self,
        charrette: &Path,
        operation: Operation,
        wrapper: &[OsString],
    ) -> Outcome<CommandOutput> {
        self.run_arguments(charrette, operation.arguments(), operation.stdin(), wrapper)
    }

    /// The next change by any process.
    pub(super) fn update(&self, charrette: &Path) -> Outcome<CommandOutput> {
        self.run_arguments(charrette, UPDATE, r#"{"note": "next"}"#, &[])
    }

    /// The operation, started but not waited for.
    pub(super) fn start(
        &self,
        charrette: &Path,
        arguments: &[&str],
        stdin: &str,
        wrapper: &[OsString],
    ) -> Outcome<std::process::Child> {
        let mut words: Vec<OsString> = wrapper.to_vec();
        words.push(charrette.into());
        words.extend(arguments.iter().map(OsString::from));
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .current_dir(self.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // A killed program may not have read it.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin.as_bytes()));
        Ok(child)
    }

    fn run_arguments(
        &self,
        charrette: &Path,
        arguments: &[&str],
        stdin: &str,
        wrapper: &[OsString],
    ) -> Outcome<CommandOutput> {
        let output = self.start(charrette, arguments, stdin, wrapper)?.wait_with_output()?;
        Ok(CommandOutput {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}
