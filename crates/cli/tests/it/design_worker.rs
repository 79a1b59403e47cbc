//! Worker process for the heavy part of a design: success, failure, and kills of either process.

use crate::BINARY;
use crate::design_nested::{Caller, normalized_stdout};
use crate::workshop::FAKE_AGENT;
use crate::workshop::Workshop;
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, REQUEST, SeatFault};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The headings under which a worker's files are shown, in order, and other lines that matter.
fn headings(output: &Output) -> Vec<String> {
    let known = [
        "## Implementation Plan",
        "## Voting Tally",
        "## Plan Review",
        "## Out-of-Scope",
        "## Architecture",
        "## Unimplemented",
    ];
    let is_known = |line: &&str| known.iter().any(|known| line.starts_with(known));
    output.stdout.lines().filter(is_known).map(str::to_owned).collect()
}

#[test]
fn files_of_a_standalone_worker_are_shown() {
    let workshop = Workshop::regular();
    let output = workshop.start(&["--subagent"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(
        headings(&output),
        [
            "## Implementation Plan",
            "## Voting Tally and Reviewer Competition Scoreboard",
            "## Plan Review Findings (Voted In)",
            "## Out-of-Scope Observations",
            "## Architecture Diagram",
            "## Unimplemented Plan Review Suggestions",
        ]
    );
    assert!(!output.stdout.contains("DESIGN_HEAVY"), "{}", output.stdout);
    assert!(!output.stdout.contains("📊 Sketches"), "{}", output.stdout);
    assert_eq!(workshop.calls(), crate::workshop::REGULAR);
    // What the second discussion made of the plan counts.
    assert_ne!(workshop.read("plan.txt"), workshop.read("plan-reviewed.txt"));
    let output = workshop.resume(&["--subagent"]);
    assert!(output.stderr.contains("is already complete"), "{output:?}");
}

#[test]
fn a_standalone_worker_with_auto_draws_the_diagram_and_reports() {
    let workshop = Workshop::brief();
    let output = workshop.start(&["--subagent", "--auto"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(
        headings(&output),
        [
            "## Implementation Plan",
            "## Voting Tally and Reviewer Competition Scoreboard",
            "## Architecture Diagram",
            "## Plan Review — All Suggestions Implemented",
        ]
    );
    assert!(normalized_stdout(&output).contains("✅ 5: cleanup — design complete! (t)"), "{}", output.stdout);
}

#[test]
fn a_rejected_diagram_of_the_worker_is_reported() {
    use charrette_testkit::panel::PanelVariant;
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::DiagramRejected);
    let output = workshop.start(&["--subagent", "--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let line = "**⚠ Architecture diagram unavailable (rejected by sanitizer).**";
    assert!(output.stdout.lines().any(|found| found == line), "{}", output.stdout);
}

#[test]
fn a_worker_for_a_caller_shows_nothing_and_exports_everything() {
    for auto in [true, false] {
        let workshop = Workshop::brief();
        let calling = Caller::new(&workshop, "");
        let env = calling.env();
        let mut args = vec!["--subagent", "--session-env", &env, "--step-prefix", "1."];
        args.extend(auto.then_some("--auto"));
        let output = workshop.start(&args);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert_eq!(headings(&output), [""; 0]);
        let stdout = normalized_stdout(&output);
        let (_, after) = stdout.split_once("> **🔶 1.2a: sketches**\n").unwrap();
        if auto {
            insta::assert_snapshot!(after.split("\ndone;").next().unwrap(), @r"
            ⏩ 1.3.5: discussion r2 — skipped (auto mode) (t)
            > **🔶 1.4a: post-design gate**
            ✅ 1.4a: post-design gate — approved (t)
            ⏩ 1.4b: tracker — no Linear issue: there is no .claude/config/integrations.json (t)
            > **🔶 1.4c: validate**
            ✅ 1.4c: validate — passed (t)
            ");
        } else {
            insta::assert_snapshot!(after.split("\ndone;").next().unwrap(), @r"
            > **🔶 1.3.5: discussion r2**
            ✅ 1.3.5: discussion r2 — 2 decisions resolved (t)
            > **🔶 1.3b: arch diagram**
            ✅ 1.3b: arch diagram — saved (t)
            > **🔶 1.3c: spec files**
            ✅ 1.3c: spec files — 6 files, 5 tasks across 3 phases (t)
            > **🔶 1.4: rejected findings**
            ✅ 1.4: rejected findings — all suggestions implemented (t)
            > **🔶 1.4a: post-design gate**
            ✅ 1.4a: post-design gate — approved (t)
            ⏩ 1.4b: tracker — no Linear issue: there is no .claude/config/integrations.json (t)
            > **🔶 1.4c: validate**
            ✅ 1.4c: validate — passed (t)
            ");
        }
        assert_eq!(calling.manifest(&workshop)[0], "MANIFEST_OK=true");
        assert_eq!(calling.read("session.env.health"), "CODEX_HEALTHY=true\nCURSOR_HEALTHY=true\n");
    }
}

#[test]
fn a_quick_design_needs_no_worker() {
    let workshop = Workshop::brief();
    let output = workshop.start(&["--quick", "--subagent", "--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("📊 Sketches (quick): "), "{}", output.stdout);
    assert!(output.stdout.contains("## Approach Synthesis"), "{}", output.stdout);
}

#[test]
fn design_heavy_refuses_to_start_without_a_lease() {
    let workshop = Workshop::brief();
    let output = workshop.run(BINARY, ["design-heavy", "--workspace", "/nowhere", "--", FEATURE]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert_eq!(output.stdout, "DESIGN_HEAVY=failed REASON=not-started\n");
    assert!(!workshop.run(BINARY, ["--help"]).stdout.contains("design-heavy"));
}

/// Design run whose worker waits for a hanging sketch agent.
struct HangingRun<'a> {
    workshop: &'a Workshop,
    parent: Option<Child>,
}

impl HangingRun<'_> {
    fn start<'a>(workshop: &'a Workshop, args: &[&str]) -> HangingRun<'a> {
        workshop.set_fault("sketch/cursor-arch", SeatFault::Hangs);
        let answers = workshop.answers();
        let all = [&["design", REQUEST, "--subagent", "--answers", answers.to_str().unwrap()], args].concat();
        let mut command = workshop.command(BINARY, all);
        let parent = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stuck = HangingRun { workshop, parent: Some(parent) };
        until("a sketch is at work", || {
            let log = std::fs::read_to_string(workshop.log()).unwrap_or_default();
            log.lines().any(|line| line.starts_with("sketch/cursor-arch ")) && stuck.agents().len() == 1
        });
        stuck
    }

    fn parent(&mut self) -> Pid {
        Pid::from_child(self.parent.as_ref().unwrap())
    }

    /// The worker's process.
    fn worker(&self) -> Pid {
        // A child that has not become its program yet looks like its parent.
        until("the worker is distinguishable from its children", || self.alive("design-heavy").len() == 1);
        self.alive("design-heavy")[0]
    }

    /// Agents at work.
    fn agents(&self) -> Vec<Pid> {
        self.alive(&FAKE_AGENT.display().to_string())
    }

    /// Processes of this sandbox with that word among their arguments.
    fn alive(&self, word: &str) -> Vec<Pid> {
        let root = self.workshop.sandbox.work().parent().unwrap().display().to_string();
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let is_meant = |pid: &i32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains(&root) && line.contains(word)
        };
        pids.filter(is_meant).filter_map(Pid::from_raw).collect()
    }

    /// Output and exit code of the parent.
    fn wait_for_exit(&mut self) -> Output {
        let output = self.parent.take().unwrap().wait_with_output().unwrap();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Asserts that no process is left, and that the run completes when resumed.
    fn assert_resumes(&self, args: &[&str]) {
        until("no orphaned process is left", || self.alive("").is_empty());
        self.workshop.calls();
        let answer = std::fs::read_to_string(self.workshop.script().join("sketch.cursor-arch.txt")).unwrap();
        self.workshop.set_answer("sketch/cursor-arch", &answer);
        let output = self.workshop.resume(args);
        assert_eq!(output.code, Some(0), "{output:?}");
        let calls = self.workshop.calls();
        assert!(calls.contains(&"sketch/cursor-arch cursor".to_owned()), "{calls:?}");
        let research = ["research/", "aggregator", "clarifier", "scoper"];
        let is_research = |call: &String| research.iter().any(|step| call.starts_with(step));
        assert!(!calls.iter().any(is_research), "{calls:?}");
    }
}

impl Drop for HangingRun<'_> {
    fn drop(&mut self) {
        if let Some(mut parent) = self.parent.take() {
            let _ = parent.kill();
            let _ = parent.wait();
        }
    }
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(2);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_killed_worker_fails_the_run_which_resumes_later() {
    let workshop = Workshop::brief();
    let mut stuck = HangingRun::start(&workshop, &["--auto"]);
    kill_process(stuck.worker(), Signal::KILL).unwrap();
    let output = stuck.wait_for_exit();
    assert_eq!(output.code, Some(1), "{output:?}");
    let workspace = workshop.artifact("").display().to_string();
    let said = format!(
        "**⚠ 2a: sketches — heavy worker subagent failed: worker-yielded-without-artifacts. Preserving {} for inspection.**",
        workspace.trim_end_matches('/')
    );
    assert!(output.stdout.lines().any(|line| line == said), "{}", output.stdout);
    assert!(!output.stdout.contains("📊 Sketches"), "nothing of it is done here: {}", output.stdout);
    assert_eq!(stuck.alive("").len(), 0, "the worker's agents were ended");
    stuck.assert_resumes(&["--subagent"]);
}

#[test]
fn a_killed_worker_leaves_its_caller_without_a_manifest() {
    let workshop = Workshop::brief();
    let calling = Caller::new(&workshop, "");
    std::fs::create_dir(calling.folder.join("design-export")).unwrap();
    std::fs::write(calling.folder.join("design-export/manifest.env"), "MANIFEST_VERSION=1\n").unwrap();
    let env = calling.env();
    let args = ["--session-env", env.as_str(), "--step-prefix", "1.::design plan"];
    let mut stuck = HangingRun::start(&workshop, &args);
    kill_process(stuck.worker(), Signal::KILL).unwrap();
    let output = stuck.wait_for_exit();
    assert_eq!(output.code, Some(1), "{output:?}");
    let said = "**⚠ 1.2a: design plan | sketches — heavy worker subagent failed: worker-yielded-without-artifacts. No design manifest will be exported. Parent charrette implement will see MANIFEST_FAILED at Step 1 and re-invoke charrette design.**";
    assert!(output.stdout.lines().any(|line| line == said), "{}", output.stdout);
    assert_eq!(calling.manifest(&workshop), ["MANIFEST_FAILED=true", "ERROR=manifest-not-found"]);
    stuck.assert_resumes(&[&args[..], &["--subagent"]].concat());
    assert_eq!(calling.manifest(&workshop)[0], "MANIFEST_OK=true");
}

#[test]
fn a_killed_parent_takes_its_worker_along() {
    let workshop = Workshop::brief();
    let mut stuck = HangingRun::start(&workshop, &["--auto"]);
    stuck.worker();
    kill_process(stuck.parent(), Signal::KILL).unwrap();
    assert_eq!(stuck.wait_for_exit().code, None);
    stuck.assert_resumes(&["--subagent"]);
}

#[test]
fn an_interrupted_parent_waits_for_its_worker_to_end() {
    let workshop = Workshop::brief();
    let mut stuck = HangingRun::start(&workshop, &["--auto"]);
    stuck.worker();
    kill_process(stuck.parent(), Signal::INT).unwrap();
    let output = stuck.wait_for_exit();
    assert_eq!(output.code, Some(130), "{output:?}");
    assert!(!output.stdout.contains("heavy worker subagent failed"), "{}", output.stdout);
    assert_eq!(stuck.alive("").len(), 0);
    // Gone on with here, without a worker.
    stuck.assert_resumes(&[]);
}

#[test]
fn questions_of_the_worker_are_asked_by_its_parent() {
    let workshop = Workshop::brief();
    let said = workshop.answer_text("sketch/cursor-edge");
    workshop.set_part("sketch/cursor-edge", &json!({"answer": said, "writes": {"stray.txt": "oops\n"}}));
    let output = workshop.start(&["--auto", "--no-checkpoint", "--subagent"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stderr.contains("Waiting at dirty-tree/"), "{output:?}");
    workshop.calls();
    let output = workshop.answer("dirty-tree: keep\n");
    assert_eq!(output.code, Some(0), "{output:?}");
    let output = workshop.resume(&["--subagent"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let calls = workshop.calls();
    assert!(!calls.iter().any(|call| call.starts_with("sketch/")), "{calls:?}");

    // With the answer at hand it goes on at once; who says no stops it.
    for (answer, code) in [("keep", 0), ("abort", 4)] {
        let workshop = Workshop::brief();
        workshop.set_part("sketch/cursor-edge", &json!({"answer": said, "writes": {"stray.txt": "oops\n"}}));
        let answers = std::fs::read_to_string(workshop.answers()).unwrap();
        workshop.write_gate_answers(&format!("{answers}dirty-tree: {answer}\n"));
        let output = workshop.start(&["--auto", "--no-checkpoint", "--subagent"]);
        assert_eq!(output.code, Some(code), "{output:?}");
    }
}
