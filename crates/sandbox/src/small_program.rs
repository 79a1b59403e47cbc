//! The small program that is installed beside the product. It has the launcher's mode too and starts in a fraction of the
//! time, which every launch of an agent saves.

use crate::launcher::MODE;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Name of the small program.
const NAME: &str = "charrette-hook";

/// Argument of the launcher's mode that prints [`VERSION`].
pub const VERSION_ARGUMENT: &str = "--version";

/// Version of the launcher. Only a program of the same version understands all rules.
pub const VERSION: &str = concat!("charrette box ", env!("CARGO_PKG_VERSION"), ", rules 2");

/// The small program beside `program`, if it is a launcher of this version. It is asked once per process.
pub fn find(program: &Path) -> Option<PathBuf> {
    static KNOWN: Mutex<Option<(PathBuf, Option<PathBuf>)>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match &*known {
        Some((asked, found)) if asked == program => found.clone(),
        _ => {
            let beside = program.with_file_name(NAME);
            let found = is_launcher(&beside).then_some(beside);
            *known = Some((program.to_owned(), found.clone()));
            found
        }
    }
}

fn is_launcher(program: &Path) -> bool {
    let answer = Command::new(program)
        .args([MODE, VERSION_ARGUMENT])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    answer.is_ok_and(|output| output.status.success() && output.stdout.trim_ascii() == VERSION.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    fn write_program(path: &Path, text: &str) {
        fs_err::write(path, text).unwrap();
        fs_err::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn only_a_launcher_of_the_same_version_is_found() {
        for (script, is_found) in [
            (format!("#!/bin/sh\n[ \"$1 $2\" = 'box --version' ] && echo '{VERSION}'\n"), true),
            ("#!/bin/sh\necho 'charrette box 0.0.1'\n".to_owned(), false),
            (format!("#!/bin/sh\necho '{VERSION}'\nexit 1\n"), false),
            // A hook of a version without this mode allows what it does not know.
            ("#!/bin/sh\nexit 0\n".to_owned(), false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let small = folder.path().join(NAME);
            write_program(&small, &script);
            let found = find(&folder.path().join("charrette"));
            assert_eq!(found, is_found.then_some(small), "{script}");
        }
        assert_eq!(find(Path::new("/nowhere/charrette")), None);
    }
}
