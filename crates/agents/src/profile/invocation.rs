//! Command line and environment of one call.

use super::roster::Agent;
use super::schema::{Access, PromptBy};
use crate::host::HostEnvironment;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables that are passed to every client.
const BASE_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_*",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
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

/// Parameters of one call.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    pub access: Access,
    /// Folder that the agent works in.
    pub folder: &'a Path,
    /// True if the repository's hooks, servers and settings apply.
    pub repo_settings: bool,
    /// Id of the session to resume.
    pub session: Option<&'a str>,
    /// Scratch folder.
    pub lane: &'a Path,
    /// File with the prompt, for clients that read it from there.
    pub prompt_file: &'a Path,
}

impl Agent {
    /// Program and arguments; `None` if the program is not found.
    pub fn arguments(&self, host: &HostEnvironment, invocation: &Invocation<'_>) -> Option<Vec<OsString>> {
        let mut command = self.program(host)?;
        let arguments = &self.profile.arguments;
        let placeholders = Placeholders {
            model: self.model.as_deref().map(OsStr::new),
            effort: self.effort.as_deref().map(OsStr::new),
            session: invocation.session.map(OsStr::new),
            folder: Some(invocation.folder.as_os_str()),
            lane: Some(invocation.lane.as_os_str()),
            prompt_file: Some(invocation.prompt_file.as_os_str()),
        };
        let isolated: &[String] = if invocation.repo_settings { &[] } else { &arguments.isolated };
        let hook: &[String] = if host.hook.is_some() { &arguments.hook } else { &[] };
        let parts: [&[String]; 9] = [
            &arguments.always,
            isolated,
            hook,
            arguments.access(invocation.access),
            &arguments.model,
            &arguments.effort,
            &arguments.folder,
            &self.args,
            &arguments.session,
        ];
        for part in parts {
            command.extend(placeholders.fill_all(part));
        }
        command.extend(placeholders.fill_all(&arguments.prompt));
        Some(command)
    }

    /// All environment variables of a call, or of the version check.
    pub fn environment(
        &self,
        host: &HostEnvironment,
        invocation: Option<&Invocation<'_>>,
    ) -> BTreeMap<OsString, OsString> {
        let profile = &self.profile.environment;
        let key = self.key_env.iter().map(String::as_str);
        let passed: Vec<&str> = BASE_VARIABLES
            .iter()
            .copied()
            .chain(profile.pass.iter().map(String::as_str))
            .chain(key)
            .collect();
        let is_passed = |name: &OsStr| {
            name.to_str().is_some_and(|name| passed.iter().any(|rule| matches_rule(rule, name)))
        };
        let mut environment: BTreeMap<OsString, OsString> = host
            .variables
            .iter()
            .filter(|(name, _)| is_passed(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let repo_settings = invocation.is_some_and(|invocation| invocation.repo_settings);
        let isolated = if repo_settings { None } else { Some(&profile.isolated) };
        let lane = invocation.map(|invocation| invocation.lane.as_os_str());
        for (name, value) in profile.set.iter().chain(isolated.into_iter().flatten()) {
            let placeholders = Placeholders { lane, ..Placeholders::default() };
            if let Some(value) = placeholders.fill(value) {
                environment.insert(name.into(), value);
            }
        }
        // Agents run git too: it must neither prompt nor take locks that others need.
        environment.insert("GIT_TERMINAL_PROMPT".into(), "0".into());
        environment.insert("GIT_OPTIONAL_LOCKS".into(), "0".into());
        environment.insert("TERM".into(), "dumb".into());
        environment.insert("NO_COLOR".into(), "1".into());
        environment
    }

    /// Names and contents of the files in its scratch folder.
    pub fn files(&self, host: &HostEnvironment) -> Vec<(&str, String)> {
        let hook = host.hook.as_ref().map(|hook| {
            let quoted = serde_json::Value::from(hook.to_string_lossy()).to_string();
            quoted.trim_matches('"').to_owned()
        });
        let filled = |text: &String| match &hook {
            Some(hook) => Some(text.replace("{hook}", hook)),
            None => (!text.contains("{hook}")).then(|| text.clone()),
        };
        self.profile.files.iter().filter_map(|(name, text)| Some((name.as_str(), filled(text)?))).collect()
    }

    pub fn reads_prompt_from_stdin(&self) -> bool {
        self.profile.prompt_by == PromptBy::Stdin
    }
}

/// True if a rule matches: the name of a variable, or a prefix followed by `*`.
fn matches_rule(rule: &str, name: &str) -> bool {
    match rule.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == rule,
    }
}

/// Values of the placeholders in a profile.
#[derive(Debug, Clone, Copy, Default)]
struct Placeholders<'a> {
    model: Option<&'a OsStr>,
    effort: Option<&'a OsStr>,
    session: Option<&'a OsStr>,
    folder: Option<&'a OsStr>,
    lane: Option<&'a OsStr>,
    prompt_file: Option<&'a OsStr>,
}

