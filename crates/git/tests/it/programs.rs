//! Programs that a repository's own configuration names do not run when git is asked a question.

use crate::{marking_program, repository, script};
use charrette_git::{Git, GitError};
use charrette_testkit::Sandbox;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A way to have git start a program: what is prepared, given the program's path, and what git is asked then.
struct Trap {
    name: &'static str,
    set: fn(&Sandbox, program: &str),
    asked: &'static [&'static str],
}

const TRAPS: &[Trap] = &[
    Trap {
        name: "a file system monitor",
        set: |s, program| config(s, "core.fsmonitor", program),
        asked: &["status", "--porcelain"],
    },
    Trap {
        name: "an external diff",
        set: |s, program| config(s, "diff.external", program),
        asked: &["diff"],
    },
    Trap {
        name: "a diff driver",
        set: |s, program| {
            s.write(".git/info/attributes", "*.txt diff=mine\n");
            config(s, "diff.mine.command", program);
        },
        asked: &["diff"],
    },
    Trap { name: "a converter for diffs", set: converter, asked: &["diff"] },
    Trap { name: "a converter for logs", set: converter, asked: &["log", "-p"] },
    Trap { name: "a converter for commits", set: converter, asked: &["show", "HEAD"] },
    Trap { name: "a converter for blame", set: converter, asked: &["blame", "a.txt"] },
    Trap {
        name: "a hook",
        set: |s, program| {
            script(&s.outside("hooks/post-index-change"), &format!("exec '{program}'"));
            config(s, "core.hooksPath", s.outside("hooks").to_str().unwrap());
            // Only now is the index out of date, so that git writes it.
            fs_err::File::open(s.path("b.txt")).unwrap().file().set_modified(std::time::UNIX_EPOCH).unwrap();
        },
        asked: &["status", "--porcelain"],
    },
    Trap {
        name: "a check of signatures",
        set: |s, program| {
            signed_commit(s);
            config(s, "log.showSignature", "true");
            config(s, "gpg.program", program);
        },
        asked: &["log", "-1", "signed"],
    },
    Trap {
        name: "a transport",
        set: |s, program| {
            config(s, "protocol.ext.allow", "always");
            config(s, "remote.origin.url", &format!("ext::{program}"));
        },
        asked: &["ls-remote", "origin"],
    },
    Trap {
        name: "a filter",
        set: |s, program| {
            s.write(".git/info/attributes", "*.txt filter=mine\n");
            config(s, "filter.mine.clean", &format!("{program} && cat"));
            config(s, "filter.mine.required", "true");
        },
        asked: &["status", "--porcelain"],
    },
    Trap {
        name: "a filter whose name has an equals sign",
        set: |s, program| {
            s.write(".git/info/attributes", "*.txt filter=a=b\n");
            s.write(".git/more", "");
            let config = fs_err::read_to_string(s.path(".git/config")).unwrap();
            s.write(".git/config", format!("{config}[filter \"a=b\"]\n\tclean = {program} && cat\n"));
        },
        asked: &["status", "--porcelain"],
    },
    Trap {
        name: "a filter process of an included file",
        set: |s, program| {
            s.write(".git/info/attributes", "*.txt filter=mine\n");
            s.write(".git/more", format!("[filter \"mine\"]\n\tprocess = {program}\n"));
            config(s, "include.path", "more");
        },
        asked: &["status", "--porcelain"],
    },
    Trap {
        name: "fetching what a partial clone left out",
        set: |s, program| {
            config(s, "core.repositoryFormatVersion", "1");
            config(s, "extensions.partialClone", "origin");
            config(s, "remote.origin.promisor", "true");
            config(s, "protocol.ext.allow", "always");
            config(s, "remote.origin.url", &format!("ext::{program}"));
        },
        asked: &["cat-file", "-p", "0123456789012345678901234567890123456789"],
    },
];

fn config(sandbox: &Sandbox, key: &str, value: &str) {
    sandbox.git(["config", key, value]);
}

fn converter(sandbox: &Sandbox, program: &str) {
    sandbox.write(".git/info/attributes", "*.txt diff=mine\n");
    config(sandbox, "diff.mine.textconv", program);
}

