//! The list of settings: name, type, default and purpose.
//!
//! `charrette config init`, `docs/formats/config.md`, its JSON Schema and every check are generated from this
//! list.

use serde_json::{Value, json};

#[derive(Debug, Clone, Copy)]
pub struct SettingKey {
    /// Dotted name; `*` stands for a name of the user's choice.
    pub name: &'static str,
    pub kind: SettingKind,
    /// As TOML; `None` if the setting has no default.
    pub default: Option<&'static str>,
    /// One line.
    pub purpose: &'static str,
}

/// Type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    Text,
    OneOf(&'static [&'static str]),
    /// A whole number, with its minimum.
    Whole(i64),
    /// A number of seconds from 1 to [`MAX_SECONDS`].
    Seconds,
    /// A number, not negative.
    Amount,
    Switch,
    Texts,
    Folder,
    /// A command: a list of program and arguments, or a line for `sh -c`.
    Command,
}

impl SettingKind {
    /// Description for messages and docs.
    pub fn describe(self) -> String {
        match self {
            SettingKind::Text => "text".to_owned(),
            SettingKind::OneOf(words) => {
                words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
            }
            SettingKind::Whole(least) => format!("a whole number of at least {least}"),
            SettingKind::Seconds => format!("a whole number of seconds from 1 to {MAX_SECONDS}"),
            SettingKind::Amount => "a number that is not negative".to_owned(),
            SettingKind::Switch => "true or false".to_owned(),
            SettingKind::Texts => "a list of texts".to_owned(),
            SettingKind::Folder => "a folder inside the repository".to_owned(),
            SettingKind::Command => "a list of program and arguments, or a line for sh".to_owned(),
        }
    }
}

/// Longest time that a clock can be set to: a year. A longer one would overflow when it is added to a time.
pub const MAX_SECONDS: i64 = 31_536_000;

const fn key(
    name: &'static str,
    kind: SettingKind,
    default: Option<&'static str>,
    purpose: &'static str,
) -> SettingKey {
    SettingKey { name, kind, default, purpose }
}

