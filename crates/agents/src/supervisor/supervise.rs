//! Seeing one process through: from before it starts until nothing of it is left.

use super::errand::{Conversation, Errand, Feed};
use super::listener::Listener;
use super::{printed, protocol};
use crate::group::{Group, own_leaders};
use crate::outcome::{FailureKind, Outcome};
use crate::strays::{LANE_VARIABLE, adopting, sweep_lane};
use charrette_engine::Cancel;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::Command;

/// So many times what is kept may be said before nobody believes that it will ever end.
const FLOOD: u64 = 32;

/// How a call was seen through.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// What it came to.
    pub outcome: Outcome,
    /// The exit code of its process, if it had one.
    pub code: Option<i32>,
    /// The signal that ended it, ours included.
    pub signal: Option<i32>,
    /// How long it took.
    pub elapsed: Duration,
    /// How much it printed.
    pub bytes: u64,
    /// The end of what it printed, secrets taken out.
    pub said: String,
    /// The end of what it complained, secrets taken out.
    pub complained: String,
    /// How many processes it left behind; they were ended.
    pub left_behind: usize,
}

impl Report {
    /// A call that needed no process, or never had one.
    pub fn of(outcome: Outcome) -> Report {
        Report {
            outcome,
            code: None,
            signal: None,
            elapsed: Duration::ZERO,
            bytes: 0,
            said: String::new(),
            complained: String::new(),
            left_behind: 0,
        }
    }
}

/// What a process is listened to with.
pub(super) struct Ears {
    pub(super) stdout: Listener,
    pub(super) stderr: Listener,
    /// How much it may say in all.
    pub(super) flood: u64,
}

/// Runs a program to its answer or its end, and makes sure of its end.
pub async fn supervise(errand: Errand, cancel: &Cancel) -> Report {
    if cancel.is_requested() {
        return Report::of(Outcome::failed(FailureKind::Interrupted, "interrupted"));
    }
    let failed = |message: String| Report::of(Outcome::failed(FailureKind::Start, message));
    let group = match start(&errand) {
        Ok(group) => group,
        Err(error) => return failed(format!("cannot be started: {error}")),
    };
    let Errand { conversation, clocks, token, most, ends_on_rate_limit, stdout, stderr, .. } = errand;
    let stdout = Listener::new(stdout, most);
    let ears = stdout.and_then(|stdout| {
        Ok(Ears { stdout, stderr: Listener::new(stderr, most)?, flood: most.saturating_mul(FLOOD) })
    });
    let ears = match ears {
        Ok(ears) => ears,
        Err(error) => return failed(format!("its output cannot be kept: {error}")),
    };
    let mut report = match conversation {
        Conversation::Printed { feed, reader } => {
            printed::attend(group, ears, (feed, reader), (clocks, ends_on_rate_limit), cancel).await
        }
        Conversation::Acp(order) => protocol::attend(group, ears, &order, clocks, cancel).await,
    };
    report.left_behind = sweep_lane(token, own_leaders(), clocks.grace).await;
    report
}

fn start(errand: &Errand) -> io::Result<Group> {
    let Some((program, arguments)) = errand.command.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no program to start"));
    };
    adopting();
    let is_fed = !matches!(errand.conversation, Conversation::Printed { feed: Feed::Nothing, .. });
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .envs(&errand.environment)
        .env(LANE_VARIABLE, &errand.token)
        .current_dir(&errand.folder)
        .stdin(if is_fed { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    Ok(Group::led_by(command.spawn()?))
}

/// Code and signal of a status.
pub(super) fn parts(status: Option<ExitStatus>) -> (Option<i32>, Option<i32>) {
    use std::os::unix::process::ExitStatusExt as _;
    (status.and_then(|status| status.code()), status.and_then(|status| status.signal()))
}
