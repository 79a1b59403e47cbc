//! Parser of `voting-tally.md`, which [`super::review_files`] writes.

use super::ids::{ItemId, ItemKind};
use crate::markdown::lines;

/// Votes on one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyRow {
    pub id: ItemId,
    pub yes: usize,
    pub no: usize,
    /// Votes for "legitimate, but not worth doing here".
    pub exonerate: usize,
    /// `accepted`, `neutral`, `exonerated`, `rejected` or `undecided`.
    pub outcome: String,
}

impl TallyRow {
    /// True for a finding about the plan, false for an out-of-scope observation.
    pub fn is_in_scope(&self) -> bool {
        self.id.kind == ItemKind::Finding
    }
}

const OUTCOMES: [&str; 5] = ["accepted", "neutral", "exonerated", "rejected", "undecided"];

/// Parses the rows of the voting table; none if no vote was needed.
pub fn read_voting_tally(text: &str) -> Vec<TallyRow> {
    lines(text).filter(|line| !line.fenced).filter_map(|line| parse_row(line.text)).collect()
}

/// Parses `| FINDING_1 | reviewers | 2 | 1 | 0 | 0 | 3 | accepted |`.
fn parse_row(line: &str) -> Option<TallyRow> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let (id, rest) = inside.split_once('|')?;
    let id = ItemId::parse(id.trim())?;
    // Reviewer names may contain a bar, so the counts are read from the end.
    let mut cells = rest.rsplit('|').map(str::trim);
    let last = cells.next()?;
    let outcome = OUTCOMES.into_iter().find(|outcome| outcome.eq_ignore_ascii_case(last))?.to_owned();
    let mut count = || cells.next().and_then(|cell| cell.parse().ok());
    let [_eligible, _abstain, exonerate, no, yes]: [usize; 5] =
        [count()?, count()?, count()?, count()?, count()?];
    Some(TallyRow { id, yes, no, exonerate, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_parsed_and_other_lines_skipped() {
        let text = "### Voting Tally\n\n| Item | Reviewers | YES | NO | EXONERATE | Abstain | Eligible | Outcome |\n|---|---|---|---|---|---|---|---|\n\
                    | FINDING_1 | Cursor\\|Arch | 2 | 1 | 0 | 0 | 3 | accepted |\n| OOS_1 | x | 0 | 1 | 2 | 0 | 3 | Exonerated |\n\
                    | FINDING_2 | x | many | 1 | 0 | 0 | 3 | accepted |\n\n### Reviewer Competition Scoreboard\n| Cursor-Arch | 1 | 1 | 0 | 0 | 0 | 0 | 0 | +1 |\n";
        let rows = read_voting_tally(text);
        let told: Vec<_> = rows
            .iter()
            .map(|r| (r.id.to_string(), r.yes, r.no, r.exonerate, r.outcome.as_str(), r.is_in_scope()))
            .collect();
        assert_eq!(
            told,
            [
                ("FINDING_1".to_owned(), 2, 1, 0, "accepted", true),
                ("OOS_1".to_owned(), 0, 1, 2, "exonerated", false)
            ]
        );
        assert_eq!(read_voting_tally("No findings were raised — voting was not needed.\n"), []);
    }
}
