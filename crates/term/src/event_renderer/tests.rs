//! Events in, lines out.

use super::*;

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn run(resumed: bool) -> EventKind {
    EventKind::RunStarted { command: text("design"), feature: Some(text("limits")), resumed }
}

/// The name of a stage of a design.
fn name(number: &str) -> String {
    let (_, name) = [
        ("0", "setup"),
        ("1c", "questions"),
        ("1d", "discussion r1"),
        ("2a", "sketches"),
        ("2b", "full plan"),
        ("3", "plan review"),
        ("3.5", "discussion r2"),
        ("3b", "arch diagram"),
        ("4a", "post-design gate"),
        ("5", "cleanup"),
    ]
    .into_iter()
    .find(|(known, _)| *known == number)
    .unwrap();
    text(name)
}

fn began(number: &str) -> EventKind {
    EventKind::StageBegan { number: text(number), name: name(number), ledger: String::new(), payload: None }
}

fn ended(number: &str, ending: StageOutcome, payload: &str) -> EventKind {
    EventKind::StageEnded { number: text(number), name: name(number), ending, payload: text(payload) }
}

fn started(step: &str) -> EventKind {
    let why = text("never done");
    EventKind::StepStarted { phase: text("research"), step: text(step), attempt: 1, why }
}

fn reused(step: &str) -> EventKind {
    EventKind::StepReused { phase: text("research"), step: text(step) }
}

fn finished(step: &str, outputs: &[&str]) -> EventKind {
    let outputs = outputs.iter().map(|&name| text(name)).collect();
    EventKind::StepFinished { phase: text("research"), step: text(step), outputs }
}

fn lanes(title: &str, lanes: &[(&str, &str)]) -> EventKind {
    let lanes = lanes.iter().map(|(step, name)| (text(step), text(name))).collect();
    EventKind::Lanes { title: text(title), lanes }
}

fn render(renderer: &mut EventRenderer, events: &[(u64, EventKind)]) -> String {
    let lines = events.iter().flat_map(|(seconds, event)| renderer.render(event, at(*seconds)));
    // The rule is the same eighty characters every time.
    lines.collect::<Vec<_>>().join("\n").replace(&"━".repeat(80), "━━")
}

fn renderer() -> EventRenderer {
    renderer_with("")
}

/// A renderer in which every artifact says this.
fn renderer_with(text: &'static str) -> EventRenderer {
    EventRenderer::new(StepPrefix::default(), DocumentDisplay::Brief, Style::plain(), reader(text))
}

fn reader(text: &'static str) -> ArtifactReader {
    Arc::new(move |_| Ok(text.to_owned()))
}

