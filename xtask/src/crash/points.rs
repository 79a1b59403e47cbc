//! Where an operation can be hit: found by watching it once, then named by system call and count.

use super::operations::{Operation, Scene};
use crate::Outcome;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// The system calls that change what others can see, or that decide who may.
const KILLED: &str =
    "openat,write,pwrite64,fsync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,flock";
/// Those that a full or broken disk makes fail.
const FAILED: &[&str] = &["write", "pwrite64", "fsync", "rename", "mkdir"];

/// One hit.
#[derive(Debug)]
pub(super) struct Point {
    call: String,
    nth: usize,
    pub(super) fault: Fault,
}

/// What happens there.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Kill,
    Error(&'static str),
}

impl Point {
    /// The program and arguments that make it happen.
    pub(super) fn strace(&self) -> Vec<OsString> {
        let Point { call, nth, fault } = self;
        let inject = match fault {
            Fault::Kill => format!("inject={call}:signal=KILL:when={nth}"),
            Fault::Error(error) => format!("inject={call}:error={error}:when={nth}"),
        };
        let words =
            ["strace", "-f", "-qqq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject];
        words.iter().map(OsString::from).collect()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Point { call, nth, fault } = self;
        match fault {
            Fault::Kill => write!(f, "killed at {call} #{nth}"),
            Fault::Error(error) => write!(f, "{call} #{nth} failed with {error}"),
        }
    }
}

/// All points of an operation.
#[derive(Debug)]
pub(super) struct Points {
    pub(super) kills: Vec<Point>,
    pub(super) errors: Vec<Point>,
}

pub(super) fn of(charrette: &Path, operation: Operation) -> Outcome<Points> {
    let scene = Scene::set(operation)?;
    let log = scene.work().join("strace.log");
    let mut words: Vec<OsString> =
        ["strace", "-f", "-qqq", "-e", &format!("trace={KILLED}"), "-o"].iter().map(OsString::from).collect();
    words.push(log.clone().into());
    scene
        .run_with(charrette, operation, &words)
        .map_err(|error| format!("strace is needed for this, but cannot be run: {error}"))?;

    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in fs_err::read_to_string(log)?.lines() {
        // "1234  fsync(3) = 0"
        let Some(call) = line.split('(').next().and_then(|start| start.split_whitespace().last()) else {
            continue;
        };
        if KILLED.split(',').any(|known| known == call) {
            *counts.entry(call.to_owned()).or_default() += 1;
        }
    }
    let all = |call: &str, fault: Fault| -> Vec<Point> {
        let count = counts.get(call).copied().unwrap_or_default();
        (1..=count).map(|nth| Point { call: call.to_owned(), nth, fault }).collect()
    };
    let kills: Vec<Point> = counts.keys().flat_map(|call| all(call, Fault::Kill)).collect();
    let errors = FAILED
        .iter()
        .flat_map(|call| ["ENOSPC", "EIO"].map(|error| all(call, Fault::Error(error))))
        .flatten();
    if kills.is_empty() {
        return Err(format!("strace saw nothing of {operation}").into());
    }
    Ok(Points { kills, errors: errors.collect() })
}
