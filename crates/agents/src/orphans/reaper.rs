//! Processes of dead drivers, and the register of drivers.

use super::ancestry::Ancestry;
use super::copies::{copies_folder, remove_folder};
use super::driver::{LANE_VARIABLE, lane_mark, registered};
use super::ending::end_all;
use super::processes::{DriverMark, Look, look_for_lanes};
use charrette_store::lock::process_namespace;
use fs_err::File;
use std::io;
use std::path::Path;
use std::time::Duration;

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
        let look = dead.look();
        found.extend(
            look.living.iter().map(|process| Orphan { pid: process.pid, driver: dead.purpose.clone() }),
        );
    }
    Ok(found)
}

/// Ends the processes of dead drivers, and removes the records and copies of these drivers.
pub fn reap_orphans(folder: &Path, grace: Duration) -> io::Result<Vec<Orphan>> {
    let mut ended = Vec::new();
    for dead in dead_drivers(folder)? {
        let end = end_all(grace, || dead.look());
        ended.extend(end.ended.into_iter().map(|pid| Orphan { pid, driver: dead.purpose.clone() }));
        // A copy that cannot be removed must not keep others from starting.
        let _ = remove_folder(&copies_folder(folder, &dead.name));
        // What could not be ended is looked for again by the next start.
        if end.survivors.is_none() {
            fs_err::remove_file(folder.join(&dead.name))?;
        }
    }
    Ok(ended)
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
    let namespace = process_namespace().unwrap_or_default();
    entries.flatten().find_map(|entry| {
        let record = fs_err::read_to_string(entry.path()).ok()?;
        let mut lines = record.lines().skip(1);
        let pid: i32 = lines.next()?.trim().parse().ok()?;
        // In another process namespace the same number is another process.
        let is_comparable = lines.next().is_none_or(|named| named.is_empty() || named == namespace);
        // The process itself may be a driver; a driver that has ended holds no lock.
        let is_ancestor = is_comparable && ancestry.ancestors().contains(&pid);
        let is_alive = || File::open(entry.path()).is_ok_and(|record| record.file().try_lock().is_err());
        (is_ancestor && is_alive()).then(|| purpose(&record))
    })
}

/// First line of a driver's record.
fn purpose(record: &str) -> String {
    record.lines().next().unwrap_or_default().to_owned()
}

struct DeadDriver {
    name: String,
    purpose: String,
    /// Time of its registration; none if it is not known.
    registered: Option<u64>,
    /// Held, so that no other process reaps the same orphans.
    _lock: File,
}

impl DeadDriver {
    /// Looks for its processes: by the environment, and by the mark of its lanes where that was emptied. Without the time of
    /// registration the mark tells nothing: it may have been put on a process of the user's.
    fn look(&self) -> Look {
        let is_of_dead = |value: &[u8]| is_of_driver(value, &self.name);
        let mark = self.registered.map(|registered| DriverMark { mark: lane_mark(&self.name), registered });
        look_for_lanes(LANE_VARIABLE, is_of_dead, mark)
    }
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
        let text = fs_err::read_to_string(entry.path()).unwrap_or_default();
        dead.push(DeadDriver { name, purpose: purpose(&text), registered: registered(&text), _lock: record });
    }
    Ok(dead)
}

fn is_of_driver(value: &[u8], driver: &str) -> bool {
    value.strip_prefix(driver.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}

#[cfg(test)]
mod tests {
    use super::super::Driver;
    use super::*;

    #[test]
    fn a_driver_that_could_not_be_registered_can_be_registered_later() {
        let folder = tempfile::tempdir().unwrap();
        // The record cannot get its name.
        let name = folder.path().join("driver");
        fs_err::create_dir_all(name.join("in the way")).unwrap();
        for _ in 0..2 {
            let error = Driver::register(folder.path(), "driver", "design of x").unwrap_err();
            assert_ne!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
        }
        fs_err::remove_dir_all(&name).unwrap();
        Driver::register(folder.path(), "driver", "design of x").unwrap();
    }

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
