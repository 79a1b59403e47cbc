//! The blocks of all files: taken from the cache where nothing changed, made anew where something did.

use super::cache::Cache;
use super::scan::Scanner;
use crate::portions::in_portions;
use crate::tree::content;
use crate::tree::kind::Kind;
use std::borrow::Cow;
use std::path::Path;

/// A file whose terms are wanted.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<'a> {
    pub(crate) path: &'a str,
    pub(crate) kind: Kind,
    pub(crate) seal: Option<u64>,
}

/// The blocks of `files`, in their order. An empty block is that of a file without text.
pub(crate) struct Blocks<'c> {
    pub(crate) blocks: Vec<Cow<'c, [u8]>>,
    /// How many had to be made.
    pub(crate) made: usize,
}

/// Makes the blocks, on all processors.
pub(crate) fn build<'c>(root: &Path, files: &[Wanted<'_>], cache: &'c Cache) -> Blocks<'c> {
    let known: Vec<Option<&[u8]>> =
        files.iter().map(|file| file.seal.and_then(|seal| cache.block(seal))).collect();
    let missing: Vec<usize> = (0..files.len()).filter(|n| known[*n].is_none()).collect();
    let mut blocks: Vec<Cow<'c, [u8]>> =
        known.into_iter().map(|block| Cow::Borrowed(block.unwrap_or_default())).collect();
    for (n, block) in missing.iter().zip(scan_all(root, files, &missing)) {
        blocks[*n] = Cow::Owned(block);
    }
    Blocks { blocks, made: missing.len() }
}

fn scan_all(root: &Path, files: &[Wanted<'_>], missing: &[usize]) -> Vec<Vec<u8>> {
    in_portions(missing, 16, || {
        let (mut scanner, mut buffer) = (Scanner::default(), Vec::new());
        move |n: &usize| {
            let file = &files[*n];
            let text = content::read(root, file.path, &mut buffer);
            text.map(|text| scanner.scan(text, file.kind == Kind::Doc)).unwrap_or_default()
        }
    })
}
