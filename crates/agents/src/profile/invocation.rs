//! A profile turned into one call: arguments, environment, what is fed.

use super::roster::Agent;
use super::schema::PromptBy;
use crate::surroundings::Surroundings;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What every client needs to work at all, whoever made it.
const FOR_EVERYBODY: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TZ",
    "TMPDIR",
    "XDG_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "SYSTEMROOT",
];

/// What one call is about.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    /// Whether it may change the tree.
    pub writing: bool,
    /// Whether the repository's own hooks, servers and settings count.
    pub repo_settings: bool,
    /// A session to go on with.
    pub session: Option<&'a str>,
    /// A scratch folder of its own.
    pub lane: &'a Path,
    /// Where its prompt is, for clients that want a file.
    pub prompt_file: &'a Path,
}

impl Agent {
    /// Its program with all arguments, or none if the program is not there.
    pub fn arguments(&self, surroundings: &Surroundings, occasion: &Occasion<'_>) -> Option<Vec<OsString>> {
        let mut command = self.program(surroundings)?;
        let given = &self.profile.arguments;
        let fill = Filling {
            model: self.model.as_deref().map(OsStr::new),
            effort: self.effort.as_deref().map(OsStr::new),
            session: occasion.session.map(OsStr::new),
            folder: Some(surroundings.folder.as_os_str()),
            lane: Some(occasion.lane.as_os_str()),
            prompt_file: Some(occasion.prompt_file.as_os_str()),
        };
        let isolated: &[String] = if occasion.repo_settings { &[] } else { &given.isolated };
        let access = if occasion.writing { &given.writing } else { &given.read_only };
        let parts: [&[String]; 8] = [
            &given.always,
            isolated,
            access,
            &given.model,
            &given.effort,
            &given.folder,
            &self.args,
            &given.session,
        ];
        for part in parts {
            command.extend(fill.all(part));
        }
        command.extend(fill.all(&given.prompt));
        Some(command)
    }

    /// Everything it finds in its environment.
    pub fn environment(
        &self,
        surroundings: &Surroundings,
        occasion: Option<&Occasion<'_>>,
    ) -> BTreeMap<OsString, OsString> {
        let profile = &self.profile.environment;
        let key = self.key_env.iter().map(String::as_str);
        let passed: Vec<&str> =
            FOR_EVERYBODY.iter().copied().chain(profile.pass.iter().map(String::as_str)).chain(key).collect();
        let is_passed =
            |name: &OsStr| name.to_str().is_some_and(|name| passed.iter().any(|rule| fits(rule, name)));
        let mut environment: BTreeMap<OsString, OsString> = surroundings
            .variables
            .iter()
            .filter(|(name, _)| is_passed(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let repo_settings = occasion.is_some_and(|occasion| occasion.repo_settings);
        let isolated = if repo_settings { None } else { Some(&profile.isolated) };
        let lane = occasion.map(|occasion| occasion.lane.as_os_str());
        for (name, value) in profile.set.iter().chain(isolated.into_iter().flatten()) {
            let fill = Filling { lane, ..Filling::default() };
            if let Some(value) = fill.one(value) {
                environment.insert(name.into(), value);
            }
        }
        // Agents run git too: it must neither ask a person nor fight over locks with the rest of us.
        environment.insert("GIT_TERMINAL_PROMPT".into(), "0".into());
        environment.insert("GIT_OPTIONAL_LOCKS".into(), "0".into());
        environment.insert("TERM".into(), "dumb".into());
        environment.insert("NO_COLOR".into(), "1".into());
        environment
    }

    /// Whether its prompt goes to its standard input.
    pub fn is_fed(&self) -> bool {
        self.profile.prompt_by == PromptBy::Stdin
    }
}

/// Whether a variable is meant by a rule: its name, or its beginning followed by `*`.
fn fits(rule: &str, name: &str) -> bool {
    match rule.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == rule,
    }
}

/// What stands where a profile has `{…}`.
#[derive(Debug, Clone, Copy, Default)]
struct Filling<'a> {
    model: Option<&'a OsStr>,
    effort: Option<&'a OsStr>,
    session: Option<&'a OsStr>,
    folder: Option<&'a OsStr>,
    lane: Option<&'a OsStr>,
    prompt_file: Option<&'a OsStr>,
}

