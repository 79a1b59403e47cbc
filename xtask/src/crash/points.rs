//! Injection points of an operation: found by tracing it once, identified by system call and its count.

use super::operations::{Operation, OperationSetup};
use crate::TaskResult;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// System calls to kill at: those that change or open files, or take locks.
const KILL_CALLS: &str =
    "openat,write,pwrite64,fsync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,flock";
/// System calls that fail on a full or broken disk.
const ERROR_CALLS: &[&str] = &["write", "pwrite64", "fsync", "rename", "mkdir"];

/// System calls that make data durable or visible.
const DURABLE_CALLS: &[&str] = &["fsync", "rename", "unlink", "link", "linkat", "mkdir", "rmdir", "unlinkat"];

/// Injection point: the nth call of a system call, and the fault.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) call: String,
    pub(super) nth: usize,
    pub(super) fault: Fault,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Fault {
    Kill,
    Error(&'static str),
}

impl Point {
    /// Like [`Point::strace`], without injection into child processes.
    pub(super) fn strace_without_children(&self) -> Vec<OsString> {
        self.strace().into_iter().filter(|word| word != "-f").collect()
    }

    /// Command prefix that injects the fault with strace.
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

/// Injection points of an operation.
#[derive(Debug)]
pub(super) struct Points {
    pub(super) kills: Vec<Point>,
    pub(super) errors: Vec<Point>,
}

/// Traces an operation once and lists its injection points.
pub(super) fn find(charrette: &Path, operation: Operation) -> TaskResult<Points> {
    let setup = OperationSetup::new(operation)?;
    let log = setup.work().join("strace.log");
    let mut words: Vec<OsString> = ["strace", "-f", "-qqq", "-e", &format!("trace={KILL_CALLS}"), "-o"]
        .iter()
        .map(OsString::from)
        .collect();
    words.push(log.clone().into());
    setup
        .run_with(charrette, operation, &words)
        .map_err(|error| format!("cannot run strace, which is required: {error}"))?;

    let counts = count_calls(&log)?;
    let all = |call: &str, fault: Fault| -> Vec<Point> {
        let count = counts.get(call).copied().unwrap_or_default();
        (1..=count).map(|nth| Point { call: call.to_owned(), nth, fault }).collect()
    };
    let kills: Vec<Point> = counts.keys().flat_map(|call| all(call, Fault::Kill)).collect();
    let errors = ERROR_CALLS
        .iter()
        .flat_map(|call| ["ENOSPC", "EIO"].map(|error| all(call, Fault::Error(error))))
        .flatten();
    if kills.is_empty() {
        return Err(format!("the strace log of {operation} is empty").into());
    }
    Ok(Points { kills, errors: errors.collect() })
}

/// Command prefix that logs the durable writes of a program and `others` with strace, without its child processes.
pub(super) fn trace_durable_writes(log: &Path, others: &[&str]) -> Vec<OsString> {
    let calls = [DURABLE_CALLS, others].concat().join(",");
    let words = ["strace", "-qqq", "-e", &format!("trace={calls}"), "-o"];
    words.iter().map(OsString::from).chain([log.into()]).collect()
}

/// Kill points at each durable write in a log of strace, in order.
pub(super) fn durable_writes(log: &Path) -> TaskResult<Vec<Point>> {
    let text = fs_err::read_to_string(log)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let point = |call| {
        let nth = counts.entry(call).and_modify(|count| *count += 1).or_insert(1);
        Point { call: call.to_owned(), nth: *nth, fault: Fault::Kill }
    };
    Ok(text.lines().filter_map(durable_call).map(point).collect())
}

/// Number of durable writes before the first line that contains `mark`.
pub(super) fn durable_writes_before(log: &Path, mark: &str) -> TaskResult<usize> {
    let text = fs_err::read_to_string(log)?;
    let index = text.find(mark).ok_or_else(|| format!("the strace log does not contain {mark}"))?;
    Ok(text[..index].lines().filter_map(durable_call).count())
}

fn durable_call(line: &str) -> Option<&str> {
    call_name(line).filter(|call| DURABLE_CALLS.contains(call))
}

/// Counts the system calls in a log of strace.
fn count_calls(log: &Path) -> TaskResult<BTreeMap<String, usize>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for call in fs_err::read_to_string(log)?.lines().filter_map(call_name) {
        *counts.entry(call.to_owned()).or_default() += 1;
    }
    Ok(counts)
}

/// Name of the system call in a line such as `fsync(3) = 0`, which starts with the process id if there are several.
fn call_name(line: &str) -> Option<&str> {
    let call = line.split_once('(')?.0.split_whitespace().last()?;
    call.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()).then_some(call)
}
