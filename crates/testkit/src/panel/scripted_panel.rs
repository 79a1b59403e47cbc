//! Scripted panel in a sandbox: the script, the settings of a user with three agents, and answers for every gate.

use super::parcels::parcels;
use super::variants::{PanelVariant, SeatFault};
use crate::{Output, Sandbox};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Request of the run.
pub const REQUEST: &str = "add rate limiting to the public API";

/// Feature name derived from [`REQUEST`].
pub const FEATURE: &str = "add-rate-limiting-to-the-public-api";

/// Agents and their vendors.
const AGENTS: [(&str, &str); 3] = [("claude", "anthropic"), ("codex", "openai"), ("cursor", "cursor")];

/// A sandbox with a repository and scripted agents. Script and settings are outside the repository, which stays clean.
#[derive(Debug)]
pub struct Panel {
    pub sandbox: Sandbox,
    /// Seed of the run ids. Unique for every panel, because processes are told apart by run id.
    pub seed: String,
    fake_agent: PathBuf,
    /// Lines of the log that `calls` has returned.
    read_lines: AtomicUsize,
}

/// Agents that are present, and how they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seating<'a> {
    /// Agents that are not installed.
    pub absent: &'a [&'a str],
    /// Ranks of decisions without seated debaters.
    pub undebated: &'a [usize],
    /// True if agents are probed first.
    pub probes: bool,
}

impl Seating<'_> {
    /// All agents, no probes, and the third decision is not debated.
    pub const REGULAR: Seating<'static> = Seating { absent: &[], undebated: &[3], probes: false };
}

impl Panel {
    /// The regular run, in the example repository. `fake_agent` is the program.
    pub fn regular(fake_agent: impl AsRef<Path>) -> Panel {
        Panel::with_sandbox(parcels(), fake_agent)
    }

    /// The regular run with few calls: no contested decisions, no findings.
    pub fn brief(fake_agent: impl AsRef<Path>) -> Panel {
        let panel = Panel::regular(fake_agent);
        panel.set_variant(PanelVariant::NothingContested);
        for reviewer in ["arch", "edge", "innovation", "pragmatic"] {
            panel.set_answer(&format!("review/reviewer-{reviewer}"), "NO_ISSUES_FOUND\n");
        }
        panel
    }

    /// The same agents with another repository. Their answers cite files that it may not have.
    pub fn with_sandbox(sandbox: Sandbox, fake_agent: impl AsRef<Path>) -> Panel {
        let seed = sandbox.work().display().to_string();
        let panel = Panel {
            sandbox,
            seed,
            fake_agent: fake_agent.as_ref().to_owned(),
            read_lines: AtomicUsize::new(0),
        };
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/panel"), &panel.script());
        panel.seat_agents(&Seating::REGULAR);
        panel
    }

    /// Folder with an answer for each step.
    pub fn script(&self) -> PathBuf {
        self.sandbox.outside("script")
    }

    /// File with an answer for every question of every gate.
    pub fn answers(&self) -> PathBuf {
        self.script().join("answers.yaml")
    }

    /// Replaces the gate answers. The path stays the same.
    pub fn write_gate_answers(&self, yaml: &str) {
        fs_err::write(self.answers(), yaml).expect("the answers");
    }

    /// Replaces the answer of a step. `STEP@AGENT` is for one agent only, `STEP.2` for its second call.
    pub fn set_answer(&self, step: &str, text: &str) {
        let name = file_name(step);
        let _ = fs_err::remove_file(self.script().join(format!("{name}.json")));
        fs_err::write(self.script().join(format!("{name}.txt")), text).expect("an answer");
    }

    /// Replaces the part of a step: a part of a script, or a list of them.
    pub fn set_part(&self, step: &str, part: &Value) {
        fs_err::write(self.script().join(format!("{}.json", file_name(step))), part.to_string())
            .expect("a part of the script");
    }

    /// Removes the part of a step, so that its answer is used again.
    pub fn clear_part(&self, step: &str) {
        fs_err::remove_file(self.script().join(format!("{}.json", file_name(step))))
            .expect("a part of the script");
    }

    /// Makes a step fail.
    pub fn set_fault(&self, step: &str, fault: SeatFault) {
        self.set_part(step, &fault.part());
    }

