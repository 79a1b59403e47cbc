//! The ids by which the files of a specification speak of each other: `US1`, `REQ-1.4`, `NFR-2`, `C1`, `D2`,
//! `T001`.
//!
//! Spelling varies (`R1` and `REQ-1`, `NFR1` and `NFR-1`, `T1` and `T001`); an [`Id`] does not.

use std::fmt;

/// What an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdKind {
    /// `US1`: a user story.
    Story,
    /// `REQ-1.1` or `R1`: a requirement.
    Requirement,
    /// `NFR-1`: a requirement that is not about a function.
    NonFunctional,
    /// `C1`: a component of the design.
    Component,
    /// `D1`: a decision of the design.
    Decision,
    /// `T001`: a task.
    Task,
}

/// An id, however it was spelled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// What it stands for.
    pub kind: IdKind,
    /// Its number or numbers, `.` between, without leading zeros.
    pub number: String,
}

/// The prefixes, longer ones first where one begins another.
const PREFIXES: [(&str, IdKind); 7] = [
    ("US", IdKind::Story),
    ("REQ", IdKind::Requirement),
    ("R", IdKind::Requirement),
    ("NFR", IdKind::NonFunctional),
    ("C", IdKind::Component),
    ("D", IdKind::Decision),
    ("T", IdKind::Task),
];

impl Id {
    /// The id a word is, and nothing but.
    pub fn parse(word: &str) -> Option<Id> {
        Id::at_start(word).filter(|(_, rest)| rest.is_empty()).map(|(id, _)| id)
    }

    /// The id a text starts with, and what follows. Letters or digits may not follow directly.
    pub fn at_start(text: &str) -> Option<(Id, &str)> {
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).take(4).count();
        let (prefix, rest) = text.split_at(letters);
        let (_, kind) = PREFIXES.iter().find(|(known, _)| known.eq_ignore_ascii_case(prefix))?;
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        let (number, rest) = number(rest)?;
        Some((Id { kind: *kind, number }, rest))
    }

    /// The task of that number.
    pub fn task(number: &str) -> Id {
        Id { kind: IdKind::Task, number: number.to_owned() }
    }
}

/// Numbers with dots between at the start of a text, leading zeros gone, and what follows.
pub(super) fn number(text: &str) -> Option<(String, &str)> {
    let mut number = String::new();
    let mut rest = text;
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        let significant = rest[..digits].trim_start_matches('0');
        number.push_str(if significant.is_empty() { "0" } else { significant });
        rest = &rest[digits..];
        match rest.strip_prefix('.') {
            Some(more) if more.starts_with(|c: char| c.is_ascii_digit()) => {
                number.push('.');
                rest = more;
            }
            _ => break,
        }
    }
    (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some((number, rest))
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = &self.number;
        match self.kind {
            IdKind::Story => write!(f, "US{number}"),
            IdKind::Requirement => write!(f, "REQ-{number}"),
            IdKind::NonFunctional => write!(f, "NFR-{number}"),
            IdKind::Component => write!(f, "C{number}"),
            IdKind::Decision => write!(f, "D{number}"),
            IdKind::Task if number.contains('.') => write!(f, "T{number}"),
            IdKind::Task => write!(f, "T{number:0>3}"),
        }
    }
}

/// The ids a line of prose mentions, as they are spelled. `C1`, `D2` and `R3` are passed over, and so are tasks
/// of fewer than three digits: in prose they mostly mean something else.
pub fn mentioned(line: &str) -> impl Iterator<Item = (&str, Id)> {
    let mut rest = line;
    let mut before = ' ';
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let here = rest;
            let starts_word = !before.is_alphanumeric() && before != '_';
            if starts_word && let Some(found) = mention(here) {
                let (spelled, _) = found;
                rest = &here[spelled.len()..];
                before = '0';
                return Some(found);
            }
            rest = &here[first.len_utf8()..];
            before = first;
        }
    })
}

