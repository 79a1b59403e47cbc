//! `charrette init` and `charrette init --remove` in the real clients: hooks are proven with `charrette doctor
//! --prove-hooks`, and the client itself lists the MCP server.

use super::case_run::Programs;
use super::clients;
use super::install::InstalledClients;
use super::{connections, namespace, processes};
use crate::programs::create_repository;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Timeout of one command.
const TIMEOUT: Duration = Duration::from_mins(4);

/// A case for one client.
#[derive(Debug, Clone, Copy)]
pub(super) struct HookCase {
    client: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Installed, proven, removed: the repository is as before.
    Holds,
    /// Each hook missing in turn, and a program that fails: the proof names it.
    Broken,
    /// The client lists the server.
    Listed,
}

/// Hooks of all clients that can be proven, and servers of all that can list them.
pub(super) const ALL: [HookCase; 10] = [
    HookCase { client: "claude", kind: Kind::Holds },
    HookCase { client: "claude", kind: Kind::Broken },
    HookCase { client: "codex", kind: Kind::Holds },
    HookCase { client: "codex", kind: Kind::Broken },
    HookCase { client: "gemini", kind: Kind::Holds },
    HookCase { client: "gemini", kind: Kind::Broken },
    HookCase { client: "claude", kind: Kind::Listed },
    HookCase { client: "codex", kind: Kind::Listed },
    HookCase { client: "gemini", kind: Kind::Listed },
    HookCase { client: "opencode", kind: Kind::Listed },
];

impl HookCase {
    pub(super) fn name(self) -> String {
        let kind = match self.kind {
            Kind::Holds => "holds",
            Kind::Broken => "broken",
            Kind::Listed => return format!("init/{}", self.client),
        };
        format!("hooks/{}-{kind}", self.client)
    }

    /// The file with the hooks.
    fn file(self) -> &'static str {
        match self.client {
            "codex" => ".codex/hooks.json",
            "gemini" => ".gemini/settings.json",
            _ => ".claude/settings.json",
        }
    }

    fn events(self) -> [&'static str; 2] {
        [if self.client == "gemini" { "BeforeTool" } else { "PreToolUse" }, "SessionStart"]
    }

    pub(super) fn run(
        self,
        programs: &Programs,
        installed: &InstalledClients,
        runs: &Path,
    ) -> Result<(), String> {
        let bench = Bench::prepare(self, programs, installed, &runs.join(self.name().replace('/', "-")))
            .map_err(|error| error.to_string())?;
        let result = match self.kind {
            Kind::Holds => self.holds(&bench),
            Kind::Broken => self.broken(&bench),
            Kind::Listed => self.listed(&bench),
        };
        let orphans = processes::kill_processes_of(&bench.folder);
        result?;
        if orphans.is_empty() { Ok(()) } else { Err(format!("orphaned: {}", orphans.join(", "))) }
    }

    fn holds(self, bench: &Bench) -> Result<(), String> {
        let before = "{\n  // mine\n  \"theme\": \"dark\"\n}\n";
        // Codex reads strict JSON.
        let before = if self.client == "codex" { "{\n  \"hooks\": {}\n}\n" } else { before };
        bench.write(self.file(), before)?;
        bench.expect(&["init", "--client", self.client, "--yes"], 0)?;
        let installed = bench.read(self.file())?;
        bench.expect(&["init", "--client", self.client, "--yes"], 0)?;
        bench.expect(&["init", "--client", self.client, "--check"], 0)?;
        if bench.read(self.file())? != installed {
            return Err("a second init changed the file".to_owned());
        }
        let output = bench.expect(&["doctor", "--prove-hooks", "--json"], 0)?;
        if !output.contains("checks passed, main thread") {
            return Err(format!("the proof says: {output}"));
        }
        let external = connections::external_addresses(&bench.folder.join("connections"));
        if !external.is_empty() {
            return Err(format!("connected to {}", external.join(", ")));
        }
        if !fs_err::read_dir(bench.folder.join("tmp")).is_ok_and(|mut left| left.next().is_none()) {
            return Err("the proof left something in the folder of temporary files".to_owned());
        }
        bench.expect(&["init", "--remove", "--yes"], 0)?;
        if bench.read(self.file())? != before {
            return Err("the file is not as it was before init".to_owned());
        }
        Ok(())
    }

    fn broken(self, bench: &Bench) -> Result<(), String> {
        bench.expect(&["init", "--client", self.client, "--yes"], 0)?;
        let installed = bench.read(self.file())?;
        for event in self.events() {
            let mut file: Value = serde_json::from_str(&installed).map_err(|error| error.to_string())?;
            file["hooks"].as_object_mut().ok_or("no hooks")?.remove(event);
            bench.write(self.file(), &file.to_string())?;
            let output = bench.expect(&["doctor", "--prove-hooks", "--json"], 1)?;
            if !output.contains(&format!("{event}: the hook is not installed")) {
                return Err(format!("without {event} the proof says: {output}"));
            }
        }
        bench.write(self.file(), &installed)?;
        let hook = bench.folder.join("bin/charrette-hook");
        fs_err::remove_file(&hook).map_err(|error| error.to_string())?;
        fs_err::write(&hook, "#!/bin/sh\nexit 1\n").map_err(|error| error.to_string())?;
        let mode = std::fs::Permissions::from_mode(0o755);
        fs_err::set_permissions(&hook, mode).map_err(|error| error.to_string())?;
        let output = bench.expect(&["doctor", "--prove-hooks", "--json"], 1)?;
        if !output.contains("bin/charrette-hook: answered `git switch main` with exit code 1 instead of 2") {
            return Err(format!("with a hook that fails the proof says: {output}"));
        }
        Ok(())
    }

    fn listed(self, bench: &Bench) -> Result<(), String> {
        bench.expect(&["init", "--client", self.client, "--yes"], 0)?;
        bench.expect(&["init", "--client", self.client, "--check"], 0)?;
        bench.trust_repository()?;
        let (stdout, stderr, code) =
            bench.run(&bench.folder.join("bin").join(self.client), &["mcp", "list"])?;
        // Claude Code leaves the decision about servers of a repository to its user.
        let state = match self.client {
            "claude" => "Pending approval",
            "codex" => "enabled",
            "gemini" => "Connected",
            _ => "connected",
        };
        let output = format!("{stdout}{stderr}");
        let is_listed = output.contains("charrette mcp") || output.contains("charrette  mcp");
        if code != Some(0) || !is_listed || !output.contains(state) {
            return Err(format!("{} mcp list: {code:?}: {output}", self.client));
        }
        bench.expect(&["init", "--remove", "--yes"], 0)?;
        let nothing = bench.expect(&["init", "--remove", "--yes"], 0)?;
        if nothing.starts_with("Nothing of charrette is installed here.") {
            return Ok(());
        }
        Err(format!("the second removal says: {nothing}"))
    }
}

