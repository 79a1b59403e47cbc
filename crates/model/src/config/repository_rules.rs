//! Rules for settings in a repository's `charrette.toml`: which count at once, which once a person trusts them, and
//! which can only narrow the user's own.
//!
//! A rule holds for a name and for all names below it; the first match in [`RULES`] decides. So a setting that is added
//! to a guarded section later is guarded from its first day.

use super::keys::{KEYS, SettingKey};
use serde_json::Value;

/// Rule for a setting in a repository's `charrette.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepositoryRule {
    /// Counts like any other.
    Free,
    /// Makes charrette run or send something: counts once a person trusts it.
    Trusted,
    /// Like `Trusted`, unless the user's own settings have one of the endpoint's members: an address and a key belong
    /// together.
    Endpoint,
    /// Counts if it is lower than the value so far. No value is no limit.
    Lower,
    /// Counts if it is further right in this list than the value so far.
    Stricter(&'static [&'static str]),
    /// Adds its items to the value so far.
    Added,
    /// Never counts.
    Never,
}

/// Rules by name; `*` stands for a name of the user's choice. Names that no rule matches are free.
const RULES: &[(&str, RepositoryRule)] = &[
    ("agents.*.url", RepositoryRule::Endpoint),
    ("agents.*.key_env", RepositoryRule::Endpoint),
    ("agents.*.writes", RepositoryRule::Never),
    ("agents", RepositoryRule::Trusted),
    ("webhooks.url", RepositoryRule::Endpoint),
    ("webhooks.secret_env", RepositoryRule::Endpoint),
    ("webhooks", RepositoryRule::Trusted),
    ("verify", RepositoryRule::Trusted),
    ("linear", RepositoryRule::Never),
    ("github", RepositoryRule::Never),
    ("budget", RepositoryRule::Lower),
    ("policy.repo_settings", RepositoryRule::Trusted),
    ("policy.web", RepositoryRule::Stricter(&["research", "off"])),
    ("policy.embedded", RepositoryRule::Stricter(&["allow", "ask"])),
    ("policy.approve_via_mcp", RepositoryRule::Stricter(&["allow", "person"])),
    ("hooks.on_error", RepositoryRule::Stricter(&["open", "closed"])),
    ("hooks.danger", RepositoryRule::Stricter(&["off", "on"])),
    ("hooks.secrets", RepositoryRule::Stricter(&["off", "on"])),
    ("hooks.ship", RepositoryRule::Stricter(&["off", "review"])),
    ("hooks.prove", RepositoryRule::Stricter(&["off", "auto", "always"])),
    ("hooks", RepositoryRule::Never),
    ("sandbox.mode", RepositoryRule::Stricter(&["off", "auto", "required"])),
    ("sandbox.hides", RepositoryRule::Added),
    ("sandbox", RepositoryRule::Never),
    ("trust", RepositoryRule::Never),
];

impl SettingKey {
    /// The rule for this setting in a repository's file.
    pub fn repository_rule(&self) -> RepositoryRule {
        rule_for(self.name)
    }
}

impl RepositoryRule {
    /// True if the setting counts only once a person trusts it.
    pub fn needs_trust(self) -> bool {
        matches!(self, RepositoryRule::Trusted | RepositoryRule::Endpoint)
    }

    /// The limits of a repository, to follow the name of the setting; none if it is free.
    pub fn describe(self) -> Option<String> {
        match self {
            RepositoryRule::Free => None,
            RepositoryRule::Trusted => Some("counts once the repository is trusted".to_owned()),
            RepositoryRule::Endpoint => Some(
                "counts once the repository is trusted, unless your own settings have this endpoint"
                    .to_owned(),
            ),
            RepositoryRule::Lower => Some("a repository can only lower it".to_owned()),
            RepositoryRule::Stricter(order) => {
                Some(format!("a repository can only tighten it, in the order {}", order.join(", ")))
            }
            RepositoryRule::Added => Some("a repository can only add to it".to_owned()),
            RepositoryRule::Never => Some("a repository cannot set it".to_owned()),
        }
    }

    /// The value that holds when a repository sets `value` and `current` held so far; none if that is ignored. Rules
    /// about trust and endpoints are not decided here.
    pub fn narrow(self, current: Option<&Value>, value: &Value) -> Option<Value> {
        match self {
            RepositoryRule::Free | RepositoryRule::Trusted | RepositoryRule::Endpoint => Some(value.clone()),
            RepositoryRule::Never => None,
            RepositoryRule::Lower => {
                let is_lower = match (current.and_then(Value::as_f64), value.as_f64()) {
                    (Some(current), Some(value)) => value <= current,
                    (None, Some(_)) => true,
                    (_, None) => false,
                };
                is_lower.then(|| value.clone())
            }
            RepositoryRule::Stricter(order) => {
                let rank = |value: &Value| order.iter().position(|word| value.as_str() == Some(*word));
                let wanted = rank(value)?;
                // A value that is not in the order may be stricter than all of it.
                let is_stricter =
                    current.is_none_or(|current| rank(current).is_some_and(|current| wanted >= current));
                is_stricter.then(|| value.clone())
            }
            RepositoryRule::Added => {
                let mut all: Vec<Value> = current.and_then(Value::as_array).cloned().unwrap_or_default();
                for item in value.as_array()? {
                    if !all.contains(item) {
                        all.push(item.clone());
                    }
                }
                Some(Value::from(all))
            }
        }
    }
}

