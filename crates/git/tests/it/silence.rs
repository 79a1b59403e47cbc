//! Questions to git that get no answer, as where Ctrl-C ends it or the system has no process left: what the repository's
//! programs are is unknown then, so that git does not start.

use crate::submodules::{add_submodule, plant_filter};
use crate::{STATUS, marking_program, repository, script, settle, touch};
use charrette_git::{Git, GitError, find_program, set_environment};
use charrette_testkit::Sandbox;

/// A question that gets no answer, in a repository where that matters.
struct Silence {
    name: &'static str,
    /// The git subcommand that is killed.
    asked: &'static str,
    set: fn(&Sandbox, program: &str),
    is_redirected: bool,
}

const SILENCES: &[Silence] = &[
    Silence {
        name: "the settings of the repository",
        asked: "config",
        set: |s, program| {
            s.write(".git/info/attributes", "*.txt filter=mine\n");
            s.git(["config", "filter.mine.clean", &format!("{program} && cat")]);
            touch(&s.path("a.txt"));
        },
        is_redirected: false,
    },
    Silence { name: "the settings of a submodule", asked: "config", set: submodule, is_redirected: false },
    Silence {
        name: "an index that only git can read",
        asked: "ls-files",
        set: |s, program| {
            submodule(s, program);
            s.git(["update-index", "--split-index"]);
        },
        is_redirected: false,
    },
    Silence { name: "where the repository is", asked: "rev-parse", set: submodule, is_redirected: true },
];

fn submodule(sandbox: &Sandbox, program: &str) {
    add_submodule(sandbox, "lib");
    plant_filter(sandbox, &sandbox.path("lib"), program);
}

/// Path of the file because of which the question gets no answer.
const REASON: &str = "REASON_OF_SILENCE";

#[test]
#[ignore = "a process of another test"]
#[expect(clippy::disallowed_methods, reason = "how its parent tells it what to do")]
fn ask_in_a_process_of_its_own() {
    let Some(reason) = std::env::var_os(REASON) else { return };
    set_environment(&std::env::vars_os().collect());
    let folder = std::env::current_dir().unwrap();
    let git = Git::new(&folder);
    for _ in 0..2 {
        let error = git.bytes(&STATUS).unwrap_err();
        assert!(matches!(&error, GitError::NotRun(_)), "{error:?}");
        assert!(error.to_string().contains("cannot be read: git failed (signal: 9"), "{error}");
    }
    fs_err::remove_file(reason).unwrap();
    git.bytes(&STATUS).unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "where the real git is")]
fn git_does_not_start_without_an_answer() {
    let path = std::env::var_os("PATH").unwrap();
    let git = find_program(&path, "git").unwrap();
    for silence in SILENCES {
        let sandbox = repository();
        let (program, mark) = marking_program(&sandbox);
        (silence.set)(&sandbox, program.to_str().unwrap());
        let _ = fs_err::remove_file(&mark);
        let (folder, reason) = (sandbox.outside("programs"), sandbox.outside("reason"));
        fs_err::write(&reason, "").unwrap();
        let text = format!(
            "[ -e '{}' ] && for word; do [ \"$word\" = {} ] && kill -9 $$; done\nexec '{}' \"$@\"",
            reason.display(),
            silence.asked,
            git.display()
        );
        script(&folder.join("git"), &text);
        settle();
        let mut command = sandbox.command(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "silence::ask_in_a_process_of_its_own"]).env(REASON, &reason);
        let paths = [folder].into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(paths).unwrap());
        if silence.is_redirected {
            command.env("GIT_DIR", sandbox.path(".git"));
        }
        let output = command.output().unwrap();
        assert!(output.status.success() && !reason.exists(), "{}: {output:?}", silence.name);
        assert!(!mark.exists(), "{}: {}", silence.name, fs_err::read_to_string(&mark).unwrap());
        sandbox.git(STATUS);
        assert!(mark.exists(), "{}: a plain git must start the program, or nothing is proven", silence.name);
    }
}
