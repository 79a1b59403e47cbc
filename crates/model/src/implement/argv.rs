//! Command lines that are split into program and arguments and never reach a shell.
//!
//! Quotes and backslashes mean what they mean in a shell. Everything that a shell would act on (pipes, redirections,
//! lists, substitutions, variables, globs, assignments) is refused unless it is quoted, so that a line never means
//! something else to its reader than to the program that executes it.

use crate::escape::printable;

/// Maximum length of a command line in bytes.
const MAX_BYTES: usize = 4096;

/// Shells; a proof does not start one with a line of its own.
const SHELLS: [&str; 9] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "cmd", "powershell", "pwsh"];

/// Command line that cannot be executed without a shell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgvError {
    #[error("there is no command")]
    Empty,
    #[error("the command is longer than {MAX_BYTES} bytes")]
    TooLong,
    #[error("a quotation mark is never closed")]
    Unclosed,
    #[error("a backslash ends the command")]
    Dangling,
    #[error("'{}' works in a shell only, and there is none; quote it, or put the line into a script", printable(.0))]
    Operator(String),
    #[error("'{}' sets a variable, which works in a shell only; put the line into a script", printable(.0))]
    Assignment(String),
    #[error("{} is a shell; name the program itself, or a script of the repository", printable(.0))]
    Shell(String),
    #[error("the command has a control character")]
    Control,
}

/// Splits a line into program and arguments.
pub fn parse_argv(line: &str) -> Result<Vec<String>, ArgvError> {
    if line.len() > MAX_BYTES {
        return Err(ArgvError::TooLong);
    }
    if line.chars().any(|c| c.is_control() && c != '\t') {
        return Err(ArgvError::Control);
    }
    let mut argv = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => argv.extend(word.take()),
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('\'') => break,
                        Some(c) => text.push(c),
                        None => return Err(ArgvError::Unclosed),
                    }
                }
            }
            '"' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next() {
                        Some('"') => break,
                        Some('\\') => match chars.next() {
                            Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                            Some(c) => text.extend(['\\', c]),
                            None => return Err(ArgvError::Unclosed),
                        },
                        Some(c @ ('$' | '`')) => return Err(ArgvError::Operator(c.to_string())),
                        Some(c) => text.push(c),
                        None => return Err(ArgvError::Unclosed),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next().ok_or(ArgvError::Dangling)?),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '*' | '?' => {
                let mut operator = c.to_string();
                operator.extend(chars.next_if_eq(&c).filter(|_| matches!(c, '|' | '&' | '<' | '>')));
                return Err(ArgvError::Operator(operator));
            }
            '~' | '#' if word.is_none() => return Err(ArgvError::Operator(c.to_string())),
            c => word.get_or_insert_default().push(c),
        }
    }
    argv.extend(word);
    check_program(&argv)?;
    Ok(argv)
}

/// Checks that a list of program and arguments is one, as it is written in `spec.json`.
pub fn check_argv(argv: &[String]) -> Result<(), ArgvError> {
    if argv.iter().map(String::len).sum::<usize>() > MAX_BYTES {
        return Err(ArgvError::TooLong);
    }
    if argv.iter().any(|word| word.chars().any(char::is_control)) {
        return Err(ArgvError::Control);
    }
    check_program(argv)
}

fn check_program(argv: &[String]) -> Result<(), ArgvError> {
    let Some(program) = argv.first().filter(|program| !program.trim().is_empty()) else {
        return Err(ArgvError::Empty);
    };
    if program.split_once('=').is_some_and(|(name, _)| is_variable(name)) {
        return Err(ArgvError::Assignment(program.clone()));
    }
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).trim_end_matches(".exe").to_lowercase();
    let runs_line = |word: &String| {
        word == "-Command"
            || word == "/c"
            || (word.starts_with('-') && !word.starts_with("--") && word.contains('c'))
    };
    // `env`, `timeout`, `nice` and the like start the program behind them.
    let shell = argv.iter().position(|word| SHELLS.contains(&base(word).as_str()));
    match shell {
        Some(at) if (at == 0 || is_wrapper(&base(program))) && argv[at + 1..].iter().any(runs_line) => {
            Err(ArgvError::Shell(argv[at].clone()))
        }
        _ => Ok(()),
    }
}

fn is_wrapper(program: &str) -> bool {
    matches!(
        program,
        "env" | "timeout" | "nice" | "nohup" | "time" | "xargs" | "sudo" | "doas" | "stdbuf" | "setsid"
    )
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The command as a person would type it, quoted where it has to be.
pub fn shown_argv(argv: &[String]) -> String {
    let quoted = argv.iter().map(|word| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+[]{}^".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_split_as_a_shell_would() {
        for (line, argv) in [
            ("cargo test limit", vec!["cargo", "test", "limit"]),
            ("pytest -k 'a and b'", vec!["pytest", "-k", "a and b"]),
            ("pytest \"tests/x.py::T[1-2]\"", vec!["pytest", "tests/x.py::T[1-2]"]),
            ("go test ./... -run '^TestA$'", vec!["go", "test", "./...", "-run", "^TestA$"]),
            ("a \"say \\\"hi\\\" \\$5\"", vec!["a", "say \"hi\" $5"]),
            ("a b\\ c  ''", vec!["a", "b c", ""]),
            ("make -j2 X=1", vec!["make", "-j2", "X=1"]),
            ("bash tests/run.sh", vec!["bash", "tests/run.sh"]),
        ] {
            assert_eq!(parse_argv(line), Ok(argv.into_iter().map(str::to_owned).collect()), "{line}");
        }
    }

    #[test]
    fn what_needs_a_shell_is_refused() {
        for line in [
            "a | b",
            "a && b",
            "a; b",
            "a > b",
            "a < b",
            "a $(b)",
            "a `b`",
            "a $HOME",
            "a \"$HOME\"",
            "a *.rs",
            "a (b)",
            "a ~/x",
            "a # b",
            "a &",
            "rm -rf x || true",
        ] {
            assert!(matches!(parse_argv(line), Err(ArgvError::Operator(_))), "{line}");
        }
        for (line, error) in [
            ("", ArgvError::Empty),
            ("''", ArgvError::Empty),
            ("a 'b", ArgvError::Unclosed),
            ("a \"b", ArgvError::Unclosed),
            ("a \\", ArgvError::Dangling),
            ("X=1 a", ArgvError::Assignment("X=1".to_owned())),
            ("sh -c 'a; b'", ArgvError::Shell("sh".to_owned())),
            ("/bin/bash -lc x", ArgvError::Shell("/bin/bash".to_owned())),
            ("env A=1 sh -c x", ArgvError::Shell("sh".to_owned())),
            ("a\nb", ArgvError::Control),
        ] {
            assert_eq!(parse_argv(line), Err(error), "{line}");
        }
        assert_eq!(
            parse_argv("a && b").unwrap_err().to_string(),
            "'&&' works in a shell only, and there is none; quote it, or put the line into a script"
        );
    }

    proptest! {
        #[test]
        fn shown_lines_are_read_again(argv in prop::collection::vec("[a-z$*;'\" |\\\\-]{1,8}", 1..5)) {
            let read = parse_argv(&shown_argv(&argv));
            if check_argv(&argv).is_ok() {
                prop_assert_eq!(read, Ok(argv));
            }
        }

        #[test]
        fn any_line_is_split_or_refused(line in "\\PC{0,40}") {
            if let Ok(argv) = parse_argv(&line) {
                prop_assert!(!argv[0].is_empty());
            }
        }
    }
}
