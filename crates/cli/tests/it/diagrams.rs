//! `charrette diagram`: the lines scripts parse, the log, the pictures; and never the text of a diagram.

use crate::{charrette, charrette_with};
use charrette_testkit::Sandbox;
use std::os::unix::fs::symlink;

const BAD_FLOW: &str = "flowchart TD\n  A[secret|x] --> B\n";
const BAD_SEQUENCE: &str = "sequenceDiagram\n  participant A as secret<BR/>$5\n  actor B as $\n";
const GOOD: &str = "graph TD\n  A -->|yes| B[\"a|b\"]\n";

fn check(sandbox: &Sandbox, flags: &[&str], stdin: impl AsRef<[u8]>) -> (Option<i32>, String) {
    let args: Vec<&str> = ["diagram", "check"].iter().chain(flags).copied().collect();
    let output = charrette_with(sandbox, &args, stdin.as_ref());
    assert_eq!(output.stderr, "", "{flags:?}");
    assert!(!output.stdout.contains("secret"), "{}", output.stdout);
    (output.code, output.stdout)
}

#[test]
fn diagrams_are_accepted_or_rejected_with_tokens_and_places() {
    let sandbox = Sandbox::new();
    let markdown = format!(
        "# Design\r\n\r\n## Architecture Diagram\r\n\r\n```mermaid\r\n{}```\n\n## code flow diagram\n```` mermaid\n{BAD_SEQUENCE}````\n```mermaid\n{GOOD}",
        GOOD.replace('\n', "\r\n")
    );
    for (flags, stdin, code, expected) in [
        (&[][..], GOOD, 0, "STATUS=ok\nFENCE_COUNT=1\n"),
        (&[], "", 0, "STATUS=ok\nFENCE_COUNT=1\n"),
        (&["--from-md"], "no diagram", 0, "STATUS=ok\nFENCE_COUNT=0\n"),
        (
            &[],
            BAD_FLOW,
            1,
            "STATUS=rejected\nREASON_TOKEN=pipe-in-node-label fence=1 line=2\nFENCE_COUNT=1\n",
        ),
        (
            &[],
            BAD_SEQUENCE,
            1,
            "STATUS=rejected\nREASON_TOKEN=br-in-participant-alias fence=1 line=2\nREASON_TOKEN=dollar-in-participant-alias fence=1 line=2\nREASON_TOKEN=dollar-in-participant-alias fence=1 line=3\nFENCE_COUNT=1\n",
        ),
        (
            &[],
            "---\ntitle: x\n",
            1,
            "STATUS=rejected\nREASON_TOKEN=unclosed-frontmatter fence=1 line=2\nFENCE_COUNT=1\n",
        ),
        (&[], "\n```mermaid\npie\n```\n", 0, "STATUS=ok\nFENCE_COUNT=1\nFENCE_1_HEADING=unknown\n"),
        (
            &["--from-md"],
            &markdown,
            1,
            "STATUS=rejected\nREASON_TOKEN=br-in-participant-alias fence=2 line=2\nREASON_TOKEN=dollar-in-participant-alias fence=2 line=2\nREASON_TOKEN=dollar-in-participant-alias fence=2 line=3\nFENCE_COUNT=3\nFENCE_1_HEADING=architecture\nFENCE_2_HEADING=code-flow\nFENCE_3_HEADING=unknown\n",
        ),
        (&[], "graph TD\n  A[secret --> B\n", 0, "STATUS=ok\nFENCE_COUNT=1\n"),
        (
            &["--parse"],
            "graph TD\n  A[secret --> B\n",
            1,
            "STATUS=rejected\nREASON_TOKEN=parse-error fence=1 line=2\nFENCE_COUNT=1\n",
        ),
        (&["--parse"], GOOD, 0, "STATUS=ok\nFENCE_COUNT=1\n"),
    ] {
        assert_eq!(check(&sandbox, flags, stdin), (Some(code), expected.to_owned()), "{flags:?} {stdin:?}");
    }
}

#[test]
fn unreadable_diagrams_exit_with_2() {
    let sandbox = Sandbox::new();
    sandbox.write("folder/inside", "");
    sandbox.write("binary", b"graph TD\n\xff");
    for (flags, error) in [
        (&["--nope"][..], "usage: unknown flag: --nope"),
        (&["file.md"], "usage: unknown flag: file.md"),
        (&["--help"], "usage: unknown flag: --help"),
        (&["--input"], "usage: --input requires a value"),
        (&["--input", "--from-md"], "usage: --input requires a value"),
        (&["--warnings-step"], "usage: --warnings-step requires a value"),
        (&["--input", "gone.md"], "unreadable input"),
        (&["--input", ""], "unreadable input"),
        (&["--input", "folder"], "unreadable input"),
        (&["--input", "binary"], "unreadable input"),
    ] {
        let expected = format!("STATUS=internal-error\nERROR={error}\n");
        assert_eq!(check(&sandbox, flags, GOOD), (Some(2), expected), "{flags:?}");
    }
}

#[test]
fn the_input_may_be_a_file() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/flow.mmd", BAD_FLOW);
    assert_eq!(check(&sandbox, &["--input", "docs/flow.mmd"], "").0, Some(1));
    assert_eq!(check(&sandbox, &["--input", "-"], GOOD).0, Some(0));
    let inside = charrette(&sandbox, &["-C", "docs", "diagram", "check", "--input", "flow.mmd"]);
    assert_eq!(inside.code, Some(1));
}

