//! The events of a run, told as lines: breadcrumbs where the flow has stages, one line per event where not.
//!
//! What an earlier process did already is not told again, only counted. Nothing here prints.

use crate::lanes::{Panel, Worker, rows};
use crate::style::{Style, Tone};
use crate::text::safe;
use charrette_engine::{Ending, EventKind};
use charrette_model::progress::{Step, StepPrefix, Trail};
use charrette_model::shown::{one_line, shown};
use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

/// How much of a file is shown.
const MOST_SHOWN: u64 = 256 * 1024;

/// What has been told so far, and where the run is.
#[derive(Debug)]
pub(crate) struct Story {
    trail: Trail,
    terse: bool,
    style: Style,
    /// The flow has stages.
    is_staged: bool,
    /// A phase that began, until it is known whether the flow has stages.
    phase: Option<String>,
    stage: Option<Stage>,
    /// Stages that began in this process.
    seen: BTreeSet<&'static str>,
    /// The flow goes through what was done before.
    replay: Option<Replay>,
    panel: Option<Panel>,
    /// Somebody of the panel worked in this process.
    is_panel_at_work: bool,
    others: Vec<Worker>,
    /// Files that were written in this process.
    written: BTreeSet<String>,
    warnings: Vec<String>,
    is_over: bool,
}

#[derive(Debug)]
struct Stage {
    step: Step,
    payload: Option<String>,
    began: Duration,
    is_shown: bool,
    reused_any: bool,
}

#[derive(Debug)]
struct Replay {
    verb: &'static str,
    reused: usize,
}

impl Story {
    pub(crate) fn new(prefix: StepPrefix, terse: bool, style: Style) -> Story {
        Story {
            trail: Trail::new(prefix),
            terse,
            style,
            is_staged: false,
            phase: None,
            stage: None,
            seen: BTreeSet::new(),
            replay: None,
            panel: None,
            is_panel_at_work: false,
            others: Vec::new(),
            written: BTreeSet::new(),
            warnings: Vec::new(),
            is_over: false,
        }
    }

    /// What people should know at the end, once each.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The rows that tick.
    pub(crate) fn rows(&self, now: Duration) -> Vec<String> {
        if self.is_over {
            return Vec::new();
        }
        let panel = self.panel.as_ref().filter(|_| self.is_panel_at_work);
        rows(panel, &self.others, self.style, now)
    }

    /// Takes note of an event; returns the lines it is worth.
    pub(crate) fn hear(&mut self, event: &EventKind, now: Duration) -> Vec<String> {
        let mut lines = Vec::new();
        if matches!(event, EventKind::StageBegan { .. }) {
            self.is_staged = true;
        }
        if let Some(phase) = self.phase.take().filter(|_| !self.is_staged) {
            lines.push(phase);
        }
        let warnings = self.warnings.len();
        self.note(event, now, &mut lines);
        let is_repeated = matches!(event, EventKind::Warning { .. }) && self.warnings.len() == warnings;
        if is_repeated && self.is_staged {
            // A flow that goes through once more warns once more.
        } else if self.is_staged {
            self.tell_stages(event, now, &mut lines);
        } else {
            lines.extend(self.tell_plainly(event));
        }
        lines
    }

    /// Something is about to happen at this stage that a person sees.
    pub(crate) fn reveal(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        self.is_happening(&mut lines);
        lines
    }

