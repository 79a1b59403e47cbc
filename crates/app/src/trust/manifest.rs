//! The manifest: everything with which a repository makes charrette run, send or obey something, as one canonical text.
//!
//! The order is fixed, comments and line numbers do not matter, secrets are replaced by their digests. The text is safe to
//! print; its SHA-256 is the digest that a person accepts.

use super::repository_texts::RepositoryTexts;
use charrette_model::config::{ParsedLayer, integrations};
use charrette_model::escape::one_line;
use charrette_model::redact::Redactor;
use charrette_store::integrations::INTEGRATIONS;
use charrette_store::workspace::sha256;
use serde_json::Value;
use std::fmt::Write as _;

/// Digits of the digest of a secret.
const SECRET_DIGITS: usize = 16;

/// All items of a repository that need trust.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    items: Vec<Item>,
    text: String,
    digest: String,
}

/// One item of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// File of the repository.
    pub file: String,
    /// The item in one line: a setting with its value, or the size and digest of a text.
    pub summary: String,
    /// Lines of a text; none for a setting.
    pub lines: Vec<String>,
}

impl Manifest {
    /// The manifest of a repository's settings and texts.
    pub(crate) fn new(origin: &str, settings: &ParsedLayer, texts: &RepositoryTexts) -> Manifest {
        let mut items = setting_items(origin, settings);
        items.extend(tracker_items(texts));
        let roles = texts.roles.texts().map(|(path, text)| text_item(&path.display().to_string(), text));
        let templates = texts.templates.iter().map(|(path, text)| text_item(path, text));
        let mut files: Vec<Item> = roles.chain(templates).collect();
        files.sort_by(|a, b| a.file.cmp(&b.file));
        items.extend(files);
        let text = render(&items);
        let digest = if items.is_empty() { String::new() } else { sha256(text.as_bytes()) };
        Manifest { items, text, digest }
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The canonical text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// SHA-256 of the text; empty if there are no items.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// One line per item.
    pub fn summaries(&self) -> Vec<String> {
        self.items.iter().map(|item| format!("{}: {}", item.file, item.summary)).collect()
    }
}

/// Settings that need trust, by name.
fn setting_items(origin: &str, settings: &ParsedLayer) -> Vec<Item> {
    let asked = settings.values.iter().filter(|parsed| parsed.needs_trust());
    let mut named: Vec<(&str, &Value)> =
        asked.map(|parsed| (parsed.name.as_str(), &parsed.setting.value)).collect();
    named.sort_by_key(|(name, _)| *name);
    named.into_iter().map(|(name, value)| setting_item(origin, name, value)).collect()
}

/// Settings of the tracker, if it is enabled.
fn tracker_items(texts: &RepositoryTexts) -> Vec<Item> {
    let Ok(Some(text)) = &texts.integrations else { return Vec::new() };
    let Ok((integrations, _)) = integrations::read(Some(text)) else { return Vec::new() };
    if !integrations.linear.enabled {
        return Vec::new();
    }
    let team = Value::from(integrations.linear.team);
    vec![
        setting_item(INTEGRATIONS, "linear.enabled", &Value::Bool(true)),
        setting_item(INTEGRATIONS, "linear.team", &team),
    ]
}

fn setting_item(file: &str, name: &str, value: &Value) -> Item {
    let plain = value.to_string();
    let shown = hide_secrets(&plain);
    let digest = if shown == plain {
        String::new()
    } else {
        format!(" (sha256 {})", &sha256(plain.as_bytes())[..SECRET_DIGITS])
    };
    let summary = format!("{} = {}{digest}", one_line(name), one_line(&shown));
    Item { file: one_line(file), summary, lines: Vec::new() }
}

/// A text with its lines. Its digest is that of the bytes, whatever the lines hide.
fn text_item(file: &str, text: &str) -> Item {
    let shown = hide_secrets(text);
    let lines: Vec<String> = shown.lines().map(one_line).collect();
    let summary = format!("{} lines, sha256 {}", lines.len(), sha256(text.as_bytes()));
    Item { file: one_line(file), summary, lines }
}

/// Only by patterns: the values of the user's own secrets would make the digest depend on the machine.
fn hide_secrets(text: &str) -> String {
    Redactor::new::<String, Vec<u8>>([]).redact(text).into_owned()
}

fn render(items: &[Item]) -> String {
    let (mut text, mut file) = (String::new(), None);
    for item in items {
        if file != Some(&item.file) {
            let _ = writeln!(text, "{}", item.file);
            file = Some(&item.file);
        }
        let _ = writeln!(text, "  {}", item.summary);
        for line in &item.lines {
            let _ = writeln!(text, "{}", format!("  | {line}").trim_end());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_engine::roles::RoleOverrides;
    use charrette_model::config::Layer;

    fn manifest(settings: &str, templates: &[(&str, &str)], integrations: Option<&str>) -> Manifest {
        let layer = Layer { origin: "charrette.toml".to_owned(), text: settings.to_owned() };
        let texts = RepositoryTexts {
            roles: RoleOverrides::default(),
            templates: templates
                .iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect(),
            integrations: Ok(integrations.map(str::to_owned)),
        };
        Manifest::new("charrette.toml", &ParsedLayer::parse(&layer), &texts)
    }

    #[test]
    fn a_repository_that_makes_nothing_run_needs_no_trust() {
        for settings in
            ["", "[limits]\nparallel = 2\n[budget]\nrun_usd = 1\n[seats]\nlead = [\"x\"]\n", "= broken"]
        {
            let manifest = manifest(settings, &[], Some(r#"{"linear": {"enabled": false}}"#));
            assert!(manifest.is_empty() && manifest.digest().is_empty(), "{settings}");
        }
    }

    #[test]
    fn the_text_has_a_fixed_order_and_no_comments() {
        let one = manifest(
            "[webhooks]\nurl = \"http://127.0.0.1:1/\"\n[agents.b]\ncommand = \"./b\"\nkind = \"command\"\n[agents.a]\nargs = [\"-v\"]\n",
            &[("specs/templates/summary.md.jinja", "{{ title }}\n\u{1b}[2Jend\n")],
            Some(r#"{"linear": {"team": "Basecamp", "enabled": true}}"#),
        );
        let digest = sha256(b"{{ title }}\n\x1b[2Jend\n");
        assert_eq!(
            one.text(),
            format!(
                "charrette.toml\n  agents.a.args = [\"-v\"]\n  agents.b.command = \"./b\"\n  agents.b.kind = \"command\"\n  webhooks.url = \"http://127.0.0.1:1/\"\n\
                 .claude/config/integrations.json\n  linear.enabled = true\n  linear.team = \"Basecamp\"\n\
                 specs/templates/summary.md.jinja\n  2 lines, sha256 {digest}\n  | {{{{ title }}}}\n  | \\u{{1b}}[2Jend\n"
            )
        );
        assert_eq!(one.digest(), sha256(one.text().as_bytes()));
        assert_eq!(one.items().len(), 7);
        let other = manifest(
            "# A comment.\n[agents]\na.args = [\"-v\"]\nb = {kind = \"command\", command = \"./b\"}\n\nwebhooks.url = \"x\"\n",
            &[],
            None,
        );
        assert!(
            other.text().starts_with("charrette.toml\n  agents.a.args = [\"-v\"]\n  agents.b.command"),
            "{}",
            other.text()
        );
    }

    #[test]
    fn secrets_are_not_shown_and_still_count() {
        let with = |key: &str| manifest(&format!("[agents.a]\nargs = [\"--api-key={key}\"]\n"), &[], None);
        let (one, two) =
            (with("sk-proj-0123456789abcdefABCDEF0123"), with("sk-proj-0123456789abcdefABCDEF0124"));
        assert!(!one.text().contains("0123456789"), "{}", one.text());
        assert_ne!(one.digest(), two.digest());
        let template = |key: &str| {
            manifest("", &[("specs/templates/summary.md.jinja", &format!("token = \"ghp_{key}\"\n"))], None)
        };
        let (one, two) = (template(&"a1B2".repeat(9)), template(&"a1B3".repeat(9)));
        assert!(!one.text().contains("a1B2"), "{}", one.text());
        assert_ne!(one.digest(), two.digest());
    }
}
