//! Nested designs: session file, output and export for the calling run.

use crate::BINARY;
use crate::workshop::{Workshop, tree};
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, PanelVariant, SeatFault, Seating};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The folder of the calling run, with its session environment.
pub(crate) struct Caller {
    pub(crate) folder: PathBuf,
}

impl Caller {
    pub(crate) fn new(workshop: &Workshop, env: &str) -> Caller {
        let folder = workshop.sandbox.outside("caller");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("session.env"), env).unwrap();
        Caller { folder }
    }

    /// Path of the session file.
    pub(crate) fn env(&self) -> String {
        self.folder.join("session.env").display().to_string()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    /// Output of `manifest read`.
    pub(crate) fn manifest(&self, workshop: &Workshop) -> Vec<String> {
        let folder = self.folder.to_str().unwrap();
        let output = workshop.run(BINARY, ["manifest", "read", "--implement-tmpdir", folder]);
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stdout.lines().map(str::to_owned).collect()
    }

    /// Files of the calling run, without the append-only ledgers.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let is_ledger = |name: &str| name.ends_with(".tsv") || name.ends_with(".jsonl");
        tree(&self.folder).into_iter().filter(|(name, _)| !is_ledger(name)).collect()
    }
}

/// Standard output without the lines and times that differ between runs.
pub(crate) fn normalized_stdout(output: &Output) -> String {
    let lines = output.stdout.lines().filter(|line| !line.starts_with('━') && !line.starts_with('📊'));
    let timeless = lines.map(|line| match line.rsplit_once(" (") {
        Some((text, time)) if time.ends_with("s)") && time.len() < 7 => format!("{text} (t)"),
        Some((text, time)) if time.ends_with("s)**") && time.len() < 9 => format!("{text} (t)**"),
        _ => line.to_owned(),
    });
    timeless.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_caller_sees_one_line_for_each_file_and_gets_all_of_them() {
    let workshop = Workshop::regular();
    let calling = Caller::new(&workshop, "REPO=ada/parcels\nCHARRETTE_TOKEN_SESSION_ID=session-7\n");
    let env = calling.env();
    let args = ["--auto", "--session-env", &env, "--step-prefix", "1.::design plan"];
    let output = workshop.start(&args);
    assert_eq!(output.code, Some(0), "{output:?}");
    let stdout = normalized_stdout(&output).replace(workshop.sandbox.work().to_str().unwrap(), "WORK");
    insta::assert_snapshot!(stdout, @r"
    starting design add-rate-limiting-to-the-public-api
    > **🔶 1.0: design plan | setup**
    > **🔶 1.1: design plan | branch**
    ✅ 1.1: design plan | branch — created ada-l/add-rate-limiting-to-the-public-api (t)
    > **🔶 1.1a: design plan | research**
    ✅ 1.1a: design plan | research — context summary saved (t)
    ⏩ 1.1c: design plan | questions — skipped (auto mode) (t)
    ⏩ 1.1d: design plan | discussion r1 — skipped (auto mode) (t)
    > **🔶 1.1e: design plan | pre-design gate**
    ✅ 1.1e: design plan | pre-design gate — answered (t)
    > **🔶 1.2a: design plan | sketches**
    ✅ 1.2a: design plan | sketches — synthesis saved (t)
    > **🔶 1.2a.5: design plan | dialectic**
    **⚠ Cursor unavailable — dialectic skipped for bucket 1 decisions (indices: 3). Step 2a.4 synthesis decisions stand.**
    ⏳ 1.2a.5: design plan | dialectic — votes on contested decisions: 1 bucket-skipped, 2 voted
    ✅ 1.2a.5: design plan | dialectic — 2 voted, 1 bucket-skipped (t)
    > **🔶 1.2a.6: design plan | investigation**
    ✅ 1.2a.6: design plan | investigation — 2 questions: 1 answered, 1 to measure first, 0 unknown (t)
    > **🔶 1.2b: design plan | full plan**
    ✅ 1.2b: design plan | full plan — saved (t)
    > **🔶 1.3: design plan | plan review**
    ⏳ 1.3: design plan | plan review — votes on plan review findings: 5 accepted, 1 exonerated, 2 neutral, 1 rejected
    ✅ 1.3: design plan | plan review — tally saved, 5 accepted, 1 exonerated, 2 neutral, 1 rejected (t)
    > **🔶 1.3.2: design plan | walk-through**
    ✅ 1.3.2: design plan | walk-through — 6 scenarios, 1 broke and was mended (t)
    ⏩ 1.3.5: design plan | discussion r2 — skipped (auto mode) (t)
    > **🔶 1.3b: design plan | arch diagram**
    ✅ 1.3b: design plan | arch diagram — saved (t)
    > **🔶 1.3c: design plan | spec files**
    ✅ 1.3c: design plan | spec files — 6 files, 5 tasks across 3 phases (t)
    > **🔶 1.4: design plan | rejected findings**
    ✅ 1.4: design plan | rejected findings — saved (t)
    > **🔶 1.4a: design plan | post-design gate**
    ✅ 1.4a: design plan | post-design gate — approved (t)
    ⏩ 1.4b: design plan | tracker — no Linear issue: there is no .claude/config/integrations.json (t)
    > **🔶 1.4c: design plan | validate**
    ✅ 1.4c: design plan | validate — passed (t)
    done; files are in WORK/.specs/20261115-add-rate-limiting-to-the-public-api
    **⚠ Cursor unavailable — dialectic skipped for bucket 1 decisions (indices: 3). Step 2a.4 synthesis decisions stand.**
    ");

    let files: Vec<String> = tree(&calling.folder).into_keys().collect();
    insta::assert_snapshot!(files.join("\n"), @r"
    charrette-tokens-cef8bce549cdc050cb3da30f5672426b30b651a926d1a77f71bacc1b3bb45b81.jsonl
    design-export/
    design-export/accepted-plan-findings.md
    design-export/architecture-diagram.md
    design-export/contested-decisions.md
    design-export/manifest.env
    design-export/oos.md
    design-export/plan.txt
    design-export/rejected-findings.md
    design-export/voting-tally.md
    oos-accepted-design.md
    session.env
    session.env.health
    timing-ledger.tsv
    ");
    assert_eq!(calling.read("session.env.health"), "CODEX_HEALTHY=true\nCURSOR_HEALTHY=true\n");
    assert_eq!(calling.read("oos-accepted-design.md"), workshop.read("oos-accepted-design.md"));
    assert!(calling.read("oos-accepted-design.md").starts_with("### OOS_1: "));
    assert!(calling.read("timing-ledger.tsv").contains("design Step 2a — sketches"));
    let manifest = calling.manifest(&workshop);
    assert_eq!(manifest[0], "MANIFEST_OK=true", "{manifest:?}");
    let plan = manifest.iter().find_map(|line| line.strip_prefix("PLAN_FILE=")).unwrap();
    assert_eq!(std::fs::read_to_string(plan).unwrap(), workshop.read("plan.txt"));
    assert_eq!(manifest.last().unwrap(), "SESSION_ID=caller");

    // The same again comes to the same, byte by byte.
    let before = calling.files();
    workshop.calls();
    std::fs::remove_dir_all(workshop.spec("")).unwrap();
    assert_eq!(workshop.start(&args).code, Some(0));
    assert!(before == calling.files(), "{:?} {:?}", before.keys(), calling.files().keys());
}

#[test]
fn agent_health_is_exchanged_with_the_caller() {
    let workshop = Workshop::brief();
    workshop.seat_agents(&Seating { probes: true, ..Seating::REGULAR });
    workshop.set_fault("sketch/cursor-arch@cursor", SeatFault::Fails);
    let calling = Caller::new(&workshop, "CODEX_HEALTHY=false\nPATH=/nowhere\n");
    let output = workshop.start(&["--auto", "--no-checkpoint", "--session-env", &calling.env()]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let calls = workshop.calls();
    assert!(!calls.iter().any(|call| call.ends_with(" codex")), "{calls:?}");
    assert!(!calls.iter().any(|call| call.starts_with("review/") && call.ends_with(" cursor")), "{calls:?}");
    assert_eq!(calling.read("session.env.health"), "CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\n");
    let unhealthy =
        "**⚠ Codex installed but not responding (health check failed: reported by the calling run). Using ";
    assert!(output.stdout.contains(unhealthy), "{}", output.stdout);
}

#[test]
fn a_rejected_diagram_is_on_the_callers_log_once() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::DiagramRejected);
    let calling = Caller::new(&workshop, "");
    std::fs::write(calling.folder.join("execution-issues.md"), "### Warnings\n\n- before\n").unwrap();
    // Nobody approves, so that the run can be gone on with.
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    let env = calling.env();
    let args = ["--auto", "--session-env", env.as_str(), "--step-prefix", "1."];
    let output = workshop.start(&args);
    assert_eq!(output.code, Some(3), "{output:?}");
    let warning = "**⚠ 1.3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN=pipe-in-node-label); proceeding without diagram.**";
    assert!(output.stdout.lines().any(|line| line == warning), "{}", output.stdout);
    let log = "### Warnings\n\n- before\n- **Step 3b — architecture diagram rejected:** pipe-in-node-label\n";
    assert_eq!(calling.read("execution-issues.md"), log);
    assert_eq!(calling.manifest(&workshop), ["MANIFEST_FAILED=true", "ERROR=manifest-not-found"]);
    workshop.write_gate_answers(&answers);
    let output = workshop.resume(&args[1..]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(calling.read("execution-issues.md"), log);
    let manifest = calling.manifest(&workshop);
    assert_eq!(manifest[0], "MANIFEST_OK=true");
    assert!(!manifest.iter().any(|line| line.starts_with("ARCHITECTURE_DIAGRAM_FILE=")), "{manifest:?}");
}

#[test]
fn a_failed_export_is_retried_without_agent_calls() {
    let workshop = Workshop::brief();
    let calling = Caller::new(&workshop, "");
    std::fs::write(calling.folder.join("design-export"), "in the way\n").unwrap();
    let env = calling.env();
    let output = workshop.start(&["--auto", "--session-env", &env]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let workspace = workshop.artifact("").display().to_string();
    let warning = format!(
        "**⚠ 5: cleanup — design manifest export failed. Parent charrette implement will rerun charrette design. Preserving {} for inspection.**",
        workspace.trim_end_matches('/')
    );
    assert!(output.stdout.lines().any(|line| line == warning), "{}", output.stdout);
    assert!(!output.stdout.contains("design complete!"));
    assert!(workshop.artifact("plan.txt").exists());
    workshop.calls();
    std::fs::remove_file(calling.folder.join("design-export")).unwrap();
    let output = workshop.design(&[FEATURE, "--resume", "--session-env", &env]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);
    assert_eq!(calling.manifest(&workshop)[0], "MANIFEST_OK=true");
    assert!(workshop.document()["completed_at"].is_string());
}

#[test]
fn a_prefix_is_for_numbers_and_for_names() {
    for (prefix, branch, questions) in [
        ("1.", "> **🔶 1.1a: research**", "⏩ 1.1c: questions — skipped (auto mode) (t)"),
        ("::a::b", "> **🔶 1a: a::b | research**", "⏩ 1c: a::b | questions — skipped (auto mode) (t)"),
        ("7-::x", "> **🔶 7-1a: x | research**", "⏩ 7-1c: x | questions — skipped (auto mode) (t)"),
    ] {
        let workshop = Workshop::brief();
        let args = ["--auto", "--no-checkpoint", "--phase=research", "--step-prefix", prefix];
        let output = workshop.start(&args);
        assert_eq!(output.code, Some(0), "{output:?}");
        let stdout = normalized_stdout(&output);
        for line in [branch, questions] {
            assert!(stdout.lines().any(|found| found == line), "{line}: {stdout}");
        }
    }
}

#[test]
fn a_caller_without_a_folder_is_told_before_anything_happens() {
    let workshop = Workshop::brief();
    let output = workshop.start(&["--session-env", "/nonexistent/session.env"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("/nonexistent is not a folder"), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);
    assert!(!workshop.sandbox.path(".claude").exists());
}
