//! How a repository is built, tested and checked, as its own pipelines and manifests say.

use super::judge::{distance, is_foreign, is_narrow, is_plain, judged, main_language, offered_kind};
use super::{manifests, pipelines};
use crate::report::{Commands, FoundCommand, LanguageShare};
use crate::tree::content;
use crate::tree::kind::stem;
use crate::tree::listing::Listed;
use std::path::Path;

/// Finds the commands; of several, those that go with the main language. Only what stands in a file is found; nothing is run.
pub(crate) fn find(root: &Path, files: &[Listed], languages: &[LanguageShare]) -> Commands {
    let main_language = main_language(languages);
    let mut found: Vec<(Trust, FoundCommand)> = Vec::new();
    let beside: Vec<&str> =
        files.iter().map(|file| file.path.as_str()).filter(|path| !path.contains('/')).collect();
    for path in files.iter().map(|file| file.path.as_str()) {
        let pipeline = pipelines::is_pipeline(path);
        let manifest = !path.contains('/') && manifests::is_manifest(path);
        if !(pipeline || manifest) {
            continue;
        }
        let Some(text) = content::read_text(root, path) else { continue };
        let mut add = |trust, line, kind: &str, run: &str| {
            found.push((
                trust,
                FoundCommand { kind: kind.to_owned(), run: run.to_owned(), path: path.to_owned(), line },
            ));
        };
        if pipeline {
            let trust = if is_aside(path) { Trust::Aside } else { Trust::Pipeline };
            for (line, run) in pipelines::shell_lines(&text) {
                if let Some((kind, run)) = judged(&run) {
                    add(trust, line, kind, run);
                }
            }
            continue;
        }
        for (line, run) in manifests::offered(path, &text, &beside) {
            if let Some(kind) = offered_kind(&run) {
                add(Trust::Offered, line, kind, &run);
            }
        }
        for (kind, run) in manifests::implied(path, &text, &beside) {
            add(Trust::Implied, 1, kind, run);
        }
    }
    let best = |kind: &str| {
        let of_kind = found.iter().filter(|(_, command)| command.kind == kind && is_plain(&command.run));
        let best = of_kind.min_by_key(|(trust, FoundCommand { run, .. })| {
            (is_narrow(kind, run) || is_foreign(run, main_language), *trust, distance(kind, run))
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
    // Those that were chosen are among those that are shown, however many there are.
    let chosen = [&build, &test, &lint];
    all.sort_by_key(|command| !chosen.iter().any(|run| run.as_deref() == Some(command.run.as_str())));
    all.truncate(MOST_FOUND);
    Commands { build, test, lint, found: all }
}

const MOST_FOUND: usize = 40;

/// Where a command comes from, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trust {
    /// A pipeline that checks changes.
    Pipeline,
    /// A script, target or recipe.
    Offered,
    /// What goes with a manifest.
    Implied,
    /// A pipeline with another purpose.
    Aside,
}

/// Whether a pipeline does not check changes but releases, documents or measures.
fn is_aside(path: &str) -> bool {
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
