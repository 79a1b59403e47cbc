//! A command is a guest in the house: its name stands in its own rooms, and nowhere else.

use super::source::files;
use crate::Outcome;
use std::path::Path;

/// The command that was here first, so the one whose name is most likely to be found in a shared room.
const WORD: &str = "design";

/// Places where the word may occur, with the reason.
const ROOMS: [(&str, &str); 18] = [
    ("crates/engine/src/flows/design/", "the flow"),
    ("crates/engine/src/flows/mod.rs", "the list of flows"),
    ("crates/engine/src/flows/registry.rs", "the list of flows"),
    ("crates/engine/src/deliverable/", "the files it leaves; one is design.md"),
    ("crates/engine/src/panel/grammar.rs", "the name of a round of questions"),
    ("crates/survey/src/embedded/", "what the embedded agent says in its seats"),
    ("crates/cli/src/commands/design", "its face"),
    ("crates/cli/src/commands/mod.rs", "the list of commands"),
    ("crates/cli/src/commands/dispatch.rs", "the list of commands"),
    ("crates/cli/src/arguments.rs", "the list of commands"),
    ("crates/cli/src/help.rs", "the list of commands"),
    ("crates/cli/src/commands/agents.rs", "its levels, and who takes their seats"),
    ("crates/cli/src/commands/check.rs", "its files, checked"),
    ("crates/cli/src/commands/gate.rs", "plumbing whose words are fixed"),
    ("crates/cli/src/commands/ledger/", "plumbing whose words are fixed: DESIGN_TMPDIR"),
    ("crates/cli/src/commands/manifest.rs", "plumbing whose words are fixed: DESIGN_TMPDIR"),
    ("crates/app/src/environment.rs", "plumbing whose words are fixed: DESIGN_TMPDIR"),
    ("crates/app/src/nesting/", "plumbing whose words are fixed: DESIGN_TMPDIR"),
];

/// Crates that are looked through. `model` holds the grammars of every command, and the rest are for tests.
const CRATES: [&str; 12] = [
    "agents",
    "app",
    "checkout",
    "cli",
    "diagram",
    "engine",
    "git",
    "http",
    "integrations",
    "store",
    "survey",
    "term",
];

pub(super) fn problems(root: &Path) -> Outcome<Vec<String>> {
    let (mut problems, mut visited) = (Vec::new(), Vec::new());
    for path in files(root)? {
        let name = path.display().to_string();
        let is_looked_through =
            CRATES.iter().any(|folder| name.starts_with(&format!("crates/{folder}/src/")));
        if !is_looked_through || !name.ends_with(".rs") || name.ends_with("/tests.rs") {
            continue;
        }
        let lines = found(&fs_err::read_to_string(root.join(&path))?);
        match ROOMS.iter().find(|(room, _)| name.starts_with(room)) {
            Some((room, _)) if !lines.is_empty() => visited.push(*room),
            Some(_) => {}
            None => problems.extend(lines.into_iter().map(|line| {
                format!("{name}:{line}: '{WORD}' does not belong here; what is meant is a value of a flow")
            })),
        }
    }
    let empty = ROOMS.iter().filter(|(room, _)| !visited.contains(room));
    problems.extend(empty.map(|(room, _)| format!("{room}: need not be in the list of tidy/words.rs")));
    Ok(problems)
}

/// The lines of code with the word in it; comments, and tests at the end of a file, are not code.
fn found(text: &str) -> Vec<usize> {
    let code = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    code.zip(1..)
        .filter(|(line, _)| !is_comment(line) && line.to_lowercase().contains(WORD))
        .map(|(_, number)| number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::found;

    #[test]
    fn code_is_searched_and_comments_and_tests_are_not() {
        let text = "// a design\nlet a = Design::new();\n/// design\nlet b = \"x\";\n#[cfg(test)]\nlet c = design;\n";
        assert_eq!(found(text), [2]);
    }
}
