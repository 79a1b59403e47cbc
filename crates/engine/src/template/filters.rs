//! Filters of templates. What they make in one rendering is limited in bytes, together.

use super::too_large;
use minijinja::value::{Rest, ValueOrKwargs};
use minijinja::{Environment, Error, State, UndefinedBehavior, Value, filters};
use std::sync::OnceLock;

/// Maximum size of everything that the filters of one rendering make, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// Size of an item of a list, in bytes.
const ITEM_BYTES: usize = 64;

/// Maximum number of spaces that `indent` puts before a line.
const MAX_INDENT: usize = 200;

/// Filters of the template engine that make no more than a multiple of what they are given.
const LINEAR: [&str; 36] = [
    "abs",
    "attr",
    "bool",
    "capitalize",
    "count",
    "d",
    "default",
    "dictsort",
    "e",
    "escape",
    "first",
    "float",
    "groupby",
    "int",
    "items",
    "last",
    "length",
    "lines",
    "list",
    "lower",
    "max",
    "min",
    "reject",
    "rejectattr",
    "reverse",
    "round",
    "select",
    "selectattr",
    "sort",
    "split",
    "string",
    "title",
    "trim",
    "unique",
    "upper",
    "safe",
];

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
        let filter = move |state: &mut State, values: Rest<ValueOrKwargs>| -> Result<Value, Error> {
            let made = engine().empty_state().apply_filter(name, &values.into_values())?;
            charge(state, size(&made))?;
            Ok(made)
        };
        environment.add_filter(name, filter);
    }
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
        charge(state, made.len())?;
        Ok(made)
    });
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

/// Size of a value that a filter made, in bytes.
fn size(value: &Value) -> usize {
    match value.as_str() {
        Some(text) => text.len(),
        None => value.len().unwrap_or_default().saturating_mul(ITEM_BYTES),
    }
}

/// Adds to what the filters of this rendering have made, and fails beyond the limit.
fn charge(state: &mut State, bytes: usize) -> Result<(), Error> {
    const MADE: &str = "charrette.made";
    let made = state.get_temp(MADE).and_then(|made| made.as_usize()).unwrap_or_default();
    let made = made.saturating_add(bytes);
    if made > MAX_BYTES {
        return Err(too_large("what the filters make", MAX_BYTES));
    }
    state.set_temp(MADE, Value::from(made));
    Ok(())
}

fn map(state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>) -> Result<Vec<Value>, Error> {
    charge(state, size(&value))?;
    filters::map(state, value, arguments)
}

fn join(state: &mut State, value: Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = arguments.into_values();
    let separators: usize = arguments.iter().map(size).sum();
    let count = value.len().unwrap_or_default();
    let items =
        if value.as_str().is_some() { size(&value) } else { value.try_iter()?.map(|item| size(&item)).sum() };
    charge(state, separators.saturating_mul(count).saturating_add(items))?;
    let all: Vec<Value> = std::iter::once(value).chain(arguments).collect();
    engine().empty_state().apply_filter("join", &all)
}

fn replace(state: &mut State, text: &str, from: &str, to: &str) -> Result<String, Error> {
    let growth = text.matches(from).count().saturating_mul(to.len());
    charge(state, text.len().saturating_add(growth))?;
    Ok(text.replace(from, to))
}

fn indent(state: &mut State, text: Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let lines = text.as_str().unwrap_or_default().lines().count();
    charge(state, size(&text).saturating_add(lines.saturating_mul(MAX_INDENT)))?;
    let arguments = arguments.into_values();
    let width = |value: &Value| value.as_usize().or_else(|| value.get_attr("width").ok()?.as_usize());
    if arguments.iter().filter_map(width).any(|width| width > MAX_INDENT) {
        return Err(too_large("the width of an indentation", MAX_INDENT));
    }
    let all: Vec<Value> = std::iter::once(text).chain(arguments).collect();
    engine().empty_state().apply_filter("indent", &all)
}
