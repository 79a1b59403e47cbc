//! A whole research run with the embedded agent, killed at every durable write: the resumed run ends with the same
//! notes.

use super::points::{self, Point};
use super::workers::run_parallel;
use crate::TaskResult;
use crate::programs::build_debug_charrette;
use charrette_testkit::Sandbox;
use charrette_testkit::panel::parcels_in;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const TOPIC: &str = "how parcels are announced";
const NAME: &str = "how-parcels-are-announced";
const NOTES: &str = "research-notes.md";

/// Kills at every Nth point.
pub(super) fn crash(every: usize) -> TaskResult {
    let program = build_debug_charrette()?;
    let traced = ResearchRig::new(&program);
    let log = traced.sandbox.outside("strace.log");
    traced.run(&points::trace_durable_writes(&log, &[]))?;
    let expected = traced.read_notes()?;
    let all = points::durable_writes(&log)?;
    let chosen: Vec<&Point> = all.iter().step_by(every).collect();
    run_parallel(&chosen, |queue| {
        while let Some(point) = queue.take() {
            let rig = ResearchRig::new(&program);
            let _ = rig.run(&point.strace_without_children());
            if !rig.is_complete() {
                rig.run(&[]).map_err(|problem| format!("research {point}: {problem}"))?;
            }
            if rig.read_notes()? != expected {
                return Err(
                    format!("research {point}: the notes differ from those of an uninterrupted run").into()
                );
            }
        }
        Ok(())
    })?;
    println!("research killed at {} of {} durable writes: same notes each time", chosen.len(), all.len());
    Ok(())
}

/// A repository without agents on the PATH.
struct ResearchRig {
    sandbox: Sandbox,
    program: PathBuf,
}

impl ResearchRig {
    fn new(program: &Path) -> ResearchRig {
        let sandbox = Sandbox::new();
        parcels_in(&sandbox);
        ResearchRig { sandbox, program: program.to_owned() }
    }

    fn document_path(&self) -> PathBuf {
        self.sandbox.path(&format!(".claude/state/research-{NAME}.json"))
    }

    fn is_complete(&self) -> bool {
        fs_err::read_to_string(self.document_path()).is_ok_and(|text| text.contains("\"completed_at\""))
    }

    /// Starts or resumes the run; an error if it does not succeed.
    fn run(&self, wrapper: &[OsString]) -> TaskResult {
        let mut words: Vec<OsString> = wrapper.to_vec();
        words.push(self.program.clone().into());
        words.push("research".into());
        if self.document_path().exists() {
            words.extend([NAME, "--resume"].map(OsString::from));
        } else {
            words.push(TOPIC.into());
        }
        let mut command = self.sandbox.command(&words[0]);
        command.args(&words[1..]).env("CHARRETTE_SEED", self.sandbox.work());
        // Agents installed on this machine must not be found.
        command.env("PATH", "/usr/bin:/bin");
        let output = command.output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{} {}", output.status, String::from_utf8_lossy(&output.stderr)).into())
    }

    fn read_notes(&self) -> TaskResult<Vec<u8>> {
        for entry in fs_err::read_dir(self.sandbox.path(".specs"))? {
            let path = entry?.path().join(NOTES);
            if path.exists() {
                return Ok(fs_err::read(path)?);
            }
        }
        Err("there are no notes".into())
    }
}
