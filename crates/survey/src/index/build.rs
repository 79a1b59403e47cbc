//! The blocks of all files: taken from the cache where nothing changed, made anew where something did.

use super::cache::Cache;
use super::scan::Scanner;
use crate::tree::content;
use crate::tree::kind::Kind;
use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    for (n, block) in scan_all(root, files, &missing) {
        blocks[n] = Cow::Owned(block);
    }
    Blocks { blocks, made: missing.len() }
}

/// Files are handed out in small portions, so that a few large ones do not keep everybody waiting.
const PORTION: usize = 16;

fn scan_all(root: &Path, files: &[Wanted<'_>], missing: &[usize]) -> Vec<(usize, Vec<u8>)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut scanner, mut buffer, mut made) = (Scanner::default(), Vec::new(), Vec::new());
        loop {
            let from = next.fetch_add(PORTION, Ordering::Relaxed);
            let Some(portion) = missing.get(from..) else { return made };
            if portion.is_empty() {
                return made;
            }
            for &n in portion.iter().take(PORTION) {
                let text = content::read(root, files[n].path, &mut buffer);
                let block = text.map(|text| scanner.scan(text, files[n].kind == Kind::Doc));
                made.push((n, block.unwrap_or_default()));
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let workers = workers.min(missing.len() / PORTION + 1);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for other in others {
            made.extend(other.join().unwrap_or_default());
        }
        made
    })
}
