//! Moves a ref in its file, as git itself does: under a lock file that becomes the ref. This costs no process. Whatever is
//! not plain (a lock, another value, refs in tables, a folder that is missing) is left to git.

use super::error::Result;
use charrette_store::{Repository, head};
use fs_err::os::unix::fs::OpenOptionsExt as _;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where a ref has to be before it is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected<'a> {
    Anywhere,
    Nowhere,
    At(&'a str),
}

/// Moves a ref that all work trees share; false if nothing was done.
pub(super) fn move_ref(
    repository: &Repository,
    name: &str,
    to: &str,
    expected: Expected<'_>,
) -> Result<bool> {
    let common = repository.common_dir();
    let is_expected = || {
        let Ok(now) = head::find_ref(repository, name) else { return false };
        match expected {
            Expected::Anywhere => true,
            Expected::Nowhere => now.is_none(),
            Expected::At(commit) => now.as_deref() == Some(commit),
        }
    };
    Ok(replace_under_lock(&common.join(name), &common.join("HEAD"), to, is_expected)?)
}

/// Moves the detached HEAD of a worktree from one commit to another; false if nothing was done.
pub(super) fn move_head(git_dir: &Path, from: &str, to: &str) -> Result<bool> {
    let head = git_dir.join("HEAD");
    let is_expected = || fs_err::read_to_string(&head).is_ok_and(|text| text.trim_end() == from);
    Ok(replace_under_lock(&head, &head, to, is_expected)?)
}

/// Replaces the file of a ref if it is as expected while we hold its lock. It may be read by whoever may read `like`.
fn replace_under_lock(
    file: &Path,
    like: &Path,
    commit: &str,
    is_expected: impl FnOnce() -> bool,
) -> io::Result<bool> {
    let mut lock = file.as_os_str().to_owned();
    lock.push(".lock");
    let lock = PathBuf::from(lock);
    let opened = fs_err::OpenOptions::new().write(true).create_new(true).mode(0o666).open(&lock);
    let Ok(mut opened) = opened else { return Ok(false) };
    let replace = || {
        if !is_expected() {
            return Ok(false);
        }
        writeln!(opened, "{commit}")?;
        let mode = fs_err::metadata(like)?.permissions().mode() & 0o666;
        if opened.metadata()?.permissions().mode() & 0o666 != mode {
            opened.set_permissions(std::fs::Permissions::from_mode(mode))?;
        }
        opened.sync_all()?;
        // Fails where a folder of that name is in the way; git knows what to do.
        Ok(fs_err::rename(&lock, file).is_ok())
    };
    let replaced = replace();
    if !matches!(replaced, Ok(true)) {
        fs_err::remove_file(&lock)?;
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_store::{Location, locate};
    use charrette_testkit::Sandbox;

    const NAME: &str = "refs/charrette/run";

    fn repository(sandbox: &Sandbox) -> Repository {
        let Location::WorkTree(repository) = locate(&sandbox.work()).unwrap() else {
            panic!("no repository")
        };
        repository
    }

    #[test]
    fn a_ref_moves_only_from_where_it_is_expected() {
        let sandbox = Sandbox::repository();
        let first = sandbox.git(["rev-parse", "HEAD"]).trim().to_owned();
        sandbox.commit("second");
        let second = sandbox.git(["rev-parse", "HEAD"]).trim().to_owned();
        let repository = repository(&sandbox);
        let go = |to: &str, expected| move_ref(&repository, NAME, to, expected).unwrap();
        let is_at = |commit: &str| {
            assert_eq!(sandbox.git(["rev-parse", NAME]).trim(), commit);
            assert!(!sandbox.path(&format!(".git/{NAME}.lock")).exists());
        };
        assert!(!go(&first, Expected::Nowhere), "git makes the folder");
        sandbox.git(["update-ref", "refs/charrette/other", &first]);
        assert!(go(&first, Expected::Nowhere));
        is_at(&first);
        assert!(!go(&second, Expected::Nowhere));
        assert!(!go(&second, Expected::At(&second)));
        is_at(&first);
        sandbox.git(["pack-refs", "--all", "--prune"]);
        sandbox.git(["update-ref", "refs/charrette/other", &second]);
        assert!(!go(&second, Expected::Nowhere), "a packed ref is one");
        assert!(go(&second, Expected::At(&first)));
        is_at(&second);
        assert!(go(&first, Expected::Anywhere));
        is_at(&first);
    }

    #[test]
    fn a_lock_of_others_is_left_alone() {
        let sandbox = Sandbox::repository();
        let commit = sandbox.git(["rev-parse", "HEAD"]).trim().to_owned();
        sandbox.git(["update-ref", NAME, &commit]);
        sandbox.write(&format!(".git/{NAME}.lock"), "");
        assert!(!move_ref(&repository(&sandbox), NAME, &commit, Expected::Anywhere).unwrap());
        assert!(sandbox.path(&format!(".git/{NAME}.lock")).exists());
    }

    #[test]
    fn only_a_detached_head_is_moved() {
        let sandbox = Sandbox::repository();
        let (git_dir, commit) = (sandbox.path(".git"), sandbox.git(["rev-parse", "HEAD"]));
        let commit = commit.trim();
        assert!(!move_head(&git_dir, commit, commit).unwrap());
        assert!(sandbox.read(".git/HEAD").starts_with("ref: "));
        sandbox.git(["checkout", "-q", "--detach"]);
        assert!(move_head(&git_dir, commit, commit).unwrap());
        assert_eq!(sandbox.git(["rev-parse", "HEAD"]).trim(), commit);
    }
}
