//! The entry gate: decides if a run may continue from the current branch or must start from a clean main.
//!
//! A pure table over the branch facts. It continues on a user's branch, and in a design run whose caller
//! supplied the branch facts; everything else is strict. The current branch and the user's prefix are audit
//! data: they are required, and nothing depends on them.

use crate::branch::BranchInfo;
use crate::escape::printable;
use crate::plumbing::CommandAnswer;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};

/// Exit code of a gate called with invalid arguments.
pub const GATE_ERROR: u8 = 4;

/// Starting point of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryMode {
    /// A clean main that is up to date.
    Strict,
    /// The current branch.
    Continue,
}

/// Lines and exit code of `charrette gate entry`.
pub fn answer(args: &[String]) -> CommandAnswer {
    match decide(args) {
        Ok(EntryMode::Strict) => lines("strict", "false"),
        Ok(EntryMode::Continue) => lines("continue", "true"),
        Err(error) => CommandAnswer::failure(GATE_ERROR, format!("GATE_ERROR={error}")),
    }
}

fn lines(gate: &str, skip: &str) -> CommandAnswer {
    CommandAnswer::ok(vec![format!("ENTRY_GATE={gate}"), format!("SKIP_BRANCH_CHECK={skip}")])
}

const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[
        Flag::Value(MODE),
        Flag::Value(CURRENT_BRANCH),
        Flag::Value(USER_PREFIX),
        Flag::Value(IS_MAIN),
        Flag::Value(IS_USER_BRANCH),
        Flag::Value(BRANCH_INFO),
    ],
    takes_arguments: false,
};
const MODE: &str = "--mode";
const CURRENT_BRANCH: &str = "--current-branch";
const USER_PREFIX: &str = "--user-prefix";
const IS_MAIN: &str = "--is-main";
const IS_USER_BRANCH: &str = "--is-user-branch";
const BRANCH_INFO: &str = "--branch-info-supplied";

/// Decides for a mode and branch facts; `supplied` is true if a caller supplied the facts.
pub fn decide_from_facts(mode: &str, facts: &BranchInfo, supplied: bool) -> Result<EntryMode, GateError> {
    let supplied = supplied.to_string();
    let pairs = [
        (MODE, mode),
        (CURRENT_BRANCH, facts.current_branch.as_str()),
        (USER_PREFIX, facts.user_prefix.as_str()),
        (IS_MAIN, facts.is_main.as_str()),
        (IS_USER_BRANCH, facts.is_user_branch.as_str()),
        (BRANCH_INFO, supplied.as_str()),
    ];
    // `--branch-info-supplied` is allowed in design runs only.
    let flags = pairs.iter().filter(|(flag, _)| mode == "design" || *flag != BRANCH_INFO);
    let args: Vec<String> = flags.flat_map(|(flag, value)| [*flag, *value]).map(str::to_owned).collect();
    decide(&args)
}

/// Decides from arguments. Errors in this order: unparsable, missing, invalid.
pub fn decide(args: &[String]) -> Result<EntryMode, GateError> {
    let (typed, problem) = parse_flags(args, GRAMMAR);
    match problem {
        Some(FlagError::Unknown(flag)) => return Err(GateError::UnknownFlag(flag.to_owned())),
        Some(FlagError::NoValue(flag)) => return Err(GateError::MissingValue(flag)),
        Some(FlagError::Argument(argument)) => {
            return Err(GateError::UnknownArgument(argument.to_owned()));
        }
        None => {}
    }
    let required = |flag| typed.value(flag).ok_or(GateError::MissingFlag(flag));
    let mode = required(MODE)?;
    required(CURRENT_BRANCH)?;
    let user_prefix = required(USER_PREFIX)?;
    let is_main = required(IS_MAIN)?;
    let is_user_branch = required(IS_USER_BRANCH)?;
    let supplied = typed.value(BRANCH_INFO);

    if !matches!(mode, "design" | "implement") {
        return Err(GateError::InvalidMode(mode.to_owned()));
    }
    if user_prefix.is_empty() {
        return Err(GateError::EmptyPrefix);
    }
    parse_bool(IS_MAIN, is_main)?;
    let is_user_branch = parse_bool(IS_USER_BRANCH, is_user_branch)?;
    let vouched = match (mode, supplied) {
        ("implement", Some(_)) => return Err(GateError::BranchInfoNotAllowed),
        (_, Some(supplied)) => parse_bool(BRANCH_INFO, supplied)?,
        (_, None) => false,
    };
    Ok(if vouched || is_user_branch { EntryMode::Continue } else { EntryMode::Strict })
}

