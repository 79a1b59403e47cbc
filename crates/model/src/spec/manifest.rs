//! Manifests: `features.json` of a project and `specs.json` of a feature.
//!
//! [`LevelManifest`] parses both and keeps unknown members. [`super::check::levels`] checks the entries.

use super::resolver::SpecLevel;
use crate::escape::printable;
use serde_json::{Map, Value, json};

/// Parsed manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelManifest {
    /// Name of the project or feature, if stated.
    pub owner: Option<String>,
    pub entries: Vec<ManifestEntry>,
    whole: Map<String, Value>,
    level: SpecLevel,
}

/// Feature of a project, or specification of a feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestEntry {
    pub name: String,
    pub description: String,
    /// Planned specifications of a feature.
    pub rough_specs: Vec<String>,
    /// Prerequisites of a specification: a sibling, or `project/feature/spec`.
    pub depends_on: Vec<String>,
}

/// File name of a level's manifest; none for a specification.
pub fn file_name(level: SpecLevel) -> Option<&'static str> {
    match level {
        SpecLevel::Project => Some("features.json"),
        SpecLevel::Feature => Some("specs.json"),
        SpecLevel::Spec => None,
    }
}

impl LevelManifest {
    /// Parses the manifest of a project or a feature.
    pub fn parse(level: SpecLevel, text: &str) -> Result<LevelManifest, ManifestError> {
        let (owner, list) = members(level);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value =
            serde_json::from_str(text).map_err(|error| ManifestError::NotJson(error.to_string()))?;
        let Value::Object(whole) = value else {
            return Err(ManifestError::Shape("expected an object".to_owned()));
        };
        let entries = match whole.get(list) {
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err(ManifestError::Shape(format!("{list} is not a list"))),
            None => return Err(ManifestError::Shape(format!("{list} is missing"))),
        };
        let entries = entries.iter().enumerate().map(|(index, value)| parse_entry(list, index, value));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let owner = whole.get(owner).and_then(Value::as_str).map(str::to_owned);
        Ok(LevelManifest { owner, entries, whole, level })
    }

    /// The names of the entries, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    pub fn entry(&self, name: &str) -> Option<&ManifestEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The text of the file with this owner. Unknown members are kept.
    pub fn to_text(&self, owner: &str) -> String {
        let mut whole = Map::new();
        let (member, _) = members(self.level);
        whole.insert(member.to_owned(), json!(owner));
        whole.extend(self.whole.clone().into_iter().filter(|(key, _)| key != member));
        // A value parsed from JSON can be serialised again.
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }
}

/// Names of the owner member and of the list member.
fn members(level: SpecLevel) -> (&'static str, &'static str) {
    match level {
        SpecLevel::Project => ("project", "features"),
        _ => ("feature", "specs"),
    }
}

fn parse_entry(list: &str, index: usize, value: &Value) -> Result<ManifestEntry, ManifestError> {
    let wrong = |what: &str| ManifestError::Shape(format!("{list}[{index}]{what}"));
    if !value.is_object() {
        return Err(wrong(": expected an object"));
    }
    let text = |member: &str| match value.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
        Some(_) => Err(wrong(&format!(".{member}: expected a text"))),
    };
    let name = text("name")?.filter(|name| !name.is_empty()).ok_or_else(|| wrong(".name is missing"))?;
    let description = text("description")?.unwrap_or_default();
    let rough_specs = match value.get("rough_specs") {
        // Both a string and a list are in use.
        Some(Value::String(text)) => vec![text.trim().to_owned()],
        _ => string_list(value, "rough_specs").map_err(|what| wrong(&what))?,
    };
    let depends_on = string_list(value, "depends_on").map_err(|what| wrong(&what))?;
    Ok(ManifestEntry { name, description, rough_specs, depends_on })
}

fn string_list(value: &Value, member: &str) -> Result<Vec<String>, String> {
    let no_list = || format!(".{member}: expected a list of texts");
    match value.get(member) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(no_list)).collect()
        }
        Some(_) => Err(no_list()),
    }
}

/// Invalid manifest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    #[error("it is not JSON: {}", printable(.0))]
    NotJson(String),
    /// Valid JSON, but not a manifest.
    #[error("{}", printable(.0))]
    Shape(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_manifests_are_read_and_rough_specs_may_be_a_sentence_or_a_list() {
        let project = r#"{"features": [{"name": "cart", "description": " Keeps things. ", "rough_specs": ["add", "remove"]},
            {"name": "pay", "rough_specs": "cards first"}], "owner": "ada"}"#;
        let manifest = LevelManifest::parse(SpecLevel::Project, project).unwrap();
        assert_eq!(manifest.names().collect::<Vec<_>>(), ["cart", "pay"]);
        assert_eq!(manifest.entry("cart").unwrap().description, "Keeps things.");
        assert_eq!(manifest.entry("pay").unwrap().rough_specs, ["cards first"]);
        let text = manifest.to_text("shop");
        let again = LevelManifest::parse(SpecLevel::Project, &text).unwrap();
        assert_eq!((again.owner.as_deref(), &again.entries), (Some("shop"), &manifest.entries));
        assert!(
            text.starts_with("{\n  \"project\": \"shop\"") && text.contains("\"owner\": \"ada\""),
            "{text}"
        );

        let feature = r#"{"feature": "cart", "specs": [{"name": "add", "depends_on": ["shop/pay/card"]}]}"#;
        let manifest = LevelManifest::parse(SpecLevel::Feature, feature).unwrap();
        assert_eq!(manifest.entries[0].depends_on, ["shop/pay/card"]);
    }

    #[test]
    fn errors_name_the_member() {
        for (text, message) in [
            ("[]", "expected an object"),
            ("{}", "specs is missing"),
            (r#"{"specs": {}}"#, "specs is not a list"),
            (r#"{"specs": ["add"]}"#, "specs[0]: expected an object"),
            (r#"{"specs": [{"description": "x"}]}"#, "specs[0].name is missing"),
            (r#"{"specs": [{"name": "a", "description": 1}]}"#, "specs[0].description: expected a text"),
            (
                r#"{"specs": [{"name": "a", "depends_on": "b"}]}"#,
                "specs[0].depends_on: expected a list of texts",
            ),
        ] {
            assert_eq!(
                LevelManifest::parse(SpecLevel::Feature, text).unwrap_err().to_string(),
                message,
                "{text}"
            );
        }
        let error = LevelManifest::parse(SpecLevel::Feature, "{").unwrap_err().to_string();
        assert!(error.starts_with("it is not JSON: "), "{error}");
    }
}
