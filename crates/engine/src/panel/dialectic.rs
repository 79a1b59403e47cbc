//! Dialectic: contested decisions are debated by two sides, judged by three, and recorded with their outcome.
//!
//! The debaters are chosen once and recorded, so a resumed run chooses the same. A failed debate does not stop the
//! run: the synthesis stands, and the record says why.

use super::calls::{Panel, step_id};
use super::labels::seat_label;
use super::quotes::cited_lines;
use super::seat_outcome::{SeatOutcome, ask_seat};
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::stage::StageHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::panel::buckets::{DebateAssignment, assign, skipped_warnings};
use charrette_model::panel::debate::{DebateSide, STATUS_OK, SeatAnswer, check_quorum};
use charrette_model::panel::decisions::{Decision, MAX_DEBATED, read_decisions};
use charrette_model::panel::dialectic::{
    BallotDecision, BallotRequest, DebatedDecision, Judge, JudgedDecision, JudgesRequest, build_ballot,
    subject_names, tally_judges, write_vote_record,
};
use charrette_model::panel::file_names::{CONTESTED, DIALECTIC_BALLOT, REQUEST, RESOLUTIONS};
use charrette_model::panel::resolutions::{DecisionResolution, count_dispositions, write_resolutions};
use charrette_model::seats::SeatGroup;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Has the contested decisions debated and judged.
pub async fn resolve(phase: &PhaseHandle<'_>, panel: &Panel, contested: &Artifact) -> FlowResult<()> {
    let stage = phase.stage("2a.5");
    let decisions = assign_debates(phase, contested).await?;
    if decisions.is_empty() {
        stage.skip("no contested decisions");
        return Ok(());
    }
    let assignments: Vec<DebateAssignment> = decisions.iter().map(|contested| contested.assignment).collect();
    for warning in skipped_warnings(&assignments) {
        phase.warn(warning);
    }
    let debates = hold_debates(phase, &stage, panel, &decisions).await?;
    let on_ballot = write_ballot(phase, &debates).await?;
    let judges = if on_ballot.is_empty() { Vec::new() } else { ask_judges(phase, &stage, panel).await? };
    let summary = record_resolutions(phase, &decisions, &debates, &judges).await?;
    for warning in summary.warnings {
        phase.warn(warning);
    }
    stage.report_votes("contested decisions", summary.outcomes);
    stage.show_document("Dialectic Resolutions", RESOLUTIONS);
    stage.finish(summary.counted);
    Ok(())
}

/// A contested decision and its debate assignment. Recorded: field names are a stored format.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ContestedDecision {
    decision: Decision,
    rank: usize,
    assignment: DebateAssignment,
    /// Agent that debates both sides, each in a call of its own.
    agent: Option<String>,
}

/// Debate of a decision: the outcomes of thesis and antithesis.
#[derive(Debug, Clone)]
struct Debate {
    n: u32,
    sides: [SeatOutcome; 2],
}

/// Assigns debaters to the contested decisions, once.
async fn assign_debates(phase: &PhaseHandle<'_>, contested: &Artifact) -> FlowResult<Vec<ContestedDecision>> {
    let speakers: HashMap<usize, String> =
        (1..=MAX_DEBATED).filter_map(|rank| Some((rank, speaker(phase, rank)?))).collect();
    let step = Step::new("dialectic/buckets").reads(contested);
    phase
        .step(step, move |context| async move {
            let read = read_decisions(&context.text(CONTESTED)?);
            let assignments = assign(&read, |rank| speakers.contains_key(&rank));
            let ranked = (1..).zip(read.contested.into_iter().zip(assignments));
            let contested = |(rank, (decision, assignment)): (usize, (Decision, DebateAssignment))| {
                let debated = matches!(assignment, DebateAssignment::Debated(_));
                let agent = speakers.get(&rank).filter(|_| debated).cloned();
                ContestedDecision { decision, rank, assignment, agent }
            };
            Ok(ranked.map(contested).collect::<Vec<ContestedDecision>>())
        })
        .await
}

/// First agent that may debate both sides of the decision with this rank. Both sides come from one agent, so that judges
/// cannot recognise a side by its style.
fn speaker(phase: &PhaseHandle<'_>, rank: usize) -> Option<String> {
    let [thesis, antithesis] = DebateSide::BOTH.map(|side| phase.chain(&debater_id(rank, side)));
    thesis.into_iter().find(|agent| antithesis.contains(agent))
}

fn debater_id(rank: usize, side: DebateSide) -> String {
    format!("debate-{rank}-{}", side.role())
}

