//! The agents of a configuration: the built-in profiles as the user adjusted them, and those the user added.

use super::schema::{Profile, PromptBy, Talk};
use crate::stream::Format;
use charrette_model::config::Settings;
use charrette_model::seats::EMBEDDED;
use serde_json::Value;
use std::collections::BTreeMap;

/// The built-in profiles, by name.
const BUILT_IN: &[(&str, &str)] = &[
    ("claude", include_str!("../../../../assets/agents/claude.toml")),
    ("codex", include_str!("../../../../assets/agents/codex.toml")),
    ("cursor", include_str!("../../../../assets/agents/cursor.toml")),
    ("gemini", include_str!("../../../../assets/agents/gemini.toml")),
    ("opencode", include_str!("../../../../assets/agents/opencode.toml")),
];

/// An agent that may be seated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// What seats and records call it.
    pub name: String,
    /// How it works.
    pub profile: Profile,
    /// The program to run, if the user named one.
    pub command: Option<String>,
    /// Arguments appended to every call.
    pub args: Vec<String>,
    /// The model to ask for, if the user wants one.
    pub model: Option<String>,
    /// The effort to ask for, if the user wants one.
    pub effort: Option<String>,
    /// The address of an endpoint.
    pub url: Option<String>,
    /// The environment variable that holds its key.
    pub key_env: Option<String>,
}

/// Something in the configuration that makes no agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RosterError {
    /// Neither a built-in profile nor a kind.
    #[error("agents.{0} is not built in: say how to talk to it with agents.{0}.kind or agents.{0}.like")]
    NoKind(String),
    /// No such profile to start from.
    #[error("agents.{agent}.like names {like}, which is not a built-in agent")]
    NoSuchProfile {
        /// The agent.
        agent: String,
        /// What it wants to be like.
        like: String,
    },
    /// Its kind needs a setting that is missing.
    #[error("agents.{agent} is of kind {kind} and needs agents.{agent}.{setting}")]
    Missing {
        /// The agent.
        agent: String,
        /// Its kind.
        kind: &'static str,
        /// What is missing.
        setting: &'static str,
    },
    /// The name belongs to the agent that is part of charrette.
    #[error("agents.{EMBEDDED} cannot be configured: that is the agent inside charrette")]
    Embedded,
    /// A value that cannot be an argument.
    #[error("agents.{agent}.{setting} contains a control character")]
    ControlCharacter {
        /// The agent.
        agent: String,
        /// The setting.
        setting: &'static str,
    },
}

/// All agents of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    agents: BTreeMap<String, Agent>,
}

impl Roster {
    /// The agents that these settings describe. What cannot be understood is left out and reported.
    pub fn configured(settings: &Settings) -> (Roster, Vec<RosterError>) {
        let mut agents: BTreeMap<String, Agent> =
            built_in().into_iter().map(|(name, profile)| (name.to_owned(), plain(name, profile))).collect();
        let mut problems = Vec::new();
        for (name, adjusted) in adjustments(settings) {
            match adjust(&name, &adjusted, agents.get(&name)) {
                Ok(agent) => {
                    agents.insert(name, agent);
                }
                Err(problem) => problems.push(problem),
            }
        }
        (Roster { agents }, problems)
    }

