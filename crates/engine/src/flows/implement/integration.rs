//! Integration of accepted work: a trial merge with everything integrated since, verification of what will land, and a
//! compare-and-swap of the integration ref. Work that does not fit re-opens its own task and blocks nothing else.

use super::attempt::{Cause, ReopenSeat};
use super::checks::{CheckResult, render_reports, run_on};
use super::messages::commit_message;
use super::proofs::{fast_commands, holds_on, proof_command_of};
use super::state::{AcceptedWork, IntegratedTask};
use super::work::{Work, step_error};
use crate::artifact::{Artifact, Input};
use crate::ports::verifier::CommandReport;
use crate::ports::worktrees::{Advance, AdvanceOrder, CommitOrder, Merge, MergeOrder, ObjectId};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::{FlowResult, Stop};
use charrette_model::implement::ImplementTask;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Maximum number of times that a moved ref is looked at again.
const MAX_MOVES: usize = 5;

/// Result of an integration.
pub(super) enum Integration {
    Integrated(IntegratedTask),
    Reopened(Box<Reopened>),
}

/// Work that did not fit.
pub(super) struct Reopened {
    pub(super) cause: Cause,
    pub(super) reasons: Vec<String>,
    pub(super) evidence: String,
    pub(super) base: ObjectId,
    pub(super) content: ObjectId,
}

/// A trial merge with the tip that it was made with. Recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct TrialMerge {
    tip: ObjectId,
    /// True if nothing was integrated since the task began.
    is_straight: bool,
    merge: Merge,
}

/// Verification of a merged tree. Recorded.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct MergedChecks {
    results: Vec<CheckResult>,
    file: String,
}

/// A piece of accepted work, and where its steps are named.
pub(super) struct Piece<'a> {
    pub(super) phase: &'a PhaseHandle<'a>,
    pub(super) work: &'a Work,
    /// Prefix of its steps and files: the name of the attempt.
    pub(super) name: String,
    pub(super) task: &'a ImplementTask,
    pub(super) accepted: &'a AcceptedWork,
}

impl Piece<'_> {
    fn id(&self, step: &str) -> String {
        format!("{}/{step}", self.name)
    }

    fn input(&self) -> Input {
        Input::given("work", self.accepted)
    }
}

/// Integrates the work of a task.
pub(super) async fn integrate(piece: &Piece<'_>) -> FlowResult<Integration> {
    let done = |commit: Option<ObjectId>| IntegratedTask {
        id: piece.task.id.clone(),
        title: piece.task.title.clone(),
        commit,
        summary: piece.accepted.summary.clone(),
        files: piece.accepted.files.clone(),
    };
    if piece.accepted.files.is_empty() {
        return Ok(Integration::Integrated(done(None)));
    }
    let commit = commit_work(piece).await?;
    for move_number in 1..=MAX_MOVES {
        let trial = try_merge(piece, &commit, move_number).await?;
        let tree = match &trial.merge {
            Merge::Clean(tree) => tree.clone(),
            Merge::Conflict(conflict) => {
                let reasons =
                    vec![format!("conflicts with integrated work in {}", conflict.paths.join(", "))];
                let content = conflict.tree.clone();
                let seat = ReopenSeat::ConflictFixer;
                let details = conflict.messages.clone();
                return reopen(piece, move_number, &trial.tip, Mend { seat, content, reasons, details })
                    .await;
            }
            Merge::LosesLines(lines) => {
                let reasons = vec![format!("merging it would lose {} lines that others added", lines.len())];
                let mend = Mend {
                    seat: ReopenSeat::Implementer,
                    content: trial.tip.clone(),
                    reasons,
                    details: format!("Lines that would be lost:\n\n{}\n", lines.join("\n")),
                };
                return reopen(piece, move_number, &trial.tip, mend).await;
            }
        };
        if !trial.is_straight {
            let checks = verify_merged(piece, &tree, move_number).await?;
            let red: Vec<String> = checks
                .results
                .iter()
                .filter(|result| !result.is_green && !piece.work.red_before.contains(&result.name))
                .map(|result| {
                    format!("{} is red together with integrated work: {}", result.name, result.ending)
                })
                .collect();
            if !red.is_empty() && !piece.accepted.is_taken {
                let mend = Mend {
                    seat: ReopenSeat::Implementer,
                    content: tree,
                    reasons: red,
                    details: String::new(),
                };
                return reopen_with(piece, move_number, &trial.tip, mend, Some(&checks.file)).await;
            }
        }
        let landing = if trial.is_straight {
            commit.clone()
        } else {
            commit_merged(piece, &tree, &trial.tip, move_number).await?
        };
        match advance(piece, &trial.tip, &landing, move_number).await? {
            Advance::Moved => return Ok(Integration::Integrated(done(Some(landing)))),
            Advance::Elsewhere(_) => {}
        }
    }
    Err(Stop::Failed(format!(
        "{}: the integration ref moved {MAX_MOVES} times while its work was being integrated",
        piece.task.id
    )))
}

