//! EARS: the few shapes of a requirement that can be tested.
//!
//! `[WHILE state,] [WHEN event,] [WHERE feature,] [IF condition, THEN] THE SYSTEM SHALL response`. Case does not
//! matter, any noun may stand for the system, and a comma or a THEN may be forgotten. "Must" and "will" are not
//! "shall", and other openings ("AFTER …") are not EARS.

use super::outline::is_decoration;
use serde::Serialize;

/// The shape of a requirement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ears {
    /// THE SYSTEM SHALL …
    Ubiquitous,
    /// WHEN …, THE SYSTEM SHALL …
    Event,
    /// WHILE …, THE SYSTEM SHALL …
    State,
    /// IF …, THEN THE SYSTEM SHALL …
    Unwanted,
    /// WHERE …, THE SYSTEM SHALL …
    Optional,
    /// More than one of the above: WHILE …, WHEN …, THE SYSTEM SHALL …
    Complex,
}

/// Why a sentence has none of the shapes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotEars {
    /// Nothing is demanded.
    #[error("no SHALL")]
    NoShall,
    /// Nobody is named who shall do it.
    #[error("no \"THE <system>\" before SHALL")]
    NoSystem,
    /// It opens with another word than EARS knows.
    #[error("starts with neither THE nor WHEN, WHILE, WHERE or IF")]
    Opening,
    /// WHEN, WHILE, WHERE or IF, and nothing behind it.
    #[error("nothing stands between the opening and \"THE <system>\"")]
    EmptyClause,
}

/// The shape of a sentence.
pub fn classify(sentence: &str) -> Result<Ears, NotEars> {
    let words: Vec<&str> = sentence.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
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
    // The THEN of an IF is no content.
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

/// Whether a keyword follows a comma among the first words of a sentence.
fn has_second_clause(sentence: &str, words: usize) -> bool {
    let mut after_comma = false;
    for word in sentence.split_whitespace().filter(|word| !bare(word).is_empty()).take(words) {
        if after_comma && opening(bare(word)).is_some() {
            return true;
        }
        after_comma = word.trim_end_matches(is_decoration).ends_with(',');
    }
    false
}

/// A word without emphasis and punctuation around it.
fn bare(word: &str) -> &str {
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
    fn what_is_not_ears_says_why() {
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
