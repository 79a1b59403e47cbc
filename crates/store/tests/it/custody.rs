//! Documents and files in the custody of a driver: what others change is put back, whatever they did, and the answers of
//! people are told from forgeries.

use crate::parts;
use crate::{documents, name, now};
use charrette_model::checkpoint::gate::{AnswerChannel, GateQuestion, Respondent};
use charrette_model::checkpoint::given::{GivenAnswers, give_answers};
use charrette_model::checkpoint::progress::{GateOpening, begin_run, open_gate};
use charrette_model::checkpoint::transition::TransitionContext;
use charrette_model::checkpoint::{Checkpoint, GateState, RunRecord, TransitionError, read};
use charrette_store::workspace::sha256;
use charrette_store::{DocumentKeeper, Documents, Workspace};
use charrette_testkit::Sandbox;
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

/// A run whose gate waits, and its driver.
struct Driven {
    sandbox: Sandbox,
    driver: Documents,
    workspace: Workspace,
    keeper: DocumentKeeper,
}

impl Driven {
    fn new() -> Driven {
        let sandbox = Sandbox::repository();
        let driver = documents(&sandbox);
        let begin = |_, context: &_| {
            let run = RunRecord { id: "run".to_owned(), ..RunRecord::default() };
            begin_run(name("x").key(), run, &["write"], context)
        };
        driver.transition(&name("x"), "begin", now(), begin).unwrap();
        let approval = GateQuestion { approval: true, ..GateQuestion::free_text("approval", "Good?") };
        let questions = [GateQuestion::free_text("scope", "How much?"), approval];
        let open = |document: Option<Checkpoint>, context: &_| {
            let opening = GateOpening {
                phase: "write",
                gate: "last",
                subject: "s",
                shown: None,
                questions: &questions,
            };
            open_gate(document.ok_or(TransitionError::Gone)?, opening, context)
        };
        let document = driver.transition(&name("x"), "open", now(), open).unwrap().document;
        let workspace = workspace(&sandbox);
        workspace.prepare().unwrap();
        let evidence = sandbox.path(".specs/x/evidence");
        let keeper = driver.take_custody(&name("x"), document, workspace.answer_notes(), evidence);
        Driven { sandbox, driver, workspace, keeper }
    }

    fn path(&self) -> PathBuf {
        self.sandbox.path(".claude/state/design-x.json")
    }

    fn on_disk(&self) -> Value {
        serde_json::from_slice(&fs_err::read(self.path()).unwrap()).unwrap()
    }

    /// Answers as a person does.
    fn answer(&self, answers: &Value) -> Checkpoint {
        let (person, notes) = (documents(&self.sandbox), self.workspace.answer_notes());
        let give = |document: Option<Checkpoint>, context: &_| give(document, answers, context);
        person.answer(&name("x"), &notes, now(), give).unwrap().document
    }

    /// Answers in the document only.
    fn forge(&self, answers: &Value) {
        let document = documents(&self.sandbox).load(&name("x")).unwrap().unwrap().document;
        let context = TransitionContext { now: now(), head: None, summary_words: 500 };
        let (forged, _) = give(Some(document), answers, &context).unwrap();
        fs_err::write(self.path(), serde_json::to_vec(&forged).unwrap()).unwrap();
    }

    /// The next change of the driver.
    fn next_change(&self) -> Checkpoint {
        let same = |document: Option<Checkpoint>, _: &_| document.ok_or(TransitionError::Gone);
        self.driver.transition(&name("x"), "next", now(), same).unwrap().document
    }
}

fn workspace(sandbox: &Sandbox) -> Workspace {
    let root = sandbox.work().canonicalize().unwrap();
    Workspace::new(&root.join(".specs/x"), &sandbox.outside("lanes")).inside(&root)
}

/// The document with answers to the gate, and their proof.
fn give(
    document: Option<Checkpoint>,
    answers: &Value,
    context: &TransitionContext,
) -> Result<(Checkpoint, Vec<GivenAnswers>), TransitionError> {
    let by = Respondent { by: "Ada".to_owned(), through: AnswerChannel::File, client: None, version: None };
    let answers = ("last".to_owned(), answers.as_object().unwrap().clone());
    give_answers(document.ok_or(TransitionError::Gone)?, &[answers], &by, context)
}

