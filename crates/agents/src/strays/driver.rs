//! A process that starts agents, on record for as long as it lives.

use fs_err::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// The variable that every process of an agent carries: the driver's name, a slash, the lane.
pub const LANE_VARIABLE: &str = "CHARRETTE_LANE";

/// A driver of agents. Its record is removed when it ends well; what a dead one leaves is found by [`super::reap`].
#[derive(Debug)]
pub struct Driver {
    name: String,
    path: PathBuf,
    /// Locked by the kernel until we end, however that happens.
    _record: File,
}

impl Driver {
    /// Puts a driver on record, durably. `name` must be unique; `what` is for people.
    pub fn register(folder: &Path, name: &str, what: &str) -> io::Result<Driver> {
        fs_err::create_dir_all(folder)?;
        // Locked before it has its name: a record with a name that is not locked means a dead driver.
        let nameless = folder.join(format!(".{name}"));
        let mut record = File::options().read(true).write(true).create_new(true).open(&nameless)?;
        record.file().lock()?;
        record.write_all(what.as_bytes())?;
        record.sync_all()?;
        let path = folder.join(name);
        fs_err::rename(&nameless, &path)?;
        File::open(folder)?.sync_all()?;
        Ok(Driver { name: name.to_owned(), path, _record: record })
    }

    /// What an agent of that lane carries in [`LANE_VARIABLE`].
    pub fn token(&self, lane: &str) -> String {
        format!("{}/{lane}", self.name)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.path);
    }
}
