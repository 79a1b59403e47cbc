//! Results for the calling run: log entries, findings to track, the finished design.

use super::session::Session;
use crate::disk::Disk;
use crate::{export, run_log};
use charrette_engine::ports::Caller;
use charrette_model::manifest::write;
use charrette_model::manifest::{EXPORT_DIR, MANIFEST_FILE};
use charrette_model::panel::file_names::{ISSUES, OUT_OF_SCOPE_ACCEPTED};
use charrette_model::stamp::Now;
use charrette_store::atomic;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Calling run, reached through the folder of its session file.
#[derive(Debug)]
pub(super) struct SessionCaller {
    pub(super) session: Arc<Session>,
    pub(super) workspace: PathBuf,
    pub(super) environment: Arc<crate::Environment>,
    pub(super) now: Now,
}

impl Caller for SessionCaller {
    fn identity(&self) -> String {
        self.session.path().display().to_string()
    }

    fn log_warning(&self, entry: &str) -> Result<(), String> {
        let Some(folder) = self.session.folder() else { return Ok(()) };
        let log = folder.join(ISSUES);
        let is_logged = fs_err::read_to_string(&log).is_ok_and(|text| text.lines().any(|line| line == entry));
        if is_logged {
            return Ok(());
        }
        run_log::add_warning(&log, entry).map_err(|error| error.to_string())
    }

    fn take_out_of_scope(&self, findings: &[u8]) -> Result<(), String> {
        let Some(folder) = self.session.folder() else { return Ok(()) };
        write_if_changed(&folder.join(OUT_OF_SCOPE_ACCEPTED), findings).map_err(|error| error.to_string())
    }

    fn export(&self) -> Result<(), String> {
        let Some(folder) = self.session.folder() else { return Ok(()) };
        let (design, implement) = (self.workspace.display().to_string(), folder.display().to_string());
        let handed = self.environment.caller_environment();
        let environment = write::ManifestEnvironment {
            design_tmpdir: Some(&design),
            implement_tmpdir: Some(&implement),
            session_id: handed.session_id.as_deref(),
        };
        let bundle =
            write::plan(&[], environment, self.now.at(), &Disk).map_err(|error| error.to_string())?;
        export::export(&bundle).map_err(|error| error.to_string())
    }

    fn withdraw(&self) {
        let Some(folder) = self.session.folder() else { return };
        // Without the manifest the export is ignored.
        let _ = fs_err::remove_file(folder.join(EXPORT_DIR).join(MANIFEST_FILE));
    }
}

/// Writes a file unless it has this content already; empty content never creates one.
fn write_if_changed(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let before = fs_err::read(path).ok();
    if before.as_deref().unwrap_or_default() == bytes {
        return Ok(());
    }
    atomic::replace(path, &path.with_extension("md.tmp"), bytes).map_err(io::Error::other)
}
