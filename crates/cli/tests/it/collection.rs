//! `charrette collect`: waiting for calls, and their status records.

use crate::charrette;
use charrette_testkit::{Output, Sandbox};
use insta::assert_snapshot;
use std::os::unix::fs::symlink;

fn collect(sandbox: &Sandbox, args: &str) -> Output {
    let args: Vec<&str> = ["--quiet", "collect"].into_iter().chain(args.split_whitespace()).collect();
    charrette(sandbox, &args)
}

/// One line of every record.
fn lines(output: &Output, key: &str) -> Vec<String> {
    let line = |line: &str| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned);
    output.stdout.lines().filter_map(line).collect()
}

const CURSOR: &str =
    "TOOL=cursor\nTIMEOUT=5\nCMD_JSON=[\"cursor\",\"agent\",\"--workspace\",\"/w\",\"touch launched\"]\n";

#[test]
fn every_call_is_one_record() {
    let sandbox = Sandbox::new();
    for (name, done, text) in [
        ("cursor-ok.txt", "0\n", "an answer"),
        ("codex-late.txt", "124\n", "half an answer"),
        ("codex-failed.txt", "3\n", ""),
        ("cursor-empty.txt", "0\n", ""),
        ("codex-odd.txt", "0|EXTRA", ""),
    ] {
        sandbox.write(name, text);
        sandbox.write(&format!("{name}.done"), done);
    }
    sandbox.write("codex-failed.txt.diag", "Failed with\r\nexit code 3 | after 2s\n");
    sandbox.write("cursor-empty.txt.meta", CURSOR);
    sandbox
        .write("codex-odd.txt.meta", "TOOL=codex\nTIMEOUT=5\nCMD_JSON=[\"sh\",\"-c\",\"touch launched\"]\n");
    let files = "cursor-ok.txt codex-late.txt codex-failed.txt cursor-empty.txt codex-odd.txt";
    let output = collect(&sandbox, &format!("--timeout 9 {files}"));
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert_snapshot!(output.stdout, @r"
    REVIEWER_FILE=cursor-ok.txt
    TOOL=cursor
    STATUS=OK
    EXIT_CODE=0
    HEALTHY=true
    FAILURE_REASON=

    REVIEWER_FILE=codex-late.txt
    TOOL=codex
    STATUS=TIMED_OUT
    EXIT_CODE=124
    HEALTHY=false
    FAILURE_REASON=Process timed out (exit code 124)

    REVIEWER_FILE=codex-failed.txt
    TOOL=codex
    STATUS=FAILED
    EXIT_CODE=3
    HEALTHY=false
    FAILURE_REASON=Failed with exit code 3 after 2s

    REVIEWER_FILE=cursor-empty.txt
    TOOL=cursor
    STATUS=EMPTY_OUTPUT
    EXIT_CODE=0
    HEALTHY=false
    FAILURE_REASON=Process exited successfully but produced no output

    REVIEWER_FILE=codex-odd.txt
    TOOL=codex
    STATUS=EMPTY_OUTPUT
    EXIT_CODE=99
    HEALTHY=false
    FAILURE_REASON=Retry metadata invalid: CMD_JSON argv shape rejected for codex
    ");
    assert!(!sandbox.path("launched").exists(), "nothing is launched from a file");
    assert!(!sandbox.path("cursor-empty-retry.txt").exists());
}

#[test]
fn collect_waits_for_running_calls_until_the_timeout() {
    let sandbox = Sandbox::new();
    let script = format!(
        "(sleep 0.4; echo text > late.txt; echo 0 > late.txt.done) & {} collect --timeout 60 late.txt",
        crate::BINARY
    );
    let output = sandbox.run("sh", ["-c", &script], b"");
    assert_eq!(lines(&output, "STATUS"), ["OK"]);
    assert_eq!(output.stderr, "DONE 1 late.txt: exit=0\n");

    let output = charrette(&sandbox, &["collect", "--timeout", "1", "late.txt", "never.txt"]);
    assert_eq!(output.code, Some(0));
    assert_eq!(output.stderr, "DONE 1 late.txt: exit=0\nTIMEOUT 2 never.txt\n");
    assert_eq!(lines(&output, "STATUS"), ["OK", "SENTINEL_TIMEOUT"]);
    assert_eq!(lines(&output, "EXIT_CODE"), ["0", "124"]);
    assert_eq!(
        lines(&output, "FAILURE_REASON")[1],
        "Process did not complete (sentinel file missing — possible crash or system kill)"
    );
}

#[test]
fn a_tool_that_failed_stays_failed() {
    let sandbox = Sandbox::new();
    sandbox.write("codex-a.txt", "x");
    sandbox.write("codex-a.txt.done", "0");
    sandbox.write("cursor-a.txt.done", "1");
    let health = || sandbox.read("health");
    collect(&sandbox, "--timeout 1 --write-health health codex-a.txt");
    assert_eq!(health(), "CODEX_HEALTHY=true\nCURSOR_HEALTHY=true\n");
    collect(&sandbox, "--timeout 1 --write-health health codex-a.txt cursor-a.txt");
    assert_eq!(health(), "CODEX_HEALTHY=true\nCURSOR_HEALTHY=false\n");
    sandbox.write("cursor-a.txt", "recovered");
    sandbox.write("cursor-a.txt.done", "0");
    let output = collect(&sandbox, "--timeout 1 --write-health health cursor-a.txt");
    assert_eq!(lines(&output, "HEALTHY"), ["true"]);
    assert_eq!(health(), "CODEX_HEALTHY=true\nCURSOR_HEALTHY=false\n");
    collect(&sandbox, "--timeout 1 --write-health /dev/null codex-a.txt");

    let output =
        charrette(&sandbox, &["collect", "--timeout", "1", "--write-health", "gone/health", "codex-a.txt"]);
    assert_eq!((output.code, lines(&output, "STATUS")), (Some(0), vec!["OK".to_owned()]));
    assert!(output.stderr.contains("Warning: cannot write the health file"), "{}", output.stderr);
}

#[test]
fn answers_are_validated_as_substantive() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("long.txt", "word ".repeat(250) + "src/auth.rs:12"),
        ("vague.txt", "word ".repeat(250)),
        ("short.txt", "word ".repeat(40) + "src/auth.rs:12"),
        ("none.txt", "NO_ISSUES_FOUND\n".to_owned()),
    ] {
        sandbox.write(name, text);
        sandbox.write(&format!("{name}.done"), "0");
    }
    let files = "long.txt vague.txt short.txt none.txt";
    for (flags, expected) in [
        ("", ["OK"; 4]),
        ("--substantive-validation", ["OK", "NOT_SUBSTANTIVE", "NOT_SUBSTANTIVE", "NOT_SUBSTANTIVE"]),
        ("--substantive-validation --validation-mode", ["OK", "NOT_SUBSTANTIVE", "OK", "OK"]),
    ] {
        let output = collect(&sandbox, &format!("--timeout 1 {flags} {files}"));
        assert_eq!(lines(&output, "STATUS"), expected, "{flags}");
        assert_eq!(lines(&output, "EXIT_CODE"), ["0"; 4]);
    }
    let output = collect(&sandbox, &format!("--timeout 1 --substantive-validation {files}"));
    assert_eq!(
        lines(&output, "FAILURE_REASON"),
        [
            "",
            "no provenance marker: no file, no code block, no URL",
            "body is thin: 41 words outside code fences, at least 200 are required",
            "body is thin: 1 words outside code fences, at least 200 are required",
        ]
    );
}

#[test]
fn usage_errors_print_no_record() {
    let sandbox = Sandbox::new();
    for (args, message) in [
        ("", "at least one output file is required"),
        ("x.txt", "--timeout is required"),
        ("--timeout soon x.txt", "--timeout must be a positive integer: soon"),
        ("--timeout 1 --retry x.txt", "unknown option: --retry"),
    ] {
        let output = collect(&sandbox, args);
        let expected = format!("ERROR={message}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (Some(1), "", expected), "{args}");
    }
}

#[test]
fn links_and_pipes_are_no_answers() {
    let sandbox = Sandbox::new();
    sandbox.write("secret", "do not read this");
    symlink("secret", sandbox.path("link.txt")).unwrap();
    sandbox.write("link.txt.done", "0");
    assert!(sandbox.command("mkfifo").arg("pipe.txt").status().unwrap().success());
    sandbox.write("pipe.txt.done", "0");
    let output = collect(&sandbox, "--timeout 1 --substantive-validation link.txt pipe.txt");
    assert_eq!(lines(&output, "STATUS"), ["EMPTY_OUTPUT", "EMPTY_OUTPUT"]);
}
