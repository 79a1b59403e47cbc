//! Vote lines, `ID: TOKEN — reason`, as judges and voters write them. Between token and reason of a finding may stand
//! a [`Remedy`]: `YES B`, `YES (smaller: log it)`.
//!
//! The first valid line for an item counts. Everything else is reported and not counted: an unknown token, a
//! second vote, an item that is not on the ballot, a line inside a code fence. A table row, a quotation or a
//! sentence is no vote line. Eligibility and quorum are decided elsewhere.

use super::ids::{ItemId, ItemKind};
use super::remedies::Remedy;
use super::token::{self, TokenMatch, TokenScope};
use crate::escape::printable;
use crate::markdown::{Line, MARKS, is_blank, label, lines, strip_decoration, trim_around};
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vote<'a> {
    /// Index of the token.
    pub(super) token: usize,
    pub(super) line: usize,
    pub(super) remedy: Remedy,
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
    let smaller = if item.kind == ItemKind::Decision { None } else { split_smaller(vote) };
    let without_remedy = smaller.map(|(before, _, after)| format!("{before} {after}"));
    let matched = without_remedy.as_deref().unwrap_or(vote);
    let (token, after) = match token::match_token(matched, tokens, TokenScope::BeforeReason) {
        TokenMatch::Word(token, after) => (token, vote.len() - after.len().min(vote.len())),
        TokenMatch::Several => return Err(format!("{item}: more than one of {}", tokens.join(", "))),
        TokenMatch::Unknown(word) => {
            return Err(format!("{item}: '{}' is not one of {}", printable(word), tokens.join(", ")));
        }
    };
    if let Some(first) = sheet.votes.get(&item) {
        return Err(format!("{item} was voted on in line {} already; that vote counts", first.line));
    }
    let (remedy, after) = match smaller {
        Some((_, text, after)) => (Remedy::Smaller(text.to_owned()), after),
        None => match split_option(&vote[after..]).filter(|_| item.kind != ItemKind::Decision) {
            Some((letter, after)) => (Remedy::Option(letter), after),
            None => (Remedy::AsProposed, &vote[after..]),
        },
    };
    Ok(Vote { token, line: line.number, remedy, reason: token::reason(after) })
}

/// Splits `YES (smaller: log it) — why` into the text before, the remedy and the text after. Only one word may stand
/// before it.
fn split_smaller(vote: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = vote.split_once('(')?;
    let is_word = before.split(is_blank).filter(|word| !word.is_empty()).count() == 1;
    let (name, value) = rest.split_at_checked(SMALLER.len()).filter(|_| is_word)?;
    let value = value.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c)).strip_prefix(':')?;
    let mut depth = 1_usize;
    let end = value.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let remedy = trim_around(&value[..end], |c| is_blank(c) || MARKS.contains(&c));
    let is_remedy = name.eq_ignore_ascii_case(SMALLER) && !remedy.is_empty();
    is_remedy.then(|| (before, remedy, &value[end + 1..]))
}

const SMALLER: &str = "smaller";

/// The letter of an option and the text after it, in the text after a token: ` B — why`, ` (option B): why`.
fn split_option(after: &str) -> Option<(char, &str)> {
    let before = token::text_before_reason(after);
    let is_separator = |c| is_blank(c) || MARKS.contains(&c) || matches!(c, '(' | ',' | ':' | '.');
    let start = before.trim_start_matches(is_separator);
    let start = match start.split_at_checked(OPTION.len()) {
        Some((word, rest)) if word.eq_ignore_ascii_case(OPTION) => rest.trim_start_matches(is_separator),
        _ => start,
    };
    let letter = start.chars().next().filter(char::is_ascii_uppercase)?;
    let rest = &start[1..];
    let end = before.len() - rest.len();
    // "YES A good point" is a reason: the letter must be set off.
    let is_set_off = rest.trim_matches(|c| is_blank(c) || MARKS.contains(&c) || c == ')').is_empty()
        || rest.trim_start_matches(|c| MARKS.contains(&c) || c == ')').starts_with([':', ',', '.', ';']);
    is_set_off.then(|| (letter, after[end..].trim_start_matches([')', '*', '_', '`'])))
}

const OPTION: &str = "option";

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
        assert_eq!(
            first("FINDING_1: YES — `[x]` is set"),
            "YES `[x]` is set",
            "code at the start stays code"
        );
        assert_eq!(first("FINDING_1: NO — YES would be wrong"), "NO YES would be wrong");
    }

    #[test]
    fn a_vote_may_name_its_remedy() {
        let vote = |text: &str| {
            let sheet = sheet(text);
            let vote = sheet.votes.get(&ItemId::parse("FINDING_1").unwrap()).cloned();
            vote.map(|vote| (TOKENS[vote.token], vote.remedy, vote.reason.to_owned()))
        };
        let option = |letter, reason: &str| Some(("YES", Remedy::Option(letter), reason.to_owned()));
        let smaller =
            |remedy: &str, reason: &str| Some(("YES", Remedy::Smaller(remedy.to_owned()), reason.to_owned()));
        for (text, expected) in [
            ("FINDING_1: YES B — why", option('B', "why")),
            ("**FINDING_1**: **YES** (B) - why", option('B', "why")),
            ("FINDING_1: YES, option C: why", option('C', "why")),
            ("FINDING_1: YES **A** — why", option('A', "why")),
            ("FINDING_1: YES B", option('B', "")),
            ("FINDING_1: YES (smaller: log it) — why", smaller("log it", "why")),
            ("FINDING_1: yes (Smaller: log it)", smaller("log it", "")),
            (
                "FINDING_1: YES (smaller: say NO (loudly) — at once) - why",
                smaller("say NO (loudly) — at once", "why"),
            ),
            ("FINDING_1: YES A good point", Some(("YES", Remedy::AsProposed, "A good point".to_owned()))),
            ("FINDING_1: YES — B is better", Some(("YES", Remedy::AsProposed, "B is better".to_owned()))),
            (
                "FINDING_1: YES (smaller) — why",
                Some(("YES", Remedy::AsProposed, "(smaller) — why".to_owned())),
            ),
            (
                "FINDING_1: YES (smaller: open — why",
                Some(("YES", Remedy::AsProposed, "(smaller: open — why".to_owned())),
            ),
            (
                "FINDING_1: NO (smaller: x) — why",
                Some(("NO", Remedy::Smaller("x".to_owned()), "why".to_owned())),
            ),
            ("FINDING_1: YES (smaller: x) or NO — why", None),
            ("FINDING_1: (smaller: x) YES — why", None),
        ] {
            assert_eq!(vote(text), expected, "{text}");
        }
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
