//! Checks the proofs of a specification without a model: each can be run, and those of done tasks hold.

use super::listing::SpecTasks;
use super::proving::{ProofResult, prove};
use crate::error::AppError;
use crate::site::Site;
use crate::verify_run::CheckoutVerifier;
use charrette_engine::flows::implement::command_of_proof;
use charrette_engine::ports::verifier::ProofCommand;
use charrette_model::config::VerifySettings;
use charrette_model::implement::{ImplementTask, Proof};
use serde::Serialize;
use std::collections::BTreeMap;

/// The proof of a task, checked.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedProof {
    pub id: String,
    pub title: String,
    /// True if the task is ticked.
    pub done: bool,
    pub proof: String,
    /// True if the specification states none, and this one follows from the files of the task.
    pub is_derived: bool,
    pub state: ProofState,
    /// One line about what was found.
    pub detail: String,
    /// Output of a proof that does not hold.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// State of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProofState {
    /// The task is done, and its proof holds here.
    Holds,
    /// The task is done, and its proof does not hold here.
    Fails,
    /// The task is open, and its proof can be run once it is done.
    Open,
    /// Nothing can run it.
    NotRunnable,
    /// There is nothing to run, for a stated reason.
    None,
}

impl CheckedProof {
    pub fn is_wrong(&self) -> bool {
        matches!(self.state, ProofState::Fails | ProofState::NotRunnable)
    }
}

/// Checks the proofs of a specification. `show` is called after each.
pub async fn check_proofs(
    site: &Site,
    tasks: &SpecTasks,
    verifier: &CheckoutVerifier<'_>,
    mut show: impl FnMut(&CheckedProof) -> Result<(), AppError>,
) -> Result<Vec<CheckedProof>, AppError> {
    let verify = site.settings.verify();
    // Tasks without a proof of their own share that of the whole suite.
    let mut known: BTreeMap<String, ProofResult> = BTreeMap::new();
    let mut checked = Vec::new();
    for task in &tasks.plan.tasks {
        let mut one = check_runnable(site, &verify, task);
        if task.done && one.state == ProofState::Open {
            let key = format!("{} {:?}", task.proof, command_of_proof(&verify, &task.proof.proof));
            let result = match known.get(&key) {
                Some(result) => result.clone(),
                None => prove(verifier, &verify, &site.root, &task.proof).await?,
            };
            one.state = if result.holds { ProofState::Holds } else { ProofState::Fails };
            one.detail.clone_from(&result.showed);
            one.output.clone_from(&result.output);
            known.insert(key, result);
        }
        show(&one)?;
        checked.push(one);
    }
    Ok(checked)
}

/// A proof as far as that can be said without running it.
fn check_runnable(site: &Site, verify: &VerifySettings, task: &ImplementTask) -> CheckedProof {
    let (state, detail) = match (&task.proof.proof, command_of_proof(verify, &task.proof.proof)) {
        (Proof::None(reason), _) => (ProofState::None, reason.clone()),
        (_, None) => {
            (ProofState::NotRunnable, "no command runs it; set verify.test_one or verify.test".to_owned())
        }
        (_, Some(ProofCommand::Argv(argv))) => match missing_program(site, &argv) {
            Some(program) => (ProofState::NotRunnable, format!("its program is not installed: {program}")),
            None => (ProofState::Open, "not done yet".to_owned()),
        },
        (_, Some(ProofCommand::Line(_))) => (ProofState::Open, "not done yet".to_owned()),
    };
    CheckedProof {
        id: task.id.clone(),
        title: task.title.clone(),
        done: task.done,
        proof: task.proof.proof.to_string(),
        is_derived: task.proof.is_derived,
        state,
        detail,
        output: String::new(),
    }
}

/// The program of a command, if it is in no folder of the path. One with a folder in its name may be made by the task.
fn missing_program(site: &Site, argv: &[String]) -> Option<String> {
    let program = argv.first().filter(|program| !program.contains('/'))?;
    let is_missing = site.environment.find_program(program).is_none();
    is_missing.then(|| charrette_model::escape::printable(program).to_string())
}