/// A home, a repository, and a folder of programs.
struct Bench {
    folder: PathBuf,
    charrette: PathBuf,
}

impl Bench {
    fn prepare(
        case: HookCase,
        programs: &Programs,
        installed: &InstalledClients,
        folder: &Path,
    ) -> crate::TaskResult<Bench> {
        for inside in ["repo", "home", "tmp", "bin"] {
            fs_err::create_dir_all(folder.join(inside))?;
        }
        create_repository(&folder.join("repo"))?;
        let client =
            clients::all().into_iter().find(|client| client.name == case.client).ok_or("no such client")?;
        let program = installed.program(&client).ok_or("the client has no program")?;
        fs_err::os::unix::fs::symlink(program, folder.join("bin").join(case.client))?;
        let hook = programs.charrette.with_file_name("charrette-hook");
        fs_err::os::unix::fs::symlink(hook, folder.join("bin/charrette-hook"))?;
        fs_err::os::unix::fs::symlink(&programs.charrette, folder.join("bin/charrette"))?;
        Ok(Bench { folder: folder.to_owned(), charrette: programs.charrette.clone() })
    }

    fn write(&self, relative: &str, text: &str) -> Result<(), String> {
        let path = self.folder.join("repo").join(relative);
        fs_err::create_dir_all(path.parent().unwrap_or(&path)).map_err(|error| error.to_string())?;
        fs_err::write(path, text).map_err(|error| error.to_string())
    }

    fn read(&self, relative: &str) -> Result<String, String> {
        fs_err::read_to_string(self.folder.join("repo").join(relative)).map_err(|error| error.to_string())
    }

    /// Writes down that the user trusts the repository, for the clients that ask.
    fn trust_repository(&self) -> Result<(), String> {
        let repository = self.folder.join("repo");
        let codex = format!("[projects.{:?}]\ntrust_level = \"trusted\"\n", repository.display().to_string());
        let gemini = json!({repository.display().to_string(): "TRUST_FOLDER"}).to_string();
        for (file, text) in [(".codex/config.toml", codex), (".gemini/trustedFolders.json", gemini)] {
            let path = self.folder.join("home").join(file);
            fs_err::create_dir_all(path.parent().unwrap_or(&path)).map_err(|error| error.to_string())?;
            fs_err::write(path, text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Runs charrette and returns what it printed, if it ends with that code.
    fn expect(&self, arguments: &[&str], code: i32) -> Result<String, String> {
        let (stdout, stderr, ended) = self.run(&self.charrette, arguments)?;
        if ended == Some(code) {
            return Ok(stdout);
        }
        Err(format!("charrette {}: {ended:?} instead of {code}: {stdout}{stderr}", arguments.join(" ")))
    }

    /// Runs a program in a namespace: what it printed, and its code.
    fn run(&self, program: &Path, arguments: &[&str]) -> Result<(String, String, Option<i32>), String> {
        let trace = connections::trace_connections(&self.folder.join("connections"));
        let mut words: Vec<OsString> = trace.into_iter().chain([program.into()]).collect();
        let first = words.remove(0);
        let mut command = namespace::in_namespace(Path::new(&first));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.folder.join("bin")].into_iter().chain(std::env::split_paths(&path));
        command
            .args(words)
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::join_paths(folders).unwrap_or_default())
            .env("HOME", self.folder.join("home"))
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LC_ALL", "C.UTF-8")
            // In a repository with `.opencode`, opencode installs a package at its start; without a network npm would
            // retry for 70 seconds.
            .env("npm_config_fetch_retries", "0")
            .current_dir(self.folder.join("repo"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        processes::run(command, TIMEOUT).map_err(|error| error.to_string())
    }
}
