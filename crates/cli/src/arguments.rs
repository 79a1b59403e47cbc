//! Argument definitions of all commands. Help, `docs/cli.md` and completions are generated from them.

use crate::commands::{
    abandon, agents, answer, ask, ballot, branch, check, checkpoint, collect, completions, config, decisions,
    design, design_heavy, diagram, dirty_tree, doctor, done, events, findings, flags, gate, handoff, hook,
    implement, init, ledger, manifest, mcp, next, plugin, resume, roles, seats, session_env, status, stop,
    survey, tokens, trust, verdict, verify, watch,
};
use charrette_model::config::keys::MAX_SECONDS;
use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Design features with several coding agents: durable, gated, resumable
///
/// This version has `charrette design "what you want"`, `charrette implement FEATURE` and `charrette research "topic"`.
/// Commands for reviewing and shipping follow in later versions.
#[derive(Debug, Parser)]
#[command(name = "charrette", version, max_term_width = 100)]
pub struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// Without a command, the next steps are shown.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Global flags, accepted by every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct GlobalArgs {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Print JSON instead of human-readable text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only results and errors, no notes or warnings
    #[arg(long, global = true)]
    pub(crate) quiet: bool,
    /// Show whole documents while a run goes on, not only their names
    #[arg(long, global = true)]
    pub(crate) verbose: bool,
    /// Disable coloured output
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
    /// Trust this content of the repository, by the digest that `charrette trust` prints; without a digest, any content,
    /// with a warning
    #[arg(long, global = true, value_name = "DIGEST", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(crate) trust: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Design(Box<design::DesignArgs>),
    Implement(Box<implement::ImplementArgs>),
    #[command(hide = true)]
    DesignHeavy(design_heavy::DesignHeavyArgs),
    #[command(hide = true)]
    Hook(hook::HookArgs),
    /// Print the names of the runs here, one per line
    #[command(hide = true)]
    Names,
    Survey(survey::SurveyArgs),
    Check(check::CheckArgs),
    Next(next::NextArgs),
    Done(done::DoneArgs),
    Verify(verify::VerifyArgs),
    Status(status::StatusArgs),
    Answer(answer::AnswerArgs),
    Resume(resume::ResumeArgs),
    Stop(stop::StopArgs),
    Events(events::EventsArgs),
    Log(events::LogArgs),
    Watch(watch::WatchArgs),
    Plugin(plugin::PluginArgs),
    Abandon(abandon::AbandonArgs),
    Roles(roles::RolesArgs),
    Agents(agents::AgentsArgs),
    Doctor(doctor::DoctorArgs),
    Trust(trust::TrustArgs),
    Init(init::InitArgs),
    Ask(ask::AskArgs),
    Seats(seats::SeatsArgs),
    Mcp(mcp::McpArgs),
    Checkpoint(checkpoint::CheckpointArgs),
    Decisions(decisions::DecisionsArgs),
    Ballot(ballot::BallotArgs),
    Findings(findings::FindingsArgs),
    Verdict(verdict::VerdictArgs),
    Tokens(tokens::TokensArgs),
    Flags(flags::FlagsArgs),
    Handoff(handoff::HandoffArgs),
    Gate(gate::GateArgs),
    Branch(branch::BranchArgs),
    Diagram(diagram::DiagramArgs),
    Manifest(manifest::ManifestArgs),
    SessionEnv(session_env::SessionEnvArgs),
    Collect(collect::CollectArgs),
    DirtyTree(dirty_tree::DirtyTreeArgs),
    Ledger(ledger::LedgerArgs),
    Config(config::ConfigArgs),
    Completions(completions::CompletionsArgs),
}

/// Parser of a number of seconds, with the bounds that a clock of the configuration has.
pub(crate) fn seconds() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=MAX_SECONDS.unsigned_abs())
}
