//! Dialog at a gate: a page to read, then one question after the other, until all are answered or the person ends the
//! dialog. After an invalid answer the question is asked again.

use crate::style::{Style, Tone};
use crate::terminal::LineInput;
use crate::text::{columns, safe, wrapped};
use charrette_engine::gate::{FEEDBACK, GateQuestion, GateView, Reply};
use charrette_model::checkpoint::gate::{MAX_ROUNDS, accepts, is_pause, review_request};
use serde_json::{Map, Value};

/// Maximum line width, however wide the screen is.
const MAX_WIDTH: usize = 100;
/// Maximum width of a recommended answer in the prompt; a longer one gets lines of its own.
const MAX_INLINE_ANSWER: usize = 30;

/// Console of a dialog.
pub(crate) trait Console {
    fn print(&mut self, text: &str);
    /// Reads a line; `if_empty` is the answer that Enter alone stands for.
    fn read_line(&mut self, prompt: &str, if_empty: &str) -> LineInput;
    /// Reads an answer from the editor.
    fn edit(&mut self, question: &str) -> Result<String, String>;
    /// Reads a file that the person wants to review.
    fn read(&mut self, name: &str) -> Result<String, String>;
}

/// Outcome of a dialog.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DialogOutcome {
    pub(crate) answers: Map<String, Value>,
    /// Reason of an early end: a pause or an interruption.
    pub(crate) end: Option<Reply>,
}

/// Asks the open questions of a gate.
pub(crate) fn run_dialog(console: &mut dyn Console, view: &GateView, style: Style) -> DialogOutcome {
    console.print(&gate_page(view, style));
    let mut outcome = DialogOutcome { answers: Map::new(), end: None };
    for (n, question) in view.open.iter().enumerate() {
        console.print(&question_text(n + 1, question, view.round, style));
        match answer(console, question, view.round, style) {
            Ok(answer) => {
                let is_revision = question.approval && answer == "revise";
                outcome.answers.insert(question.key.clone(), Value::from(answer));
                if is_revision && !view.open.iter().any(|question| question.key == FEEDBACK) {
                    match feedback(console, style) {
                        Ok(text) => _ = outcome.answers.insert(FEEDBACK.to_owned(), Value::from(text)),
                        Err(end) => outcome.end = Some(end),
                    }
                }
            }
            Err(end) => outcome.end = Some(end),
        }
        if outcome.end.is_some() {
            break;
        }
    }
    outcome
}

/// Page above the questions.
fn gate_page(view: &GateView, style: Style) -> String {
    let width = style.width.min(MAX_WIDTH);
    let round = if view.round > 1 { format!("round {} ", view.round) } else { String::new() };
    let title = safe(&view.gate);
    let rule = width.saturating_sub(columns(&title) + columns(&round) + 4);
    let mut lines = vec![
        String::new(),
        style.paint(Tone::Heading, &format!("── {title} {round}{}", "─".repeat(rule))),
        String::new(),
    ];
    if !view.page.trim().is_empty() {
        lines.extend(wrapped(safe(&view.page).trim_end(), width));
        lines.push(String::new());
    }
    if view.is_rejected {
        lines.push("This was rejected before. It can be answered differently now.".to_owned());
        lines.push(String::new());
    }
    let count = match view.open.len() {
        1 => "One question.".to_owned(),
        count => format!("{count} questions."),
    };
    let help =
        "Enter takes the answer in brackets, e opens your editor, review: FILE shows a file, stop pauses.";
    let help = wrapped(&format!("{count} {help}"), width);
    lines.extend(help.iter().map(|line| style.paint(Tone::Quiet, line)));
    lines.join("\n") + "\n"
}

