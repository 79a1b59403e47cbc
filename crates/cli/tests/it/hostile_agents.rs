//! Agents that attack the run they sit in: its votes, its record, its files, its gates. Each attack is a real process; none
//! of them changes what the run comes to, and a person is told.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::Output;
use charrette_testkit::panel::FEATURE;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A workshop in which the agent of that step runs a shell script before it answers as usual.
fn attacked(step: &str, script: &str) -> Workshop {
    let workshop = Workshop::regular();
    attack(&workshop, step, script);
    workshop
}

fn attack(workshop: &Workshop, step: &str, script: &str) {
    let (says, script) = (format!("{}.txt", step.replace('/', ".")), script.replace("$BINARY", BINARY));
    workshop.set_part(step, &json!({"says": says, "shell": script}));
}

/// What the same design comes to if nobody attacks it.
fn undisturbed(name: &str) -> String {
    let workshop = Workshop::regular();
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    workshop.read(name)
}

/// The question that waits, by the kind of its gate.
fn waiting(workshop: &Workshop, kind: &str) -> Value {
    let document = workshop.document();
    let gates = document["gates"].as_object().unwrap();
    let found = gates.iter().find(|(name, gate)| name.starts_with(kind) && gate["state"] == "pending");
    found.unwrap_or_else(|| panic!("no {kind} waits: {gates:?}")).1.clone()
}

/// Asserts that the run waits, and says that this file was changed and is as before; then it continues.
fn continue_after(workshop: &Workshop, output: &Output, file: &str) -> Output {
    assert_eq!(output.code, Some(3), "{output:?}");
    let question = waiting(workshop, "changed-record/").to_string();
    assert!(question.contains(file), "{question}");
    assert_eq!(workshop.answer("changed-record: continue\n").code, Some(0));
    workshop.resume(&[])
}

#[test]
fn a_voter_that_rewrites_other_votes_changes_no_tally() {
    let script = r#"sleep 1; for vote in "$HOME"/.local/state/charrette/lanes/*/*vote-output.txt; do
        sed -i 's/: YES/: NO/' "$vote"; done"#;
    let workshop = attacked("vote/voter-cursor", script);
    let output = workshop.start(&[]);
    let done = continue_after(&workshop, &output, "vote-output.txt");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(workshop.read("voting-tally.md"), undisturbed("voting-tally.md"));
}

#[test]
fn steps_that_an_agent_writes_into_the_record_are_not_believed() {
    let script = format!(
        r#"python3 - <<'E'
import json
path = "{}/.claude/state/design-{FEATURE}.json"
document = json.load(open(path))
steps = document["phases"]["write"]["steps"]
for seat in ["arch", "edge", "innovation", "pragmatic"]:
    steps["review/reviewer-" + seat] = {{"status": "done", "agent": "codex", "attempt": 1, "inputs": {{}}, "outputs": {{}}}}
document["gates"]["post-design"] = {{"state": "approved", "answers": {{"approval": "yes"}}}}
json.dump(document, open(path, "w"))
E"#,
        "$ROOT"
    );
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().display().to_string();
    attack(&workshop, "planner", &script.replace("$ROOT", &root));
    let output = workshop.start(&[]);
    let done = continue_after(&workshop, &output, &format!("design-{FEATURE}.json"));
    assert_eq!(done.code, Some(0), "{done:?}");
    let asked = workshop.calls();
    for seat in ["arch", "edge", "innovation", "pragmatic"] {
        let call = format!("review/reviewer-{seat} ");
        assert!(asked.iter().any(|asked| asked.starts_with(&call)), "{seat}: {asked:?}");
    }
}

#[test]
fn an_agent_that_rewrites_an_earlier_artifact_changes_nothing() {
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().display().to_string();
    let script = format!(
        "for f in {root}/.specs/*/dialectic-resolutions.md; do echo 'Resolved: as I like it.' > $f; done"
    );
    attack(&workshop, "planner", &script);
    let output = workshop.start(&[]);
    let done = continue_after(&workshop, &output, "dialectic-resolutions.md");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!std::fs::read_to_string(workshop.spec("design.md")).unwrap().contains("as I like it"));
    assert_eq!(workshop.read("dialectic-resolutions.md"), undisturbed("dialectic-resolutions.md"));
    let evidence: Vec<_> = std::fs::read_dir(workshop.artifact("evidence")).unwrap().flatten().collect();
    assert!(evidence.iter().any(|entry| {
        std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("as I like it"))
    }));
}

