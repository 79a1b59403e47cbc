//! Tasks to implement, read from `tasks.md` and `spec.json`, and what is refused.

use charrette_model::implement::{Proof, TaskFilter, TaskPlan, WorkMode};

const TASKS: &str = "# Tasks: limits\n\n## Phase 1: The rule\n\n### T001: The bucket [REQ-1.3, C1]\nWrite it.\n\n**Files:** src/limit.rs (new), tests/limit.rs\n**Proof:** test `limit::burst`; fails without the bound.\n\n\
    ## Phase 2: The chain\n\n### T002: The layer [REQ-1.1]\nPut it there.\n\n**Files:** src/http/, tests/http.rs\n**Depends on:** T001\n**Proof:** command `cargo test --test http`\n\n\
    ### T003: Ask the operators [US2]\n**Mode:** human\n**Files:** none\n**Depends on:** T002\n**Proof:** none (a person asks)\n\n- [x] Done\n\n\
    ## Progress\n\n**Total:** 1/3 tasks complete\n";

fn refusal(tasks: &str, record: &str) -> String {
    TaskPlan::read(tasks, record).unwrap_err().to_string()
}

#[test]
fn every_part_of_a_task_is_read() {
    let plan = TaskPlan::read(TASKS, "").unwrap();
    assert_eq!(plan.ids(), ["T001", "T002", "T003"]);
    let [one, two, three] = &plan.tasks[..] else { panic!("three tasks") };
    assert_eq!(
        one.text,
        "### T001: The bucket [REQ-1.3, C1]\nWrite it.\n\n**Files:** src/limit.rs (new), tests/limit.rs\n**Proof:** test `limit::burst`; fails without the bound.\n"
    );
    assert_eq!((one.title.as_str(), one.phase, one.done), ("The bucket", 1, false));
    assert_eq!(
        (one.requirements.as_slice(), one.references.as_slice()),
        (&["REQ-1.3".to_owned()][..], &["C1".to_owned()][..])
    );
    assert!(
        one.files.covers("src/limit.rs")
            && one.files.patterns[0].is_new
            && !one.files.covers("src/http/mod.rs")
    );
    assert_eq!((&one.proof.proof, one.proof.is_derived), (&Proof::Test("limit::burst".to_owned()), false));
    assert_eq!((two.depends_on.as_slice(), two.phase), (&["T001".to_owned()][..], 2));
    assert_eq!(two.proof.proof.to_string(), "command `cargo test --test http`");
    assert_eq!((three.mode, three.done, three.files.is_unknown), (WorkMode::Human, true, false));
    assert_eq!(plan.dependents("t1").into_iter().collect::<Vec<_>>(), ["T002", "T003"]);
    assert_eq!(plan.task("2").map(|task| task.id.as_str()), Some("T002"));
}

#[test]
fn the_record_orders_and_completes() {
    let record = r#"{"tasks": [
        {"id": "T002", "title": "The layer, first", "status": "pending", "files": ["tests/http.rs", "src/http"], "depends_on": ["T001"]},
        {"id": "T001", "title": "The bucket", "status": "complete", "proof": "test limit::burst"},
        {"id": "T003", "title": "Ask", "status": "complete", "mode": "human"}]}"#;
    let plan = TaskPlan::read(TASKS, record).unwrap();
    assert_eq!(plan.ids(), ["T002", "T001", "T003"]);
    assert_eq!(plan.tasks[0].title, "The layer, first");
    assert!(plan.tasks[1].done && plan.tasks[1].text.starts_with("### T001"));

    let alone = r#"{"phases": ["One"], "tasks": [{"id": "T001", "title": "A", "status": "pending", "phase": 1, "requirements": ["REQ-1.1"],
        "files": ["src/a.rs", "tests/a.rs"], "proof": {"command": ["make", "a"]}}, {"id": "T002", "title": "B", "depends_on": ["T001"]}]}"#;
    let plan = TaskPlan::read("", alone).unwrap();
    assert_eq!(plan.tasks[0].proof.to_string(), "command `make a`");
    assert_eq!((plan.tasks[0].phase, plan.tasks[0].requirements[0].as_str()), (1, "REQ-1.1"));
    assert!(plan.tasks[1].files.is_unknown && plan.tasks[1].proof.is_derived);
}

#[test]
fn proofs_of_older_specifications_are_derived() {
    let older = "### T001: A\n**Files:** src/a.rs, tests/a.rs (new)\n**Proof:** `cargo test a`; fails without.\n\n### T002: B\n**Files:** docs/a.md\n\n### T003: C\n\n### T004: D\n**Mode:** human_gate\n**Files:** none\n";
    let plan = TaskPlan::read(older, "").unwrap();
    let proofs: Vec<String> = plan.tasks.iter().map(|task| task.proof.to_string()).collect();
    assert_eq!(
        proofs,
        [
            "the whole test suite, with tests/a.rs (derived)",
            "none (it changes documentation only) (derived)",
            "the whole test suite (derived)",
            "none (a person does it) (derived)"
        ]
    );
    assert!(plan.is_without_proofs() && plan.tasks[2].files.is_unknown);
    // Once one task states a proof, prose under the label of another is an error.
    let mixed = older.to_owned() + "\n### T005: E\n**Proof:** none (x)\n";
    assert!(refusal(&mixed, "").starts_with("T001: the proof must be  test NAME"), "{}", refusal(&mixed, ""));
}

