//! The example flows.

#![expect(clippy::disallowed_methods, reason = "a test program reads its own environment")]

use charrette_engine::child::ChildRequest;
use charrette_engine::pages::ClosingPage;
use charrette_engine::{
    Answers, Artifact, Artifacts, FlowResult, FlowSpec, Gate, Input, PhaseHandle, Run, Step, StepContext,
    StepError, seat,
};
use charrette_model::checkpoint::Command;
use charrette_model::progress::StageSpec;
use charrette_testkit::fake_agent::{append, fingerprint};
use std::path::PathBuf;

/// Common fields of the example flows.
const BASE: FlowSpec = FlowSpec {
    about: "A flow to try the engine on",
    argument: "WORDS",
    example: "anything",
    closing: |run| ClosingPage { title: format!("{} is rehearsed.", run.feature), ..ClosingPage::default() },
    ..FlowSpec::EMPTY
};

/// Three phases, ten steps, two parallel groups, two gates and a fallback.
pub(crate) static REHEARSAL: FlowSpec = FlowSpec {
    command: Command::Start,
    phases: &["gather", "draft", "settle"],
    moves_head: true,
    makes_branch: true,
    run: |run| Box::pin(rehearse(run)),
    ..BASE
};

async fn rehearse(run: &Run<'_>) -> FlowResult<()> {
    let request = Artifact::named("request.md");

    let gather = run.phase("gather");
    let survey: Artifact = local(&gather, Step::new("survey").reads(&request), "survey.md").await?;
    let findings = gather
        .parallel("researchers", ["a", "b", "c"].map(|which| (which, which)), |which| {
            researcher(&gather, which, &request, &survey)
        })
        .await?;
    let summary = gather.agent(aggregator(&findings)).await?;
    let scope = gather.gate(scope(&summary)).await?;
    gather.finish(Some(&Artifact::named("summary.md"))).await?;

    let draft = run.phase("draft");
    let sketches = draft
        .parallel("sketches", ["scope", "depth"].map(|key| (key, key)), |key| {
            sketch(&draft, key, &summary, &scope)
        })
        .await?;
    let plan: Artifact = local(&draft, Step::new("merge").reads(&sketches), "plan.md").await?;
    let last = draft.agent(finisher(&plan)).await?;
    draft.gate(approval(&last)).await?;
    draft.finish(None).await?;

    let settle = run.phase("settle");
    let _: Artifact =
        local(&settle, Step::new("publish").reads(&last).touches_checkout(), "receipt.md").await?;
    settle.finish(None).await
}

async fn researcher(
    gather: &PhaseHandle<'_>,
    which: &str,
    request: &Artifact,
    survey: &Artifact,
) -> FlowResult<Artifacts> {
    let call = seat(&format!("researcher-{which}"))
        .step_id(format!("research/{which}"))
        .prompt("Look around.")
        .reads(request)
        .reads(survey)
        .writes(&format!("research-{which}.md"))
        .chain(["alpha", "beta"]);
    gather.agent(call).await
}

/// The first agent of its chain does not match the grammar, so there is a retry and a fallback.
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

async fn sketch(
    draft: &PhaseHandle<'_>,
    key: &str,
    summary: &Artifacts,
    scope: &Answers,
) -> FlowResult<Artifacts> {
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

/// Runs a step without an agent: its output depends on all inputs.
async fn local(phase: &PhaseHandle<'_>, step: Step, writes: &'static str) -> FlowResult<Artifact> {
    let reads = input_labels(&step);
    phase.step(step, move |context| async move { write_digest(&context, &reads, writes) }).await?;
    Ok(Artifact::named(writes))
}

fn input_labels(step: &Step) -> Vec<String> {
    step.inputs().iter().map(Input::label).collect()
}

fn write_digest(context: &StepContext, reads: &[String], writes: &str) -> Result<(), StepError> {
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
            return Err(StepError::Failed("failing once (REHEARSAL_FAIL_ONCE)".to_owned()));
        }
    }
    context.write(writes, format!("{writes} from {digest}\n"))
}

/// Two hundred steps in a row, to measure the cost of reusing them.
pub(crate) static WIDE: FlowSpec = FlowSpec {
    command: Command::Reconcile,
    phases: &["wide"],
    run: |run| {
        Box::pin(async move {
            let phase = run.phase("wide");
            for n in 0..200 {
                let step = Step::new(format!("step/{n}")).reads("request.md");
                let name = format!("out-{n}.md");
                phase.make(Artifact::named(name), step, |_| async { Ok("x\n".to_owned()) }).await?;
            }
            phase.finish(None).await
        })
    },
    ..BASE
};

