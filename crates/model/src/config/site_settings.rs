//! The settings of a site: defaults, the user's file, the repository's file within its rules, the files above.

use super::layers::{ConfigProblem, Layer, ParsedLayer, ParsedSetting, Setting, Settings, defaults};
use super::repository_rules::{RepositoryRule, endpoint_members};
use serde::Serialize;
use std::collections::BTreeSet;

/// The layers of a site.
#[derive(Debug, Clone, Copy)]
pub struct SiteLayers<'a> {
    /// Below the repository's.
    pub user: &'a [Layer],
    pub repository: &'a ParsedLayer,
    /// True if a person trusts what the repository makes charrette run or send.
    pub is_trusted: bool,
    /// Above the repository's, lowest first.
    pub above: &'a [Layer],
}

/// The effective settings of a site.
#[derive(Debug, Clone, Default)]
pub struct SiteSettings {
    pub settings: Settings,
    pub problems: Vec<ConfigProblem>,
    /// Settings of the repository that do not count, by name.
    pub ignored: Vec<IgnoredSetting>,
}

/// A setting of the repository that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IgnoredSetting {
    pub name: String,
    /// File and line.
    pub origin: String,
    pub why: String,
}

/// Reason for a setting that waits for a person's trust.
pub const NOT_TRUSTED: &str = "this repository is not trusted";

impl SiteLayers<'_> {
    /// Merges the layers.
    pub fn merge(&self) -> SiteSettings {
        let mut site = SiteSettings { settings: Settings { values: defaults() }, ..SiteSettings::default() };
        let [user, above] = [self.user, self.above].map(|layers| {
            layers
                .iter()
                .flat_map(|layer| {
                    let mut parsed = ParsedLayer::parse(layer);
                    site.problems.append(&mut parsed.problems);
                    parsed.values
                })
                .collect::<Vec<_>>()
        });
        let own: BTreeSet<String> = user.iter().chain(&above).map(|parsed| parsed.name.clone()).collect();
        site.set_all(user);
        site.problems.extend(self.repository.problems.iter().cloned());
        for parsed in &self.repository.values {
            site.apply(parsed, self.is_trusted, &own);
        }
        site.set_all(above);
        site.ignored.sort_by(|a, b| a.name.cmp(&b.name));
        site
    }
}

impl SiteSettings {
    fn set_all(&mut self, values: Vec<ParsedSetting>) {
        self.settings.values.extend(values.into_iter().map(|parsed| (parsed.name, parsed.setting)));
    }

    /// Applies one setting of the repository; `own` are the names that the user sets.
    fn apply(&mut self, parsed: &ParsedSetting, is_trusted: bool, own: &BTreeSet<String>) {
        let ParsedSetting { name, key, setting } = parsed;
        let rule = key.repository_rule();
        let ignore = |why: String| IgnoredSetting { name: name.clone(), origin: setting.origin.clone(), why };
        let is_own_endpoint = rule == RepositoryRule::Endpoint
            && endpoint_members(name).iter().any(|member| own.contains(member));
        let current = self.settings.values.get(name);
        let is_same = current.is_some_and(|current| current.value == setting.value);
        if is_same && rule != RepositoryRule::Free {
            return;
        }
        if is_own_endpoint {
            let why = "a repository cannot change an endpoint or a key of your own settings".to_owned();
            self.warn(ignore(why));
        } else if parsed.needs_trust() && !is_trusted {
            self.ignored.push(ignore(NOT_TRUSTED.to_owned()));
        } else if let Some(value) = rule.narrow(current.map(|current| &current.value), &setting.value) {
            let origin = setting.origin.clone();
            self.settings.values.insert(name.clone(), Setting { value, origin });
        } else {
            let limits = rule.describe().unwrap_or_default();
            let why = match current {
                // The value of any other setting may be a secret.
                Some(Setting { value, origin })
                    if matches!(rule, RepositoryRule::Lower | RepositoryRule::Stricter(_)) =>
                {
                    format!("{limits} ({value} from {origin})")
                }
                _ => limits,
            };
            self.warn(ignore(why));
        }
    }

