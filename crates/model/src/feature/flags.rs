//! Flags inside a prompt: `/design add-login --phase=write --resume`.
//!
//! A flag is a whole token. Quoted text is an argument, whatever it looks like, and so is everything after a
//! bare `--`. Names are literal and case-insensitive, values case-sensitive. Only `--name=value` gives a
//! value: the word after `--name` belongs to the description.

use crate::escape::printable;
use serde_json::{Map, Value};

/// A flag that a command accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagDefinition {
    /// Without the hyphens.
    pub name: String,
    pub value: FlagValue,
}

/// Type of a flag's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagValue {
    /// No value: a switch.
    Nothing,
    Text,
    OneOf(Vec<String>),
}

/// The flags found in a prompt, and warnings about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flags {
    /// By name: true or false for a switch; the value or null for others.
    pub values: Map<String, Value>,
    /// One line each.
    pub warnings: Vec<String>,
}

/// Parses definitions: `{"resume": "boolean", "parent": "string", "phase": {"type": "string", "values":
/// […]}}`.
pub fn parse_definitions(json: &str) -> Result<Vec<FlagDefinition>, InvalidDefinition> {
    let value: Value =
        serde_json::from_str(json).map_err(|error| InvalidDefinition::NotJson(error.to_string()))?;
    let Value::Object(members) = value else { return Err(InvalidDefinition::NotAnObject) };
    members
        .into_iter()
        .map(|(name, kind)| {
            let value = parse_value_type(&kind).ok_or_else(|| InvalidDefinition::Kind(name.clone()))?;
            Ok(FlagDefinition { name, value })
        })
        .collect()
}

