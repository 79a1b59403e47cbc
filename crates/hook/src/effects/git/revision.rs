//! Names of commits and branches against paths.

use super::super::surroundings::Facts;
use std::path::Path;

/// The branch that a name of a reference stands for.
pub(super) fn branch_name(name: &str) -> &str {
    let name = name.strip_prefix("refs/").unwrap_or(name);
    name.strip_prefix("heads/").unwrap_or(name)
}

/// True for the commit of HEAD itself.
pub(super) fn is_head(name: &str) -> bool {
    matches!(name, "HEAD" | "@" | "HEAD~0" | "HEAD^0" | "@{0}" | "HEAD@{0}")
}

/// True if a name has the form of a revision that no path has.
pub(super) fn is_revision_form(name: &str) -> bool {
    let is_commit_id = (7..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    name == "-"
        || name.contains(['~', '^'])
        || name.contains("@{")
        || name.contains("..") && !name.contains("../") && !name.ends_with("..")
        || matches!(name, "FETCH_HEAD" | "ORIG_HEAD" | "MERGE_HEAD" | "CHERRY_PICK_HEAD")
        || is_commit_id
}

/// True if an operand that may be a branch or a path is a path.
pub(super) fn is_path(name: &str, folder: &Path, facts: &dyn Facts) -> bool {
    if name.starts_with(['.', ':', '/']) || name.ends_with('/') {
        return true;
    }
    if is_revision_form(name) || facts.is_reference(folder, name) {
        return false;
    }
    facts.exists(&folder.join(name)) || has_extension(name)
}

/// True if a name ends like that of a file: `main.go`, not `v1.2`.
fn has_extension(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
