//! Layered configuration files: the later layer wins, and every value remembers its origin.

use super::keys::MAX_SECONDS;
use super::keys::{self, KEYS, SettingKey, SettingKind};
use crate::escape::printable;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// One configuration file, not yet parsed.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Path, for messages.
    pub origin: String,
    pub text: String,
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    pub value: Value,
    /// `default`, or a file and line.
    pub origin: String,
}

/// A problem in a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "severity", rename_all = "lowercase")]
pub enum ConfigProblem {
    /// The value is unusable; the layer below applies.
    Error { message: String },
    /// The value has no effect.
    Warning { message: String },
}

impl ConfigProblem {
    /// Location and problem, in one line.
    pub fn message(&self) -> &str {
        match self {
            ConfigProblem::Error { message } | ConfigProblem::Warning { message } => message,
        }
    }

    /// True if it makes a value unusable.
    pub fn is_error(&self) -> bool {
        matches!(self, ConfigProblem::Error { .. })
    }
}

/// The effective settings.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub(super) values: BTreeMap<String, Setting>,
}

impl Settings {
    /// Every value with its origin, by name.
    pub fn all(&self) -> &BTreeMap<String, Setting> {
        &self.values
    }

    /// Maximum number of words in a context summary.
    pub fn summary_words(&self) -> usize {
        let words = self.values.get("limits.summary_words").and_then(|setting| setting.value.as_u64());
        words.and_then(|words| usize::try_from(words).ok()).unwrap_or(crate::words::MAX_SUMMARY_WORDS)
    }

    /// Maximum number of agents working at the same time.
    pub fn parallel(&self) -> usize {
        let parallel = self.values.get("limits.parallel").and_then(|setting| setting.value.as_u64());
        parallel.and_then(|parallel| usize::try_from(parallel).ok()).unwrap_or(4)
    }

    /// Folder of run artifacts, relative to the repository's root.
    pub fn workspace_folder(&self) -> &str {
        self.values.get("paths.workspace").and_then(|setting| setting.value.as_str()).unwrap_or(".specs")
    }

    /// Folder of specifications.
    pub fn specs_folder(&self) -> &str {
        self.values.get("paths.specs").and_then(|setting| setting.value.as_str()).unwrap_or("specs")
    }

    /// The configured main branch; empty if it is to be detected.
    pub fn main_branch(&self) -> &str {
        self.values.get("preflight.main").and_then(|setting| setting.value.as_str()).unwrap_or_default()
    }

    /// Reaction to an unreachable remote: `warn`, `fail`, or `off` to never fetch.
    pub fn fetch(&self) -> &str {
        self.values.get("preflight.fetch").and_then(|setting| setting.value.as_str()).unwrap_or("warn")
    }

    /// Action for an existing run: `ask`, `resume` or `fresh`.
    pub fn existing_run(&self) -> &str {
        self.values.get("resume.existing").and_then(|setting| setting.value.as_str()).unwrap_or("ask")
    }

    /// Meaning of a failing hook inside a run: `open` or `closed`.
    pub fn hooks_on_error(&self) -> &str {
        self.values.get("hooks.on_error").and_then(|setting| setting.value.as_str()).unwrap_or("open")
    }

    /// True if a rule of hooks is on: `danger` or `secrets`.
    pub fn has_hook_rule(&self, rule: &str) -> bool {
        let value = self.values.get(&format!("hooks.{rule}")).and_then(|setting| setting.value.as_str());
        value != Some("off")
    }

    /// True if a model may approve through MCP.
    pub fn models_approve(&self) -> bool {
        let setting = self.values.get("policy.approve_via_mcp").and_then(|setting| setting.value.as_str());
        setting == Some("allow")
    }

    /// URL of the tracker.
    pub fn linear_endpoint(&self) -> &str {
        let endpoint = self.values.get("linear.endpoint").and_then(|setting| setting.value.as_str());
        endpoint.unwrap_or("https://api.linear.app/graphql")
    }

    /// URL for webhook delivery, if configured.
    pub fn webhook_url(&self) -> Option<&str> {
        let url = self.values.get("webhooks.url").and_then(|setting| setting.value.as_str());
        url.filter(|url| !url.trim().is_empty())
    }

    /// Events delivered to the webhook.
    pub fn webhook_events(&self) -> Vec<String> {
        let events = self.values.get("webhooks.events").and_then(|setting| setting.value.as_array());
        events.into_iter().flatten().filter_map(|event| event.as_str().map(str::to_owned)).collect()
    }

    /// The environment variable with the signing secret of webhooks, if they are signed.
    pub fn webhook_secret_variable(&self) -> Option<&str> {
        let name = self.values.get("webhooks.secret_env").and_then(|setting| setting.value.as_str());
        name.filter(|name| !name.trim().is_empty())
    }

    /// Folder of state documents, relative to the repository's root.
    pub fn state_folder(&self) -> &str {
        self.values.get("paths.state").and_then(|setting| setting.value.as_str()).unwrap_or(".claude/state")
    }
}

