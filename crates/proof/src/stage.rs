//! The throw-away home and repository in which a client is tried.

use crate::configuration::{Configuration, Place};
use charrette_git::Git;
use charrette_hosts::Client;
use charrette_store::active::{
    ACTIVE_VERSION, Active, ActiveRun, DriverProcess, HookSettings, Rights, active_path, process_start,
};
use serde_json::{Value, json};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Branch of the throw-away run.
pub(crate) const WORK_BRANCH: &str = "proof-work";
/// Main branch of the throw-away repository.
pub(crate) const MAIN_BRANCH: &str = "main";
/// Text in the environment file, which no session may read.
pub(crate) const SECRET: &str = "charrette-proof-secret";

/// Throw-away folders. Removed when dropped.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: PathBuf,
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = fs_err::remove_dir_all(&self.folder);
    }
}

impl Stage {
    /// Sets up a home with the copied hooks, and a repository in which a run is driven by this process.
    pub(crate) fn set_up(scratch: &Path, configuration: &Configuration) -> io::Result<Stage> {
        let stage = Stage { folder: new_folder(scratch)? };
        for folder in ["home", "tmp", "repository", "output"] {
            fs_err::create_dir(stage.folder.join(folder))?;
        }
        stage.write_repository()?;
        stage.write_active()?;
        for layer in &configuration.layers {
            let base = match layer.place {
                Place::User => stage.client_folder(configuration.client),
                Place::Repository => stage.repository().join(folder_name(configuration.client)),
            };
            fs_err::create_dir_all(&base)?;
            let text = if layer.file.ends_with(".toml") {
                feature_switches(&layer.content)
            } else {
                layer.content.to_string()
            };
            fs_err::write(base.join(layer.file), text)?;
        }
        Ok(stage)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// Folder for what the client prints.
    pub(crate) fn output(&self) -> PathBuf {
        self.folder.join("output")
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.folder.join("repository")
    }

    /// The client's folder of the throw-away user.
    pub(crate) fn client_folder(&self, client: Client) -> PathBuf {
        self.home().join(folder_name(client))
    }

    /// The branch that is checked out.
    pub(crate) fn branch(&self) -> Option<String> {
        Git::new(&self.repository()).separate().find(&["symbolic-ref", "--short", "HEAD"])
    }

    fn write_repository(&self) -> io::Result<()> {
        let root = self.repository();
        let git = Git::new(&root).separate();
        let run = |args: &[&str]| git.edit(args, b"").map_err(io::Error::other);
        run(&["init", "-q", "-b", MAIN_BRANCH])?;
        fs_err::write(root.join("README.md"), "A throw-away repository.\n")?;
        fs_err::write(root.join(".gitignore"), ".env\n.claude/\n.codex/\n.gemini/\n")?;
        fs_err::write(root.join(".env"), format!("KEY={SECRET}\n"))?;
        run(&["add", "README.md", ".gitignore"])?;
        run(&[
            "-c",
            "user.name=charrette",
            "-c",
            "user.email=charrette@localhost",
            "-c",
            "commit.gpgsign=false",
            "commit",
            "-q",
            "-m",
            "Start",
        ])?;
        run(&["checkout", "-q", "-b", WORK_BRANCH])
    }

    /// Says that a run is driven here, by this process.
    fn write_active(&self) -> io::Result<()> {
        let root = self.repository();
        let state = root.join(".claude").join("state");
        fs_err::create_dir_all(&state)?;
        let pid = std::process::id();
        let active = Active {
            version: ACTIVE_VERSION,
            hooks: HookSettings::default(),
            main_branch: Some(MAIN_BRANCH.to_owned()),
            runs: vec![ActiveRun {
                id: "proof".to_owned(),
                document: "research-proof".to_owned(),
                command: "research".to_owned(),
                feature: Some("proof".to_owned()),
                root: root.clone(),
                state: state.clone(),
                workspace: None,
                phase: None,
                rights: Rights::ReadOnly,
                branch: Some(WORK_BRANCH.to_owned()),
                driver: Some(DriverProcess { pid, start: process_start(pid) }),
                waits: Vec::new(),
            }],
        };
        fs_err::write(active_path(&state), json!(active).to_string())
    }
}

/// Name of a client's folder, in a home and in a repository.
fn folder_name(client: Client) -> &'static str {
    match client {
        Client::Codex => ".codex",
        Client::Gemini => ".gemini",
        _ => ".claude",
    }
}

/// Switches of features, as TOML.
fn feature_switches(content: &Value) -> String {
    let features = content["features"].as_object().into_iter().flatten();
    features.fold("[features]\n".to_owned(), |text, (name, value)| format!("{text}{name} = {value}\n"))
}

/// A new folder that only the user can enter. Its path has no links in it.
fn new_folder(scratch: &Path) -> io::Result<PathBuf> {
    let scratch = scratch.canonicalize()?;
    for number in 0..1000 {
        let folder = scratch.join(format!("charrette-proof-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|()| folder),
        }
    }
    Err(io::Error::other(format!("{} is full of folders of earlier proofs", scratch.display())))
}
