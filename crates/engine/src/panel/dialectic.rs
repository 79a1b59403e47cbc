//! Contested decisions: debated by two sides, judged by three, and put on record whatever came of them.
//!
//! Who can debate is decided once and recorded, so a run that is resumed decides the same. A debate that fails
//! stops nothing: the synthesis stands, and the record says why.

use super::desk::{Desk, step_id};
use super::labels::seat_label;
use super::taken::{Taken, asked};
use crate::artifact::{Artifact, Input};
use crate::run::PhaseHandle;
use crate::stage::Stage;
use crate::step::{Step, StepContext, StepError};
use crate::stop::Flow;
use charrette_model::panel::buckets::{Assignment, assign, skipped_warnings};
use charrette_model::panel::debate::{Answer, STATUS_OK, Side, quorum};
use charrette_model::panel::decisions::{DEBATED_AT_MOST, Decision, read_decisions};
use charrette_model::panel::dialectic::{
    BallotRequest, DebatedDecision, Judge, JudgedDecision, JudgesRequest, OnBallot, build_ballot,
    tally_judges,
};
use charrette_model::panel::names::{CONTESTED, DIALECTIC_BALLOT, RESOLUTIONS};
use charrette_model::panel::resolutions::{Resolution, count_dispositions, write_resolutions};
use charrette_model::seats::Group;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What became of the contested decisions.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    /// Who took which seat, for the record: (seat, agent).
    pub seated: Vec<(String, String)>,
}

/// Has the contested decisions debated and judged.
pub async fn resolve(write: &PhaseHandle<'_>, desk: &Desk, contested: &Artifact) -> Flow<Resolved> {
    let stage = write.stage("2a.5");
    let bouts = bouts(write, contested).await?;
    if bouts.is_empty() {
        stage.skipped("no contested decisions");
        return Ok(Resolved::default());
    }
    let assignments: Vec<Assignment> = bouts.iter().map(|bout| bout.assignment).collect();
    for warning in skipped_warnings(&assignments) {
        write.warn(warning);
    }
    let debates = debate(write, &stage, desk, &bouts).await?;
    let votable = ballot(write, &debates).await?;
    let judges = if votable.is_empty() { Vec::new() } else { judge(write, &stage, desk).await? };
    let closing = settle(write, &bouts, &debates, &judges).await?;
    for warning in closing.warnings {
        write.warn(warning);
    }
    stage.tallied("contested decisions", closing.outcomes);
    stage.show("Dialectic Resolutions", RESOLUTIONS);
    stage.done(closing.counted);
    let seats = debates.iter().flat_map(|debate| debate.sides.iter()).chain(&judges);
    Ok(Resolved { seated: seats.filter_map(Taken::who).collect() })
}

/// One contested decision, and who debates it.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Bout {
    decision: Decision,
    rank: usize,
    assignment: Assignment,
    /// The one who speaks for both sides, each in a call of its own.
    agent: Option<String>,
}

/// A decision that was debated: (thesis, antithesis).
#[derive(Debug, Clone)]
struct Debate {
    n: u32,
    sides: [Taken; 2],
}

/// Decides who debates what, once.
async fn bouts(write: &PhaseHandle<'_>, contested: &Artifact) -> Flow<Vec<Bout>> {
    let able: HashMap<usize, String> =
        (1..=DEBATED_AT_MOST).filter_map(|rank| Some((rank, speaker(write, rank)?))).collect();
    let step = Step::new("dialectic/buckets").reads(contested);
    write
        .step(step, move |context| async move {
            let read = read_decisions(&context.text(CONTESTED)?);
            let assignments = assign(&read, |rank| able.contains_key(&rank));
            let ranked = (1..).zip(read.contested.into_iter().zip(assignments));
            let bout = |(rank, (decision, assignment)): (usize, (Decision, Assignment))| {
                let debated = matches!(assignment, Assignment::Debated(_));
                let agent = able.get(&rank).filter(|_| debated).cloned();
                Bout { decision, rank, assignment, agent }
            };
            Ok(ranked.map(bout).collect::<Vec<Bout>>())
        })
        .await
}

/// Whoever may speak for both sides of the decision with this rank: a side must not be known by its voice.
fn speaker(write: &PhaseHandle<'_>, rank: usize) -> Option<String> {
    let [thesis, antithesis] = Side::BOTH.map(|side| write.chain(&debater_id(rank, side)));
    thesis.into_iter().find(|agent| antithesis.contains(agent))
}

fn debater_id(rank: usize, side: Side) -> String {
    format!("debate-{rank}-{}", side.role())
}

async fn debate(
    write: &PhaseHandle<'_>,
    stage: &Stage<'_>,
    desk: &Desk,
    bouts: &[Bout],
) -> Flow<Vec<Debate>> {
    let debated: Vec<(&Bout, &str)> =
        bouts.iter().filter_map(|bout| Some((bout, bout.agent.as_deref()?))).collect();
    let sides: Vec<(&Bout, &str, Side)> =
        debated.iter().flat_map(|(bout, agent)| Side::BOTH.map(|side| (*bout, *agent, side))).collect();
    if sides.is_empty() {
        return Ok(Vec::new());
    }
    stage.lanes(
        "Debate",
        sides.iter().map(|(bout, _, side)| {
            (format!("debate/{}-{}", bout.rank, side.role()), format!("{} {}", bout.decision.n, side.role()))
        }),
    );
    let named = sides
        .into_iter()
        .map(|(bout, agent, side)| (format!("{}-{}", bout.rank, side.role()), (bout, agent, side)));
    let taken = write.parallel("debate", named, |side| debater(write, desk, side)).await?;
    let pairs = taken.chunks_exact(2).zip(&debated);
    Ok(pairs
        .map(|(pair, (bout, _))| Debate { n: bout.decision.n, sides: [pair[0].clone(), pair[1].clone()] })
        .collect())
}

