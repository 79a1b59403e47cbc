//! The sanitizer: every rule, both modes, the exact lines, hostile input, and its speed.

use charrette_model::diagram::check::Parser;
use charrette_model::diagram::command::{DiagramCheckOutcome, DiagramCheckRequest, LogEntry};
use charrette_model::diagram::{DiagramKind, DiagramMode, ReasonToken, check};
use charrette_model::plumbing::CommandAnswer;
use proptest::prelude::*;

/// The hits of a single diagram: token and line.
fn hits(diagram: &str) -> Vec<(&'static str, usize)> {
    let report = check(diagram, DiagramMode::Detect, None);
    assert_eq!((report.markdown, report.diagrams.len()), (false, 1));
    report.diagrams[0].hits.iter().map(|hit| (hit.token.as_str(), hit.line)).collect()
}

#[test]
fn a_pipe_inside_a_label_of_a_flowchart_is_refused_at_its_first_line() {
    let pipe = |line| vec![("pipe-in-node-label", line)];
    for (diagram, expected) in [
        ("flowchart TD\n  A[one|two]", pipe(2)),
        ("flowchart TD\n  A[ok]\n  B{x|y}\n  C(x|y)\n", pipe(3)),
        ("graph LR\nA((x|y))", pipe(2)),
        ("graph\nA[x|y]", pipe(2)),
        ("graph\tLR\nA[x|y]", pipe(2)),
        ("flowchart TD; A[x|y]", pipe(1)),
        ("  flowchart TD  \nA[x|y]", pipe(2)),
        // Labels of edges stand outside brackets.
        ("flowchart TD\n  A -->|yes| B[done]", vec![]),
        ("flowchart TD\n  A[x] -->|yes| B{y}\n", vec![]),
        ("flowchart TD\n  A[x -->|yes| B", pipe(2)),
        // Quotes hide, but only inside a label, and `\\` keeps one from closing.
        ("flowchart TD\n  A[\"one|two\"]", vec![]),
        ("flowchart TD\n  A[\"a]b|c\"]", vec![]),
        ("flowchart TD\n  A[\"a\\\"|b\"]", vec![]),
        ("flowchart TD\n  A[\"a\" | b]", pipe(2)),
        ("flowchart TD\n  A[\"a\\\\\" | b]", pipe(2)),
        ("flowchart TD\n  \" A[x|y]", pipe(2)),
        ("flowchart TD\n  A[\\|x]", pipe(2)),
        // Depth starts again with each line and never goes below zero.
        ("flowchart TD\n  A[open\n  x|y", vec![]),
        ("flowchart TD\n  ]]] A[x|y]", pipe(2)),
        ("flowchart TD\n  A[x]|y", vec![]),
        ("flowchart TD\n  A[(x)|y]", pipe(2)),
        // An unterminated quote hides the rest of its line: the parser's business.
        ("flowchart TD\n  A[\"x|y]", vec![]),
        ("flowchart TD\n  A>x|y]", vec![]),
        // What a renderer drops is not looked at.
        ("flowchart TD\n  %% A[x|y]\n  A-->B", vec![]),
        ("flowchart TD\n  %%{A[x|y]}%%\n", pipe(2)),
        // Only these two words, in this case, and whole.
        ("Flowchart TD\nA[x|y]", vec![]),
        ("flowcharts\nA[x|y]", vec![]),
        ("graphTD\nA[x|y]", vec![]),
        ("classDiagram\nA[x|y]", vec![]),
    ] {
        assert_eq!(hits(diagram), expected, "{diagram}");
    }
}

#[test]
fn aliases_of_participants_have_no_line_break_and_no_dollar() {
    const BR: &str = "br-in-participant-alias";
    const DOLLAR: &str = "dollar-in-participant-alias";
    for (line, expected) in [
        ("participant A as one<br>two", &[BR][..]),
        ("participant A as one<br/>two", &[BR]),
        ("participant A as one<br />two", &[BR]),
        ("actor A as one<BR>two", &[BR]),
        ("  PARTICIPANT\tA  AS \t one<bR/>", &[BR]),
        ("participant A as $x", &[DOLLAR]),
        ("participant A as $x<br>$y<br>", &[BR, DOLLAR]),
        ("participant My Service as a<br>b", &[BR]),
        ("participant A as A<break>", &[]),
        ("participant A as <br", &[]),
        ("participant A as <b r>", &[]),
        ("participant A as <é>", &[]),
        ("participant A", &[]),
        ("participant A as", &[]),
        ("participant $A", &[]),
        ("participant as <br>", &[]),
        ("participants A as <br>", &[]),
        ("A->>B: costs $5<br>more", &[]),
        ("Note over A: $<br>", &[]),
    ] {
        let found = hits(&format!("sequenceDiagram\n\n{line}\n"));
        let expected: Vec<_> = expected.iter().map(|token| (*token, 3)).collect();
        assert_eq!(found, expected, "{line}");
    }
    let many = "sequenceDiagram\nparticipant A as $1\nA->>B: x\nactor B as a<br>$\n";
    assert_eq!(hits(many), [(DOLLAR, 2), (BR, 4), (DOLLAR, 4)]);
    assert_eq!(hits("sequenceDiagram x\nparticipant A as $1\n"), []);
}

