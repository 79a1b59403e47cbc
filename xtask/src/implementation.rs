//! A whole implementation with instant scripted agents and commands, to be killed or measured. Each run starts from the same
//! files in the same folder.

use crate::programs::{build_charrette, build_rehearsal};
use crate::{TaskResult, saved_start};
use charrette_testkit::till::{FEATURE, Till};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The example library with scripted agents, and a saved copy from which each run starts.
pub(crate) struct ImplementationRig {
    pub(crate) till: Till,
    program: PathBuf,
    agent: PathBuf,
    /// Arguments of a new run.
    arguments: Vec<&'static str>,
}

impl ImplementationRig {
    /// `prepare` changes the specification and the agents before they are saved.
    pub(crate) fn new(
        arguments: &[&'static str],
        prepare: impl FnOnce(&Till),
    ) -> TaskResult<ImplementationRig> {
        let agent = build_rehearsal()?.with_file_name("fake-agent");
        // The product itself: the rehearsal has another flow of this command, which a resume would find.
        let program = build_charrette()?;
        let till = Till::new(&agent);
        prepare(&till);
        saved_start::save(&till)?;
        Ok(ImplementationRig { till, program, agent, arguments: arguments.to_vec() })
    }

    /// Restores the saved start.
    pub(crate) fn restore(&self) -> TaskResult {
        saved_start::restore(&self.till)
    }

    /// Like [`ImplementationRig::restore`], for measurements.
    pub(crate) fn restore_without_deleting(&self) -> TaskResult {
        saved_start::restore_without_deleting(&self.till)
    }

    /// Command that starts the implementation, or resumes it if there is a document.
    pub(crate) fn command(&self, wrapper: &[OsString]) -> Command {
        let mut words: Vec<OsString> = wrapper.to_vec();
        words.push(self.program.clone().into());
        words.extend(["implement", FEATURE].map(OsString::from));
        match self.till.state() {
            Some(_) => words.push("--resume".into()),
            None => words.extend(self.arguments.iter().map(OsString::from)),
        }
        let mut command = self.till.command(&words[0], &words[1..]);
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, wrapper: &[OsString]) -> TaskResult<Output> {
        Ok(self.command(wrapper).output()?)
    }

    /// Runs the implementation; an error if it does not succeed.
    pub(crate) fn run_to_success(&self, wrapper: &[OsString]) -> TaskResult {
        let output = self.run(wrapper)?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        Err(format!("the implementation failed: {} {stderr}", output.status).into())
    }

    /// The scripted agent.
    pub(crate) fn agent(&self) -> PathBuf {
        self.agent.clone()
    }

    /// True if the run is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.till.state().is_some_and(|document| document["completed_at"].is_string())
    }
}
