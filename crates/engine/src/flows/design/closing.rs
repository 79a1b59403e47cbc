//! Closing page of a design, made from the files of the run.

use super::artifacts::{CLARIFIED, FINDINGS, OUT_OF_SCOPE, REJECTED, RESOLUTIONS, ROUND_1, ROUND_2, TALLY};
use super::brief::DesignFlags;
use super::preview::deliverables;
use crate::pages::{ClosingPage, FinishedRun, VoteResult};
use charrette_model::checkpoint::GateState;
use charrette_model::panel::debate::DebateSide;
use charrette_model::panel::discussion::{SettledQuestion, read_discussion};
use charrette_model::panel::questions::AnswerSource;
use charrette_model::panel::resolutions::{DecisionOutcome, DecisionResolution, read_resolutions};
use charrette_model::panel::review_files::count_blocks;
use charrette_model::panel::review_items::read_review_items;
use charrette_model::panel::tally_file::read_voting_tally;
use charrette_model::spec::manifest::{self, LevelManifest};
use charrette_model::spec::open_points::open_points;
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::spec::tasks::list::TaskList;

/// Makes the closing page, without costs and warnings: these come from the ledger and the events.
pub(super) fn closing(run: &FinishedRun<'_>) -> ClosingPage {
    let report = DesignReport(run);
    ClosingPage {
        title: report.title(),
        notes: report.notes(),
        files: report.files(),
        votes: report.votes(),
        decided: report.decided(),
        undecided: report.undecided(),
        out_of_scope: field_values(&run.text(OUT_OF_SCOPE), "Description"),
        rejected: rejected(&run.text(REJECTED)),
        commit: report.commit(),
        next: Some(report.next()),
        ..ClosingPage::default()
    }
}

/// A finished design run, as the source of its closing page.
struct DesignReport<'a>(&'a FinishedRun<'a>);

