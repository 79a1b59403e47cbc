//! Tests of the dialog, with a script that types.

use super::*;
use serde_json::json;

/// Console that types the given lines, then Escape.
struct Script {
    lines: Vec<&'static str>,
    output: String,
}

impl Console for Script {
    fn print(&mut self, text: &str) {
        self.output += text;
    }

    fn read_line(&mut self, prompt: &str, if_empty: &str) -> LineInput {
        self.output += prompt;
        let typed = if self.lines.is_empty() { "<esc>" } else { self.lines.remove(0) };
        self.output += if typed.is_empty() { if_empty } else { typed };
        self.output.push('\n');
        match typed {
            "<esc>" => LineInput::Closed,
            "<ctrl-c>" => LineInput::Interrupted,
            line => LineInput::Line(line.to_owned()),
        }
    }

    fn edit(&mut self, question: &str) -> Result<String, String> {
        match question {
            "How deep?" => Ok("two\nlines".to_owned()),
            "Empty?" => Ok(" ".to_owned()),
            _ => Err("no editor".to_owned()),
        }
    }

    fn read(&mut self, name: &str) -> Result<String, String> {
        match name {
            "design.md" => Ok("# Design\n\u{1b}[2Jwiped\n".to_owned()),
            other => Err(format!("there is no {other}")),
        }
    }
}

fn question(key: &str, text: &str, recommended: Option<&str>) -> GateQuestion {
    GateQuestion {
        key: key.to_owned(),
        text: text.to_owned(),
        recommended: recommended.map(str::to_owned),
        choices: Vec::new(),
        approval: false,
        delegable: Vec::new(),
    }
}

fn approval() -> GateQuestion {
    GateQuestion { approval: true, ..question("approval", "Do you approve this design?", None) }
}

fn choice() -> GateQuestion {
    let choices = ["keep", "discard", "abort"].map(str::to_owned).to_vec();
    GateQuestion { choices, ..question("dirty-tree", "2 files changed.", Some("keep")) }
}

fn gate(open: Vec<GateQuestion>, round: u32) -> GateView {
    GateView {
        gate: "post-design".to_owned(),
        subject: Vec::new(),
        page: String::new(),
        open,
        is_rejected: false,
        round,
    }
}

