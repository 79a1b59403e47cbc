//! One seat: which step it belongs to, what it reads and writes, how long it may take, who is asked first.

use serde::Serialize;
use std::fmt;

/// A seat of a run. All of them are read-only: the engine writes the files from the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// What flows, records and settings call it.
    pub id: &'static str,
    /// The seats it belongs to, which can be configured together.
    pub group: Option<Group>,
    /// The number of its step.
    pub step: &'static str,
    /// The phase of the checkpoint its step belongs to.
    pub phase: &'static str,
    /// Whose role definition it is given.
    pub role: &'static str,
    /// How its role is played here, where a role has several seats: the lens of a reviewer, the round of a
    /// questioner.
    pub variant: Option<&'static str>,
    /// What it reads; `*` stands for any text in a name.
    pub reads: &'static [&'static str],
    /// What its answer becomes.
    pub writes: &'static [&'static str],
    /// What its answer is called when one of these agents gave it in another's place: agent and file.
    pub fallback_names: &'static [(&'static str, &'static str)],
    /// How its answer must look.
    pub form: AnswerForm,
    /// Who is asked first. Who is asked then follows from the rules in [`mod@super::chain`].
    pub first: &'static [&'static str],
    /// Which clock ends it.
    pub clock: ClockFamily,
    /// Whether the agent inside charrette may take it.
    pub embedded: bool,
    /// Whether an external agent that fails here is left out for the rest of the session.
    pub flips_health: bool,
}

impl Seat {
    /// Whether it is one of several independent voices.
    pub fn is_panel(&self) -> bool {
        self.group.is_some_and(Group::is_panel)
    }

    /// The name of the file its answer becomes when `agent` gave it. File names follow the seat, unless it has
    /// another one for that agent.
    pub fn answer_file(&self, agent: &str) -> &'static str {
        let fallback = self.fallback_names.iter().find(|(name, _)| *name == agent);
        let file = fallback.map(|(_, file)| *file).or_else(|| self.writes.first().copied());
        file.unwrap_or(self.id)
    }
}

/// Seats that can be configured together, as `seats.<name>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// Look at the repository from three sides.
    Researchers,
    /// Those who bring things together: one voice, so that it is consistent.
    Lead,
    /// Propose an approach, independently.
    Sketches,
    /// Defend one side of a contested decision.
    Debaters,
    /// Settle what was debated.
    Judges,
    /// Look for what is wrong with the plan.
    Reviewers,
    /// Decide which findings change the plan.
    Voters,
}

impl Group {
    /// All of them, in the order of the steps.
    pub const ALL: [Group; 7] = [
        Group::Researchers,
        Group::Lead,
        Group::Sketches,
        Group::Debaters,
        Group::Judges,
        Group::Reviewers,
        Group::Voters,
    ];

    /// As settings call it.
    pub fn name(self) -> &'static str {
        match self {
            Group::Researchers => "researchers",
            Group::Lead => "lead",
            Group::Sketches => "sketches",
            Group::Debaters => "debaters",
            Group::Judges => "judges",
            Group::Reviewers => "reviewers",
            Group::Voters => "voters",
        }
    }

    /// The group of that name.
    pub fn named(name: &str) -> Option<Group> {
        Group::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Whether its seats are independent voices, which should not all come from one vendor.
    pub fn is_panel(self) -> bool {
        self != Group::Lead
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an answer must look. The readers are in [`crate::panel`], [`crate::handoff`], [`crate::diagram`] and
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
    /// A synthesis and the decisions it leaves contested.
    Synthesis,
    /// Five tagged parts and a recommendation.
    Defense,
    /// `DECISION_1: THESIS — why` lines.
    DecisionVotes,
    /// The sections of a plan.
    Plan,
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
    /// The four sections of research notes, with places that can be looked up.
    ResearchNotes,
}

impl AnswerForm {
    /// All of them.
    pub const ALL: [AnswerForm; 15] = [
        AnswerForm::HandoffResponse,
        AnswerForm::ContextSummary,
        AnswerForm::Questions,
        AnswerForm::Sketch,
        AnswerForm::Synthesis,
        AnswerForm::Defense,
        AnswerForm::DecisionVotes,
        AnswerForm::Plan,
        AnswerForm::Findings,
        AnswerForm::MergedFindings,
        AnswerForm::FindingVotes,
        AnswerForm::Diagram,
        AnswerForm::SpecFiles,
        AnswerForm::Verdict,
        AnswerForm::ResearchNotes,
    ];

    /// As role definitions call it.
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
            AnswerForm::Findings => "findings",
            AnswerForm::MergedFindings => "merged-findings",
            AnswerForm::FindingVotes => "finding-votes",
            AnswerForm::Diagram => "diagram",
            AnswerForm::SpecFiles => "spec-files",
            AnswerForm::Verdict => "verdict",
            AnswerForm::ResearchNotes => "research-notes",
        }
    }
}

/// The two lengths of time a seat may take in all. They must not be mixed up: a sketch is short, reviews and
/// debates think longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ClockFamily {
    /// Sketches, votes, questions.
    Sketch,
    /// Plans, reviews, debates, judges.
    Review,
}

impl ClockFamily {
    /// The setting that says how long.
    pub fn setting(self) -> &'static str {
        match self {
            ClockFamily::Sketch => "clocks.sketch",
            ClockFamily::Review => "clocks.review",
        }
    }

    /// How long, if nobody said otherwise.
    pub fn default_seconds(self) -> u64 {
        match self {
            ClockFamily::Sketch => 1200,
            ClockFamily::Review => 1800,
        }
    }
}
