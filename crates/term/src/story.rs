//! The events of a run, told as lines: breadcrumbs where the flow has stages, one line per event where not.
//!
//! What an earlier process did already is not told again, only counted. Nothing here prints.

use crate::crew::Crew;
use crate::lanes::Worker;
use crate::style::{Style, Tone};
use crate::text::safe;
use charrette_engine::{Ending, EventKind};
use charrette_model::progress::{StageLabel, StepPrefix, Trail};
use charrette_model::shown::{one_line, shown};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How much of a file is shown.
const MOST_SHOWN: usize = 256 * 1024;

/// Reads an artifact of the run, or says why it cannot.
pub type ArtifactReader = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// What has been told so far, and where the run is.
pub(crate) struct Story {
    reader: ArtifactReader,
    trail: Trail,
    terse: bool,
    style: Style,
    /// The flow has stages.
    is_staged: bool,
    /// A phase that began, until it is known whether the flow has stages.
    phase: Option<String>,
    stage: Option<Stage>,
    /// Stages that began in this process.
    seen: BTreeSet<String>,
    /// The flow goes through what was done before.
    replay: Option<Replay>,
    crew: Crew,
    /// Files that were written in this process.
    written: BTreeSet<String>,
    warnings: Vec<String>,
    /// Steps that are done again, and why, until an agent is asked for one.
    again: BTreeMap<String, String>,
    is_over: bool,
}

#[derive(Debug)]
struct Stage {
    number: String,
    name: String,
    payload: Option<String>,
    began: Duration,
    is_shown: bool,
    reused_any: bool,
}

impl Stage {
    fn label(&self) -> StageLabel<'_> {
        StageLabel { number: &self.number, name: &self.name }
    }
}

#[derive(Debug)]
struct Replay {
    verb: &'static str,
    reused: usize,
}

impl Story {
    pub(crate) fn new(prefix: StepPrefix, terse: bool, style: Style, reader: ArtifactReader) -> Story {
        Story {
            reader,
            trail: Trail::new(prefix),
            terse,
            style,
            is_staged: false,
            phase: None,
            stage: None,
            seen: BTreeSet::new(),
            replay: None,
            crew: Crew::default(),
            written: BTreeSet::new(),
            warnings: Vec::new(),
            again: BTreeMap::new(),
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
        self.crew.rows(self.style, now)
    }

    /// Takes note of an event; returns the lines it is worth.
    pub(crate) fn hear(&mut self, event: &EventKind, now: Duration) -> Vec<String> {
        let mut lines = Vec::new();
        if matches!(event, EventKind::StageBegan { .. } | EventKind::HandedOver { .. }) {
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
            // What is handed to a caller belongs to no stage.
            EventKind::StepStarted { step, .. } if step.starts_with("hand-over/") => {}
            EventKind::StepStarted { step, .. } => {
                self.is_happening(lines);
                let table = self.crew.start(step, now);
                self.tell_table(table, lines);
            }
            EventKind::AgentStarted { step, agent } => self.crew.note(step, |worker| worker.seat(agent)),
            EventKind::AgentFinished { step, status, .. } if status != "ok" => {
                self.crew.note(step, Worker::unanswered);
            }
            EventKind::StepReused { step, .. } => {
                if let Some(replay) = &mut self.replay {
                    replay.reused += 1;
                }
                if let Some(stage) = &mut self.stage {
                    stage.reused_any = true;
                }
                self.crew.note(step, Worker::reuse);
            }
            EventKind::StepFinished { step, outputs, .. } => {
                self.written.extend(outputs.iter().cloned());
                let table = self.crew.end(step, |worker| worker.finish(now, !outputs.is_empty()));
                self.tell_table(table, lines);
            }
            EventKind::StepFailed { step, .. } => {
                let table = self.crew.end(step, |worker| worker.fail(now));
                self.tell_table(table, lines);
            }
            EventKind::Warning { message } => {
                let message = one_line(message);
                if !self.warnings.contains(&message) {
                    self.warnings.push(message);
                }
            }
            EventKind::WrittenElsewhere { names } => self.written.extend(names.iter().cloned()),
            EventKind::RunFinished { .. } => self.is_over = true,
            _ => {}
        }
    }

    /// The compact table after a change. Where the table is live, it is told once, when everybody is through.
    fn tell_table(&mut self, table: Option<String>, lines: &mut Vec<String>) {
        if !self.style.is_tty {
            lines.extend(table);
        } else if self.crew.is_through() {
            self.dismiss(lines);
        }
    }

    fn dismiss(&mut self, lines: &mut Vec<String>) {
        if let Some((table, is_news)) = self.crew.dismiss()
            && (self.style.is_tty || is_news)
        {
            lines.push(table);
        }
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
            let [rule, start] = self.trail.start(stage.label(), stage.payload.as_deref());
            lines.push(self.style.paint(Tone::Quiet, &rule));
            lines.push(self.style.paint(Tone::Heading, &start));
        }
    }

