//! Ranking of the findings: `TOP: FINDING_3, FINDING_1` in the answer of a voter, the most important first.

use super::ids::ItemId;
use crate::markdown::{label, lines, strip_decoration};
use crate::problem::Problem;
use std::collections::HashSet;

/// Maximum number of ranked items; the first gets as many points.
pub(super) const MAX_RANKED: usize = 10;

/// Ranking of one voter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ranking {
    /// The most important first.
    pub(super) items: Vec<ItemId>,
    /// Parts that were not counted.
    pub(super) problems: Vec<Problem>,
}

impl Ranking {
    /// Points for an item: ten for the first place, nine for the second.
    pub(super) fn points(&self, id: ItemId) -> usize {
        let place = self.items.iter().position(|ranked| *ranked == id);
        place.map_or(0, |place| MAX_RANKED - place)
    }
}

/// Parses the ranking in a voter's answer; the first one counts. It is empty without a line `TOP:`.
pub(super) fn read_ranking(text: &str, ballot: &HashSet<ItemId>) -> Ranking {
    let mut ranking = Ranking::default();
    let Some((line, value)) = lines(text).filter(|line| !line.fenced).find_map(|line| {
        let label = label(&strip_decoration(line.text))?;
        is_top(label.name).then_some((line.number, label.value))
    }) else {
        return ranking;
    };
    let words = value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    for id in words.filter_map(ItemId::parse) {
        if !ballot.contains(&id) {
            ranking.problems.push(Problem::new(line, format!("{id} is ranked, but not on the ballot")));
        } else if ranking.items.len() == MAX_RANKED {
            ranking.problems.push(Problem::new(
                line,
                format!("more than {MAX_RANKED} items are ranked; the first {MAX_RANKED} count"),
            ));
            break;
        } else if !ranking.items.contains(&id) {
            ranking.items.push(id);
        }
    }
    ranking
}

/// True for `TOP` and `Top 10`.
fn is_top(name: &str) -> bool {
    let (word, rest) = name.split_at_checked(3).unwrap_or((name, ""));
    word.eq_ignore_ascii_case("top") && rest.chars().all(|c| c.is_ascii_digit() || c == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<String>) {
        let ballot = (1..=12).map(|n| ItemId::parse(&format!("FINDING_{n}")).unwrap()).collect();
        let ranking = read_ranking(text, &ballot);
        let items: Vec<String> =
            ranking.items.iter().map(|id| id.to_string().replace("FINDING_", "")).collect();
        (items.join(" "), ranking.problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn a_ranking_is_read_as_voters_write_it() {
        for (text, items) in [
            ("TOP: FINDING_3, FINDING_1", "3 1"),
            ("FINDING_1: YES\n\n**TOP:** FINDING_3 > FINDING_1, …", "3 1"),
            ("- Top 10: `FINDING_2`; finding_1", "2 1"),
            ("TOP: FINDING_3, FINDING_3, FINDING_1", "3 1"),
            ("TOP: FINDING_1\nTOP: FINDING_2", "1"),
            ("TOP: none", ""),
            ("```\nTOP: FINDING_1\n```", ""),
            ("> TOP: FINDING_1", ""),
            ("TOPIC: FINDING_1", ""),
            ("FINDING_1: YES — TOP: FINDING_2", ""),
        ] {
            assert_eq!(read(text), (items.to_owned(), vec![]), "{text}");
        }
    }

    #[test]
    fn what_is_not_counted_is_reported() {
        let all: Vec<String> = (1..=12).map(|n| format!("FINDING_{n}")).collect();
        let (items, problems) = read(&format!("TOP: {}", all.join(", ")));
        assert_eq!(items, "1 2 3 4 5 6 7 8 9 10");
        assert_eq!(problems, ["more than 10 items are ranked; the first 10 count"]);
        assert_eq!(read("TOP: FINDING_99, FINDING_1").1, ["FINDING_99 is ranked, but not on the ballot"]);
    }

    #[test]
    fn the_first_place_gets_ten_points() {
        let id = |n| ItemId::parse(&format!("FINDING_{n}")).unwrap();
        let ranking = Ranking { items: vec![id(3), id(1)], problems: vec![] };
        assert_eq!([3, 1, 2].map(|n| ranking.points(id(n))), [10, 9, 0]);
    }
}
