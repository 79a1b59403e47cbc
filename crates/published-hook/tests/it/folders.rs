//! Folders: of the input, of the client, of the process.

use crate::call::{By, Call};
use crate::scene::{SWITCH, Scene, switch_in};
use charrette_store::active::ReactionToErrors;
use std::os::unix::fs::PermissionsExt;

/// Folders in which nothing is driven, and whether the first look sees that.
const FREE: [(&str, By); 22] = [
    ("idle", By::FirstLook),
    ("idle/", By::FirstLook),
    ("idle/src/deep", By::FirstLook),
    ("idle/src/../src/./deep", By::FirstLook),
    ("idle//src", By::FirstLook),
    ("idle/.git", By::FirstLook),
    ("idle/.git/refs", By::FirstLook),
    ("finished", By::FirstLook),
    ("ünï çode", By::FirstLook),
    ("driven/nested", By::FirstLook),
    ("state-is-a-file", By::FirstLook),
    ("state-is-a-file/.claude", By::Hook),
    ("state-leads-nowhere", By::FirstLook),
    ("plain", By::FirstLook),
    ("plain/sub", By::FirstLook),
    ("bare.git", By::FirstLook),
    ("bare.git/refs", By::FirstLook),
    ("git-is-a-link", By::FirstLook),
    ("link-to-idle", By::Hook),
    ("link-to-idle/src", By::Hook),
    ("tree-of-idle", By::Hook),
    ("no/such/folder", By::Hook),
];

/// Folders in or near which there is something for the hook.
const OTHERS: [(&str, i32); 21] = [
    ("driven", 2),
    ("driven/src", 2),
    ("driven/no/such/folder", 2),
    ("driven/.git", 0),
    ("driven/half", 2),
    ("driven/half-empty", 2),
    ("driven/half-linked", 2),
    ("idle/../driven", 2),
    ("link-to-driven", 2),
    ("idle/link", 2),
    ("tree-of-driven", 0),
    ("driven-tree", 2),
    ("git-is-a-link-and-driven", 2),
    ("plain-driven", 2),
    ("plain-driven/sub", 0),
    ("waiting", 0),
    ("torn", 0),
    ("torn-closed", 2),
    ("active-is-a-link", 0),
    ("active-is-a-folder", 0),
    ("submodule", 0),
];

