//! `dialectic-resolutions.md`: the result of every contested decision.
//!
//! One block per decision, including those over the cap. Only voted decisions bind the plan; the others keep
//! the choice of the synthesis, with the reason.

use super::blocks::{Block, blocks, join_sentences, write_field, write_head, write_list};
use super::buckets::Bucket;
use super::debate::{DebateSide, Defense, DefenseFailure};
use super::decisions::{Decision, MAX_DEBATED, decision_id};
use super::dialectic::JudgedDecision;
pub use super::disposition::Disposition;
use super::ids::ItemId;
use super::texts;
use crate::escape::printable;
use crate::markdown::flat;
use crate::problem::Problem;

/// Result of a contested decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionResolution {
    /// Decision number.
    pub n: u32,
    pub title: String,
    /// The option to implement: the choice of the synthesis, or the alternative if it won.
    pub resolution: String,
    pub outcome: DecisionOutcome,
    /// The claim of the thesis, or a placeholder.
    pub thesis_summary: String,
    /// The claim of the antithesis, or a placeholder.
    pub antithesis_summary: String,
    /// Reason for the outcome, in one line.
    pub why: String,
    /// Reasons of the judges for the winner; empty if nobody voted.
    pub reasons: Vec<String>,
}

/// Disposition with the votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionOutcome {
    /// Settled by the judges.
    Voted {
        winner: DebateSide,
        /// Votes for the chosen option.
        thesis: usize,
        /// Votes for the alternative.
        anti_thesis: usize,
    },
    /// Debated, but not settled.
    FallbackToSynthesis,
    /// Not debated: the bucket has no debaters.
    BucketSkipped,
    /// Not debated: ranked outside the cap.
    OverCap,
}

impl DecisionOutcome {
    pub fn disposition(self) -> Disposition {
        match self {
            DecisionOutcome::Voted { .. } => Disposition::Voted,
            DecisionOutcome::FallbackToSynthesis => Disposition::FallbackToSynthesis,
            DecisionOutcome::BucketSkipped => Disposition::BucketSkipped,
            DecisionOutcome::OverCap => Disposition::OverCap,
        }
    }

    fn why_label(self) -> &'static str {
        match self {
            DecisionOutcome::Voted { winner: DebateSide::Thesis, .. } => WHY_LABELS[0],
            DecisionOutcome::Voted { winner: DebateSide::AntiThesis, .. } => WHY_LABELS[1],
            DecisionOutcome::FallbackToSynthesis => WHY_LABELS[2],
            DecisionOutcome::BucketSkipped => WHY_LABELS[3],
            DecisionOutcome::OverCap => WHY_LABELS[4],
        }
    }
}

