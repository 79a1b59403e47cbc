//! Review of the change of a task: by an agent of another vendor where one is installed, fresh in each round.

use super::attempt::{Attempt, Workplace};
use super::change::ChangeRecord;
use super::proofs::ChecksRecord;
use super::seats::TASK_REVIEWER;
use crate::agent_step::AgentOutcome;
use crate::artifact::{Artifact, Input};
use crate::panel::seat_call;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::implement::follow_ups::FollowUp;
use charrette_model::panel::task_review::{TaskFinding, read_task_review};
use charrette_model::seats::EMBEDDED;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::Path;

/// Outcome of a review. Recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ReviewRecord {
    pub(super) agent: Option<String>,
    /// File of the review.
    pub(super) file: Option<String>,
    pub(super) verdict: Option<String>,
    /// Why the change does not pass, one line each.
    pub(super) problems: Vec<String>,
    /// Findings that do not block.
    pub(super) notes: Vec<String>,
    /// Findings about what the task did not touch.
    #[serde(deserialize_with = "read_outside_findings")]
    pub(super) out_of_scope: Vec<FollowUp>,
}

/// Finding about what a task did not touch, as it is on record.
#[derive(Deserialize)]
#[serde(untagged)]
enum OutsideFinding {
    Whole(FollowUp),
    /// Title and concern, by earlier versions.
    Short(String, String),
}

fn read_outside_findings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FollowUp>, D::Error> {
    let recorded = Vec::<OutsideFinding>::deserialize(from)?.into_iter();
    let findings = recorded.map(|finding| match finding {
        OutsideFinding::Whole(finding) => finding,
        OutsideFinding::Short(title, concern) => FollowUp::new(&title, &concern, ""),
    });
    Ok(findings.collect())
}

/// Has the change of a round reviewed.
pub(super) async fn review_change(
    attempt: &Attempt<'_>,
    place: &Workplace,
    round: usize,
    change: &ChangeRecord,
    checks: &ChecksRecord,
    implementer: &AgentOutcome,
) -> FlowResult<ReviewRecord> {
    let file = match round {
        1 => format!("review-{}.md", attempt.name()),
        round => format!("review-{}.{round}.md", attempt.name()),
    };
    let named = file.clone();
    let remarks = change.remarks();
    let note = if remarks.is_empty() {
        String::new()
    } else {
        format!("A program found, without blocking: {}.", remarks.join("; "))
    };
    let mut call = seat_call(&attempt.work.panel, TASK_REVIEWER, &note)?
        .step_id(attempt.id(&format!("review-{round}")))
        .shows(&place.brief.name, &place.brief.text)
        .reads(&Artifact::named(&change.diff))
        .reads(&Artifact::named(&checks.file))
        .reads(&Input::given("tree", &change.tree))
        .reading_worktree(Path::new(&place.folder))
        .name_files(move |_, _| named.clone())
        .may_fail();
    call = call.reads(&implementer.artifacts);
    let chain = reviewers(attempt, implementer.agent.as_deref());
    if !chain.is_empty() {
        call = call.chain(chain);
    }
    let outcome = attempt.phase.agent_outcome(call).await?;
    let step = Step::new(attempt.id(&format!("verdict-{round}")));
    let Some(answer) = outcome.artifacts.0.first().cloned() else {
        let why = outcome.problem.unwrap_or_default();
        return Ok(ReviewRecord {
            problems: vec![format!("no reviewer answered: {why}")],
            ..ReviewRecord::default()
        });
    };
    let (step, agent, name) = (step.reads(&answer), outcome.agent, answer.name().to_owned());
    attempt
        .phase
        .step(step, move |context| async move {
            // An answer that is no review was sent back; what is left of it is no approval.
            let Some(review) = read_task_review(&context.text(&name)?).0 else {
                let problems = vec!["the review has no clear verdict".to_owned()];
                return Ok(ReviewRecord { agent, file: Some(name), problems, ..ReviewRecord::default() });
            };
            let line = |finding: &TaskFinding| format!("{}: {}", finding.severity.name(), finding.title);
            let (outside, inside): (Vec<&TaskFinding>, Vec<&TaskFinding>) =
                review.findings.iter().partition(|finding| finding.out_of_scope);
            let verdict = review.verdict.name().to_owned();
            let problems = if review.is_pass() {
                Vec::new()
            } else {
                std::iter::once(format!("the review says {verdict}"))
                    .chain(inside.iter().copied().map(line))
                    .collect()
            };
            Ok(ReviewRecord {
                agent,
                file: Some(name),
                verdict: Some(verdict),
                problems,
                notes: inside.into_iter().map(line).collect(),
                out_of_scope: outside
                    .into_iter()
                    .map(|finding| FollowUp {
                        severity: Some(finding.severity),
                        ..FollowUp::new(&finding.title, &finding.concern, &finding.suggestion)
                    })
                    .collect(),
            })
        })
        .await
}

/// Agents for the review: those of other vendors than the implementer's first.
fn reviewers(attempt: &Attempt<'_>, implementer: Option<&str>) -> Vec<String> {
    let phase = attempt.phase;
    let chain = phase.chain(TASK_REVIEWER).into_iter().filter(|agent| agent != EMBEDDED);
    let vendor = implementer.map(|agent| phase.vendor(agent));
    let (mut others, same): (Vec<String>, Vec<String>) =
        chain.partition(|agent| Some(phase.vendor(agent)) != vendor);
    others.extend(same);
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_earlier_versions_have_title_and_concern_only() {
        let text = r#"{"agent": null, "file": null, "verdict": null, "problems": [], "notes": [],
            "out_of_scope": [["Baskets", "`a.py:5` takes anything"]]}"#;
        let record: ReviewRecord = serde_json::from_str(text).unwrap();
        assert_eq!(record.out_of_scope, [FollowUp::new("Baskets", "`a.py:5` takes anything", "")]);
        let again = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<ReviewRecord>(&again).unwrap().out_of_scope, record.out_of_scope);
    }
}
