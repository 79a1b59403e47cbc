//! The sentinel file that marks the end of a call: its exit code.

/// Exit code of a call whose own is unknown.
pub const UNKNOWN: u8 = 99;

/// Contents of a `.done` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentinel {
    pub code: u8,
    /// True if the contents were invalid.
    pub coerced: bool,
}

pub fn done_text(code: u8) -> String {
    format!("{code}\n")
}

/// Parses a `.done` file: one to three digits of at most 255; anything else is [`UNKNOWN`].
pub fn parse_done(bytes: &[u8]) -> Sentinel {
    let end = bytes.iter().rposition(|b| *b != b'\n').map_or(0, |at| at + 1);
    let digits = std::str::from_utf8(&bytes[..end]).ok();
    let digits =
        digits.filter(|text| (1..=3).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()));
    match digits.and_then(|digits| digits.parse().ok()) {
        Some(code) => Sentinel { code, coerced: false },
        None => Sentinel { code: UNKNOWN, coerced: true },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_exit_codes_become_99() {
        for (text, code, coerced) in [
            ("0\n", 0, false),
            ("124", 124, false),
            ("007\n\n", 7, false),
            ("255", 255, false),
            ("256", 99, true),
            ("0000", 99, true),
            ("", 99, true),
            ("\n", 99, true),
            ("0|EXTRA", 99, true),
            ("-1", 99, true),
            ("0 ", 99, true),
            ("\u{663}", 99, true),
        ] {
            assert_eq!(parse_done(text.as_bytes()), Sentinel { code, coerced }, "{text:?}");
        }
        assert_eq!(parse_done(b"\xff"), Sentinel { code: 99, coerced: true });
        assert_eq!(parse_done(done_text(124).as_bytes()).code, 124);
    }
}
