//! How long a file of code may be, and where there must be none.

use super::source::files;
use crate::Outcome;
use std::path::Path;

const LONGEST: usize = 500;

pub(super) fn problems(root: &Path) -> Outcome<Vec<String>> {
    let mut problems = Vec::new();
    for path in files(root)?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
    {
        let text = fs_err::read_to_string(root.join(path))?;
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        if !is_test && text.lines().count() > LONGEST {
            problems
                .push(format!("{}: longer than {LONGEST} lines; is it one room, or two?", path.display()));
        }
        if path.ends_with("mod.rs") && !is_test && has_logic(&text) && !path.starts_with("xtask") {
            problems.push(format!("{}: a mod.rs holds documentation and re-exports only", path.display()));
        }
        if !text.starts_with("//!") {
            problems.push(format!("{}: does not begin by saying what it is for", path.display()));
        }
    }
    Ok(problems)
}

/// Functions and types with bodies; small ones that several files of the folder share are fine.
fn has_logic(text: &str) -> bool {
    let bodies =
        text.lines().filter(|line| line.trim_start().starts_with("fn ") || line.starts_with("impl "));
    bodies.count() > 6
}