/// Makes the commit of a task on the commit it began at.
async fn commit_work(piece: &Piece<'_>) -> FlowResult<ObjectId> {
    let order = CommitOrder {
        run: piece.work.run.clone(),
        name: piece.task.id.clone(),
        tree: piece.accepted.tree.clone(),
        parent: piece.accepted.base.clone(),
        message: commit_message(piece.work, piece.task, piece.accepted),
    };
    let step = Step::new(piece.id("commit")).reads(&piece.input());
    let worktrees = piece.work.worktrees.clone();
    piece.phase.step(step, move |_| async move { worktrees.commit(order).await.map_err(step_error) }).await
}

async fn try_merge(piece: &Piece<'_>, commit: &ObjectId, number: usize) -> FlowResult<TrialMerge> {
    let step = Step::new(piece.id(&format!("merge-{number}"))).reads(&Input::given("commit", commit));
    let (worktrees, run) = (piece.work.worktrees.clone(), piece.work.run.clone());
    let (base, tree, commit) = (piece.accepted.base.clone(), piece.accepted.tree.clone(), commit.clone());
    piece
        .phase
        .step(step, move |_| async move {
            let tip = worktrees.tip(run).await.map_err(step_error)?;
            if tip == base || tip == commit {
                // The second case: an attempt that was killed had moved the ref.
                return Ok(TrialMerge { tip: base, is_straight: true, merge: Merge::Clean(tree) });
            }
            let order = MergeOrder { base, tip: tip.clone(), commit };
            let merge = worktrees.merge(order).await.map_err(step_error)?;
            Ok(TrialMerge { tip, is_straight: false, merge })
        })
        .await
}

/// Runs the verify commands and the proof on what will land.
async fn verify_merged(piece: &Piece<'_>, tree: &ObjectId, number: usize) -> FlowResult<MergedChecks> {
    let file = format!("tasks/{}/merged-{number}.md", piece.name);
    let step = Step::new(piece.id(&format!("verify-merged-{number}"))).reads(&Input::given("tree", tree));
    let (work, tree, title) =
        (piece.work.clone(), tree.clone(), format!("Checks of {} after its merge", piece.name));
    let proof = piece.task.proof.proof.clone();
    piece
        .phase
        .step(step, move |context| async move {
            let mut commands = fast_commands(&work);
            let verified = commands.len();
            commands.extend(proof_command_of(&work, &proof));
            let reports = run_on(&work, &tree, None, &commands).await?;
            let shown: Vec<(&str, &CommandReport)> =
                commands.iter().map(|command| command.name.as_str()).zip(&reports).collect();
            context.write(&file, render_reports(&title, &shown))?;
            let mut results: Vec<CheckResult> =
                shown.iter().map(|(name, report)| CheckResult::new(name, report)).collect();
            for (result, report) in results.iter_mut().zip(&reports).skip(verified) {
                result.is_green = holds_on(&proof, report);
            }
            Ok(MergedChecks { results, file })
        })
        .await
}

