//! Paths of the ledgers that scripts write: the first of several sources that is set, exists and is allowed.
//!
//! A given path must lie below a folder that belongs to a run, links resolved: a ledger is appended to
//! without asking, so it must not be any file of the machine.

use super::timing;
use crate::escape::printable;
use crate::manifest::FileSystem;
use crate::manifest::files::{is_below, join};

/// Sources of a ledger's path: environment and current folder.
#[derive(Debug, Clone, Copy)]
pub struct LedgerSources<'a> {
    /// `TMPDIR`, or its default.
    pub temp: &'a str,
    /// The current folder.
    pub current: &'a str,
    /// `IMPLEMENT_TMPDIR`.
    pub implement: Option<&'a str>,
    /// `DESIGN_TMPDIR`.
    pub design: Option<&'a str>,
    /// `REVIEW_TMPDIR`.
    pub review: Option<&'a str>,
    /// `SESSION_ENV_PATH`: a file, whose folder counts.
    pub session_env: Option<&'a str>,
    /// `CHARRETTE_TIMING_LEDGER`.
    pub timing_ledger: Option<&'a str>,
    /// `CHARRETTE_TOKEN_LEDGER`.
    pub token_ledger: Option<&'a str>,
    /// `CHARRETTE_TOKEN_SESSION_ID`.
    pub token_session: Option<&'a str>,
}

/// A ledger's path, and the warnings of its search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerLocation {
    /// `None` if there is no location for a ledger.
    pub path: Option<String>,
    pub warnings: Vec<String>,
}

/// The timing ledger: `--ledger`, else the environment's, else that of the current run, else one for the
/// current folder in the temporary folder. `digest` turns any text into a file name.
pub fn timing(
    given: Option<&str>,
    sources: &LedgerSources<'_>,
    files: &dyn FileSystem,
    digest: impl Fn(&str) -> String,
) -> LedgerLocation {
    let folders = [sources.implement, sources.session_env.map(folder_of), sources.design, sources.review];
    let mut location =
        sources.find(given, sources.timing_ledger, "CHARRETTE_TIMING_LEDGER", &folders, timing::FILE, files);
    if location.path.is_none() && given.is_none() {
        let name = format!("charrette-timing-{}.tsv", digest(sources.current));
        location.path = files.canonical(sources.temp).map(|temp| join(&temp, &name));
    }
    location
}

/// The token ledger: `--ledger`, else the environment's, else that of the current run.
pub fn tokens(
    given: Option<&str>,
    sources: &LedgerSources<'_>,
    files: &dyn FileSystem,
    digest: impl Fn(&str) -> String,
) -> LedgerLocation {
    let session = sources.session(files).unwrap_or_else(|| digest(sources.current));
    let name = format!("charrette-tokens-{}.jsonl", digest(&session));
    let folders = [sources.implement, sources.session_env.map(folder_of), sources.design];
    let mut location =
        sources.find(given, sources.token_ledger, "CHARRETTE_TOKEN_LEDGER", &folders, &name, files);
    if location.path.is_none() && location.warnings.is_empty() {
        let none = "no location for the ledger: set IMPLEMENT_TMPDIR or SESSION_ENV_PATH, or give --ledger";
        location.warnings.push(none.to_owned());
    }
    location
}

impl LedgerSources<'_> {
    fn find(
        &self,
        given: Option<&str>,
        env: Option<&str>,
        variable: &str,
        folders: &[Option<&str>],
        name: &str,
        files: &dyn FileSystem,
    ) -> LedgerLocation {
        let mut location = LedgerLocation::default();
        if let Some(given) = given {
            location.path = below(given, &[Some(self.temp)], files);
            if location.path.is_none() {
                location
                    .warnings
                    .push(format!("--ledger is not in the folder for temporary files: {}", printable(given)));
            }
            return location;
        }
        if let Some(env) = env.filter(|path| !path.is_empty()) {
            let roots =
                [Some(self.temp), self.implement, self.design, self.review, self.session_env.map(folder_of)];
            location.path = below(env, &roots, files);
            if location.path.is_some() {
                return location;
            }
            location.warnings.push(format!("{variable} not under any allowed root: {}", printable(env)));
        }
        let mut existing = folders.iter().flatten().filter(|folder| !folder.is_empty());
        location.path = existing.find_map(|folder| files.canonical(folder)).map(|folder| join(&folder, name));
        location
    }

    fn session(&self, files: &dyn FileSystem) -> Option<String> {
        let filled = |text: &&str| !text.is_empty();
        if let Some(session) = self.token_session.filter(filled) {
            return Some(session.to_owned());
        }
        let folder = self.implement.filter(filled)?;
        let bytes = files.bytes(&join(folder, "session-id"))?;
        let text: String =
            String::from_utf8_lossy(&bytes).chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
        Some(text).filter(|text| !text.is_empty())
    }
}

