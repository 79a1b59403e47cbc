//! Follow-ups of an implementation: drafts of issues in `follow-ups.md` and, if asked for and approved, tracker issues.
//!
//! The work is delivered before any issue is created. A tracker that fails is a warning: the run ends, and a resumed run
//! creates what is missing.

use super::artifacts::{FOLLOW_UP_ISSUES, FOLLOW_UPS};
use super::flags::ISSUES;
use super::state::RunState;
use super::validation::ValidationOutcome;
use super::work::Work;
use crate::artifact::{Artifact, Input};
use crate::deliverable::IssueText;
use crate::gate::Gate;
use crate::ports::TrackerState;
use crate::run::PhaseHandle;
use crate::step::{Step, StepError};
use crate::stop::{FlowResult, Stop};
use crate::tracked_issue::create_issue;
use charrette_model::config::integrations::LINEAR_NOT_CONFIGURED;
use charrette_model::implement::follow_up_issue::{IssueOrigin, headline, issue_description};
use charrette_model::implement::follow_ups::{FollowUp, predecessors, render_follow_ups};
use charrette_model::spec::record::LinearIssue;
use charrette_store::workspace::sha256;
use std::fmt::Write as _;

/// Gate about the texts of the issues.
pub(super) const ISSUES_GATE: &str = "follow-ups";

/// Answers of the gate.
const CREATE: &str = "create";
const KEEP: &str = "keep";

/// Follow-ups of a run.
pub(super) struct FollowUps<'a> {
    phase: &'a PhaseHandle<'a>,
    is_asked_for_issues: bool,
    origin: IssueOrigin,
    drafts: Vec<FollowUp>,
}

