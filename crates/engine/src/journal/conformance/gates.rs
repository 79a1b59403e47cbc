//! Rules about gates, cancellation, tree changes and events.

use super::RuleResult;
use super::bench::{Counter, RuleContext, ensure, expect_ok, text, write};
use crate::event::EventKind;
use crate::gate::{Gate, GateView};
use crate::step::{Step, StepError};
use crate::stop::{FlowResult, Stop};
use charrette_model::tree::{ChangeKind, TreeChange, TreePath};
use serde_json::json;
use std::sync::PoisonError;

pub(super) fn scope() -> Gate {
    Gate::new("scope", "shown.md").page("Look at this.").ask("size", "Is the size right?", "yes").ask(
        "depth",
        "How deep?",
        "deep",
    )
}

pub(super) async fn gates(bench: &RuleContext) -> RuleResult {
    bench.fixture.edit("shown.md", Some("v1"));
    let open = |outcome: FlowResult<crate::gate::Answers>| match outcome {
        Err(Stop::Waiting(waits)) => {
            let questions = waits.into_iter().flat_map(|wait| wait.questions);
            Ok(questions.map(|question| question.key).collect::<Vec<_>>().join(" "))
        }
        other => Err(format!("the gate came to {other:?}")),
    };
    let keys = open(bench.drive().run.phase("one").gate(scope()).await)?;
    ensure(keys == "size depth", || format!("the open questions are {keys:?}"))?;
    let driver = bench.drive();
    let waiting: Vec<GateView> = expect_ok(driver.run.journal().waiting_gates().await)?;
    let named: Vec<&str> = waiting.iter().map(|view| view.gate.as_str()).collect();
    ensure(named == ["scope"], || format!("the gates that wait are {named:?}"))?;
    let page = text(&driver, &scope().page_file(1)).await?;
    ensure(page.is_some_and(|page| page.contains("Look at this.")), || "the page was not stored".to_owned())?;
    bench.answer(false, "scope", &json!({"size": "smaller"}));
    let keys = open(bench.drive().run.phase("one").gate(scope()).await)?;
    ensure(keys == "depth", || format!("after one answer the open questions are {keys:?}"))?;
    bench.answer(false, "scope", &json!({"depth": "deep"}));
    let driver = bench.drive();
    let answers = expect_ok(driver.run.phase("one").gate(scope()).await)?;
    let all = (answers.get("size"), answers.get("depth"));
    ensure(all == ("smaller", "deep"), || format!("the answers are {all:?}"))?;
    expect_ok(driver.run.journal().withdraw_gates(vec!["scope".to_owned()]).await)?;
    expect_ok(driver.run.phase("one").gate(scope()).await).map(drop)
}

pub(super) async fn reopened(bench: &RuleContext) -> RuleResult {
    bench.fixture.edit("shown.md", Some("v1"));
    let gate = || Gate::new("approval", "shown.md").ask_approval("approval", "Good?");
    let _ = bench.drive().run.phase("one").gate(gate()).await;
    let driver = bench.drive();
    let answers = json!({"approval": "yes"}).as_object().cloned().unwrap_or_default();
    expect_ok(driver.run.journal().answer_gate("approval", answers).await)?;
    let events = driver.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let is_reported =
        |event: &EventKind| matches!(event, EventKind::GateAnswered { state, .. } if state == "approved");
    ensure(events.iter().any(is_reported), || format!("after an approval the events are {events:?}"))?;
    drop(driver);
    expect_ok(bench.drive().run.phase("one").gate(gate()).await)?;
    bench.fixture.edit("shown.md", Some("v2"));
    let outcome = bench.drive().run.phase("one").gate(gate()).await;
    ensure(matches!(outcome, Err(Stop::Waiting(_))), || format!("a changed page came to {outcome:?}"))?;
    bench.answer(false, "approval", &json!({"approval": "no"}));
    let outcome = bench.drive().run.phase("one").gate(gate()).await;
    ensure(matches!(outcome, Err(Stop::Refused(_))), || format!("a rejection came to {outcome:?}"))
}

pub(super) async fn revision(bench: &RuleContext) -> RuleResult {
    bench.fixture.edit("shown.md", Some("v1"));
    let gate = || Gate::new("approval", "shown.md").ask_approval("approval", "Good?");
    let _ = bench.drive().run.phase("one").gate(gate()).await;
    bench.answer(false, "approval", &json!({"approval": "revise", "feedback": "less"}));
    // The feedback counts for what the person has made of the page meanwhile.
    bench.fixture.edit("shown.md", Some("v2"));
    let driver = bench.drive();
    let outcome = driver.run.phase("one").gate(gate()).await;
    ensure(outcome == Err(Stop::Revise), || format!("a revision came to {outcome:?}"))?;
    let feedback = text(&driver, "feedback-round1.md").await?;
    ensure(feedback.is_some_and(|text| text.contains("less")), || "there is no feedback".to_owned())
}

pub(super) async fn cancellation(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    expect_ok(write(&phase, Step::new("before"), "a.md", "a", &count).await)?;
    driver.cancel.request();
    expect_ok(write(&phase, Step::new("before"), "a.md", "a", &count).await)?;
    let outcome = write(&phase, Step::new("after"), "b.md", "b", &count).await;
    ensure(outcome == Err(Stop::Interrupted), || format!("after the request, a step came to {outcome:?}"))?;
    count.expect_count(1, "steps")
}

pub(super) async fn tree(bench: &RuleContext) -> RuleResult {
    let change = TreeChange {
        path: TreePath::new("x"),
        kind: ChangeKind::Added,
        dirty_before: false,
        restored: false,
    };
    let noted = change.clone();
    let driver = bench.drive();
    let step = Step::new("look").external_effect();
    let outcome: FlowResult<()> = driver
        .run
        .phase("one")
        .step(step, move |context| async move {
            context.lane().record_changes(&[noted.clone(), noted]).await.map_err(StepError::Failed)
        })
        .await;
    expect_ok(outcome)?;
    let found = bench.drive().run.journal().tree_changes("one", "look").await;
    ensure(found.first() == Some(&change), || format!("the record has {found:?}"))
}

pub(super) async fn reported(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    expect_ok(write(&phase, Step::new("first"), "a.md", "a", &count).await)?;
    expect_ok(write(&phase, Step::new("second").external_effect(), "b.md", "b", &count).await)?;
    let events = driver.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let finished = |id: &str| {
        events.iter().position(|event| matches!(event, EventKind::StepFinished { step, .. } if step == id))
    };
    let (first, second) = (finished("first"), finished("second"));
    ensure(first.is_some() && first < second, || format!("the events are {events:?}"))?;
    drop(driver);
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    expect_ok(write(&phase, Step::new("first"), "a.md", "a", &count).await)?;
    expect_ok(write(&phase, Step::new("second").external_effect(), "b.md", "b", &count).await)?;
    count.expect_count(2, "steps that were reported finished")
}
