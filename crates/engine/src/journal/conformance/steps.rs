//! Rules about steps, alone and in parallel groups.

use super::RuleResult;
use super::bench::{Counter, RuleContext, ensure, expect_ok, text, write};
use crate::artifact::Input;
use crate::cancel::Cancel;
use crate::event::Broadcast;
use crate::step::{Step, StepError};
use crate::stop::{FlowResult, Stop};

pub(super) async fn once(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    for _ in 0..2 {
        let driver = bench.drive();
        let phase = driver.run.phase("one");
        for _ in 0..2 {
            let value = expect_ok(write(&phase, Step::new("make"), "a.md", "hello", &count).await)?;
            ensure(value == 5, || format!("the recorded value is {value} instead of 5"))?;
            let found = text(&driver, "a.md").await?;
            ensure(found.as_deref() == Some("hello"), || format!("a.md holds {found:?}"))?;
        }
        driver.stop().await;
    }
    count.expect_count(1, "the step")
}

pub(super) async fn changed_input(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    for (given, executed) in [("x", 1), ("x", 1), ("y", 2), ("y", 2)] {
        let driver = bench.drive();
        let step = Step::new("make").reads(&Input::given("value", &given));
        expect_ok(write(&driver.run.phase("one"), step, "a.md", given, &count).await)?;
        count.expect_count(executed, "the step")?;
        driver.stop().await;
    }
    Ok(())
}

pub(super) async fn edits(bench: &RuleContext) -> RuleResult {
    let (first, second) = (Counter::default(), Counter::default());
    for (edit, expected, read) in [(None, "made", 1), (Some("edited"), "edited", 2), (None, "edited", 2)] {
        if let Some(edit) = edit {
            bench.fixture.edit("a.md", Some(edit));
        }
        let driver = bench.drive();
        let phase = driver.run.phase("one");
        expect_ok(write(&phase, Step::new("make"), "a.md", "made", &first).await)?;
        let counter = second.clone();
        let seen: String = expect_ok(
            phase
                .step(Step::new("read").reads("a.md"), move |context| async move {
                    counter.increment();
                    context.text("a.md")
                })
                .await,
        )?;
        ensure(seen == expected, || format!("the reader saw {seen:?} instead of {expected:?}"))?;
        first.expect_count(1, "the writer")?;
        second.expect_count(read, "the reader")?;
        driver.stop().await;
    }
    Ok(())
}

pub(super) async fn missing_output(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    let driver = bench.drive();
    expect_ok(write(&driver.run.phase("one"), Step::new("make"), "a.md", "made", &count).await)?;
    driver.stop().await;
    bench.fixture.edit("a.md", None);
    let driver = bench.drive();
    expect_ok(write(&driver.run.phase("one"), Step::new("make"), "a.md", "made", &count).await)?;
    let found = text(&driver, "a.md").await?;
    ensure(found.as_deref() == Some("made"), || format!("a.md holds {found:?}"))?;
    count.expect_count(2, "the step")
}

pub(super) async fn failure(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    for attempt in 1..=2 {
        let driver = bench.drive();
        let counter = count.clone();
        let outcome: FlowResult<()> = driver
            .run
            .phase("one")
            .step(Step::new("make"), move |context| async move {
                counter.increment();
                context.write("a.md", "half")?;
                if context.attempt() == 1 {
                    Err(StepError::Failed("first attempt".to_owned()))
                } else {
                    Ok(())
                }
            })
            .await;
        let found = text(&driver, "a.md").await?;
        if attempt == 1 {
            let has_message = matches!(&outcome, Err(Stop::Failed(why)) if why.contains("first attempt"));
            ensure(has_message, || format!("the failure became {outcome:?}"))?;
            ensure(found.is_none(), || "a file of the failed step exists".to_owned())?;
        } else {
            expect_ok(outcome)?;
            ensure(found.is_some(), || "the file of the step does not exist".to_owned())?;
        }
    }
    count.expect_count(2, "the step")
}

pub(super) async fn named_inputs(bench: &RuleContext) -> RuleResult {
    bench.fixture.edit("named.md", Some("n"));
    bench.fixture.edit("other.md", Some("o"));
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    let step = Step::new("look").reads("named.md").reads(&Input::optional("absent.md"));
    let seen: (String, Option<String>, bool) = expect_ok(
        phase
            .step(step, |context| async move {
                let refused = context.optional_text("other.md").is_err();
                Ok((context.text("named.md")?, context.optional_text("absent.md")?, refused))
            })
            .await,
    )?;
    ensure(seen == ("n".to_owned(), None, true), || format!("the step saw {seen:?}"))?;
    let count = Counter::default();
    let step = Step::new("blind").reads("nowhere.md");
    let outcome = write(&phase, step, "b.md", "x", &count).await;
    ensure(matches!(outcome, Err(Stop::Failed(_))), || format!("a missing input gave {outcome:?}"))?;
    count.expect_count(0, "a step whose input is missing")
}