impl Filling<'_> {
    /// All of a list, or nothing if something in it has no value.
    fn all(&self, list: &[String]) -> Vec<OsString> {
        list.iter().map(|text| self.one(text)).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    fn one(&self, text: &str) -> Option<OsString> {
        let names = [
            ("{model}", self.model),
            ("{effort}", self.effort),
            ("{session}", self.session),
            ("{folder}", self.folder),
            ("{lane}", self.lane),
            ("{prompt_file}", self.prompt_file),
        ];
        for (name, value) in names {
            if let Some((before, after)) = text.split_once(name) {
                let mut filled = OsString::from(before);
                filled.push(value?);
                filled.push(after);
                return Some(filled);
            }
        }
        Some(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Roster, Talk};
    use super::*;
    use charrette_model::config::{Layer, read_layers};
    use std::path::PathBuf;

    fn agent(name: &str, text: &str) -> Agent {
        let layer = Layer { origin: "charrette.toml".to_owned(), text: text.to_owned() };
        Roster::configured(&read_layers(&[layer]).0).0.get(name).unwrap().clone()
    }

    fn surroundings(variables: &[(&str, &str)]) -> Surroundings {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Surroundings { folder: PathBuf::from("/repo"), in_repository: true, variables }
    }

    fn occasion() -> Occasion<'static> {
        Occasion {
            writing: false,
            repo_settings: false,
            session: None,
            lane: Path::new("/lane"),
            prompt_file: Path::new("/lane/prompt.md"),
        }
    }

    #[test]
    fn model_effort_and_session_are_passed_only_if_set() {
        let plain = agent("claude", "[agents.claude]\ncommand = \"/bin/true\"\n");
        let set =
            agent("claude", "[agents.claude]\ncommand = \"/bin/true\"\nmodel = \"a b\"\neffort = \"high\"\n");
        let here = surroundings(&[]);
        let words = |agent: &Agent, occasion: &Occasion<'_>| -> Vec<String> {
            let words = agent.arguments(&here, occasion).unwrap();
            words.into_iter().map(|word| word.into_string().unwrap()).collect()
        };
        let without = words(&plain, &occasion());
        assert!(!without.iter().any(|word| word == "--model" || word == "--effort" || word == "--resume"));
        let with = words(&set, &Occasion { session: Some("s1"), ..occasion() });
        for pair in [["--model", "a b"], ["--effort", "high"], ["--resume", "s1"]] {
            assert!(with.windows(2).any(|two| two == pair), "{pair:?} in {with:?}");
        }
    }

    #[test]
    fn reading_and_writing_differ_and_the_repository_is_kept_out() {
        let here = surroundings(&[]);
        for (name, profile) in super::super::built_in() {
            assert_eq!(profile.talk, Talk::Process, "{name}");
            let agent = agent(name, &format!("[agents.{name}]\ncommand = \"/bin/true\"\n"));
            let reading = agent.arguments(&here, &occasion()).unwrap();
            let writing = agent.arguments(&here, &Occasion { writing: true, ..occasion() }).unwrap();
            let open = agent.arguments(&here, &Occasion { repo_settings: true, ..occasion() }).unwrap();
            let environments = [
                agent.environment(&here, Some(&occasion())),
                agent.environment(&here, Some(&Occasion { repo_settings: true, ..occasion() })),
            ];
            assert_ne!(reading, writing, "{name}");
            if name == "cursor" {
                // It has no switch for that; what it would ask about is refused, because nobody is there to ask.
                continue;
            }
            assert!(
                reading != open || environments[0] != environments[1],
                "{name}: nothing keeps the repository out"
            );
        }
    }

    #[test]
    fn nothing_is_passed_on_that_the_profile_does_not_name() {
        let here = surroundings(&[
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "k1"),
            ("OPENAI_API_KEY", "k2"),
            ("GITHUB_TOKEN", "k3"),
            ("MINE", "m"),
            ("CHARRETTE_NOW", "x"),
        ]);
        let claude = agent("claude", "[agents.claude]\nenv = [\"MINE\"]\n");
        let environment = claude.environment(&here, Some(&occasion()));
        let has = |name: &str| environment.contains_key(OsStr::new(name));
        assert!(has("PATH") && has("ANTHROPIC_API_KEY") && has("MINE"));
        assert!(!has("OPENAI_API_KEY") && !has("GITHUB_TOKEN") && !has("CHARRETTE_NOW"));
    }
}
