//! Ends orphaned processes: those of a finished lane, and those of a dead driver.

use super::ancestry::Ancestry;
use super::copies::{copies_folder, remove_folder};
use super::driver::LANE_VARIABLE;
use super::processes::{
    GroupRule, Process, adopted_children, children_with_variable, processes_with_variable,
    reap_adopted_zombies, set_subreaper,
};
use crate::process_group::{own_leaders, with_own_leaders};
use fs_err::File;
use rustix::process::Signal;
use std::io;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Interval of checks for processes that have ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A process of a dead driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    pub pid: i32,
    /// Purpose of its driver.
    pub driver: String,
}

/// Finds the processes of dead drivers.
pub fn find_orphans(folder: &Path) -> io::Result<Vec<Orphan>> {
    let mut found = Vec::new();
    for dead in dead_drivers(folder)? {
        let processes = processes_with_variable(LANE_VARIABLE, |value| is_of_driver(value, &dead.name));
        found.extend(
            processes.iter().map(|process| Orphan { pid: process.pid, driver: dead.purpose.clone() }),
        );
    }
    Ok(found)
}

/// Ends the processes of dead drivers, and removes the records and copies of these drivers.
pub fn reap_orphans(folder: &Path, grace: Duration) -> io::Result<Vec<Orphan>> {
    let mut ended = Vec::new();
    for dead in dead_drivers(folder)? {
        let pids = end_all(grace, || {
            processes_with_variable(LANE_VARIABLE, |value| is_of_driver(value, &dead.name))
        });
        ended.extend(pids.into_iter().map(|pid| Orphan { pid, driver: dead.purpose.clone() }));
        // A copy that cannot be removed must not keep others from starting.
        let _ = remove_folder(&copies_folder(folder, &dead.name));
        fs_err::remove_file(folder.join(&dead.name))?;
    }
    Ok(ended)
}

/// Ends the orphaned processes of a finished lane, and returns their number.
///
/// A process that emptied its environment shows no lane. While no other lane is at work, whatever was adopted since the
/// first of them began is of this one or of an earlier one, and ends as well.
pub(crate) async fn end_lane_orphans(token: String, grace: Duration) -> usize {
    let find = move || {
        let adopted = with_own_leaders(|own| {
            let is_last = own.is_empty() && become_subreaper();
            if is_last { adopted_by_lanes(GroupRule::Others) } else { Vec::new() }
        });
        if adopted.is_empty() { lane_processes(&token) } else { adopted }
    };
    if find().is_empty() {
        reap_adopted_zombies(&own_leaders());
        return 0;
    }
    // The other lanes must not wait for these processes to end.
    let count = tokio::task::spawn_blocking(move || {
        let ended = end_all(grace, find);
        reap_adopted_zombies(&own_leaders());
        ended.len()
    });
    count.await.unwrap_or(0)
}

/// Adopted processes that were there before an agent began: daemons of an editor or of git, which belong to the user.
static SPARED: Mutex<Vec<i32>> = Mutex::new(Vec::new());

/// Spares what was adopted so far. To be called before an agent starts; it counts only while no other is at work.
pub(crate) fn spare_adopted() {
    if own_leaders().is_empty() && become_subreaper() {
        let adopted = adopted_children(&[], GroupRule::Others).iter().map(|process| process.pid).collect();
        *SPARED.lock().unwrap_or_else(PoisonError::into_inner) = adopted;
    }
}

/// Adopted processes that are not spared.
fn adopted_by_lanes(group: GroupRule) -> Vec<Process> {
    let spared = SPARED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    adopted_children(&spared, group)
}

/// Ends everything that agents left to us, at the end of a driver: processes that joined our own group as well. No agent
/// of ours may be at work.
pub(crate) fn end_adopted(grace: Duration) {
    if !own_leaders().is_empty() {
        return;
    }
    end_all(grace, || adopted_by_lanes(GroupRule::Any));
    reap_adopted_zombies(&[]);
}

