//! Review of the whole change by two reviewers, of different vendors where two are installed. A finding counts if it is
//! grave, or if both made it; the others are notes.

use super::artifacts::{ACCEPTED, REJECTED};
use super::validation::REVIEWED_FILES;
use super::work::{Work, step_error};
use crate::artifact::{Artifact, Input};
use crate::panel::{seat_call, step_id};
use crate::ports::worktrees::{ObjectId, Worktree, WorktreeOrder};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::panel::findings::{Finding, FindingSeverity, read_findings};
use charrette_model::seats::Seat;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;

/// Worktree in which the whole is read.
const REVIEWED: &str = "reviewed";

/// Findings of the reviewers of the whole. Recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ReviewedFindings {
    /// Titles of the findings that are to be repaired.
    pub(super) accepted: Vec<String>,
    /// Titles of the findings that are not.
    pub(super) others: Vec<String>,
    /// Findings that are out of scope: title and concern.
    pub(super) out_of_scope: Vec<(String, String)>,
    /// Agents that reviewed.
    pub(super) reviewers: Vec<String>,
}

/// Has the whole change reviewed.
pub(super) async fn review_whole(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tip: &ObjectId,
) -> FlowResult<ReviewedFindings> {
    let stage = phase.stage("4");
    if work.flags.no_review {
        stage.skip("--no-review");
        return Ok(ReviewedFindings::default());
    }
    let folder = prepare_reading(phase, work, tip).await?;
    let seats: Vec<&'static Seat> =
        super::seats::SEATS.iter().filter(|seat| seat.role == "comprehensive-reviewer").collect();
    stage.show_lanes("Reviewers", seats.iter().map(|seat| (step_id(seat), crate::panel::seat_label(seat))));
    let named = seats.iter().map(|seat| (seat.id, *seat));
    let reviews = phase
        .parallel("comprehensive", named, |seat| {
            let folder = folder.clone();
            async move {
                let mut call = seat_call(&work.panel, seat.id, "")?
                    .reads(&Input::given("tip", tip))
                    .reading_worktree(Path::new(&folder))
                    .may_fail();
                for file in REVIEWED_FILES {
                    call = call.reads(&Input::optional(file));
                }
                phase.agent_outcome(call).await
            }
        })
        .await?;
    let answered: Vec<(String, String)> = reviews
        .iter()
        .filter_map(|review| Some((review.agent.clone()?, review.artifacts.0.first()?.name().to_owned())))
        .collect();
    if answered.is_empty() {
        stage.warn("no reviewer of the whole answered");
        return Ok(ReviewedFindings::default());
    }
    let findings = judge_findings(phase, answered).await?;
    stage.finish(format!("{} findings to repair, {} notes", findings.accepted.len(), findings.others.len()));
    Ok(findings)
}

async fn prepare_reading(phase: &PhaseHandle<'_>, work: &Work, tip: &ObjectId) -> FlowResult<String> {
    let order = WorktreeOrder {
        run: work.run.clone(),
        name: REVIEWED.to_owned(),
        content: tip.clone(),
        overlay: None,
        reset: true,
        includes: false,
    };
    let step = Step::new("reviewed/worktree").reads(&Input::given("tip", tip));
    let worktrees = work.worktrees.clone();
    let made: Worktree =
        phase.step(step, move |_| async move { worktrees.prepare(order).await.map_err(step_error) }).await?;
    Ok(made.path)
}

/// Sorts the findings, and writes those that are to be repaired.
async fn judge_findings(
    phase: &PhaseHandle<'_>,
    answered: Vec<(String, String)>,
) -> FlowResult<ReviewedFindings> {
    let files: Vec<Artifact> = answered.iter().map(|(_, file)| Artifact::named(file)).collect();
    let step = Step::new("comprehensive/findings").reads(&files);
    phase
        .step(step, move |context| async move {
            let mut texts: Vec<String> = Vec::new();
            for (_, file) in &answered {
                texts.push(context.text(file)?);
            }
            let reviews: Vec<Vec<Finding<'_>>> =
                texts.iter().map(|text| read_findings(text).findings).collect();
            let mut sorted = ReviewedFindings {
                reviewers: answered.into_iter().map(|(agent, _)| agent).collect(),
                ..ReviewedFindings::default()
            };
            let mut page = "# Findings to repair\n".to_owned();
            let mut rest = "# Findings that are not repaired\n".to_owned();
            for (at, finding) in
                reviews.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |one| (at, one)))
            {
                let title = finding_title(finding);
                let repeated = reviews
                    .iter()
                    .enumerate()
                    .any(|(other, all)| other != at && all.iter().any(|one| is_same_concern(one, finding)));
                if finding.out_of_scope {
                    sorted.out_of_scope.push((title, finding.concern.clone().into_owned()));
                } else if repeated || is_grave(finding) {
                    if !sorted.accepted.contains(&title) {
                        // Writing to a string cannot fail.
                        let _ = write!(
                            page,
                            "\n## {title}\n\n{}\n\n{}\n",
                            finding.concern.trim(),
                            finding.revision.as_deref().unwrap_or_default().trim()
                        );
                        sorted.accepted.push(title);
                    }
                } else {
                    let _ = write!(rest, "\n## {title}\n\n{}\n", finding.concern.trim());
                    sorted.others.push(title);
                }
            }
            context.write(ACCEPTED, page)?;
            context.write(REJECTED, rest)?;
            Ok(sorted)
        })
        .await
}

fn finding_title(finding: &Finding<'_>) -> String {
    finding.title().lines().next().unwrap_or_default().trim().chars().take(120).collect()
}

fn is_grave(finding: &Finding<'_>) -> bool {
    !matches!(finding.severity, Some(FindingSeverity::Minor))
}

/// True if two findings share most of their words.
fn is_same_concern(one: &Finding<'_>, other: &Finding<'_>) -> bool {
    let words = |finding: &Finding<'_>| -> std::collections::BTreeSet<String> {
        let text = format!("{} {}", finding.title(), finding.concern).to_lowercase();
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    shared * 10 >= one.len().min(other.len()) * 6 && shared > 0
}
