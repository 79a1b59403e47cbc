//! What was found out about a tree, kept for the next time.
//!
//! One file per work tree, in a folder the caller gives. It is never needed and never trusted: a checksum finds
//! what is torn, and blocks are found by the seal of the file they were made from. It is replaced as a whole.

use super::build::Wanted;
use charrette_store::atomic;
use charrette_store::lock::{Holder, Lease};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use twox_hash::XxHash3_64;

/// What is remembered of a work tree.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    bytes: Vec<u8>,
    blocks: HashMap<u64, Range<usize>>,
    /// Which commits, and what git said about them.
    history: Option<(String, Range<usize>)>,
}

/// A new version makes all older files foreign.
const MAGIC: &[u8; 24] = b"charrette survey cache 2";
/// Larger files are not ours.
const MOST_BYTES: u64 = 256 << 20;
/// Blocks beyond this are not kept: an enormous tree is read again.
const MOST_KEPT: usize = 96 << 20;
/// Work trees that are remembered at a time.
const MOST_TREES: usize = 24;

impl Cache {
    /// What is remembered of the work tree at `root`. Nothing, if that cannot be read.
    pub(crate) fn load(folder: &Path, root: &Path) -> Cache {
        let path = path_of(folder, root);
        let regular = path.symlink_metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_BYTES);
        let bytes = if regular { fs_err::read(&path).unwrap_or_default() } else { Vec::new() };
        Cache::read(bytes, root).unwrap_or_default()
    }

    fn read(bytes: Vec<u8>, root: &Path) -> Option<Cache> {
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
            let seal = reader.number()?;
            blocks.insert(seal, reader.text()?);
        }
        Some(Cache { bytes, blocks, history })
    }

    /// The block of a file that is unchanged since it was made.
    pub(crate) fn block(&self, seal: u64) -> Option<&[u8]> {
        Some(&self.bytes[self.blocks.get(&seal)?.clone()])
    }

    /// What git said about the commits named by `key`.
    pub(crate) fn history(&self, key: &str) -> Option<&[u8]> {
        let (known, log) = self.history.as_ref()?;
        (known == key).then(|| &self.bytes[log.clone()])
    }
}

/// What is to be remembered.
pub(crate) struct Memory<'a> {
    pub(crate) root: &'a Path,
    pub(crate) files: &'a [Wanted<'a>],
    pub(crate) blocks: &'a [std::borrow::Cow<'a, [u8]>],
    pub(crate) history: Option<(&'a str, &'a [u8])>,
}

impl Memory<'_> {
    /// Writes it for the next time. Whoever cannot write goes without.
    pub(crate) fn store(&self, folder: &Path) {
        let path = path_of(folder, self.root);
        if fs_err::create_dir_all(folder).is_err() {
            return;
        }
        let holder =
            Holder { pid: std::process::id(), since: String::new(), command: "charrette survey".to_owned() };
        // Two at once would write the same; the second goes without.
        let Ok(_lease) = Lease::acquire(&folder.join("lock"), &holder) else { return };
        if atomic::replace(&path, &path.with_extension("tmp"), &self.bytes()).is_ok() {
            forget_oldest(folder, &path);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        // One buffer for all of it: the checksum is filled in last.
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
            if let Some(seal) = file.seal.filter(|_| body.len() + block.len() < MOST_KEPT) {
                body.extend(seal.to_le_bytes());
                text(&mut body, block);
            }
        }
        let checksum = XxHash3_64::oneshot(&body[start..]).to_le_bytes();
        body[start - checksum.len()..start].copy_from_slice(&checksum);
        body
    }
}

fn path_of(folder: &Path, root: &Path) -> PathBuf {
    folder.join(format!("{:016x}.index", XxHash3_64::oneshot(root.as_os_str().as_encoded_bytes())))
}

/// Keeps the folder from growing for ever.
fn forget_oldest(folder: &Path, newest: &Path) {
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    let mut caches: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "index") && path != newest)
        .filter_map(|path| Some((path.symlink_metadata().ok()?.modified().ok()?, path)))
        .collect();
    caches.sort_unstable();
    let too_many = (caches.len() + 1).saturating_sub(MOST_TREES);
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

    /// A text with its length before it.
    fn text(&mut self) -> Option<Range<usize>> {
        let length = usize::try_from(self.number()?).ok()?;
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }
}
