//! Programs that a repository inside the repository names. Git looks into every gitlink of its index to tell the state of
//! the work tree, and would run the filters that it finds configured there.

use crate::{STATUS, marking_program, repository, settle, status_in_time, touch};
use charrette_git::Git;
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

/// A place from which a program could be started, and the folder in which git is asked.
struct Hole {
    name: &'static str,
    plant: fn(&Sandbox, program: &str) -> PathBuf,
}

const HOLES: &[Hole] = &[
    Hole { name: "a submodule", plant: |s, program| submodule(s, "lib", program) },
    Hole { name: "a submodule called refs", plant: |s, program| submodule(s, "refs", program) },
    Hole { name: "a submodule called objects", plant: |s, program| submodule(s, "vendor/objects", program) },
    Hole {
        name: "a submodule whose name has many folders",
        plant: |s, program| submodule(s, "a/b/c/d/e/f/g/h/i/j/k/l", program),
    },
    Hole {
        name: "a repository that was added as it stood there",
        plant: |s, program| {
            nested(s, program);
            s.work()
        },
    },
    Hole {
        name: "a repository without a configuration of its own around it",
        plant: |s, program| {
            let work = submodule(s, "lib", program);
            fs_err::remove_file(s.path(".git/config")).unwrap();
            work
        },
    },
    Hole {
        name: "a submodule of a linked worktree",
        plant: |s, program| {
            add_submodule(s, "lib");
            let linked = s.outside("linked");
            s.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
            let update = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init"];
            s.git_in(&linked, update);
            plant_filter(s, &linked.join("lib"), program);
            linked
        },
    },
    Hole {
        name: "a submodule of a submodule",
        plant: |s, program| {
            add_submodule(s, "lib");
            let inner = s.path("lib/inner");
            clone_library(s, &inner);
            s.git_in(&s.path("lib"), ["add", "inner"]);
            plant_filter(s, &inner, program);
            s.work()
        },
    },
    Hole {
        name: "a submodule whose work tree is elsewhere",
        plant: |s, program| {
            add_submodule(s, "lib");
            // There is the repository whose program is to run.
            let elsewhere = s.outside("elsewhere");
            clone_library(s, &elsewhere);
            let inner = elsewhere.join("inner");
            clone_library(s, &inner);
            s.git_in(&elsewhere, ["add", "inner"]);
            fs_err::copy(elsewhere.join(".git/index"), s.path(".git/modules/lib/index")).unwrap();
            s.git_in(&s.path("lib"), ["config", "core.worktree", elsewhere.to_str().unwrap()]);
            plant_filter(s, &inner, program);
            s.work()
        },
    },
    Hole {
        name: "a file that a submodule includes under a condition",
        plant: |s, program| {
            let work = submodule(s, "lib", program);
            let folder = s.path(".git/modules/lib");
            let text = fs_err::read_to_string(folder.join("config")).unwrap();
            let (rest, filter) = text.split_once("[filter").unwrap();
            let more = "[includeIf \"gitdir:**/modules/lib\"]\n\tpath = more\n";
            fs_err::write(folder.join("config"), format!("{rest}{more}")).unwrap();
            fs_err::write(folder.join("more"), format!("[filter{filter}")).unwrap();
            work
        },
    },
    Hole {
        name: "a submodule in a split index",
        plant: |s, program| {
            let work = submodule(s, "lib", program);
            s.git(["update-index", "--split-index"]);
            work
        },
    },
    Hole {
        name: "a submodule in an index of version 4",
        plant: |s, program| {
            let work = submodule(s, "lib", program);
            s.git(["update-index", "--index-version", "4"]);
            work
        },
    },
];

/// Commits a submodule with that name, at `lib`.
pub(crate) fn add_submodule(sandbox: &Sandbox, name: &str) {
    let library = sandbox.outside("library");
    clone_library(sandbox, &library);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", name];
    sandbox.git(add.into_iter().chain([library.to_str().unwrap(), "lib"]));
    sandbox.commit("a library");
}

fn submodule(sandbox: &Sandbox, name: &str, program: &str) -> PathBuf {
    add_submodule(sandbox, name);
    plant_filter(sandbox, &sandbox.path("lib"), program);
    sandbox.work()
}

fn clone_library(sandbox: &Sandbox, folder: &Path) {
    sandbox.git(["clone", "-q", ".", folder.to_str().unwrap()]);
}

