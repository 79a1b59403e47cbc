//! Lanes and the processes they leave behind, which outlive the agent that started them.

use super::driver::LANE_VARIABLE;
use super::ending::{Ending, end_all};
use super::processes::{
    GroupRule, Identity, Look, has_variable, look_at_children, look_for_lanes, set_subreaper,
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
    /// [`LANE_VARIABLE`]; `leads_session` is true if its first process makes itself the leader of a session.
    pub(crate) fn begin(token: String, leads_session: bool) -> LaneProcesses {
        let is_subreaper = become_subreaper();
        let mut adopted = adopted();
        if is_subreaper {
            adopted.note_daemons();
        }
        adopted.lanes += 1;
        adopted.may_be_in_our_group |= !leads_session;
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
            ending.await.unwrap_or_else(|_| Ending { survivors: Some(Vec::new()), ..Ending::default() })
        };
        // While something is left, nothing that is adopted can be told from it.
        if ending.survivors.is_none() {
            adopted().lanes -= 1;
        }
        ending
    }
}

/// Count of lanes at work, and children that belong to the user.
struct Adopted {
    /// Lanes that are at work, or that could not be ended.
    lanes: usize,
    /// Children from before the first agent: a script that starts a server and then becomes this program leaves it to us.
    first_children: Vec<Identity>,
    /// Processes adopted while no agent was at work: daemons of an editor or of git.
    daemons: Vec<Identity>,
    /// True if an agent was started in our session: what it started may have joined our process group, where an ending lane
    /// cannot look, and stayed there.
    may_be_in_our_group: bool,
}

static ADOPTED: Mutex<Adopted> = Mutex::new(Adopted {
    lanes: 0,
    first_children: Vec::new(),
    daemons: Vec::new(),
    may_be_in_our_group: false,
});

impl Adopted {
    /// True if no process of an agent can be left. All others that we adopt are the user's: of an editor, or of git.
    ///
    /// Every agent belongs to a lane, which is counted from before its first process until a look for what it left finds
    /// nothing, for certain. Until then its processes descend from us, each below one of our children: the agent itself, or an
    /// adopted one. Of the lanes since there was none, that whose agent we gave up last looked afterwards, and so at all
    /// children in other process groups than ours, whatever lane they are of. A lane that never came to that look, because its
    /// call was dropped or something was left, is counted for good. Only in our own group could something have been overlooked,
    /// and no process of another session can join it.
    fn has_no_agents(&self) -> bool {
        self.lanes == 0 && !self.may_be_in_our_group
    }

    /// Notes what was adopted while no lane was at work.
    fn note_daemons(&mut self) {
        if self.lanes == 0 {
            let group = if self.has_no_agents() { GroupRule::Any } else { GroupRule::Others };
            self.daemons = children(group);
        }
    }

    /// Children that are never ended.
    fn spared(&self) -> Vec<Identity> {
        [&self.first_children[..], &self.daemons].concat()
    }
}

fn adopted() -> MutexGuard<'static, Adopted> {
    ADOPTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at what is left of a lane.
fn look(token: &str) -> Look {
    let of_lane = |value: &[u8]| value == token.as_bytes();
    if !become_subreaper() {
        return look_for_lanes(LANE_VARIABLE, of_lane, None);
    }
    let spared = adopted().spared();
    let is_ours = |pid: i32| Identity::of(pid).is_none_or(|found| !spared.contains(&found));
    let found = with_own_leaders(|own| {
        if own.is_empty() {
            let adopted = look_at_children(own, GroupRule::Others, is_ours)?;
            if !adopted.is_clear() {
                return Some(adopted);
            }
        }
        look_at_children(own, GroupRule::Any, |pid| has_variable(pid, LANE_VARIABLE, of_lane))
    });
    found.unwrap_or_else(|| look_for_lanes(LANE_VARIABLE, of_lane, None))
}

/// Ends everything that agents left to us, at the end of a driver: processes that joined our own group as well. No agent
/// of ours may be at work. What was adopted since the last lane ended is the user's and stays.
pub(crate) fn end_adopted(grace: Duration) {
    if !become_subreaper() || with_own_leaders(|own| !own.is_empty()) {
        return;
    }
    let spared = {
        let mut adopted = adopted();
        if adopted.has_no_agents() {
            return;
        }
        adopted.note_daemons();
        adopted.spared()
    };
    let is_ours = |pid: i32| Identity::of(pid).is_none_or(|found| !spared.contains(&found));
    let look = || {
        let found = with_own_leaders(|own| look_at_children(own, GroupRule::Any, is_ours));
        found.unwrap_or_else(|| Look::certain(Vec::new()))
    };
    end_all(grace, look);
}

/// Makes orphans of our agents our own children (Linux: subreaper); false if the system cannot do that. To be
/// called before the first agent is started.
pub(crate) fn become_subreaper() -> bool {
    static IS_SUBREAPER: OnceLock<bool> = OnceLock::new();
    *IS_SUBREAPER.get_or_init(|| {
        let is_subreaper = set_subreaper();
        if is_subreaper {
            adopted().first_children = children(GroupRule::Any);
        }
        is_subreaper
    })
}

/// Children that we did not start as agents, and that live.
fn children(group: GroupRule) -> Vec<Identity> {
    let found = with_own_leaders(|own| look_at_children(own, group, |_| true)).unwrap_or_default();
    found.living.iter().filter_map(|process| Identity::of(process.pid)).collect()
}
