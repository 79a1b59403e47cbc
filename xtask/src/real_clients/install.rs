//! Installs the clients from npm, once.

use super::clients::{self, Client};
use crate::TaskResult;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The installed packages.
#[derive(Debug, Clone)]
pub(super) struct InstalledClients {
    modules: PathBuf,
}

/// Installs the packages, unless the same ones are there already.
pub(super) fn install_clients(home: &Path) -> TaskResult<InstalledClients> {
    let packages: Vec<String> = clients::all()
        .iter()
        .filter_map(|client| client.package.map(|(name, version)| format!("{name}@{version}")))
        .collect();
    let (marker, wanted) = (home.join("installed"), packages.join("\n"));
    let installed = InstalledClients { modules: home.join("node_modules") };
    if fs_err::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(installed);
    }
    fs_err::create_dir_all(home)?;
    fs_err::write(home.join("package.json"), "{\"private\": true}\n")?;
    println!("installing {}", packages.join(", "));
    run_npm(home, &packages)?;
    fs_err::write(marker, wanted)?;
    Ok(installed)
}

/// Seconds to wait before each retry: the registry sometimes fails for minutes.
const RETRY_DELAYS: [u64; 4] = [5, 20, 60, 120];

fn run_npm(home: &Path, packages: &[String]) -> TaskResult<()> {
    for delay in RETRY_DELAYS.map(Some).into_iter().chain([None]) {
        // Package scripts would download more from elsewhere; the clients work without them.
        let npm = Command::new("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .args(packages)
            .current_dir(home)
            .output()?;
        if npm.status.success() {
            return Ok(());
        }
        println!("npm ended with {}:\n{}", npm.status, String::from_utf8_lossy(&npm.stderr).trim_end());
        if let Some(seconds) = delay {
            println!("retry in {seconds} s");
            std::thread::sleep(Duration::from_secs(seconds));
        }
    }
    Err("npm could not install the clients; its errors are above".into())
}

impl InstalledClients {
    /// Path of the executable of a client; none for an endpoint.
    pub(super) fn program(&self, client: &Client) -> Option<PathBuf> {
        let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let program = client.program.replace("{arch}", arch);
        (!program.is_empty()).then(|| self.modules.join(program))
    }
}
