//! A whole design with scripted agents, to be killed or measured. Each run starts from the same files in the same
//! folder.

use crate::TaskResult;
use crate::programs::build_rehearsal;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A repository with scripted agents, and a saved copy from which each run starts.
pub(crate) struct DesignRig {
    pub(crate) panel: Panel,
    pub(crate) program: PathBuf,
}

impl DesignRig {
    pub(crate) fn new() -> TaskResult<DesignRig> {
        DesignRig::with_panel(Panel::regular)
    }

    pub(crate) fn with_panel(panel: impl FnOnce(PathBuf) -> Panel) -> TaskResult<DesignRig> {
        let program = build_rehearsal()?;
        let panel = panel(program.with_file_name("fake-agent"));
        let rig = DesignRig { panel, program };
        rig.save_start()?;
        Ok(rig)
    }

    /// Saves the current files as the start of the next runs.
    pub(crate) fn save_start(&self) -> TaskResult {
        for name in ["home", "work"] {
            let saved = self.saved_start(name);
            if saved.exists() {
                fs_err::remove_dir_all(&saved)?;
            }
            copy(&self.panel.sandbox.outside(name), &saved)?;
        }
        Ok(())
    }

    /// Restores the saved start.
    pub(crate) fn restore(&self) -> TaskResult {
        for name in ["home", "work"] {
            fs_err::remove_dir_all(self.panel.sandbox.outside(name))?;
            copy(&self.saved_start(name), &self.panel.sandbox.outside(name))?;
        }
        let _ = fs_err::remove_file(self.panel.log());
        Ok(())
    }

    /// Like [`DesignRig::restore`], for measurements: moves the old files away instead of deleting them. For five
    /// seconds ext4 does not reuse the inodes of deleted files, and searches around them for each new file.
    pub(crate) fn restore_without_deleting(&self) -> TaskResult {
        let old_files = tempfile::tempdir_in(self.panel.sandbox.outside("."))?.keep();
        for name in ["home", "work"] {
            fs_err::rename(self.panel.sandbox.outside(name), old_files.join(name))?;
            copy(&self.saved_start(name), &self.panel.sandbox.outside(name))?;
        }
        let _ = fs_err::remove_file(self.panel.log());
        Ok(())
    }

    fn saved_start(&self, name: &str) -> PathBuf {
        self.panel.sandbox.outside(&format!("start-{name}"))
    }

    /// Command that starts the design, or resumes it if there is a document, with answers for all gates.
    pub(crate) fn command(&self, wrapper: &[OsString]) -> Command {
        let mut words: Vec<OsString> = wrapper.to_vec();
        words.push(self.program.clone().into());
        words.push("design".into());
        match self.document() {
            Some(_) => words.extend([FEATURE, "--resume"].map(OsString::from)),
            None => words.push(REQUEST.into()),
        }
        words.extend([OsString::from("--answers"), self.panel.answers().into()]);
        self.panel.command(&words[0], &words[1..])
    }

    pub(crate) fn run(&self, wrapper: &[OsString]) -> TaskResult<Output> {
        Ok(self.command(wrapper).stdin(Stdio::null()).output()?)
    }

    /// Runs the design; an error if it does not succeed.
    pub(crate) fn run_to_success(&self, wrapper: &[OsString]) -> TaskResult {
        let output = self.run(wrapper)?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("the design failed: {} {stderr}", output.status).into())
    }

    /// The state document, if there is one.
    pub(crate) fn document(&self) -> Option<Value> {
        let path = self.panel.sandbox.path(&format!(".claude/state/design-{FEATURE}.json"));
        serde_json::from_slice(&fs_err::read(path).ok()?).ok()
    }

    /// Folder of the artifacts.
    pub(crate) fn workspace(&self) -> TaskResult<PathBuf> {
        let document = self.document().ok_or("there is no document")?;
        let workspace = document["run"]["workspace"].as_str().ok_or("the document names no workspace")?;
        Ok(self.panel.sandbox.path(workspace))
    }
}

fn copy(from: &Path, to: &Path) -> TaskResult {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    if status.success() { Ok(()) } else { Err(format!("{} cannot be copied", from.display()).into()) }
}
