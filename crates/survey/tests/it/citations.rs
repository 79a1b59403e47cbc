//! Every path and every line a survey names exists.

use crate::look;
use charrette_survey::Survey;
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;

/// Fails if anything named is not there.
pub(crate) fn assert_all_exist(root: &Path, survey: &Survey) {
    let mut lengths: HashMap<String, usize> = HashMap::new();
    let mut line = |path: &str, line: usize| {
        let length = lengths.entry(path.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(root.join(path)).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            String::from_utf8_lossy(&bytes).lines().count()
        });
        assert!((1..=*length).contains(&line) || (line == 1 && *length == 0), "{path}:{line} of {length}");
    };
    let path = |path: &str| assert!(root.join(path).symlink_metadata().is_ok(), "{path:?} does not exist");
    for file in &survey.files {
        path(&file.path);
        if let Some(lines) = file.lines {
            line(&file.path, lines.first);
            line(&file.path, lines.last);
        }
    }
    survey.symbols.iter().for_each(|symbol| line(&symbol.path, symbol.line));
    survey.risks.iter().for_each(|risk| line(&risk.path, risk.line));
    survey.dependencies.iter().for_each(|dependency| line(&dependency.path, dependency.line));
    survey.commands.found.iter().for_each(|command| line(&command.path, command.line));
    for test in &survey.tests {
        path(&test.path);
        test.covers.iter().for_each(|covered| path(covered));
    }
    survey.similar_commits.iter().flat_map(|commit| &commit.files).for_each(|file| path(file));
    survey.imports.iter().flat_map(|import| [&import.from, &import.to]).for_each(|file| path(file));
    survey.conventions.iter().filter_map(|convention| convention.path.as_deref()).for_each(path);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// The tree is this repository's own, whatever state it is in.
    #[test]
    fn nothing_is_invented_about_a_real_tree(words in prop::collection::vec(
        prop::sample::select(vec!["gate", "checkpoint", "atomic", "verdict", "parse", "agent", "retry", "lock", "RunLease", "survey.rs", "--json", "diagram"]), 1..6)) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let survey = look(&root, &words.join(" "));
        prop_assert!(!survey.files.is_empty());
    }
}
