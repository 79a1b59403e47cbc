//! What people call a seat, and what a reviewer is called in findings, votes and scores.

use charrette_model::seats::{Group, Seat};
use std::fmt::Write as _;

/// What people call a seat in tables: `Cursor-Arch`.
pub fn seat_label(seat: &Seat) -> String {
    match (seat.group, seat.id) {
        (Some(Group::Reviewers), _) => {
            let vendor = seat.first.first().copied().unwrap_or_default();
            format!("{}-{}", capital(vendor), capital(seat.variant.unwrap_or_default()))
        }
        (Some(Group::Researchers), _) => capital(seat.variant.unwrap_or(seat.id)),
        (Some(Group::Judges | Group::Voters), id) => {
            capital(id.split_once('-').map_or(id, |(_, vendor)| vendor))
        }
        (_, id) => id.split('-').map(capital).collect::<Vec<_>>().join("-"),
    }
}

/// Who wrote which review: (file, label).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewLabels(pub Vec<(String, String)>);

impl ReviewLabels {
    /// The labels of reviews, given the seat, who sat there, and the file.
    pub fn of(reviews: &[(&Seat, &str, &str)]) -> ReviewLabels {
        let by_claude = reviews.iter().filter(|(_, agent, _)| *agent == CLAUDE).count();
        let label = |(seat, agent, file): &(&Seat, &str, &str)| {
            let lens = capital(seat.variant.unwrap_or_default());
            let label = match *agent {
                CLAUDE if by_claude == 1 => CODE.to_owned(),
                CLAUDE => format!("{CODE}-{lens}"),
                agent => format!("{}-{lens}", capital(agent)),
            };
            ((*file).to_owned(), label)
        };
        ReviewLabels(reviews.iter().map(label).collect())
    }

    /// As a file: one line per review.
    pub fn text(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, (file, label)| {
            let _ = writeln!(text, "- {file}: {label}");
            text
        })
    }
}

const CLAUDE: &str = "claude";
/// What a review by Claude in somebody else's place is called.
const CODE: &str = "Code";

fn capital(word: &str) -> String {
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
            ("researcher-tasks", "Tasks"),
        ] {
            assert_eq!(seat_label(seat(id)), label);
        }
    }

    #[test]
    fn reviews_are_labelled_by_who_wrote_them() {
        let [arch, edge] = ["reviewer-arch", "reviewer-edge"].map(seat);
        let labels = |agents: [&str; 2]| {
            ReviewLabels::of(&[(arch, agents[0], "a.txt"), (edge, agents[1], "b.txt")]).text()
        };
        assert_eq!(labels(["cursor", "codex"]), "- a.txt: Cursor-Arch\n- b.txt: Codex-Edge\n");
        assert_eq!(labels(["claude", "gemini"]), "- a.txt: Code\n- b.txt: Gemini-Edge\n");
        assert_eq!(labels(["claude", "claude"]), "- a.txt: Code-Arch\n- b.txt: Code-Edge\n");
        assert_eq!(labels(["embedded", "embedded"]), "- a.txt: Embedded-Arch\n- b.txt: Embedded-Edge\n");
    }
}
