//! Arguments of the tools. Unknown ones are refused, so that a mistyped name is not ignored.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Longest wait, in seconds: shorter than the shortest time limit of a host.
pub(crate) const MAX_WAIT: u64 = 50;
/// Wait without a given time, in seconds.
const DEFAULT_WAIT: u64 = 45;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartArguments {
    /// What to run.
    pub(crate) command: String,
    /// What the user wants, in the user's own words. Leave it out only to run a command on an existing feature.
    #[serde(default)]
    pub(crate) request: Option<String>,
    /// Name of the run, such as rate-limits; derived from the request if absent.
    #[serde(default)]
    pub(crate) feature: Option<String>,
    /// Options of the command.
    #[serde(default)]
    pub(crate) options: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunArguments {
    /// Name of the run.
    pub(crate) feature: String,
    /// Command of the run, if several have the same name.
    #[serde(default)]
    pub(crate) command: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitArguments {
    /// Name of the run; the newest open one if absent.
    #[serde(default)]
    pub(crate) feature: Option<String>,
    /// Command of the run, if several have the same name.
    #[serde(default)]
    pub(crate) command: Option<String>,
    /// Longest time to wait, at most 50; 0 only looks.
    #[serde(default = "default_wait")]
    pub(crate) seconds: u64,
    /// The mark of the last look: news since then is told at once.
    #[serde(default)]
    pub(crate) since: Option<String>,
}

fn default_wait() -> u64 {
    DEFAULT_WAIT
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerArguments {
    /// Name of the run.
    pub(crate) feature: String,
    /// Command of the run, if several have the same name.
    #[serde(default)]
    pub(crate) command: Option<String>,
    /// Name of the gate, from the look.
    pub(crate) gate: String,
    /// What was shown, from the look.
    pub(crate) shown: String,
    /// Answers of the person by key of the question. Without them, this host asks the person in a form.
    #[serde(default)]
    pub(crate) answers: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadArguments {
    /// Name of the run.
    pub(crate) feature: String,
    /// Command of the run, if several have the same name.
    #[serde(default)]
    pub(crate) command: Option<String>,
    /// File to read, as listed; the list if absent.
    #[serde(default)]
    pub(crate) file: Option<String>,
    /// Position to read from, in bytes: where the last page says that the next one starts.
    #[serde(default)]
    pub(crate) offset: usize,
    /// Digest of the last page, to notice a change in between.
    #[serde(default)]
    pub(crate) digest: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckArguments {
    /// Name of the specification.
    pub(crate) feature: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SurveyArguments {
    /// Description of the change, in words.
    pub(crate) request: String,
    /// Number of files, at most 20.
    #[serde(default = "default_top")]
    pub(crate) top: usize,
}

fn default_top() -> usize {
    8
}

/// Parses the arguments of a call.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Option<Map<String, Value>>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| format!("wrong arguments: {error}"))
}
