//! Incidents: changes in the tree, budgets, rate limits. A person decides; the run waits.

use crate::stage::{FAKE_AGENT, Stage};
use serde_json::{Value, json};

/// A stage whose three researchers write into the tree.
fn dirty() -> Stage {
    let stage = Stage::set();
    stage.sandbox.write("tracked.txt", "as committed\n");
    stage.sandbox.write("mine.txt", "as committed\n");
    stage.sandbox.git(["add", "-A"]);
    stage.sandbox.commit("files");
    stage.sandbox.write("mine.txt", "my own work\n");
    let writes =
        json!({"answer": "I looked.\n", "writes": {"tracked.txt": "overwritten", "new.txt": "planted"}});
    stage.script(&json!({"alpha": {"researcher-b": writes}}));
    stage
}

fn gate(stage: &Stage) -> (String, Value) {
    let document = stage.document();
    let gates = document["gates"].as_object().unwrap();
    let (name, gate) = gates.iter().find(|(name, _)| name.starts_with("dirty-tree/")).unwrap();
    (name.clone(), gate.clone())
}

#[test]
fn tree_changes_by_read_only_agents_are_asked_about_once_and_discarded_on_request() {
    let stage = dirty();
    let paused = stage.rehearse();
    assert_eq!(paused.code, Some(3), "{paused:?}");
    let (name, waiting) = gate(&stage);
    assert_eq!(
        (name.as_str(), &waiting["state"]),
        ("dirty-tree/gather-research-a", &json!("pending")),
        "{waiting}"
    );
    let questions = stage.run(&["answer", "try"]).stdout;
    assert!(
        questions.contains("added: new.txt") && questions.contains("modified: tracked.txt"),
        "{questions}"
    );
    assert!(questions.contains("keep or discard or abort"), "{questions}");
    assert_eq!(stage.sandbox.read("new.txt"), "planted", "nothing is done unasked");

    let wrong = stage.answer("dirty-tree: burn\n");
    assert!(wrong.stdout.contains("still open: dirty-tree"), "{wrong:?}");
    assert_eq!(stage.answer("dirty-tree: discard\n").code, Some(0));
    let done = stage.resume();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(stage.sandbox.read("tracked.txt"), "as committed\n");
    assert!(!stage.sandbox.path("new.txt").exists());
    assert_eq!(stage.sandbox.read("mine.txt"), "my own work\n", "what was there before is untouched");
    let patch = std::fs::read_to_string(stage.artifact("discarded-gather-research-a.patch")).unwrap();
    assert!(patch.contains("+planted") && patch.contains("+overwritten"), "{patch}");
    let asked: Vec<String> =
        stage.executed_steps().into_iter().filter(|line| line.starts_with("researcher")).collect();
    assert_eq!(asked, ["researcher-a alpha", "researcher-b alpha", "researcher-c alpha"]);
}

#[test]
fn keep_continues_and_abort_stops_until_another_answer() {
    let stage = dirty();
    assert_eq!(stage.rehearse().code, Some(3));
    stage.answer("dirty-tree: abort\n");
    let refused = stage.resume();
    assert_eq!(refused.code, Some(4), "{refused:?}");
    let (name, _) = gate(&stage);
    assert_eq!(stage.answer(&format!("{name}: {{dirty-tree: keep}}\n")).code, Some(0));
    let done = stage.resume();
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(stage.sandbox.read("tracked.txt"), "overwritten");
}

/// A stage whose aggregator is a client that says what it costs.
fn priced(settings: &str, line: &Value) -> Stage {
    let stage = Stage::set();
    stage.script(&json!({"claude": {"*": {"answer": format!("{line}\n")}}}));
    stage.sandbox.write(
        "charrette.toml",
        format!(
            "{settings}\n[agents.claude]\ncommand = {FAKE_AGENT:?}\nargs = [{:?}, \"claude\"]\nenv = [\"FAKE_AGENT_LOG\"]\n",
            stage.file("script.json").display().to_string()
        ),
    );
    stage
}

