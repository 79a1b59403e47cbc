//! Diagrams of every supported type, invalid ones, and hostile ones.

#![allow(clippy::unwrap_used, reason = "a test that unwraps nothing has failed, as it should")]

use charrette_diagram::{MAX_CHARS, SvgError, parse, svg};

const KINDS: &[&str] = &[
    "flowchart TD\n  A[Start] -->|yes| B{Sure?}\n",
    "graph LR\n  A --> B\n",
    "sequenceDiagram\n  participant A as Alice\n  A->>B: hello\n",
    "classDiagram\n  Animal <|-- Duck\n",
    "stateDiagram-v2\n  [*] --> Still\n",
    "erDiagram\n  CUSTOMER ||--o{ ORDER : places\n",
    "C4Context\n  Person(a, \"A\", \"d\")\n  System(b, \"B\")\n  Rel(a, b, \"uses\")\n",
    "C4Container\n  Container_Boundary(c, \"C\") {\n    Container(a, \"A\", \"rust\", \"d\")\n  }\n",
    "architecture-beta\n  group api(cloud)[API]\n  service db(database)[DB] in api\n  service s(server)[S] in api\n  db:L -- R:s\n",
    "block-beta\n  columns 2\n  a b\n",
    "mindmap\n  root\n    a\n    b\n",
    "gantt\n  title A\n  dateFormat YYYY-MM-DD\n  section S\n  T :a1, 2024-01-01, 30d\n",
    "gitGraph\n  commit\n  branch b\n  commit\n",
    "journey\n  title T\n  section S\n    Task: 5: Me\n",
    "pie\n  \"a\" : 1\n  \"b\" : 2\n",
    "quadrantChart\n  title T\n  A: [0.3, 0.6]\n",
    "requirementDiagram\n  requirement r {\n    id: 1\n    text: t\n    risk: high\n    verifymethod: test\n  }\n",
    "timeline\n  title T\n  2002 : a\n",
];

#[test]
fn every_kind_is_parsed_and_drawn() {
    for text in KINDS {
        assert_eq!(parse(text), Ok(()), "{text}");
        let drawn = svg(text).unwrap();
        assert!(drawn.starts_with("<svg") && drawn.trim_end().ends_with("</svg>"), "{text}");
    }
}

#[test]
fn drawing_the_same_text_twice_gives_the_same_picture() {
    for text in KINDS {
        assert_eq!(svg(text), svg(text), "{text}");
    }
}

#[test]
fn line_ends_byte_order_marks_and_front_matter_are_taken() {
    for text in [
        "flowchart TD\r\n  A --> B\r\n",
        "\u{feff}flowchart TD\n  A --> B\n",
        "---\ntitle: T\n---\nflowchart TD\n  A --> B\n",
        "%%{init: {\n  'theme': 'base'\n}}%%\n%% a comment\nflowchart TD\n  A --> B\n",
    ] {
        assert_eq!(parse(text), Ok(()), "{text:?}");
    }
}

#[test]
fn parse_errors_name_the_line() {
    for (text, line) in [
        ("flowchart TD\n  A[Start --> B\n", Some(2)),
        ("flowchart TD\n  A>one|two]\n", Some(2)),
        ("flowchart TD\n  A[\"one|two]\n", Some(2)),
        ("---\ntitle: T\n---\n\nflowchart TD\n  A[Start --> B\n", Some(6)),
        ("flowchart TD\r\n  A\r\n  A[Start --> B\r\n", Some(3)),
        ("sequenceDiagram\n  A->>B: x\n  nonsense here\n", Some(3)),
        ("classDiagram\n  class A {\n    x\n", Some(3)),
        ("---\ntitle: T\nflowchart TD\n", None),
        ("hello world\n", None),
        ("", None),
        ("%% only a comment\n", None),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert_eq!(svg(text), Err(SvgError::Parse(error)));
    }
}

#[test]
fn a_kind_that_is_not_drawn_is_called_that() {
    let error = parse("sankey-beta\n\na,b,1\n").unwrap_err();
    assert_eq!(error.to_string(), "unsupported diagram type 'sankey'");
}

#[test]
fn scripts_do_not_reach_the_picture() {
    let text = "flowchart TD\n  A[\"<script>alert(1)</script><img src=x onerror=alert(1)>\"] --> B\n  click A \"javascript:alert(1)\"\n";
    let drawn = svg(text).unwrap().to_lowercase();
    for evil in ["<script", "onerror", "javascript:"] {
        assert!(!drawn.contains(evil), "{evil}");
    }
}

#[test]
fn hostile_texts_are_answered() {
    let n = MAX_CHARS / 4;
    for text in [
        format!("flowchart TD\n A{}x{}", "[".repeat(n), "]".repeat(n)),
        format!("flowchart TD\n{}{}", "subgraph s\n".repeat(n / 8), "end\n".repeat(n / 8)),
        format!("stateDiagram-v2\n{}{}", "state s {\n".repeat(n / 8), "}\n".repeat(n / 8)),
        format!("---\na: {}{}\n---\nflowchart TD\nA-->B", "[".repeat(n), "]".repeat(n)),
        format!("%%{{init: {}{}}}%%\nflowchart TD\nA-->B", "[".repeat(n), "]".repeat(n)),
        format!("mindmap\n{}", (0..300).map(|depth| " ".repeat(depth + 1) + "n\n").collect::<String>()),
        format!("flowchart TD\n A[{}] --> B", "é".repeat(MAX_CHARS - 30)),
        format!("flowchart TD\n A[\"{}\"] --> B", "<b>".repeat(n)),
        "flowchart TD\n A[\0] --> B\u{202e}".to_owned(),
        "%".repeat(MAX_CHARS),
        "\n".repeat(MAX_CHARS),
    ] {
        // Valid or not does not matter here; the parser must return.
        let parsed = parse(&text);
        let drawn = svg(&text);
        assert!(parsed.is_ok() || drawn.is_err(), "drawn but not parsed");
    }
}

#[test]
fn a_text_that_is_too_long_is_not_looked_at() {
    let fits = format!("flowchart TD\n%% {}", "é".repeat(MAX_CHARS - 16));
    assert_eq!(fits.chars().count(), MAX_CHARS);
    assert_eq!(parse(&fits), Ok(()));
    let error = parse(&(fits + "x")).unwrap_err();
    assert_eq!(error.to_string(), "the diagram has 50001 characters; at most 50000 are drawn");
    assert!(parse(&"x".repeat(100 << 20)).is_err());
}
