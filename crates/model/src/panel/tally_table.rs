//! `voting-tally.md`: votes on each item, scores of the reviewers, ranking, and who sat in the voters' seats.
//! [`super::tally_file`] parses the first table.

use super::findings::FindingSeverity;
use super::ids::ItemId;
use super::review_items::ReviewItem;
use super::texts;
use super::votes::{EMBEDDED, ItemOutcome, SeatedVoter, TalliedItem, VotesTally};
use crate::markdown::flat;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

/// Text of `voting-tally.md`.
pub(super) fn voting_tally(items: &HashMap<ItemId, &ReviewItem>, tally: &VotesTally) -> String {
    if tally.items.is_empty() {
        return format!("{}\n", texts::NOTHING_TO_VOTE_ON);
    }
    let mut out = String::new();
    write_votes(&mut out, items, tally);
    write_scoreboard(&mut out, tally);
    write_ranking(&mut out, items, tally);
    write_voters(&mut out, &tally.voters);
    if !tally.warnings.is_empty() {
        out.push_str("\n### Warnings\n\n");
    }
    for warning in &tally.warnings {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "- {}", flat(warning));
    }
    out
}

fn write_votes(out: &mut String, items: &HashMap<ItemId, &ReviewItem>, tally: &VotesTally) {
    out.push_str(
        "### Voting Tally\n\n| Item | Reviewers | YES | NO | EXONERATE | Abstain | Eligible | Outcome |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for item in &tally.items {
        let TalliedItem { id, yes, no, exonerate, abstain, eligible, outcome, .. } = item;
        let reviewers = items.get(id).map(|item| escape_cell(&item.reviewers())).unwrap_or_default();
        let outcome = outcome_name(*outcome);
        let _ = writeln!(
            out,
            "| {id} | {reviewers} | {yes} | {no} | {exonerate} | {abstain} | {eligible} | {outcome} |"
        );
    }
}

fn write_scoreboard(out: &mut String, tally: &VotesTally) {
    out.push_str(
        "\n### Reviewer Competition Scoreboard\n\n| Reviewer | Findings | Accepted | Neutral (1 YES) | Exonerated \
         | Rejected | OOS Proposed | OOS Accepted | Score |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in &tally.scoreboard {
        let reviewer = escape_cell(&row.reviewer);
        let counts = [
            row.findings,
            row.accepted,
            row.neutral,
            row.exonerated,
            row.rejected,
            row.oos_proposed,
            row.oos_accepted,
        ];
        let counts = counts.map(|count| count.to_string()).join(" | ");
        let sign = if row.score > 0 { "+" } else { "" };
        let _ = writeln!(out, "| {reviewer} | {counts} | {sign}{} |", row.score);
    }
}

/// Ranked items, the most important first; no table without a ranking.
fn write_ranking(out: &mut String, items: &HashMap<ItemId, &ReviewItem>, tally: &VotesTally) {
    let mut ranked: Vec<&TalliedItem> = tally.items.iter().filter(|item| item.points > 0).collect();
    if ranked.is_empty() {
        return;
    }
    ranked.sort_by_key(|item| (Reverse(item.points), item.id));
    out.push_str("\n### Ranking\n\n| Place | Item | Title | Severity | Points |\n|---|---|---|---|---|\n");
    for (place, votes) in (1..).zip(ranked) {
        let item = items.get(&votes.id);
        let title = item.map(|item| escape_cell(&item.title)).unwrap_or_default();
        let severity = item.and_then(|item| item.severity).map_or("–", FindingSeverity::name);
        let _ = writeln!(out, "| {place} | {} | {title} | {severity} | {} |", votes.id, votes.points);
    }
}

/// Occupants of the seats, and the number of distinct vendors behind the votes.
fn write_voters(out: &mut String, voters: &[SeatedVoter]) {
    if voters.iter().all(|voter| voter.agent.is_empty()) {
        return;
    }
    out.push_str("\n### Voters\n\n| Seat | Agent | Vendor | Votes |\n|---|---|---|---|\n");
    for voter in voters {
        let [name, agent, vendor] =
            [&voter.name, &voter.agent, vendor_name(voter)].map(|text| escape_cell(text));
        let _ = writeln!(out, "| {name} | {} | {} | {} |", or_dash(&agent), or_dash(&vendor), voter.votes);
    }
    let voted = voters.iter().filter(|voter| voter.votes > 0 && voter.agent != EMBEDDED);
    let vendors: BTreeSet<String> = voted.map(|voter| vendor_name(voter).to_lowercase()).collect();
    let plural = if vendors.len() == 1 { "vendor stands" } else { "vendors stand" };
    let _ = writeln!(out, "\n{} distinct {plural} behind these votes.", vendors.len());
}

fn vendor_name(voter: &SeatedVoter) -> &String {
    if voter.vendor.is_empty() { &voter.agent } else { &voter.vendor }
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}

/// Escapes text for a table cell.
fn escape_cell(text: &str) -> String {
    flat(text).replace('|', "\\|")
}

pub(super) fn outcome_name(outcome: ItemOutcome) -> &'static str {
    match outcome {
        ItemOutcome::Accepted => "accepted",
        ItemOutcome::Neutral => "neutral",
        ItemOutcome::Exonerated => "exonerated",
        ItemOutcome::Rejected => "rejected",
        ItemOutcome::Undecided => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::review_items::read_review_items;
    use crate::panel::tally_file::read_voting_tally;
    use crate::panel::votes::{Voter, VotesRequest, tally_votes};

    #[test]
    fn the_tally_ranks_the_items_and_names_who_sat() {
        let (items, _) = read_review_items(
            "### FINDING_1: One | two\nFrom: a#1\nConcern: c\nRevision: r\n### FINDING_2: Three\nFrom: a#2\nSeverity: minor\nConcern: c\nRevision: r\n",
        );
        let voter = |name: &str, agent: &str, vendor: &str, text: &str| Voter {
            name: name.to_owned(),
            agent: agent.to_owned(),
            vendor: vendor.to_owned(),
            status: "OK".to_owned(),
            text: text.to_owned(),
        };
        let text = "FINDING_1: YES\nFINDING_2: NO\nTOP: FINDING_2, FINDING_1";
        let voters = vec![
            voter("Claude", "claude", "anthropic", text),
            voter("Codex", "claude", "Anthropic", text),
            voter("Cursor", "gemini", "", "nothing"),
        ];
        let request = VotesRequest { items: items.iter().map(Into::into).collect(), voters };
        let by_id = items.iter().map(|item| (item.id, item)).collect();
        let text = voting_tally(&by_id, &tally_votes(&request));
        assert!(
            text.contains(
                "\n### Ranking\n\n| Place | Item | Title | Severity | Points |\n|---|---|---|---|---|\n\
                 | 1 | FINDING_2 | Three | minor | 20 |\n| 2 | FINDING_1 | One \\| two | – | 18 |\n\n\
                 ### Voters\n\n| Seat | Agent | Vendor | Votes |\n|---|---|---|---|\n\
                 | Claude | claude | anthropic | 2 |\n| Codex | claude | Anthropic | 2 |\n| Cursor | gemini | gemini | 0 |\n\n\
                 1 distinct vendor stands behind these votes.\n"
            ),
            "{text}"
        );
        assert_eq!(read_voting_tally(&text).len(), 2, "the ranking is no part of the votes");
    }
}