async fn hold_debates(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
    decisions: &[ContestedDecision],
) -> FlowResult<Vec<Debate>> {
    let debated: Vec<(&ContestedDecision, &str)> =
        decisions.iter().filter_map(|contested| Some((contested, contested.agent.as_deref()?))).collect();
    let sides: Vec<DebateTurn<'_>> = debated
        .iter()
        .flat_map(|(contested, agent)| DebateSide::BOTH.map(|side| DebateTurn { contested, agent, side }))
        .collect();
    if sides.is_empty() {
        return Ok(Vec::new());
    }
    stage.show_lanes(
        "Debate",
        sides.iter().map(|turn| {
            let label = format!("{} {}", turn.contested.decision.n, turn.side.role());
            (format!("debate/{}", turn.name()), label)
        }),
    );
    let named = sides.into_iter().map(|turn| (turn.name(), turn));
    let outcomes = phase.parallel("debate", named, |turn| ask_debater(phase, panel, turn)).await?;
    let pairs = outcomes.chunks_exact(2).zip(&debated);
    Ok(pairs
        .map(|(pair, (contested, _))| Debate {
            n: contested.decision.n,
            sides: [pair[0].clone(), pair[1].clone()],
        })
        .collect())
}

/// One side of a debate and the agent that defends it.
struct DebateTurn<'a> {
    contested: &'a ContestedDecision,
    agent: &'a str,
    side: DebateSide,
}

impl DebateTurn<'_> {
    /// Name of the parallel branch: `1-thesis`.
    fn name(&self) -> String {
        format!("{}-{}", self.contested.rank, self.side.role())
    }
}

async fn ask_debater(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    turn: DebateTurn<'_>,
) -> FlowResult<SeatOutcome> {
    let DebateTurn { contested, agent, side } = turn;
    let assignment = panel.seat(&debater_id(contested.rank, side))?.decision(&contested.decision);
    let seat = assignment.seat();
    let decision = Input::given("decision", &contested.decision);
    let call = assignment.call()?.reads(&decision).chain([agent]).may_fail();
    Ok(SeatOutcome { seat, outcome: phase.agent_outcome(call).await? })
}

/// Writes the ballot of the debates with a quorum. Returns the numbers of the decisions on it.
async fn write_ballot(phase: &PhaseHandle<'_>, debates: &[Debate]) -> FlowResult<Vec<u32>> {
    let step = read_defenses(Step::new("dialectic/ballot").reads(REQUEST).reads(CONTESTED), debates);
    let sides = side_files(debates);
    let quotes = cited_lines(phase);
    phase
        .step(step, move |context| async move {
            let subject = [context.text(REQUEST)?, context.text(CONTESTED)?];
            let names_kept = subject_names(subject.iter().map(String::as_str));
            let request = BallotRequest { decisions: debated_decisions(&context, &sides)?, names_kept };
            let built = build_ballot(&request, &*quotes);
            if !built.ballot.is_empty() {
                context.write(DIALECTIC_BALLOT, &built.ballot)?;
            }
            Ok(built.positions.into_keys().collect::<Vec<u32>>())
        })
        .await
}

