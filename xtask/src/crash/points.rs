//! Injection points of an operation: found by tracing it once, identified by system call and count.

use super::operations::{Operation, OperationScene};
use crate::Outcome;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// The system calls that change what others can see, or that decide who may.
const KILLED: &str =
    "openat,write,pwrite64,fsync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,flock";
/// System calls that fail on a full or broken disk.
const FAILED: &[&str] = &["write", "pwrite64", "fsync", "rename", "mkdir"];

/// System calls that make data durable or visible.
const DURABLE: &[&str] = &["fsync", "rename", "unlink", "link", "linkat", "mkdir", "rmdir", "unlinkat"];

/// One hit.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) call: String,
    pub(super) nth: usize,
    pub(super) fault: Fault,
}

/// Fault to inject.
#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Kill,
    Error(&'static str),
}

impl Point {
    /// The same for a program whose children are left alone.
    pub(super) fn strace_alone(&self) -> Vec<OsString> {
        self.strace().into_iter().filter(|word| word != "-f").collect()
    }

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
    let scene = OperationScene::set(operation)?;
    let log = scene.work().join("strace.log");
    let mut words: Vec<OsString> =
        ["strace", "-f", "-qqq", "-e", &format!("trace={KILLED}"), "-o"].iter().map(OsString::from).collect();
    words.push(log.clone().into());
    scene
        .run_with(charrette, operation, &words)
        .map_err(|error| format!("strace is needed for this, but cannot be run: {error}"))?;

    let counts = counts(&log)?;
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

/// The program and arguments that have a program watched at its durable writes, and at `others`; its children are left
/// alone.
pub(super) fn watching(log: &Path, others: &[&str]) -> Vec<OsString> {
    let calls = [DURABLE, others].concat().join(",");
    let words = ["strace", "-qqq", "-e", &format!("trace={calls}"), "-o"];
    words.iter().map(OsString::from).chain([log.into()]).collect()
}

/// A kill at each durable write that was seen then, in order.
pub(super) fn durable_writes(log: &Path) -> Outcome<Vec<Point>> {
    let text = fs_err::read_to_string(log)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let point = |call| {
        let nth = counts.entry(call).and_modify(|count| *count += 1).or_insert(1);
        Point { call: call.to_owned(), nth: *nth, fault: Fault::Kill }
    };
    Ok(text.lines().filter_map(durable).map(point).collect())
}

/// Number of durable writes before the first line that contains `mark`.
pub(super) fn durable_writes_before(log: &Path, mark: &str) -> Outcome<usize> {
    let text = fs_err::read_to_string(log)?;
    let index = text.find(mark).ok_or_else(|| format!("strace saw no {mark}"))?;
    Ok(text[..index].lines().filter_map(durable).count())
}

fn durable(line: &str) -> Option<&str> {
    call(line).filter(|call| DURABLE.contains(call))
}

/// Counts the system calls in a log of strace.
fn counts(log: &Path) -> Outcome<BTreeMap<String, usize>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for call in fs_err::read_to_string(log)?.lines().filter_map(call) {
        *counts.entry(call.to_owned()).or_default() += 1;
    }
    Ok(counts)
}

/// The system call of a line: `fsync(3) = 0`, with the process before it if there are several.
fn call(line: &str) -> Option<&str> {
    let call = line.split_once('(')?.0.split_whitespace().last()?;
    call.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()).then_some(call)
}
