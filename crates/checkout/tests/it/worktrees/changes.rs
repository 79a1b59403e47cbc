//! What a capture sees.

use crate::workshop::{Workshop, order, told, wait, write};
use charrette_engine::ports::worktrees::{ChangeKind, FileAt, FileEdit, Worktrees as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt;

#[test]
fn every_kind_of_change_is_seen() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    write(&folder, "src/lib.py", "def one():\n    return 1\n");
    write(&folder, "new dir/new\nline.py", "x = 1\ny = 2\n");
    write(&folder, "picture.bin", b"\0\x01\x02");
    write(&folder, "build/ignored", "ignored");
    fs_err::write(folder.join(std::ffi::OsStr::from_bytes(b"latin-\xe9")), "é").unwrap();
    fs_err::remove_file(folder.join("file")).unwrap();
    std::os::unix::fs::symlink("src/lib.py", folder.join("file")).unwrap();
    fs_err::remove_file(folder.join(".gitignore")).unwrap();
    write(&folder, ".gitignore", "/build/\n.env\n");
    fs_err::set_permissions(folder.join("tool.sh"), PermissionsExt::from_mode(0o644)).unwrap();
    let change = workshop.capture("T001", &base.commit);
    assert_eq!(change.tampering, Vec::<String>::new());
    assert_eq!(
        told(&change),
        [
            "TypeChanged file",
            "Added latin-\u{fffd}",
            "Added new dir/new\nline.py",
            "Added picture.bin",
            "Modified src/lib.py",
            "Modified tool.sh"
        ]
    );
    let file = |path: &str| change.files.iter().find(|file| file.path == path).unwrap().clone();
    let new = file("new dir/new\nline.py");
    assert_eq!((new.mode.as_str(), new.old_mode.as_str(), new.size, new.added), ("100644", "", 12, 2));
    assert!(file("picture.bin").is_binary && !new.is_binary);
    assert_eq!((file("tool.sh").old_mode.as_str(), file("tool.sh").mode.as_str()), ("100755", "100644"));
    assert_eq!((file("file").mode.as_str(), file("file").kind), ("120000", ChangeKind::TypeChanged));
    assert_eq!((file("src/lib.py").added, file("src/lib.py").removed), (0, 4));
    assert!(change.diff.text.contains("-def two():") && !change.diff.is_cut);
    // The tree is what a commit would have.
    assert_eq!(
        workshop.sandbox.git(["cat-file", "-p", &format!("{}:src/lib.py", change.tree)]),
        "def one():\n    return 1"
    );
    // Once more, with the same result; nothing of it is in the user's checkout.
    assert_eq!(workshop.capture("T001", &base.commit), change);
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn times_and_sizes_cannot_hide_a_change() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    let file = folder.join("src/lib.py");
    assert_eq!(workshop.capture("T001", &base.commit).files, []);
    let (text, time) = (fs_err::read_to_string(&file).unwrap(), file.metadata().unwrap().modified().unwrap());
    workshop.sandbox.git(["config", "core.trustctime", "false"]);
    workshop.sandbox.git(["config", "core.checkStat", "minimal"]);
    let folder = workshop.prepare("T002", &base.commit);
    let file_2 = folder.join("src/lib.py");
    for file in [&file, &file_2] {
        fs_err::write(file, text.replace("return 1", "return 9")).unwrap();
        fs_err::File::options().write(true).open(file).unwrap().file().set_modified(time).unwrap();
    }
    assert_eq!(told(&workshop.capture("T002", &base.commit)), ["Modified src/lib.py"]);
    assert_eq!(told(&workshop.capture("T001", &base.commit)), ["Modified src/lib.py"]);
}

#[test]
fn conversions_do_not_make_a_file_look_changed() {
    let workshop = Workshop::new();
    let sandbox = &workshop.sandbox;
    // Stored with CRLF although the attributes say that it is text: git would store it differently now.
    sandbox.write("windows.txt", "a\r\nb\r\n");
    sandbox.git(["add", "windows.txt"]);
    sandbox.commit("windows");
    sandbox.write(".gitattributes", "*.txt text eol=crlf\n*.up filter=up\n");
    sandbox.write("loud.up", "quiet\n");
    sandbox.git(["add", ".gitattributes", "loud.up"]);
    sandbox.commit("attributes");
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    assert_eq!(fs_err::read_to_string(folder.join("windows.txt")).unwrap(), "a\r\nb\r\n");
    assert_eq!(workshop.capture("T001", &base.commit).files, []);
    // Written again with the same bytes.
    write(&folder, "windows.txt", "a\r\nb\r\n");
    assert_eq!(workshop.capture("T001", &base.commit).files, []);
    // A real change of it is one.
    write(&folder, "windows.txt", "a\r\nb\r\nc\r\n");
    assert_eq!(told(&workshop.capture("T001", &base.commit)), ["Modified windows.txt"]);
}

