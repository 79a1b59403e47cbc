//! What the files are called, and what may stand in their names.

/// A file beside an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sidecar {
    /// The call has ended; written last.
    Done,
    /// The program has ended, but its output is still being worked on.
    InnerDone,
    /// How the call was made.
    Meta,
    /// What went wrong.
    Diag,
    /// The exact prompt.
    Prompt,
    /// What the program wrote to standard error.
    Stderr,
    /// What it answered, before the text was taken out of it.
    Json,
    /// What git did not know before the call, each name ended with NUL.
    UntrackedBaseline,
    /// What `charrette dirty-tree` said after it.
    DirtyTree,
}

impl Sidecar {
    /// All of them.
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

    /// What is put behind the output's name.
    pub fn ending(self) -> &'static str {
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

    /// Its path.
    pub fn of(self, output: &str) -> String {
        format!("{output}{}", self.ending())
    }
}

/// Whether an output may be written to that path: only `[A-Za-z0-9._/-]`, so that no script trips over it.
pub fn is_allowed_output_path(path: &str) -> bool {
    !path.is_empty() && path.bytes().all(|b| is_plain(b) || b == b'/')
}

/// The name of a tool as it stands in files: every other byte than `[A-Za-z0-9._-]` becomes `_`.
pub fn sanitized_tool(name: &str) -> String {
    if name.is_empty() {
        return "sanitized-empty".to_owned();
    }
    name.bytes().map(|b| if is_plain(b) { char::from(b) } else { '_' }).collect()
}

fn is_plain(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-')
}

/// A positive whole number in decimal digits. Leading zeros mean nothing.
pub fn positive(text: &str) -> Option<u64> {
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
            assert_eq!(sanitized_tool(name), plain);
        }
        assert_eq!(Sidecar::Done.of("out.txt"), "out.txt.done");
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
            assert_eq!(positive(text), number, "{text:?}");
        }
    }
}
