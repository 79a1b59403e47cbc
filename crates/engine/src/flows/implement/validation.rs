//! Validation of the whole: all verify commands on the integrated tree, drift from the specification, a review by two
//! vendors, and one repair round for what they found.

use super::artifacts::{DRIFT, FINAL_VERIFICATION, SPEC_DESIGN, SPEC_REQUIREMENTS, WHOLE_CHANGE};
use super::checks::{CheckResult, NamedCommand, render_reports, run_on};
use super::comprehensive::{ReviewedFindings, review_whole};
use super::proofs::all_commands;
use super::repair::repair;
use super::state::RunState;
use super::work::{Work, step_error};
use crate::artifact::{Artifact, Input};
use crate::gate::Gate;
use crate::ports::verifier::CommandReport;
use crate::ports::worktrees::ObjectId;
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use charrette_model::implement::drift::{DriftTable, TaskResult, find_drift};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Gate about an integrated tree that is red.
pub(super) const WHOLE_GATE: &str = "whole";

/// Maximum size of the whole change in a prompt.
const MAX_CHANGE_BYTES: usize = 512 * 1024;

/// Outcome of the validation.
#[derive(Debug, Clone, Default)]
pub(super) struct ValidationOutcome {
    /// Newest integrated commit.
    pub(super) tip: ObjectId,
    pub(super) results: Vec<CheckResult>,
    pub(super) drift: DriftTable,
    pub(super) findings: ReviewedFindings,
    /// Commit of the repair, if there is one.
    pub(super) repair: Option<ObjectId>,
    /// What the repair could not mend.
    pub(super) unrepaired: Vec<String>,
}

/// Results of the verify commands on a tree. Recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct GroupResults {
    results: Vec<CheckResult>,
    file: String,
}

/// Validates the whole.
pub(super) async fn validate(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
) -> FlowResult<ValidationOutcome> {
    let tip = find_tip(phase, work, state).await?;
    let stage = phase.stage("3");
    if tip == work.base.commit {
        stage.skip("nothing was integrated");
        return Ok(ValidationOutcome { tip, ..ValidationOutcome::default() });
    }
    let results = verify_all(phase, work, &tip, "verification", FINAL_VERIFICATION).await?;
    let red = red_results(work, &results);
    if red.is_empty() {
        stage.finish(format!("{} commands green", results.len()));
    } else {
        stage.warn(red.join("; "));
    }
    let drift = write_drift(phase, work, state, &tip).await?;
    for problem in drift.problems() {
        phase.warn(format!("drift: {problem}"));
    }
    let findings = review_whole(phase, work, &tip).await?;
    let repaired = repair(phase, work, &tip, &findings, &red).await?;
    Ok(ValidationOutcome {
        tip: repaired.commit.clone().unwrap_or(tip),
        results: repaired.results.unwrap_or(results),
        drift,
        findings,
        repair: repaired.commit,
        unrepaired: repaired.problems,
    })
}

/// The newest integrated commit.
async fn find_tip(phase: &PhaseHandle<'_>, work: &Work, state: &RunState) -> FlowResult<ObjectId> {
    let commits: Vec<&Option<ObjectId>> = state.integrated.values().map(|task| &task.commit).collect();
    let step = Step::new("tip").reads(&Input::given("commits", &commits));
    let (worktrees, run) = (work.worktrees.clone(), work.run.clone());
    phase.step(step, move |_| async move { worktrees.tip(run).await.map_err(step_error) }).await
}

/// Commands that are red and were not so before.
pub(super) fn red_results(work: &Work, results: &[CheckResult]) -> Vec<String> {
    let red = results.iter().filter(|result| !result.is_green && !work.red_before.contains(&result.name));
    red.map(|result| format!("{} is red: `{}`: {}", result.name, result.command, result.ending)).collect()
}

/// Asks whether the whole may land although it is red. Without a person's word it stays on its ref.
pub(super) async fn ask_about_red_whole(
    phase: &PhaseHandle<'_>,
    work: &Work,
    outcome: &ValidationOutcome,
) -> FlowResult<()> {
    let red = red_results(work, &outcome.results);
    if red.is_empty() {
        return Ok(());
    }
    let page =
        format!("The integrated work is red:\n\n- {}\n\nOutput: {FINAL_VERIFICATION}\n", red.join("\n- "));
    let gate = Gate::new(WHOLE_GATE, &Input::given("red", &(&outcome.tip, &red))).page(page).ask_choice(
        WHOLE_GATE,
        "Land it all the same? land moves your branch to it; abort leaves it on its ref, so that you can mend it.",
        &["land", "abort"],
    );
    let gate = gate.delegable(&["abort"]);
    let answers = phase.gate(gate).await?;
    if answers.get(WHOLE_GATE).trim().eq_ignore_ascii_case("abort") {
        return Err(Stop::Refused(format!(
            "stopped: {}; the work is on refs/charrette/{}",
            red.join("; "),
            work.run
        )));
    }
    Ok(())
}

