//! The small flag reader of the contract plumbing.
//!
//! Flags are `--name value` or `--name`; nothing is abbreviated, nothing is joined with `=`. A value that
//! starts with `--` is a missing value, a repeated flag counts the last time. The reader says what is wrong,
//! in order of appearance; each command puts that into the words and exit code of its own contract.

/// One flag a command knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// It is there or not.
    Switch(&'static str),
    /// It takes the next argument.
    Value(&'static str),
}

impl Flag {
    fn name(self) -> &'static str {
        match self {
            Flag::Switch(name) | Flag::Value(name) => name,
        }
    }
}

/// What a command accepts.
#[derive(Debug, Clone, Copy)]
pub struct Grammar {
    /// Its flags.
    pub flags: &'static [Flag],
    /// Whether it takes arguments that are not flags.
    pub takes_arguments: bool,
}

/// The flags and arguments that were typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed<'a> {
    flags: Vec<(&'static str, &'a str)>,
    /// What is not a flag, in order.
    pub arguments: Vec<&'a str>,
}

impl<'a> Typed<'a> {
    /// The value of a flag, the last one if it was repeated.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        self.flags.iter().rev().find(|(typed, _)| *typed == name).map(|(_, value)| *value)
    }

    /// Whether a flag was typed at all.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }
}

/// The first thing that is wrong with what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagProblem<'a> {
    /// It starts with `--` and is not known.
    Unknown(&'a str),
    /// It takes a value and has none.
    NoValue(&'static str),
    /// It is no flag, and the command takes nothing else.
    Argument(&'a str),
}

/// Reads `args` as the command's grammar says.
///
/// What could be understood is returned even if something is wrong, because a command may need it to say so
/// (a log file to report to, for instance).
pub fn read(args: &[String], grammar: Grammar) -> (Typed<'_>, Option<FlagProblem<'_>>) {
    let mut typed = Typed::default();
    let mut first_problem = None;
    let mut args = args.iter().map(String::as_str).peekable();
    while let Some(arg) = args.next() {
        let flag = grammar.flags.iter().find(|flag| flag.name() == arg);
        let problem = match flag {
            None if !arg.starts_with("--") => {
                typed.arguments.push(arg);
                (!grammar.takes_arguments).then_some(FlagProblem::Argument(arg))
            }
            None => Some(FlagProblem::Unknown(arg)),
            Some(Flag::Switch(name)) => {
                typed.flags.push((name, ""));
                None
            }
            Some(Flag::Value(name)) => match args.next_if(|next| !next.starts_with("--")) {
                Some(value) => {
                    typed.flags.push((name, value));
                    None
                }
                None => Some(FlagProblem::NoValue(name)),
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
    const OPEN: Grammar = Grammar { flags: FLAGS, takes_arguments: true };
    const CLOSED: Grammar = Grammar { flags: FLAGS, takes_arguments: false };

    fn owned(args: &[&str]) -> Vec<String> {
        args.iter().map(|&arg| arg.to_owned()).collect()
    }

    #[test]
    fn the_last_of_a_repeated_flag_counts_and_an_empty_value_is_a_value() {
        let args = owned(&["--file", "a", "x", "--from-md", "--file", "", "y"]);
        let (typed, problem) = read(&args, OPEN);
        assert_eq!(problem, None);
        assert_eq!(typed.value("--file"), Some(""));
        assert!(typed.has("--from-md"));
        assert_eq!(typed.arguments, ["x", "y"]);
    }

    #[test]
    fn the_first_problem_is_named_and_the_rest_is_still_read() {
        for (args, problem) in [
            (&["--nope", "--file"][..], FlagProblem::Unknown("--nope")),
            (&["--file"], FlagProblem::NoValue("--file")),
            (&["--file", "--from-md"], FlagProblem::NoValue("--file")),
            (&["--file=x"], FlagProblem::Unknown("--file=x")),
            (&["--"], FlagProblem::Unknown("--")),
            (&["-x", "--nope"], FlagProblem::Argument("-x")),
        ] {
            assert_eq!(read(&owned(args), CLOSED).1, Some(problem), "{args:?}");
        }
        let args = owned(&["--file", "--from-md"]);
        assert!(read(&args, CLOSED).0.has("--from-md"));
    }
}
