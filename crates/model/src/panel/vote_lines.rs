//! Vote lines, `ID: TOKEN — reason`, as judges and voters write them.
//!
//! The first valid line for an item counts. Everything else is reported and not counted: an unknown token, a
//! second vote, an item that is not on the ballot, a line inside a code fence. A table row, a quotation or a
//! sentence is no vote line. Eligibility and quorum are decided elsewhere.

use super::ids::ItemId;
use super::token::{self, TokenMatch, TokenScope};
use crate::escape::printable;
use crate::markdown::{Line, label, lines, strip_decoration};
use crate::problem::Problem;
use std::collections::{HashMap, HashSet};

/// Votes of one seat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct VoteSheet<'a> {
    /// By item. Missing items are abstentions.
    pub(super) votes: HashMap<ItemId, Vote<'a>>,
    /// Lines that were not counted.
    pub(super) problems: Vec<Problem>,
}

/// Valid vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Vote<'a> {
    /// Index of the token.
    pub(super) token: usize,
    pub(super) line: usize,
    /// May be empty.
    pub(super) reason: &'a str,
}

/// Parses the votes in `text` on the items of `ballot`.
pub(super) fn read_vote_sheet<'a>(text: &'a str, ballot: &HashSet<ItemId>, tokens: &[&str]) -> VoteSheet<'a> {
    let mut sheet = VoteSheet::default();
    for line in lines(text) {
        if let Some((item, vote)) = parse_vote_line(line) {
            match accept_vote(&sheet, line, item, vote, ballot, tokens) {
                Ok(vote) => {
                    sheet.votes.insert(item, vote);
                }
                Err(message) => sheet.problems.push(Problem::new(line.number, message)),
            }
        }
    }
    sheet
}

/// The item id and the value of a vote line.
fn parse_vote_line(line: Line<'_>) -> Option<(ItemId, &str)> {
    let label = label(&strip_decoration(line.text))?;
    Some((ItemId::parse(label.name)?, label.value))
}

fn accept_vote<'a>(
    sheet: &VoteSheet<'a>,
    line: Line<'_>,
    item: ItemId,
    vote: &'a str,
    ballot: &HashSet<ItemId>,
    tokens: &[&str],
) -> Result<Vote<'a>, String> {
    if !ballot.contains(&item) {
        return Err(format!("{item} is not on the ballot"));
    }
    if line.fenced {
        return Err(format!("the line for {item} stands inside a code fence"));
    }
    let (token, after) = match token::match_token(vote, tokens, TokenScope::BeforeReason) {
        TokenMatch::Word(token, after) => (token, after),
        TokenMatch::Several => return Err(format!("{item}: more than one of {}", tokens.join(", "))),
        TokenMatch::Unknown(word) => {
            return Err(format!("{item}: '{}' is not one of {}", printable(word), tokens.join(", ")));
        }
    };
    if let Some(first) = sheet.votes.get(&item) {
        return Err(format!("{item} was voted on in line {} already; that vote counts", first.line));
    }
    Ok(Vote { token, line: line.number, reason: token::reason(after) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKENS: [&str; 3] = ["YES", "NO", "EXONERATE"];

    fn sheet(text: &str) -> VoteSheet<'_> {
        let ballot = ["FINDING_1", "FINDING_2", "OOS_1"];
        read_vote_sheet(text, &ballot.into_iter().filter_map(ItemId::parse).collect(), &TOKENS)
    }

    /// The vote on `FINDING_1`, or what was said instead.
    fn first(text: &str) -> String {
        let sheet = sheet(text);
        match sheet.votes.get(&ItemId::parse("FINDING_1").unwrap()) {
            Some(vote) => format!("{} {}", TOKENS[vote.token], vote.reason).trim_end().to_owned(),
            None => sheet.problems.first().map_or_else(String::new, |problem| problem.message.clone()),
        }
    }

    #[test]
    fn a_vote_is_read_however_it_is_decorated() {
        for text in [
            "FINDING_1: YES — because",
            "FINDING_1: YES - because",
            "FINDING_1: YES – because",
            "FINDING_1: YES: because",
            "FINDING_1:YES — because",
            "finding_1: yes — because",
            "Finding_1 : Yes — because",
            "**FINDING_1: YES — because**",
            "**FINDING_1**: YES — because",
            "**FINDING_1:** YES — because",
            "**FINDING_1: YES** — because",
            "__FINDING_1__: __YES__ — because",
            "`FINDING_1`: `YES` — because",
            "- FINDING_1: **YES** — because",
            "  3. FINDING_1: YES — because",
            "### FINDING_1: YES — because",
            "\u{feff}FINDING_1: YES — because\r\n",
            "\0FINDING_1: YES — because\0\n",
        ] {
            assert_eq!(first(text), "YES because", "{text}");
        }
        assert_eq!(first("FINDING_1: EXONERATE"), "EXONERATE");
        assert_eq!(first("FINDING_1: NO — YES would be wrong"), "NO YES would be wrong");
    }

    #[test]
    fn other_lines_are_no_votes() {
        for text in [
            "",
            "| FINDING_1 | YES | because |",
            "| FINDING_1: YES — because |",
            "> FINDING_1: YES",
            "I say FINDING_1: YES",
            "FINDING_1 YES",
            "FINDING_1 — YES",
            "FINDING 1: YES",
            "FINDING_01: YES",
            "TROUVAILLE_1: OUI",
            "YES: FINDING_1",
        ] {
            assert_eq!(sheet(text), VoteSheet::default(), "{text}");
        }
    }

    #[test]
    fn uncounted_lines_are_reported() {
        for (text, message) in [
            ("FINDING_1: JA — gut", "FINDING_1: 'JA' is not one of YES, NO, EXONERATE"),
            ("FINDING_1: SÍ", "FINDING_1: 'SÍ' is not one of YES, NO, EXONERATE"),
            ("FINDING_1:", "FINDING_1: '' is not one of YES, NO, EXONERATE"),
            ("FINDING_1: no objection", "FINDING_1: 'no' is not one of YES, NO, EXONERATE"),
            ("FINDING_1: YES|NO — x", "FINDING_1: 'YES|NO' is not one of YES, NO, EXONERATE"),
            ("FINDING_1: YES or NO — x", "FINDING_1: more than one of YES, NO, EXONERATE"),
            ("FINDING_9: YES", "FINDING_9 is not on the ballot"),
            ("OOS_9: YES", "OOS_9 is not on the ballot"),
            ("DECISION_1: YES", "DECISION_1 is not on the ballot"),
            ("```\nFINDING_1: YES\n```", "the line for FINDING_1 stands inside a code fence"),
        ] {
            assert_eq!(first(text), message, "{text}");
        }
    }

    #[test]
    fn the_first_valid_line_counts() {
        let text = "FINDING_1: MAYBE\nFINDING_1: NO — a\nFINDING_1: YES — b\nFINDING_2: YES\n";
        let sheet = sheet(text);
        assert_eq!(first(text), "NO a");
        assert_eq!(
            sheet.problems,
            [
                Problem::new(1, "FINDING_1: 'MAYBE' is not one of YES, NO, EXONERATE"),
                Problem::new(3, "FINDING_1 was voted on in line 2 already; that vote counts"),
            ]
        );
        assert_eq!(sheet.votes.len(), 2);
    }

    #[test]
    fn huge_lines_take_linear_time() {
        let text = format!("FINDING_1: YES — {}\n{}\n", "NO ".repeat(1 << 20), "FINDING_1".repeat(1 << 17));
        assert_eq!(sheet(&text).votes.len(), 1);
    }
}