/// Makes the commit that lands: the merged tree on the tip.
async fn commit_merged(
    piece: &Piece<'_>,
    tree: &ObjectId,
    tip: &ObjectId,
    number: usize,
) -> FlowResult<ObjectId> {
    let order = CommitOrder {
        run: piece.work.run.clone(),
        name: piece.task.id.clone(),
        tree: tree.clone(),
        parent: tip.clone(),
        message: commit_message(piece.work, piece.task, piece.accepted),
    };
    let step =
        Step::new(piece.id(&format!("commit-merged-{number}"))).reads(&Input::given("merged", &(tree, tip)));
    let worktrees = piece.work.worktrees.clone();
    piece.phase.step(step, move |_| async move { worktrees.commit(order).await.map_err(step_error) }).await
}

/// Moves the integration ref. The commit is on record before.
async fn advance(piece: &Piece<'_>, tip: &ObjectId, commit: &ObjectId, number: usize) -> FlowResult<Advance> {
    advance_ref(piece.phase, piece.work, &piece.id(&format!("integrate-{number}")), tip, commit).await
}

/// Moves the integration ref from `tip` to `commit` in a step of that id.
pub(super) async fn advance_ref(
    phase: &PhaseHandle<'_>,
    work: &Work,
    id: &str,
    tip: &ObjectId,
    commit: &ObjectId,
) -> FlowResult<Advance> {
    let order = AdvanceOrder { run: work.run.clone(), expected: tip.clone(), commit: commit.clone() };
    let step = Step::new(id).reads(&Input::given("commits", &(tip, commit))).moves_ref();
    let worktrees = work.worktrees.clone();
    phase.step(step, move |_| async move { worktrees.advance(order).await.map_err(step_error) }).await
}

/// A change that has to be mended, and why.
struct Mend {
    seat: ReopenSeat,
    content: ObjectId,
    reasons: Vec<String>,
    details: String,
}

async fn reopen(piece: &Piece<'_>, number: usize, tip: &ObjectId, mend: Mend) -> FlowResult<Integration> {
    reopen_with(piece, number, tip, mend, None).await
}

/// Writes the evidence for the next attempt.
async fn reopen_with(
    piece: &Piece<'_>,
    number: usize,
    tip: &ObjectId,
    mend: Mend,
    outputs: Option<&str>,
) -> FlowResult<Integration> {
    let Mend { seat, content, reasons, details } = mend;
    let evidence = format!("tasks/{}/evidence-merge-{number}.md", piece.name);
    let mut step = Step::new(piece.id(&format!("reopen-{number}")))
        .reads(&Input::given("problem", &(tip, &content, &reasons, &details)));
    step = outputs.iter().fold(step, |step, file| step.reads(&Artifact::named(*file)));
    let (file, outputs) = (evidence.clone(), outputs.map(str::to_owned));
    let (work, accepted, lines) = (piece.work.clone(), piece.accepted.clone(), reasons.clone());
    let newest = tip.clone();
    piece
        .phase
        .step::<(), _>(step, move |context| async move {
            let mut page = "# The work does not fit with what others integrated\n\n".to_owned();
            // Writing to a string cannot fail.
            for reason in &lines {
                let _ = writeln!(page, "- {reason}");
            }
            let _ = write!(page, "\n{}\n", details.trim());
            if let Some(outputs) = outputs {
                let _ = write!(page, "\n{}", context.text(&outputs)?);
            }
            for (title, from, to) in [
                ("The change of this task", &accepted.base, &accepted.tree),
                ("What others integrated since", &accepted.base, &newest),
            ] {
                let diff =
                    work.worktrees.diff(from.clone(), to.clone(), 64 * 1024).await.map_err(step_error)?;
                let _ = write!(page, "\n## {title}\n\n{}\n", crate::prompt::fence(diff.text.trim_end()));
            }
            context.write(&file, page)
        })
        .await?;
    let cause =
        Cause::Reopened { seat, base: tip.clone(), content: content.clone(), evidence: evidence.clone() };
    Ok(Integration::Reopened(Box::new(Reopened { cause, reasons, evidence, base: tip.clone(), content })))
}
