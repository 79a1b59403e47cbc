//! Ids in the files of a specification: `US1`, `REQ-1.4`, `NFR-2`, `C1`, `D2`, `T001`.
//!
//! Spelling varies (`R1` and `REQ-1`, `NFR1` and `NFR-1`, `T1` and `T001`); a [`SpecId`] is normalised.

use std::fmt;

/// Kind of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdKind {
    /// `US1`: user story.
    Story,
    /// `REQ-1.1` or `R1`: functional requirement.
    Requirement,
    /// `NFR-1`: non-functional requirement.
    NonFunctional,
    /// `C1`: component of the design.
    Component,
    /// `D1`: decision of the design.
    Decision,
    /// `T001`: task.
    Task,
}

/// Normalised id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecId {
    pub kind: IdKind,
    /// Number or dotted numbers, without leading zeros.
    pub number: String,
}

/// Prefixes; if one begins another, the longer one comes first.
const PREFIXES: [(&str, IdKind); 7] = [
    ("US", IdKind::Story),
    ("REQ", IdKind::Requirement),
    ("R", IdKind::Requirement),
    ("NFR", IdKind::NonFunctional),
    ("C", IdKind::Component),
    ("D", IdKind::Decision),
    ("T", IdKind::Task),
];

impl SpecId {
    /// Parses a word that is an id and nothing else.
    pub fn parse(word: &str) -> Option<SpecId> {
        SpecId::parse_prefix(word).filter(|(_, rest)| rest.is_empty()).map(|(id, _)| id)
    }

    /// Parses the id at the start of a text; returns it with the rest. Letters or digits may not follow
    /// directly.
    pub fn parse_prefix(text: &str) -> Option<(SpecId, &str)> {
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).take(4).count();
        let (prefix, rest) = text.split_at(letters);
        let (_, kind) = PREFIXES.iter().find(|(known, _)| known.eq_ignore_ascii_case(prefix))?;
        let rest = rest.strip_prefix('-').unwrap_or(rest);
        let (number, rest) = parse_number(rest)?;
        Some((SpecId { kind: *kind, number }, rest))
    }

    /// Id of the task with this number.
    pub fn task(number: &str) -> SpecId {
        SpecId { kind: IdKind::Task, number: number.to_owned() }
    }
}

/// Parses dotted numbers at the start of a text and strips leading zeros; returns them with the rest.
pub(super) fn parse_number(text: &str) -> Option<(String, &str)> {
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

impl fmt::Display for SpecId {
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

/// The ids mentioned in a line of prose, with their spelling. `C1`, `D2` and `R3` are skipped, and so are tasks
/// of fewer than three digits: in prose they mostly mean something else.
pub fn mentions(line: &str) -> impl Iterator<Item = (&str, SpecId)> {
    let mut rest = line;
    let mut before = ' ';
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let start = rest;
            let starts_word = !before.is_alphanumeric() && before != '_';
            if starts_word && let Some(found) = mention(start) {
                let (spelled, _) = found;
                rest = &start[spelled.len()..];
                before = '0';
                return Some(found);
            }
            rest = &start[first.len_utf8()..];
            before = first;
        }
    })
}

fn mention(text: &str) -> Option<(&str, SpecId)> {
    if !text.starts_with(['U', 'R', 'N', 'T']) {
        return None;
    }
    let (id, rest) = SpecId::parse_prefix(text)?;
    let spelled = &text[..text.len() - rest.len()];
    let is_plain = match id.kind {
        IdKind::Story | IdKind::NonFunctional => true,
        IdKind::Requirement => spelled.starts_with("REQ"),
        IdKind::Task => spelled.bytes().filter(u8::is_ascii_digit).count() >= 3,
        IdKind::Component | IdKind::Decision => false,
    };
    is_plain.then_some((spelled, id))
}

/// Parses a list such as `US1, REQ-1.1 / C2`; none if it holds anything else.
pub fn parse_id_list(text: &str) -> Option<Vec<SpecId>> {
    let words = text.split([',', ';', '/', '&', ' ', '\t']).filter(|word| !word.is_empty() && *word != "and");
    words.map(SpecId::parse).collect::<Option<Vec<_>>>().filter(|ids| !ids.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_are_normalised() {
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
            let id = SpecId::parse(spelled).unwrap();
            assert_eq!(id.to_string(), canonical, "{spelled}");
            assert_eq!(SpecId::parse(canonical), Some(id));
        }
        for none in ["", "T", "T-", "US", "X1", "T1a", "T1_", "1", "REQ", "T1.", "T 1", "TT1", "USA1", "Ü1"]
        {
            assert_eq!(SpecId::parse(none), None, "{none}");
        }
    }

    #[test]
    fn only_unambiguous_ids_count_in_prose() {
        let line =
            "See REQ-1.2, (US1) and NFR2. T001-T003 build C1/D2 on R1; not T1, XT001, T001x, REQ-, US.";
        let spelled: Vec<_> = mentions(line).map(|(spelled, _)| spelled).collect();
        assert_eq!(spelled, ["REQ-1.2", "US1", "NFR2", "T001", "T003"]);
    }

    #[test]
    fn a_list_holds_nothing_but_ids() {
        let ids = |text| parse_id_list(text).map(|ids| ids.iter().map(SpecId::to_string).collect::<Vec<_>>());
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
        assert_eq!(mentions(&"T00".repeat(1 << 19)).count(), 0);
        assert_eq!(mentions(&"REQ-1.".repeat(1 << 18)).count(), 1 << 18);
        let long = format!("T{}", "1".repeat(1 << 20));
        assert_eq!(mentions(&long).count(), 1);
    }

    proptest! {
        #[test]
        fn displayed_ids_parse_again(kind in 0_usize..7, number in "[1-9][0-9]{0,4}(\\.[1-9][0-9]{0,2}){0,2}") {
            let id = SpecId { kind: PREFIXES[kind].1, number };
            prop_assert_eq!(SpecId::parse(&id.to_string()), Some(id));
        }
    }
}
