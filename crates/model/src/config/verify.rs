//! `[verify]` and `[implement]`: the commands that verify work, and the limits of an implementation.

use super::layers::Settings;
use crate::escape::printable;
use crate::implement::argv::shown_argv;
use crate::implement::proof::{ProofError, check_name};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Commands that verify work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerifySettings {
    /// Prepares a new worktree.
    pub setup: Option<VerifyCommand>,
    pub build: Option<VerifyCommand>,
    pub lint: Option<VerifyCommand>,
    pub types: Option<VerifyCommand>,
    pub test: Option<VerifyCommand>,
    /// Verifies one task.
    pub fast: Option<VerifyCommand>,
    /// Runs one test; `{test}` stands for its name.
    pub test_one: Option<VerifyCommand>,
    /// Limit of one command in seconds.
    pub timeout: u64,
    /// True if verify commands may use the network.
    pub network: bool,
}

/// A command of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VerifyCommand {
    /// A line for `sh -c`.
    Line(String),
    /// Program and arguments.
    Argv(Vec<String>),
}

/// Kind of a verify command, in the order they are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerifyKind {
    Build,
    Lint,
    Types,
    Test,
}

impl VerifyKind {
    pub const ALL: [VerifyKind; 4] =
        [VerifyKind::Build, VerifyKind::Lint, VerifyKind::Types, VerifyKind::Test];

    /// Name in settings.
    pub fn name(self) -> &'static str {
        match self {
            VerifyKind::Build => "build",
            VerifyKind::Lint => "lint",
            VerifyKind::Types => "types",
            VerifyKind::Test => "test",
        }
    }
}

/// Limits of an implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplementSettings {
    pub parallel: usize,
    pub rounds: usize,
    pub max_file_bytes: u64,
}

/// A test that cannot be run by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TestCommandError {
    #[error("verify.test_one is not set; it runs one test by its name, such as \"cargo test {{test}}\"")]
    Missing,
    #[error("verify.test_one has no {{test}} where the name of the test goes")]
    NoPlace,
    #[error(transparent)]
    Name(#[from] ProofError),
    #[error("the name of the test '{}' cannot be part of a shell line; write verify.test_one as a list of program and arguments", printable(.0))]
    Unsafe(String),
}

/// Stands for the name of a test in `verify.test_one`.
const PLACE: &str = "{test}";

impl Settings {
    /// The commands that verify work.
    pub fn verify(&self) -> VerifySettings {
        let command =
            |name: &str| VerifyCommand::from_value(&self.values.get(&format!("verify.{name}"))?.value);
        let network = self.values.get("verify.network").and_then(|setting| setting.value.as_bool());
        VerifySettings {
            setup: command("setup"),
            build: command("build"),
            lint: command("lint"),
            types: command("types"),
            test: command("test"),
            fast: command("fast"),
            test_one: command("test_one"),
            timeout: self.whole("verify.timeout", 900),
            network: network.unwrap_or(false),
        }
    }

    /// The limits of an implementation.
    pub fn implement(&self) -> ImplementSettings {
        let size = |name, default| usize::try_from(self.whole(name, default)).unwrap_or(usize::MAX);
        ImplementSettings {
            parallel: size("implement.parallel", 4),
            rounds: size("implement.rounds", 2),
            max_file_bytes: self.whole("implement.max_file_bytes", 1_048_576),
        }
    }
}

impl VerifySettings {
    /// True if no command verifies anything; `setup` and `test_one` verify nothing by themselves.
    pub fn is_empty(&self) -> bool {
        self.all().is_empty() && self.fast.is_none()
    }

    /// The command of a kind.
    pub fn command(&self, kind: VerifyKind) -> Option<&VerifyCommand> {
        match kind {
            VerifyKind::Build => self.build.as_ref(),
            VerifyKind::Lint => self.lint.as_ref(),
            VerifyKind::Types => self.types.as_ref(),
            VerifyKind::Test => self.test.as_ref(),
        }
    }

    /// The commands that verify a whole tree, in order, with their names.
    pub fn all(&self) -> Vec<(&'static str, &VerifyCommand)> {
        VerifyKind::ALL.into_iter().filter_map(|kind| Some((kind.name(), self.command(kind)?))).collect()
    }

    /// The commands that verify one task: `fast`, or all of them.
    pub fn for_task(&self) -> Vec<(&'static str, &VerifyCommand)> {
        match &self.fast {
            Some(fast) => vec![("fast", fast)],
            None => self.all(),
        }
    }

    /// The command that runs one test.
    pub fn one_test(&self, name: &str) -> Result<VerifyCommand, TestCommandError> {
        self.test_one.as_ref().ok_or(TestCommandError::Missing)?.with_test(name)
    }
}

