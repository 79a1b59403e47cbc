//! Verify commands and the proof of a task, on the tree that its round left.
//!
//! A test proves something if it fails on the old tree with the task's test files laid over it (red), and the runner names
//! it as executed and passed on the new tree (green). Where the old tree does not build with them, red is weaker, and
//! recorded as such.

use super::attempt::{Attempt, Workplace};
use super::change::ChangeRecord;
use super::checks::{CheckResult, NamedCommand, proof_command, render_reports, run_on};
use super::work::Work;
use crate::artifact::Input;
use crate::ports::verifier::{CommandEnding, CommandReport, ProofCommand};
use crate::ports::worktrees::{ObjectId, Overlay};
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::config::{VerifyCommand, VerifySettings};
use charrette_model::implement::Proof;
use charrette_model::implement::verdict::{GreenState, ProofRun, ProofVerdict, judge_green, judge_red};
use serde::{Deserialize, Serialize};

/// Results of the commands on a change. Recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ChecksRecord {
    pub(super) results: Vec<CheckResult>,
    pub(super) proof: ProofRecord,
    /// File with the outputs.
    pub(super) file: String,
}

/// What the proof of a task showed. Recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ProofRecord {
    /// The proof, as the specification states it.
    pub(super) stated: String,
    pub(super) verdict: ProofVerdict,
}

impl ProofRecord {
    /// The result in words.
    pub(super) fn describe(&self) -> String {
        match self.verdict.green {
            GreenState::NotNeeded => self.stated.clone(),
            _ => format!("{}: {}", self.stated, self.verdict),
        }
    }

    fn problems(&self) -> Vec<String> {
        if self.verdict.holds() {
            return Vec::new();
        }
        vec![format!("the proof does not hold: {}", self.describe())]
    }
}

impl ChecksRecord {
    /// Why the change is not proven, one line each. Commands that failed before the run do not count.
    pub(super) fn problems(&self, work: &Work) -> Vec<String> {
        let red =
            self.results.iter().filter(|result| !result.is_green && !work.red_before.contains(&result.name));
        let red =
            red.map(|result| format!("{} is red: `{}`: {}", result.name, result.command, result.ending));
        red.chain(self.proof.problems()).collect()
    }
}

/// Runs the fast verify commands and the proof on the change of a round.
pub(super) async fn run_checks(
    attempt: &Attempt<'_>,
    place: &Workplace,
    round: usize,
    change: &ChangeRecord,
) -> FlowResult<ChecksRecord> {
    let file = attempt.file(&format!("checks-{round}.md"));
    let order = ChecksOrder {
        base: place.base.clone(),
        tree: change.tree.clone(),
        tests: change.tests.clone(),
        proof: attempt.task.proof.proof.clone(),
        stated: attempt.task.proof.to_string(),
        is_empty: change.files.is_empty(),
        is_redone: change.is_redone,
    };
    let step = Step::new(attempt.id(&format!("verify-{round}")))
        .reads(&attempt.inputs())
        .reads(&Input::given("change", &order));
    let (work, title) = (attempt.work.clone(), format!("Checks of {}, round {round}", attempt.name()));
    attempt
        .phase
        .step(step, move |context| async move {
            let done = check_change(&work, &order).await?;
            let shown: Vec<(&str, &CommandReport)> =
                done.reports.iter().map(|(name, report)| (name.as_str(), report)).collect();
            context.write(&file, render_reports(&title, &shown))?;
            Ok(ChecksRecord { results: done.results, proof: done.proof, file })
        })
        .await
}

/// What is checked.
#[derive(Debug, Clone, Serialize)]
struct ChecksOrder {
    base: ObjectId,
    tree: ObjectId,
    /// Changed test files.
    tests: Vec<String>,
    proof: Proof,
    stated: String,
    /// True if nothing was changed: a person's task may be outside of the repository.
    is_empty: bool,
    /// True if earlier work on the task is part of the old tree, so that the proof may hold there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_redone: bool,
}

struct Checked {
    results: Vec<CheckResult>,
    proof: ProofRecord,
    reports: Vec<(String, CommandReport)>,
}