async fn ask_judges(
    phase: &PhaseHandle<'_>,
    stage: &StageHandle<'_>,
    panel: &Panel,
) -> FlowResult<Vec<SeatOutcome>> {
    let judges = panel.group(SeatGroup::Judges);
    stage.show_lanes("Judges", judges.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = judges.into_iter().map(|seat| (seat.id, seat));
    phase.parallel("judges", named, |seat| ask_seat(phase, panel, seat)).await
}

/// Recorded result of the step that closes the dialectic.
#[derive(Debug, Default, Serialize, Deserialize)]
struct DialecticSummary {
    counted: String,
    outcomes: BTreeMap<String, usize>,
    warnings: Vec<String>,
}

/// Tallies the judges and writes the resolution of every decision.
async fn record_resolutions(
    phase: &PhaseHandle<'_>,
    decisions: &[ContestedDecision],
    debates: &[Debate],
    judges: &[SeatOutcome],
) -> FlowResult<DialecticSummary> {
    let mut step = read_defenses(Step::new("dialectic/resolutions").reads(CONTESTED), debates)
        // Recorded input name: do not rename.
        .reads(&Input::given("bouts", &decisions));
    for judge in judges {
        step = step.reads(&judge.inputs());
    }
    let (contested, sides) = (decisions.to_vec(), side_files(debates));
    let judges: Vec<(Judge, Option<String>)> = judges
        .iter()
        .map(|judge| {
            let agent = judge.outcome.agent.clone().unwrap_or_default();
            let vendor = phase.vendor(&agent);
            (Judge { name: seat_label(judge.seat), agent, vendor, ..Judge::default() }, judge.file_name())
        })
        .collect();
    phase
        .step(step, move |context| async move {
            let debated = debated_decisions(&context, &sides)?;
            let judges = judges.into_iter().map(|(judge, file)| {
                let answer = read_answer(&context, file.as_deref())?;
                Ok(Judge { status: answer.status, text: answer.text, ..judge })
            });
            let judges = judges.collect::<Result<Vec<Judge>, StepError>>()?;
            let on_ballot = debated.iter().filter(|on| check_quorum(&on.thesis, &on.antithesis).is_ok());
            let author = |n: u32| {
                let debated = contested.iter().find(|contested| contested.decision.n == n);
                debated.and_then(|contested| contested.agent.clone()).unwrap_or_default()
            };
            let decisions = on_ballot.map(|on| BallotDecision { n: on.n, author: author(on.n) }).collect();
            let tally = tally_judges(&JudgesRequest { decisions, judges });
            let resolutions: Vec<DecisionResolution> =
                contested.iter().map(|one| resolution(one, &debated, &tally.decisions)).collect();
            context.write(RESOLUTIONS, write_resolutions(&resolutions) + &write_vote_record(&tally))?;
            let mut outcomes = BTreeMap::new();
            for resolution in &resolutions {
                *outcomes.entry(resolution.outcome.disposition().name().to_owned()).or_default() += 1;
            }
            Ok(DialecticSummary {
                counted: count_dispositions(&resolutions),
                outcomes,
                warnings: tally.warnings,
            })
        })
        .await
}

fn resolution(
    contested: &ContestedDecision,
    debated: &[DebatedDecision],
    judged: &[JudgedDecision],
) -> DecisionResolution {
    let decision = &contested.decision;
    match contested.assignment {
        DebateAssignment::OverCap => return DecisionResolution::over_cap(decision, contested.rank),
        DebateAssignment::BucketSkipped(bucket) => {
            return DecisionResolution::bucket_skipped(decision, bucket);
        }
        DebateAssignment::Debated(_) => {}
    }
    let silent = SeatAnswer::default();
    let on = debated.iter().find(|on| on.n == decision.n);
    let (thesis, antithesis) = on.map_or((&silent, &silent), |on| (&on.thesis, &on.antithesis));
    match (check_quorum(thesis, antithesis), judged.iter().find(|judged| judged.n == decision.n)) {
        (Ok(defenses), Some(judged)) => DecisionResolution::from_judges(decision, judged, defenses),
        (Err(failures), _) => DecisionResolution::without_quorum(decision, &failures),
        (Ok(_), None) => DecisionResolution::without_quorum(decision, &[]),
    }
}

/// Numbers of the debated decisions, with the defense files of both sides.
type SideFiles = Vec<(u32, [Option<String>; 2])>;

fn side_files(debates: &[Debate]) -> SideFiles {
    debates.iter().map(|debate| (debate.n, [0, 1].map(|side| debate.sides[side].file_name()))).collect()
}

fn read_defenses(mut step: Step, debates: &[Debate]) -> Step {
    for side in debates.iter().flat_map(|debate| &debate.sides) {
        step = step.reads(&side.inputs());
    }
    step
}

fn debated_decisions(context: &StepContext, sides: &SideFiles) -> Result<Vec<DebatedDecision>, StepError> {
    let contested = read_decisions(&context.text(CONTESTED)?).contested;
    let known = |n: u32| contested.iter().find(|decision| decision.n == n);
    let mut debated = Vec::new();
    for (n, [thesis, antithesis]) in sides {
        let Some(decision) = known(*n) else { continue };
        debated.push(DebatedDecision {
            n: *n,
            title: decision.title.clone(),
            chosen: decision.chosen.clone(),
            alternative: decision.alternative.clone(),
            tension: decision.tension.clone(),
            thesis: read_answer(context, thesis.as_deref())?,
            antithesis: read_answer(context, antithesis.as_deref())?,
        });
    }
    Ok(debated)
}

fn read_answer(context: &StepContext, file: Option<&str>) -> Result<SeatAnswer, StepError> {
    match file {
        Some(file) => Ok(SeatAnswer { status: STATUS_OK.to_owned(), text: context.text(file)? }),
        None => Ok(SeatAnswer { status: "NO_ANSWER".to_owned(), text: String::new() }),
    }
}
