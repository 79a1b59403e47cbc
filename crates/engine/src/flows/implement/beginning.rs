//! Begin of an implementation: the integration ref with the approved specification as its first commit, and the baseline,
//! the verify commands on the untouched base.

use super::artifacts::{SPEC_DESIGN, SPEC_JSON, SPEC_META, SPEC_REQUIREMENTS, SPEC_SUMMARY, SPEC_TASKS};
use super::checks::{CheckPlaces, CheckResult, NamedCommand, render_reports, run_on};
use super::flags::ImplementFlags;
use super::messages::run_message;
use super::proofs::{all_commands, fast_commands};
use super::reading::{Specification, spec_texts};
use super::start::judge_approval;
use super::work::{Work, WorkContext, panel_for, step_error};
use crate::artifact::Input;
use crate::gate::Gate;
use crate::ports::verifier::CommandReport;
use crate::ports::worktrees::{BeginOrder, FileEdit, IntegrationBase};
use crate::run::{PhaseHandle, Run};
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use std::sync::Arc;

/// Output of the verify commands on the untouched base.
const BASELINE: &str = "baseline.md";

/// Files of a specification.
pub(super) const SPEC_FILES: [&str; 6] =
    [SPEC_REQUIREMENTS, SPEC_DESIGN, SPEC_TASKS, SPEC_SUMMARY, SPEC_JSON, SPEC_META];

/// Path of a file of the specification, relative to the root of the repository.
pub(super) fn spec_path(spec_folder: &str, artifact: &str) -> String {
    let name = artifact.strip_prefix("specs/").unwrap_or(artifact);
    format!("{}/{name}", spec_folder.trim_end_matches('/'))
}

/// Begins the integration, or finds it.
pub(super) async fn begin(
    run: &Run<'_>,
    phase: &PhaseHandle<'_>,
    flags: ImplementFlags,
    specification: Specification,
) -> FlowResult<Work> {
    let base = begin_integration(run, phase).await?;
    for warning in &base.warnings {
        phase.warn(warning);
    }
    let settings = &run.order().settings;
    let own = [settings.specs_folder(), settings.workspace_folder(), settings.state_folder()];
    Ok(Work::new(WorkContext {
        run: run.journal().run_id(),
        flags,
        settings: settings.implement(),
        verify: settings.verify(),
        specification,
        base,
        baseline: Vec::new(),
        red_before: Vec::new(),
        own_folders: own.map(str::to_owned).to_vec(),
        panel: panel_for(run),
        places: Arc::new(CheckPlaces::default()),
        worktrees: run.ports().worktrees.clone(),
        verifier: run.ports().verifier.clone(),
    }))
}

async fn begin_integration(run: &Run<'_>, phase: &PhaseHandle<'_>) -> FlowResult<IntegrationBase> {
    let (worktrees, id) = (run.ports().worktrees.clone(), run.journal().run_id());
    let (folder, feature) = (run.order().spec_folder.clone(), run.order().feature.clone());
    let design = run.order().recorded_approval.clone();
    // A later change of the specification does not begin anew, so it is not an input.
    let step = Step::new("begin").revises(SPEC_FILES).touches_checkout();
    phase
        .step(step, move |context| async move {
            let mut specification = Vec::new();
            for name in SPEC_FILES {
                if let Some(bytes) = &context.present(name)?.bytes {
                    let edit = FileEdit { path: spec_path(&folder, name), content: Some(bytes.clone()) };
                    specification.push(edit);
                }
            }
            let is_approved =
                judge_approval(&spec_texts(&context)?, false, design.as_ref(), &|_| None).is_ok();
            let subject = if is_approved {
                format!("approved specification of {feature}")
            } else {
                format!("specification of {feature}, not approved")
            };
            let message = run_message(&id, "docs", &subject, None);
            worktrees.begin(BeginOrder { run: id, specification, message }).await.map_err(step_error)
        })
        .await
}

/// Runs the verify commands on the untouched base. Commands that fail there are asked about once, and do not count
/// against any task.
pub(super) async fn take_baseline(phase: &PhaseHandle<'_>, work: &Work) -> FlowResult<Work> {
    let stage = phase.stage("1");
    let mut commands: Vec<NamedCommand> = all_commands(work);
    for command in fast_commands(work) {
        if commands.iter().all(|known| known.name != command.name) {
            commands.push(command);
        }
    }
    let step = Step::new("baseline")
        .reads(&Input::given("base", &work.base.commit))
        .reads(&Input::given("commands", &work.verify));
    let (place, base) = (work.clone(), work.base.commit.clone());
    let results: Vec<CheckResult> = phase
        .step(step, move |context| async move {
            let reports = run_on(&place, &base, None, &commands).await?;
            let shown: Vec<(&str, &CommandReport)> =
                commands.iter().map(|command| command.name.as_str()).zip(&reports).collect();
            context.write(BASELINE, render_reports("Verify commands on the untouched base", &shown))?;
            Ok(shown.iter().map(|(name, report)| CheckResult::new(name, report)).collect())
        })
        .await?;
    let red: Vec<&CheckResult> = results.iter().filter(|result| !result.is_green).collect();
    if red.is_empty() {
        stage.finish(format!("{} commands green", results.len()));
        return Ok(work.with_baseline(results));
    }
    ask_about_red(phase, &red).await?;
    let names: Vec<String> = red.iter().map(|result| result.name.clone()).collect();
    stage.warn(format!("red before the work, and not held against it: {}", names.join(", ")));
    Ok(work.with_baseline(results))
}

/// Asks whether to go on although commands fail on the untouched base.
async fn ask_about_red(phase: &PhaseHandle<'_>, red: &[&CheckResult]) -> FlowResult<()> {
    let lines: Vec<String> = red
        .iter()
        .map(|result| format!("- {}: `{}`: {}", result.name, result.command, result.ending))
        .collect();
    let names: Vec<&str> = red.iter().map(|result| result.name.as_str()).collect();
    let page = format!(
        "Verify commands fail on the untouched base:\n\n{}\n\nTheir output: {BASELINE}\n",
        lines.join("\n")
    );
    let gate = Gate::new("baseline", &Input::given("red", &names)).page(page).ask_choice(
        "baseline",
        "Go on? continue does not hold these commands against any task; abort stops here, so that you can repair them.",
        &["continue", "abort"],
    );
    let gate = gate.delegable(&["abort"]);
    let answers = phase.gate(gate).await?;
    if answers.get("baseline").trim().eq_ignore_ascii_case("abort") {
        return Err(Stop::Refused(format!("stopped: {} failed on the untouched base", names.join(", "))));
    }
    Ok(())
}