async fn debater(
    write: &PhaseHandle<'_>,
    desk: &Desk,
    (bout, agent, side): (&Bout, &str, Side),
) -> Flow<Taken> {
    let assignment = desk.seat(&debater_id(bout.rank, side))?.decision(&bout.decision);
    let seat = assignment.seat();
    let call = assignment.call()?.chain([agent]).may_fail();
    Ok(Taken { seat, came: write.seated(call).await? })
}

/// Puts what can be judged on a ballot. Returns the numbers of the decisions on it.
async fn ballot(write: &PhaseHandle<'_>, debates: &[Debate]) -> Flow<Vec<u32>> {
    let step = reading(Step::new("dialectic/ballot").reads(CONTESTED), debates);
    let names = names(debates);
    write
        .step(step, move |context| async move {
            let request = BallotRequest { decisions: debated(&context, &names)? };
            let built = build_ballot(&request);
            if !built.ballot.is_empty() {
                context.write(DIALECTIC_BALLOT, &built.ballot)?;
            }
            Ok(built.positions.into_keys().collect::<Vec<u32>>())
        })
        .await
}

async fn judge(write: &PhaseHandle<'_>, stage: &Stage<'_>, desk: &Desk) -> Flow<Vec<Taken>> {
    let judges = desk.group(Group::Judges);
    stage.lanes("Judges", judges.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = judges.into_iter().map(|seat| (seat.id, seat));
    write.parallel("judges", named, |seat| asked(write, desk, seat)).await
}

/// What the step that closes the dialectic says.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Closing {
    counted: String,
    outcomes: BTreeMap<String, usize>,
    warnings: Vec<String>,
}

/// Writes down what became of every decision.
async fn settle(
    write: &PhaseHandle<'_>,
    bouts: &[Bout],
    debates: &[Debate],
    judges: &[Taken],
) -> Flow<Closing> {
    let mut step = reading(Step::new("dialectic/resolutions").reads(CONTESTED), debates)
        .reads(&Input::given("bouts", &bouts));
    for judge in judges {
        step = step.reads(&judge.inputs());
    }
    let (bouts, sides) = (bouts.to_vec(), names(debates));
    let judges: Vec<(String, Option<String>)> =
        judges.iter().map(|judge| (seat_label(judge.seat), judge.name())).collect();
    write
        .step(step, move |context| async move {
            let debated = debated(&context, &sides)?;
            let judges = judges.into_iter().map(|(name, file)| {
                let answer = answer(&context, file.as_deref())?;
                Ok(Judge { name, status: answer.status, text: answer.text })
            });
            let judges = judges.collect::<Result<Vec<Judge>, StepError>>()?;
            let on_ballot = debated.iter().filter(|on| quorum(&on.thesis, &on.antithesis).is_ok());
            let decisions = on_ballot.map(|on| OnBallot { n: on.n }).collect();
            let tally = tally_judges(&JudgesRequest { decisions, judges });
            let resolutions: Vec<Resolution> =
                bouts.iter().map(|bout| resolution(bout, &debated, &tally.decisions)).collect();
            context.write(RESOLUTIONS, write_resolutions(&resolutions))?;
            let mut outcomes = BTreeMap::new();
            for resolution in &resolutions {
                *outcomes.entry(resolution.outcome.disposition().name().to_owned()).or_default() += 1;
            }
            Ok(Closing { counted: count_dispositions(&resolutions), outcomes, warnings: tally.warnings })
        })
        .await
}

fn resolution(bout: &Bout, debated: &[DebatedDecision], judged: &[JudgedDecision]) -> Resolution {
    let decision = &bout.decision;
    match bout.assignment {
        Assignment::OverCap => return Resolution::over_cap(decision, bout.rank),
        Assignment::BucketSkipped(bucket) => return Resolution::bucket_skipped(decision, bucket),
        Assignment::Debated(_) => {}
    }
    let silent = Answer::default();
    let on = debated.iter().find(|on| on.n == decision.n);
    let (thesis, antithesis) = on.map_or((&silent, &silent), |on| (&on.thesis, &on.antithesis));
    match (quorum(thesis, antithesis), judged.iter().find(|judged| judged.n == decision.n)) {
        (Ok(defenses), Some(judged)) => Resolution::judged(decision, judged, defenses),
        (Err(failures), _) => Resolution::without_quorum(decision, &failures),
        (Ok(_), None) => Resolution::without_quorum(decision, &[]),
    }
}

/// The decisions that were debated, by number, with the files of both sides.
type Sides = Vec<(u32, [Option<String>; 2])>;

fn names(debates: &[Debate]) -> Sides {
    debates.iter().map(|debate| (debate.n, [0, 1].map(|side| debate.sides[side].name()))).collect()
}

fn reading(mut step: Step, debates: &[Debate]) -> Step {
    for side in debates.iter().flat_map(|debate| &debate.sides) {
        step = step.reads(&side.inputs());
    }
    step
}

fn debated(context: &StepContext, sides: &Sides) -> Result<Vec<DebatedDecision>, StepError> {
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
            thesis: answer(context, thesis.as_deref())?,
            antithesis: answer(context, antithesis.as_deref())?,
        });
    }
    Ok(debated)
}

fn answer(context: &StepContext, file: Option<&str>) -> Result<Answer, StepError> {
    match file {
        Some(file) => Ok(Answer { status: STATUS_OK.to_owned(), text: context.text(file)? }),
        None => Ok(Answer { status: "NO_ANSWER".to_owned(), text: String::new() }),
    }
}
