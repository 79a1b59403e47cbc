//! Runs a design in a network namespace with the scripted model, killed once and resumed.

use super::{Design, SeatedAgent};
use crate::TaskResult;
use crate::real_clients::case_run::{PORT, Programs};
use crate::real_clients::clients::Client;
use crate::real_clients::install::InstalledClients;
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

/// Timeout of a run, on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The step at which the run is killed: the sketches are on disk, and the model does not answer.
const KILL_STEP: &str = "synthesist";

/// Built-in agents, which are disabled unless they take part.
const BUILT_IN: [&str; 5] = ["claude", "codex", "cursor", "gemini", "opencode"];

/// Repositories and configuration of a design.
pub(super) struct DesignRun {
    folder: PathBuf,
    panel: Panel,
    /// Repository of the uninterrupted run.
    reference: Panel,
    environment: Vec<(String, String)>,
}

/// Result of a run.
#[derive(Debug)]
pub(super) struct DesignResult {
    pub(super) resumed: ProcessOutput,
    /// `charrette check` after the resumed run.
    pub(super) checked: ProcessOutput,
    /// The uninterrupted run.
    pub(super) reference: ProcessOutput,
    /// Requests to the model, except those of the uninterrupted run.
    pub(super) requests: Vec<Value>,
    /// Command lines of the orphaned client of the killed run and its children; none if charrette calls the model
    /// itself.
    pub(super) orphans_of_kill: Vec<String>,
    /// Command lines of processes that were still running after the resumed run.
    pub(super) orphans_of_resume: Vec<String>,
}

/// Output and exit code of a process.
#[derive(Debug, Default)]
pub(super) struct ProcessOutput {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl DesignRun {
    /// Writes the repositories, scripts and configuration.
    pub(super) fn prepare(
        design: &Design,
        installed: &InstalledClients,
        folder: &Path,
    ) -> TaskResult<DesignRun> {
        let [panel, mut reference] = ["run", "reference"].map(|name| {
            let sandbox = Sandbox::persistent(&folder.join(name));
            parcels_in(&sandbox);
            let panel = Panel::with_sandbox(sandbox, "/nonexistent");
            name_reviewers(&panel, &design.reviewers);
            panel
        });
        reference.seed.clone_from(&panel.seed);
        let model = format!("http://127.0.0.1:{PORT}");
        let agents = design.clients();
        let is_lenient = agents.iter().all(|(_, client)| client.has_lenient_user);
        hostile::write_home(&panel.sandbox.home(), &panel.sandbox.work(), &model, is_lenient)?;
        let client_settings = |(agent, client): &(SeatedAgent, Client)| {
            let program = installed.program(client).unwrap_or_default();
            let settings = client.settings.replace("{program}", &program.to_string_lossy());
            // A profile knows the vendor; other agents need the setting.
            let vendor =
                if client.is_built_in() { String::new() } else { format!("vendor = {:?}\n", agent.vendor) };
            format!("{settings}{vendor}")
        };
        let endpoint_settings = |(agent, _): &(SeatedAgent, Client)| {
            format!(
                "kind = \"openai\"\nurl = \"{{model}}/v1\"\nmodel = \"mock-1\"\nvendor = {:?}\n",
                agent.vendor
            )
        };
        write_settings(&panel, &agents, &model, &client_settings)?;
        write_settings(&reference, &agents, &model, &endpoint_settings)?;
        hang_at_kill_step(&panel)?;
        let environment = agents
            .iter()
            .flat_map(|(_, client)| client.environment)
            .map(|(name, value)| ((*name).to_owned(), value.replace("{model}", &model)))
            .collect();
        let run = DesignRun { folder: folder.to_owned(), panel, reference, environment };
        let has_tools = agents.iter().all(|(_, client)| client.has_tools());
        for (panel, has_tools) in [(&run.panel, has_tools), (&run.reference, false)] {
            fs_err::write(script_path(panel), model_script(&panel.script(), has_tools).to_string())?;
        }
        fs_err::create_dir_all(run.folder.join("tmp"))?;
        Ok(run)
    }

