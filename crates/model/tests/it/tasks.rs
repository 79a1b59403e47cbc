//! `tasks.md` in every form, and ticking: all files change together, and nothing else in them.

use charrette_model::spec::meta::SpecMeta;
use charrette_model::spec::record::SpecRecord;
use charrette_model::spec::tasks::progress::StatedTotal;
use charrette_model::spec::tasks::{TaskFiles, TaskList, TaskMode, TickError, tick};
use proptest::prelude::*;
use std::fmt::Write;

const TEMPLATE: &str = r"# Tasks: Add Login

## Phase 1: Foundation

### T001: Parse flags [US1]

Some words.

**\_Prompt:** **Role:** Developer | **Task:** Write the parser | **Restrictions:** No new crate | **Success:** Tests pass

### T002: Read the file [REQ-1.1, REQ-1.4]

**_Prompt:**

- **Role:** Developer
- **Task:** Read it
  and check it
- **Restrictions:** None
- **Success:** Done

- [ ] 1. a step, not a task
- [ ] a criterion

## Phase 2: Commands (US2)

### T003: Wire it up [C1]

```text
### T099: not a task
- [ ] T098: nor this
```

<!--
### T097: nor this
-->

## Task Dependencies

```text
T001 ---> T002 -> T003
```

## Progress

**Total:** 0/3 tasks complete

## Completion Criteria

- [ ] 1. All tests pass
";

fn ids(list: &TaskList) -> Vec<String> {
    list.tasks.iter().map(|task| task.id.to_string()).collect()
}

#[test]
fn the_template_is_read_whole() {
    let list = TaskList::parse(TEMPLATE);
    assert_eq!(list.problems, []);
    assert_eq!(ids(&list), ["T001", "T002", "T003"]);
    assert_eq!(list.phase_names(), ["Foundation", "Commands"]);
    assert_eq!(list.phases[1].note.as_deref(), Some("US2"));
    assert_eq!(list.tasks.iter().map(|task| task.phase).collect::<Vec<_>>(), [Some(0), Some(0), Some(1)]);
    assert_eq!(list.tasks.iter().map(|task| task.line).collect::<Vec<_>>(), [5, 11, 26]);
    assert_eq!(list.counts(), (0, 3));
    assert_eq!(list.progress.total, Some(StatedTotal { done: 0, total: 3, line: 45 }));
    let refs: Vec<_> = list.tasks[1].refs.iter().map(ToString::to_string).collect();
    assert_eq!(refs, ["REQ-1.1", "REQ-1.4"]);
    let needs = |index: usize| {
        list.tasks[index].depends_on.iter().map(|(id, line)| (id.to_string(), *line)).collect::<Vec<_>>()
    };
    assert_eq!(needs(1), [("T001".to_owned(), 40)]);
    assert_eq!(needs(2), [("T002".to_owned(), 40)]);
}

#[test]
fn prompts_stand_on_one_line_or_in_a_list() {
    let list = TaskList::parse(TEMPLATE);
    let parts = |index: usize| {
        let prompt = list.tasks[index].prompt.clone().unwrap();
        [prompt.role, prompt.task, prompt.restrictions, prompt.success]
    };
    assert_eq!(parts(0), ["Developer", "Write the parser", "No new crate", "Tests pass"]);
    assert_eq!(parts(1), ["Developer", "Read it and check it", "None", "Done"]);
    assert_eq!(list.tasks[2].prompt, None);
}

#[test]
fn the_older_forms_are_read() {
    let list = TaskList::parse(
        "# Plan\n\n- [ ] T010: first\n- [x] **T011** [D2] second\n  - [x] a sub-step\n- [ ] 8. third\n  depends on: T010, 11\n\n## More\n\n- [X] 9. fourth\n",
    );
    assert_eq!(list.problems, []);
    assert_eq!(ids(&list), ["T010", "T011", "T008", "T009"]);
    assert_eq!(list.tasks.iter().map(|task| task.done).collect::<Vec<_>>(), [false, true, false, true]);
    assert_eq!(list.tasks[2].depends_on.len(), 2);
}

