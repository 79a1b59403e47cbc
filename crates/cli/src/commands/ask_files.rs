//! Files of `charrette ask`: the answer and its sidecar files.

use charrette_app::AppError;
use charrette_model::sidecar;
use charrette_model::tree::{ChangeKind, TreeChange};
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

    /// Files that are written from the start of a call until the tree is compared.
    pub(super) fn written_in_call(&self) -> Vec<PathBuf> {
        let suffixes = [".prompt", ".meta", ".json", ".sidecar", ".untracked-baseline", ".diag", ""];
        suffixes.iter().map(|suffix| self.sidecar(suffix)).collect()
    }

    /// Writes FILE.dirty-tree and the lists of changed paths; none if the tree cannot be compared. The lists have no paths
    /// outside of the work tree and none of the repository itself: they are for scripts that put files back.
    pub(super) fn write_tree_status(&self, changes: Option<&[TreeChange]>) -> Result<(), AppError> {
        let status = match changes {
            None => "STATUS=unknown\nMODE=baseline\nREASON=git-status-failed\n",
            Some([]) => "STATUS=clean\nMODE=baseline\n",
            Some(changes) => {
                let inside = changes.iter().filter(|change| change.path.is_inside());
                let (new, tracked): (Vec<&TreeChange>, Vec<&TreeChange>) =
                    inside.partition(|change| change.kind == ChangeKind::Added);
                for (suffix, paths) in
                    [(".dirty-tree.tracked-paths", tracked), (".dirty-tree.new-untracked-paths", new)]
                {
                    let list: Vec<u8> =
                        paths.iter().flat_map(|change| [change.path.as_bytes(), b"\0"].concat()).collect();
                    replace_private(&self.sidecar(suffix), &list).map_err(AppError::failed)?;
                }
                "STATUS=dirty\nMODE=baseline\nREASON=working-tree-dirty\n"
            }
        };
        write_file(&self.sidecar(".dirty-tree"), status)
    }

    /// Writes FILE.diag and FILE.done for a call that failed before they were there, as far as that is possible.
    pub(super) fn end_without_answer(&self, problem: &str) {
        let (diag, done) = (self.sidecar(".diag"), self.sidecar(".done"));
        if done.exists() {
            return;
        }
        if !diag.exists() {
            let _ = write_file(&diag, problem);
        }
        let _ = write_file(&done, &sidecar::done_text(sidecar::done::UNKNOWN));
    }
}

pub(super) fn write_file(path: &Path, text: &str) -> Result<(), AppError> {
    replace_private(path, text.as_bytes()).map_err(AppError::failed)
}
