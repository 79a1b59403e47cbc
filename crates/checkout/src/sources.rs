//! Files that agents cite: those of the work tree, those of HEAD, and those below allowed folders elsewhere. Read on demand
//! and kept while one answer is checked. Implements the model's `SourceFacts`.

use charrette_git::Git;
use charrette_model::panel::cite::{SourceFacts, SourceKind};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Maximum size of a file that is read.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Facts about cited files.
#[derive(Debug)]
pub struct CitedSources {
    worktree: Files,
    head: Option<Files>,
    root: PathBuf,
    /// Paths that git knows, and untracked ones that it does not ignore.
    paths: OnceLock<Vec<String>>,
}

impl CitedSources {
    /// Facts about the work tree at `root`. Absolute paths are looked up below the folders `outside` only.
    pub fn new(root: &Path, in_repository: bool, outside: &[String]) -> CitedSources {
        let resolved = |folder: &String| Path::new(folder).canonicalize().ok();
        let worktree = Place::WorkTree {
            root: root.canonicalize().unwrap_or_else(|_| root.to_owned()),
            outside: outside.iter().filter_map(resolved).collect(),
        };
        let head = || Files { place: Place::Head(root.to_owned()), known: Mutex::default() };
        CitedSources {
            worktree: Files { place: worktree, known: Mutex::default() },
            head: in_repository.then(head),
            root: root.to_owned(),
            paths: OnceLock::new(),
        }
    }

    fn paths(&self) -> &[String] {
        self.paths.get_or_init(|| {
            let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
            let bytes =
                self.head.as_ref().and_then(|_| Git::new(&self.root).bytes(&list).ok()).unwrap_or_default();
            let names = bytes.split(|b| *b == 0).filter(|name| !name.is_empty());
            names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
        })
    }
}

impl SourceFacts for CitedSources {
    fn kind(&self, path: &str) -> Option<SourceKind> {
        self.worktree.kind(path)
    }

    fn lines(&self, path: &str, first: usize, last: usize) -> Vec<String> {
        self.worktree.lines(path, first, last)
    }

    fn ending_in(&self, tail: &str) -> Vec<String> {
        let is_tail = |path: &&String| path.strip_suffix(tail).is_some_and(|before| before.ends_with('/'));
        self.paths().iter().filter(is_tail).cloned().collect()
    }

    fn at_head(&self) -> Option<&dyn SourceFacts> {
        self.head.as_ref().map(|head| head as &dyn SourceFacts)
    }
}

/// Files at one place, each read once.
#[derive(Debug)]
struct Files {
    place: Place,
    known: Mutex<HashMap<String, Option<Content>>>,
}

#[derive(Debug)]
enum Place {
    /// Resolved root, and resolved folders outside of it.
    WorkTree { root: PathBuf, outside: Vec<PathBuf> },
    /// HEAD of the repository in this folder.
    Head(PathBuf),
}

#[derive(Debug, Clone)]
enum Content {
    Text(Arc<Vec<String>>),
    Other,
    Folder,
}

impl Files {
    fn content(&self, path: &str) -> Option<Content> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(path.to_owned()).or_insert_with(|| self.place.read(path)).clone()
    }
}

impl SourceFacts for Files {
    fn kind(&self, path: &str) -> Option<SourceKind> {
        Some(match self.content(path)? {
            Content::Text(lines) => SourceKind::Text { lines: lines.len() },
            Content::Other => SourceKind::Other,
            Content::Folder => SourceKind::Folder,
        })
    }

    fn lines(&self, path: &str, first: usize, last: usize) -> Vec<String> {
        let Some(Content::Text(lines)) = self.content(path) else { return Vec::new() };
        let last = last.min(lines.len());
        lines.get(first.saturating_sub(1)..last).map(<[String]>::to_vec).unwrap_or_default()
    }
}

impl Place {
    fn read(&self, path: &str) -> Option<Content> {
        match self {
            Place::WorkTree { root, outside } => {
                let path = Path::new(path);
                let (file, allowed) = match path.is_absolute() {
                    true => (path.canonicalize().ok()?, outside.as_slice()),
                    false if is_below(path) => (resolve(root, path)?, std::slice::from_ref(root)),
                    false => return None,
                };
                // A link may lead from a folder that is allowed to one that is not.
                allowed.iter().any(|folder| file.starts_with(folder)).then(|| read_file(&file))?
            }
            Place::Head(root) => read_at_head(root, path),
        }
    }
}

/// The real path of a path below a folder without links. Most have no links either, and then their names are looked up once.
fn resolve(root: &Path, path: &Path) -> Option<PathBuf> {
    let mut file = root.to_owned();
    for name in path.components() {
        file.push(name);
        if file.symlink_metadata().ok()?.is_symlink() {
            return root.join(path).canonicalize().ok();
        }
    }
    Some(file)
}

fn read_file(file: &Path) -> Option<Content> {
    let meta = file.metadata().ok()?;
    if meta.is_dir() {
        return Some(Content::Folder);
    }
    if !meta.is_file() || meta.len() > MAX_FILE_BYTES {
        return Some(Content::Other);
    }
    Some(text_or_other(&fs_err::read(file).ok()?))
}

fn read_at_head(root: &Path, path: &str) -> Option<Content> {
    if path.is_empty() || !is_below(Path::new(path)) || path.contains(['\n', '\0']) {
        return None;
    }
    let git = Git::new(root);
    // Relative to the folder of the run, which may be below the root of the repository.
    let object = format!("HEAD:./{path}");
    let kind = git.find(&["cat-file", "-t", &object])?;
    if kind.trim() != "blob" {
        return Some(Content::Folder);
    }
    let size: u64 = git.find(&["cat-file", "-s", &object])?.trim().parse().ok()?;
    if size > MAX_FILE_BYTES {
        return Some(Content::Other);
    }
    Some(text_or_other(&git.bytes(&["cat-file", "blob", &object]).ok()?))
}

fn text_or_other(bytes: &[u8]) -> Content {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => {
            Content::Text(Arc::new(text.lines().map(str::to_owned).collect()))
        }
        _ => Content::Other,
    }
}

/// True if a path is relative, does not lead upwards, and not into git's own folder.
fn is_below(path: &Path) -> bool {
    !path.starts_with(".git")
        && path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