#[test]
fn the_pipelines_form_is_read() {
    let list = TaskList::parse(
        "## Task 1: First\nmode: parallel\nfiles:\n- src/a.rs\n- `src/b.rs`\n\n## Task 2: Second\nMode: human_gate\ndepends_on: [1, x]\nfiles: [c.rs, d.rs]\n\n## Task 3: Third\nmode: whatever\ndepends_on: 1, 2\n",
    );
    assert_eq!(list.problems, []);
    assert_eq!(ids(&list), ["T001", "T002", "T003"]);
    assert_eq!(
        list.tasks.iter().map(|task| task.mode).collect::<Vec<_>>(),
        [TaskMode::Parallel, TaskMode::HumanGate, TaskMode::Sequential]
    );
    assert_eq!(list.tasks[0].files, ["src/a.rs", "src/b.rs"]);
    assert_eq!(list.tasks[1].files, ["c.rs", "d.rs"]);
    assert_eq!(list.tasks[1].depends_on.len(), 1);
    assert_eq!(list.tasks[2].depends_on.len(), 2);
}

#[test]
fn a_task_is_done_where_its_own_state_says_so() {
    for (below, done) in [
        ("", false),
        ("- [x] Done", true),
        ("- [ ] Done", false),
        ("* [X] **Complete.**", true),
        ("- [x] T001: the whole thing", true),
        ("- [x] T002", false),
        ("- [x] a criterion", false),
        ("- [x] Done with the first half", false),
        ("**Status:** complete", true),
        ("- **Status:** Done ✅", true),
        ("Status: in progress", false),
        ("status: completed", true),
        ("The status: completed", false),
        ("- [ ] Done\n**Status:** complete", false),
    ] {
        let list = TaskList::parse(&format!("### T001: x\n\n{below}\n"));
        assert_eq!(list.tasks[0].done, done, "{below}");
    }
}

#[test]
fn problems_have_lines_and_the_rest_is_still_read() {
    let list = TaskList::parse(
        "### T001: a\n### T001: again\n### T002\ndepends_on: T009\n### T003: c\ndepends_on: T004\n### T004: d\ndepends_on: T003\n## Dependencies\nT001 -> T777\n-> T001\n## Progress\n**Total:** 3/4 tasks complete\n```\nopen",
    );
    let problems: Vec<_> = list.problems.iter().map(|p| (p.line, p.message.as_str())).collect();
    assert_eq!(
        problems,
        [
            (2, "T001 is there twice"),
            (3, "T002 has no title"),
            (4, "T002 depends on T009, which does not exist"),
            (8, "Dependency cycle detected: T003 -> T004 -> T003"),
            (10, "T777 does not exist"),
            (11, "this arrow does not join two tasks"),
            (13, "progress says 3/4, the tasks say 0/5"),
            (14, "this fence is never closed"),
        ]
    );
    assert_eq!(list.tasks.len(), 5);
}

#[test]
fn a_task_that_waits_for_itself_and_a_long_chain_are_seen() {
    let list = TaskList::parse("### T001: a\ndepends_on: 1\n");
    assert_eq!(list.problems[0].message, "Dependency cycle detected: T001 -> T001");
    let mut chain = String::new();
    for number in 1..20_000 {
        let _ = write!(chain, "### T{number}: x\ndepends_on: T{}\n", number + 1);
    }
    chain.push_str("### T20000: end\ndepends_on: T1\n");
    let list = TaskList::parse(&chain);
    assert_eq!(list.problems.len(), 1);
    assert!(list.problems[0].message.starts_with("Dependency cycle detected: T001 -> T002 -> "));
}

fn texts(tasks: &str) -> TaskFiles {
    TaskFiles { tasks: tasks.to_owned(), spec_json: None, meta_yaml: None }
}

fn ticked(tasks: &str, id: &str) -> String {
    tick(&texts(tasks), id, "2026-11-15").unwrap().tasks
}

