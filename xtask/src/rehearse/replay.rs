//! `rehearse --replay`: drives the request of a cassette with agents that answer from it, and compares.

use super::RehearseArgs;
use super::cassette::{Cassette, RecordedCall};
use super::compare::compare;
use super::player::read_log;
use crate::TaskResult;
use crate::driver::{DesignDriver, clone_at};
use crate::programs::{build_debug_charrette, create_scratch_folder};
use charrette_app::answers_file::AnswersFile;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn replay(folder: &Path, args: &RehearseArgs) -> TaskResult {
    let cassette_folder = fs_err::canonicalize(folder)?;
    let cassette = Cassette::read(&cassette_folder)?;
    let program = match &args.charrette {
        Some(program) => fs_err::canonicalize(program)?,
        None => build_debug_charrette()?,
    };
    let scratch = create_scratch_folder("rehearse")?;
    let place = match &args.keep {
        Some(keep) if keep.exists() => return Err(format!("{} exists already", keep.display()).into()),
        Some(keep) => {
            fs_err::create_dir_all(keep)?;
            fs_err::canonicalize(keep)?
        }
        None => scratch.path().to_owned(),
    };
    let stand_ins = args.stand_ins.as_ref().map(|script| copy_script(script, &place)).transpose()?;
    let stage = Stage { cassette: &cassette, cassette_folder, place, stand_ins };
    let source = args.repo.as_ref().unwrap_or(&cassette.record.repository);
    let outcome = stage.drive(source, program)?;
    let now = read_log(&stage.log())?;
    let comparison =
        compare(&stage.without_places(&cassette.calls), &stage.without_places(&now), outcome.is_ok());
    let mut report = format!("# Replay of {}\n\n", cassette.record.feature);
    if let Err(stopped) = &outcome {
        let _ = write!(report, "The replay stopped early: {stopped}\n\n");
    }
    report.push_str(&comparison.render());
    print!("{report}");
    if let Some(out) = &args.out {
        fs_err::write(out, &report)?;
    }
    if args.strict && (outcome.is_err() || comparison.has_losses()) {
        return Err("the replay lost something".into());
    }
    Ok(())
}

/// Copies the script of the stand-ins: its agent leaves marks in it.
fn copy_script(script: &Path, place: &Path) -> TaskResult<PathBuf> {
    let copy = place.join("stand-ins");
    let status = Command::new("cp").arg("-R").arg(script).arg(&copy).status()?;
    if status.success() { Ok(copy) } else { Err(format!("{} cannot be copied", script.display()).into()) }
}

/// The folder in which a replay runs.
struct Stage<'a> {
    cassette: &'a Cassette,
    cassette_folder: PathBuf,
    place: PathBuf,
    stand_ins: Option<PathBuf>,
}

impl Stage<'_> {
    fn log(&self) -> PathBuf {
        self.place.join("log")
    }

    fn repository(&self) -> PathBuf {
        self.place.join("repository")
    }

    /// Drives the run; the inner error says why it stopped early.
    fn drive(&self, source: &Path, program: PathBuf) -> TaskResult<Result<(), String>> {
        let record = &self.cassette.record;
        clone_at(source, &record.commit, &self.repository())?;
        let config = self.place.join("charrette.toml");
        fs_err::write(&config, self.settings(&std::env::current_exe()?))?;
        let driver = DesignDriver {
            program,
            repository: self.repository(),
            state: self.place.join("state"),
            config,
            feature: record.feature.clone(),
            request: self.cassette.request.clone(),
            options: options(&record.options),
            now: Some(record.started_at.clone()),
        };
        let answers = AnswersFile(self.cassette.answers.clone());
        Ok(driver.drive(&answers, |_| Ok(())).map_err(|error| error.to_string()))
    }

    /// Settings with the recorded agents as players.
    fn settings(&self, player: &Path) -> String {
        let mut agents: BTreeMap<&str, &str> =
            self.cassette.calls.iter().map(|call| (call.agent.as_str(), call.vendor.as_str())).collect();
        if agents.is_empty() {
            agents.extend(["claude", "codex", "cursor"].map(|agent| (agent, agent)));
        }
        let mut text = String::from("[policy]\nprobe = false\n[preflight]\nfetch = \"off\"\n");
        for agent in ["claude", "codex", "cursor", "gemini", "opencode"]
            .iter()
            .filter(|agent| !agents.contains_key(**agent))
        {
            let _ = write!(text, "[agents.{agent}]\ncommand = \"/nonexistent\"\n");
        }
        for (agent, vendor) in agents {
            let mut words = vec!["play".to_owned()];
            if let Some(stand_ins) = &self.stand_ins {
                words.extend(["--stand-ins".to_owned(), stand_ins.display().to_string()]);
            }
            words.extend([
                self.cassette_folder.display().to_string(),
                self.log().display().to_string(),
                agent.to_owned(),
            ]);
            let vendor = if vendor.is_empty() { agent } else { vendor };
            let _ = write!(
                text,
                "[agents.{agent}]\nkind = \"command\"\nvendor = {vendor:?}\ncommand = {:?}\nargs = {words:?}\n",
                player.display().to_string()
            );
        }
        text
    }

    /// Calls whose prompts name neither the recorded repository nor the replay's.
    fn without_places(&self, calls: &[RecordedCall]) -> Vec<RecordedCall> {
        let recorded = self.cassette.record.repository.display().to_string();
        let replayed = self.repository().display().to_string();
        let clean = |call: &RecordedCall| RecordedCall {
            prompt: call.prompt.replace(&recorded, "REPOSITORY").replace(&replayed, "REPOSITORY"),
            ..call.clone()
        };
        calls.iter().map(clean).collect()
    }
}

/// Options of the recorded run. Where every player is refused, the embedded agent answers, so that the replay goes on to
/// the steps behind.
fn options(recorded: &[String]) -> Vec<String> {
    const EMBEDDED: &str = "--embedded";
    let others = recorded.iter().filter(|option| *option != EMBEDDED).cloned();
    others.chain([EMBEDDED.to_owned()]).collect()
}