impl DecisionResolution {
    /// Resolution of a judged decision.
    pub fn from_judges(
        decision: &Decision,
        verdict: &JudgedDecision,
        defenses: [Defense<'_>; 2],
    ) -> DecisionResolution {
        let JudgedDecision { thesis, anti_thesis, .. } = *verdict;
        let (resolution, outcome) = match verdict.resolution {
            Some(winner) => {
                let option =
                    if winner == DebateSide::Thesis { &decision.chosen } else { &decision.alternative };
                (option, DecisionOutcome::Voted { winner, thesis, anti_thesis })
            }
            None => (&decision.chosen, DecisionOutcome::FallbackToSynthesis),
        };
        let summaries = defenses.map(|defense| flat(defense.claim()));
        let why = verdict.why.clone();
        let reasons = verdict.winning_reasons();
        DecisionResolution {
            reasons,
            ..DecisionResolution::new(decision, resolution, outcome, summaries, why)
        }
    }

    /// Resolution of a decision without a valid debate.
    pub fn without_quorum(
        decision: &Decision,
        failures: &[(DebateSide, DefenseFailure)],
    ) -> DecisionResolution {
        let failed: Vec<String> =
            failures.iter().map(|(side, failure)| format!("{} {}", side.role(), failure.token())).collect();
        let summary = |side| match failures.iter().find(|(failed, _)| *failed == side) {
            Some((_, failure)) => format!("(no valid defense — {})", failure.token()),
            None => "(not judged — the other side has no valid defense)".to_owned(),
        };
        let why = format!("debate quorum failed: {}", failed.join(", "));
        let summaries = DebateSide::BOTH.map(summary);
        DecisionResolution::new(
            decision,
            &decision.chosen,
            DecisionOutcome::FallbackToSynthesis,
            summaries,
            why,
        )
    }

    /// Resolution of a decision without debaters.
    pub fn bucket_skipped(decision: &Decision, bucket: Bucket) -> DecisionResolution {
        let summaries = [texts::BUCKET_SKIPPED; 2].map(str::to_owned);
        let why = format!("{bucket} unavailable at launch time");
        DecisionResolution::new(decision, &decision.chosen, DecisionOutcome::BucketSkipped, summaries, why)
    }

    /// Resolution of a decision over the cap; `rank` counts from 1.
    pub fn over_cap(decision: &Decision, rank: usize) -> DecisionResolution {
        let summaries = [texts::OVER_CAP; 2].map(str::to_owned);
        let why = texts::outside_cap(rank, MAX_DEBATED);
        DecisionResolution::new(decision, &decision.chosen, DecisionOutcome::OverCap, summaries, why)
    }

    fn new(
        decision: &Decision,
        resolution: &str,
        outcome: DecisionOutcome,
        summaries: [String; 2],
        why: String,
    ) -> DecisionResolution {
        let [thesis_summary, antithesis_summary] = summaries;
        let (n, title, resolution) = (decision.n, decision.title.clone(), resolution.to_owned());
        let reasons = Vec::new();
        DecisionResolution { n, title, resolution, outcome, thesis_summary, antithesis_summary, why, reasons }
    }

    /// True for an unsettled decision and for a split vote; the person is asked about these again.
    pub fn is_still_contested(&self) -> bool {
        match self.outcome {
            DecisionOutcome::Voted { thesis, anti_thesis, .. } => thesis.min(anti_thesis) > 0,
            _ => true,
        }
    }
}

/// Counts of the dispositions for the closing line of the step: `3 voted, 1 fallback`; zeros are omitted.
pub fn count_dispositions(resolutions: &[DecisionResolution]) -> String {
    let short = ["voted", "fallback", "bucket-skipped", "over-cap"];
    let counts = Disposition::ALL.into_iter().zip(short).filter_map(|(disposition, name)| {
        let count = resolutions.iter().filter(|r| r.outcome.disposition() == disposition).count();
        (count > 0).then(|| format!("{count} {name}"))
    });
    counts.collect::<Vec<_>>().join(", ")
}

const RESOLUTION: usize = 0;
const DISPOSITION: usize = 1;
const VOTE_TALLY: usize = 2;
const THESIS_SUMMARY: usize = 3;
const ANTITHESIS_SUMMARY: usize = 4;
const WHY: usize = 5;
const WHY_LABELS: [&str; 5] =
    ["Why thesis prevails", "Why antithesis prevails", "Why fallback", "Why skipped", "Why over-cap"];
const FIELDS: [&str; 10] = [
    "Resolution",
    "Disposition",
    "Vote tally",
    "Thesis summary",
    "Antithesis summary",
    WHY_LABELS[0],
    WHY_LABELS[1],
    WHY_LABELS[2],
    WHY_LABELS[3],
    WHY_LABELS[4],
];

/// Writes `dialectic-resolutions.md`.
pub fn write_resolutions(resolutions: &[DecisionResolution]) -> String {
    let mut out = String::new();
    for entry in resolutions {
        write_head(&mut out, "###", ItemId::decision(entry.n), &entry.title);
        let mut field = |name, value: &str| write_field(&mut out, "", name, value);
        field(FIELDS[RESOLUTION], &entry.resolution);
        field(FIELDS[DISPOSITION], entry.outcome.disposition().name());
        if let DecisionOutcome::Voted { thesis, anti_thesis, .. } = entry.outcome {
            field(FIELDS[VOTE_TALLY], &format!("THESIS={thesis}, ANTI_THESIS={anti_thesis}"));
        }
        field(FIELDS[THESIS_SUMMARY], &entry.thesis_summary);
        field(FIELDS[ANTITHESIS_SUMMARY], &entry.antithesis_summary);
        if entry.reasons.is_empty() {
            field(entry.outcome.why_label(), &entry.why);
        } else {
            write_list(&mut out, entry.outcome.why_label(), &entry.reasons);
        }
    }
    out
}

/// Parses `dialectic-resolutions.md`; it may be empty.
pub fn read_resolutions(text: &str) -> (Vec<DecisionResolution>, Vec<Problem>) {
    let mut problems = Vec::new();
    let blocks = blocks(text, decision_id, &FIELDS);
    let read = blocks.iter().filter_map(|block| read_resolution(block, &mut problems)).collect();
    (read, problems)
}

fn read_resolution(block: &Block<'_, ItemId>, problems: &mut Vec<Problem>) -> Option<DecisionResolution> {
    let mut value = |name| block.value(name, &FIELDS, problems).unwrap_or_default().to_owned();
    let [resolution, disposition, tally, thesis_summary, antithesis_summary] =
        [RESOLUTION, DISPOSITION, VOTE_TALLY, THESIS_SUMMARY, ANTITHESIS_SUMMARY].map(&mut value);
    let why = (WHY..FIELDS.len()).map(|name| (name, value(name))).find(|(_, why)| !why.is_empty());
    let (name, why) = why.unwrap_or_default();
    let reasons: Vec<String> = block.items(name).iter().map(|reason| flat(reason)).collect();
    let why = if reasons.is_empty() { why } else { join_sentences(reasons.iter().map(String::as_str)) };
    let head = block.head;
    let mut unclear = |name: usize, found: &str| {
        let message = format!("{head}: {} is '{}'", FIELDS[name], printable(found));
        problems.push(Problem::new(block.line_of(name), message));
    };
    if resolution.is_empty() {
        unclear(RESOLUTION, &resolution);
    }
    let outcome = match Disposition::ALL.into_iter().find(|d| d.name().eq_ignore_ascii_case(&disposition)) {
        Some(Disposition::Voted) => read_vote_tally(&tally).or_else(|| {
            unclear(VOTE_TALLY, &tally);
            None
        })?,
        Some(Disposition::FallbackToSynthesis) => DecisionOutcome::FallbackToSynthesis,
        Some(Disposition::BucketSkipped) => DecisionOutcome::BucketSkipped,
        Some(Disposition::OverCap) => DecisionOutcome::OverCap,
        None => {
            unclear(DISPOSITION, &disposition);
            return None;
        }
    };
    let title = block.title.to_owned();
    Some(DecisionResolution {
        n: head.n,
        title,
        resolution,
        outcome,
        thesis_summary,
        antithesis_summary,
        why,
        reasons,
    })
    .filter(|read| !read.resolution.is_empty())
}

/// Parses `THESIS=2, ANTI_THESIS=1`. None for a tie, which has no winner.
fn read_vote_tally(text: &str) -> Option<DecisionOutcome> {
    let (thesis, anti_thesis) = text.split_once(',')?;
    let count = |text: &str, name: &str| {
        let (word, number) = text.trim().split_once('=')?;
        number.trim().parse::<usize>().ok().filter(|_| word.trim().eq_ignore_ascii_case(name))
    };
    let (thesis, anti_thesis) = (count(thesis, "THESIS")?, count(anti_thesis, "ANTI_THESIS")?);
    let winner = if thesis > anti_thesis { DebateSide::Thesis } else { DebateSide::AntiThesis };
    (thesis != anti_thesis).then_some(DecisionOutcome::Voted { winner, thesis, anti_thesis })
}

#[cfg(test)]
mod tests {
    use super::super::debate::{STATUS_OK, SeatAnswer, check_quorum};
    use super::super::decisions::Impact;
    use super::super::dialectic::JudgeVote;
    use super::*;
    use proptest::prelude::*;

