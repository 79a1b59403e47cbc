//! Sandbox settings of a run, and their enforcement by this system.

use charrette_model::config::Settings;
use charrette_sandbox::{Protection, small_program};
use serde_json::Value;
use std::path::PathBuf;

/// The running program.
const SELF: &str = "/proc/self/exe";

/// Use of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    /// As far as the system enforces it.
    Auto,
    /// No agent starts unless it is fully enforced.
    Required,
    Off,
}

/// Sandbox of all calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxConfig {
    pub mode: SandboxMode,
    pub protection: Protection,
    /// Highest version of Landlock to use.
    pub abi_limit: Option<u8>,
    /// The product's own program; none if it is not known, and then there is no sandbox.
    pub product: Option<PathBuf>,
    /// `sandbox.writes`.
    pub writes: Vec<String>,
    /// `sandbox.hides`.
    pub hides: Vec<String>,
    /// Folders that hold more than a client may change: the repository, the user's home.
    pub roots: Vec<PathBuf>,
    /// Places of charrette and git in which no client may change anything.
    pub own_places: Vec<PathBuf>,
    /// Folders with the scratch of all lanes, in which each lane sees its own only.
    pub scratch: Vec<PathBuf>,
}

impl SandboxConfig {
    /// No sandbox, for this reason.
    pub fn none(reason: &'static str) -> SandboxConfig {
        SandboxConfig {
            mode: SandboxMode::Auto,
            protection: Protection::None(reason),
            abi_limit: None,
            product: None,
            writes: Vec::new(),
            hides: Vec::new(),
            roots: Vec::new(),
            own_places: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The user's settings, with enforcement and places to be filled in.
    pub fn from_settings(settings: &Settings, protection: Protection) -> SandboxConfig {
        let value = |name: &str| settings.all().get(name).map(|setting| &setting.value);
        let texts = |name: &str| -> Vec<String> {
            let items = value(name).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
        };
        let mode = match value("sandbox.mode").and_then(Value::as_str) {
            Some("off") => SandboxMode::Off,
            Some("required") => SandboxMode::Required,
            _ => SandboxMode::Auto,
        };
        SandboxConfig {
            mode,
            protection,
            writes: texts("sandbox.writes"),
            hides: texts("sandbox.hides"),
            ..SandboxConfig::none("")
        }
    }

    /// True if agents are started in a sandbox.
    pub fn is_active(&self) -> bool {
        self.mode != SandboxMode::Off
            && matches!(self.protection, Protection::Landlock(_))
            && self.product.is_some()
    }

    /// The program that puts itself into the sandbox and then becomes an agent: the small one if it is installed beside the
    /// product, else the running program, whatever has happened to its file since it was started. Looked for when the first
    /// agent starts.
    pub(crate) fn launcher(&self) -> Option<PathBuf> {
        let itself = || Some(PathBuf::from(SELF)).filter(|path| path.exists());
        let product = self.product.as_ref()?;
        small_program::find(product).or_else(itself).or_else(|| Some(product.clone()))
    }

    /// True if every write outside the rules is refused by the kernel.
    pub fn is_full(&self) -> bool {
        self.is_active() && self.protection.is_full()
    }

    /// Reason that no agent may start, if the sandbox is required and not fully enforced.
    pub fn missing(&self) -> Option<String> {
        let is_missing = self.mode == SandboxMode::Required && !self.is_full();
        is_missing.then(|| {
            let found = match &self.protection {
                Protection::Landlock(abi) => format!("Landlock {abi} is not enough"),
                Protection::None(reason) => (*reason).to_owned(),
            };
            format!("sandbox.mode is \"required\", and the sandbox is not fully enforced here: {found}")
        })
    }
}