/// Runs all verify commands on a tree: those that need the build one after the other, the others beside them.
pub(super) async fn verify_all(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tree: &ObjectId,
    id: &str,
    file: &str,
) -> FlowResult<Vec<CheckResult>> {
    let (built, alone): (Vec<NamedCommand>, Vec<NamedCommand>) = all_commands(work)
        .into_iter()
        .partition(|command| matches!(command.name.as_str(), "build" | "test" | "fast"));
    let mut groups: Vec<Vec<NamedCommand>> = alone.into_iter().map(|command| vec![command]).collect();
    groups.push(built);
    groups.retain(|group| !group.is_empty());
    let named = groups.into_iter().map(|group| (group[0].name.clone(), group));
    let done: Vec<GroupResults> =
        phase.parallel(id, named, |group| verify_group(phase, work, tree, id, group)).await?;
    let files: Vec<Artifact> = done.iter().map(|group| Artifact::named(&group.file)).collect();
    let step = Step::new(format!("{id}/page")).reads(&files);
    let names: Vec<String> = files.iter().map(|file| file.name().to_owned()).collect();
    phase
        .make(Artifact::named(file), step, move |context| async move {
            names
                .iter()
                .map(|name| context.text(name))
                .collect::<Result<Vec<_>, _>>()
                .map(|texts| texts.join("\n"))
        })
        .await?;
    Ok(done.into_iter().flat_map(|group| group.results).collect())
}

async fn verify_group(
    phase: &PhaseHandle<'_>,
    work: &Work,
    tree: &ObjectId,
    id: &str,
    group: Vec<NamedCommand>,
) -> FlowResult<GroupResults> {
    let name = group.first().map(|command| command.name.clone()).unwrap_or_default();
    let file = format!("{id}-{name}.md");
    let step = Step::new(format!("{id}/{name}"))
        .reads(&Input::given("tree", tree))
        .reads(&Input::given("commands", &work.verify));
    let (work, tree) = (work.clone(), tree.clone());
    phase
        .step(step, move |context| async move {
            let reports = run_on(&work, &tree, None, &group).await?;
            let shown: Vec<(&str, &CommandReport)> =
                group.iter().map(|command| command.name.as_str()).zip(&reports).collect();
            context.write(&file, render_reports("Verification of the whole", &shown))?;
            let results = shown.iter().map(|(name, report)| CheckResult::new(name, report)).collect();
            Ok(GroupResults { results, file })
        })
        .await
}

/// Compares the specification with what was done.
async fn write_drift(
    phase: &PhaseHandle<'_>,
    work: &Work,
    state: &RunState,
    tip: &ObjectId,
) -> FlowResult<DriftTable> {
    let results: BTreeMap<String, TaskResult> = work
        .plan()
        .tasks
        .iter()
        .map(|task| {
            let files = state.integrated.get(&task.id).map(|done| done.files.clone()).unwrap_or_default();
            let verdict = state.rounds.get(&task.id).and_then(|rounds| rounds.last()?.verdict_of_proof);
            (task.id.clone(), TaskResult { state: state.state(&task.id), verdict, files })
        })
        .collect();
    let step = Step::new("drift")
        .reads(&Input::optional(SPEC_REQUIREMENTS))
        .reads(&Input::given("results", &results))
        .reads(&Input::given("tip", tip));
    let (work, tip) = (work.clone(), tip.clone());
    phase
        .step(step, move |context| async move {
            let requirements = context.optional_text(SPEC_REQUIREMENTS)?.unwrap_or_default();
            let base = work.base.commit.clone();
            let change = work.worktrees.diff(base, tip, MAX_CHANGE_BYTES).await.map_err(step_error)?;
            let files = changed_files(&change.text);
            let table: DriftTable = find_drift(&requirements, work.plan(), &results, &files);
            context.write(DRIFT, format!("# Drift\n\n{}", table.to_markdown()))?;
            context.write(WHOLE_CHANGE, &change.text)?;
            Ok(table)
        })
        .await
}

/// Paths in the headers of a diff.
pub(super) fn changed_files(diff: &str) -> Vec<String> {
    let headers = diff.lines().filter_map(|line| line.strip_prefix("diff --git a/"));
    headers.filter_map(|rest| rest.split_once(" b/").map(|(path, _)| path.to_owned())).collect()
}

/// Files that reviewers of the whole read.
pub(super) const REVIEWED_FILES: [&str; 5] =
    [SPEC_REQUIREMENTS, SPEC_DESIGN, WHOLE_CHANGE, FINAL_VERIFICATION, DRIFT];
