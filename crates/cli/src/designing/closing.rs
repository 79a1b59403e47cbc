//! What came of a design, for its last page: read back from the run's own files.

use crate::designing::{self, Manner};
use crate::drive;
use crate::error::CommandError;
use crate::site::Site;
use crate::workspaces;
use charrette_engine::{Flow, Stop};
use charrette_model::checkpoint::{Checkpoint, DocumentName, GateState};
use charrette_model::ledger::{CallRecord, Total};
use charrette_model::panel::debate::Side;
use charrette_model::panel::merged::read_items;
use charrette_model::panel::resolutions::{Outcome, Resolution, read_resolutions};
use charrette_model::panel::review_files::count_blocks;
use charrette_model::panel::tally_file::read_voting_tally;
use charrette_model::seats::{EMBEDDED, Group, every, seat};
use charrette_model::spec::manifest::{self, Manifest};
use charrette_model::spec::resolver::Level;
use charrette_model::spec::tasks::list::TaskList;
use charrette_store::Workspace;
use charrette_store::ledger::calls;
use charrette_term::{Closing, SeatCost, Vote};
use std::collections::{BTreeMap, BTreeSet};

/// The last page of a run that came to its end, or to the end of what was asked for.
pub(crate) fn closing(
    site: &Site,
    name: &DocumentName,
    outcome: &Flow<()>,
    warnings: Vec<String>,
) -> Result<Option<Closing>, CommandError> {
    if !matches!(outcome, Ok(()) | Err(Stop::Enough)) {
        return Ok(None);
    }
    let Some(loaded) = site.documents().load(name)? else { return Ok(None) };
    let document = loaded.document;
    let workspace = workspaces::workspace_of(site, &document)?;
    let run = ReadBack { site, name, document: &document, workspace: &workspace };
    let calls = calls(workspace.folder()).unwrap_or_default();
    Ok(Some(Closing {
        title: run.title(outcome),
        notes: run.notes(&calls),
        files: run.files(),
        votes: run.votes(),
        costs: costs(&calls),
        undecided: run.undecided(),
        out_of_scope: headed(&run.text("oos.md"), "Description"),
        rejected: rejected(&run.text("rejected-findings.md")),
        warnings: gathered(warnings),
        commit: run.commit(outcome),
        next: Some(run.next(outcome)),
    }))
}

/// A run, to be read back.
struct ReadBack<'a> {
    site: &'a Site,
    name: &'a DocumentName,
    document: &'a Checkpoint,
    workspace: &'a Workspace,
}

