//! Maximum length of source files, and folders without code.

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
        let is_index = (path.ends_with("mod.rs") || path.ends_with("lib.rs")) && !is_test;
        if is_index && let Some(line) = text.lines().position(has_logic) {
            problems.push(format!(
                "{}:{}: a mod.rs or lib.rs holds documentation and re-exports only",
                path.display(),
                line + 1
            ));
        }
        if !text.starts_with("//!") {
            problems.push(format!("{}: does not begin by saying what it is for", path.display()));
        }
    }
    Ok(problems)
}

fn has_logic(line: &str) -> bool {
    ["fn ", "impl", "struct ", "enum ", "const ", "static ", "trait ", "type ", "macro_rules"]
        .iter()
        .any(|word| line.trim_start_matches("pub ").trim_start_matches("pub(crate) ").starts_with(word))
}
