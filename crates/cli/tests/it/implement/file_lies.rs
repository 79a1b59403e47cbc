//! Agents that leave in their worktree what no change may have: files of others, secrets, links, submodules, huge files,
//! conflict markers, files of charrette.

use super::bed::{Bed, assert_ends};
use super::test_lies::assert_work_is_refused;
use crate::BINARY;

/// Has the agent of T001 do its task and this, and asserts that nothing of it lands, for this reason.
fn assert_refused(shell: &str, reason: &str) {
    let bed = Bed::lenient();
    bed.set_part("implementer", &bed.working_part(shell));
    assert_work_is_refused(&bed, reason);
}

#[test]
fn a_file_of_others_is_refused() {
    let bed = Bed::new();
    bed.set_part("implementer", &bed.working_part("echo '# mine' >> till/basket.py"));
    assert_work_is_refused(&bed, "till/basket.py");
}

#[test]
fn a_file_at_the_root_is_refused() {
    assert_refused("echo mine > NOTES.md", "NOTES.md");
}

#[test]
fn the_specification_is_not_for_agents() {
    assert_refused(
        "sed -i 's/2,50/2.50/' specs/till-receipts/tasks.md; echo x >> specs/till-receipts/tasks.md",
        "specs/till-receipts/tasks.md",
    );
}

#[test]
fn settings_are_not_for_agents() {
    assert_refused("printf '[verify]\\ntest = \"true\"\\n' > charrette.toml", "charrette.toml");
}

#[test]
fn conflict_markers_are_refused() {
    let marks = "printf '\"\"\"\\n<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> mine\\n\"\"\"\\n' > till/notes.py";
    assert_refused(marks, "till/notes.py:2: a conflict marker");
}

#[test]
fn a_secret_is_refused_and_not_repeated() {
    let bed = Bed::lenient();
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    bed.set_part("implementer", &bed.working_part(&format!("echo 'TOKEN = \"{key}\"' > till/keys.py")));
    assert_work_is_refused(&bed, "till/keys.py:1");
    let page = bed.gate_page("task/T001-1");
    assert!(!page.contains(&key), "{page}");
}

#[test]
fn a_huge_file_is_refused() {
    assert_refused("head -c 2000000 /dev/urandom > till/blob.bin", "till/blob.bin");
}

#[test]
fn a_link_that_leads_out_is_refused() {
    assert_refused("ln -s /etc/passwd till/passwd", "till/passwd: a symbolic link");
    assert_refused("ln -s ../../../x till/up", "till/up: a symbolic link");
}

#[test]
fn a_folder_that_became_a_link_is_refused() {
    assert_refused("rm -r tests; ln -s /nonexistent tests", "tests");
}

#[test]
fn a_submodule_is_refused() {
    let script = "mkdir till/sub && cd till/sub && git init -q && git -c user.name=x -c user.email=x@x commit -q --allow-empty -m x";
    assert_refused(script, "till/sub");
    assert_refused(
        "printf '[submodule \"x\"]\\n\\tpath = x\\n\\turl = https://example.com/x\\n' > .gitmodules",
        ".gitmodules",
    );
}

#[test]
fn attributes_that_run_programs_are_refused() {
    assert_refused("echo '*.py filter=evil' > till/.gitattributes", "till/.gitattributes");
}

#[test]
fn a_lock_file_without_its_manifest_is_refused() {
    assert_refused("echo x > till/poetry.lock", "till/poetry.lock");
}

#[test]
fn a_mode_bit_is_told_to_the_reviewer() {
    let bed = Bed::lenient();
    bed.keep_prompts();
    bed.set_part("implementer", &bed.working_part("chmod +x till/price.py"));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let prompt = &bed.prompts()["T001/review-1"];
    assert!(prompt.contains("till/price.py: became executable, and is no script"), "{prompt}");
}

