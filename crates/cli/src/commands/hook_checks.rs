//! Checks of `charrette doctor` about hooks: whether they have been proven, and the proof itself.

use super::doctor::{Check, fail, ok, warn};
use charrette_app::prove_hooks::{
    Failure, HookProof, KnownProof, ProofOutcome, known_proofs, prove_hooks, trust_in_codex,
};
use charrette_app::{AppError, Site};
use charrette_hosts::{Client, HOOK_PROGRAM};
use charrette_model::escape::printable;

const PROVE: &str = "charrette doctor --prove-hooks";
const INSTALL: &str = "charrette init";

/// State of the installed hooks, without starting a client.
pub(super) fn installed(site: &Site) -> Vec<Check> {
    let known = match known_proofs(site) {
        Ok(known) => known,
        Err(error) => return vec![warn("hooks", printable(&error.message).to_string(), "Repair that file")],
    };
    let mut checks: Vec<Check> = known.iter().map(known_check).collect();
    checks.extend(trust(site));
    checks
}

fn known_check(known: &KnownProof) -> Check {
    let label = known.client.label();
    match &known.proof {
        Some(proof) if proof.verdict.holds() => {
            let day = proof.at.get(..10).unwrap_or_default();
            ok("hooks", format!("{label}: proven with version {} on {day}", printable(&proof.version)))
        }
        Some(_) => warn("hooks", format!("{label}: the last proof failed"), PROVE),
        None => warn("hooks", format!("{label}: installed, not proven"), PROVE),
    }
}

/// Proves the hooks of all clients.
pub(super) fn proofs(site: &Site) -> Result<Vec<Check>, AppError> {
    let results = prove_hooks(site)?;
    if results.is_empty() {
        return Ok(vec![fail("hooks", "none are installed for Claude Code, Codex or Gemini CLI", INSTALL)]);
    }
    let mut checks: Vec<Check> = results.iter().flat_map(proof_checks).collect();
    checks.extend(trust(site));
    Ok(checks)
}

fn proof_checks(result: &HookProof) -> Vec<Check> {
    let version =
        result.version.as_deref().map(|version| format!(" {}", printable(version))).unwrap_or_default();
    let label = format!("{}{version}", result.client.label());
    match &result.outcome {
        ProofOutcome::Holds { calls } => {
            let threads =
                if result.client == Client::Gemini { "main thread" } else { "main thread and subagent" };
            vec![ok("hooks", format!("{label}: {calls} of {calls} checks passed, {threads}"))]
        }
        ProofOutcome::Impossible(reason) => {
            vec![fail("hooks", format!("{label}: {}", printable(reason)), PROVE)]
        }
        ProofOutcome::Fails(failures) => failure_checks(&label, failures),
    }
}

/// One check for each hook or program that failed, with the first reason.
fn failure_checks(label: &str, failures: &[Failure]) -> Vec<Check> {
    let mut culprits: Vec<&str> = Vec::new();
    for failure in failures {
        if !culprits.contains(&failure.culprit.as_str()) {
            culprits.push(&failure.culprit);
        }
    }
    let check = |culprit: &&str| {
        let reasons: Vec<&Failure> = failures.iter().filter(|failure| failure.culprit == **culprit).collect();
        let first = reasons.first().map(|failure| printable(&failure.reason).to_string()).unwrap_or_default();
        let more = match reasons.len() {
            0 | 1 => String::new(),
            count => format!("; {} more checks failed", count - 1),
        };
        let cure = if culprit.ends_with(HOOK_PROGRAM) {
            format!("Install charrette again: {HOOK_PROGRAM} comes with it. Then {PROVE}")
        } else {
            format!("{INSTALL}, then {PROVE}")
        };
        fail("hooks", format!("{label}: {}: {first}{more}", printable(culprit)), cure)
    };
    culprits.iter().map(check).collect()
}

/// Trust of the hooks in Codex, which skips those without.
fn trust(site: &Site) -> Vec<Check> {
    let files = match trust_in_codex(site) {
        Ok(files) => files,
        Err(error) => {
            return vec![warn("hook trust", printable(&error.message).to_string(), "Repair that file")];
        }
    };
    let check = |file: &charrette_app::prove_hooks::CodexTrust| {
        let path = printable(&file.path.display().to_string()).to_string();
        if file.untrusted.is_empty() {
            return ok("hook trust", format!("Codex: {path} is trusted"));
        }
        let events = file.untrusted.join(", ");
        warn(
            "hook trust",
            format!("Codex skips {events} of {path}: not trusted"),
            "Open Codex here, then /hooks",
        )
    };
    files.iter().map(check).collect()
}
