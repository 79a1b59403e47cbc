//! The part of YAML that front matter is mostly written in: `key: word` and `key: [word, "word"]`, one per line. It is read
//! at every start of a run, and a whole YAML parser takes twenty times as long. Everything else is left to that parser.

/// Value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlainValue<'a> {
    Word(&'a str),
    List(Vec<&'a str>),
}

/// The keys and values in their order; none if anything else is in the text.
pub(super) fn parse(text: &str) -> Option<Vec<(&str, PlainValue<'_>)>> {
    text.lines().map(parse_line).collect()
}

fn parse_line(line: &str) -> Option<(&str, PlainValue<'_>)> {
    let (key, value) = line.split_once(": ")?;
    let key = word(key)?;
    match value.strip_prefix('[') {
        Some(rest) => {
            let items = rest.strip_suffix(']')?.split(", ").map(item);
            Some((key, PlainValue::List(items.collect::<Option<_>>()?)))
        }
        None => Some((key, PlainValue::Word(word(value)?))),
    }
}

fn item(text: &str) -> Option<&str> {
    match text.strip_prefix('"') {
        Some(rest) => {
            let quoted = rest.strip_suffix('"')?;
            let is_plain = |byte: u8| byte == b'*' || is_word_byte(byte);
            (!quoted.is_empty() && quoted.bytes().all(is_plain)).then_some(quoted)
        }
        None => word(text).filter(|word| is_text(word)),
    }
}

/// False for words that are numbers or have a meaning in YAML.
pub(super) fn is_text(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit())
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&word)
}

/// A word that means nothing else in YAML: of letters, digits and `_./-`, beginning with a letter, or a number.
fn word(text: &str) -> Option<&str> {
    let mut bytes = text.bytes();
    let first = bytes.next()?;
    let is_number =
        first.is_ascii_digit() && first != b'0' && bytes.clone().all(|byte| byte.is_ascii_digit());
    let is_name = first.is_ascii_lowercase() && bytes.all(is_word_byte);
    (is_number || is_name).then_some(text)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_./-".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_words_and_lists_are_read() {
        let read =
            parse("name: planner\nreads: [request.md, \"investigation-*.md\"]\nmax_words: 900\n").unwrap();
        let list = PlainValue::List(vec!["request.md", "investigation-*.md"]);
        let number = PlainValue::Word("900");
        assert_eq!(read, [("name", PlainValue::Word("planner")), ("reads", list), ("max_words", number)]);
    }

    #[test]
    fn everything_else_is_left_to_the_parser() {
        for text in [
            "name: a b",
            "name:  a",
            "name: 'a'",
            "name: a # b",
            "reads: []",
            "reads: [a,b]",
            "reads: [a, true]",
            "reads: [\"a\\n\"]",
            "reads:",
            "- a",
            " name: a",
            "name: &x",
            "name: 007",
            "name: 1e3",
            "",
            "# note",
        ] {
            let is_left = parse(text).is_none_or(|keys| keys.is_empty());
            assert!(is_left, "{text:?}");
        }
    }
}
