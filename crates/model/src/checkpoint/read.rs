//! Parser of state documents, with a precise error.

use super::document::{Checkpoint, SCHEMA_VERSION};
use crate::escape::printable;
use serde_json::Value;

/// Parses a document.
pub fn read(bytes: &[u8]) -> Result<Checkpoint, ReadError> {
    // One UTF-8 check of the whole text is cheaper than one for every string in it.
    let text = std::str::from_utf8(bytes).map_err(|_| diagnose(bytes))?;
    serde_json::from_str(text).map_err(|_| diagnose(bytes))
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("the file is empty")]
    Empty,
    /// Not JSON, or not UTF-8.
    #[error("{0}")]
    NotJson(String),
    #[error("unsupported checkpoint schema version: {0} (expected {SCHEMA_VERSION})")]
    Version(String),
    /// A member that violates the schema.
    #[error("{path}: {problem}")]
    Shape {
        /// As in `phases.research.status`.
        path: String,
        problem: String,
    },
}

/// The slow path, for documents that failed to parse.
pub(super) fn diagnose(bytes: &[u8]) -> ReadError {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return ReadError::Empty;
    }
    let value: Value = match std::str::from_utf8(bytes) {
        Err(error) => return ReadError::NotJson(format!("not UTF-8 (at byte {})", error.valid_up_to())),
        Ok(text) => match serde_json::from_str(text) {
            Err(error) => return ReadError::NotJson(format!("not JSON ({error})")),
            Ok(value) => value,
        },
    };
    let Value::Object(members) = &value else {
        return ReadError::NotJson("not a JSON object".to_owned());
    };
    if members.get("version").and_then(Value::as_f64) != Some(1.0) {
        let version = members.get("version").map_or("undefined".to_owned(), Value::to_string);
        return ReadError::Version(printable(&version).to_string());
    }
    match serde_path_to_error::deserialize::<_, Checkpoint>(&value) {
        Err(error) => ReadError::Shape {
            path: printable(&error.path().to_string()).to_string(),
            problem: printable(&error.inner().to_string()).to_string(),
        },
        // A duplicate member: the text has it twice, the value only once.
        Ok(_) => ReadError::NotJson("duplicate member".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(reason(""), "the file is empty");
        assert_eq!(reason(" \n"), "the file is empty");
        assert!(reason("{\"version\": 1").starts_with("not JSON (EOF while parsing"));
        assert_eq!(reason("[1]"), "not a JSON object");
        assert_eq!(reason("{}"), "unsupported checkpoint schema version: undefined (expected 1)");
        assert_eq!(reason(r#"{"version": 2}"#), "unsupported checkpoint schema version: 2 (expected 1)");
        assert_eq!(
            reason(r#"{"version": "1"}"#),
            "unsupported checkpoint schema version: \"1\" (expected 1)"
        );
        assert!(
            reason(r#"{"version": 1, "phases": {"research": {"status": "done"}}}"#)
                .starts_with("phases.research.status: unknown variant `done`")
        );
        assert_eq!(reason(r#"{"version": 1, "command": "a", "command": "b"}"#), "duplicate member");
        assert!(reason(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))).contains("recursion limit"));
        assert!(
            read(b"{\"version\": 1, \"feature\": \"\xff\"}")
                .unwrap_err()
                .to_string()
                .starts_with("not UTF-8")
        );
        assert!(read(&[0; 64]).unwrap_err().to_string().starts_with("not JSON"));
    }

    #[test]
    fn unknown_members_survive_everywhere() {
        let text = r#"{"version":1,"command":"design","state":{"current_phase":null,"completed_phases":[],"pending_phases":[],"mood":"good"},"phases":{"research":{"status":"pending","x":{"y":[1,null]}}},"zz":1,"aa":null}"#;
        let document = read(text.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&document).unwrap(), text);
    }

    #[test]
    fn the_versions_javascript_calls_one_are_one() {
        assert!(read(br#"{"version": 1.0}"#).is_ok());
    }

    /// The oldest document there is: written by the tool whose schema this is, before charrette.
    #[test]
    fn reads_the_oldest_documents() {
        let document = read(include_bytes!("../../tests/fixtures/checkpoint-v1-oldest.json")).unwrap();
        assert_eq!(document.state.current_phase.as_deref(), Some("implementation"));
        assert_eq!(document.phases["implementation"].files_created.as_deref().unwrap().len(), 1);
    }
}
