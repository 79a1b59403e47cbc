//! Git objects: content of files, diffs, and trees made from others.

use super::error::{Result, WorktreeError};
use super::places::Places;
use charrette_engine::ports::worktrees::{DiffText, FileAt, FileEdit, ObjectId};
use charrette_git::Git;
use charrette_model::escape::printable;
use charrette_model::tree::TreePath;
use std::path::Path;

/// Largest file whose text is read.
const MAX_TEXT: usize = 4 << 20;
/// Maximum size of files that are read at once.
const MAX_TEXTS: usize = 64 << 20;

/// Prints objects that are named on standard input.
const CAT_FILE: [&str; 3] = ["cat-file", "--batch", "-z"];
/// A path that no tree has.
const NO_PATH: &str = ".git";

/// Maximum number of bytes of path names in one git command line.
const NAMES_LIMIT: usize = 64 << 10;

/// Mode of an entry that is removed from an index.
const NO_MODE: &str = "0";
/// Mode of a file.
const FILE_MODE: &str = "100644";

/// A file, link or submodule in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    pub(super) mode: String,
    pub(super) id: ObjectId,
    /// Size in bytes; none of a submodule.
    pub(super) size: Option<u64>,
    pub(super) path: Vec<u8>,
}

impl TreeEntry {
    fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }

    /// Parses `<mode> <type> <id> <size>\t<path>`.
    fn parse(record: &[u8]) -> Option<TreeEntry> {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let facts = std::str::from_utf8(&record[..tab]).ok()?;
        let mut facts = facts.split_ascii_whitespace();
        let (mode, _, id, size) = (facts.next()?, facts.next()?, facts.next()?, facts.next()?);
        let path = record[tab + 1..].to_vec();
        Some(TreeEntry { mode: mode.to_owned(), id: id.to_owned(), size: size.parse().ok(), path })
    }
}

/// A change of one entry of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IndexEdit {
    pub(super) path: Vec<u8>,
    /// New mode and object; none removes the entry.
    pub(super) entry: Option<(String, ObjectId)>,
}

impl Places {
    /// Entries of a tree at these paths, and below them where they are folders.
    pub(super) fn list(&self, tree: &str, paths: &[&str]) -> Result<Vec<TreeEntry>> {
        let mut entries = Vec::new();
        let mut rest = paths;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |path: &&&str| {
                bytes += path.len() + 1;
                bytes <= NAMES_LIMIT
            };
            let (chunk, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            rest = after;
            let args: Vec<&str> = ["ls-tree", "-r", "-l", "-z", "--full-tree", tree, "--"]
                .into_iter()
                .chain(chunk.iter().copied())
                .collect();
            let listed = self.git().bytes(&args)?;
            entries.extend(listed.split(|byte| *byte == 0).filter_map(TreeEntry::parse));
        }
        Ok(entries)
    }

    /// Text of files in commits or trees.
    pub(super) fn read(&self, files: &[FileAt]) -> Result<Vec<Option<String>>> {
        for file in files {
            check_object(&file.at)?;
        }
        // Any other path names nothing.
        let name = |file: &FileAt| {
            let path = if is_inside(&file.path) { &file.path } else { NO_PATH };
            format!("{}:{path}", file.at).into_bytes()
        };
        let names: Vec<Vec<u8>> = files.iter().map(name).collect();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_TEXT);
        Ok(self.read_some(&names)?.into_iter().map(|content| content.and_then(text)).collect())
    }

    /// Contents of objects; none also for one that is too large to be held.
    fn read_some(&self, names: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let output = self.git().bytes_limited_from(&CAT_FILE, &batch(names), MAX_TEXTS)?;
        if !output.is_cut {
            return parse_objects(&output.bytes, names).ok_or_else(unexpected_answer);
        }
        if names.len() == 1 {
            return Ok(vec![None]);
        }
        let (first, second) = names.split_at(names.len() / 2);
        Ok([self.read_some(first)?, self.read_some(second)?].concat())
    }

    /// Contents of objects, named by id or as `tree:path`; none where there is none.
    pub(super) fn read_objects(&self, names: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let output = self.git().bytes_from(&CAT_FILE, &batch(names))?;
        parse_objects(&output, names).ok_or_else(unexpected_answer)
    }

    /// Unified diff between two commits or trees, up to a number of bytes.
    pub(super) fn diff(&self, from: &str, to: &str, limit: usize) -> Result<DiffText> {
        check_object(from)?;
        check_object(to)?;
        let output = self.git().bytes_limited(&["diff-tree", "-r", "-p", "-M", from, to], limit)?;
        Ok(DiffText { text: lossy_text(&output.bytes, output.is_cut), is_cut: output.is_cut })
    }

    /// Makes a tree from another one with some files replaced, added or removed. Existing files keep their mode.
    pub(super) fn edit_tree(&self, base: &str, edits: &[FileEdit]) -> Result<ObjectId> {
        check_object(base)?;
        if let Some(edit) = edits.iter().find(|edit| !is_inside(&edit.path)) {
            let text = format!("not a path of a file in the repository: {}", printable(&edit.path));
            return Err(WorktreeError::Failed(text));
        }
        let names: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
        let present = self.list(base, &names)?;
        let contents: Vec<&[u8]> = edits.iter().filter_map(|edit| edit.content.as_deref()).collect();
        let mut ids = self.store_files(&contents)?.into_iter();
        let mut index_edits = Vec::new();
        for edit in edits {
            let path = edit.path.as_bytes();
            let Some(_) = &edit.content else {
                let gone = present.iter().filter(|entry| is_at_or_below(&entry.path, path));
                index_edits.extend(gone.map(|entry| IndexEdit { path: entry.path.clone(), entry: None }));
                continue;
            };
            let found = present.iter().find(|entry| entry.path == path && entry.is_file());
            let mode = found.map_or_else(|| FILE_MODE.to_owned(), |entry| entry.mode.clone());
            index_edits.push(IndexEdit { path: path.to_vec(), entry: ids.next().map(|id| (mode, id)) });
        }
        self.edit_index(base, &index_edits)
    }

    /// Makes a tree from another one with some entries replaced, added or removed.
    pub(super) fn edit_index(&self, base: &str, edits: &[IndexEdit]) -> Result<ObjectId> {
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let git = self.git().with_index(&index);
        git.edit(&["read-tree", base], b"")?;
        update_index(git, edits, base.len())?;
        Ok(git.text(&["write-tree"])?)
    }

    /// Stores files as they are, without filters.
    fn store_files(&self, contents: &[&[u8]]) -> Result<Vec<ObjectId>> {
        if let [content] = contents {
            let id = self.git().bytes_from(&["hash-object", "-w", "--stdin"], content)?;
            return Ok(vec![String::from_utf8_lossy(&id).trim_end().to_owned()]);
        }
        if contents.is_empty() {
            return Ok(Vec::new());
        }
        let scratch = self.scratch()?;
        let mut paths = Vec::new();
        for (number, content) in contents.iter().enumerate() {
            let file = scratch.path(&number.to_string());
            fs_err::write(&file, content)?;
            paths.extend_from_slice(std::os::unix::ffi::OsStrExt::as_bytes(file.as_os_str()));
            paths.push(b'\n');
        }
        let args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
        let ids = self.git().bytes_from(&args, &paths)?;
        let ids: Vec<ObjectId> = String::from_utf8_lossy(&ids).lines().map(str::to_owned).collect();
        if ids.len() == contents.len() {
            return Ok(ids);
        }
        Err(WorktreeError::Failed("git hash-object did not store every file".to_owned()))
    }
}

