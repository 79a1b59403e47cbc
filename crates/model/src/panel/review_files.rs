//! Output files of a plan review: accepted, rejected and undecided findings, out-of-scope observations, and the tally
//! of `tally_table`.
//!
//! The tally is never empty, because the manifest reader rejects an empty one; the other files may be. Values
//! are written on one line each, so that no finding can forge another block.

use super::blocks::{join_sentences, write_field, write_head, write_list};
use super::findings::FindingSeverity;
use super::ids::{ItemId, ItemKind};
use super::remedies::{choose_remedy, format_options, proposal};
use super::review_items::ReviewItem;
use super::tally_table::{outcome_name, voting_tally};
use super::texts;
use super::votes::{ItemOutcome, TalliedItem, VotesTally};
use crate::markdown::{flat, label, lines, strip_decoration};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Output files of a plan review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFiles {
    /// `voting-tally.md`
    pub voting_tally: String,
    /// `accepted-plan-findings.md`: the most important first.
    pub accepted: String,
    /// `undecided-plan-findings.md`: in full, for the discussion; empty if nobody is asked.
    pub undecided: String,
    /// `rejected-findings.md`
    pub rejected: String,
    /// `oos.md`: all out-of-scope observations.
    pub oos: String,
    /// `oos-accepted-design.md`: accepted out-of-scope observations.
    pub oos_accepted: String,
}

/// Treatment of findings without a quorum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndecidedPolicy {
    /// Ask the person in the discussion.
    Discuss,
    /// Do not adopt them.
    Reject,
}

/// Renders the files. Items missing from the tally are left out.
pub fn write_review_files(
    items: &[ReviewItem],
    tally: &VotesTally,
    undecided: UndecidedPolicy,
) -> ReviewFiles {
    let by_id: HashMap<ItemId, &ReviewItem> = items.iter().map(|item| (item.id, item)).collect();
    let mut files = ReviewFiles {
        voting_tally: voting_tally(&by_id, tally),
        accepted: String::new(),
        undecided: String::new(),
        rejected: String::new(),
        oos: String::new(),
        oos_accepted: String::new(),
    };
    for (item, votes) in by_importance(&by_id, tally, ItemOutcome::Accepted) {
        write_accepted(&mut files.accepted, item, votes);
    }
    if undecided == UndecidedPolicy::Discuss {
        for (item, votes) in by_importance(&by_id, tally, ItemOutcome::Undecided) {
            write_undecided(&mut files.undecided, item, votes);
        }
    }
    for votes in &tally.items {
        let Some(item) = by_id.get(&votes.id) else { continue };
        let accepted = votes.outcome == ItemOutcome::Accepted;
        match votes.id.kind {
            ItemKind::OutOfScope => {
                write_out_of_scope(&mut files.oos, item, votes, Some(votes.outcome));
                if accepted {
                    write_out_of_scope(&mut files.oos_accepted, item, votes, None);
                }
            }
            _ => {
                if let Some(reason) = rejection_reason(votes, undecided) {
                    write_rejected(&mut files.rejected, item, &reason);
                }
            }
        }
    }
    files
}

fn format_votes(votes: &TalliedItem) -> String {
    format!("YES={}, NO={}, EXONERATE={}", votes.yes, votes.no, votes.exonerate)
}

/// Findings with an outcome: by points, then by severity, then by number.
fn by_importance<'a>(
    items: &HashMap<ItemId, &'a ReviewItem>,
    tally: &'a VotesTally,
    outcome: ItemOutcome,
) -> Vec<(&'a ReviewItem, &'a TalliedItem)> {
    let findings = tally.items.iter().filter(|votes| votes.id.kind == ItemKind::Finding);
    let mut found: Vec<(&ReviewItem, &TalliedItem)> = findings
        .filter(|votes| votes.outcome == outcome)
        .filter_map(|votes| Some((*items.get(&votes.id)?, votes)))
        .collect();
    found.sort_by_key(|(item, votes)| {
        (Reverse(votes.points), item.severity.is_none(), item.severity, votes.id)
    });
    found
}