/// Text of a question, with its number and choices.
fn question_text(number: usize, question: &GateQuestion, round: u32, style: Style) -> String {
    let number = format!("{number}. ");
    let indent = " ".repeat(number.len());
    let width = style.width.min(MAX_WIDTH).saturating_sub(number.len());
    let mut lines = vec![String::new()];
    for (n, line) in wrapped(safe(&question.text).trim_end(), width).iter().enumerate() {
        let lead = if n == 0 { &number } else { &indent };
        lines.push(format!("{lead}{line}").trim_end().to_owned());
    }
    let choices = choices(question, round);
    if !choices.is_empty() {
        lines.push(format!("{indent}({})", choices.join(" / ")));
    }
    if let Some(long) = question.recommended.as_deref().filter(|answer| !is_short(answer)) {
        lines.push(format!("{indent}Recommended:"));
        let long = safe(long);
        lines.extend(wrapped(&long, width).iter().map(|line| format!("{indent}{line}")));
    }
    lines.join("\n") + "\n"
}

/// Asks until there is a valid answer.
fn answer(
    console: &mut dyn Console,
    question: &GateQuestion,
    round: u32,
    style: Style,
) -> Result<String, Reply> {
    let recommended = question.recommended.as_deref().map(str::trim).unwrap_or_default();
    let (prompt, if_empty) = match recommended {
        "" => ("   > ".to_owned(), ""),
        short if is_short(short) => (format!("   [{}] > ", safe(short)), short),
        _ => ("   [as recommended] > ".to_owned(), ""),
    };
    loop {
        let typed = match console.read_line(&prompt, if_empty) {
            LineInput::Line(line) => line,
            LineInput::Closed => return Err(Reply::Pause),
            LineInput::Interrupted => return Err(Reply::Interrupted),
        };
        match parse_line(question, &typed, round) {
            ParsedLine::Answer(answer) => return Ok(answer),
            ParsedLine::Pause => return Err(Reply::Pause),
            ParsedLine::Edit => match console.edit(&question.text) {
                Ok(text) if text.trim().is_empty() => {
                    console.print("   The file is empty; no answer was taken.\n");
                }
                Ok(text) => return Ok(text),
                Err(problem) => console.print(&format!("   {}\n", safe(&problem))),
            },
            ParsedLine::Review(name) => show_file(console, &name, style),
            ParsedLine::Invalid(why) => console.print(&format!("   {why}\n")),
        }
    }
}

fn feedback(console: &mut dyn Console, style: Style) -> Result<String, Reply> {
    console.print("\n   What should be revised? (e opens your editor)\n");
    let question = GateQuestion {
        key: FEEDBACK.to_owned(),
        text: "What should be revised?".to_owned(),
        recommended: None,
        choices: Vec::new(),
        approval: false,
    };
    answer(console, &question, 1, style)
}

fn show_file(console: &mut dyn Console, name: &str, style: Style) {
    let name = name.trim();
    match console.read(name) {
        Ok(text) => {
            let title = style.paint(Tone::Heading, &format!("── {}", safe(name)));
            console.print(&format!("\n{title}\n{}\n── end\n\n", safe(text.trim_end())));
        }
        Err(problem) => console.print(&format!("   {}\n", safe(&problem))),
    }
}

/// Parsed input line.
#[derive(Debug, PartialEq, Eq)]
enum ParsedLine {
    Answer(String),
    Pause,
    Edit,
    Review(String),
    /// Not a valid answer, with the reason.
    Invalid(String),
}

