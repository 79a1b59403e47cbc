//! The roles of one run: read when somebody is first asked. A run that goes on may need nobody.

use super::library::Roles;
use charrette_model::seats::SeatTables;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

type Reading = Box<dyn FnOnce() -> Roles + Send>;

/// The roles that were pinned for a run. A copy is cheap, and reads nothing again.
#[derive(Clone)]
pub struct PinnedRoles(Arc<LazyLock<Roles, Reading>>);

impl PinnedRoles {
    /// Those in that folder, below `root`.
    pub fn in_folder(root: PathBuf, folder: PathBuf, seats: SeatTables) -> PinnedRoles {
        PinnedRoles::read_by(Box::new(move || Roles::load(&root, &folder, &seats)))
    }

    /// Those that come with charrette.
    pub fn built_in(seats: SeatTables) -> PinnedRoles {
        PinnedRoles::read_by(Box::new(move || Roles::built_in(&seats)))
    }

    fn read_by(reading: Reading) -> PinnedRoles {
        PinnedRoles(Arc::new(LazyLock::new(reading)))
    }
}

impl Deref for PinnedRoles {
    type Target = Roles;

    fn deref(&self) -> &Roles {
        &self.0
    }
}

impl fmt::Debug for PinnedRoles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PinnedRoles")
    }
}
