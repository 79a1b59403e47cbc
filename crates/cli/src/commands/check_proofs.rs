//! `charrette check --proofs`: proofs of tasks, run without a model.

use crate::invocation::Invocation;
use crate::{output, runtime, trusted_site};
use charrette_app::check::{SpecCheck, check as check_spec};
use charrette_app::tasks::listing::SpecTasks;
use charrette_app::tasks::proofs::{CheckedProof, ProofState, check_proofs as check};
use charrette_app::verify_run::CheckoutVerifier;
use charrette_app::{AppError, Site};
use charrette_model::escape::printable;
use serde_json::{Value, json};
use std::process::ExitCode;

/// A specification with the results of its checks.
struct CheckedSpec {
    files: SpecCheck,
    proofs: Vec<CheckedProof>,
}

impl CheckedSpec {
    fn passed(&self) -> bool {
        self.files.passed && !self.proofs.iter().any(CheckedProof::is_wrong)
    }

    fn to_json(&self) -> Value {
        json!({
            "feature": self.files.feature,
            "passed": self.passed(),
            "issues": self.files.issues,
            "proofs": self.proofs,
        })
    }
}

/// Checks files and proofs of one specification, or of all that have tasks.
pub(super) fn check_proofs(invocation: &Invocation, feature: Option<&str>) -> Result<ExitCode, AppError> {
    let site = trusted_site::open(invocation)?;
    let all = match feature {
        Some(feature) => vec![SpecTasks::open(&site, "check", Some(feature))?],
        None => SpecTasks::open_all(&site)?,
    };
    for tasks in &all {
        tasks.require_approval(&site)?;
    }
    let checked = runtime::block_on(async |cancel| {
        let verifier = CheckoutVerifier::open(&site, &cancel)?;
        let mut checked = Vec::new();
        for tasks in &all {
            checked.push(check_one(invocation, &site, tasks, &verifier).await?);
        }
        Ok(checked)
    })?;
    let passed = checked.iter().all(CheckedSpec::passed);
    if invocation.json {
        let specs: Vec<Value> = checked.iter().map(CheckedSpec::to_json).collect();
        output::print_json(&json!({"passed": passed, "specs": specs}))?;
    } else if checked.is_empty() {
        output::print_line("No specification has tasks.")?;
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn check_one(
    invocation: &Invocation,
    site: &Site,
    tasks: &SpecTasks,
    verifier: &CheckoutVerifier<'_>,
) -> Result<CheckedSpec, AppError> {
    let files = check_spec(site, &tasks.feature)?;
    if !invocation.json {
        super::check::print_issues(&files)?;
    }
    let proofs =
        check(
            site,
            tasks,
            verifier,
            |proof| {
                if invocation.json { Ok(()) } else { output::print_line(&line(proof)) }
            },
        )
        .await?;
    Ok(CheckedSpec { files, proofs })
}

/// One line about a proof, with its output below if it does not hold.
fn line(proof: &CheckedProof) -> String {
    let state = match proof.state {
        ProofState::Holds => "holds",
        ProofState::Fails => "fails",
        ProofState::Open => "open",
        ProofState::NotRunnable => "cannot run",
        ProofState::None => "no proof",
    };
    let derived = if proof.is_derived { " (derived)" } else { "" };
    let line = format!(
        "{} {state:<10} {}{derived}: {}",
        proof.id,
        printable(&proof.proof),
        printable(&proof.detail)
    );
    let output = proof.output.lines().map(|line| format!("\n  | {line}").trim_end().to_owned());
    line + &output.collect::<String>()
}
