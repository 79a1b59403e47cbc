//! Renders the events of a run as lines: breadcrumbs if the flow has stages, otherwise one line per event.
//!
//! Reused steps of an earlier process are counted, not listed. Nothing here prints.

use crate::lanes::LaneRow;
use crate::live_table::LiveTable;
use crate::markdown::{render_markdown, unmarked};
use crate::style::{Style, Tone};
use crate::text::{fit, safe, wrapped_painted};
use charrette_engine::{EventKind, StageOutcome};
use charrette_model::escape::{one_line, printable};
use charrette_model::progress::{Breadcrumbs, StageLabel, StepPrefix};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of bytes shown of a document.
const MAX_DOCUMENT_BYTES: usize = 256 * 1024;

/// Reads an artifact of the run, or returns the reason why it cannot.
pub type ArtifactReader = Arc<dyn Fn(&str) -> Result<String, String> + Send + Sync>;

/// Display of the documents of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocumentDisplay {
    /// Whole in a log; at a terminal by name.
    #[default]
    Brief,
    /// Whole.
    Whole,
    /// Not at all: the caller of a nested run knows where they are.
    Hidden,
}

/// State of the rendering: the current stage, lanes and warnings.
pub(crate) struct EventRenderer {
    reader: ArtifactReader,
    breadcrumbs: Breadcrumbs,
    documents: DocumentDisplay,
    style: Style,
    /// True if the flow has stages.
    is_staged: bool,
    /// Heading of a phase, held back until it is known whether the flow has stages.
    phase: Option<String>,
    stage: Option<Stage>,
    /// Numbers of the stages that began in this process.
    started_stages: BTreeSet<String>,
    /// Set while the flow replays recorded steps.
    replay: Option<Replay>,
    table: LiveTable,
    /// Files that were written in this process.
    written: BTreeSet<String>,
    warnings: Vec<String>,
    /// Retried steps with their lines, held back until an agent is called for them.
    retries: BTreeMap<String, String>,
    is_finished: bool,
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

impl EventRenderer {
    pub(crate) fn new(
        prefix: StepPrefix,
        documents: DocumentDisplay,
        style: Style,
        reader: ArtifactReader,
    ) -> EventRenderer {
        EventRenderer {
            reader,
            breadcrumbs: Breadcrumbs::new(prefix),
            documents,
            style,
            is_staged: false,
            phase: None,
            stage: None,
            started_stages: BTreeSet::new(),
            replay: None,
            table: LiveTable::default(),
            written: BTreeSet::new(),
            warnings: Vec::new(),
            retries: BTreeMap::new(),
            is_finished: false,
        }
    }

    /// All warnings, once each.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Rows of the live table.
    pub(crate) fn rows(&self, now: Duration) -> Vec<String> {
        if self.is_finished {
            return Vec::new();
        }
        let mut rows = self.table.rows(self.style, now);
        if let Some(stage) = self.stage.as_ref().filter(|stage| !stage.is_shown && !rows.is_empty()) {
            let [_, start] = self.breadcrumbs.start(stage.label(), stage.payload.as_deref());
            rows.insert(0, fit(&unmarked(&start), self.style.width.saturating_sub(1)));
        }
        rows
    }