    /// The agent of that name.
    pub fn get(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// All of them, by name.
    pub fn all(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }
}

/// The built-in profiles, by name.
pub fn built_in() -> Vec<(&'static str, Profile)> {
    // A profile that does not parse is caught by a test; here it would only be missing.
    BUILT_IN.iter().filter_map(|(name, text)| Some((*name, toml::from_str(text).ok()?))).collect()
}

fn plain(name: &str, profile: Profile) -> Agent {
    Agent {
        name: name.to_owned(),
        profile,
        command: None,
        args: Vec::new(),
        model: None,
        effort: None,
        url: None,
        key_env: None,
    }
}

/// Every `agents.<name>.<setting>` that is set, by name.
fn adjustments(settings: &Settings) -> BTreeMap<String, BTreeMap<String, Value>> {
    let mut found: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for (key, setting) in settings.all() {
        let Some((name, what)) = key.strip_prefix("agents.").and_then(|rest| rest.rsplit_once('.')) else {
            continue;
        };
        found.entry(name.to_owned()).or_default().insert(what.to_owned(), setting.value.clone());
    }
    found
}

fn adjust(
    name: &str,
    adjusted: &BTreeMap<String, Value>,
    before: Option<&Agent>,
) -> Result<Agent, RosterError> {
    if name == EMBEDDED {
        return Err(RosterError::Embedded);
    }
    let text = |setting: &'static str| -> Result<Option<String>, RosterError> {
        let Some(value) = adjusted.get(setting).and_then(Value::as_str) else { return Ok(None) };
        if value.chars().any(char::is_control) {
            return Err(RosterError::ControlCharacter { agent: name.to_owned(), setting });
        }
        Ok(Some(value.to_owned()))
    };
    let texts = |setting: &str| -> Vec<String> {
        let items = adjusted.get(setting).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let mut profile = match (text("kind")?.as_deref(), text("like")?, before) {
        (Some(kind), _, _) => of_kind(name, kind),
        (None, Some(like), _) => {
            let found = built_in().into_iter().find(|(known, _)| *known == like).map(|(_, profile)| profile);
            found.ok_or(RosterError::NoSuchProfile { agent: name.to_owned(), like })?
        }
        (None, None, Some(agent)) => agent.profile.clone(),
        (None, None, None) => return Err(RosterError::NoKind(name.to_owned())),
    };
    if let Some(vendor) = text("vendor")? {
        profile.vendor = vendor;
    }
    profile.environment.pass.extend(texts("env"));
    let agent = Agent {
        command: text("command")?,
        args: texts("args"),
        model: text("model")?,
        effort: text("effort")?,
        url: text("url")?,
        key_env: text("key_env")?,
        ..plain(name, profile)
    };
    let missing = |kind, setting| RosterError::Missing { agent: name.to_owned(), kind, setting };
    match agent.profile.talk {
        Talk::Openai if agent.url.is_none() => Err(missing("openai", "url")),
        Talk::Acp if agent.command.is_none() && agent.profile.programs.is_empty() => {
            Err(missing("acp", "command"))
        }
        Talk::Process if agent.command.is_none() && agent.profile.programs.is_empty() => {
            Err(missing("command", "command"))
        }
        _ => Ok(agent),
    }
}

/// A profile for something charrette knows nothing about but how to talk to it.
fn of_kind(name: &str, kind: &str) -> Profile {
    let talk = match kind {
        "acp" => Talk::Acp,
        "openai" => Talk::Openai,
        _ => Talk::Process,
    };
    Profile {
        vendor: name.to_owned(),
        talk,
        programs: Vec::new(),
        version: Vec::new(),
        tested: Vec::new(),
        output: Format::Text,
        streams: talk != Talk::Process,
        prompt_by: PromptBy::Stdin,
        reads_ignored: talk == Talk::Process,
        arguments: super::Arguments::default(),
        environment: super::Environment::default(),
        files: BTreeMap::new(),
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
        let (roster, problems) = Roster::configured(&settings);
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
    fn built_in_profiles_name_only_what_is_filled_in_and_the_files_they_bring() {
        const KNOWN: [&str; 5] = ["{model}", "{effort}", "{session}", "{folder}", "{lane}"];
        for (name, profile) in built_in() {
            let a = &profile.arguments;
            let lists = [
                &a.always,
                &a.read_only,
                &a.writing,
                &a.isolated,
                &a.model,
                &a.effort,
                &a.session,
                &a.folder,
                &a.prompt,
            ];
            for word in lists.into_iter().flatten() {
                let filled = KNOWN.iter().fold(word.clone(), |word, known| word.replace(known, ""));
                let braces = filled.matches(['{', '}']).count();
                assert!(
                    braces == 0 || word.contains('='),
                    "{name}: {word} has something that nobody fills in"
                );
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
             [agents.local]\nkind = \"openai\"\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\n",
        );
        assert_eq!(problems, [""; 0]);
        let claude = roster.get("claude").unwrap();
        assert_eq!((claude.model.as_deref(), claude.args.as_slice()), (Some("opus"), &["-v".to_owned()][..]));
        assert_eq!(roster.get("second").unwrap().profile.vendor, "anthropic");
        let mine = roster.get("mine").unwrap();
        assert_eq!((mine.profile.vendor.as_str(), mine.profile.talk), ("me", Talk::Process));
        assert_eq!(mine.profile.environment.pass, ["MY_KEY"]);
        assert_eq!(roster.get("local").unwrap().profile.talk, Talk::Openai);
        assert_eq!(roster.all().count(), BUILT_IN.len() + 3);
    }

    #[test]
    fn what_makes_no_agent_is_reported_and_left_out() {
        let (roster, problems) = roster(
            "[agents.a]\nmodel = \"x\"\n[agents.b]\nkind = \"openai\"\n[agents.c]\nkind = \"acp\"\n\
             [agents.d]\nlike = \"clod\"\n[agents.embedded]\nmodel = \"x\"\n[agents.codex]\nmodel = \"a\\u0000b\"\n",
        );
        assert_eq!(
            problems,
            [
                "agents.a is not built in: say how to talk to it with agents.a.kind or agents.a.like",
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