#[test]
fn a_long_diff_is_cut_and_the_files_are_not() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    for number in 0..40 {
        write(&folder, &format!("long/{number}.txt"), "a line of text that is repeated\n".repeat(2_000));
    }
    let change = workshop.capture("T001", &base.commit);
    assert_eq!((change.files.len(), change.diff.is_cut, change.diff.text.len()), (40, true, 1 << 20));
    let diff = wait(workshop.worktrees.diff(base.commit.clone(), change.tree.clone(), 1000)).unwrap();
    assert_eq!((diff.text.len(), diff.is_cut), (1000, true));
    let diff = wait(workshop.worktrees.diff(base.commit.clone(), base.commit, 1000)).unwrap();
    assert_eq!((diff.text.as_str(), diff.is_cut), ("", false));
}

#[test]
fn a_capture_compares_with_any_base() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let commit = workshop.work("T001", &base.commit, &[("a.py", "a = 1\n")]);
    workshop.prepare("T002", &commit);
    assert_eq!(told(&workshop.capture("T002", &base.commit)), ["Added a.py"]);
    assert_eq!(workshop.capture("T002", &commit).files, []);
}

#[test]
fn files_are_read_and_edited_in_trees() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let read = |at: &str, paths: &[&str]| -> Vec<Option<String>> {
        let files = paths.iter().map(|path| FileAt { at: at.to_owned(), path: (*path).to_owned() });
        wait(workshop.worktrees.read(files.collect())).unwrap()
    };
    assert_eq!(
        read(&base.commit, &["file", "absent", "src", "../x", "file"]),
        [Some("first".to_owned()), None, None, None, Some("first".to_owned())]
    );
    let content = |text: &[u8]| Some(text.to_vec());
    let edits = vec![
        FileEdit { path: "tool.sh".to_owned(), content: content(b"#!/bin/sh\n") },
        FileEdit { path: "a/b c/d".to_owned(), content: content(b"\xff") },
        FileEdit { path: "src".to_owned(), content: None },
        FileEdit { path: "absent".to_owned(), content: None },
    ];
    let tree = wait(workshop.worktrees.edit_tree(base.commit.clone(), edits)).unwrap();
    assert_eq!(
        workshop.sandbox.git(["diff-tree", "-r", "--name-status", &base.commit, &tree]),
        "A\ta/b c/d\nD\tsrc/lib.py\nM\ttool.sh"
    );
    assert!(workshop.sandbox.git(["ls-tree", &tree, "tool.sh"]).starts_with("100755"));
    assert_eq!(read(&tree, &["a/b c/d", "tool.sh"]), [None, Some("#!/bin/sh\n".to_owned())]);
    for path in ["../x", "/x", ".git/config", "a//b", ""] {
        let edits = vec![FileEdit { path: path.to_owned(), content: content(b"x") }];
        assert!(wait(workshop.worktrees.edit_tree(base.commit.clone(), edits)).is_err(), "{path}");
    }
    assert_eq!(
        wait(workshop.worktrees.edit_tree(base.commit.clone(), Vec::new())).unwrap(),
        workshop.sandbox.git(["rev-parse", &format!("{}^{{tree}}", base.commit)])
    );
}

#[test]
fn submodules_stay_empty_and_their_removal_is_seen() {
    let workshop = Workshop::new();
    let head = workshop.sandbox.git(["rev-parse", "HEAD"]);
    workshop.sandbox.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = ./nowhere\n");
    workshop.sandbox.git(["add", ".gitmodules"]);
    workshop.sandbox.git(["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")]);
    workshop.sandbox.commit("a submodule");
    let base = workshop.begin();
    assert!(base.warnings.contains(&"submodules are empty in the worktrees of tasks".to_owned()));
    let folder = workshop.prepare("T001", &base.commit);
    assert!(folder.join("sub").is_dir());
    let change = workshop.capture("T001", &base.commit);
    assert_eq!((change.files, change.tampering), (Vec::new(), Vec::new()));
    fs_err::remove_dir(folder.join("sub")).unwrap();
    let change = workshop.capture("T001", &base.commit);
    assert_eq!(
        (told(&change), change.files[0].old_mode.as_str()),
        (vec!["Deleted sub".to_owned()], "160000")
    );
}

#[test]
fn a_folder_that_became_a_link_does_not_lead_outside() {
    let workshop = Workshop::new();
    let base = workshop.begin();
    let folder = workshop.prepare("T001", &base.commit);
    let outside = workshop.sandbox.outside("precious");
    write(&outside, "lib.py", "precious\n");
    fs_err::remove_dir_all(folder.join("src")).unwrap();
    std::os::unix::fs::symlink(&outside, folder.join("src")).unwrap();
    let change = workshop.capture("T001", &base.commit);
    assert_eq!(told(&change), ["Added src", "Deleted src/lib.py"]);
    assert_eq!(change.files[0].mode, "120000");
    let reset =
        charrette_engine::ports::worktrees::WorktreeOrder { reset: true, ..order("T001", &base.commit) };
    workshop.try_prepare(reset).unwrap();
    assert!(folder.join("src").symlink_metadata().unwrap().is_dir());
    assert_eq!(fs_err::read_to_string(outside.join("lib.py")).unwrap(), "precious\n");
    assert_eq!(workshop.capture("T001", &base.commit).files, []);
}
