//! Build, test and lint commands, from the repository's own pipelines and manifests.

use super::command_kind::{
    classify_shell_line, classify_task, command_cost, is_literal, is_other_language, is_partial,
    main_language,
};
use super::{manifests, pipelines};
use crate::report::{Commands, FoundCommand, LanguageShare};
use crate::tree::content;
use crate::tree::kind::stem;
use crate::tree::listing::TreeFile;
use std::path::Path;

/// Finds the commands, preferring those of the main language. Files are read; nothing is run.
pub(crate) fn find(root: &Path, files: &[TreeFile], languages: &[LanguageShare]) -> Commands {
    let main_language = main_language(languages);
    let siblings: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).filter(|path| !path.contains('/')).collect();
    let mut found: Vec<(CommandSource, FoundCommand)> = Vec::new();
    for path in files.iter().map(|file| file.path.as_str()).filter(|path| may_have_commands(path)) {
        let Some(text) = content::read_text(root, path) else { continue };
        found.extend(commands_of(path, &text, &siblings));
    }
    let best = |kind: &str| {
        let of_kind = found.iter().filter(|(_, command)| command.kind == kind && is_literal(&command.run));
        let best = of_kind.min_by_key(|(source, FoundCommand { run, .. })| {
            (is_partial(kind, run) || is_other_language(run, main_language), *source, command_cost(kind, run))
        });
        best.map(|(_, command)| command.run.clone())
    };
    let (build, test, lint) = (best("build"), best("test"), best("lint"));
    let mut all: Vec<FoundCommand> = Vec::new();
    for (_, command) in found {
        if !all.iter().any(|known| known.run == command.run && known.kind == command.kind) {
            all.push(command);
        }
    }
    // The chosen commands are always among those reported.
    let chosen = [&build, &test, &lint];
    all.sort_by_key(|command| !chosen.iter().any(|run| run.as_deref() == Some(command.run.as_str())));
    all.truncate(MAX_FOUND);
    Commands { build, test, lint, found: all }
}

/// True for pipelines, and for manifests and task files at the root.
pub(super) fn may_have_commands(path: &str) -> bool {
    pipelines::is_pipeline(path) || (!path.contains('/') && manifests::is_manifest(path))
}

/// All commands of a file. `siblings` are the files at the root.
pub(super) fn commands_of(path: &str, text: &str, siblings: &[&str]) -> Vec<(CommandSource, FoundCommand)> {
    let mut found = Vec::new();
    let mut add = |source, line, kind: &str, run: &str| {
        let command =
            FoundCommand { kind: kind.to_owned(), run: run.to_owned(), path: path.to_owned(), line };
        found.push((source, command));
    };
    if pipelines::is_pipeline(path) {
        let source =
            if is_other_pipeline(path) { CommandSource::OtherPipeline } else { CommandSource::Pipeline };
        for (line, run) in pipelines::shell_lines(text) {
            if let Some((kind, run)) = classify_shell_line(&run) {
                add(source, line, kind, run);
            }
        }
        return found;
    }
    for (line, run) in manifests::declared_commands(path, text, siblings) {
        if let Some(kind) = classify_task(&run) {
            add(CommandSource::Task, line, kind, &run);
        }
    }
    for (kind, run) in manifests::implied_commands(path, text, siblings) {
        add(CommandSource::Manifest, 1, kind, run);
    }
    found
}

const MAX_FOUND: usize = 40;

/// Source of a command, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CommandSource {
    /// A pipeline that checks changes.
    Pipeline,
    /// A script, target or recipe.
    Task,
    /// Implied by a manifest.
    Manifest,
    /// A pipeline with another purpose.
    OtherPipeline,
}

/// True for pipelines that release, document or measure instead of checking changes.
fn is_other_pipeline(path: &str) -> bool {
    let name = stem(path).to_ascii_lowercase();
    [
        "release",
        "publish",
        "deploy",
        "doc",
        "bench",
        "fuzz",
        "nightly",
        "audit",
        "codeql",
        "pages",
        "website",
        "changelog",
    ]
    .iter()
    .any(|purpose| name.contains(purpose))
}
