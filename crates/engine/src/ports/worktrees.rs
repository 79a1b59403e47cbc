//! Port: worktrees in which the tasks of a run are implemented, and the integration of their work.
//!
//! A run has one integration ref, `refs/charrette/<run>`. It begins at the commit that the user's checkout was at, with
//! the approved specification as its first commit, and advances by compare-and-swap only. Agents work in worktrees that
//! charrette makes and removes; only charrette makes commits. Everything here can be repeated after a kill.

use super::BoxFuture;
use super::checkout::PortError;
use serde::{Deserialize, Serialize};

/// Result of a call of this port.
pub type WorktreeResult<T> = BoxFuture<'static, Result<T, PortError>>;

/// Id of a git object, in hexadecimal.
pub type ObjectId = String;

/// Worktrees of a run and the integration of their work. Every method that changes something is called inside a step.
pub trait Worktrees: Send + Sync {
    /// Begins the integration ref of a run; finds it if an earlier attempt made it.
    fn begin(&self, order: BeginOrder) -> WorktreeResult<IntegrationBase>;

    /// Commit that the integration ref of a run points to.
    fn tip(&self, run: String) -> WorktreeResult<ObjectId>;

    /// Makes a worktree with the content of a commit or tree, or finds the one that an earlier call with the same order
    /// made, as it was left.
    fn prepare(&self, order: WorktreeOrder) -> WorktreeResult<Worktree>;

    /// Stores the content of a worktree as a tree and compares it with its base.
    fn capture(&self, order: CaptureOrder) -> WorktreeResult<Change>;

    /// Makes a commit of a tree. No ref points to it, but it is kept for the life of the run.
    fn commit(&self, order: CommitOrder) -> WorktreeResult<ObjectId>;

    /// Merges a commit with the tip in memory; changes neither files nor refs.
    fn merge(&self, order: MergeOrder) -> WorktreeResult<Merge>;

    /// Moves the integration ref to a new commit if it is still where the caller expects it; an equal earlier move
    /// counts as this one.
    fn advance(&self, order: AdvanceOrder) -> WorktreeResult<Advance>;

    /// Fast-forwards the user's checkout to the integration ref where its state allows it.
    fn land(&self, order: LandOrder) -> WorktreeResult<Landing>;

    /// Unified diff between two commits or trees, limited to a number of bytes.
    fn diff(&self, from: ObjectId, to: ObjectId, limit: usize) -> WorktreeResult<DiffText>;

    /// Content of files, in the same order. None for one that does not exist, is no text, or is larger than 4 MB; of a
    /// symbolic link it is its target.
    fn read(&self, files: Vec<FileAt>) -> WorktreeResult<Vec<Option<String>>>;

    /// Values of a trailer in the commits after one, up to another.
    fn trailers(&self, after: ObjectId, until: ObjectId, key: String) -> WorktreeResult<Vec<String>>;

    /// Files of a commit or tree that mention words, with the number of lines in each; one list for each word.
    fn mentions(&self, at: ObjectId, words: Vec<String>) -> WorktreeResult<Vec<Vec<Mention>>>;

    /// Makes a tree from another one with some files replaced, added or removed.
    fn edit_tree(&self, base: ObjectId, edits: Vec<FileEdit>) -> WorktreeResult<ObjectId>;

    /// Removes a worktree of a run, whatever is in it.
    fn remove(&self, run: String, name: String) -> WorktreeResult<()>;

    /// Removes all worktrees of a run except those named, and everything else that the run needs no more. The
    /// integration ref is kept if its work has not landed.
    fn clean_up(&self, run: String, keep: Vec<String>) -> WorktreeResult<()>;
}

/// Begin of an implementation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeginOrder {
    pub run: String,
    /// Files of the specification, relative to the root of the repository, with their approved content. Where they
    /// differ from HEAD, they become the first commit.
    pub specification: Vec<FileEdit>,
    pub message: CommitMessage,
}

/// Where an implementation begins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntegrationBase {
    /// HEAD of the user's checkout.
    pub head: ObjectId,
    /// Branch of the user's checkout; empty if HEAD is detached.
    pub branch: String,
    /// The first commit of the integration ref: the approved specification, or HEAD if it is committed already.
    pub commit: ObjectId,
    pub warnings: Vec<String>,
}

/// A worktree to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorktreeOrder {
    pub run: String,
    /// Name in the run, such as `T001`; `[A-Za-z0-9][A-Za-z0-9._-]*`.
    pub name: String,
    /// Commit or tree of its content.
    pub content: ObjectId,
    /// Files of another tree that are laid over the content, such as the tests of a task.
    pub overlay: Option<Overlay>,
    /// True to restore exactly this content if the worktree exists; otherwise it stays as it was left. Ignored files
    /// stay (installed packages, build output), unless the worktree was tampered with: then it is made anew.
    pub reset: bool,
    /// True to copy the ignored files that `.worktreeinclude` names.
    pub includes: bool,
}

