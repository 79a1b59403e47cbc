//! Reads the approved specification into a plan. What changes in the ordinary course of work (ticks, dates, commits) does
//! not change the plan, so that it invalidates nothing.

use super::artifacts::{SPEC_DESIGN, SPEC_JSON, SPEC_REQUIREMENTS, SPEC_TASKS};
use super::flags::ImplementFlags;
use super::start::{SpecTexts, judge_approval, select_tasks};
use crate::artifact::Input;
use crate::run::PhaseHandle;
use crate::start_check::RecordedApproval;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::implement::{ImplementTask, Selection, TaskPlan};
use charrette_model::spec::approval::{approved_text, covered_text};
use charrette_model::spec::record::SpecRecord;
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::sections::Sections;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The specification of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Specification {
    pub(super) plan: TaskPlan,
    pub(super) selection: Selection,
    /// Texts of the requirements by id.
    pub(super) requirements: BTreeMap<String, String>,
    /// Decisions of the design.
    pub(super) decisions: String,
    /// Identifier of the issue of the feature. Absent in records of earlier versions.
    #[serde(default)]
    pub(super) issue: Option<String>,
}

impl Specification {
    /// Requirements of a task, word for word.
    pub(super) fn requirements_of(&self, task: &ImplementTask) -> Vec<(&str, &str)> {
        let covers = |id: &str| task.requirements.iter().any(|named| named == id || is_story_of(named, id));
        let all = self.requirements.iter().filter(|(id, _)| covers(id));
        all.map(|(id, text)| (id.as_str(), text.as_str())).collect()
    }

    /// Lines of the decisions that a task refers to by their ids.
    fn decisions_of(&self, task: &ImplementTask) -> Vec<&str> {
        let names = |line: &&str| task.references.iter().any(|id| line.contains(id.as_str()));
        self.decisions.lines().filter(names).collect()
    }

    /// What the result of a task depends on: its own text, files, proof and requirements. Ticks and dates do not count.
    pub(super) fn demand(&self, task: &ImplementTask) -> TaskDemand<'_> {
        TaskDemand {
            text: approved_text("", "", &task.text),
            files: task.files.shown(),
            proof: task.proof.to_string(),
            depends_on: task.depends_on.clone(),
            requirements: self.requirements_of(task),
            decisions: self.decisions_of(task),
        }
    }
}

/// What the result of a task depends on. Its digest is an input of the task's steps.
#[derive(Debug, Clone, Serialize)]
pub(super) struct TaskDemand<'a> {
    text: String,
    files: String,
    proof: String,
    depends_on: Vec<String>,
    requirements: Vec<(&'a str, &'a str)>,
    /// Lines of the decisions that the task refers to.
    decisions: Vec<&'a str>,
}

/// True if a requirement belongs to a story: `REQ-1.2` to `US1`.
fn is_story_of(story: &str, requirement: &str) -> bool {
    let number =
        |id: &str, prefix: &str| id.strip_prefix(prefix).map(|rest| rest.trim_start_matches('0').to_owned());
    let (Some(story), Some(requirement)) = (number(story, "US"), requirement.strip_prefix("REQ-")) else {
        return false;
    };
    requirement.split('.').next().is_some_and(|first| first.trim_start_matches('0') == story)
}

/// Reads the specification, and refuses one that is not approved.
pub(super) async fn read_specification(
    phase: &PhaseHandle<'_>,
    flags: &ImplementFlags,
) -> FlowResult<Specification> {
    let done = done_before(phase).await?;
    let reads = [SPEC_REQUIREMENTS, SPEC_DESIGN, SPEC_TASKS, SPEC_JSON].map(Input::optional);
    let step = Step::new("read").reads(&reads).reads(&Input::given("done-before", &done)).reads(
        &Input::given("selection", &(&flags.tasks, flags.task_phase, &flags.from, &flags.until, flags.force)),
    );
    let (flags, design) = (flags.clone(), phase.run.order().recorded_approval.clone());
    phase.step(step, move |context| async move { read(&context, &flags, design.as_ref(), &done) }).await
}

/// Tasks that were done before the run. Its own ticks do not count, so this is found out once.
async fn done_before(phase: &PhaseHandle<'_>) -> FlowResult<Vec<String>> {
    let step = Step::new("done-before").revises([SPEC_TASKS, SPEC_JSON]);
    phase
        .step(step, |context| async move {
            let text = |name: &str| context.optional_text(name).map(Option::unwrap_or_default);
            let plan = TaskPlan::read(&text(SPEC_TASKS)?, &text(SPEC_JSON)?).unwrap_or_default();
            Ok(plan.tasks.into_iter().filter(|task| task.done).map(|task| task.id).collect())
        })
        .await
}

fn read(
    context: &StepContext,
    flags: &ImplementFlags,
    design: Option<&RecordedApproval>,
    done: &[String],
) -> Result<Specification, StepError> {
    let texts = spec_texts(context)?;
    let refuse = |message: String| StepError::Refused(message);
    judge_approval(&texts, flags.force, design, &|_| None).map_err(|problem| refuse(problem.message))?;
    let mut plan =
        TaskPlan::read(&texts.tasks, &texts.record).map_err(|refusal| refuse(refusal.to_string()))?;
    for task in &mut plan.tasks {
        task.done = done.contains(&task.id);
    }
    let selection = select_tasks(&plan, flags).map_err(|refusal| refuse(refusal.to_string()))?;
    let requirements = Requirements::parse(&covered_text(&texts.requirements)).requirements;
    let requirements = requirements.into_iter().map(|one| (one.id.to_string(), one.text)).collect();
    let design = covered_text(&texts.design);
    let sections = Sections::parse(&design);
    let decisions = sections.find(&["Decisions"]).map(|section| section.body.trim().to_owned());
    let decisions = decisions.unwrap_or_default();
    let issue = feature_issue(&texts.record);
    Ok(Specification { plan, selection, requirements, decisions, issue })
}

/// Texts of the specification in the checkout.
pub(super) fn spec_texts(context: &StepContext) -> Result<SpecTexts, StepError> {
    let text = |name: &str| context.optional_text(name).map(Option::unwrap_or_default);
    Ok(SpecTexts {
        requirements: text(SPEC_REQUIREMENTS)?,
        design: text(SPEC_DESIGN)?,
        tasks: text(SPEC_TASKS)?,
        record: text(SPEC_JSON)?,
    })
}

/// Identifier of the feature's issue in `spec.json`, if it looks like one: it becomes part of texts for the tracker.
fn feature_issue(record: &str) -> Option<String> {
    let issue = SpecRecord::parse(record).ok()?.linear?.identifier;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    Some(issue).filter(|issue| (1..=40).contains(&issue.len()) && issue.bytes().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_identifier_names_the_issue_of_the_feature() {
        let find = |identifier: &str| {
            let record = serde_json::json!({"linear": {"identifier": identifier, "url": "https://x.y"}});
            feature_issue(&record.to_string())
        };
        assert_eq!(find("BASE-12").as_deref(), Some("BASE-12"));
        for hostile in ["", "BASE 1", "B\n1", "[x](https://y.z)", &"B".repeat(41)] {
            assert_eq!(find(hostile), None, "{hostile:?}");
        }
        assert_eq!(feature_issue("{}"), None);
    }
}
