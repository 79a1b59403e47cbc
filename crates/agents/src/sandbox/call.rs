//! Rules of the sandbox of one call.

use super::config::SandboxConfig;
use super::paths::expand_path;
use crate::host::HostEnvironment;
use crate::profile::{Agent, Roster};
use charrette_sandbox::lane::Mark;
use charrette_sandbox::refusals::refused_paths;
use charrette_sandbox::{NetworkIsolation, Rules, launcher};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Sandbox of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSandbox {
    /// Setting with which more can be granted, for messages.
    setting: String,
    launcher: PathBuf,
    /// Without the mark of the lane.
    rules: Rules,
    /// Paths of profile and settings that were not granted, because they hold more than a client may change.
    left_out: Vec<PathBuf>,
}

/// Places of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallPlaces<'a> {
    /// Scratch folder of the lane, readable.
    pub(crate) lane: &'a Path,
    /// Folder for temporary files, writable.
    pub(crate) temporary: &'a Path,
    /// Folder that it works in, if that is not the repository; readable.
    pub(crate) folder: Option<&'a Path>,
    /// Folder that the agent may change; none for a seat that only reads.
    pub(crate) writable: Option<&'a Path>,
}

impl<'a> CallPlaces<'a> {
    fn readable(self) -> impl Iterator<Item = &'a Path> {
        [self.lane].into_iter().chain(self.folder).chain(self.writable)
    }
}

/// Paths of profiles and settings, as they are written there.
struct PathNeeds<'a> {
    writes: Vec<&'a String>,
    /// Logins to be hidden.
    logins: Vec<&'a String>,
    /// Setting with which more can be granted.
    setting: String,
}

impl CallSandbox {
    /// The sandbox of a call; none where there is no launcher. Missing folders of the client are created. Where the sandbox
    /// is off, the launcher only takes the terminal away and marks the process as one of a lane.
    pub(crate) fn new(
        config: &SandboxConfig,
        agent: &Agent,
        roster: &Roster,
        host: &HostEnvironment,
        places: CallPlaces<'_>,
    ) -> Option<CallSandbox> {
        let launcher = config.launcher()?;
        if !config.is_active() {
            return Some(CallSandbox {
                setting: String::new(),
                launcher,
                rules: Rules { abi_limit: Some(0), ..Rules::default() },
                left_out: Vec::new(),
            });
        }
        let wanted = agent.profile.sandbox.writes.iter().chain(&agent.writes).chain(&config.writes);
        let logins = roster
            .all()
            .filter(|other| other.profile.vendor != agent.profile.vendor)
            .flat_map(|other| &other.profile.sandbox.logins)
            .filter(|login| !agent.profile.sandbox.logins.contains(login));
        let needs = PathNeeds {
            writes: wanted.collect(),
            logins: logins.collect(),
            setting: format!("agents.{}.writes", agent.name),
        };
        Some(CallSandbox::with_rules(launcher, needs, config, host, places))
    }

    /// The sandbox of a verify command: that of a seat that writes, without the folders of a client. None where there is no
    /// launcher. Where the sandbox is off, it only closes the network and the terminal.
    pub(crate) fn for_command(
        config: &SandboxConfig,
        roster: &Roster,
        host: &HostEnvironment,
        places: CallPlaces<'_>,
        network: NetworkIsolation,
    ) -> Option<CallSandbox> {
        let launcher = config.launcher()?;
        let needs = PathNeeds {
            writes: config.writes.iter().collect(),
            logins: roster.all().flat_map(|agent| &agent.profile.sandbox.logins).collect(),
            setting: "sandbox.writes".to_owned(),
        };
        let mut sandbox = CallSandbox::with_rules(launcher, needs, config, host, places);
        sandbox.rules.network = network;
        if !config.is_active() {
            sandbox.rules.abi_limit = Some(0);
        }
        Some(sandbox)
    }

