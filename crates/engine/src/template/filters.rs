//! Filters of templates. What they read and make in one rendering is limited in bytes ([`super::budget`]), together.
//!
//! So is what those tests read that look at the whole of a text.

use super::budget::{ITEM_BYTES, MADE, READ, size, whole_size, write_list};
use super::ranges::range;
use super::too_large;
use minijinja::value::{Rest, ValueOrKwargs};
use minijinja::{Environment, Error, State, UndefinedBehavior, Value, filters};
use std::sync::OnceLock;

/// Maximum number of spaces that `indent` puts before a line.
const MAX_INDENT: usize = 200;

/// Maximum length of the characters that `trim` is given: it compares each with each of the text.
const MAX_TRIMMED: usize = 64;

/// Filters of the template engine that make no more than a multiple of what they are given.
const LINEAR: [&str; 23] = [
    "abs", "attr", "bool", "count", "d", "default", "dictsort", "first", "float", "groupby", "int", "items",
    "last", "length", "lines", "list", "max", "min", "reverse", "round", "sort", "split", "unique",
];

/// Those that make a text, of a list too.
const TEXTUAL: [&str; 9] = ["capitalize", "e", "escape", "lower", "safe", "string", "title", "trim", "upper"];

/// Those that put every item of a list to a test, with the same arguments.
const SELECTING: [&str; 4] = ["reject", "rejectattr", "select", "selectattr"];

/// Tests that look at the whole of a text or list.
const READING_TESTS: [&str; 5] = ["endingwith", "in", "lower", "startingwith", "upper"];

/// Filters and functions of the template engine that make as much as they are asked for.
const UNBOUNDED: [&str; 7] = ["batch", "chain", "format", "pprint", "slice", "sum", "zip"];
const UNBOUNDED_FUNCTIONS: [&str; 3] = ["debug", "dict", "namespace"];

/// Replaces the filters of the template engine by limited ones.
pub(super) fn limit(environment: &mut Environment<'_>) {
    for name in UNBOUNDED {
        environment.remove_filter(name);
    }
    for name in UNBOUNDED_FUNCTIONS {
        environment.remove_global(name);
    }
    for name in LINEAR {
        environment.add_filter(name, move |state: &mut State, values: Rest<ValueOrKwargs>| {
            apply(state, name, &values.into_values())
        });
    }
    for name in TEXTUAL {
        environment.add_filter(
            name,
            move |state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>| {
                let arguments = arguments.into_values();
                if name == "trim" && arguments.iter().any(|characters| size(characters) > MAX_TRIMMED) {
                    return Err(too_large("the length of what is trimmed off", MAX_TRIMMED));
                }
                let text = write_list(state, value)?;
                apply(state, name, &std::iter::once(text).chain(arguments).collect::<Vec<_>>())
            },
        );
    }
    for name in SELECTING {
        environment.add_filter(
            name,
            move |state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>| {
                let arguments = arguments.into_values();
                let each = whole_size(&arguments, READ.left(state))?;
                READ.charge(state, each.saturating_mul(value.len().unwrap_or_default()))?;
                apply(state, name, &std::iter::once(value).chain(arguments).collect::<Vec<_>>())
            },
        );
    }
    for name in READING_TESTS {
        environment.add_test(name, move |state: &mut State, values: Rest<Value>| {
            let read = whole_size(&values, READ.left(state))?;
            READ.charge(state, read)?;
            engine().empty_state().perform_test(name, &values)
        });
    }
    environment.add_function("range", range);
    environment.add_filter("map", map);
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    environment.add_filter("indent", indent);
}

/// Adds a filter for texts.
pub(crate) fn add_text_filter(
    environment: &mut Environment<'_>,
    name: &'static str,
    filter: fn(&str) -> String,
) {
    environment.add_filter(name, move |state: &mut State, text: &str| -> Result<String, Error> {
        let made = filter(text);
        MADE.charge(state, made.len())?;
        Ok(made)
    });
}

/// Applies a filter of the template engine.
fn apply(state: &mut State, name: &str, values: &[Value]) -> Result<Value, Error> {
    let read = whole_size(values, READ.left(state))?;
    READ.charge(state, read)?;
    let expected = made_of_text(name, values);
    MADE.charge(state, expected)?;
    let made = engine().empty_state().apply_filter(name, values)?;
    MADE.charge(state, size(&made).saturating_sub(expected))?;
    Ok(made)
}

/// Size of what a filter makes of a text, known before it does. An item of a list takes many times the memory of its
/// character.
fn made_of_text(name: &str, values: &[Value]) -> usize {
    let Some(text) = values.first().and_then(Value::as_str) else { return 0 };
    let items = match name {
        "lines" => text.lines().count(),
        "split" => {
            let pieces = match values.get(1).and_then(Value::as_str) {
                Some(separator) => text.matches(separator).count() + 1,
                None => text.split_whitespace().count(),
            };
            let limit = values.get(2).and_then(Value::as_usize).unwrap_or(usize::MAX);
            pieces.min(limit.saturating_add(1))
        }
        "groupby" | "list" | "reject" | "rejectattr" | "select" | "selectattr" | "sort" | "unique" => {
            text.chars().count()
        }
        "reverse" => 0,
        _ if TEXTUAL.contains(&name) => 0,
        _ => return 0,
    };
    items.saturating_mul(ITEM_BYTES).saturating_add(text.len())
}

/// The template engine with its own filters.
fn engine() -> &'static Environment<'static> {
    static ENGINE: OnceLock<Environment<'static>> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine
    })
}

/// The only filter that can put one value in many places: what it makes counts as if each were a copy.
fn map(state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>) -> Result<Vec<Value>, Error> {
    MADE.charge(state, value.len().unwrap_or_default().saturating_mul(ITEM_BYTES))?;
    let made = filters::map(state, value, arguments)?;
    let copied = whole_size(&made, MADE.left(state))?;
    MADE.charge(state, copied)?;
    Ok(made)
}

fn join(state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = arguments.into_values();
    let separators = whole_size(&arguments, MADE.left(state))?;
    let items = whole_size(std::slice::from_ref(&value), MADE.left(state))?;
    let expected = separators.saturating_mul(value.len().unwrap_or_default()).saturating_add(items);
    MADE.charge(state, expected)?;
    let all: Vec<Value> = std::iter::once(value).chain(arguments).collect();
    let made = engine().empty_state().apply_filter("join", &all)?;
    // An item that is no text may be longer when it is written.
    MADE.charge(state, size(&made).saturating_sub(expected))?;
    Ok(made)
}

fn replace(state: &mut State, text: &str, from: &str, to: &str) -> Result<String, Error> {
    let growth = text.matches(from).count().saturating_mul(to.len());
    MADE.charge(state, text.len().saturating_add(growth))?;
    Ok(text.replace(from, to))
}

fn indent(state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let text = write_list(state, value)?;
    let lines = text.as_str().unwrap_or_default().lines().count();
    MADE.charge(state, size(&text).saturating_add(lines.saturating_mul(MAX_INDENT)))?;
    let arguments = arguments.into_values();
    let width = |value: &Value| value.as_usize().or_else(|| value.get_attr("width").ok()?.as_usize());
    if arguments.iter().filter_map(width).any(|width| width > MAX_INDENT) {
        return Err(too_large("the width of an indentation", MAX_INDENT));
    }
    let all: Vec<Value> = std::iter::once(text).chain(arguments).collect();
    engine().empty_state().apply_filter("indent", &all)
}