impl DesignReport<'_> {
    fn level(&self) -> SpecLevel {
        DesignFlags::from_map(self.0.flags).level
    }

    fn spec_text(&self, name: &str) -> String {
        self.0.text(&format!("specs/{name}"))
    }

    fn title(&self) -> String {
        let feature = self.0.feature;
        let gate = self.0.document.gates.get("post-design");
        let is_approved = gate.is_some_and(|gate| gate.state == GateState::Approved);
        let open: usize = ["requirements.md", "design.md", "tasks.md"]
            .iter()
            .map(|name| open_points(&self.spec_text(name)).len())
            .sum();
        match (self.0.is_complete, is_approved) {
            (true, true) if open > 0 => {
                format!("{feature} is designed and validated. Approved with open points ({open}).")
            }
            (true, false) if open > 0 => {
                format!(
                    "{feature} is designed and validated: a draft with open points ({open}), not approved."
                )
            }
            (true, true) => format!("{feature} is designed, approved and validated."),
            (true, false) => format!("{feature} is designed and validated; not approved."),
            (false, _) => format!("{feature}: the requested phase is complete."),
        }
    }

    /// Authors, folder of the specification, and workspace.
    fn notes(&self) -> Vec<String> {
        let mut notes = vec![self.0.authorship().headline()];
        notes.push(format!("Files: {}", self.0.spec_folder));
        notes.push(format!("Intermediate files: {}/", self.0.workspace));
        notes
    }

    fn files(&self) -> Vec<(String, String)> {
        let tasks = TaskList::parse(&self.spec_text("tasks.md"));
        let (count, phases) = (tasks.tasks.len(), tasks.phase_names().len());
        let about = deliverables(self.0.flags).into_iter().map(|(name, about)| {
            let counted = || format!("{count} tasks in {phases} phases");
            (name, if name == "tasks.md" { counted() } else { about.to_owned() })
        });
        let existing =
            about.filter(|(name, _)| (self.0.file_exists)(&format!("{}{name}", self.0.spec_folder)));
        existing.map(|(name, about)| (name.to_owned(), about)).collect()
    }

    fn resolutions(&self) -> Vec<DecisionResolution> {
        read_resolutions(&self.0.text(RESOLUTIONS)).0
    }

    /// Every vote in one table: decisions, then findings.
    fn votes(&self) -> Vec<VoteResult> {
        let decisions = self.resolutions().into_iter().map(|resolution| {
            let by = if matches!(resolution.outcome, DecisionOutcome::Voted { .. }) {
                "judges"
            } else {
                "no vote"
            };
            let (outcome, votes) = match resolution.outcome {
                DecisionOutcome::Voted { thesis, anti_thesis, winner } => {
                    let outcome = if winner == DebateSide::Thesis { "upheld" } else { "overturned" };
                    (outcome.to_owned(), format!("{thesis}-{anti_thesis}"))
                }
                other => (other.disposition().words().to_owned(), String::new()),
            };
            let about = format!("DECISION_{}: {}", resolution.n, resolution.title);
            VoteResult { about, outcome, votes, by: by.to_owned() }
        });
        let items = read_review_items(&self.0.text(FINDINGS)).0;
        let findings = read_voting_tally(&self.0.text(TALLY)).into_iter().map(|row| {
            let item = items.iter().find(|item| item.id == row.id);
            let title = item.map(|item| format!(": {}", item.title)).unwrap_or_default();
            VoteResult {
                about: format!("{}{title}", row.id),
                outcome: row.outcome,
                votes: format!("{}-{}-{}", row.yes, row.no, row.exonerate),
                by: "voters".to_owned(),
            }
        });
        decisions.chain(findings).collect()
    }

    /// Questions that the person answered, in the clarifications and both discussions.
    fn settled_by_person(&self) -> Vec<SettledQuestion> {
        let rounds = [CLARIFIED, ROUND_1, ROUND_2].into_iter();
        let settled = rounds.flat_map(|file| read_discussion(&self.0.text(file)).0);
        settled.filter(|question| question.source == AnswerSource::User).collect()
    }

    fn decided(&self) -> Vec<String> {
        let settled = self.settled_by_person();
        settled.iter().map(|question| format!("{}: {}", question.title, question.resolution)).collect()
    }

    /// Decisions and findings without a decision. What the person settled in a discussion is decided.
    fn undecided(&self) -> Vec<String> {
        let settled = self.settled_by_person();
        let is_settled = |id: &str, title: &str| {
            let title = title.to_lowercase();
            settled.iter().any(|question| {
                let asked = format!("{} {}", question.title, question.question);
                names_id(&asked, id) || (!title.is_empty() && asked.to_lowercase().contains(&title))
            })
        };
        let is_open = |resolution: &DecisionResolution| {
            !matches!(resolution.outcome, DecisionOutcome::Voted { .. })
                && !is_settled(&format!("DECISION_{}", resolution.n), &resolution.title)
        };
        let decisions = self.resolutions().into_iter().filter(is_open).map(|resolution| {
            let disposition = resolution.outcome.disposition().words();
            format!("{}: {} stands ({disposition})", resolution.title, resolution.resolution)
        });
        let items = read_review_items(&self.0.text(FINDINGS)).0;
        let tally = read_voting_tally(&self.0.text(TALLY));
        let findings = tally.into_iter().filter(|row| row.outcome == "undecided").filter(|row| {
            let item = items.iter().find(|item| item.id == row.id);
            !is_settled(&row.id.to_string(), item.map_or("", |item| &item.title))
        });
        decisions.chain(findings.map(|row| format!("{}: too few voted", row.id))).collect()
    }

    fn commit(&self) -> Option<String> {
        let folder = self.0.spec_folder.trim_end_matches('/');
        let level = self.level();
        let main = if level == SpecLevel::Spec { "spec.json" } else { deliverables(self.0.flags)[0].0 };
        let file_exists = (self.0.file_exists)(&format!("{folder}/{main}"));
        let command =
            || format!("git add {folder} && git commit -m \"{}: {}\"", level.as_str(), self.0.feature);
        (self.0.is_complete && file_exists).then(command)
    }

    fn next(&self) -> String {
        let feature = self.0.feature;
        if !self.0.is_complete {
            return format!("charrette design {feature} --resume");
        }
        match self.first_undesigned() {
            Some(name) => format!("charrette design {feature}.{name}"),
            None => format!("charrette check {feature}"),
        }
    }

    /// First entry of a project's or feature's manifest that has no folder yet.
    fn first_undesigned(&self) -> Option<String> {
        let level = self.level();
        let manifest = LevelManifest::parse(level, &self.spec_text(manifest::file_name(level)?)).ok()?;
        let is_designed = |name: &str| (self.0.file_exists)(&format!("{}{name}", self.0.spec_folder));
        manifest.names().find(|name| !is_designed(name)).map(str::to_owned)
    }
}

/// True if the text names this id, and not only a longer one.
fn names_id(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| !text[at + id.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Values of a field, in order.
fn field_values(text: &str, field: &str) -> Vec<String> {
    let mark = format!("**{field}**: ");
    text.lines().filter_map(|line| line.strip_prefix(&mark)).map(str::to_owned).collect()
}

fn rejected(text: &str) -> Vec<(String, String)> {
    if count_blocks(text).rejected == 0 {
        return Vec::new();
    }
    field_values(text, "Finding").into_iter().zip(field_values(text, "Reason not implemented")).collect()
}
