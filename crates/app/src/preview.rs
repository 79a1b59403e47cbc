//! Preview page of a run: agents per seat, steps left to run, expected cost.
//!
//! Building it asks, fetches, probes and writes nothing.

use crate::agent_pool;
use crate::error::AppError;
use crate::health_file::{self, ProbeRecord};
use crate::ports;
use crate::run_lookup::feature_argument;
use crate::sandbox;
use crate::site::Site;
use crate::start_facts::with_facts;
use crate::start_plan::{StartMode, StartPlan, merged_flags};
use crate::workspaces::{run_workspace, spec_folder};
use charrette_agents::pool::{AgentPolicy, seat_chain};
use charrette_engine::explain::{StepForecast, forecast};
use charrette_engine::pages::{PhasePlan, Preview, PreviewStage, StageState};
use charrette_engine::panel::seat_label;
use charrette_model::branch::decision::{BranchDecision, decide};
use charrette_model::branch::name::{branch_name, branch_topic};
use charrette_model::checkpoint::{Checkpoint, PhaseStatus};
use charrette_model::feature::name::FeaturePath;
use charrette_model::ledger::{Totals, totals};
use charrette_model::panel::file_names::REQUEST;
use charrette_model::seats::{Candidate, EMBEDDED, Seat, SeatGroup, SeatTables};
use charrette_model::spec::resolver::SpecLevel;
use charrette_store::ledger::runs;
use serde_json::{Map, Value};

/// Maximum number of steps listed that will run again.
const MAX_NAMED_STEPS: usize = 5;

/// Builds the preview page. `typed` are flags that were given and that a run does not record.
pub fn preview(site: &Site, plan: &StartPlan, typed: &[String]) -> Result<Preview, AppError> {
    let existing = plan.existing.as_ref().filter(|_| !matches!(plan.mode, StartMode::New { .. }));
    let flags = existing.map_or_else(|| plan.flags.clone(), |document| merged_flags(document, &plan.flags));
    let seats = Seating::new(site, plan.flow.seat_tables());
    let mut context = vec![("Feature".to_owned(), feature_argument(&plan.name))];
    if plan.flow.makes_branch {
        context.push(("Branch".to_owned(), branch(site, plan, existing)?));
    }
    if plan.flow.in_spec_tree {
        context.push(("Spec".to_owned(), spec_folder(site, &plan.name)));
        let path = plan.name.feature().filter(|path| path.is_nested());
        if plan.level != SpecLevel::Spec || path.is_some() {
            context.insert(1, ("Level".to_owned(), plan.level.as_str().to_owned()));
        }
        if let Some(parent) = path.and_then(FeaturePath::parent) {
            context.insert(2, ("Parent".to_owned(), parent.folder()));
        }
    }
    context.extend(with_facts(site, plan, plan.flow.outline));
    if seats.is_only_embedded() && !plan.flow.needs_spec {
        context.push((
            "Agents".to_owned(),
            "none installed; the embedded agent drafts from what the repository says, no model takes part"
                .to_owned(),
        ));
    }
    context.extend(failed_agents(site, &seats));
    context.extend(sandbox::describe(site));
    let steps = existing.map(|document| steps(site, document)).transpose()?.unwrap_or_default();
    if existing.is_some() {
        let reused = steps.iter().filter(|step| step.why.is_none()).count();
        context.push(("Reused".to_owned(), format!("{reused} steps")));
    }
    let stages = plan.flow.phases.iter().map(|phase| {
        let phase_plan = (plan.flow.preview)(&flags, phase);
        stage(phase, phase_plan, plan, existing, &seats, &steps)
    });
    Ok(Preview {
        command: format!("charrette {}", plan.flow.command.as_str()),
        description: request_summary(site, plan),
        context,
        checkpoint: existing.map(|document| checkpoint(plan, document)).unwrap_or_default(),
        flags: shown_flags(&flags).into_iter().chain(typed.iter().cloned()).collect(),
        stages: stages.collect(),
        output: output(site, plan, existing),
        files: plan.flow.files(&flags).into_iter().map(|(file, _)| file.to_owned()).collect(),
        cost: cost(site),
    })
}