pub const KEYS: &[SettingKey] = &[
    key(
        "agents.*.kind",
        SettingKind::OneOf(&["command", "acp", "openai", "queue"]),
        None,
        "the protocol of an agent that is not built in",
    ),
    key("agents.*.like", SettingKind::Text, None, "the built-in agent whose interface this one has"),
    key(
        "agents.*.vendor",
        SettingKind::Text,
        None,
        "the vendor of the models; panels prefer different vendors",
    ),
    key(
        "agents.*.command",
        SettingKind::Text,
        None,
        "the program to run, if it is not found on PATH by its own name",
    ),
    key(
        "agents.*.env",
        SettingKind::Texts,
        None,
        "names of additional environment variables to pass to the agent",
    ),
    key("agents.*.args", SettingKind::Texts, None, "arguments appended to every call"),
    key(
        "agents.*.writes",
        SettingKind::Texts,
        None,
        "further files and folders that this agent may change in the sandbox; a final slash makes a missing folder",
    ),
    key(
        "agents.*.model",
        SettingKind::Text,
        None,
        "the model to ask for; unset, the agent's own configuration decides",
    ),
    key(
        "agents.*.effort",
        SettingKind::Text,
        None,
        "the effort to ask for; unset, the agent's own configuration decides",
    ),
    key("agents.*.url", SettingKind::Text, None, "the URL of an OpenAI-compatible endpoint"),
    key(
        "agents.*.key_env",
        SettingKind::Text,
        None,
        "the environment variable that holds the endpoint's key",
    ),
    key("seats.*", SettingKind::Texts, None, "agents allowed in a seat, in order of preference"),
    key(
        "limits.parallel",
        SettingKind::Whole(1),
        Some("4"),
        "maximum number of agents working at the same time",
    ),
    key(
        "limits.output_mb",
        SettingKind::Whole(1),
        Some("32"),
        "megabytes of an agent's output that are kept; the output limit that ends a call is 32 times as much",
    ),
    key(
        "limits.summary_words",
        SettingKind::Whole(1),
        Some("500"),
        "maximum number of words in a context summary",
    ),
    key(
        "clocks.first_byte",
        SettingKind::Seconds,
        Some("120"),
        "timeout in seconds for the first output of a streaming agent",
    ),
    key(
        "clocks.idle",
        SettingKind::Seconds,
        Some("300"),
        "timeout in seconds for silence of a streaming agent",
    ),
    key(
        "clocks.grace",
        SettingKind::Seconds,
        Some("5"),
        "grace period in seconds between SIGTERM and SIGKILL",
    ),
    key("clocks.sketch", SettingKind::Seconds, Some("1200"), "timeout in seconds for a whole sketch"),
    key("clocks.review", SettingKind::Seconds, Some("1800"), "timeout in seconds for a whole review"),
    key(
        "clocks.investigate",
        SettingKind::Seconds,
        Some("2400"),
        "timeout in seconds for a whole investigation of one question",
    ),
    key(
        "clocks.design",
        SettingKind::Seconds,
        Some("3600"),
        "timeout in seconds for a whole plan, or a revision of it",
    ),
    key("clocks.probe", SettingKind::Seconds, Some("60"), "timeout in seconds for probing an agent"),
    key("budget.run_usd", SettingKind::Amount, None, "maximum cost of a run in dollars; the run then pauses"),
    key(
        "budget.phase_usd",
        SettingKind::Amount,
        None,
        "maximum cost of a phase in dollars; the run then pauses",
    ),
    key("budget.day_usd", SettingKind::Amount, None, "maximum cost of all runs of a day in dollars"),
    key(
        "budget.run_tokens",
        SettingKind::Whole(1),
        None,
        "maximum number of tokens of a run; the run then pauses",
    ),
    key(
        "policy.rate_limit",
        SettingKind::OneOf(&["ask", "wait", "fallback"]),
        Some("\"ask\""),
        "reaction to a vendor's rate limit",
    ),
    key(
        "policy.models",
        SettingKind::OneOf(&["own", "seed-tiers"]),
        Some("\"own\""),
        "model selection: the agent's own choice, or a preset per seat",
    ),
    key("policy.probe", SettingKind::Switch, Some("true"), "probe agents before they are seated"),
    key(
        "policy.web",
        SettingKind::OneOf(&["research", "off"]),
        Some("\"research\""),
        "the web: for seats that look things up, where the client can, or for none",
    ),
    key(
        "policy.repo_settings",
        SettingKind::Switch,
        Some("false"),
        "let agents load the repository's own hooks, servers and settings",
    ),
    key(
        "policy.approve_via_mcp",
        SettingKind::OneOf(&["person", "allow"]),
        Some("\"person\""),
        "approvals through MCP: only in a form that a person fills in, or also by the model",
    ),
    key(
        "sandbox.mode",
        SettingKind::OneOf(&["auto", "required", "off"]),
        Some("\"auto\""),
        "kernel sandbox around agents: as far as the system enforces it, or none starts without it, or off",
    ),
    key(
        "sandbox.writes",
        SettingKind::Texts,
        Some("[]"),
        "further files and folders that agents may change, such as caches of package managers",
    ),
    key(
        "sandbox.hides",
        SettingKind::Texts,
        Some("[\"~/.ssh\", \"~/.gnupg\", \"~/.aws\"]"),
        "files and folders that agents may not read",
    ),
    key(
        "hooks.on_error",
        SettingKind::OneOf(&["open", "closed"]),
        Some("\"open\""),
        "meaning of a failing hook inside a run: open allows the action, closed denies it",
    ),
    key(
        "hooks.danger",
        SettingKind::OneOf(&["on", "off"]),
        Some("\"on\""),
        "deny dangerous shell commands to sessions in a checkout while a run is driven; lanes never run them",
    ),
    key(
        "hooks.secrets",
        SettingKind::OneOf(&["on", "off"]),
        Some("\"on\""),
        "deny file tools on secrets to sessions in a checkout while a run is driven; lanes never get them",
    ),
    key(
        "preflight.fetch",
        SettingKind::OneOf(&["warn", "fail", "off"]),
        Some("\"warn\""),
        "reaction to an unreachable remote; off never fetches",
    ),
    key(
        "preflight.main",
        SettingKind::Text,
        Some("\"\""),
        "the main branch, if it cannot be detected from the repository",
    ),
    key(
        "resume.existing",
        SettingKind::OneOf(&["ask", "resume", "fresh"]),
        Some("\"ask\""),
        "action when a run of that name exists",
    ),
    key(
        "linear.endpoint",
        SettingKind::Text,
        Some("\"https://api.linear.app/graphql\""),
        "URL of the tracker's GraphQL endpoint",
    ),
    key("webhooks.url", SettingKind::Text, None, "URL for webhook delivery"),
    key(
        "webhooks.events",
        SettingKind::Texts,
        Some("[\"phase.finished\", \"run.finished\"]"),
        "events delivered to the webhook",
    ),
    key(
        "webhooks.secret_env",
        SettingKind::Text,
        None,
        "the environment variable that holds the signing secret of webhooks",
    ),
    key(
        "verify.setup",
        SettingKind::Command,
        None,
        "command that prepares a new worktree, such as installing dependencies",
    ),
    key("verify.build", SettingKind::Command, None, "command that builds the project"),
    key("verify.lint", SettingKind::Command, None, "command that checks style and formatting"),
    key("verify.types", SettingKind::Command, None, "command that checks types"),
    key("verify.test", SettingKind::Command, None, "command that runs all tests"),
    key(
        "verify.fast",
        SettingKind::Command,
        None,
        "command that verifies one task; unset, all of build, lint, types and test",
    ),
    key(
        "verify.test_one",
        SettingKind::Command,
        None,
        "command that runs one test by its name, which replaces {test}",
    ),
    key("verify.timeout", SettingKind::Seconds, Some("900"), "timeout in seconds for one verify command"),
    key(
        "verify.network",
        SettingKind::Switch,
        Some("false"),
        "let setup and verify commands use the network; proofs never do",
    ),
    key(
        "implement.parallel",
        SettingKind::Whole(1),
        Some("4"),
        "maximum number of tasks that are implemented at the same time",
    ),
    key(
        "implement.rounds",
        SettingKind::Whole(0),
        Some("2"),
        "repair rounds of an agent before another one takes over",
    ),
    key(
        "implement.max_file_bytes",
        SettingKind::Whole(1),
        Some("1048576"),
        "maximum size in bytes of a file that an agent adds or changes",
    ),
    key("paths.state", SettingKind::Folder, Some("\".claude/state\""), "folder of state documents"),
    key("paths.workspace", SettingKind::Folder, Some("\".specs\""), "folder of run artifacts"),
    key("paths.specs", SettingKind::Folder, Some("\"specs\""), "folder of specifications"),
];