#[test]
fn rejections_are_noted_under_warnings_without_any_text() {
    let sandbox = Sandbox::new();
    sandbox.write("log.md", "# Log\n\n### Warnings\n\n- old\n\n### CI Issues\n- x\n");
    let log = ["--warnings-log", "log.md", "--warnings-step", "3b"];
    check(&sandbox, &log, GOOD);
    check(&sandbox, &log, BAD_SEQUENCE);
    check(&sandbox, &["--warnings-log", "log.md", "--warnings-step", "4\n### Q/A", "--nope"], "");
    check(&sandbox, &["--warnings-log", "log.md", "--input", "gone"], "");
    assert_eq!(
        sandbox.read("log.md"),
        "# Log\n\n### Warnings\n\n- old\n\
         - **Step 3b — mermaid sanitizer rejected:** br-in-participant-alias dollar-in-participant-alias\n\
         - **Step 4\\n### Q/A — mermaid sanitizer rejected:** internal-error\n\
         - **Step unknown — mermaid sanitizer rejected:** internal-error\n\
         \n### CI Issues\n- x\n"
    );
    check(&sandbox, &["--warnings-log", "new.md"], BAD_FLOW);
    assert_eq!(
        sandbox.read("new.md"),
        "### Warnings\n\n- **Step unknown — mermaid sanitizer rejected:** pipe-in-node-label\n"
    );
    assert_eq!(check(&sandbox, &["--warnings-log", "/dev/null"], BAD_FLOW).0, Some(1));
    let files: Vec<_> =
        std::fs::read_dir(sandbox.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
}

#[test]
fn a_log_that_cannot_be_written_changes_no_verdict() {
    let sandbox = Sandbox::new();
    sandbox.write("target.md", "mine\n");
    sandbox.write("folder/inside", "");
    symlink("target.md", sandbox.path("link.md")).unwrap();
    for log in ["link.md", "folder", "gone/log.md", ""] {
        for (stdin, code, first) in [(BAD_FLOW, 1, "STATUS=rejected\n"), (GOOD, 0, "STATUS=ok\n")] {
            let output =
                charrette_with(&sandbox, &["diagram", "check", "--warnings-log", log], stdin.as_bytes());
            assert_eq!(output.code, Some(code), "{log}");
            assert!(output.stdout.starts_with(first));
            assert_eq!(
                output.stderr.contains("cannot write the warnings log"),
                code == 1,
                "{}",
                output.stderr
            );
        }
    }
    assert_eq!(sandbox.read("target.md"), "mine\n");
}

#[test]
fn no_entry_is_lost_when_many_write_at_once() {
    let sandbox = Sandbox::new();
    std::thread::scope(|scope| {
        for step in 0..12 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                check(sandbox, &["--warnings-log", "log.md", "--warnings-step", &step.to_string()], BAD_FLOW)
            });
        }
    });
    let log = sandbox.read("log.md");
    for step in 0..12 {
        assert!(log.contains(&format!("- **Step {step} — ")), "{step} in {log}");
    }
    assert_eq!(log.lines().count(), 14);
}

#[cfg(not(feature = "svg"))]
#[test]
fn a_build_that_cannot_draw_does_not_offer_it() {
    let sandbox = Sandbox::new();
    let output = charrette_with(&sandbox, &["diagram", "svg"], GOOD.as_bytes());
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(!charrette(&sandbox, &["diagram", "--help"]).stdout.contains("svg"));
}

#[cfg(feature = "svg")]
#[test]
fn a_diagram_is_drawn_or_the_error_says_why() {
    let sandbox = Sandbox::new();
    sandbox.write("design.md", format!("## Architecture Diagram\n\n```mermaid\n{GOOD}```\n"));
    sandbox.write("two.md", "```mermaid\npie\n```\n```mermaid\npie\n```\n");
    let drawn = charrette(&sandbox, &["diagram", "svg", "design.md"]);
    assert_eq!((drawn.code, drawn.stderr.as_str()), (Some(0), ""));
    assert!(drawn.stdout.starts_with("<svg ") && drawn.stdout.ends_with("</svg>\n"), "{}", drawn.stdout);
    for args in [&["diagram", "svg"][..], &["diagram", "svg", "-"]] {
        assert_eq!(charrette_with(&sandbox, args, GOOD.as_bytes()).stdout, drawn.stdout);
    }
    for (args, stdin, reason) in [
        (
            &["-"][..],
            BAD_FLOW,
            "error: rejected by the mermaid sanitizer: pipe-in-node-label in line 2 of the diagram\n",
        ),
        (&["two.md"], "", "error: the text has 2 diagrams, and only one can be drawn\n"),
        (&["-"], "graph TD\n  A[open --> B\n", "error: line 2 of the diagram: "),
        (&["-"], "", "error: "),
        (&["-"], "hello\n", "error: "),
        (&["gone.mmd"], "", "gone.mmd"),
    ] {
        let args: Vec<&str> = ["diagram", "svg"].iter().chain(args).copied().collect();
        let output = charrette_with(&sandbox, &args, stdin.as_bytes());
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{stdin:?}");
        assert!(output.stderr.contains(reason), "{reason:?} in {:?}", output.stderr);
    }
}
