//! Judges whether an implementation can start: tasks, approval, verify commands, agents. Nothing is spent before.

use super::flags::ImplementFlags;
use super::seats::IMPLEMENTER;
use crate::difference::difference_by_file;
use crate::ports::TrackerState;
use crate::start_check::{RecordedApproval, StartFacts, StartProblem, StartProblemKind};
use charrette_model::config::integrations::LINEAR_NOT_CONFIGURED;
use charrette_model::escape::printable;
use charrette_model::implement::{
    PlanRefusal, Selection, TaskFilter, TaskPlan, WorkMode, initial_states, waves,
};
use charrette_model::spec::approval::{Approval, approved_text_with_record};
use charrette_model::spec::record::SpecRecord;
use charrette_store::workspace::sha256;

/// Maximum number of waves in the preview.
const MAX_WAVES: usize = 12;

/// Texts of a specification; empty if a file is absent.
#[derive(Debug, Clone, Default)]
pub struct SpecTexts {
    pub requirements: String,
    pub design: String,
    pub tasks: String,
    /// `spec.json`.
    pub record: String,
}

impl SpecTexts {
    fn of_start(facts: &StartFacts<'_>) -> SpecTexts {
        SpecTexts::read(|name| (facts.specification)(name))
    }

    /// Reads the texts by the names of their files.
    pub fn read(file: impl Fn(&str) -> Option<String>) -> SpecTexts {
        let text = |name: &str| file(name).unwrap_or_default();
        SpecTexts {
            requirements: text("requirements.md"),
            design: text("design.md"),
            tasks: text("tasks.md"),
            record: text("spec.json"),
        }
    }
}

/// Judges what a run starts from.
pub(super) fn check(facts: &StartFacts<'_>) -> Result<(), StartProblem> {
    let flags = ImplementFlags::from_map(facts.flags);
    let texts = SpecTexts::of_start(facts);
    let usage = |refusal: PlanRefusal| {
        StartProblem::usage(refusal.to_string())
            .hint(format!("See the tasks: charrette implement {} --dry-run", facts.feature))
    };
    let plan = TaskPlan::read(&texts.tasks, &texts.record).map_err(usage)?;
    let selection = select_tasks(&plan, &flags).map_err(usage)?;
    judge_pause(&flags)?;
    judge_approval(&texts, flags.force, facts.recorded_approval.as_ref(), facts.approved).map_err(
        |problem| {
            let design = format!("Approve it: charrette design {} --approve", facts.feature);
            problem.hint(design).hint("Or implement it as it is: --force")
        },
    )?;
    if facts.settings.verify().is_empty() {
        return Err(StartProblem::refused("no verify commands are configured, so nothing could be proven")
            .hint(
                "See what this repository suggests, and write it to charrette.toml: charrette verify init",
            ));
    }
    if let Some(problem) = (facts.git_problem)() {
        return Err(
            StartProblem::refused(problem).hint("Nothing was started. See the version: git --version")
        );
    }
    let needs_agent = selection
        .open
        .iter()
        .any(|id| plan.tasks.iter().any(|task| task.id == *id && task.mode != WorkMode::Human));
    if needs_agent && !(facts.has_agent)(IMPLEMENTER) {
        return Err(StartProblem::refused(
            "no agent that can write code is installed; the embedded agent drafts texts only",
        )
        .hint("Install one, for example: npm install -g @anthropic-ai/claude-code")
        .hint("See the agents that charrette knows: charrette agents"));
    }
    Ok(())
}

/// Selects the tasks of the flags.
pub(super) fn select_tasks(plan: &TaskPlan, flags: &ImplementFlags) -> Result<Selection, PlanRefusal> {
    let filter = TaskFilter {
        tasks: flags.tasks.clone(),
        phase: flags.task_phase,
        from: flags.from.clone(),
        until: flags.until.clone(),
    };
    filter.select(plan)
}

fn judge_pause(flags: &ImplementFlags) -> Result<(), StartProblem> {
    match flags.pause_after.as_deref() {
        None | Some("phase") => Ok(()),
        Some(number) if number.parse::<usize>().is_ok_and(|number| number > 0) => Ok(()),
        Some(other) => Err(StartProblem::usage(format!(
            "--pause-after takes a number of tasks or the word phase, not \"{}\"",
            printable(other)
        ))),
    }
}