/// All settings that a repository cannot set freely, with their rules.
pub fn restricted() -> impl Iterator<Item = (&'static SettingKey, RepositoryRule)> {
    KEYS.iter().map(|key| (key, key.repository_rule())).filter(|(_, rule)| *rule != RepositoryRule::Free)
}

/// The names of an endpoint's members, the given one among them: `agents.x.url` and `agents.x.key_env`.
pub(super) fn endpoint_members(name: &str) -> Vec<String> {
    let (section, table) = (name.split('.').next(), name.rsplit_once('.').map_or("", |(table, _)| table));
    let endpoints = KEYS.iter().filter(|key| key.repository_rule() == RepositoryRule::Endpoint);
    let siblings = endpoints.filter(|key| key.name.split('.').next() == section);
    siblings.filter_map(|key| Some(format!("{table}.{}", key.name.rsplit_once('.')?.1))).collect()
}

/// The rule for a name of the list of settings.
fn rule_for(name: &str) -> RepositoryRule {
    let holds = |pattern: &str| {
        let mut parts = name.split('.');
        pattern.split('.').all(|wanted| parts.next().is_some_and(|part| part == wanted || wanted == "*"))
    };
    RULES.iter().find(|(pattern, _)| holds(pattern)).map_or(RepositoryRule::Free, |(_, rule)| *rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_hold_for_names_and_for_all_below() {
        for (name, rule) in [
            ("agents.*.url", RepositoryRule::Endpoint),
            ("agents.*.command", RepositoryRule::Trusted),
            ("agents.*.writes", RepositoryRule::Never),
            ("agents.*.anything", RepositoryRule::Trusted),
            ("budget.run_usd", RepositoryRule::Lower),
            ("sandbox.mode", RepositoryRule::Stricter(&["off", "auto", "required"])),
            ("sandbox.hides", RepositoryRule::Added),
            ("sandbox.writes", RepositoryRule::Never),
            ("hooks.anything", RepositoryRule::Never),
            ("trust.anything", RepositoryRule::Never),
            ("linear.endpoint", RepositoryRule::Never),
            ("limits.parallel", RepositoryRule::Free),
            ("seats.*", RepositoryRule::Free),
        ] {
            assert_eq!(rule_for(name), rule, "{name}");
        }
    }

    #[test]
    fn orders_are_those_of_the_settings() {
        for (key, rule) in restricted() {
            if let (RepositoryRule::Stricter(order), crate::config::SettingKind::OneOf(words)) =
                (rule, key.kind)
            {
                assert!(words.iter().all(|word| order.contains(word)), "{}: {words:?}, {order:?}", key.name);
            }
        }
    }

    #[test]
    fn an_endpoint_is_an_address_and_its_key() {
        assert_eq!(endpoint_members("agents.x.url"), ["agents.x.url", "agents.x.key_env"]);
        assert_eq!(endpoint_members("webhooks.secret_env"), ["webhooks.url", "webhooks.secret_env"]);
    }

    #[test]
    fn a_repository_can_only_narrow() {
        let lower = RepositoryRule::Lower;
        assert_eq!(lower.narrow(Some(&json!(5.0)), &json!(3)), Some(json!(3)));
        assert_eq!(lower.narrow(Some(&json!(5.0)), &json!(8)), None);
        assert_eq!(lower.narrow(None, &json!(8)), Some(json!(8)));

        let mode = rule_for("sandbox.mode");
        for (current, wanted, counts) in [
            ("auto", "required", true),
            ("auto", "auto", true),
            ("auto", "off", false),
            ("required", "auto", false),
            ("off", "auto", true),
        ] {
            let narrowed = mode.narrow(Some(&json!(current)), &json!(wanted));
            assert_eq!(narrowed, counts.then(|| json!(wanted)), "{current} to {wanted}");
        }

        let hides = rule_for("sandbox.hides");
        assert_eq!(
            hides.narrow(Some(&json!(["~/.ssh"])), &json!(["~/.ssh", "~/.kube"])),
            Some(json!(["~/.ssh", "~/.kube"]))
        );
        assert_eq!(hides.narrow(Some(&json!(["~/.ssh"])), &json!([])), Some(json!(["~/.ssh"])));
        assert_eq!(rule_for("sandbox.writes").narrow(None, &json!(["/"])), None);
    }
}
