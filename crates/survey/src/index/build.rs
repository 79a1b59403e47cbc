//! Blocks of all files: from the cache if the file is unchanged, else scanned.

use super::cache::IndexCache;
use super::scan::Scanner;
use crate::parallel::parallel_map;
use crate::tree::content;
use crate::tree::kind::FileKind;
use std::borrow::Cow;
use std::path::Path;

/// A file to be indexed.
#[derive(Debug, Clone)]
pub(crate) struct IndexedFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) kind: FileKind,
    pub(crate) fingerprint: Option<u64>,
}

/// Blocks of `files`, in their order. A file without text has an empty block.
pub(crate) struct Blocks<'c> {
    pub(crate) blocks: Vec<Cow<'c, [u8]>>,
    /// Number of blocks not found in the cache.
    pub(crate) rebuilt: usize,
}

/// Builds the blocks, on all processors.
pub(crate) fn build_blocks<'c>(root: &Path, files: &[IndexedFile<'_>], cache: &'c IndexCache) -> Blocks<'c> {
    let known: Vec<Option<&[u8]>> =
        files.iter().map(|file| file.fingerprint.and_then(|fingerprint| cache.block(fingerprint))).collect();
    let missing: Vec<usize> = (0..files.len()).filter(|n| known[*n].is_none()).collect();
    let mut blocks: Vec<Cow<'c, [u8]>> =
        known.into_iter().map(|block| Cow::Borrowed(block.unwrap_or_default())).collect();
    for (n, block) in missing.iter().zip(scan_all(root, files, &missing)) {
        blocks[*n] = Cow::Owned(block);
    }
    Blocks { blocks, rebuilt: missing.len() }
}

fn scan_all(root: &Path, files: &[IndexedFile<'_>], missing: &[usize]) -> Vec<Vec<u8>> {
    parallel_map(missing, 16, || {
        let (mut scanner, mut buffer) = (Scanner::default(), Vec::new());
        move |n: &usize| {
            let file = &files[*n];
            let text = content::read(root, file.path, &mut buffer);
            text.map(|text| scanner.scan(text, file.kind == FileKind::Doc)).unwrap_or_default()
        }
    })
}
