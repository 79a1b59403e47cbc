//! The flows of the rehearsal. They read like what they do.

#![expect(clippy::disallowed_methods, reason = "a test program reads its own environment")]

use charrette_engine::ports::BoxFuture;
use charrette_engine::{
    Answers, Artifact, Artifacts, Flow, FlowDefinition, Gate, Input, PhaseHandle, Run, Step, StepContext,
    StepError, seat,
};
use charrette_testkit::fake_agent::{append, fingerprint};
use std::path::PathBuf;

/// Three phases, ten steps, two parallel groups, two gates and a fallback.
#[derive(Debug)]
pub(crate) struct Rehearsal;

impl FlowDefinition for Rehearsal {
    fn command(&self) -> &'static str {
        "research"
    }

    fn phases(&self) -> &'static [&'static str] {
        &["gather", "draft", "settle"]
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        Box::pin(rehearse(run))
    }
}

async fn rehearse(run: &Run<'_>) -> Flow<()> {
    let request = Artifact::named("request.md");

    let gather = run.phase("gather");
    let survey: Artifact = local(&gather, Step::new("survey").reads(&request), "survey.md").await?;
    let findings =
        gather.parallel(["a", "b", "c"], |which| researcher(&gather, which, &request, &survey)).await?;
    let summary = gather.agent(aggregator(&findings)).await?;
    let scope = gather.gate(scope(&summary)).await?;
    gather.finish(Some(&Artifact::named("summary.md")))?;

    let draft = run.phase("draft");
    let sketches = draft.parallel(["scope", "depth"], |key| sketch(&draft, key, &summary, &scope)).await?;
    let plan: Artifact = local(&draft, Step::new("merge").reads(&sketches), "plan.md").await?;
    let last = draft.agent(finisher(&plan)).await?;
    draft.gate(approval(&last)).await?;
    draft.finish(None)?;

    let settle = run.phase("settle");
    let _: Artifact =
        local(&settle, Step::new("publish").reads(&last).touches_checkout(), "receipt.md").await?;
    settle.finish(None)
}

async fn researcher(
    gather: &PhaseHandle<'_>,
    which: &str,
    request: &Artifact,
    survey: &Artifact,
) -> Flow<Artifacts> {
    let call = seat(&format!("researcher-{which}"))
        .step_id(format!("research/{which}"))
        .prompt("Look around.")
        .reads(request)
        .reads(survey)
        .writes(&format!("research-{which}.md"))
        .chain(["alpha", "beta"]);
    gather.agent(call).await
}

/// The first of its chain does not keep to the form, so there is a repair and a fallback.
fn aggregator(findings: &[Artifacts]) -> charrette_engine::AgentCall {
    seat("aggregator")
        .prompt("Sum up.")
        .reads(findings)
        .writes("summary.md")
        .chain(["broken", "beta"])
        .grammar(|answer| match answer.strip_prefix("SUMMARY: ") {
            Some(text) => Ok(vec![("summary.md".to_owned(), format!("{text}\n"))]),
            None => Err("expected it to begin with SUMMARY".to_owned()),
        })
}

fn scope(summary: &Artifacts) -> Gate {
    Gate::new("scope", summary).ask("scope", "Is the scope right?", "yes").ask("depth", "How deep?", "deep")
}

async fn sketch(draft: &PhaseHandle<'_>, key: &str, summary: &Artifacts, scope: &Answers) -> Flow<Artifacts> {
    let call = seat(&format!("sketch-{key}"))
        .step_id(format!("sketch/{key}"))
        .prompt(format!("Sketch with {key}: {}", scope.get(key)))
        .reads(summary)
        .reads(&scope.input(key))
        .writes(&format!("sketch-{key}.md"))
        .chain(["alpha"]);
    draft.agent(call).await
}

fn finisher(plan: &Artifact) -> charrette_engine::AgentCall {
    let feedback = [1, 2, 3].map(|round| Input::optional(format!("feedback-round{round}.md")));
    seat("finisher").prompt("Finish.").reads(plan).reads(&feedback).writes("final.md").chain(["alpha"])
}

fn approval(last: &Artifacts) -> Gate {
    Gate::new("approval", last).ask_approval("approval", "Is this good?").on_rejection("not approved")
}

/// A step without an agent: what it writes depends on everything it reads.
async fn local(phase: &PhaseHandle<'_>, step: Step, writes: &'static str) -> Flow<Artifact> {
    let reads = names(&step);
    phase.step(step, move |context| async move { digest_of(&context, &reads, writes) }).await?;
    Ok(Artifact::named(writes))
}

fn names(step: &Step) -> Vec<String> {
    step.inputs().iter().map(Input::label).collect()
}