/// Finds a setting by name. `agents.claude.model` matches `agents.*.model`.
pub fn find(name: &[&str]) -> Option<&'static SettingKey> {
    KEYS.iter().find(|key| {
        let mut parts = key.name.split('.');
        let fits = name.iter().all(|given| parts.next().is_some_and(|part| part == "*" || part == *given));
        fits && parts.next().is_none()
    })
}

/// True if settings exist below that name, so that a table is expected there.
pub fn is_table(name: &[&str]) -> bool {
    KEYS.iter().any(|key| {
        let parts: Vec<&str> = key.name.split('.').collect();
        parts.len() > name.len() && name.iter().zip(&parts).all(|(given, part)| part == &"*" || part == given)
    })
}

/// Suggestion for an unknown name: the closest known one, if any is close.
pub fn nearest(name: &str) -> Option<String> {
    let given: Vec<&str> = name.split('.').collect();
    KEYS.iter()
        .map(|key| fill(key.name, &given))
        .map(|candidate| (strsim::damerau_levenshtein(&candidate, name), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// JSON Schema of the settings, for editors.
pub fn schema() -> Value {
    let mut root = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "charrette.toml", "type": "object"
    });
    for key in KEYS {
        let mut node = &mut root;
        for part in key.name.split('.') {
            let slot =
                if part == "*" { &mut node["additionalProperties"] } else { &mut node["properties"][part] };
            if slot.is_null() {
                *slot = json!({"type": "object"});
            }
            node = slot;
        }
        *node = kind_schema(key);
    }
    root
}

fn kind_schema(key: &SettingKey) -> Value {
    let mut schema = match key.kind {
        SettingKind::Text | SettingKind::Folder => json!({"type": "string"}),
        SettingKind::OneOf(words) => json!({"enum": words}),
        SettingKind::Whole(least) => json!({"type": "integer", "minimum": least}),
        SettingKind::Seconds => json!({"type": "integer", "minimum": 1, "maximum": MAX_SECONDS}),
        SettingKind::Amount => json!({"type": "number", "minimum": 0}),
        SettingKind::Switch => json!({"type": "boolean"}),
        SettingKind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        SettingKind::Command => json!({"anyOf": [
            {"type": "string", "minLength": 1},
            {"type": "array", "items": {"type": "string"}, "minItems": 1}
        ]}),
    };
    schema["description"] = Value::from(key.purpose);
    schema
}

/// Replaces each `*` of a known name by the user's own name.
fn fill(known: &str, given: &[&str]) -> String {
    let parts = known.split('.').enumerate();
    parts
        .map(|(index, part)| if part == "*" { given.get(index).copied().unwrap_or(part) } else { part })
        .collect::<Vec<_>>()
        .join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_tables_known() {
        assert_eq!(find(&["agents", "claude", "model"]).unwrap().name, "agents.*.model");
        assert_eq!(find(&["limits", "parallel"]).unwrap().name, "limits.parallel");
        assert!(find(&["limits"]).is_none() && is_table(&["limits"]));
        assert!(is_table(&["agents", "mine"]) && !is_table(&["seats", "lead"]));
    }

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        assert_eq!(nearest("limits.paralel").as_deref(), Some("limits.parallel"));
        assert_eq!(nearest("agents.claude.modle").as_deref(), Some("agents.claude.model"));
        assert_eq!(nearest("colour.scheme"), None);
    }
}
