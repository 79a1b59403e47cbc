//! `active.json`: whole at any moment, bounded, shared by the work trees of a repository.

use crate::holder;
use charrette_store::active::{
    ActiveRegister, ActiveRun, DriverProcess, FileProblem, HookSettings, ReactionToErrors, Rights,
    active_path, process_start, read_active,
};
use charrette_store::{Location, locate};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

fn register(root: &Path) -> ActiveRegister {
    let Location::WorkTree(repository) = locate(root).unwrap() else { panic!("no repository") };
    ActiveRegister::new(Some(&repository), root, holder("test"))
}

fn run(id: &str, root: &Path) -> ActiveRun {
    ActiveRun {
        id: id.to_owned(),
        document: format!("design-{id}"),
        command: "design".to_owned(),
        feature: Some(id.to_owned()),
        root: root.to_owned(),
        state: root.join(".claude/state"),
        workspace: None,
        phase: None,
        rights: Rights::ReadOnly,
        branch: None,
        driver: None,
        waits: Vec::new(),
    }
}

fn work(sandbox: &Sandbox) -> PathBuf {
    sandbox.work().canonicalize().unwrap()
}

fn ids(root: &Path) -> Vec<String> {
    let active = read_active(register(root).folder()).unwrap();
    active.map(|active| active.runs.into_iter().map(|run| run.id).collect()).unwrap_or_default()
}

#[test]
fn runs_come_wait_and_go() {
    let sandbox = Sandbox::repository();
    let root = work(&sandbox);
    let register = register(&root);
    assert!(read_active(register.folder()).unwrap().is_none());
    let settings = HookSettings { on_error: ReactionToErrors::Closed, danger: false, secrets: true };
    register.put(run("a", &root), &settings, Some("trunk")).unwrap();
    register.put(run("b", &root), &settings, Some("trunk")).unwrap();
    register.put(run("a", &root), &settings, Some("trunk")).unwrap();
    let active = read_active(register.folder()).unwrap().unwrap();
    assert_eq!((active.hooks, active.main_branch.as_deref()), (settings, Some("trunk")));
    assert_eq!(active.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(active.runs.iter().all(ActiveRun::is_driven));

    register.update("a", |run| run.waits = vec!["gate".to_owned()]).unwrap();
    register.update("a", |run| run.driver = None).unwrap();
    register.remove("b").unwrap();
    assert_eq!(ids(&root), ["a"]);
    register.remove("a").unwrap();
    assert!(!active_path(register.folder()).exists(), "absent when nothing is active");
    register.remove("a").unwrap();
    assert_eq!(sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn entries_of_dead_drivers_are_dropped() {
    let sandbox = Sandbox::repository();
    let root = work(&sandbox);
    let register = register(&root);
    register.put(run("dead", &root), &HookSettings::default(), None).unwrap();
    let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let driver = DriverProcess { pid: child.id(), start: process_start(child.id()) };
    register.update("dead", |run| run.driver = Some(driver.clone())).unwrap();
    assert_eq!(ids(&root), ["dead"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!read_active(register.folder()).unwrap().unwrap().runs[0].is_driven());
    register.put(run("new", &root), &HookSettings::default(), None).unwrap();
    assert_eq!(ids(&root), ["new"]);
}

#[test]
fn work_trees_share_the_file_of_the_main_checkout() {
    let sandbox = Sandbox::repository();
    let root = work(&sandbox);
    let tree = root.parent().unwrap().join("tree");
    sandbox.git(["worktree", "add", "-q", "-b", "x", tree.to_str().unwrap()]);
    let (here, there) = (register(&root), register(&tree));
    assert_eq!(here.folder(), there.folder());
    here.put(run("here", &root), &HookSettings::default(), None).unwrap();
    there.put(run("there", &tree), &HookSettings::default(), None).unwrap();
    assert_eq!(ids(&tree), ["there", "here"]);
    assert!(!tree.join(".claude").exists());
}

#[test]
fn the_file_stays_small_and_keeps_driven_runs() {
    let sandbox = Sandbox::repository();
    let root = work(&sandbox);
    let register = register(&root);
    register.put(run("driven", &root), &HookSettings::default(), None).unwrap();
    for number in 0..80 {
        let id = format!("waiting-{number}");
        register.put(run(&id, &root), &HookSettings::default(), None).unwrap();
        register
            .update(&id, |run| {
                run.waits = vec!["gate".to_owned()];
                run.driver = None;
            })
            .unwrap();
    }
    let found = ids(&root);
    assert_eq!((found.len(), found[0].as_str(), found[1].as_str()), (64, "driven", "waiting-79"));
}

#[test]
fn a_file_that_cannot_be_used_is_an_error_for_readers_and_replaced_by_writers() {
    let sandbox = Sandbox::repository();
    let root = work(&sandbox);
    let register = register(&root);
    let closed = HookSettings { on_error: ReactionToErrors::Closed, ..HookSettings::default() };
    register.put(run("a", &root), &closed, None).unwrap();
    let path = active_path(register.folder());
    let whole = fs_err::read(&path).unwrap();
    for length in 0..whole.len() {
        fs_err::write(&path, &whole[..length]).unwrap();
        let problem = read_active(register.folder()).unwrap_err();
        let is_told = whole[..length].windows(8).any(|bytes| bytes == b"\"closed\"");
        let expected = if is_told { ReactionToErrors::Closed } else { ReactionToErrors::Open };
        assert_eq!(problem.on_error(), expected, "cut after {length} bytes");
    }
    fs_err::write(&path, vec![b' '; 300 << 10]).unwrap();
    assert!(matches!(read_active(register.folder()), Err(FileProblem::TooLarge)));
    register.put(run("b", &root), &closed, None).unwrap();
    assert_eq!(ids(&root), ["b"]);
}

#[test]
fn concurrent_changes_are_not_lost_and_readers_see_whole_files() {
    let sandbox = Sandbox::repository();
    let root = work(&sandbox);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let root = &root;
            scope.spawn(move || {
                for number in 0..8 {
                    let id = format!("{writer}-{number}");
                    register(root).put(run(&id, root), &HookSettings::default(), None).unwrap();
                }
            });
        }
        let folder = register(&root).folder().to_owned();
        for _ in 0..200 {
            read_active(&folder).unwrap();
        }
    });
    assert_eq!(ids(&root).len(), 32);
}