    /// Starts the design, kills it, resumes it and checks it; then runs it uninterrupted.
    pub(super) fn run(&self, programs: &Programs) -> TaskResult<DesignResult> {
        let mut result = with_model(&self.panel, programs, |model| self.run_with_kill(model, programs))?;
        let orphans = processes::kill_processes_of(&self.panel.sandbox.home());
        result.orphans_of_resume.extend(orphans);
        result.reference = with_model(&self.reference, programs, |model| {
            let run = self.start_design(&self.reference, model, programs, &[REQUEST], "reference")?;
            self.wait_for(run, "reference")
        })?;
        Ok(result)
    }

    fn run_with_kill(&self, model: &Child, programs: &Programs) -> TaskResult<DesignResult> {
        let start = |words: &[&str], name: &str| self.start_design(&self.panel, model, programs, words, name);
        self.kill_at_synthesis(start(&[REQUEST], "started")?)?;
        let orphans = processes::orphans_of(&self.panel.sandbox.home(), &programs.charrette);
        let orphans_of_kill = orphans.into_iter().map(|(_, command)| command).collect();
        let resumed = self.wait_for(start(&[FEATURE, "--resume"], "resumed")?, "resumed")?;
        let orphans_of_resume = processes::kill_processes_of(&self.panel.sandbox.home());
        let check = self.start_charrette(&self.panel, model, programs, &["check", FEATURE], "check")?;
        let checked = self.wait_for(check, "check")?;
        let requests = self.requests();
        Ok(DesignResult {
            resumed,
            checked,
            reference: ProcessOutput::default(),
            requests,
            orphans_of_kill,
            orphans_of_resume,
        })
    }

    fn start_design(
        &self,
        panel: &Panel,
        model: &Child,
        programs: &Programs,
        words: &[&str],
        name: &str,
    ) -> TaskResult<Child> {
        let answers = panel.answers().to_string_lossy().into_owned();
        let words = [&["design"], words, &["--answers", &answers, "--yes"]].concat();
        self.start_charrette(panel, model, programs, &words, name)
    }

    /// Starts charrette in the namespace of the model, in its own process group, with its output in files.
    fn start_charrette(
        &self,
        panel: &Panel,
        model: &Child,
        programs: &Programs,
        words: &[&str],
        name: &str,
    ) -> TaskResult<Child> {
        let inside = namespace::in_namespace_of(model.id());
        let mut command: Command = panel.command(inside.get_program(), inside.get_args());
        command.args(connections::trace_connections(&self.folder.join(format!("{name}.connections"))));
        command.arg(&programs.charrette).args(words).envs(self.environment.iter().cloned());
        command.env("TMPDIR", self.folder.join("tmp")).env_remove("CHARRETTE_LANDLOCK");
        let file = |kind: &str| fs_err::File::create(self.folder.join(format!("{name}.{kind}")));
        command.stdout(file("stdout")?.into_parts().0).stderr(file("stderr")?.into_parts().0);
        Ok(command.stdin(Stdio::null()).process_group(0).spawn()?)
    }

