//! Folders with and without runs.

use charrette_store::active::{ActiveRegister, ActiveRun, HookSettings, ReactionToErrors, Rights};
use charrette_store::{Holder, Location, locate};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

pub(crate) struct Scene {
    pub(crate) sandbox: Sandbox,
    root: PathBuf,
}

impl Scene {
    /// An empty scene.
    pub(crate) fn new() -> Scene {
        let sandbox = Sandbox::new();
        let root = sandbox.work().canonicalize().unwrap();
        Scene { sandbox, root }
    }

    /// A repository without a run: `idle`, and one with a driven run: `driven`.
    pub(crate) fn with_two() -> Scene {
        let scene = Scene::new();
        scene.repository("idle");
        scene.repository("driven");
        scene.drive("driven", ReactionToErrors::Closed);
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn file(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::os::unix::fs::symlink(target.as_ref(), path).unwrap();
    }

    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let folder = self.folder(name);
        self.sandbox.git_in(&folder, ["init", "-q", "-b", "main"]);
        self.sandbox.git_in(&folder, ["commit", "-q", "--allow-empty", "-m", "first"]);
        folder
    }

    /// Registers a run that this process drives.
    pub(crate) fn drive(&self, name: &str, on_error: ReactionToErrors) {
        let settings = HookSettings { on_error, ..HookSettings::default() };
        self.register(name).put(self.run(name), &settings, Some("main")).unwrap();
    }

    /// Registers a run that waits for a person.
    pub(crate) fn wait(&self, name: &str) {
        self.drive(name, ReactionToErrors::Open);
        let change = |run: &mut ActiveRun| {
            run.driver = None;
            run.waits = vec!["approval".to_owned()];
        };
        self.register(name).update("run-1", change).unwrap();
    }

    pub(crate) fn register(&self, name: &str) -> ActiveRegister {
        let root = self.path(name);
        let repository = match locate(&root).unwrap() {
            Location::WorkTree(repository) => Some(repository),
            _ => None,
        };
        let holder = Holder::of_this_process("now".to_owned(), "test".to_owned());
        ActiveRegister::new(repository.as_ref(), &root, holder)
    }

    fn run(&self, name: &str) -> ActiveRun {
        let root = self.path(name);
        ActiveRun {
            id: "run-1".to_owned(),
            document: "design-login".to_owned(),
            command: "design".to_owned(),
            feature: Some("login".to_owned()),
            state: root.join(".claude/state"),
            workspace: None,
            root,
            phase: Some("write".to_owned()),
            rights: Rights::ReadOnly,
            branch: Some("login".to_owned()),
            driver: None,
            waits: Vec::new(),
        }
    }
}

/// The JSON of a command that is denied in a driven checkout, in a folder.
pub(crate) fn switch_in(folder: &str) -> String {
    serde_json::json!({"cwd": folder, "tool_name": "Bash", "tool_input": {"command": "git switch main"}})
        .to_string()
}

/// The same command, without a folder.
pub(crate) const SWITCH: &str = r#"{"tool_name": "Bash", "tool_input": {"command": "git switch main"}}"#;
