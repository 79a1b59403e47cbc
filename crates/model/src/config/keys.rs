//! The list of settings: name, what it takes, its default, what it is for.
//!
//! `charrette config init`, `docs/formats/config.md`, its JSON Schema and every check are made from this list.

use serde_json::{Value, json};

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name with dots; `*` stands for a name of the user's choice.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its default, as TOML; none if absence means "not set".
    pub default: Option<&'static str>,
    /// What it is for, in one line.
    pub purpose: &'static str,
}

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number, at least this.
    Whole(i64),
    /// A number, not negative.
    Amount,
    /// true or false.
    Switch,
    /// A list of texts.
    Texts,
    /// A folder inside the repository.
    Folder,
}

impl Kind {
    /// In words, for messages and docs.
    pub fn described(self) -> String {
        match self {
            Kind::Text => "text".to_owned(),
            Kind::OneOf(words) => {
                words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
            }
            Kind::Whole(least) => format!("a whole number of at least {least}"),
            Kind::Amount => "a number that is not negative".to_owned(),
            Kind::Switch => "true or false".to_owned(),
            Kind::Texts => "a list of texts".to_owned(),
            Kind::Folder => "a folder inside the repository".to_owned(),
        }
    }
}

const fn key(name: &'static str, kind: Kind, default: Option<&'static str>, purpose: &'static str) -> Key {
    Key { name, kind, default, purpose }
}

/// Every setting there is.
pub const KEYS: &[Key] = &[
    key(
        "agents.*.kind",
        Kind::OneOf(&["command", "acp", "openai"]),
        None,
        "how to talk to an agent that is not built in",
    ),
    key("agents.*.like", Kind::Text, None, "the built-in agent that this one works like"),
    key("agents.*.vendor", Kind::Text, None, "whose models answer; panels prefer different vendors"),
    key(
        "agents.*.command",
        Kind::Text,
        None,
        "the program to run, if it is not found on PATH by its own name",
    ),
    key("agents.*.env", Kind::Texts, None, "further environment variables that are passed on"),
    key("agents.*.args", Kind::Texts, None, "arguments appended to every call"),
    key(
        "agents.*.model",
        Kind::Text,
        None,
        "the model to ask for; unset, the agent's own configuration decides",
    ),
    key(
        "agents.*.effort",
        Kind::Text,
        None,
        "the effort to ask for; unset, the agent's own configuration decides",
    ),
    key("agents.*.url", Kind::Text, None, "the address of an OpenAI-compatible endpoint"),
    key("agents.*.key_env", Kind::Text, None, "the environment variable that holds the endpoint's key"),
    key("seats.*", Kind::Texts, None, "which agents may take a seat, in order"),
    key("limits.parallel", Kind::Whole(1), Some("4"), "agents at work at the same time"),
    key("limits.output_mb", Kind::Whole(1), Some("32"), "megabytes of one agent's output that are kept"),
    key("limits.summary_words", Kind::Whole(1), Some("500"), "words a context summary may have"),
    key(
        "clocks.first_byte",
        Kind::Whole(1),
        Some("120"),
        "seconds until a streaming agent must have said something",
    ),
    key("clocks.idle", Kind::Whole(1), Some("300"), "seconds a streaming agent may be silent"),
    key("clocks.grace", Kind::Whole(1), Some("5"), "seconds between asking an agent to end and ending it"),
    key("clocks.sketch", Kind::Whole(1), Some("1200"), "seconds for a sketch in all"),
    key("clocks.review", Kind::Whole(1), Some("1800"), "seconds for a review in all"),
    key("clocks.probe", Kind::Whole(1), Some("60"), "seconds for asking an agent whether it works"),
    key("budget.run_usd", Kind::Amount, None, "dollars a run may cost before it pauses"),
    key("budget.phase_usd", Kind::Amount, None, "dollars a phase may cost before the run pauses"),
    key("budget.day_usd", Kind::Amount, None, "dollars all runs of a day may cost"),
    key("budget.run_tokens", Kind::Whole(1), None, "tokens a run may use before it pauses"),
    key(
        "policy.rate_limit",
        Kind::OneOf(&["ask", "wait", "fallback"]),
        Some("\"ask\""),
        "what to do when a vendor says to wait",
    ),
    key(
        "policy.models",
        Kind::OneOf(&["own", "seed-tiers"]),
        Some("\"own\""),
        "whether agents choose their own models, or a preset asks for some seat by seat",
    ),
    key(
        "policy.probe",
        Kind::Switch,
        Some("true"),
        "whether agents are asked if they work before they are seated",
    ),
    key(
        "policy.repo_settings",
        Kind::Switch,
        Some("false"),
        "whether agents see the repository's own hooks, servers and settings",
    ),
    key(
        "hooks.on_error",
        Kind::OneOf(&["open", "closed"]),
        Some("\"open\""),
        "whether a hook that cannot decide lets an action pass inside a run",
    ),
    key(
        "preflight.fetch",
        Kind::OneOf(&["warn", "fail", "off"]),
        Some("\"warn\""),
        "what to do when the remote cannot be reached",
    ),
    key(
        "preflight.main",
        Kind::Text,
        Some("\"\""),
        "the main branch, if it cannot be told from the repository",
    ),
    key(
        "resume.existing",
        Kind::OneOf(&["ask", "resume", "fresh"]),
        Some("\"ask\""),
        "what to do when a run of that name exists",
    ),
    key(
        "linear.endpoint",
        Kind::Text,
        Some("\"https://api.linear.app/graphql\""),
        "where the tracker is asked",
    ),
    key("webhooks.url", Kind::Text, None, "where to tell that a phase or a run is finished"),
    key("webhooks.events", Kind::Texts, Some("[\"phase.finished\", \"run.finished\"]"), "what is told there"),
    key(
        "webhooks.secret_env",
        Kind::Text,
        None,
        "the environment variable that holds the secret messages are signed with",
    ),
    key("paths.state", Kind::Folder, Some("\".claude/state\""), "where state documents live"),
    key("paths.workspace", Kind::Folder, Some("\".specs\""), "where the artifacts of runs live"),
    key("paths.specs", Kind::Folder, Some("\"specs\""), "where specifications live"),
];

