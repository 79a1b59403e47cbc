//! Files of the user that decide what git shows everywhere: the user's configuration, and the files of ignore rules and
//! attributes that any configuration names.

use super::digests::digest_behind;
use super::error::TreeError;
use charrette_git::Git;
use charrette_model::tree::TreePath;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Settings that name such files.
const NAMING_SETTINGS: &str = r"^(core\.(excludesfile|attributesfile)|include\.path|includeif\..*\.path)$";

/// Where git looks for the user's files, whether they are there or not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserGitFiles {
    /// The user's home folder, which `~` stands for in settings.
    pub home: Option<PathBuf>,
    /// Files of configuration.
    pub configuration: Vec<PathBuf>,
    /// Files of ignore rules and attributes that git reads where no setting names others.
    pub rules: Vec<PathBuf>,
}

/// Content digests by path; none for a file that is not there.
pub(crate) type FileDigests = BTreeMap<TreePath, Option<String>>;

impl UserGitFiles {
    /// Digests of the user's files, and of those that settings name for the repository at `root`. Git is asked for the
    /// names again only after one of the files has changed.
    pub(crate) fn read(&self, root: &Path) -> Result<FileDigests, TreeError> {
        static KNOWN: LazyLock<Mutex<HashMap<PathBuf, FileDigests>>> = LazyLock::new(Mutex::default);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if self.configuration.is_empty() {
            return Ok(FileDigests::new());
        }
        // The repository's own configuration may name files, too.
        let own = root.join(".git/config");
        let then = known().get(root).cloned();
        if let Some(then) = then
            && digests(then.keys().map(|path| path.as_path().to_owned()))? == then
        {
            return Ok(without(then, &own));
        }
        let mut paths = self.configuration.clone();
        paths.push(own.clone());
        paths.extend(self.rules.iter().cloned());
        paths.extend(self.named_files(root));
        let now = digests(paths.into_iter())?;
        known().insert(root.to_owned(), now.clone());
        Ok(without(now, &own))
    }

    /// Files that settings name; none if git fails.
    fn named_files(&self, root: &Path) -> Vec<PathBuf> {
        let listed = Git::new(root)
            .bytes(&["config", "--null", "--show-origin", "--get-regexp", NAMING_SETTINGS])
            .unwrap_or_default();
        let mut fields = listed.split(|byte| *byte == 0);
        let mut files = Vec::new();
        while let (Some(origin), Some(setting)) = (fields.next(), fields.next()) {
            let path = |bytes: &[u8]| PathBuf::from(OsString::from_vec(bytes.to_owned()));
            let Some(at) = setting.iter().position(|byte| *byte == b'\n') else { continue };
            let value = path(&setting[at + 1..]);
            let origin = origin.strip_prefix(b"file:").map(|file| root.join(path(file)));
            // An included file is named relative to the one that includes it.
            let is_include = setting.get(..7).is_some_and(|key| key.eq_ignore_ascii_case(b"include"));
            let base = origin.as_deref().filter(|_| is_include).and_then(Path::parent).unwrap_or(root);
            files.push(match (value.strip_prefix("~"), &self.home) {
                (Ok(below), Some(home)) => home.join(below),
                _ => base.join(&value),
            });
            files.extend(origin);
        }
        files
    }
}

fn digests(paths: impl Iterator<Item = PathBuf>) -> Result<FileDigests, TreeError> {
    let read = |path: PathBuf| Ok((TreePath::new(path.as_os_str().as_bytes()), digest_behind(&path)?));
    paths.map(read).collect()
}

fn without(mut files: FileDigests, file: &Path) -> FileDigests {
    files.remove(&TreePath::new(file.as_os_str().as_bytes()));
    files
}
