//! Definition of a seat: its step, inputs, outputs, answer form, clock and preferred agents.

use serde::Serialize;
use std::fmt;

/// Seat of a run. All seats but those of writers are read-only: the engine writes the files from the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// Id in flows, records and settings.
    pub id: &'static str,
    pub group: Option<SeatGroup>,
    /// Number of its step, such as `2a.5`.
    pub step: &'static str,
    /// Checkpoint phase of its step.
    pub phase: &'static str,
    /// Name of its role definition.
    pub role: &'static str,
    /// Variant of a role with several seats: the lens of a reviewer, the round of a questioner.
    pub variant: Option<&'static str>,
    /// Input files; `*` matches any text in a name.
    pub reads: &'static [&'static str],
    /// Output files.
    pub writes: &'static [&'static str],
    /// Output file names for answers of fallback agents: pairs of agent and file.
    pub fallback_names: &'static [(&'static str, &'static str)],
    pub form: AnswerForm,
    /// Preferred agents. The rest of the chain follows from the rules in [`mod@super::chain`].
    #[serde(rename = "first")]
    pub preferred: &'static [&'static str],
    pub clock: ClockFamily,
    /// True if the embedded agent may take it.
    pub embedded: bool,
    /// True if a failure here makes an external agent unhealthy for the rest of the session.
    pub flips_health: bool,
}

impl Seat {
    /// True if its agent works in a copy of HEAD, where it may write and run programs.
    pub fn works_in_copy(&self) -> bool {
        self.is_chief() || matches!(self.group, Some(SeatGroup::Investigators | SeatGroup::Walkers))
    }

    /// True for a seat of the chief designer, whose calls share one copy.
    pub fn is_chief(&self) -> bool {
        matches!(self.role, "planner" | "writer")
    }

    /// True if its agent changes a worktree of charrette's own.
    pub fn is_writer(&self) -> bool {
        self.group == Some(SeatGroup::Writers)
    }

    /// True for one of several independent voices.
    pub fn is_panel(&self) -> bool {
        self.group.is_some_and(SeatGroup::is_panel)
    }

    /// Name of the output file for an answer of `agent`. It follows the seat, unless there is a fallback name.
    pub fn answer_file(&self, agent: &str) -> &'static str {
        let fallback = self.fallback_names.iter().find(|(name, _)| *name == agent);
        let file = fallback.map(|(_, file)| *file).or_else(|| self.writes.first().copied());
        file.unwrap_or(self.id)
    }
}

/// Seats that can be configured together, as `seats.<name>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SeatGroup {
    /// Research the repository from three sides.
    Researchers,
    /// Aggregating seats: one agent, for consistency.
    Lead,
    /// Propose an approach independently.
    Sketches,
    /// Defend one side of a contested decision.
    Debaters,
    /// Settle debated decisions.
    Judges,
    /// Find out what the approach takes for granted, one question each.
    Investigators,
    /// Review the plan.
    Reviewers,
    /// Vote on the findings.
    Voters,
    /// Trace scenarios through the plan.
    Walkers,
    /// Change a worktree.
    Writers,
    /// Review the change of one task.
    #[serde(rename = "task-reviewers")]
    TaskReviewers,
}

impl SeatGroup {
    /// In the order of the steps.
    pub const ALL: [SeatGroup; 11] = [
        SeatGroup::Researchers,
        SeatGroup::Lead,
        SeatGroup::Sketches,
        SeatGroup::Debaters,
        SeatGroup::Judges,
        SeatGroup::Investigators,
        SeatGroup::Reviewers,
        SeatGroup::Voters,
        SeatGroup::Walkers,
        SeatGroup::Writers,
        SeatGroup::TaskReviewers,
    ];

    /// Name in settings.
    pub fn name(self) -> &'static str {
        match self {
            SeatGroup::Researchers => "researchers",
            SeatGroup::Lead => "lead",
            SeatGroup::Sketches => "sketches",
            SeatGroup::Debaters => "debaters",
            SeatGroup::Judges => "judges",
            SeatGroup::Investigators => "investigators",
            SeatGroup::Reviewers => "reviewers",
            SeatGroup::Voters => "voters",
            SeatGroup::Walkers => "walkers",
            SeatGroup::Writers => "writers",
            SeatGroup::TaskReviewers => "task-reviewers",
        }
    }

    pub fn from_name(name: &str) -> Option<SeatGroup> {
        SeatGroup::ALL.into_iter().find(|group| group.name() == name)
    }

    /// True if its seats are independent voices, which should come from different vendors.
    pub fn is_panel(self) -> bool {
        !matches!(self, SeatGroup::Lead | SeatGroup::Writers)
    }
}

