//! Rehearsals: the answers of a finished run, kept as a cassette and replayed against changed prompts and code.
//!
//! `--record` collects prompts and answers of a run from its queue ([`queue`], [`keeper`]) into a [`cassette`]. `--replay` drives the
//! same request with agents that answer from it ([`player`], [`replay`]) and reports what changed ([`compare`]): seats
//! that are asked differently, refused, lose an input ([`inputs`]), are new or gone.

mod cassette;
mod compare;
mod inputs;
mod keeper;
mod player;
mod queue;
mod record;
mod replay;

pub(crate) use cassette::RecordedCall;
pub(crate) use keeper::QueueKeeper;
pub(crate) use player::{PlayArgs, play};
pub(crate) use queue::read_queue;

use crate::TaskResult;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("way").required(true).args(["record", "replay"])))]
pub(crate) struct RehearseArgs {
    /// Keep the answers of a finished run in this new folder
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Replay the answers in this folder and report what changed
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,
    /// With --record: the panel's run of this arena
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "repo", "state", "name"])]
    arena: Option<PathBuf>,
    /// Repository of the run; with --replay the repository to clone [default: the recorded one]
    #[arg(long, value_name = "PATH")]
    repo: Option<PathBuf>,
    /// With --record: the `XDG_STATE_HOME` of the run, which holds its queue
    #[arg(long, value_name = "DIR", conflicts_with = "replay")]
    state: Option<PathBuf>,
    /// With --record: the name of the feature
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    name: Option<String>,
    /// With --record: start beside the run, and copy its calls until it is complete; a queue forgets them then
    #[arg(long, requires = "state")]
    follow: bool,
    /// With --replay: the program to run [default: the debug build of this workspace]
    #[arg(long, value_name = "BIN", conflicts_with = "record")]
    charrette: Option<PathBuf>,
    /// With --replay: answers for new and refused seats, a script of the test kit's agent (STEP.txt, dots for slashes)
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    stand_ins: Option<PathBuf>,
    /// With --replay: keep the run in this new folder
    #[arg(long, value_name = "DIR", conflicts_with = "record")]
    keep: Option<PathBuf>,
    /// With --replay: write the report to this file too
    #[arg(long, value_name = "FILE", conflicts_with = "record")]
    out: Option<PathBuf>,
    /// With --replay: fail if a seat is refused, loses an input or is gone
    #[arg(long, conflicts_with = "record")]
    strict: bool,
}

pub(crate) fn rehearse(args: &RehearseArgs) -> TaskResult {
    match (&args.record, &args.replay) {
        (Some(folder), _) => record::record(folder, args),
        (None, Some(folder)) => replay::replay(folder, args),
        (None, None) => Err("nothing to do: give --record or --replay".into()),
    }
}
