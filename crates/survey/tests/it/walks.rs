//! The embedded agent between the plan and the specification: investigations, walk-throughs, breaks, nothing lost.

use crate::chain::Run;
use crate::embedded::service;
use charrette_model::panel::plan::{PlanDuties, check_plan, read_scenarios};
use charrette_model::seats::files::split_files;

#[test]
fn a_walk_breaks_where_the_plan_rests_on_something_that_is_not_there() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    run.whole(false);
    let plan = run.artifacts["plan-reviewed.txt"].clone();
    let outcomes = |run: &Run| -> Vec<String> {
        let walks = ["walker-1", "walker-2"].map(|id| run.draft(id).unwrap());
        let is_outcome =
            |line: &&str| *line == "NOT TRACED" || line.starts_with("HOLDS") || line.starts_with("BREAKS");
        walks.iter().flat_map(|walk| walk.lines().filter(is_outcome).map(str::to_owned)).collect()
    };
    let held = outcomes(&run);
    assert!(held.len() >= 4 && held.iter().all(|outcome| outcome == "NOT TRACED"), "{held:?}");
    assert!(run.draft("walker-1").unwrap().contains("it did not trace what the code does"));
    for (from, to, expected) in [
        (
            "- `src/limiter.rs`:",
            "- `src/gone.rs`:",
            "BREAKS at step 1: src/gone.rs does not exist and is not marked as (new).",
        ),
        ("- `src/limiter.rs`:", "- `src/limiter.rs:900`:", "BREAKS at step 1: src/limiter.rs:900 is beyond"),
        ("## Approach\n", "## Way\n", "BREAKS at step 3: the plan has no section Approach"),
        ("## Testing strategy\n", "## Later\n", "BREAKS at step 5: the plan names neither"),
    ] {
        assert!(plan.contains(from), "{plan}");
        run.artifacts.insert("plan-reviewed.txt".to_owned(), plan.replace(from, to));
        let broken = outcomes(&run);
        assert!(broken.iter().all(|outcome| outcome.starts_with(expected)), "{expected}: {broken:?}");
    }
    let new = plan.replace("- `src/limiter.rs`:", "- `src/fresh.rs` (new):");
    run.artifacts.insert("plan-reviewed.txt".to_owned(), new);
    assert!(outcomes(&run).iter().all(|outcome| outcome == "NOT TRACED"), "{:?}", outcomes(&run));
}

#[test]
fn breaks_are_accounted_for_and_stay_open() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    run.whole(false);
    let plan = run.artifacts["plan-reviewed.txt"].replace("- `src/limiter.rs`:", "- `src/limiter.rs:900`:");
    let broken = "### S2: a crash\n1. a\n2. b\nBREAKS at step 2: the lock is lost\n";
    run.artifacts.insert("plan-reviewed.txt".to_owned(), plan);
    run.artifacts.insert("broken-scenarios.md".to_owned(), broken.to_owned());
    run.sit("mender");
    let mended = run.artifacts["plan-walked.txt"].clone();
    assert!(mended.contains("- S2: not mended, because no model took part"), "{mended}");
    run.artifacts.insert("scenarios-again.md".to_owned(), "## Scenarios\n- S2: a crash\n".to_owned());
    let again = run.draft("walker-2").unwrap();
    assert!(again.contains("### S2: a crash") && again.contains("BREAKS at step 1"), "{again}");
    assert!(!again.contains("### S1"), "{again}");
}

#[test]
fn answers_of_investigators_enter_the_plan() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    let answer = |answer: &str| {
        format!(
            "## Answer\n{answer}\n\n## Evidence\n- `src/limiter.rs:3`\n\n## Consequence for the plan\nThe plan counts per client.\n"
        )
    };
    run.artifacts.insert("investigation-1.md".to_owned(), answer("FACT: The limiter has one counter."));
    let files = |run: &Run| {
        split_files(&run.draft("planner").unwrap(), &["plan-draft.txt", "design-notes.md"]).unwrap()
    };
    let plan = files(&run)[0].1.clone();
    assert!(plan.contains("A fact (investigation-1.md): The limiter has one counter."), "{plan}");
    assert!(!plan.contains("## Measure first"), "{plan}");
    run.artifacts.insert(
        "investigation-2.md".to_owned(),
        answer("MEASURE FIRST: the time of one request, with a timer; above a second the counter must move."),
    );
    run.artifacts.insert("investigation-3.md".to_owned(), answer("UNKNOWN: nobody here knows the clients."));
    let [(_, plan), (_, notes)] = <[(String, String); 2]>::try_from(files(&run)).unwrap();
    let duties = PlanDuties { measurements: true, ..PlanDuties::default() };
    assert_eq!(check_plan(&plan, &duties), [], "{plan}");
    assert!(plan.contains("- investigation-2.md: the time of one request"), "{plan}");
    assert!(notes.contains("nobody here knows the clients"), "{notes}");
}

#[test]
fn nothing_of_the_plan_is_lost_in_the_design() {
    let sandbox = service();
    let mut run = Run::new(&sandbox.work(), "Add a burst allowance to the rate limiter");
    run.whole(false);
    let design = &run.artifacts["design.md"];
    for scenario in read_scenarios(&run.artifacts["plan.txt"]) {
        let line = design.lines().find(|line| line.starts_with(&format!("- {}: ", scenario.id)));
        assert!(
            line.is_some_and(|line| line.ends_with("Outcome: not traced (paths and tests exist).")),
            "{}: {design}",
            scenario.id
        );
    }
    for title in ["Scenarios", "Order of Work", "Roll-out and Roll-back", "Rejected Alternatives", "Left out"]
    {
        assert!(design.contains(&format!("\n## {title}\n")), "{title}: {design}");
    }
    assert!(!design.contains("Voted"), "{design}");
}
