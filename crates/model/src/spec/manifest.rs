//! `features.json` of a project and `specs.json` of a feature: what they are to be cut into.
//!
//! [`Manifest`] reads either and keeps what it does not know. Whether it is good enough is for
//! [`super::check::levels`] to say.

use super::resolver::Level;
use crate::shown::shown;
use serde_json::{Map, Value, json};

/// The entries of a manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Whose it is, as it says itself.
    pub owner: Option<String>,
    /// What it lists.
    pub entries: Vec<Entry>,
    whole: Map<String, Value>,
    level: Level,
}

/// One feature of a project, or one specification of a feature.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The specifications it may be cut into, of a feature.
    pub rough_specs: Vec<String>,
    /// What must be there before it, of a specification: a sibling, or `project/feature/spec`.
    pub depends_on: Vec<String>,
}

/// The name of a level's manifest. A specification has none.
pub fn file_name(level: Level) -> Option<&'static str> {
    match level {
        Level::Project => Some("features.json"),
        Level::Feature => Some("specs.json"),
        Level::Spec => None,
    }
}

impl Manifest {
    /// Reads the manifest of a project or a feature.
    pub fn parse(level: Level, text: &str) -> Result<Manifest, ManifestError> {
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
        let entries = entries.iter().enumerate().map(|(index, value)| entry(list, index, value));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let owner = whole.get(owner).and_then(Value::as_str).map(str::to_owned);
        Ok(Manifest { owner, entries, whole, level })
    }

    /// The names it lists, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// The entry of that name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The file, saying whose it is. Members nobody here knows are kept.
    pub fn text_for(&self, owner: &str) -> String {
        let mut whole = Map::new();
        let (member, _) = members(self.level);
        whole.insert(member.to_owned(), json!(owner));
        whole.extend(self.whole.clone().into_iter().filter(|(key, _)| key != member));
        // What came from JSON goes back to JSON.
        serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
    }
}

/// The member that says whose it is, and the one that lists.
fn members(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Project => ("project", "features"),
        _ => ("feature", "specs"),
    }
}

fn entry(list: &str, index: usize, value: &Value) -> Result<Entry, ManifestError> {
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
        // A sentence or a list: both are in use.
        Some(Value::String(text)) => vec![text.trim().to_owned()],
        _ => texts(value, "rough_specs").map_err(|what| wrong(&what))?,
    };
    let depends_on = texts(value, "depends_on").map_err(|what| wrong(&what))?;
    Ok(Entry { name, description, rough_specs, depends_on })
}

fn texts(value: &Value, member: &str) -> Result<Vec<String>, String> {
    let no_list = || format!(".{member}: expected a list of texts");
    match value.get(member) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(no_list)).collect()
        }
        Some(_) => Err(no_list()),
    }
}

/// A manifest that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON.
    #[error("it is not JSON: {}", shown(.0))]
    NotJson(String),
    /// JSON of another shape.
    #[error("{}", shown(.0))]
    Shape(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_manifests_are_read_and_rough_specs_may_be_a_sentence_or_a_list() {
        let project = r#"{"features": [{"name": "cart", "description": " Keeps things. ", "rough_specs": ["add", "remove"]},
            {"name": "pay", "rough_specs": "cards first"}], "owner": "ada"}"#;
        let manifest = Manifest::parse(Level::Project, project).unwrap();
        assert_eq!(manifest.names().collect::<Vec<_>>(), ["cart", "pay"]);
        assert_eq!(manifest.entry("cart").unwrap().description, "Keeps things.");
        assert_eq!(manifest.entry("pay").unwrap().rough_specs, ["cards first"]);
        let text = manifest.text_for("shop");
        let again = Manifest::parse(Level::Project, &text).unwrap();
        assert_eq!((again.owner.as_deref(), &again.entries), (Some("shop"), &manifest.entries));
        assert!(
            text.starts_with("{\n  \"project\": \"shop\"") && text.contains("\"owner\": \"ada\""),
            "{text}"
        );

        let feature = r#"{"feature": "cart", "specs": [{"name": "add", "depends_on": ["shop/pay/card"]}]}"#;
        let manifest = Manifest::parse(Level::Feature, feature).unwrap();
        assert_eq!(manifest.entries[0].depends_on, ["shop/pay/card"]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
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
            assert_eq!(Manifest::parse(Level::Feature, text).unwrap_err().to_string(), message, "{text}");
        }
        let error = Manifest::parse(Level::Feature, "{").unwrap_err().to_string();
        assert!(error.starts_with("it is not JSON: "), "{error}");
    }
}
