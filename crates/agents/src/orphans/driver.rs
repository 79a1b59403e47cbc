//! Record of a process that starts agents, kept while it lives.

use super::copies::{copies_folder, remove_folder};
use super::lane::end_adopted;
use super::processes::started_now;
use charrette_sandbox::lane::Mark;
use charrette_store::lock::process_namespace;
use charrette_store::workspace::sha256;
use fs_err::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Environment variable of every agent process: the driver's name, a slash, the lane.
pub const LANE_VARIABLE: &str = "CHARRETTE_LANE";

/// Line of the time of registration in a record.
const REGISTERED_LINE: usize = 3;

/// Time that adopted processes get to end with their driver.
const GRACE: Duration = Duration::from_secs(2);

/// A registered driver of agents. Its record is removed on a normal end; [`super::reap_orphans`] finds the
/// agents of a dead driver.
#[derive(Debug)]
pub struct Driver {
    name: String,
    path: PathBuf,
    copies: PathBuf,
    /// Locked by the kernel until this process ends, in any way.
    _record: File,
}

impl Driver {
    /// Registers a driver, durably. `name` must be unique; `purpose` is for messages.
    pub fn register(folder: &Path, name: &str, purpose: &str) -> io::Result<Driver> {
        fs_err::create_dir_all(folder)?;
        let registered = started_now();
        // Locked before it gets its final name: an unlocked record under such a name means a dead driver.
        let unnamed = folder.join(format!(".{name}"));
        let mut record = File::options().read(true).write(true).create_new(true).open(&unnamed)?;
        let path = folder.join(name);
        let published = publish(&mut record, purpose, registered, &unnamed, &path);
        published.inspect_err(|_| {
            // The next attempt must fail with its own reason, not because of this file.
            let _ = fs_err::remove_file(&unnamed);
        })?;
        File::open(folder)?.sync_all()?;
        Ok(Driver { name: name.to_owned(), path, copies: copies_folder(folder, name), _record: record })
    }

    /// Folder for copies in which its agents may write. It need not exist; it is removed with the driver.
    pub fn copies(&self) -> &Path {
        &self.copies
    }

    /// Value of [`LANE_VARIABLE`] for the agents of a lane.
    pub fn token(&self, lane: &str) -> String {
        format!("{}/{lane}", self.name)
    }
}

/// Mark of the lanes of a driver, told by its name alone. `token` is that name, or a value of [`LANE_VARIABLE`].
pub(crate) fn lane_mark(token: &str) -> Mark {
    let name = token.split('/').next().unwrap_or_default();
    let number = sha256(name.as_bytes()).get(..12).and_then(|digits| u64::from_str_radix(digits, 16).ok());
    Mark::of_driver(number.unwrap_or_default())
}

/// Time at which a driver was registered, by its record: all of its agents started then or later. None in records of older
/// versions.
pub(super) fn registered(record: &str) -> Option<u64> {
    record.lines().nth(REGISTERED_LINE)?.parse().ok()
}

/// Locks and writes a record, and gives it its name: the purpose, the id of the process, its namespace, and the time in clock
/// ticks.
fn publish(
    record: &mut File,
    purpose: &str,
    registered: Option<u64>,
    unnamed: &Path,
    path: &Path,
) -> io::Result<()> {
    record.file().lock()?;
    let namespace = process_namespace().unwrap_or_default();
    let registered = registered.map(|ticks| ticks.to_string()).unwrap_or_default();
    let lines = format!("{purpose}\n{}\n{namespace}\n{registered}\n", std::process::id());
    record.write_all(lines.as_bytes())?;
    record.sync_all()?;
    fs_err::rename(unnamed, path)
}

impl Drop for Driver {
    fn drop(&mut self) {
        end_adopted(GRACE);
        let _ = remove_folder(&self.copies);
        let _ = fs_err::remove_file(&self.path);
    }
}
