//! Ending what was left behind: by a lane that is over, or by a driver that is dead.

use super::driver::LANE_VARIABLE;
use super::processes::{Process, adopt_orphans, bury, carrying, children_carrying};
use fs_err::File;
use rustix::process::Signal;
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often we look whether somebody has ended.
const LOOK: Duration = Duration::from_millis(10);

/// A process that a dead driver left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// Its number.
    pub pid: i32,
    /// What its driver was doing.
    pub driver: String,
}

/// Who would be ended: the processes of drivers that are dead.
pub fn strays(folder: &Path) -> io::Result<Vec<Stray>> {
    let mut found = Vec::new();
    for dead in dead_drivers(folder)? {
        let processes = carrying(LANE_VARIABLE, |value| is_of(value, &dead.name));
        found.extend(processes.iter().map(|process| Stray { pid: process.pid, driver: dead.what.clone() }));
    }
    Ok(found)
}

/// Ends every process that dead drivers left behind, and forgets those drivers. Nobody else is touched.
pub fn reap(folder: &Path, grace: Duration) -> io::Result<Vec<Stray>> {
    let mut ended = Vec::new();
    for dead in dead_drivers(folder)? {
        let pids = end_all(grace, || carrying(LANE_VARIABLE, |value| is_of(value, &dead.name)));
        ended.extend(pids.into_iter().map(|pid| Stray { pid, driver: dead.what.clone() }));
        fs_err::remove_file(folder.join(&dead.name))?;
    }
    Ok(ended)
}

/// Ends what a lane that is over has left behind, and says how many processes that were. `own` are the processes
/// that we have started ourselves and not yet collected.
pub(crate) async fn sweep_lane(token: String, own: Vec<i32>, grace: Duration) -> usize {
    if left_by(&token).is_empty() {
        bury(&own);
        return 0;
    }
    // Waiting for somebody to end must not keep the other lanes waiting.
    let swept = tokio::task::spawn_blocking(move || {
        let ended = end_all(grace, || left_by(&token));
        bury(&own);
        ended.len()
    });
    swept.await.unwrap_or(0)
}

fn left_by(token: &str) -> Vec<Process> {
    let of_lane = |value: &[u8]| value == token.as_bytes();
    let ours = if adopting() { children_carrying(LANE_VARIABLE, of_lane) } else { None };
    ours.unwrap_or_else(|| carrying(LANE_VARIABLE, of_lane))
}

/// Makes sure that what agents leave behind becomes our child. Called before the first agent is started.
pub(crate) fn adopting() -> bool {
    static ADOPTING: OnceLock<bool> = OnceLock::new();
    *ADOPTING.get_or_init(adopt_orphans)
}

/// A driver that is dead.
struct Dead {
    name: String,
    what: String,
    /// Held, so that nobody else reaps the same at the same time.
    _lock: File,
}

fn dead_drivers(folder: &Path) -> io::Result<Vec<Dead>> {
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
        // Between opening and locking its driver may have ended well and removed it.
        if !entry.path().exists() {
            continue;
        }
        let what = fs_err::read_to_string(entry.path()).unwrap_or_default();
        dead.push(Dead { name, what, _lock: record });
    }
    Ok(dead)
}

fn is_of(value: &[u8], driver: &str) -> bool {
    value.strip_prefix(driver.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Asks all of them to end, waits, then ends them; again for as long as others come to light.
fn end_all(grace: Duration, find: impl Fn() -> Vec<Process>) -> Vec<i32> {
    let mut asked: Vec<i32> = Vec::new();
    let deadline = Instant::now() + grace;
    loop {
        let processes = find();
        if processes.is_empty() {
            return asked;
        }
        for process in &processes {
            if !asked.contains(&process.pid) {
                asked.push(process.pid);
                process.signal(Signal::TERM);
            } else if Instant::now() >= deadline {
                process.signal(Signal::KILL);
            }
        }
        if Instant::now() >= deadline + grace.max(Duration::from_secs(5)) {
            // In the kernel's hands: killed, but not gone.
            return asked;
        }
        sleep(LOOK);
    }
}
