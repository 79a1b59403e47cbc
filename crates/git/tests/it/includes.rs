//! Files that a repository's configuration includes where a branch has a certain name: they are known before that branch is
//! checked out, however their path is written.

use crate::{STATUS, marking_program, repository, settle, touch};
use charrette_git::{Git, GitError};

/// Folders that lead up to the root of the file system from wherever they begin.
const UP: &str = "../../../../../../../../../../../..";

#[test]
fn a_file_that_is_included_on_another_branch_is_read_before() {
    for beginning in ["~/", "~root/", "%(prefix)/", "../"] {
        let sandbox = repository();
        let (program, mark) = marking_program(&sandbox);
        let (file, folder) = (sandbox.outside("included"), sandbox.work().canonicalize().unwrap());
        sandbox.write(".git/info/attributes", "*.txt filter=mine\n");
        fs_err::write(&file, format!("[filter \"mine\"]\n\tclean = {} && cat\n", program.display())).unwrap();
        let path = format!("{beginning}{UP}{}", file.canonicalize().unwrap().display());
        sandbox.git(["config", "includeIf.onbranch:feat/**.path", &path]);
        touch(&sandbox.path("a.txt"));
        settle();
        let git = Git::new(&folder);
        git.bytes(&STATUS).unwrap();
        git.act(&["switch", "-q", "-c", "feat/x"]).unwrap();
        git.bytes(&STATUS).unwrap();
        assert!(!mark.exists(), "{path}");
        // What it says later counts as well.
        let more = format!("[filter \"more\"]\n\tclean = {} && cat\n", program.display());
        fs_err::write(&file, more).unwrap();
        sandbox.write(".git/info/attributes", "*.txt filter=more\n");
        git.bytes(&STATUS).unwrap();
        assert!(!mark.exists(), "{path}, changed");
        sandbox.git(STATUS);
        assert!(mark.exists(), "{path}: a plain git must start the program, or nothing is proven");
    }
}

#[test]
fn git_does_not_start_where_an_included_file_cannot_be_told() {
    let sandbox = repository();
    sandbox.git(["config", "includeIf.onbranch:feat/**.path", "~no-such-user/x"]);
    let error = Git::new(&sandbox.work()).bytes(&STATUS).unwrap_err();
    assert!(matches!(&error, GitError::NotRun(_)), "{error:?}");
    let expected =
        "cannot run git: the included file ~no-such-user/x cannot be read: fatal: failed to expand user dir";
    assert!(error.to_string().starts_with(expected), "{error}");
}
