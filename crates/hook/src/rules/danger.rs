//! Dangerous commands: recursive deletion of root, home, parents and system folders; raw disks; fork bombs; system
//! files; downloads run by a shell; permissions of system folders.

use crate::effects::{Danger, Effect, Target, WriteAct};
use std::path::{Path, PathBuf};

/// Folders of the system, in which nothing is deleted or written.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/System",
    "/Library",
    "/Applications",
];
/// Folders that must stay, while what is in them may go.
const ROOTS: [&str; 9] = ["/", "/home", "/root", "/opt", "/var", "/var/lib", "/Users", "/srv", "/mnt"];
/// Parts of system folders that belong to people.
const FREE: [&str; 6] = ["/usr/local", "/usr/src", "/dev/shm", "/dev/fd", "/proc/self/fd", "/dev/pts"];
/// Devices that may be written.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// Folders of a session that must not be deleted.
pub(super) struct Ground<'a> {
    pub(super) folder: &'a Path,
    pub(super) root: Option<&'a Path>,
    pub(super) home: Option<&'a Path>,
}

/// Description of a dangerous effect.
pub(super) fn danger(effect: &Effect, ground: &Ground<'_>) -> Option<String> {
    match effect {
        Effect::Danger(Danger::ForkBomb) => Some("this is a fork bomb".to_owned()),
        Effect::Danger(Danger::DownloadRun) => {
            Some("this runs a download unread; save it to a file and read it first".to_owned())
        }
        Effect::Danger(Danger::Disk) => Some("this formats or partitions a disk".to_owned()),
        Effect::Writes { target, act } => {
            let path = affected(target)?;
            match act {
                WriteAct::RemoveTree => removal(&path, target, ground),
                WriteAct::PermissionsTree | WriteAct::Permissions => permissions(&path, target, *act, ground),
                WriteAct::Change | WriteAct::Remove => system_file(&path),
            }
        }
        _ => None,
    }
}

/// True if a path is a device that takes anything, or a file descriptor.
pub(super) fn is_harmless_device(path: &Path) -> bool {
    DEVICES.iter().any(|device| path == Path::new(device)) || path.starts_with("/dev/fd")
}

/// The path, or the folder all of whose entries are meant.
fn affected(target: &Target) -> Option<PathBuf> {
    match target {
        Target::At(path) => Some(path.clone()),
        Target::Below { folder, name: Some(name) } if name.fits("some-name") && name.fits("x") => {
            Some(folder.clone())
        }
        Target::Below { .. } | Target::Named { .. } | Target::Fresh | Target::Unknown => None,
    }
}

fn removal(path: &Path, target: &Target, ground: &Ground<'_>) -> Option<String> {
    let name = path.display();
    let is_whole_folder = matches!(target, Target::Below { .. });
    if ROOTS.iter().any(|root| path == Path::new(root)) || is_system(path) {
        return Some(format!("this deletes {name}, a folder of the system"));
    }
    if ground.home == Some(path) {
        return Some("this deletes the home folder".to_owned());
    }
    let is_parent = ground.folder.starts_with(path) && (ground.folder != path || !is_whole_folder);
    let is_root =
        ground.root.is_some_and(|root| root.starts_with(path) && (root != path || !is_whole_folder));
    let is_above_home = ground.home.is_some_and(|home| home.starts_with(path));
    (is_parent || is_root || is_above_home)
        .then(|| format!("this deletes {name}, which this session works in"))
}

fn permissions(path: &Path, target: &Target, act: WriteAct, ground: &Ground<'_>) -> Option<String> {
    let is_tree = act == WriteAct::PermissionsTree;
    let is_root = ROOTS.iter().any(|root| path == Path::new(root));
    let is_home = ground.home == Some(path) && matches!(target, Target::At(_));
    let is_dangerous = is_system(path) || is_root || (is_tree && is_home);
    is_dangerous.then(|| format!("this changes permissions of {}, a folder of the system", path.display()))
}

fn system_file(path: &Path) -> Option<String> {
    if path.starts_with("/dev") {
        let is_disk = is_system(path);
        return is_disk.then(|| format!("this writes to the device {}", path.display()));
    }
    is_system(path).then(|| format!("this changes {}, a file of the system", path.display()))
}

fn is_system(path: &Path) -> bool {
    let is_free = FREE
        .iter()
        .any(|free| path.starts_with(free) && path != Path::new(free) || path.starts_with("/dev/shm"));
    !is_free && !is_harmless_device(path) && SYSTEM.iter().any(|folder| path.starts_with(folder))
}