fn nested(sandbox: &Sandbox, program: &str) {
    let folder = sandbox.path("vendor/dep");
    clone_library(sandbox, &folder);
    sandbox.git(["add", "vendor/dep"]);
    sandbox.commit("a gitlink");
    plant_filter(sandbox, &folder, program);
}

/// Configures a filter in the repository of a folder, which has to run when git asks for its state.
pub(crate) fn plant_filter(sandbox: &Sandbox, folder: &Path, program: &str) {
    sandbox.git_in(folder, ["config", "filter.mine.clean", &format!("{program} && cat")]);
    let git_dir = PathBuf::from(sandbox.git_in(folder, ["rev-parse", "--absolute-git-dir"]));
    fs_err::create_dir_all(git_dir.join("info")).unwrap();
    fs_err::write(git_dir.join("info/attributes"), "* filter=mine\n").unwrap();
    touch(&folder.join("a.txt"));
}

#[test]
fn programs_of_repositories_inside_do_not_run() {
    for hole in HOLES {
        let sandbox = repository();
        let (program, mark) = marking_program(&sandbox);
        let folder = (hole.plant)(&sandbox, program.to_str().unwrap());
        let _ = fs_err::remove_file(&mark);
        let git = Git::new(&folder);
        let _ = git.bytes(&STATUS);
        let _ = git.bytes(&["diff"]);
        assert!(!mark.exists(), "{}: {}", hole.name, fs_err::read_to_string(&mark).unwrap());
        sandbox.command("git").args(STATUS).current_dir(&folder).output().unwrap();
        assert!(mark.exists(), "{}: a plain git must start the program, or nothing is proven", hole.name);
    }
}

#[test]
fn what_is_planted_between_two_calls_is_found() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    let folder = sandbox.work();
    let git = Git::new(&folder);
    add_submodule(&sandbox, "lib");
    settle();
    git.bytes(&STATUS).unwrap();
    plant_filter(&sandbox, &sandbox.path("lib"), program.to_str().unwrap());
    git.bytes(&STATUS).unwrap();
    assert!(!mark.exists());
    nested(&sandbox, program.to_str().unwrap());
    let _ = fs_err::remove_file(&mark);
    git.bytes(&STATUS).unwrap();
    assert!(!mark.exists());
}

/// A submodule that is no repository yet, and how it becomes one between two calls.
struct Late {
    name: &'static str,
    hide: &'static str,
    show: &'static str,
}

const LATE: &[Late] = &[
    Late { name: "a link", hide: "mv lib ../real; ln -s ../real lib", show: "rm lib; mv ../real lib" },
    Late {
        name: "a link around it",
        hide: "mv vendor ../real; ln -s ../real vendor",
        show: "rm vendor; mv ../real vendor",
    },
    Late {
        name: "a folder of git without HEAD",
        hide: "mv vendor/dep/.git/HEAD ../HEAD",
        show: "mv ../HEAD vendor/dep/.git/HEAD",
    },
    Late {
        name: "a file that leads to a folder of git without HEAD",
        hide: "mv .git/modules/lib/HEAD ../HEAD",
        show: "mv ../HEAD .git/modules/lib/HEAD",
    },
];

#[test]
fn a_submodule_that_becomes_one_between_two_calls_is_found() {
    for late in LATE {
        let sandbox = repository();
        let (program, mark) = marking_program(&sandbox);
        add_submodule(&sandbox, "lib");
        nested(&sandbox, program.to_str().unwrap());
        plant_filter(&sandbox, &sandbox.path("lib"), program.to_str().unwrap());
        if late.hide.contains("lib") {
            sandbox.git(["update-index", "--force-remove", "vendor/dep"]);
        } else {
            sandbox.git(["update-index", "--force-remove", "lib"]);
        }
        let shell = |script: &str| {
            assert!(sandbox.command("sh").args(["-ec", script]).status().unwrap().success(), "{script}");
        };
        shell(late.hide);
        settle();
        let _ = fs_err::remove_file(&mark);
        let folder = sandbox.work();
        let git = Git::new(&folder);
        // What git makes of a submodule without HEAD is its own affair.
        let _ = git.bytes(&STATUS);
        sandbox.command("git").args(STATUS).output().unwrap();
        assert!(!mark.exists(), "{}: git must not look there yet, or nothing is proven", late.name);
        shell(late.show);
        git.bytes(&STATUS).unwrap();
        assert!(!mark.exists(), "{}: {}", late.name, fs_err::read_to_string(&mark).unwrap());
        sandbox.git(STATUS);
        assert!(mark.exists(), "{}: a plain git must start the program, or nothing is proven", late.name);
    }
}

