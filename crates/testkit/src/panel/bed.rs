//! The panel in a sandbox: the script, the settings of a user who has three agents, and answers for every gate.

use super::parcels::parcels;
use super::variants::{Mishap, Variant};
use crate::{Output, Sandbox};
use serde_json::Value;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is asked for.
pub const REQUEST: &str = "add rate limiting to the public API";

/// What the feature is called then.
pub const FEATURE: &str = "add-rate-limiting-to-the-public-api";

/// The agents, and whose models they are.
const AGENTS: [(&str, &str); 3] = [("claude", "anthropic"), ("codex", "openai"), ("cursor", "cursor")];

/// A sandbox with a repository and agents on a script. All of it is outside the repository, which stays clean.
#[derive(Debug)]
pub struct Panel {
    /// The sandbox.
    pub sandbox: Sandbox,
    /// What the ids of runs are made from. Its own for every panel, because processes are told apart by them.
    pub seed: String,
    fake_agent: PathBuf,
}

/// Who sits where, and who does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seating<'a> {
    /// Agents that are not installed.
    pub absent: &'a [&'a str],
    /// Ranks of decisions for which no debater may be seated.
    pub undebated: &'a [usize],
    /// Whether agents are asked first whether they work.
    pub probes: bool,
}

impl Seating<'_> {
    /// Everybody is there, nobody is probed, and the third decision is not debated.
    pub const REGULAR: Seating<'static> = Seating { absent: &[], undebated: &[3], probes: false };
}

impl Panel {
    /// The regular run, in a small repository. `fake_agent` is the program.
    pub fn regular(fake_agent: impl AsRef<Path>) -> Panel {
        Panel::seated(parcels(), fake_agent)
    }

    /// The regular run with few calls: nothing is contested, nothing is found.
    pub fn brief(fake_agent: impl AsRef<Path>) -> Panel {
        let panel = Panel::regular(fake_agent);
        panel.takes(Variant::NothingContested);
        for reviewer in ["arch", "edge", "innovation", "pragmatic"] {
            panel.says(&format!("review/reviewer-{reviewer}"), "NO_ISSUES_FOUND\n");
        }
        panel
    }

    /// The same agents around another repository. Their answers cite files that it may not have.
    pub fn seated(sandbox: Sandbox, fake_agent: impl AsRef<Path>) -> Panel {
        let seed = sandbox.work().display().to_string();
        let panel = Panel { sandbox, seed, fake_agent: fake_agent.as_ref().to_owned() };
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/panel"), &panel.script());
        panel.seat(&Seating::REGULAR);
        panel
    }

    /// The folder with an answer for each step.
    pub fn script(&self) -> PathBuf {
        self.sandbox.outside("script")
    }

    /// The file with an answer for every question of every gate.
    pub fn answers(&self) -> PathBuf {
        self.script().join("answers.yaml")
    }

    /// Other answers. The file has to be named as the one it replaces.
    pub fn replies(&self, yaml: &str) {
        fs_err::write(self.answers(), yaml).expect("the answers");
    }

    /// Has one step answered in another way. `STEP@AGENT` is for one agent only, `STEP.2` for its second time.
    pub fn says(&self, step: &str, text: &str) {
        let name = file_name(step);
        let _ = fs_err::remove_file(self.script().join(format!("{name}.json")));
        fs_err::write(self.script().join(format!("{name}.txt")), text).expect("an answer");
    }

    /// Has one step go in another way: a part of a script, or a list of them.
    pub fn does(&self, step: &str, part: &Value) {
        fs_err::write(self.script().join(format!("{}.json", file_name(step))), part.to_string())
            .expect("a part of the script");
    }

    /// Has something happen to a step.
    pub fn suffers(&self, step: &str, mishap: Mishap) {
        self.does(step, &mishap.part());
    }

    /// Has the run go in another way.
    pub fn takes(&self, variant: Variant) {
        for (step, part) in variant.parts() {
            self.does(step, &part);
        }
    }

    /// What a step says now, unless that depends on its prompt.
    pub fn said(&self, step: &str) -> String {
        let path = self.script().join(format!("{}.txt", file_name(step)));
        fs_err::read_to_string(path).expect("an answer")
    }

    /// Seats the agents: the settings of the user, who has nobody else.
    pub fn seat(&self, seating: &Seating<'_>) {
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
        // Whoever else is on the PATH of this machine is not part of the panel.
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

    /// More settings, on top of the user's.
    pub fn sets(&self, toml: &str) {
        fs_err::write(self.more_settings(), toml).expect("more settings");
    }

    fn more_settings(&self) -> PathBuf {
        self.sandbox.outside("more.toml")
    }

    /// A program in the repository, with everything in its environment that the agents need.
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

    /// Runs it to its end.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        Output::of(self.command(program, args), b"")
    }

    /// The file that gets a line for each call of an agent.
    pub fn log(&self) -> PathBuf {
        self.sandbox.outside("log")
    }

    /// Every call of an agent since this was last asked, `STEP AGENT`, in order of the alphabet.
    pub fn calls(&self) -> Vec<String> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let _ = fs_err::remove_file(self.log());
        let call = |line: &str| line.rsplit_once(' ').map_or(line, |(call, _)| call).to_owned();
        let mut calls: Vec<String> = log.lines().map(call).collect();
        calls.sort();
        calls
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
