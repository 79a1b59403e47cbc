//! Changes of a driver: steps in one change or two, gates with digests and sources of answers, stop records,
//! child runs.

use charrette_model::checkpoint::gate::{AnswerChannel, GateQuestion, Respondent};
use charrette_model::checkpoint::progress::{self, GateOpening, StepResult};
use charrette_model::checkpoint::run::{record_child, stop_run};
use charrette_model::checkpoint::transition::{self, TransitionContext};
use charrette_model::checkpoint::{
    CheckoutMove, Checkpoint, CheckpointOverview, ChildRun, ParentRun, RunKey, RunRecord, StopKind,
    TransitionError, incidents, read,
};
use charrette_model::stamp::Now;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const DESIGN: RunKey<'static> = RunKey { command: "design", feature: Some("add-login") };

fn noon() -> TransitionContext {
    let now = Now::frozen("2026-11-15T12:00:00Z".parse().unwrap());
    TransitionContext { now, head: None, summary_words: 500 }
}

fn begun() -> Checkpoint {
    let run = RunRecord { id: "r".to_owned(), ..RunRecord::default() };
    progress::begin_run(DESIGN, run, &["research", "write"], &noon()).unwrap()
}

fn a_move() -> CheckoutMove {
    CheckoutMove { from: "a".repeat(40), to: "b".repeat(40) }
}

fn inputs() -> BTreeMap<String, String> {
    BTreeMap::from([("request.md".to_owned(), "1".to_owned())])
}

fn finished() -> StepResult {
    StepResult {
        outputs: BTreeMap::from([("a.md".to_owned(), "2".to_owned())]),
        value: json!({"x": 1}),
        ..StepResult::default()
    }
}

fn json_of(document: &Checkpoint) -> Value {
    serde_json::to_value(document).unwrap()
}

fn step(document: &Checkpoint) -> Value {
    json_of(document)["phases"]["research"]["steps"]["s"].clone()
}

#[test]
fn a_step_with_its_agent_is_begun_in_one_change() {
    let once = progress::begin_agent_step(begun(), "research", "s", inputs(), "codex", &noon()).unwrap();
    let twice = progress::begin_step(begun(), "research", "s", inputs(), &noon()).unwrap();
    let twice = progress::seat_agent(twice, "research", "s", "codex", &noon()).unwrap();
    assert_eq!(json_of(&once), json_of(&twice));
    let fallen_back = progress::seat_agent(once, "research", "s", "claude", &noon()).unwrap();
    assert_eq!(step(&fallen_back)["fallback_from"], json!(["codex"]));
}

#[test]
fn a_step_without_effects_outside_is_recorded_in_one_change() {
    let once = progress::record_step(begun(), "research", "s", inputs(), finished(), &noon()).unwrap();
    let twice = progress::begin_step(begun(), "research", "s", inputs(), &noon()).unwrap();
    let twice = progress::finish_step(twice, "research", "s", finished(), &noon()).unwrap();
    assert_eq!(json_of(&once), json_of(&twice));
    let expected = json!({"status": "done", "attempt": 1, "started_at": "2026-11-15T12:00:00.000Z",
        "finished_at": "2026-11-15T12:00:00.000Z", "inputs": {"request.md": "1"}, "outputs": {"a.md": "2"}, "value": {"x": 1}});
    assert_eq!(step(&once), expected);

    let again = progress::record_step(once, "research", "s", inputs(), finished(), &noon()).unwrap();
    assert_eq!(step(&again)["attempt"], 2);
    assert_eq!(again.state.current_phase.as_deref(), Some("research"));
}

/// A document in which every transition has something to work on.
fn busy() -> Checkpoint {
    let document = progress::begin_step(begun(), "research", "s", inputs(), &noon()).unwrap();
    progress::open_gate(document, opening("subject", None), &noon()).unwrap()
}

fn opening<'a>(subject: &'a str, shown: Option<&'a str>) -> GateOpening<'a> {
    GateOpening {
        phase: "research",
        gate: "pre-design",
        subject,
        shown,
        questions: QUESTIONS.get_or_init(questions),
    }
}