    /// Keeps count of who works and what was written.
    fn note(&mut self, event: &EventKind, now: Duration, lines: &mut Vec<String>) {
        match event {
            EventKind::StepStarted { step, .. } => {
                self.is_happening(lines);
                let is_first = !self.is_panel_at_work;
                match self.panel.as_mut().and_then(|panel| panel.worker(step)) {
                    Some(worker) => {
                        worker.start(now);
                        self.is_panel_at_work = true;
                        if is_first {
                            self.tell_panel(lines);
                        }
                    }
                    None => {
                        self.others.retain(|other| other.step != *step);
                        let mut worker = Worker::new(step, step);
                        worker.start(now);
                        self.others.push(worker);
                    }
                }
            }
            EventKind::AgentStarted { step, agent } => self.worker(step, |worker| worker.seat(agent)),
            EventKind::AgentFinished { step, status, .. } if status != "ok" => {
                self.worker(step, Worker::unanswered);
            }
            EventKind::StepReused { step, .. } => {
                if let Some(replay) = &mut self.replay {
                    replay.reused += 1;
                }
                if let Some(stage) = &mut self.stage {
                    stage.reused_any = true;
                }
                self.worker(step, Worker::reuse);
            }
            EventKind::StepFinished { step, outputs, .. } => {
                self.written.extend(outputs.iter().cloned());
                self.end_work(step, lines, |worker| worker.finish(now, !outputs.is_empty()));
            }
            EventKind::StepFailed { step, .. } => self.end_work(step, lines, |worker| worker.fail(now)),
            EventKind::Warning { message } => {
                let message = one_line(message);
                if !self.warnings.contains(&message) {
                    self.warnings.push(message);
                }
            }
            EventKind::RunFinished { .. } => self.is_over = true,
            _ => {}
        }
    }

    fn worker(&mut self, step: &str, change: impl FnOnce(&mut Worker)) {
        let panel = self.panel.as_mut().and_then(|panel| panel.worker(step));
        let worker = panel.or_else(|| self.others.iter_mut().find(|worker| worker.step == step));
        if let Some(worker) = worker {
            change(worker);
        }
    }

    fn end_work(&mut self, step: &str, lines: &mut Vec<String>, change: impl FnOnce(&mut Worker)) {
        self.others.retain(|worker| worker.step != step);
        if let Some(worker) = self.panel.as_mut().and_then(|panel| panel.worker(step)) {
            change(worker);
            self.tell_panel(lines);
        }
    }

    /// The compact table after a change. Where the table is live, it is told once, when it goes.
    fn tell_panel(&self, lines: &mut Vec<String>) {
        if !self.style.is_tty {
            lines.extend(self.panel.as_ref().map(Panel::line));
        }
    }

    fn close_panel(&mut self, lines: &mut Vec<String>) {
        let Some(mut panel) = self.panel.take() else { return };
        let any_left = panel.dismiss();
        if self.is_panel_at_work && (self.style.is_tty || any_left) {
            lines.push(panel.line());
        }
        self.is_panel_at_work = false;
    }

    /// Something really happens here: what was held back is told first.
    fn is_happening(&mut self, lines: &mut Vec<String>) {
        if !self.is_staged {
            return;
        }
        if let Some(Replay { verb, reused }) = self.replay.take().filter(|replay| replay.reused > 0) {
            let steps = if reused == 1 { "1 step".to_owned() } else { format!("{reused} steps") };
            lines.push(self.style.paint(Tone::Quiet, &format!("{verb}: {steps} reused")));
        }
        if let Some(stage) = self.stage.as_mut().filter(|stage| !stage.is_shown) {
            stage.is_shown = true;
            let [rule, start] = self.trail.start(stage.step, stage.payload.as_deref());
            lines.push(self.style.paint(Tone::Quiet, &rule));
            lines.push(self.style.paint(Tone::Heading, &start));
        }
    }

