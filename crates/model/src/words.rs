//! The word limit of summaries.
//!
//! Summaries travel between agents and people, so their length is a contract. A "token" of that contract is a
//! word as JavaScript's `split(/\s+/)` sees it, which differs from Rust's white space in two characters.
//! Real BPE tokens are not counted here; see `charrette tokens count --exact`.

use serde::Serialize;

/// Default of the maximum number of words in a context summary.
pub const MAX_SUMMARY_WORDS: usize = 500;

/// Maximum size of a context summary in bytes, whatever its number of words.
///
/// Without this, ten megabytes without a space would count as one word.
pub const MAX_SUMMARY_BYTES: usize = 64 * 1024;

pub fn count(text: &str) -> usize {
    text.split(is_js_space).filter(|word| !word.is_empty()).count()
}

/// Matches JavaScript's `\s`: U+FEFF separates words, U+0085 does not.
pub fn is_js_space(c: char) -> bool {
    match c {
        '\u{feff}' => true,
        '\u{85}' => false,
        _ => c.is_whitespace(),
    }
}

/// Length of a summary, and its check against the limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryLength {
    /// True if it is within the limits.
    pub valid: bool,
    /// Length in words.
    pub token_count: usize,
    /// Maximum number of words.
    pub limit: usize,
    /// The violated limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Checks a summary against `limit` words and [`MAX_SUMMARY_BYTES`].
pub fn measure_summary(summary: &str, limit: usize) -> SummaryLength {
    let token_count = count(summary);
    let error = if token_count > limit {
        Some(format!("Context summary exceeds {limit} token limit (actual: {token_count} tokens)"))
    } else if summary.len() > MAX_SUMMARY_BYTES {
        let bytes = summary.len();
        Some(format!("Context summary exceeds {MAX_SUMMARY_BYTES} byte limit (actual: {bytes} bytes)"))
    } else {
        None
    };
    SummaryLength { valid: error.is_none(), token_count, limit, error }
}

/// The beginning of a text, at most `limit` words, cut at the end of a sentence if there is one.
pub fn cut_at_sentence(text: &str, limit: usize) -> &str {
    if count(text) <= limit {
        return text;
    }
    if limit == 0 {
        return "";
    }
    let (mut words, mut in_word, mut end, mut sentence) = (0, false, 0, None);
    for (at, c) in text.char_indices() {
        let space = is_js_space(c);
        if in_word && space {
            end = at;
            if text[..at].ends_with(['.', '!', '?', '。']) {
                sentence = Some(at);
            }
            if words == limit {
                break;
            }
        } else if !in_word && !space {
            words += 1;
        }
        in_word = !space;
    }
    &text[..sentence.unwrap_or(end)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_split_as_javascript_does() {
        for (text, words) in [
            ("", 0),
            ("hello world", 2),
            ("  multiple   spaces  ", 2),
            ("\n\t\u{b}\u{c}\r", 0),
            ("a\u{feff}b", 2),
            ("a\u{85}b", 1),
            ("a\u{a0}b\u{3000}c\u{2028}d", 4),
            ("a\u{200b}b", 1),
            ("a\0b", 1),
        ] {
            assert_eq!(count(text), words, "{text:?}");
        }
    }

    #[test]
    fn the_limit_is_inclusive() {
        let at_limit = vec!["word"; 500].join(" ");
        assert!(measure_summary(&at_limit, 500).valid);
        let over = measure_summary(&format!("{at_limit} word"), 500);
        assert_eq!(
            over.error.as_deref(),
            Some("Context summary exceeds 500 token limit (actual: 501 tokens)")
        );
        assert_eq!((over.valid, over.token_count, over.limit), (false, 501, 500));
    }

    #[test]
    fn one_enormous_word_is_refused_by_its_bytes() {
        let huge = "x".repeat(10 << 20);
        let length = measure_summary(&huge, 500);
        assert!(!length.valid);
        assert_eq!(length.token_count, 1);
        assert_eq!(
            length.error.as_deref(),
            Some("Context summary exceeds 65536 byte limit (actual: 10485760 bytes)")
        );
    }

    proptest! {
        #[test]
        fn joining_words_with_any_space_gives_their_number(words in prop::collection::vec("[a-z]{1,8}", 0..40), space in "[ \t\n\u{a0}\u{feff}]{1,3}") {
            prop_assert_eq!(count(&words.join(&space)), words.len());
        }
    }

    #[test]
    fn a_text_is_cut_after_its_last_whole_sentence() {
        for (text, limit, cut) in [
            ("One two. Three four.", 10, "One two. Three four."),
            ("One two. Three four.", 4, "One two. Three four."),
            ("One two. Three four.", 3, "One two."),
            ("One two three four", 2, "One two"),
            ("One two three four", 0, ""),
            ("Ja. Nein! Doch.", 2, "Ja. Nein!"),
        ] {
            assert_eq!(cut_at_sentence(text, limit), cut, "{text} {limit}");
        }
    }
}