/// Purpose of the driver that this process works for: one of its agents, or something that an agent started. Told by the
/// variables of an agent, else by the register of drivers and our ancestors. None outside of agents.
pub fn enclosing_driver(folder: &Path, lane: Option<&str>, ancestry: &Ancestry) -> Option<String> {
    if let Some(lane) = lane {
        let name = lane.split('/').next().unwrap_or_default();
        let is_name = !name.is_empty() && !name.starts_with('.');
        let record = is_name.then(|| fs_err::read_to_string(folder.join(name)).ok()).flatten();
        return Some(record.map_or_else(|| "another run".to_owned(), |record| purpose(&record)));
    }
    let entries = fs_err::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let record = fs_err::read_to_string(entry.path()).ok()?;
        let pid: i32 = record.lines().nth(1)?.trim().parse().ok()?;
        // The process itself may be a driver; a driver that has ended holds no lock.
        let is_ancestor = ancestry.ancestors().contains(&pid);
        let is_alive = || File::open(entry.path()).is_ok_and(|record| record.file().try_lock().is_err());
        (is_ancestor && is_alive()).then(|| purpose(&record))
    })
}

/// First line of a driver's record.
fn purpose(record: &str) -> String {
    record.lines().next().unwrap_or_default().to_owned()
}

fn lane_processes(token: &str) -> Vec<Process> {
    let of_lane = |value: &[u8]| value == token.as_bytes();
    let children = if become_subreaper() { children_with_variable(LANE_VARIABLE, of_lane) } else { None };
    children.unwrap_or_else(|| processes_with_variable(LANE_VARIABLE, of_lane))
}

/// Makes orphans of our agents our own children (Linux: subreaper); false if the system cannot do that. To be
/// called before the first agent is started.
pub(crate) fn become_subreaper() -> bool {
    static IS_SUBREAPER: OnceLock<bool> = OnceLock::new();
    *IS_SUBREAPER.get_or_init(set_subreaper)
}

struct DeadDriver {
    name: String,
    purpose: String,
    /// Held, so that no other process reaps the same orphans.
    _lock: File,
}

fn dead_drivers(folder: &Path) -> io::Result<Vec<DeadDriver>> {
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut dead = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let Ok(record) = File::options().read(true).write(true).open(entry.path()) else { continue };
        if record.file().try_lock().is_err() {
            continue;
        }
        // Its driver may have ended and removed it before it was locked here.
        if !entry.path().exists() {
            continue;
        }
        let purpose = purpose(&fs_err::read_to_string(entry.path()).unwrap_or_default());
        dead.push(DeadDriver { name, purpose, _lock: record });
    }
    Ok(dead)
}

fn is_of_driver(value: &[u8], driver: &str) -> bool {
    value.strip_prefix(driver.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Ends all processes that `find` returns: SIGTERM, SIGKILL after the grace period; until it returns none.
fn end_all(grace: Duration, find: impl Fn() -> Vec<Process>) -> Vec<i32> {
    let mut terminated: Vec<i32> = Vec::new();
    let deadline = Instant::now() + grace;
    loop {
        let processes = find();
        if processes.is_empty() {
            return terminated;
        }
        for process in &processes {
            if !terminated.contains(&process.pid) {
                terminated.push(process.pid);
                process.signal(Signal::TERM);
            } else if Instant::now() >= deadline {
                process.signal(Signal::KILL);
            }
        }
        if Instant::now() >= deadline + grace.max(Duration::from_secs(5)) {
            // Killed, but still held by the kernel.
            return terminated;
        }
        sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Driver;
    use super::*;

    #[test]
    fn copies_end_with_their_driver_in_order_or_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let driver = |name: &str| {
            let driver = Driver::register(folder.path(), name, "design of x").unwrap();
            fs_err::create_dir_all(driver.copies().join("lane-1/deep")).unwrap();
            driver
        };
        let (living, ending) = (driver("living"), driver("ending"));
        // A killed driver leaves its record and its copies.
        let killed = folder.path().join(".killed.copies");
        fs_err::create_dir_all(killed.join("lane-1/deep")).unwrap();
        fs_err::write(folder.path().join("killed"), "design of y").unwrap();
        let ended = ending.copies().to_owned();
        drop(ending);
        assert!(!ended.exists());
        assert_eq!(reap_orphans(folder.path(), Duration::from_millis(10)).unwrap(), []);
        assert!(!killed.exists() && !folder.path().join("killed").exists());
        assert!(living.copies().join("lane-1/deep").exists());
    }
}
