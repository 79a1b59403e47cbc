//! A cassette: what a run asked and was answered, as files.
//!
//! ```text
//! cassette.json  request.md  answers.json
//! calls/0001/{call.json,prompt.md,answer.md}
//! ```
//!
//! `call.json` has seat, step, agent, the digest of the prompt and the inputs by name and digest.

use super::inputs::{PromptInput, parse_inputs};
use crate::TaskResult;
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The answers of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cassette {
    pub(super) record: CassetteRecord,
    /// The request, word for word.
    pub(super) request: String,
    /// Answers of the person, by gate and question.
    pub(super) answers: Map<String, Value>,
    /// Calls in the order they were made.
    pub(super) calls: Vec<RecordedCall>,
}

/// The run of a cassette.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CassetteRecord {
    pub(super) version: u32,
    pub(super) feature: String,
    /// Repository of the run, which its prompts name.
    pub(super) repository: PathBuf,
    /// Commit that the run began at.
    pub(super) commit: String,
    pub(super) started_at: String,
    /// Options of the command line.
    pub(super) options: Vec<String>,
}

/// A call: what was asked, and the raw answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RecordedCall {
    pub(crate) seat: String,
    /// Step of the flow; a seat may have several.
    pub(crate) step: String,
    pub(crate) agent: String,
    pub(crate) vendor: String,
    /// 1 for the first question, 2 if the answer was sent back.
    pub(crate) attempt: u32,
    pub(crate) prompt: String,
    /// None if it was never answered.
    pub(crate) answer: Option<String>,
}

/// `call.json` of a cassette.
#[derive(Debug, Serialize, Deserialize)]
struct CallRecord {
    seat: String,
    step: String,
    agent: String,
    #[serde(default)]
    vendor: String,
    attempt: u32,
    /// Digest of the prompt.
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    inputs: Vec<PromptInput>,
}

impl Cassette {
    pub(super) fn read(folder: &Path) -> TaskResult<Cassette> {
        let record = serde_json::from_slice(&fs_err::read(folder.join("cassette.json"))?)?;
        let request = fs_err::read_to_string(folder.join("request.md"))?;
        let answers = serde_json::from_slice(&fs_err::read(folder.join("answers.json"))?)?;
        Ok(Cassette { record, request, answers, calls: read_calls(folder)? })
    }

    /// Writes a cassette into a new folder.
    pub(super) fn write(&self, folder: &Path) -> TaskResult {
        if folder.exists() {
            return Err(format!("{} exists already", folder.display()).into());
        }
        fs_err::create_dir_all(folder)?;
        fs_err::write(folder.join("request.md"), &self.request)?;
        fs_err::write(folder.join("answers.json"), serde_json::to_string_pretty(&self.answers)?)?;
        for (n, call) in self.calls.iter().enumerate() {
            write_call(&folder.join("calls").join(format!("{:04}", n + 1)), call)?;
        }
        fs_err::write(folder.join("cassette.json"), serde_json::to_string_pretty(&self.record)?)?;
        Ok(())
    }
}

/// The calls of a cassette, or of the log of a replay, in the order of their folders.
pub(super) fn read_calls(folder: &Path) -> TaskResult<Vec<RecordedCall>> {
    let Ok(entries) = fs_err::read_dir(folder.join("calls")) else { return Ok(Vec::new()) };
    let mut folders = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    folders.sort();
    folders
        .iter()
        .filter(|folder| folder.join("call.json").is_file())
        .map(|folder| read_call(folder))
        .collect()
}

fn read_call(folder: &Path) -> TaskResult<RecordedCall> {
    let record: CallRecord = serde_json::from_slice(&fs_err::read(folder.join("call.json"))?)?;
    Ok(RecordedCall {
        seat: record.seat,
        step: record.step,
        agent: record.agent,
        vendor: record.vendor,
        attempt: record.attempt,
        prompt: fs_err::read_to_string(folder.join("prompt.md"))?,
        answer: fs_err::read_to_string(folder.join("answer.md")).ok(),
    })
}

/// Writes a call into its folder; the record comes last, so that a folder with one is complete.
pub(super) fn write_call(folder: &Path, call: &RecordedCall) -> TaskResult {
    fs_err::create_dir_all(folder)?;
    fs_err::write(folder.join("prompt.md"), &call.prompt)?;
    if let Some(answer) = &call.answer {
        fs_err::write(folder.join("answer.md"), answer)?;
    }
    let record = CallRecord {
        seat: call.seat.clone(),
        step: call.step.clone(),
        agent: call.agent.clone(),
        vendor: call.vendor.clone(),
        attempt: call.attempt,
        prompt: sha256(call.prompt.as_bytes()),
        inputs: parse_inputs(&call.prompt),
    };
    Ok(fs_err::write(folder.join("call.json"), serde_json::to_string_pretty(&record)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cassette_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let call = |step: &str, answer: Option<&str>| RecordedCall {
            seat: "s".to_owned(),
            step: step.to_owned(),
            agent: "claude".to_owned(),
            vendor: "anthropic".to_owned(),
            attempt: 1,
            prompt: format!("Ask {step}\n\n## request.md\n\n```\nx\n```\n"),
            answer: answer.map(str::to_owned),
        };
        let cassette = Cassette {
            record: CassetteRecord {
                version: 1,
                feature: "f".to_owned(),
                repository: "/r".into(),
                commit: "c".to_owned(),
                started_at: "t".to_owned(),
                options: vec!["--quick".to_owned()],
            },
            request: "Please.\n".to_owned(),
            answers: serde_json::from_str(r#"{"clarify": {"q1": "Yes."}}"#).unwrap(),
            calls: vec![call("b/1", Some("One.\n")), call("a", None)],
        };
        let path = folder.path().join("cassette");
        cassette.write(&path).unwrap();
        assert_eq!(Cassette::read(&path).unwrap(), cassette);
        assert!(cassette.write(&path).is_err(), "a cassette is not overwritten");
        let written = fs_err::read_to_string(path.join("calls/0001/call.json")).unwrap();
        assert!(written.contains("\"name\": \"request.md\""), "{written}");
    }
}