    fn tell_stages(&mut self, event: &EventKind, now: Duration, lines: &mut Vec<String>) {
        match event {
            EventKind::StageBegan { number, name, payload, .. } => {
                self.dismiss(lines);
                if !self.seen.insert(number.clone()) && self.replay.is_none() {
                    // The flow goes through once more from its beginning.
                    self.seen = BTreeSet::from([number.clone()]);
                    self.replay = Some(Replay { verb: "revising", reused: 0 });
                }
                let (number, name) = (number.clone(), name.clone());
                let payload = payload.as_deref().map(one_line);
                self.stage =
                    Some(Stage { number, name, payload, began: now, is_shown: false, reused_any: false });
            }
            EventKind::HandedOver { number, name } => {
                self.dismiss(lines);
                // Who works there tells nothing here, so it has to be told that the stage begins.
                let (number, name) = (number.clone(), name.clone());
                self.stage = Some(Stage {
                    number,
                    name,
                    payload: None,
                    began: now,
                    is_shown: false,
                    reused_any: true,
                });
                self.is_happening(lines);
            }
            EventKind::Replayed { heading, name } => self.tell_document(heading, name, lines),
            EventKind::StageEnded { number, name, ending, payload } => {
                self.dismiss(lines);
                self.end_stage(StageLabel { number, name }, *ending, &one_line(payload), now, lines);
            }
            EventKind::Lanes { title, lanes } => {
                self.dismiss(lines);
                self.crew.call(title, lanes, now);
            }
            EventKind::Line { text } if self.replay.is_none() => {
                lines.extend(safe(text).lines().map(str::to_owned));
            }
            EventKind::Document { heading, name } if self.written.contains(name) => {
                self.tell_document(heading, name, lines);
            }
            EventKind::RunStarted { .. } | EventKind::RunFinished { .. } => {
                if self.is_over {
                    self.dismiss(lines);
                    self.stage = None;
                    self.is_happening(lines);
                }
                lines.extend(self.tell_plainly(event));
            }
            EventKind::StepStarted { step, attempt, why, .. } if *attempt > 1 => {
                self.again.insert(step.clone(), format!("{step} (attempt {attempt}: {})", shown(why)));
            }
            // What costs nothing is done again without a word.
            EventKind::AgentStarted { step, .. } => {
                if let Some(again) = self.again.remove(step) {
                    lines.push(self.under_way(&again));
                }
            }
            EventKind::StepFailed { step, error, .. } => {
                let first = error.lines().next().unwrap_or_default();
                lines.push(self.warned(&format!("{step} failed: {}", one_line(first))));
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
        label: StageLabel<'_>,
        ending: Ending,
        payload: &str,
        now: Duration,
        lines: &mut Vec<String>,
    ) {
        let stage = self.stage.as_ref().filter(|stage| stage.number == label.number);
        let is_new = self.replay.is_none() && stage.is_none_or(|stage| !stage.reused_any);
        let is_told = stage.is_some_and(|stage| stage.is_shown) || is_new;
        let seconds = stage.map_or(0, |stage| now.saturating_sub(stage.began).as_secs());
        if ending == Ending::Warning {
            let warning = format!("{}: {} — {payload}", label.number, label.name);
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        if !is_told {
            return;
        }
        let (tone, line) = match ending {
            // Only the last stage ends a run, and a nested run leaves that to its caller.
            Ending::Last => (Tone::Good, self.trail.closing(label, payload, seconds)),
            Ending::Done => (Tone::Good, Some(self.trail.done(label, payload, seconds))),
            Ending::Skipped => (Tone::Quiet, Some(self.trail.skipped(label, payload, seconds))),
            Ending::Warning => (Tone::Attention, Some(self.trail.warning(label, payload, Some(seconds)))),
        };
        lines.extend(line.map(|line| self.style.paint(tone, &line)));
        // What still happens before the next one begins is not worth its start.
        if let Some(stage) = &mut self.stage {
            stage.is_shown = true;
        }
    }

    fn tell_document(&self, heading: &str, name: &str, lines: &mut Vec<String>) {
        let heading = one_line(heading);
        if self.terse {
            // The end of the stage says that it is there; whoever called this run knows where.
            return;
        }
        let opened = self.opening(name);
        if opened.as_ref().is_ok_and(|(text, _)| text.trim().is_empty()) {
            return;
        }
        lines.push(String::new());
        lines.push(self.style.paint(Tone::Heading, &format!("## {heading}")));
        lines.push(String::new());
        match opened {
            Ok((text, is_cut)) => {
                // A file may bring the heading along.
                let text = text.trim_start().strip_prefix(&format!("## {heading}\n")).unwrap_or(&text);
                lines.extend(safe(text.trim_start_matches('\n')).lines().map(str::to_owned));
                if is_cut {
                    lines.push(format!("… the rest is in {}", one_line(name)));
                }
            }
            Err(error) => lines.push(format!("(it cannot be shown: {})", one_line(&error))),
        }
        lines.push(String::new());
    }

    /// The beginning of an artifact, and whether there is more of it.
    fn opening(&self, name: &str) -> Result<(String, bool), String> {
        let text = (self.reader)(name)?;
        let cut = (0..=MOST_SHOWN.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        Ok((text[..cut].to_owned(), cut < text.len()))
    }

    fn under_way(&self, payload: &str) -> String {
        match &self.stage {
            Some(stage) => self.trail.under_way(stage.label(), payload),
            None => format!("⏳ {payload}"),
        }
    }

    fn warned(&self, payload: &str) -> String {
        let line = match &self.stage {
            Some(stage) if is_marked(payload) => self.trail.placed(stage.label(), payload),
            None if is_marked(payload) => payload.to_owned(),
            Some(stage) => self.trail.warning(stage.label(), payload, None),
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
            EventKind::Warning { message } if is_marked(message) => {
                self.style.paint(Tone::Attention, &one_line(message))
            }
            EventKind::Warning { message } => {
                self.style.paint(Tone::Attention, &format!("Warning: {}", one_line(message)))
            }
            EventKind::RunFinished { status, files } => {
                format!("{status}; everything is in {}", one_line(files))
            }
            _ => return None,
        })
    }
}

/// Whether a warning says of itself that it is one.
fn is_marked(message: &str) -> bool {
    message.starts_with("**⚠")
}

#[cfg(test)]
mod tests;
