//! Commands in CI pipelines: shell lines in their YAML files.

/// True for the path of a pipeline.
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

/// Shell lines of a pipeline, with their line numbers.
///
/// Only the shape is read: text after `run:` and the like, or indented below it. Commands built from variables and
/// steps that run in another folder are skipped.
pub(super) fn shell_lines(text: &str) -> Vec<(usize, String)> {
    let mut steps = Steps::default();
    let mut block: Option<Block> = None;
    for (line, n) in text.lines().zip(1..) {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let item = trimmed.strip_prefix("- ");
        if let Some(inside) = &mut block {
            if indent > inside.indent || (indent == inside.indent && item.is_some()) {
                let command = item.unwrap_or(trimmed);
                // In a list, an item may itself be `- run: x`.
                let command = command_value(command).map_or(command, |(_, value)| value);
                steps.add(n, command, inside.continues);
                inside.continues = inside.folded || command.ends_with('\\');
                continue;
            }
            block = None;
        }
        if item.is_some() {
            steps.close();
        }
        let body = item.unwrap_or(trimmed);
        if let Some(folder) = body.strip_prefix("working-directory:") {
            steps.in_other_folder = !matches!(folder.trim(), "." | "./");
        }
        if let Some((_, value)) = command_value(body) {
            if value.is_empty() || value.starts_with(['|', '>']) {
                let indent = indent + (trimmed.len() - body.len());
                block = Some(Block { indent, folded: value.starts_with('>'), continues: false });
            } else {
                steps.add(n, value, false);
            }
        }
    }
    steps.close();
    steps.found
}

/// Block indented below a key.
struct Block {
    /// Indentation of the key.
    indent: usize,
    /// True for a folded block (`>`): its lines are one.
    folded: bool,
    /// True if the next line continues the one before.
    continues: bool,
}

/// Commands of the finished steps, and of the current one.
#[derive(Default)]
struct Steps {
    found: Vec<(usize, String)>,
    open: Vec<(usize, String)>,
    /// True if the current step runs in another folder.
    in_other_folder: bool,
}

impl Steps {
    fn add(&mut self, line: usize, command: &str, continues: bool) {
        match self.open.last_mut().filter(|_| continues) {
            Some((_, before)) => {
                before.truncate(before.trim_end_matches(['\\', ' ']).len());
                before.push(' ');
                before.push_str(command);
            }
            None => self.open.push((line, strip_quotes(command).to_owned())),
        }
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !std::mem::take(&mut self.in_other_folder) {
            self.found.extend(open);
        }
    }
}

/// Key and value of a line whose key holds commands.
fn command_value(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let known = ["run", "script", "command", "commands", "before_script", "test_script"];
    (known.contains(&key.trim()) && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}

fn strip_quotes(command: &str) -> &str {
    let inner = [('"', '"'), ('\'', '\'')].into_iter().find_map(|(open, close)| {
        command.strip_prefix(open)?.strip_suffix(close).filter(|inner| !inner.contains(open))
    });
    inner.unwrap_or(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        shell_lines(text).into_iter().map(|(line, run)| format!("{line} {run}")).collect()
    }

    #[test]
    fn commands_of_pipelines_are_found_with_their_lines() {
        let github = "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - name: Test\n        run: cargo test\n      - run: |\n          cargo fmt --check\n\n          # no\n          cargo clippy\n      - run: \"npm test\"\n";
        assert_eq!(lines(github), ["6 cargo test", "8 cargo fmt --check", "11 cargo clippy", "12 npm test"]);
        let gitlab = "test:\n  script:\n    - make test\n    - make lint\nother:\n  script: go test ./...\n";
        assert_eq!(lines(gitlab), ["3 make test", "4 make lint", "6 go test ./..."]);
        let travis = "language: go\nscript:\n- go vet\n- go test\nafter: x\n";
        assert_eq!(lines(travis), ["3 go vet", "4 go test"]);
        assert_eq!(lines("run\nrunner: x\n# run: y\n"), [""; 0]);
    }

    #[test]
    fn commands_over_several_lines_are_one() {
        let folded = "steps:\n  - run: >\n      uvx tox run\n      -f tests\n  - run: |\n      go test \\\n        ./...\n      go vet\n";
        assert_eq!(lines(folded), ["3 uvx tox run -f tests", "6 go test ./...", "8 go vet"]);
    }

    #[test]
    fn steps_in_another_folder_say_nothing_about_the_root() {
        let steps = "steps:\n  - run: npm test\n    working-directory: website\n  - name: x\n    working-directory: docs\n    run: |\n      make build\n  - run: cargo test\n    working-directory: ./\n";
        assert_eq!(lines(steps), ["8 cargo test"]);
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
