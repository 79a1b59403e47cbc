//! A landing is killed while git moves the user's branch: with everything, or git alone.
//!
//! The landing is a child process of the test. Its `git` is a script that does a part of `git merge` and kills.

use super::kills::{child, command, install_script};
use super::landing::{SPEC, integrated, reason};
use crate::workshop::Workshop;
use charrette_engine::ports::worktrees::{IntegrationBase, Landing};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;

/// What the killed git had done, as shell commands in the checkout.
const HALVES: [(&str, &str); 7] = [
    ("nothing", ":"),
    ("files by half", "printf 'x =' > new.py; rm src/lib.py; : > src/lib.py; echo torn > .git/index.lock"),
    ("some files", "\"$real\" show $COMMIT:new.py > new.py; rm src/lib.py; : > .git/index.lock"),
    ("all files and the index", "\"$real\" read-tree -m -u HEAD $COMMIT"),
    (
        "all files, the index and a lock",
        "\"$real\" read-tree -m -u HEAD $COMMIT; : > .git/refs/heads/main.lock",
    ),
    ("a lock of HEAD", ": > .git/HEAD.lock; : > .git/ORIG_HEAD.lock"),
    ("everything, but a lock is left", "\"$real\" \"$@\"; : > .git/HEAD.lock"),
];

/// A run with integrated work, whose landing is killed.
struct Killed {
    workshop: Workshop,
    base: IntegrationBase,
    commit: String,
    path: String,
}

impl Killed {
    /// `git merge` runs these commands; then `kill` is run, at most `times`.
    fn new(half: &str, kill: &str, times: usize) -> Killed {
        let workshop = Workshop::new();
        let (base, commit) = integrated(&workshop);
        let count = workshop.sandbox.outside("count");
        let script = format!(
            "for word in \"$@\"; do if [ \"$word\" = merge ]; then\n  count=$(cat '{0}' 2>/dev/null || echo 0)\n  \
             if [ $count -lt {times} ]; then\n    echo $((count + 1)) > '{0}'\n    {half}\n    {kill}\n  fi\nfi; done\n",
            count.display()
        );
        let path = install_script(&workshop, &script);
        Killed { workshop, base, commit, path }
    }

    fn variables(&self) -> Vec<(&str, String)> {
        vec![
            ("PATH", self.path.clone()),
            ("HEAD", self.base.head.clone()),
            ("BASE", self.base.commit.clone()),
            ("COMMIT", self.commit.clone()),
            ("ARCHIVE", self.workshop.sandbox.outside("archive").display().to_string()),
        ]
    }

    /// Lands in a child that is killed with its git.
    fn die(&self) {
        let variables = self.variables();
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let output = command(&self.workshop, "land", &variables).output().unwrap();
        assert_eq!(output.status.signal(), Some(9), "{output:?}");
    }

    /// Lands in a child that lives on.
    fn land_in_child(&self) -> String {
        let variables = self.variables();
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        child(&self.workshop, "land", &variables)
    }

    fn land(&self) -> Landing {
        self.workshop.land(&self.base, &self.commit, &[SPEC.0])
    }

    fn mark(&self) -> PathBuf {
        self.workshop.folder().join(".charrette/landing")
    }

    fn assert_landed(&self, name: &str) {
        let sandbox = &self.workshop.sandbox;
        assert_eq!(sandbox.git(["rev-parse", "refs/heads/main"]), self.commit, "{name}");
        assert_eq!(sandbox.git(["status", "--porcelain"]), "", "{name}");
        assert_eq!(sandbox.read(SPEC.0), "- [x] T001\n", "{name}");
        let archived = sandbox.outside("archive").join(SPEC.0);
        assert_eq!(fs_err::read_to_string(archived).unwrap(), SPEC.1, "{name}");
        self.assert_nothing_left(name);
    }

    /// Asserts that the checkout is what it was before the landing.
    fn assert_as_before(&self, name: &str) {
        let sandbox = &self.workshop.sandbox;
        assert_eq!(sandbox.git(["rev-parse", "HEAD"]), self.base.head, "{name}");
        let status = sandbox.git(["status", "--porcelain", "--untracked-files=all"]);
        assert_eq!(status, format!("?? {}", SPEC.0), "{name}");
        assert_eq!(sandbox.read(SPEC.0), SPEC.1, "{name}");
        self.assert_nothing_left(name);
    }

    fn assert_nothing_left(&self, name: &str) {
        let git = self.workshop.sandbox.path(".git");
        for lock in ["index.lock", "HEAD.lock", "ORIG_HEAD.lock", "refs/heads/main.lock"] {
            assert!(!git.join(lock).exists(), "{name}: {lock}");
        }
        assert!(!self.mark().exists(), "{name}");
    }
}