/// Gitlinks that lead back into the repository around them, so that there are paths without end.
const CIRCLES: &[(&str, &str)] = &[
    ("links", "ln -s . a; ln -s . b"),
    (
        "work trees around them",
        "git clone -q . inner; cp .git/index inner/.git/index; git -C inner config core.worktree ../..; \
         for name in a b; do mkdir $name; echo 'gitdir: ../inner/.git' > $name/.git; done",
    ),
];

#[test]
fn submodules_that_lead_back_are_no_endless_search() {
    for (name, script) in CIRCLES {
        let sandbox = repository();
        let commit = sandbox.git(["rev-parse", "HEAD"]);
        for path in ["a", "b"] {
            sandbox.git(["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{path}")]);
        }
        assert!(sandbox.command("sh").args(["-ec", script]).status().unwrap().success(), "{name}");
        // A newer git refuses links in the place of submodules.
        let _ = status_in_time(&sandbox.work(), name);
    }
}

#[test]
fn a_call_with_an_index_or_a_worktree_of_its_own_is_no_way_around() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    let program = program.to_str().unwrap();
    let linked = sandbox.outside("linked");
    sandbox.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    nested(&sandbox, program);
    let index = sandbox.outside("index");
    fs_err::copy(sandbox.path(".git/index"), &index).unwrap();
    sandbox.git(["rm", "-q", "--cached", "vendor/dep"]);
    let _ = fs_err::remove_file(&mark);
    let root = sandbox.work();
    Git::new(&root).with_index(&index).bytes(&STATUS).unwrap();
    assert!(!mark.exists(), "an index of its own");

    // The worktree has settings that no other one has.
    sandbox.git(["config", "extensions.worktreeConfig", "true"]);
    sandbox.git_in(&linked, ["config", "--worktree", "filter.more.clean", &format!("{program} && cat")]);
    sandbox.write(".git/info/attributes", "* filter=more\n");
    touch(&linked.join("a.txt"));
    let git_dir = sandbox.path(".git/worktrees/linked");
    Git::new(&root).in_worktree(&git_dir, &linked).bytes(&STATUS).unwrap();
    assert!(!mark.exists(), "a worktree of its own");
    sandbox.git_in(&linked, STATUS);
    assert!(mark.exists(), "a plain git must start the program, or nothing is proven");
}

#[test]
fn no_git_works_inside_a_submodule() {
    let sandbox = repository();
    let (program, mark) = marking_program(&sandbox);
    add_submodule(&sandbox, "lib");
    sandbox.git(["branch", "other"]);
    let lib = sandbox.path("lib");
    sandbox.write("lib/a.txt", "two\n");
    sandbox.git_in(&lib, ["commit", "-qam", "two"]);
    sandbox.git(["commit", "-qam", "a newer library"]);
    sandbox.git(["config", "submodule.recurse", "true"]);
    sandbox.git(["config", "diff.submodule", "diff"]);
    sandbox.git_in(&lib, ["config", "filter.mine.smudge", &format!("{} && cat", program.display())]);
    sandbox.git_in(&lib, ["config", "diff.external", program.to_str().unwrap()]);
    sandbox.write(".git/modules/lib/info/attributes", "* filter=mine\n");
    let folder = sandbox.work();
    let git = Git::new(&folder);
    git.bytes(&["diff", "other", "HEAD"]).unwrap();
    // Without a gitlink in the index, the submodule is not even looked for.
    sandbox.git(["rm", "-q", "--cached", "lib"]);
    git.bytes(&["diff", "other", "main"]).unwrap();
    sandbox.git(["reset", "-q"]);
    git.act(&["switch", "-q", "other"]).unwrap();
    assert!(!mark.exists(), "{}", fs_err::read_to_string(&mark).unwrap());
    sandbox.git(["diff", "other", "main"]);
    assert!(mark.exists(), "a plain git must look into the submodule, or nothing is proven");
}
