//! Runs the proof of a task.

use crate::error::AppError;
use crate::verify_run::CheckoutVerifier;
use charrette_engine::flows::implement::{command_of_proof, proof_run};
use charrette_engine::ports::verifier::CommandReport;
use charrette_model::config::VerifySettings;
use charrette_model::implement::{Proof, ProofVerdict, TaskProof, judge_green, judge_red};
use serde::Serialize;
use std::path::Path;

/// Outcome of running the proof of a task.
#[derive(Debug, Clone, Serialize)]
pub struct ProofResult {
    /// As in `tasks.md`.
    pub proof: String,
    /// True if the specification states none, and this one follows from the files of the task.
    pub is_derived: bool,
    pub verdict: ProofVerdict,
    pub holds: bool,
    /// One line about what it showed.
    pub showed: String,
    /// Output of the command that decided; empty if the proof holds.
    pub output: String,
}

impl ProofResult {
    fn new(proof: &TaskProof, verdict: ProofVerdict, output: &str) -> ProofResult {
        let holds = verdict.holds();
        ProofResult {
            proof: proof.proof.to_string(),
            is_derived: proof.is_derived,
            verdict,
            holds,
            showed: verdict.to_string(),
            output: if holds { String::new() } else { output.to_owned() },
        }
    }
}

/// Runs a proof in the checkout.
pub(super) async fn prove(
    verifier: &CheckoutVerifier<'_>,
    verify: &VerifySettings,
    folder: &Path,
    proof: &TaskProof,
) -> Result<ProofResult, AppError> {
    let Some(command) = command_of_proof(verify, &proof.proof) else {
        return Ok(without_command(proof));
    };
    let report: CommandReport = verifier.run_proof(folder, command).await?;
    let green = judge_green(&proof.proof, &proof_run(&report));
    Ok(ProofResult::new(proof, ProofVerdict { green, ..ProofVerdict::default() }, &report.output))
}

/// A proof that nothing runs: there is nothing to show, or no command that could show it.
fn without_command(proof: &TaskProof) -> ProofResult {
    if matches!(proof.proof, Proof::None(_)) {
        return ProofResult::new(proof, ProofVerdict::default(), "");
    }
    let showed = "no command runs it; set verify.test_one or verify.test".to_owned();
    ProofResult { holds: false, showed, ..ProofResult::new(proof, ProofVerdict::default(), "") }
}

/// Runs a proof that holds on the tree before the work, in a worktree that has the new tests: there it must fail.
pub(super) async fn prove_red(
    verifier: &CheckoutVerifier<'_>,
    verify: &VerifySettings,
    before: &Path,
    proof: &TaskProof,
    after: &ProofResult,
) -> Result<ProofResult, AppError> {
    let Some(command) = command_of_proof(verify, &proof.proof) else { return Ok(after.clone()) };
    let report = verifier.run_proof(before, command).await?;
    let red = judge_red(&proof.proof, &proof_run(&report));
    Ok(ProofResult::new(proof, ProofVerdict { red, ..after.verdict }, &report.output))
}