impl Settings {
    /// A whole number; `default` if the setting has none.
    pub(super) fn whole(&self, name: &str, default: u64) -> u64 {
        self.values.get(name).and_then(|setting| setting.value.as_u64()).unwrap_or(default)
    }
}

/// Applies the layers on top of the defaults, lowest first.
pub fn read_layers(layers: &[Layer]) -> (Settings, Vec<ConfigProblem>) {
    let mut settings = Settings { values: defaults() };
    let mut problems = Vec::new();
    for layer in layers {
        let mut parsed = ParsedLayer::parse(layer);
        problems.append(&mut parsed.problems);
        settings.values.extend(parsed.values.into_iter().map(|parsed| (parsed.name, parsed.setting)));
    }
    (settings, problems)
}

/// The settings of one layer that are known and valid, in the order of the parser, and the problems with the others.
#[derive(Debug, Clone, Default)]
pub struct ParsedLayer {
    pub values: Vec<ParsedSetting>,
    pub problems: Vec<ConfigProblem>,
}

/// A known and valid setting of a layer.
#[derive(Debug, Clone)]
pub struct ParsedSetting {
    /// Whole name, such as `agents.claude.model`.
    pub name: String,
    /// Its entry in the list of settings.
    pub key: &'static SettingKey,
    pub setting: Setting,
}

impl ParsedSetting {
    /// True if it counts in a repository's file only once a person trusts it. A switch that is off makes nothing run.
    pub fn needs_trust(&self) -> bool {
        self.key.repository_rule().needs_trust() && self.setting.value != Value::Bool(false)
    }
}

impl ParsedLayer {
    /// Parses a layer.
    pub fn parse(layer: &Layer) -> ParsedLayer {
        let mut parsed = ParsedLayer::default();
        match DeTable::parse(&layer.text) {
            Ok(table) => Reader { layer, parsed: &mut parsed }.table(&mut Vec::new(), table.get_ref()),
            Err(error) => {
                let line = error.span().map_or(1, |span| line_of(&layer.text, span.start));
                let message = format!("{}:{line}: not TOML: {}", layer.origin, printable(error.message()));
                parsed.problems.push(ConfigProblem::Error { message });
            }
        }
        parsed
    }
}

pub(super) fn defaults() -> BTreeMap<String, Setting> {
    let with_default = KEYS.iter().filter_map(|key| Some((key, key.default?)));
    with_default
        .filter_map(|(key, text)| {
            let value = DeValue::parse(text).ok()?;
            let value = convert(value.get_ref(), key.kind)?;
            Some((key.name.to_owned(), Setting { value, origin: "default".to_owned() }))
        })
        .collect()
}

struct Reader<'a> {
    layer: &'a Layer,
    parsed: &'a mut ParsedLayer,
}

impl Reader<'_> {
    fn table(&mut self, path: &mut Vec<String>, table: &DeTable<'_>) {
        for (name, value) in table {
            path.push(name.get_ref().to_string());
            let origin = format!("{}:{}", self.layer.origin, line_of(&self.layer.text, name.span().start));
            self.member(path, value.get_ref(), origin);
            path.pop();
        }
    }

    fn member(&mut self, path: &mut Vec<String>, value: &DeValue<'_>, origin: String) {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let name = parts.join(".");
        match (keys::find(&parts), value) {
            (Some(key), value) => match convert(value, key.kind) {
                Some(value) => {
                    let setting = Setting { value, origin };
                    self.parsed.values.push(ParsedSetting { name, key, setting });
                }
                None => self.refuse(key, &name, value, &origin),
            },
            (None, DeValue::Table(table)) if keys::is_table(&parts) => self.table(path, table),
            (None, _) => {
                let hint =
                    keys::nearest(&name).map_or(String::new(), |known| format!("; did you mean {known}?"));
                let message = format!("{origin}: unknown setting {}{hint}", printable(&name));
                self.parsed.problems.push(ConfigProblem::Warning { message });
            }
        }
    }

    fn refuse(&mut self, key: &SettingKey, name: &str, value: &DeValue<'_>, origin: &str) {
        let kind = key.kind.describe();
        let found = match value {
            DeValue::String(text) => format!("\"{}\"", printable(text)),
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            other => format!("a {}", other.type_str()),
        };
        self.parsed
            .problems
            .push(ConfigProblem::Error { message: format!("{origin}: {name} takes {kind}, not {found}") });
    }
}