    fn warn(&mut self, ignored: IgnoredSetting) {
        let IgnoredSetting { name, origin, why } = &ignored;
        let name = crate::escape::printable(name);
        self.problems.push(ConfigProblem::Warning { message: format!("{origin}: {name} is ignored: {why}") });
        self.ignored.push(ignored);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn layer(origin: &str, text: &str) -> Layer {
        Layer { origin: origin.to_owned(), text: text.to_owned() }
    }

    fn merge(user: &str, repository: &str, above: &str, is_trusted: bool) -> SiteSettings {
        let repository = ParsedLayer::parse(&layer("charrette.toml", repository));
        let (user, above) = ([layer("user.toml", user)], [layer("above.toml", above)]);
        SiteLayers { user: &user, repository: &repository, is_trusted, above: &above }.merge()
    }

    fn value(site: &SiteSettings, name: &str) -> Option<Value> {
        site.settings.all().get(name).map(|setting| setting.value.clone())
    }

    fn reasons(site: &SiteSettings) -> Vec<(&str, &str)> {
        site.ignored.iter().map(|ignored| (ignored.name.as_str(), ignored.why.as_str())).collect()
    }

    #[test]
    fn the_repository_is_above_the_user_and_below_the_environment() {
        let site = merge(
            "limits.parallel = 1\nlimits.output_mb = 1\n",
            "limits.parallel = 2\nclocks.idle = 2\n",
            "clocks.idle = 3\n",
            false,
        );
        assert_eq!(
            ["limits.parallel", "limits.output_mb", "clocks.idle"].map(|name| value(&site, name)),
            [Some(json!(2)), Some(json!(1)), Some(json!(3))]
        );
        assert_eq!(site.ignored, []);
    }

    #[test]
    fn what_runs_or_sends_counts_once_trusted() {
        let text = "[agents.x]\nkind = \"command\"\ncommand = \"./x\"\n[webhooks]\nurl = \"http://127.0.0.1:1/\"\n[policy]\nrepo_settings = true\n";
        let names = ["agents.x.command", "agents.x.kind", "policy.repo_settings", "webhooks.url"];
        let before = merge("", text, "", false);
        assert_eq!(reasons(&before), names.map(|name| (name, NOT_TRUSTED)));
        assert_eq!(value(&before, "agents.x.command"), None);
        assert_eq!(value(&before, "policy.repo_settings"), Some(json!(false)));
        assert_eq!(before.problems, [], "one line says it for all");
        let after = merge("", text, "", true);
        assert_eq!(after.ignored, []);
        assert!(names.iter().all(|name| after.settings.all()[*name].origin.starts_with("charrette.toml:")));
    }

    #[test]
    fn an_endpoint_of_the_user_is_not_redirected() {
        let own = "[agents.x]\nkind = \"openai\"\nurl = \"https://mine.example/v1\"\nkey_env = \"MINE\"\n";
        let text = "[agents.x]\nurl = \"https://theirs.example/v1\"\nmodel = \"m\"\n";
        for (user, above) in [(own, ""), ("", own), ("agents.x.key_env = \"MINE\"\n", "")] {
            let site = merge(user, text, above, true);
            assert_ne!(
                value(&site, "agents.x.url"),
                Some(json!("https://theirs.example/v1")),
                "{user}{above}"
            );
            assert_eq!(value(&site, "agents.x.model"), Some(json!("m")));
            assert_eq!(
                site.problems.iter().map(ConfigProblem::message).collect::<Vec<_>>(),
                [
                    "charrette.toml:2: agents.x.url is ignored: a repository cannot change an endpoint or a key of your own settings"
                ]
            );
        }
        // Nor is another variable sent to it.
        let key = merge(
            "agents.x.url = \"https://mine.example/v1\"\n",
            "agents.x.key_env = \"AWS_SECRET\"\n",
            "",
            true,
        );
        assert_eq!(value(&key, "agents.x.key_env"), None);
    }

    #[test]
    fn budgets_are_lowered_and_modes_tightened() {
        let site = merge(
            "[budget]\nrun_usd = 5\nphase_usd = 2\n[hooks]\non_error = \"closed\"\n",
            "[budget]\nrun_usd = 50\nphase_usd = 1\nday_usd = 9\n[hooks]\non_error = \"open\"\n[policy]\nweb = \"off\"\n[linear]\nendpoint = \"http://127.0.0.1:1/\"\n",
            "",
            true,
        );
        let found = ["budget.run_usd", "budget.phase_usd", "budget.day_usd", "hooks.on_error", "policy.web"];
        assert_eq!(
            found.map(|name| value(&site, name).unwrap()),
            [json!(5.0), json!(1.0), json!(9.0), json!("closed"), json!("off")]
        );
        assert_eq!(value(&site, "linear.endpoint"), Some(json!("https://api.linear.app/graphql")));
        assert_eq!(
            reasons(&site),
            [
                ("budget.run_usd", "a repository can only lower it (5.0 from user.toml:2)"),
                (
                    "hooks.on_error",
                    "a repository can only tighten it, in the order open, closed (\"closed\" from user.toml:5)"
                ),
                ("linear.endpoint", "a repository cannot set it"),
            ]
        );
        assert_eq!(site.problems.len(), 3);
    }

    #[test]
    fn the_sandbox_is_only_tightened() {
        let site = merge(
            "[sandbox]\nhides = [\"~/.ssh\"]\nwrites = [\"~/.cache\"]\n",
            "[sandbox]\nmode = \"required\"\nhides = [\"~/.kube\"]\nwrites = [\"~\"]\n",
            "",
            false,
        );
        let found =
            ["sandbox.mode", "sandbox.hides", "sandbox.writes"].map(|name| value(&site, name).unwrap());
        assert_eq!(found, [json!("required"), json!(["~/.ssh", "~/.kube"]), json!(["~/.cache"])]);
        assert_eq!(reasons(&site), [("sandbox.writes", "a repository cannot set it")]);
        let off = merge("", "sandbox.mode = \"off\"\n", "", true);
        assert_eq!(value(&off, "sandbox.mode"), Some(json!("auto")));
        assert_eq!(off.ignored.len(), 1);
    }
}
