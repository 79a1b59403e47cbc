//! Receipts: what was in each file before `init`, so that `--remove` gives it back byte by byte.

use crate::files::Part;
use charrette_store::atomic;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;
const FILE: &str = "installed.json";

/// Content of a file before the first change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Before {
    Absent,
    Text(String),
    /// It had entries of charrette already, written elsewhere.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    pub before: Before,
    /// Digest of the content that was written.
    pub after: String,
    /// Folders that were created for it, outermost first.
    #[serde(default)]
    pub folders: Vec<PathBuf>,
    /// Parts with entries in it. Older receipts do not say, and are about hooks.
    #[serde(default)]
    pub parts: Vec<Part>,
}

impl Receipt {
    pub(crate) fn parts(&self) -> Vec<Part> {
        if self.parts.is_empty() { vec![Part::Hooks] } else { self.parts.clone() }
    }
}

/// All receipts of a user, by the path of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipts {
    version: u32,
    files: BTreeMap<PathBuf, Receipt>,
}

impl Receipts {
    /// Reads the receipts in a folder. An absent file is an empty one.
    pub fn read(folder: &Path) -> io::Result<Receipts> {
        let path = folder.join(FILE);
        let bytes = match fs_err::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Receipts::default()),
            other => other?,
        };
        let receipts: Receipts = serde_json::from_slice(&bytes)
            .map_err(|error| io::Error::other(format!("{} cannot be read: {error}", path.display())))?;
        if receipts.version != VERSION {
            let reason = format!("{} has version {}, not {VERSION}", path.display(), receipts.version);
            return Err(io::Error::other(reason));
        }
        Ok(receipts)
    }

    /// Writes them; only the user may read them, because settings may hold secrets.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs_err::create_dir_all(folder)?;
        let receipts = Receipts { version: VERSION, files: self.files.clone() };
        let bytes = serde_json::to_vec_pretty(&receipts).map_err(io::Error::other)?;
        atomic::replace_private(&folder.join(FILE), &bytes).map_err(io::Error::other)
    }

    pub fn get(&self, path: &Path) -> Option<&Receipt> {
        self.files.get(path)
    }

    /// Remembers a folder with a file in it.
    pub(crate) fn hand_over(&mut self, folder: &Path) {
        let mut inside = self.files.iter_mut().filter(|(path, _)| path.starts_with(folder));
        if let Some((_, receipt)) = inside.next()
            && !receipt.folders.iter().any(|known| known == folder)
        {
            receipt.folders.insert(0, folder.to_owned());
        }
    }

    pub(crate) fn set(&mut self, path: &Path, receipt: Option<Receipt>) {
        match receipt {
            Some(receipt) => drop(self.files.insert(path.to_owned(), receipt)),
            None => drop(self.files.remove(path)),
        }
    }
}