#[test]
fn ticking_changes_the_mark_and_the_counts_and_nothing_else() {
    let progress = |done: usize| format!("\n## Progress\n\n**Total:** {done}/1 tasks complete\n");
    for (before, after) in [
        ("- [ ] T001: a\n", "- [x] T001: a\n"),
        ("  * [ ] **T001** [D2] a\n", "  * [x] **T001** [D2] a\n"),
        ("- [~] 1. a\n", "- [x] 1. a\n"),
        ("### [ ] T001: a\n", "### [x] T001: a\n"),
        ("### T001: a [US1] [ ]\n", "### T001: a [US1] [x]\n"),
        ("### T001: a\n\n- [ ] Done\n", "### T001: a\n\n- [x] Done\n"),
        ("### T001: a\n- **Status:** in progress, nearly\n", "### T001: a\n- **Status:** complete\n"),
        ("### T001: a\nStatus:\n", "### T001: a\nStatus:complete\n"),
        ("### T001: a\n\nBody.\n", "### T001: a\n\n- [x] Done\n\nBody.\n"),
        ("### T001: a\nBody.\n", "### T001: a\n\n- [x] Done\n\nBody.\n"),
        ("### T001: a\n", "### T001: a\n\n- [x] Done\n"),
        ("### T001: a", "### T001: a\n\n- [x] Done\n"),
        ("## Task 1: a\nmode: parallel\n", "## Task 1: a\n\n- [x] Done\n\nmode: parallel\n"),
    ] {
        let whole = before.to_owned() + if before.ends_with('\n') { "" } else { "\n" } + &progress(0);
        let unfinished = if before.ends_with('\n') { &whole } else { before };
        assert_eq!(ticked(unfinished, "T001"), after.to_owned() + &progress(1), "{before}");
        // A second tick changes nothing.
        let once = ticked(unfinished, "T001");
        assert_eq!(ticked(&once, "t1"), once);
        // Line ends and a byte order mark stay what they were.
        let windows = format!("\u{feff}{}", unfinished.replace('\n', "\r\n"));
        if unfinished.ends_with('\n') {
            assert_eq!(
                ticked(&windows, "T001"),
                format!("\u{feff}{}", once.replace('\n', "\r\n")),
                "{before}"
            );
        }
    }
}

#[test]
fn every_count_of_the_progress_section_is_brought_up_to_date() {
    let tasks = "## Phase 1: A\n- [x] T001: a\n- [ ] T002: b\n## Phase 2: B\n- [ ] T003: c\n- [ ] T004: d\n";
    for (before, after) in [
        ("## Progress\n\n**Total:** 1/4 tasks complete\n", "## Progress\n\n**Total:** 2/4 tasks complete\n"),
        ("## Progress\n**Total:** 9/9 (100%) tasks\n", "## Progress\n**Total:** 2/4 (50%) tasks\n"),
        ("## Progress\nTotal: 1 of 4\n", "## Progress\nTotal: 2 of 4\n"),
        (
            "## Progress Summary\n- Total tasks: 4\n- Completed: 1\n- Remaining: 3\n",
            "## Progress Summary\n- Total tasks: 4\n- Completed: 2\n- Remaining: 2\n",
        ),
        (
            "## Progress\n- **Phase 1:** 1/2\n- **Phase 2:** 0/2\n- Phase 7: 0/9\n",
            "## Progress\n- **Phase 1:** 2/2\n- **Phase 2:** 0/2\n- Phase 7: 0/9\n",
        ),
        ("## Progress\n", "## Progress\n\n**Total:** 2/4 tasks complete\n"),
        ("", "\n## Progress\n\n**Total:** 2/4 tasks complete\n"),
        (
            "## Progress\n\nWork goes on: 3 people, 1/2 time.\n",
            "## Progress\n\n**Total:** 2/4 tasks complete\n\nWork goes on: 3 people, 1/2 time.\n",
        ),
    ] {
        let expected = tasks.replacen("- [ ] T002", "- [x] T002", 1) + after;
        assert_eq!(ticked(&(tasks.to_owned() + before), "T002"), expected);
    }
}

