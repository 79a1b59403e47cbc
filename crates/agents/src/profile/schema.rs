//! Schema of a profile.

use crate::stream::OutputFormat;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Description of a client.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Vendor of the models: panels prefer different vendors.
    pub vendor: String,
    #[serde(default, rename = "talk")]
    pub transport: Transport,
    /// Programs, of which the first one found is used; further words are a subcommand.
    #[serde(default)]
    pub programs: Vec<Vec<String>>,
    /// Arguments that make it print its version.
    #[serde(default)]
    pub version: Vec<String>,
    /// Versions that this profile was tested with.
    #[serde(default)]
    pub tested: Vec<String>,
    pub output: OutputFormat,
    /// True if it prints while it works: the first-byte and idle timeouts apply then.
    #[serde(default)]
    pub streams: bool,
    #[serde(default)]
    pub prompt_by: PromptBy,
    /// True if it can read files that git ignores.
    #[serde(default)]
    pub reads_ignored: bool,
    #[serde(default)]
    pub arguments: Arguments,
    #[serde(default)]
    pub environment: Environment,
    /// Names and contents of files to create in its scratch folder: `{lane}/NAME` in arguments. `{hook}` in a content is the
    /// path of the hook, as inside a JSON string; without a hook such a file is left out.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    #[serde(default)]
    pub sandbox: SandboxNeeds,
    /// Install instructions.
    #[serde(default)]
    pub install: Option<String>,
    /// Command to log in.
    #[serde(default)]
    pub login: Option<String>,
}

/// Needs of a client in the sandbox. `~` is the home folder, `${NAME:-PATH}` a variable with a default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxNeeds {
    /// Files and folders that it changes. A final slash marks a folder, which is created if it is missing.
    pub writes: Vec<String>,
    /// Files and folders with its login, hidden from the clients of other vendors.
    pub logins: Vec<String>,
    /// Files and folders from which it takes hooks, servers, plug-ins or settings: none may change in a call. After
    /// `#`, the one member of a JSON file that counts.
    pub settings: Vec<String>,
}

/// Connection to an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A process per call: prompt on standard input or in a file, answer on standard output.
    #[default]
    Process,
    /// A process that speaks the Agent Client Protocol on its pipes.
    Acp,
    /// An OpenAI-compatible HTTP endpoint.
    Openai,
    /// A folder of calls that a person or any program answers.
    Queue,
}

impl Transport {
    /// True if every call starts a program.
    pub fn needs_program(self) -> bool {
        matches!(self, Transport::Process | Transport::Acp)
    }
}

/// Way to pass the prompt to a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptBy {
    /// On standard input, which is then closed.
    #[default]
    Stdin,
    /// As a file, whose path replaces `{prompt_file}` in `arguments.prompt`. Standard input is closed.
    File,
}

/// Arguments, in their order on the command line. Placeholders `{…}` are replaced; a list with a placeholder
/// that has no value is left out. `{folder}` and `{lane}`, the scratch folder, always have one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arguments {
    /// Always, first.
    pub always: Vec<String>,
    /// For seats that must not change files.
    pub read_only: Vec<String>,
    /// For seats that may change files.
    pub writing: Vec<String>,
    /// For seats that may use the web.
    pub web: AccessArguments,
    /// Where the kernel's sandbox is in force and the client's own would not start in it.
    pub sandboxed: SandboxedArguments,
    /// To ignore the repository's hooks, servers and settings, unless `policy.repo_settings` is set.
    pub isolated: Vec<String>,
    /// To make it ask the hook before each tool, if the hook is installed.
    pub hook: Vec<String>,
    /// With `{model}`.
    pub model: Vec<String>,
    /// With `{effort}`.
    pub effort: Vec<String>,
    /// With `{session}`, to resume a session.
    pub session: Vec<String>,
    /// With `{folder}`: its working directory, in which it is also started.
    pub folder: Vec<String>,
    /// Last, such as `-` for "the prompt is on standard input".
    pub prompt: Vec<String>,
}

/// Arguments that replace those of the same name. An empty list replaces nothing: without arguments for the web, the
/// client cannot use the web there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessArguments {
    pub read_only: Vec<String>,
    pub writing: Vec<String>,
}

/// Arguments that replace those of the same name where the kernel's sandbox is in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxedArguments {
    pub read_only: Vec<String>,
    pub writing: Vec<String>,
    pub web: AccessArguments,
}

/// Rights of a seat that select arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// True if the agent may change files.
    pub writing: bool,
    /// True if the agent may use the web, if its client can.
    pub web: bool,
    /// True if the kernel's sandbox is in force.
    pub sandboxed: bool,
}

impl Arguments {
    /// Arguments for this access.
    pub fn access(&self, access: Access) -> &[String] {
        let (own, kernel) = (&self.web, &self.sandboxed);
        let [plain, web, boxed, boxed_web] = if access.writing {
            [&self.writing, &own.writing, &kernel.writing, &kernel.web.writing]
        } else {
            [&self.read_only, &own.read_only, &kernel.read_only, &kernel.web.read_only]
        };
        let in_order: &[&Vec<String>] = match (access.sandboxed, access.web) {
            (true, true) => &[boxed_web, boxed, web],
            (true, false) => &[boxed],
            (false, true) => &[web],
            (false, false) => &[],
        };
        in_order.iter().find(|list| !list.is_empty()).unwrap_or(&plain)
    }

    /// True if the client's own sandbox is off where the kernel's is in force.
    pub fn replaces_own_sandbox(&self) -> bool {
        !self.sandboxed.read_only.is_empty()
    }

    /// True if the client can use the web in a read-only seat.
    pub fn has_web(&self) -> bool {
        !self.web.read_only.is_empty()
    }
}

/// Environment of a client, in addition to the variables that every client gets. Nothing else is passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Environment {
    /// Variables that are passed on if they are set; a trailing `*` is a wildcard.
    pub pass: Vec<String>,
    /// Variables with fixed values. `{lane}` is the scratch folder.
    pub set: BTreeMap<String, String>,
    /// Variables that make it ignore the repository's settings, as `arguments.isolated`.
    pub isolated: BTreeMap<String, String>,
}
