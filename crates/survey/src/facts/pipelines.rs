//! The commands that pipelines run: lines of shell in the settings of a build server.

use super::commands::Line;

/// Whether a path is that of a pipeline.
pub(super) fn is_pipeline(path: &str) -> bool {
    let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    let folder =
        [".github/workflows/", ".gitea/workflows/", ".forgejo/workflows/", ".woodpecker/", ".buildkite/"];
    (yaml && folder.iter().any(|folder| path.starts_with(folder)))
        || matches!(
            path,
            ".gitlab-ci.yml"
                | ".travis.yml"
                | ".circleci/config.yml"
                | "azure-pipelines.yml"
                | ".cirrus.yml"
                | ".drone.yml"
        )
}

/// The shell lines of a pipeline, with their line numbers.
///
/// Only the shape is read: what follows `run:` and its like, or stands indented below it. A pipeline that builds its
/// commands out of variables is not understood, and nothing is said about it.
pub(super) fn shell_lines(text: &str) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    // How far the key is indented whose block we are in.
    let mut block: Option<usize> = None;
    for (n, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(above) = block {
            let item = trimmed.strip_prefix("- ");
            if indent > above || (indent == above && item.is_some()) {
                let command = item.unwrap_or(trimmed);
                // In a list, an item may itself be `- run: x`.
                let command = keyed(command).map_or(command, |(_, value)| value);
                push(&mut found, n + 1, command);
                continue;
            }
            block = None;
        }
        let item = trimmed.strip_prefix("- ").unwrap_or(trimmed);
        if let Some((_, value)) = keyed(item) {
            if matches!(value, "" | "|" | ">" | "|-" | ">-" | "|+" | ">+") {
                block = Some(indent + (trimmed.len() - item.len()));
            } else {
                push(&mut found, n + 1, value);
            }
        }
    }
    found
}

/// The keys below which commands stand.
fn keyed(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let known = ["run", "script", "command", "commands", "before_script", "test_script"];
    (known.contains(&key.trim()) && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}

fn push<'a>(found: &mut Vec<Line<'a>>, line: usize, command: &'a str) {
    let quoted = [('"', '"'), ('\'', '\'')].into_iter().find_map(|(open, close)| {
        command.strip_prefix(open)?.strip_suffix(close).filter(|inner| !inner.contains(open))
    });
    found.push(Line { line, text: quoted.unwrap_or(command) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(usize, &str)> {
        shell_lines(text).into_iter().map(|line| (line.line, line.text)).collect()
    }

    #[test]
    fn commands_of_pipelines_are_found_with_their_lines() {
        let github = "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - name: Test\n        run: cargo test\n      - run: |\n          cargo fmt --check\n\n          # no\n          cargo clippy\n      - run: \"npm test\"\n";
        assert_eq!(
            lines(github),
            [(6, "cargo test"), (8, "cargo fmt --check"), (11, "cargo clippy"), (12, "npm test")]
        );
        let gitlab = "test:\n  script:\n    - make test\n    - make lint\nother:\n  script: go test ./...\n";
        assert_eq!(lines(gitlab), [(3, "make test"), (4, "make lint"), (6, "go test ./...")]);
        let travis = "language: go\nscript:\n- go vet\n- go test\nafter: x\n";
        assert_eq!(lines(travis), [(3, "go vet"), (4, "go test")]);
        assert_eq!(lines("run\nrunner: x\n# run: y\n"), []);
    }

    #[test]
    fn pipelines_are_known_by_their_places() {
        for (path, expected) in [
            (".github/workflows/ci.yml", true),
            (".gitlab-ci.yml", true),
            ("docs/ci.yml", false),
            (".github/dependabot.yml", false),
        ] {
            assert_eq!(is_pipeline(path), expected, "{path}");
        }
    }
}
