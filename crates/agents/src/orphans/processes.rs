//! Processes of this machine: ids, parents, environment variables.

#[cfg(target_os = "linux")]
use super::ancestry::Ancestry;
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

/// Processes whose environment has a value of `variable` that `wanted` accepts, except this process and its
/// ancestors.
#[cfg(target_os = "linux")]
pub(super) fn processes_with_variable(variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Vec<Process> {
    let spared = Ancestry::look_up();
    let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| pid(&entry.file_name()));
    pids.filter(|pid| !spared.contains(*pid)).filter_map(|pid| open_if(pid, variable, &wanted)).collect()
}

/// The same among our own children, which is much faster. `None` if the system does not list them.
#[cfg(target_os = "linux")]
pub(super) fn children_with_variable(variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Option<Vec<Process>> {
    let children = children()?;
    Some(children.into_iter().filter_map(|pid| open_if(pid, variable, &wanted)).collect())
}

/// Reaps zombies among adopted children. Children that we started ourselves have our process group, or are in
/// `own`; all others were adopted when their parent ended.
#[cfg(target_os = "linux")]
pub(super) fn reap_adopted_zombies(own: &[i32]) {
    use rustix::process::{WaitOptions, getpgrp, waitpid};
    let ours = getpgrp().as_raw_nonzero().get();
    for pid in children().unwrap_or_default() {
        let Some(stat) = stat(pid) else { continue };
        if stat.state == b'Z' && stat.group != ours && !own.contains(&pid) {
            let _ = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
        }
    }
}

/// Process groups of children that may be adopted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupRule {
    /// Other groups than ours: children that we started without a group of their own are in ours.
    Others,
    /// Any group, when nothing that we started is running. A process may have joined our group to hide in it.
    Any,
}

/// Living children that we did not start: adopted when their parent ended. Those in `own` are left out.
#[cfg(target_os = "linux")]
pub(super) fn adopted_children(own: &[i32], group: GroupRule) -> Vec<Process> {
    use rustix::process::{PidfdFlags, getpgrp, pidfd_open};
    let ours = getpgrp().as_raw_nonzero().get();
    let is_adopted = |pid: i32| {
        stat(pid).is_some_and(|stat| {
            stat.state != b'Z' && (group == GroupRule::Any || stat.group != ours) && !own.contains(&pid)
        })
    };
    let open = |pid: i32| {
        let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
        is_adopted(pid).then_some(Process { pid, handle })
    };
    children().unwrap_or_default().into_iter().filter_map(open).collect()
}

/// Makes this process the parent of orphans among its descendants; false if that fails.
#[cfg(target_os = "linux")]
pub(super) fn set_subreaper() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

#[cfg(target_os = "linux")]
fn open_if(pid: i32, variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Option<Process> {
    use rustix::process::{PidfdFlags, pidfd_open};
    // Checked first, because that is cheap, and again after the handle was opened, because only then is it certain.
    if !has_variable(pid, variable, &wanted) {
        return None;
    }
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    has_variable(pid, variable, &wanted).then_some(Process { pid, handle })
}

#[cfg(target_os = "linux")]
fn has_variable(pid: i32, variable: &str, wanted: impl Fn(&[u8]) -> bool) -> bool {
    // A process whose environment we may not read is none of our agents.
    let Ok(environment) = fs_err::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|entry| {
        let value = entry.strip_prefix(variable.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(&wanted)
    })
}

#[cfg(target_os = "linux")]
fn children() -> Option<Vec<i32>> {
    use rustix::io::Errno;
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let mut children = Vec::new();
    // Tells that there is none in one call, and takes nothing from whoever waits for one.
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if waitid(WaitId::All, look).is_err_and(|error| error == Errno::CHILD) {
        return Some(children);
    }
    for task in fs_err::read_dir("/proc/self/task").ok()?.flatten() {
        // A driver has few children, and asks often.
        let text = read_at_once::<4096>(&task.path().join("children").to_string_lossy())?;
        let text = String::from_utf8_lossy(&text);
        children.extend(text.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(children)
}

#[cfg(target_os = "linux")]
pub(super) struct Stat {
    state: u8,
    pub(super) parent: i32,
    group: i32,
}

#[cfg(target_os = "linux")]
pub(super) fn stat(pid: i32) -> Option<Stat> {
    /// More than the kernel ever writes: a name of at most 64 bytes, and some fifty numbers.
    const MAX_BYTES: usize = 2048;
    // Every command asks for its ancestors.
    let text = read_at_once::<MAX_BYTES>(&format!("/proc/{pid}/stat"))?;
    // The name in parentheses may contain anything, parentheses included.
    let after = memchr::memrchr(b')', &text)? + 1;
    let rest = String::from_utf8_lossy(text.get(after..)?).into_owned();
    let mut fields = rest.split_whitespace();
    Some(Stat {
        state: *fields.next()?.as_bytes().first()?,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
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

/// The same with `ps`, which shows the environment of our own processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn processes_with_variable(variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Vec<Process> {
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
    matching.map(|(pid, ..)| Process { pid: *pid }).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn children_with_variable(_: &str, _: impl Fn(&[u8]) -> bool) -> Option<Vec<Process>> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn reap_adopted_zombies(_: &[i32]) {}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopted_children(_: &[i32], _: GroupRule) -> Vec<Process> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn set_subreaper() -> bool {
    false
}
