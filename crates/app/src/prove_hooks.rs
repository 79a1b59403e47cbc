//! Proves that the installed hooks of the user's clients hold, and keeps the results.

use crate::agent_pool::{host_environment, roster, state_folder, timestamp};
use crate::enclosure::refuse_inside_agent;
use crate::error::AppError;
use crate::site::Site;
use charrette_hosts::{Client, HOOK_PROGRAM};
use charrette_proof::{
    ClientProgram, Configuration, Proof, Proofs, Verdict, client_version, codex_trust, prove,
};
pub use charrette_proof::{CodexTrust, Failure};
use charrette_store::workspace::sha256;
use std::path::PathBuf;

/// Clients that can be pointed at a scripted model.
const PROVABLE: [Client; 3] = [Client::Claude, Client::Codex, Client::Gemini];

/// Result for one client.
#[derive(Debug, Clone)]
pub struct HookProof {
    pub client: Client,
    pub version: Option<String>,
    pub outcome: ProofOutcome,
}

#[derive(Debug, Clone)]
pub enum ProofOutcome {
    /// Every call ended as it must.
    Holds {
        calls: usize,
    },
    Fails(Vec<Failure>),
    /// The proof could not be made.
    Impossible(String),
}

/// An earlier result for the hooks of a client.
#[derive(Debug, Clone)]
pub struct KnownProof {
    pub client: Client,
    /// None if these hooks have not been proven yet.
    pub proof: Option<Proof>,
}

/// Proves the hooks of every client that has some, one after the other.
pub fn prove_hooks(site: &Site) -> Result<Vec<HookProof>, AppError> {
    refuse_inside_agent(site, "prove hooks")?;
    let mut results = Vec::new();
    for configuration in configurations(site)? {
        let client = configuration.client;
        let Some(program) = client_program(site, client) else {
            let outcome = ProofOutcome::Impossible(format!("{} is not installed", client.label()));
            results.push(HookProof { client, version: None, outcome });
            continue;
        };
        let scratch = site.environment.temporary_folder();
        let version = client_version(&program, &scratch);
        let outcome = match prove(&program, &configuration, &scratch) {
            Ok(verdict) => {
                remember(site, &configuration, version.as_deref(), verdict.clone())?;
                if verdict.holds() {
                    ProofOutcome::Holds { calls: verdict.calls }
                } else {
                    ProofOutcome::Fails(verdict.failures)
                }
            }
            Err(error) => ProofOutcome::Impossible(error.to_string()),
        };
        results.push(HookProof { client, version, outcome });
    }
    Ok(results)
}

/// Newest proof of the installed hooks of each client, without starting one.
pub fn known_proofs(site: &Site) -> Result<Vec<KnownProof>, AppError> {
    let (proofs, hook) = (Proofs::read(&state_folder(site)), hook_digest(site));
    let known = |configuration: Configuration| {
        let digest = configuration.digest();
        let proof = proofs.newest(configuration.client.name(), &digest, &hook).cloned();
        KnownProof { client: configuration.client, proof }
    };
    Ok(configurations(site)?.into_iter().map(known).collect())
}

/// Trust of our hooks in the user's own configuration of Codex.
pub fn trust_in_codex(site: &Site) -> Result<Vec<CodexTrust>, AppError> {
    let Some(folders) = site.environment.client_folders() else { return Ok(Vec::new()) };
    codex_trust(&site.root, &folders).map_err(AppError::failed)
}

/// The hooks of all clients that can be proven and have some.
fn configurations(site: &Site) -> Result<Vec<Configuration>, AppError> {
    let Some(folders) = site.environment.client_folders() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for client in PROVABLE {
        let configuration = Configuration::read(client, &site.root, &folders).map_err(|error| {
            AppError::failed(error).hint("Repair that file. Nothing was started or changed")
        })?;
        if !configuration.is_empty() {
            found.push(configuration);
        }
    }
    Ok(found)
}

fn remember(
    site: &Site,
    configuration: &Configuration,
    version: Option<&str>,
    verdict: Verdict,
) -> Result<(), AppError> {
    let folder = state_folder(site);
    let mut proofs = Proofs::read(&folder);
    proofs.add(Proof {
        client: configuration.client.name().to_owned(),
        version: version.unwrap_or("unknown").to_owned(),
        configuration: configuration.digest(),
        hook: hook_digest(site),
        at: timestamp(site),
        verdict,
    });
    proofs.write(&folder).map_err(|error| AppError::failed(format!("the result cannot be kept: {error}")))
}

/// The program of a client: that of the settings, else that on `PATH`.
fn client_program(site: &Site, client: Client) -> Option<ClientProgram> {
    let (roster, _) = roster(site);
    let configured = roster.all().find(|agent| agent.name == client.name());
    let configured = configured.and_then(|agent| agent.program(&host_environment(site))?.into_iter().next());
    let found = || client.programs().iter().find_map(|program| site.environment.find_program(program));
    Some(ClientProgram {
        client,
        program: configured.map(PathBuf::from).or_else(found)?,
        path: site.environment.program_folders(),
        hook: site.environment.find_program(HOOK_PROGRAM),
    })
}

/// Digest of the hook's program; empty without one.
fn hook_digest(site: &Site) -> String {
    let program = site.environment.find_program(HOOK_PROGRAM);
    program.and_then(|path| fs_err::read(path).ok()).map(|bytes| sha256(&bytes)).unwrap_or_default()
}
