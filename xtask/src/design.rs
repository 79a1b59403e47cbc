//! A whole design with agents on a script, to be killed or measured: the same start every time, in the same place.

use crate::Outcome;
use crate::programs::rehearsal;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A repository with a panel around it, and a copy of both to begin again from.
pub(crate) struct Rig {
    pub(crate) panel: Panel,
    pub(crate) program: PathBuf,
}

impl Rig {
    pub(crate) fn set() -> Outcome<Rig> {
        Rig::around(Panel::regular)
    }

    /// The same with another panel.
    pub(crate) fn around(panel: impl FnOnce(PathBuf) -> Panel) -> Outcome<Rig> {
        let program = rehearsal()?;
        let panel = panel(program.with_file_name("fake-agent"));
        let rig = Rig { panel, program };
        rig.keep()?;
        Ok(rig)
    }

    /// Has every run begin from here.
    pub(crate) fn keep(&self) -> Outcome {
        for name in ["home", "work"] {
            let kept = self.pristine(name);
            if kept.exists() {
                fs_err::remove_dir_all(&kept)?;
            }
            copy(&self.panel.sandbox.outside(name), &kept)?;
        }
        Ok(())
    }

    /// Restores the state before the first run, or the one that was kept.
    pub(crate) fn restore(&self) -> Outcome {
        for name in ["home", "work"] {
            fs_err::remove_dir_all(self.panel.sandbox.outside(name))?;
            copy(&self.pristine(name), &self.panel.sandbox.outside(name))?;
        }
        let _ = fs_err::remove_file(self.panel.log());
        Ok(())
    }

    /// The same as [`Rig::restore`], for measurements: the old files are moved away, not deleted. For five seconds ext4
    /// does not reuse the inodes of deleted files, and searches around them at each new file.
    pub(crate) fn restore_beside(&self) -> Outcome {
        let spent = tempfile::tempdir_in(self.panel.sandbox.outside("."))?.keep();
        for name in ["home", "work"] {
            fs_err::rename(self.panel.sandbox.outside(name), spent.join(name))?;
            copy(&self.pristine(name), &self.panel.sandbox.outside(name))?;
        }
        let _ = fs_err::remove_file(self.panel.log());
        Ok(())
    }

    fn pristine(&self, name: &str) -> PathBuf {
        self.panel.sandbox.outside(&format!("pristine-{name}"))
    }

    /// Begins the design, or goes on with it if it has begun, with an answer for every question.
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

    /// The same, to its end.
    pub(crate) fn run(&self, wrapper: &[OsString]) -> Outcome<Output> {
        Ok(self.command(wrapper).stdin(Stdio::null()).output()?)
    }

    /// The same, which must succeed.
    pub(crate) fn run_well(&self, wrapper: &[OsString]) -> Outcome {
        let output = self.run(wrapper)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("the design does not come to its end: {} {said}", output.status).into())
    }

    /// The state document, if there is one.
    pub(crate) fn document(&self) -> Option<Value> {
        let path = self.panel.sandbox.path(&format!(".claude/state/design-{FEATURE}.json"));
        serde_json::from_slice(&fs_err::read(path).ok()?).ok()
    }

    /// The folder of its artifacts.
    pub(crate) fn workspace(&self) -> Outcome<PathBuf> {
        let document = self.document().ok_or("there is no document")?;
        let workspace = document["run"]["workspace"].as_str().ok_or("the document names no workspace")?;
        Ok(self.panel.sandbox.path(workspace))
    }
}

fn copy(from: &Path, to: &Path) -> Outcome {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    if status.success() { Ok(()) } else { Err(format!("{} cannot be copied", from.display()).into()) }
}