/// A commit with a signature that nobody made, on a branch of its own.
fn signed_commit(sandbox: &Sandbox) {
    let tree = sandbox.git(["rev-parse", "HEAD^{tree}"]);
    let who = "Ada L <ada@example.com> 1763200000 +0000";
    let text = format!(
        "tree {tree}\nauthor {who}\ncommitter {who}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    );
    sandbox.write(".git/signed", text);
    let commit = sandbox.git(["hash-object", "-t", "commit", "-w", ".git/signed"]);
    sandbox.git(["branch", "signed", &commit]);
}

fn trapped(trap: &Trap) -> (Sandbox, std::path::PathBuf) {
    let sandbox = repository();
    sandbox.write("b.txt", "two\n");
    sandbox.git(["add", "b.txt"]);
    sandbox.commit("another file");
    sandbox.write("a.txt", "changed\n");
    let (program, mark) = marking_program(&sandbox);
    (trap.set)(&sandbox, program.to_str().unwrap());
    let _ = fs_err::remove_file(&mark);
    (sandbox, mark)
}

#[test]
fn configured_programs_do_not_run_when_reading() {
    for trap in TRAPS {
        let (sandbox, mark) = trapped(trap);
        let _ = Git::new(&sandbox.work()).bytes(trap.asked);
        assert!(!mark.exists(), "{}: {}", trap.name, fs_err::read_to_string(&mark).unwrap());

        let (sandbox, mark) = trapped(trap);
        let _ = sandbox.command("git").args(trap.asked).output().unwrap();
        assert!(mark.exists(), "{}: a plain git must start the program, or nothing is proven", trap.name);
    }
}

#[test]
fn a_monitor_does_not_run_when_git_acts_either() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    config(&sandbox, "core.fsmonitor", program.to_str().unwrap());
    Git::new(&sandbox.work()).act(&["switch", "-q", "-c", "other"]).unwrap();
    assert!(!mark.exists());
}

#[test]
fn settings_reach_the_git_that_looks_into_submodules() {
    let sandbox = repository();
    let library = repository();
    let path = library.work();
    let add =
        ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", path.to_str().unwrap(), "lib"];
    sandbox.git(add);
    sandbox.commit("a library");
    let (program, mark) = marking_program(&sandbox);
    let lib = sandbox.path("lib");
    sandbox.git_in(&lib, ["config", "core.fsmonitor", program.to_str().unwrap()]);
    sandbox.write("lib/a.txt", "changed\n");
    let status = Git::new(&sandbox.work()).text(&["status", "--porcelain"]).unwrap();
    assert_eq!((status.as_str(), mark.exists()), (" M lib", false));
    sandbox.git(["status", "--porcelain"]);
    assert!(mark.exists(), "a plain git must start the monitor, or nothing is proven");
}

#[test]
fn filters_of_the_repository_do_not_run_when_git_acts_either() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    sandbox.write(".gitattributes", "*.txt filter=mine\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("attributes");
    sandbox.git(["switch", "-q", "-c", "other"]);
    sandbox.write("a.txt", "two\n");
    sandbox.git(["commit", "-qam", "two"]);
    sandbox.git(["switch", "-q", "-"]);
    config(&sandbox, "filter.mine.smudge", &format!("{} && cat", program.display()));
    Git::new(&sandbox.work()).act(&["switch", "-q", "other"]).unwrap();
    assert_eq!((sandbox.read("a.txt").as_str(), mark.exists()), ("two\n", false));
}

#[test]
fn an_answer_does_not_count_if_the_configuration_was_changed_meanwhile() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    let own = sandbox.path(".git/config");
    let honest = fs_err::read(&own).unwrap();
    config(&sandbox, "filter.mine.clean", &format!("{} && cat", program.display()));
    let hostile = fs_err::read(&own).unwrap();
    sandbox.write(".git/info/attributes", "* filter=mine\n");
    fs_err::File::open(sandbox.path("a.txt")).unwrap().file().set_modified(std::time::UNIX_EPOCH).unwrap();
    let (is_over, folder) = (AtomicBool::new(false), sandbox.work());
    let git = Git::new(&folder);
    let answers: Vec<_> = std::thread::scope(|scope| {
        scope.spawn(|| {
            for content in [&honest, &hostile].into_iter().cycle() {
                fs_err::write(folder.join(".git/next"), content).unwrap();
                fs_err::rename(folder.join(".git/next"), &own).unwrap();
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let ask = |_| {
            let _ = fs_err::remove_file(&mark);
            let answer = git.bytes(&["status", "--porcelain"]);
            (answer, mark.exists())
        };
        let answers = (0..100).map(ask).collect();
        is_over.store(true, Ordering::Relaxed);
        answers
    });
    let is_refused = |answer: &Result<_, _>| matches!(answer, Err(GitError::ConfigurationChanged { .. }));
    assert!(answers.iter().any(|(answer, _)| is_refused(answer)));
    for (answer, has_run) in &answers {
        assert!(!has_run || is_refused(answer), "a program ran, and the answer counts: {answer:?}");
    }
    let error = answers.iter().find_map(|(answer, _)| answer.as_ref().err()).unwrap();
    assert!(error.reason().contains(".git/config was changed while git was at work"), "{error}");
}
