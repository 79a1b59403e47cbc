//! The shape of a profile.

use crate::stream::Format;
use serde::Deserialize;
use std::collections::BTreeMap;

/// How to find a client, how to call it, how it answers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Whose models answer: panels prefer different ones.
    pub vendor: String,
    /// How it is talked to.
    #[serde(default)]
    pub talk: Talk,
    /// What it is called, first found first taken; more than one word is a program with a subcommand.
    #[serde(default)]
    pub programs: Vec<Vec<String>>,
    /// Arguments that make it print its version.
    #[serde(default)]
    pub version: Vec<String>,
    /// The versions this profile was tried with.
    #[serde(default)]
    pub tested: Vec<String>,
    /// What it prints.
    pub output: Format,
    /// Whether it prints while it works, so that silence means something.
    #[serde(default)]
    pub streams: bool,
    /// How it is given its prompt.
    #[serde(default)]
    pub prompt_by: PromptBy,
    /// Whether it can read files that git ignores.
    #[serde(default)]
    pub reads_ignored: bool,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Arguments,
    /// Its environment.
    #[serde(default)]
    pub environment: Environment,
    /// Files that lie in its scratch folder when it starts, by name: `{lane}/NAME` in arguments.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Where to get it, for a person who does not have it.
    #[serde(default)]
    pub install: Option<String>,
    /// What to type to log in.
    #[serde(default)]
    pub login: Option<String>,
}

/// How an agent is talked to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Talk {
    /// A process per call: prompt in, answer out.
    #[default]
    Process,
    /// A process that speaks the Agent Client Protocol on its pipes.
    Acp,
    /// An OpenAI-compatible HTTP endpoint.
    Openai,
}

/// How a process is given its prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptBy {
    /// On standard input, which is then closed.
    #[default]
    Stdin,
    /// As a file, whose path stands where `arguments.prompt` has `{prompt_file}`. Standard input is closed.
    File,
}

/// Arguments, in the order in which they are given. `{…}` is filled in; a list whose value is not set is left out.
/// `{folder}` and `{lane}`, the scratch folder, are always set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arguments {
    /// Always, first.
    pub always: Vec<String>,
    /// Where it must not change anything.
    pub read_only: Vec<String>,
    /// Where it may change the tree.
    pub writing: Vec<String>,
    /// To keep the repository's own hooks, servers and settings out, unless `policy.repo_settings` lets them in.
    pub isolated: Vec<String>,
    /// With `{model}`.
    pub model: Vec<String>,
    /// With `{effort}`.
    pub effort: Vec<String>,
    /// With `{session}`, to go on with one.
    pub session: Vec<String>,
    /// With `{folder}`: where it works. It is also started there.
    pub folder: Vec<String>,
    /// Last, such as `-` for "the prompt is on standard input".
    pub prompt: Vec<String>,
}

/// What a client finds in its environment. Nothing else is passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Environment {
    /// Variables that are passed on if they are set; `*` at the end stands for anything.
    pub pass: Vec<String>,
    /// Variables that are set. `{lane}` is its scratch folder.
    pub set: BTreeMap<String, String>,
    /// Those of them that only keep the repository out, as `arguments.isolated`.
    pub isolated: BTreeMap<String, String>,
}