    fn decision(n: u32) -> Decision {
        let text = |text: &str| text.to_owned();
        Decision {
            n,
            title: text("Store"),
            chosen: text("Redis"),
            alternative: text("SQLite"),
            tension: text("x"),
            impact: Impact::High,
            affected_files: vec![],
        }
    }

    fn judged(votes: (usize, usize), resolution: Option<DebateSide>, why: &str) -> DecisionResolution {
        let answer = |side: DebateSide| SeatAnswer {
            status: STATUS_OK.to_owned(),
            text: format!(
                "<claim>The {}\nwins.</claim><evidence>a.rs:1</evidence><strongest_concession>c</strongest_concession>\
                 <counter_to_opposition>d</counter_to_opposition><risk_if_wrong>e</risk_if_wrong>\nRECOMMEND: {side}",
                side.role()
            ),
        };
        let (thesis, anti_thesis) = votes;
        let disposition =
            if resolution.is_some() { Disposition::Voted } else { Disposition::FallbackToSynthesis };
        let why = why.to_owned();
        let eligible = thesis + anti_thesis;
        let vote = |reason: &str| JudgeVote {
            judge: "a".to_owned(),
            agent: String::new(),
            vendor: String::new(),
            side: resolution.unwrap_or(DebateSide::Thesis),
            reason: reason.to_owned(),
            is_own: false,
        };
        let votes = if resolution.is_some() { why.split("; ").map(vote).collect() } else { vec![] };
        let verdict =
            JudgedDecision { n: 1, thesis, anti_thesis, eligible, disposition, resolution, why, votes };
        let [pro, contra] = DebateSide::BOTH.map(answer);
        DecisionResolution::from_judges(&decision(1), &verdict, check_quorum(&pro, &contra).unwrap())
    }

