//! Proposes the commands that verify a change, and writes them into `charrette.toml`.

use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::site::{REPOSITORY_FILE, Site};
use charrette_hosts::toml_text::{self, Member};
use charrette_hosts::{ApplyError, EditProblem, FileChange, apply_change, plan_edit};
use charrette_model::escape::{one_line, printable};
use charrette_model::implement::argv::parse_argv;
use charrette_survey::{ProposedCommand, ProposedCommands, RepositoryFiles, propose_commands};
use serde_json::Value;

/// Section of the commands.
const SECTION: &str = "verify";

/// A proposal, and the change that writes it.
#[derive(Debug, Clone)]
pub struct VerifyProposal {
    pub commands: ProposedCommands,
    /// The change of `charrette.toml`; none if nothing is to be written.
    pub change: Option<FileChange>,
    /// Commands that are set, and not as they are proposed.
    pub conflicts: Vec<SetCommand>,
    /// Names of commands that are proposed and not set.
    pub missing: Vec<&'static str>,
}

impl VerifyProposal {
    /// Steps that are left to the user, one sentence each.
    pub fn remaining_steps(&self) -> Vec<String> {
        let mut steps = vec!["Try each command once; an untested proposal is a guess.".to_owned()];
        if self.commands.setup.is_some() {
            steps.push(
                "setup may need the network, which is off: network = true in [verify] allows it.".to_owned(),
            );
        }
        steps
            .push("Trust the commands, here and in every copy of the repository: charrette trust".to_owned());
        steps
    }
}

/// A command that is set, where another one is proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetCommand {
    pub name: &'static str,
    /// As it stands in the file.
    pub set: String,
    pub proposed: String,
}

/// Reads what the repository says about itself. Nothing is written.
///
/// A configured command is the choice of somebody: if any is set, none is added or replaced, unless `force` is true.
pub fn propose(site: &Site, force: bool) -> Result<VerifyProposal, AppError> {
    refuse_inside_agent(site, "choose the commands that verify its work")?;
    let commands = propose_commands(&RepositoryFiles::read(&site.root));
    if commands.is_empty() {
        return Err(AppError::failed(
            "no command was found: no pipeline, task file or manifest at the root says how to build or test",
        )
        .hint(format!("Write one yourself, in {REPOSITORY_FILE}: [verify] test = \"COMMAND\"")));
    }
    let (mut conflicts, mut missing) = (Vec::new(), Vec::new());
    let change = plan_edit(&site.root, &site.root.join(REPOSITORY_FILE), |text| {
        let set = toml_text::read(text)?.get(SECTION).cloned();
        conflicts = find_conflicts(set.as_ref(), &commands);
        let is_missing = |name: &&str| set.as_ref().is_none_or(|set| set.get(name).is_none());
        missing = commands.all().into_iter().map(|(name, _)| name).filter(is_missing).collect();
        with_commands(text, set.as_ref(), &commands, force)
    });
    let change = change.map_err(|problem| {
        AppError::failed(printable(&problem.to_string())).hint("Repair that file: charrette config check")
    })?;
    Ok(VerifyProposal { commands, change, conflicts, missing })
}

/// Commands that the repository suggests, with their names.
pub(crate) fn suggested_commands(site: &Site) -> Vec<(String, String)> {
    let commands = propose_commands(&RepositoryFiles::read(&site.root));
    let named = commands.all().into_iter().map(|(name, command)| (name.to_owned(), command.run.clone()));
    named.collect()
}

/// Makes the change that was shown.
pub fn apply(change: &FileChange) -> Result<(), AppError> {
    apply_change(change).map_err(|error| match error {
        ApplyError::Changed(_) => {
            AppError::new(ErrorKind::Refused, error).hint("Look again: charrette verify init")
        }
        ApplyError::Io(_) | ApplyError::Torn { .. } => AppError::failed(error),
    })
}

/// The text of the file with the commands.
fn with_commands(
    text: &str,
    set: Option<&Value>,
    commands: &ProposedCommands,
    force: bool,
) -> Result<String, EditProblem> {
    let value = |name: &str| set.and_then(|set| set.get(name));
    let is_set = commands.all().iter().any(|(name, _)| value(name).is_some());
    let members: Vec<Member> = commands
        .all()
        .into_iter()
        .filter(|(name, command)| value(name) != Some(&written(name, command)))
        .map(|(name, command)| member(name, command))
        .collect();
    if members.is_empty() || (is_set && !force) {
        return Ok(text.to_owned());
    }
    if set.is_none() {
        return toml_text::add_section(text, &[SECTION], &members);
    }
    toml_text::set_members(text, &[SECTION], &members)?
        .ok_or(EditProblem::Type { place: SECTION.to_owned(), expected: "a section of its own, [verify]" })
}

fn find_conflicts(set: Option<&Value>, commands: &ProposedCommands) -> Vec<SetCommand> {
    let conflict = |(name, command): (&'static str, &ProposedCommand)| {
        let value = set?.get(name)?;
        let set = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_same = *value == written(name, command) || set == command.run;
        (!is_same).then(|| SetCommand { name, set, proposed: command.run.clone() })
    };
    commands.all().into_iter().filter_map(conflict).collect()
}

/// A line of the section. A string of JSON is one of TOML too; the name of a file may hold anything.
fn member(name: &str, command: &ProposedCommand) -> Member {
    Member {
        name: name.to_owned(),
        value: match written(name, command) {
            Value::Array(words) => {
                let words: Vec<String> = words.iter().map(Value::to_string).collect();
                format!("[{}]", words.join(", "))
            }
            line => line.to_string(),
        },
        comment: Some(one_line(&command.from)),
    }
}

/// A command as it is written: a line. The one for a single test is a list, in which the name of a test cannot become
/// anything else.
fn written(name: &str, command: &ProposedCommand) -> Value {
    let argv = Some(name).filter(|name| *name == "test_one").and_then(|_| parse_argv(&command.run).ok());
    argv.map_or_else(|| Value::from(command.run.as_str()), Value::from)
}
