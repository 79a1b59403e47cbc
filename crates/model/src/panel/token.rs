//! Token of a closed set, as in `Verdict: REVISE` or `FINDING_2: NO — why`.
//!
//! Enforces "unknown is never approval". The token must be a whole word, and the first one. In the exact
//! spelling any text may follow; in another case (`approve`) only punctuation or the end may, so that a
//! sentence which happens to begin with such a word ("pass rates are low") does not match. A text that names
//! another token of the set is an echoed template, and does not match either.

use crate::markdown::{MARKS, is_blank, trim_before};

/// Result of matching a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenMatch<'a> {
    /// Index of the token, and the text after it.
    Word(usize, &'a str),
    /// More than one token of the set.
    Several,
    /// The first word, which is no token.
    Unknown(&'a str),
}

/// Part of the text that must not name a second token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenScope {
    WholeText,
    /// The text before the dash that starts the reason.
    BeforeReason,
}

/// Matches the first word of `text` against `set`.
pub fn match_token<'a>(text: &'a str, set: &[&str], scope: TokenScope) -> TokenMatch<'a> {
    let text = text.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    let (word, after) = text.split_at(text.find(|c| is_blank(c) || is_long_dash(c)).unwrap_or(text.len()));
    let core = word.trim_end_matches(|c| MARKS.contains(&c) || PUNCTUATION.contains(&c));
    let Some(index) = set.iter().position(|known| known.eq_ignore_ascii_case(core)) else {
        return TokenMatch::Unknown(word);
    };
    let exact = set[index] == core;
    let set_off = word[core.len()..].contains(PUNCTUATION) || is_set_off(after);
    if !exact && !set_off {
        return TokenMatch::Unknown(word);
    }
    let watched = match scope {
        TokenScope::WholeText => after,
        TokenScope::BeforeReason => text_before_reason(after),
    };
    if names_another(watched, set, index, exact) {
        TokenMatch::Several
    } else {
        TokenMatch::Word(index, after)
    }
}

/// The reason in the text after a token, without the dash or punctuation before it.
pub fn reason(after: &str) -> &str {
    let separates = |c| is_blank(c) || is_long_dash(c) || MARKS.contains(&c) || PUNCTUATION.contains(&c);
    trim_before(after, separates).trim_end_matches(is_blank)
}

/// Characters that may follow a token directly.
const PUNCTUATION: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '"', '\'', '-'];

fn is_long_dash(c: char) -> bool {
    matches!(c, '—' | '–')
}

/// True if nothing follows, or clearly not the next word of a sentence.
fn is_set_off(after: &str) -> bool {
    let next = after.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c)).chars().next();
    next.is_none_or(|c| is_long_dash(c) || c == '(' || PUNCTUATION.contains(&c))
}

/// The text before the dash that starts the reason.
pub(super) fn text_before_reason(after: &str) -> &str {
    let long = after.find(is_long_dash);
    let short = after.find(" - ");
    &after[..long.into_iter().chain(short).min().unwrap_or(after.len())]
}