#[test]
fn an_unreadable_file_is_no_way_out() {
    let bed = Bed::lenient();
    bed.set_part("implementer", &bed.working_part("chmod 000 till/basket.py; mkfifo till/pipe"));
    let head = bed.id("HEAD");
    let output = bed.implement(&["--task=T001"]);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    let tip = if output.code == Some(0) { "main".to_owned() } else { bed.integration() };
    assert_eq!(bed.file_at(&tip, "till/basket.py"), bed.file_at(&head, "till/basket.py"));
    assert_eq!(bed.sandbox.git(["ls-tree", &tip, "till/pipe"]), "");
}

#[test]
fn strange_names_land_as_they_are_or_not_at_all() {
    let bed = Bed::lenient();
    let script = "printf x > \"till/new line\n.txt\"; printf x > 'till/-rf'; printf x > 'till/ä \"q\".txt'";
    bed.set_part("implementer", &bed.working_part(script));
    let output = bed.implement(&["--task=T001"]);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    if output.code == Some(0) {
        for name in ["till/new line\n.txt", "till/-rf", "till/ä \"q\".txt"] {
            assert!(bed.sandbox.path(name).exists(), "{name}");
        }
    }
}

#[test]
fn a_process_that_is_left_behind_ends_and_changes_nothing() {
    let bed = Bed::new();
    let late = bed.sandbox.outside("late");
    let daemon = format!(
        "(setsid sh -c 'while :; do echo \"# late\" >> till/price.py; touch \"{}\"; sleep 0.02; done' > /dev/null 2>&1 &) ; \
         while [ ! -e '{0}' ]; do sleep 0.02; done; git checkout -q -- till 2> /dev/null; true",
        late.display()
    );
    bed.set_part("implementer", &bed.working_part(&daemon));
    let output = bed.implement(&["--task=T001"]);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    assert_eq!(charrette_testkit::till::leftovers::processes(&bed.sandbox), [""; 0]);
    if output.code == Some(0) {
        // What landed is what was verified.
        assert_ends(&bed.unittest(), 0, &["OK"]);
        assert_eq!(bed.status(), [""; 0]);
    }
}

#[test]
fn a_change_of_the_run_s_own_files_is_undone_and_told() {
    let bed = Bed::new();
    let root = bed.sandbox.work().display().to_string();
    let script = format!(
        "sed -i 's/\"attempt\": 1/\"attempt\": 7/' '{root}/.claude/state/implement-till-receipts.json'"
    );
    bed.set_part("T001/implement-1", &bed.working_part(&script));
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 3, &["changed-record"]);
    bed.answer("changed-record: continue\n");
    assert_ends(&bed.resume(), 0, &[]);
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}

#[test]
fn an_edit_of_the_checkout_is_told() {
    let bed = Bed::new();
    let root = bed.sandbox.work().display().to_string();
    bed.set_part(
        "T001/implement-1",
        &bed.working_part(&format!("echo '# planted' >> '{root}/till/basket.py'")),
    );
    let output = bed.implement(&["--task=T001"]);
    assert_ends(&output, 3, &["dirty-tree"]);
    let page = bed.gate_page(&bed.open_gates()[0]);
    assert!(page.contains("till/basket.py"), "{page}");
    bed.answer("dirty-tree: discard\n");
    assert_ends(&bed.resume(), 0, &[]);
    assert!(!bed.sandbox.read("till/basket.py").contains("planted"));
    bed.assert_clean();
}

#[test]
fn an_agent_cannot_decide_about_its_own_task() {
    let bed = Bed::new();
    let (root, heard) = (bed.sandbox.work().display().to_string(), bed.sandbox.outside("heard"));
    let script = format!(
        "cd '{root}'; for c in 'done T001' 'implement till-receipts --fresh' 'resume till-receipts' 'answer till-receipts --file /dev/null'; do \
           {BINARY} $c > /dev/null 2>&1 < /dev/null; echo \"$c: $?\" >> '{}'; done",
        heard.display()
    );
    bed.set_part("T001/implement-1", &bed.working_part(&script));
    assert_ends(&bed.implement(&["--task=T001"]), 0, &[]);
    let heard = std::fs::read_to_string(heard).unwrap();
    assert!(!heard.contains(": 0"), "{heard}");
}