/// Files of a tree that are laid over another one. A path that the tree does not have is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlay {
    pub tree: ObjectId,
    pub paths: Vec<String>,
}

/// A worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// Absolute path of its folder.
    pub path: String,
    /// True if this call made it.
    pub is_new: bool,
    /// Ignored files that were copied into it.
    pub included: Vec<String>,
}

/// Capture of the content of a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureOrder {
    pub run: String,
    pub name: String,
    /// Commit or tree to compare with.
    pub base: ObjectId,
}

/// Content of a worktree compared with its base. Ignored files are not part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub tree: ObjectId,
    pub files: Vec<ChangedFile>,
    /// Unified diff, limited.
    pub diff: DiffText,
    /// What was done to the worktree's link to the repository or to the repository itself; each of them refuses the
    /// change. It is told again by every capture until the worktree is prepared with `reset` or removed.
    pub tampering: Vec<String>,
}

/// A file that differs from the base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    pub path: String,
    pub kind: ChangeKind,
    /// Git file mode before (`100644`, `100755`, `120000`, `160000`); empty if the file is new.
    pub old_mode: String,
    /// Git file mode after; empty if the file was deleted.
    pub mode: String,
    /// Size of the file in the worktree, in bytes; 0 if it was deleted.
    pub size: u64,
    pub is_binary: bool,
    /// Lines added and removed, of text files.
    pub added: u64,
    pub removed: u64,
}

/// Kind of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Added,
    #[default]
    Modified,
    Deleted,
    /// File, link or submodule became another of them.
    TypeChanged,
}

/// A diff as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffText {
    pub text: String,
    /// True if it was cut at the limit.
    pub is_cut: bool,
}

/// A file to be replaced, added or removed in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    pub path: String,
    /// New content; none removes the file.
    pub content: Option<Vec<u8>>,
}

/// A file in a commit or tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileAt {
    pub at: ObjectId,
    pub path: String,
}

/// A file that mentions a word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mention {
    pub path: String,
    /// Number of lines with the word.
    pub lines: usize,
}

/// A commit to be made. Author and committer are the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitOrder {
    pub run: String,
    /// Keeps the commit reachable in the run under this name, such as `T001`; a later one replaces it.
    pub name: String,
    pub tree: ObjectId,
    pub parent: ObjectId,
    pub message: CommitMessage,
}

/// Message of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitMessage {
    pub title: String,
    pub body: String,
    /// Trailers, as key and value.
    pub trailers: Vec<(String, String)>,
}

/// A trial merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOrder {
    /// Commit that the task began at.
    pub base: ObjectId,
    /// The tip that everything else was integrated into.
    pub tip: ObjectId,
    /// Commit of the task.
    pub commit: ObjectId,
}

/// Result of a trial merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    /// The merged tree.
    Clean(ObjectId),
    /// Paths in conflict, and the conflicting hunks.
    Conflict(MergeConflict),
    /// The merged tree lacks lines that others added since the base of the task: `path: line`.
    LosesLines(Vec<String>),
}

/// Conflict of a trial merge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeConflict {
    pub paths: Vec<String>,
    /// Tree with conflict markers, to be laid out for the one who resolves it.
    pub tree: ObjectId,
    /// Messages of git.
    pub messages: String,
}

/// Move of the integration ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvanceOrder {
    pub run: String,
    /// The ref must be here.
    pub expected: ObjectId,
    /// New commit; its parent is `expected`.
    pub commit: ObjectId,
}

/// Result of a move of the integration ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advance {
    Moved,
    /// The ref is at this commit instead.
    Elsewhere(ObjectId),
}

/// Fast-forward of the user's checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandOrder {
    pub run: String,
    /// Where the implementation began.
    pub base: IntegrationBase,
    /// Commit to land.
    pub commit: ObjectId,
    /// Files of the specification, relative to the root: those that nobody has edited since the first commit are
    /// replaced, and archived before if they are not committed.
    pub specification: Vec<String>,
    /// Folder that replaced files are archived to.
    pub archive: String,
}

/// Result of a landing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Landing {
    /// The user's branch is at the commit; warnings if something was archived.
    Landed { branch: String, warnings: Vec<String> },
    /// The work waits on the integration ref: why, and the command that takes it.
    Waiting { reason: String, command: String },
}
