//! Checks that the word `design` occurs only in listed files: shared code does not name a command.

use super::source::project_files;
use crate::TaskResult;
use std::path::Path;

/// The first command, whose name is the most likely to occur in shared code.
const WORD: &str = "design";

/// Paths or path prefixes where the word may occur, with the reason.
const ALLOWED_PATHS: [(&str, &str); 22] = [
    ("crates/engine/src/flows/design/", "the flow"),
    ("crates/engine/src/flows/implement/", "the specification it works on; one of its files is design.md"),
    ("crates/app/src/spec_choice.rs", "the command that makes a specification"),
    ("crates/app/src/start_facts.rs", "the command that has a specification approved"),
    ("crates/engine/src/flows/mod.rs", "the list of flows"),
    ("crates/engine/src/flows/registry.rs", "the list of flows"),
    ("crates/engine/src/deliverable/", "the files of a specification; one is design.md"),
    ("crates/engine/src/panel/grammar.rs", "the name of a round of questions"),
    ("crates/survey/src/embedded/", "answers of the embedded agent for its seats"),
    ("crates/cli/src/commands/design", "its command line"),
    ("crates/cli/src/commands/mod.rs", "the list of commands"),
    ("crates/cli/src/commands/dispatch.rs", "the list of commands"),
    ("crates/cli/src/arguments.rs", "the list of commands"),
    ("crates/cli/src/help.rs", "the list of commands"),
    ("crates/cli/src/commands/agents.rs", "its levels and the agents of their seats"),
    ("crates/app/src/check.rs", "checks of its files"),
    ("crates/app/src/plugin/files.rs", "the names of skills"),
    ("crates/cli/src/commands/gate.rs", "plumbing with fixed names"),
    ("crates/cli/src/commands/ledger/", "plumbing with fixed names: DESIGN_TMPDIR"),
    ("crates/cli/src/commands/manifest.rs", "plumbing with fixed names: DESIGN_TMPDIR"),
    ("crates/app/src/environment.rs", "plumbing with fixed names: DESIGN_TMPDIR"),
    ("crates/app/src/nesting/", "plumbing with fixed names: DESIGN_TMPDIR"),
];

/// Crates to check. `model` holds the grammars of every command; the rest are for tests.
const CRATES: [&str; 13] = [
    "agents",
    "app",
    "checkout",
    "cli",
    "diagram",
    "engine",
    "git",
    "hook",
    "http",
    "integrations",
    "store",
    "survey",
    "term",
];

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let (mut problems, mut used) = (Vec::new(), Vec::new());
    for path in project_files(root)? {
        let name = path.display().to_string();
        let is_checked = CRATES.iter().any(|folder| name.starts_with(&format!("crates/{folder}/src/")));
        if !is_checked || !name.ends_with(".rs") || name.ends_with("/tests.rs") {
            continue;
        }
        let lines = matching_lines(&fs_err::read_to_string(root.join(&path))?);
        match ALLOWED_PATHS.iter().find(|(path, _)| name.starts_with(path)) {
            Some((path, _)) if !lines.is_empty() => used.push(*path),
            Some(_) => {}
            None => problems.extend(lines.into_iter().map(|line| {
                format!("{name}:{line}: '{WORD}' is not allowed in shared code; use a value of the flow")
            })),
        }
    }
    let unused = ALLOWED_PATHS.iter().filter(|(path, _)| !used.contains(path));
    problems
        .extend(unused.map(|(path, _)| format!("{path}: unused entry in ALLOWED_PATHS of tidy/words.rs")));
    Ok(problems)
}

/// Lines of code that contain the word. Comments and the tests at the end of a file are skipped.
fn matching_lines(text: &str) -> Vec<usize> {
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    code.zip(1..)
        .filter(|(line, _)| !is_comment(line) && line.to_lowercase().contains(WORD))
        .map(|(_, number)| number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::matching_lines;

    #[test]
    fn code_is_searched_and_comments_and_tests_are_not() {
        let text = "// a design\nlet a = Design::new();\n/// design\nlet b = \"x\";\n#[cfg(test)]\nlet c = design;\n";
        assert_eq!(matching_lines(text), [2]);
    }
}