    #[test]
    fn every_disposition_is_written_with_its_fields() {
        let failures = [(DebateSide::AntiThesis, DefenseFailure::MissingTag)];
        for (entry, expected) in [
            (
                judged((2, 1), Some(DebateSide::Thesis), "faster; It is, too"),
                "### DECISION_1: Store\n**Resolution**: Redis\n**Disposition**: voted\n**Vote tally**: THESIS=2, ANTI_THESIS=1\n\
                 **Thesis summary**: The thesis wins.\n**Antithesis summary**: The antithesis wins.\n**Why thesis prevails**:\n\
                 - faster\n- It is, too\n",
            ),
            (
                judged((0, 3), Some(DebateSide::AntiThesis), "safer"),
                "### DECISION_1: Store\n**Resolution**: SQLite\n**Disposition**: voted\n**Vote tally**: THESIS=0, ANTI_THESIS=3\n\
                 **Thesis summary**: The thesis wins.\n**Antithesis summary**: The antithesis wins.\n**Why antithesis prevails**:\n\
                 - safer\n",
            ),
            (
                judged((1, 1), None, "1-1 tie with 2 voters"),
                "### DECISION_1: Store\n**Resolution**: Redis\n**Disposition**: fallback-to-synthesis\n\
                 **Thesis summary**: The thesis wins.\n**Antithesis summary**: The antithesis wins.\n**Why fallback**: 1-1 tie with 2 voters\n",
            ),
            (
                DecisionResolution::without_quorum(&decision(2), &failures),
                "### DECISION_2: Store\n**Resolution**: Redis\n**Disposition**: fallback-to-synthesis\n\
                 **Thesis summary**: (not judged — the other side has no valid defense)\n**Antithesis summary**: (no valid defense — missing_tag)\n\
                 **Why fallback**: debate quorum failed: antithesis missing_tag\n",
            ),
            (
                DecisionResolution::bucket_skipped(&decision(3), Bucket::Codex),
                "### DECISION_3: Store\n**Resolution**: Redis\n**Disposition**: bucket-skipped\n\
                 **Thesis summary**: (no debate — bucket skipped)\n**Antithesis summary**: (no debate — bucket skipped)\n\
                 **Why skipped**: Codex unavailable at launch time\n",
            ),
            (
                DecisionResolution::over_cap(&decision(9), 6),
                "### DECISION_9: Store\n**Resolution**: Redis\n**Disposition**: over-cap\n\
                 **Thesis summary**: (no debate — ranked outside cap)\n**Antithesis summary**: (no debate — ranked outside cap)\n\
                 **Why over-cap**: rank 6, outside top-5 cap\n",
            ),
        ] {
            assert_eq!(write_resolutions(std::slice::from_ref(&entry)), expected);
            assert_eq!(read_resolutions(expected), (vec![entry], vec![]));
        }
    }

    #[test]
    fn unsettled_decisions_and_split_votes_stay_contested() {
        for (votes, contested) in
            [((3, 0), false), ((2, 0), false), ((0, 2), false), ((2, 1), true), ((1, 2), true)]
        {
            let winner = if votes.0 > votes.1 { DebateSide::Thesis } else { DebateSide::AntiThesis };
            assert_eq!(judged(votes, Some(winner), "").is_still_contested(), contested, "{votes:?}");
        }
        assert!(judged((1, 1), None, "").is_still_contested());
        assert!(DecisionResolution::bucket_skipped(&decision(1), Bucket::Cursor).is_still_contested());
        assert!(DecisionResolution::over_cap(&decision(1), 6).is_still_contested());
    }

