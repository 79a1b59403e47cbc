//! The folder of a round: its record, and the places of everything in it.
//!
//! ```text
//! arena.json  request.md  answers.json  charrette.toml  state/  calls/
//! panel/repository/
//! lone/repository/  lone/prompt.md  lone/answer/{requirements,design,tasks}.md  lone/usage.json
//! blind/A/  blind/B/  blind/repository/  blind/judge.md  blind/verdict-JUDGE.md
//! order.json
//! ```

use crate::TaskResult;
use crate::driver::GivenAnswer;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The documents that are compared, with their titles when blind.
pub(super) const DOCUMENTS: [(&str, &str); 3] =
    [("requirements.md", "Requirements"), ("design.md", "Design"), ("tasks.md", "Tasks")];

/// A round.
#[derive(Debug)]
pub(super) struct Arena {
    pub(super) folder: PathBuf,
    pub(super) record: ArenaRecord,
}

/// Subject of a round, as written to `arena.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArenaRecord {
    pub(super) version: u32,
    /// Name of the feature.
    pub(super) name: String,
    /// Repository that was cloned.
    pub(super) repository: PathBuf,
    /// Id of the commit.
    pub(super) commit: String,
}

/// Which side is which when blind, as written to `order.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) seed: u64,
    #[serde(rename = "A")]
    pub(super) a: Side,
    #[serde(rename = "B")]
    pub(super) b: Side,
}

/// A side of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Side {
    Panel,
    Lone,
}

impl Side {
    pub(super) const ALL: [Side; 2] = [Side::Panel, Side::Lone];

    pub(super) fn name(self) -> &'static str {
        match self {
            Side::Panel => "panel",
            Side::Lone => "lone",
        }
    }
}

impl Order {
    /// The order that follows from a seed.
    pub(super) fn from_seed(seed: u64) -> Order {
        let digest = charrette_store::workspace::sha256(&seed.to_le_bytes());
        let is_even = digest.bytes().next().is_none_or(|digit| digit % 2 == 0);
        let (a, b) = if is_even { (Side::Panel, Side::Lone) } else { (Side::Lone, Side::Panel) };
        Order { seed, a, b }
    }
}

impl Arena {
    pub(super) fn open(folder: &Path) -> TaskResult<Arena> {
        let folder = fs_err::canonicalize(folder)?;
        let path = folder.join("arena.json");
        let text = fs_err::read(&path)
            .map_err(|_| format!("{} is no arena; make one with cargo xtask arena new", folder.display()))?;
        let record = serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Arena { folder, record })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The request, word for word.
    pub(super) fn request(&self) -> TaskResult<String> {
        Ok(fs_err::read_to_string(self.path("request.md"))?)
    }

    pub(super) fn repository(&self, side: Side) -> PathBuf {
        self.path(side.name()).join("repository")
    }

    /// Folder with the documents of a side.
    pub(super) fn documents(&self, side: Side) -> PathBuf {
        match side {
            Side::Panel => self.repository(side).join("specs").join(&self.record.name),
            Side::Lone => self.path("lone/answer"),
        }
    }

    /// State folder of charrette in this round.
    pub(super) fn state(&self) -> PathBuf {
        self.path("state")
    }

    /// Copy of the panel's calls, which the queue forgets when the run ends.
    pub(super) fn calls(&self) -> PathBuf {
        self.path("calls")
    }

    /// The answers that the panel was given, in order.
    pub(super) fn answers(&self) -> TaskResult<Vec<GivenAnswer>> {
        read_json(&self.path("answers.json")).map(Option::unwrap_or_default)
    }

    /// Adds answers to the record; a question that was answered before has the later answer.
    pub(super) fn add_answers(&self, given: &[GivenAnswer]) -> TaskResult {
        let mut answers = self.answers()?;
        for given in given {
            answers.retain(|known| {
                (&known.gate, &known.key, &known.question) != (&given.gate, &given.key, &given.question)
            });
            answers.push(given.clone());
        }
        write_json(&self.path("answers.json"), &answers)
    }

    /// The order of the sides when blind, if there is one.
    pub(super) fn order(&self) -> TaskResult<Option<Order>> {
        read_json(&self.path("order.json"))
    }

    /// The verdicts: names of the judges and their files, sorted.
    pub(super) fn verdicts(&self) -> TaskResult<Vec<(String, PathBuf)>> {
        let Ok(entries) = fs_err::read_dir(self.path("blind")) else { return Ok(Vec::new()) };
        let mut verdicts = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some(judge) = name.strip_prefix("verdict-").and_then(|name| name.strip_suffix(".md")) {
                verdicts.push((judge.to_owned(), path));
            }
        }
        verdicts.sort();
        Ok(verdicts)
    }
}

/// Reads a JSON file; none if there is no such file.
pub(super) fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> TaskResult<Option<T>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs_err::read(path)?;
    Ok(Some(serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?))
}

/// Writes a JSON file through a temporary one, so that a killed task leaves the old one or the new one.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> TaskResult {
    let temporary = path.with_extension("json.new");
    fs_err::write(&temporary, serde_json::to_string_pretty(value)? + "\n")?;
    Ok(fs_err::rename(&temporary, path)?)
}