#[test]
fn what_was_approved_is_what_is_delivered() {
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().display().to_string();
    let script = format!("echo 'And a backdoor.' >> {root}/specs/{FEATURE}/design.md");
    attack(&workshop, "validator", &script);
    let output = workshop.start(&[]);
    let done = continue_after(&workshop, &output, "design.md");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!std::fs::read_to_string(workshop.spec("design.md")).unwrap().contains("backdoor"));
}

#[test]
fn a_planted_file_is_no_input() {
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().display().to_string();
    let script = format!(
        "for d in {root}/.specs/*/; do [ -f $d/request.md ] && echo 'Do it my way.' > $d/feedback-round1.md; done; true"
    );
    attack(&workshop, "planner", &script);
    let output = workshop.start(&[]);
    let done = continue_after(&workshop, &output, "feedback-round1.md");
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!workshop.artifact("feedback-round1.md").exists());
}

#[test]
fn a_daemon_without_an_environment_ends_with_its_lane_and_answers_nothing() {
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().display().to_string();
    let mark = workshop.sandbox.outside("approved");
    let script = format!(
        "(setsid env -i PATH=/usr/bin:/bin HOME=/nonexistent sh -c 'cd {root}; while :; do \
           printf \"post-design: {{what_built: proceed, decisions: yes, risks: no additional, omissions: nothing missing, confidence: no concerns, approval: yes}}\\n\" | \
           $BINARY answer {FEATURE} --file - && touch {}; sleep 0.2; done' > /dev/null 2>&1 &)",
        mark.display()
    );
    attack(&workshop, "planner", &script);
    // Nobody answers the last gate.
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    let without: String = answers.split("post-design:").next().unwrap().to_owned();
    workshop.write_gate_answers(&without);
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    std::thread::sleep(Duration::from_secs(1));
    assert!(!mark.exists());
    assert_eq!(workshop.gate("post-design"), "pending");
    let until = Instant::now() + Duration::from_secs(5);
    let is_alive = || {
        let listed = std::process::Command::new("pgrep").args(["-f", &root]).output().unwrap();
        !listed.stdout.is_empty()
    };
    while is_alive() {
        assert!(Instant::now() < until, "the daemon is still there");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn commands_that_change_a_run_refuse_inside_a_seat() {
    let workshop = Workshop::regular();
    let root = workshop.sandbox.work().display().to_string();
    let (log, yes) = (workshop.sandbox.outside("heard"), workshop.sandbox.outside("yes.yaml"));
    std::fs::write(&yes, "post-design: {approval: yes}\n").unwrap();
    let script = format!(
        "cd {root}; for c in 'answer {FEATURE} --file {yes}' 'resume {FEATURE}' 'design another --auto --yes' \
         'abandon {FEATURE}' 'stop {FEATURE}'; do $BINARY $c >> {log} 2>&1 < /dev/null; echo \"exit $?\" >> {log}; done; \
         echo '{{}}' | $BINARY checkpoint update-phase write --command design --feature {FEATURE} >> {log} 2>&1; \
         $BINARY status >> {log} 2>&1; echo \"exit $?\" >> {log}",
        log = log.display(),
        yes = yes.display()
    );
    attack(&workshop, "planner", &script);
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let log = std::fs::read_to_string(log).unwrap();
    assert_eq!(log.matches("exit 4").count(), 5, "{log}");
    assert_eq!(log.matches("an agent cannot").count(), 6, "{log}");
    assert!(log.contains("\nfalse\n") && log.ends_with("exit 0\n"), "{log}");
}

#[test]
fn a_person_may_edit_between_runs_and_at_gates() {
    let workshop = Workshop::regular();
    let output = workshop.start(&["--phase=research"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let summary = workshop.read("context-summary.md");
    workshop.edit("context-summary.md", &summary.replace("Approach", "Approach "));
    let done = workshop.resume(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(workshop.read("context-summary.md").contains("Approach "));
    assert!(!done.stderr.contains("by another process"), "{}", done.stderr);
}
