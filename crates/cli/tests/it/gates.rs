//! `charrette gate entry` and `charrette session-env get`: exact lines, exact codes.

use crate::charrette;
use charrette_testkit::{Output, Sandbox};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

fn entry(sandbox: &Sandbox, line: &str) -> Output {
    let words = line.split_whitespace().map(|word| if word == "''" { "" } else { word });
    let args: Vec<&str> = ["gate", "entry"].into_iter().chain(words).collect();
    charrette(sandbox, &args)
}

const CONTINUE: &str = "ENTRY_GATE=continue\nSKIP_BRANCH_CHECK=true\n";
const STRICT: &str = "ENTRY_GATE=strict\nSKIP_BRANCH_CHECK=false\n";

#[test]
fn a_run_continues_or_starts_from_a_clean_main() {
    let sandbox = Sandbox::new();
    for (line, answer) in [
        (
            "--mode design --current-branch main --user-prefix ada --is-main true --is-user-branch false",
            STRICT,
        ),
        ("--mode design --current-branch '' --user-prefix ada --is-main true --is-user-branch false", STRICT),
        (
            "--mode design --current-branch ada/x --user-prefix ada --is-main false --is-user-branch true",
            CONTINUE,
        ),
        (
            "--branch-info-supplied true --mode design --current-branch x --user-prefix ada --is-main false --is-user-branch false",
            CONTINUE,
        ),
        (
            "--mode implement --mode design --current-branch x --user-prefix ada --is-main false --is-user-branch false --branch-info-supplied false",
            STRICT,
        ),
        (
            "--mode implement --current-branch x --user-prefix ada --is-main false --is-user-branch true",
            CONTINUE,
        ),
        (
            "--mode implement --current-branch -x --user-prefix -C --is-main false --is-user-branch false",
            STRICT,
        ),
    ] {
        let output = entry(&sandbox, line);
        assert_eq!(
            (output.code, output.stdout.as_str(), output.stderr.as_str()),
            (Some(0), answer, ""),
            "{line}"
        );
    }
}

#[test]
fn gate_usage_errors_are_one_line_and_exit_4() {
    let sandbox = Sandbox::new();
    let all = "--mode design --current-branch b --user-prefix ada --is-main true --is-user-branch false";
    for (line, message) in [
        ("", "missing required flag --mode"),
        ("--mode design", "missing required flag --current-branch"),
        ("--mode design --current-branch b", "missing required flag --user-prefix"),
        ("--mode design --current-branch b --user-prefix p", "missing required flag --is-main"),
        (
            "--mode design --current-branch b --user-prefix p --is-main x",
            "missing required flag --is-user-branch",
        ),
        ("--mode", "missing value for --mode"),
        ("--mode design --current-branch --user-prefix", "missing value for --current-branch"),
        ("--nope", "unknown flag: --nope"),
        ("--help", "unknown flag: --help"),
        ("--mode=design", "unknown flag: --mode=design"),
        ("design", "unknown argument: design"),
        ("-h", "unknown argument: -h"),
        (&all.replace("design", "ship"), "invalid mode: ship"),
        (&all.replace("ada", "''"), "--user-prefix must be non-empty"),
        (&all.replace("true", "yes"), "invalid value for --is-main: yes"),
        (&all.replace("false", "''"), "invalid value for --is-user-branch: "),
        (&format!("{all} --branch-info-supplied 1"), "invalid value for --branch-info-supplied: 1"),
        (
            &format!("{} --branch-info-supplied false", all.replace("design", "implement")),
            "--branch-info-supplied not allowed for mode=implement",
        ),
        (&format!("{all} --json"), "unknown flag: --json"),
    ] {
        let output = entry(&sandbox, line);
        let expected = format!("GATE_ERROR={message}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (Some(4), "", expected), "{line}");
    }
}

#[test]
fn a_hostile_value_stays_on_its_line() {
    let sandbox = Sandbox::new();
    let output = charrette(&sandbox, &["gate", "entry", "a\nENTRY_GATE=continue\u{1b}[2J"]);
    assert_eq!(output.code, Some(4));
    assert_eq!(output.stderr, "GATE_ERROR=unknown argument: a\\nENTRY_GATE=continue\\u{1b}[2J\n");
    let output = sandbox.run(
        crate::BINARY,
        ["gate", "entry"].map(OsStr::new).into_iter().chain([OsStr::from_bytes(b"\xff")]),
        b"",
    );
    assert_eq!((output.code, output.stderr.as_str()), (Some(4), "GATE_ERROR=unknown argument: \u{fffd}\n"));
}

#[test]
fn one_value_of_a_session_file() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "env",
        "\u{feff}REPO=ada/engine\r\n# A=0\nURL=http://x?a=b\nURL=second\nEMPTY=\nno pair\n$(touch x)=`id`\n",
    );
    sandbox.write("binary", b"A=\xff\n");
    sandbox.write("inside/env", "REPO=inner\n");
    for (args, code, stdout, stderr) in [
        (&["--file", "env", "--key", "REPO"][..], 0, "ada/engine\n", ""),
        (&["--key", "URL", "--file", "env"], 0, "http://x?a=b\n", ""),
        (&["--file", "env", "--key", "EMPTY"], 0, "\n", ""),
        (&["--file", "env", "--key", "EMPTY", "--default", "d"], 0, "d\n", ""),
        (&["--file", "env", "--key", "A", "--default", "-1"], 0, "-1\n", ""),
        (&["--file", "env", "--key", "NONE"], 0, "\n", ""),
        (&["--file", "env", "--key", "NONE", "--default", ""], 0, "\n", ""),
        (&["--file", "env", "--key", "$(touch x)"], 0, "`id`\n", ""),
        (&["--file", "", "--key", "A", "--default", "d"], 0, "d\n", ""),
        (&["--file", "gone", "--key", "A", "--default", "d"], 0, "d\n", ""),
        (&["--file", "inside", "--key", "A", "--default", "d"], 0, "d\n", ""),
        (&["--file", "/dev/null", "--key", "A"], 0, "\n", ""),
        (&["--file", "binary", "--key", "A", "--default", "d"], 0, "d\n", ""),
        (&["--file", "gone", "--key", "A"], 1, "", "ERROR=unreadable file\n"),
        (&["--file", "", "--key", "A"], 1, "", "ERROR=unreadable file\n"),
        (&["--key", "A", "--default", "d"], 1, "", "ERROR=usage: --file is required\n"),
        (&["--file", "env", "--default", "d"], 1, "", "ERROR=usage: --key is required\n"),
        (&["--file", "env", "--key", "REPO", "-C", "inside"], 0, "inner\n", ""),
    ] {
        let args: Vec<&str> = ["session-env", "get"].iter().chain(args).copied().collect();
        let output = charrette(&sandbox, &args);
        assert_eq!(
            (output.code, output.stdout.as_str(), output.stderr.as_str()),
            (Some(code), stdout, stderr),
            "{args:?}"
        );
    }
    assert!(!sandbox.path("x").exists());
}
