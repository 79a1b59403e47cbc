//! The processes of this machine that belong to us: who they are, who started them, what they carry.

use rustix::process::{Pid, Signal};
use std::ffi::OsStr;

/// A process, held so that its number cannot come to mean another one.
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

/// Every process that carries a value of `variable` which `wanted` accepts, except us and our ancestors.
#[cfg(target_os = "linux")]
pub(super) fn carrying(variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Vec<Process> {
    let spared = ourselves();
    let everybody = fs_err::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = everybody.filter_map(|entry| number(&entry.file_name()));
    numbers.filter(|pid| !spared.contains(pid)).filter_map(|pid| held_if(pid, variable, &wanted)).collect()
}

/// The same among the processes that are now our own children, which is much quicker.
///
/// None if the system does not say who they are.
#[cfg(target_os = "linux")]
pub(super) fn children_carrying(variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Option<Vec<Process>> {
    let children = children()?;
    Some(children.into_iter().filter_map(|pid| held_if(pid, variable, &wanted)).collect())
}

/// Collects what has ended among processes that we did not start ourselves but were given when their own parent
/// ended. What we start has our process group, or is in `own`; everybody else came to us.
#[cfg(target_os = "linux")]
pub(super) fn bury(own: &[i32]) {
    use rustix::process::{WaitOptions, getpgrp, waitpid};
    let ours = getpgrp().as_raw_nonzero().get();
    for pid in children().unwrap_or_default() {
        let Some(stat) = stat(pid) else { continue };
        if stat.state == b'Z' && stat.group != ours && !own.contains(&pid) {
            let _ = waitpid(Pid::from_raw(pid), WaitOptions::NOHANG);
        }
    }
}

/// Has processes whose parent ends become ours, so that nothing an agent starts can get out of sight.
#[cfg(target_os = "linux")]
pub(super) fn adopt_orphans() -> bool {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
}

#[cfg(target_os = "linux")]
fn held_if(pid: i32, variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Option<Process> {
    use rustix::process::{PidfdFlags, pidfd_open};
    // Looked at before it is held, because that is cheap, and again after, because only then is it certain.
    if !carries(pid, variable, &wanted) {
        return None;
    }
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    carries(pid, variable, &wanted).then_some(Process { pid, handle })
}

#[cfg(target_os = "linux")]
fn carries(pid: i32, variable: &str, wanted: impl Fn(&[u8]) -> bool) -> bool {
    // Not ours to read means not ours to end.
    let Ok(environment) = fs_err::read(format!("/proc/{pid}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|entry| {
        let value = entry.strip_prefix(variable.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(&wanted)
    })
}

/// We, and those who started us.
#[cfg(target_os = "linux")]
fn ourselves() -> Vec<i32> {
    let mut line = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(stat) = line.last().and_then(|pid| stat(*pid)) {
        if stat.parent <= 0 || line.contains(&stat.parent) {
            break;
        }
        line.push(stat.parent);
    }
    line
}

#[cfg(target_os = "linux")]
fn children() -> Option<Vec<i32>> {
    let mut children = Vec::new();
    for task in fs_err::read_dir("/proc/self/task").ok()?.flatten() {
        let text = fs_err::read_to_string(task.path().join("children")).ok()?;
        children.extend(text.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
    }
    Some(children)
}

#[cfg(target_os = "linux")]
struct Stat {
    state: u8,
    parent: i32,
    group: i32,
}

#[cfg(target_os = "linux")]
fn stat(pid: i32) -> Option<Stat> {
    let text = fs_err::read(format!("/proc/{pid}/stat")).ok()?;
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

#[cfg(target_os = "linux")]
fn number(name: &OsStr) -> Option<i32> {
    name.to_str()?.parse().ok()
}

/// Elsewhere `ps` is asked: it shows the environment of our own processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn carrying(variable: &str, wanted: impl Fn(&[u8]) -> bool) -> Vec<Process> {
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
    let carries = |command: &str| {
        let mut words = command.split_whitespace();
        words.any(|word| word.strip_prefix(&prefix).is_some_and(|value| wanted(value.as_bytes())))
    };
    let strays = rows.iter().filter(|(pid, _, command)| !spared.contains(pid) && carries(command));
    strays.map(|(pid, ..)| Process { pid: *pid }).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn children_carrying(_: &str, _: impl Fn(&[u8]) -> bool) -> Option<Vec<Process>> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn bury(_: &[i32]) {}

#[cfg(not(target_os = "linux"))]
pub(super) fn adopt_orphans() -> bool {
    false
}
