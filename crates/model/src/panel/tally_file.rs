//! `voting-tally.md` read back: the votes on each item. It is written in [`super::review_files`].

use super::ids::{ItemId, ItemKind};
use super::lines::lines;

/// The votes on one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyRow {
    /// What was voted on.
    pub id: ItemId,
    /// Votes for it.
    pub yes: usize,
    /// Votes against it.
    pub no: usize,
    /// Votes that it is right but not worth doing here.
    pub exonerate: usize,
    /// What came of it: `accepted`, `neutral`, `exonerated`, `rejected` or `undecided`.
    pub outcome: String,
}

impl TallyRow {
    /// Whether it is a finding about the plan, and not about something else.
    pub fn is_in_scope(&self) -> bool {
        self.id.kind == ItemKind::Finding
    }
}

const OUTCOMES: [&str; 5] = ["accepted", "neutral", "exonerated", "rejected", "undecided"];

/// The rows of the first table; none if nothing was voted on.
pub fn read_voting_tally(text: &str) -> Vec<TallyRow> {
    lines(text).filter(|line| !line.fenced).filter_map(|line| row(line.text)).collect()
}

/// `| FINDING_1 | reviewers | 2 | 1 | 0 | 0 | 3 | accepted |`
fn row(line: &str) -> Option<TallyRow> {
    let inside = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let (id, rest) = inside.split_once('|')?;
    let id = ItemId::parse(id.trim())?;
    // The name of a reviewer may hold a bar; what is counted stands at the end.
    let mut cells = rest.rsplit('|').map(str::trim);
    let said = cells.next()?;
    let outcome = OUTCOMES.into_iter().find(|outcome| outcome.eq_ignore_ascii_case(said))?.to_owned();
    let mut count = || cells.next().and_then(|cell| cell.parse().ok());
    let [_eligible, _abstain, exonerate, no, yes]: [usize; 5] =
        [count()?, count()?, count()?, count()?, count()?];
    Some(TallyRow { id, yes, no, exonerate, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_everything_else_is_passed_over() {
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
