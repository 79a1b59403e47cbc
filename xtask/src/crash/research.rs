//! A whole research run of the product, with the embedded agent, killed at every durable write: resumed, it ends with the same
//! notes.

use super::points::{self, Point};
use super::workers::side_by_side;
use crate::Outcome;
use crate::programs::debug_charrette;
use charrette_testkit::Sandbox;
use charrette_testkit::panel::parcels_in;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const TOPIC: &str = "how parcels are announced";
const NAME: &str = "how-parcels-are-announced";
const NOTES: &str = "research-notes.md";

/// Kills at every Nth point.
pub(super) fn crash(every: usize) -> Outcome {
    let program = debug_charrette()?;
    let whole = ResearchRig::set(&program);
    let log = whole.sandbox.outside("strace.log");
    whole.run(&points::watching(&log, &[]))?;
    let expected = whole.notes()?;
    let all = points::durable_writes(&log)?;
    let chosen: Vec<&Point> = all.iter().step_by(every).collect();
    side_by_side(&chosen, |queue| {
        while let Some(point) = queue.take() {
            let bench = ResearchRig::set(&program);
            let _ = bench.run(&point.strace_alone());
            if !bench.is_complete() {
                bench.run(&[]).map_err(|problem| format!("research {point}: {problem}"))?;
            }
            if bench.notes()? != expected {
                return Err(format!("research {point}: the notes are not those of an undisturbed run").into());
            }
        }
        Ok(())
    })?;
    println!("research killed at {} of {} durable writes: the same notes each time", chosen.len(), all.len());
    Ok(())
}

/// A repository without any agent.
struct ResearchRig {
    sandbox: Sandbox,
    program: PathBuf,
}

impl ResearchRig {
    fn set(program: &Path) -> ResearchRig {
        let sandbox = Sandbox::new();
        parcels_in(&sandbox);
        ResearchRig { sandbox, program: program.to_owned() }
    }

    fn document(&self) -> PathBuf {
        self.sandbox.path(&format!(".claude/state/research-{NAME}.json"))
    }

    fn is_complete(&self) -> bool {
        fs_err::read_to_string(self.document()).is_ok_and(|text| text.contains("\"completed_at\""))
    }

    /// Begins the run, or goes on with it, to its end.
    fn run(&self, wrapper: &[OsString]) -> Outcome {
        let mut words: Vec<OsString> = wrapper.to_vec();
        words.push(self.program.clone().into());
        words.push("research".into());
        if self.document().exists() {
            words.extend([NAME, "--resume"].map(OsString::from));
        } else {
            words.push(TOPIC.into());
        }
        let mut command = self.sandbox.command(&words[0]);
        command.args(&words[1..]).env("CHARRETTE_SEED", self.sandbox.work());
        // Whatever is installed on this machine takes no part.
        command.env("PATH", "/usr/bin:/bin");
        let output = command.output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{} {}", output.status, String::from_utf8_lossy(&output.stderr)).into())
    }

    fn notes(&self) -> Outcome<Vec<u8>> {
        for entry in fs_err::read_dir(self.sandbox.path(".specs"))? {
            let path = entry?.path().join(NOTES);
            if path.exists() {
                return Ok(fs_err::read(path)?);
            }
        }
        Err("there are no notes".into())
    }
}
