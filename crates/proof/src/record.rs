//! `proofs.json`: results by client, version, configuration and hook.

use crate::verdict::Verdict;
use charrette_store::atomic;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

const VERSION: u32 = 1;
const FILE: &str = "proofs.json";
/// Number of results that are kept.
const MAX_PROOFS: usize = 64;

/// Result of one proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Name of the client.
    pub client: String,
    pub version: String,
    /// Digest of the hooks that were proven.
    pub configuration: String,
    /// Digest of the hook's program.
    pub hook: String,
    /// Time of the proof.
    pub at: String,
    pub verdict: Verdict,
}

/// All results of a user, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proofs {
    version: u32,
    proofs: Vec<Proof>,
}

impl Proofs {
    /// Reads the results in a folder. A file that cannot be used is an empty one: proofs can be made again.
    pub fn read(folder: &Path) -> Proofs {
        let bytes = fs_err::read(folder.join(FILE)).unwrap_or_default();
        let proofs: Proofs = serde_json::from_slice(&bytes).unwrap_or_default();
        if proofs.version == VERSION { proofs } else { Proofs::default() }
    }

    /// The result for exactly this client, version, configuration and hook.
    pub fn get(&self, client: &str, version: &str, configuration: &str, hook: &str) -> Option<&Proof> {
        self.proofs.iter().find(|proof| {
            proof.client == client
                && proof.version == version
                && proof.configuration == configuration
                && proof.hook == hook
        })
    }

    /// The newest result for a configuration and hook, of whatever version of the client.
    pub fn newest(&self, client: &str, configuration: &str, hook: &str) -> Option<&Proof> {
        self.proofs.iter().find(|proof| {
            proof.client == client && proof.configuration == configuration && proof.hook == hook
        })
    }

    /// Adds a result in place of an earlier one of the same client, version, configuration and hook.
    pub fn add(&mut self, proof: Proof) {
        self.proofs.retain(|other| {
            (&other.client, &other.version, &other.configuration, &other.hook)
                != (&proof.client, &proof.version, &proof.configuration, &proof.hook)
        });
        self.proofs.insert(0, proof);
        self.proofs.truncate(MAX_PROOFS);
    }

    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs_err::create_dir_all(folder)?;
        let proofs = Proofs { version: VERSION, proofs: self.proofs.clone() };
        let bytes = serde_json::to_vec_pretty(&proofs).map_err(io::Error::other)?;
        atomic::replace_private(&folder.join(FILE), &bytes).map_err(io::Error::other)
    }
}
