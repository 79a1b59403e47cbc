//! Runs a design: the model in a namespace, charrette beside it, killed once and resumed.

use super::{Design, SeatedAgent};
use crate::Outcome;
use crate::real_clients::clients::Client;
use crate::real_clients::install::Installed;
use crate::real_clients::stage::{PORT, Programs};
use crate::real_clients::{connections, hostile, namespace, processes};
use charrette_testkit::Sandbox;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST, parcels_in};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Nothing takes longer, on a machine that has other things to do as well.
const PATIENCE: Duration = Duration::from_mins(10);

/// The step at which the run is killed: what the sketches said is on disk, and the model does not answer.
const KILLED_AT: &str = "synthesist";

/// Agents that a machine might have besides those that sit.
const BUILT_IN: [&str; 5] = ["claude", "codex", "cursor", "gemini", "opencode"];

/// A repository, a panel around it, and the clients of a user.
pub(super) struct DesignRun {
    folder: PathBuf,
    panel: Panel,
    /// The same for the run in one go.
    reference: Panel,
    environment: Vec<(String, String)>,
}

/// Result of a run.
#[derive(Debug)]
pub(super) struct DesignResult {
    /// The resumed run.
    pub(super) resumed: Finished,
    /// `charrette check` after it.
    pub(super) checked: Finished,
    /// The run in one go.
    pub(super) reference: Finished,
    /// Every question to the model but those of the run in one go.
    pub(super) asked: Vec<Value>,
    /// Orphaned client of the killed run, with its children; none where charrette asks the model itself.
    pub(super) orphaned: Vec<String>,
    /// Processes that were left when the resumed run had ended.
    pub(super) left: Vec<String>,
}

/// A program that has ended.
#[derive(Debug, Default)]
pub(super) struct Finished {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl DesignRun {
    /// Puts everything in its place.
    pub(super) fn set(design: &Design, installed: &Installed, folder: &Path) -> Outcome<DesignRun> {
        let [panel, mut reference] = ["run", "reference"].map(|name| {
            let sandbox = Sandbox::persistent(&folder.join(name));
            parcels_in(&sandbox);
            let panel = Panel::with_sandbox(sandbox, "/nonexistent");
            name_reviewers(&panel, &design.reviewers);
            panel
        });
        reference.seed.clone_from(&panel.seed);
        let model = format!("http://127.0.0.1:{PORT}");
        let seated = design.clients();
        let is_lenient = seated.iter().all(|(_, client)| client.lenient_user);
        hostile::home(&panel.sandbox.home(), &panel.sandbox.work(), &model, is_lenient)?;
        let configured = |(seated, client): &(SeatedAgent, Client)| {
            let program = installed.program(client).unwrap_or_default();
            let settings = client.settings.replace("{program}", &program.to_string_lossy());
            // A profile knows whose models answer; of others the user has to say it.
            let vendor =
                if client.is_built_in() { String::new() } else { format!("vendor = {:?}\n", seated.vendor) };
            format!("{settings}{vendor}")
        };
        let direct = |(seated, _): &(SeatedAgent, Client)| {
            format!(
                "kind = \"openai\"\nurl = \"{{model}}/v1\"\nmodel = \"mock-1\"\nvendor = {:?}\n",
                seated.vendor
            )
        };
        settle(&panel, &seated, &model, &configured)?;
        settle(&reference, &seated, &model, &direct)?;
        delay_synthesist(&panel)?;
        let environment = seated
            .iter()
            .flat_map(|(_, client)| client.environment)
            .map(|(name, value)| ((*name).to_owned(), value.replace("{model}", &model)))
            .collect();
        let room = DesignRun { folder: folder.to_owned(), panel, reference, environment };
        let has_tools = seated.iter().all(|(_, client)| client.has_tools());
        for (panel, has_tools) in [(&room.panel, has_tools), (&room.reference, false)] {
            fs_err::write(script_of(panel), script(&panel.script(), has_tools).to_string())?;
        }
        fs_err::create_dir_all(room.folder.join("tmp"))?;
        Ok(room)
    }

    /// Begins the design, kills it, resumes it, checks it; then makes it in one go.
    pub(super) fn play(&self, programs: &Programs) -> Outcome<DesignResult> {
        let mut ended = with_model(&self.panel, programs, |model| self.disturbed(model, programs))?;
        let left = processes::end_processes_of(&self.panel.sandbox.home());
        ended.left.extend(left);
        ended.reference = with_model(&self.reference, programs, |model| {
            let run = self.design(&self.reference, model, programs, &[REQUEST], "reference")?;
            self.finished(run, "reference")
        })?;
        Ok(ended)
    }

    fn disturbed(&self, model: &Child, programs: &Programs) -> Outcome<DesignResult> {
        let design = |words: &[&str], name: &str| self.design(&self.panel, model, programs, words, name);
        self.killed(design(&[REQUEST], "begun")?)?;
        let orphaned = processes::orphans_of(&self.panel.sandbox.home(), &programs.charrette);
        let orphaned = orphaned.into_iter().map(|(_, command)| command).collect();
        let resumed = self.finished(design(&[FEATURE, "--resume"], "resumed")?, "resumed")?;
        let left = processes::end_processes_of(&self.panel.sandbox.home());
        let check = self.charrette(&self.panel, model, programs, &["check", FEATURE], "check")?;
        let checked = self.finished(check, "check")?;
        let asked = self.asked();
        Ok(DesignResult { resumed, checked, reference: Finished::default(), asked, orphaned, left })
    }

    fn design(
        &self,
        panel: &Panel,
        model: &Child,
        programs: &Programs,
        words: &[&str],
        name: &str,
    ) -> Outcome<Child> {
        let answers = panel.answers().to_string_lossy().into_owned();
        let words = [&["design"], words, &["--answers", &answers, "--yes"]].concat();
        self.charrette(panel, model, programs, &words, name)
    }

