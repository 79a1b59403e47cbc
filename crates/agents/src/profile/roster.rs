//! The agents of a configuration: built-in profiles with the user's settings, and agents that the user added.

use super::schema::{Profile, PromptBy, Transport};
use crate::stream::OutputFormat;
use charrette_model::config::Settings;
use charrette_model::escape::printable;
use charrette_model::seats::{EMBEDDED, is_agent_name};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The built-in profiles, by name.
const BUILT_IN: &[(&str, &str)] = &[
    ("claude", include_str!("../../../../assets/agents/claude.toml")),
    ("codex", include_str!("../../../../assets/agents/codex.toml")),
    ("cursor", include_str!("../../../../assets/agents/cursor.toml")),
    ("gemini", include_str!("../../../../assets/agents/gemini.toml")),
    ("opencode", include_str!("../../../../assets/agents/opencode.toml")),
];

/// A configured agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    pub profile: Profile,
    /// Program, if the user has set one.
    pub command: Option<String>,
    /// Further arguments of every call.
    pub args: Vec<String>,
    /// Further paths that it may change in the sandbox.
    pub writes: Vec<String>,
    /// Model, if the user has set one.
    pub model: Option<String>,
    /// Reasoning effort, if the user has set one.
    pub effort: Option<String>,
    /// URL of an endpoint.
    pub url: Option<String>,
    /// Environment variable with its key.
    pub key_env: Option<String>,
}

/// Invalid configuration of an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    #[error("agents.{0} is not built in: say how to talk to it with agents.{0}.kind or agents.{0}.like")]
    NoKind(String),
    #[error("agents.{agent}.like names {like}, which is not a built-in agent")]
    UnknownProfile { agent: String, like: String },
    #[error("agents.{agent} is of kind {kind} and needs agents.{agent}.{setting}")]
    MissingSetting { agent: String, kind: &'static str, setting: &'static str },
    #[error("agents.{EMBEDDED} cannot be configured: that is the agent inside charrette")]
    Embedded,
    #[error(
        "agents.\"{}\": a name has at most 64 letters, digits, '-', '_' and '.', and begins with a letter or a digit",
        printable(.0)
    )]
    Name(String),
    #[error("agents.{agent}.{setting} contains a control character")]
    ControlCharacter { agent: String, setting: &'static str },
}

/// All agents of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    agents: BTreeMap<String, Agent>,
}

impl Roster {
    /// The agents of a configuration. Invalid ones are left out and reported.
    pub fn from_settings(settings: &Settings) -> (Roster, Vec<RosterError>) {
        let mut agents: BTreeMap<String, Agent> = built_in()
            .iter()
            .map(|(name, profile)| ((*name).to_owned(), default_agent(name, profile.clone())))
            .collect();
        let mut problems = Vec::new();
        for (name, values) in agent_settings(settings) {
            match configure(&name, &values, agents.get(&name)) {
                Ok(agent) => {
                    agents.insert(name, agent);
                }
                Err(problem) => problems.push(problem),
            }
        }
        (Roster { agents }, problems)
    }

    pub fn get(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// All agents, in order of their names.
    pub fn all(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }
}

/// The built-in profiles, by name.
pub fn built_in() -> &'static [(&'static str, Profile)] {
    static PARSED: LazyLock<Vec<(&str, Profile)>> = LazyLock::new(|| {
        // A test makes sure that all of them parse.
        BUILT_IN.iter().filter_map(|(name, text)| Some((*name, toml::from_str(text).ok()?))).collect()
    });
    &PARSED
}

fn default_agent(name: &str, profile: Profile) -> Agent {
    Agent {
        name: name.to_owned(),
        profile,
        command: None,
        args: Vec::new(),
        writes: Vec::new(),
        model: None,
        effort: None,
        url: None,
        key_env: None,
    }
}

/// Values of `agents.<name>.<setting>`, by name and setting.
fn agent_settings(settings: &Settings) -> BTreeMap<String, BTreeMap<String, Value>> {
    let mut found: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for (key, setting) in settings.all() {
        let Some((name, setting_name)) = key.strip_prefix("agents.").and_then(|rest| rest.rsplit_once('.'))
        else {
            continue;
        };
        found.entry(name.to_owned()).or_default().insert(setting_name.to_owned(), setting.value.clone());
    }
    found
}