/// True if `text` has another token of the set: in its exact spelling, or in any case if the first one was
/// inexact.
fn names_another(text: &str, set: &[&str], index: usize, exact: bool) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).any(|word| {
        let word = word.trim_matches(['_', '-']);
        set.iter().enumerate().any(|(other, known)| {
            other != index && (*known == word || !exact && known.eq_ignore_ascii_case(word))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SET: [&str; 4] = ["APPROVE", "APPROVE_WITH_NOTES", "REVISE", "needs-work"];

    fn describe(text: &str, scope: TokenScope) -> String {
        match match_token(text, &SET, scope) {
            TokenMatch::Word(index, _) => SET[index].to_owned(),
            TokenMatch::Several => "several".to_owned(),
            TokenMatch::Unknown(word) => format!("unknown {word}"),
        }
    }

    #[test]
    fn the_first_whole_word_counts() {
        for (text, expected) in [
            ("APPROVE", "APPROVE"),
            (" **APPROVE** ", "APPROVE"),
            ("__`REVISE`__.", "REVISE"),
            ("APPROVE_WITH_NOTES", "APPROVE_WITH_NOTES"),
            ("APPROVE WITH NOTES", "APPROVE"),
            ("REVISE.", "REVISE"),
            ("REVISE!?", "REVISE"),
            ("REVISE— because", "REVISE"),
            ("REVISE–because", "REVISE"),
            ("REVISE- because", "REVISE"),
            ("REVISE because", "REVISE"),
            ("\"REVISE\"", "unknown \"REVISE\""),
            ("needs-work", "needs-work"),
            ("NEEDS-WORK", "needs-work"),
            ("\0\u{feff}REVISE\0", "REVISE"),
            ("", "unknown "),
            ("I cannot APPROVE this", "unknown I"),
            ("NOT APPROVE", "unknown NOT"),
            ("APPROVED", "unknown APPROVED"),
            ("DISAPPROVE", "unknown DISAPPROVE"),
            ("APPROVE-WITH-NOTES", "unknown APPROVE-WITH-NOTES"),
            ("APPROVE/REVISE", "unknown APPROVE/REVISE"),
            ("APPROVE|REVISE", "unknown APPROVE|REVISE"),
            ("<APPROVE>", "unknown <APPROVE>"),
            ("ÜBERARBEITEN", "unknown ÜBERARBEITEN"),
            ("✅ APPROVE", "unknown ✅"),
            ("APPRO\0VE", "unknown APPRO"),
        ] {
            assert_eq!(describe(text, TokenScope::WholeText), expected, "{text:?}");
        }
    }

    #[test]
    fn an_inexact_token_must_be_set_off() {
        for (text, expected) in [
            ("approve", "APPROVE"),
            ("Approve.", "APPROVE"),
            ("approve, as said", "APPROVE"),
            ("approve — fine", "APPROVE"),
            ("approve - fine", "APPROVE"),
            ("approve (fine)", "APPROVE"),
            ("**approve** : fine", "APPROVE"),
            ("approve **", "APPROVE"),
            ("approve of nothing", "unknown approve"),
            ("*approve* of nothing", "unknown approve*"),
            ("Revise rates", "unknown Revise"),
        ] {
            assert_eq!(describe(text, TokenScope::WholeText), expected, "{text:?}");
        }
    }

    #[test]
    fn an_echoed_template_does_not_match() {
        for (text, in_the_text, before_the_reason) in [
            ("APPROVE | REVISE", "several", "several"),
            ("APPROVE or REVISE", "several", "several"),
            ("APPROVE, APPROVE_WITH_NOTES", "several", "several"),
            ("APPROVE (**REVISE**)", "several", "several"),
            ("APPROVE or _REVISE_-", "several", "several"),
            ("APPROVE or needs-work", "several", "several"),
            ("approve, or revise", "several", "several"),
            ("APPROVE, nothing to revise", "APPROVE", "APPROVE"),
            ("APPROVE and APPROVE again", "APPROVE", "APPROVE"),
            ("APPROVE — do not REVISE", "several", "APPROVE"),
            ("APPROVE – do not REVISE", "several", "APPROVE"),
            ("APPROVE - do not REVISE", "several", "APPROVE"),
            ("APPROVE -REVISE", "several", "several"),
            ("APPROVE — x - REVISE", "several", "APPROVE"),
            ("APPROVE - x — REVISE", "several", "APPROVE"),
            ("APPROVE REVISE — x", "several", "several"),
            ("APPROVE: a REVISEd plan", "APPROVE", "APPROVE"),
        ] {
            assert_eq!(describe(text, TokenScope::WholeText), in_the_text, "{text:?}");
            assert_eq!(describe(text, TokenScope::BeforeReason), before_the_reason, "{text:?}");
        }
    }

    #[test]
    fn the_reason_is_what_follows_its_separator() {
        for (text, expected) in [
            ("REVISE — too long ", "too long"),
            ("REVISE - too long", "too long"),
            ("**REVISE**: too long", "too long"),
            ("REVISE", ""),
            ("REVISE –", ""),
        ] {
            let TokenMatch::Word(_, after) = match_token(text, &SET, TokenScope::BeforeReason) else {
                panic!("{text}")
            };
            assert_eq!(reason(after), expected, "{text}");
        }
    }

    #[test]
    fn an_empty_set_matches_nothing() {
        assert_eq!(match_token("APPROVE", &[], TokenScope::WholeText), TokenMatch::Unknown("APPROVE"));
    }
}
