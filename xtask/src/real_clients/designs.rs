//! Whole designs with the real clients seated: who sits, and what must have come of it, as data.
//!
//! Each is begun, killed while the synthesist thinks, resumed and checked. Then the same design is run once more in one
//! go, with agents of the same names whose seats the model fills directly: both must have come to the same end.
//!
//! [`room`] is where it happens, [`verdict`] what must hold.

mod design_run;
mod verdict;

use super::clients::{self, Client};
use super::install::Installed;
use super::stage::Programs;
use design_run::DesignRun;
use std::path::Path;

/// One design.
#[derive(Debug, Clone, Copy)]
pub(super) struct Design {
    /// Its name among the cases.
    pub(super) name: &'static str,
    /// Agents by name.
    seated: &'static [SeatedAgent],
    /// Labels of the four reviewers.
    reviewers: [&'static str; 4],
    /// Ranks of decisions without an eligible debater.
    undebated: &'static [usize],
    /// True if its clients are slow to start.
    pub(super) is_slow: bool,
}

/// A client that sits.
#[derive(Debug, Clone, Copy)]
struct SeatedAgent {
    name: &'static str,
    /// Whose models answer.
    vendor: &'static str,
    /// The interface over which its seats are heard.
    api: &'static str,
    /// True if it reports a price. The others only count tokens.
    is_priced: bool,
}

/// All of them, the slowest first.
pub(super) const ALL: [Design; 4] = [
    Design {
        name: "design/gemini-opencode",
        seated: &[GEMINI, OPENCODE],
        reviewers: ["Gemini-Arch", "Opencode-Edge", "Gemini-Innovation", "Opencode-Pragmatic"],
        undebated: &[],
        is_slow: true,
    },
    Design {
        name: "design/acp",
        seated: &[ACP],
        reviewers: ["Gemini-acp-Arch", "Gemini-acp-Edge", "Gemini-acp-Innovation", "Gemini-acp-Pragmatic"],
        undebated: &[],
        is_slow: true,
    },
    Design {
        name: "design/claude-codex",
        seated: &[CLAUDE, CODEX],
        reviewers: ["Codex-Arch", "Codex-Edge", "Codex-Innovation", "Codex-Pragmatic"],
        // Claude does not debate, and Codex not in the bucket of Cursor.
        undebated: &[1, 3],
        is_slow: false,
    },
    Design {
        name: "design/local",
        seated: &[LOCAL],
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
        let client = |seated: &SeatedAgent| {
            let found = clients::all().into_iter().find(|client| client.name == seated.name);
            found.map(|client| (*seated, client))
        };
        self.seated.iter().filter_map(client).collect()
    }
}

/// Has a design made, and says what was wrong with that.
pub(super) fn play(
    design: &Design,
    programs: &Programs,
    installed: &Installed,
    runs: &Path,
) -> Result<(), String> {
    let room = DesignRun::set(design, installed, &runs.join(design.name.replace('/', "-")));
    let room = room.map_err(|error| error.to_string())?;
    let ended = room.play(programs).map_err(|error| error.to_string())?;
    verdict::of(design, &room, &ended)
}
