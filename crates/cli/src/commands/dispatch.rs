//! Dispatch of parsed arguments to their command.

use crate::arguments::Command;
use crate::commands::{
    abandon, agents, answer, ask, ballot, branch, check, checkpoint, collect, completions, config, decisions,
    design, design_heavy, diagram, dirty_tree, doctor, done, events, findings, flags, gate, handoff, hook,
    implement, init, ledger, manifest, mcp, names, next, plugin, resume, roles, seats, session_env, status,
    stop, survey, tokens, trust, verdict, verify, watch,
};
use crate::invocation::Invocation;
use charrette_app::AppError;
use std::process::ExitCode;

pub(crate) fn run(invocation: &Invocation, command: Command) -> Result<ExitCode, AppError> {
    match command {
        Command::Design(args) => design::design(invocation, &args),
        Command::Implement(args) => implement::implement(invocation, &args),
        Command::DesignHeavy(args) => design_heavy::design_heavy(invocation, &args),
        Command::Hook(args) => Ok(hook::hook(args)),
        Command::Names => names::names(invocation),
        Command::Survey(args) => survey::survey(invocation, &args),
        Command::Verify(args) => verify::verify(invocation, &args),
        Command::Next(args) => next::next(invocation, &args),
        Command::Done(args) => done::done(invocation, &args),
        Command::Check(args) => check::check(invocation, &args),
        Command::Status(args) => status::status(invocation, &args),
        Command::Answer(args) => answer::answer(invocation, &args),
        Command::Resume(args) => resume::resume(invocation, &args),
        Command::Stop(args) => stop::stop(invocation, &args),
        Command::Events(args) => events::events(invocation, &args),
        Command::Log(args) => events::log(invocation, &args),
        Command::Plugin(args) => plugin::plugin(invocation, &args),
        Command::Watch(args) => watch::watch(invocation, &args),
        Command::Abandon(args) => abandon::abandon(invocation, &args),
        Command::Roles(args) => roles::roles(invocation, &args),
        Command::Agents(args) => agents::agents(invocation, &args),
        Command::Doctor(args) => doctor::doctor(invocation, &args),
        Command::Trust(args) => trust::trust(invocation, &args),
        Command::Init(args) => init::init(invocation, &args),
        Command::Ask(args) => ask::ask(invocation, &args),
        Command::Seats(args) => seats::seats(invocation, &args),
        Command::Mcp(args) => mcp::mcp(invocation, &args),
        Command::Checkpoint(args) => checkpoint::checkpoint(invocation, args),
        Command::Decisions(args) => decisions::decisions(&args),
        Command::Ballot(args) => ballot::ballot(&args),
        Command::Findings(args) => findings::findings(invocation, &args),
        Command::Verdict(args) => verdict::verdict(&args),
        Command::Tokens(args) => tokens::tokens(invocation, &args),
        Command::Flags(args) => flags::flags(invocation, &args),
        Command::Handoff(args) => handoff::handoff(invocation, &args),
        Command::Gate(args) => gate::gate(&args),
        Command::Branch(args) => branch::branch(invocation, &args),
        Command::Diagram(args) => diagram::diagram(invocation, &args),
        Command::Manifest(args) => manifest::manifest(invocation, &args),
        Command::SessionEnv(args) => session_env::session_env(&args),
        Command::Collect(args) => collect::collect(invocation, &args),
        Command::DirtyTree(args) => dirty_tree::dirty_tree(invocation, &args),
        Command::Ledger(args) => ledger::ledger(invocation, &args),
        Command::Config(args) => config::config(invocation, &args),
        Command::Completions(args) => completions::completions(invocation, &args),
    }
}
