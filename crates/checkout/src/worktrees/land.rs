//! Fast-forward of the user's checkout to the integrated work.
//!
//! Nothing is forced: where the state of the checkout does not allow a fast-forward, the work waits on its ref, and the
//! reason and the command that takes it are told. An attempt that was killed is taken back and made again by the next one.
//!
//! `mark` remembers what a landing is about to change, `specification` replaces the files of the specification, `rollback`
//! takes back what an attempt has changed, with `layout` and `locks`; `take` has the commands for people.

mod layout;
mod locks;
mod mark;
mod rollback;
mod specification;
mod take;

use self::layout::TouchedPath;
use self::mark::LandingMark;
use self::specification::{SpecFile, archive_warnings};
use self::take::take_command;
use super::begin::{Head, find_operation};
use super::error::{Result, WorktreeError, refused};
use super::objects::check_object;
use super::places::{Places, RunPlace};
use crate::tree::Snapshot;
use charrette_engine::ports::worktrees::{LandOrder, Landing};
use charrette_model::escape::one_line;
use charrette_model::tree::TreePath;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Maximum number of files that a reason names.
const MAX_NAMES: usize = 5;
/// How often a landing is attempted while something kills git.
const MAX_ATTEMPTS: u32 = 3;

/// The user's checkout before a landing.
#[derive(Debug)]
struct Checkout {
    head: Head,
    /// Paths that the work changes.
    touched: Vec<TouchedPath>,
    /// Paths with content that is not committed.
    dirty: BTreeSet<TreePath>,
}

