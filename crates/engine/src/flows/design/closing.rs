//! What came of a design, for its last page: read back from the run's own files.

use super::artifacts::{FINDINGS, OUT_OF_SCOPE, REJECTED, RESOLUTIONS, TALLY};
use super::brief::DesignFlags;
use super::preview::deliverables;
use crate::pages::{Closing, FinishedRun, Vote};
use charrette_model::checkpoint::GateState;
use charrette_model::ledger::CallRecord;
use charrette_model::panel::debate::Side;
use charrette_model::panel::merged::read_items;
use charrette_model::panel::resolutions::{Outcome, Resolution, read_resolutions};
use charrette_model::panel::review_files::count_blocks;
use charrette_model::panel::tally_file::read_voting_tally;
use charrette_model::seats::{EMBEDDED, Group};
use charrette_model::spec::manifest::{self, Manifest};
use charrette_model::spec::resolver::Level;
use charrette_model::spec::tasks::list::TaskList;
use std::collections::BTreeSet;

/// The last page of a design. Costs and warnings are added by whoever drove it.
pub(super) fn closing(run: &FinishedRun<'_>) -> Closing {
    let page = Page(run);
    Closing {
        title: page.title(),
        notes: page.notes(),
        files: page.files(),
        votes: page.votes(),
        undecided: page.undecided(),
        out_of_scope: headed(&run.text(OUT_OF_SCOPE), "Description"),
        rejected: rejected(&run.text(REJECTED)),
        commit: page.commit(),
        next: Some(page.next()),
        ..Closing::default()
    }
}

/// A run, to be read back.
struct Page<'a>(&'a FinishedRun<'a>);

impl Page<'_> {
    fn level(&self) -> Level {
        DesignFlags::of(self.0.flags).level
    }

    fn spec_text(&self, name: &str) -> String {
        self.0.text(&format!("specs/{name}"))
    }

    fn title(&self) -> String {
        let feature = self.0.feature;
        let gate = self.0.document.gates.get("post-design");
        let is_approved = gate.is_some_and(|gate| gate.state == GateState::Approved);
        match (self.0.is_complete, is_approved) {
            (true, true) => format!("{feature} is designed, approved and validated."),
            (true, false) => format!("{feature} is designed and validated; nobody has approved it."),
            (false, _) => format!("{feature}: the phase that was asked for is complete."),
        }
    }

    /// Where everything is, and who took part.
    fn notes(&self) -> Vec<String> {
        let mut notes = vendors(self.0.calls);
        notes.push(format!("The files are in {}", self.0.spec_folder));
        notes.push(format!("Everything anybody wrote on the way is in {}/", self.0.workspace));
        notes
    }

    fn files(&self) -> Vec<(String, String)> {
        let tasks = TaskList::parse(&self.spec_text("tasks.md"));
        let (count, phases) = (tasks.tasks.len(), tasks.phase_names().len());
        let about = deliverables(self.0.flags).into_iter().map(|(name, about)| {
            let counted = || format!("{count} tasks in {phases} phases");
            (name, if name == "tasks.md" { counted() } else { about.to_owned() })
        });
        let there = about.filter(|(name, _)| (self.0.is_there)(&format!("{}{name}", self.0.spec_folder)));
        there.map(|(name, about)| (name.to_owned(), about)).collect()
    }

    fn resolutions(&self) -> Vec<Resolution> {
        read_resolutions(&self.0.text(RESOLUTIONS)).0
    }

    /// Every vote in one table: decisions, then findings.
    fn votes(&self) -> Vec<Vote> {
        let decisions = self.resolutions().into_iter().map(|resolution| {
            let by = if matches!(resolution.outcome, Outcome::Voted { .. }) { "judges" } else { "nobody" };
            let (outcome, votes) = match resolution.outcome {
                Outcome::Voted { thesis, anti_thesis, winner } => {
                    let outcome = if winner == Side::Thesis { "upheld" } else { "overturned" };
                    (outcome.to_owned(), format!("{thesis}-{anti_thesis}"))
                }
                other => (other.disposition().name().to_owned(), String::new()),
            };
            let about = format!("DECISION_{}: {}", resolution.n, resolution.title);
            Vote { about, outcome, votes, by: by.to_owned() }
        });
        let items = read_items(&self.0.text(FINDINGS)).0;
        let findings = read_voting_tally(&self.0.text(TALLY)).into_iter().map(|row| {
            let item = items.iter().find(|item| item.id == row.id);
            let title = item.map(|item| format!(": {}", item.title)).unwrap_or_default();
            Vote {
                about: format!("{}{title}", row.id),
                outcome: row.outcome,
                votes: format!("{}-{}-{}", row.yes, row.no, row.exonerate),
                by: "voters".to_owned(),
            }
        });
        decisions.chain(findings).collect()
    }

    /// What was left without a decision.
    fn undecided(&self) -> Vec<String> {
        let open = |resolution: &Resolution| !matches!(resolution.outcome, Outcome::Voted { .. });
        let decisions = self.resolutions().into_iter().filter(open).map(|resolution| {
            let how = resolution.outcome.disposition().name();
            format!("{}: {} stands ({how})", resolution.title, resolution.resolution)
        });
        let tally = read_voting_tally(&self.0.text(TALLY));
        let findings = tally.into_iter().filter(|row| row.outcome == "undecided");
        decisions.chain(findings.map(|row| format!("{}: too few voted", row.id))).collect()
    }

    fn commit(&self) -> Option<String> {
        let folder = self.0.spec_folder.trim_end_matches('/');
        let level = self.level();
        let main = if level == Level::Spec { "spec.json" } else { deliverables(self.0.flags)[0].0 };
        let is_there = (self.0.is_there)(&format!("{folder}/{main}"));
        let command =
            || format!("git add {folder} && git commit -m \"{}: {}\"", level.as_str(), self.0.feature);
        (self.0.is_complete && is_there).then(command)
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

    /// What the list of a project or a feature names first that has no folder yet.
    fn first_undesigned(&self) -> Option<String> {
        let level = self.level();
        let listed = Manifest::parse(level, &self.spec_text(manifest::file_name(level)?)).ok()?;
        let is_designed = |name: &str| (self.0.is_there)(&format!("{}{name}", self.0.spec_folder));
        listed.names().find(|name| !is_designed(name)).map(str::to_owned)
    }
}

