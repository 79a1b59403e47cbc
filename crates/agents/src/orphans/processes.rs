//! Processes of this machine: ids, parents, environment variables.

#[cfg(target_os = "linux")]
use super::ancestry::Ancestry;
#[cfg(target_os = "linux")]
use charrette_sandbox::lane;
use charrette_sandbox::lane::Mark;
use rustix::process::{Pid, Signal};
use std::ffi::OsStr;

/// A process, with a handle that keeps its id from being reused.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: i32,
    #[cfg(target_os = "linux")]
    handle: std::os::fd::OwnedFd,
}

impl Process {
    pub(super) fn signal(&self, signal: Signal) {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::pidfd_send_signal(&self.handle, signal);
        #[cfg(not(target_os = "linux"))]
        if let Some(pid) = Pid::from_raw(self.pid) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }
}

/// Mark of the lanes of a driver, which tells only those processes that started when the driver was registered or later.
///
/// A process of a lane can put its mark on any process of the same user that can gain no privileges: on an editor or a shell of
/// the user's that was there already.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there are no marks"))]
#[derive(Debug, Clone, Copy)]
pub(super) struct DriverMark {
    pub(super) mark: Mark,
    /// In clock ticks from the start of the system.
    pub(super) registered: u64,
}

#[cfg(target_os = "linux")]
impl DriverMark {
    /// True if a living process is told by the mark.
    fn tells(self, pid: i32) -> bool {
        lane::carries(pid, self.mark)
            && started(pid).is_some_and(|started| started >= self.registered)
            && !has_ended(pid)
    }
}

/// Looks for processes whose environment has a value of `variable` that `wanted` accepts, or that the mark tells; this
/// process and its ancestors are left out.
#[cfg(target_os = "linux")]
pub(super) fn look_for_lanes(
    variable: &str,
    wanted: impl Fn(&[u8]) -> bool,
    mark: Option<DriverMark>,
) -> Look {
    let is_wanted =
        |pid: i32| has_variable(pid, variable, &wanted) || mark.is_some_and(|mark| mark.tells(pid));
    let spared = Ancestry::look_up();
    let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| pid(&entry.file_name()));
    let mut look = Look::certain(Vec::new());
    // Checked first, because that is cheap, and again after the handle was opened, because only then is it certain.
    for pid in pids.filter(|pid| !spared.contains(*pid) && is_wanted(*pid)) {
        match open(pid).filter(|_| is_wanted(pid)) {
            Some(process) => look.living.push(process),
            None => look.is_certain = false,
        }
    }
    look
}

/// Process groups of children that may be adopted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupRule {
    /// Other groups than ours: children that we started without a group of their own are in ours.
    Others,
    /// Any group, when nothing that we started is running. A process may have joined our group to hide in it.
    Any,
}

/// Processes found by one pass over a list of them.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub(super) living: Vec<Process>,
    /// False if one of them ended during the look: whatever it started last may not have been listed.
    pub(super) is_certain: bool,
}

impl Look {
    /// A look that leaves nothing out.
    pub(super) fn certain(living: Vec<Process>) -> Look {
        Look { living, is_certain: true }
    }

    /// True if nothing is left.
    pub(super) fn is_clear(&self) -> bool {
        self.living.is_empty() && self.is_certain
    }
}

/// Looks at the children that we did not start, which were adopted when their parent ended, and reaps those that have
/// ended. Those in `own` are left out; among the others `wanted` chooses. `None` if the system does not list children.
///
/// No own child may be started during the look.
#[cfg(target_os = "linux")]
pub(super) fn look_at_children(own: &[i32], group: GroupRule, wanted: impl Fn(i32) -> bool) -> Option<Look> {
    use rustix::process::{WaitOptions, waitpid};
    let ours = own_group();
    let (children, is_certain) = children()?;
    let mut look = Look { living: Vec::new(), is_certain };
    for pid in children.into_iter().filter(|pid| !own.contains(pid)) {
        let Some(found) = stat(pid) else {
            look.is_certain = false;
            continue;
        };
        let is_in_our_group = found.group == ours;
        if is_in_our_group && (group == GroupRule::Others || found.state == b'Z') {
            continue;
        }
        // A process whose first thread has ended seems to be a zombie as well, but cannot be reaped while it lives.
        let still_runs =
            || waitpid(Pid::from_raw(pid), WaitOptions::NOHANG).is_ok_and(|ended| ended.is_none());
        if found.state == b'Z' && !still_runs() {
            look.is_certain = false;
            continue;
        }
        if !wanted(pid) {
            continue;
        }
        // Still ours, so that the handle is of the process that was looked at.
        let is_same = |_: &Process| stat(pid).is_some_and(|again| again.parent == found.parent);
        match open(pid).filter(is_same) {
            Some(process) => look.living.push(process),
            None => look.is_certain = false,
        }
    }
    Some(look)
}