#[test]
fn the_kind_is_the_first_line_that_is_not_blank_comment_or_front_matter() {
    for (diagram, expected) in [
        ("\n\n%% note\n%%{init: {}}%%\nflowchart TD\nA[x|y]", Some(("pipe-in-node-label", 6))),
        ("---\ntitle: a|b\n---\nflowchart TD\nA[x|y]", Some(("pipe-in-node-label", 5))),
        ("  \n --- \ntitle: x\n---\n\nflowchart TD\nA[x|y]", Some(("pipe-in-node-label", 7))),
        ("---\n---\nflowchart TD\nA[x|y]", Some(("pipe-in-node-label", 4))),
        // A directive may take several lines.
        ("%%{init: {\n  'theme': 'base'\n}}%%\nflowchart TD\nA[x|y]", Some(("pipe-in-node-label", 5))),
        ("%%{never closed\nflowchart TD\nA[x|y]", Some(("pipe-in-node-label", 3))),
        // Front matter is only at the top.
        ("%% c\n---\nflowchart TD\nA[x|y]", None),
        ("---\n", Some(("unclosed-frontmatter", 1))),
        ("---\ntitle: x\nflowchart TD\nA[x|y]\n", Some(("unclosed-frontmatter", 4))),
        ("---\ntitle: x\nflowchart TD\nA[x|y]", Some(("unclosed-frontmatter", 4))),
        ("", None),
        ("\n\n", None),
        ("%% only\n", None),
    ] {
        assert_eq!(hits(diagram), expected.into_iter().collect::<Vec<_>>(), "{diagram}");
    }
}

#[test]
fn line_ends_and_byte_order_marks_hide_nothing() {
    for diagram in [
        "flowchart TD\r\nA[x|y]\r\n",
        "flowchart TD\rA[x|y]\r",
        "\u{feff}flowchart TD\nA[x|y]\n",
        "flowchart TD\nA[\0x|y]\n",
    ] {
        assert_eq!(hits(diagram), [("pipe-in-node-label", 2)], "{diagram:?}");
    }
    let sequence = "sequenceDiagram\rparticipant A as x<br>y";
    assert_eq!(hits(sequence), [("br-in-participant-alias", 2)]);
}

/// Kind and reason tokens of each fence.
fn fences(markdown: &str) -> Vec<(DiagramKind, Vec<(ReasonToken, usize)>)> {
    let report = check(markdown, DiagramMode::Markdown, None);
    let of = |diagram: &charrette_model::diagram::check::Diagram| {
        (diagram.heading, diagram.hits.iter().map(|hit| (hit.token, hit.line)).collect())
    };
    report.diagrams.iter().map(of).collect()
}

