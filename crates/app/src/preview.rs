//! What a run is about to do, before it does anything: who would sit where, what is left to run, what it may cost.
//!
//! Nothing is asked, fetched, probed or written here.

use crate::error::AppError;
use crate::order::{RunOrder, Way, flags_now};
use crate::ports;
use crate::room;
use crate::site::Site;
use crate::which::shown_feature;
use crate::workspaces::{spec_folder, workspace_of};
use charrette_agents::room::{Rules, chain_of};
use charrette_engine::explain::{StepForecast, forecast};
use charrette_engine::pages::{PhasePlan, Preview, PreviewStage, StageState};
use charrette_engine::panel::seat_label;
use charrette_model::branch::decision::{Decision, decide};
use charrette_model::branch::name::{branch_name, branch_topic};
use charrette_model::checkpoint::{Checkpoint, PhaseStatus};
use charrette_model::feature::name::FeaturePath;
use charrette_model::ledger::{Totals, totals};
use charrette_model::panel::names::REQUEST;
use charrette_model::seats::{Candidate, EMBEDDED, Group, Seat, SeatTables};
use charrette_model::spec::resolver::Level;
use charrette_store::ledger::runs;
use serde_json::{Map, Value};

/// How many steps that will run again are named.
const NAMED: usize = 5;

/// What is about to happen. `typed` are the flags that were typed and that a run does not keep.
pub fn preview(site: &Site, order: &RunOrder, typed: &[String]) -> Result<Preview, AppError> {
    let existing = order.existing.as_ref().filter(|_| !matches!(order.way, Way::Begin { .. }));
    let flags = existing.map_or_else(|| order.flags.clone(), |document| flags_now(document, &order.flags));
    let seats = Seating::here(site, order.flow.seat_tables());
    let mut context = vec![("Feature".to_owned(), shown_feature(&order.name))];
    if order.flow.moves_head {
        context.push(("Branch".to_owned(), branch(site, order, existing)?));
    }
    if order.flow.in_spec_tree {
        context.push(("Spec".to_owned(), spec_folder(site, &order.name)));
        let path = order.name.feature().filter(|path| path.is_nested());
        if order.level != Level::Spec || path.is_some() {
            context.insert(1, ("Level".to_owned(), order.level.as_str().to_owned()));
        }
        if let Some(parent) = path.and_then(FeaturePath::parent) {
            context.insert(2, ("Parent".to_owned(), parent.folder()));
        }
    }
    if seats.is_only_embedded() {
        context.push((
            "Agents".to_owned(),
            "none installed; the embedded agent drafts from what the repository says, no model takes part"
                .to_owned(),
        ));
    }
    let steps = existing.map(|document| steps(site, document)).transpose()?.unwrap_or_default();
    if existing.is_some() {
        let reused = steps.iter().filter(|step| step.why.is_none()).count();
        context.push(("Reused".to_owned(), format!("{reused} steps")));
    }
    let stages = order.flow.phases.iter().map(|phase| {
        let plan = (order.flow.preview)(&flags, phase);
        stage(phase, plan, order, existing, &seats, &steps)
    });
    Ok(Preview {
        command: format!("charrette {}", order.flow.command.as_str()),
        description: described(site, order),
        context,
        checkpoint: existing.map(|document| checkpoint(order, document)).unwrap_or_default(),
        flags: shown_flags(&flags).into_iter().chain(typed.iter().cloned()).collect(),
        stages: stages.collect(),
        output: output(site, order, existing),
        files: order.flow.files(&flags).into_iter().map(|(file, _)| file.to_owned()).collect(),
        cost: cost(site),
    })
}

/// The folder the files are left in.
fn output(site: &Site, order: &RunOrder, existing: Option<&Checkpoint>) -> String {
    if order.flow.in_spec_tree {
        return spec_folder(site, &order.name);
    }
    let kept = existing.and_then(|document| document.run.as_ref()?.workspace.clone());
    let folder = || {
        let day = site.now.at().strftime("%Y%m%d");
        format!("{}/{day}-{}", site.settings.workspace_folder(), shown_feature(&order.name))
    };
    format!("{}/", kept.unwrap_or_else(folder))
}

/// The flags that are set, as they are typed.
fn shown_flags(flags: &Map<String, Value>) -> Vec<String> {
    let shown = flags.iter().filter(|(name, _)| *name != "level").filter_map(|(name, value)| match value {
        Value::Bool(true) => Some(format!("--{name}")),
        Value::String(text) => Some(format!("--{name}={text}")),
        _ => None,
    });
    shown.collect()
}