/// Process group of this process; 0 if its leader is outside of our process namespace.
#[cfg(target_os = "linux")]
fn own_group() -> i32 {
    static GROUP: std::sync::OnceLock<i32> = std::sync::OnceLock::new();
    let own_id = rustix::process::getpid().as_raw_nonzero().get();
    *GROUP.get_or_init(|| stat(own_id).map_or(0, |stat| stat.group))
}

/// Makes this process the parent of orphans among its descendants; false if that fails.
#[cfg(target_os = "linux")]
pub(super) fn set_subreaper() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

/// Opens a process by its id.
#[cfg(target_os = "linux")]
pub(super) fn open(pid: i32) -> Option<Process> {
    use rustix::process::{PidfdFlags, pidfd_open};
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    Some(Process { pid, handle })
}

/// True if the environment of a process has a value of `variable` that `wanted` accepts.
#[cfg(target_os = "linux")]
pub(super) fn has_variable(pid: i32, variable: &str, wanted: impl Fn(&[u8]) -> bool) -> bool {
    // A process whose environment we may not read is none of our agents.
    let Ok(environment) = fs_err::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|entry| {
        let value = entry.strip_prefix(variable.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(&wanted)
    })
}

/// Our children, and whether none can be missing. `None` if the system does not list them.
#[cfg(target_os = "linux")]
fn children() -> Option<(Vec<i32>, bool)> {
    use rustix::io::Errno;
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let mut children = Vec::new();
    // Tells that there is none in one call, and takes nothing from whoever waits for one.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if waitid(WaitId::All, look).is_err_and(|error| error == Errno::CHILD) {
        return Some((children, true));
    }
    let mut is_complete = true;
    for task in fs_err::read_dir("/proc/self/task").ok()?.flatten() {
        // A driver has few children, and asks often.
        match read_at_once::<4096>(&task.path().join("children").to_string_lossy()) {
            Some(text) => {
                let text = String::from_utf8_lossy(&text);
                children.extend(text.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
            }
            None if task.path().exists() => return None,
            // The thread has ended, and its children are another's now.
            None => is_complete = false,
        }
    }
    Some((children, is_complete))
}

#[cfg(target_os = "linux")]
pub(super) struct Stat {
    state: u8,
    pub(super) parent: i32,
    group: i32,
    /// Clock ticks from the start of the system to that of the process.
    started: u64,
}

/// Identity of a process: its id may be another's when it has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pid: i32,
    started: u64,
}

impl Identity {
    pub(super) fn of(pid: i32) -> Option<Identity> {
        Some(Identity { pid, started: started(pid)? })
    }
}

#[cfg(target_os = "linux")]
fn started(pid: i32) -> Option<u64> {
    stat(pid).map(|stat| stat.started)
}

/// The start time of a process that would start now; none if the system does not tell.
#[cfg(target_os = "linux")]
pub(super) fn started_now() -> Option<u64> {
    // A thread of its own is told the time by the same clock in the same unit.
    let look = || stat_at("/proc/thread-self/stat").map(|stat| stat.started);
    std::thread::Builder::new().spawn(look).ok()?.join().ok()?
}

/// True for a process that waits for its parent only, or is gone. One whose first thread has ended seems to be as well.
#[cfg(target_os = "linux")]
fn has_ended(pid: i32) -> bool {
    let threads = || fs_err::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    stat(pid).is_none_or(|found| found.state == b'Z' && threads() <= 1)
}

#[cfg(target_os = "linux")]
pub(super) fn stat(pid: i32) -> Option<Stat> {
    stat_at(&format!("/proc/{pid}/stat"))
}

