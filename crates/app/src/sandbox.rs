//! Sandbox of the agents of a site: what is in force, and what it does not hold.

use crate::agent_pool::{self, state_folder};
use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use crate::workspaces::LANES;
use charrette_agents::pool::drivers_folder;
use charrette_agents::profile::{Agent, Transport};
use charrette_agents::sandbox::{SandboxConfig, SandboxMode};
use charrette_sandbox::Protection;
use charrette_store::active::active_folder;
use std::path::{Path, PathBuf};

/// Sandbox settings of this site, and their enforcement by this system.
pub fn sandbox_config(site: &Site) -> SandboxConfig {
    let abi_limit = site.environment.landlock_limit();
    let protection = Protection::of_this_system(abi_limit);
    let state = state_folder(site);
    let own_places =
        [site.settings.state_folder(), site.settings.workspace_folder(), site.settings.specs_folder()]
            .map(|folder| site.root.join(folder));
    let git_folders =
        site.repository.iter().flat_map(|repository| [repository.git_dir(), repository.common_dir()]);
    let register = active_folder(site.repository.as_ref(), &site.root);
    let user_folders = [Some(state.clone()), Some(register), site.environment.user_config_folder()];
    let own_places = own_places
        .into_iter()
        .chain(git_folders.map(Path::to_owned))
        .chain(user_folders.into_iter().flatten());
    SandboxConfig {
        abi_limit,
        product: site.environment.program.clone(),
        roots: [Some(site.root.clone()), site.environment.home()].into_iter().flatten().map(real).collect(),
        own_places: own_places.map(real).collect(),
        scratch: vec![
            state.join(LANES),
            state.join("scratch"),
            state.join("queue"),
            agent_pool::worktrees_folder(site),
            drivers_folder(&state),
        ],
        ..SandboxConfig::from_settings(&site.settings, protection)
    }
}

/// The path without links, if it exists.
fn real(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

/// Refuses to start where the sandbox is required, agents would be started, and it is not fully enforced.
pub fn check_required(site: &Site) -> Result<(), AppError> {
    match sandbox_config(site).missing() {
        Some(missing) if !program_agents(site).is_empty() => Err(AppError::new(ErrorKind::Refused, missing)
            .hint("charrette doctor shows what is in force. With sandbox.mode = \"auto\" agents start with that")),
        _ => Ok(()),
    }
}

/// Installed agents whose calls start a program.
fn program_agents(site: &Site) -> Vec<Agent> {
    let host = agent_pool::host_environment(site);
    let (roster, _) = agent_pool::roster(site);
    let starts_program = |agent: &&Agent| {
        matches!(agent.profile.transport, Transport::Process | Transport::Acp) && agent.is_installed(&host)
    };
    roster.all().filter(starts_program).cloned().collect()
}

/// The sandbox in words: what is in force, and for which agents it is different. Empty if no agent starts a program.
pub fn describe(site: &Site) -> Vec<(String, String)> {
    let agents = program_agents(site);
    if agents.is_empty() {
        return Vec::new();
    }
    let config = sandbox_config(site);
    let mut lines = vec![("Sandbox".to_owned(), summary(&config))];
    if config.is_full() {
        let unboxed = agents.iter().filter(|agent| agent.profile.arguments.replaces_own_sandbox());
        lines.extend(unboxed.map(|agent| {
            let text = "its own sandbox is off inside the kernel's, so its commands have the network";
            (format!("Agent {}", agent.name), text.to_owned())
        }));
    }
    lines
}

/// One line on what is in force.
pub fn summary(config: &SandboxConfig) -> String {
    const REST: &str = "the clients' own modes and the comparison of the work tree remain";
    match &config.protection {
        _ if config.mode == SandboxMode::Off => format!("switched off by sandbox.mode; {REST}"),
        Protection::None(reason) => format!("none: {reason}; {REST}"),
        Protection::Landlock(_) if config.product.is_none() => {
            format!("none: the program of charrette is not known; {REST}")
        }
        protection @ Protection::Landlock(_) if protection.is_full() => {
            let gaps = protection.gaps();
            let but = if gaps.is_empty() { String::new() } else { format!("; but {}", gaps.join(", ")) };
            format!(
                "{protection}: agents can change their scratch, their copy and the folders of their client, nothing else{but}"
            )
        }
        protection @ Protection::Landlock(_) => {
            format!("{protection}, in part: {}; {REST}", protection.gaps().join(", "))
        }
    }
}

/// Sockets of services that a process in the sandbox can still use, because it may read their folder.
pub fn reachable_services(site: &Site) -> Vec<PathBuf> {
    let variable =
        |name: &str| site.environment.text(name).filter(|text| !text.is_empty()).map(PathBuf::from);
    let user = rustix::process::getuid().as_raw();
    let runtime = variable("XDG_RUNTIME_DIR").unwrap_or_else(|| PathBuf::from(format!("/run/user/{user}")));
    let fixed = [
        "/run/docker.sock",
        "/run/podman/podman.sock",
        "/run/containerd/containerd.sock",
        "/run/dbus/system_bus_socket",
        "/run/snapd.socket",
        "/tmp/.X11-unix/X0",
    ];
    let in_runtime =
        ["bus", "docker.sock", "podman/podman.sock", "systemd/private", "gnupg/S.gpg-agent", "keyring/ssh"];
    let candidates = fixed.map(PathBuf::from).into_iter();
    let candidates = candidates.chain(in_runtime.map(|name| runtime.join(name)));
    let candidates = candidates.chain([PathBuf::from(format!("/tmp/tmux-{user}/default"))]);
    let mut found: Vec<PathBuf> =
        candidates.chain(variable("SSH_AUTH_SOCK")).filter(|path| is_usable_socket(path)).collect();
    found.sort();
    found.dedup();
    found
}

fn is_usable_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    path.metadata().is_ok_and(|metadata| metadata.file_type().is_socket())
        && rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}
