//! The clients from the package registry, installed once.

use super::clients::{self, Client};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Folder of the packages.
#[derive(Debug, Clone)]
pub(super) struct Installed {
    modules: PathBuf,
}

/// Installs the packages, unless the same ones are there already.
pub(super) fn installed(home: &Path) -> Outcome<Installed> {
    let packages: Vec<String> = clients::all()
        .iter()
        .filter_map(|client| client.package.map(|(name, version)| format!("{name}@{version}")))
        .collect();
    let (mark, wanted) = (home.join("installed"), packages.join("\n"));
    let installed = Installed { modules: home.join("node_modules") };
    if fs_err::read_to_string(&mark).is_ok_and(|there| there == wanted) {
        return Ok(installed);
    }
    fs_err::create_dir_all(home)?;
    fs_err::write(home.join("package.json"), "{\"private\": true}\n")?;
    println!("installing {}", packages.join(", "));
    install(home, &packages)?;
    fs_err::write(mark, wanted)?;
    Ok(installed)
}

/// Registries have bad minutes, and a check of half an hour should not end by one of them.
const PAUSES: [u64; 4] = [5, 20, 60, 120];

fn install(home: &Path, packages: &[String]) -> Outcome<()> {
    for pause in PAUSES.map(Some).into_iter().chain([None]) {
        // Scripts of packages would fetch more from elsewhere; the programs work without.
        let npm = Command::new("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .args(packages)
            .current_dir(home)
            .output()?;
        if npm.status.success() {
            return Ok(());
        }
        println!("npm ended with {}:\n{}", npm.status, String::from_utf8_lossy(&npm.stderr).trim_end());
        if let Some(seconds) = pause {
            println!("trying again in {seconds} s");
            std::thread::sleep(Duration::from_secs(seconds));
        }
    }
    Err("npm could not install the clients, see above; what was asked for stands in the first line".into())
}

impl Installed {
    /// The executable of a client.
    pub(super) fn program(&self, client: &Client) -> Option<PathBuf> {
        let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        let program = client.program.replace("{arch}", arch);
        (!program.is_empty()).then(|| self.modules.join(program))
    }
}