fn parse_value_type(kind: &Value) -> Option<FlagValue> {
    match kind {
        Value::String(kind) if kind == "boolean" => Some(FlagValue::Nothing),
        Value::String(kind) if kind == "string" => Some(FlagValue::Text),
        Value::Object(members) => match (members.get("type")?.as_str()?, members.get("values")) {
            ("boolean", None) => Some(FlagValue::Nothing),
            ("string", None | Some(Value::Null)) => Some(FlagValue::Text),
            ("string", Some(Value::Array(values))) => {
                let values = values.iter().map(|value| value.as_str().map(str::to_owned));
                Some(FlagValue::OneOf(values.collect::<Option<_>>()?))
            }
            _ => None,
        },
        _ => None,
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDefinition {
    #[error("the definition is not JSON ({0})")]
    NotJson(String),
    #[error("the definition must be a JSON object of flag names")]
    NotAnObject,
    /// Unknown type of a flag.
    #[error("flag '{}': expected \"boolean\", \"string\" or {{\"type\": \"string\", \"values\": […]}}", printable(.0))]
    Kind(String),
}

/// Finds the defined flags in a prompt. The first occurrence of a flag counts.
pub fn parse(prompt: &str, definitions: &[FlagDefinition]) -> Flags {
    let tokens = tokens(prompt);
    let typed: Vec<&Token> = tokens.iter().take_while(|token| !token.ends_flags()).collect();
    let mut values = Map::new();
    let mut warnings = Vec::new();
    for FlagDefinition { name, value } in definitions {
        let found = typed.iter().find_map(|token| token.flag(name)).unwrap_or(Occurrence::Absent);
        let value = match (value, found) {
            (FlagValue::Nothing, Occurrence::With(value)) => {
                let value = printable(value);
                warnings.push(format!("Warning: --{name} takes no value; \"={value}\" was ignored with it"));
                Value::Bool(false)
            }
            (FlagValue::Nothing, found) => Value::Bool(found == Occurrence::Bare),
            (_, Occurrence::Absent | Occurrence::Bare | Occurrence::With("")) => Value::Null,
            (FlagValue::OneOf(allowed), Occurrence::With(value))
                if allowed.iter().all(|allowed| allowed != value) =>
            {
                let value = printable(value);
                let allowed = allowed.join(", ");
                warnings.push(format!(
                    "Warning: Invalid value \"{value}\" for --{name}. Valid values: {allowed}"
                ));
                Value::Null
            }
            (_, Occurrence::With(value)) => Value::from(value),
        };
        values.insert(name.clone(), value);
    }
    Flags { values, warnings }
}

/// Occurrence of a flag in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occurrence<'a> {
    Absent,
    Bare,
    With(&'a str),
}

/// One word of a prompt, quotes resolved.
#[derive(Debug, PartialEq, Eq)]
struct Token {
    text: String,
    /// True if it started with a quote: an argument, never a flag.
    quoted: bool,
}

impl Token {
    fn ends_flags(&self) -> bool {
        !self.quoted && self.text == "--"
    }

    /// The occurrence, if this token is the flag `name`.
    fn flag(&self, name: &str) -> Option<Occurrence<'_>> {
        if self.quoted {
            return None;
        }
        let body = self.text.strip_prefix("--")?;
        let (typed, found) = match body.split_once('=') {
            Some((typed, value)) => (typed, Occurrence::With(value)),
            None => (body, Occurrence::Bare),
        };
        (typed.to_lowercase() == name.to_lowercase()).then_some(found)
    }
}

/// Splits at white space. A quote opens at the start of a token or right after `=`, and only if it closes
/// before white space or the end: the apostrophe of "don't" and a lone `"` are letters.
fn tokens(prompt: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = prompt.trim_start();
    while !rest.is_empty() {
        let (token, after) = next_token(rest);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

fn next_token(rest: &str) -> (Token, &str) {
    if let Some((text, after)) = parse_quoted(rest) {
        return (Token { text, quoted: true }, after);
    }
    let word_end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let word = &rest[..word_end];
    if let Some(equals) = word.find('=')
        && word.starts_with("--")
        && let Some((value, after)) = parse_quoted(&rest[equals + 1..])
    {
        return (Token { text: format!("{}={value}", &word[..equals]), quoted: false }, after);
    }
    (Token { text: word.to_owned(), quoted: false }, &rest[word_end..])
}

/// The text of a quotation at the start of `rest`, and the remainder.
fn parse_quoted(rest: &str) -> Option<(String, &str)> {
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => text.extend(chars.next().map(|(_, escaped)| escaped)),
            c if c == quote => {
                let after = &rest[at + c.len_utf8()..];
                return after.chars().next().is_none_or(char::is_whitespace).then_some((text, after));
            }
            c => text.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn design() -> Vec<FlagDefinition> {
        parse_definitions(
            r#"{"resume": "boolean", "dry-run": "boolean", "parent": "string",
                "phase": {"type": "string", "values": ["research", "write", "validate"]}, "a.(b": "boolean"}"#,
        )
        .unwrap()
    }

    fn found(prompt: &str) -> Value {
        let mut values = parse(prompt, &design()).values;
        values.retain(|_, value| !value.is_null() && *value != false);
        Value::Object(values)
    }

    #[test]
    fn flags_are_whole_tokens() {
        for (prompt, flags) in [
            ("/design x --resume", json!({"resume": true})),
            ("--RESUME --Phase=write", json!({"resume": true, "phase": "write"})),
            ("x--resume --resume-later --resumes", json!({})),
            ("--dry-run=false", json!({})),
            ("--phase write", json!({})),
            ("--phase", json!({})),
            ("--phase=", json!({})),
            ("--phase=Write", json!({})),
            ("--phase=write --phase=research", json!({"phase": "write"})),
            ("--parent=Shop", json!({"parent": "Shop"})),
            ("--parent=\"my shop\" --resume", json!({"parent": "my shop", "resume": true})),
            ("--parent=a=b", json!({"parent": "a=b"})),
            ("\"add --resume to the cli\"", json!({})),
            ("'--resume' `--dry-run`", json!({})),
            ("don't --resume", json!({"resume": true})),
            ("say \"hi --resume", json!({"resume": true})),
            ("\"a \\\" --resume\" --dry-run", json!({"dry-run": true})),
            ("x -- --resume", json!({})),
            ("a\n\t--resume\u{3000}b", json!({"resume": true})),
            ("--a.(b", json!({"a.(b": true})),
            ("--aX(b", json!({})),
            ("", json!({})),
        ] {
            assert_eq!(found(prompt), flags, "{prompt}");
        }
    }

    #[test]
    fn every_defined_flag_is_in_the_answer() {
        let values = parse("x", &design()).values;
        assert_eq!(
            Value::Object(values),
            json!({"resume": false, "dry-run": false, "parent": null, "phase": null, "a.(b": false})
        );
    }

    #[test]
    fn invalid_values_are_warned_about() {
        let flags = parse("--phase=foo --dry-run=no", &design());
        assert_eq!(
            flags.warnings,
            [
                "Warning: --dry-run takes no value; \"=no\" was ignored with it",
                "Warning: Invalid value \"foo\" for --phase. Valid values: research, write, validate",
            ]
        );
    }

    #[test]
    fn definitions_must_be_understood() {
        for bad in [
            "",
            "[]",
            "{\"a\": \"number\"}",
            "{\"a\": {\"values\": []}}",
            "{\"a\": {\"type\": \"string\", \"values\": [1]}}",
        ] {
            assert!(parse_definitions(bad).is_err(), "{bad}");
        }
        assert_eq!(
            parse_definitions("{\"a\": {\"type\": \"boolean\"}}").unwrap()[0].value,
            FlagValue::Nothing
        );
    }

    proptest! {
        #[test]
        fn no_prompt_is_too_strange(prompt in "(\\PC|[\"'`=\\\\ \n-]){0,80}") {
            parse(&prompt, &design());
        }

        #[test]
        fn a_flag_is_found_wherever_it_stands(before in "[a-z ]{0,20}", after in "[a-z ]{0,20}") {
            let flags = parse(&format!("{before} --resume {after}"), &design());
            prop_assert_eq!(&flags.values["resume"], &Value::Bool(true));
        }
    }
}
