//! The file with which a calling run hands values to this one, and the health file beside it.
//!
//! Both are read, never run. `/dev/null` stands for a caller that wants nothing and hands over nothing.

use crate::environment::Environment;
use crate::error::AppError;
use crate::notices::Notices;
use charrette_model::ledger::place::{self, Places};
use charrette_model::manifest::Files as _;
use charrette_model::session::{DISCARD, Health, SessionEnv};
use charrette_store::atomic;
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use charrette_store::workspace::sha256;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::disk::Disk;

/// What a calling run handed over.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    env: SessionEnv,
}

impl Session {
    /// The session of that file; none if the name is empty. A file that cannot be read hands nothing over, but
    /// its folder is where the caller looks for files, so that must be there.
    pub fn open(typed: &Path, notices: &Notices) -> Result<Option<Session>, AppError> {
        if typed.as_os_str().is_empty() {
            return Ok(None);
        }
        let path = std::path::absolute(typed).map_err(AppError::usage)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !folder.is_dir() {
            return Err(AppError::usage(format!(
                "--session-env: {} is not a folder, so there is no place for what the caller gets",
                folder.display()
            )));
        }
        let text = if path == Path::new(DISCARD) { Ok(String::new()) } else { bounded_text(&path) };
        let text = text.unwrap_or_else(|error| {
            notices.problem(format!("Warning: --session-env hands nothing over: {error}"));
            String::new()
        });
        Ok(Some(Session { env: SessionEnv::parse(&text), path }))
    }

    /// The file itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the caller looks for files; none if it wants nothing.
    pub fn folder(&self) -> Option<&Path> {
        self.path.parent().filter(|_| self.path != Path::new(DISCARD))
    }

    /// Who is known not to answer, from both files. Nobody is taken for healthy on somebody else's word.
    pub fn unhealthy(&self) -> Health {
        let said = Health { codex: self.env.codex_healthy, cursor: self.env.cursor_healthy };
        let known = said.and(self.written_health());
        let only_false = |healthy: Option<bool>| healthy.filter(|healthy| !healthy);
        Health { codex: only_false(known.codex), cursor: only_false(known.cursor) }
    }

    /// Tells other runs what is known now. What was known before is never forgotten.
    pub fn tell_health(&self, known: Health) -> io::Result<()> {
        let Some(path) = self.health_path() else { return Ok(()) };
        let said = Health { codex: self.env.codex_healthy, cursor: self.env.cursor_healthy };
        let text = self.written_health().and(said).and(known).text();
        if fs_err::read_to_string(&path).is_ok_and(|before| before == text) {
            return Ok(());
        }
        let temp = path.with_extension(format!("health.{}.tmp", std::process::id()));
        atomic::replace(&path, &temp, text.as_bytes()).map_err(io::Error::other)
    }

    fn written_health(&self) -> Health {
        let text = self.health_path().and_then(|path| fs_err::read(path).ok()).unwrap_or_default();
        Health::parse(&String::from_utf8_lossy(&text))
    }

    fn health_path(&self) -> Option<PathBuf> {
        self.folder()?;
        let mut path = self.path.clone().into_os_string();
        path.push(".health");
        Some(path.into())
    }

    /// The caller's ledgers: of times, and of tokens. What is odd about them is said once, here.
    pub fn ledgers(
        &self,
        environment: &Environment,
        notices: &Notices,
    ) -> (Option<PathBuf>, Option<PathBuf>) {
        let Some(folder) = self.folder() else { return (None, None) };
        let (env, folder) = (environment.ledgers(), folder.display().to_string());
        let path = self.path.display().to_string();
        let current = Disk.canonical(".").unwrap_or_default();
        let places = Places {
            temp: &env.temp,
            current: &current,
            implement: env.implement.as_deref().or(Some(&folder)),
            design: None,
            review: None,
            session_env: Some(&path),
            timing_ledger: self.env.timing_ledger.as_deref().or(env.timing_ledger.as_deref()),
            token_ledger: env.token_ledger.as_deref(),
            token_session: self.env.token_session_id.as_deref().or(env.token_session.as_deref()),
        };
        let digest = |text: &str| sha256(text.as_bytes());
        let (times, tokens) =
            (place::timing(None, &places, &Disk, digest), place::tokens(None, &places, &Disk, digest));
        for warning in times.warnings.iter().chain(&tokens.warnings) {
            notices.problem(format!("Warning: ledger: {warning}"));
        }
        (times.path.map(PathBuf::from), tokens.path.map(PathBuf::from))
    }
}

/// A file that a caller names, if it is text of a sane size.
fn bounded_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(io::Error::other(format!(
            "{} is larger than {MAX_DOCUMENT_BYTES} bytes",
            path.display()
        )));
    }
    String::from_utf8(bytes).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(sandbox: &charrette_testkit::Sandbox, text: &str) -> Session {
        sandbox.write("env", text);
        Session::open(&sandbox.path("env"), &Notices::silent()).unwrap().unwrap()
    }

    #[test]
    fn what_failed_once_stays_failed_whoever_said_it() {
        let sandbox = charrette_testkit::Sandbox::new();
        let said = session(&sandbox, "CODEX_HEALTHY=false\nCURSOR_HEALTHY=true\n");
        assert_eq!(said.unhealthy(), Health { codex: Some(false), cursor: None });
        said.tell_health(Health { codex: Some(true), cursor: None }).unwrap();
        assert_eq!(sandbox.read("env.health"), "CODEX_HEALTHY=false\nCURSOR_HEALTHY=true\n");
        said.tell_health(Health { codex: None, cursor: Some(false) }).unwrap();
        said.tell_health(Health { codex: None, cursor: Some(true) }).unwrap();
        assert_eq!(sandbox.read("env.health"), "CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\n");
        // The next run learns from the health file what its own environment does not say.
        let next = session(&sandbox, "REPO=ada/engine\n");
        assert_eq!(next.unhealthy(), Health { codex: Some(false), cursor: Some(false) });
    }

    #[test]
    fn a_caller_who_wants_nothing_gets_nothing() {
        let session = Session::open(Path::new(DISCARD), &Notices::silent()).unwrap().unwrap();
        assert_eq!(session.folder(), None);
        session.tell_health(Health { codex: Some(false), cursor: None }).unwrap();
        assert_eq!(session.unhealthy(), Health::default());
        assert_eq!(session.ledgers(&Environment::default(), &Notices::silent()), (None, None));
        assert!(Session::open(Path::new(""), &Notices::silent()).unwrap().is_none());
        assert!(Session::open(Path::new("/nonexistent/env"), &Notices::silent()).is_err());
    }
}
