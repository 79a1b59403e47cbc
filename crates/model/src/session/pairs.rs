//! Parser of `KEY=VALUE` files.

/// The pairs of a text, in order. A line is split at its first `=`; blank lines, comments and lines without
/// `=` are skipped. A byte order mark and the `\r` of a line end are no part of any value.
pub fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='))
}

pub fn first<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    pairs(text).find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Parses true or false; `None` for anything else.
pub(super) fn parse_bool(value: &str) -> Option<bool> {
    let value = value.trim();
    if value.eq_ignore_ascii_case("true") {
        return Some(true);
    }
    value.eq_ignore_ascii_case("false").then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_the_first_equals_sign() {
        let text = "\u{feff}A=1\r\n\n# B=2\n#B=3\nB = 4\nno pair\nC==x=\nA=5\n=empty\nD=";
        let all: Vec<_> = pairs(text).collect();
        assert_eq!(all, [("A", "1"), ("B ", " 4"), ("C", "=x="), ("A", "5"), ("", "empty"), ("D", "")]);
        assert_eq!(first(text, "A"), Some("1"));
        assert_eq!(first(text, "B"), None);
    }

    #[test]
    fn only_true_and_false_are_truths() {
        for (value, expected) in
            [("true", Some(true)), (" FALSE ", Some(false)), ("", None), ("0", None), ("falsehood", None)]
        {
            assert_eq!(parse_bool(value), expected, "{value:?}");
        }
    }
}