/// The setting of that name, if there is one. `agents.claude.model` is `agents.*.model`.
pub fn find(name: &[&str]) -> Option<&'static Key> {
    KEYS.iter().find(|key| {
        let mut parts = key.name.split('.');
        let fits = name.iter().all(|given| parts.next().is_some_and(|part| part == "*" || part == *given));
        fits && parts.next().is_none()
    })
}

/// Whether settings exist below that name, so that a table there is expected.
pub fn is_table(name: &[&str]) -> bool {
    KEYS.iter().any(|key| {
        let parts: Vec<&str> = key.name.split('.').collect();
        parts.len() > name.len() && name.iter().zip(&parts).all(|(given, part)| part == &"*" || part == given)
    })
}

/// The known name closest to one nobody knows, if any is close.
pub fn nearest(name: &str) -> Option<String> {
    let given: Vec<&str> = name.split('.').collect();
    KEYS.iter()
        .map(|key| fill(key.name, &given))
        .map(|candidate| (strsim::damerau_levenshtein(&candidate, name), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The settings as JSON Schema, for editors.
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

fn kind_schema(key: &Key) -> Value {
    let mut schema = match key.kind {
        Kind::Text | Kind::Folder => json!({"type": "string"}),
        Kind::OneOf(words) => json!({"enum": words}),
        Kind::Whole(least) => json!({"type": "integer", "minimum": least}),
        Kind::Amount => json!({"type": "number", "minimum": 0}),
        Kind::Switch => json!({"type": "boolean"}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
    };
    schema["description"] = Value::from(key.purpose);
    schema
}

/// Puts the user's own names where the known name has `*`.
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