    /// charrette beside the model, in a process group of its own. What it prints goes to files.
    fn charrette(
        &self,
        panel: &Panel,
        model: &Child,
        programs: &Programs,
        words: &[&str],
        name: &str,
    ) -> Outcome<Child> {
        let inside = namespace::joined_to(model.id());
        let mut command: Command = panel.command(inside.get_program(), inside.get_args());
        command.args(connections::traced_to(&self.folder.join(format!("{name}.connections"))));
        command.arg(&programs.charrette).args(words).envs(self.environment.iter().cloned());
        command.env("TMPDIR", self.folder.join("tmp"));
        let file = |kind: &str| fs_err::File::create(self.folder.join(format!("{name}.{kind}")));
        command.stdout(file("stdout")?.into_parts().0).stderr(file("stderr")?.into_parts().0);
        Ok(command.stdin(Stdio::null()).process_group(0).spawn()?)
    }

    /// Kills a run, and whatever belongs to its process group, as soon as it has come to the step that hangs.
    fn killed(&self, mut run: Child) -> Outcome {
        let until = Instant::now() + PATIENCE;
        while !self.asked().iter().any(|line| line["step"] == KILLED_AT) {
            if let Some(status) = run.try_wait()? {
                return Err(format!("the run ended before it could be killed: {status}").into());
            }
            if Instant::now() > until {
                processes::kill_group(&mut run)?;
                return Err(format!("the run never came to the {KILLED_AT}").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        processes::kill_group(&mut run)
    }

    fn finished(&self, mut run: Child, name: &str) -> Outcome<Finished> {
        let code = processes::wait(&mut run, PATIENCE)?;
        let text = |kind: &str| fs_err::read_to_string(self.folder.join(format!("{name}.{kind}")));
        Ok(Finished { code, stdout: text("stdout")?, stderr: text("stderr")? })
    }

    /// Requests to the model so far.
    fn asked(&self) -> Vec<Value> {
        let log = fs_err::read_to_string(log_of(&self.panel)).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Addresses connected to beyond loopback.
    pub(super) fn connected_beyond(&self) -> Vec<String> {
        let of = |name| connections::external_addresses(&self.folder.join(format!("{name}.connections")));
        ["begun", "resumed", "check"].into_iter().flat_map(of).collect()
    }

    /// The repository of the run, or of the run in one go.
    pub(super) fn sandboxes(&self) -> [&Sandbox; 2] {
        [&self.panel.sandbox, &self.reference.sandbox]
    }
}

/// Does something beside a model that listens, and ends the model.
fn with_model<T>(panel: &Panel, programs: &Programs, act: impl FnOnce(&Child) -> Outcome<T>) -> Outcome<T> {
    let mut command = namespace::in_namespace(&programs.mock_model);
    command.args(["--port", PORT]).arg(script_of(panel)).arg(log_of(panel));
    let mut model = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut address = String::new();
    if let Some(stdout) = model.stdout.take() {
        // It says where it listens as soon as it does; without a word, it has ended.
        let _ = BufReader::new(stdout).read_line(&mut address);
    }
    let outcome = if address.is_empty() { Err("the model does not listen".into()) } else { act(&model) };
    let _ = model.kill();
    let _ = model.wait();
    outcome
}

fn script_of(panel: &Panel) -> PathBuf {
    panel.sandbox.outside("script.json")
}

fn log_of(panel: &Panel) -> PathBuf {
    panel.sandbox.outside("log.jsonl")
}

/// Findings name their reviewer, so the merger has to know the agent of each seat.
fn name_reviewers(panel: &Panel, reviewers: &[&str; 4]) {
    let regular = ["Cursor-Arch", "Cursor-Edge", "Codex-Innovation", "Codex-Pragmatic"];
    let named = |text: String, (from, to): (&str, &&str)| text.replace(from, to);
    let text = regular.into_iter().zip(reviewers).fold(panel.answer_text("merger"), named);
    panel.set_answer("merger", &text);
}

/// The settings of a user who has these agents and no others.
fn settle(
    panel: &Panel,
    seated: &[(SeatedAgent, Client)],
    model: &str,
    settings: &dyn Fn(&(SeatedAgent, Client)) -> String,
) -> Outcome {
    let mut text = String::from("[clocks]\ngrace = 2\n");
    for agent in seated {
        let _ = write!(text, "[agents.{}]\n{}", agent.0.name, settings(agent).replace("{model}", model));
    }
    for absent in BUILT_IN.iter().filter(|name| seated.iter().all(|(seated, _)| seated.name != **name)) {
        let _ = write!(text, "[agents.{absent}]\ncommand = \"/nonexistent\"\n");
    }
    let path = panel.sandbox.home().join(".config").join("charrette").join("charrette.toml");
    Ok(fs_err::write(path, text)?)
}

/// Has the step at which the run is killed hang the first time, and say what it has to say from then on.
fn delay_synthesist(panel: &Panel) -> Outcome {
    let part = fs_err::read_to_string(panel.script().join(format!("{KILLED_AT}.json")))?;
    panel.set_part(&format!("{KILLED_AT}.2"), &serde_json::from_str(&part)?);
    panel.set_part(KILLED_AT, &json!({"hang": true}));
    Ok(())
}

/// Script of the model.
fn script(panel: &Path, has_tools: bool) -> Value {
    let mut script = json!({
        "panel": {"folder": panel, "usage": {"input": 2000, "output": 20, "cached": 500}},
        "order": "history",
        "turns": [{"text": "OK"}],
    });
    // Clients also ask for titles, without tools. An endpoint is never given any.
    if has_tools {
        script["side"] = json!({"text": "A title"});
    }
    script
}
