//! The entry gate: may a run continue from the current branch, or must it start from a clean main?
//!
//! A pure table over the branch facts. It continues on a user's branch, and in a design run whose caller
//! vouches for the branch; everything else is strict. The current branch and the user's prefix are only there
//! for the audit trail: they must be given, and nothing is read out of them.

use crate::branch::BranchInfo;
use crate::plumbing::Answer;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::shown::shown;

/// The exit code of a gate that was asked wrongly.
pub const GATE_ERROR: u8 = 4;

/// How a run may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// From a clean main that is up to date.
    Strict,
    /// From where it is.
    Continue,
}

/// Everything `charrette gate entry` says to these arguments.
pub fn answer(args: &[String]) -> Answer {
    match decide(args) {
        Ok(Entry::Strict) => lines("strict", "false"),
        Ok(Entry::Continue) => lines("continue", "true"),
        Err(error) => Answer::refused(GATE_ERROR, format!("GATE_ERROR={error}")),
    }
}

fn lines(gate: &str, skip: &str) -> Answer {
    Answer::ok(vec![format!("ENTRY_GATE={gate}"), format!("SKIP_BRANCH_CHECK={skip}")])
}

const GRAMMAR: Grammar = Grammar {
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

/// Asks for a run in a mode with these branch facts; `supplied` says whether a caller vouches for them.
pub fn ask(mode: &str, facts: &BranchInfo, supplied: bool) -> Result<Entry, GateError> {
    let supplied = supplied.to_string();
    let question = [
        (MODE, mode),
        (CURRENT_BRANCH, facts.current_branch.as_str()),
        (USER_PREFIX, facts.user_prefix.as_str()),
        (IS_MAIN, facts.is_main.as_str()),
        (IS_USER_BRANCH, facts.is_user_branch.as_str()),
        (BRANCH_INFO, supplied.as_str()),
    ];
    // Only a design run can be vouched for, and nobody else may say whether it is.
    let said = question.iter().filter(|(flag, _)| mode == "design" || *flag != BRANCH_INFO);
    let args: Vec<String> = said.flat_map(|(flag, value)| [*flag, *value]).map(str::to_owned).collect();
    decide(&args)
}

/// Decides. First what cannot be read, then what is missing, then what is wrong.
pub fn decide(args: &[String]) -> Result<Entry, GateError> {
    let (typed, problem) = read(args, GRAMMAR);
    match problem {
        Some(FlagProblem::Unknown(flag)) => return Err(GateError::UnknownFlag(flag.to_owned())),
        Some(FlagProblem::NoValue(flag)) => return Err(GateError::MissingValue(flag)),
        Some(FlagProblem::Argument(argument)) => {
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
    truth(IS_MAIN, is_main)?;
    let is_user_branch = truth(IS_USER_BRANCH, is_user_branch)?;
    let vouched = match (mode, supplied) {
        ("implement", Some(_)) => return Err(GateError::BranchInfoNotAllowed),
        (_, Some(supplied)) => truth(BRANCH_INFO, supplied)?,
        (_, None) => false,
    };
    Ok(if vouched || is_user_branch { Entry::Continue } else { Entry::Strict })
}

fn truth(flag: &'static str, value: &str) -> Result<bool, GateError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(GateError::InvalidValue { flag, value: other.to_owned() }),
    }
}

/// Why the gate could not decide. The words stand after `GATE_ERROR=`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// A flag that must be there is not.
    #[error("missing required flag {0}")]
    MissingFlag(&'static str),
    /// A flag has nothing behind it, or another flag.
    #[error("missing value for {0}")]
    MissingValue(&'static str),
    /// A flag nobody knows.
    #[error("unknown flag: {}", shown(.0))]
    UnknownFlag(String),
    /// Something that is no flag.
    #[error("unknown argument: {}", shown(.0))]
    UnknownArgument(String),
    /// A mode other than design and implement.
    #[error("invalid mode: {}", shown(.0))]
    InvalidMode(String),
    /// A prefix that says nothing.
    #[error("--user-prefix must be non-empty")]
    EmptyPrefix,
    /// Something other than true and false.
    #[error("invalid value for {flag}: {}", shown(.value))]
    InvalidValue {
        /// The flag.
        flag: &'static str,
        /// What stood behind it.
        value: String,
    },
    /// Only a design run can be vouched for.
    #[error("--branch-info-supplied not allowed for mode=implement")]
    BranchInfoNotAllowed,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Answer {
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
            let answer = asked(&line);
            assert_eq!(
                (answer.code, &answer.stdout[..], answer.stderr.len()),
                (0, &expected.map(str::to_owned)[..], 0),
                "{line}"
            );
        }
    }

    #[test]
    fn a_detached_head_has_an_empty_branch_and_is_strict() {
        let answer = asked(
            "--mode design --current-branch '' --user-prefix ada --is-main true --is-user-branch false",
        );
        assert_eq!(answer.stdout, ["ENTRY_GATE=strict", "SKIP_BRANCH_CHECK=false"]);
    }

    #[test]
    fn every_wrong_question_has_its_own_words() {
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
            assert_eq!(asked(line), Answer::refused(4, format!("GATE_ERROR={message}")), "{line}");
        }
    }

    #[test]
    fn branch_facts_are_asked_about_as_they_stand() {
        let facts = |line: &str| BranchInfo::parse(line).unwrap();
        let on_main = facts("IS_MAIN=true IS_USER_BRANCH=false USER_PREFIX=ada CURRENT_BRANCH=");
        let own = facts("IS_MAIN=false IS_USER_BRANCH=true USER_PREFIX=ada CURRENT_BRANCH=ada/x");
        assert_eq!(ask("design", &on_main, false), Ok(Entry::Strict));
        assert_eq!(ask("design", &on_main, true), Ok(Entry::Continue));
        assert_eq!(ask("implement", &on_main, false), Ok(Entry::Strict));
        assert_eq!(ask("implement", &own, false), Ok(Entry::Continue));
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
            assert_eq!(ask("design", &facts(line), true).unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn the_last_of_a_repeated_flag_counts() {
        let answer = asked(&format!("--mode bad {ALL} --is-user-branch true --mode implement"));
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