/// The first line of what was asked for.
fn described(site: &Site, order: &RunOrder) -> String {
    let kept = || {
        let workspace = workspace_of(site, order.existing.as_ref()?).ok()?;
        let request = workspace.read(REQUEST, None).ok()??;
        Some(String::from_utf8_lossy(&request).into_owned())
    };
    let request = match &order.way {
        Way::Begin { request } => request.clone(),
        _ => kept().unwrap_or_default(),
    };
    request.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

/// The branch that is checked out, and the one the run will work on.
fn branch(site: &Site, order: &RunOrder, existing: Option<&Checkpoint>) -> Result<String, AppError> {
    let facts = ports::facts(site)?;
    let made = existing.and_then(|document| document.run.as_ref()?.branch.clone());
    let is_here = made.as_deref() == Some(facts.current.as_str());
    let made_here: Vec<&str> = made.as_deref().into_iter().collect();
    let current = if facts.current.is_empty() { "(detached)".to_owned() } else { facts.current.clone() };
    let feature = shown_feature(&order.name);
    let first = order.flow.phases[0];
    let began = existing.is_some_and(|document| document.phases.contains_key(first));
    let stays = began || !facts.has_commits;
    Ok(match decide(&facts.state(&made_here), &feature, is_here) {
        Decision::Create | Decision::Leave { .. } if !stays => {
            format!("{current} → {}", branch_name(&facts.user_prefix, &branch_topic(&feature)))
        }
        Decision::Ask { .. } if !stays => {
            format!("{current} (may belong to something else; you will be asked)")
        }
        _ => current,
    })
}

fn checkpoint(order: &RunOrder, document: &Checkpoint) -> Vec<(String, String)> {
    let state = |phase: &str| match document.phases.get(phase).map(|phase| phase.status) {
        Some(PhaseStatus::Complete) => "complete",
        Some(PhaseStatus::InProgress) => "in progress",
        Some(PhaseStatus::Failed) => "failed",
        Some(PhaseStatus::Skipped) => "skipped",
        Some(PhaseStatus::Pending) | None => "pending",
    };
    order.flow.phases.iter().map(|phase| ((*phase).to_owned(), state(phase).to_owned())).collect()
}

/// What is on record, and why it will be done again, if it will.
fn steps(site: &Site, document: &Checkpoint) -> Result<Vec<StepForecast>, AppError> {
    Ok(forecast(document, &workspace_of(site, document)?))
}

/// What will be done again in a phase, and why.
fn again(phase: &str, steps: &[StepForecast]) -> Vec<(String, String)> {
    let again =
        steps.iter().filter(|step| step.phase == phase).filter_map(|step| Some((step, step.why.clone()?)));
    let mut again: Vec<(String, String)> = again.map(|(step, why)| (step.step.clone(), why)).collect();
    let more = again.len().saturating_sub(NAMED);
    again.truncate(NAMED);
    if more > 0 {
        again.push((format!("and {more} more"), "charrette status --why tells all".to_owned()));
    }
    again
}

fn stage(
    phase: &str,
    plan: PhasePlan,
    order: &RunOrder,
    existing: Option<&Checkpoint>,
    seats: &Seating,
    steps: &[StepForecast],
) -> PreviewStage {
    let status = existing.and_then(|document| document.phases.get(phase)).map(|phase| phase.status);
    let place = |name: &str| order.flow.phases.iter().position(|phase| *phase == name);
    let is_after = place(phase) > place(order.until);
    let is_done = match &order.way {
        Way::Again { phase: first, .. } => place(phase) < place(first),
        Way::GoOn => status == Some(PhaseStatus::Complete),
        Way::Begin { .. } => false,
    };
    let state = match status {
        _ if is_after => StageState::Skipped,
        _ if is_done => StageState::Complete,
        Some(PhaseStatus::InProgress) => StageState::Running,
        Some(PhaseStatus::Failed) => StageState::Failed,
        _ => StageState::Pending,
    };
    let is_left_out = matches!(state, StageState::Skipped | StageState::Complete);
    let sitting = plan.groups.into_iter().filter(|_| !is_left_out);
    let seats = sitting.map(|(name, group)| (name, seats.described(&group))).collect();
    PreviewStage { state, name: phase.to_owned(), brief: plan.brief, seats, again: again(phase, steps) }
}

/// Who would sit where, if nothing goes wrong.
struct Seating {
    rules: Rules,
    candidates: Vec<Candidate>,
    tables: SeatTables,
}

impl Seating {
    fn here(site: &Site, tables: SeatTables) -> Seating {
        let (roster, _) = room::roster(site);
        let candidates = room::candidates(site, &roster);
        Seating { rules: Rules::configured(&site.settings), candidates, tables }
    }

    fn is_only_embedded(&self) -> bool {
        !self.candidates.iter().any(|candidate| candidate.installed && candidate.name != EMBEDDED)
    }

    fn first(&self, seat: &Seat) -> String {
        let chain = chain_of(seat.id, &self.tables, &self.rules, &self.candidates);
        chain.into_iter().next().unwrap_or_else(|| "nobody".to_owned())
    }

    /// The agents of some seats: by seat where they differ.
    fn described(&self, seats: &[&'static Seat]) -> String {
        let taken: Vec<(String, String)> =
            seats.iter().map(|seat| (seat_label(seat), self.first(seat))).collect();
        let is_one = taken.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let are_debaters = seats.first().is_some_and(|seat| seat.group == Some(Group::Debaters));
        match taken.as_slice() {
            [] => String::new(),
            [(_, agent), ..] if is_one => agent.clone(),
            _ if are_debaters => debaters(&taken),
            _ => taken.iter().map(|(seat, agent)| format!("{seat}: {agent}")).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Each once: there are ten of them.
fn debaters(taken: &[(String, String)]) -> String {
    let mut agents: Vec<&str> = taken.iter().map(|(_, agent)| agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    agents.join(", ")
}

/// What designs here have cost before.
fn cost(site: &Site) -> Vec<String> {
    let workspaces = site.root.join(site.settings.workspace_folder());
    let past: Vec<Totals> = runs(&workspaces)
        .unwrap_or_default()
        .iter()
        .map(|(_, calls)| totals(calls.iter().filter(|call| call.agent != EMBEDDED)))
        .filter(|totals| totals.all.calls > 0)
        .collect();
    if past.is_empty() {
        return vec!["No run here has called an agent yet, so nothing is known.".to_owned()];
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
