//! One word of a closed set, as in `Verdict: REVISE` or `FINDING_2: NO — why`.
//!
//! This is where "unknown is never approval" is kept. The word must be whole, and it must be the first one. In
//! the set's own spelling any text may follow; in another spelling (`approve`) only punctuation or the end may,
//! so that a sentence which happens to begin with such a word ("pass rates are low") says nothing. A text that
//! goes on to name another word of the set is an echoed template, and says nothing either.

use super::lines::{MARKS, is_blank};

/// What stands where a word of the set should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading<'a> {
    /// The word with this index, and what follows it.
    Word(usize, &'a str),
    /// More than one of the words.
    Several,
    /// Something else: its first word.
    Unknown(&'a str),
}

/// How much of a text may not name a second word of the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    /// All of it.
    InTheText,
    /// What stands before the dash that starts the reason.
    BeforeTheReason,
}

/// Reads the first word of `text`.
pub fn read<'a>(text: &'a str, set: &[&str], alone: Alone) -> Reading<'a> {
    let text = text.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    let (word, after) = text.split_at(text.find(|c| is_blank(c) || is_long_dash(c)).unwrap_or(text.len()));
    let core = word.trim_end_matches(|c| MARKS.contains(&c) || PUNCTUATION.contains(&c));
    let Some(index) = set.iter().position(|known| known.eq_ignore_ascii_case(core)) else {
        return Reading::Unknown(word);
    };
    let exact = set[index] == core;
    let set_off = word[core.len()..].contains(PUNCTUATION) || is_set_off(after);
    if !exact && !set_off {
        return Reading::Unknown(word);
    }
    let watched = match alone {
        Alone::InTheText => after,
        Alone::BeforeTheReason => before_the_reason(after),
    };
    if names_another(watched, set, index, exact) { Reading::Several } else { Reading::Word(index, after) }
}

/// The reason in what follows a word: without the dash or punctuation that sets it off.
pub fn reason(after: &str) -> &str {
    let separates = |c| is_blank(c) || is_long_dash(c) || MARKS.contains(&c) || PUNCTUATION.contains(&c);
    after.trim_start_matches(separates).trim_end_matches(is_blank)
}

/// What may close a word.
const PUNCTUATION: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '"', '\'', '-'];

fn is_long_dash(c: char) -> bool {
    matches!(c, '—' | '–')
}

/// Nothing follows, or something that is clearly not the next word of a sentence.
fn is_set_off(after: &str) -> bool {
    let next = after.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c)).chars().next();
    next.is_none_or(|c| is_long_dash(c) || c == '(' || PUNCTUATION.contains(&c))
}

fn before_the_reason(after: &str) -> &str {
    let long = after.find(is_long_dash);
    let short = after.find(" - ");
    &after[..long.into_iter().chain(short).min().unwrap_or(after.len())]
}

/// Whether `text` has another word of the set: in its own spelling, or in any if the first was not exact.
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

    fn said(text: &str, alone: Alone) -> String {
        match read(text, &SET, alone) {
            Reading::Word(index, _) => SET[index].to_owned(),
            Reading::Several => "several".to_owned(),
            Reading::Unknown(word) => format!("unknown {word}"),
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
            assert_eq!(said(text, Alone::InTheText), expected, "{text:?}");
        }
    }

    #[test]
    fn another_spelling_must_be_set_off() {
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
            assert_eq!(said(text, Alone::InTheText), expected, "{text:?}");
        }
    }

    #[test]
    fn an_echoed_template_says_nothing() {
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
            assert_eq!(said(text, Alone::InTheText), in_the_text, "{text:?}");
            assert_eq!(said(text, Alone::BeforeTheReason), before_the_reason, "{text:?}");
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
            let Reading::Word(_, after) = read(text, &SET, Alone::BeforeTheReason) else { panic!("{text}") };
            assert_eq!(reason(after), expected, "{text}");
        }
    }

    #[test]
    fn an_empty_set_knows_no_word() {
        assert_eq!(read("APPROVE", &[], Alone::InTheText), Reading::Unknown("APPROVE"));
    }
}