fn run_script(view: &GateView, lines: &[&'static str], style: Style) -> (DialogOutcome, String) {
    let mut script = Script { lines: lines.to_vec(), output: String::new() };
    let outcome = run_dialog(&mut script, view, style);
    (outcome, script.output)
}

fn answers(view: &GateView, lines: &[&'static str]) -> (Value, Option<Reply>) {
    let (outcome, _) = run_script(view, lines, Style::plain());
    (Value::Object(outcome.answers), outcome.end)
}

#[test]
fn lines_become_answers() {
    let (free, deep) = (question("scope", "Is it right?", Some("yes")), question("depth", "How deep?", None));
    let empty = question("empty", "Empty?", Some("no"));
    let paused = Some(Reply::Pause);
    for (question, round, lines, expected, end) in [
        (&free, 1, vec![""], json!({"scope": "yes"}), None),
        (&free, 1, vec![" y "], json!({"scope": "yes"}), None),
        (&free, 1, vec!["n", "the limit is per user"], json!({"scope": "no: the limit is per user"}), None),
        (&free, 1, vec!["Changes:", "", "less"], json!({"scope": "Changes: less"}), None),
        (&free, 1, vec!["?", "back", "list", "fine"], json!({"scope": "fine"}), None),
        (&free, 1, vec!["yes to all", "no", "yes to all", "yes"], json!({"scope": "yes"}), None),
        (&deep, 1, vec!["yes to all", "deep"], json!({"depth": "deep"}), None),
        (&free, 1, vec!["stop using globals"], json!({"scope": "stop using globals"}), None),
        (&free, 1, vec!["STOP"], json!({}), paused.clone()),
        (&free, 1, vec!["cancel"], json!({}), paused.clone()),
        (&free, 1, vec!["<esc>"], json!({}), paused.clone()),
        (&free, 1, vec!["<ctrl-c>"], json!({}), Some(Reply::Interrupted)),
        (&free, 1, vec!["review: design.md", "Review:x", "fine"], json!({"scope": "fine"}), None),
        (&free, 1, vec!["e", "typed instead"], json!({"scope": "typed instead"}), None),
        (&deep, 1, vec!["", "  ", "/edit"], json!({"depth": "two\nlines"}), None),
        (&empty, 1, vec!["e", ""], json!({"empty": "no"}), None),
        (&choice(), 1, vec!["burn", "e", "D"], json!({"dirty-tree": "discard"}), None),
        (&choice(), 1, vec![""], json!({"dirty-tree": "keep"}), None),
        (&approval(), 1, vec!["", "yes, but", "Y"], json!({"approval": "yes"}), None),
        (&approval(), 1, vec!["No", ""], json!({"approval": "no"}), None),
        (&approval(), 1, vec!["n", "too long"], json!({"approval": "no", "feedback": "too long"}), None),
        (&approval(), 1, vec!["yes to all", "yes"], json!({"approval": "yes"}), None),
        (
            &approval(),
            3,
            vec!["r", "", "less of it"],
            json!({"approval": "revise", "feedback": "less of it"}),
            None,
        ),
        (&approval(), 4, vec!["revise", "no", ""], json!({"approval": "no"}), None),
        (&approval(), 1, vec!["revise", "stop"], json!({"approval": "revise"}), paused.clone()),
    ] {
        let view = gate(vec![question.clone()], round);
        assert_eq!(answers(&view, &lines), (expected, end), "{lines:?} to {}", question.key);
    }
}

#[test]
fn the_person_may_go_back_and_answer_the_rest_at_once() {
    let view =
        gate(vec![question("a", "A?", Some("yes")), question("b", "B?", Some("no concerns")), approval()], 1);
    let (given, end) = answers(&view, &["", "back", "other", "no", "yes to all", "yes"]);
    assert_eq!((given, end), (json!({"a": "other", "b": "no", "approval": "yes"}), None));
    let (outcome, output) = run_script(&view, &["fine", "list", "<esc>"], Style::plain());
    assert_eq!(Value::Object(outcome.answers), json!({"a": "fine"}));
    assert!(output.contains("   1. A?\n      → fine\n   2. B?\n      (open)\n"), "{output}");
}

#[test]
fn answers_before_a_pause_are_kept() {
    let view = gate(vec![question("a", "A?", Some("yes")), question("b", "B?", Some("yes"))], 1);
    assert_eq!(answers(&view, &["", "stop"]), (json!({"a": "yes"}), Some(Reply::Pause)));
}

fn post_design() -> GateView {
    let page = "I have completed the spec for \"rate-limit\". Before validation, I would like your review.\n\n\
                Changed since the last look: design.md, tasks.md\n\n\
                | decision | kept | votes |\n|---|---|---|\n| where the limiter lives | middleware | 2-1 |\u{1b}[2J";
    let text = "DECISIONS\nKey design decisions made:\n  - the limiter is a middleware in front of the router, so that every handler is covered without asking for it\n\nDo you agree with these choices?";
    let long = "Keep the token bucket in memory for now, and note in the design that a shared store is needed once there is more than one instance.";
    let open = vec![
        question("decisions", text, Some("yes")),
        question("store", "Where are the counters kept? (レート制限のカウンター)", Some(long)),
        choice(),
        approval(),
    ];
    GateView { page: page.to_owned(), is_rejected: true, ..gate(open, 2) }
}

fn screen(width: usize) -> String {
    let lines = ["", "", "burn", "k", "review: design.md", "r", "shorter"];
    let (_, output) = run_script(&post_design(), &lines, Style { width, ..Style::plain() });
    // A prompt without an answer ends with a blank.
    output.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_gate_is_one_page_of_80_columns() {
    insta::assert_snapshot!(screen(80), @r#"
    ── post-design round 2 ─────────────────────────────────────────────────────────

    I have completed the spec for "rate-limit". Before validation, I would like your
    review.

    Changed since the last look: design.md, tasks.md

    decision                 kept        votes
    where the limiter lives  middleware  2-1

    This was rejected before. It can be answered differently now.

    4 questions. Enter takes the answer in brackets, ? shows what else you can type,
    stop pauses.

    1. DECISIONS
       Key design decisions made:
         • the limiter is a middleware in front of the router, so that every handler
           is covered without asking for it

       Do you agree with these choices?
       [yes] > yes

    2. Where are the counters kept? (レート制限のカウンター)
       Recommended:
       Keep the token bucket in memory for now, and note in the design that a shared
       store is needed once there is more than one instance.
       [as recommended] >

    3. 2 files changed.
       (keep / discard / abort)
       [keep] > burn
       Please answer keep or discard or abort.
       [keep] > k

    4. Do you approve this design?
       (yes / no / revise)
       > review: design.md

    ── design.md
    Design
    \u{1b}[2Jwiped
    ── end

       > r

       What should be revised? (e opens your editor)
       > shorter
    "#);
}

#[test]
fn a_gate_is_one_page_of_120_columns() {
    insta::assert_snapshot!(screen(120), @r#"
    ── post-design round 2 ─────────────────────────────────────────────────────────────────────────────

    I have completed the spec for "rate-limit". Before validation, I would like your review.

    Changed since the last look: design.md, tasks.md

    decision                 kept        votes
    where the limiter lives  middleware  2-1

    This was rejected before. It can be answered differently now.

    4 questions. Enter takes the answer in brackets, ? shows what else you can type, stop pauses.

    1. DECISIONS
       Key design decisions made:
         • the limiter is a middleware in front of the router, so that every handler is covered without
           asking for it

       Do you agree with these choices?
       [yes] > yes

    2. Where are the counters kept? (レート制限のカウンター)
       Recommended:
       Keep the token bucket in memory for now, and note in the design that a shared store is needed
       once there is more than one instance.
       [as recommended] >

    3. 2 files changed.
       (keep / discard / abort)
       [keep] > burn
       Please answer keep or discard or abort.
       [keep] > k

    4. Do you approve this design?
       (yes / no / revise)
       > review: design.md

    ── design.md
    Design
    \u{1b}[2Jwiped
    ── end

       > r

       What should be revised? (e opens your editor)
       > shorter
    "#);
}