/// Who sat, and who voted: how many different vendors.
fn vendors(calls: &[CallRecord]) -> Vec<String> {
    let answered: Vec<&CallRecord> = calls.iter().filter(|call| call.is_answered()).collect();
    let vendors = |is_meant: &dyn Fn(&CallRecord) -> bool| -> BTreeSet<String> {
        let outside = answered.iter().filter(|call| call.agent != EMBEDDED && is_meant(call));
        outside.map(|call| call.vendor.clone().unwrap_or_else(|| call.agent.clone())).collect()
    };
    let sat = vendors(&|_| true);
    let tables = super::FLOW.seat_tables();
    let voted = vendors(&|call| {
        let group = tables.seat(&call.seat).and_then(|seat| seat.group);
        group.is_some_and(|group| matches!(group, Group::Judges | Group::Voters))
    });
    if sat.is_empty() {
        return vec![
            "No model took part: the embedded agent drafted this from what the repository says.".to_owned(),
        ];
    }
    let note = |vendors: BTreeSet<String>, did: &str| {
        let plural = if vendors.len() == 1 { "vendor" } else { "vendors" };
        let named = vendors.iter().cloned().collect::<Vec<_>>().join(", ");
        format!("{} distinct {plural} {did}: {named}", vendors.len())
    };
    let mut notes = vec![note(sat, "sat")];
    if !voted.is_empty() {
        notes.push(note(voted, "voted"));
    }
    notes
}

/// The values of one field, in order.
fn headed(text: &str, field: &str) -> Vec<String> {
    let mark = format!("**{field}**: ");
    text.lines().filter_map(|line| line.strip_prefix(&mark)).map(str::to_owned).collect()
}

fn rejected(text: &str) -> Vec<(String, String)> {
    if count_blocks(text).rejected == 0 {
        return Vec::new();
    }
    headed(text, "Finding").into_iter().zip(headed(text, "Reason not implemented")).collect()
}
