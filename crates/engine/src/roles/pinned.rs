//! The pinned roles of a run, loaded with the first agent call; a resumed run may need none.

use super::library::Roles;
use super::overrides::RoleOverrides;
use charrette_model::seats::SeatTables;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

type Loader = Box<dyn FnOnce() -> Roles + Send>;

/// The pinned roles of a run, loaded once. Cheap to clone.
#[derive(Clone)]
pub struct PinnedRoles(Arc<LazyLock<Roles, Loader>>);

impl PinnedRoles {
    /// The roles pinned in a folder below `root`.
    pub fn in_folder(root: PathBuf, folder: PathBuf, seats: SeatTables) -> PinnedRoles {
        PinnedRoles::new(Box::new(move || Roles::load(&root, &folder, &seats)))
    }

    /// The built-in roles with overrides.
    pub fn with_overrides(overrides: RoleOverrides, seats: SeatTables) -> PinnedRoles {
        PinnedRoles::new(Box::new(move || Roles::with_overrides(&overrides, &seats)))
    }

    /// The built-in roles.
    pub fn built_in(seats: SeatTables) -> PinnedRoles {
        PinnedRoles::new(Box::new(move || Roles::built_in(&seats)))
    }

    fn new(loader: Loader) -> PinnedRoles {
        PinnedRoles(Arc::new(LazyLock::new(loader)))
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
