//! Past commits, read from `git log`.

use charrette_git::Git;
use std::collections::HashMap;
use std::path::Path;

/// A past commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Full commit id.
    pub(crate) id: String,
    /// Commit time, in seconds.
    pub(crate) time: i64,
    /// First line of the message.
    pub(crate) subject: String,
    /// Files it touched that still exist, by position in the listing.
    pub(crate) files: Vec<u32>,
    /// Number of files it touched in all.
    pub(crate) touched: usize,
}

/// Commit id of HEAD; none without commits.
pub(crate) fn head(root: &Path) -> Option<String> {
    Git::new(root).find(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
}

/// True for a shallow clone.
pub(crate) fn is_shallow(root: &Path) -> bool {
    Git::new(root).find(&["rev-parse", "--is-shallow-repository"]).as_deref() == Some("true")
}

/// Number of commits to read: fewer in an enormous tree, where diffing a commit takes longer.
pub(crate) fn log_depth(files: usize) -> usize {
    (20_000_000 / files.max(1)).clamp(500, 3000)
}

/// Cache key of the last `depth` commits up to `head`.
pub(crate) fn cache_key(head: &str, depth: usize) -> String {
    format!("{head} {depth}")
}

/// Runs `git log`. Renames are followed where the blobs are available.
pub(crate) fn run_git_log(root: &Path, head: &str, depth: usize) -> Vec<u8> {
    let count = format!("-n{depth}");
    let log = |renames: &str| {
        Git::new(root).bytes(&[
            "log",
            "-z",
            "--no-merges",
            "--no-relative",
            "--name-status",
            "--format=%x01%H %ct%n%s",
            renames,
            &count,
            head,
        ])
    };
    log("-M").or_else(|_| log("--no-renames")).unwrap_or_default()
}

/// Parses the output of `git log`. `files` maps today's paths to positions.
pub(crate) fn parse_log(text: &[u8], files: &HashMap<&str, u32>) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    // Earlier names of files, and today's.
    let mut renamed: HashMap<&[u8], &[u8]> = HashMap::new();
    let mut fields = text.split(|b| *b == 0);
    while let Some(field) = fields.next() {
        if let Some(head) = field.strip_prefix(b"\x01") {
            commits.extend(commit(head));
            continue;
        }
        let status = field.trim_ascii_start();
        let Some(letter) = status.first() else { continue };
        let Some(mut path) = fields.next() else { break };
        if matches!(letter, b'R' | b'C') {
            let Some(new) = fields.next() else { break };
            let today = *renamed.get(new).unwrap_or(&new);
            if *letter == b'R' {
                renamed.insert(path, today);
            }
            path = new;
        }
        let Some(commit) = commits.last_mut() else { continue };
        commit.touched += 1;
        let today = renamed.get(path).copied().unwrap_or(path);
        let known = std::str::from_utf8(today).ok().and_then(|path| files.get(path));
        commit.files.extend(known);
    }
    commits
}

fn commit(head: &[u8]) -> Option<Commit> {
    let text = String::from_utf8_lossy(head);
    let (line, subject) = text.split_once('\n')?;
    let (id, time) = line.split_once(' ')?;
    let subject = subject.trim().to_owned();
    Some(Commit { id: id.to_owned(), time: time.parse().ok()?, subject, files: Vec::new(), touched: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_read_with_todays_names() {
        let text = b"\x01aa 30\nthird\n\0\nM\0src/new.rs\0D\0gone.rs\0\x01bb 20\nsecond\0\nR090\0src/old.rs\0src/new.rs\0A\0b.rs\0\
                     \x01ee 15\nempty\0\x01cc 10\nfirst\0\nA\0src/old.rs\0";
        let files = HashMap::from([("src/new.rs", 0), ("b.rs", 1)]);
        let commits = parse_log(text, &files);
        let seen: Vec<(&str, &[u32], usize)> = commits
            .iter()
            .map(|commit| (commit.subject.as_str(), commit.files.as_slice(), commit.touched))
            .collect();
        let expected: [(&str, &[u32], usize); 4] =
            [("third", &[0], 2), ("second", &[0, 1], 2), ("empty", &[], 0), ("first", &[0], 1)];
        assert_eq!(seen, expected);
        assert_eq!(commits[0].time, 30);
    }

    #[test]
    fn truncated_logs_are_tolerated() {
        let files = HashMap::from([("a", 0)]);
        for text in
            [b"".as_slice(), b"\x01aa", b"\x01aa 30\nx\0\nM", b"M\0a\0", b"\x01aa x\ny\0\nM\0a\0", b"\0\0"]
        {
            assert!(parse_log(text, &files).iter().all(|commit| commit.files.is_empty()));
        }
    }
}