#[test]
fn the_answer_of_a_person_counts_and_the_same_bytes_from_an_agent_do_not() {
    let run = Driven::new();
    let yes = json!({"scope": "all", "approval": "yes"});
    // What the command would write, written by a program that is not the command.
    run.forge(&yes);
    assert!(!run.keeper.is_in_order());
    assert_eq!(run.next_change().gates["last"].state, GateState::Pending);
    assert_eq!(run.on_disk()["gates"]["last"]["state"], "pending");
    let told = run.keeper.take_changes().join(", ");
    assert!(told.contains("gate last"), "{told}");

    run.answer(&yes);
    assert!(run.keeper.is_in_order());
    assert_eq!(run.next_change().gates["last"].state, GateState::Approved);
    assert_eq!(run.keeper.take_changes(), [""; 0]);
    // An answer that was given is not taken away.
    let mut undone = run.on_disk();
    undone["gates"]["last"]["state"] = json!("pending");
    fs_err::write(run.path(), undone.to_string()).unwrap();
    assert_eq!(run.next_change().gates["last"].state, GateState::Approved);
}

#[test]
fn a_person_who_answers_the_rest_of_a_gate_does_not_approve_what_was_planted_in_it() {
    let run = Driven::new();
    run.forge(&json!({"approval": "yes"}));
    assert_eq!(run.on_disk()["gates"]["last"]["state"], "pending");
    let answered = run.answer(&json!({"scope": "all"}));
    assert_eq!(answered.gates["last"].state, GateState::Approved, "that is what is on disk");
    assert!(!run.keeper.is_in_order());
    let next = run.next_change();
    assert_eq!(next.gates["last"].state, GateState::Pending);
    assert_eq!(serde_json::to_value(&next.gates["last"].answers).unwrap(), json!({"scope": "all"}));
    assert_eq!(run.on_disk()["gates"]["last"]["answers"], json!({"scope": "all"}));
    assert!(run.keeper.take_changes().contains(&"gate last".to_owned()));
}

#[test]
fn a_partial_answer_can_be_corrected_and_what_it_was_does_not_come_back() {
    let run = Driven::new();
    run.answer(&json!({"scope": "all"}));
    assert_eq!(run.next_change().gates["last"].answers["scope"], "all");
    run.answer(&json!({"scope": "half"}));
    assert_eq!(run.next_change().gates["last"].answers["scope"], "half");
    assert_eq!(run.keeper.take_changes(), [""; 0]);
    run.forge(&json!({"scope": "all"}));
    assert_eq!(run.next_change().gates["last"].answers["scope"], "half");
    assert!(run.keeper.take_changes().contains(&"gate last".to_owned()));
    // Nor with the whole document: then the question is open again.
    let before = fs_err::read(run.path()).unwrap();
    run.answer(&json!({"scope": "none"}));
    fs_err::write(run.path(), before).unwrap();
    assert!(!run.keeper.is_in_order());
    assert_eq!(run.next_change().gates["last"].answers.get("scope"), None);
    assert!(run.keeper.take_changes().contains(&"gate last".to_owned()));
}

