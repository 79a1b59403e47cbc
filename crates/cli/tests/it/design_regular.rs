//! A whole regular design: every file it leaves, field by field, what it tells meanwhile, and that it can be repeated.

use crate::workshop::{REGULAR, Workshop, document_path, events, regular_calls_except, tree, warnings};
use charrette_engine::artifact::ArtifactSpec;
use charrette_engine::flows::design;
use charrette_testkit::panel::{FEATURE, REQUEST};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Every file that the run leaves in its workspace, besides roles and the answers of investigators, which are named after
/// their questions.
const FILES: [&str; 85] = [
    "accepted-plan-findings.md",
    "answers/clarify",
    "answers/post-design",
    "answers/pre-design",
    "approach-synthesis.txt",
    "architecture-diagram.candidate.md",
    "architecture-diagram.md",
    "architecture-diagram.svg",
    "ballot.txt",
    "broken-scenarios.md",
    "checks.md",
    "claude-judge-output.txt",
    "claude-vote-output.txt",
    "codex-judge-output.txt",
    "codex-primary-plan-innovation-output.txt",
    "codex-primary-plan-pragmatic-output.txt",
    "codex-sketch-innovation-output.txt",
    "codex-sketch-pragmatic-output.txt",
    "codex-vote-output.txt",
    "contested-decisions.md",
    "context-summary.md",
    "cursor-judge-output.txt",
    "cursor-plan-arch-output.txt",
    "cursor-plan-edge-output.txt",
    "cursor-sketch-arch-output.txt",
    "cursor-sketch-edge-output.txt",
    "cursor-vote-output.txt",
    "debate-1-cursor-antithesis.txt",
    "debate-1-cursor-thesis.txt",
    "debate-2-codex-antithesis.txt",
    "debate-2-codex-thesis.txt",
    "design-notes.md",
    "design.md",
    "dialectic-ballot.txt",
    "dialectic-resolutions.md",
    "discussion-round1.md",
    "discussion-round2.md",
    "draft-issues.md",
    "findings.md",
    "gates/clarify-1.md",
    "gates/discussion-1-1.md",
    "gates/discussion-2-1.md",
    "gates/post-design-1.md",
    "gates/pre-design-1.md",
    "investigation-1.md",
    "investigation-2.md",
    "investigation-3.md",
    "investigation-4.md",
    "investigation-5.md",
    "oos-accepted-design.md",
    "oos.md",
    "plan-draft.txt",
    "plan-reviewed.txt",
    "plan-walked.txt",
    "plan.txt",
    "post-design.md",
    "post-design.subject.md",
    "questions-clarify.md",
    "questions-design.md",
    "questions-investigate.md",
    "questions-scope.md",
    "rejected-findings.md",
    "request.md",
    "requirements.md",
    "research-dependencies.md",
    "research-requirements.md",
    "research-tasks.md",
    "reviewers.md",
    "scenarios-1.md",
    "scenarios-2.md",
    "scenarios-again.md",
    "sources.md",
    "survey-digest.md",
    "survey.json",
    "tasks.md",
    "undecided-plan-findings.md",
    "unmended-scenarios.md",
    "validate-summary.md",
    "validation.md",
    "voting-tally.md",
    "walkthrough-1.md",
    "walkthrough-2.md",
    "walkthrough-again.md",
    "walkthroughs.md",
    "write-summary.md",
];

/// The files that this build leaves: without the feature `svg` no diagram is drawn.
fn files() -> Vec<&'static str> {
    FILES.into_iter().filter(|name| cfg!(feature = "svg") || !name.ends_with(".svg")).collect()
}

const SPEC_FILES: [&str; 6] =
    ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

/// Files that say how things went on this machine, and so are not what a design is about.
fn is_ledger(name: &str) -> bool {
    ["timing-ledger.tsv", "tokens.jsonl", "events.jsonl", "execution-issues.md"].contains(&name)
}

