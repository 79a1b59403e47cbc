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
    let mut found: Vec<(CommandSource, FoundCommand)> = Vec::new();
    let siblings: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).filter(|path| !path.contains('/')).collect();
    for path in files.iter().map(|file| file.path.as_str()) {
        let pipeline = pipelines::is_pipeline(path);
        let manifest = !path.contains('/') && manifests::is_manifest(path);
        if !(pipeline || manifest) {
            continue;
        }
        let Some(text) = content::read_text(root, path) else { continue };
        let mut add = |source, line, kind: &str, run: &str| {
            found.push((
                source,
                FoundCommand { kind: kind.to_owned(), run: run.to_owned(), path: path.to_owned(), line },
            ));
        };
        if pipeline {
            let source =
                if is_other_pipeline(path) { CommandSource::OtherPipeline } else { CommandSource::Pipeline };
            for (line, run) in pipelines::shell_lines(&text) {
                if let Some((kind, run)) = classify_shell_line(&run) {
                    add(source, line, kind, run);
                }
            }
            continue;
        }
        for (line, run) in manifests::declared_commands(path, &text, &siblings) {
            if let Some(kind) = classify_task(&run) {
                add(CommandSource::Task, line, kind, &run);
            }
        }
        for (kind, run) in manifests::implied_commands(path, &text, &siblings) {
            add(CommandSource::Manifest, 1, kind, run);
        }
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

const MAX_FOUND: usize = 40;

/// Source of a command, the most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CommandSource {
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