fn parse_line(question: &GateQuestion, typed: &str, round: u32) -> ParsedLine {
    let typed = typed.trim();
    let recommended = question.recommended.as_deref().map(str::trim).unwrap_or_default();
    if typed.is_empty() {
        return if recommended.is_empty() {
            ParsedLine::Invalid(expected_answer(question, round))
        } else {
            ParsedLine::Answer(recommended.to_owned())
        };
    }
    if is_pause(&Value::from(typed)) {
        return ParsedLine::Pause;
    }
    if let Some(name) = review_request(typed) {
        return ParsedLine::Review(name.to_owned());
    }
    let choices = choices(question, round);
    if choices.is_empty() {
        return match typed {
            "e" | "E" | "/edit" => ParsedLine::Edit,
            "y" | "Y" if recommended == "yes" => ParsedLine::Answer("yes".to_owned()),
            "n" | "N" if ["yes", "no"].contains(&recommended) => ParsedLine::Answer("no".to_owned()),
            typed => ParsedLine::Answer(typed.to_owned()),
        };
    }
    let lower = typed.to_lowercase();
    let exact = choices.iter().find(|choice| choice.to_lowercase() == lower);
    let mut begins = choices.iter().filter(|choice| choice.to_lowercase().starts_with(&lower));
    let only = begins.next().filter(|_| begins.next().is_none());
    match exact.or(only).filter(|choice| accepts(question, choice, round)) {
        Some(choice) => ParsedLine::Answer(choice.clone()),
        None => ParsedLine::Invalid(expected_answer(question, round)),
    }
}

/// Valid answers, if they are limited.
fn choices(question: &GateQuestion, round: u32) -> Vec<String> {
    match (question.approval, round <= MAX_ROUNDS) {
        (true, true) => ["yes", "no", "revise"].map(str::to_owned).to_vec(),
        (true, false) => ["yes", "no"].map(str::to_owned).to_vec(),
        (false, _) => question.choices.clone(),
    }
}

fn expected_answer(question: &GateQuestion, round: u32) -> String {
    match choices(question, round).as_slice() {
        [] => "This needs an answer.".to_owned(),
        choices => format!("Please answer {}.", choices.join(" or ")),
    }
}

fn is_short(answer: &str) -> bool {
    columns(answer) <= MAX_INLINE_ANSWER && !answer.contains('\n')
}

#[cfg(test)]
mod tests {
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
        let (free, deep) =
            (question("scope", "Is it right?", Some("yes")), question("depth", "How deep?", None));
        let empty = question("empty", "Empty?", Some("no"));
        let paused = Some(Reply::Pause);
        for (question, round, lines, expected, end) in [
            (&free, 1, vec![""], json!({"scope": "yes"}), None),
            (&free, 1, vec![" y "], json!({"scope": "yes"}), None),
            (&free, 1, vec!["n"], json!({"scope": "no"}), None),
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
            (&approval(), 1, vec!["No"], json!({"approval": "no"}), None),
            (
                &approval(),
                3,
                vec!["r", "", "less of it"],
                json!({"approval": "revise", "feedback": "less of it"}),
                None,
            ),
            (&approval(), 4, vec!["revise", "no"], json!({"approval": "no"}), None),
            (&approval(), 1, vec!["revise", "stop"], json!({"approval": "revise"}), paused.clone()),
        ] {
            let view = gate(vec![question.clone()], round);
            assert_eq!(answers(&view, &lines), (expected, end), "{lines:?} to {}", question.key);
        }
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

        | decision | kept | votes |
        |---|---|---|
        | where the limiter lives | middleware | 2-1 |\u{1b}[2J

        This was rejected before. It can be answered differently now.

        4 questions. Enter takes the answer in brackets, e opens your editor, review:
        FILE shows a file, stop pauses.

        1. DECISIONS
           Key design decisions made:
             - the limiter is a middleware in front of the router, so that every handler
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
        # Design
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

        | decision | kept | votes |
        |---|---|---|
        | where the limiter lives | middleware | 2-1 |\u{1b}[2J

        This was rejected before. It can be answered differently now.

        4 questions. Enter takes the answer in brackets, e opens your editor, review: FILE shows a file,
        stop pauses.

        1. DECISIONS
           Key design decisions made:
             - the limiter is a middleware in front of the router, so that every handler is covered without
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
        # Design
        \u{1b}[2Jwiped
        ── end

           > r

           What should be revised? (e opens your editor)
           > shorter
        "#);
    }
}
