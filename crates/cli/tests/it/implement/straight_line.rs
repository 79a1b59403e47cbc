//! The ten tasks in a straight line: schedule, commits, proofs, the user's checkout.

use super::bed::{Bed, assert_ends, printed};
use charrette_testkit::till::{TASKS, Till, WAVES};

/// Waves in the output of a run or a preview, in order.
fn shown_waves(text: &str) -> Vec<Vec<String>> {
    let mut waves = Vec::new();
    for line in text.lines() {
        let Some((_, rest)) = line.split_once(&format!("Wave {}", waves.len() + 1)) else { continue };
        let ids: Vec<String> =
            rest.split([' ', ',', ':']).filter(|word| TASKS.contains(word)).map(str::to_owned).collect();
        if !ids.is_empty() {
            waves.push(ids);
        }
    }
    waves
}

#[test]
fn the_preview_shows_the_schedule_as_computed_by_hand() {
    let bed = Bed::new();
    let output = bed.implement(&["--dry-run"]);
    assert_ends(&output, 0, &["python3 -m unittest -v", "10 of 10"]);
    assert_eq!(shown_waves(&printed(&output)), WAVES);
    assert_eq!(bed.calls_in_order(), [""; 0]);
    assert!(bed.state().is_none());
    let one_by_one = bed.implement(&["--dry-run", "--sequential"]);
    let waves = shown_waves(&printed(&one_by_one));
    assert_eq!(waves.len(), 10, "{waves:?}");
    assert!(waves.iter().all(|wave| wave.len() == 1), "{waves:?}");
    bed.assert_clean();
}

#[test]
fn ten_tasks_become_ten_proven_commits() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let output = bed.implement(&[]);
    assert_ends(&output, 0, &[]);
    assert_eq!(shown_waves(&printed(&output)), WAVES);

    // One commit for the specification, one for each task, one for the progress.
    let commits = bed.commits(&base, "main");
    let tasks: Vec<&str> =
        commits.iter().map(|commit| commit.task.as_str()).filter(|task| !task.is_empty()).collect();
    let expected: Vec<&str> = WAVES.into_iter().flatten().copied().collect();
    assert_eq!(tasks, expected);
    assert_eq!(commits.len(), TASKS.len() + 2, "{commits:?}");
    assert!(commits[0].title.contains("specification") && commits[0].task.is_empty(), "{commits:?}");
    let run = bed.document()["run"]["id"].as_str().unwrap().to_owned();
    for commit in &commits {
        assert_eq!((commit.author.as_str(), &commit.run), ("Ada L", &run), "{commit:?}");
        let by_agent = !commit.task.is_empty();
        assert_eq!(commit.assistant.starts_with("claude"), by_agent, "{commit:?}");
    }
    let first = bed.sandbox.git(["show", "--format=", "--name-only", &format!("{base}..main~11")]);
    assert!(first.lines().all(|path| path.starts_with("specs/")), "{first}");

    // What lands is green, and nothing else is in the checkout.
    let tests = bed.unittest();
    assert_ends(&tests, 0, &["Ran 13 tests", "OK"]);
    assert_eq!(bed.status(), [""; 0]);
    assert_eq!(bed.sandbox.git(["branch", "--show-current"]), "main");

    // Ticks and report.
    let record: serde_json::Value =
        serde_json::from_str(&bed.sandbox.read(&Till::spec_path("spec.json"))).unwrap();
    let done = |task: &serde_json::Value| task["status"] == "complete";
    assert!(record["tasks"].as_array().unwrap().iter().all(done), "{record}");
    assert!(bed.sandbox.read(&Till::spec_path("tasks.md")).contains("10/10"));
    let report = bed.read("implementation-report.md");
    for task in TASKS {
        assert!(report.contains(&format!("### {task}: ")), "{report}");
    }
    assert_eq!(report.matches("1. claude, reviewed by codex (PASS): accepted").count(), 10, "{report}");

    // One call for each task and each review, of different vendors.
    let calls = bed.calls();
    for task in TASKS {
        for call in [format!("{task}/implement-1 claude"), format!("{task}/review-1 codex")] {
            assert_eq!(calls.iter().filter(|made| **made == call).count(), 1, "{call}: {calls:?}");
        }
    }
    assert_eq!(calls.len(), 22, "{calls:?}");
    bed.assert_clean();
    let again = bed.implement(&["--resume"]);
    assert_eq!(bed.calls(), [""; 0], "{again:?}");
}

#[test]
fn the_checkout_is_untouched_until_the_end() {
    let bed = Bed::new();
    let (root, seen) = (bed.sandbox.work(), bed.sandbox.outside("seen"));
    // In one piece: several agents look at the same time.
    let look = format!(
        "look=$(git -C '{0}' rev-parse HEAD; git -C '{0}' status --porcelain -- till tests specs; ls '{0}/till'); \
         echo \"$look\" >> '{1}'",
        root.display(),
        seen.display()
    );
    bed.set_part("implementer", &bed.working_part(&look));
    let listed = bed.sandbox.run("ls", ["till"], b"").stdout;
    let before = format!("{}\n?? specs/\n{listed}", bed.id("HEAD"));
    let output = bed.implement(&["--until=T005"]);
    assert_ends(&output, 0, &[]);
    assert_eq!(std::fs::read_to_string(seen).unwrap(), before.repeat(5));
    assert!(bed.sandbox.path("till/price.py").exists());
    bed.assert_clean();
}

#[test]
fn selected_tasks_only_are_implemented() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let output = bed.implement(&["--task", "t1,T005"]);
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T005"]);
    let output = bed.implement(&["--phase=1"]);
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.landed_tasks(&base, "main"), ["T001", "T005", "T002", "T003", "T004"]);
    assert_eq!(bed.calls_of("T001/").len(), 2);
    let output = bed.implement(&["--from=T006", "--until=T007", "--sequential"]);
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.landed_tasks(&base, "main")[5..], ["T006", "T007"]);
    bed.assert_clean();
}

#[test]
fn a_pause_is_a_gate() {
    let bed = Bed::new();
    let base = bed.id("HEAD");
    let output = bed.implement(&["--until=T005", "--pause-after=1"]);
    assert_ends(&output, 3, &["pause"]);
    assert_eq!(bed.gate("pause/1"), "pending");
    assert_eq!(bed.landed_tasks(&base, &bed.integration()), ["T001"]);
    assert_eq!(bed.id("HEAD"), base);
    bed.answer("pause/1: {pause: go}\n");
    bed.write_gate_answers("pause: {pause: go}\n");
    let answers = bed.answers();
    let output = bed.implement(&["--resume", "--answers", answers.to_str().unwrap()]);
    assert_ends(&output, 0, &[]);
    assert_eq!(bed.landed_tasks(&base, "main").len(), 5);
    assert_eq!(bed.calls_of("T001/").len(), 2);
    bed.assert_clean();
}