    /// Renders an event.
    pub(crate) fn render(&mut self, event: &EventKind, now: Duration) -> Vec<String> {
        if self.style.is_tty && matches!(event, EventKind::Warning { log_only: true, .. }) {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if matches!(event, EventKind::StageBegan { .. } | EventKind::StageHandedOver { .. }) {
            self.is_staged = true;
        }
        if let Some(phase) = self.phase.take().filter(|_| !self.is_staged) {
            lines.push(phase);
        }
        let warnings = self.warnings.len();
        self.track(event, now, &mut lines);
        let is_repeated = matches!(event, EventKind::Warning { .. }) && self.warnings.len() == warnings;
        if is_repeated && self.is_staged {
            // A flow that runs again from its beginning repeats its warnings.
        } else if self.is_staged {
            self.render_staged(event, now, &mut lines);
        } else {
            lines.extend(self.render_plain(event));
        }
        if matches!(event, EventKind::RunFinished { .. }) {
            // It names a folder, which must not be broken.
            return lines;
        }
        self.for_screen(lines)
    }

    /// Heading of the current stage, if it was not shown yet.
    pub(crate) fn announce_stage(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        self.flush_reused(&mut lines);
        self.flush_stage(&mut lines);
        self.for_screen(lines)
    }

    /// Lines without Markdown, wrapped to the width; those of a log are left as they are.
    fn for_screen(&self, lines: Vec<String>) -> Vec<String> {
        if !self.style.is_tty {
            return lines;
        }
        lines.iter().flat_map(|line| wrapped_painted(&unmarked(line), self.style.width)).collect()
    }

    /// Updates the live table, the written files and the warnings.
    fn track(&mut self, event: &EventKind, now: Duration, lines: &mut Vec<String>) {
        match event {
            // Results for a caller belong to no stage.
            EventKind::StepStarted { step, .. } if step.starts_with("hand-over/") => {}
            EventKind::StepStarted { step, .. } => {
                self.flush_headings(lines);
                let table = self.table.start(step, now);
                self.push_table(table, lines);
            }
            EventKind::AgentStarted { step, agent } => self.table.update(step, |row| row.set_agent(agent)),
            EventKind::AgentFinished { step, status, .. } if is_failure(status) => {
                self.table.update(step, LaneRow::mark_unanswered);
            }
            EventKind::StepReused { step, .. } => {
                if let Some(replay) = &mut self.replay {
                    replay.reused += 1;
                }
                if let Some(stage) = &mut self.stage {
                    stage.reused_any = true;
                }
                self.table.update(step, LaneRow::mark_reused);
            }
            EventKind::StepFinished { step, outputs, .. } => {
                self.written.extend(outputs.iter().cloned());
                let table = self.table.finish(step, |row| row.finish(now, !outputs.is_empty()));
                self.push_table(table, lines);
            }
            EventKind::StepFailed { step, .. } => {
                let table = self.table.finish(step, |row| row.fail(now));
                self.push_table(table, lines);
            }
            EventKind::Warning { message, .. } => {
                let message = one_line(message);
                if !self.warnings.contains(&message) {
                    self.warnings.push(message);
                }
            }
            EventKind::DocumentsWrittenElsewhere { names } => self.written.extend(names.iter().cloned()),
            EventKind::RunFinished { .. } => self.is_finished = true,
            _ => {}
        }
    }

    /// Adds the compact table after a change. With a live table it is added once, when all lanes have ended.
    fn push_table(&mut self, table: Option<String>, lines: &mut Vec<String>) {
        if !self.style.is_tty {
            lines.extend(table);
        } else if self.table.is_panel_done() {
            self.close_panel(lines);
        }
    }

    fn close_panel(&mut self, lines: &mut Vec<String>) {
        if let Some((table, has_skipped)) = self.table.close_panel(self.style.is_tty)
            && (self.style.is_tty || has_skipped)
        {
            lines.push(table);
        }
    }

    /// Adds the headings that were held back: the count of reused steps and the start of the stage. At a terminal, the
    /// live table shows the stage, and the line of its end is enough.
    fn flush_headings(&mut self, lines: &mut Vec<String>) {
        if !self.is_staged {
            return;
        }
        self.flush_reused(lines);
        if !self.style.is_tty {
            self.flush_stage(lines);
        }
    }

    fn flush_reused(&mut self, lines: &mut Vec<String>) {
        if let Some(Replay { verb, reused }) = self.replay.take().filter(|replay| replay.reused > 0) {
            let steps = if reused == 1 { "1 step".to_owned() } else { format!("{reused} steps") };
            lines.push(self.style.paint(Tone::Quiet, &format!("{verb}: {steps} reused")));
        }
    }

    fn flush_stage(&mut self, lines: &mut Vec<String>) {
        if let Some(stage) = self.stage.as_mut().filter(|stage| !stage.is_shown) {
            stage.is_shown = true;
            let [rule, start] = self.breadcrumbs.start(stage.label(), stage.payload.as_deref());
            if !self.style.is_tty {
                lines.push(self.style.paint(Tone::Quiet, &rule));
            }
            lines.push(self.style.paint(Tone::Heading, &start));
        }
    }

    fn render_staged(&mut self, event: &EventKind, now: Duration, lines: &mut Vec<String>) {
        match event {
            EventKind::StageBegan { number, name, payload, .. } => {
                self.close_panel(lines);
                if !self.started_stages.insert(number.clone()) && self.replay.is_none() {
                    // The flow runs again from its beginning.
                    self.started_stages = BTreeSet::from([number.clone()]);
                    self.replay = Some(Replay { verb: "revising", reused: 0 });
                }
                let (number, name) = (number.clone(), name.clone());
                let payload = payload.as_deref().map(one_line);
                self.stage =
                    Some(Stage { number, name, payload, began: now, is_shown: false, reused_any: false });
            }
            EventKind::StageHandedOver { number, name } => {
                self.close_panel(lines);
                // The worker's events are not seen here, so the start of the stage is shown at once.
                let (number, name) = (number.clone(), name.clone());
                self.stage = Some(Stage {
                    number,
                    name,
                    payload: None,
                    began: now,
                    is_shown: false,
                    reused_any: true,
                });
                self.flush_headings(lines);
            }
            EventKind::DocumentReplayed { heading, name } => self.render_document(heading, name, lines),
            EventKind::StageEnded { number, name, ending, payload } => {
                self.close_panel(lines);
                self.end_stage(StageLabel { number, name }, *ending, &one_line(payload), now, lines);
            }
            EventKind::Lanes { title, lanes } => {
                self.close_panel(lines);
                self.table.open_panel(title, lanes, now);
            }
            EventKind::Line { text } if self.replay.is_none() => {
                lines.extend(safe(text).lines().map(str::to_owned));
            }
            EventKind::Document { heading, name } if self.written.contains(name) => {
                self.render_document(heading, name, lines);
            }
            EventKind::RunStarted { .. } | EventKind::RunFinished { .. } => {
                if self.is_finished {
                    self.close_panel(lines);
                    self.stage = None;
                    self.flush_headings(lines);
                }
                lines.extend(self.render_plain(event));
            }
            EventKind::StepStarted { step, attempt, why, .. } if *attempt > 1 => {
                self.retries.insert(step.clone(), format!("{step} (attempt {attempt}: {})", printable(why)));
            }
            // A retry without an agent call is not shown.
            EventKind::AgentStarted { step, .. } => {
                if let Some(retries) = self.retries.remove(step) {
                    lines.push(self.progress_line(&retries));
                }
            }
            EventKind::StepFailed { step, error, .. } => {
                let first = error.lines().next().unwrap_or_default();
                lines.push(self.warning_line(&format!("{step} failed: {}", one_line(first))));
            }
            EventKind::AgentFinished { step, agent, status, seconds, .. } if is_failure(status) => {
                let message =
                    format!("{step}: {agent} gave no answer after {seconds:.0}s: {}", printable(status));
                lines.push(self.progress_line(&message));
            }
            // Incident gates are named `KIND/PLACE`.
            EventKind::GateAnswered { gate, state } if gate.contains('/') => {
                lines.push(self.progress_line(&format!("{gate}: {state}")));
            }
            EventKind::VoteTallied { about, outcomes } if self.replay.is_none() => {
                let counts: Vec<String> =
                    outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
                lines.push(self.progress_line(&format!("votes on {about}: {}", counts.join(", "))));
            }
            EventKind::Warning { message, .. } => lines.push(self.warning_line(&one_line(message))),
            _ => {}
        }
    }

    fn end_stage(
        &mut self,
        label: StageLabel<'_>,
        ending: StageOutcome,
        payload: &str,
        now: Duration,
        lines: &mut Vec<String>,
    ) {
        let stage = self.stage.as_ref().filter(|stage| stage.number == label.number);
        let is_new = self.replay.is_none() && stage.is_none_or(|stage| !stage.reused_any);
        let is_told = stage.is_some_and(|stage| stage.is_shown) || is_new;
        let seconds = stage.map_or(0, |stage| now.saturating_sub(stage.began).as_secs());
        if ending == StageOutcome::Warning {
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
            StageOutcome::Last => (Tone::Good, self.breadcrumbs.closing(label, payload, seconds)),
            StageOutcome::Done => (Tone::Good, Some(self.breadcrumbs.done(label, payload, seconds))),
            StageOutcome::Skipped => (Tone::Quiet, Some(self.breadcrumbs.skipped(label, payload, seconds))),
            StageOutcome::Warning => {
                (Tone::Attention, Some(self.breadcrumbs.warning(label, payload, Some(seconds))))
            }
        };
        lines.extend(line.map(|line| self.style.paint(tone, &line)));
        // Later events of an ended stage do not show its start again.
        if let Some(stage) = &mut self.stage {
            stage.is_shown = true;
        }
    }

    fn render_document(&self, heading: &str, name: &str, lines: &mut Vec<String>) {
        let heading = one_line(heading);
        if self.documents == DocumentDisplay::Hidden {
            // The end of the stage names it.
            return;
        }
        let opened = self.excerpt(name);
        if opened.as_ref().is_ok_and(|(text, _)| text.trim().is_empty()) {
            return;
        }
        if self.style.is_tty && self.documents == DocumentDisplay::Brief {
            lines.push(self.style.paint(Tone::Quiet, &format!("   {heading}: {}", one_line(name))));
            return;
        }
        lines.push(String::new());
        let mark = if self.style.is_tty { "" } else { "## " };
        lines.push(self.style.paint(Tone::Heading, &format!("{mark}{heading}")));
        lines.push(String::new());
        match opened {
            Ok((text, is_cut)) => {
                // The file may begin with the same heading.
                let text = text.trim_start().strip_prefix(&format!("## {heading}\n")).unwrap_or(&text);
                let text = text.trim_start_matches('\n');
                if self.style.is_tty {
                    lines.extend(render_markdown(text, self.style));
                } else {
                    lines.extend(safe(text).lines().map(str::to_owned));
                }
                if is_cut {
                    lines.push(format!("… the rest is in {}", one_line(name)));
                }
            }
            Err(error) => lines.push(format!("(cannot be shown: {})", one_line(&error))),
        }
        lines.push(String::new());
    }

    /// Beginning of an artifact; true if it is cut.
    fn excerpt(&self, name: &str) -> Result<(String, bool), String> {
        let text = (self.reader)(name)?;
        let cut =
            (0..=MAX_DOCUMENT_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        Ok((text[..cut].to_owned(), cut < text.len()))
    }

    fn progress_line(&self, payload: &str) -> String {
        match &self.stage {
            Some(stage) => self.breadcrumbs.in_progress(stage.label(), payload),
            None => format!("⏳ {payload}"),
        }
    }

    fn warning_line(&self, payload: &str) -> String {
        let line = match &self.stage {
            Some(stage) if is_marked(payload) => self.breadcrumbs.prefix_warning(stage.label(), payload),
            None if is_marked(payload) => payload.to_owned(),
            Some(stage) => self.breadcrumbs.warning(stage.label(), payload, None),
            None => format!("Warning: {payload}"),
        };
        self.style.paint(Tone::Attention, &line)
    }

    /// Renders an event as one line, if it has one.
    fn render_plain(&mut self, event: &EventKind) -> Option<String> {
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
                _ => format!("  {step} (attempt {attempt}: {})", printable(why)),
            },
            EventKind::StepFailed { step, error, .. } => format!("  {step}: failed: {}", printable(error)),
            EventKind::AgentFinished { step, agent, status, seconds, .. } if is_failure(status) => {
                format!("  {step}: {agent} gave no answer after {seconds:.0}s: {}", printable(status))
            }
            EventKind::GateAnswered { gate, state } => format!("{gate}: {state}"),
            EventKind::Warning { message, .. } if is_marked(message) => {
                self.style.paint(Tone::Attention, &one_line(message))
            }
            EventKind::Warning { message, .. } => {
                self.style.paint(Tone::Attention, &format!("Warning: {}", one_line(message)))
            }
            EventKind::RunFinished { status, files } => {
                format!("{status}; files are in {}", one_line(files))
            }
            _ => return None,
        })
    }
}

/// True if the status of an agent call tells of a failure. A call that waits for a person has not failed.
fn is_failure(status: &str) -> bool {
    status != "ok" && !status.starts_with("waiting for a decision")
}

/// True if a warning has its own mark.
fn is_marked(message: &str) -> bool {
    message.starts_with("**⚠")
}

#[cfg(test)]
mod tests;