/// Two hundred parallel seats, for agents that behave and agents that do not.
pub(crate) static CROWD: FlowSpec = FlowSpec {
    command: Command::Implement,
    phases: &["crowd"],
    run: |run| {
        Box::pin(async move {
            let phase = run.phase("crowd");
            let member = |n: usize| {
                let call = seat(&format!("member-{n}"))
                    .prompt("Say who you are.")
                    .reads("request.md")
                    .writes(&format!("member-{n}.md"))
                    .chain(crowd_chain());
                phase.agent(call)
            };
            phase.parallel("crowd", (0..crowd_size()).map(|n| (n.to_string(), n)), member).await?;
            phase.finish(None).await
        })
    },
    ..BASE
};

/// Numbered stages: two parallel sketches, a document, two gates at once.
pub(crate) static DOORS: FlowSpec = FlowSpec {
    command: Command::Review,
    phases: &["doors"],
    stages: &[
        StageSpec { number: "1c", name: "questions", ledger: "review Step 1c — questions", phase: "doors" },
        StageSpec { number: "2a", name: "sketches", ledger: "review Step 2a — sketches", phase: "doors" },
        StageSpec {
            number: "1e",
            name: "pre-design gate",
            ledger: "review Step 1e — pre-design gate",
            phase: "doors",
        },
        StageSpec { number: "5", name: "cleanup", ledger: "review Step 5 — cleanup", phase: "doors" },
    ],
    run: |run| Box::pin(doors(run)),
    ..BASE
};

async fn doors(run: &Run<'_>) -> FlowResult<()> {
    let phase = run.phase("doors");
    phase.stage("1c").skip("skipped (rehearsal)");

    let stage = phase.stage("2a");
    let lanes = ["left", "right"].map(|side| (format!("sketch/{side}"), format!("Sketch-{side}")));
    stage.show_lanes("Sketches", lanes);
    let sides = ["left", "right"].map(|side| (side, side));
    let sketches = phase.parallel("sketches", sides, |side| side_sketch(&phase, side)).await?;
    stage.show_document("The left sketch", "left.md");
    stage.finish("2 sketches");

    let stage = phase.stage("1e");
    let door = |side: &'static str| {
        let gate = Gate::new(side, &sketches[..])
            .page(format!("Two sketches are ready.\nThis is the {side} door."))
            .ask("enter", &format!("Enter by the {side} door?"), "yes")
            .ask_choice("light", "With the light on?", &["on", "off"]);
        phase.gate(gate)
    };
    phase.parallel("doors", sides, door).await?;
    stage.finish("both doors are open");
    phase.finish(None).await?;
    phase.stage("5").finish("rehearsed");
    Ok(())
}

/// A step before and after, and the whole rehearsal as a child run in between.
pub(crate) static ERRAND: FlowSpec =
    FlowSpec { command: Command::Ship, phases: &["errand"], run: |run| Box::pin(errand(run)), ..BASE };

async fn errand(run: &Run<'_>) -> FlowResult<()> {
    let phase = run.phase("errand");
    let request = Artifact::named("request.md");
    let before: Artifact = local(&phase, Step::new("before").reads(&request), "before.md").await?;
    let child = ChildRequest {
        feature: format!("{}-inside", run.order().feature),
        request: "Rehearse inside.\n".to_owned(),
        flags: serde_json::Map::new(),
    };
    let inside = phase.child("rehearsal", &REHEARSAL, child).await?;
    let step = Step::new("after").reads(&before).reads(&Input::given("inside", &inside.files));
    phase
        .make(Artifact::named("after.md"), step, move |_| async move {
            let receipt = inside.files.get("receipt.md").cloned().unwrap_or_default();
            Ok(format!("{} left {receipt}\n", inside.document))
        })
        .await?;
    phase.finish(None).await
}

async fn side_sketch(phase: &PhaseHandle<'_>, side: &str) -> FlowResult<Artifacts> {
    let call = seat(&format!("sketch-{side}"))
        .step_id(format!("sketch/{side}"))
        .prompt("Sketch.")
        .reads("request.md")
        .writes(&format!("{side}.md"))
        .chain(["alpha"]);
    phase.agent(call).await
}

/// Agents of the crowd from `REHEARSAL_CHAIN`, separated by commas.
fn crowd_chain() -> Vec<String> {
    let chain = std::env::var("REHEARSAL_CHAIN").unwrap_or_else(|_| "alpha,beta".to_owned());
    chain.split(',').map(str::to_owned).collect()
}

/// Number of seats from `REHEARSAL_CROWD`, by default 200.
fn crowd_size() -> usize {
    std::env::var("REHEARSAL_CROWD").ok().and_then(|size| size.parse().ok()).unwrap_or(200)
}
