//! Suffixes of sidecar files, and the characters allowed in names.

/// A file beside an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sidecar {
    /// Sentinel of the whole call; written last.
    Done,
    /// Sentinel of the program, written while its output is still being processed.
    InnerDone,
    /// Metadata of the call.
    Meta,
    /// Diagnostics.
    Diag,
    /// The exact prompt.
    Prompt,
    /// Standard error of the program.
    Stderr,
    /// The raw answer, before its text was extracted.
    Json,
    /// Files untracked before the call, NUL-terminated.
    UntrackedBaseline,
    /// Output of `charrette dirty-tree` after the call.
    DirtyTree,
}

impl Sidecar {
    pub const ALL: [Sidecar; 9] = [
        Sidecar::Done,
        Sidecar::InnerDone,
        Sidecar::Meta,
        Sidecar::Diag,
        Sidecar::Prompt,
        Sidecar::Stderr,
        Sidecar::Json,
        Sidecar::UntrackedBaseline,
        Sidecar::DirtyTree,
    ];

    /// Suffix of the output's name.
    pub fn suffix(self) -> &'static str {
        match self {
            Sidecar::Done => ".done",
            Sidecar::InnerDone => ".inner.done",
            Sidecar::Meta => ".meta",
            Sidecar::Diag => ".diag",
            Sidecar::Prompt => ".prompt",
            Sidecar::Stderr => ".sidecar",
            Sidecar::Json => ".json",
            Sidecar::UntrackedBaseline => ".untracked-baseline",
            Sidecar::DirtyTree => ".dirty-tree",
        }
    }

    /// Path of this sidecar.
    pub fn path(self, output: &str) -> String {
        format!("{output}{}", self.suffix())
    }
}

/// True if an output may be written to that path: only `[A-Za-z0-9._/-]`, safe for scripts.
pub fn is_allowed_output_path(path: &str) -> bool {
    !path.is_empty() && path.bytes().all(|b| is_plain(b) || b == b'/')
}

/// Name of a tool for use in files: every byte but `[A-Za-z0-9._-]` becomes `_`.
pub fn sanitize_tool(name: &str) -> String {
    if name.is_empty() {
        return "sanitized-empty".to_owned();
    }
    name.bytes().map(|b| if is_plain(b) { char::from(b) } else { '_' }).collect()
}

fn is_plain(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')
}

/// Parses a positive whole number in decimal digits. Leading zeros are ignored.
pub fn parse_positive(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for (path, fine) in [
            ("/tmp/a-b_c.txt", true),
            ("relative/x", true),
            ("", false),
            ("a b", false),
            ("a\nb", false),
            ("$HOME/x", false),
            ("é", false),
        ] {
            assert_eq!(is_allowed_output_path(path), fine, "{path:?}");
        }
        for (name, plain) in
            [("codex", "codex"), ("", "sanitized-empty"), ("a b\n", "a_b_"), ("é", "__"), ("../x", ".._x")]
        {
            assert_eq!(sanitize_tool(name), plain);
        }
        assert_eq!(Sidecar::Done.path("out.txt"), "out.txt.done");
    }

    #[test]
    fn only_positive_numbers_are_positive() {
        for (text, number) in [
            ("1", Some(1)),
            ("007", Some(7)),
            ("0", None),
            ("000", None),
            ("", None),
            ("+1", None),
            ("-1", None),
            ("1.5", None),
            (" 1", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(parse_positive(text), number, "{text:?}");
        }
    }
}
