//! Orphaned agent processes: how they are identified and ended.
//!
//! Each driver of agents registers itself under a unique name before it starts the first one ([`driver`]), and
//! every agent has that name in its environment, together with its lane. A driver's record is locked while the
//! driver lives, so a record that can be locked belongs to a dead driver; processes that have its name in their
//! environment are orphans, and so are those that carry the mark of its lanes (Linux), which follows from that name, and
//! started after the driver was registered ([`reaper`]).
//! [`lane`] ends what a lane of a living driver leaves, [`ending`] says how.
//! [`processes`] searches the processes of the machine. Of the processes without name and mark only those are ended that a
//! living driver adopted while a lane was at work (Linux); this process, its ancestors and the children that it had
//! before are never touched. [`ancestry`] is the line of processes above this one. [`copies`] are the folders of a driver in which
//! its agents may write; they end with it.

mod ancestry;
mod copies;
mod driver;
mod ending;
mod lane;
mod processes;
mod reaper;

pub use ancestry::Ancestry;
pub(crate) use copies::remove_folder;
pub(crate) use driver::lane_mark;
pub use driver::{Driver, LANE_VARIABLE};
pub(crate) use ending::Ending;
pub(crate) use lane::LaneProcesses;
pub use reaper::{Orphan, enclosing_driver, find_orphans, reap_orphans};