/// Installed agents that did not work when they were last called, with the reason and the cure.
fn failed_agents(site: &Site, seats: &Seating) -> Vec<(String, String)> {
    let known = health_file::read(&agent_pool::state_folder(site));
    let installed = seats.candidates.iter().filter(|candidate| candidate.installed);
    let failed = installed.filter_map(|candidate| {
        let ProbeRecord { at, reason } = known.get(&candidate.name)?;
        let day: String = at.chars().take(10).collect();
        Some((candidate.name.clone(), format!("failed when last called ({day}): {}", reason.as_ref()?)))
    });
    failed.map(|(name, reason)| (format!("Agent {name}"), reason)).collect()
}

/// Output folder.
fn output(site: &Site, plan: &StartPlan, existing: Option<&Checkpoint>) -> String {
    if plan.flow.in_spec_tree {
        return spec_folder(site, &plan.name);
    }
    let kept = existing.and_then(|document| document.run.as_ref()?.workspace.clone());
    let folder = || {
        let day = site.now.at().strftime("%Y%m%d");
        format!("{}/{day}-{}", site.settings.workspace_folder(), feature_argument(&plan.name))
    };
    format!("{}/", kept.unwrap_or_else(folder))
}

/// Flags that are set, as they are typed.
fn shown_flags(flags: &Map<String, Value>) -> Vec<String> {
    let shown = flags.iter().filter(|(name, _)| *name != "level").filter_map(|(name, value)| match value {
        Value::Bool(true) => Some(format!("--{name}")),
        Value::String(text) => Some(format!("--{name}={text}")),
        _ => None,
    });
    shown.collect()
}

