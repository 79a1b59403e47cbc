//! JSON format of documents on disk: two spaces, byte for byte the pretty format of `serde_json`.
//!
//! Documents are mostly short members at some depth. A line break and its indentation are written here as one
//! piece, where `serde_json` writes a piece for each level.

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// Formats a value. `expected` is its approximate length.
pub(crate) fn to_vec(value: &impl Serialize, expected: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(expected);
    value.serialize(&mut Serializer::with_formatter(&mut text, Pretty::default()))?;
    Ok(text)
}

#[derive(Default)]
struct Pretty {
    depth: usize,
    /// True if the current object or array is not empty.
    has_value: bool,
}

/// Separator of members at the deepest common level.
const BREAK: &[u8; 2 + 2 * DEEP] = b",\n                                ";
const DEEP: usize = 16;

impl Pretty {
    fn begin<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        writer.write_all(bracket)
    }

    fn end<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            self.break_line(writer, true)?;
        }
        writer.write_all(bracket)
    }

    fn break_line<W: ?Sized + io::Write>(&self, writer: &mut W, is_first: bool) -> io::Result<()> {
        let from = usize::from(is_first);
        writer.write_all(&BREAK[from..2 + 2 * self.depth.min(DEEP)])?;
        (DEEP..self.depth).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for Pretty {
    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"[")
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"]")
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.break_line(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.begin(writer, b"{")
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.end(writer, b"}")
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.break_line(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _writer: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn output_equals_serde_json_pretty() {
        let deep =
            (0..40).fold(
                json!("core"),
                |inner, n| if n % 3 == 0 { json!([inner, n]) } else { json!({"in": inner}) },
            );
        for value in [
            json!({}),
            json!([]),
            json!(null),
            json!({"a": {}, "b": [], "c": [[], {}], "d": [1, 2.5, null, true, "x\n\"y\""], "e": {"f": {"g": {}}}}),
            json!([{"a": [{}]}, [[[]]], {"b": []}]),
            deep,
        ] {
            let ours = String::from_utf8(to_vec(&value, 0).unwrap()).unwrap();
            assert_eq!(ours, serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