/// Converts a TOML value; `None` if it has another type.
fn convert(value: &DeValue<'_>, kind: SettingKind) -> Option<Value> {
    match (kind, value) {
        (SettingKind::Text, DeValue::String(text)) => Some(Value::from(text.as_ref())),
        (SettingKind::Folder, DeValue::String(text)) if is_inside(text) => Some(Value::from(text.as_ref())),
        (SettingKind::OneOf(words), DeValue::String(text)) if words.contains(&text.as_ref()) => {
            Some(Value::from(text.as_ref()))
        }
        (SettingKind::Whole(least), DeValue::Integer(number)) => {
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            (number >= least).then(|| Value::from(number))
        }
        (SettingKind::Seconds, DeValue::Integer(number)) => {
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            (1..=MAX_SECONDS).contains(&number).then(|| Value::from(number))
        }
        (SettingKind::Amount, DeValue::Integer(number)) => parse_amount(number.as_str()),
        (SettingKind::Amount, DeValue::Float(number)) => parse_amount(number.as_str()),
        (SettingKind::Switch, DeValue::Boolean(value)) => Some(Value::from(*value)),
        (SettingKind::Texts, DeValue::Array(items)) => items
            .iter()
            .map(|item| item.get_ref().as_str().map(Value::from))
            .collect::<Option<Vec<_>>>()
            .map(Value::from),
        (SettingKind::Command, DeValue::String(line)) => {
            (!line.trim().is_empty()).then(|| Value::from(line.as_ref()))
        }
        (SettingKind::Command, DeValue::Array(items)) => {
            let words = items.iter().map(|item| item.get_ref().as_str()).collect::<Option<Vec<_>>>()?;
            words.first().is_some_and(|program| !program.trim().is_empty()).then(|| Value::from(words))
        }
        _ => None,
    }
}

fn parse_amount(text: &str) -> Option<Value> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number >= 0.0).then(|| Value::from(number))
}

/// The file may come from an untrusted repository: it must not point outside.
fn is_inside(folder: &str) -> bool {
    let parts: Vec<&str> = folder.split(['/', '\\']).collect();
    !folder.contains([':', '\0']) && parts.iter().all(|part| !matches!(*part, "" | "." | ".." | ".git"))
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&b| b == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn layer(origin: &str, text: &str) -> Layer {
        Layer { origin: origin.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn later_layers_win_and_origins_are_known() {
        let repository = layer("charrette.toml", "[limits]\nparallel = 2\nsummary_words = 100\n");
        let user = layer(
            "~/charrette.toml",
            "limits.parallel = 8\n[agents.claude]\nmodel = \"big\"\nargs = [\"-v\"]\n",
        );
        let (settings, problems) = read_layers(&[repository, user]);
        assert_eq!(problems, []);
        let found = |name: &str| (settings.all()[name].value.clone(), settings.all()[name].origin.clone());
        assert_eq!(found("limits.parallel"), (json!(8), "~/charrette.toml:1".to_owned()));
        assert_eq!(found("limits.summary_words"), (json!(100), "charrette.toml:3".to_owned()));
        assert_eq!(found("agents.claude.args"), (json!(["-v"]), "~/charrette.toml:4".to_owned()));
        assert_eq!(found("clocks.idle"), (json!(300), "default".to_owned()));
        assert_eq!(settings.summary_words(), 100);
    }

    #[test]
    fn every_default_is_of_its_own_kind() {
        let expected = KEYS.iter().filter(|key| key.default.is_some()).count();
        assert_eq!(defaults().len(), expected);
    }

    #[test]
    fn problems_say_where_and_what() {
        let text = "[limits]\nparalel = 2\nparallel = 0\n[policy]\nrate_limit = \"never\"\n[paths]\nstate = \"../x\"\n[x]\ny = 1\n";
        let (settings, problems) = read_layers(&[layer("charrette.toml", text)]);
        let messages: Vec<&str> = problems.iter().map(ConfigProblem::message).collect();
        assert_eq!(
            messages,
            [
                "charrette.toml:2: unknown setting limits.paralel; did you mean limits.parallel?",
                "charrette.toml:3: limits.parallel takes a whole number of at least 1, not 0",
                "charrette.toml:7: paths.state takes a folder inside the repository, not \"../x\"",
                "charrette.toml:5: policy.rate_limit takes \"ask\" or \"wait\" or \"fallback\", not \"never\"",
                "charrette.toml:8: unknown setting x",
            ]
        );
        assert_eq!(settings.all()["limits.parallel"].value, json!(4));
        assert_eq!(settings.state_folder(), ".claude/state");
    }

    #[test]
    fn a_file_that_is_not_toml_is_one_problem() {
        let (settings, problems) = read_layers(&[layer("charrette.toml", "a = 1\nb = = 2\n")]);
        assert!(problems[0].message().starts_with("charrette.toml:2: not TOML: "), "{problems:?}");
        assert_eq!(settings.all().len(), defaults().len());
    }

    #[test]
    fn folders_stay_inside_the_repository() {
        for (folder, inside) in [
            ("a/b", true),
            (".x", true),
            ("/a", false),
            ("a/../b", false),
            ("", false),
            ("a//b", false),
            (".git/x", false),
            ("C:\\x", false),
        ] {
            assert_eq!(is_inside(folder), inside, "{folder}");
        }
    }
}
