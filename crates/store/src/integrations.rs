//! The file that says which services outside a repository works with.

use std::io;
use std::path::Path;

/// Where it is, from the top of the work tree.
pub const INTEGRATIONS: &str = ".claude/config/integrations.json";

/// What it says; none if there is none. One that is not text says nothing, which is no valid file.
pub fn integrations_text(root: &Path) -> io::Result<Option<String>> {
    match fs_err::read_to_string(root.join(INTEGRATIONS)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // There is a file, and it is not one that can be read: that is never "disabled".
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some(String::new())),
        Err(error) => Err(error),
    }
}