#[test]
fn a_whole_regular_design() {
    let workshop = Workshop::regular();
    let output = workshop.start(&["--json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), REGULAR);
    every_file_is_there(&workshop);
    decisions_are_resolved(&workshop);
    findings_are_voted_on(&workshop);
    what_was_discussed_is_written_down(&workshop);
    the_document_says_what_happened(&workshop.document());
    events_tell_it(&events(&output));
    let skipped = "**⚠ Cursor unavailable — dialectic skipped for bucket 1 decisions (indices: 3). Step 2a.4 synthesis decisions stand.**";
    assert_eq!(warnings(&output), [skipped]);
    let status = workshop.sandbox.git(["status", "--porcelain"]);
    assert_eq!(status, "?? specs/", "nothing else in the user's tree");
}

fn every_file_is_there(workshop: &Workshop) {
    let found = tree(&workshop.artifact(""));
    let names: BTreeSet<&str> =
        found.keys().map(String::as_str).filter(|name| !name.ends_with('/')).collect();
    let others = ["roles/", "superseded/", "investigations/", ".closing-page-shown"];
    let expected = |name: &&str| !others.iter().any(|folder| name.starts_with(folder)) && !is_ledger(name);
    assert_eq!(names.iter().copied().filter(expected).collect::<Vec<_>>(), files());
    for name in ["timing-ledger.tsv", "tokens.jsonl"] {
        assert!(names.contains(name), "{name}");
    }
    let specs: Vec<String> = tree(&workshop.spec("")).into_keys().collect();
    let sorted: Vec<&str> = BTreeSet::from(SPEC_FILES).into_iter().collect();
    assert_eq!(specs, sorted);
    assert_eq!(workshop.read("request.md"), format!("{REQUEST}\n"));
}

fn decisions_are_resolved(workshop: &Workshop) {
    let contested = fields(&workshop.read("contested-decisions.md"));
    let names = ["Chosen", "Alternative", "Tension", "Impact", "Affected files"];
    for n in 1..=3 {
        let decision = &contested[&format!("DECISION_{n}")];
        assert_eq!(decision.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
    }
    let resolutions = fields(&workshop.read("dialectic-resolutions.md"));
    let of = |n: usize, name: &str| {
        let fields = &resolutions[&format!("DECISION_{n}")];
        fields.iter().find(|(found, _)| found == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let chosen = |n: usize, which: usize| contested[&format!("DECISION_{n}")][which].1.clone();
    for (n, resolution, disposition, tally) in [
        (1, chosen(1, 0), "voted", "THESIS=2, ANTI_THESIS=1"),
        (2, chosen(2, 1), "voted", "THESIS=0, ANTI_THESIS=3"),
        (3, chosen(3, 0), "bucket-skipped", ""),
    ] {
        assert_eq!(of(n, "Resolution"), resolution, "{n}");
        assert_eq!(of(n, "Disposition"), disposition, "{n}");
        assert_eq!(of(n, "Vote tally"), tally, "{n}");
    }
    assert!(!of(1, "Why thesis prevails").is_empty() && !of(2, "Why antithesis prevails").is_empty());
    assert_eq!(of(3, "Thesis summary"), "(no debate — bucket skipped)");
    assert_eq!(of(3, "Why skipped"), "Cursor unavailable at launch time");

    let ballot = workshop.read("dialectic-ballot.txt");
    for name in ["cursor", "codex", "claude"] {
        assert!(!ballot.to_lowercase().contains(name), "{name} in {ballot}");
    }
    let defenses: Vec<&str> = ballot.lines().filter(|line| line.starts_with("Defense ")).collect();
    let sides: Vec<&str> = defenses.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        sides,
        [
            "Defense A (defends CHOSEN",
            "Defense B (defends ALTERNATIVE",
            "Defense A (defends ALTERNATIVE",
            "Defense B (defends CHOSEN",
        ]
    );
    assert!(!ballot.contains("DECISION_3"), "nobody debated it");
}

fn findings_are_voted_on(workshop: &Workshop) {
    assert_eq!(
        workshop.read("voting-tally.md"),
        "\
### Voting Tally

| Item | Reviewers | YES | NO | EXONERATE | Abstain | Eligible | Outcome |
|---|---|---|---|---|---|---|---|
| FINDING_1 | Cursor-Arch | 3 | 0 | 0 | 0 | 3 | accepted |
| FINDING_2 | Cursor-Edge, Codex-Innovation | 3 | 0 | 0 | 0 | 3 | accepted |
| FINDING_3 | Cursor-Arch | 1 | 1 | 1 | 0 | 3 | neutral |
| FINDING_4 | Cursor-Edge | 0 | 1 | 2 | 0 | 3 | exonerated |
| FINDING_5 | Codex-Innovation | 0 | 3 | 0 | 0 | 3 | rejected |
| FINDING_6 | Codex-Pragmatic | 2 | 0 | 1 | 0 | 3 | accepted |
| FINDING_7 | Codex-Pragmatic | 2 | 1 | 0 | 0 | 3 | accepted |
| OOS_1 | Cursor-Arch | 2 | 0 | 1 | 0 | 3 | accepted |
| OOS_2 | Codex-Pragmatic | 1 | 2 | 0 | 0 | 3 | neutral |

### Reviewer Competition Scoreboard

| Reviewer | Findings | Accepted | Neutral (1 YES) | Exonerated | Rejected | OOS Proposed | OOS Accepted | Score |
|---|---|---|---|---|---|---|---|---|
| Cursor-Arch | 2 | 1 | 1 | 0 | 0 | 1 | 1 | +2 |
| Codex-Pragmatic | 2 | 2 | 0 | 0 | 0 | 1 | 0 | +2 |
| Cursor-Edge | 2 | 1 | 0 | 1 | 0 | 0 | 0 | +1 |
| Codex-Innovation | 2 | 1 | 0 | 0 | 1 | 0 | 0 | 0 |

### Ranking

| Place | Item | Title | Severity | Points |
|---|---|---|---|---|
| 1 | FINDING_2 | Refill and take are two steps | critical | 30 |
| 2 | FINDING_1 | Errors would be written in two places | major | 25 |
| 3 | FINDING_6 | Tests would have to sleep | minor | 17 |
| 4 | FINDING_7 | The new code is not documented | minor | 15 |
| 5 | FINDING_3 | Numbers are not checked | minor | 7 |

### Voters

| Seat | Agent | Vendor | Votes |
|---|---|---|---|
| Claude | claude | anthropic | 9 |
| Codex | codex | openai | 9 |
| Cursor | cursor | cursor | 9 |

3 distinct vendors stand behind these votes.
"
    );
    let accepted = fields(&workshop.read("accepted-plan-findings.md"));
    let ids: Vec<&str> = accepted.keys().map(String::as_str).collect();
    assert_eq!(ids, ["FINDING_1", "FINDING_2", "FINDING_6", "FINDING_7"]);
    for finding in accepted.values() {
        let names: Vec<&str> = finding.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Severity", "Concern", "Resolution", "Rank points", "Reasons"]);
    }
    let rejected = workshop.read("rejected-findings.md");
    let heads: Vec<&str> = rejected.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        heads,
        [
            "### [Plan Review] Cursor-Arch",
            "### [Plan Review] Cursor-Edge",
            "### [Plan Review] Codex-Innovation"
        ]
    );
    for mark in ["**Finding**: ", "**Reason not implemented**: "] {
        assert_eq!(rejected.matches(mark).count(), 3, "{mark}");
    }
    let oos = fields(&workshop.read("oos.md"));
    let outcome = |id: &str| oos[id].iter().find(|(name, _)| name == "Outcome").unwrap().1.clone();
    assert_eq!((outcome("OOS_1"), outcome("OOS_2")), ("accepted".to_owned(), "neutral".to_owned()));
    let for_issues = fields(&workshop.read("oos-accepted-design.md"));
    let names: Vec<&str> = for_issues["OOS_1"].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Description", "Reviewer", "Vote tally", "Phase"]);
    assert_eq!(for_issues.len(), 1);
}

fn what_was_discussed_is_written_down(workshop: &Workshop) {
    for (file, count) in [("discussion-round1.md", 3), ("discussion-round2.md", 2)] {
        let text = workshop.read(file);
        for mark in ["### Decision ", "**Question**: ", "**Resolution**: ", "**Source**: "] {
            assert_eq!(text.matches(mark).count(), count, "{mark} in {file}");
        }
    }
    let round = workshop.read("discussion-round1.md");
    assert!(round.contains("**Resolution**: Yes, with a limit of 0.\n**Source**: user"), "{round}");
    assert!(round.contains("**Source**: codebase (parcels/app.py:16)"), "{round}");
    let page = workshop.read("post-design.md");
    for vote in ["(voted 2-1)", "(voted 0-3)", "(bucket-skipped)"] {
        assert!(page.contains(vote), "{page}");
    }
}

fn the_document_says_what_happened(document: &Value) {
    assert_eq!(document["version"], 1);
    assert_eq!((&document["command"], &document["feature"]), (&json!("design"), &json!(FEATURE)));
    let run = &document["run"];
    assert_eq!(run["workspace"], format!(".specs/20261115-{FEATURE}"));
    assert_eq!(run["branch"], format!("ada-l/{FEATURE}"));
    assert_eq!(run["flags"], json!({"auto": false, "quick": false, "no-checkpoint": false}));
    for (member, length) in [("id", 36), ("request", 64), ("base", 40)] {
        assert_eq!(run[member].as_str().map(str::len), Some(length), "{member}");
    }
    assert!(run["charrette"].is_string());

    // What is asked in between belongs to no phase: the answers of a phase are those of its gate.
    for (gate, state, phase, keys) in [
        ("clarify", "answered", "", "q1 q2"),
        ("discussion-1", "answered", "", "d1 d2"),
        (
            "pre-design",
            "answered",
            "research",
            "approach assumptions scope trade_offs understanding unknowns",
        ),
        ("discussion-2", "answered", "", "d1 d2"),
        ("post-design", "approved", "write", "approval confidence decisions omissions risks what_built"),
    ] {
        let record = &document["gates"][gate];
        assert_eq!((&record["state"], &record["phase"]), (&json!(state), &json!(phase)), "{gate}");
        assert_eq!((&record["by"], &record["round"]), (&json!("Ada L"), &json!(1)), "{gate}");
        assert_eq!(record["subject"].as_str().map(str::len), Some(64), "{gate}");
        assert_eq!(record["at"], "2026-11-15T12:00:00.000Z", "{gate}");
        let answers: BTreeSet<&str> =
            record["answers"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(answers.into_iter().collect::<Vec<_>>().join(" "), keys, "{gate}");
    }

    let phases = &document["phases"];
    for phase in ["research", "write", "validate"] {
        assert_eq!(phases[phase]["status"], "complete", "{phase}");
        assert!(phases[phase]["context_summary"].is_string(), "{phase}");
    }
    assert_eq!(phases["research"]["checkpoint_responses"], document["gates"]["pre-design"]["answers"]);
    assert_eq!(phases["write"]["checkpoint_responses"], document["gates"]["post-design"]["answers"]);
    assert_eq!(phases["write"]["files_created"], json!(SPEC_FILES));
    assert_eq!(
        phases["write"]["context_summary"],
        format!("Created 6 spec files in specs/{FEATURE}/ covering 5 tasks across 3 phases.")
    );
    assert_eq!(document["state"]["completed_phases"], json!(["research", "write", "validate"]));
    assert!(document["completed_at"].is_string());
    every_step_says_who_read_and_wrote_what(phases);
    the_table_of_artifacts_is_true(phases);
}

fn every_step_says_who_read_and_wrote_what(phases: &Value) {
    let mut agents = Vec::new();
    for (name, step) in
        phases.as_object().unwrap().values().flat_map(|phase| phase["steps"].as_object().unwrap())
    {
        // The page of the last gate is made and compared once more when the status has changed.
        let attempt = if ["post-design/page", "post-design/shown"].contains(&name.as_str()) { 2 } else { 1 };
        assert_eq!((&step["status"], &step["attempt"]), (&json!("done"), &json!(attempt)), "{name}");
        assert!(step["started_at"].is_string() && step["finished_at"].is_string(), "{name}");
        let Some(agent) = step["agent"].as_str() else { continue };
        agents.push(format!("{name} {agent}"));
        assert_eq!(step["prompt"].as_str().map(str::len), Some(64), "{name}");
        assert!(step["outputs"].as_object().is_some_and(|outputs| !outputs.is_empty()), "{name}");
        assert!(step["inputs"].as_object().is_some_and(|inputs| !inputs.is_empty()), "{name}");
    }
    // The step of an investigator is named after its question.
    let is_investigation = |call: &String| call.starts_with("investigate/");
    assert_eq!(agents.iter().filter(|call| is_investigation(call)).count(), 2);
    agents.retain(|call| !is_investigation(call));
    agents.sort();
    assert_eq!(agents, regular_calls_except(&["investigate/"]));
    let sketch = &phases["write"]["steps"]["sketch/cursor-arch"];
    let read: Vec<&str> = sketch["inputs"].as_object().unwrap().keys().map(String::as_str).collect();
    let person = ["answers/clarify", "answers/pre-design", "answers/research"];
    let others = ["context-summary.md", "correction.md", "discussion-round1.md", "request.md"];
    assert_eq!(read, [&person[..], &others].concat());
    assert_eq!(sketch["inputs"]["request.md"].as_str().map(str::len), Some(64));
    assert_eq!(sketch["outputs"]["cursor-sketch-arch-output.txt"].as_str().map(str::len), Some(64));
}

fn events_tell_it(events: &[Value]) {
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    let count = |kind: &str| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"run.started"), Some(&"run.finished")));
    assert_eq!((count("phase.started"), count("phase.finished"), count("gate.answered")), (3, 3, 5));
    assert_eq!((count("agent.started"), count("agent.finished")), (REGULAR.len(), REGULAR.len()));
    assert_eq!(count("step.started"), count("step.finished"));
    assert_eq!((count("step.failed"), count("gate.waiting"), count("step.reused")), (0, 0, 0));
    let tallies: Vec<(&Value, &Value)> = events
        .iter()
        .filter(|event| event["event"] == "vote.tallied")
        .map(|event| (&event["about"], &event["outcomes"]))
        .collect();
    assert_eq!(
        tallies,
        [
            (&json!("contested decisions"), &json!({"bucket-skipped": 1, "voted": 2})),
            (
                &json!("plan review findings"),
                &json!({"accepted": 5, "exonerated": 1, "neutral": 2, "rejected": 1})
            ),
        ]
    );
    let run = &events[0]["run"];
    assert!(events.iter().all(|event| event["v"] == 1 && event["at"].is_string() && event["run"] == *run));
    let finished = events.iter().find(|event| event["event"] == "agent.finished").unwrap();
    assert!(finished["status"] == "ok" && finished["seconds"].is_number() && finished["agent"].is_string());
    assert_eq!(events.last().unwrap()["status"], "done");
}

/// The fields of every block of a file, by the id in its heading: `### ID: …`, then `**Name**: value`.
fn fields(text: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut blocks: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut id = String::new();
    for line in text.lines() {
        if line.starts_with("## ") {
            id.clear();
        } else if let Some(heading) = line.strip_prefix("### ") {
            heading.split(':').next().unwrap().clone_into(&mut id);
            blocks.insert(id.clone(), Vec::new());
        } else if let Some((name, value)) = line.trim_start_matches("- ").split_once("**:") {
            let name = name.trim_start_matches("**").to_owned();
            blocks.get_mut(&id).unwrap().push((name, value.trim_start().to_owned()));
        } else if let Some((_, value)) = blocks.get_mut(&id).and_then(|fields| fields.last_mut()) {
            // Lists stand below their label.
            value.push_str(line);
        }
    }
    blocks
}

/// Inputs and outputs of steps without an agent match the table of artifacts; seats are generated from it.
fn the_table_of_artifacts_is_true(phases: &Value) {
    let listed = |who: &str, step: &str| who == step || step.starts_with(&format!("{who}/"));
    for (step, record) in
        phases.as_object().unwrap().values().flat_map(|phase| phase["steps"].as_object().unwrap())
    {
        if record.get("agent").is_some() {
            continue;
        }
        let names = |member: &str| record[member].as_object().into_iter().flat_map(|map| map.keys());
        let files = |member| {
            names(member).filter(|name| !["answers/", "given/"].iter().any(|no| name.starts_with(no)))
        };
        for file in files("inputs") {
            let is_listed = rows_of(file).any(|row| row.readers.iter().any(|who| listed(who, step)));
            assert!(is_listed, "{step} reads {file}");
        }
        for file in files("outputs") {
            let is_listed = rows_of(file).any(|row| row.writer.split(" or ").any(|who| listed(who, step)));
            assert!(is_listed, "{step} writes {file}");
        }
    }
}

/// The rows of the table that a file belongs to. A family of files is one row, with stars for what varies.
fn rows_of(file: &str) -> impl Iterator<Item = &'static ArtifactSpec> {
    design::FLOW.artifacts.iter().filter(move |row| {
        let mut pieces = row.name.split('*');
        let beginning = file.strip_prefix(pieces.next().unwrap());
        pieces.fold(beginning, |rest, piece| Some(rest?.split_once(piece)?.1)) == Some("")
    })
}

