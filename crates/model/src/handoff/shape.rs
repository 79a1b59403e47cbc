//! Description of JSON members, and validation against it.

use super::report::HandoffReport;
use crate::escape::printable;
use serde_json::Value;

/// Type of a member.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A non-empty text.
    Text,
    OneOf(&'static [&'static str]),
    /// A whole number, not negative.
    Count,
    Number,
    Bool,
    /// An object with these members; others are warned about.
    Object(&'static [Member]),
    /// An object that is validated elsewhere.
    AnyObject,
    List(&'static Shape),
    Nullable(&'static Shape),
    Any,
}

#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    /// True if its absence is an error.
    pub required: bool,
    pub shape: Shape,
}

/// A required member.
pub const fn required(name: &'static str, shape: Shape) -> Member {
    Member { name, required: true, shape }
}

/// An optional member.
pub const fn optional(name: &'static str, shape: Shape) -> Member {
    Member { name, required: false, shape }
}

/// Validates `value`, found at `path`, against `shape`.
pub(super) fn compare(value: &Value, shape: &Shape, path: &str, report: &mut HandoffReport) {
    let expected = match (shape, value) {
        (Shape::Any, _) | (Shape::AnyObject, Value::Object(_)) | (Shape::Nullable(_), Value::Null) => {
            return;
        }
        (Shape::Nullable(shape), _) => return compare(value, shape, path, report),
        (Shape::Text, Value::String(text)) if text.trim().is_empty() => "must not be empty".to_owned(),
        (Shape::Text, Value::String(_))
        | (Shape::Number, Value::Number(_))
        | (Shape::Bool, Value::Bool(_)) => return,
        (Shape::Count, Value::Number(number)) if number.is_u64() => return,
        (Shape::OneOf(words), Value::String(text)) if words.contains(&text.as_str()) => return,
        (Shape::OneOf(words), Value::String(text)) => {
            format!("'{}' is not one of {}", printable(text), words.join(", "))
        }
        (Shape::List(shape), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                compare(item, shape, &format!("{path}[{index}]"), report);
            }
            return;
        }
        (Shape::Object(members), Value::Object(_)) => return compare_members(value, members, path, report),
        (Shape::Text, _) => expected("text", value),
        (Shape::OneOf(words), _) => expected(&format!("one of {}", words.join(", ")), value),
        (Shape::Count, _) => expected("a whole number", value),
        (Shape::Number, _) => expected("a number", value),
        (Shape::Bool, _) => expected("true or false", value),
        (Shape::Object(_) | Shape::AnyObject, _) => expected("an object", value),
        (Shape::List(_), _) => expected("a list", value),
    };
    report.error(path, &expected);
}

fn compare_members(value: &Value, members: &[Member], path: &str, report: &mut HandoffReport) {
    let Value::Object(object) = value else { return };
    for member in members {
        let at = join(path, member.name);
        match object.get(member.name) {
            Some(value) => compare(value, &member.shape, &at, report),
            None if member.required => report.error(&at, "is missing"),
            None => {}
        }
    }
    for key in object.keys().filter(|key| members.iter().all(|member| member.name != key.as_str())) {
        report.warning(&join(path, &printable(key).to_string()), "is not a member of the protocol");
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn expected(what: &str, value: &Value) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("expected {what}, found {found}")
}