impl fmt::Display for SeatGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Required form of an answer. The parsers are in [`crate::panel`], [`crate::handoff`], [`crate::diagram`] and
/// [`super::files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerForm {
    /// A JSON block with a handoff response, then prose.
    HandoffResponse,
    /// Six labelled parts.
    ContextSummary,
    /// `## Q1: title` blocks, or `NONE`.
    Questions,
    /// Two or three paragraphs.
    Sketch,
    /// A synthesis and the contested decisions.
    Synthesis,
    /// Five tagged parts and a recommendation.
    Defense,
    /// `DECISION_1: THESIS — why` lines.
    DecisionVotes,
    /// The sections of a plan.
    Plan,
    /// `### QUESTION_1: title` blocks, or `NONE`.
    Inquiries,
    /// Answer, evidence and consequence of one question.
    Investigation,
    /// Scenarios in steps, each with its outcome.
    Walkthrough,
    /// Numbered findings, or `NO_ISSUES_FOUND`.
    Findings,
    /// `### FINDING_1: title` blocks.
    MergedFindings,
    /// `FINDING_1: YES — why` lines.
    FindingVotes,
    /// A heading and one Mermaid fence.
    Diagram,
    /// The three files of a specification.
    SpecFiles,
    /// `Verdict: PASS` or `FAIL`, and issues.
    Verdict,
    /// `Verdict: PASS`, `PASS_WITH_NOTES` or `FAIL`, and numbered findings.
    TaskReview,
    /// The four sections of research notes, with checked places.
    ResearchNotes,
}

impl AnswerForm {
    pub const ALL: [AnswerForm; 19] = [
        AnswerForm::HandoffResponse,
        AnswerForm::ContextSummary,
        AnswerForm::Questions,
        AnswerForm::Sketch,
        AnswerForm::Synthesis,
        AnswerForm::Defense,
        AnswerForm::DecisionVotes,
        AnswerForm::Plan,
        AnswerForm::Inquiries,
        AnswerForm::Investigation,
        AnswerForm::Walkthrough,
        AnswerForm::Findings,
        AnswerForm::MergedFindings,
        AnswerForm::FindingVotes,
        AnswerForm::Diagram,
        AnswerForm::SpecFiles,
        AnswerForm::Verdict,
        AnswerForm::TaskReview,
        AnswerForm::ResearchNotes,
    ];

    /// Name in role definitions.
    pub fn name(self) -> &'static str {
        match self {
            AnswerForm::HandoffResponse => "handoff-response",
            AnswerForm::ContextSummary => "context-summary",
            AnswerForm::Questions => "questions",
            AnswerForm::Sketch => "sketch",
            AnswerForm::Synthesis => "synthesis",
            AnswerForm::Defense => "defense",
            AnswerForm::DecisionVotes => "decision-votes",
            AnswerForm::Plan => "plan",
            AnswerForm::Inquiries => "inquiries",
            AnswerForm::Investigation => "investigation",
            AnswerForm::Walkthrough => "walkthrough",
            AnswerForm::Findings => "findings",
            AnswerForm::MergedFindings => "merged-findings",
            AnswerForm::FindingVotes => "finding-votes",
            AnswerForm::Diagram => "diagram",
            AnswerForm::SpecFiles => "spec-files",
            AnswerForm::Verdict => "verdict",
            AnswerForm::TaskReview => "task-review",
            AnswerForm::ResearchNotes => "research-notes",
        }
    }
}

/// Total timeout of a seat, by the kind of work: a sketch is short, reviews and debates take longer, finding out
/// and designing longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockFamily {
    /// Sketches, votes, questions.
    Sketch,
    /// Reviews, debates, judges, walk-throughs.
    Review,
    /// Questions that take reading, looking up and experiments.
    Investigate,
    /// The chief designer: plans and their revisions.
    Design,
}

impl ClockFamily {
    /// In the order of their length.
    pub const ALL: [ClockFamily; 4] =
        [ClockFamily::Sketch, ClockFamily::Review, ClockFamily::Investigate, ClockFamily::Design];

    /// Setting with the timeout in seconds.
    pub fn setting(self) -> &'static str {
        match self {
            ClockFamily::Sketch => "clocks.sketch",
            ClockFamily::Review => "clocks.review",
            ClockFamily::Investigate => "clocks.investigate",
            ClockFamily::Design => "clocks.design",
        }
    }

    pub fn default_seconds(self) -> u64 {
        match self {
            ClockFamily::Sketch => 1200,
            ClockFamily::Review => 1800,
            ClockFamily::Investigate => 2400,
            ClockFamily::Design => 3600,
        }
    }
}
