//! Results of the tools: values for programs, the same as text for models, and the one next step.

use charrette_app::AppError;
use charrette_app::file_pages::{FileEntry, FilePage};
use charrette_app::look::{GateLook, Look, RunLine};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// Result of start, resume, stop, wait and answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RunResult {
    /// What this call did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) did: Option<String>,
    /// The look at the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<Look>,
    /// All runs, newest first, if none was named and none is open.
    pub(crate) runs: Vec<RunLine>,
    /// The one next step.
    pub(crate) next: NextStep,
}

/// The next step: a tool to call, or a command for the person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct NextStep {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<&'static str>,
    /// Command for the person to type in a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// What to do, in words.
    pub(crate) step: String,
}

/// Result of read: the list of files, or a page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ReadResult {
    /// Files of the run.
    pub(crate) files: Vec<FileEntry>,
    /// Number of files that are not listed.
    pub(crate) omitted: usize,
    /// The page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<FilePage>,
}

impl NextStep {
    pub(crate) fn tool(tool: &'static str, step: impl Into<String>) -> NextStep {
        NextStep { tool: Some(tool), command: None, step: step.into() }
    }

    fn command(command: String, step: impl Into<String>) -> NextStep {
        NextStep { tool: None, command: Some(command), step: step.into() }
    }

    /// The next step after a look. `has_forms` is true if the host can show a form to the person.
    pub(crate) fn after(look: &Look, has_forms: bool) -> NextStep {
        use charrette_app::look::Standing;
        let feature = &look.feature;
        match look.state {
            Standing::Working => {
                NextStep::tool("wait", format!("Call wait with feature {feature} and since {}.", look.mark))
            }
            Standing::Waiting | Standing::Rejected => NextStep::at_gate(look, has_forms),
            Standing::Stopped => NextStep::tool(
                "resume",
                "Tell the person why it stopped. Call resume when the reason is gone; finished steps are kept.",
            ),
            Standing::Ready => NextStep::tool("resume", format!("Call resume with feature {feature}.")),
            Standing::Complete => {
                NextStep::tool("read", "Read the files, and tell the person where they are.")
            }
        }
    }

    fn at_gate(look: &Look, has_forms: bool) -> NextStep {
        let Some(gate) = look.gates.first() else {
            return NextStep::tool("wait", "Call wait to see what is open.");
        };
        let has_approval = gate.questions.iter().any(|question| question.approval);
        let has_others = gate.questions.iter().any(|question| !question.approval);
        let (name, feature) = (&gate.gate, &look.feature);
        if has_forms {
            return NextStep::tool(
                "answer",
                format!(
                    "Show the page to the person. Call answer for {name} without answers: this host asks the person in a form."
                ),
            );
        }
        if has_others {
            let rest = if has_approval { "; leave the approval out" } else { "" };
            return NextStep::tool(
                "answer",
                format!(
                    "Show the page to the person and ask them. Call answer for {name} with their answers{rest}."
                ),
            );
        }
        NextStep::command(
            approval_command(feature),
            format!(
                "Show the page to the person. Only they approve {name}, with this command; then call wait."
            ),
        )
    }
}

/// Command with which a person answers at the command line.
pub(crate) fn approval_command(feature: &str) -> String {
    format!("charrette resume {feature}")
}

impl RunResult {
    pub(crate) fn of(look: Look, has_forms: bool) -> RunResult {
        let next = NextStep::after(&look, has_forms);
        RunResult { did: None, run: Some(look), runs: Vec::new(), next }
    }

    pub(crate) fn did(mut self, did: impl Into<String>) -> RunResult {
        self.did = Some(did.into());
        self
    }

    /// The result as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(did) = &self.did {
            let _ = writeln!(text, "{did}");
        }
        if let Some(look) = &self.run {
            text.push_str(&look_text(look));
        }
        for line in &self.runs {
            let state = line.state.map_or("unreadable", charrette_app::look::Standing::as_str);
            let _ = writeln!(text, "{} {}: {state}", line.command, line.feature.as_deref().unwrap_or("-"));
        }
        if let Some(command) = &self.next.command {
            let _ = writeln!(text, "Command for the person: {command}");
        }
        let _ = write!(text, "Next: {}", self.next.step);
        text
    }
}

/// A look as text.
pub(crate) fn look_text(look: &Look) -> String {
    let mut text = format!("{} {}: {}", look.command, look.feature, look.state.as_str());
    if let Some(phase) = &look.phase {
        let _ = write!(text, ", phase {phase}");
    }
    let _ = writeln!(text, ", {} steps done (mark {})", look.steps_done, look.mark);
    if !look.at_work.is_empty() {
        let _ = writeln!(text, "At work: {}", look.at_work.join(", "));
    }
    if let Some(stopped) = &look.stopped {
        let _ = writeln!(text, "Stopped: {stopped}");
    }
    for gate in &look.gates {
        text.push_str(&gate_text(gate));
    }
    if !look.files.is_empty() {
        let _ = writeln!(text, "Files: {}", look.files.join(", "));
    }
    text
}

fn gate_text(gate: &GateLook) -> String {
    let mut text = format!(
        "\nGate {} asks (shown {}):\n\n{}\n\nOpen questions of {}:\n",
        gate.gate,
        gate.shown,
        gate.page.trim_end(),
        gate.gate
    );
    for question in &gate.questions {
        let _ = write!(text, "- {}", question.key);
        if let Some(recommended) = &question.recommended {
            let _ = write!(text, " (recommended: {recommended})");
        }
        if !question.choices.is_empty() {
            let _ = write!(text, " [{}]", question.choices.join(" / "));
        }
        if question.approval {
            text.push_str(" (approval: only the person)");
        }
        text.push('\n');
    }
    text
}

impl ReadResult {
    pub(crate) fn text(&self) -> String {
        if let Some(page) = &self.page {
            let mut text = page.text.clone();
            if let Some(next) = page.next_offset {
                let _ = write!(
                    text,
                    "\n[{} of {} bytes; go on with offset {next} and digest {}]",
                    next, page.size, page.digest
                );
            }
            return text;
        }
        let lines = self.files.iter().map(|entry| format!("{} ({} bytes)", entry.file, entry.size));
        let mut text = lines.collect::<Vec<_>>().join("\n");
        if self.omitted > 0 {
            let _ = write!(text, "\n{} more are not listed", self.omitted);
        }
        text
    }
}

/// Successful result with text and value.
pub(crate) fn success(text: String, value: &impl Serialize) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(serde_json::to_value(value).unwrap_or(Value::Null));
    result
}

/// Error of a call: reason, further lines, hints.
pub(crate) fn failure(error: &AppError) -> CallToolResult {
    refusal(error_text(error))
}

/// The text of an error.
pub(crate) fn error_text(error: &AppError) -> String {
    let lines = std::iter::once(error.message.as_str()).chain(error.more.iter().map(String::as_str));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    for hint in &error.hints {
        let _ = write!(text, "\nhint: {hint}");
    }
    text
}

pub(crate) fn refusal(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}
