//! Checks the length of source files, their header comments, and that `mod.rs` and `lib.rs` hold no code.

use super::source::project_files;
use crate::TaskResult;
use std::path::Path;

const MAX_LINES: usize = 500;

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let mut problems = Vec::new();
    for path in
        project_files(root)?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
    {
        let text = fs_err::read_to_string(root.join(path))?;
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        if !is_test && text.lines().count() > MAX_LINES {
            problems.push(format!("{}: longer than {MAX_LINES} lines; split it", path.display()));
        }
        let is_index = (path.ends_with("mod.rs") || path.ends_with("lib.rs")) && !is_test;
        if is_index && let Some(line) = text.lines().position(has_logic) {
            problems.push(format!(
                "{}:{}: mod.rs and lib.rs may hold only documentation and re-exports",
                path.display(),
                line + 1
            ));
        }
        if !text.starts_with("//!") {
            problems.push(format!("{}: lacks a header comment (//!)", path.display()));
        }
    }
    Ok(problems)
}

fn has_logic(line: &str) -> bool {
    ["fn ", "impl", "struct ", "enum ", "const ", "static ", "trait ", "type ", "macro_rules"]
        .iter()
        .any(|word| line.trim_start_matches("pub ").trim_start_matches("pub(crate) ").starts_with(word))
}
