//! Rules about steps: done once, with what they named, alone and in groups.

use super::Seen;
use super::bench::{Bench, Count, ensure, text, went, write};
use crate::artifact::Input;
use crate::cancel::Cancel;
use crate::event::Broadcast;
use crate::step::{Step, StepError};
use crate::stop::{Flow, Stop};
pub(super) async fn once(bench: &Bench) -> Seen {
    let count = Count::default();
    for _ in 0..2 {
        let driver = bench.drive();
        let phase = driver.run.phase("one");
        for _ in 0..2 {
            let value = went(write(&phase, Step::new("make"), "a.md", "hello", &count).await)?;
            ensure(value == 5, || format!("the recorded value is {value} instead of 5"))?;
            let found = text(&driver, "a.md").await?;
            ensure(found.as_deref() == Some("hello"), || format!("a.md holds {found:?}"))?;
        }
        driver.leave().await;
    }
    count.is(1, "the step")
}

pub(super) async fn changed_input(bench: &Bench) -> Seen {
    let count = Count::default();
    for (given, executed) in [("x", 1), ("x", 1), ("y", 2), ("y", 2)] {
        let driver = bench.drive();
        let step = Step::new("make").reads(&Input::given("value", &given));
        went(write(&driver.run.phase("one"), step, "a.md", given, &count).await)?;
        count.is(executed, "the step")?;
        driver.leave().await;
    }
    Ok(())
}

pub(super) async fn edits(bench: &Bench) -> Seen {
    let (first, second) = (Count::default(), Count::default());
    for (edit, expected, read) in [(None, "made", 1), (Some("edited"), "edited", 2), (None, "edited", 2)] {
        if let Some(edit) = edit {
            bench.subject.edit("a.md", Some(edit));
        }
        let driver = bench.drive();
        let phase = driver.run.phase("one");
        went(write(&phase, Step::new("make"), "a.md", "made", &first).await)?;
        let counted = second.clone();
        let seen: String = went(
            phase
                .step(Step::new("read").reads("a.md"), move |context| async move {
                    counted.up();
                    context.text("a.md")
                })
                .await,
        )?;
        ensure(seen == expected, || format!("the reader saw {seen:?} instead of {expected:?}"))?;
        first.is(1, "the writer")?;
        second.is(read, "the reader")?;
        driver.leave().await;
    }
    Ok(())
}

pub(super) async fn missing_output(bench: &Bench) -> Seen {
    let count = Count::default();
    let driver = bench.drive();
    went(write(&driver.run.phase("one"), Step::new("make"), "a.md", "made", &count).await)?;
    driver.leave().await;
    bench.subject.edit("a.md", None);
    let driver = bench.drive();
    went(write(&driver.run.phase("one"), Step::new("make"), "a.md", "made", &count).await)?;
    let found = text(&driver, "a.md").await?;
    ensure(found.as_deref() == Some("made"), || format!("a.md holds {found:?}"))?;
    count.is(2, "the step")
}

pub(super) async fn failure(bench: &Bench) -> Seen {
    let count = Count::default();
    for attempt in 1..=2 {
        let driver = bench.drive();
        let counted = count.clone();
        let outcome: Flow<()> = driver
            .run
            .phase("one")
            .step(Step::new("make"), move |context| async move {
                counted.up();
                context.write("a.md", "half")?;
                if context.attempt() == 1 { Err(StepError::Failed("as told".to_owned())) } else { Ok(()) }
            })
            .await;
        let found = text(&driver, "a.md").await?;
        if attempt == 1 {
            let is_told = matches!(&outcome, Err(Stop::Failed(why)) if why.contains("as told"));
            ensure(is_told, || format!("the failure became {outcome:?}"))?;
            ensure(found.is_none(), || "what a failed step wrote is there".to_owned())?;
        } else {
            went(outcome)?;
            ensure(found.is_some(), || "what the step wrote is not there".to_owned())?;
        }
    }
    count.is(2, "the step")
}

pub(super) async fn named_inputs(bench: &Bench) -> Seen {
    bench.subject.edit("named.md", Some("n"));
    bench.subject.edit("other.md", Some("o"));
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    let step = Step::new("look").reads("named.md").reads(&Input::optional("absent.md"));
    let seen: (String, Option<String>, bool) = went(
        phase
            .step(step, |context| async move {
                let refused = context.optional_text("other.md").is_err();
                Ok((context.text("named.md")?, context.optional_text("absent.md")?, refused))
            })
            .await,
    )?;
    ensure(seen == ("n".to_owned(), None, true), || format!("the step saw {seen:?}"))?;
    let count = Count::default();
    let step = Step::new("blind").reads("nowhere.md");
    let outcome = write(&phase, step, "b.md", "x", &count).await;
    ensure(matches!(outcome, Err(Stop::Failed(_))), || format!("a missing input gave {outcome:?}"))?;
    count.is(0, "a step whose input is missing")
}

