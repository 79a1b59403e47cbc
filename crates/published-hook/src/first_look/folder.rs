//! Is a folder certainly free of runs?
//!
//! A run is in `.claude/state/active.json` of a checkout: the nearest folder upwards with a `.git`, the main checkout if
//! that is a linked work tree, or the folder itself where there is no repository (`locate` and `active_folder` of the
//! crate `store`). So a folder is free if neither it nor any folder above has that file, up to the first that certainly is
//! a checkout. A `.git` that is no folder may lead anywhere: no proof.

use super::bytes::Terminated;
use super::system::{Folder, Sight};

/// Folders above that are looked at.
const MAX_LEVELS: usize = 32;

/// Constructs the path of a file in any folder above: its end is the path in the folder itself, and each `../` before that
/// is one folder further up.
macro_rules! upwards {
    ($name:literal) => {
        concat!(
            "../../../../../../../../../../../../../../../../",
            "../../../../../../../../../../../../../../../../",
            $name,
            "\0"
        )
        .as_bytes()
    };
}

/// True if it is certain that no run is recorded for a session in this folder. The path must be absolute.
pub(super) fn is_free(path: Terminated<'_>) -> bool {
    prove_free(path).is_some()
}

fn prove_free(path: Terminated<'_>) -> Option<()> {
    path.text().first().filter(|first| **first == b'/')?;
    let folder = Folder::open(path)?;
    // Without symbolic links no more folders than the path has parts. Above the topmost is the topmost itself.
    let levels = path.text().split(|byte| *byte == b'/').count();
    for level in 0..levels {
        let look_at = |paths| Some(folder.look_at(at_level(paths, level)?));
        match look_at(upwards!(".claude/state/active.json"))? {
            Sight::Nothing | Sight::NoFolder => {}
            Sight::Something | Sight::Unknown => return None,
        }
        match look_at(upwards!(".git/HEAD"))? {
            Sight::Nothing => continue,
            Sight::Something => {}
            Sight::NoFolder | Sight::Unknown => return None,
        }
        // Other `.git` folders are left to the hook.
        let is_checkout = look_at(upwards!(".git/objects/"))? == Sight::Something
            && look_at(upwards!(".git/refs/"))? == Sight::Something;
        return is_checkout.then_some(());
    }
    Some(())
}

/// One of the paths that [`upwards`] constructs.
fn at_level(paths: &[u8], level: usize) -> Option<Terminated<'_>> {
    let start = MAX_LEVELS.checked_sub(level)? * "../".len();
    Terminated::new(paths.get(start..)?)
}