#[test]
fn spec_json_and_meta_yaml_change_along() {
    let list = TaskList::parse(TEMPLATE);
    let mut record = SpecRecord::draft("add-login", &list, "2026-11-01");
    record.other.insert("x-team".to_owned(), serde_json::json!({"b": 1, "a": [null]}));
    let before = TaskFiles {
        tasks: TEMPLATE.to_owned(),
        spec_json: Some(record.to_text()),
        meta_yaml: Some(
            "id: add-login\n# counted below\ntasks_total: 0\ntasks_complete: 0\nupdated: 2026-11-01\n"
                .to_owned(),
        ),
    };
    let after = tick(&before, "T002", "2026-11-15").unwrap();
    let spec_json = after.spec_json.clone().unwrap();
    record.updated = "2026-11-15".to_owned();
    record.tasks[1].status = "complete".to_owned();
    assert_eq!(spec_json, record.to_text(), "only those two members change, order and all");
    assert_eq!(
        after.meta_yaml.as_deref(),
        Some("id: add-login\n# counted below\ntasks_total: 3\ntasks_complete: 1\nupdated: 2026-11-15\n")
    );
    assert_eq!(TaskList::parse(&after.tasks).counts(), (1, 3));
    assert_eq!(tick(&after, "T002", "2026-11-15").unwrap(), after);
}