impl VerifyCommand {
    fn from_value(value: &Value) -> Option<VerifyCommand> {
        match value {
            Value::String(line) => Some(VerifyCommand::Line(line.clone())),
            Value::Array(words) => {
                let words =
                    words.iter().map(|word| word.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
                words.filter(|words| !words.is_empty()).map(VerifyCommand::Argv)
            }
            _ => None,
        }
    }

    /// The command as a person would type it.
    pub fn shown(&self) -> String {
        match self {
            VerifyCommand::Line(line) => line.clone(),
            VerifyCommand::Argv(argv) => shown_argv(argv),
        }
    }

    /// The command with the name of a test in place of `{test}`. The name is an agent's text: in a line for the shell it
    /// is quoted, and refused if no quotes can hold it.
    pub fn with_test(&self, name: &str) -> Result<VerifyCommand, TestCommandError> {
        check_name(name)?;
        match self {
            VerifyCommand::Argv(argv) if argv.iter().any(|word| word.contains(PLACE)) => {
                Ok(VerifyCommand::Argv(argv.iter().map(|word| word.replace(PLACE, name)).collect()))
            }
            VerifyCommand::Line(line) if line.contains(PLACE) => {
                if name.contains(['\'', '"', '\\', '$', '`']) {
                    return Err(TestCommandError::Unsafe(name.to_owned()));
                }
                Ok(VerifyCommand::Line(fill_line(line, name)))
            }
            _ => Err(TestCommandError::NoPlace),
        }
    }
}

/// Puts a name into a line: as it is inside of quotes, in quotes of its own elsewhere.
fn fill_line(line: &str, name: &str) -> String {
    let mut filled = String::with_capacity(line.len() + name.len());
    let mut quote: Option<char> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(PLACE) {
            match quote {
                Some(_) => filled.push_str(name),
                None => filled.extend(["'", name, "'"]),
            }
            rest = after;
            continue;
        }
        let mut taken = c.len_utf8();
        match (c, quote) {
            ('\\', None | Some('"')) => taken += rest[taken..].chars().next().map_or(0, char::len_utf8),
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        filled.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Layer, read_layers};

    fn settings(text: &str) -> (Settings, Vec<String>) {
        let (settings, problems) =
            read_layers(&[Layer { origin: "charrette.toml".to_owned(), text: text.to_owned() }]);
        (settings, problems.iter().map(|problem| problem.message().to_owned()).collect())
    }

    #[test]
    fn commands_are_lines_or_lists() {
        let (settings, problems) = settings(
            "[verify]\nbuild = \"make all && make docs\"\ntest = [\"cargo\", \"test\"]\ntest_one = \"cargo test {test}\"\ntimeout = 60\nnetwork = true\n",
        );
        assert_eq!(problems, [""; 0]);
        let verify = settings.verify();
        let names: Vec<_> = verify.all().into_iter().map(|(name, command)| (name, command.shown())).collect();
        assert_eq!(names, [("build", "make all && make docs".to_owned()), ("test", "cargo test".to_owned())]);
        assert_eq!(verify.for_task().len(), 2);
        assert!((verify.timeout, verify.network) == (60, true) && !verify.is_empty());
        let none = super::tests::settings("").0;
        assert!(none.verify().is_empty() && none.verify().timeout == 900 && !none.verify().network);
        assert_eq!(none.implement(), ImplementSettings { parallel: 4, rounds: 2, max_file_bytes: 1_048_576 });
    }

    #[test]
    fn other_values_are_refused() {
        for value in ["[]", "[\"\"]", "\" \"", "1", "[1]", "true"] {
            let (settings, problems) = settings(&format!("[verify]\ntest = {value}\n"));
            assert!(
                problems[0].contains("verify.test takes a list of program and arguments, or a line for sh"),
                "{problems:?}"
            );
            assert_eq!(settings.verify().test, None);
        }
    }

    #[test]
    fn the_name_of_a_test_never_becomes_a_command() {
        let line = |text: &str| VerifyCommand::Line(text.to_owned());
        for (template, name, filled) in [
            ("cargo test {test}", "a::b", "cargo test 'a::b'"),
            ("pytest \"{test}\"", "t.py::x[1-2]", "pytest \"t.py::x[1-2]\""),
            ("jest -t '{test}'", "adds; rm -rf x", "jest -t 'adds; rm -rf x'"),
            ("jest -t {test} # {test}", "a & b", "jest -t 'a & b' # 'a & b'"),
            ("echo \\\" {test}", "a", "echo \\\" 'a'"),
        ] {
            assert_eq!(line(template).with_test(name), Ok(line(filled)));
        }
        for name in ["a'b", "a$(b)", "a`b`", "a\"b", "a\\", "-a", ""] {
            assert!(line("x {test}").with_test(name).is_err(), "{name}");
        }
        let argv = VerifyCommand::Argv(vec!["go".to_owned(), "-run=^{test}$".to_owned()]);
        assert_eq!(
            argv.with_test("Test'A"),
            Ok(VerifyCommand::Argv(vec!["go".to_owned(), "-run=^Test'A$".to_owned()]))
        );
        assert_eq!(line("cargo test").with_test("a"), Err(TestCommandError::NoPlace));
        assert_eq!(VerifySettings::default().one_test("a"), Err(TestCommandError::Missing));
    }
}