/// First line of the request.
fn request_summary(site: &Site, plan: &StartPlan) -> String {
    let kept = || {
        let workspace = run_workspace(site, plan.existing.as_ref()?).ok()?;
        let request = workspace.read(REQUEST, None).ok()??;
        Some(String::from_utf8_lossy(&request).into_owned())
    };
    let request = match &plan.mode {
        StartMode::New { request } => request.clone(),
        _ => kept().unwrap_or_default(),
    };
    request.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

/// Current branch, and the one the run will create.
fn branch(site: &Site, plan: &StartPlan, existing: Option<&Checkpoint>) -> Result<String, AppError> {
    let facts = ports::facts(site)?;
    let made = existing.and_then(|document| document.run.as_ref()?.branch.clone());
    let is_here = made.as_deref() == Some(facts.current.as_str());
    let created_for_feature: Vec<&str> = made.as_deref().into_iter().collect();
    let current = if facts.current.is_empty() { "(detached)".to_owned() } else { facts.current.clone() };
    let feature = feature_argument(&plan.name);
    let first = plan.flow.phases[0];
    let began = existing.is_some_and(|document| document.phases.contains_key(first));
    let stays = began || !facts.has_commits;
    Ok(match decide(&facts.state(&created_for_feature), &feature, is_here) {
        BranchDecision::Create | BranchDecision::Leave { .. } if !stays => {
            format!("{current} → {}", branch_name(&facts.user_prefix, &branch_topic(&feature)))
        }
        BranchDecision::Ask { .. } if !stays => {
            format!("{current} (may belong to something else; you will be asked)")
        }
        _ => current,
    })
}

fn checkpoint(plan: &StartPlan, document: &Checkpoint) -> Vec<(String, String)> {
    let state = |phase: &str| match document.phases.get(phase).map(|phase| phase.status) {
        Some(PhaseStatus::Complete) => "complete",
        Some(PhaseStatus::InProgress) => "in progress",
        Some(PhaseStatus::Failed) => "failed",
        Some(PhaseStatus::Skipped) => "skipped",
        Some(PhaseStatus::Pending) | None => "pending",
    };
    plan.flow.phases.iter().map(|phase| ((*phase).to_owned(), state(phase).to_owned())).collect()
}

/// Recorded steps, each with the reason why it will run again, if any.
fn steps(site: &Site, document: &Checkpoint) -> Result<Vec<StepForecast>, AppError> {
    Ok(forecast(document, &run_workspace(site, document)?))
}

/// Steps of a phase that will run again, with reasons.
fn rerun_steps(phase: &str, steps: &[StepForecast]) -> Vec<(String, String)> {
    let again =
        steps.iter().filter(|step| step.phase == phase).filter_map(|step| Some((step, step.why.clone()?)));
    let mut again: Vec<(String, String)> = again.map(|(step, why)| (step.step.clone(), why)).collect();
    let more = again.len().saturating_sub(MAX_NAMED_STEPS);
    again.truncate(MAX_NAMED_STEPS);
    if more > 0 {
        again.push((format!("and {more} more"), "see charrette status --why".to_owned()));
    }
    again
}

fn stage(
    phase: &str,
    phase_plan: PhasePlan,
    plan: &StartPlan,
    existing: Option<&Checkpoint>,
    seats: &Seating,
    steps: &[StepForecast],
) -> PreviewStage {
    let status = existing.and_then(|document| document.phases.get(phase)).map(|phase| phase.status);
    let position = |name: &str| plan.flow.phases.iter().position(|phase| *phase == name);
    let is_after = position(phase) > position(plan.until);
    let is_done = match &plan.mode {
        StartMode::RedoPhase { phase: first, .. } => position(phase) < position(first),
        StartMode::Resume => status == Some(PhaseStatus::Complete),
        StartMode::New { .. } => false,
    };
    let state = match status {
        _ if is_after => StageState::Skipped,
        _ if is_done => StageState::Complete,
        Some(PhaseStatus::InProgress) => StageState::Running,
        Some(PhaseStatus::Failed) => StageState::Failed,
        _ => StageState::Pending,
    };
    let is_idle = matches!(state, StageState::Skipped | StageState::Complete);
    let groups = phase_plan.groups.into_iter().filter(|_| !is_idle);
    let seats = groups.map(|(name, group)| (name, seats.describe(&group))).collect();
    PreviewStage {
        state,
        name: phase.to_owned(),
        brief: phase_plan.brief,
        seats,
        again: rerun_steps(phase, steps),
    }
}

/// Expected agent of each seat.
struct Seating {
    rules: AgentPolicy,
    candidates: Vec<Candidate>,
    tables: SeatTables,
}

impl Seating {
    fn new(site: &Site, tables: SeatTables) -> Seating {
        let (roster, _) = agent_pool::roster(site);
        let candidates = agent_pool::candidates(site, &roster);
        Seating { rules: AgentPolicy::from_settings(&site.settings), candidates, tables }
    }

    fn is_only_embedded(&self) -> bool {
        !self.candidates.iter().any(|candidate| candidate.installed && candidate.name != EMBEDDED)
    }

    fn first_agent(&self, seat: &Seat) -> String {
        let chain = seat_chain(seat.id, &self.tables, &self.rules, &self.candidates);
        chain.into_iter().next().unwrap_or_else(|| "no agent".to_owned())
    }

    /// Agents of some seats, listed by seat where they differ.
    fn describe(&self, seats: &[&'static Seat]) -> String {
        let assignments: Vec<(String, String)> =
            seats.iter().map(|seat| (seat_label(seat), self.first_agent(seat))).collect();
        let is_one = assignments.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let are_debaters = seats.first().is_some_and(|seat| seat.group == Some(SeatGroup::Debaters));
        match assignments.as_slice() {
            [] => String::new(),
            [(_, agent), ..] if is_one => agent.clone(),
            _ if are_debaters => debaters(&assignments),
            _ => assignments
                .iter()
                .map(|(seat, agent)| format!("{seat}: {agent}"))
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// Agents of the ten debater seats, each once.
fn debaters(assignments: &[(String, String)]) -> String {
    let mut agents: Vec<&str> = assignments.iter().map(|(_, agent)| agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    agents.join(", ")
}

/// Cost of earlier runs here.
fn cost(site: &Site) -> Vec<String> {
    let workspaces = site.root.join(site.settings.workspace_folder());
    let past: Vec<Totals> = runs(&workspaces)
        .unwrap_or_default()
        .iter()
        .map(|(_, calls)| totals(calls.iter().filter(|call| call.agent != EMBEDDED)))
        .filter(|totals| totals.all.calls > 0)
        .collect();
    if past.is_empty() {
        return vec!["No cost history in this repository yet.".to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    let priced: Vec<f64> = past.iter().filter_map(|totals| totals.all.usd).collect();
    if !priced.is_empty() {
        let most = priced.iter().copied().fold(0.0, f64::max);
        let mean = priced.iter().sum::<f64>() / f64::from(u32::try_from(priced.len()).unwrap_or(1));
        lines.push(format!("{} runs named a price: ${mean:.2} on average, ${most:.2} at most", priced.len()));
    }
    let tokens: Vec<u64> = past.iter().map(|totals| totals.all.tokens()).collect();
    let most = tokens.iter().copied().max().unwrap_or_default();
    lines.push(format!("{} runs here, {most} tokens at most", past.len()));
    lines
}