#[test]
fn what_another_part_of_the_driver_records_is_its_own() {
    let run = Driven::new();
    let change = |document: Option<Checkpoint>, _: &_| {
        let mut document = document.ok_or(TransitionError::Gone)?;
        document.run.get_or_insert_default().branch = Some("mine".to_owned());
        Ok(document)
    };
    let other = documents(&run.sandbox).with_custody(charrette_store::DocumentCustody::default());
    let same = run.driver.clone();
    same.transition(&name("x"), "branch", now(), change).unwrap();
    assert!(run.keeper.is_in_order());
    // Nothing of others is recorded along with it.
    let mut forged = run.on_disk();
    forged["run"]["base"] = json!("0000");
    fs_err::write(run.path(), forged.to_string()).unwrap();
    same.transition(&name("x"), "branch", now(), change).unwrap();
    assert_eq!(run.on_disk()["run"]["base"], Value::Null);
    assert_eq!(run.keeper.take_changes(), ["branch of the run"]);
    // Another process is another process.
    let moved = |document: Option<Checkpoint>, _: &_| {
        let mut document = document.ok_or(TransitionError::Gone)?;
        document.run.get_or_insert_default().branch = Some("main".to_owned());
        Ok(document)
    };
    other.transition(&name("x"), "branch", now(), moved).unwrap();
    assert_eq!(run.next_change().run.unwrap().branch.as_deref(), Some("mine"));
}

#[test]
fn a_document_that_is_gone_replaced_or_closed_is_put_back() {
    type Attack = fn(&Sandbox, &std::path::Path);
    let attacks: [(&str, Attack); 9] = [
        ("removed", |_, path| fs_err::remove_file(path).unwrap()),
        ("folder gone", |_, path| fs_err::remove_dir_all(path.parent().unwrap()).unwrap()),
        ("folder moved", |sandbox, path| {
            fs_err::rename(path.parent().unwrap(), sandbox.outside("state")).unwrap();
        }),
        ("folder linked outside", |sandbox, path| {
            fs_err::rename(path.parent().unwrap(), sandbox.outside("state")).unwrap();
            symlink(sandbox.outside("state"), path.parent().unwrap()).unwrap();
        }),
        ("folder a file", |_, path| {
            fs_err::remove_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path.parent().unwrap(), "x").unwrap();
        }),
        ("a folder", |_, path| {
            fs_err::remove_file(path).unwrap();
            fs_err::create_dir_all(path.join("deep")).unwrap();
        }),
        ("a link", |sandbox, path| {
            fs_err::rename(path, sandbox.outside("document")).unwrap();
            symlink(sandbox.outside("document"), path).unwrap();
        }),
        ("closed", |_, path| {
            let none = std::fs::Permissions::from_mode(0o000);
            fs_err::set_permissions(path, none.clone()).unwrap();
            fs_err::set_permissions(path.parent().unwrap(), none).unwrap();
        }),
        ("a planted temp folder", |_, path| {
            fs_err::write(path, "{").unwrap();
            fs_err::create_dir_all(path.with_file_name(".design-x.json.tmp/deep")).unwrap();
        }),
    ];
    for (what, attack) in attacks {
        let run = Driven::new();
        let known = run.next_change();
        attack(&run.sandbox, &run.path());
        assert_eq!(run.next_change(), known, "{what}");
        assert!(run.path().is_file() && !run.path().is_symlink(), "{what}");
        assert_eq!(documents(&run.sandbox).load(&name("x")).unwrap().unwrap().document, known, "{what}");
        if what != "closed" {
            assert_eq!(run.keeper.take_changes().len(), 1, "{what}");
        }
    }
}

#[test]
fn files_are_put_back_whatever_stands_in_the_way() {
    for attack in [
        "echo forged > a.md; rm -rf evidence; echo x > evidence",
        "echo forged > a.md; rm -rf evidence; mkfifo evidence",
        "echo forged > a.md; mkdir -p evidence; chmod 000 evidence",
        "echo forged > a.md; mkdir -p .a.md.tmp/x .deep.md.tmp/x",
        "rm a.md; mkdir a.md; echo forged > a.md/sub",
        "rm a.md; ln -s /etc/passwd a.md",
        "rm a.md; mkfifo a.md",
        "echo forged > a.md; chmod 000 a.md",
        "rm -r deep; echo forged > deep",
        "echo forged > a.md; chmod 000 deep .",
        "cd ..; mv x ../../moved; ln -s ../../moved x; echo forged > x/a.md",
        "cd ..; rm -rf x; echo x > x",
        "cd ..; rm -rf x",
    ] {
        let sandbox = Sandbox::new();
        let workspace = workspace(&sandbox);
        workspace.prepare().unwrap();
        workspace.put_all(&[("a.md", "a"), ("deep/b.md", "b")]).unwrap();
        workspace.take_custody().unwrap();
        let output = sandbox.run("sh", ["-c", &format!("cd .specs/x && {{ {attack}; }}")], b"");
        assert_eq!(output.code, Some(0), "{attack}: {output:?}");
        let checked = workspace.foreign_changes();
        assert!(checked.problems.is_empty(), "{attack}: {checked:?}");
        assert!(!checked.changes.is_empty(), "{attack}");
        assert_eq!(sandbox.read(".specs/x/a.md"), "a", "{attack}");
        assert_eq!(sandbox.read(".specs/x/deep/b.md"), "b", "{attack}");
        assert!(!sandbox.path(".specs/x").is_symlink(), "{attack}");
        // Everything goes on.
        workspace.put("a.md", b"next").unwrap();
        let checked = workspace.foreign_changes();
        assert!(checked.problems.is_empty() && checked.changes.is_empty(), "{attack}: {checked:?}");
    }
}