#[test]
fn a_landing_that_was_killed_is_made_again_and_the_specification_is_always_there() {
    for (name, half) in HALVES {
        let killed = Killed::new(half, "kill -9 $PPID $$", 1);
        killed.die();
        assert!(killed.mark().exists(), "{name}");
        let specification = killed.workshop.sandbox.read(SPEC.0);
        assert!([SPEC.1, "- [x] T001\n"].contains(&specification.as_str()), "{name}: {specification}");
        let landed = killed.land();
        let Landing::Landed { warnings, .. } = &landed else { panic!("{name}: {landed:?}") };
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        killed.assert_landed(name);
    }
}

#[test]
fn a_git_that_was_killed_alone_is_started_again() {
    for (name, half) in HALVES {
        let killed = Killed::new(half, "kill -9 $$", 1);
        let printed = killed.land_in_child();
        assert!(printed.contains("Ok(Landed"), "{name}: {printed}");
        killed.assert_landed(name);
    }
}

#[test]
fn locks_of_other_work_are_left() {
    let killed = Killed::new(":", "kill -9 $PPID $$", 1);
    killed.die();
    // A git in another work tree closes these long before it is done.
    let git = killed.workshop.sandbox.path(".git");
    let others = ["packed-refs.lock", "config.lock", "shallow.lock", "refs/heads/other.lock"];
    for lock in others {
        fs_err::write(git.join(lock), "half").unwrap();
    }
    assert!(matches!(killed.land(), Landing::Landed { .. }));
    for lock in others {
        assert!(git.join(lock).exists(), "{lock}");
        fs_err::remove_file(git.join(lock)).unwrap();
    }
    killed.assert_landed("with locks of others");
}

#[test]
fn a_lock_of_another_user_is_named_and_left() {
    // Only the superuser can make one.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let killed = Killed::new(":", "kill -9 $PPID $$", 1);
    killed.die();
    let lock = killed.workshop.sandbox.path(".git/HEAD.lock");
    fs_err::write(&lock, "half").unwrap();
    std::os::unix::fs::chown(&lock, Some(12_345), None).unwrap();
    let (reason, _) = reason(killed.land());
    assert!(reason.contains("HEAD.lock") && lock.exists(), "{reason}");
}

#[test]
fn where_git_is_killed_each_time_the_checkout_is_as_before() {
    let (_, half) = HALVES[1];
    let killed = Killed::new(half, "kill -9 $$", 3);
    let printed = killed.land_in_child();
    assert!(printed.contains("Err(Failed") && printed.contains("signal: 9"), "{printed}");
    killed.assert_as_before("killed three times");
    assert!(matches!(killed.land(), Landing::Landed { .. }));
    killed.assert_landed("then not");
}

#[test]
fn what_a_person_wrote_after_the_kill_stays() {
    let (name, half) = HALVES[1];
    let killed = Killed::new(half, "kill -9 $PPID $$", 1);
    killed.die();
    let sandbox = &killed.workshop.sandbox;
    sandbox.write("new.py", "mine\n");
    let (reason, command) = reason(killed.land());
    assert!(reason.contains("new.py") && !reason.contains("src/lib.py"), "{reason}");
    assert_eq!(sandbox.read("new.py"), "mine\n");
    fs_err::rename(sandbox.path("new.py"), sandbox.outside("mine")).unwrap();
    killed.assert_as_before(name);
    // As told.
    fs_err::rename(sandbox.outside("mine"), sandbox.path("new.py")).unwrap();
    assert_eq!(sandbox.run("sh", ["-c", &command], b"").code, Some(0), "{command}");
    assert_eq!(sandbox.git(["rev-parse", "refs/heads/main"]), killed.commit);
    assert!(sandbox.git(["stash", "list"]).lines().count() == 2);
}

#[test]
fn a_run_that_is_abandoned_after_the_kill_leaves_the_checkout_as_before() {
    for (name, half) in &HALVES[..6] {
        let killed = Killed::new(half, "kill -9 $PPID $$", 1);
        killed.die();
        killed.workshop.clean_up(&[]);
        killed.assert_as_before(name);
    }
}

#[test]
fn a_branch_that_was_moved_after_the_kill_is_left_alone() {
    let killed = Killed::new(":", "kill -9 $PPID $$", 1);
    killed.die();
    let sandbox = &killed.workshop.sandbox;
    sandbox.git(["commit", "-q", "-m", "of the user"]);
    let head = sandbox.git(["rev-parse", "HEAD"]);
    let (reason, _) = reason(killed.land());
    assert!(reason.contains("main has moved"), "{reason}");
    assert_eq!(sandbox.git(["rev-parse", "HEAD"]), head);
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
}
