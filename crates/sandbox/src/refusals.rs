//! Paths that programs name when the kernel refuses them something.

use std::path::PathBuf;

/// Words of programs for a refusal, in small letters.
const REFUSED: [&str; 3] = ["permission denied", "eacces", "operation not permitted"];

/// Absolute paths in the lines of an error output that speak of a refusal, each once.
pub fn refused_paths(output: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for line in output.lines() {
        let lower = line.to_ascii_lowercase();
        if !REFUSED.iter().any(|words| lower.contains(words)) {
            continue;
        }
        for path in absolute_paths(line) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// Absolute paths in a line, quoted or not.
fn absolute_paths(line: &str) -> impl Iterator<Item = PathBuf> + '_ {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find('/')?;
            let before = rest[..at].chars().next_back();
            let tail = &rest[at..];
            let end = match before {
                Some(quote @ ('\'' | '"' | '`')) => tail.find(quote),
                Some('‘') => tail.find('’'),
                _ => tail.find(|c: char| c.is_whitespace() || "'\"`:,;()".contains(c)),
            };
            let path = &tail[..end.unwrap_or(tail.len())];
            rest = &tail[path.len().max(1)..];
            let begins = before.is_none_or(|c| c.is_whitespace() || "'\"`‘:(=".contains(c));
            if begins && path.len() > 1 && !path.starts_with("//") {
                return Some(PathBuf::from(path));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_paths_are_found_in_the_words_of_real_programs() {
        for (line, expected) in [
            ("Error: EACCES: permission denied, mkdir '/home/a b/.cache/x'", "/home/a b/.cache/x"),
            ("sh: 1: cannot create /root/.bashrc: Permission denied", "/root/.bashrc"),
            ("mkdir: cannot create directory ‘/home/a/.mine’: Permission denied", "/home/a/.mine"),
            ("touch: cannot touch '/etc/x': Permission denied", "/etc/x"),
            ("PermissionError: [Errno 13] Permission denied: '/srv/data'", "/srv/data"),
            (
                "error: failed to open: /home/a/.cargo/.package-cache (Permission denied (os error 13))",
                "/home/a/.cargo/.package-cache",
            ),
            ("bash: line 1: /work/x: Operation not permitted", "/work/x"),
        ] {
            assert_eq!(refused_paths(line), [PathBuf::from(expected)], "{line}");
        }
        for line in
            ["cannot find /etc/x", "permission denied by https://example.org/a", "permission denied: a/b"]
        {
            assert!(refused_paths(line).is_empty(), "{line}");
        }
    }
}
