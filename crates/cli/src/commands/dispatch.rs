//! From what was typed to the command that does it.

use crate::arguments::{Arguments, Command};
use crate::commands::{
    abandon, agents, answer, ask, ballot, branch, check, checkpoint, collect, completions, config, decisions,
    design, design_heavy, diagram, dirty_tree, doctor, findings, flags, gate, handoff, ledger, manifest,
    resume, roles, session_env, status, survey, tokens, verdict,
};
use crate::drive::Extension;
use crate::error::CommandError;
use std::process::ExitCode;

pub(crate) fn run(
    Arguments { global, command }: Arguments,
    extension: Extension,
) -> Result<ExitCode, CommandError> {
    match command {
        Command::Design(args) => design::design(&global, &args),
        Command::DesignHeavy(args) => design_heavy::design_heavy(&args),
        Command::Survey(args) => survey::survey(&global, &args),
        Command::Check(args) => check::check(&global, &args),
        Command::Status(args) => status::status(&global, &args),
        Command::Answer(args) => answer::answer(&global, &args),
        Command::Resume(args) => resume::resume(&global, &args, extension),
        Command::Abandon(args) => abandon::abandon(&global, &args),
        Command::Roles(args) => roles::roles(&global, &args),
        Command::Agents(args) => agents::agents(&global, &args),
        Command::Doctor(args) => doctor::doctor(&global, &args),
        Command::Ask(args) => ask::ask(&global, &args),
        Command::Checkpoint(args) => checkpoint::checkpoint(&global, args),
        Command::Decisions(args) => decisions::decisions(&args),
        Command::Ballot(args) => ballot::ballot(&args),
        Command::Findings(args) => findings::findings(&global, &args),
        Command::Verdict(args) => verdict::verdict(&args),
        Command::Tokens(args) => tokens::tokens(&global, &args),
        Command::Flags(args) => flags::flags(&global, &args),
        Command::Handoff(args) => handoff::handoff(&global, &args),
        Command::Gate(args) => gate::gate(&args),
        Command::Branch(args) => branch::branch(&global, &args),
        Command::Diagram(args) => diagram::diagram(&global, &args),
        Command::Manifest(args) => manifest::manifest(&args),
        Command::SessionEnv(args) => session_env::session_env(&args),
        Command::Collect(args) => collect::collect(&global, &args),
        Command::DirtyTree(args) => dirty_tree::dirty_tree(&args),
        Command::Ledger(args) => ledger::ledger(&global, &args),
        Command::Config(args) => config::config(&args),
        Command::Completions(args) => completions::completions(&args),
    }
}