#[test]
fn a_folder_that_was_swapped_for_a_link_is_a_folder_again_and_a_link_of_the_person_stays() {
    let sandbox = Sandbox::new();
    fs_err::create_dir_all(sandbox.path("docs/specs")).unwrap();
    symlink("docs/specs", sandbox.path("specs")).unwrap();
    let root = sandbox.work().canonicalize().unwrap();
    let workspace = workspace(&sandbox).with_specs(&root.join("specs/x"));
    workspace.prepare().unwrap();
    workspace.put_all(&[("specs/design.md", "design")]).unwrap();
    workspace.take_custody().unwrap();
    assert!(workspace.foreign_changes().changes.is_empty());
    for attack in ["mv x .old && ln -s .old x", "mv x .older && ln -s .older x && echo forged > x/design.md"]
    {
        let output = sandbox.run("sh", ["-c", &format!("cd docs/specs && {attack}")], b"");
        assert_eq!(output.code, Some(0), "{output:?}");
        let checked = workspace.foreign_changes();
        assert!(checked.problems.is_empty() && !checked.changes.is_empty(), "{attack}: {checked:?}");
        assert!(sandbox.path("specs").is_symlink() && !sandbox.path("docs/specs/x").is_symlink(), "{attack}");
        assert_eq!(sandbox.read("docs/specs/x/design.md"), "design", "{attack}");
    }
}

#[test]
fn a_link_in_the_place_of_a_specification_is_named() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox).with_specs(&sandbox.work().canonicalize().unwrap().join("specs/x"));
    workspace.prepare().unwrap();
    workspace.put_all(&[("specs/design.md", "design")]).unwrap();
    fs_err::rename(sandbox.path("specs/x/design.md"), sandbox.path("d.md")).unwrap();
    symlink("../../d.md", sandbox.path("specs/x/design.md")).unwrap();
    let error = workspace.take_custody().unwrap_err().to_string();
    assert!(error.contains("specs/x/design.md is a symbolic link") && error.contains("mv "), "{error}");
    assert_eq!(sandbox.read("d.md"), "design");
}

/// A part: finds a file changed that it cannot put back.
#[test]
fn part_that_cannot_restore() {
    if parts::is_part("custody::part_that_cannot_restore") {
        let work = std::env::current_dir().unwrap();
        let workspace =
            Workspace::new(&work.join(".specs/x"), &work.parent().unwrap().join("lanes")).inside(&work);
        workspace.take_custody().unwrap();
        for name in ["a.md", "b.md"] {
            fs_err::write(workspace.path(name).unwrap(), "forged").unwrap();
        }
        let checked = workspace.foreign_changes();
        assert_eq!(checked.problems.len(), 1, "{checked:?}");
        assert_eq!(checked.changes.len(), 1, "the other file is put back: {checked:?}");
    }
}