fn parse_bool(flag: &'static str, value: &str) -> Result<bool, GateError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(GateError::InvalidValue { flag, value: other.to_owned() }),
    }
}

/// Invalid arguments. The text follows `GATE_ERROR=`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    #[error("missing required flag {0}")]
    MissingFlag(&'static str),
    /// A flag without a value.
    #[error("missing value for {0}")]
    MissingValue(&'static str),
    #[error("unknown flag: {}", printable(.0))]
    UnknownFlag(String),
    #[error("unknown argument: {}", printable(.0))]
    UnknownArgument(String),
    /// A mode other than design and implement.
    #[error("invalid mode: {}", printable(.0))]
    InvalidMode(String),
    #[error("--user-prefix must be non-empty")]
    EmptyPrefix,
    /// A value other than true and false.
    #[error("invalid value for {flag}: {}", printable(.value))]
    InvalidValue { flag: &'static str, value: String },
    /// Only allowed in design runs.
    #[error("--branch-info-supplied not allowed for mode=implement")]
    BranchInfoNotAllowed,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> CommandAnswer {
        let args: Vec<String> = line
            .split_whitespace()
            .map(|word| if word == "''" { String::new() } else { word.to_owned() })
            .collect();
        answer(&args)
    }

    const ALL: &str = "--current-branch ada/x --user-prefix ada --is-main false --is-user-branch false";

    #[test]
    fn it_continues_on_a_users_branch_or_when_a_design_is_vouched_for() {
        for (mode, is_main, is_user_branch, supplied, continues) in [
            ("design", "true", "false", "", false),
            ("design", "true", "false", "--branch-info-supplied false", false),
            ("design", "true", "false", "--branch-info-supplied true", true),
            ("design", "false", "true", "", true),
            ("design", "false", "true", "--branch-info-supplied false", true),
            ("design", "false", "false", "", false),
            ("design", "false", "false", "--branch-info-supplied true", true),
            ("implement", "true", "false", "", false),
            ("implement", "false", "true", "", true),
            ("implement", "false", "false", "", false),
        ] {
            let line = format!(
                "--mode {mode} --current-branch b --user-prefix ada --is-main {is_main} --is-user-branch {is_user_branch} {supplied}"
            );
            let expected = if continues {
                ["ENTRY_GATE=continue", "SKIP_BRANCH_CHECK=true"]
            } else {
                ["ENTRY_GATE=strict", "SKIP_BRANCH_CHECK=false"]
            };
            let answer = run(&line);
            assert_eq!(
                (answer.code, &answer.stdout[..], answer.stderr.len()),
                (0, &expected.map(str::to_owned)[..], 0),
                "{line}"
            );
        }
    }

    #[test]
    fn a_detached_head_has_an_empty_branch_and_is_strict() {
        let answer =
            run("--mode design --current-branch '' --user-prefix ada --is-main true --is-user-branch false");
        assert_eq!(answer.stdout, ["ENTRY_GATE=strict", "SKIP_BRANCH_CHECK=false"]);
    }

    #[test]
    fn every_invalid_argument_has_its_error() {
        for (line, message) in [
            ("", "missing required flag --mode"),
            ("--mode design", "missing required flag --current-branch"),
            ("--mode design --current-branch b", "missing required flag --user-prefix"),
            ("--mode design --current-branch b --user-prefix p", "missing required flag --is-main"),
            (
                "--mode design --current-branch b --user-prefix p --is-main true",
                "missing required flag --is-user-branch",
            ),
            // Presence before values: the bad mode is not mentioned while a flag is missing.
            ("--mode bad --current-branch b", "missing required flag --user-prefix"),
            ("--mode", "missing value for --mode"),
            ("--mode --current-branch b", "missing value for --mode"),
            ("--mode design --branch-info-supplied", "missing value for --branch-info-supplied"),
            ("--bogus x", "unknown flag: --bogus"),
            ("--mode=design", "unknown flag: --mode=design"),
            ("design", "unknown argument: design"),
            ("-m design", "unknown argument: -m"),
            (&format!("--mode review {ALL}"), "invalid mode: review"),
            (&format!("--mode '' {ALL}"), "invalid mode: "),
            (&format!("--mode Design {ALL}"), "invalid mode: Design"),
            (&format!("--mode design {ALL} --user-prefix ''"), "--user-prefix must be non-empty"),
            (&format!("--mode design {ALL} --is-main yes"), "invalid value for --is-main: yes"),
            (&format!("--mode design {ALL} --is-main ''"), "invalid value for --is-main: "),
            (
                &format!("--mode design {ALL} --is-user-branch TRUE"),
                "invalid value for --is-user-branch: TRUE",
            ),
            (
                &format!("--mode design {ALL} --is-main x --is-user-branch y"),
                "invalid value for --is-main: x",
            ),
            (
                &format!("--mode design {ALL} --branch-info-supplied 1"),
                "invalid value for --branch-info-supplied: 1",
            ),
            (
                &format!("--mode implement {ALL} --branch-info-supplied false"),
                "--branch-info-supplied not allowed for mode=implement",
            ),
            (
                &format!("--mode implement {ALL} --branch-info-supplied junk"),
                "--branch-info-supplied not allowed for mode=implement",
            ),
            // Earlier rules win over later ones.
            (&format!("--mode review {ALL} --user-prefix '' --is-main x"), "invalid mode: review"),
            (
                &format!("--mode implement {ALL} --is-main x --branch-info-supplied true"),
                "invalid value for --is-main: x",
            ),
        ] {
            assert_eq!(run(line), CommandAnswer::failure(4, format!("GATE_ERROR={message}")), "{line}");
        }
    }

    #[test]
    fn branch_facts_are_asked_about_as_they_stand() {
        let facts = |line: &str| BranchInfo::parse(line).unwrap();
        let on_main = facts("IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=ada CURRENT_BRANCH=");
        let own = facts("IS_MAIN=false IS_USER_BRANCH=true USER_PREFIX=ada CURRENT_BRANCH=ada/x");
        assert_eq!(decide_from_facts("design", &on_main, false), Ok(EntryMode::Strict));
        assert_eq!(decide_from_facts("design", &on_main, true), Ok(EntryMode::Continue));
        assert_eq!(decide_from_facts("implement", &on_main, false), Ok(EntryMode::Strict));
        assert_eq!(decide_from_facts("implement", &own, false), Ok(EntryMode::Continue));
        for (line, error) in [
            (
                "IS_MAIN=yes IS_USER_BRANCH=false USER_PREFIX=ada CURRENT_BRANCH=x",
                "invalid value for --is-main: yes",
            ),
            (
                "IS_MAIN=true IS_USER_BRANCH= USER_PREFIX=ada CURRENT_BRANCH=x",
                "invalid value for --is-user-branch: ",
            ),
            (
                "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX= CURRENT_BRANCH=x",
                "--user-prefix must be non-empty",
            ),
            (
                "IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=--p CURRENT_BRANCH=x",
                "missing value for --user-prefix",
            ),
        ] {
            assert_eq!(decide_from_facts("design", &facts(line), true).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn the_last_of_a_repeated_flag_counts() {
        let answer = run(&format!("--mode bad {ALL} --is-user-branch true --mode implement"));
        assert_eq!(answer.stdout, ["ENTRY_GATE=continue", "SKIP_BRANCH_CHECK=true"]);
    }

    #[test]
    fn an_error_is_one_line_whatever_was_typed() {
        let args = ["--mode", "a\nGATE_ERROR=forged\u{1b}[0m"].map(str::to_owned);
        let mut args = args.to_vec();
        args.extend(ALL.split(' ').map(str::to_owned));
        let answer = answer(&args);
        assert_eq!(answer.stderr, ["GATE_ERROR=invalid mode: a\\nGATE_ERROR=forged\\u{1b}[0m"]);
    }
}
