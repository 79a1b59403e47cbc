//! A description of JSON members, and the comparison of a value with it.

use super::report::Report;
use crate::shown::shown;
use serde_json::Value;

/// What a member must be.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A text with something in it.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A whole number, not negative.
    Count,
    /// Any number.
    Number,
    /// True or false.
    Truth,
    /// An object with these members; others are warned about.
    Object(&'static [Member]),
    /// An object that is looked at elsewhere.
    AnyObject,
    /// A list of these.
    List(&'static Shape),
    /// This, or null.
    OrNull(&'static Shape),
    /// Anything at all.
    Anything,
}

/// One member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Whether its absence is an error.
    pub required: bool,
    /// What it must be.
    pub shape: Shape,
}

/// A member that must be there.
pub const fn must(name: &'static str, shape: Shape) -> Member {
    Member { name, required: true, shape }
}

/// A member that may be there.
pub const fn may(name: &'static str, shape: Shape) -> Member {
    Member { name, required: false, shape }
}

/// Compares `value`, found at `path`, with `shape`.
pub(super) fn compare(value: &Value, shape: &Shape, path: &str, report: &mut Report) {
    let expected = match (shape, value) {
        (Shape::Anything, _) | (Shape::AnyObject, Value::Object(_)) | (Shape::OrNull(_), Value::Null) => {
            return;
        }
        (Shape::OrNull(shape), _) => return compare(value, shape, path, report),
        (Shape::Text, Value::String(text)) if text.trim().is_empty() => "must not be empty".to_owned(),
        (Shape::Text, Value::String(_))
        | (Shape::Number, Value::Number(_))
        | (Shape::Truth, Value::Bool(_)) => return,
        (Shape::Count, Value::Number(number)) if number.is_u64() => return,
        (Shape::OneOf(words), Value::String(text)) if words.contains(&text.as_str()) => return,
        (Shape::OneOf(words), Value::String(text)) => {
            format!("'{}' is not one of {}", shown(text), words.join(", "))
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
        (Shape::Truth, _) => expected("true or false", value),
        (Shape::Object(_) | Shape::AnyObject, _) => expected("an object", value),
        (Shape::List(_), _) => expected("a list", value),
    };
    report.error(path, &expected);
}

fn compare_members(value: &Value, members: &[Member], path: &str, report: &mut Report) {
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
        report.warning(&join(path, &shown(key).to_string()), "is not a member of the protocol");
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