#[test]
fn a_flow_with_stages_leaves_breadcrumbs() {
    let phase = EventKind::PhaseStarted { phase: text("research") };
    let unanswered = EventKind::AgentFinished {
        step: text("sketch/edge"),
        agent: text("codex"),
        status: text("timed out"),
        seconds: 41.0,
        usage: None,
    };
    let outcomes = [(text("accepted"), 5), (text("rejected"), 2)].into();
    let lines = render(
        &mut renderer(),
        &[
            (0, run(false)),
            (0, began("0")),
            (0, phase),
            (0, started("setup")),
            (3, finished("setup", &[])),
            (3, ended("0", StageOutcome::Done, "ready")),
            (3, began("1c")),
            (3, ended("1c", StageOutcome::Skipped, "skipped (auto mode)")),
            (3, began("2a")),
            (4, lanes("Sketches", &[("sketch/arch", "Arch"), ("sketch/edge", "Edge"), ("x", "None")])),
            (4, started("sketch/arch")),
            (4, started("sketch/edge")),
            (9, finished("sketch/arch", &["a.txt"])),
            (45, unanswered),
            (46, finished("sketch/edge", &[])),
            (46, ended("2a", StageOutcome::Done, "1 sketch")),
            (46, began("3")),
            (46, EventKind::VoteTallied { about: text("findings"), outcomes }),
            (47, EventKind::warning(text("a \u{1b}[31mred\nline"))),
            (48, ended("3", StageOutcome::Warning, "no quorum")),
            (49, began("5")),
            (50, ended("5", StageOutcome::Last, "design complete!")),
            (50, EventKind::RunFinished { status: text("done"), files: "/tmp/x".into() }),
        ],
    );
    insta::assert_snapshot!(lines, @r"
    starting design limits
    ━━
    > **🔶 0: setup**
    ✅ 0: setup — ready (3s)
    ⏩ 1c: questions — skipped (auto mode) (0s)
    ━━
    > **🔶 2a: sketches**
    📊 Sketches: | Arch: ⏳ | Edge: ⏳ | None: ⏳ |
    📊 Sketches: | Arch: ✅ 5s | Edge: ⏳ | None: ⏳ |
    ⏳ 2a: sketches — sketch/edge: codex gave no answer after 41s: timed out
    📊 Sketches: | Arch: ✅ 5s | Edge: ❌ 42s | None: ⏳ |
    📊 Sketches: | Arch: ✅ 5s | Edge: ❌ 42s | None: ⊘ |
    ✅ 2a: sketches — 1 sketch (43s)
    ⏳ 3: plan review — votes on findings: 5 accepted, 2 rejected
    **⚠ 3: plan review — a \u{1b}[31mred\nline**
    **⚠ 3: plan review — no quorum (2s)**
    ✅ 5: cleanup — design complete! (1s)
    done; files are in /tmp/x
    ");
}

#[test]
fn reused_steps_are_counted_not_listed() {
    let mut renderer = renderer();
    let first = render(
        &mut renderer,
        &[
            (0, run(true)),
            (0, began("0")),
            (0, reused("setup")),
            (0, ended("0", StageOutcome::Done, "ready")),
            (0, began("1c")),
            (0, ended("1c", StageOutcome::Skipped, "skipped (auto mode)")),
            (0, began("1d")),
            (0, ended("1d", StageOutcome::Warning, "cut short")),
            (0, began("2a")),
            (0, lanes("Sketches", &[("sketch/arch", "Arch"), ("sketch/edge", "Edge")])),
            (0, reused("sketch/arch")),
            (0, started("sketch/edge")),
            (5, finished("sketch/edge", &["e.txt"])),
            (5, ended("2a", StageOutcome::Done, "2 sketches")),
            (5, began("3.5")),
            (5, ended("3.5", StageOutcome::Skipped, "no additional decisions require discussion")),
            (5, began("4a")),
        ],
    );
    insta::assert_snapshot!(first, @r"
    resuming design limits
    resumed: 2 steps reused
    ━━
    > **🔶 2a: sketches**
    📊 Sketches: | Arch: ✅ | Edge: ⏳ |
    📊 Sketches: | Arch: ✅ | Edge: ✅ 5s |
    ✅ 2a: sketches — 2 sketches (5s)
    ⏩ 3.5: discussion r2 — no additional decisions require discussion (0s)
    ");
    assert_eq!(renderer.warnings(), ["1d: discussion r1 — cut short"]);
    let asked = renderer.announce_stage();
    assert_eq!(asked[1], "> **🔶 4a: post-design gate**");
    // Sent back: the flow goes through once more.
    let again = render(
        &mut renderer,
        &[
            (9, began("0")),
            (9, reused("setup")),
            (9, ended("0", StageOutcome::Done, "ready")),
            (9, began("1c")),
            (9, ended("1c", StageOutcome::Skipped, "skipped (auto mode)")),
            (9, began("2b")),
            (9, started("finish")),
            (11, finished("finish", &[])),
            (12, ended("2b", StageOutcome::Done, "plan")),
        ],
    );
    insta::assert_snapshot!(again, @r"
    revising: 1 step reused
    ━━
    > **🔶 2b: full plan**
    ✅ 2b: full plan — plan (3s)
    ");
}

#[test]
fn a_nested_run_numbers_after_its_caller_and_leaves_the_end_to_it() {
    let mut renderer = EventRenderer::new(
        StepPrefix::parse("1.::design plan"),
        DocumentDisplay::Hidden,
        Style::plain(),
        reader(""),
    );
    let plan = EventKind::Document { heading: text("Plan"), name: text("plan.txt") };
    let lines = render(
        &mut renderer,
        &[
            (0, run(false)),
            (0, began("2b")),
            (0, started("planner")),
            (1, plan.clone()),
            (9, finished("planner", &["plan.txt"])),
            (9, plan),
            (9, ended("2b", StageOutcome::Done, "plan")),
            (9, began("5")),
            (9, ended("5", StageOutcome::Last, "design complete!")),
        ],
    );
    insta::assert_snapshot!(lines, @r"
    starting design limits
    ━━
    > **🔶 1.2b: design plan | full plan**
    ✅ 1.2b: design plan | full plan — plan (9s)
    ");
}

#[test]
fn stages_of_a_worker_are_announced_and_shown_once() {
    let document = EventKind::Document { heading: text("Plan"), name: text("plan.txt") };
    let warning = "**⚠ 3b: architecture diagram — rejected**";
    let mut renderer = EventRenderer::new(
        StepPrefix::parse("1.::design plan"),
        DocumentDisplay::Brief,
        Style::plain(),
        reader("the plan\n"),
    );
    let lines = render(
        &mut renderer,
        &[
            (0, run(false)),
            (0, EventKind::StageHandedOver { number: text("2a"), name: name("2a") }),
            (9, EventKind::DocumentReplayed { heading: text("Plan"), name: text("plan.txt") }),
            (9, began("2a")),
            (9, lanes("Sketches", &[("sketch/arch", "Arch")])),
            (9, reused("sketch/arch")),
            (9, ended("2a", StageOutcome::Done, "synthesis saved")),
            (9, began("2b")),
            (9, reused("planner")),
            (9, document),
            (9, ended("2b", StageOutcome::Done, "saved")),
            (9, began("3b")),
            (9, EventKind::warning(text(warning))),
            (9, began("3.5")),
            (9, started("discusser")),
        ],
    );
    insta::assert_snapshot!(lines, @r"
    starting design limits
    ━━
    > **🔶 1.2a: design plan | sketches**

    ## Plan

    the plan

    **⚠ 1.3b: design plan | architecture diagram — rejected**
    ━━
    > **🔶 1.3.5: design plan | discussion r2**
    ");
}

#[test]
fn a_file_worth_reading_is_shown_when_it_is_new_and_cannot_drive_the_terminal() {
    let document = EventKind::Document { heading: text("Plan"), name: text("plan.txt") };
    let events = [
        (0, run(false)),
        (0, began("2b")),
        (0, document.clone()),
        (0, started("planner")),
        (1, finished("planner", &["plan.txt"])),
        (1, document),
    ];
    let lines = render(&mut renderer_with("one\n\u{1b}[2Jtwo\n"), &events);
    assert_eq!(
        lines,
        "starting design limits\n━━\n> **🔶 2b: full plan**\n\n## Plan\n\none\n\\u{1b}[2Jtwo\n"
    );
}

#[test]
fn a_flow_without_stages_prints_one_line_per_event() {
    let phase = EventKind::PhaseStarted { phase: text("gather") };
    let again = EventKind::StepStarted {
        phase: text("gather"),
        step: text("survey"),
        attempt: 2,
        why: text("interrupted"),
    };
    let lines = render(
        &mut renderer(),
        &[
            (0, run(true)),
            (0, phase),
            (0, started("survey")),
            (0, again),
            (0, EventKind::GateAnswered { gate: text("scope"), state: text("answered") }),
            (0, EventKind::PhaseFinished { phase: text("gather") }),
            (0, EventKind::RunFinished { status: text("waiting"), files: "/tmp/x".into() }),
        ],
    );
    insta::assert_snapshot!(lines, @r"
    resuming design limits
    gather
      survey
      survey (attempt 2: interrupted)
    scope: answered
    gather: complete
    waiting; files are in /tmp/x
    ");
}