impl Places {
    /// Fast-forwards the user's checkout where its state allows it.
    pub(super) fn land(&self, order: &LandOrder) -> Result<Landing> {
        check_object(&order.commit)?;
        check_object(&order.base.commit)?;
        let place = self.run(&order.run)?;
        let warnings = self.end_killed_landing(order, &place)?;
        let mut attempts = 1;
        loop {
            let Some(head) = self.head() else {
                let command = merge_command(&place.integration_ref());
                return Ok(waiting("HEAD has no commit", command));
            };
            if self.is_ancestor(&order.commit, &head.commit) {
                return Ok(Landing::Landed { branch: head.branch, warnings });
            }
            let checkout = self.look_at_checkout(order, head)?;
            if let Some(obstacle) = self.find_obstacle(order, &checkout)? {
                return Ok(obstacle);
            }
            let specification = self.find_specification(order, &checkout)?;
            if let Some(obstacle) = self.find_files_in_the_way(order, &checkout, &specification)? {
                return Ok(obstacle);
            }
            match self.fast_forward(order, &place, &checkout, &specification) {
                Ok(landed) => return Ok(landed),
                Err(WorktreeError::Git(error)) if error.is_killed() && attempts < MAX_ATTEMPTS => {
                    attempts += 1;
                }
                Err(WorktreeError::Git(error)) if !error.is_killed() => {
                    let merge = merge_command(&place.integration_ref());
                    let command = take_command(order, &checkout, &[], &merge);
                    let reason: Vec<String> = error.reason().lines().map(one_line).collect();
                    return Ok(waiting(&reason.join("; "), command));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes back what a killed landing has changed. If it has only not removed its mark, returns its warnings.
    fn end_killed_landing(&self, order: &LandOrder, place: &RunPlace) -> Result<Vec<String>> {
        let Some(mark) = LandingMark::load(place)? else { return Ok(Vec::new()) };
        self.remove_left_locks(place, &mark)?;
        let head = self.head().map(|head| head.commit).unwrap_or_default();
        let has_landed = self.is_ancestor(&order.commit, &head);
        if !has_landed {
            self.take_back(place, &mark)?;
        }
        LandingMark::remove(place)?;
        Ok(if has_landed { archive_warnings(order, &mark) } else { Vec::new() })
    }

    /// Takes back what a landing has changed in the checkout, as long as HEAD is where it was.
    pub(super) fn take_back_landing(&self, place: &RunPlace) -> Result<()> {
        let Some(mark) = LandingMark::load(place)? else { return Ok(()) };
        self.remove_left_locks(place, &mark)?;
        self.take_back(place, &mark)
    }

    fn take_back(&self, place: &RunPlace, mark: &LandingMark) -> Result<()> {
        if self.head().is_some_and(|head| head.commit == mark.head) {
            if let Some((operation, cure)) = find_operation(self.repository()?.git_dir()) {
                return refused(format!(
                    "{operation} is in progress, and a landing that was killed has to be taken back; finish it first: {cure}"
                ));
            }
            self.roll_back(mark)?;
        }
        LandingMark::remove(place)
    }

    fn look_at_checkout(&self, order: &LandOrder, head: Head) -> Result<Checkout> {
        let touched = self.touched_paths(&head.commit, &order.commit)?;
        let dirty = Snapshot::take(&self.root)?.dirty_or_untracked_paths().into_iter().collect();
        Ok(Checkout { head, touched, dirty })
    }

    /// Replaces the specification and has git move the branch. A failure leaves the checkout as it was.
    fn fast_forward(
        &self,
        order: &LandOrder,
        place: &RunPlace,
        checkout: &Checkout,
        specification: &[SpecFile],
    ) -> Result<Landing> {
        let mark = LandingMark {
            commit: order.commit.clone(),
            head: checkout.head.commit.clone(),
            branch: checkout.head.branch.clone(),
            base: order.base.commit.clone(),
            specification: specification.iter().map(|file| file.marked.clone()).collect(),
        };
        mark.save(place)?;
        let args =
            ["merge", "--quiet", "--ff-only", "--no-autostash", "--no-overwrite-ignore", &order.commit];
        let moved =
            self.replace_specification(order, specification).and_then(|()| Ok(self.git().act(&args)?));
        if let Err(error) = moved {
            // The mark stays, and the next attempt takes it back.
            let half_done = |problem: WorktreeError| {
                WorktreeError::Failed(format!(
                    "{error}\na part of the landing is not taken back yet: {problem}"
                ))
            };
            self.take_back_landing(place).map_err(half_done)?;
            return Err(error);
        }
        LandingMark::remove(place)?;
        let warnings = archive_warnings(order, &mark);
        Ok(Landing::Landed { branch: checkout.head.branch.clone(), warnings })
    }

    /// Why the user's branch cannot be moved at all.
    fn find_obstacle(&self, order: &LandOrder, checkout: &Checkout) -> Result<Option<Landing>> {
        let repository = self.repository()?;
        let name = self.run(&order.run)?.integration_ref();
        let waits = |reason: &str, merge: String| {
            let command = take_command(order, checkout, &[], &merge);
            Ok(Some(waiting(reason, command)))
        };
        if let Some((operation, cure)) = find_operation(repository.git_dir()) {
            let reason = format!("{operation} is in progress; finish it first: {cure}");
            return waits(&reason, merge_command(&name));
        }
        let (began, head) = (&order.base.branch, &checkout.head);
        if head.branch.is_empty() {
            let merge = if began.is_empty() {
                format!("git switch --create NEW-BRANCH {name}")
            } else {
                format!("git switch {began} && {}", merge_command(&name))
            };
            return waits("HEAD is detached", merge);
        }
        if head.branch != *began {
            let reason = if began.is_empty() {
                format!("HEAD was detached when the work began, and {} is checked out now", head.branch)
            } else {
                format!("the work began on {began}, and {} is checked out now", head.branch)
            };
            let merge = if began.is_empty() {
                format!("git merge {name}")
            } else {
                format!("git switch {began} && {}", merge_command(&name))
            };
            return waits(&reason, merge);
        }
        if !self.is_ancestor(&head.commit, &order.commit) {
            let reason = format!("{began} has moved since the work began");
            return waits(&reason, format!("git merge {name}"));
        }
        match self.find_lock(&head.branch)? {
            Some(lock) => waits(&one_line(&lock), merge_command(&name)),
            None => Ok(None),
        }
    }

    /// Files of the person that the work would change.
    fn find_files_in_the_way(
        &self,
        order: &LandOrder,
        checkout: &Checkout,
        specification: &[SpecFile],
    ) -> Result<Option<Landing>> {
        let is_known = |path: &TreePath| specification.iter().any(|file| file.marked.path == *path);
        let touched: BTreeSet<TreePath> = checkout.touched.iter().map(|one| one.path.clone()).collect();
        let is_in_the_way = |path: &&TreePath| is_touched(path, &touched) && !is_known(path);
        let in_the_way: Vec<TreePath> = checkout.dirty.iter().filter(is_in_the_way).cloned().collect();
        let is_ignored = |one: &&TouchedPath| {
            let meta = self.root.join(one.path.as_path()).symlink_metadata();
            let is_there = meta.is_ok_and(|meta| !meta.is_dir());
            !one.is_in_first && is_there && !is_known(&one.path) && !checkout.dirty.contains(&one.path)
        };
        let ignored: Vec<&TreePath> =
            checkout.touched.iter().filter(is_ignored).map(|one| &one.path).collect();
        let mut reasons = Vec::new();
        if !in_the_way.is_empty() {
            reasons.push(format!(
                "the work changes files that have uncommitted changes here, or that git does not track: {}; stash or \
                 move them first",
                names(&in_the_way.iter().collect::<Vec<_>>())
            ));
        }
        if !ignored.is_empty() {
            reasons.push(format!(
                "the work has files that are here too and that git ignores: {}; move them first",
                names(&ignored)
            ));
        }
        if reasons.is_empty() {
            return Ok(None);
        }
        let merge = merge_command(&self.run(&order.run)?.integration_ref());
        let command = take_command(order, checkout, &in_the_way, &merge);
        Ok(Some(waiting(&reasons.join("; "), command)))
    }
}

/// True if a path of the work tree is one of those, below one, or above one.
fn is_touched(path: &TreePath, touched: &BTreeSet<TreePath>) -> bool {
    let bytes = path.as_bytes();
    let folder = [bytes.strip_suffix(b"/").unwrap_or(bytes), b"/"].concat();
    let mut above = Path::new(OsStr::from_bytes(bytes)).ancestors();
    above.any(|path| touched.contains(&TreePath::new(path.as_os_str().as_bytes())))
        || touched.iter().any(|other| other.as_bytes().starts_with(&folder))
}

fn names(paths: &[&TreePath]) -> String {
    let shown = paths.iter().take(MAX_NAMES).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Command that fast-forwards to a ref.
fn merge_command(name: &str) -> String {
    format!("git merge --ff-only {name}")
}

fn waiting(reason: &str, command: String) -> Landing {
    Landing::Waiting { reason: reason.to_owned(), command }
}