static QUESTIONS: std::sync::OnceLock<Vec<GateQuestion>> = std::sync::OnceLock::new();

fn questions() -> Vec<GateQuestion> {
    let question = |key: &str| GateQuestion {
        key: key.to_owned(),
        text: format!("{key}?"),
        recommended: None,
        choices: Vec::new(),
        approval: false,
        delegable: Vec::new(),
    };
    vec![question("scope"), question("tests")]
}

fn respondent(through: AnswerChannel) -> Respondent {
    Respondent { by: "Ada L".to_owned(), through, client: None, version: None }
}

fn answers(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

fn stopped() -> Checkpoint {
    stop_run(busy(), StopKind::Waiting, "for answers", &noon()).unwrap()
}

#[test]
fn a_stop_is_in_the_document_and_in_its_overview() {
    let document = stopped();
    let expected = json!({"kind": "waiting", "message": "for answers", "at": "2026-11-15T12:00:00.000Z"});
    assert_eq!(json_of(&document)["run"]["stopped"], expected);
    assert_eq!(
        document.updated_at,
        document.run.as_ref().unwrap().stopped.as_ref().map(|stopped| stopped.at.clone())
    );
    let overview = CheckpointOverview::read(json_of(&document).to_string().as_bytes()).unwrap();
    assert_eq!(overview.stopped().unwrap().kind, StopKind::Waiting);
    let again = stop_run(document, StopKind::Interrupted, &"x".repeat(10_000), &noon()).unwrap();
    let stopped = again.run.unwrap().stopped.unwrap();
    assert_eq!((stopped.kind, stopped.message.len()), (StopKind::Interrupted, 4_000));
}

#[test]
fn every_other_transition_removes_the_stop() {
    type Change = fn(Checkpoint, &TransitionContext) -> Result<Checkpoint, TransitionError>;
    let changes: &[(&str, Change)] = &[
        ("save", |d, c| transition::save(Some(&d), d.clone(), DESIGN, c)),
        ("update_phase", |d, c| transition::update_phase(Some(d), DESIGN, "research", json!({}), c)),
        ("complete", |d, c| transition::complete(Some(d), c)),
        ("record_branch", |d, c| progress::record_branch(d, "b", None, c)),
        ("record_move", |d, c| progress::record_move(d, a_move(), c)),
        ("forget_move", progress::forget_move),
        ("begin_step", |d, c| progress::begin_step(d, "write", "t", inputs(), c)),
        ("begin_agent_step", |d, c| progress::begin_agent_step(d, "write", "t", inputs(), "codex", c)),
        ("record_step", |d, c| progress::record_step(d, "write", "t", inputs(), finished(), c)),
        ("seat_agent", |d, c| progress::seat_agent(d, "research", "s", "codex", c)),
        ("finish_step", |d, c| progress::finish_step(d, "research", "s", finished(), c)),
        ("fail_step", |d, c| progress::fail_step(d, "research", "s", "no", c)),
        ("finish_phase", |d, c| progress::finish_phase(d, "research", None, &[], c)),
        ("forget_steps", |d, c| progress::forget_steps(d, "research", |_| true, c)),
        ("forget_steps of no phase", |d, c| progress::forget_steps(d, "write", |_| true, c)),
        ("set_flags", |d, c| progress::set_flags(d, Map::new(), c)),
        ("open_gate", |d, c| progress::open_gate(d, opening("other", None), c)),
        ("answer_gate", |d, c| {
            progress::answer_gate(d, "pre-design", Map::new(), &respondent(AnswerChannel::File), c)
        }),
        ("record_tree_changes", |d, c| incidents::record_tree_changes(d, "research", "s", &[], c)),
        ("pause_step", |d, c| incidents::pause_step(d, "research", "s", c)),
        ("withdraw_gates", |d, c| incidents::withdraw_gates(d, &[], c)),
        ("record_child", |d, c| record_child(d, child("c", "/tree"), c)),
    ];
    for (name, change) in changes {
        let after = change(stopped(), &noon()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(after.run.unwrap().stopped, None, "{name}");
    }
}

#[test]
fn a_gate_keeps_what_was_shown_and_which_way_each_answer_came() {
    let document = progress::open_gate(busy(), opening("subject", Some("page")), &noon()).unwrap();
    assert_eq!(document.gates["pre-design"].shown.as_deref(), Some("page"));
    let at_terminal = respondent(AnswerChannel::Terminal);
    let document = progress::answer_gate(
        document,
        "pre-design",
        answers(json!({"scope": "all"})),
        &at_terminal,
        &noon(),
    )
    .unwrap();
    let document = progress::open_gate(document, opening("subject", Some("page 2")), &noon()).unwrap();
    let in_client = Respondent {
        client: Some("Some Client\u{0}".to_owned()),
        version: Some("1.2".to_owned()),
        ..respondent(AnswerChannel::Mcp)
    };
    let document =
        progress::answer_gate(document, "pre-design", answers(json!({"tests": "yes"})), &in_client, &noon())
            .unwrap();
    let gate = &json_of(&document)["gates"]["pre-design"];
    assert_eq!(
        (&gate["state"], &gate["by"], &gate["shown"]),
        (&json!("answered"), &json!("Ada L"), &json!("page 2"))
    );
    let via = json!({"scope": {"through": "terminal"}, "tests": {"through": "mcp", "client": "Some Client", "version": "1.2"}});
    assert_eq!(gate["via"], via);
    let document = progress::open_gate(document, opening("something new", None), &noon()).unwrap();
    let gate = &document.gates["pre-design"];
    assert!(gate.via.is_empty() && gate.answers.is_empty() && gate.shown.is_none());
}

fn child(id: &str, root: &str) -> ChildRun {
    ChildRun {
        id: id.to_owned(),
        command: "implement".to_owned(),
        feature: Some("add-login".to_owned()),
        root: root.to_owned(),
        document: ".claude/state/implement-add-login.json".to_owned(),
        ..ChildRun::default()
    }
}

#[test]
fn a_run_knows_who_started_it_and_whom_it_started() {
    let parent = ParentRun { id: "p".to_owned(), command: "ship".to_owned(), ..ParentRun::default() };
    let run = RunRecord { id: "r".to_owned(), parent: Some(parent), ..RunRecord::default() };
    let document = progress::begin_run(DESIGN, run, &[], &noon()).unwrap();
    let document = record_child(document, child("1", "/old"), &noon()).unwrap();
    let document = record_child(document, child("2", "/tree"), &noon()).unwrap();
    let document = record_child(document, child("1", "/new"), &noon()).unwrap();
    let run = &json_of(&document)["run"];
    assert_eq!(run["parent"], json!({"id": "p", "command": "ship"}));
    let expected = |id: &str, root: &str| {
        json!({"id": id, "command": "implement", "feature": "add-login", "root": root,
            "document": ".claude/state/implement-add-login.json"})
    };
    assert_eq!(run["children"], json!([expected("1", "/new"), expected("2", "/tree")]));
}

#[test]
fn documents_with_and_without_these_members_are_written_back_as_they_were() {
    for text in [
        r#"{"version":1,"command":"design","state":{"current_phase":null,"completed_phases":[],"pending_phases":[]},"run":{"id":"r","flags":{"a":true},"odd":{"x":null}},"gates":{"g":{"state":"answered","subject":"s","answers":{"scope":"all"},"by":"Ada L","round":1,"phase":"research","questions":[]}},"phases":{}}"#,
        r#"{"version":1,"command":"design","state":{"current_phase":null,"completed_phases":[],"pending_phases":[]},"run":{"id":"r","stopped":{"kind":"refused","message":"","at":"2026-11-15T13:00:00+01:00","odd":1},"parent":{"id":"p","command":"ship","odd":2},"children":[{"id":"c","command":"implement","root":"/x","document":"d","odd":3}]},"gates":{"g":{"state":"pending","shown":"d","answers":{"scope":"all"},"via":{"scope":{"through":"pigeon","odd":4}},"round":1}},"phases":{}}"#,
    ] {
        assert_eq!(serde_json::to_string(&read(text.as_bytes()).unwrap()).unwrap(), text);
    }
}
