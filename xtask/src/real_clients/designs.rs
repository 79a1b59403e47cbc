//! Whole designs with the real clients, as data: agents and expected results.
//!
//! Each design is started, killed during the call of the synthesist, resumed and checked. Then the same design runs
//! uninterrupted, with agents of the same names that call the model directly: both must end with the same files.
//!
//! [`design_run`] runs a design, [`checks`] checks the result.

mod checks;
mod design_run;

use super::case_run::Programs;
use super::clients::{self, Client};
use super::install::InstalledClients;
use design_run::DesignRun;
pub(super) use design_run::{log_path, script_path, with_model};
use std::path::Path;

/// A whole design as a test case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Design {
    pub(super) name: &'static str,
    agents: &'static [SeatedAgent],
    /// Labels of the four reviewers.
    reviewers: [&'static str; 4],
    /// Ranks of decisions without an eligible debater.
    undebated: &'static [usize],
    /// True if its clients are slow to start.
    pub(super) is_slow: bool,
}

/// Client with seats in a design.
#[derive(Debug, Clone, Copy)]
struct SeatedAgent {
    name: &'static str,
    /// Vendor of its models.
    vendor: &'static str,
    /// API over which its requests reach the model.
    api: &'static str,
    /// True if it reports a price; the others report only tokens.
    is_priced: bool,
}

/// All designs, slowest first.
pub(super) const ALL: [Design; 4] = [
    Design {
        name: "design/gemini-opencode",
        agents: &[GEMINI, OPENCODE],
        reviewers: ["Gemini-Arch", "Opencode-Edge", "Gemini-Innovation", "Opencode-Pragmatic"],
        undebated: &[],
        is_slow: true,
    },
    Design {
        name: "design/acp",
        agents: &[ACP],
        reviewers: ["Gemini-acp-Arch", "Gemini-acp-Edge", "Gemini-acp-Innovation", "Gemini-acp-Pragmatic"],
        undebated: &[],
        is_slow: true,
    },
    Design {
        name: "design/claude-codex",
        agents: &[CLAUDE, CODEX],
        reviewers: ["Code-Arch", "Code-Edge", "Codex-Innovation", "Codex-Pragmatic"],
        // Claude does not debate, and Codex does not debate in the bucket of Cursor.
        undebated: &[1, 3],
        is_slow: false,
    },
    Design {
        name: "design/local",
        agents: &[LOCAL],
        reviewers: ["Local-Arch", "Local-Edge", "Local-Innovation", "Local-Pragmatic"],
        undebated: &[],
        is_slow: false,
    },
];

const CLAUDE: SeatedAgent =
    SeatedAgent { name: "claude", vendor: "anthropic", api: "anthropic", is_priced: true };
const CODEX: SeatedAgent =
    SeatedAgent { name: "codex", vendor: "openai", api: "responses", is_priced: false };
const GEMINI: SeatedAgent = SeatedAgent { name: "gemini", vendor: "google", api: "gemini", is_priced: false };
const OPENCODE: SeatedAgent =
    SeatedAgent { name: "opencode", vendor: "opencode", api: "chat", is_priced: false };
const ACP: SeatedAgent =
    SeatedAgent { name: "gemini-acp", vendor: "google", api: "gemini", is_priced: false };
const LOCAL: SeatedAgent = SeatedAgent { name: "local", vendor: "local", api: "chat", is_priced: false };

impl Design {
    fn clients(&self) -> Vec<(SeatedAgent, Client)> {
        let client = |agent: &SeatedAgent| {
            let client = clients::all().into_iter().find(|client| client.name == agent.name);
            client.map(|client| (*agent, client))
        };
        self.agents.iter().filter_map(client).collect()
    }
}

/// Runs a design; the error is the first failed check.
pub(super) fn run(
    design: &Design,
    programs: &Programs,
    installed: &InstalledClients,
    runs: &Path,
) -> Result<(), String> {
    let run = DesignRun::prepare(design, installed, &runs.join(design.name.replace('/', "-")));
    let run = run.map_err(|error| error.to_string())?;
    let result = run.run(programs).map_err(|error| error.to_string())?;
    checks::check(design, &run, &result)
}