#[test]
fn fences_are_found_as_renderers_find_them() {
    let bad = (DiagramKind::Unknown, vec![(ReasonToken::PipeInNodeLabel, 2)]);
    let good = (DiagramKind::Unknown, vec![]);
    for (markdown, expected) in [
        ("", vec![]),
        ("no fence\n", vec![]),
        ("```mermaid\nflowchart TD\nA[x|y]\n```\n", vec![bad.clone()]),
        ("   ```mermaid\nflowchart TD\nA[x|y]\n   ```\n", vec![bad.clone()]),
        ("    ```mermaid\nflowchart TD\nA[x|y]\n", vec![]),
        ("```  mermaid  \nflowchart TD\nA[x|y]\n```\n", vec![bad.clone()]),
        ("```Mermaid\nflowchart TD\nA[x|y]\n```\n", vec![]),
        ("```mermaid x\nflowchart TD\nA[x|y]\n```\n", vec![]),
        ("``mermaid\nflowchart TD\nA[x|y]\n", vec![]),
        ("~~~mermaid\nflowchart TD\nA[x|y]\n~~~\n", vec![]),
        // A closer is at least as long, and has nothing after it.
        (
            "````mermaid\nflowchart TD\nA[x]\n```\nB[x|y]\n````\n",
            vec![(DiagramKind::Unknown, vec![(ReasonToken::PipeInNodeLabel, 4)])],
        ),
        (
            "```mermaid\nflowchart TD\n``` no closer\nA[x|y]\n```\n",
            vec![(DiagramKind::Unknown, vec![(ReasonToken::PipeInNodeLabel, 3)])],
        ),
        (
            "```mermaid\nflowchart TD\n`````\n```mermaid\nflowchart TD\nA[x|y]\n```",
            vec![good.clone(), bad.clone()],
        ),
        // Inside another fence there is only text; an open fence runs to the end.
        ("````md\n```mermaid\nflowchart TD\nA[x|y]\n```\n````\n", vec![]),
        ("```rust\n```mermaid\nflowchart TD\nA[x|y]\n```\n", vec![]),
        ("```mermaid\nflowchart TD\nA[x|y]", vec![bad.clone()]),
        ("```mermaid\n", vec![good.clone()]),
        ("```mermaid", vec![good.clone()]),
        ("``` `a` ```mermaid\n```mermaid\nflowchart TD\nA[x|y]\n```", vec![bad.clone()]),
        ("```mermaid\r\nflowchart TD\r\nA[x|y]\r\n```\r\n", vec![bad.clone()]),
    ] {
        assert_eq!(fences(markdown), expected, "{markdown}");
    }
}

#[test]
fn a_heading_counts_for_four_lines_and_code_flow_wins() {
    for (above, heading) in [
        ("## Architecture Diagram\n", DiagramKind::Architecture),
        ("##  ARCHITECTURE diagram  \n\n\n\n", DiagramKind::Architecture),
        ("## Architecture Diagram\n\n\n\n\n", DiagramKind::Unknown),
        ("# Architecture Diagram\n", DiagramKind::Unknown),
        ("### Architecture Diagram\n", DiagramKind::Unknown),
        ("##Architecture Diagram\n", DiagramKind::Unknown),
        ("## Architecture Diagrams\n", DiagramKind::Unknown),
        ("## Code Flow Diagram\n", DiagramKind::CodeFlow),
        ("## Code Flow Diagram\n## Architecture Diagram\n", DiagramKind::CodeFlow),
        ("## Architecture Diagram\n\n## code flow diagram\n", DiagramKind::CodeFlow),
        ("", DiagramKind::Unknown),
    ] {
        assert_eq!(fences(&format!("{above}```mermaid\n```\n"))[0].0, heading, "{above}");
    }
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|&arg| arg.to_owned()).collect()
}

fn said(args: &[&str], input: &str) -> DiagramCheckOutcome {
    let mut parser = |text: &str| if text.contains("broken") { Err(Some(7)) } else { Ok(()) };
    match DiagramCheckRequest::parse(&owned(args)) {
        Ok(request) => request.answer(Some(input.as_bytes()), &mut parser),
        Err(said) => said,
    }
}

