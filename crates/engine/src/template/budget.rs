//! What the filters of one rendering may read and make, in bytes.
//!
//! A list can hold the same value in many places. It then costs little memory, and more time than there is when it is written
//! or compared: its size is that of all its items, each time they occur.

use super::supervised::check_time;
use super::too_large;
use minijinja::value::ValueKind;
use minijinja::{Error, State, Value};
use std::fmt::{self, Write as _};

/// Everything that filters make.
pub(super) const MADE: Budget =
    Budget { key: "charrette.made", limit: 8 << 20, what: "what the filters make" };

/// Everything that filters are given.
pub(super) const READ: Budget =
    Budget { key: "charrette.read", limit: 256 << 20, what: "what the filters read" };

/// Size of an item of a list, in bytes.
pub(super) const ITEM_BYTES: usize = 64;

/// Maximum depth of lists in lists. Writing a deeper one could exhaust the stack.
const MAX_DEPTH: usize = 64;

/// A limit for all filters of one rendering together.
pub(super) struct Budget {
    key: &'static str,
    limit: usize,
    what: &'static str,
}

impl Budget {
    /// What is left of it.
    pub(super) fn left(&self, state: &State) -> Left {
        Left { bytes: self.limit.saturating_sub(self.used(state)), limit: self.limit, what: self.what }
    }

    /// Takes bytes of it, and fails beyond the limit, or when the time is over.
    pub(super) fn charge(&self, state: &mut State, bytes: usize) -> Result<(), Error> {
        check_time()?;
        let used = self.used(state).saturating_add(bytes);
        if used > self.limit {
            return Err(too_large(self.what, self.limit));
        }
        state.set_temp(self.key, Value::from(used));
        Ok(())
    }

    fn used(&self, state: &State) -> usize {
        state.get_temp(self.key).and_then(|used| used.as_usize()).unwrap_or_default()
    }
}

/// What is left of a budget.
#[derive(Clone, Copy)]
pub(super) struct Left {
    bytes: usize,
    limit: usize,
    what: &'static str,
}

impl Left {
    fn take(&mut self, bytes: usize) -> Result<(), Error> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(|| too_large(self.what, self.limit))?;
        Ok(())
    }
}

/// Size of a value, without what its items hold.
pub(super) fn size(value: &Value) -> usize {
    match value.as_str() {
        Some(text) => text.len(),
        None => value.len().unwrap_or_default().saturating_mul(ITEM_BYTES),
    }
}

/// Size of values with everything in them, which is counted as far as the budget goes.
pub(super) fn whole_size(values: &[Value], left: Left) -> Result<usize, Error> {
    let mut rest = left;
    values.iter().try_for_each(|value| count(value, 0, &mut rest))?;
    Ok(left.bytes - rest.bytes)
}

fn count(value: &Value, depth: usize, left: &mut Left) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(too_large("the depth of lists in lists", MAX_DEPTH));
    }
    if let Some(text) = value.as_str() {
        return left.take(text.len());
    }
    if !is_list(value) {
        return Ok(());
    }
    for item in value.try_iter()? {
        left.take(ITEM_BYTES)?;
        count(&item, depth + 1, left)?;
        if value.kind() == ValueKind::Map {
            count(&value.get_item(&item)?, depth + 1, left)?;
        }
    }
    Ok(())
}

fn is_list(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map)
}

/// A list or map as the text that a filter would make of it; any other value as it is.
pub(super) fn write_list(state: &mut State, value: Value) -> Result<Value, Error> {
    if !is_list(&value) {
        return Ok(value);
    }
    let left = MADE.left(state);
    let mut text = LimitedText { text: String::new(), limit: left.bytes };
    write!(text, "{value}").map_err(|_| too_large(left.what, left.limit))?;
    MADE.charge(state, text.text.len())?;
    Ok(Value::from(text.text))
}

/// A text that refuses to grow beyond what is left.
struct LimitedText {
    text: String,
    limit: usize,
}

impl fmt::Write for LimitedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > self.limit {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}