fn configure(
    name: &str,
    values: &BTreeMap<String, Value>,
    built_in_agent: Option<&Agent>,
) -> Result<Agent, RosterError> {
    if name == EMBEDDED {
        return Err(RosterError::Embedded);
    }
    // It becomes the name of folders.
    if !is_agent_name(name) {
        return Err(RosterError::Name(name.to_owned()));
    }
    let text = |setting: &'static str| -> Result<Option<String>, RosterError> {
        let Some(value) = values.get(setting).and_then(Value::as_str) else { return Ok(None) };
        if value.chars().any(char::is_control) {
            return Err(RosterError::ControlCharacter { agent: name.to_owned(), setting });
        }
        Ok(Some(value.to_owned()))
    };
    let texts = |setting: &str| -> Vec<String> {
        let items = values.get(setting).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let mut profile = match (text("kind")?.as_deref(), text("like")?, built_in_agent) {
        (Some(kind), _, _) => custom_profile(name, kind),
        (None, Some(like), _) => {
            let found =
                built_in().iter().find(|(known, _)| *known == like).map(|(_, profile)| profile.clone());
            found.ok_or(RosterError::UnknownProfile { agent: name.to_owned(), like })?
        }
        (None, None, Some(agent)) => agent.profile.clone(),
        (None, None, None) => return Err(RosterError::NoKind(name.to_owned())),
    };
    if let Some(vendor) = text("vendor")? {
        profile.vendor = vendor;
    }
    profile.environment.pass.extend(texts("env"));
    if profile.sandbox == super::SandboxNeeds::default()
        && let Some(known) = text("command")?.and_then(|command| built_in_program(&command))
    {
        // The same program, spoken to in another way, writes where it always writes.
        profile.sandbox = known.sandbox;
    }
    let agent = Agent {
        command: text("command")?,
        args: texts("args"),
        writes: texts("writes"),
        model: text("model")?,
        effort: text("effort")?,
        url: text("url")?,
        key_env: text("key_env")?,
        ..default_agent(name, profile)
    };
    let missing = |kind, setting| RosterError::MissingSetting { agent: name.to_owned(), kind, setting };
    match agent.profile.transport {
        Transport::Openai if agent.url.is_none() => Err(missing("openai", "url")),
        Transport::Acp if agent.command.is_none() && agent.profile.programs.is_empty() => {
            Err(missing("acp", "command"))
        }
        Transport::Process if agent.command.is_none() && agent.profile.programs.is_empty() => {
            Err(missing("command", "command"))
        }
        _ => Ok(agent),
    }
}

/// The built-in profile with that program.
fn built_in_program(command: &str) -> Option<Profile> {
    let name = std::path::Path::new(command).file_name()?.to_str()?;
    let has_program = |profile: &&Profile| {
        profile.programs.iter().any(|words| words.first().is_some_and(|word| word == name))
    };
    built_in().iter().map(|(_, profile)| profile).find(has_program).cloned()
}

