//! Reads the configuration of external services (tracker, deployment).

use std::io;
use std::path::Path;

/// Path relative to the top of the work tree.
pub const INTEGRATIONS: &str = ".claude/config/integrations.json";

/// Maximum size of the file.
const MAX_BYTES: u64 = 1 << 20;

/// Text of the file; `None` if it is missing. Invalid UTF-8 becomes an empty text, which is not a valid file.
pub fn integrations_text(root: &Path) -> io::Result<Option<String>> {
    let path = root.join(INTEGRATIONS);
    // A link could lead to a device that never ends.
    if fs_err::metadata(&path).is_ok_and(|meta| !meta.is_file() || meta.len() > MAX_BYTES) {
        return Err(io::Error::other(format!(
            "{INTEGRATIONS} is not a file of at most {} MB",
            MAX_BYTES >> 20
        )));
    }
    match fs_err::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // The file exists and is not text: that must never mean "disabled".
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok(Some(String::new())),
        Err(error) => Err(error),
    }
}
