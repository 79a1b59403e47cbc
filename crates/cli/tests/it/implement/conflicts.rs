//! Work that does not fit with what others integrated meanwhile: the task that owns it is opened again, and nothing that others
//! added is lost.

use super::bed::{Bed, assert_ends};

/// Adds a test to the work of T002 that forbids a word in every module.
const NO_WORD: &str = r#"
cat >> tests/test_discount.py <<'E'

    def test_no_module_has_open_ends(self):
        import glob

        for name in glob.glob("till/*.py"):
            with open(name) as module:
                self.assertNotIn("OPEN END", module.read(), name)
E
"#;

#[test]
fn a_semantic_conflict_opens_the_later_task_again() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.keep_prompts();
    bed.set_work("T002", &format!("{}{NO_WORD}", bed.work("T002")));
    // Green alone, red beside T002.
    bed.set_part("T005/implement-1", &bed.working_part("echo '# OPEN END' >> till/lines.py"));
    bed.set_part("T005-2/implement-1", &bed.claiming_part("sed -i '/OPEN END/d' till/lines.py"));
    let output = bed.implement(&["--task=T001,T002,T005"]);
    assert_ends(&output, 0, &["T005: re-opened"]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T002", "T005"]);
    assert_eq!(bed.calls_of("T002/implement").len(), 1);
    let second = &bed.prompts()["T005-2/implement-1"];
    assert!(second.contains("test_no_module_has_open_ends"), "{second}");
    assert!(!bed.sandbox.read("till/lines.py").contains("OPEN END"));
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn a_semantic_conflict_that_stays_goes_to_a_person_and_blocks_nobody_else() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.set_work("T002", &format!("{}{NO_WORD}", bed.work("T002")));
    bed.set_work("T005", &format!("{}\necho '# OPEN END' >> till/lines.py\n", bed.work("T005")));
    let output = bed.implement(&["--task=T001,T002,T003,T005,T006"]);
    assert_ends(&output, 3, &[]);
    // T006 does not depend on T005.
    assert_eq!(bed.landed_tasks(&base, &bed.integration()), ["T001", "T002", "T003", "T006"]);
    let open = bed.open_gates();
    assert!(open.len() == 1 && open[0].starts_with("task/T005"), "{open:?}");
    assert_ends(&bed.decide(&open[0], "skip"), 0, &[]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T002", "T003", "T006"]);
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

/// T002 and T005 each have a manifest of their own and share its lock file, which no task names.
fn with_lock_file() -> Bed {
    let bed = Bed::new();
    for (task, files) in [("T002", "till/discount.py"), ("T005", "till/lines.py")] {
        bed.edit_spec(
            "tasks.md",
            &format!("{files} (new)"),
            &format!("{files} (new), {task}/pyproject.toml"),
        );
        let more = format!(
            "\nmkdir -p {task}\necho '# {task}' > {task}/pyproject.toml\necho '{task} = 1' > poetry.lock\n"
        );
        bed.set_work(task, &format!("{}{more}", bed.work(task)));
    }
    bed.approve();
    bed
}

#[test]
fn a_textual_conflict_is_resolved_by_the_owner_of_the_later_change() {
    let bed = with_lock_file();
    let base = bed.id("HEAD");
    bed.keep_prompts();
    let fix = "grep -q '<<<<<<<' poetry.lock; printf 'T002 = 1\\nT005 = 1\\n' > poetry.lock";
    bed.set_part("conflict-fixer", &bed.claiming_part(fix));
    let output = bed.implement(&["--task=T001,T002,T005"]);
    assert_ends(&output, 0, &["T005: re-opened", "poetry.lock"]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T002", "T005"]);
    assert_eq!(bed.sandbox.read("poetry.lock"), "T002 = 1\nT005 = 1\n");
    assert_eq!(bed.calls_of("T002/implement").len(), 1);
    let prompt = &bed.prompts()["T005-2/implement-1"];
    assert!(prompt.contains("poetry.lock") && prompt.contains("T002 = 1"), "{prompt}");
    bed.assert_clean();
}

#[test]
fn markers_that_stay_do_not_land() {
    let bed = with_lock_file();
    let base = bed.id("HEAD");
    bed.set_part("conflict-fixer", &bed.claiming_part("echo >> till/lines.py"));
    let output = bed.implement(&["--task=T001,T002,T005"]);
    assert_ends(&output, 3, &[]);
    assert_eq!(bed.landed_tasks(&base, &bed.integration()), ["T001", "T002"]);
    assert_eq!(bed.file_at(&bed.integration(), "poetry.lock").as_deref(), Some("T002 = 1\n"));
}

#[test]
fn lines_of_others_are_never_lost() {
    let bed = with_lock_file();
    // A merge driver of the user that keeps one side only.
    bed.sandbox.write(".gitattributes", "poetry.lock merge=mine\n");
    bed.sandbox.git(["add", ".gitattributes"]);
    bed.sandbox.commit("attributes");
    bed.sandbox.git(["config", "merge.mine.driver", "cp %B %A"]);
    let fix = "grep -q T002 poetry.lock || echo 'T002 = 1' >> poetry.lock; \
        grep -q T005 poetry.lock || echo 'T005 = 1' >> poetry.lock; sed -i '/^[<=>|]/d' poetry.lock";
    bed.set_part("conflict-fixer", &bed.claiming_part(fix));
    let again = format!("sh -e '{}'; {fix}", bed.script().join("T005.sh").display());
    bed.set_part("T005-2/implement-1", &bed.claiming_part(&again));
    let output = bed.implement(&["--task=T001,T002,T005"]);
    let tip = if output.code == Some(0) { "main".to_owned() } else { bed.integration() };
    let lock = bed.file_at(&tip, "poetry.lock").unwrap();
    assert!(lock.contains("T002 = 1"), "the line of T002 is lost: {lock}\n{output:?}");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(lock.contains("T005 = 1"), "{lock}");
}

#[test]
fn what_lands_as_a_whole_is_green() {
    let bed = Bed::new();
    let head = bed.id("HEAD");
    // Each task is verified by something quick; the whole is not green.
    bed.write_settings(
        "[verify]\nfast = \"true\"\ntest = \"test ! -e till/lines.py || { echo both are there; exit 1; }\"\n",
    );
    bed.set_part("fixer", &bed.claiming_part("echo '# tried' >> till/lines.py"));
    let output = bed.implement(&["--task=T001,T005"]);
    assert_ends(&output, 3, &["whole"]);
    assert_eq!(bed.id("HEAD"), head, "a red tree landed");
    bed.answer("whole: {whole: abort}\n");
    assert_ends(&bed.resume(), 4, &["test is red", &bed.integration()]);
    assert_eq!(bed.id("HEAD"), head, "a red tree landed");
}

#[test]
fn a_red_whole_is_repaired_once() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    bed.keep_prompts();
    bed.write_settings(
        "[verify]\nfast = \"true\"\ntest = \"! grep -rq 'OPEN END' till || { echo an open end; exit 1; }\"\n",
    );
    bed.set_part("T005/implement-1", &bed.working_part("echo '# OPEN END' >> till/lines.py"));
    bed.set_part("fixer", &bed.claiming_part("sed -i '/OPEN END/d' till/lines.py"));
    let output = bed.implement(&["--task=T001,T005"]);
    assert_ends(&output, 0, &[]);
    assert!(bed.prompts()["fixer"].contains("an open end"));
    assert!(!bed.sandbox.read("till/lines.py").contains("OPEN END"));
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T005"]);
    bed.assert_clean();
}