/// Profile of an agent of which only its transport is known.
fn custom_profile(name: &str, kind: &str) -> Profile {
    let transport = match kind {
        "acp" => Transport::Acp,
        "openai" => Transport::Openai,
        "queue" => Transport::Queue,
        _ => Transport::Process,
    };
    Profile {
        vendor: name.to_owned(),
        transport,
        programs: Vec::new(),
        version: Vec::new(),
        tested: Vec::new(),
        output: OutputFormat::Text,
        streams: matches!(transport, Transport::Acp | Transport::Openai),
        prompt_by: PromptBy::Stdin,
        reads_ignored: matches!(transport, Transport::Process | Transport::Queue),
        arguments: super::Arguments::default(),
        environment: super::Environment::default(),
        files: BTreeMap::new(),
        sandbox: super::SandboxNeeds::default(),
        install: None,
        login: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_model::config::{Layer, read_layers};

    fn roster(text: &str) -> (Roster, Vec<String>) {
        let layer = Layer { origin: "charrette.toml".to_owned(), text: text.to_owned() };
        let (settings, problems) = read_layers(&[layer]);
        assert_eq!(problems, []);
        let (roster, problems) = Roster::from_settings(&settings);
        (roster, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_built_in_profile_is_understood() {
        assert_eq!(built_in().len(), BUILT_IN.len());
        for (name, text) in BUILT_IN {
            if let Err(error) = toml::from_str::<Profile>(text) {
                panic!("{name}: {error}");
            }
        }
    }

    #[test]
    fn built_in_profiles_use_known_placeholders_and_files() {
        const KNOWN: [&str; 5] = ["{model}", "{effort}", "{session}", "{folder}", "{lane}"];
        for (name, profile) in built_in() {
            let a = &profile.arguments;
            let lists = [
                &a.always,
                &a.read_only,
                &a.writing,
                &a.web.read_only,
                &a.web.writing,
                &a.isolated,
                &a.hook,
                &a.model,
                &a.effort,
                &a.session,
                &a.folder,
                &a.prompt,
            ];
            for word in lists.into_iter().flatten() {
                let filled = KNOWN.iter().fold(word.clone(), |word, known| word.replace(known, ""));
                let braces = filled.matches(['{', '}']).count();
                assert!(braces == 0 || word.contains('='), "{name}: unknown placeholder in {word}");
                if let Some(file) = word.strip_prefix("{lane}/") {
                    assert!(profile.files.contains_key(file), "{name}: {file} is not brought along");
                }
            }
            for file in profile.files.keys() {
                assert!(!file.contains('/'), "{name}: {file} is not a plain name");
            }
        }
    }

    #[test]
    fn built_in_agents_are_adjusted_and_others_added() {
        let (roster, problems) = roster(
            "[agents.claude]\nmodel = \"opus\"\nargs = [\"-v\"]\n[agents.second]\nlike = \"claude\"\nmodel = \"haiku\"\n\
             [agents.mine]\nkind = \"command\"\ncommand = \"./mine\"\nvendor = \"me\"\nenv = [\"MY_KEY\"]\n\
             [agents.local]\nkind = \"openai\"\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n\
             [agents.ada]\nkind = \"queue\"\nvendor = \"people\"\nmodel = \"any\"\n",
        );
        assert_eq!(problems, [""; 0]);
        let claude = roster.get("claude").unwrap();
        assert_eq!((claude.model.as_deref(), claude.args.as_slice()), (Some("opus"), &["-v".to_owned()][..]));
        assert_eq!(roster.get("second").unwrap().profile.vendor, "anthropic");
        let mine = roster.get("mine").unwrap();
        assert_eq!((mine.profile.vendor.as_str(), mine.profile.transport), ("me", Transport::Process));
        assert_eq!(mine.profile.environment.pass, ["MY_KEY"]);
        assert_eq!(roster.get("local").unwrap().profile.transport, Transport::Openai);
        let ada = roster.get("ada").unwrap();
        assert_eq!((ada.profile.transport, ada.profile.vendor.as_str()), (Transport::Queue, "people"));
        assert!(!ada.profile.streams, "a person is silent until the answer");
        assert_eq!(roster.all().count(), BUILT_IN.len() + 4);
    }

    #[test]
    fn invalid_agents_are_reported_and_left_out() {
        let (roster, problems) = roster(
            "[agents.a]\nmodel = \"x\"\n[agents.b]\nkind = \"openai\"\n[agents.c]\nkind = \"acp\"\n\
             [agents.d]\nlike = \"clod\"\n[agents.embedded]\nmodel = \"x\"\n[agents.codex]\nmodel = \"a\\u0000b\"\n\
             [agents.\"../x\"]\nkind = \"queue\"\n[agents.\"a b\"]\nkind = \"queue\"\n",
        );
        assert_eq!(
            problems,
            [
                "agents.\"../x\": a name has at most 64 letters, digits, '-', '_' and '.', and begins with a letter or a digit",
                "agents.a is not built in: say how to talk to it with agents.a.kind or agents.a.like",
                "agents.\"a b\": a name has at most 64 letters, digits, '-', '_' and '.', and begins with a letter or a digit",
                "agents.b is of kind openai and needs agents.b.url",
                "agents.c is of kind acp and needs agents.c.command",
                "agents.codex.model contains a control character",
                "agents.d.like names clod, which is not a built-in agent",
                "agents.embedded cannot be configured: that is the agent inside charrette",
            ]
        );
        assert_eq!(roster.all().count(), BUILT_IN.len());
    }
}
