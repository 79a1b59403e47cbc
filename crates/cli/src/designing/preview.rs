//! What a design is about to do, before it does anything: who would sit where, what is left to run, what it may cost.
//!
//! Nothing is asked, fetched, probed or written here.

use crate::commands::design::DesignArgs;
use crate::designing::order::{Order, Way};
use crate::designing::{self, Manner};
use crate::error::CommandError;
use crate::site::Site;
use crate::studio::facts::Facts;
use crate::workspaces;
use crate::{drive, room};
use charrette_agents::room::{Rules, chain_of};
use charrette_engine::explain::{StepForecast, forecast};
use charrette_engine::flows::design::PHASES;
use charrette_engine::panel::seat_label;
use charrette_model::branch::decision::{Decision, decide};
use charrette_model::branch::name::{branch_name, branch_topic};
use charrette_model::checkpoint::{Checkpoint, PhaseStatus};
use charrette_model::feature::name::FeaturePath;
use charrette_model::ledger::{Totals, totals};
use charrette_model::seats::{AnswerForm, Candidate, EMBEDDED, Group, Seat, level_seats, sketches};
use charrette_model::spec::resolver::Level;
use charrette_store::ledger::runs;
use charrette_term::{Preview, PreviewStage, StageState};

/// How many steps that will run again are named.
const NAMED: usize = 5;

