//! What every process of a lane carries, whether or not its sandbox is in force, and can never take off.
//!
//! A lane is a session of its own: its processes have no terminal into which they could type, and cannot join the process
//! group of their driver. Its mark tells the product in whatever disguise it is started there: with another environment, in
//! other namespaces, from a copy of its file. It differs from driver to driver, so that what a killed one left can be found.

/// Makes this process the first of a session without a terminal.
pub(crate) fn enter_session() {
    // Fails for the leader of a process group, which then keeps its terminal.
    let _ = rustix::process::setsid();
}

/// Mark of the lanes of one driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(u64);

/// Bits of a mark that tell its driver; those above are the same in all marks.
const DRIVER_BITS: u32 = 48;

/// The lowest and the highest mark. What a process makes of its own mark is lower, and tells that it is inside as well.
const LOWEST: u64 = 0x6c61 << DRIVER_BITS;
const HIGHEST: u64 = LOWEST | ((1 << DRIVER_BITS) - 1);

impl Mark {
    /// Mark of lanes without a driver that could be found again.
    pub const OF_NOBODY: Mark = Mark(LOWEST);

    /// The mark that a driver of this number gives. Only the lower 48 bits of the number count.
    pub fn of_driver(number: u64) -> Mark {
        Mark(LOWEST | (number & (HIGHEST ^ LOWEST)))
    }

    /// Reads a mark that was written with [`std::fmt::Display`].
    pub fn parse(text: &str) -> Option<Mark> {
        text.parse().ok().filter(|mark| (LOWEST..=HIGHEST).contains(mark)).map(Mark)
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[cfg(target_os = "linux")]
pub use linux::{carries, is_inside};
#[cfg(target_os = "linux")]
pub(crate) use linux::{give_up_privileges, put_on};

/// True for a process of a lane. No other system has a mark that cannot be taken off.
#[cfg(not(target_os = "linux"))]
pub fn is_inside() -> bool {
    false
}

/// True if a process carries that mark.
#[cfg(not(target_os = "linux"))]
pub fn carries(_: i32, _: Mark) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn put_on(_: Mark) {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up_privileges() {}

#[cfg(target_os = "linux")]
mod linux {
    use super::{HIGHEST, Mark};
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::thread::{
        CapabilitySet, no_new_privs, remove_capability_from_bounding_set, set_no_new_privs,
    };

    /// The limit that is the mark: Linux has ignored it since 2.4 and nobody sets it. Every child inherits it, and it can
    /// only be lowered.
    const LIMIT: Resource = Resource::Locks;

    /// Marks this process and everything that it will ever start. In a lane it keeps the mark that it has: whoever ends
    /// the lanes of the outer driver ends this one, and nobody ends others of that driver for it.
    pub(crate) fn put_on(Mark(mark): Mark) {
        // Without it a program with more rights, such as sudo, could raise the limit again.
        let _ = set_no_new_privs(true);
        let present = getrlimit(LIMIT).maximum.filter(|limit| *limit <= HIGHEST);
        let lowered = Some(present.unwrap_or(mark));
        let _ = setrlimit(LIMIT, Rlimit { current: lowered, maximum: lowered });
        // A superuser could raise it, or press keys in a terminal that is not its own.
        remove_from_bounding_set(&[CapabilitySet::SYS_ADMIN, CapabilitySet::SYS_RESOURCE]);
    }

    /// True for a process of a lane.
    pub fn is_inside() -> bool {
        getrlimit(LIMIT).maximum.is_some_and(|limit| limit <= HIGHEST) && no_new_privs().unwrap_or(true)
    }

    /// True if a process carries that mark. Whatever the limit says, it is no mark where privileges can be gained: others can
    /// set the limit of a process, but not that. Where a process has given them up by itself the mark proves nothing, so that
    /// whoever ends processes by it compares their start with that of the driver, too.
    pub fn carries(pid: i32, Mark(mark): Mark) -> bool {
        let value = |file: &str, name: &str, at: usize| -> Option<u64> {
            let text = fs_err::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().nth(at)?.parse().ok()
        };
        let maximum = 1;
        value("limits", "Max file locks", maximum) == Some(mark)
            && value("status", "NoNewPrivs:", 0) == Some(1)
    }

    /// Gives up what only a superuser has and with which the memory and environment of other processes can be read, or the
    /// kernel changed. Others have none of it.
    pub(crate) fn give_up_privileges() {
        remove_from_bounding_set(&[
            CapabilitySet::BPF,
            CapabilitySet::DAC_READ_SEARCH,
            CapabilitySet::PERFMON,
            CapabilitySet::SYS_ADMIN,
            CapabilitySet::SYS_BOOT,
            CapabilitySet::SYS_MODULE,
            CapabilitySet::SYS_PTRACE,
            CapabilitySet::SYS_RAWIO,
        ]);
    }

    fn remove_from_bounding_set(privileges: &[CapabilitySet]) {
        for privilege in privileges {
            // Fails for everybody but a superuser.
            let _ = remove_capability_from_bounding_set(*privilege);
        }
    }
}