fn digest_of(context: &StepContext, reads: &[String], writes: &str) -> Result<(), StepError> {
    let mut text = String::new();
    for name in reads {
        text += &context.text(name)?;
    }
    let digest = fingerprint(&text);
    if let Some(log) = std::env::var_os("FAKE_AGENT_LOG") {
        append(&PathBuf::from(log), &format!("{writes} local {digest}\n"));
    }
    if let Some(folder) = std::env::var_os("REHEARSAL_FAIL_ONCE") {
        let mark = PathBuf::from(folder).join(writes);
        if fs_err::OpenOptions::new().write(true).create_new(true).open(mark).is_ok() {
            return Err(StepError::Failed("failing once, as told".to_owned()));
        }
    }
    context.write(writes, format!("{writes} from {digest}\n"))
}

/// Two hundred steps in a row, to see what going through them again costs.
#[derive(Debug)]
pub(crate) struct Wide;

impl FlowDefinition for Wide {
    fn command(&self) -> &'static str {
        "reconcile"
    }

    fn phases(&self) -> &'static [&'static str] {
        &["wide"]
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        Box::pin(async {
            let phase = run.phase("wide");
            for n in 0..200 {
                let step = Step::new(format!("step/{n}")).reads("request.md");
                phase
                    .step(step, move |context| async move { context.write(&format!("out-{n}.md"), "x\n") })
                    .await?;
            }
            phase.finish(None)
        })
    }
}

/// Two hundred seats side by side, for agents that behave and agents that do not.
#[derive(Debug)]
pub(crate) struct Crowd;

impl FlowDefinition for Crowd {
    fn command(&self) -> &'static str {
        "implement"
    }

    fn phases(&self) -> &'static [&'static str] {
        &["crowd"]
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        Box::pin(async {
            let phase = run.phase("crowd");
            let member = |n: usize| {
                let call = seat(&format!("member-{n}"))
                    .prompt("Say who you are.")
                    .reads("request.md")
                    .writes(&format!("member-{n}.md"))
                    .chain(crowd_chain());
                phase.agent(call)
            };
            phase.parallel(0..crowd_size(), member).await?;
            phase.finish(None)
        })
    }
}

/// Stages as people see them: two sketches side by side, something to read, two gates at once.
#[derive(Debug)]
pub(crate) struct Doors;

impl FlowDefinition for Doors {
    fn command(&self) -> &'static str {
        "review"
    }

    fn phases(&self) -> &'static [&'static str] {
        &["doors"]
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        Box::pin(async {
            let phase = run.phase("doors");
            phase.stage("1c").skipped("skipped (rehearsal)");

            let stage = phase.stage("2a");
            let lanes = ["left", "right"].map(|side| (format!("sketch/{side}"), format!("Sketch-{side}")));
            stage.lanes("Sketches", lanes);
            let sketches = phase.parallel(["left", "right"], |side| sketch_of(&phase, side)).await?;
            stage.show("The left sketch", "left.md");
            stage.done("2 sketches");

            let stage = phase.stage("1e");
            let door = |side: &'static str| {
                let gate = Gate::new(side, &sketches[..])
                    .page(format!("Two sketches are ready.\nThis is the {side} door."))
                    .ask("enter", &format!("Enter by the {side} door?"), "yes")
                    .ask_choice("light", "With the light on?", &["on", "off"]);
                phase.gate(gate)
            };
            phase.parallel(["left", "right"], door).await?;
            stage.done("both doors are open");
            phase.finish(None)?;
            phase.stage("5").done("rehearsed");
            Ok(())
        })
    }
}

async fn sketch_of(phase: &PhaseHandle<'_>, side: &str) -> Flow<Artifacts> {
    let call = seat(&format!("sketch-{side}"))
        .step_id(format!("sketch/{side}"))
        .prompt("Sketch.")
        .reads("request.md")
        .writes(&format!("{side}.md"))
        .chain(["alpha"]);
    phase.agent(call).await
}

/// `REHEARSAL_CHAIN` says who may sit, with commas.
fn crowd_chain() -> Vec<String> {
    let chain = std::env::var("REHEARSAL_CHAIN").unwrap_or_else(|_| "alpha,beta".to_owned());
    chain.split(',').map(str::to_owned).collect()
}

/// `REHEARSAL_CROWD` says how many; two hundred otherwise.
fn crowd_size() -> usize {
    std::env::var("REHEARSAL_CROWD").ok().and_then(|size| size.parse().ok()).unwrap_or(200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_can_move_between_threads() {
        fn is_send(_: &impl Send) {}
        fn check(run: &Run<'_>) {
            is_send(&rehearse(run));
        }
        let _ = check;
    }
}
