//! Facts about the start of a run, for the check of its flow and for its preview.

use crate::agent_pool;
use crate::error::{AppError, ErrorKind};
use crate::ports::task_worktrees;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use crate::start_plan::{StartMode, StartPlan, merged_flags};
use crate::tracker::tracker_state;
use crate::verify_init::suggested_commands;
use crate::workspaces::{run_workspace, spec_folder};
use charrette_agents::pool::{AgentPolicy, seat_chain};
use charrette_engine::ports::PortError;
use charrette_engine::{RecordedApproval, StartFacts, StartProblem, StartProblemKind};
use charrette_git::Git;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName, GateState};
use charrette_model::panel::file_names::GATE_SUBJECT;
use charrette_model::seats::EMBEDDED;
use charrette_model::spec::approval::approved_text_with_record;
use charrette_store::layout::check_file;
use charrette_store::workspace::sha256;
use std::path::Path;

/// Gate at which a design is approved.
const POST_DESIGN: &str = "post-design";

/// Lets the flow judge what a run starts from. With `only_usage`, refusals that a person can still remove are passed over.
pub fn check_start(site: &Site, plan: &StartPlan, only_usage: bool) -> Result<(), AppError> {
    match with_facts(site, plan, plan.flow.check) {
        Err(problem) if !only_usage || problem.kind == StartProblemKind::Usage => Err(start_error(&problem)),
        _ => Ok(()),
    }
}

/// Error for a run that cannot start.
pub(crate) fn start_error(problem: &StartProblem) -> AppError {
    let kind = match problem.kind {
        StartProblemKind::Usage => ErrorKind::Usage,
        StartProblemKind::Refused => ErrorKind::Refused,
    };
    let mut lines = problem.message.lines();
    let error = AppError::new(kind, lines.next().unwrap_or("the run cannot start"));
    let error = lines.fold(error, AppError::more);
    problem.hints.iter().fold(error, AppError::hint)
}

/// Collects the facts of a planned run for `judge`.
pub(crate) fn with_facts<T>(site: &Site, plan: &StartPlan, judge: fn(&StartFacts<'_>) -> T) -> T {
    let existing = plan.existing.as_ref().filter(|_| !matches!(plan.mode, StartMode::New { .. }));
    let flags = existing.map_or_else(|| plan.flags.clone(), |document| merged_flags(document, &plan.flags));
    let folder = site.root.join(spec_folder(site, &plan.name));
    let specification = |name: &str| read_inside(site, &folder.join(name));
    let approved = |name: &str| approved_file(site, &plan.name, name);
    let (roster, _) = agent_pool::roster(site);
    let candidates = agent_pool::candidates(site, &roster);
    let (rules, tables) = (AgentPolicy::from_settings(&site.settings), plan.flow.seat_tables());
    let has_agent = |seat: &str| {
        seat_chain(seat, &tables, &rules, &candidates).iter().any(|agent| agent.as_str() != EMBEDDED)
    };
    judge(&StartFacts {
        feature: &feature_argument(&plan.name),
        flags: &flags,
        settings: &site.settings,
        specification: &specification,
        approved: &approved,
        recorded_approval: recorded_approval(site, &plan.name),
        proposed_verify: &|| suggested_commands(site),
        has_agent: &has_agent,
        git_problem: &|| match task_worktrees(site).check_git() {
            Err(PortError::Refused(problem)) => Some(problem),
            // Whatever else is wrong is met, and told, when the run begins.
            _ => None,
        },
        tracker: &|| tracker_state(site),
    })
}

/// Reads a file of the repository; none if it is missing, or if a link leads out of the repository.
pub(crate) fn read_inside(site: &Site, path: &Path) -> Option<String> {
    let exists = check_file(&site.root, path).ok()?;
    let bytes = exists.then(|| fs_err::read(path).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file of the specification as it was approved, as far as that is known.
pub(crate) fn approved_file(site: &Site, name: &DocumentName, file: &str) -> Option<String> {
    let folder = site.root.join(spec_folder(site, name));
    approved_in_design(site, name, file).or_else(|| committed(site, &folder, file))
}

/// Command that has a specification approved.
pub(crate) fn approval_command(feature: &str) -> String {
    format!("charrette design {feature} --approve")
}

/// Approval of a specification that its design recorded; none if there is no design, or what was approved is not known any
/// more. Only an implementation asks.
pub(crate) fn recorded_approval(site: &Site, name: &DocumentName) -> Option<RecordedApproval> {
    if name.command() != Command::Implement.as_str() {
        return None;
    }
    let document = design_document(site, name)?;
    let gate = document.gates.get(POST_DESIGN).filter(|gate| gate.state == GateState::Approved)?;
    let subject = approved_subject(site, &document);
    let is_recorded = |subject: &String| document.has_output(GATE_SUBJECT, &sha256(subject.as_bytes()));
    let subject = subject.filter(is_recorded)?;
    let text = |file: &str| file_in_subject(&subject, file).unwrap_or_default();
    let [requirements, design, tasks, spec_json] =
        ["requirements.md", "design.md", "tasks.md", "spec.json"].map(text);
    let approved = approved_text_with_record(&requirements, &design, &tasks, &spec_json);
    let by = gate.by.clone().unwrap_or_else(|| "a person".to_owned());
    Some(RecordedApproval { digest: sha256(approved.as_bytes()), by })
}

fn design_document(site: &Site, name: &DocumentName) -> Option<Checkpoint> {
    let design = DocumentName::new(Command::Design, name.feature().cloned());
    Some(site.documents().load(&design).ok()??.document)
}

/// The files that a design showed for approval, without their status.
fn approved_subject(site: &Site, design: &Checkpoint) -> Option<String> {
    let subject = run_workspace(site, design).ok()?.read(GATE_SUBJECT, None).ok()??;
    Some(String::from_utf8_lossy(&subject).into_owned())
}

/// A file of the specification as its design run showed it for approval.
fn approved_in_design(site: &Site, name: &DocumentName, file: &str) -> Option<String> {
    file_in_subject(&approved_subject(site, &design_document(site, name)?)?, file)
}

fn file_in_subject(subject: &str, file: &str) -> Option<String> {
    let (_, after) = subject.split_once(&format!("=== {file} ===\n"))?;
    Some(after.split_once("\n=== ").map_or(after, |(text, _)| text).to_owned() + "\n")
}

/// A file of the specification as it is committed.
fn committed(site: &Site, folder: &Path, file: &str) -> Option<String> {
    let path = site.relative(&folder.join(file)).display().to_string();
    Git::new(&site.root).find(&["show", &format!("HEAD:{path}")])
}
