//! A run with worktrees in a real repository, for tests.

use crate::fixture::{repository, root};
use charrette_checkout::{PortError, TaskWorktrees, WorktreeOptions};
use charrette_engine::ports::worktrees::{
    Advance, AdvanceOrder, BeginOrder, CaptureOrder, Change, CommitMessage, CommitOrder, FileEdit,
    IntegrationBase, LandOrder, Landing, Merge, MergeOrder, Worktree, WorktreeOrder, WorktreeResult,
    Worktrees,
};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const RUN: &str = "0193-run";

/// A repository, and the worktrees of a run in it.
pub(crate) struct Workshop {
    pub(crate) sandbox: Sandbox,
    pub(crate) worktrees: TaskWorktrees,
}

impl Workshop {
    /// A repository with a few files on `main`.
    pub(crate) fn new() -> Workshop {
        let sandbox = repository("main");
        sandbox.write("src/lib.py", "def one():\n    return 1\n\n\ndef two():\n    return 2\n");
        sandbox.write("tool.sh", "#!/bin/sh\nexit 0\n");
        sandbox.write(".gitignore", "/build/\n.env\n");
        sandbox.git(["add", "-A"]);
        sandbox.git(["update-index", "--chmod=+x", "tool.sh"]);
        sandbox.commit("files");
        sandbox.git(["reset", "-q", "--hard"]);
        Workshop::of(sandbox)
    }

    pub(crate) fn of(sandbox: Sandbox) -> Workshop {
        let options = WorktreeOptions { root: root(&sandbox), state: sandbox.outside("state") };
        Workshop { worktrees: TaskWorktrees::new(options), sandbox }
    }

    pub(crate) fn begin(&self) -> IntegrationBase {
        self.try_begin(&[]).unwrap()
    }

    pub(crate) fn try_begin(&self, specification: &[(&str, &str)]) -> Result<IntegrationBase, PortError> {
        let specification = specification.iter().map(|(path, text)| edit(path, text)).collect();
        let message = message("docs: approved specification");
        wait(self.worktrees.begin(BeginOrder { run: RUN.to_owned(), specification, message }))
    }

    /// A worktree with the content of a commit.
    pub(crate) fn prepare(&self, name: &str, content: &str) -> PathBuf {
        PathBuf::from(self.try_prepare(order(name, content)).unwrap().path)
    }

    pub(crate) fn try_prepare(&self, order: WorktreeOrder) -> Result<Worktree, PortError> {
        wait(self.worktrees.prepare(order))
    }

    pub(crate) fn capture(&self, name: &str, base: &str) -> Change {
        self.try_capture(name, base).unwrap()
    }

    pub(crate) fn try_capture(&self, name: &str, base: &str) -> Result<Change, PortError> {
        let (run, name, base) = (RUN.to_owned(), name.to_owned(), base.to_owned());
        wait(self.worktrees.capture(CaptureOrder { run, name, base }))
    }

    pub(crate) fn commit(&self, name: &str, tree: &str, parent: &str) -> String {
        wait(self.worktrees.commit(CommitOrder {
            run: RUN.to_owned(),
            name: name.to_owned(),
            tree: tree.to_owned(),
            parent: parent.to_owned(),
            message: CommitMessage {
                title: format!("feat: {name}"),
                body: String::new(),
                trailers: vec![
                    ("Charrette-Run".to_owned(), RUN.to_owned()),
                    ("Charrette-Task".to_owned(), name.to_owned()),
                ],
            },
        }))
        .unwrap()
    }

    /// Makes files in a new worktree, and a commit of them.
    pub(crate) fn work(&self, name: &str, base: &str, files: &[(&str, &str)]) -> String {
        let folder = self.prepare(name, base);
        for (path, text) in files {
            write(&folder, path, text);
        }
        let change = self.capture(name, base);
        assert_eq!(change.tampering, Vec::<String>::new());
        self.commit(name, &change.tree, base)
    }

    pub(crate) fn merge(&self, base: &str, tip: &str, commit: &str) -> Merge {
        let [base, tip, commit] = [base, tip, commit].map(str::to_owned);
        wait(self.worktrees.merge(MergeOrder { base, tip, commit })).unwrap()
    }

    pub(crate) fn advance(&self, expected: &str, commit: &str) -> Advance {
        let [run, expected, commit] = [RUN, expected, commit].map(str::to_owned);
        wait(self.worktrees.advance(AdvanceOrder { run, expected, commit })).unwrap()
    }

    pub(crate) fn land(&self, base: &IntegrationBase, commit: &str, specification: &[&str]) -> Landing {
        wait(self.worktrees.land(LandOrder {
            run: RUN.to_owned(),
            base: base.clone(),
            commit: commit.to_owned(),
            specification: specification.iter().map(|path| (*path).to_owned()).collect(),
            archive: self.sandbox.outside("archive").to_str().unwrap().to_owned(),
        }))
        .unwrap()
    }

    pub(crate) fn clean_up(&self, keep: &[&str]) {
        let keep = keep.iter().map(|name| (*name).to_owned()).collect();
        wait(self.worktrees.clean_up(RUN.to_owned(), keep)).unwrap();
    }

    /// Folder of the worktrees of the run.
    pub(crate) fn folder(&self) -> PathBuf {
        self.sandbox.outside("state").canonicalize().unwrap().join("worktrees").join(RUN)
    }

    /// Refs, worktrees and folders that are there because of runs.
    pub(crate) fn traces(&self) -> Vec<String> {
        let mut traces: Vec<String> = self
            .sandbox
            .git(["for-each-ref", "--format=%(refname)", "refs/charrette"])
            .lines()
            .map(str::to_owned)
            .collect();
        let registered = fs_err::read_dir(self.sandbox.path(".git/worktrees")).into_iter().flatten();
        let folders = fs_err::read_dir(self.sandbox.outside("state/worktrees")).into_iter().flatten();
        traces.extend(
            registered.chain(folders).map(|entry| entry.unwrap().path().to_string_lossy().into_owned()),
        );
        traces
    }
}

pub(crate) fn order(name: &str, content: &str) -> WorktreeOrder {
    WorktreeOrder {
        run: RUN.to_owned(),
        name: name.to_owned(),
        content: content.to_owned(),
        overlay: None,
        reset: false,
        includes: false,
    }
}

pub(crate) fn edit(path: &str, text: &str) -> FileEdit {
    FileEdit { path: path.to_owned(), content: Some(text.as_bytes().to_vec()) }
}

pub(crate) fn message(title: &str) -> CommitMessage {
    CommitMessage { title: title.to_owned(), ..CommitMessage::default() }
}

/// Writes a file as an agent would.
pub(crate) fn write(folder: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, content).unwrap();
}

/// Runs git as an agent would.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Waits for an answer of the port.
pub(crate) fn wait<T>(answer: WorktreeResult<T>) -> Result<T, PortError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(answer)
}

/// Paths of a change, with a letter for its kind.
pub(crate) fn told(change: &Change) -> Vec<String> {
    let letter =
        |file: &charrette_engine::ports::worktrees::ChangedFile| format!("{:?} {}", file.kind, file.path);
    change.files.iter().map(letter).collect()
}