#[test]
fn a_list_that_cannot_be_implemented_is_refused_with_names() {
    assert_eq!(refusal("# Tasks\n", ""), "the specification has no tasks");
    assert_eq!(refusal("### T001: A\n\n### T001: B\n\n### T1: C\n", ""), "T001 is there twice");
    assert_eq!(
        refusal("### T001: A\n**Depends on:** T009, T010\n", ""),
        "T001 depends on T009, which does not exist\nT001 depends on T010, which does not exist"
    );
    let cyclic = "### T001: A\n**Depends on:** T003\n\n### T002: B\n**Depends on:** T001\n\n### T003: C\n**Depends on:** T002\n\n### T004: D\n**Depends on:** T004\n";
    assert_eq!(
        refusal(cyclic, ""),
        "Dependency cycle detected: T001 -> T003 -> T002 -> T001\nDependency cycle detected: T004 -> T004"
    );
    assert_eq!(
        refusal(TASKS, r#"{"tasks": [{"id": "T001"}, {"id": "T004"}]}"#),
        "T004 is in spec.json and not in tasks.md; run charrette check\nT002 is in tasks.md and not in spec.json; run charrette check\nT003 is in tasks.md and not in spec.json; run charrette check"
    );
    let all = |extra: &str| {
        format!(r#"{{"tasks": [{{"id": "T001", {extra}}}, {{"id": "T002"}}, {{"id": "T003"}}]}}"#)
    };
    assert_eq!(
        refusal(TASKS, &all(r#""proof": "command rm x""#)),
        "T001 has another proof in spec.json than in tasks.md"
    );
    assert_eq!(
        refusal(TASKS, &all(r#""files": ["src"]"#)),
        "T001 has another files in spec.json than in tasks.md"
    );
    assert!(refusal(TASKS, &all(r#""proof": "command a | b""#)).contains("works in a shell only"));
    assert!(refusal(TASKS, "{").starts_with("spec.json is not JSON"));
}

#[test]
fn a_long_chain_is_no_problem() {
    let tasks: String = (1..=3000)
        .fold(String::new(), |text, n| text + &format!("### T{n:04}: x\n**Depends on:** T{:04}\n\n", n + 1));
    let tasks = tasks + "### T3001: x\n";
    assert_eq!(TaskPlan::read(&tasks, "").unwrap().tasks.len(), 3001);
}

fn select(filter: TaskFilter) -> Result<(Vec<String>, Vec<String>), String> {
    let plan = TaskPlan::read(TASKS, "").unwrap();
    let selection = filter.select(&plan).map_err(|refusal| refusal.to_string())?;
    Ok((selection.open, selection.done))
}

#[test]
fn filters_narrow_and_name_what_they_do_not_find() {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    let some = |id: &str| Some(id.to_owned());
    let all = TaskFilter::default();
    assert_eq!(select(all.clone()), Ok((ids(&["T001", "T002"]), ids(&["T003"]))));
    assert_eq!(
        select(TaskFilter { tasks: ids(&["1", "t3"]), ..all.clone() }),
        Ok((ids(&["T001"]), ids(&["T003"])))
    );
    assert_eq!(select(TaskFilter { until: some("T001"), ..all.clone() }), Ok((ids(&["T001"]), ids(&[]))));
    assert_eq!(select(TaskFilter { phase: Some(1), ..all.clone() }), Ok((ids(&["T001"]), ids(&[]))));
    assert_eq!(select(TaskFilter { from: some("T003"), ..all.clone() }), Ok((ids(&[]), ids(&["T003"]))));
    for (filter, message) in [
        (
            TaskFilter { tasks: ids(&["T009", "x"]), ..all.clone() },
            "Task 'T009' not found. Tasks: T001, T002, T003\nTask 'x' not found. Tasks: T001, T002, T003",
        ),
        (
            TaskFilter { phase: Some(7), ..all.clone() },
            "Phase 7 not found. Phases: 1 (The rule), 2 (The chain)",
        ),
        (
            TaskFilter { from: some("T003"), until: some("T001"), ..all.clone() },
            "--from T003 comes after --until T001",
        ),
        (
            TaskFilter { phase: Some(2), until: some("T001"), ..all.clone() },
            "No task matches --phase 2 --until T001. Tasks: T001, T002, T003",
        ),
        (
            TaskFilter { tasks: ids(&["T002"]), ..all.clone() },
            "T002 depends on T001, which is neither done nor selected",
        ),
    ] {
        assert_eq!(select(filter).unwrap_err(), message);
    }
}
