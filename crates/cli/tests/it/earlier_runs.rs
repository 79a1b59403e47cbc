//! Fixtures of runs that an earlier version started and stopped: this version resumes each of them without repeating
//! recorded agent calls.

use crate::BINARY;
use crate::workshop::{FAKE_AGENT, document_path};
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, Panel};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stopped run of version 0.1.
struct EarlierRun {
    panel: Panel,
    feature: String,
    before: Value,
}

impl EarlierRun {
    /// Unpacks the run: state, workspace, specification, staging, branch.
    fn unpack(name: &str) -> EarlierRun {
        let panel = Panel::regular(&*FAKE_AGENT);
        // Plans of that version had no section for decisions.
        panel.set_answer("finisher", "=== replace: ## Edge cases ===\n- A limit of 0 switches it off.\n");
        let archive = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures/runs-0.1")
            .join(format!("{name}.tar.gz"));
        let into: PathBuf = panel.sandbox.outside("");
        let status = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(into).status().unwrap();
        assert!(status.success(), "{name}");
        let facts = fs_err::read_to_string(panel.sandbox.outside("facts.json")).unwrap();
        let facts: Value = serde_json::from_str(&facts).unwrap();
        let feature = facts["feature"].as_str().unwrap().to_owned();
        panel.sandbox.git(["switch", "-q", "-c", facts["branch"].as_str().unwrap()]);
        let before = serde_json::from_str(&panel.sandbox.read(&document_path(&feature))).unwrap();
        EarlierRun { panel, feature, before }
    }

    fn document(&self) -> Value {
        serde_json::from_str(&self.panel.sandbox.read(&document_path(&self.feature))).unwrap()
    }

    fn resume(&self) -> Output {
        let answers = self.panel.answers();
        self.panel.run(BINARY, ["design", &self.feature, "--resume", "--answers", answers.to_str().unwrap()])
    }

    fn answer(&self, yaml: &str) {
        let command = self.panel.command(BINARY, ["answer", &self.feature, "--file", "-"]);
        let output = Output::capture(command, yaml.as_bytes());
        assert_eq!(output.code, Some(0), "{output:?}");
    }

    /// Steps that an agent had completed when the run was stopped.
    fn completed_agent_steps(&self) -> Vec<String> {
        let phases = self.before["phases"].as_object().into_iter().flat_map(|phases| phases.values());
        let steps = phases.flat_map(|phase| phase["steps"].as_object().into_iter().flatten());
        let is_done = |step: &Value| step["status"] == "done" && step["agent"].is_string();
        steps.filter(|(_, step)| is_done(step)).map(|(id, _)| id.clone()).collect()
    }

    /// Resumes the run to its end and asserts that no recorded agent call is repeated.
    fn assert_finishes(&self, name: &str, may_be_asked_again: &[&str]) {
        let output = self.resume();
        assert_eq!(output.code, Some(0), "{name}: {output:?}");
        assert!(self.document()["completed_at"].is_string(), "{name}");
        let answered = self.completed_agent_steps();
        for call in self.panel.calls() {
            let step = call.split(' ').next().unwrap().to_owned();
            let is_new = !answered.contains(&step) || may_be_asked_again.contains(&step.as_str());
            assert!(is_new, "{name}: {step} had answered, and was asked again");
        }
        let checked = self.panel.run(BINARY, ["check", &self.feature]);
        assert_eq!(checked.code, Some(0), "{name}: {checked:?}");
    }
}

#[test]
fn a_run_waiting_at_any_gate_resumes() {
    for name in ["clarify", "discussion-1", "pre-design", "discussion-2", "post-design"] {
        let earlier = EarlierRun::unpack(name);
        assert_eq!(earlier.before["gates"][name]["state"], "pending", "{name}");
        earlier.assert_finishes(name, &[]);
    }
}

#[test]
fn a_run_that_was_killed_beside_finished_sketches_keeps_them() {
    let earlier = EarlierRun::unpack("killed");
    let done: Vec<String> =
        earlier.completed_agent_steps().into_iter().filter(|step| step.starts_with("sketch/")).collect();
    assert_eq!(done.len(), 3, "{done:?}");
    earlier.assert_finishes("killed", &[]);
}

#[test]
fn a_rejected_design_is_asked_about_again_because_its_files_name_their_authors_now() {
    let earlier = EarlierRun::unpack("rejected");
    assert_eq!(earlier.before["gates"]["post-design"]["state"], "rejected");
    let asked = earlier.panel.run(BINARY, ["design", &earlier.feature, "--resume"]);
    assert_eq!(asked.code, Some(3), "{asked:?}");
    earlier.answer("post-design: {approval: \"yes\"}\n");
    earlier.assert_finishes("rejected", &[]);
}

#[test]
fn a_revision_that_was_asked_for_is_made() {
    let earlier = EarlierRun::unpack("revise");
    assert_eq!(earlier.before["gates"]["post-design"]["state"], "revise");
    earlier.assert_finishes("revise", &["finisher", "illustrator", "writer", "discusser"]);
}

#[test]
fn a_question_about_the_tree_is_still_asked() {
    let earlier = EarlierRun::unpack("dirty-tree");
    earlier.panel.sandbox.write("planted.txt", "planted\n");
    earlier.answer("dirty-tree: discard\n");
    let output = earlier.resume();
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!earlier.panel.sandbox.path("planted.txt").exists());
}

#[test]
fn a_researcher_that_asked_gets_its_answer() {
    let earlier = EarlierRun::unpack("researcher-asks");
    let gates = earlier.before["gates"].as_object().unwrap();
    let (gate, found) = gates.iter().find(|(gate, _)| gate.starts_with("clarify/")).unwrap();
    let keys =
        found["questions"].as_array().unwrap().iter().map(|question| question["key"].as_str().unwrap());
    let answers: Vec<String> = keys.map(|key| format!("{key}: Use the smaller one")).collect();
    earlier.answer(&format!("{gate}: {{{}}}\n", answers.join(", ")));
    let output = earlier.resume();
    assert_eq!(output.code, Some(0), "{output:?}");
}

#[test]
fn a_complete_run_is_complete() {
    let earlier = EarlierRun::unpack("complete");
    let again = earlier.resume();
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains(&format!("Design for \"{FEATURE}\" is already complete.")), "{again:?}");
    assert_eq!(earlier.panel.calls(), Vec::<String>::new());
}

#[test]
fn a_project_resumes_from_either_gate() {
    for name in ["project-pre-design", "project-post-design"] {
        let earlier = EarlierRun::unpack(name);
        earlier.panel.write_gate_answers(concat!(
            "pre-design: {vision: \"yes\", users: \"yes\", features: \"yes\", boundaries: \"boundaries are right\", ",
            "priorities: \"yes\", risks: \"no additional\"}\n",
            "post-design: {features_produced: \"yes\", rough_specs: \"yes\", coverage: \"yes\", granularity: \"yes\", ",
            "naming: \"yes\", approval: \"yes\"}\n",
        ));
        earlier.panel.set_answer("writer", "=== project.md ===\n# Shop\n\n## Vision\nSell parcels.\n\n## Scope\nOnline.\n\n## Feature List\n- cart\n- payment\n\n## Out of Scope\nStores.\n\n=== features.json ===\n```json\n{\"features\": [{\"name\": \"cart\", \"description\": \"Keeps what a customer wants.\", \"rough_specs\": [\"items\"]}]}\n```\n");
        let output = earlier.resume();
        assert_eq!(output.code, Some(0), "{name}: {output:?}");
    }
}
