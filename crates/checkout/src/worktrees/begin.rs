//! Begin of an implementation: checks of the user's checkout, and the first commit of the integration ref.

use super::error::{Result, refused};
use super::places::{Places, RunPlace};
use super::record::RunRecord;
use super::refs::RefChange;
use crate::tree::Snapshot;
use charrette_engine::ports::worktrees::{BeginOrder, IntegrationBase, ObjectId};
use charrette_model::escape::printable;
use charrette_store::Repository;
use std::path::Path;

/// Oldest version of git that merges trees without files and takes the base of the merge from us.
const MIN_GIT: (u32, u32) = (2, 40);
/// Maximum number of files that a warning names.
const MAX_NAMES: usize = 5;

/// An operation that git is in the middle of: its file, its name and the commands that end it.
const OPERATIONS: [(&str, &str, &str); 6] = [
    ("rebase-merge", "a rebase", "git rebase --continue, or git rebase --abort"),
    ("rebase-apply", "a rebase", "git rebase --continue, or git rebase --abort"),
    ("MERGE_HEAD", "a merge", "git merge --continue, or git merge --abort"),
    ("CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue, or git cherry-pick --abort"),
    ("REVERT_HEAD", "a revert", "git revert --continue, or git revert --abort"),
    ("BISECT_LOG", "a bisection", "git bisect reset"),
];

/// The operation that git is in the middle of, and the commands that end it.
pub(super) fn find_operation(git_dir: &Path) -> Option<(&'static str, &'static str)> {
    let operation = OPERATIONS.iter().find(|(file, ..)| git_dir.join(file).symlink_metadata().is_ok());
    operation.map(|(_, name, cure)| (*name, *cure))
}

/// HEAD of the user's checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) commit: ObjectId,
    /// Empty if HEAD is detached.
    pub(super) branch: String,
}

impl Places {
    /// Checks the user's checkout and begins the integration ref, or finds the one that an earlier attempt began.
    pub(super) fn begin(&self, order: &BeginOrder) -> Result<IntegrationBase> {
        let place = self.run(&order.run)?;
        self.check_git()?;
        let repository = self.repository()?;
        if RunRecord::load(&place)?.is_none() {
            // Nothing is written before it is known that the run can begin.
            self.check_checkout(repository)?;
        }
        let record = self.claim_run(&place)?;
        self.remove_half_made_registrations(&place)?;
        let tip = self.find_ref(&place.integration_ref())?;
        if let (Some(tip), Some(base)) = (&tip, &record.base)
            && self.is_ancestor(&base.commit, tip)
        {
            self.note_kind(&base.commit, true);
            return Ok(base.clone());
        }
        let head = self.check_checkout(repository)?;
        if let Some(tip) = tip {
            return refused(format!(
                "{} exists at {tip} and was not begun here; delete it if it is not needed: git update-ref -d {}",
                place.integration_ref(),
                place.integration_ref()
            ));
        }
        let commit = self.first_commit(&record, &head, order)?;
        self.note_kind(&commit, true);
        let warnings = self.warnings(order)?;
        let base = IntegrationBase { head: head.commit, branch: head.branch, commit, warnings };
        self.start_ref(&place, record, &base)?;
        Ok(base)
    }

    /// Checks that a run can begin in the user's checkout.
    fn check_checkout(&self, repository: &Repository) -> Result<Head> {
        if let Some((name, cure)) = find_operation(repository.git_dir()) {
            return refused(format!("{name} is in progress in {}; finish it: {cure}", self.root.display()));
        }
        let Some(head) = self.head() else {
            return refused("the repository has no commit yet; make one: git add -A && git commit -m begin");
        };
        self.check_identity()?;
        Ok(head)
    }

    /// HEAD; none without a commit.
    pub(super) fn head(&self) -> Option<Head> {
        let commit = self.git().find(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let branch = self.git().find(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
        let branch = branch.strip_prefix("refs/heads/").unwrap_or(&branch).to_owned();
        Some(Head { commit, branch })
    }

    pub(super) fn check_git(&self) -> Result<()> {
        let printed = self.git().text(&["--version"])?;
        let version = printed.split_whitespace().nth(2).unwrap_or_default();
        let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= MIN_GIT {
            return Ok(());
        }
        refused(format!(
            "git {version} is too old to merge the work of tasks; install git {}.{} or newer",
            MIN_GIT.0, MIN_GIT.1
        ))
    }

    /// Checks that commits can be made in the user's name.
    fn check_identity(&self) -> Result<()> {
        let settings = ["user.useConfigOnly=true"];
        let git = self.git().with_settings(&settings);
        if ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"].iter().all(|name| git.succeeds(&["var", name])) {
            return Ok(());
        }
        refused(
            "git does not know in whose name to commit; tell it: git config --global user.name \"YOUR NAME\" && git \
             config --global user.email YOU@EXAMPLE.COM",
        )
    }

    /// The commit with the approved specification; HEAD if it has it. A commit that an earlier attempt made is used again.
    fn first_commit(&self, record: &RunRecord, head: &Head, order: &BeginOrder) -> Result<ObjectId> {
        let tree = self.edit_tree(&head.commit, &order.specification)?;
        let tree_of = |commit: &str| {
            self.git().find(&["rev-parse", "--verify", "--quiet", &format!("{commit}^{{tree}}")])
        };
        if tree_of(&head.commit).as_ref() == Some(&tree) {
            return Ok(head.commit.clone());
        }
        if let Some(base) = &record.base
            && base.head == head.commit
            && base.commit != head.commit
            && tree_of(&base.commit).as_ref() == Some(&tree)
        {
            return Ok(base.commit.clone());
        }
        self.make_commit(&tree, &head.commit, &order.message)
    }

    /// Notes where the run begins, then makes its ref.
    fn start_ref(&self, place: &RunPlace, record: RunRecord, base: &IntegrationBase) -> Result<()> {
        RunRecord { base: Some(base.clone()), ..record }.save(place)?;
        self.change_refs(&[RefChange::Create { name: &place.integration_ref(), to: &base.commit }])
    }

    fn warnings(&self, order: &BeginOrder) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        let is_specification =
            |path: &[u8]| order.specification.iter().any(|edit| edit.path.as_bytes() == path);
        let dirty = Snapshot::take(&self.root)?.dirty_paths();
        let dirty: Vec<String> = dirty
            .into_iter()
            .filter(|path| !is_specification(path.as_bytes()))
            .map(|path| path.to_string())
            .collect();
        if !dirty.is_empty() {
            let names = dirty.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
            let more = dirty.len().saturating_sub(MAX_NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            warnings.push(format!("uncommitted changes are not part of the work: {names}{more}"));
        }
        if self.root.join(".gitmodules").exists() {
            warnings.push("submodules are empty in the worktrees of tasks".to_owned());
        }
        if self.git().find(&["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true") {
            warnings.push(format!(
                "{} is a shallow clone; agents see only the newest history",
                printable(&self.root.to_string_lossy())
            ));
        }
        Ok(warnings)
    }
}
