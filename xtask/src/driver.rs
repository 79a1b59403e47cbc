//! Drives a design with the real program until it is done, answering its gates from a file or as recommended, for
//! [`crate::arena`] and [`crate::rehearse`]. Every step is on disk, so that a killed task continues where it was.

use crate::TaskResult;
use charrette_app::answers_file::{AnswersFile, parse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Exit code of a run that waits for answers.
const WAITING: i32 = 3;

/// Maximum number of stops at gates: a run that stops more often repeats a question.
const MAX_STOPS: usize = 40;

/// Name that signs the answers and prefixes the branch.
pub(crate) const PERSON: &str = "Ada L";

/// A design run in a repository, with a state folder and settings of its own.
#[derive(Debug)]
pub(crate) struct DesignDriver {
    pub(crate) program: PathBuf,
    pub(crate) repository: PathBuf,
    /// `XDG_STATE_HOME` of the run.
    pub(crate) state: PathBuf,
    /// Settings of the run; those of the user do not count.
    pub(crate) config: PathBuf,
    pub(crate) feature: String,
    pub(crate) request: String,
    pub(crate) options: Vec<String>,
    /// Frozen time, if any.
    pub(crate) now: Option<String>,
}

/// One question and the answer that the run was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenAnswer {
    pub(crate) gate: String,
    pub(crate) key: String,
    pub(crate) question: String,
    pub(crate) answer: String,
    /// True if it is the recommended answer.
    pub(crate) recommended: bool,
    /// True if the question asks for an approval.
    #[serde(default)]
    pub(crate) approval: bool,
}

impl DesignDriver {
    /// Drives the run to its end. `record` is called with the answers of each gate before they are given.
    pub(crate) fn drive(
        &self,
        answers: &AnswersFile,
        mut record: impl FnMut(&[GivenAnswer]) -> TaskResult,
    ) -> TaskResult {
        let mut answers = answers.clone();
        for _ in 0..MAX_STOPS {
            let output = self.run(&self.arguments())?;
            match output.status.code() {
                Some(0) => return Ok(()),
                Some(WAITING) => {
                    let given = decide(&self.questions()?, &answers)?;
                    record(&given)?;
                    self.answer(&given)?;
                    // A revision is asked for once; what comes of it is approved.
                    for revised in given.iter().filter(|given| given.approval && given.answer == "revise") {
                        answers.0.remove(&revised.gate);
                    }
                }
                _ => return Err(failure("the design stopped", &output)),
            }
        }
        Err(format!("{} stopped at gates {MAX_STOPS} times", self.feature).into())
    }

    /// Arguments that start the run, or resume it if it is on record.
    fn arguments(&self) -> Vec<OsString> {
        let mut words: Vec<String> = vec!["design".to_owned()];
        if self.document().is_some() {
            words.extend([self.feature.clone(), "--resume".to_owned()]);
        } else {
            words.extend(["--name".to_owned(), self.feature.clone(), "--yes".to_owned()]);
            words.extend(self.options.iter().cloned());
            words.extend(["--".to_owned(), self.request.clone()]);
        }
        words.into_iter().map(OsString::from).collect()
    }

    /// The state document, if there is one.
    pub(crate) fn document(&self) -> Option<Value> {
        read_document(&self.repository, &self.feature)
    }

    fn run(&self, arguments: &[OsString]) -> TaskResult<Output> {
        Ok(self.command(arguments).output()?)
    }

    fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.repository)
            .env("XDG_STATE_HOME", &self.state)
            // A folder without settings: those of this user are no part of the run.
            .env("XDG_CONFIG_HOME", self.state.join("no-settings"))
            .env("CHARRETTE_CONFIG", &self.config)
            // Players write their records beside the repository.
            .env("CHARRETTE_LANDLOCK", "0")
            .stdin(Stdio::null());
        for name in ["LINEAR_API_KEY", "DESIGN_TMPDIR", "SESSION_ENV_PATH", "CHARRETTE_LANE", "CHARRETTE_RUN"]
        {
            command.env_remove(name);
        }
        if let Some(now) = &self.now {
            command.env("CHARRETTE_NOW", now);
        }
        command
    }

    /// The open questions, as `charrette answer --json` prints them.
    fn questions(&self) -> TaskResult<Value> {
        let output =
            self.run(&["answer", &self.feature, "--command", "design", "--json"].map(OsString::from))?;
        if !output.status.success() {
            return Err(failure("its questions cannot be read", &output));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    fn answer(&self, given: &[GivenAnswer]) -> TaskResult {
        let file = self.state.join("answers-now.json");
        fs_err::create_dir_all(&self.state)?;
        fs_err::write(&file, by_gate(given).to_string())?;
        let mut arguments =
            ["answer", &self.feature, "--command", "design", "--file"].map(OsString::from).to_vec();
        arguments.push(file.into());
        let output = self.run(&arguments)?;
        if output.status.success() { Ok(()) } else { Err(failure("its answers were refused", &output)) }
    }
}

/// Reads a file with answers, YAML or JSON; without one, every question is answered as recommended.
pub(crate) fn read_answers(file: Option<&Path>) -> TaskResult<AnswersFile> {
    let Some(file) = file else { return Ok(AnswersFile::default()) };
    let text = fs_err::read_to_string(file)?;
    parse(&text, &file.display().to_string()).map_err(|error| error.message.into())
}

/// The state document of a design, if there is one.
pub(crate) fn read_document(repository: &Path, feature: &str) -> Option<Value> {
    let path = repository.join(format!(".claude/state/design-{feature}.json"));
    serde_json::from_slice(&fs_err::read(path).ok()?).ok()
}

/// Workspace of a design: the folder of its artifacts.
pub(crate) fn workspace(repository: &Path, document: &Value) -> Option<PathBuf> {
    document["run"]["workspace"].as_str().map(|workspace| repository.join(workspace))
}

/// Decides on every open question: the answer of the file, else `yes` to an approval, else the recommended answer.
fn decide(questions: &Value, answers: &AnswersFile) -> TaskResult<Vec<GivenAnswer>> {
    let mut given = Vec::new();
    for gate in questions["gates"].as_array().into_iter().flatten() {
        let name = gate["gate"].as_str().unwrap_or_default();
        let of_gate = answers.for_gate(name);
        for question in gate["questions"].as_array().into_iter().flatten() {
            let key = question["key"].as_str().unwrap_or_default();
            let approval = question["approval"] == true;
            let chosen = of_gate.get(key).and_then(Value::as_str);
            let recommended =
                question["recommended"].as_str().or_else(|| approval.then_some("yes")).map(str::to_owned);
            let Some(answer) = chosen.map(str::to_owned).or_else(|| recommended.clone()) else {
                return Err(
                    format!("{name}: {key} has no recommended answer; give one with --answers").into()
                );
            };
            given.push(GivenAnswer {
                gate: name.to_owned(),
                key: key.to_owned(),
                question: question["text"].as_str().unwrap_or_default().to_owned(),
                recommended: Some(&answer) == recommended.as_ref(),
                answer,
                approval,
            });
            if approval && let Some(feedback) = of_gate.get("feedback").and_then(Value::as_str) {
                given.push(GivenAnswer {
                    gate: name.to_owned(),
                    key: "feedback".to_owned(),
                    question: "What must change?".to_owned(),
                    answer: feedback.to_owned(),
                    recommended: false,
                    approval: false,
                });
            }
        }
    }
    if given.is_empty() { Err("the run waits without a question".into()) } else { Ok(given) }
}

/// Answers in the form of an answers file.
pub(crate) fn by_gate(given: &[GivenAnswer]) -> Value {
    let mut gates = Map::new();
    for GivenAnswer { gate, key, answer, .. } in given {
        let gate = gates.entry(gate.clone()).or_insert_with(|| json!({}));
        if let Some(gate) = gate.as_object_mut() {
            gate.insert(key.clone(), answer.clone().into());
        }
    }
    Value::Object(gates)
}

/// Questions and answers that a state document has on record, in the order of its gates.
pub(crate) fn recorded_answers(document: &Value) -> Vec<GivenAnswer> {
    let mut recorded = Vec::new();
    for (name, gate) in document["gates"].as_object().into_iter().flatten() {
        for question in gate["questions"].as_array().into_iter().flatten() {
            let key = question["key"].as_str().unwrap_or_default();
            let Some(answer) = gate["answers"][key].as_str() else { continue };
            recorded.push(GivenAnswer {
                gate: name.clone(),
                key: key.to_owned(),
                question: question["text"].as_str().unwrap_or_default().to_owned(),
                answer: answer.to_owned(),
                recommended: question["recommended"] == answer,
                approval: question["approval"] == true,
            });
        }
    }
    recorded
}

/// Runs git in a folder and returns what it printed.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> TaskResult<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        return Err(failure(&format!("git {} failed", arguments.join(" ")), &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

/// Makes a repository with the history up to a commit, on branch `main`: later commits and branches are not in it.
pub(crate) fn clone_at(repository: &Path, commit: &str, to: &Path) -> TaskResult {
    let source = fs_err::canonicalize(repository)?;
    fs_err::create_dir_all(to)?;
    git(to, &["init", "-q", "-b", "main"])?;
    git(to, &["fetch", "-q", "--no-tags", &source.to_string_lossy(), commit])?;
    git(to, &["reset", "-q", "--hard", commit])?;
    let _ = fs_err::remove_file(to.join(".git/FETCH_HEAD"));
    git(to, &["config", "user.name", PERSON])?;
    git(to, &["config", "user.email", "ada@example.com"])?;
    Ok(())
}

fn failure(what: &str, output: &Output) -> Box<dyn std::error::Error> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{what} ({}): {}", output.status, stderr.trim_end()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Value {
        json!({"gates": [
            {"gate": "clarify", "questions": [
                {"key": "q1", "text": "Which?", "recommended": "All."}, {"key": "q2", "text": "When?", "recommended": "Now."}]},
            {"gate": "dirty-tree/a", "questions": [{"key": "dirty-tree", "text": "Keep?", "choices": ["keep"]}]},
            {"gate": "post-design", "questions": [{"key": "approval", "text": "Approve?", "approval": true}]},
        ]})
    }

    #[test]
    fn files_outrank_recommendations_and_approvals_are_given() {
        let answers = parse("clarify:\n  q2: Later.\ndirty-tree: keep\n", "a.yaml").unwrap();
        let given = decide(&questions(), &answers).unwrap();
        let short: Vec<(&str, bool)> =
            given.iter().map(|given| (given.answer.as_str(), given.recommended)).collect();
        assert_eq!(short, [("All.", true), ("Later.", false), ("keep", false), ("yes", true)]);
        assert_eq!(
            by_gate(&given),
            json!({"clarify": {"q1": "All.", "q2": "Later."}, "dirty-tree/a": {"dirty-tree": "keep"},
                "post-design": {"approval": "yes"}})
        );
    }

    #[test]
    fn questions_without_a_recommendation_need_a_file() {
        let error = decide(&questions(), &AnswersFile::default()).unwrap_err().to_string();
        assert_eq!(error, "dirty-tree/a: dirty-tree has no recommended answer; give one with --answers");
    }

    #[test]
    fn feedback_goes_with_a_revision() {
        let asked = json!({"gates": [questions()["gates"][2]]});
        let answers = parse("post-design: {approval: revise, feedback: Shorter.}", "a.yaml").unwrap();
        let given = decide(&asked, &answers).unwrap();
        assert_eq!(by_gate(&given), json!({"post-design": {"approval": "revise", "feedback": "Shorter."}}));
    }

    #[test]
    fn documents_tell_what_was_answered() {
        let document = json!({"gates": {"clarify": {
            "questions": [{"key": "q1", "text": "Which?", "recommended": "All."}, {"key": "q2", "text": "When?"}],
            "answers": {"q1": "Some."}}}});
        let recorded = recorded_answers(&document);
        assert_eq!(recorded.len(), 1);
        assert_eq!((recorded[0].answer.as_str(), recorded[0].recommended), ("Some.", false));
    }

    #[test]
    fn clones_end_at_their_commit() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs_err::create_dir(&source).unwrap();
        fs_err::write(source.join("a"), "1").unwrap();
        crate::programs::create_repository(&source).unwrap();
        let first = git(&source, &["rev-parse", "HEAD"]).unwrap();
        fs_err::write(source.join("later"), "2").unwrap();
        crate::programs::create_repository(&source).unwrap();
        let later = git(&source, &["rev-parse", "HEAD"]).unwrap();
        let clone = folder.path().join("clone");
        clone_at(&source, &first, &clone).unwrap();
        assert!(clone.join("a").is_file() && !clone.join("later").exists());
        assert_eq!(git(&clone, &["status", "--porcelain"]).unwrap(), "");
        assert!(git(&clone, &["cat-file", "-e", &later]).is_err());
    }
}