impl Placeholders<'_> {
    /// Fills a list; empty if a placeholder in it has no value.
    fn fill_all(&self, list: &[String]) -> Vec<OsString> {
        list.iter().map(|text| self.fill(text)).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    fn fill(&self, text: &str) -> Option<OsString> {
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
    use super::super::{Roster, Transport};
    use super::*;
    use charrette_model::config::{Layer, read_layers};
    use std::path::PathBuf;

    fn agent(name: &str, text: &str) -> Agent {
        let layer = Layer { origin: "charrette.toml".to_owned(), text: text.to_owned() };
        Roster::from_settings(&read_layers(&[layer]).0).0.get(name).unwrap().clone()
    }

    fn host(variables: &[(&str, &str)]) -> HostEnvironment {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        HostEnvironment {
            folder: PathBuf::from("/repo"),
            in_repository: true,
            hook: None,
            active_folder: None,
            variables,
        }
    }

    const READING: Access = Access { writing: false, web: false, sandboxed: false };

    fn invocation() -> Invocation<'static> {
        Invocation {
            access: READING,
            folder: Path::new("/repo"),
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
        let here = host(&[]);
        let words = |agent: &Agent, invocation: &Invocation<'_>| -> Vec<String> {
            let words = agent.arguments(&here, invocation).unwrap();
            words.into_iter().map(|word| word.into_string().unwrap()).collect()
        };
        let without = words(&plain, &invocation());
        assert!(!without.iter().any(|word| word == "--model" || word == "--effort" || word == "--resume"));
        let with = words(&set, &Invocation { session: Some("s1"), ..invocation() });
        for pair in [["--model", "a b"], ["--effort", "high"], ["--resume", "s1"]] {
            assert!(with.windows(2).any(|two| two == pair), "{pair:?} in {with:?}");
        }
    }

    #[test]
    fn the_hook_is_passed_only_if_it_is_installed() {
        let claude = agent("claude", "[agents.claude]\ncommand = \"/bin/true\"\n");
        let without = host(&[]);
        let with = HostEnvironment { hook: Some(PathBuf::from("/o p/\"x\"/charrette-hook")), ..host(&[]) };
        let pair = [OsString::from("--settings"), OsString::from("/lane/hooks.json")];
        let has_pair = |host: &HostEnvironment| {
            claude.arguments(host, &invocation()).unwrap().windows(2).any(|two| two == pair)
        };
        assert!(has_pair(&with) && !has_pair(&without));
        assert!(claude.files(&without).is_empty());
        let files = claude.files(&with);
        let [("hooks.json", text)] = files.as_slice() else { panic!("{files:?}") };
        let settings: serde_json::Value = serde_json::from_str(text).unwrap();
        let hook = &settings["hooks"]["PreToolUse"][0]["hooks"][0];
        assert_eq!(
            (hook["command"].as_str(), hook["onFailure"].as_str()),
            (Some("/o p/\"x\"/charrette-hook"), Some("block"))
        );
    }

    #[test]
    fn access_and_isolation_change_the_call() {
        let here = host(&[]);
        for (name, profile) in super::super::built_in() {
            assert_eq!(profile.transport, Transport::Process, "{name}");
            let agent = agent(name, &format!("[agents.{name}]\ncommand = \"/bin/true\"\n"));
            let reading = agent.arguments(&here, &invocation()).unwrap();
            let writing = agent
                .arguments(&here, &Invocation { access: Access { writing: true, ..READING }, ..invocation() })
                .unwrap();
            let open = agent.arguments(&here, &Invocation { repo_settings: true, ..invocation() }).unwrap();
            let environments = [
                agent.environment(&here, Some(&invocation())),
                agent.environment(&here, Some(&Invocation { repo_settings: true, ..invocation() })),
            ];
            assert_ne!(reading, writing, "{name}");
            if *name == "cursor" {
                // It has no switch for that; without a terminal it refuses whatever would need approval.
                continue;
            }
            assert!(
                reading != open || environments[0] != environments[1],
                "{name}: nothing keeps the repository out"
            );
        }
    }

    /// The words of a command line that differ with the web, for each access.
    #[test]
    fn the_web_adds_its_tools_and_nothing_else() {
        let here = host(&[]);
        let claude_web = ["--allowedTools", "WebFetch,WebSearch", "Read,Grep,Glob,WebFetch,WebSearch"];
        let claude_writing =
            ["Bash,WebFetch,WebSearch", "Bash,Edit,Glob,Grep,NotebookEdit,Read,WebFetch,WebSearch,Write"];
        let (live, disabled): (&[&str], &[&str]) = (&["web_search=\"live\""], &["web_search=\"disabled\""]);
        let cases: [(&str, bool, &[&str], &[&str]); 10] = [
            ("claude", false, &["Read,Grep,Glob"], &claude_web),
            ("claude", true, &["Bash", "Bash,Edit,Glob,Grep,NotebookEdit,Read,Write"], &claude_writing),
            ("codex", false, disabled, live),
            ("codex", true, disabled, live),
            ("cursor", false, &[], &[]),
            ("cursor", true, &[], &[]),
            ("gemini", false, &["/lane/read-only.toml"], &["/lane/read-only-web.toml"]),
            ("gemini", true, &["/lane/writing.toml"], &["/lane/writing-web.toml"]),
            ("opencode", false, &["charrette-read"], &["charrette-read-web"]),
            ("opencode", true, &["charrette-write"], &["charrette-write-web"]),
        ];
        for (name, writing, only_without, only_with) in cases {
            let agent = agent(name, &format!("[agents.{name}]\ncommand = \"/bin/true\"\n"));
            let words = |web: bool| -> Vec<String> {
                let words = agent
                    .arguments(
                        &here,
                        &Invocation { access: Access { writing, web, sandboxed: false }, ..invocation() },
                    )
                    .unwrap();
                words.into_iter().map(|word| word.into_string().unwrap()).collect()
            };
            let (without, with) = (words(false), words(true));
            let missing = |from: &[String], other: &[String]| -> Vec<String> {
                from.iter().filter(|word| !other.contains(word)).cloned().collect()
            };
            assert_eq!(missing(&without, &with), only_without, "{name}, writing: {writing}");
            assert_eq!(missing(&with, &without), only_with, "{name}, writing: {writing}");
            assert_eq!(agent.profile.arguments.has_web(), name != "cursor", "{name}");
        }
    }

    #[test]
    fn the_agents_of_opencode_differ_by_the_web_only() {
        let profile = agent("opencode", "").profile;
        let config: serde_json::Value =
            serde_json::from_str(&profile.environment.set["OPENCODE_CONFIG_CONTENT"]).unwrap();
        let permissions = |name: &str| config["agent"][name]["permission"].as_object().unwrap().clone();
        for plain in ["charrette-read", "charrette-write"] {
            let mut with = permissions(&format!("{plain}-web"));
            assert_eq!(
                [with.remove("webfetch"), with.remove("websearch")],
                [Some("allow".into()), Some("allow".into())]
            );
            assert_eq!(with, permissions(plain));
        }
    }

    #[test]
    fn another_folder_replaces_the_repository_on_the_command_line() {
        let agent = agent("cursor", "[agents.cursor]\ncommand = \"/bin/true\"\n");
        let invocation = Invocation {
            folder: Path::new("/copy"),
            access: Access { writing: true, ..READING },
            ..invocation()
        };
        let words = agent.arguments(&host(&[]), &invocation).unwrap();
        assert!(words.windows(2).any(|two| two == ["--workspace", "/copy"]), "{words:?}");
        assert!(!words.iter().any(|word| word == "/repo"), "{words:?}");
    }

    #[test]
    fn only_variables_of_the_profile_are_passed_on() {
        let here = host(&[
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "k1"),
            ("OPENAI_API_KEY", "k2"),
            ("GITHUB_TOKEN", "k3"),
            ("MINE", "m"),
            ("CHARRETTE_NOW", "x"),
        ]);
        let claude = agent("claude", "[agents.claude]\nenv = [\"MINE\"]\n");
        let environment = claude.environment(&here, Some(&invocation()));
        let has = |name: &str| environment.contains_key(OsStr::new(name));
        assert!(has("PATH") && has("ANTHROPIC_API_KEY") && has("MINE"));
        assert!(!has("OPENAI_API_KEY") && !has("GITHUB_TOKEN") && !has("CHARRETTE_NOW"));
    }
}
