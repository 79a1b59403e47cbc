//! A repository in which a run is driven, with a session and two lanes.

use charrette_hook::{Answer, HookEnvironment, hook};
use charrette_store::active::{ActiveRegister, ActiveRun, HookSettings, Rights};
use charrette_store::{Holder, Location, locate};
use charrette_testkit::Sandbox;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    pub(crate) root: PathBuf,
    /// Work tree of the lane that may write.
    pub(crate) lane_tree: PathBuf,
}

/// Kind of process that a hook is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    ReadOnlyLane,
    WriteLane,
    Session,
}

pub(crate) const ALL: [Who; 3] = [Who::ReadOnlyLane, Who::WriteLane, Who::Session];

impl Stage {
    /// A run on branch `ada/login`, driven by this process.
    pub(crate) fn new() -> Stage {
        let stage = Stage::without_run();
        stage.drive(&HookSettings::default());
        stage
    }

    pub(crate) fn without_run() -> Stage {
        let sandbox = Sandbox::repository();
        for file in ["main.go", "src/lib.rs", "docs/a.md", "scripts/build.sh", "package.json"] {
            sandbox.write(file, "text\n");
        }
        sandbox.git(["add", "."]);
        sandbox.commit("files");
        sandbox.git(["tag", "v1.2"]);
        sandbox.git(["branch", "other"]);
        sandbox.git(["branch", "feature/x"]);
        sandbox.git(["switch", "-q", "-c", "ada/login"]);
        let root = sandbox.work().canonicalize().unwrap();
        let lane_tree = root.parent().unwrap().join("lane");
        sandbox.git(["worktree", "add", "-q", lane_tree.to_str().unwrap(), "feature/x"]);
        let other = root.parent().unwrap().join("elsewhere");
        fs_err::create_dir_all(other.join("sub")).unwrap();
        sandbox.git_in(&other, ["init", "-q", "-b", "main"]);
        fs_err::create_dir_all(root.join(".specs/20261117-login")).unwrap();
        fs_err::write(root.join(".specs/20261117-login/plan.txt"), "plan\n").unwrap();
        Stage { sandbox, root, lane_tree }
    }

    pub(crate) fn register(&self) -> ActiveRegister {
        let repository = match locate(&self.root).unwrap() {
            Location::WorkTree(repository) => Some(repository),
            _ => None,
        };
        let holder = Holder::of_this_process("now".to_owned(), "test".to_owned());
        ActiveRegister::new(repository.as_ref(), &self.root, holder)
    }

    pub(crate) fn run(&self) -> ActiveRun {
        ActiveRun {
            id: "run-1".to_owned(),
            document: "design-login".to_owned(),
            command: "design".to_owned(),
            feature: Some("login".to_owned()),
            root: self.root.clone(),
            state: self.root.join(".claude/state"),
            workspace: Some(self.root.join(".specs/20261117-login")),
            phase: Some("write".to_owned()),
            rights: Rights::ReadOnly,
            branch: Some("ada/login".to_owned()),
            driver: None,
            waits: Vec::new(),
        }
    }

    pub(crate) fn drive(&self, settings: &HookSettings) {
        self.register().put(self.run(), settings, Some("main")).unwrap();
    }

    pub(crate) fn environment(&self, who: Who) -> HookEnvironment {
        let home = self.sandbox.home().canonicalize().unwrap();
        let mut environment = HookEnvironment {
            home: Some(home.clone()),
            folder: Some(self.folder(who)),
            variables: vec![("HOME".to_owned(), home.to_str().unwrap().to_owned())],
            ..HookEnvironment::default()
        };
        if who != Who::Session {
            environment.lane = Some("driver/lane".into());
            environment.state = Some(self.root.join(".claude/state"));
        }
        if who == Who::WriteLane {
            environment.writes = Some(vec![self.lane_tree.clone()]);
        }
        environment
    }

    pub(crate) fn folder(&self, who: Who) -> PathBuf {
        if who == Who::WriteLane { self.lane_tree.clone() } else { self.root.clone() }
    }

    pub(crate) fn tool(&self, who: Who, name: &str, input: &Value) -> Answer {
        let input = json!({"hook_event_name": "PreToolUse", "cwd": self.folder(who), "tool_name": name, "tool_input": input});
        hook("PreToolUse", &self.environment(who), input.to_string().as_bytes())
    }

    pub(crate) fn shell(&self, who: Who, command: &str) -> Answer {
        self.tool(who, "Bash", &json!({"command": command}))
    }

    /// Checks a table of commands: for each kind of process `+` (allowed) or `-` (denied).
    pub(crate) fn check(&self, cases: &[(&str, &str)]) {
        let mut wrong = Vec::new();
        for (expected, command) in cases {
            let answers: Vec<Answer> = ALL.iter().map(|who| self.shell(*who, command)).collect();
            let got: String =
                answers.iter().map(|answer| if *answer == Answer::Allow { '+' } else { '-' }).collect();
            if got != *expected {
                wrong.push(format!("{expected} expected, {got} found: {command}\n    {answers:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    }
}

pub(crate) fn is_denied(answer: &Answer) -> bool {
    match answer {
        Answer::Deny(line) => {
            assert!(!line.is_empty() && !line.contains('\n') && answer.stdout().is_none(), "{line}");
            true
        }
        _ => false,
    }
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
