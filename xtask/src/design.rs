//! A whole design with scripted agents, to be killed or measured. Each run starts from the same files in the same
//! folder.

use crate::TaskResult;
use crate::programs::build_rehearsal;
use crate::saved_start;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
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
        saved_start::save(&self.panel)
    }

    /// Restores the saved start.
    pub(crate) fn restore(&self) -> TaskResult {
        saved_start::restore(&self.panel)
    }

    /// Like [`DesignRig::restore`], for measurements.
    pub(crate) fn restore_without_deleting(&self) -> TaskResult {
        saved_start::restore_without_deleting(&self.panel)
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
