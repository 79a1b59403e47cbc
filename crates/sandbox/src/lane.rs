//! What every process of a lane carries, whether or not its sandbox is in force, and can never take off.
//!
//! A lane is a session of its own: its processes have no terminal into which they could type, and cannot join the process
//! group of their driver. Its mark tells the product in whatever disguise it is started there: with another environment, in
//! other namespaces, from a copy of its file.

/// Makes this process the first of a session without a terminal.
pub(crate) fn enter_session() {
    // Fails for the leader of a process group, which then keeps its terminal.
    let _ = rustix::process::setsid();
}

#[cfg(target_os = "linux")]
pub use linux::is_inside;
#[cfg(target_os = "linux")]
pub(crate) use linux::{give_up_privileges, mark};

/// True for a process of a lane. No other system has a mark that cannot be taken off.
#[cfg(not(target_os = "linux"))]
pub fn is_inside() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn mark() {}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up_privileges() {}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::thread::{
        CapabilitySet, no_new_privs, remove_capability_from_bounding_set, set_no_new_privs,
    };

    /// The mark: a limit that Linux has ignored since 2.4 and that nobody sets. Every child inherits it, and a limit can only
    /// be lowered.
    const MARK: Resource = Resource::Locks;
    const MARK_VALUE: u64 = 0x6c61_6e65;

    /// Marks this process and everything that it will ever start.
    pub(crate) fn mark() {
        // Without it a program with more rights, such as sudo, could raise the limit again.
        let _ = set_no_new_privs(true);
        let lowered = getrlimit(MARK).maximum.map_or(MARK_VALUE, |limit| limit.min(MARK_VALUE));
        let _ = setrlimit(MARK, Rlimit { current: Some(lowered), maximum: Some(lowered) });
        // A superuser could raise it, or press keys in a terminal that is not its own.
        remove_from_bounding_set(&[CapabilitySet::SYS_ADMIN, CapabilitySet::SYS_RESOURCE]);
    }

    /// True for a process of a lane.
    pub fn is_inside() -> bool {
        getrlimit(MARK).maximum.is_some_and(|limit| limit <= MARK_VALUE) && no_new_privs().unwrap_or(true)
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
