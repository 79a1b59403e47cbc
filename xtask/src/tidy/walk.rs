//! Checks that every function named in the walk of ARCHITECTURE.md is in the linked file.

use crate::TaskResult;
use std::path::Path;

const DOCUMENT: &str = "ARCHITECTURE.md";
const HEADING: &str = "## A walk";

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let text = fs_err::read_to_string(root.join(DOCUMENT))?;
    let section: String = text
        .lines()
        .skip_while(|line| !line.starts_with(HEADING))
        .take_while(|line| line.starts_with(HEADING) || !line.starts_with("## "))
        .fold(String::new(), |all, line| all + line + "\n");
    let named = linked_functions(&section);
    if named.is_empty() {
        return Ok(vec![format!("{DOCUMENT}: no functions below the heading '{HEADING}'")]);
    }
    let mut problems = Vec::new();
    for (function, file) in named {
        let code = fs_err::read_to_string(root.join(file)).unwrap_or_default();
        if !defines(&code, function) {
            problems.push(format!("{DOCUMENT}: the walk names '{function}', which is not in {file}"));
        }
    }
    Ok(problems)
}

/// Links whose text is code: name of the function and path of the file.
fn linked_functions(section: &str) -> Vec<(&str, &str)> {
    let links = section.split("[`").skip(1).filter_map(|rest| rest.split_once("`]("));
    links
        .filter_map(|(name, rest)| Some((name, rest.split_once(')')?.0)))
        .filter(|(_, file)| file.ends_with(".rs"))
        .collect()
}

fn defines(code: &str, function: &str) -> bool {
    let name = format!("fn {function}");
    code.match_indices(&name).any(|(at, _)| code[at + name.len()..].starts_with(['(', '<']))
}

#[cfg(test)]
mod tests {
    use super::{defines, linked_functions};

    #[test]
    fn a_function_is_found_by_its_whole_name() {
        assert_eq!(
            linked_functions("1. [`a`](x.rs) then [`b`](y.rs), see [c](z.md)"),
            [("a", "x.rs"), ("b", "y.rs")]
        );
        assert!(defines("pub async fn drive<T>(x: T) {}", "drive"));
        assert!(!defines("fn drive_on() {}", "drive"));
        assert!(!defines("// drive", "drive"));
    }
}