#[test]
fn a_file_that_cannot_be_put_back_is_put_back_by_the_next_process() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    workspace.prepare().unwrap();
    workspace.put_all(&[("a.md", "a"), ("b.md", "b")]).unwrap();
    let path = sandbox.work().canonicalize().unwrap().join(".specs/x/a.md");
    let calls = "?rename,?renameat,?renameat2,?link,linkat,?unlink,unlinkat";
    let Some(output) = parts::refused(&sandbox, "custody::part_that_cannot_restore", &path, calls) else {
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((sandbox.read(".specs/x/a.md"), sandbox.read(".specs/x/b.md")), ("forged".into(), "b".into()));
    assert_eq!(restored(&workspace, &nothing_recorded()), [path]);
    assert_eq!(sandbox.read(".specs/x/a.md"), "a");
    assert_eq!(sandbox.read(".specs/x/evidence/foreign-1-a.md"), "forged");
    assert!(restored(&workspace, &nothing_recorded()).is_empty());
}

/// Files that the next process puts back; there is no other that it should.
fn restored(workspace: &Workspace, document: &Checkpoint) -> Vec<PathBuf> {
    let checked = workspace.restore_unrestored(document);
    assert!(checked.problems.is_empty(), "{checked:?}");
    checked.changes.into_iter().map(|change| change.path).collect()
}

fn nothing_recorded() -> Checkpoint {
    Checkpoint::new(name("x").key())
}

#[test]
fn a_note_of_files_to_be_put_back_plants_nothing() {
    let note = |place: &str, name: &str, content: &str| {
        json!([{"place": place, "name": name, "content": content.as_bytes()}]).to_string()
    };
    for planted in [
        note("workspace", "../../escaped", "planted"),
        note("specs", "/tmp/escaped", "planted"),
        note("staging", "answers", "planted"),
        note("staging", "lane@../../escaped", "planted"),
        note("workspace", "events.jsonl", "planted"),
        "not a note".to_owned(),
    ] {
        let sandbox = Sandbox::new();
        let workspace = workspace(&sandbox);
        workspace.prepare().unwrap();
        fs_err::create_dir_all(sandbox.outside("lanes")).unwrap();
        let file = sandbox.outside("lanes/unrestored.json");
        fs_err::write(&file, &planted).unwrap();
        assert_eq!(restored(&workspace, &nothing_recorded()), std::slice::from_ref(&file), "{planted}");
        assert!(!file.exists() && sandbox.path(".specs/x/evidence").is_dir(), "it is evidence: {planted}");
        for place in [".specs/escaped", "escaped", "answers", ".specs/x/events.jsonl"] {
            assert!(!sandbox.path(place).exists(), "{planted}");
        }
        assert!(!sandbox.outside("lanes/answers").exists() && !sandbox.outside("escaped").exists());
    }
}

#[test]
fn what_a_step_recorded_wins_over_a_note() {
    let sandbox = Sandbox::new();
    let workspace = workspace(&sandbox);
    workspace.prepare().unwrap();
    workspace.put_all(&[("a.md", "a"), ("b.md", "forged")]).unwrap();
    let step = |file: &str, bytes: &[u8]| json!({"status": "done", "outputs": {file: sha256(bytes)}});
    let steps = json!({"one": step("a.md", b"a"), "two": step("b.md", b"b")});
    let document = json!({
        "version": 1, "command": "design", "feature": "x", "phases": {"write": {"steps": steps}},
    });
    let document = read(document.to_string().as_bytes()).unwrap();
    let noted = ["a.md", "b.md"].map(|name| json!({"place": "workspace", "name": name, "content": b"noted"}));
    fs_err::create_dir_all(sandbox.outside("lanes")).unwrap();
    fs_err::write(sandbox.outside("lanes/unrestored.json"), json!(noted).to_string()).unwrap();
    let b = workspace.path("b.md").unwrap();
    assert_eq!(restored(&workspace, &document), std::slice::from_ref(&b));
    assert_eq!(sandbox.read(".specs/x/a.md"), "a");
    assert!(!b.exists(), "neither what is there nor what is noted is believed");
    assert_eq!(sandbox.read(".specs/x/evidence/foreign-1-b.md"), "forged");
}
