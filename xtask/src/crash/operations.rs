//! Commands that change state, and a repository to run each in.

use crate::TaskResult;
use crate::programs::{create_repository, create_scratch_folder};
use std::ffi::OsString;
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A command that changes the document `design-x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// The first change, which also creates the folders.
    FirstUpdate,
    Update,
    Save,
    Complete,
    Abandon,
    /// With the leftovers of a killed process.
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

/// Output of a command.
#[derive(Debug)]
pub(super) struct CommandOutput {
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Repository and document before an operation.
#[derive(Debug)]
pub(super) struct OperationSetup {
    folder: TempDir,
    /// The document before the operation, if there was one.
    pub(super) before: Option<String>,
}

impl OperationSetup {
    pub(super) fn new(operation: Operation) -> TaskResult<OperationSetup> {
        let folder = create_scratch_folder("crash")?;
        create_repository(folder.path())?;
        let mut setup = OperationSetup { folder, before: None };
        if operation != Operation::FirstUpdate {
            fs_err::create_dir_all(setup.state().join("history"))?;
            let steps = "\n      \"filler\": \"".to_owned() + &"x".repeat(3000) + "\",";
            let text = format!(
                "{{\n  \"version\": 1,\n  \"command\": \"design\",\n  \"feature\": \"x\",\n  \"phases\": {{\n    \"research\": {{{steps}\n      \"status\": \"in_progress\",\n      \"context_summary\": \"old\"\n    }}\n  }}\n}}"
            );
            fs_err::write(setup.document_path(), &text)?;
            setup.before = Some(text);
        }
        if operation == Operation::Gc {
            fs_err::write(setup.state().join(".design-x.json.tmp"), "{torn")?;
            fs_err::write(setup.state().join("history/design-gone.jsonl"), "")?;
        }
        Ok(setup)
    }

    pub(super) fn state(&self) -> PathBuf {
        self.folder.path().join(".claude/state")
    }

    pub(super) fn work(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn document_path(&self) -> PathBuf {
        self.state().join("design-x.json")
    }

    /// Reads the document, if there is one.
    pub(super) fn read_document(&self) -> TaskResult<Option<String>> {
        match fs_err::read_to_string(self.document_path()) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs the operation, started by `wrapper` if it is not empty.
    pub(super) fn run_with(
        &self,
        charrette: &Path,
        operation: Operation,
        wrapper: &[OsString],
    ) -> TaskResult<CommandOutput> {
        self.run_arguments(charrette, operation.arguments(), operation.stdin(), wrapper)
    }

    /// Makes another change of the document.
    pub(super) fn update(&self, charrette: &Path) -> TaskResult<CommandOutput> {
        self.run_arguments(charrette, UPDATE, r#"{"note": "next"}"#, &[])
    }

    /// Starts a command without waiting for it.
    pub(super) fn start(
        &self,
        charrette: &Path,
        arguments: &[&str],
        stdin: &str,
        wrapper: &[OsString],
    ) -> TaskResult<std::process::Child> {
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
        // Fails if the program was killed before it read its input.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(stdin.as_bytes()));
        Ok(child)
    }

    fn run_arguments(
        &self,
        charrette: &Path,
        arguments: &[&str],
        stdin: &str,
        wrapper: &[OsString],
    ) -> TaskResult<CommandOutput> {
        let output = self.start(charrette, arguments, stdin, wrapper)?.wait_with_output()?;
        Ok(CommandOutput {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}
