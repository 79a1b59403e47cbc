//! Secrets with known values: found in one pass, however many there are.

use super::marker::{Secret, plain_name};
use std::cmp::Reverse;
use std::ops::Range;

/// Shorter values are too likely to be ordinary words.
const MIN_BYTES: usize = 8;

/// Maximum size of the search window.
const MAX_WINDOW: usize = 32;

/// Longer ones are not single values.
const MAX_BYTES: usize = 8192;

/// The values, with a jump table for the search (Wu-Manber).
///
/// A window as long as the shortest value moves over the text. Its last two bytes give the distance to the
/// next possible start of a value; only at distance 0 are the values themselves compared.
#[derive(Debug, Clone)]
pub(super) struct KnownSecrets {
    values: Vec<Value>,
    window: usize,
    jumps: Box<[u8; TABLE]>,
}

#[derive(Debug, Clone)]
struct Value {
    name: String,
    bytes: Vec<u8>,
}

const TABLE: usize = 4096;

impl KnownSecrets {
    pub(super) fn new(known: impl IntoIterator<Item = (String, Vec<u8>)>) -> KnownSecrets {
        let mut values = Vec::new();
        for (name, bytes) in known {
            let name = plain_name(&name);
            // Also in its JSON form, where that differs: most agents answer in JSON.
            if let Ok(text) = std::str::from_utf8(&bytes)
                && let Ok(quoted) = serde_json::to_string(text)
                && quoted.len() != text.len() + 2
            {
                values.push(Value {
                    name: name.clone(),
                    bytes: quoted.as_bytes()[1..quoted.len() - 1].to_vec(),
                });
            }
            values.push(Value { name, bytes });
        }
        values.retain(|value| (MIN_BYTES..=MAX_BYTES).contains(&value.bytes.len()));
        // Longest first, so that no value hides behind its own prefix.
        values.sort_by_key(|value| Reverse(value.bytes.len()));
        let window = values.last().map_or(MIN_BYTES, |shortest| shortest.bytes.len().min(MAX_WINDOW));
        let jump = |by: usize| u8::try_from(by).unwrap_or(0);
        let mut jumps = Box::new([jump(window - 1); TABLE]);
        for value in &values {
            for end in 1..window {
                let known = &mut jumps[slot(value.bytes[end - 1], value.bytes[end])];
                *known = (*known).min(jump(window - 1 - end));
            }
        }
        KnownSecrets { values, window, jumps }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.as_str())
    }

    /// Finds all occurrences; overlapping ones count once.
    pub(super) fn find<'r>(&'r self, text: &[u8], found: &mut Vec<Secret<'r>>) {
        if self.values.is_empty() {
            return;
        }
        let mut end = self.window - 1;
        while end < text.len() {
            let jump = self.jumps[slot(text[end - 1], text[end])];
            if jump > 0 {
                end += usize::from(jump);
                continue;
            }
            let start = end + 1 - self.window;
            match self.values.iter().find(|value| text[start..].starts_with(&value.bytes)) {
                Some(value) => {
                    let at: Range<usize> = start..start + value.bytes.len();
                    end = at.end + self.window - 1;
                    found.push(Secret { at, name: &value.name });
                }
                None => end += 1,
            }
        }
    }
}

fn slot(first: u8, second: u8) -> usize {
    (usize::from(first) << 4 ^ usize::from(second)) % TABLE
}
