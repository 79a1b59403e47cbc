//! Finds where words are mentioned in a tree.

use super::error::Result;
use super::objects::check_object;
use super::places::Places;
use charrette_engine::ports::worktrees::Mention;

/// Maximum size of a list of files.
const MAX_LIST: usize = 4 << 20;

impl Places {
    /// Files of a tree that mention words, as whole words; binary files are left out.
    pub(super) fn mentions(&self, at: &str, words: &[String]) -> Result<Vec<Vec<Mention>>> {
        check_object(at)?;
        Ok(words.iter().map(|word| self.mentions_of(at, word)).collect())
    }

    fn mentions_of(&self, at: &str, word: &str) -> Vec<Mention> {
        let args = ["grep", "-I", "-F", "-w", "-c", "-z", "--full-name", "-e", word, at];
        // Without a match git ends with 1.
        let Ok(output) = self.git().bytes_limited(&args, MAX_LIST) else { return Vec::new() };
        let listed = String::from_utf8_lossy(&output.bytes).into_owned();
        listed.lines().filter_map(|line| parse(line, at)).collect()
    }
}

/// Parses `<tree>:<path>NUL<count>`.
fn parse(line: &str, at: &str) -> Option<Mention> {
    let (path, lines) = line.strip_prefix(at)?.strip_prefix(':')?.split_once('\0')?;
    Some(Mention { path: path.to_owned(), lines: lines.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_file_and_count() {
        let mention = Mention { path: "src/a:b.rs".to_owned(), lines: 3 };
        assert_eq!(parse("ab12:src/a:b.rs\u{0}3", "ab12"), Some(mention));
        assert_eq!(parse("other:src/a.rs\u{0}3", "ab12"), None);
    }
}