async fn check_change(work: &Work, order: &ChecksOrder) -> Result<Checked, StepError> {
    let commands = fast_commands(work);
    let proof = proof_command_of(work, &order.proof);
    let all: Vec<NamedCommand> = commands.iter().cloned().chain(proof.clone()).collect();
    let mut reports = run_on(work, &order.tree, None, &all).await?;
    let green = proof.as_ref().and_then(|_| reports.pop());
    let results = commands
        .iter()
        .zip(&reports)
        .map(|(command, report)| CheckResult::new(&command.name, report))
        .collect();
    let mut shown: Vec<(String, CommandReport)> =
        commands.into_iter().map(|command| command.name).zip(reports).collect();
    let mut record = ProofRecord { stated: order.stated.clone(), ..ProofRecord::default() };
    if let (Some(command), Some(report)) = (proof, green) {
        record.verdict.green = judge_green(&order.proof, &proof_run(&report));
        shown.push(("proof on the new tree".to_owned(), report));
        if record.verdict.holds() && needs_red(order) {
            let overlay = Overlay { tree: order.tree.clone(), paths: order.tests.clone() };
            let overlay = Some(overlay).filter(|overlay| !overlay.paths.is_empty());
            let reports = run_on(work, &order.base, overlay, std::slice::from_ref(&command)).await?;
            for report in reports {
                record.verdict.red = judge_red(&order.proof, &proof_run(&report));
                shown.push(("proof on the old tree, with the new tests".to_owned(), report));
            }
        }
    }
    Ok(Checked { results, proof: record, reports: shown })
}

/// True if the proof must fail without the change. That of an older specification is the whole suite, which may pass.
fn needs_red(order: &ChecksOrder) -> bool {
    matches!(order.proof, Proof::Test(_) | Proof::Command(_)) && !order.is_empty && !order.is_redone
}

/// True if the proof holds on the tree that this command ran on.
pub(super) fn holds_on(proof: &Proof, report: &CommandReport) -> bool {
    let green = judge_green(proof, &proof_run(report));
    ProofVerdict { green, ..ProofVerdict::default() }.holds()
}

/// A command, as the rules of proofs see it.
pub fn proof_run(report: &CommandReport) -> ProofRun<'_> {
    ProofRun {
        is_green: report.is_green(),
        has_ended: report.ending == CommandEnding::Exited,
        output: &report.output,
    }
}

/// Commands for the change of one task.
pub(super) fn fast_commands(work: &Work) -> Vec<NamedCommand> {
    work.verify.for_task().into_iter().map(|(name, command)| named(work, name, command)).collect()
}

/// All verify commands.
pub(super) fn all_commands(work: &Work) -> Vec<NamedCommand> {
    let all = work.verify.all();
    let commands = if all.is_empty() { work.verify.for_task() } else { all };
    commands.into_iter().map(|(name, command)| named(work, name, command)).collect()
}

fn named(work: &Work, name: &str, command: &VerifyCommand) -> NamedCommand {
    NamedCommand { name: name.to_owned(), command: proof_command(command), network: work.verify.network }
}

/// Command that runs the proof; none if there is nothing to run. Proofs have no network: they are texts of an agent.
pub(super) fn proof_command_of(work: &Work, proof: &Proof) -> Option<NamedCommand> {
    let command = command_of_proof(&work.verify, proof)?;
    Some(NamedCommand { name: "proof".to_owned(), command, network: false })
}

/// Command that runs a proof; none if there is nothing to run, or nothing that could run it. Where one test cannot be run
/// by itself, all of them are.
pub fn command_of_proof(verify: &VerifySettings, proof: &Proof) -> Option<ProofCommand> {
    let suite = || verify.test.as_ref().or(verify.fast.as_ref()).map(proof_command);
    match proof {
        Proof::Test(name) => verify.one_test(name).ok().map(|command| proof_command(&command)).or_else(suite),
        Proof::Command(argv) => Some(ProofCommand::Argv(argv.clone())),
        Proof::Suite(_) => suite(),
        Proof::None(_) => None,
    }
}