fn write_accepted(out: &mut String, item: &ReviewItem, votes: &TalliedItem) {
    write_head(out, "###", item.id, &item.title);
    write_severity(out, item);
    write_field(out, "", "Concern", &item.concern);
    write_field(out, "", "Resolution", &choose_remedy(item, &votes.wanted_remedies()));
    if !votes.contradicts.is_empty() {
        let every = format!("{}; every voter accepts that", texts::contradicts(&votes.contradicts));
        write_field(out, "", "Contradiction", &every);
    }
    write_points(out, votes);
    write_list(out, "Reasons", &votes.reasons());
}

fn write_undecided(out: &mut String, item: &ReviewItem, votes: &TalliedItem) {
    write_head(out, "###", item.id, &item.title);
    write_severity(out, item);
    write_field(out, "", "Concern", &item.concern);
    for (name, value) in [("Revision", item.revision.clone()), ("Options", format_options(&item.options))] {
        if !value.is_empty() {
            write_field(out, "", name, &value);
        }
    }
    write_field(out, "", "Why undecided", &undecided_reason(votes));
    write_field(out, "", "Vote tally", &format_votes(votes));
    write_points(out, votes);
    write_list(out, "Reasons", &votes.reasons());
}

fn write_severity(out: &mut String, item: &ReviewItem) {
    if let Some(severity) = item.severity.map(FindingSeverity::name) {
        write_field(out, "", "Severity", severity);
    }
}

fn write_points(out: &mut String, votes: &TalliedItem) {
    if votes.points > 0 {
        write_field(out, "", "Rank points", &votes.points.to_string());
    }
}

fn undecided_reason(votes: &TalliedItem) -> String {
    if votes.is_undecided_by_contradiction() {
        texts::contradicts(&votes.contradicts)
    } else {
        texts::NO_QUORUM.to_owned()
    }
}

fn write_out_of_scope(
    out: &mut String,
    item: &ReviewItem,
    votes: &TalliedItem,
    outcome: Option<ItemOutcome>,
) {
    write_head(out, "###", item.id, &item.title);
    write_field(out, "", "Description", &item.concern);
    write_field(out, "", "Reviewer", &item.reviewers());
    write_field(out, "", "Vote tally", &format_votes(votes));
    if let Some(outcome) = outcome {
        write_field(out, "", "Outcome", outcome_name(outcome));
    }
    write_field(out, "", "Phase", "design");
}

const PLAN_REVIEW: &str = "[Plan Review]";

fn write_rejected(out: &mut String, item: &ReviewItem, reason: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "### {PLAN_REVIEW} {}", flat(&item.reviewers()));
    let finding = match proposal(item).as_str() {
        "" => item.concern.clone(),
        revision => format!("{} Suggested revision: {revision}", item.concern),
    };
    write_field(out, "", "Finding", &finding);
    write_field(out, "", "Reason not implemented", reason);
}

/// Reason why an in-scope finding is not implemented; none if it is accepted or still open.
fn rejection_reason(votes: &TalliedItem, undecided: UndecidedPolicy) -> Option<String> {
    let outcome = match votes.outcome {
        ItemOutcome::Accepted => return None,
        ItemOutcome::Undecided if undecided == UndecidedPolicy::Discuss => return None,
        ItemOutcome::Undecided => return Some(undecided_reason(votes)),
        ItemOutcome::Neutral => "not enough votes for it",
        ItemOutcome::Exonerated => "legitimate, but out of proportion here",
        ItemOutcome::Rejected => "voted down",
    };
    let reasons = join_sentences(votes.votes.iter().map(|vote| vote.reason.as_str()));
    let colon = if reasons.is_empty() { "" } else { ": " };
    Some(format!("{outcome} ({}){colon}{reasons}", format_votes(votes)))
}

/// Number of blocks of each kind in a review file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// `### FINDING_N:`
    pub accepted: usize,
    /// `### [Plan Review]`
    pub rejected: usize,
    /// `### OOS_N:`
    pub out_of_scope: usize,
}