    fn tell_stages(&mut self, event: &EventKind, now: Duration, lines: &mut Vec<String>) {
        match event {
            EventKind::StageBegan { number, payload } => {
                self.close_panel(lines);
                if !self.seen.insert(number) && self.replay.is_none() {
                    // The flow goes through once more from its beginning.
                    self.seen = BTreeSet::from([*number]);
                    self.replay = Some(Replay { verb: "revising", reused: 0 });
                }
                let step = registered(number);
                let payload = payload.as_deref().map(one_line);
                self.stage = Some(Stage { step, payload, began: now, is_shown: false, reused_any: false });
            }
            EventKind::StageEnded { number, ending, payload } => {
                self.close_panel(lines);
                self.end_stage(number, *ending, &one_line(payload), now, lines);
            }
            EventKind::Lanes { title, lanes } => {
                self.close_panel(lines);
                self.panel = Some(Panel::new(title, lanes, now));
            }
            EventKind::Document { heading, name, path } if self.written.contains(name) => {
                self.tell_document(heading, path, lines);
            }
            EventKind::RunStarted { .. } | EventKind::RunFinished { .. } => {
                if self.is_over {
                    self.close_panel(lines);
                    self.stage = None;
                    self.is_happening(lines);
                }
                lines.extend(self.tell_plainly(event));
            }
            EventKind::StepStarted { step, attempt, why, .. } if *attempt > 1 => {
                lines.push(self.under_way(&format!("{step} (attempt {attempt}: {})", shown(why))));
            }
            EventKind::StepFailed { step, error, .. } => {
                lines.push(self.warned(&format!("{step} failed: {}", one_line(error))));
            }
            EventKind::AgentFinished { step, agent, status, seconds, .. } if status != "ok" => {
                let said = format!("{step}: {agent} gave no answer after {seconds:.0}s: {}", shown(status));
                lines.push(self.under_way(&said));
            }
            // What no flow plans for is called after its sort and its place.
            EventKind::GateAnswered { gate, state } if gate.contains('/') => {
                lines.push(self.under_way(&format!("{gate}: {state}")));
            }
            EventKind::VoteTallied { about, outcomes } if self.replay.is_none() => {
                let counts: Vec<String> =
                    outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
                lines.push(self.under_way(&format!("votes on {about}: {}", counts.join(", "))));
            }
            EventKind::Warning { message } => lines.push(self.warned(&one_line(message))),
            _ => {}
        }
    }

    fn end_stage(
        &mut self,
        number: &'static str,
        ending: Ending,
        payload: &str,
        now: Duration,
        lines: &mut Vec<String>,
    ) {
        let stage = self.stage.as_ref().filter(|stage| stage.step.number == number);
        let step = stage.map_or_else(|| registered(number), |stage| stage.step);
        let is_new = self.replay.is_none() && stage.is_none_or(|stage| !stage.reused_any);
        let is_told = stage.is_some_and(|stage| stage.is_shown) || is_new;
        let seconds = stage.map_or(0, |stage| now.saturating_sub(stage.began).as_secs());
        if ending == Ending::Warning {
            let warning = format!("{number}: {} — {payload}", step.name);
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        if !is_told {
            return;
        }
        let (tone, line) = match ending {
            // Only the last stage ends a run, and a nested run leaves that to its caller.
            Ending::Done if number == "5" => (Tone::Good, self.trail.closing(step, payload, seconds)),
            Ending::Done => (Tone::Good, Some(self.trail.done(step, payload, seconds))),
            Ending::Skipped => (Tone::Quiet, Some(self.trail.skipped(step, payload, seconds))),
            Ending::NotPossible => (Tone::Quiet, Some(self.trail.not_possible(step, payload, seconds))),
            Ending::Warning => (Tone::Attention, Some(self.trail.warning(step, payload, Some(seconds)))),
        };
        lines.extend(line.map(|line| self.style.paint(tone, &line)));
    }

    fn tell_document(&self, heading: &str, path: &Path, lines: &mut Vec<String>) {
        let heading = one_line(heading);
        if self.terse {
            lines.push(self.under_way(&format!("{heading}: {}", one_line(&path.display().to_string()))));
            return;
        }
        lines.push(String::new());
        lines.push(self.style.paint(Tone::Heading, &format!("## {heading}")));
        lines.push(String::new());
        match opening(path) {
            Ok((text, is_cut)) => {
                lines.extend(safe(&text).lines().map(str::to_owned));
                if is_cut {
                    lines.push(format!("… the rest is in {}", path.display()));
                }
            }
            Err(error) => lines.push(format!("(it cannot be shown: {})", one_line(&error.to_string()))),
        }
        lines.push(String::new());
    }

    fn under_way(&self, payload: &str) -> String {
        match &self.stage {
            Some(stage) => self.trail.under_way(stage.step, payload),
            None => format!("⏳ {payload}"),
        }
    }

    fn warned(&self, payload: &str) -> String {
        let line = match &self.stage {
            Some(stage) => self.trail.warning(stage.step, payload, None),
            None => format!("Warning: {payload}"),
        };
        self.style.paint(Tone::Attention, &line)
    }

    /// One line per event that is worth one.
    fn tell_plainly(&mut self, event: &EventKind) -> Option<String> {
        Some(match event {
            EventKind::RunStarted { command, feature, resumed } => {
                let verb = if *resumed { "resuming" } else { "starting" };
                self.replay = resumed.then_some(Replay { verb: "resumed", reused: 0 });
                format!("{verb} {command} {}", feature.as_deref().unwrap_or_default())
            }
            EventKind::PhaseStarted { phase } => {
                self.phase = Some(phase.clone());
                return None;
            }
            EventKind::PhaseFinished { phase } => format!("{phase}: complete"),
            EventKind::StepStarted { step, attempt, why, .. } => match attempt {
                1 => format!("  {step}"),
                _ => format!("  {step} (attempt {attempt}: {})", shown(why)),
            },
            EventKind::StepFailed { step, error, .. } => format!("  {step}: failed: {}", shown(error)),
            EventKind::AgentFinished { step, agent, status, seconds, .. } if status != "ok" => {
                format!("  {step}: {agent} gave no answer after {seconds:.0}s: {}", shown(status))
            }
            EventKind::GateAnswered { gate, state } => format!("{gate}: {state}"),
            EventKind::Warning { message } => {
                self.style.paint(Tone::Attention, &format!("Warning: {}", one_line(message)))
            }
            EventKind::RunFinished { status, files } => {
                format!("{status}; everything is in {}", files.display())
            }
            _ => return None,
        })
    }
}

/// The stage of that number; one that is not in the registry is called by its number.
fn registered(number: &'static str) -> Step {
    Step::design(number).unwrap_or(Step { number, name: "stage", ledger: "", phase: "" })
}

/// The beginning of a file, and whether there is more.
fn opening(path: &Path) -> std::io::Result<(String, bool)> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(MOST_SHOWN + 1).read_to_end(&mut bytes)?;
    let is_cut = bytes.len() as u64 > MOST_SHOWN;
    bytes.truncate(usize::try_from(MOST_SHOWN).unwrap_or(usize::MAX));
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_cut))
}