    #[test]
    fn the_closing_line_leaves_zeros_out() {
        let over = |rank| DecisionResolution::over_cap(&decision(1), rank);
        let all = [
            over(6),
            judged((2, 0), Some(DebateSide::Thesis), ""),
            DecisionResolution::bucket_skipped(&decision(1), Bucket::Cursor),
            judged((1, 0), None, ""),
            over(7),
        ];
        assert_eq!(count_dispositions(&all), "1 voted, 1 fallback, 1 bucket-skipped, 2 over-cap");
        assert_eq!(count_dispositions(&all[1..2]), "1 voted");
        assert_eq!(count_dispositions(&[]), "");
    }

    #[test]
    fn invalid_fields_are_reported_with_their_line() {
        let whole = write_resolutions(&[judged((2, 1), Some(DebateSide::Thesis), "faster")]);
        for (from, to, line, message) in [
            ("Redis", "", 2, "DECISION_1: Resolution is ''"),
            ("voted", "decided", 3, "DECISION_1: Disposition is 'decided'"),
            ("THESIS=2, ", "", 4, "DECISION_1: Vote tally is 'ANTI_THESIS=1'"),
            ("THESIS=2", "THESIS=1", 4, "DECISION_1: Vote tally is 'THESIS=1, ANTI_THESIS=1'"),
            ("THESIS=2", "THESIS", 4, "DECISION_1: Vote tally is 'THESIS, ANTI_THESIS=1'"),
            ("THESIS=2", "THESIS=-2", 4, "DECISION_1: Vote tally is 'THESIS=-2, ANTI_THESIS=1'"),
            (" THESIS=2", " A=2", 4, "DECISION_1: Vote tally is 'A=2, ANTI_THESIS=1'"),
            ("ANTI_THESIS=1", "ANTI=1", 4, "DECISION_1: Vote tally is 'THESIS=2, ANTI=1'"),
            ("**Vote", "**Votes", 1, "DECISION_1: Vote tally is ''"),
        ] {
            let (read, problems) = read_resolutions(&whole.replacen(from, to, 1));
            assert_eq!((read, problems), (vec![], vec![Problem::new(line, message)]), "{from}");
        }
        assert_eq!(read_resolutions(""), (vec![], vec![]));
        let twice = format!("{whole}**Resolution**: other\n");
        assert_eq!(read_resolutions(&twice).1.len(), 1);
        let loose = whole
            .replace("voted", "VOTED")
            .replace("THESIS=2, ANTI", "thesis = 2 ,anti")
            .replace('\n', "\r\n- ");
        assert_eq!(read_resolutions(&loose).0.len(), 1);
    }

    prop_compose! {
        fn any_resolution()(
            texts in prop::collection::vec("\\PC{1,30}a", 5),
            votes in (0usize..4, 0usize..4),
            kind in 0..4,
            n in 1u32..9,
            reasons in prop::collection::vec("\\PC{1,20}a", 0..3),
        ) -> DecisionResolution {
            let [title, resolution, thesis_summary, antithesis_summary, why] =
                <[String; 5]>::try_from(texts.iter().map(|text| flat(text)).collect::<Vec<_>>()).unwrap();
            let (thesis, anti_thesis) = votes;
            let outcome = match kind {
                0 if thesis > anti_thesis => DecisionOutcome::Voted { winner: DebateSide::Thesis, thesis, anti_thesis },
                0 if thesis < anti_thesis => DecisionOutcome::Voted { winner: DebateSide::AntiThesis, thesis, anti_thesis },
                1 => DecisionOutcome::BucketSkipped,
                2 => DecisionOutcome::OverCap,
                _ => DecisionOutcome::FallbackToSynthesis,
            };
            let is_voted = matches!(outcome, DecisionOutcome::Voted { .. });
            let reasons: Vec<String> = reasons.iter().filter(|_| is_voted).map(|reason| flat(reason)).collect();
            let why = if reasons.is_empty() { why } else { join_sentences(reasons.iter().map(String::as_str)) };
            DecisionResolution { n, title, resolution, outcome, thesis_summary, antithesis_summary, why, reasons }
        }
    }

    proptest! {
        #[test]
        fn written_resolutions_parse_again(entries in prop::collection::vec(any_resolution(), 0..5)) {
            prop_assert_eq!(read_resolutions(&write_resolutions(&entries)), (entries, vec![]));
        }
    }
}
