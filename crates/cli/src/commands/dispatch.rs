//! From what was typed to the command that does it.

use crate::arguments::Command;
use crate::commands::{
    abandon, agents, answer, ask, ballot, branch, check, checkpoint, collect, completions, config, decisions,
    design, design_heavy, diagram, dirty_tree, doctor, events, findings, flags, gate, handoff, ledger,
    manifest, resume, roles, session_env, status, stop, survey, tokens, verdict,
};
use crate::here::Here;
use charrette_app::AppError;
use std::process::ExitCode;

pub(crate) fn run(here: &Here, command: Command) -> Result<ExitCode, AppError> {
    match command {
        Command::Design(args) => design::design(here, &args),
        Command::DesignHeavy(args) => design_heavy::design_heavy(here, &args),
        Command::Survey(args) => survey::survey(here, &args),
        Command::Check(args) => check::check(here, &args),
        Command::Status(args) => status::status(here, &args),
        Command::Answer(args) => answer::answer(here, &args),
        Command::Resume(args) => resume::resume(here, &args),
        Command::Stop(args) => stop::stop(here, &args),
        Command::Events(args) => events::events(here, &args),
        Command::Log(args) => events::log(here, &args),
        Command::Abandon(args) => abandon::abandon(here, &args),
        Command::Roles(args) => roles::roles(here, &args),
        Command::Agents(args) => agents::agents(here, &args),
        Command::Doctor(args) => doctor::doctor(here, &args),
        Command::Ask(args) => ask::ask(here, &args),
        Command::Checkpoint(args) => checkpoint::checkpoint(here, args),
        Command::Decisions(args) => decisions::decisions(&args),
        Command::Ballot(args) => ballot::ballot(&args),
        Command::Findings(args) => findings::findings(here, &args),
        Command::Verdict(args) => verdict::verdict(&args),
        Command::Tokens(args) => tokens::tokens(here, &args),
        Command::Flags(args) => flags::flags(here, &args),
        Command::Handoff(args) => handoff::handoff(here, &args),
        Command::Gate(args) => gate::gate(&args),
        Command::Branch(args) => branch::branch(here, &args),
        Command::Diagram(args) => diagram::diagram(here, &args),
        Command::Manifest(args) => manifest::manifest(here, &args),
        Command::SessionEnv(args) => session_env::session_env(&args),
        Command::Collect(args) => collect::collect(here, &args),
        Command::DirtyTree(args) => dirty_tree::dirty_tree(here, &args),
        Command::Ledger(args) => ledger::ledger(here, &args),
        Command::Config(args) => config::config(here, &args),
        Command::Completions(args) => completions::completions(here, &args),
    }
}