/// What is about to happen.
pub(crate) fn preview(site: &Site, args: &DesignArgs, order: &Order) -> Result<Preview, CommandError> {
    let existing = order.existing.as_ref().filter(|_| !matches!(order.way, Way::Begin { .. }));
    let asked =
        Manner { auto: args.auto, quick: args.quick, no_checkpoint: args.no_checkpoint, level: order.level };
    let manner = existing.map_or(asked, |document| Manner::of(document).and(asked));
    let seats = Seating::here(site, manner);
    let mut context = vec![
        ("Feature".to_owned(), drive::shown_feature(&order.name)),
        ("Branch".to_owned(), branch(site, order, existing)?),
        ("Spec".to_owned(), designing::spec_folder(site, &order.name)),
    ];
    let path = order.name.feature().filter(|path| path.is_nested());
    if order.level != Level::Spec || path.is_some() {
        context.insert(1, ("Level".to_owned(), order.level.as_str().to_owned()));
    }
    if let Some(parent) = path.and_then(FeaturePath::parent) {
        context.insert(2, ("Parent".to_owned(), parent.folder()));
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
    Ok(Preview {
        command: "charrette design".to_owned(),
        description: described(site, order),
        context,
        checkpoint: existing.map(checkpoint).unwrap_or_default(),
        flags: flags(manner, args),
        stages: PHASES.iter().map(|phase| stage(phase, order, existing, manner, &seats, &steps)).collect(),
        output: designing::spec_folder(site, &order.name),
        files: designing::deliverables(order.level).into_iter().map(|(file, _)| file.to_owned()).collect(),
        cost: cost(site),
    })
}

/// The first line of what was asked for.
fn described(site: &Site, order: &Order) -> String {
    let kept = || {
        let workspace = workspaces::workspace_of(site, order.existing.as_ref()?).ok()?;
        let request = workspace.read("request.md", None).ok()??;
        Some(String::from_utf8_lossy(&request).into_owned())
    };
    let request = match &order.way {
        Way::Begin { request } => request.clone(),
        _ => kept().unwrap_or_default(),
    };
    request.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}

/// The branch that is checked out, and the one the design will be made on.
fn branch(site: &Site, order: &Order, existing: Option<&Checkpoint>) -> Result<String, CommandError> {
    let facts = Facts::find(&site.root, &site.settings)?;
    let made = existing.and_then(|document| document.run.as_ref()?.branch.clone());
    let is_here = made.as_deref() == Some(facts.current.as_str());
    let made_here: Vec<&str> = made.as_deref().into_iter().collect();
    let current = if facts.current.is_empty() { "(detached)".to_owned() } else { facts.current.clone() };
    let feature = drive::shown_feature(&order.name);
    let began = existing.is_some_and(|document| document.phases.contains_key(PHASES[0]));
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

fn checkpoint(document: &Checkpoint) -> Vec<(String, String)> {
    let state = |phase: &str| match document.phases.get(phase).map(|phase| phase.status) {
        Some(PhaseStatus::Complete) => "complete",
        Some(PhaseStatus::InProgress) => "in progress",
        Some(PhaseStatus::Failed) => "failed",
        Some(PhaseStatus::Skipped) => "skipped",
        Some(PhaseStatus::Pending) | None => "pending",
    };
    PHASES.iter().map(|phase| ((*phase).to_owned(), state(phase).to_owned())).collect()
}

/// What is on record, and why it will be done again, if it will.
fn steps(site: &Site, document: &Checkpoint) -> Result<Vec<StepForecast>, CommandError> {
    Ok(forecast(document, &workspaces::workspace_of(site, document)?))
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

fn flags(manner: Manner, args: &DesignArgs) -> Vec<String> {
    let all = [
        (manner.auto, "--auto"),
        (manner.quick, "--quick"),
        (manner.no_checkpoint, "--no-checkpoint"),
        (args.subagent, "--subagent"),
        (args.resume, "--resume"),
        (args.fresh, "--fresh"),
        (args.dry_run, "--dry-run"),
    ];
    let mut flags: Vec<String> =
        all.iter().filter(|(set, _)| *set).map(|(_, name)| (*name).to_owned()).collect();
    flags.extend(args.phase.as_ref().map(|phase| format!("--phase={phase}")));
    flags
}

fn stage(
    phase: &str,
    order: &Order,
    existing: Option<&Checkpoint>,
    manner: Manner,
    seats: &Seating,
    steps: &[StepForecast],
) -> PreviewStage {
    let status = existing.and_then(|document| document.phases.get(phase)).map(|phase| phase.status);
    let place = |name: &str| PHASES.iter().position(|phase| *phase == name);
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
    let (brief, groups): (String, &[Group]) = match phase {
        "research" if manner.level != Level::Spec => (
            joined(&[
                ("survey, three researchers, context summary", true),
                ("pre-design gate", !manner.no_checkpoint),
            ]),
            &[Group::Researchers, Group::Lead],
        ),
        "write" if manner.level != Level::Spec => {
            (joined(&[("two files and a marker", true), ("post-design gate", !manner.no_checkpoint)]), &[])
        }
        "research" => (
            joined(&[
                ("survey, three researchers, context summary", true),
                ("your questions", !manner.auto),
                ("pre-design gate", !manner.no_checkpoint),
            ]),
            &[Group::Researchers, Group::Lead],
        ),
        "write" => (
            joined(&[
                ("two sketches", manner.quick),
                ("four sketches", !manner.quick),
                ("debate, plan, review and vote", true),
                ("discussion", !manner.auto),
                ("diagram, six files", true),
                ("post-design gate", !manner.no_checkpoint),
            ]),
            &[Group::Sketches, Group::Debaters, Group::Judges, Group::Reviewers, Group::Voters],
        ),
        _ => ("checks by rules, then the validator, one repair at most".to_owned(), &[]),
    };
    let seats = if matches!(state, StageState::Skipped | StageState::Complete) {
        Vec::new()
    } else {
        groups
            .iter()
            .map(|group| seats.of_group(*group))
            .chain((phase == "validate").then(|| seats.validator()))
            .collect()
    };
    PreviewStage { state, name: phase.to_owned(), brief, seats, again: again(phase, steps) }
}

fn joined(parts: &[(&str, bool)]) -> String {
    parts.iter().filter(|(_, is_part)| *is_part).map(|(part, _)| *part).collect::<Vec<_>>().join(", ")
}

/// Who would sit where, if nothing goes wrong.
struct Seating {
    rules: Rules,
    candidates: Vec<Candidate>,
    manner: Manner,
}

impl Seating {
    fn here(site: &Site, manner: Manner) -> Seating {
        let (roster, _) = room::roster(site);
        let candidates = room::candidates(site, &roster);
        Seating { rules: Rules::configured(&site.settings), candidates, manner }
    }

    fn is_only_embedded(&self) -> bool {
        !self.candidates.iter().any(|candidate| candidate.installed && candidate.name != EMBEDDED)
    }

    fn first(&self, seat: &Seat) -> String {
        let chain = chain_of(seat.id, &self.rules, &self.candidates);
        chain.into_iter().next().unwrap_or_else(|| "nobody".to_owned())
    }

    /// A group and its agents: by seat where they differ.
    fn of_group(&self, group: Group) -> (String, String) {
        let seats: Vec<&Seat> = match group {
            Group::Sketches => sketches(self.manner.quick).collect(),
            group => level_seats(self.manner.level).iter().filter(|seat| seat.group == Some(group)).collect(),
        };
        let taken: Vec<(String, String)> =
            seats.iter().map(|seat| (seat_label(seat), self.first(seat))).collect();
        let is_one = taken.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let who = match taken.as_slice() {
            [] => String::new(),
            [(_, agent), ..] if is_one => agent.clone(),
            _ if group == Group::Debaters => debaters(&taken),
            _ => taken.iter().map(|(seat, agent)| format!("{seat}: {agent}")).collect::<Vec<_>>().join(", "),
        };
        (group.name().to_owned(), who)
    }

    fn validator(&self) -> (String, String) {
        let seat = level_seats(self.manner.level).iter().find(|seat| seat.form == AnswerForm::Verdict);
        ("validator".to_owned(), seat.map(|seat| self.first(seat)).unwrap_or_default())
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
