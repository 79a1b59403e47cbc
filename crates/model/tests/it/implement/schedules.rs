//! The order of work.

use charrette_model::implement::schedule::{WaitReason, Waiting};
use charrette_model::implement::{
    FileScope, ImplementTask, TaskFilter, TaskPlan, TaskState, TaskStates, WorkMode, initial_states,
    next_tasks, waves,
};
use proptest::prelude::*;

/// A task by id, files (none if unknown) and prerequisites.
fn task(id: &str, files: Option<&[&str]>, depends_on: &[&str]) -> ImplementTask {
    let owned = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<String>>();
    ImplementTask {
        id: id.to_owned(),
        files: FileScope::parse(files.map(owned).as_deref()),
        depends_on: owned(depends_on),
        ..ImplementTask::default()
    }
}

fn plan(tasks: Vec<ImplementTask>) -> TaskPlan {
    TaskPlan { tasks, phases: Vec::new() }
}

/// A diamond of ten tasks with two overlaps: T003 and T004 share a file, T006 covers a folder that T007 is in.
fn diamond() -> TaskPlan {
    plan(vec![
        task("T001", Some(&["src/core.rs"]), &[]),
        task("T002", Some(&["src/a.rs"]), &["T001"]),
        task("T003", Some(&["src/b.rs", "src/shared.rs"]), &["T001"]),
        task("T004", Some(&["src/c.rs", "src/shared.rs"]), &["T001"]),
        task("T005", Some(&["docs/a.md"]), &["T001"]),
        task("T006", Some(&["src/http/"]), &["T002"]),
        task("T007", Some(&["src/http/mod.rs"]), &["T003"]),
        task("T008", Some(&["src/d.rs"]), &["T004", "T005"]),
        task("T009", Some(&["tests/all.rs"]), &["T006", "T007", "T008"]),
        task("T010", Some(&["README.md"]), &["T009"]),
    ])
}

fn shown(waves: &[Vec<String>]) -> Vec<String> {
    waves.iter().map(|wave| wave.join(" ")).collect()
}

#[test]
fn waves_are_those_computed_by_hand() {
    let none = TaskStates::new();
    assert_eq!(
        shown(&waves(&diamond(), &none, 4)),
        ["T001", "T002 T003 T005", "T004 T006", "T007 T008", "T009", "T010"]
    );
    assert_eq!(
        shown(&waves(&diamond(), &none, 2)),
        ["T001", "T002 T003", "T004 T005", "T006 T008", "T007", "T009", "T010"]
    );
    assert_eq!(waves(&diamond(), &none, 1).len(), 10);
    assert_eq!(waves(&diamond(), &none, 0).len(), 10, "a limit of none is one");
}

#[test]
fn what_begins_depends_on_what_is_known_now() {
    let mut states = TaskStates::from([
        ("T001".to_owned(), TaskState::Integrated),
        ("T002".to_owned(), TaskState::Integrated),
        ("T003".to_owned(), TaskState::Running),
    ]);
    let next = next_tasks(&diamond(), &states, 4);
    assert_eq!((next.start.join(" "), next.ask.len()), ("T005 T006".to_owned(), 0));
    let waits =
        |id: &str, reason, other: &str| Waiting { id: id.to_owned(), reason, other: other.to_owned() };
    assert_eq!(next.waiting[0], waits("T004", WaitReason::SameFile, "T003"));
    assert_eq!(next.waiting[1], waits("T007", WaitReason::Prerequisite, "T003"));
    assert_eq!(next_tasks(&diamond(), &states, 1).start, [""; 0]);

    states.insert("T003".to_owned(), TaskState::Parked);
    let next = next_tasks(&diamond(), &states, 4);
    assert_eq!(next.start.join(" "), "T004 T005 T006", "a parked task holds no file");
    assert_eq!(next.waiting[0], waits("T007", WaitReason::Parked, "T003"));
    assert!(!next.is_finished());

    states.insert("T003".to_owned(), TaskState::Skipped);
    let next = next_tasks(&diamond(), &states, 4);
    assert_eq!(next.skipped.join(" "), "T007 T009 T010");
    for id in ["T004", "T005", "T006", "T008"] {
        states.insert(id.to_owned(), TaskState::Integrated);
    }
    assert!(next_tasks(&diamond(), &states, 4).is_finished());
}

#[test]
fn unknown_files_run_alone_and_people_beside_everybody() {
    let mut human = task("T003", Some(&[]), &[]);
    human.mode = WorkMode::Human;
    let plan = plan(vec![
        task("T001", Some(&["a"]), &[]),
        task("T002", None, &[]),
        human,
        task("T004", Some(&["b"]), &[]),
    ]);
    assert_eq!(shown(&waves(&plan, &TaskStates::new(), 4)), ["T001 T003 T004", "T002"]);
    let next = next_tasks(&plan, &TaskStates::new(), 1);
    assert_eq!((next.start.join(" "), next.ask.join(" ")), ("T001".to_owned(), "T003".to_owned()));
}

#[test]
fn done_and_foreign_tasks_are_not_begun() {
    let mut plan = diamond();
    plan.tasks[0].done = true;
    let filter = TaskFilter { tasks: vec!["T002".to_owned(), "T006".to_owned()], ..TaskFilter::default() };
    let states = initial_states(&plan, &filter.select(&plan).unwrap());
    assert_eq!(shown(&waves(&plan, &states, 4)), ["T002", "T006"]);
}

prop_compose! {
    fn some_plan()(tasks in prop::collection::vec(
        (prop::option::weighted(0.9, prop::collection::vec("[ab](/[ab*]{1,2}){0,2}", 0..3)), prop::collection::vec(0_usize..12, 0..3), any::<bool>()), 1..12)
    ) -> TaskPlan {
        let id = |n: usize| format!("T{:03}", n + 1);
        let tasks = tasks.into_iter().enumerate().map(|(n, (files, depends_on, is_human))| ImplementTask {
            id: id(n),
            files: FileScope::parse(files.as_deref()),
            depends_on: depends_on.into_iter().filter(|first| *first < n).map(id).collect(),
            mode: if is_human { WorkMode::Human } else { WorkMode::Auto },
            ..ImplementTask::default()
        });
        TaskPlan { tasks: tasks.collect(), phases: Vec::new() }
    }
}

proptest! {
    #[test]
    fn no_wave_has_an_overlap_and_prerequisites_come_first(plan in some_plan(), limit in 1_usize..5) {
        let waves = waves(&plan, &TaskStates::new(), limit);
        let place = |id: &str| waves.iter().position(|wave| wave.iter().any(|other| other == id));
        for task in &plan.tasks {
            let own = place(&task.id);
            prop_assert!(own.is_some(), "{} is never begun", task.id);
            for first in &task.depends_on {
                prop_assert!(place(first) < own, "{first} before {}", task.id);
            }
            for other in plan.tasks.iter().filter(|other| other.id != task.id && place(&other.id) == own) {
                prop_assert!(!task.files.overlaps(&other.files), "{} and {}", task.id, other.id);
            }
        }
        let agents = |wave: &Vec<String>| {
            wave.iter().filter(|id| plan.task(id).unwrap().mode != WorkMode::Human).count()
        };
        prop_assert!(waves.iter().all(|wave| agents(wave) <= limit));
        prop_assert_eq!(waves.iter().map(Vec::len).sum::<usize>(), plan.tasks.len());
    }
}
