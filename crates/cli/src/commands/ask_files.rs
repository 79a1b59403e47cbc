//! Files of `charrette ask`: the answer and its sidecar files.

use charrette_app::AppError;
use charrette_model::sidecar;
use charrette_store::atomic::replace_private;
use std::path::{Path, PathBuf};

/// Answer file and its sidecar files.
pub(super) struct CallFiles {
    pub(super) output: PathBuf,
}

impl CallFiles {
    pub(super) fn new(output: &Path) -> Result<CallFiles, AppError> {
        if !sidecar::is_allowed_output_path(&output.to_string_lossy()) {
            return Err(AppError::failed(
                "the path of --output may contain only letters, digits and . _ / -",
            ));
        }
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(AppError::failed(format!("the folder of {} does not exist", output.display())));
        }
        Ok(CallFiles { output: std::path::absolute(output).map_err(AppError::failed)? })
    }

    /// Path of the sidecar file with this suffix.
    pub(super) fn sidecar(&self, suffix: &str) -> PathBuf {
        let mut name = self.output.file_name().unwrap_or_default().to_owned();
        name.push(suffix);
        self.output.with_file_name(name)
    }

    /// Removes stale files of an earlier call.
    pub(super) fn remove_stale(&self) -> Result<(), AppError> {
        let stale = [
            ".done",
            ".meta",
            ".diag",
            ".prompt",
            ".sidecar",
            ".json",
            ".untracked-baseline",
            ".dirty-tree",
            ".dirty-tree.tracked-paths",
            ".dirty-tree.new-untracked-paths",
        ];
        for path in stale.iter().map(|suffix| self.sidecar(suffix)).chain([self.output.clone()]) {
            match fs_err::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(AppError::failed(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

pub(super) fn write_file(path: &Path, text: &str) -> Result<(), AppError> {
    replace_private(path, text.as_bytes()).map_err(AppError::failed)
}