#[test]
fn the_lines_are_exact() {
    let two = "## Architecture Diagram\n```mermaid\nflowchart TD\nA[x|y]\n```\n## Code Flow Diagram\n```mermaid\nsequenceDiagram\nactor A as $<br>\n```\n";
    for (args, input, code, lines) in [
        (&[][..], "flowchart TD\nA-->B\n", 0, &["STATUS=ok", "FENCE_COUNT=1"][..]),
        (
            &[],
            "flowchart TD\nA[x|y]\n",
            1,
            &["STATUS=rejected", "REASON_TOKEN=pipe-in-node-label fence=1 line=2", "FENCE_COUNT=1"],
        ),
        (&["--from-md"], "no fence", 0, &["STATUS=ok", "FENCE_COUNT=0"]),
        (
            &["--from-md"],
            two,
            1,
            &[
                "STATUS=rejected",
                "REASON_TOKEN=pipe-in-node-label fence=1 line=2",
                "REASON_TOKEN=br-in-participant-alias fence=2 line=2",
                "REASON_TOKEN=dollar-in-participant-alias fence=2 line=2",
                "FENCE_COUNT=2",
                "FENCE_1_HEADING=architecture",
                "FENCE_2_HEADING=code-flow",
            ],
        ),
        // Markdown announces itself.
        (&[], "\n\n```mermaid\npie\n```\n", 0, &["STATUS=ok", "FENCE_COUNT=1", "FENCE_1_HEADING=unknown"]),
        (&[], "````mermaid\npie\n````\n", 0, &["STATUS=ok", "FENCE_COUNT=1"]),
        (&[], "text\n```mermaid\nflowchart TD\nA[x|y]\n```\n", 0, &["STATUS=ok", "FENCE_COUNT=1"]),
        // The parser is asked only if it should be, and only about what the rules accept.
        (&[], "pie\nbroken\n", 0, &["STATUS=ok", "FENCE_COUNT=1"]),
        (
            &["--parse"],
            "pie\nbroken\n",
            1,
            &["STATUS=rejected", "REASON_TOKEN=parse-error fence=1 line=7", "FENCE_COUNT=1"],
        ),
        (
            &["--parse"],
            "flowchart TD\nA[broken|y]\n",
            1,
            &["STATUS=rejected", "REASON_TOKEN=pipe-in-node-label fence=1 line=2", "FENCE_COUNT=1"],
        ),
        // What cannot be looked at is refused.
        (&["--bogus"], "", 2, &["STATUS=internal-error", "ERROR=usage: unknown flag: --bogus"]),
        (&["file.md"], "", 2, &["STATUS=internal-error", "ERROR=usage: unknown flag: file.md"]),
        (&["--input"], "", 2, &["STATUS=internal-error", "ERROR=usage: --input requires a value"]),
        (
            &["--input", "--from-md"],
            "",
            2,
            &["STATUS=internal-error", "ERROR=usage: --input requires a value"],
        ),
        (
            &["--warnings-log"],
            "",
            2,
            &["STATUS=internal-error", "ERROR=usage: --warnings-log requires a value"],
        ),
    ] {
        let DiagramCheckOutcome { answer, log } = said(args, input);
        assert_eq!(
            answer,
            CommandAnswer { code, stdout: owned(lines), stderr: vec![] },
            "{args:?} {input:?}"
        );
        assert_eq!(log, None);
    }
}

#[test]
fn input_that_cannot_be_read_is_an_internal_error() {
    let request = DiagramCheckRequest::parse(&owned(&["--input", "x"])).unwrap();
    assert_eq!(request.input.as_deref(), Some("x"));
    for input in [None, Some(&b"flowchart TD\n\xff"[..])] {
        let answer = request.answer(input, &mut |_| Ok(())).answer;
        assert_eq!(
            (answer.code, answer.stdout),
            (2, owned(&["STATUS=internal-error", "ERROR=unreadable input"]))
        );
    }
}

#[test]
fn a_rejection_goes_into_the_log_as_sorted_tokens() {
    let entry = |line: &str| Some(LogEntry { path: "log.md".to_owned(), line: line.to_owned() });
    let log: &[&str] = &["--warnings-log", "log.md", "--warnings-step", "3b"];
    let two = "```mermaid\nflowchart TD\nA[x|y]\n```\n```mermaid\nsequenceDiagram\nactor A as $<br>\nactor B as $\n```\n";
    assert_eq!(
        said(log, two).log,
        entry(
            "- **Step 3b — mermaid sanitizer rejected:** br-in-participant-alias dollar-in-participant-alias pipe-in-node-label"
        )
    );
    assert_eq!(said(log, "pie\n").log, None);
    assert_eq!(
        said(&["--warnings-log", "log.md", "--nope"], "").log,
        entry("- **Step unknown — mermaid sanitizer rejected:** internal-error")
    );
}

#[test]
fn a_parser_that_knows_no_line_points_at_the_first() {
    let mut parser = |_: &str| Err(None);
    let parser: &mut Parser<'_> = &mut parser;
    let report = check("pie\n", DiagramMode::Detect, Some(parser));
    assert_eq!(report.diagrams[0].hits[0].line, 1);
}

