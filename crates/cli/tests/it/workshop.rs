//! Test bed for `charrette design` with a scripted panel: starts, answers, resumes and inspects runs.

use crate::BINARY;
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The scripted agent: an example of this crate, so cargo builds it with these tests.
pub(crate) static FAKE_AGENT: LazyLock<PathBuf> =
    LazyLock::new(|| Path::new(BINARY).with_file_name("examples").join("fake-agent"));

/// Agent calls of an undisturbed regular run: step and agent.
pub(crate) const REGULAR: [&str; 40] = [
    "aggregator claude",
    "clarifier claude",
    "debate/1-antithesis cursor",
    "debate/1-thesis cursor",
    "debate/2-antithesis codex",
    "debate/2-thesis codex",
    "discusser claude",
    "finisher claude",
    "illustrator claude",
    "inquirer claude",
    "investigate/investigator-1 claude",
    "investigate/investigator-2 claude",
    "judge/judge-claude claude",
    "judge/judge-codex codex",
    "judge/judge-cursor cursor",
    "mender claude",
    "merger claude",
    "planner claude",
    "research/dependencies codex",
    "research/requirements claude",
    "research/tasks cursor",
    "review/reviewer-arch cursor",
    "review/reviewer-edge cursor",
    "review/reviewer-innovation codex",
    "review/reviewer-pragmatic codex",
    "reviser claude",
    "scoper claude",
    "sketch/codex-innovation codex",
    "sketch/codex-pragmatic codex",
    "sketch/cursor-arch cursor",
    "sketch/cursor-edge cursor",
    "synthesist claude",
    "validator codex",
    "vote/voter-claude claude",
    "vote/voter-codex codex",
    "vote/voter-cursor cursor",
    "walk/walker-1 claude",
    "walk/walker-2 codex",
    "walk/walker-again codex",
    "writer claude",
];

/// Calls of a regular run whose step starts with one of these prefixes.
pub(crate) fn regular_calls(steps: &[&str]) -> Vec<&'static str> {
    REGULAR.into_iter().filter(|call| steps.iter().any(|step| call.starts_with(step))).collect()
}

/// Calls of a regular run, except those whose step starts with one of these prefixes.
pub(crate) fn regular_calls_except(steps: &[&str]) -> Vec<&'static str> {
    REGULAR.into_iter().filter(|call| !steps.iter().any(|step| call.starts_with(step))).collect()
}

/// A panel in its sandbox.
pub(crate) struct Workshop(Panel);

impl Deref for Workshop {
    type Target = Panel;

    fn deref(&self) -> &Panel {
        &self.0
    }
}

impl Workshop {
    /// The regular run.
    pub(crate) fn regular() -> Workshop {
        Workshop(Panel::regular(&*FAKE_AGENT))
    }

    /// Another repository with the same agents.
    pub(crate) fn with_panel(panel: Panel) -> Workshop {
        Workshop(panel)
    }

    /// The regular run with few calls.
    pub(crate) fn brief() -> Workshop {
        Workshop(Panel::brief(&*FAKE_AGENT))
    }

    /// `charrette design` with these arguments.
    pub(crate) fn design(&self, args: &[&str]) -> Output {
        self.run(BINARY, std::iter::once("design").chain(args.iter().copied()))
    }

    /// Starts the run of the standard request, with an answer for every question.
    pub(crate) fn start(&self, args: &[&str]) -> Output {
        let answers = self.answers();
        let all = [&[REQUEST, "--answers", answers.to_str().unwrap()], args].concat();
        self.design(&all)
    }

    /// Resumes the run, with an answer for every question.
    pub(crate) fn resume(&self, args: &[&str]) -> Output {
        let answers = self.answers();
        let all = [&[FEATURE, "--resume", "--answers", answers.to_str().unwrap()], args].concat();
        self.design(&all)
    }

    /// Records answers, as a person at another time would.
    pub(crate) fn answer(&self, yaml: &str) -> Output {
        Output::capture(self.command(BINARY, ["answer", FEATURE, "--file", "-"]), yaml.as_bytes())
    }

    /// The state document.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.sandbox.read(&document_path(FEATURE))).unwrap()
    }

    /// Path of an artifact of the run.
    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        let document = self.document();
        self.sandbox.path(document["run"]["workspace"].as_str().unwrap()).join(name)
    }

    /// Text of an artifact of the run.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.artifact(name)).unwrap()
    }

    /// Overwrites an artifact of the run.
    pub(crate) fn edit(&self, name: &str, text: &str) {
        std::fs::write(self.artifact(name), text).unwrap();
    }

    /// Path of a file of the specification.
    pub(crate) fn spec(&self, name: &str) -> PathBuf {
        self.sandbox.path(&format!("specs/{FEATURE}/{name}"))
    }

    /// The state of a gate.
    pub(crate) fn gate(&self, name: &str) -> String {
        self.document()["gates"][name]["state"].as_str().unwrap_or_default().to_owned()
    }

    /// Makes every answer end with a digest of its prompt, so that a changed prompt changes the answer.
    pub(crate) fn echo_prompt_digests(&self) {
        for call in REGULAR {
            let step = call.split(' ').next().unwrap();
            let is_exact = step.starts_with("research/") || step.starts_with("walk/");
            if is_exact || ["clarifier", "scoper", "validator"].contains(&step) {
                continue;
            }
            let said = self.answer_text(step);
            let answer = match step {
                // In a defense only what stands in its tags is read.
                _ if step.starts_with("debate/") => said.replacen("</claim>", " ({digest})</claim>", 1),
                "planner" => said.replacen("\n=== ", "\n<!-- {digest} -->\n\n=== ", 1),
                _ => format!("{said}\n<!-- {{digest}} -->\n"),
            };
            self.set_answer(step, &answer);
        }
    }

    /// Replaces a text in the answers file.
    pub(crate) fn replace_gate_answer(&self, from: &str, to: &str) {
        let answers = std::fs::read_to_string(self.answers()).unwrap();
        assert!(answers.contains(from), "{from} is not in {answers}");
        self.write_gate_answers(&answers.replace(from, to));
    }
}

/// Path of the state document of a feature.
pub(crate) fn document_path(feature: &str) -> String {
    format!(".claude/state/design-{feature}.json")
}

/// All paths below a folder with their contents; for symlinks their targets.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found);
    found
}

fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            walk(&entry.path(), &format!("{name}/"), found);
            found.insert(format!("{name}/"), Vec::new());
        } else if kind.is_symlink() {
            let target = std::fs::read_link(entry.path()).unwrap();
            found.insert(name, target.to_string_lossy().into_owned().into_bytes());
        } else {
            found.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}

/// Events printed with `--json`.
pub(crate) fn events(output: &Output) -> Vec<Value> {
    let event = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    output.stdout.lines().map(event).collect()
}

/// Messages of the warning events.
pub(crate) fn warnings(output: &Output) -> Vec<String> {
    let is_warning = |event: &Value| event["event"] == "warning";
    let message = |event: Value| event["message"].as_str().unwrap().to_owned();
    events(output).into_iter().filter(is_warning).map(message).collect()
}
