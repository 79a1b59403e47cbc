//! `charrette mcp` with the protocol's own programs: the official TypeScript client calls every tool of a whole design, the
//! command line of the inspector lists and calls every tool, and the conformance suite checks both revisions.
//!
//! The packages are installed once; then the task starts itself in a network namespace with only loopback.

mod conformance;
mod inspector;

use crate::TaskResult;
use crate::programs::{build_debug_charrette, create_repository, root};
use crate::real_clients::{namespace, processes};
use charrette_testkit::McpFront;
use clap::Args;
use serde_json::Value;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct McpClientsArgs {
    /// Set by the task itself, when it runs in the namespace
    #[arg(long, hide = true)]
    inside: bool,
    /// Use the charrette that is built already
    #[arg(long)]
    built: bool,
}

/// The packages, with their versions; `{arch}` is filled in.
const PACKAGES: [&str; 5] = [
    "node-linux-{arch}@22.23.3",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
];
/// Revisions of the protocol: with sessions, and without.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];
/// Timeout of one program.
const TIMEOUT: Duration = Duration::from_mins(3);
/// Script for the TypeScript client.
const SCRIPT: &str = include_str!("mcp_clients/client.mjs");

pub(crate) fn mcp_clients(args: &McpClientsArgs) -> TaskResult {
    let home = root().join("target").join("mcp-clients");
    if args.inside {
        return Place::prepare(home)?.run();
    }
    namespace::check()?;
    install(&home)?;
    if !args.built {
        build_debug_charrette()?;
    }
    let mut inside = namespace::in_namespace(&std::env::current_exe()?);
    let status = inside.args(["mcp-clients", "--inside"]).status()?;
    if status.success() { Ok(()) } else { Err("the clients found a fault, see above".into()) }
}

/// Installs the packages, unless the same ones are there already.
fn install(home: &Path) -> TaskResult {
    let packages = PACKAGES.map(|package| package.replace("{arch}", arch()));
    let (marker, wanted) = (home.join("installed"), packages.join("\n"));
    if fs_err::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    fs_err::create_dir_all(home)?;
    fs_err::write(home.join("package.json"), "{\"private\": true}\n")?;
    println!("installing {}", packages.join(", "));
    let npm = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .args(&packages)
        .current_dir(home)
        .status()?;
    if !npm.success() {
        return Err("npm could not install the clients; its errors are above".into());
    }
    fs_err::write(marker, wanted)?;
    Ok(())
}

/// Name of this machine's architecture in packages.
fn arch() -> &'static str {
    if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" }
}

/// Folders and programs of the test.
struct Place {
    /// Folder with the packages.
    home: PathBuf,
    folder: PathBuf,
    charrette: PathBuf,
    repository: PathBuf,
}

impl Place {
    /// Creates a repository without any run.
    fn prepare(home: PathBuf) -> TaskResult<Place> {
        let folder = home.join("run");
        if folder.exists() {
            fs_err::remove_dir_all(&folder)?;
        }
        let repository = folder.join("repo");
        fs_err::create_dir_all(repository.join("src"))?;
        fs_err::write(repository.join("src/users.py"), "def greet(user):\n    return 'hi ' + user\n")?;
        create_repository(&repository)?;
        let charrette = root().join("target").join("debug").join("charrette");
        Ok(Place { home, folder, charrette, repository })
    }

    fn run(&self) -> TaskResult {
        for (revision, feature) in REVISIONS.into_iter().zip(["greeting", "modern-greeting"]) {
            self.whole_design(revision, feature)?;
            inspector::run(self, revision)?;
        }
        let (charrette, repository, folder) =
            (self.charrette.clone(), self.repository.clone(), self.folder.clone());
        let front = McpFront::start(0, move || {
            let mut server = Command::new(&charrette);
            server.arg("-C").arg(&repository).arg("mcp");
            set_environment(&mut server, &folder);
            server
        })?;
        conformance::run(&self.home, &self.folder, &front)
    }

    /// Lets the TypeScript client call every tool of a whole design.
    fn whole_design(&self, revision: &str, feature: &str) -> TaskResult {
        // Packages are found beside the script.
        let script = self.home.join("client.mjs");
        fs_err::write(&script, SCRIPT)?;
        let mut node = Command::new("node");
        node.arg(script).arg(&self.charrette).arg(&self.repository).args([revision, feature]);
        let printed = self.output(node)?;
        let seen: Value = serde_json::from_str(printed.lines().last().unwrap_or_default())?;
        if seen["files"].as_array().map(Vec::len) != Some(6)
            || seen["forms"].as_u64().unwrap_or_default() == 0
        {
            return Err(format!("the design did not end as expected: {seen}").into());
        }
        println!("{revision} TypeScript client: every tool called, {} forms, six files", seen["forms"]);
        Ok(())
    }

    /// What a program prints, if it succeeds in time.
    fn output(&self, mut command: Command) -> TaskResult<String> {
        set_environment(&mut command, &self.folder);
        command.current_dir(&self.home).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        let shown = format!("{command:?}");
        let (printed, said, code) = processes::run(command, TIMEOUT)?;
        match code {
            Some(0) => Ok(printed),
            Some(code) => Err(format!("{shown} ended with {code}: {printed}\n{said}").into()),
            None => Err(format!("{shown} did not end in {TIMEOUT:?}: {printed}\n{said}").into()),
        }
    }
}

/// A home of its own, and no agent on the path that a design could call.
fn set_environment(command: &mut Command, home: &Path) {
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", home);
}
