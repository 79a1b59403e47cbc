//! The processes that this one descends from, looked up once.

#[cfg(target_os = "linux")]
use super::processes::stat;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// This process and the processes that it descends from, the nearest first.
#[derive(Debug, Default)]
pub struct Ancestry {
    line: Vec<i32>,
    /// True if the last of them has no parent.
    ends_at_the_top: bool,
    is_cut: OnceLock<bool>,
    /// Ancestors that run the same program as this process.
    same_program: OnceLock<Vec<i32>>,
}

/// The last walk, with the parent at that time.
static KNOWN: Mutex<Option<(i32, Arc<Ancestry>)>> = Mutex::new(None);

impl Ancestry {
    /// The ancestry of this process. A process gets no further ancestors while its parent lives, so that a server need not
    /// walk each time.
    pub fn of_this_process() -> Arc<Ancestry> {
        let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((known_parent, ancestry)) if *known_parent == parent => ancestry.clone(),
            _ => {
                let ancestry = Arc::new(Ancestry::look_up());
                *known = Some((parent, ancestry.clone()));
                ancestry
            }
        }
    }

    /// Walks up from this process.
    #[cfg(target_os = "linux")]
    pub fn look_up() -> Ancestry {
        let mut line = vec![own_id()];
        loop {
            let parent = line.last().and_then(|pid| stat(*pid)).map(|stat| stat.parent);
            match parent {
                Some(parent) if parent > 0 && !line.contains(&parent) => line.push(parent),
                end => {
                    return Ancestry { line, ends_at_the_top: end == Some(0), ..Ancestry::default() };
                }
            }
        }
    }

    /// Only the parent is known without a walk through all processes.
    #[cfg(not(target_os = "linux"))]
    pub fn look_up() -> Ancestry {
        let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
        Ancestry { line: std::iter::once(own_id()).chain(parent).collect(), ..Ancestry::default() }
    }

    /// Ids of the processes that this one descends from.
    pub fn ancestors(&self) -> &[i32] {
        self.line.get(1..).unwrap_or_default()
    }

    /// True for this process and its ancestors.
    pub(super) fn contains(&self, pid: i32) -> bool {
        self.line.contains(&pid)
    }

    /// True if every ancestor can be looked up, so that a driver among them is found (Linux).
    pub fn is_complete(&self) -> bool {
        self.ends_at_the_top && !self.is_cut.get_or_init(|| self.is_cut_by_a_sandbox())
    }

    /// Description of the nearest ancestor that runs the same program as this process, if there is one and the system
    /// says so (Linux). `drives_nothing` tells by the arguments of such a process that it never drives a run.
    pub fn own_program(&self, drives_nothing: impl Fn(&[String]) -> bool) -> Option<String> {
        let same = self.same_program.get_or_init(|| {
            let program = |process: &str| fs_err::read_link(format!("/proc/{process}/exe")).ok();
            let Some(own) = program("self") else { return Vec::new() };
            let is_own = |pid: &i32| program(&pid.to_string()).as_ref() == Some(&own);
            self.ancestors().iter().copied().filter(is_own).collect()
        });
        let driver = same.iter().find(|pid| !drives_nothing(&arguments(**pid)))?;
        Some(format!("process {driver}"))
    }

    #[cfg(target_os = "linux")]
    fn is_cut_by_a_sandbox(&self) -> bool {
        is_confined() && (has_own_process_list() || self.line.iter().any(|pid| is_out_of_reach(*pid)))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_cut_by_a_sandbox(&self) -> bool {
        true
    }
}

fn own_id() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// Arguments of a process, without the name of its program; none if they cannot be read.
fn arguments(pid: i32) -> Vec<String> {
    let line = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|byte| *byte == 0).skip(1);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// True if this process can never gain privileges. Sandboxes demand it, and no program in one can take it back; ordinary
/// sessions and most containers can gain some.
#[cfg(target_os = "linux")]
fn is_confined() -> bool {
    // Unknown is confined: an agent must not pass because a system does not tell.
    rustix::thread::no_new_privs().unwrap_or(true)
}

/// True in a process namespace that is not the first of the system: its first process seems to have no parent.
#[cfg(target_os = "linux")]
fn has_own_process_list() -> bool {
    /// Name of the namespace that the system starts with.
    const FIRST_NAMESPACE: &str = "pid:[4026531836]";
    fs_err::read_link("/proc/self/ns/pid").map_or(true, |name| name.as_os_str() != FIRST_NAMESPACE)
}

/// True for a process of this user whose program cannot be looked up, as from a sandbox that it is not in. Programs of other
/// users, such as the first of the system, cannot be looked up anyway.
#[cfg(target_os = "linux")]
fn is_out_of_reach(pid: i32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = fs_err::metadata(format!("/proc/{pid}")).map(|folder| folder.uid());
    let is_own = owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw());
    let program = fs_err::read_link(format!("/proc/{pid}/exe"));
    is_own && program.is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
}
