//! Generated repositories of any size, the same on every machine: files of about 12 KB of code.

use crate::TaskResult;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Creates a repository with this many files in one commit.
pub(super) fn create_tree(folder: &Path, files: usize) -> TaskResult {
    let mut random = Random(1);
    let vocabulary: Vec<String> = (0..6000).map(|_| random_word(&mut random)).collect();
    for n in 0..files {
        let path = folder.join(format!("src/part{:03}/{}_{n}.rs", n / 50, vocabulary[n % vocabulary.len()]));
        fs_err::create_dir_all(path.parent().unwrap_or(folder))?;
        fs_err::write(path, random_code(&mut random, &vocabulary))?;
    }
    for args in [
        ["init", "-q", "-b", "main"].as_slice(),
        &["add", "."],
        &["-c", "user.name=Ada L", "-c", "user.email=ada@example.com", "commit", "-q", "-m", "first"],
    ] {
        let status = Command::new("git").args(args).current_dir(folder).stdin(Stdio::null()).status()?;
        if !status.success() {
            return Err(format!("git {args:?} failed").into());
        }
    }
    Ok(())
}

/// A word of two to four syllables.
fn random_word(random: &mut Random) -> String {
    let syllables = [
        "ra", "te", "li", "mi", "pa", "ser", "wal", "ker", "to", "ken", "ca", "che", "in", "dex", "que", "ry",
    ];
    (0..2 + random.below(3)).map(|_| syllables[random.below(syllables.len())]).collect()
}

/// About 12 KB of code. A few words are common and most are rare.
fn random_code(random: &mut Random, vocabulary: &[String]) -> String {
    let mut text = String::with_capacity(13_000);
    while text.len() < 12_000 {
        let mut name = || {
            let bound = 1 + random.below(vocabulary.len());
            let (first, second) = (random.below(bound), random.below(bound));
            format!("{}_{}", vocabulary[first], vocabulary[second])
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "/// Takes {} and gives {} back.\npub fn {}({}: &str) -> Option<usize> {{\n    let found = {}({})?;\n    (found > 3).then_some(found)\n}}\n\n",
            name(),
            name(),
            name(),
            name(),
            name(),
            name()
        );
    }
    text
}

/// Random numbers with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}