/// Changes entries of an index. Ids have `id_length` digits.
pub(super) fn update_index(git: Git<'_>, edits: &[IndexEdit], id_length: usize) -> Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let mut input = Vec::new();
    for edit in edits {
        let (mode, id) = match &edit.entry {
            Some((mode, id)) => (mode.as_str(), id.clone()),
            None => (NO_MODE, "0".repeat(id_length)),
        };
        input.extend_from_slice(format!("{mode} {id}\t").as_bytes());
        input.extend_from_slice(&edit.path);
        input.push(0);
    }
    Ok(git.edit(&["update-index", "--add", "--replace", "-z", "--index-info"], &input)?)
}

/// Checks that a text is the full id of an object, so that git cannot take it for an option or a branch.
pub(super) fn check_object(id: &str) -> Result<()> {
    if matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(WorktreeError::Failed(format!("not the id of a git object: {id:?}")))
}

/// True if a path is one in the work tree, outside git's own folder.
pub(super) fn is_inside(path: &str) -> bool {
    TreePath::new(path).is_inside() && Path::new(path).is_relative()
}

/// True if a path is that folder or file, or below it.
pub(super) fn is_at_or_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Text of bytes; if they were cut, without the character that was cut.
pub(super) fn lossy_text(bytes: &[u8], is_cut: bool) -> String {
    let end = match std::str::from_utf8(bytes) {
        Err(error) if is_cut && error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Names of objects, as git reads them.
fn batch(names: &[Vec<u8>]) -> Vec<u8> {
    names.iter().flat_map(|name| name.iter().copied().chain([0])).collect()
}

fn unexpected_answer() -> WorktreeError {
    WorktreeError::Failed("git cat-file answered something else".to_owned())
}

/// Parses the output of `cat-file --batch`: for each name `<id> <type> <size>\n<content>\n`, or `<name> missing\n`. A folder
/// has no content.
fn parse_objects(output: &[u8], names: &[Vec<u8>]) -> Option<Vec<Option<Vec<u8>>>> {
    let mut rest = output;
    let mut contents = Vec::new();
    for name in names {
        let absent = rest.strip_prefix(name.as_slice()).and_then(|rest| rest.strip_prefix(b" missing\n"));
        if let Some(after) = absent {
            rest = after;
            contents.push(None);
            continue;
        }
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let header = std::str::from_utf8(&rest[..end]).ok()?;
        let mut facts = header.split(' ').skip(1);
        let (is_file, size) = (facts.next()? == "blob", facts.next()?.parse::<usize>().ok()?);
        let content = rest.get(end + 1..end + 1 + size)?;
        rest = rest.get(end + 2 + size..)?;
        contents.push(is_file.then(|| content.to_vec()));
    }
    Some(contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_found_between_missing_ones() {
        let output = b"a:x\ny missing\nabc blob 3\nx\ny\nabd blob 0\n\n";
        let names = [b"a:x\ny".to_vec(), b"abc".to_vec(), b"abd".to_vec()];
        assert_eq!(parse_objects(output, &names), Some(vec![None, Some(b"x\ny".to_vec()), Some(Vec::new())]));
        assert_eq!(parse_objects(&output[..20], &names), None);
    }

    #[test]
    fn a_cut_character_is_left_out() {
        assert_eq!(lossy_text("aä".as_bytes().split_last().unwrap().1, true), "a");
        assert_eq!(lossy_text(b"a\xff", false), "a\u{fffd}");
    }
}