fn scene() -> Scene {
    let scene = Scene::with_two();
    scene.folder("idle/src/deep");
    scene.link("idle/link", scene.path("driven"));
    for name in ["driven/src", "plain/sub", "plain-driven/sub", "unsearchable"] {
        scene.folder(name);
    }
    scene.repository("ünï çode");
    // Finished runs.
    scene.repository("finished");
    scene.file("finished/.claude/state/design-old.json", "{}");
    // State folders that are none.
    scene.repository("state-is-a-file");
    scene.file("state-is-a-file/.claude", "");
    scene.repository("state-leads-nowhere");
    scene.link("state-leads-nowhere/.claude/state", "/no/such/folder");
    // Repositories in a driven one: a whole one and parts.
    scene.repository("driven/nested");
    scene.folder("driven/half/.git/objects");
    scene.file("driven/half/.git/HEAD", "ref: refs/heads/main\n");
    scene.folder("driven/half-empty/.git");
    scene.link("driven/half-linked/.git", "/no/such/folder");
    // Outside of repositories.
    scene.drive("plain-driven", ReactionToErrors::Open);
    scene.sandbox.git_in(&scene.path("plain"), ["init", "-q", "--bare", "../bare.git"]);
    // Links.
    scene.link("link-to-idle", scene.path("idle"));
    scene.link("link-to-driven", scene.path("driven"));
    scene.link("git-is-a-link/.git", scene.path("idle/.git"));
    scene.link("git-is-a-link-and-driven/.git", scene.path("idle/.git"));
    scene.drive("git-is-a-link-and-driven", ReactionToErrors::Open);
    // Linked work trees.
    scene.repository("main-of-driven");
    for (repository, tree) in
        [("idle", "tree-of-idle"), ("driven", "tree-of-driven"), ("main-of-driven", "driven-tree")]
    {
        let tree = format!("../{tree}");
        scene.sandbox.git_in(&scene.path(repository), ["worktree", "add", "-q", "--detach", &tree]);
    }
    scene.drive("driven-tree", ReactionToErrors::Open);
    scene.file("submodule/.git", "gitdir: ../idle/.git\n");
    // Other records of runs.
    scene.repository("waiting");
    scene.wait("waiting");
    for (name, text) in [("torn", "{"), ("torn-closed", r#"{"version":1,"hooks":{"on_error":"closed""#)] {
        scene.repository(name);
        scene.file(&format!("{name}/.claude/state/active.json"), text);
    }
    scene.repository("active-is-a-link");
    scene.link("active-is-a-link/.claude/state/active.json", "/dev/zero");
    scene.repository("active-is-a-folder");
    scene.folder("active-is-a-folder/.claude/state/active.json");
    fs_err::set_permissions(scene.path("unsearchable"), PermissionsExt::from_mode(0o600)).unwrap();
    scene
}

#[test]
fn folders_of_the_input() {
    let scene = scene();
    let call = |folder: &str| Call::new(&scene.path("idle"), switch_in(&scene.text(folder)));
    for (folder, by) in FREE {
        call(folder).expect(0, by);
        call(folder).with_event("SessionStart").expect(0, by);
    }
    for (folder, code) in OTHERS {
        call(folder).expect(code, By::Hook);
        assert_eq!(call(folder).with_event("SessionStart").compare(), (0, By::Hook), "{folder}");
    }
    call("unsearchable").compare();
}

#[test]
fn folders_of_the_client() {
    let scene = scene();
    let call = |folder: &str| {
        Call::new(&scene.path("idle"), SWITCH).with_variable("CLAUDE_PROJECT_DIR", scene.path(folder))
    };
    for (folder, by) in FREE {
        call(folder).expect(0, by);
    }
    for (folder, code) in OTHERS {
        call(folder).expect(code, By::Hook);
    }
    call("unsearchable").compare();
    for folder in ["", "driven", "./driven", "../driven"] {
        let folder = Call::new(&scene.path("idle"), SWITCH).with_variable("CLAUDE_PROJECT_DIR", folder);
        folder.expect(0, By::Hook);
    }
}

#[test]
fn folders_of_the_process() {
    let scene = scene();
    for (folder, by) in FREE.iter().filter(|(folder, _)| scene.path(folder).is_dir()) {
        // The kernel resolves links.
        let by = if folder.starts_with("link") { By::FirstLook } else { *by };
        Call::new(&scene.path(folder), SWITCH).expect(0, by);
    }
    for (folder, code) in OTHERS.iter().filter(|(folder, _)| scene.path(folder).is_dir()) {
        Call::new(&scene.path(folder), SWITCH).expect(*code, By::Hook);
    }
    Call::new(&scene.path("/"), SWITCH).compare();
}

#[test]
fn the_hook_decides_if_any_folder_is_driven() {
    let scene = Scene::with_two();
    let (idle, driven) = (scene.path("idle"), scene.path("driven"));
    for input in [&idle, &driven] {
        for project in [&idle, &driven] {
            for folder in [&idle, &driven] {
                let json = switch_in(input.to_str().unwrap());
                let call = Call::new(folder, json).with_variable("CLAUDE_PROJECT_DIR", project);
                let is_idle = [input, project, folder].iter().all(|folder| **folder == idle);
                let by = if is_idle { By::FirstLook } else { By::Hook };
                call.expect(if *input == driven { 2 } else { 0 }, by);
            }
        }
    }
}

#[test]
fn deep_and_long_folders() {
    let scene = Scene::with_two();
    for (levels, by) in [(20, By::FirstLook), (40, By::Hook)] {
        for (repository, code) in [("idle", 0), ("driven", 2)] {
            let name = format!("{repository}{}", "/d".repeat(levels));
            scene.folder(&name);
            let call = Call::new(&scene.path("idle"), switch_in(&scene.text(&name)));
            call.expect(code, if code == 0 { by } else { By::Hook });
        }
    }
    let long = format!("idle/{}{}", "./".repeat(600), "x".repeat(200));
    scene.folder(&long);
    Call::new(&scene.path("idle"), switch_in(&scene.text(&long))).expect(0, By::Hook);
}

#[test]
fn a_current_folder_that_was_removed() {
    let scene = Scene::with_two();
    for (repository, code) in [("idle", 0), ("driven", 2)] {
        let folder = scene.folder(&format!("{repository}/gone"));
        let call = |input: &str| Call::new(&folder, input);
        call(SWITCH).in_removed_folder().expect(0, By::Hook);
        let with_folder = call(&switch_in(&scene.text(repository))).in_removed_folder();
        with_folder.expect(code, By::Hook);
    }
}

#[test]
fn a_run_that_starts_and_ends() {
    let scene = Scene::with_two();
    let call = Call::new(&scene.path("idle"), switch_in(&scene.text("idle")));
    call.expect(0, By::FirstLook);
    scene.drive("idle", ReactionToErrors::Open);
    call.expect(2, By::Hook);
    scene.register("idle").remove("run-1").unwrap();
    call.expect(0, By::FirstLook);
}