fn mention(text: &str) -> Option<(&str, Id)> {
    if !text.starts_with(['U', 'R', 'N', 'T']) {
        return None;
    }
    let (id, rest) = Id::at_start(text)?;
    let spelled = &text[..text.len() - rest.len()];
    let is_plain = match id.kind {
        IdKind::Story | IdKind::NonFunctional => true,
        IdKind::Requirement => spelled.starts_with("REQ"),
        IdKind::Task => spelled.bytes().filter(u8::is_ascii_digit).count() >= 3,
        IdKind::Component | IdKind::Decision => false,
    };
    is_plain.then_some((spelled, id))
}

/// The ids of a list such as `US1, REQ-1.1 / C2`, if it holds nothing else.
pub fn list(text: &str) -> Option<Vec<Id>> {
    let words = text.split([',', ';', '/', '&', ' ', '\t']).filter(|word| !word.is_empty() && *word != "and");
    words.map(Id::parse).collect::<Option<Vec<_>>>().filter(|ids| !ids.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spelling_varies_and_ids_do_not() {
        for (spelled, canonical) in [
            ("US1", "US1"),
            ("us-01", "US1"),
            ("REQ-1.1", "REQ-1.1"),
            ("REQ-01.10", "REQ-1.10"),
            ("R7", "REQ-7"),
            ("NFR1", "NFR-1"),
            ("NFR-2", "NFR-2"),
            ("C1", "C1"),
            ("D2", "D2"),
            ("T1", "T001"),
            ("T-001", "T001"),
            ("T1234", "T1234"),
            ("T8.1", "T8.1"),
            ("T000", "T000"),
        ] {
            let id = Id::parse(spelled).unwrap();
            assert_eq!(id.to_string(), canonical, "{spelled}");
            assert_eq!(Id::parse(canonical), Some(id));
        }
        for none in ["", "T", "T-", "US", "X1", "T1a", "T1_", "1", "REQ", "T1.", "T 1", "TT1", "USA1", "Ü1"]
        {
            assert_eq!(Id::parse(none), None, "{none}");
        }
    }

    #[test]
    fn prose_mentions_what_cannot_be_mistaken() {
        let line =
            "See REQ-1.2, (US1) and NFR2. T001-T003 build C1/D2 on R1; not T1, XT001, T001x, REQ-, US.";
        let spelled: Vec<_> = mentioned(line).map(|(spelled, _)| spelled).collect();
        assert_eq!(spelled, ["REQ-1.2", "US1", "NFR2", "T001", "T003"]);
    }

    #[test]
    fn a_list_holds_nothing_but_ids() {
        let ids = |text| list(text).map(|ids| ids.iter().map(Id::to_string).collect::<Vec<_>>());
        assert_eq!(
            ids("US1, REQ-1.1 / c2"),
            Some(vec!["US1".to_owned(), "REQ-1.1".to_owned(), "C2".to_owned()])
        );
        assert_eq!(ids("US1 and US2"), Some(vec!["US1".to_owned(), "US2".to_owned()]));
        for none in ["", "parallel", "US1, later", ","] {
            assert_eq!(ids(none), None, "{none}");
        }
    }

    #[test]
    fn a_megabyte_of_almost_ids_is_linear() {
        assert_eq!(mentioned(&"T00".repeat(1 << 19)).count(), 0);
        assert_eq!(mentioned(&"REQ-1.".repeat(1 << 18)).count(), 1 << 18);
        let long = format!("T{}", "1".repeat(1 << 20));
        assert_eq!(mentioned(&long).count(), 1);
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read(kind in 0_usize..7, number in "[1-9][0-9]{0,4}(\\.[1-9][0-9]{0,2}){0,2}") {
            let id = Id { kind: PREFIXES[kind].1, number };
            prop_assert_eq!(Id::parse(&id.to_string()), Some(id));
        }
    }
}
