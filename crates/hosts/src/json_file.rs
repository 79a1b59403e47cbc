//! JSON files of clients: parsed with comments and trailing commas, edited in place so that everything else stays.

use crate::edit::EditProblem;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

/// A file as plain JSON.
pub fn read(text: &str) -> Result<Value, EditProblem> {
    let (_, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(Value::Object(serde_json::Map::new()));
    }
    Ok(Parsed::parse(body)?.root.to_serde_value().unwrap_or_default())
}

/// The byte order mark, and the rest.
pub(crate) fn split_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}

/// A parsed file whose root is an object.
pub(crate) struct Parsed {
    pub(crate) root: CstRootNode,
    pub(crate) object: CstObject,
}

impl Parsed {
    /// JSON with comments and trailing commas, which clients accept; nothing looser.
    pub(crate) fn parse(text: &str) -> Result<Parsed, EditProblem> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root =
            CstRootNode::parse(text, &options).map_err(|error| EditProblem::Json(error.to_string()))?;
        let value = root.value().ok_or_else(|| EditProblem::Json("it has only comments".to_owned()))?;
        check_keys(&value)?;
        let object = value.as_object().ok_or_else(|| wrong_type("the file", "an object"))?;
        Ok(Parsed { root, object })
    }
}

/// Refuses keys that are there twice: clients disagree on which one counts.
fn check_keys(node: &CstNode) -> Result<(), EditProblem> {
    if let Some(object) = node.as_object() {
        let mut names: Vec<String> = Vec::new();
        for property in object.properties() {
            let name = property.decoded_name().unwrap_or_default();
            if names.contains(&name) {
                return Err(EditProblem::DuplicateKey(name));
            }
            names.push(name);
            if let Some(value) = property.value() {
                check_keys(&value)?;
            }
        }
    }
    let elements = node.as_array().map(|list| list.elements()).unwrap_or_default();
    elements.iter().try_for_each(check_keys)
}

pub(crate) fn wrong_type(place: &str, expected: &'static str) -> EditProblem {
    EditProblem::Type { place: place.to_owned(), expected }
}

pub(crate) fn input_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input_value).collect()),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), input_value(value)));
            CstInputValue::Object(members.collect())
        }
    }
}