fn costing(usd: f64) -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "result": "A fine answer.", "session_id": "s",
           "num_turns": 1, "total_cost_usd": usd, "terminal_reason": "completed",
           "usage": {"input_tokens": 10, "output_tokens": 5},
           "modelUsage": {"m": {"inputTokens": 10, "outputTokens": 5, "costUSD": usd, "costBasis": "list"}}})
}

fn crowd(stage: &Stage, extra: &[&str]) -> charrette_testkit::Output {
    let mut command = stage.command(extra);
    command.env("REHEARSAL_CROWD", "4").env("REHEARSAL_CHAIN", "claude,beta");
    charrette_testkit::Output::capture(command, b"")
}

#[test]
fn a_budget_pauses_the_run_before_the_launch_that_would_exceed_it() {
    let stage = priced("limits.parallel = 1\nbudget.run_usd = 2.5", &costing(1.0));
    let paused = crowd(&stage, &["gather-crowd", "try"]);
    assert_eq!(paused.code, Some(3), "{paused:?}");
    // Nothing is known of these seats beforehand, so the third call is the one that finds the limit too near.
    assert_eq!(stage.executed_steps().len(), 3);
    let document: Value =
        serde_json::from_str(&stage.sandbox.read(".claude/state/implement-try.json")).unwrap();
    assert_eq!(document["gates"]["budget/run_usd-run"]["state"], "pending", "{document}");
    let questions = stage.run(&["answer", "try"]).stdout;
    assert!(questions.contains("$3.00 of at most $2.50 (budget.run_usd)"), "{questions}");

    // Raising the limit is an answer too, and so is going on without one.
    let again = crowd(&stage, &["resume", "try"]);
    assert_eq!((again.code, stage.executed_steps().len()), (Some(3), 0), "{again:?}");
    assert_eq!(stage.answer("budget: proceed\n").code, Some(0));
    let done = crowd(&stage, &["resume", "try"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let cost = stage.run(&["ledger", "cost", "try", "--json"]).json();
    assert_eq!(cost["all"]["usd"], 4.0, "{cost}");
}

#[test]
fn raising_a_budget_withdraws_the_question() {
    let stage = priced("limits.parallel = 1\nbudget.run_usd = 1.5", &costing(1.0));
    assert_eq!(crowd(&stage, &["gather-crowd", "try"]).code, Some(3));
    let config = stage.sandbox.read("charrette.toml").replace("run_usd = 1.5", "run_usd = 100.0");
    stage.sandbox.write("charrette.toml", config);
    let done = crowd(&stage, &["resume", "try"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let document: Value =
        serde_json::from_str(&stage.sandbox.read(".claude/state/implement-try.json")).unwrap();
    assert_eq!(document["gates"]["budget/run_usd-run"], Value::Null, "nobody has to answer any more");
}

fn rate_limited() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": true, "api_error_status": 429, "terminal_reason": "api_error",
           "result": "Rate limited.", "session_id": "s"})
}

#[test]
fn a_rate_limit_follows_the_policy() {
    let stage = priced("limits.parallel = 1\npolicy.rate_limit = \"fallback\"", &rate_limited());
    let done = crowd(&stage, &["gather-crowd", "try"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(stage.executed_steps().iter().filter(|line| line.ends_with("beta")).count(), 4);

    let stage = priced("limits.parallel = 1", &rate_limited());
    let paused = crowd(&stage, &["gather-crowd", "try"]);
    assert_eq!(paused.code, Some(3), "{paused:?}");
    let questions = stage.run(&["answer", "try"]).stdout;
    assert!(questions.contains("wait or fallback"), "{questions}");
    stage.answer("rate-limit: fallback\n");
    let resumed = crowd(&stage, &["resume", "try"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");

    // When the limit is over by the time the run is resumed, nobody is asked any more.
    let stage = priced("limits.parallel = 1", &rate_limited());
    assert_eq!(crowd(&stage, &["gather-crowd", "try"]).code, Some(3));
    stage.script(&json!({"claude": {"*": {"answer": format!("{}\n", costing(0.5))}}}));
    let resumed = crowd(&stage, &["resume", "try"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
}