pub(super) async fn revised(bench: &RuleContext) -> RuleResult {
    bench.fixture.edit("page.md", Some("theirs"));
    let count = Counter::default();
    for _ in 0..2 {
        let driver = bench.drive();
        let counter = count.clone();
        let step = Step::new("revise").revises(["page.md", "new.md"]);
        let seen: (bool, bool) = expect_ok(
            driver
                .run
                .phase("one")
                .step(step, move |context| async move {
                    counter.increment();
                    let (page, new) = (context.present("page.md")?, context.present("new.md")?);
                    let seen = (page.is_own, new.bytes.is_none());
                    context.write("page.md", "ours")?;
                    Ok(seen)
                })
                .await,
        )?;
        ensure(seen == (false, true), || format!("the step saw {seen:?} of what it revises"))?;
        driver.stop().await;
    }
    count.expect_count(1, "the step")?;
    let driver = bench.drive();
    let step = Step::new("again").revises(["page.md"]);
    let phase = driver.run.phase("one");
    let is_own: bool =
        expect_ok(phase.step(step, |context| async move { Ok(context.present("page.md")?.is_own) }).await)?;
    ensure(is_own, || "a file that the run wrote does not count as its own".to_owned())
}

pub(super) async fn staging(bench: &RuleContext) -> RuleResult {
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    let count = Counter::default();
    let seen = phase
        .parallel("pair", [("left", "left.md"), ("right", "right.md")], |name| {
            let (phase, count, driver) = (&phase, &count, &driver);
            async move {
                write(phase, Step::new(format!("write/{name}")), name, name, count).await?;
                // The view of another driver.
                let others = bench.fixture.open(Cancel::default(), Broadcast::default());
                let visible = others.artifacts().get(name).await.ok().flatten();
                let own = text(driver, name).await.unwrap_or_default();
                Ok((visible.is_none(), own.as_deref() == Some(name)))
            }
        })
        .await;
    let seen = expect_ok(seen)?;
    ensure(seen.iter().all(|(hidden, _)| *hidden), || {
        "others see what a group has not collected".to_owned()
    })?;
    ensure(seen.iter().all(|(_, own)| *own), || "a branch does not see what it wrote itself".to_owned())?;
    for name in ["left.md", "right.md"] {
        let others = bench.fixture.open(Cancel::default(), Broadcast::default());
        let found = others.artifacts().get(name).await.map_err(|error| error.to_string())?;
        ensure(found.as_deref() == Some(name.as_bytes()), || format!("{name} was not collected"))?;
    }
    count.expect_count(2, "the branches")
}

pub(super) async fn branches(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    for attempt in 1..=2 {
        let driver = bench.drive();
        let phase = driver.run.phase("one");
        let outcome = phase
            .parallel("three", ["a", "b", "c"].map(|name| (name, name)), |name| {
                let (phase, counter) = (&phase, count.clone());
                async move {
                    phase
                        .step::<String, _>(Step::new(format!("do/{name}")), move |context| async move {
                            counter.increment();
                            if name == "b" && context.attempt() == 1 {
                                return Err(StepError::Failed("first attempt".to_owned()));
                            }
                            Ok(name.to_owned())
                        })
                        .await
                }
            })
            .await;
        match (attempt, outcome) {
            (1, Err(Stop::Failed(_))) => count.expect_count(3, "the branches")?,
            (2, Ok(names)) => ensure(names == ["a", "b", "c"], || format!("the results came as {names:?}"))?,
            (_, outcome) => return Err(format!("attempt {attempt} came to {outcome:?}")),
        }
        driver.stop().await;
    }
    count.expect_count(4, "the branches")
}

pub(super) async fn killed_group(bench: &RuleContext) -> RuleResult {
    let count = Counter::default();
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    let group = phase.parallel("pair", [("left", true), ("right", false)], |is_left| {
        let (phase, count) = (&phase, &count);
        async move {
            if is_left {
                write(phase, Step::new("left").external_effect(), "left.md", "left", count).await
            } else {
                std::future::pending().await
            }
        }
    });
    // The driver is killed before the group is collected.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(20), group).await;
    drop(driver);
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    expect_ok(write(&phase, Step::new("left").external_effect(), "left.md", "left", &count).await)?;
    let found = text(&driver, "left.md").await?;
    ensure(found.as_deref() == Some("left"), || format!("left.md holds {found:?}"))?;
    count.expect_count(1, "the branch that was done")
}