    /// Kills the process group of a run as soon as it has reached the step that hangs.
    fn kill_at_synthesis(&self, mut run: Child) -> TaskResult {
        let until = Instant::now() + TIMEOUT;
        while !self.requests().iter().any(|line| line["step"] == KILL_STEP) {
            if let Some(status) = run.try_wait()? {
                return Err(format!("the run ended before it could be killed: {status}").into());
            }
            if Instant::now() > until {
                processes::kill_group(&mut run)?;
                return Err(format!("the run did not reach the {KILL_STEP}").into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        processes::kill_group(&mut run)
    }

    fn wait_for(&self, mut run: Child, name: &str) -> TaskResult<ProcessOutput> {
        let code = processes::wait(&mut run, TIMEOUT)?;
        let text = |kind: &str| fs_err::read_to_string(self.folder.join(format!("{name}.{kind}")));
        Ok(ProcessOutput { code, stdout: text("stdout")?, stderr: text("stderr")? })
    }

    /// Requests to the model so far.
    fn requests(&self) -> Vec<Value> {
        let log = fs_err::read_to_string(log_path(&self.panel)).unwrap_or_default();
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Addresses connected to beyond loopback.
    pub(super) fn external_connections(&self) -> Vec<String> {
        let addresses =
            |name| connections::external_addresses(&self.folder.join(format!("{name}.connections")));
        ["started", "resumed", "check"].into_iter().flat_map(addresses).collect()
    }

    /// Repositories of the resumed and of the uninterrupted run.
    pub(super) fn sandboxes(&self) -> [&Sandbox; 2] {
        [&self.panel.sandbox, &self.reference.sandbox]
    }
}

/// Runs `act` while the mock model listens.
pub(in crate::real_clients) fn with_model<T>(
    panel: &Panel,
    programs: &Programs,
    act: impl FnOnce(&Child) -> TaskResult<T>,
) -> TaskResult<T> {
    let mut command = namespace::in_namespace(&programs.mock_model);
    command.args(["--port", PORT]).arg(script_path(panel)).arg(log_path(panel));
    let mut model = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let mut address = String::new();
    if let Some(stdout) = model.stdout.take() {
        // The model prints its address when it listens; no output means that it has ended.
        let _ = BufReader::new(stdout).read_line(&mut address);
    }
    let result = if address.is_empty() { Err("the mock model does not listen".into()) } else { act(&model) };
    let _ = model.kill();
    let _ = model.wait();
    result
}

/// Script of the mock model.
pub(in crate::real_clients) fn script_path(panel: &Panel) -> PathBuf {
    panel.sandbox.outside("script.json")
}

/// Log of the mock model.
pub(in crate::real_clients) fn log_path(panel: &Panel) -> PathBuf {
    panel.sandbox.outside("log.jsonl")
}

/// Replaces the reviewers in the answer of the merger: findings name them, and their agents differ here.
fn name_reviewers(panel: &Panel, reviewers: &[&str; 4]) {
    let regular = ["Cursor-Arch", "Cursor-Edge", "Codex-Innovation", "Codex-Pragmatic"];
    let named = |text: String, (from, to): (&str, &&str)| text.replace(from, to);
    let text = regular.into_iter().zip(reviewers).fold(panel.answer_text("merger"), named);
    panel.set_answer("merger", &text);
}

/// Writes a user configuration with these agents and no others.
fn write_settings(
    panel: &Panel,
    agents: &[(SeatedAgent, Client)],
    model: &str,
    settings: &dyn Fn(&(SeatedAgent, Client)) -> String,
) -> TaskResult {
    let mut text = String::from("[clocks]\ngrace = 2\n");
    for pair @ (agent, _) in agents {
        let _ = write!(text, "[agents.{}]\n{}", agent.name, settings(pair).replace("{model}", model));
    }
    for absent in BUILT_IN.iter().filter(|name| agents.iter().all(|(agent, _)| agent.name != **name)) {
        let _ = write!(text, "[agents.{absent}]\ncommand = \"/nonexistent\"\n");
    }
    let path = panel.sandbox.home().join(".config").join("charrette").join("charrette.toml");
    Ok(fs_err::write(path, text)?)
}

/// Makes the step at which the run is killed hang on its first call, and answer on the second.
fn hang_at_kill_step(panel: &Panel) -> TaskResult {
    let part = fs_err::read_to_string(panel.script().join(format!("{KILL_STEP}.json")))?;
    panel.set_part(&format!("{KILL_STEP}.2"), &serde_json::from_str(&part)?);
    panel.set_part(KILL_STEP, &json!({"hang": true}));
    Ok(())
}

/// Script of the mock model.
fn model_script(panel: &Path, has_tools: bool) -> Value {
    let mut script = json!({
        "panel": {"folder": panel, "usage": {"input": 2000, "output": 20, "cached": 500}},
        "order": "history",
        "turns": [{"text": "OK"}],
    });
    // Clients also request titles, without tools. Requests to an endpoint have no tools at all.
    if has_tools {
        script["side"] = json!({"text": "A title"});
    }
    script
}
