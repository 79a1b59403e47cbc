//! `charrette ledger`: rows for scripts, which never fail, and what runs cost.

use crate::charrette;
use charrette_testkit::{Output, Sandbox};
use insta::assert_snapshot;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// Runs `ledger …` with some variables set; paths in them are seen from the sandbox.
fn ledger(sandbox: &Sandbox, variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = sandbox.command(crate::BINARY);
    command.arg("ledger").args(args).env("TMPDIR", sandbox.outside("tmp"));
    for (name, value) in variables {
        let inside = value.strip_prefix('@').map(|name| sandbox.outside(name));
        command.env(name, inside.unwrap_or_else(|| (*value).into()));
    }
    let output = Output::capture(command, b"");
    let root = sandbox.outside("");
    let root = root.canonicalize().unwrap().to_str().unwrap().to_owned() + "/";
    Output { stdout: output.stdout.replace(&root, "@"), stderr: output.stderr.replace(&root, "@"), ..output }
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::repository();
    for folder in ["tmp", "implement", "design", "review", "session"] {
        fs_err::create_dir(sandbox.outside(folder)).unwrap();
    }
    sandbox
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs_err::read_to_string(sandbox.outside(name)).unwrap()
}

fn quiet(output: &Output) {
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn times_are_rows_of_thirteen_columns() {
    let sandbox = sandbox();
    let design = [("DESIGN_TMPDIR", "@design"), ("CHARRETTE_TIMING_SKILL", "design")];
    quiet(&ledger(&sandbox, &design, &["time", "mark", "design Step 2a — sketches"]));
    quiet(&ledger(&sandbox, &design[..1], &["time", "workflow-path", "SIMPLE"]));
    let task = "time record-vendor-task --vendor cursor --task-kind cursor-sketch-arch --start-s 10 --end-s 70 --output";
    let task: Vec<&str> =
        task.split(' ').chain(["/a/b\tc.txt", "--exit-code", "124", "--status", "signal"]).collect();
    quiet(&ledger(&sandbox, &design, &task));
    let rows = "v1\tmark\t1794744000\tdesign\tdesign Step 2a — sketches\t-\t-\t-\t-\t-\t-\t-\t-\n\
        v1\tworkflow\t1794744000\timplement\t-\t-\t-\t-\t-\t-\t-\t-\tSIMPLE\n\
        v1\tvendor\t1794744000\tdesign\t-\tcursor\tcursor-sketch-arch\t10\t70\t60\tb<NUL>c.txt\t124\tsignal\n";
    assert_eq!(text(&sandbox, "design/timing-ledger.tsv"), rows);
    let mode = sandbox.outside("design/timing-ledger.tsv").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let dump = ledger(&sandbox, &design, &["time", "dump"]);
    assert_eq!(dump.stdout, format!("@design/timing-ledger.tsv\n{rows}"));
}

#[test]
fn a_ledger_of_times_is_found_in_order() {
    let sandbox = sandbox();
    let all = [
        ("REVIEW_TMPDIR", "@review"),
        ("DESIGN_TMPDIR", "@design"),
        ("SESSION_ENV_PATH", "@session/env"),
        ("IMPLEMENT_TMPDIR", "@implement"),
        ("CHARRETTE_TIMING_LEDGER", "@session/times.tsv"),
    ];
    let expected = [
        "@review/timing-ledger.tsv\n",
        "@design/timing-ledger.tsv\n",
        "@session/timing-ledger.tsv\n",
        "@implement/timing-ledger.tsv\n",
        "@session/times.tsv\n",
    ];
    for (n, path) in expected.into_iter().enumerate() {
        assert_eq!(ledger(&sandbox, &all[..=n], &["time", "dump"]).stdout, path);
    }
    let given = sandbox.outside("tmp/mine.tsv");
    let given = given.to_str().unwrap();
    assert_eq!(ledger(&sandbox, &all, &["time", "dump", "--ledger", given]).stdout, "@tmp/mine.tsv\n");
    let fallback = ledger(&sandbox, &[], &["time", "dump"]).stdout;
    assert!(fallback.starts_with("@tmp/charrette-timing-") && fallback.ends_with(".tsv\n"), "{fallback}");
}

#[test]
fn ledger_errors_are_only_warnings() {
    let sandbox = sandbox();
    fs_err::write(sandbox.outside("victim"), "").unwrap();
    symlink(sandbox.outside("victim"), sandbox.outside("design/timing-ledger.tsv")).unwrap();
    fs_err::create_dir(sandbox.outside("review/timing-ledger.tsv")).unwrap();
    let outside = sandbox.outside("victim");
    let outside = outside.to_str().unwrap();
    for (variables, args, warning) in [
        (
            &[("DESIGN_TMPDIR", "@design")][..],
            &["time", "mark", "x"][..],
            "timing ledger: ledger is a symlink",
        ),
        (
            &[("REVIEW_TMPDIR", "@review")],
            &["time", "mark", "x"],
            "timing ledger: ledger is not a regular file",
        ),
        (&[], &["time", "--ledger", outside, "mark", "x"], "timing ledger: --ledger is not in the folder"),
        (&[], &["time", "mark"], "timing ledger: mark takes the name of one step"),
        (&[], &["time", "--help"], "timing ledger: unknown flag: --help"),
        (&[], &["time", "mark", "a\u{1b}[31m", "b"], "timing ledger: mark takes the name of one step"),
        (&[], &["tokens", "mark", "x"], "token ledger: no location for the ledger"),
        (&[], &["tokens", "dump"], "token ledger: no location for the ledger"),
        (
            &[("CHARRETTE_TOKEN_LEDGER", "@victim")],
            &["tokens", "mark", "x"],
            "token ledger: CHARRETTE_TOKEN_LEDGER not under any allowed root",
        ),
        (&[("CHARRETTE_NOW", "yesterday")], &["time", "mark", "x"], "timing ledger: CHARRETTE_NOW"),
    ] {
        let output = ledger(&sandbox, variables, args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{args:?}");
        assert!(output.stderr.starts_with(&format!("Warning: {warning}")), "{args:?}: {}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    }
    assert_eq!(text(&sandbox, "victim"), "");

    let elsewhere = [("CHARRETTE_TIMING_LEDGER", "@victim"), ("IMPLEMENT_TMPDIR", "@implement")];
    let output = ledger(&sandbox, &elsewhere, &["time", "mark", "fall through"]);
    assert!(
        output.stderr.contains("CHARRETTE_TIMING_LEDGER not under any allowed root"),
        "{}",
        output.stderr
    );
    assert!(text(&sandbox, "implement/timing-ledger.tsv").contains("fall through"));
}

#[test]
fn tokens_are_rows_of_json_for_a_session() {
    let sandbox = sandbox();
    let here = [("IMPLEMENT_TMPDIR", "@implement"), ("CHARRETTE_TOKEN_SESSION_ID", "../odd\nid")];
    quiet(&ledger(&sandbox, &here, &["tokens", "mark", "Step \"1\""]));
    let counts =
        ["tokens", "record-vendor", "codex", "input=5", "output=2", "cache_read=1", "raw=codex_review"];
    quiet(&ledger(&sandbox, &here, &counts));
    let output = ledger(&sandbox, &here, &["tokens", "record-vendor", "cursor", "total=9", "cost=1"]);
    assert_eq!(output.stderr, "Warning: token ledger: unknown record-vendor key: cost\n");
    let dump = ledger(&sandbox, &here, &["tokens", "dump"]).stdout;
    let (path, rows) = dump.split_once('\n').unwrap();
    assert!(path.starts_with("@implement/charrette-tokens-") && path.ends_with(".jsonl"), "{path}");
    assert_snapshot!(rows, @r#"
    {"type":"mark","step":"Step \"1\"","ts":"2026-11-15T12:00:00Z"}
    {"type":"vendor","vendor":"codex","input":5,"output":2,"cache_read":1,"cache_create":0,"total":8,"raw":"codex_review","ts":"2026-11-15T12:00:00Z"}
    {"type":"vendor","vendor":"cursor","input":0,"output":0,"cache_read":0,"cache_create":0,"total":9,"raw":"","ts":"2026-11-15T12:00:00Z"}
    "#);
    fs_err::write(sandbox.outside("implement/session-id"), "a session\n").unwrap();
    let by_file = ledger(&sandbox, &here[..1], &["tokens", "dump"]).stdout;
    assert_ne!(by_file.trim_end(), path, "another session has another ledger");
}

#[test]
fn issues_go_under_their_category() {
    let sandbox = sandbox();
    sandbox.write("entry.md", "- **build**: failed\n  with GH_TOKEN=correct horse battery\n");
    let add = |category: &str, entry: &[&str]| {
        let args = [&["issue", "--log", "logs/issues.md", "--category", category][..], entry].concat();
        ledger(&sandbox, &[("GH_TOKEN", "correct horse battery")], &args)
    };
    let said = "APPENDED=true\nLOG=logs/issues.md\n";
    for (category, entry) in [
        ("Tool Failures", &["--entry", "- first"][..]),
        ("Q/A", &["--entry", "- a question"]),
        ("Tool Failures", &["--entry-file", "entry.md"]),
    ] {
        assert_eq!((add(category, entry).code, add(category, entry).stdout.as_str()), (Some(0), said));
    }
    assert_snapshot!(sandbox.read("logs/issues.md"), @r"
    ### Tool Failures

    - first
    - first
    - **build**: failed
      with GH_TOKEN=[redacted: GH_TOKEN]
    - **build**: failed
      with GH_TOKEN=[redacted: GH_TOKEN]

    ### Q/A

    - a question
    - a question
    ");
    let usage = add("Bugs", &["--entry", "x"]);
    assert_eq!(
        (usage.code, usage.stdout.as_str()),
        (Some(1), "FAILED=true\nERROR=usage: invalid category: Bugs\n")
    );
    let unreadable = add("Warnings", &["--entry-file", "gone"]);
    assert_eq!(unreadable.code, Some(1));
    assert!(unreadable.stdout.starts_with("FAILED=true\nERROR=usage: unreadable entry file: "));
    let args = ["issue", "--log", "logs", "--category", "Warnings", "--entry", "x"];
    let failed = ledger(&sandbox, &[], &args);
    assert_eq!((failed.code, failed.stderr.as_str()), (Some(2), ""));
    assert!(failed.stdout.starts_with("FAILED=true\nERROR="), "{}", failed.stdout);
}

const CALLS: &str = r#"{"v":1,"type":"call","at":"2026-11-15T12:00:00.000Z","run":"1","seat":"cursor-arch","agent":"codex","status":"ok","seconds":61.5,"input":12345,"output":678,"cached":9000,"usd":null}
{"v":1,"type":"call","at":"2026-11-15T12:01:00.000Z","run":"1","seat":"planner","agent":"claude","status":"ok","seconds":12,"input":1000,"output":200,"cached":0,"usd":0.0421}
{"v":1,"type":"call","at":"2026-11-15T12:02:00.000Z","run":"1","seat":"planner","agent":"claude","status":"rate limit","seconds":1}
{"type":"mark"}
{"v":1,"type":"call","at":"2026-11-1"#;

#[test]
fn costs_are_summed_by_seat_and_by_agent() {
    let sandbox = sandbox();
    assert_eq!(charrette(&sandbox, &["ledger", "cost"]).stdout, "No agent calls recorded.\n");
    sandbox.write(".specs/20261115-add-login/tokens.jsonl", CALLS);
    sandbox.write(
        ".specs/20261116-add-login-2/tokens.jsonl",
        CALLS.lines().nth(1).unwrap().replace("0.0421", "2"),
    );
    assert_snapshot!(charrette(&sandbox, &["ledger", "cost"]).stdout, @r"
    SEAT         CALLS  FAILED   INPUT  OUTPUT  CACHED     USD
    cursor-arch      1       0  12,345     678   9,000       –
    planner          3       1   2,000     400       0  ≥ 2.04

    AGENT   CALLS  FAILED   INPUT  OUTPUT  CACHED     USD
    claude      3       1   2,000     400       0  ≥ 2.04
    codex       1       0  12,345     678   9,000       –

    Total: 4 calls in 2 runs, 1 failed; at least $2.04 (price of 2 calls unknown).
    ");
    let one = charrette(&sandbox, &["ledger", "cost", "add-login-2"]).stdout;
    assert!(one.ends_with("Total: 1 call in 1 run; $2.00.\n"), "{one}");
    let json = charrette(&sandbox, &["ledger", "cost", "add-login", "--json"]).json();
    assert_eq!(json["runs"], serde_json::json!(["20261115-add-login"]));
    assert_eq!(
        json["agents"]["codex"],
        serde_json::json!({"calls": 1, "failures": 0, "seconds": 61.5, "input": 12345, "output": 678, "cached": 9000, "usd": null, "unpriced": 1})
    );
    let none = charrette(&sandbox, &["ledger", "cost", "other"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), "No agent calls recorded for other.\n"));
    assert_eq!(charrette(&sandbox, &["ledger", "cost", "Not/A//Name"]).code, Some(2));
}
