//! Where the ledgers of scripts are: the first of several places that is named, exists and is allowed.
//!
//! A path that somebody names must lie below a folder that belongs to a run, links resolved: a ledger is
//! appended to without asking, so it must not be any file of the machine.

use super::timing;
use crate::manifest::Files;
use crate::manifest::files::{is_below, join};
use crate::shown::shown;

/// What the environment says.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// `TMPDIR`, or what stands in for it.
    pub temp: &'a str,
    /// The current folder.
    pub current: &'a str,
    /// `IMPLEMENT_TMPDIR`.
    pub implement: Option<&'a str>,
    /// `DESIGN_TMPDIR`.
    pub design: Option<&'a str>,
    /// `REVIEW_TMPDIR`.
    pub review: Option<&'a str>,
    /// `SESSION_ENV_PATH`: a file, of which the folder counts.
    pub session_env: Option<&'a str>,
    /// `CHARRETTE_TIMING_LEDGER`.
    pub timing_ledger: Option<&'a str>,
    /// `CHARRETTE_TOKEN_LEDGER`.
    pub token_ledger: Option<&'a str>,
    /// `CHARRETTE_TOKEN_SESSION_ID`.
    pub token_session: Option<&'a str>,
}

/// A ledger's path, and what was odd on the way to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The path; none if there is no place for a ledger.
    pub path: Option<String>,
    /// What should be said.
    pub warnings: Vec<String>,
}

/// The ledger of times: `--ledger`, the environment's, that of the run at work; else one for the current folder
/// among the temporary files. `digest` makes a file name of any text.
pub fn timing(
    given: Option<&str>,
    places: &Places<'_>,
    files: &dyn Files,
    digest: impl Fn(&str) -> String,
) -> Place {
    let env = (places.timing_ledger, "CHARRETTE_TIMING_LEDGER");
    let folders = [places.implement, places.session_env.map(folder_of), places.design, places.review];
    let mut place = places.find(given, env, &folders, timing::FILE, files);
    if place.path.is_none() && given.is_none() {
        let name = format!("charrette-timing-{}.tsv", digest(places.current));
        place.path = files.canonical(places.temp).map(|temp| join(&temp, &name));
    }
    place
}

/// The ledger of tokens: `--ledger`, the environment's, that of the run at work.
pub fn tokens(
    given: Option<&str>,
    places: &Places<'_>,
    files: &dyn Files,
    digest: impl Fn(&str) -> String,
) -> Place {
    let session = places.session(files).unwrap_or_else(|| digest(places.current));
    let name = format!("charrette-tokens-{}.jsonl", digest(&session));
    let env = (places.token_ledger, "CHARRETTE_TOKEN_LEDGER");
    let folders = [places.implement, places.session_env.map(folder_of), places.design];
    let mut place = places.find(given, env, &folders, &name, files);
    if place.path.is_none() && place.warnings.is_empty() {
        let none = "no place for it: set IMPLEMENT_TMPDIR or SESSION_ENV_PATH, or give --ledger";
        place.warnings.push(none.to_owned());
    }
    place
}

impl Places<'_> {
    fn find(
        &self,
        given: Option<&str>,
        (env, variable): (Option<&str>, &str),
        folders: &[Option<&str>],
        name: &str,
        files: &dyn Files,
    ) -> Place {
        let mut place = Place::default();
        if let Some(given) = given {
            place.path = below(given, &[Some(self.temp)], files);
            if place.path.is_none() {
                place
                    .warnings
                    .push(format!("--ledger is not in the folder for temporary files: {}", shown(given)));
            }
            return place;
        }
        if let Some(env) = env.filter(|path| !path.is_empty()) {
            let roots =
                [Some(self.temp), self.implement, self.design, self.review, self.session_env.map(folder_of)];
            place.path = below(env, &roots, files);
            if place.path.is_some() {
                return place;
            }
            place.warnings.push(format!("{variable} not under any allowed root: {}", shown(env)));
        }
        let mut existing = folders.iter().flatten().filter(|folder| !folder.is_empty());
        place.path = existing.find_map(|folder| files.canonical(folder)).map(|folder| join(&folder, name));
        place
    }

    fn session(&self, files: &dyn Files) -> Option<String> {
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

/// The path with its folder's links resolved, if it lies below one of the roots.
fn below(path: &str, roots: &[Option<&str>], files: &dyn Files) -> Option<String> {
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
    use crate::manifest::Kind;

    /// Folders that exist; `/tmp/link` leads to `/etc`.
    struct Disk;

    impl Files for Disk {
        fn kind(&self, _: &str) -> Kind {
            Kind::Missing
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

    const NOTHING: Places<'_> = Places {
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
        let full = Places {
            implement: Some("/tmp/i"),
            design: Some("/tmp/d"),
            review: Some("/tmp/r"),
            session_env: Some("/work/s/env"),
            ..NOTHING
        };
        for (given, places, path, warnings) in [
            (Some("/tmp/x.tsv"), full, Some("/tmp/x.tsv"), 0),
            (Some("/etc/passwd"), full, None, 1),
            (Some("/tmp/../etc/passwd"), full, None, 1),
            (Some("/tmp/link/x"), full, None, 1),
            (Some("/tmp/.."), full, None, 1),
            (Some(""), full, None, 1),
            (Some("x.tsv"), full, None, 1),
            (Some("/tmp/gone/x"), full, None, 1),
            (None, Places { timing_ledger: Some("/work/s/t"), ..full }, Some("/work/s/t"), 0),
            (None, Places { timing_ledger: Some("/etc/t"), ..full }, Some("/tmp/i/timing-ledger.tsv"), 1),
            (None, Places { timing_ledger: Some(""), ..full }, Some("/tmp/i/timing-ledger.tsv"), 0),
            (None, Places { implement: Some("/gone"), ..full }, Some("/work/s/timing-ledger.tsv"), 0),
            (
                None,
                Places { implement: None, session_env: None, ..full },
                Some("/tmp/d/timing-ledger.tsv"),
                0,
            ),
            (None, Places { review: Some("/tmp/r"), ..NOTHING }, Some("/tmp/r/timing-ledger.tsv"), 0),
            (None, NOTHING, Some("/tmp/charrette-timing-</work>.tsv"), 0),
        ] {
            let found = timing(given, &places, &Disk, |text| format!("<{text}>"));
            assert_eq!(
                (found.path.as_deref(), found.warnings.len()),
                (path, warnings),
                "{given:?} {places:?}"
            );
        }
    }

    #[test]
    fn tokens_are_kept_by_session() {
        for (places, path, warnings) in [
            (
                Places { implement: Some("/tmp/i"), token_session: Some("../x"), ..NOTHING },
                Some("/tmp/i/charrette-tokens-<../x>.jsonl"),
                0,
            ),
            (Places { implement: Some("/tmp/i"), ..NOTHING }, Some("/tmp/i/charrette-tokens-<abc>.jsonl"), 0),
            (
                Places { session_env: Some("/work/s/env"), ..NOTHING },
                Some("/work/s/charrette-tokens-<</work>>.jsonl"),
                0,
            ),
            (Places { token_ledger: Some("/tmp/t.jsonl"), ..NOTHING }, Some("/tmp/t.jsonl"), 0),
            (Places { token_ledger: Some("/etc/t.jsonl"), ..NOTHING }, None, 1),
            (NOTHING, None, 1),
        ] {
            let found = tokens(None, &places, &Disk, |text| format!("<{text}>"));
            assert_eq!((found.path.as_deref(), found.warnings.len()), (path, warnings), "{places:?}");
        }
    }
}
