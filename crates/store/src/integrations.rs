//! Reads the configuration of external services (tracker, deployment).

use std::io;
use std::path::Path;

/// Path relative to the top of the work tree.
pub const INTEGRATIONS: &str = ".claude/config/integrations.json";

/// Text of the file; `None` if it is missing. Invalid UTF-8 becomes an empty text, which is not a valid file.
pub fn integrations_text(root: &Path) -> io::Result<Option<String>> {
    match fs_err::read_to_string(root.join(INTEGRATIONS)) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // The file exists and is not text: that must never mean "disabled".
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some(String::new())),
        Err(error) => Err(error),
    }
}