#[cfg(test)]
mod tests {
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

    fn began(number: &'static str) -> EventKind {
        EventKind::StageBegan { number, payload: None }
    }

    fn ended(number: &'static str, ending: Ending, payload: &str) -> EventKind {
        EventKind::StageEnded { number, ending, payload: text(payload) }
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

    fn told(story: &mut Story, events: &[(u64, EventKind)]) -> String {
        let lines = events.iter().flat_map(|(seconds, event)| story.hear(event, at(*seconds)));
        // The rule is the same eighty characters every time.
        lines.collect::<Vec<_>>().join("\n").replace(&"━".repeat(80), "━━")
    }

    fn story() -> Story {
        Story::new(StepPrefix::default(), false, Style::plain())
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
        let told = told(
            &mut story(),
            &[
                (0, run(false)),
                (0, began("0")),
                (0, phase),
                (0, started("setup")),
                (3, finished("setup", &[])),
                (3, ended("0", Ending::Done, "ready")),
                (3, began("1c")),
                (3, ended("1c", Ending::Skipped, "skipped (auto mode)")),
                (3, began("2a")),
                (4, lanes("Sketches", &[("sketch/arch", "Arch"), ("sketch/edge", "Edge"), ("x", "None")])),
                (4, started("sketch/arch")),
                (4, started("sketch/edge")),
                (9, finished("sketch/arch", &["a.txt"])),
                (45, unanswered),
                (46, finished("sketch/edge", &[])),
                (46, ended("2a", Ending::Done, "1 sketch")),
                (46, began("3")),
                (46, EventKind::VoteTallied { about: text("findings"), outcomes }),
                (47, EventKind::Warning { message: text("a \u{1b}[31mred\nline") }),
                (48, ended("3", Ending::Warning, "no quorum")),
                (49, began("5")),
                (50, ended("5", Ending::Done, "design complete!")),
                (50, EventKind::RunFinished { status: text("done"), files: "/tmp/x".into() }),
            ],
        );
        insta::assert_snapshot!(told, @r"
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
        done; everything is in /tmp/x
        ");
    }

    #[test]
    fn what_was_done_before_is_counted_not_told() {
        let mut story = story();
        let told_first = told(
            &mut story,
            &[
                (0, run(true)),
                (0, began("0")),
                (0, reused("setup")),
                (0, ended("0", Ending::Done, "ready")),
                (0, began("1c")),
                (0, ended("1c", Ending::Skipped, "skipped (auto mode)")),
                (0, began("1d")),
                (0, ended("1d", Ending::Warning, "cut short")),
                (0, began("2a")),
                (0, lanes("Sketches", &[("sketch/arch", "Arch"), ("sketch/edge", "Edge")])),
                (0, reused("sketch/arch")),
                (0, started("sketch/edge")),
                (5, finished("sketch/edge", &["e.txt"])),
                (5, ended("2a", Ending::Done, "2 sketches")),
                (5, began("3.5")),
                (5, ended("3.5", Ending::Skipped, "no additional decisions require discussion")),
                (5, began("4a")),
            ],
        );
        insta::assert_snapshot!(told_first, @r"
        resuming design limits
        resumed: 2 steps reused
        ━━
        > **🔶 2a: sketches**
        📊 Sketches: | Arch: ✅ | Edge: ⏳ |
        📊 Sketches: | Arch: ✅ | Edge: ✅ 5s |
        ✅ 2a: sketches — 2 sketches (5s)
        ⏩ 3.5: discussion r2 — no additional decisions require discussion (0s)
        ");
        assert_eq!(story.warnings(), ["1d: discussion r1 — cut short"]);
        let asked = story.reveal();
        assert_eq!(asked[1], "> **🔶 4a: post-design gate**");
        // Sent back: the flow goes through once more.
        let again = told(
            &mut story,
            &[
                (9, began("0")),
                (9, reused("setup")),
                (9, ended("0", Ending::Done, "ready")),
                (9, began("1c")),
                (9, ended("1c", Ending::Skipped, "skipped (auto mode)")),
                (9, began("2b")),
                (9, started("finish")),
                (11, finished("finish", &[])),
                (12, ended("2b", Ending::Done, "plan")),
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
        let mut story = Story::new(StepPrefix::parse("1.::design plan"), true, Style::plain());
        let path = std::path::PathBuf::from("/nowhere/plan.txt");
        let plan = EventKind::Document { heading: text("Plan"), name: text("plan.txt"), path };
        let told = told(
            &mut story,
            &[
                (0, run(false)),
                (0, began("2b")),
                (0, started("planner")),
                (1, plan.clone()),
                (9, finished("planner", &["plan.txt"])),
                (9, plan),
                (9, ended("2b", Ending::Done, "plan")),
                (9, began("5")),
                (9, ended("5", Ending::Done, "design complete!")),
            ],
        );
        insta::assert_snapshot!(told, @r"
        starting design limits
        ━━
        > **🔶 1.2b: design plan | full plan**
        ⏳ 1.2b: design plan | full plan — Plan: /nowhere/plan.txt
        ✅ 1.2b: design plan | full plan — plan (9s)
        ");
    }

    #[test]
    fn a_file_worth_reading_is_shown_when_it_is_new_and_cannot_drive_the_terminal() {
        let path = std::env::temp_dir().join(format!("charrette-story-{}.txt", std::process::id()));
        fs_err::write(&path, "one\n\u{1b}[2Jtwo\n").unwrap();
        let document =
            EventKind::Document { heading: text("Plan"), name: text("plan.txt"), path: path.clone() };
        let events = [
            (0, run(false)),
            (0, began("2b")),
            (0, document.clone()),
            (0, started("planner")),
            (1, finished("planner", &["plan.txt"])),
            (1, document),
        ];
        let told = told(&mut story(), &events);
        fs_err::remove_file(path).unwrap();
        assert_eq!(
            told,
            "starting design limits\n━━\n> **🔶 2b: full plan**\n\n## Plan\n\none\n\\u{1b}[2Jtwo\n"
        );
    }

    #[test]
    fn a_flow_without_stages_is_told_event_by_event() {
        let phase = EventKind::PhaseStarted { phase: text("gather") };
        let again = EventKind::StepStarted {
            phase: text("gather"),
            step: text("survey"),
            attempt: 2,
            why: text("interrupted"),
        };
        let told = told(
            &mut story(),
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
        insta::assert_snapshot!(told, @r"
        resuming design limits
        gather
          survey
          survey (attempt 2: interrupted)
        scope: answered
        gather: complete
        waiting; everything is in /tmp/x
        ");
    }
}