impl<'a> FollowUps<'a> {
    /// Collects what was accepted by vote and is out of scope, and what reviewers of accepted tasks noticed elsewhere.
    pub(super) fn collect(
        phase: &'a PhaseHandle<'a>,
        work: &Work,
        state: &RunState,
        outcome: &ValidationOutcome,
    ) -> FollowUps<'a> {
        let mut drafts = outcome.findings.out_of_scope.clone();
        for (task, rounds) in &state.rounds {
            let last = rounds.last().filter(|_| state.integrated.contains_key(task));
            for noticed in last.iter().flat_map(|round| &round.out_of_scope) {
                if drafts.iter().all(|draft| draft.title != noticed.title) {
                    let concern = noticed.concern.trim();
                    let concern = format!("{concern}\n\nNoticed by the reviewer of {task}.");
                    drafts.push(FollowUp { concern, ..noticed.clone() });
                }
            }
        }
        let order = phase.run.order();
        let origin = IssueOrigin {
            feature: order.feature.clone(),
            spec_folder: order.spec_folder.clone(),
            issue: work.specification.issue.clone(),
        };
        FollowUps { phase, is_asked_for_issues: work.flags.issues, origin, drafts }
    }

    /// Writes the drafts, if there are any.
    pub(super) async fn write_drafts(&self) -> FlowResult<()> {
        if self.drafts.is_empty() {
            return Ok(());
        }
        let text = self.page(&[]);
        let step = Step::new("follow-ups").reads(&Input::given("drafts", &text));
        self.phase.make(Artifact::fixed(FOLLOW_UPS), step, |_| async move { Ok(text) }).await?;
        Ok(())
    }

    /// Creates an issue for each draft, if that was asked for and a person approves the texts.
    pub(super) async fn create_asked_issues(&self) -> FlowResult<()> {
        if !self.is_asked_for_issues {
            return Ok(());
        }
        if self.drafts.is_empty() {
            self.phase.stage_handle("6").print_line("No Linear issues: there are no follow-ups.");
            return Ok(());
        }
        match self.create_approved_issues().await {
            Err(Stop::Failed(reason)) => {
                self.phase.warn(reason.lines().collect::<Vec<_>>().join(". "));
                Ok(())
            }
            ended => ended,
        }
    }

    async fn create_approved_issues(&self) -> FlowResult<()> {
        self.require_tracker().await?;
        if !self.ask_approval().await? {
            return Ok(());
        }
        let mut issues = Vec::new();
        let mut ended = Ok(());
        for at in 0..self.drafts.len() {
            match self.create_issue(at, &issues).await {
                Ok(issue) => issues.push(issue),
                Err(stop) => {
                    ended = Err(stop);
                    break;
                }
            }
        }
        self.record_issues(&issues).await?;
        ended
    }

    /// Fails unless the tracker is enabled. Its state is an input, so that a resumed run looks again.
    async fn require_tracker(&self) -> FlowResult<()> {
        let state = self.phase.run.ports.tracker.state();
        let step = Step::new("tracker/enabled").reads(&Input::given("tracker", &format!("{state:?}")));
        let retry = self.retry();
        self.phase
            .step(step, move |_| async move {
                let reason = match state {
                    TrackerState::On => return Ok(()),
                    TrackerState::Unusable(reason) => reason,
                    TrackerState::Off | TrackerState::NotConfigured => LINEAR_NOT_CONFIGURED.to_owned(),
                };
                Err(StepError::Verbatim(format!(
                    "Linear issues cannot be created: {reason}\nRe-run with: {retry}"
                )))
            })
            .await
    }

    /// Asks a person about the texts as they will be sent. True if the issues are to be created.
    async fn ask_approval(&self) -> FlowResult<bool> {
        let texts: Vec<IssueText> =
            (0..self.drafts.len()).map(|at| self.text(at, |n| format!("follow-up {}", n + 1))).collect();
        let mut page = "Follow-ups as Linear issues\n\nThe work is delivered. Each finding out of its scope would become an issue with this text:\n".to_owned();
        for (number, IssueText { title, description }) in (1..).zip(&texts) {
            // Writing to a string cannot fail.
            let _ = write!(page, "\n### {number}. {title}\n\n{description}\n");
        }
        let question = format!(
            "Create the issues in Linear ({})? {CREATE} creates them with your key; {KEEP} leaves them as drafts in {FOLLOW_UPS}.",
            texts.len()
        );
        let gate = Gate::new(ISSUES_GATE, &Input::given("issues", &texts))
            .page(page)
            .ask_choice(ISSUES, &question, &[CREATE, KEEP])
            .delegable(&[KEEP]);
        let answers = self.phase.gate(gate).await?;
        let is_create = answers.get(ISSUES).trim().eq_ignore_ascii_case(CREATE);
        // Recorded as a step, so that a complete run can be resumed with another answer.
        let step = Step::new("tracker/decided").reads(&answers);
        self.phase.step(step, move |_| async move { Ok(is_create) }).await
    }

    /// Creates the issue of a draft. `earlier` are the issues of the drafts before it.
    async fn create_issue(&self, at: usize, earlier: &[LinearIssue]) -> FlowResult<LinearIssue> {
        let text =
            self.text(at, |n| earlier.get(n).map(|issue| issue.identifier.clone()).unwrap_or_default());
        let step = Step::new(self.issue_step(at))
            .reads(&Input::answer(ISSUES_GATE, ISSUES))
            .reads(&Input::given("issue", &text))
            .external_effect();
        let (tracker, retry) = (self.phase.run.ports.tracker.clone(), self.retry());
        self.phase
            .step(step, move |context| async move { create_issue(&*tracker, &context, text, &retry).await })
            .await
    }

    /// Step that creates the issue of a draft. The issue id follows from its name, so the name follows from the title: a
    /// draft that comes back in another place or in other words has its issue already.
    fn issue_step(&self, at: usize) -> String {
        let title = headline(&self.drafts[at]);
        let same = self.drafts[..at].iter().filter(|draft| headline(draft) == title).count();
        format!("tracker/issue-{}-{}", &sha256(title.as_bytes())[..12], same + 1)
    }

    /// Records the issues with the drafts, and for the closing page.
    async fn record_issues(&self, issues: &[LinearIssue]) -> FlowResult<()> {
        if issues.is_empty() {
            return Ok(());
        }
        let (page, list) = (self.page(issues), serde_json::to_string_pretty(issues).unwrap_or_default());
        let step = Step::new("tracker/record").reads(&Input::given("issues", &page)).revises([FOLLOW_UPS]);
        self.phase
            .step(step, move |context| async move {
                context.write(FOLLOW_UPS, page)?;
                context.write(FOLLOW_UP_ISSUES, list)
            })
            .await
    }

    fn page(&self, issues: &[LinearIssue]) -> String {
        render_follow_ups(&self.origin.feature, self.origin.issue.as_deref(), &self.drafts, issues)
    }

    /// Text of the issue of a draft; `name` says how it names an earlier draft that it comes after.
    fn text(&self, at: usize, name: impl Fn(usize) -> String) -> IssueText {
        let after: Vec<String> = predecessors(&self.drafts, at).into_iter().map(name).collect();
        let draft = &self.drafts[at];
        IssueText { title: headline(draft), description: issue_description(draft, &self.origin, &after) }
    }

    /// Command that tries again.
    fn retry(&self) -> String {
        format!("charrette implement {} --resume", self.origin.feature)
    }
}