#[test]
fn hostile_sizes_are_linear() {
    // Each of these took minutes if any rule looked back or ahead more than a constant number of times.
    let n = 1 << 20;
    for text in [
        format!("flowchart TD\nA[{}", "x".repeat(n)),
        format!("flowchart TD\n{}", "|".repeat(n)),
        format!("flowchart TD\n{}", "|\n".repeat(n / 2)),
        format!("flowchart TD\n{}", "[".repeat(n)),
        format!("flowchart TD\n{}%%[{}", " ".repeat(n), "|".repeat(n)),
        "%%{\n".repeat(n / 4),
        format!("{}}}%%\nflowchart TD", "%%{\n".repeat(n / 4)),
        format!("sequenceDiagram\nparticipant {}", "a ".repeat(n / 2)),
        format!("sequenceDiagram\nparticipant a as {}", "<br".repeat(n / 3)),
        format!("sequenceDiagram\nparticipant a as {}", "<br ".repeat(n / 4)),
        format!("{}\n```mermaid\n", " ".repeat(n)),
        "```mermaid\n```\n".repeat(n / 15),
        "```mermaid\n".repeat(n / 11),
        "`".repeat(n),
        "\r".repeat(n),
        "\n".repeat(n),
        format!("---\n{}", "x\n".repeat(n / 2)),
    ] {
        for mode in [DiagramMode::Detect, DiagramMode::Markdown] {
            check(&text, mode, None);
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_lines_are_inside_the_text(
        text in "(flowchart TD\n|graph\n|sequenceDiagram\n|---\n|```mermaid\n|```\n|%%\\{|\\}%%|participant A as |A\\[|\\]|\\||\"|\\\\|<br>|\\$|\r|\n|é|\u{feff}| ){0,40}",
        markdown: bool,
    ) {
        let mode = if markdown { DiagramMode::Markdown } else { DiagramMode::Detect };
        let report = check(&text, mode, None);
        let lines = text.matches(['\n', '\r']).count() + 1;
        for hit in report.diagrams.iter().flat_map(|diagram| &diagram.hits) {
            prop_assert!((1..=lines).contains(&hit.line), "{:?} in {:?}", hit, text);
        }
    }

    #[test]
    fn a_diagram_is_judged_alike_inside_and_outside_a_fence(lines in prop::collection::vec("[A-Za-z |\\[\\]\"<>$/]{0,20}", 0..8), sequence: bool) {
        let kind = if sequence { "sequenceDiagram" } else { "flowchart TD" };
        let diagram = format!("{kind}\n{}", lines.join("\n"));
        let alone = check(&diagram, DiagramMode::Detect, None);
        let fenced = check(&format!("# x\n```mermaid\n{diagram}\n```\n"), DiagramMode::Markdown, None);
        prop_assert_eq!(&alone.diagrams[0].hits, &fenced.diagrams[0].hits);
    }
}

/// Measured only where it means something.
#[cfg(not(debug_assertions))]
#[test]
fn it_is_at_least_a_tenth_as_fast_as_counting_lines() {
    use std::hint::black_box;
    use std::time::{Duration, Instant};

    fn best(mut work: impl FnMut()) -> Duration {
        let once = |work: &mut dyn FnMut()| {
            let start = Instant::now();
            work();
            start.elapsed()
        };
        (0..15).map(|_| once(&mut work)).min().unwrap_or_default()
    }

    let many = |line: &str| line.repeat((8 << 20) / line.len());
    for (name, text, mode) in [
        (
            "flowchart with edge labels",
            format!("flowchart TD\n{}", many("  A[Parse the request] -->|yes| B{Is it valid?}\n")),
            DiagramMode::Detect,
        ),
        (
            "flowchart with quoted labels",
            format!("flowchart TD\n{}", many("  A[\"a|b\"] --> B(x)\n")),
            DiagramMode::Detect,
        ),
        (
            "sequence",
            format!("sequenceDiagram\n{}", many("  participant A as The Service\n  A->>B: asks something\n")),
            DiagramMode::Detect,
        ),
        ("other", format!("classDiagram\n{}", many("  class A\n")), DiagramMode::Detect),
        (
            "prose",
            many("Some words of a plan that nobody drew, and a few more of them.\n"),
            DiagramMode::Markdown,
        ),
        (
            "fences",
            many("## Architecture Diagram\n\n```mermaid\nflowchart TD\n  A[x] -->|y| B\n```\n\n"),
            DiagramMode::Markdown,
        ),
        (
            "windows",
            format!("flowchart TD\r\n{}", many("  A[Parse the request] -->|yes| B{Is it valid?}\r\n")),
            DiagramMode::Detect,
        ),
    ] {
        let lines = best(|| {
            black_box(black_box(&text).lines().count());
        });
        let check = best(|| {
            black_box(check(black_box(&text), mode, None));
        });
        let ratio = check.as_secs_f64() / lines.as_secs_f64();
        println!("{name}: {ratio:.2} times as long as counting lines");
        assert!(ratio <= 10.0, "{name} took {ratio:.1} times as long");
    }
}
