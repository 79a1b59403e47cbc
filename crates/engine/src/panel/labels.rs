//! Display names: of seats in tables, of reviewers in findings, votes and scores.

use charrette_model::seats::{Seat, SeatGroup};
use std::fmt::Write as _;

/// Display name of a seat in tables: `Cursor-Arch`.
pub fn seat_label(seat: &Seat) -> String {
    match (seat.group, seat.id) {
        (Some(SeatGroup::Reviewers), _) => {
            let vendor = seat.preferred.first().copied().unwrap_or_default();
            format!("{}-{}", capitalized(vendor), capitalized(short_name(seat)))
        }
        (Some(SeatGroup::Researchers), _) => capitalized(seat.variant.unwrap_or(seat.id)),
        (Some(SeatGroup::Judges | SeatGroup::Voters), id) => {
            capitalized(id.rsplit_once('-').map_or(id, |(_, vendor)| vendor))
        }
        (_, id) => id.split('-').map(capitalized).collect::<Vec<_>>().join("-"),
    }
}

/// Labels of the reviewers: (review file, label).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewLabels(pub Vec<(String, String)>);

impl ReviewLabels {
    pub fn new(reviews: &[Review<'_>]) -> ReviewLabels {
        let by_claude = reviews.iter().filter(|review| review.agent == CLAUDE).count();
        let label = |review: &Review<'_>| {
            let lens = capitalized(short_name(review.seat));
            let label = match review.agent {
                CLAUDE if by_claude == 1 => CODE.to_owned(),
                CLAUDE => format!("{CODE}-{lens}"),
                agent => format!("{}-{lens}", capitalized(agent)),
            };
            (review.file.to_owned(), label)
        };
        ReviewLabels(reviews.iter().map(label).collect())
    }

    /// Text of the labels' file: one line per review.
    pub fn text(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, (file, label)| {
            let _ = writeln!(text, "- {file}: {label}");
            text
        })
    }
}

/// A review, its seat and the agent that wrote it.
#[derive(Debug, Clone, Copy)]
pub struct Review<'a> {
    pub seat: &'a Seat,
    pub agent: &'a str,
    pub file: &'a str,
}

const CLAUDE: &str = "claude";
/// Label of a review that Claude wrote as the fallback.
const CODE: &str = "Code";

/// Name of a seat within its group: `arch` of `reviewer-arch`.
fn short_name(seat: &Seat) -> &'static str {
    seat.id.split_once('-').map_or(seat.id, |(_, name)| name)
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::seats;

    fn seat(id: &str) -> &'static Seat {
        seats().seat(id).unwrap()
    }

    #[test]
    fn seats_are_called_by_vendor_and_lens() {
        for (id, label) in [
            ("cursor-arch", "Cursor-Arch"),
            ("codex-generic", "Codex-Generic"),
            ("reviewer-edge", "Cursor-Edge"),
            ("reviewer-pragmatic", "Codex-Pragmatic"),
            ("judge-claude", "Claude"),
            ("voter-cursor", "Cursor"),
            ("change-voter-cursor", "Cursor"),
            ("researcher-tasks", "Tasks"),
        ] {
            assert_eq!(seat_label(seat(id)), label);
        }
    }

    #[test]
    fn reviews_are_labelled_by_who_wrote_them() {
        let [arch, edge] = ["reviewer-arch", "reviewer-edge"].map(seat);
        let labels = |agents: [&str; 2]| {
            let arch = Review { seat: arch, agent: agents[0], file: "a.txt" };
            let edge = Review { seat: edge, agent: agents[1], file: "b.txt" };
            ReviewLabels::new(&[arch, edge]).text()
        };
        assert_eq!(labels(["cursor", "codex"]), "- a.txt: Cursor-Arch\n- b.txt: Codex-Edge\n");
        assert_eq!(labels(["claude", "gemini"]), "- a.txt: Code\n- b.txt: Gemini-Edge\n");
        assert_eq!(labels(["claude", "claude"]), "- a.txt: Code-Arch\n- b.txt: Code-Edge\n");
        assert_eq!(labels(["embedded", "embedded"]), "- a.txt: Embedded-Arch\n- b.txt: Embedded-Edge\n");
    }
}