#[cfg(target_os = "linux")]
fn stat_at(path: &str) -> Option<Stat> {
    /// More than the kernel ever writes: a name of at most 64 bytes, and some fifty numbers.
    const MAX_BYTES: usize = 2048;
    /// Fields between the group and the start.
    const FIELDS_TO_START: usize = 16;
    // Every command asks for its ancestors.
    let text = read_at_once::<MAX_BYTES>(path)?;
    // The name in parentheses may contain anything, parentheses included.
    let after = memchr::memrchr(b')', &text)? + 1;
    let rest = String::from_utf8_lossy(text.get(after..)?).into_owned();
    let mut fields = rest.split_whitespace();
    Some(Stat {
        state: *fields.next()?.as_bytes().first()?,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        started: fields.nth(FIELDS_TO_START)?.parse().ok()?,
    })
}

/// Content of a file of the kernel, in one read if it has less than `SIZE` bytes.
#[cfg(target_os = "linux")]
fn read_at_once<const SIZE: usize>(path: &str) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let mut file = fs_err::File::open(path).ok()?;
    let mut bytes = vec![0; SIZE];
    let length = file.read(&mut bytes).ok()?;
    bytes.truncate(length);
    if length == SIZE {
        file.read_to_end(&mut bytes).ok()?;
    }
    Some(bytes)
}

#[cfg(target_os = "linux")]
fn pid(name: &OsStr) -> Option<i32> {
    name.to_str()?.parse().ok()
}

/// The same with `ps`, which shows the environment of our own processes. There are no marks.
#[cfg(not(target_os = "linux"))]
pub(super) fn look_for_lanes(variable: &str, wanted: impl Fn(&[u8]) -> bool, _: Option<DriverMark>) -> Look {
    let output = std::process::Command::new("ps").args(["-E", "-ww", "-o", "pid=,ppid=,command="]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let rows: Vec<(i32, i32, &str)> = text
        .lines()
        .filter_map(|line| {
            let (pid, rest) = line.trim_start().split_once(char::is_whitespace)?;
            let (parent, command) = rest.trim_start().split_once(char::is_whitespace)?;
            Some((pid.parse().ok()?, parent.parse().ok()?, command))
        })
        .collect();
    let mut spared = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some((_, parent, _)) = rows.iter().find(|(pid, ..)| Some(pid) == spared.last()) {
        if *parent <= 0 || spared.contains(parent) {
            break;
        }
        spared.push(*parent);
    }
    let prefix = format!("{variable}=");
    let has_variable = |command: &str| {
        let mut words = command.split_whitespace();
        words.any(|word| word.strip_prefix(&prefix).is_some_and(|value| wanted(value.as_bytes())))
    };
    let matching = rows.iter().filter(|(pid, _, command)| !spared.contains(pid) && has_variable(command));
    Look::certain(matching.map(|(pid, ..)| Process { pid: *pid }).collect())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn look_at_children(_: &[i32], _: GroupRule, _: impl Fn(i32) -> bool) -> Option<Look> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_variable(_: i32, _: &str, _: impl Fn(&[u8]) -> bool) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn started(_: i32) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn started_now() -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn set_subreaper() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::super::driver::{Driver, registered};
    use super::*;

    #[test]
    fn what_starts_after_the_registration_is_told_from_what_was_there() {
        let start = || std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let started = |child: &std::process::Child| started(i32::try_from(child.id()).unwrap()).unwrap();
        let mut earlier = start();
        // The clock has to tick once.
        while started_now().unwrap() == started(&earlier) {
            std::thread::yield_now();
        }
        let folder = tempfile::tempdir().unwrap();
        let driver = Driver::register(folder.path(), "driver", "run of x").unwrap();
        let mut later = start();
        let record = fs_err::read_to_string(folder.path().join("driver")).unwrap();
        let registered = registered(&record).unwrap();
        let times = (started(&earlier), started(&later));
        for child in [&mut earlier, &mut later] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        drop(driver);
        assert!(times.0 < registered && registered <= times.1, "{times:?} {registered}");
    }

    #[test]
    fn a_record_without_a_time_of_registration_has_none() {
        for record in ["", "run of x", "run of x\n1\npid:[1]\n", "run of x\n1\npid:[1]\n\n"] {
            assert_eq!(registered(record), None, "{record:?}");
        }
    }
}
