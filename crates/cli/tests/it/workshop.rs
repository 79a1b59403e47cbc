//! The panel around a real `charrette design`: how tests of a design begin, answer, resume and look at one.

use crate::BINARY;
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The scripted agent: an example of this crate, so cargo builds it with these tests.
pub(crate) static FAKE_AGENT: LazyLock<PathBuf> =
    LazyLock::new(|| Path::new(BINARY).with_file_name("examples").join("fake-agent"));

/// Everybody who is called in an undisturbed regular run.
pub(crate) const REGULAR: [&str; 33] = [
    "aggregator claude",
    "clarifier claude",
    "debate/1-antithesis cursor",
    "debate/1-thesis cursor",
    "debate/2-antithesis codex",
    "debate/2-thesis codex",
    "discusser claude",
    "finisher claude",
    "illustrator claude",
    "judge/judge-claude claude",
    "judge/judge-codex codex",
    "judge/judge-cursor cursor",
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
    "writer claude",
];

/// Those of a regular run whose step begins with one of these words.
pub(crate) fn of_the_regular(steps: &[&str]) -> Vec<&'static str> {
    REGULAR.into_iter().filter(|call| steps.iter().any(|step| call.starts_with(step))).collect()
}

/// Those of a regular run who are called after some step is done again: everybody but these.
pub(crate) fn all_but(steps: &[&str]) -> Vec<&'static str> {
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
    pub(crate) fn around(panel: Panel) -> Workshop {
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

    /// Begins the run that is asked for everywhere, with an answer for every question.
    pub(crate) fn begin(&self, args: &[&str]) -> Output {
        let answers = self.answers();
        let all = [&[REQUEST, "--answers", answers.to_str().unwrap()], args].concat();
        self.design(&all)
    }

    /// Goes on with it, with an answer for every question.
    pub(crate) fn resume(&self, args: &[&str]) -> Output {
        let answers = self.answers();
        let all = [&[FEATURE, "--resume", "--answers", answers.to_str().unwrap()], args].concat();
        self.design(&all)
    }

    /// Records answers, as a person at another time would.
    pub(crate) fn answer(&self, yaml: &str) -> Output {
        Output::of(self.command(BINARY, ["answer", FEATURE, "--file", "-"]), yaml.as_bytes())
    }

    /// The state document.
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.sandbox.read(&document_of(FEATURE))).unwrap()
    }

    /// Where an artifact of the run is.
    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        let document = self.document();
        self.sandbox.path(document["run"]["workspace"].as_str().unwrap()).join(name)
    }

    /// An artifact of the run.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.artifact(name)).unwrap()
    }

    /// Writes over an artifact of the run, as a person would.
    pub(crate) fn edit(&self, name: &str, text: &str) {
        std::fs::write(self.artifact(name), text).unwrap();
    }

    /// Where a file of the specification is.
    pub(crate) fn spec(&self, name: &str) -> PathBuf {
        self.sandbox.path(&format!("specs/{FEATURE}/{name}"))
    }

    /// The state of a gate.
    pub(crate) fn gate(&self, name: &str) -> String {
        self.document()["gates"][name]["state"].as_str().unwrap_or_default().to_owned()
    }

    /// Has everybody say at the end of what they say what they were asked, so that whoever reads it reads something
    /// new whenever that was something new.
    pub(crate) fn everybody_echoes(&self) {
        for call in REGULAR {
            let step = call.split(' ').next().unwrap();
            if ["clarifier", "scoper", "validator"].contains(&step) || step.starts_with("research/") {
                continue;
            }
            let said = self.said(step);
            let said: String = said
                .lines()
                .map(|line| match line.strip_prefix("{given:") {
                    None => format!("{line}\n"),
                    // What nobody debated is not on the ballot.
                    Some(given)
                        if given.starts_with("### DECISION_1") || given.starts_with("### DECISION_2") =>
                    {
                        format!("{}\n", given.split_once('}').unwrap().1)
                    }
                    Some(_) => String::new(),
                })
                .collect();
            // In a defense only what stands in its tags is read.
            let answer = if step.starts_with("debate/") {
                said.replacen("</claim>", " ({digest})</claim>", 1)
            } else {
                format!("{said}\n<!-- {{digest}} -->\n")
            };
            self.does(step, &json!({ "answer": answer }));
        }
    }

    /// Other answers: this instead of that.
    pub(crate) fn replies_with(&self, from: &str, to: &str) {
        let answers = std::fs::read_to_string(self.answers()).unwrap();
        assert!(answers.contains(from), "{from} is not in {answers}");
        self.replies(&answers.replace(from, to));
    }
}

/// The state document of a feature.
pub(crate) fn document_of(feature: &str) -> String {
    format!(".claude/state/design-{feature}.json")
}

/// Everything below a folder: names with what is in them; folders, links and modes too.
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

/// What was told with `--json`, and nothing but that.
pub(crate) fn events(output: &Output) -> Vec<Value> {
    let event = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    output.stdout.lines().map(event).collect()
}

/// The warnings among them.
pub(crate) fn warnings(output: &Output) -> Vec<String> {
    let is_warning = |event: &Value| event["event"] == "warning";
    let message = |event: Value| event["message"].as_str().unwrap().to_owned();
    events(output).into_iter().filter(is_warning).map(message).collect()
}
