//! Index cache: the blocks of a work tree and its git log, kept on disk.
//!
//! One file per work tree, in a folder given by the caller, replaced as a whole. It is optional and never trusted: a
//! checksum detects torn files, and blocks are keyed by the fingerprint of the file they were made from.

use super::build::IndexedFile;
use charrette_store::atomic;
use charrette_store::lock::{Holder, Lease};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// Cached blocks and git log of a work tree.
#[derive(Debug, Default)]
pub(crate) struct IndexCache {
    bytes: Vec<u8>,
    blocks: HashMap<u64, Range<usize>>,
    /// Key of the log, and its bytes.
    history: Option<(String, Range<usize>)>,
}

/// Magic with the version; files of other versions are ignored.
const MAGIC: &[u8; 24] = b"charrette survey cache 2";
/// Larger cache files are ignored.
const MAX_READ_BYTES: u64 = 256 << 20;
/// Blocks are left out once the file would exceed this; the git log is always kept.
const MAX_WRITTEN_BYTES: usize = 96 << 20;
/// Maximum number of cached work trees.
const MAX_TREES: usize = 24;

impl IndexCache {
    /// Loads the cache of the work tree at `root`; empty if there is none or it is invalid.
    pub(crate) fn load(folder: &Path, root: &Path) -> IndexCache {
        let path = cache_path(folder, root);
        let regular =
            path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_READ_BYTES);
        let bytes = if regular { fs_err::read(&path).unwrap_or_default() } else { Vec::new() };
        IndexCache::read(bytes, root).unwrap_or_default()
    }

    fn read(bytes: Vec<u8>, root: &Path) -> Option<IndexCache> {
        let body = bytes.strip_prefix(MAGIC.as_slice())?;
        let (checksum, body) = body.split_first_chunk::<8>()?;
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*checksum) {
            return None;
        }
        let mut reader = Reader { bytes: &bytes, at: MAGIC.len() + 8 };
        if bytes[reader.text()?] != *root.as_os_str().as_encoded_bytes() {
            return None;
        }
        let key = String::from_utf8(bytes[reader.text()?].to_owned()).ok()?;
        let log = reader.text()?;
        let history = (!key.is_empty()).then_some((key, log));
        let mut blocks = HashMap::new();
        while reader.at < bytes.len() {
            let fingerprint = reader.number()?;
            blocks.insert(fingerprint, reader.text()?);
        }
        Some(IndexCache { bytes, blocks, history })
    }

    /// Cached block of the file with that fingerprint.
    pub(crate) fn block(&self, fingerprint: u64) -> Option<&[u8]> {
        Some(&self.bytes[self.blocks.get(&fingerprint)?.clone()])
    }

    /// Cached git log, if it is the one of `key`.
    pub(crate) fn history(&self, key: &str) -> Option<&[u8]> {
        let (known, log) = self.history.as_ref()?;
        (known == key).then(|| &self.bytes[log.clone()])
    }
}

/// New content of the cache.
pub(crate) struct CacheUpdate<'a> {
    pub(crate) root: &'a Path,
    pub(crate) files: &'a [IndexedFile<'a>],
    pub(crate) blocks: &'a [std::borrow::Cow<'a, [u8]>],
    pub(crate) history: Option<(&'a str, &'a [u8])>,
}

impl CacheUpdate<'_> {
    /// Writes the cache file. Errors are ignored: the cache is optional.
    pub(crate) fn store(&self, folder: &Path) {
        let path = cache_path(folder, self.root);
        if fs_err::create_dir_all(folder).is_err() {
            return;
        }
        let holder = Holder::of_this_process(String::new(), "charrette survey".to_owned());
        // If another survey holds the lock, skip: it writes the same content.
        let Ok(_lease) = Lease::acquire(&folder.join("lock"), &holder) else { return };
        if atomic::replace(&path, &path.with_extension("tmp"), &self.bytes()).is_ok() {
            evict_oldest(folder, &path);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        // One buffer for everything: the checksum is filled in last.
        let mut body = [MAGIC.as_slice(), &[0; 8]].concat();
        let start = body.len();
        let text = |body: &mut Vec<u8>, text: &[u8]| {
            body.extend((text.len() as u64).to_le_bytes());
            body.extend(text);
        };
        text(&mut body, self.root.as_os_str().as_encoded_bytes());
        let (key, log) = self.history.unwrap_or_default();
        text(&mut body, key.as_bytes());
        text(&mut body, log);
        for (file, block) in self.files.iter().zip(self.blocks) {
            if let Some(fingerprint) =
                file.fingerprint.filter(|_| body.len() + block.len() < MAX_WRITTEN_BYTES)
            {
                body.extend(fingerprint.to_le_bytes());
                text(&mut body, block);
            }
        }
        let checksum = XxHash3_64::oneshot(&body[start..]).to_le_bytes();
        body[start - checksum.len()..start].copy_from_slice(&checksum);
        body
    }
}

fn cache_path(folder: &Path, root: &Path) -> PathBuf {
    folder.join(format!("{:016x}.index", XxHash3_64::oneshot(root.as_os_str().as_encoded_bytes())))
}

/// Removes the oldest cache files.
fn evict_oldest(folder: &Path, newest: &Path) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    let mut caches: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "index") && path != newest)
        .filter_map(|path| Some((path.symlink_metadata().ok()?.modified().ok()?, path)))
        .collect();
    caches.sort_unstable();
    let too_many = (caches.len() + 1).saturating_sub(MAX_TREES);
    for (_, path) in &caches[..too_many] {
        let _ = fs_err::remove_file(path);
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let number = self.bytes.get(self.at..)?.first_chunk::<8>()?;
        self.at += 8;
        Some(u64::from_le_bytes(*number))
    }

    /// A length-prefixed byte string.
    fn text(&mut self) -> Option<Range<usize>> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }
}
