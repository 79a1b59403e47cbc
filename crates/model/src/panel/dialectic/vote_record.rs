//! Record of the judges' votes: a section at the end of `dialectic-resolutions.md`. It says who really sat, and marks
//! votes on arguments of the judge's own agent.

use super::tally::{JudgeVote, JudgesTally};
use crate::markdown::flat;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Writes the section; empty without votes. Its heading ends the blocks of the resolutions before it.
pub fn write_vote_record(tally: &JudgesTally) -> String {
    let votes: Vec<(u32, &JudgeVote)> = tally
        .decisions
        .iter()
        .flat_map(|decision| decision.votes.iter().map(move |vote| (decision.n, vote)))
        .collect();
    if votes.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "\n## Votes of the judges\n\n| Decision | Judge | Agent | Vendor | Vote | Own argument |\n\
         |---|---|---|---|---|---|\n",
    );
    for (n, vote) in &votes {
        let [judge, agent, vendor] = [&vote.judge, &vote.agent, vendor(vote)].map(|text| cell(text));
        let own = if vote.is_own { "yes" } else { "no" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| DECISION_{n} | {judge} | {agent} | {vendor} | {} | {own} |", vote.side);
    }
    let vendors: BTreeSet<String> = votes
        .iter()
        .map(|(_, vote)| vendor(vote).to_lowercase())
        .filter(|vendor| !vendor.is_empty())
        .collect();
    if !vendors.is_empty() {
        let plural = if vendors.len() == 1 { "vendor" } else { "vendors" };
        let _ = write!(out, "\n{} distinct {plural} judged.", vendors.len());
        let own = votes.iter().filter(|(_, vote)| vote.is_own).count();
        if own > 0 {
            let _ = write!(
                out,
                " {own} of {} votes are on arguments that the judge's own agent wrote.",
                votes.len()
            );
        }
        out.push('\n');
    }
    out
}

fn vendor(vote: &JudgeVote) -> &String {
    if vote.vendor.is_empty() { &vote.agent } else { &vote.vendor }
}

fn cell(text: &str) -> String {
    let text = flat(text).replace('|', "\\|");
    if text.is_empty() { "–".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::dialectic::{BallotDecision, Judge, JudgesRequest, tally_judges};
    use crate::panel::resolutions::read_resolutions;

    #[test]
    fn the_record_names_who_sat_and_marks_own_arguments() {
        let judge = |name: &str, agent: &str, vendor: &str, text: &str| Judge {
            name: name.to_owned(),
            status: "OK".to_owned(),
            text: text.to_owned(),
            agent: agent.to_owned(),
            vendor: vendor.to_owned(),
        };
        let request = JudgesRequest {
            decisions: vec![BallotDecision { n: 1, author: "codex".to_owned() }],
            judges: vec![
                judge("Claude", "claude", "anthropic", "DECISION_1: THESIS"),
                judge("Codex", "codex", "openai", "DECISION_1: ANTI_THESIS"),
                judge("Cursor", "codex-2", "OpenAI", "DECISION_1: THESIS"),
                judge("D|d", "", "", "nothing"),
            ],
        };
        let record = write_vote_record(&tally_judges(&request));
        assert_eq!(
            record,
            "\n## Votes of the judges\n\n| Decision | Judge | Agent | Vendor | Vote | Own argument |\n|---|---|---|---|---|---|\n\
             | DECISION_1 | Claude | claude | anthropic | THESIS | no |\n| DECISION_1 | Codex | codex | openai | ANTI_THESIS | yes |\n\
             | DECISION_1 | Cursor | codex-2 | OpenAI | THESIS | no |\n\n2 distinct vendors judged. 1 of 3 votes are on arguments \
             that the judge's own agent wrote.\n"
        );
        assert_eq!(write_vote_record(&tally_judges(&JudgesRequest::default())), "");
        let resolutions =
            "### DECISION_1: t\n**Resolution**: a\n**Disposition**: over-cap\n**Why over-cap**: b\n";
        assert_eq!(read_resolutions(&format!("{resolutions}{record}")), read_resolutions(resolutions));
    }
}
