//! Pipes, devices and files without end in the place of files that git reads: git would wait for ever, and so would
//! whoever looks there before it.

use crate::submodules::add_submodule;
use crate::{repository, settle, status_in_time};
use charrette_git::{GitError, open_regular, read_regular};
use charrette_testkit::Sandbox;
use std::io;

/// What stands in the place of a file, and how it is made.
const OBSTACLES: [(&str, &str); 3] = [
    ("a pipe", "rm -f \"$0\"; mkfifo \"$0\""),
    ("a device", "rm -f \"$0\"; ln -s /dev/zero \"$0\""),
    ("a file without end", "truncate -s 1T \"$0\""),
];

/// Files of the repository and of a submodule that are read before git starts.
const FILES: [&str; 9] = [
    ".git/config",
    ".git/commondir",
    ".git/index",
    ".git/more",
    ".git/modules/lib/HEAD",
    ".git/modules/lib/config",
    ".git/modules/lib/config.worktree",
    ".git/modules/lib/commondir",
    ".git/modules/lib/index",
];

fn with_submodule() -> Sandbox {
    let sandbox = repository();
    add_submodule(&sandbox, "lib");
    sandbox.git(["config", "includeIf.onbranch:feat/**.path", "more"]);
    settle();
    sandbox
}

fn plant(sandbox: &Sandbox, file: &str, script: &str) {
    let path = sandbox.path(file);
    assert!(sandbox.command("sh").args(["-ec", script]).arg(path).status().unwrap().success(), "{file}");
}

#[test]
fn git_does_not_start_where_it_would_wait() {
    let sandbox = with_submodule();
    for file in FILES {
        for (name, script) in OBSTACLES {
            let what = format!("{name} at {file}");
            // What is known from an earlier call is no reason to go on.
            status_in_time(&sandbox.work(), &what).unwrap();
            plant(&sandbox, file, "[ ! -e \"$0\" ] || cp -p \"$0\" ../kept");
            plant(&sandbox, file, script);
            let error = status_in_time(&sandbox.work(), &what).unwrap_err();
            assert!(matches!(&error, GitError::NotRun(_)), "{what}: {error:?}");
            let (_, file_name) = file.rsplit_once('/').unwrap();
            let is_named = |reason: &str| error.to_string().contains(&format!("/{file_name} is {reason}"));
            assert!(is_named("no regular file") || is_named("longer than "), "{what}: {error}");
            plant(&sandbox, file, "rm \"$0\"; [ ! -e ../kept ] || mv ../kept \"$0\"");
        }
    }
}

#[test]
fn a_submodule_whose_folder_of_git_is_none_is_no_repository() {
    for (name, script) in OBSTACLES {
        let sandbox = with_submodule();
        status_in_time(&sandbox.work(), name).unwrap();
        plant(&sandbox, "lib/.git", script);
        // Git itself refuses a file that is too long.
        let answer = status_in_time(&sandbox.work(), name);
        assert!(!matches!(&answer, Err(GitError::NotRun(_))), "{name}: {answer:?}");
    }
}

#[test]
fn a_regular_file_is_read_up_to_its_limit_and_nothing_else_is() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", "12345");
    let file = sandbox.path("a.txt");
    assert_eq!(read_regular(&file, 5).unwrap(), b"12345");
    let kind = |limit| read_regular(&file, limit).unwrap_err().kind();
    assert_eq!((kind(4), kind(0)), (io::ErrorKind::FileTooLarge, io::ErrorKind::FileTooLarge));
    for (name, script) in &OBSTACLES[..2] {
        plant(&sandbox, "a.txt", script);
        assert_eq!(kind(5), io::ErrorKind::InvalidInput, "{name}");
        assert_eq!(open_regular(&file).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name}");
    }
    assert_eq!(read_regular(&sandbox.work(), 5).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    assert_eq!(read_regular(&sandbox.path("none"), 5).unwrap_err().kind(), io::ErrorKind::NotFound);
}