    /// Switches the run to a variant.
    pub fn set_variant(&self, variant: PanelVariant) {
        for (step, part) in variant.parts() {
            self.set_part(step, &part);
        }
    }

    /// Answer text of a step, unless it depends on the prompt.
    pub fn answer_text(&self, step: &str) -> String {
        let path = self.script().join(format!("{}.txt", file_name(step)));
        fs_err::read_to_string(path).expect("an answer")
    }

    /// Keeps the last prompt of each step from now on.
    pub fn keep_prompts(&self) {
        fs_err::create_dir_all(self.script().join("prompts")).expect("a folder");
    }

    /// Kept prompts by step, such as `vote/voter-codex`.
    pub fn prompts(&self) -> BTreeMap<String, String> {
        let files = fs_err::read_dir(self.script().join("prompts")).expect("prompts are kept");
        let files = files.map(|file| file.expect("a prompt"));
        let step = |name: std::ffi::OsString| name.to_string_lossy().replacen('.', "/", 1);
        files
            .map(|file| (step(file.file_name()), fs_err::read_to_string(file.path()).expect("a prompt")))
            .collect()
    }

    /// Writes the user's settings, with these agents only.
    pub fn seat_agents(&self, seating: &Seating<'_>) {
        let mut text = format!("[policy]\nprobe = {}\n[clocks]\ngrace = 2\n", seating.probes);
        let (program, script) = (self.fake_agent.to_string_lossy(), self.script());
        for (agent, vendor) in AGENTS {
            let program =
                if seating.absent.contains(&agent) { "/nonexistent".into() } else { program.clone() };
            let _ = write!(
                text,
                "[agents.{agent}]\nkind = \"command\"\nvendor = {vendor:?}\ncommand = {program:?}\nargs = [{:?}, {agent:?}]\nenv = [\"FAKE_AGENT_LOG\"]\n",
                script.to_string_lossy()
            );
        }
        // Agents on the PATH of this machine are not part of the panel.
        for agent in ["gemini", "opencode"] {
            let _ = write!(text, "[agents.{agent}]\ncommand = \"/nonexistent\"\n");
        }
        text.push_str("[seats]\n");
        for rank in seating.undebated {
            let _ = write!(text, "debate-{rank}-thesis = []\ndebate-{rank}-antithesis = []\n");
        }
        let path = self.sandbox.home().join(".config/charrette/charrette.toml");
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("the user's settings");
        fs_err::write(path, text).expect("the user's settings");
    }

    /// Writes additional settings, on top of the user's.
    pub fn write_settings(&self, toml: &str) {
        fs_err::write(self.more_settings(), toml).expect("more settings");
    }

    fn more_settings(&self) -> PathBuf {
        self.sandbox.outside("more.toml")
    }

    /// A command in the repository, with the environment variables that the agents need.
    pub fn command<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = self.sandbox.command(program);
        command.args(args).env("FAKE_AGENT_LOG", self.log()).env("CHARRETTE_SEED", &self.seed);
        if self.more_settings().exists() {
            command.env("CHARRETTE_CONFIG", self.more_settings());
        }
        command
    }

    /// Runs a program to its end.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        Output::capture(self.command(program, args), b"")
    }

    /// Log file with a line for each call of an agent.
    pub fn log(&self) -> PathBuf {
        self.sandbox.outside("log")
    }

    /// Calls of agents since the last call of this function, `STEP AGENT`, sorted.
    pub fn calls(&self) -> Vec<String> {
        let mut calls = self.calls_in_order();
        // The file stays: an agent may be writing to it.
        self.read_lines.fetch_add(calls.len(), Ordering::SeqCst);
        calls.sort();
        calls
    }

    /// Calls of agents since the last call of `calls`, `STEP AGENT`, in the order in which they began.
    pub fn calls_in_order(&self) -> Vec<String> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let call = |line: &str| line.rsplit_once(' ').map_or(line, |(call, _)| call).to_owned();
        log.lines().skip(self.read_lines.load(Ordering::SeqCst)).map(call).collect()
    }
}

fn file_name(step: &str) -> String {
    step.replace('/', ".")
}

fn copy(from: &Path, to: &Path) {
    fs_err::create_dir_all(to).expect("a folder in the sandbox");
    for entry in fs_err::read_dir(from).expect("a folder of answers") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs_err::copy(entry.path(), target).expect("an answer");
        }
    }
}
