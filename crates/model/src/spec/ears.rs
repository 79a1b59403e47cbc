//! EARS (Easy Approach to Requirements Syntax): the forms of a testable requirement.
//!
//! `[WHILE state,] [WHEN event,] [WHERE feature,] [IF condition, THEN] THE SYSTEM SHALL response`. Case does
//! not matter, any noun may stand for the system, and a comma or a THEN may be forgotten. "Must" and "will" are
//! not "shall", and other openings ("AFTER …") are not EARS.

use crate::markdown::is_decoration;
use serde::Serialize;

/// EARS form of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ears {
    /// `THE SYSTEM SHALL …`
    Ubiquitous,
    /// `WHEN …, THE SYSTEM SHALL …`
    Event,
    /// `WHILE …, THE SYSTEM SHALL …`
    State,
    /// `IF …, THEN THE SYSTEM SHALL …`
    Unwanted,
    /// `WHERE …, THE SYSTEM SHALL …`
    Optional,
    /// More than one clause: `WHILE …, WHEN …, THE SYSTEM SHALL …`
    Complex,
}

/// Reason why a sentence is not in EARS form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotEars {
    #[error("no SHALL")]
    NoShall,
    #[error("no \"THE <system>\" before SHALL")]
    NoSystem,
    /// Opens with a word that is no EARS keyword.
    #[error("starts with neither THE nor WHEN, WHILE, WHERE or IF")]
    Opening,
    /// Nothing follows WHEN, WHILE, WHERE or IF.
    #[error("nothing stands between the opening and \"THE <system>\"")]
    EmptyClause,
}

/// Classifies a sentence.
pub fn classify(sentence: &str) -> Result<Ears, NotEars> {
    let words: Vec<&str> =
        sentence.split_whitespace().map(trim_word).filter(|word| !word.is_empty()).collect();
    let is = |index: usize, word: &str| words.get(index).is_some_and(|w| w.eq_ignore_ascii_case(word));
    let shall = (0..words.len()).find(|index| is(*index, "shall")).ok_or(NotEars::NoShall)?;
    if shall > 1 && is(0, "the") {
        return Ok(Ears::Ubiquitous);
    }
    let the = (0..shall).rev().find(|index| is(*index, "the")).ok_or(NotEars::NoSystem)?;
    if the + 1 == shall {
        return Err(NotEars::NoSystem);
    }
    let opening = opening(words[0]).ok_or(NotEars::Opening)?;
    // THEN is no content of the clause.
    let content = words[1..the].iter().filter(|word| !word.eq_ignore_ascii_case("then")).count();
    if content == 0 {
        return Err(NotEars::EmptyClause);
    }
    Ok(if has_second_clause(sentence, the) { Ears::Complex } else { opening })
}

fn opening(word: &str) -> Option<Ears> {
    let shapes =
        [("when", Ears::Event), ("while", Ears::State), ("if", Ears::Unwanted), ("where", Ears::Optional)];
    shapes.into_iter().find(|(keyword, _)| keyword.eq_ignore_ascii_case(word)).map(|(_, shape)| shape)
}

/// True if a keyword follows a comma among the first `words` words.
fn has_second_clause(sentence: &str, words: usize) -> bool {
    let mut after_comma = false;
    for word in sentence.split_whitespace().filter(|word| !trim_word(word).is_empty()).take(words) {
        if after_comma && opening(trim_word(word)).is_some() {
            return true;
        }
        after_comma = word.trim_end_matches(is_decoration).ends_with(',');
    }
    false
}

/// Strips emphasis and punctuation around a word.
fn trim_word(word: &str) -> &str {
    word.trim_matches(|c: char| is_decoration(c) || matches!(c, ',' | '.' | ':' | ';' | '"' | '(' | ')'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_shape_is_recognised() {
        for (sentence, shape) in [
            ("THE SYSTEM SHALL log requests.", Ears::Ubiquitous),
            ("The system shall not wait.", Ears::Ubiquitous),
            ("The checkpoint manager shall persist state", Ears::Ubiquitous),
            ("The owner of the document shall be told", Ears::Ubiquitous),
            ("WHEN a user logs in, THE SYSTEM SHALL greet them", Ears::Event),
            ("**WHEN** the user logs in **THE SYSTEM SHALL** greet them", Ears::Event),
            ("When errors occur during checkpoint operations, the system shall log errors", Ears::Event),
            ("WHILE offline, THE SYSTEM SHALL queue writes", Ears::State),
            ("IF the disk is full, THEN THE SYSTEM SHALL refuse writes", Ears::Unwanted),
            ("If the disk is full, the system shall refuse writes", Ears::Unwanted),
            ("WHERE audit is enabled, THE SYSTEM SHALL record the actor", Ears::Optional),
            ("WHILE offline, WHEN a write arrives, THE SYSTEM SHALL queue it", Ears::Complex),
            ("WHEN asked when to stop, THE SYSTEM SHALL answer", Ears::Event),
            ("WHILE idle, **IF** the lease ends, THEN the system SHALL stop", Ears::Complex),
        ] {
            assert_eq!(classify(sentence), Ok(shape), "{sentence}");
        }
    }

    #[test]
    fn other_sentences_have_a_reason() {
        for (sentence, why) in [
            ("", NotEars::NoShall),
            ("The system must log requests", NotEars::NoShall),
            ("WHEN asked, the system will answer", NotEars::NoShall),
            ("shallow copies are made by the system", NotEars::NoShall),
            ("WHEN asked, it SHALL answer", NotEars::NoSystem),
            ("SHALL answer", NotEars::NoSystem),
            ("The shall", NotEars::NoSystem),
            ("WHEN asked, the SHALL answer", NotEars::NoSystem),
            ("AFTER a crash, THE SYSTEM SHALL resume", NotEars::Opening),
            ("WHEN THE SYSTEM SHALL answer", NotEars::EmptyClause),
            ("IF, THEN THE SYSTEM SHALL answer", NotEars::EmptyClause),
        ] {
            assert_eq!(classify(sentence), Err(why), "{sentence}");
        }
    }

    #[test]
    fn a_megabyte_without_a_verb_is_linear() {
        assert_eq!(classify(&"the ".repeat(1 << 18)), Err(NotEars::NoShall));
        assert_eq!(classify(&"x".repeat(1 << 20)), Err(NotEars::NoShall));
    }

    proptest! {
        #[test]
        fn case_and_emphasis_do_not_matter(clause in "[a-z]{1,8}( [a-z]{1,8}){0,4}", keyword in 0_usize..4) {
            prop_assume!(!clause.split(' ').any(|word| matches!(word, "shall" | "then")));
            let (keyword, shape) = [("when", Ears::Event), ("while", Ears::State), ("if", Ears::Unwanted), ("where", Ears::Optional)][keyword];
            let plain = format!("{keyword} {clause}, the system shall act");
            prop_assert_eq!(classify(&plain), Ok(shape));
            prop_assert_eq!(classify(&plain.to_uppercase()), Ok(shape));
            prop_assert_eq!(classify(&format!("**{keyword}** {clause}, **the system shall** act")), Ok(shape));
        }
    }
}
