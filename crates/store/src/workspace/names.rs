//! Names of artifacts: which are valid, and which files of a folder have one.

use charrette_model::escape::printable;
use std::io;
use std::path::Path;

/// Adds the names of the artifacts in a folder; none if there is no such folder.
pub(super) fn add_names(
    folder: &Path,
    prefix: &str,
    is_deep: bool,
    names: &mut Vec<String>,
) -> io::Result<()> {
    let entries = match fs_err::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if check_name(&name).is_err() {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() && is_deep {
            add_names(&entry.path(), &format!("{name}/"), is_deep, names)?;
        } else if kind.is_file() {
            names.push(name);
        }
    }
    Ok(())
}

/// Prefix of the deliverable's file names.
pub(super) const SPECS: &str = "specs/";

/// The only hidden files among the artifacts.
const MARKERS: [&str; 2] = ["specs/.project-marker", "specs/.feature-marker"];

/// Names come from flows and from documents that may have been edited: they must stay inside.
pub(super) fn check_name(name: &str) -> io::Result<&str> {
    let part_is_fine = |part: &str| {
        part.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    if MARKERS.contains(&name) || (name.len() <= 200 && name.split('/').all(part_is_fine)) {
        Ok(name)
    } else {
        Err(invalid(name, "is not a valid artifact name"))
    }
}

pub(super) fn invalid(name: &str, problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("'{}' {problem}", printable(name)))
}