impl ReadBack<'_> {
    fn text(&self, name: &str) -> String {
        let bytes = self.workspace.read(name, None).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn feature(&self) -> String {
        drive::shown_feature(self.name)
    }

    fn is_approved(&self) -> bool {
        self.document.gates.get("post-design").is_some_and(|gate| gate.state == GateState::Approved)
    }

    fn title(&self, outcome: &Flow<()>) -> String {
        let feature = self.feature();
        match outcome {
            Ok(()) if self.is_approved() => format!("{feature} is designed, approved and validated."),
            Ok(()) => format!("{feature} is designed and validated; nobody has approved it."),
            _ => format!("{feature}: the phase that was asked for is complete."),
        }
    }

    /// Where everything is, and who took part.
    fn notes(&self, calls: &[CallRecord]) -> Vec<String> {
        let workspace = self.document.run.as_ref().and_then(|run| run.workspace.clone()).unwrap_or_default();
        let mut notes = Self::vendors(calls);
        notes.push(format!("The files are in {}", designing::spec_folder(self.site, self.name)));
        notes.push(format!("Everything anybody wrote on the way is in {workspace}/"));
        notes
    }

    /// Who sat, and who voted: how many different vendors.
    fn vendors(calls: &[CallRecord]) -> Vec<String> {
        let answered: Vec<&CallRecord> = calls.iter().filter(|call| call.is_answered()).collect();
        let vendors = |is_meant: &dyn Fn(&CallRecord) -> bool| -> BTreeSet<String> {
            let outside = answered.iter().filter(|call| call.agent != EMBEDDED && is_meant(call));
            outside.map(|call| call.vendor.clone().unwrap_or_else(|| call.agent.clone())).collect()
        };
        let sat = vendors(&|_| true);
        let voted = vendors(&|call| {
            seat(&call.seat)
                .and_then(|seat| seat.group)
                .is_some_and(|group| matches!(group, Group::Judges | Group::Voters))
        });
        if sat.is_empty() {
            return vec![
                "No model took part: the embedded agent drafted this from what the repository says."
                    .to_owned(),
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

    fn files(&self) -> Vec<(String, String)> {
        let folder = designing::spec_folder(self.site, self.name);
        let path = self.site.root.join(&folder);
        let tasks = fs_err::read_to_string(path.join("tasks.md")).unwrap_or_default();
        let (tasks, phases) =
            (TaskList::parse(&tasks).tasks.len(), TaskList::parse(&tasks).phase_names().len());
        let about =
            designing::deliverables(Manner::of(self.document).level).into_iter().map(|(name, about)| {
                let counted = || format!("{tasks} tasks in {phases} phases");
                (name, if name == "tasks.md" { counted() } else { about.to_owned() })
            });
        let there = about.filter(|(name, _)| path.join(name).exists());
        there.map(|(name, about)| (name.to_owned(), about)).collect()
    }

    fn resolutions(&self) -> Vec<Resolution> {
        read_resolutions(&self.text("dialectic-resolutions.md")).0
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
            Vote {
                about: format!("DECISION_{}: {}", resolution.n, resolution.title),
                outcome,
                votes,
                by: by.to_owned(),
            }
        });
        let items = read_items(&self.text("findings.md")).0;
        let findings = read_voting_tally(&self.text("voting-tally.md")).into_iter().map(|row| {
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

    /// What was left to nobody's decision.
    fn undecided(&self) -> Vec<String> {
        let decisions = self
            .resolutions()
            .into_iter()
            .filter(|resolution| !matches!(resolution.outcome, Outcome::Voted { .. }));
        let decisions = decisions.map(|resolution| {
            format!(
                "{}: {} stands ({})",
                resolution.title,
                resolution.resolution,
                resolution.outcome.disposition().name()
            )
        });
        let tally = read_voting_tally(&self.text("voting-tally.md"));
        let findings = tally.into_iter().filter(|row| row.outcome == "undecided");
        decisions.chain(findings.map(|row| format!("{}: too few voted", row.id))).collect()
    }

    fn commit(&self, outcome: &Flow<()>) -> Option<String> {
        let folder = designing::spec_folder(self.site, self.name);
        let folder = folder.trim_end_matches('/');
        let level = Manner::of(self.document).level;
        let main = if level == Level::Spec { "spec.json" } else { designing::deliverables(level)[0].0 };
        let is_there = self.site.root.join(folder).join(main).exists();
        (outcome.is_ok() && is_there)
            .then(|| format!("git add {folder} && git commit -m \"{}: {}\"", level.as_str(), self.feature()))
    }

    fn next(&self, outcome: &Flow<()>) -> String {
        let feature = self.feature();
        match outcome {
            Ok(()) => match self.first_undesigned() {
                Some(name) => format!("charrette design {feature}.{name}"),
                None => format!("charrette check {feature}"),
            },
            _ => format!("charrette design {feature} --resume"),
        }
    }

    /// What the list of a project or a feature names first that has no folder yet.
    fn first_undesigned(&self) -> Option<String> {
        let level = Manner::of(self.document).level;
        let folder = self.site.root.join(designing::spec_folder(self.site, self.name));
        let text = fs_err::read_to_string(folder.join(manifest::file_name(level)?)).ok()?;
        let listed = Manifest::parse(level, &text).ok()?;
        listed.names().find(|name| !folder.join(name).exists()).map(str::to_owned)
    }
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

/// What each seat cost, in the order of the seats. The embedded agent costs nothing.
fn costs(calls: &[CallRecord]) -> Vec<SeatCost> {
    let mut seats: Vec<(String, String, Total)> = Vec::new();
    for call in calls.iter().filter(|call| call.agent != EMBEDDED) {
        let is_it =
            |(seat, agent, _): &&mut (String, String, Total)| *seat == call.seat && *agent == call.agent;
        if let Some((_, _, total)) = seats.iter_mut().find(is_it) {
            total.add(call);
        } else {
            let mut total = Total::default();
            total.add(call);
            seats.push((call.seat.clone(), call.agent.clone(), total));
        }
    }
    let cost = |(seat, agent, total): (String, String, Total)| SeatCost {
        seat,
        agent,
        calls: usize::try_from(total.calls).unwrap_or(usize::MAX),
        input: total.input,
        output: total.output,
        usd: total.usd,
        seconds: std::time::Duration::from_secs_f64(total.seconds.clamp(0.0, 1e9)).as_secs(),
    };
    seats.sort_by_key(|(id, ..)| every().position(|seat| seat.id == id.as_str()));
    seats.into_iter().map(cost).collect()
}

/// The warnings, with one line for what an agent said in several steps: some say the same in every call.
fn gathered(warnings: Vec<String>) -> Vec<String> {
    let parts = |warning: &str| -> Option<(String, String)> {
        let (step, words) = warning.split_once(": ")?;
        let is_step = step.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-/".contains(&byte));
        is_step.then(|| (step.to_owned(), words.to_owned()))
    };
    let mut steps: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (step, words) in warnings.iter().filter_map(|warning| parts(warning)) {
        steps.entry(words).or_default().push(step);
    }
    let gather = |warning: String| {
        let Some((_, words)) = parts(&warning) else { return Some(warning) };
        // Whoever comes first speaks for all.
        match steps.remove(&words)?.as_slice() {
            [first, others @ ..] if !others.is_empty() => {
                Some(format!("{first} and {} more: {words}", others.len()))
            }
            _ => Some(warning),
        }
    };
    warnings.into_iter().filter_map(gather).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_says_in_every_step_is_one_warning() {
        let warnings = [
            "**⚠ Cursor not available.**",
            "debate/2-thesis: codex: no metadata",
            "writer: claude: was refused Bash",
            "judge/judge-codex: codex: no metadata",
            "The plan: codex: no metadata",
            "validator: codex: no metadata",
        ];
        assert_eq!(
            gathered(warnings.map(str::to_owned).into()),
            [
                "**⚠ Cursor not available.**",
                "debate/2-thesis and 2 more: codex: no metadata",
                "writer: claude: was refused Bash",
                "The plan: codex: no metadata",
            ]
        );
    }
}