pub(super) async fn revised(bench: &Bench) -> Seen {
    bench.subject.edit("page.md", Some("theirs"));
    let count = Count::default();
    for _ in 0..2 {
        let driver = bench.drive();
        let counted = count.clone();
        let step = Step::new("revise").revises(["page.md", "new.md"]);
        let seen: (bool, bool) = went(
            driver
                .run
                .phase("one")
                .step(step, move |context| async move {
                    counted.up();
                    let (page, new) = (context.present("page.md")?, context.present("new.md")?);
                    let seen = (page.is_own, new.bytes.is_none());
                    context.write("page.md", "ours")?;
                    Ok(seen)
                })
                .await,
        )?;
        ensure(seen == (false, true), || format!("the step saw {seen:?} of what it revises"))?;
        driver.leave().await;
    }
    count.is(1, "the step")?;
    let driver = bench.drive();
    let step = Step::new("again").revises(["page.md"]);
    let phase = driver.run.phase("one");
    let is_own: bool =
        went(phase.step(step, |context| async move { Ok(context.present("page.md")?.is_own) }).await)?;
    ensure(is_own, || "what the run wrote is not taken for its own".to_owned())
}

pub(super) async fn staging(bench: &Bench) -> Seen {
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    let count = Count::default();
    let seen = phase
        .parallel("pair", [("left", "left.md"), ("right", "right.md")], |name| {
            let (phase, count, driver) = (&phase, &count, &driver);
            async move {
                write(phase, Step::new(format!("write/{name}")), name, name, count).await?;
                // What is on record in the workspace now, for somebody else.
                let others = bench.subject.open(Cancel::default(), Broadcast::default());
                let visible = others.artifacts().get(name).await.ok().flatten();
                let own = text(driver, name).await.unwrap_or_default();
                Ok((visible.is_none(), own.as_deref() == Some(name)))
            }
        })
        .await;
    let seen = went(seen)?;
    ensure(seen.iter().all(|(hidden, _)| *hidden), || {
        "others see what a group has not collected".to_owned()
    })?;
    ensure(seen.iter().all(|(_, own)| *own), || "a branch does not see what it wrote itself".to_owned())?;
    for name in ["left.md", "right.md"] {
        let others = bench.subject.open(Cancel::default(), Broadcast::default());
        let found = others.artifacts().get(name).await.map_err(|error| error.to_string())?;
        ensure(found.as_deref() == Some(name.as_bytes()), || format!("{name} was not collected"))?;
    }
    count.is(2, "the branches")
}

pub(super) async fn branches(bench: &Bench) -> Seen {
    let count = Count::default();
    for attempt in 1..=2 {
        let driver = bench.drive();
        let phase = driver.run.phase("one");
        let outcome = phase
            .parallel("three", ["a", "b", "c"].map(|name| (name, name)), |name| {
                let (phase, counted) = (&phase, count.clone());
                async move {
                    phase
                        .step::<String, _>(Step::new(format!("do/{name}")), move |context| async move {
                            counted.up();
                            if name == "b" && context.attempt() == 1 {
                                return Err(StepError::Failed("as told".to_owned()));
                            }
                            Ok(name.to_owned())
                        })
                        .await
                }
            })
            .await;
        match (attempt, outcome) {
            (1, Err(Stop::Failed(_))) => count.is(3, "the branches")?,
            (2, Ok(names)) => ensure(names == ["a", "b", "c"], || format!("the results came as {names:?}"))?,
            (_, outcome) => return Err(format!("attempt {attempt} came to {outcome:?}")),
        }
        driver.leave().await;
    }
    count.is(4, "the branches")
}

pub(super) async fn killed_group(bench: &Bench) -> Seen {
    let count = Count::default();
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    let group = phase.parallel("pair", [("left", true), ("right", false)], |is_left| {
        let (phase, count) = (&phase, &count);
        async move {
            if is_left {
                write(phase, Step::new("left").reaches_out(), "left.md", "left", count).await
            } else {
                std::future::pending().await
            }
        }
    });
    // The driver is gone before the group could be collected.
    let _ = tokio::time::timeout(std::time::Duration::from_millis(20), group).await;
    drop(driver);
    let driver = bench.drive();
    let phase = driver.run.phase("one");
    went(write(&phase, Step::new("left").reaches_out(), "left.md", "left", &count).await)?;
    let found = text(&driver, "left.md").await?;
    ensure(found.as_deref() == Some("left"), || format!("left.md holds {found:?}"))?;
    count.is(1, "the branch that was done")
}