    fn with_rules(
        launcher: PathBuf,
        needs: PathNeeds<'_>,
        config: &SandboxConfig,
        host: &HostEnvironment,
        places: CallPlaces<'_>,
    ) -> CallSandbox {
        let PathNeeds { writes, logins, setting } = needs;
        let (granted, left_out) = writes
            .into_iter()
            .filter_map(|text| Some((text, expand_path(text, host)?)))
            .filter_map(|(text, path)| existing(&path, text.ends_with('/')))
            .partition(|path| config.may_grant(path));
        let mut writes: Vec<PathBuf> = granted;
        writes.push(places.temporary.to_owned());
        writes.extend(places.writable.map(Path::to_owned));
        let hides = config.hides.iter().chain(logins).filter_map(|text| expand_path(text, host));
        let rules = Rules {
            writes,
            hides: hides.chain(config.scratch.iter().cloned()).collect(),
            shows: places.readable().map(Path::to_owned).collect(),
            abi_limit: config.abi_limit,
            ..Rules::default()
        };
        CallSandbox { setting, launcher, rules, left_out }
    }

    /// True if the kernel holds the process to its rules.
    pub(crate) fn is_in_force(&self) -> bool {
        self.rules.abi_limit != Some(0)
    }

    /// The command line that starts a program in this sandbox. The program leads a session of its own, and has that mark.
    pub(crate) fn wrap(&self, command: &[OsString], mark: Mark) -> Vec<OsString> {
        let rules = Rules { lane: Some(mark), ..self.rules.clone() };
        let mut wrapped: Vec<OsString> = vec![self.launcher.clone().into(), launcher::MODE.into()];
        wrapped.extend(rules.to_arguments());
        wrapped.extend_from_slice(command);
        wrapped
    }

    /// Message of the launcher in the error output of a process that never became the program.
    pub(crate) fn launch_failure(code: Option<i32>, stderr: &str) -> Option<&str> {
        let is_launcher = matches!(code, Some(launcher::NOT_APPLIED | launcher::NOT_STARTED));
        stderr.trim().strip_prefix(launcher::PREFIX).filter(|_| is_launcher)
    }

    /// Hint on a path that the sandbox refused, if the output of a failed client names one.
    pub(crate) fn refusal_hint(&self, output: &str) -> Option<String> {
        if !self.is_in_force() {
            return None;
        }
        let is_granted = |path: &PathBuf| self.rules.writes.iter().any(|granted| path.starts_with(granted));
        let path = refused_paths(output).into_iter().find(|path| !is_granted(path))?;
        let is_hidden = self.rules.hides.iter().any(|hidden| path.starts_with(hidden));
        let left_out = self.left_out.iter().find(|left_out| path.starts_with(left_out));
        Some(match left_out {
            _ if is_hidden => format!("the sandbox hides {}", path.display()),
            Some(left_out) => format!(
                "the sandbox refused it {}: {} is not granted, because it holds the repository, the home folder or the state of runs",
                path.display(),
                left_out.display()
            ),
            None => format!(
                "the sandbox refused it {}; if it needs that, add it to {} in your own charrette.toml",
                path.display(),
                self.setting
            ),
        })
    }
}

impl SandboxConfig {
    /// True if a client may change everything at that path.
    fn may_grant(&self, path: &Path) -> bool {
        !self.holds_more(path) && !self.own_places.iter().any(|own| path.starts_with(own))
    }

    /// True if a folder holds the repository, the home folder or files of charrette or git.
    pub(crate) fn holds_more(&self, path: &Path) -> bool {
        let mut kept = self.roots.iter().chain(&self.own_places);
        path == Path::new("/") || kept.any(|kept| kept.starts_with(path))
    }
}

/// The real path; with `may_create`, a missing folder is created.
fn existing(path: &Path, may_create: bool) -> Option<PathBuf> {
    if may_create && !path.exists() {
        use std::os::unix::fs::DirBuilderExt as _;
        // If it cannot be created, the client says so.
        let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    }
    path.canonicalize().ok()
}