/// The path with its folder's links resolved; `None` unless it is below one of the roots.
fn below(path: &str, roots: &[Option<&str>], files: &dyn FileSystem) -> Option<String> {
    let (folder, name) = (folder_of(path), path.rsplit('/').next().unwrap_or_default());
    if matches!(name, "" | "." | "..") {
        return None;
    }
    let path = join(&files.canonical(folder)?, name);
    let roots = roots.iter().flatten().filter(|root| !root.is_empty());
    roots.filter_map(|root| files.canonical(root)).any(|root| is_below(&path, &root)).then_some(path)
}

fn folder_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::PathKind;

    /// Folders that exist; `/tmp/link` leads to `/etc`.
    struct Disk;

    impl FileSystem for Disk {
        fn kind(&self, _: &str) -> PathKind {
            PathKind::Missing
        }
        fn size(&self, _: &str) -> Option<u64> {
            None
        }
        fn canonical(&self, path: &str) -> Option<String> {
            match path {
                "/tmp" | "/tmp/i" | "/tmp/d" | "/tmp/r" | "/work/s" | "/etc" | "/work" => {
                    Some(path.to_owned())
                }
                "/tmp/link" | "/tmp/../etc" => Some("/etc".to_owned()),
                "." => Some("/work".to_owned()),
                _ => None,
            }
        }
        fn bytes(&self, path: &str) -> Option<Vec<u8>> {
            (path == "/tmp/i/session-id").then(|| b"abc\r\n".to_vec())
        }
    }

    const NOTHING: LedgerSources<'_> = LedgerSources {
        temp: "/tmp",
        current: "/work",
        implement: None,
        design: None,
        review: None,
        session_env: None,
        timing_ledger: None,
        token_ledger: None,
        token_session: None,
    };

    #[test]
    fn the_first_place_that_counts_is_taken() {
        let full = LedgerSources {
            implement: Some("/tmp/i"),
            design: Some("/tmp/d"),
            review: Some("/tmp/r"),
            session_env: Some("/work/s/env"),
            ..NOTHING
        };
        for (given, sources, path, warnings) in [
            (Some("/tmp/x.tsv"), full, Some("/tmp/x.tsv"), 0),
            (Some("/etc/passwd"), full, None, 1),
            (Some("/tmp/../etc/passwd"), full, None, 1),
            (Some("/tmp/link/x"), full, None, 1),
            (Some("/tmp/.."), full, None, 1),
            (Some(""), full, None, 1),
            (Some("x.tsv"), full, None, 1),
            (Some("/tmp/gone/x"), full, None, 1),
            (None, LedgerSources { timing_ledger: Some("/work/s/t"), ..full }, Some("/work/s/t"), 0),
            (
                None,
                LedgerSources { timing_ledger: Some("/etc/t"), ..full },
                Some("/tmp/i/timing-ledger.tsv"),
                1,
            ),
            (None, LedgerSources { timing_ledger: Some(""), ..full }, Some("/tmp/i/timing-ledger.tsv"), 0),
            (None, LedgerSources { implement: Some("/gone"), ..full }, Some("/work/s/timing-ledger.tsv"), 0),
            (
                None,
                LedgerSources { implement: None, session_env: None, ..full },
                Some("/tmp/d/timing-ledger.tsv"),
                0,
            ),
            (None, LedgerSources { review: Some("/tmp/r"), ..NOTHING }, Some("/tmp/r/timing-ledger.tsv"), 0),
            (None, NOTHING, Some("/tmp/charrette-timing-</work>.tsv"), 0),
        ] {
            let found = timing(given, &sources, &Disk, |text| format!("<{text}>"));
            assert_eq!(
                (found.path.as_deref(), found.warnings.len()),
                (path, warnings),
                "{given:?} {sources:?}"
            );
        }
    }

    #[test]
    fn tokens_are_kept_by_session() {
        for (sources, path, warnings) in [
            (
                LedgerSources { implement: Some("/tmp/i"), token_session: Some("../x"), ..NOTHING },
                Some("/tmp/i/charrette-tokens-<../x>.jsonl"),
                0,
            ),
            (
                LedgerSources { implement: Some("/tmp/i"), ..NOTHING },
                Some("/tmp/i/charrette-tokens-<abc>.jsonl"),
                0,
            ),
            (
                LedgerSources { session_env: Some("/work/s/env"), ..NOTHING },
                Some("/work/s/charrette-tokens-<</work>>.jsonl"),
                0,
            ),
            (LedgerSources { token_ledger: Some("/tmp/t.jsonl"), ..NOTHING }, Some("/tmp/t.jsonl"), 0),
            (LedgerSources { token_ledger: Some("/etc/t.jsonl"), ..NOTHING }, None, 1),
            (NOTHING, None, 1),
        ] {
            let found = tokens(None, &sources, &Disk, |text| format!("<{text}>"));
            assert_eq!((found.path.as_deref(), found.warnings.len()), (path, warnings), "{sources:?}");
        }
    }
}
