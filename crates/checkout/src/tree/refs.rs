//! Branches, tags and other refs of a repository, with what they point to.

use super::digests::{is_absent, text};
use super::error::TreeError;
use super::known::Known;
use charrette_git::Git;
use charrette_store::Signature;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Maximum depth of folders.
const MAX_DEPTH: usize = 16;

/// Refs that others move at any moment: branches of remotes with every fetch, which an editor may do in the background,
/// and refs of runs, which are charrette's own and are moved by compare-and-swap.
const RESTLESS: [&str; 3] = ["refs/remotes/", "refs/prefetch/", "refs/charrette/"];

/// Refs by name.
pub(super) type Refs = BTreeMap<String, String>;

/// A ref of a table, and the work tree that has it checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableRef {
    pub(super) name: String,
    pub(super) id: String,
    /// Folder of that work tree; empty if there is none.
    pub(super) checked_out: String,
}

/// Adds the refs that have files below `folder`, which is that of one work tree or the one that all share, and those of
/// its packed list. A ref is the same whether it has a file of its own or stands in the list.
pub(super) fn add_file_refs(folder: &Path, refs: &mut Refs) -> Result<(), TreeError> {
    add_folder(&folder.join("refs"), "refs", 0, refs)?;
    for (name, id) in packed_refs(&folder.join("packed-refs"))?.iter() {
        if !refs.contains_key(name) {
            refs.insert(name.clone(), id.clone());
        }
    }
    Ok(())
}

fn add_folder(folder: &Path, name: &str, depth: usize, refs: &mut Refs) -> Result<(), TreeError> {
    let entries = match fs_err::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        // A link or a file where git wants a folder.
        Err(_) if !folder.is_dir() => return add_file(folder, name, refs),
        other => other?,
    };
    for entry in entries {
        let entry = entry?;
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if is_restless(&format!("{name}/")) || is_lock(&name) {
            continue;
        }
        if entry.file_type()?.is_dir() && depth < MAX_DEPTH {
            add_folder(&entry.path(), &name, depth + 1, refs)?;
        } else {
            add_file(&entry.path(), &name, refs)?;
        }
    }
    Ok(())
}

fn add_file(file: &Path, name: &str, refs: &mut Refs) -> Result<(), TreeError> {
    refs.extend(text(file)?.map(|id| (name.to_owned(), id)));
    Ok(())
}

fn is_restless(name: &str) -> bool {
    RESTLESS.iter().any(|folder| name.starts_with(folder))
}

/// True for a lock file: locks come and go.
pub(super) fn is_lock(name: &str) -> bool {
    name.ends_with(".lock")
}

/// Refs of a packed list, which is read again only after it has changed: it may be long.
fn packed_refs(file: &Path) -> Result<Arc<Refs>, TreeError> {
    static KNOWN: Known<Arc<Refs>> = Known::new();
    let meta = match file.metadata() {
        Err(error) if is_absent(&error) => return Ok(Arc::default()),
        other => other?,
    };
    let signature = Signature::of(&meta);
    if let Some(refs) = KNOWN.find(file, signature) {
        return Ok(refs);
    }
    let text = match fs_err::read(file) {
        Err(error) if is_absent(&error) => return Ok(Arc::default()),
        other => String::from_utf8_lossy(&other?).into_owned(),
    };
    let lines = text.lines().filter(|line| !line.starts_with(['#', '^']));
    let listed = lines.filter_map(|line| line.split_once(' ')).filter(|(_, name)| !is_restless(name));
    let refs: Arc<Refs> = Arc::new(listed.map(|(id, name)| (name.to_owned(), id.to_owned())).collect());
    KNOWN.keep(file, signature, &refs);
    Ok(refs)
}

/// Refs of a repository that keeps them in tables (reftable); none if it keeps them in files. Git is asked in the folder
/// that all work trees share, and again only after the list of tables has changed.
pub(super) fn table_refs(common_dir: &Path) -> Result<Option<Arc<Vec<TableRef>>>, TreeError> {
    type Tables = HashMap<PathBuf, (String, Arc<Vec<TableRef>>)>;
    static KNOWN: LazyLock<Mutex<Tables>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(tables) = text(&common_dir.join(TABLES))? else { return Ok(None) };
    if let Some((then, refs)) = known().get(common_dir)
        && *then == tables
    {
        return Ok(Some(refs.clone()));
    }
    let listed = Git::new(common_dir)
        .text(&["for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)"])?;
    let table_ref = |line: &str| {
        let mut fields = line.split('\0').map(str::to_owned);
        let (name, id, checked_out) = (fields.next()?, fields.next()?, fields.next()?);
        (!is_restless(&name)).then_some(TableRef { name, id, checked_out })
    };
    let refs: Arc<Vec<TableRef>> = Arc::new(listed.lines().filter_map(table_ref).collect());
    known().insert(common_dir.to_owned(), (tables, refs.clone()));
    Ok(Some(refs))
}

/// List of the tables with refs, below a git folder. It changes with every ref.
pub(super) const TABLES: &str = "reftable/tables.list";
