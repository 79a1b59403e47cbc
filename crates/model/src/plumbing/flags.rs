//! The flag parser of plumbing commands.
//!
//! Flags are `--name value` or `--name`; nothing is abbreviated, nothing is joined with `=`. A value that
//! starts with `--` is a missing value; the last of a repeated flag wins. The parser returns the first error;
//! each command turns it into the words and exit code of its own contract.

/// A flag that a command accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// A flag without a value.
    Switch(&'static str),
    /// A flag with a value: the next argument.
    Value(&'static str),
}

impl Flag {
    fn name(self) -> &'static str {
        match self {
            Flag::Switch(name) | Flag::Value(name) => name,
        }
    }
}

/// Flags and arguments that a command accepts.
#[derive(Debug, Clone, Copy)]
pub struct FlagGrammar {
    pub flags: &'static [Flag],
    /// True if it takes positional arguments.
    pub takes_arguments: bool,
}

/// Parsed flags and arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedFlags<'a> {
    flags: Vec<(&'static str, &'a str)>,
    /// Positional arguments.
    pub arguments: Vec<&'a str>,
}

impl<'a> ParsedFlags<'a> {
    /// The value of a flag, the last one if it was repeated.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        self.flags.iter().rev().find(|(typed, _)| *typed == name).map(|(_, value)| *value)
    }

    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }
}

/// The first error of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagError<'a> {
    /// An unknown flag.
    Unknown(&'a str),
    /// A flag without its value.
    NoValue(&'static str),
    /// An unexpected positional argument.
    Argument(&'a str),
}

/// Parses `args` by the command's grammar.
///
/// The valid part is returned even on error, because a command may need it to report the error (the path of a
/// log file, for instance).
pub fn parse_flags(args: &[String], grammar: FlagGrammar) -> (ParsedFlags<'_>, Option<FlagError<'_>>) {
    let mut typed = ParsedFlags::default();
    let mut first_problem = None;
    let mut args = args.iter().map(String::as_str).peekable();
    while let Some(arg) = args.next() {
        let flag = grammar.flags.iter().find(|flag| flag.name() == arg);
        let problem = match flag {
            None if !arg.starts_with("--") => {
                typed.arguments.push(arg);
                (!grammar.takes_arguments).then_some(FlagError::Argument(arg))
            }
            None => Some(FlagError::Unknown(arg)),
            Some(Flag::Switch(name)) => {
                typed.flags.push((name, ""));
                None
            }
            Some(Flag::Value(name)) => match args.next_if(|next| !next.starts_with("--")) {
                Some(value) => {
                    typed.flags.push((name, value));
                    None
                }
                None => Some(FlagError::NoValue(name)),
            },
        };
        first_problem = first_problem.or(problem);
    }
    (typed, first_problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[Flag::Value("--file"), Flag::Switch("--from-md")];
    const OPEN: FlagGrammar = FlagGrammar { flags: FLAGS, takes_arguments: true };
    const CLOSED: FlagGrammar = FlagGrammar { flags: FLAGS, takes_arguments: false };

    fn owned(args: &[&str]) -> Vec<String> {
        args.iter().map(|&arg| arg.to_owned()).collect()
    }

    #[test]
    fn the_last_of_a_repeated_flag_counts_and_an_empty_value_is_a_value() {
        let args = owned(&["--file", "a", "x", "--from-md", "--file", "", "y"]);
        let (typed, problem) = parse_flags(&args, OPEN);
        assert_eq!(problem, None);
        assert_eq!(typed.value("--file"), Some(""));
        assert!(typed.has("--from-md"));
        assert_eq!(typed.arguments, ["x", "y"]);
    }

    #[test]
    fn the_first_problem_is_named_and_the_rest_is_still_read() {
        for (args, problem) in [
            (&["--nope", "--file"][..], FlagError::Unknown("--nope")),
            (&["--file"], FlagError::NoValue("--file")),
            (&["--file", "--from-md"], FlagError::NoValue("--file")),
            (&["--file=x"], FlagError::Unknown("--file=x")),
            (&["--"], FlagError::Unknown("--")),
            (&["-x", "--nope"], FlagError::Argument("-x")),
        ] {
            assert_eq!(parse_flags(&owned(args), CLOSED).1, Some(problem), "{args:?}");
        }
        let args = owned(&["--file", "--from-md"]);
        assert!(parse_flags(&args, CLOSED).0.has("--from-md"));
    }
}
