//! Session file of a calling run (`--session-env`), and the health file beside it.
//!
//! Both are parsed, never executed. `/dev/null` stands for a caller without values and without a folder for results.

use crate::environment::Environment;
use crate::error::AppError;
use crate::notices::Notices;
use charrette_model::ledger::location::{self, LedgerSources};
use charrette_model::manifest::FileSystem as _;
use charrette_model::session::{DISCARD, Health, SessionEnv};
use charrette_store::atomic;
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use charrette_store::workspace::sha256;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::disk::Disk;

/// Session of a calling run.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    env: SessionEnv,
}

impl Session {
    /// Opens a session file; none if the name is empty. An unreadable file counts as empty, but its folder, where the
    /// caller looks for results, must exist.
    pub fn open(typed: &Path, notices: &Notices) -> Result<Option<Session>, AppError> {
        if typed.as_os_str().is_empty() {
            return Ok(None);
        }
        let path = std::path::absolute(typed).map_err(AppError::usage)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !folder.is_dir() {
            return Err(AppError::usage(format!(
                "--session-env: {} is not a folder, so the results for the caller cannot be written",
                folder.display()
            )));
        }
        let text = if path == Path::new(DISCARD) { Ok(String::new()) } else { bounded_text(&path) };
        let text = text.unwrap_or_else(|error| {
            notices
                .problem(format!("Warning: cannot read --session-env, so its values are ignored: {error}"));
            String::new()
        });
        Ok(Some(Session { env: SessionEnv::parse(&text), path }))
    }

    /// Path of the session file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folder for the caller's results; none for `/dev/null`.
    pub fn folder(&self) -> Option<&Path> {
        self.path.parent().filter(|_| self.path != Path::new(DISCARD))
    }

    /// Agents that either file declares unhealthy. A declaration of health is not trusted.
    pub fn known_unhealthy(&self) -> Health {
        let declared = Health { codex: self.env.codex_healthy, cursor: self.env.cursor_healthy };
        let known = declared.merge(self.read_health());
        let only_false = |healthy: Option<bool>| healthy.filter(|healthy| !healthy);
        Health { codex: only_false(known.codex), cursor: only_false(known.cursor) }
    }

    /// Merges the known health into the health file. An unhealthy agent stays unhealthy.
    pub fn write_health(&self, known: Health) -> io::Result<()> {
        let Some(path) = self.health_path() else { return Ok(()) };
        let declared = Health { codex: self.env.codex_healthy, cursor: self.env.cursor_healthy };
        let text = self.read_health().merge(declared).merge(known).text();
        if fs_err::read_to_string(&path).is_ok_and(|before| before == text) {
            return Ok(());
        }
        let temp = path.with_extension(format!("health.{}.tmp", std::process::id()));
        atomic::replace(&path, &temp, text.as_bytes()).map_err(io::Error::other)
    }

    fn read_health(&self) -> Health {
        let text = self.health_path().and_then(|path| fs_err::read(path).ok()).unwrap_or_default();
        Health::parse(&String::from_utf8_lossy(&text))
    }

    fn health_path(&self) -> Option<PathBuf> {
        self.folder()?;
        let mut path = self.path.clone().into_os_string();
        path.push(".health");
        Some(path.into())
    }

    /// The caller's timing and token ledgers. Reports warnings about them.
    pub fn ledgers(
        &self,
        environment: &Environment,
        notices: &Notices,
    ) -> (Option<PathBuf>, Option<PathBuf>) {
        let Some(folder) = self.folder() else { return (None, None) };
        let (env, folder) = (environment.ledger_environment(), folder.display().to_string());
        let path = self.path.display().to_string();
        let current = Disk.canonical(".").unwrap_or_default();
        let sources = LedgerSources {
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
        let (times, tokens) = (
            location::timing(None, &sources, &Disk, digest),
            location::tokens(None, &sources, &Disk, digest),
        );
        for warning in times.warnings.iter().chain(&tokens.warnings) {
            notices.problem(format!("Warning: ledger: {warning}"));
        }
        (times.path.map(PathBuf::from), tokens.path.map(PathBuf::from))
    }
}

/// Reads a text file of bounded size.
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
    fn unhealthy_agents_stay_unhealthy() {
        let sandbox = charrette_testkit::Sandbox::new();
        let declared = session(&sandbox, "CODEX_HEALTHY=false\nCURSOR_HEALTHY=true\n");
        assert_eq!(declared.known_unhealthy(), Health { codex: Some(false), cursor: None });
        declared.write_health(Health { codex: Some(true), cursor: None }).unwrap();
        assert_eq!(sandbox.read("env.health"), "CODEX_HEALTHY=false\nCURSOR_HEALTHY=true\n");
        declared.write_health(Health { codex: None, cursor: Some(false) }).unwrap();
        declared.write_health(Health { codex: None, cursor: Some(true) }).unwrap();
        assert_eq!(sandbox.read("env.health"), "CODEX_HEALTHY=false\nCURSOR_HEALTHY=false\n");
        // The next run learns from the health file what its own environment does not say.
        let next = session(&sandbox, "REPO=ada/engine\n");
        assert_eq!(next.known_unhealthy(), Health { codex: Some(false), cursor: Some(false) });
    }

    #[test]
    fn dev_null_means_no_session_folder() {
        let session = Session::open(Path::new(DISCARD), &Notices::silent()).unwrap().unwrap();
        assert_eq!(session.folder(), None);
        session.write_health(Health { codex: Some(false), cursor: None }).unwrap();
        assert_eq!(session.known_unhealthy(), Health::default());
        assert_eq!(session.ledgers(&Environment::default(), &Notices::silent()), (None, None));
        assert!(Session::open(Path::new(""), &Notices::silent()).unwrap().is_none());
        assert!(Session::open(Path::new("/nonexistent/env"), &Notices::silent()).is_err());
    }
}