/// Refuses a specification that is not approved, or was changed since. A `spec.json` without a record of the approval is
/// believed only as far as the design knows of it. `approved` gives a file as it was approved, if that is known.
pub fn judge_approval(
    texts: &SpecTexts,
    force: bool,
    design: Option<&RecordedApproval>,
    approved: &dyn Fn(&str) -> Option<String>,
) -> Result<(), StartProblem> {
    if force {
        return Ok(());
    }
    let record = SpecRecord::parse(&texts.record).unwrap_or_default();
    let approval = record.other.get("approved").cloned();
    let approval: Option<Approval> = approval.and_then(|value| serde_json::from_value(value).ok());
    let claims_approval = record.status != "draft" && !record.status.is_empty();
    let (digest, by) = match (approval, design) {
        (Some(approval), _) => (approval.digest, approval.by),
        (None, Some(design)) => (design.digest.clone(), design.by.clone()),
        (None, None) if claims_approval => {
            return Err(StartProblem::refused(format!(
                "the specification is not approved: spec.json says \"{}\", but not who approved which text",
                printable(&record.status)
            )));
        }
        (None, None) => return Err(StartProblem::refused("the specification is not approved")),
    };
    let now = approved_text_with_record(&texts.requirements, &texts.design, &texts.tasks, &texts.record);
    if digest == sha256(now.as_bytes()) {
        return Ok(());
    }
    let text = |name: &str| approved(name).unwrap_or_default();
    let [requirements, design, tasks, spec_json] =
        ["requirements.md", "design.md", "tasks.md", "spec.json"].map(text);
    let before = approved_text_with_record(&requirements, &design, &tasks, &spec_json);
    let is_known = sha256(before.as_bytes()) == digest;
    let difference = if is_known { difference_by_file(&before, &now) } else { String::new() };
    let problem = format!("the specification was changed since {} approved it\n{difference}", printable(&by));
    Err(StartProblem::refused(problem.trim_end().to_owned()))
}

/// Lines of the preview: tasks, waves, verify commands, and what is missing.
pub(super) fn outline(facts: &StartFacts<'_>) -> Vec<(String, String)> {
    let flags = ImplementFlags::from_map(facts.flags);
    let texts = SpecTexts::of_start(facts);
    let (settings, verify) = (facts.settings.implement(), facts.settings.verify());
    let mut lines = Vec::new();
    if let Ok(plan) = TaskPlan::read(&texts.tasks, &texts.record)
        && let Ok(selection) = select_tasks(&plan, &flags)
    {
        let people = plan
            .tasks
            .iter()
            .filter(|task| task.mode == WorkMode::Human && selection.open.contains(&task.id));
        let people: Vec<&str> = people.map(|task| task.id.as_str()).collect();
        let by_people =
            if people.is_empty() { String::new() } else { format!(", by a person: {}", people.join(", ")) };
        lines.push(line("Tasks", format!("{} of {}{by_people}", selection.open.len(), plan.tasks.len())));
        let waves = waves(&plan, &initial_states(&plan, &selection), flags.wave_limit());
        for (number, wave) in (1..).zip(&waves).take(MAX_WAVES) {
            lines.push(line(&format!("Wave {number}"), wave.join(", ")));
        }
        if waves.len() > MAX_WAVES {
            lines.push(line("Waves", format!("and {} more", waves.len() - MAX_WAVES)));
        }
        if waves.iter().any(|wave| wave.len() > 1) {
            let lanes = flags.parallel.unwrap_or(settings.parallel).max(1);
            lines.push(line("At a time", format!("at most {lanes} tasks of a wave")));
        }
        let derived = plan.tasks.iter().filter(|task| task.proof.is_derived).count();
        if derived > 0 {
            lines.push(line(
                "Proofs",
                format!("{derived} of {} derived from the files of the task", plan.tasks.len()),
            ));
        }
    }
    if flags.issues {
        let issues = match (facts.tracker)() {
            TrackerState::On => {
                "in Linear, one for each follow-up, once you have approved their texts".to_owned()
            }
            TrackerState::Unusable(reason) => format!("none: {reason}"),
            TrackerState::Off | TrackerState::NotConfigured => format!("none: {LINEAR_NOT_CONFIGURED}"),
        };
        lines.push(line("Issues", issues));
    }
    let fast = verify.fast.iter().map(|command| ("fast", command));
    for (name, command) in verify.all().into_iter().chain(fast) {
        lines.push(line(&format!("Verify {name}"), command.shown()));
    }
    if verify.is_empty() {
        let proposed = (facts.proposed_verify)().into_iter();
        lines.extend(proposed.map(|(name, command)| line(&format!("Proposed {name}"), command)));
    }
    if let Err(StartProblem { kind: StartProblemKind::Refused, message, hints }) = check(facts) {
        lines.push(line("Not ready", message));
        lines.extend(hints.into_iter().map(|hint| line("Hint", hint)));
    }
    lines
}

fn line(label: &str, text: impl Into<String>) -> (String, String) {
    (label.to_owned(), text.into())
}
