//! Files of a run in pages, for programs with a limit on what they take at once.

use crate::error::{AppError, ErrorKind};
use crate::read::workspace;
use crate::site::Site;
use charrette_model::checkpoint::DocumentName;
use charrette_model::escape::printable;
use charrette_store::workspace::sha256;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum size of a page in bytes.
pub const PAGE_BYTES: usize = 48 << 10;
/// Maximum size of a file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;
/// Maximum number of files in a list.
const MAX_LISTED: usize = 200;
/// Folders of the workspace whose files are listed, besides those at its top.
const LISTED_FOLDERS: [&str; 2] = ["specs/", "gates/"];
/// Digits of a digest.
const DIGITS: usize = 16;

/// Files of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileList {
    pub files: Vec<FileEntry>,
    /// Number of files that are not listed.
    pub omitted: usize,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileEntry {
    pub file: String,
    /// Size in bytes.
    pub size: u64,
}

/// Part of a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FilePage {
    pub file: String,
    pub text: String,
    /// Position of the text, in bytes.
    pub offset: usize,
    /// Position of the next page; none at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Size of the file, in bytes.
    pub size: usize,
    /// Digest of the whole file; the next page must have the same.
    pub digest: String,
}

/// Part of a file to read.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    pub file: String,
    pub offset: usize,
    /// Digest of the file that the earlier pages had.
    pub digest: Option<String>,
}

/// Lists the files of a run: those at the top of its workspace, its specification and the pages of its gates.
pub fn files(site: &Site, name: &DocumentName) -> Result<FileList, AppError> {
    let workspace = workspace(site, name)?;
    let all = workspace.list().map_err(AppError::failed)?;
    let is_listed =
        |name: &&String| !name.contains('/') || LISTED_FOLDERS.iter().any(|folder| name.starts_with(folder));
    let files: Vec<FileEntry> = all
        .iter()
        .filter(is_listed)
        .take(MAX_LISTED)
        .map(|file| {
            let meta = workspace.readable_path(file, None).and_then(|path| path.metadata());
            FileEntry { file: file.clone(), size: meta.map_or(0, |meta| meta.len()) }
        })
        .collect();
    let omitted = all.len() - files.len();
    Ok(FileList { files, omitted })
}

/// Reads a page of a file. Names that lead out of the run's folders are refused.
pub fn page(site: &Site, name: &DocumentName, request: &PageRequest) -> Result<FilePage, AppError> {
    let file = request.file.as_str();
    let shown = printable(file).to_string();
    if file.chars().any(char::is_control) {
        return Err(AppError::usage(format!("{shown} is no name of a file")).hint("List the files first"));
    }
    let workspace = workspace(site, name)?;
    let path = workspace.readable_path(file, None).map_err(|error| {
        AppError::usage(format!("{shown}: {error}")).hint("List the files of the run: read without file")
    })?;
    let missing =
        || AppError::failed(format!("the run has no file {shown}")).hint("List its files: read without file");
    let meta = path.symlink_metadata().map_err(|_| missing())?;
    if !meta.is_file() {
        return Err(AppError::usage(format!("{shown} is not a regular file")));
    }
    if meta.len() > MAX_FILE_BYTES {
        let limit = MAX_FILE_BYTES >> 20;
        return Err(AppError::failed(format!("{shown} exceeds {limit} MiB")).hint("Open it in an editor"));
    }
    let bytes = workspace.read(file, None).map_err(AppError::failed)?.ok_or_else(missing)?;
    let digest = sha256(&bytes)[..DIGITS].to_owned();
    if request.digest.as_ref().is_some_and(|wanted| *wanted != digest) {
        return Err(AppError::new(ErrorKind::Refused, format!("{shown} has changed since its first page"))
            .hint("Read it again from offset 0, without a digest"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let start = boundary(&text, request.offset);
    let end = boundary(&text, start.saturating_add(PAGE_BYTES));
    Ok(FilePage {
        file: file.to_owned(),
        text: text[start..end].to_owned(),
        offset: start,
        next_offset: (end < text.len()).then_some(end),
        size: text.len(),
        digest,
    })
}

/// The last boundary of characters at or before a position.
fn boundary(text: &str, position: usize) -> usize {
    let mut position = position.min(text.len());
    while !text.is_char_boundary(position) {
        position -= 1;
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_end_between_characters() {
        let text = "aé€😀";
        let ends: Vec<usize> = (0..12).map(|position| boundary(text, position)).collect();
        assert_eq!(ends, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10]);
    }
}