#[test]
fn a_task_spec_json_does_not_know_is_added_and_ids_are_compared_not_spelled() {
    let with_json = |json: &str| {
        let texts = TaskFiles { spec_json: Some(json.to_owned()), ..texts("- [ ] 8. a\n") };
        tick(&texts, "T008", "2026-11-15").map(|texts| texts.spec_json.unwrap())
    };
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(&with_json(json).unwrap()).unwrap();
    assert_eq!(
        value("{}")["tasks"][0],
        serde_json::json!({"id": "T008", "title": "a", "status": "complete", "assignee": null})
    );
    let known =
        value(r#"{"tasks": [null, {"id": 8}, {"id": "T8", "status": "pending", "assignee": "ada"}]}"#);
    assert_eq!(known["tasks"][2], serde_json::json!({"id": "T8", "status": "complete", "assignee": "ada"}));
    assert_eq!(known["tasks"].as_array().unwrap().len(), 3);
    for (json, message) in [
        ("{", "spec.json is not JSON: EOF while parsing an object at line 1 column 1"),
        ("[]", "spec.json: expected an object"),
        (r#"{"tasks": {}}"#, "spec.json: tasks: expected a list"),
    ] {
        assert_eq!(with_json(json).unwrap_err().to_string(), message);
    }
}

#[test]
fn an_unknown_task_changes_nothing_and_says_which_there_are() {
    for id in ["T009", "nonsense", "", "US1", "T001\n"] {
        let error = tick(&texts("- [ ] T001: a\n- [ ] 2. b\n"), id, "2026-11-15").unwrap_err();
        assert!(matches!(error, TickError::UnknownTask { .. }));
        assert!(error.to_string().ends_with("not found. Tasks: T001, T002"), "{error}");
    }
}

#[test]
fn hostile_sizes_are_linear() {
    let (line, lines) = (1 << 20, 1 << 16);
    for text in [
        "- [ ] 1. x\n".repeat(lines / 11),
        "- [ ] 1. x\ndepends_on: 1-300\n".repeat(lines / 29),
        format!("## Dependencies\n{}", "T1-T300 -> T1-T300\n".repeat(lines / 19)),
        format!("## Dependencies\n{}", "T1,".repeat(line / 6) + "->" + &"T2,".repeat(line / 6)),
        format!("## Progress\n{}", "Total: 1/2\n".repeat(lines / 11)),
        format!("### T001: {}", "x".repeat(line)),
        format!("### T001: x\n**_Prompt:** {}", "Role: x | ".repeat(line / 10)),
        format!("### T001: x\n**_Prompt:** Role: a\n{}", "more\n".repeat(lines / 5)),
        "### ".repeat(line / 4),
        "#".repeat(line),
        "[".repeat(line),
        "```\n".repeat(lines / 4),
        "<!--\n".repeat(lines / 5),
        "## Phase 1: (\n".repeat(lines / 14),
        "\0".repeat(line),
    ] {
        let list = TaskList::parse(&text);
        if let Some(task) = list.tasks.first() {
            tick(&texts(&text), &task.id.to_string(), "2026-11-15").unwrap();
        }
    }
}

/// A file with tasks of every form; `done` says which are.
fn written(forms: &[usize], done: &[bool]) -> String {
    let mut text = String::from("# Tasks\n\n## Phase 1: All\n\n");
    for (index, (form, done)) in forms.iter().zip(done).enumerate() {
        let (number, mark) = (index + 1, if *done { 'x' } else { ' ' });
        let _ = match form {
            0 => writeln!(text, "- [{mark}] T{number:03}: title"),
            1 => writeln!(text, "- [{mark}] {number}. title"),
            2 => writeln!(text, "### [{mark}] T{number}: title\n\nBody.\n"),
            3 => writeln!(text, "### T{number:03}: title [US1]\n\n- [{mark}] Done\n"),
            4 => writeln!(
                text,
                "## Task {number}: title\nStatus: {}\n",
                if *done { "complete" } else { "pending" }
            ),
            _ if *done => writeln!(text, "### T{number:03}: title\n\n- [x] Done\n\nBody.\n"),
            _ => writeln!(text, "### T{number:03}: title\n\nBody.\n"),
        };
    }
    text
}

proptest! {
    #[test]
    fn tasks_can_be_ticked_in_any_order(tasks in prop::collection::vec((0_usize..6, any::<bool>(), any::<u32>()), 1..12)) {
        let forms: Vec<_> = tasks.iter().map(|(form, _, _)| *form).collect();
        // A numbered box below a heading is one of its steps, so such boxes come first.
        prop_assume!(forms.is_sorted_by_key(|form| *form != 1));
        let mut done: Vec<_> = tasks.iter().map(|(_, done, _)| *done).collect();
        let mut order: Vec<_> = tasks.iter().enumerate().map(|(index, (_, _, key))| (*key, index)).collect();
        order.sort_unstable();
        let text = written(&forms, &done);
        let list = TaskList::parse(&text);
        prop_assert_eq!(list.tasks.iter().map(|task| task.done).collect::<Vec<_>>(), done.clone());
        let mut texts = TaskFiles {
            tasks: text,
            spec_json: Some(SpecRecord::draft("x", &list, "2026-11-01").to_text()),
            meta_yaml: Some(String::new()),
        };
        for (_, index) in order {
            texts = tick(&texts, &format!("T{}", index + 1), "2026-11-15").unwrap();
            done[index] = true;
            let list = TaskList::parse(&texts.tasks);
            let record = SpecRecord::parse(texts.spec_json.as_deref().unwrap()).unwrap();
            let meta = SpecMeta::parse(texts.meta_yaml.as_deref().unwrap());
            let complete = done.iter().filter(|done| **done).count();
            prop_assert_eq!(list.tasks.iter().map(|task| task.done).collect::<Vec<_>>(), done.clone());
            prop_assert_eq!(record.tasks.iter().map(|task| task.status == "complete").collect::<Vec<_>>(), done.clone());
            prop_assert_eq!((meta.tasks_complete, meta.tasks_total), (Some(complete), Some(done.len())));
            prop_assert_eq!(list.progress.total.map(|stated| (stated.done, stated.total)), Some((complete, done.len())));
            prop_assert_eq!(list.problems, vec![]);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "(### |## |- \\[ \\] |- \\[x\\] |T1|T002|: |1\\. |Phase 1|Progress|Total: 1/2|depends_on: |->|Status: |Prompt: |Role: x|\\[US1\\]| \\| |```|<!--|-->|\r?\n|é|\0|\u{feff}){0,40}") {
        let list = TaskList::parse(&text);
        let lines = text.lines().count().max(1);
        prop_assert!(list.problems.iter().all(|problem| (1..=lines).contains(&problem.line)));
        for task in &list.tasks {
            let after = tick(&texts(&text), &task.id.to_string(), "2026-11-15").unwrap();
            let again = TaskList::parse(&after.tasks);
            prop_assert!(again.task(&task.id).unwrap().done, "{:?}", after.tasks);
            prop_assert_eq!(again.tasks.len(), list.tasks.len(), "{:?}", after.tasks);
            prop_assert_eq!(&tick(&after, &task.id.to_string(), "2026-11-15").unwrap(), &after);
        }
    }
}
