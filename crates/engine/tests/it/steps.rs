//! Limits of a step: named inputs, files in the workspace, recorded values.

use crate::stage::{block_on, run};
use charrette_engine::{Gate, Input, Step, Stop};
use charrette_testkit::Sandbox;

#[test]
fn a_step_reads_only_its_named_inputs() {
    let sandbox = Sandbox::new();
    let run = run(&sandbox);
    let phase = run.phase("all");
    let outcome =
        block_on(phase.step(Step::new("nosy"), |context| async move { context.text("request.md") }));
    let Err(Stop::Failed(error)) = outcome else { panic!("{outcome:?}") };
    assert!(error.contains("nosy reads request.md, which is not one of its inputs"), "{error}");
}

#[test]
fn a_step_cannot_write_outside_the_workspace() {
    let sandbox = Sandbox::new();
    let run = run(&sandbox);
    for name in ["../evil", "/etc/evil", "a/../../evil", ".hidden", "", "a\nb"] {
        let name = name.to_owned();
        let step = Step::new("evil").reads(&Input::given("name", &name));
        let outcome =
            block_on(run.phase("all").step(step, move |context| async move { context.write(&name, "x") }));
        assert!(matches!(outcome, Err(Stop::Failed(_))), "{outcome:?}");
    }
    assert!(!sandbox.outside("evil").exists());
}

#[test]
fn a_missing_input_stops_the_run_by_name() {
    let sandbox = Sandbox::new();
    let run = run(&sandbox);
    let outcome =
        block_on(run.phase("all").step(Step::new("hopeful").reads("later.md"), |_| async { Ok(()) }));
    let Err(Stop::Failed(error)) = outcome else { panic!("{outcome:?}") };
    assert!(error.starts_with("later.md is missing from "), "{error}");
}

#[test]
fn values_are_recorded_and_reused() {
    let sandbox = Sandbox::new();
    for _ in 0..2 {
        let run = run(&sandbox);
        let step = Step::new("count").reads("request.md");
        let (length, text): (usize, String) = block_on(run.phase("all").step(step, |context| async move {
            let text = context.text("request.md")?;
            Ok((text.len(), text))
        }))
        .unwrap();
        assert_eq!((length, text.as_str()), (7, "request"));
    }
}

#[test]
fn the_waits_of_parallel_branches_are_merged() {
    let sandbox = Sandbox::new();
    let run = run(&sandbox);
    let phase = run.phase("all");
    let ask = |name: &'static str| phase.gate(Gate::new(name, "request.md").ask("how", "How?", "well"));
    let outcome = block_on(phase.parallel("gates", ["first", "second"].map(|name| (name, name)), ask));
    let Err(Stop::Waiting(waits)) = outcome else { panic!("{outcome:?}") };
    let gates: Vec<&str> = waits.iter().map(|wait| wait.gate.as_str()).collect();
    assert_eq!(gates, ["first", "second"]);
}
