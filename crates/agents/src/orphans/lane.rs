//! Lanes and the processes they leave behind, which outlive the agent that started them.

use super::driver::LANE_VARIABLE;
use super::ending::{Ending, end_all};
use super::processes::{
    GroupRule, Look, has_variable, look_at_children, processes_with_variable, set_subreaper,
};
use crate::process_group::with_own_leaders;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Looks at what a lane left, before it is taken for more than a process that just ends.
const QUICK_LOOKS: usize = 3;

/// A lane from before its first process until everything that it left has ended.
#[derive(Debug)]
pub(crate) struct LaneProcesses {
    token: String,
}

impl LaneProcesses {
    /// Begins a lane: what was adopted so far is not of an agent, unless another lane is at work. `token` is the value of
    /// [`LANE_VARIABLE`].
    pub(crate) fn begin(token: String) -> LaneProcesses {
        let mut adopted = adopted();
        if adopted.lanes == 0 && become_subreaper() {
            let found = with_own_leaders(|own| look_at_children(own, GroupRule::Others, |_| true));
            adopted.spared = found.unwrap_or_default().living.iter().map(|process| process.pid).collect();
        }
        adopted.lanes += 1;
        LaneProcesses { token }
    }

    /// Ends what the lane left.
    ///
    /// A process that emptied its environment shows no lane. While no other lane is at work, whatever was adopted since the
    /// first of them began is of this one or of an earlier one, and ends as well.
    pub(crate) async fn end(self, grace: Duration) -> Ending {
        let LaneProcesses { token } = self;
        let is_clear = (0..QUICK_LOOKS).any(|_| look(&token).is_clear());
        let ending = if is_clear {
            Ending::default()
        } else {
            // The other lanes must not wait for these processes to end.
            let ending = tokio::task::spawn_blocking(move || end_all(grace, || look(&token)));
            ending.await.unwrap_or_default()
        };
        // While something is left, nothing that is adopted can be told from it.
        if ending.survivors.is_empty() {
            adopted().lanes -= 1;
        }
        ending
    }
}

/// Count of lanes at work, and adopted processes that belong to the user.
struct Adopted {
    /// Lanes that are at work, or that could not be ended.
    lanes: usize,
    /// Processes that were there before an agent began: daemons of an editor or of git, which belong to the user.
    spared: Vec<i32>,
}

static ADOPTED: Mutex<Adopted> = Mutex::new(Adopted { lanes: 0, spared: Vec::new() });

fn adopted() -> MutexGuard<'static, Adopted> {
    ADOPTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at what is left of a lane.
fn look(token: &str) -> Look {
    let of_lane = |value: &[u8]| value == token.as_bytes();
    if !become_subreaper() {
        return Look::certain(processes_with_variable(LANE_VARIABLE, of_lane));
    }
    let spared = adopted().spared.clone();
    let found = with_own_leaders(|own| {
        if own.is_empty() {
            let adopted = look_at_children(own, GroupRule::Others, |pid| !spared.contains(&pid))?;
            if !adopted.is_clear() {
                return Some(adopted);
            }
        }
        look_at_children(own, GroupRule::Any, |pid| has_variable(pid, LANE_VARIABLE, of_lane))
    });
    found.unwrap_or_else(|| Look::certain(processes_with_variable(LANE_VARIABLE, of_lane)))
}

/// Ends everything that agents left to us, at the end of a driver: processes that joined our own group as well. No agent
/// of ours may be at work.
pub(crate) fn end_adopted(grace: Duration) {
    if !become_subreaper() || with_own_leaders(|own| !own.is_empty()) {
        return;
    }
    let spared = adopted().spared.clone();
    let look = || {
        let found =
            with_own_leaders(|own| look_at_children(own, GroupRule::Any, |pid| !spared.contains(&pid)));
        found.unwrap_or_else(|| Look::certain(Vec::new()))
    };
    end_all(grace, look);
}

/// Makes orphans of our agents our own children (Linux: subreaper); false if the system cannot do that. To be
/// called before the first agent is started.
pub(crate) fn become_subreaper() -> bool {
    static IS_SUBREAPER: OnceLock<bool> = OnceLock::new();
    *IS_SUBREAPER.get_or_init(set_subreaper)
}