/// Files of a run: workspace without ledgers, specification, document.
fn left(workshop: &Workshop) -> BTreeMap<String, Vec<u8>> {
    let mut all = tree(&workshop.artifact(""));
    all.retain(|name, _| !is_ledger(name));
    all.extend(
        tree(&workshop.sandbox.path("specs")).into_iter().map(|(name, text)| (format!("specs/{name}"), text)),
    );
    let mut document = workshop.document();
    // Prompts name the folder of the specification, which is elsewhere in every sandbox.
    for phase in document["phases"].as_object_mut().unwrap().values_mut() {
        for step in phase["steps"].as_object_mut().unwrap().values_mut() {
            step.as_object_mut().unwrap().remove("prompt");
        }
    }
    all.insert(document_path(FEATURE), serde_json::to_vec_pretty(&document).unwrap());
    all
}

#[test]
fn the_same_run_elsewhere_is_the_same_to_the_byte() {
    let [first, second] = ["one", "two"].map(|_| {
        let workshop = Workshop::regular();
        let mut command = workshop.command(crate::BINARY, ["design", REQUEST, "--answers"]);
        command.arg(workshop.answers()).env("CHARRETTE_SEED", "the same for both");
        let output = charrette_testkit::Output::capture(command, b"");
        assert_eq!(output.code, Some(0), "{output:?}");
        left(&workshop)
    });
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (name, text) in &first {
        let texts = [text, &second[name]].map(|text| String::from_utf8_lossy(text));
        let lines = texts[0].lines().zip(texts[1].lines());
        let other: Vec<(&str, &str)> = lines.filter(|(one, two)| one != two).take(5).collect();
        assert_eq!(other, [], "{name}");
        assert_eq!(texts[0].len(), texts[1].len(), "{name}");
    }
}