/// Counts the blocks of a review file.
pub fn count_blocks(text: &str) -> BlockCounts {
    let mut counts = BlockCounts::default();
    for line in lines(text).filter(|line| !line.fenced) {
        let bare = strip_decoration(line.text);
        if !bare.heading {
            continue;
        }
        let kind = label(&bare).and_then(|label| ItemId::parse(label.name)).map(|id| id.kind);
        counts.accepted += usize::from(kind == Some(ItemKind::Finding));
        counts.out_of_scope += usize::from(kind == Some(ItemKind::OutOfScope));
        counts.rejected += usize::from(bare.content.starts_with(PLAN_REVIEW));
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::findings::Focus;
    use crate::panel::votes::{Voter, VotesRequest, tally_votes};
    use proptest::prelude::*;

    fn item(id: &str, concern: &str) -> ReviewItem {
        ReviewItem {
            id: ItemId::parse(id).unwrap(),
            title: format!("About {id}"),
            from: vec![],
            proposers: vec!["Cursor-Arch".to_owned(), "Code".to_owned()],
            severity: None,
            focus: Some(Focus::Security),
            concern: concern.to_owned(),
            revision: "Change it.".to_owned(),
            options: vec![],
            contradicts: vec![],
        }
    }

    /// The files after two voters voted with these lines.
    fn files(items: &[ReviewItem], lines: &[&str], undecided: UndecidedPolicy) -> ReviewFiles {
        let voter = |name: &str| Voter {
            name: name.to_owned(),
            status: "OK".to_owned(),
            text: lines.join("\n"),
            ..Voter::default()
        };
        let voters = vec![voter("a"), voter("b")];
        let tally = tally_votes(&VotesRequest { items: items.iter().map(Into::into).collect(), voters });
        write_review_files(items, &tally, undecided)
    }

    #[test]
    fn every_outcome_goes_to_its_file() {
        let items = [
            item("FINDING_1", "A."),
            item("FINDING_2", "B."),
            item("FINDING_3", "C."),
            item("OOS_1", "D."),
            item("OOS_2", "E."),
        ];
        let votes = ["FINDING_1: YES — right", "FINDING_2: NO — wrong", "OOS_1: YES", "OOS_2: NO"];
        let written = files(&items, &votes, UndecidedPolicy::Discuss);
        assert_eq!(
            written.accepted,
            "### FINDING_1: About FINDING_1\n**Concern**: A.\n**Resolution**: Change it.\n\
             **Reasons**:\n- YES: right\n- YES: right\n"
        );
        assert_eq!(
            written.rejected,
            "### [Plan Review] Cursor-Arch, Code\n**Finding**: B. Suggested revision: Change it.\n\
             **Reason not implemented**: voted down (YES=0, NO=2, EXONERATE=0): wrong; wrong\n"
        );
        let accepted_oos = "### OOS_1: About OOS_1\n**Description**: D.\n**Reviewer**: Cursor-Arch, Code\n\
                            **Vote tally**: YES=2, NO=0, EXONERATE=0\n**Phase**: design\n";
        assert_eq!(written.oos_accepted, accepted_oos);
        assert_eq!(
            written.oos,
            accepted_oos.replace("**Phase", "**Outcome**: accepted\n**Phase")
                + "\n### OOS_2: About OOS_2\n**Description**: E.\n**Reviewer**: Cursor-Arch, Code\n\
                   **Vote tally**: YES=0, NO=2, EXONERATE=0\n**Outcome**: rejected\n**Phase**: design\n"
        );
        let counted = |text: &str| {
            let BlockCounts { accepted, rejected, out_of_scope } = count_blocks(text);
            [accepted, rejected, out_of_scope]
        };
        assert_eq!(counted(&written.accepted), [1, 0, 0]);
        assert_eq!(counted(&written.rejected), [0, 1, 0]);
        assert_eq!(counted(&written.oos), [0, 0, 2]);
    }

    #[test]
    fn undecided_findings_are_discussed_or_not_adopted() {
        let items = [item("FINDING_1", "A.")];
        assert_eq!(files(&items, &[], UndecidedPolicy::Discuss).rejected, "");
        let rejected = files(&items, &[], UndecidedPolicy::Reject).rejected;
        assert!(rejected.ends_with("**Reason not implemented**: no quorum\n"), "{rejected}");
        assert_eq!(files(&items, &[], UndecidedPolicy::Reject).accepted, "");
    }

    #[test]
    fn accepted_findings_are_ordered_by_rank_and_say_which_remedy_was_chosen() {
        let mut items = [1, 2, 3, 4].map(|n| item(&format!("FINDING_{n}"), "A."));
        items[1].severity = Some(FindingSeverity::Minor);
        items[2].severity = Some(FindingSeverity::Critical);
        items[3].contradicts = vec![ItemId::decision(2)];
        let votes = [
            "FINDING_1: YES (smaller: log it)",
            "FINDING_2: YES",
            "FINDING_3: YES",
            "FINDING_4: YES — it is worth it.",
            "TOP: FINDING_4",
        ];
        let accepted = files(&items, &votes, UndecidedPolicy::Discuss).accepted;
        let heads: Vec<&str> = accepted.lines().filter(|line| line.starts_with("###")).collect();
        assert_eq!(
            heads,
            [4, 3, 2, 1].map(|n| format!("### FINDING_{n}: About FINDING_{n}")),
            "points, critical, minor, no severity"
        );
        assert!(
            accepted.starts_with(
                "### FINDING_4: About FINDING_4\n**Concern**: A.\n**Resolution**: Change it.\n\
                 **Contradiction**: contradicts DECISION_2; every voter accepts that\n**Rank points**: 20\n\
                 **Reasons**:\n- YES: it is worth it.\n- YES: it is worth it.\n\n\
                 ### FINDING_3: About FINDING_3\n**Severity**: critical\n"
            ),
            "{accepted}"
        );
        assert!(
            accepted
                .ends_with("**Resolution**: smaller than proposed: log it; log it (proposed: Change it.)\n"),
            "{accepted}"
        );
    }

    #[test]
    fn a_contradiction_with_a_mere_majority_goes_to_the_person() {
        let mut item = item("FINDING_1", "A.");
        item.contradicts = vec![ItemId::decision(2)];
        item.severity = Some(FindingSeverity::Major);
        let texts = ["FINDING_1: YES — a", "FINDING_1: YES — b", "FINDING_1: NO — c"];
        let voters =
            texts.map(|text| Voter { status: "OK".to_owned(), text: text.to_owned(), ..Voter::default() });
        let tally = tally_votes(&VotesRequest { items: vec![(&item).into()], voters: voters.to_vec() });
        let written = |policy| write_review_files(std::slice::from_ref(&item), &tally, policy);
        let asked = written(UndecidedPolicy::Discuss);
        assert_eq!(
            asked.undecided,
            "### FINDING_1: About FINDING_1\n**Severity**: major\n**Concern**: A.\n**Revision**: Change it.\n\
             **Why undecided**: contradicts DECISION_2\n**Vote tally**: YES=2, NO=1, EXONERATE=0\n\
             **Reasons**:\n- NO: c\n- YES: a\n- YES: b\n"
        );
        assert_eq!((asked.accepted.as_str(), asked.rejected.as_str()), ("", ""));
        let unattended = written(UndecidedPolicy::Reject);
        assert!(unattended.rejected.ends_with("**Reason not implemented**: contradicts DECISION_2\n"));
        assert_eq!(unattended.undecided, "");
    }

    #[test]
    fn each_outcome_has_its_reason() {
        let votes = |yes, no, exonerate, outcome| TalliedItem {
            id: ItemId::parse("FINDING_1").unwrap(),
            yes,
            no,
            exonerate,
            abstain: 0,
            eligible: yes + no + exonerate,
            outcome,
            points: 0,
            contradicts: vec![ItemId::decision(2)],
            votes: vec![],
        };
        for (votes, expected) in [
            (votes(2, 0, 0, ItemOutcome::Accepted), None),
            (
                votes(1, 1, 0, ItemOutcome::Neutral),
                Some("not enough votes for it (YES=1, NO=1, EXONERATE=0)"),
            ),
            (
                votes(0, 1, 1, ItemOutcome::Exonerated),
                Some("legitimate, but out of proportion here (YES=0, NO=1, EXONERATE=1)"),
            ),
            (votes(0, 2, 0, ItemOutcome::Rejected), Some("voted down (YES=0, NO=2, EXONERATE=0)")),
            (votes(0, 0, 0, ItemOutcome::Undecided), Some("no quorum")),
            (votes(2, 1, 0, ItemOutcome::Undecided), Some("contradicts DECISION_2")),
        ] {
            assert_eq!(rejection_reason(&votes, UndecidedPolicy::Reject).as_deref(), expected);
        }
    }

    #[test]
    fn the_tally_is_never_empty() {
        assert_eq!(
            files(&[], &[], UndecidedPolicy::Discuss).voting_tally,
            "No findings were raised — voting was not needed.\n"
        );
        let mut piped = item("FINDING_1", "A.");
        piped.proposers = vec!["a|b\nc".to_owned()];
        assert_eq!(
            files(
                &[piped, item("FINDING_2", "B.")],
                &["FINDING_1: YES", "FINDING_2: NO"],
                UndecidedPolicy::Discuss
            )
            .voting_tally,
            "### Voting Tally\n\n\
             | Item | Reviewers | YES | NO | EXONERATE | Abstain | Eligible | Outcome |\n|---|---|---|---|---|---|---|---|\n\
             | FINDING_1 | a\\|b c | 2 | 0 | 0 | 0 | 2 | accepted |\n\
             | FINDING_2 | Cursor-Arch, Code | 0 | 2 | 0 | 0 | 2 | rejected |\n\n\
             ### Reviewer Competition Scoreboard\n\n\
             | Reviewer | Findings | Accepted | Neutral (1 YES) | Exonerated | Rejected | OOS Proposed | OOS Accepted | Score |\n\
             |---|---|---|---|---|---|---|---|---|\n\
             | a\\|b c | 1 | 1 | 0 | 0 | 0 | 0 | 0 | +1 |\n\
             | Cursor-Arch | 1 | 0 | 0 | 0 | 1 | 0 | 0 | -1 |\n\
             | Code | 1 | 0 | 0 | 0 | 1 | 0 | 0 | -1 |\n"
        );
        let warned = files(&[item("FINDING_1", "A.")], &["x"], UndecidedPolicy::Discuss).voting_tally;
        assert!(
            warned.contains("\n### Warnings\n\n- a: no valid vote line, abstains on everything\n"),
            "{warned}"
        );
        assert!(
            warned.contains("| FINDING_1 | Cursor-Arch, Code | 0 | 0 | 0 | 2 | 0 | undecided |"),
            "{warned}"
        );
    }

    #[test]
    fn blocks_are_set_apart_and_every_outcome_has_its_name() {
        let mut bare = item("FINDING_2", "B.");
        bare.revision.clear();
        let items = [item("FINDING_1", "A."), bare];
        let texts = ["FINDING_1: YES\nFINDING_2: NO", "FINDING_1: NO\nFINDING_2: EXONERATE"];
        let voters =
            texts.map(|text| Voter { status: "OK".to_owned(), text: text.to_owned(), ..Voter::default() });
        let request = VotesRequest { items: items.iter().map(Into::into).collect(), voters: voters.to_vec() };
        let written = write_review_files(&items, &tally_votes(&request), UndecidedPolicy::Discuss);
        assert_eq!(
            written.rejected,
            "### [Plan Review] Cursor-Arch, Code\n**Finding**: A. Suggested revision: Change it.\n\
             **Reason not implemented**: not enough votes for it (YES=1, NO=1, EXONERATE=0)\n\n\
             ### [Plan Review] Cursor-Arch, Code\n**Finding**: B.\n\
             **Reason not implemented**: legitimate, but out of proportion here (YES=0, NO=1, EXONERATE=1)\n"
        );
        assert!(written.voting_tally.contains("| 1 | 1 | 0 | 0 | 2 | neutral |\n"));
        assert!(written.voting_tally.contains("| 0 | 1 | 1 | 0 | 2 | exonerated |\n"));
    }

    #[test]
    fn an_unknown_item_stays_in_the_tally() {
        let known = item("FINDING_1", "A.");
        let request = VotesRequest { items: vec![(&known).into()], voters: vec![] };
        let written = write_review_files(&[], &tally_votes(&request), UndecidedPolicy::Reject);
        assert!(written.voting_tally.contains("| FINDING_1 |  | 0 |"));
        assert_eq!(written.rejected, "");
    }

    proptest! {
        #[test]
        fn no_finding_can_forge_another_block(concern in "(\n|### FINDING_9: x|### \\[Plan Review\\] y|### OOS_9: z|```|\\PC){0,12}", yes in any::<bool>()) {
            let items = [item("FINDING_1", &concern), item("OOS_1", &concern)];
            let votes = if yes { ["FINDING_1: YES", "OOS_1: YES"] } else { ["FINDING_1: NO", "OOS_1: NO"] };
            let written = files(&items, &votes, UndecidedPolicy::Discuss);
            let all = [&written.accepted, &written.rejected, &written.oos].map(|text| count_blocks(text));
            prop_assert_eq!(all[0].accepted + all[1].rejected, 1);
            prop_assert_eq!(all[2], BlockCounts { out_of_scope: 1, ..BlockCounts::default() });
        }
    }
}
