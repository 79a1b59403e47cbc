//! The conversation at a gate: a page to read, then one question after the other, until all are answered or the
//! person goes away. What cannot be an answer is asked again.

use crate::style::{Style, Tone};
use crate::terminal::Typed;
use crate::text::{columns, safe, wrapped};
use charrette_engine::gate::{FEEDBACK, GateView, Question, Reply};
use charrette_model::checkpoint::gate::{MAX_ROUNDS, accepts, is_pause, review};
use serde_json::{Map, Value};

/// Lines for people are no longer than this, however wide the screen is.
const WIDEST: usize = 100;
/// A longer recommended answer stands on lines of its own.
const SHORT: usize = 30;

/// Whoever asks and listens.
pub(crate) trait Console {
    fn say(&mut self, text: &str);
    /// A line; `if_empty` is what Enter alone takes.
    fn line(&mut self, prompt: &str, if_empty: &str) -> Typed;
    /// An answer from the editor.
    fn edit(&mut self, question: &str) -> Result<String, String>;
    /// A file that the person wants to see.
    fn read(&mut self, name: &str) -> Result<String, String>;
}

/// What came of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Talk {
    pub(crate) answers: Map<String, Value>,
    /// Why it ended early: a pause, or an interruption.
    pub(crate) end: Option<Reply>,
}

/// Asks the open questions of a gate.
pub(crate) fn talk(console: &mut dyn Console, view: &GateView, style: Style) -> Talk {
    console.say(&page(view, style));
    let mut talk = Talk { answers: Map::new(), end: None };
    for (n, question) in view.open.iter().enumerate() {
        console.say(&asked(n + 1, question, view.round, style));
        match answer(console, question, view.round, style) {
            Ok(answer) => {
                let is_revision = question.approval && answer == "revise";
                talk.answers.insert(question.key.clone(), Value::from(answer));
                if is_revision && !view.open.iter().any(|question| question.key == FEEDBACK) {
                    match feedback(console, style) {
                        Ok(text) => _ = talk.answers.insert(FEEDBACK.to_owned(), Value::from(text)),
                        Err(end) => talk.end = Some(end),
                    }
                }
            }
            Err(end) => talk.end = Some(end),
        }
        if talk.end.is_some() {
            break;
        }
    }
    talk
}

/// What is read before the questions.
fn page(view: &GateView, style: Style) -> String {
    let width = style.width.min(WIDEST);
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

/// A question with its number, and what can be answered.
fn asked(number: usize, question: &Question, round: u32, style: Style) -> String {
    let number = format!("{number}. ");
    let indent = " ".repeat(number.len());
    let width = style.width.min(WIDEST).saturating_sub(number.len());
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

/// Asks until there is an answer that counts.
fn answer(console: &mut dyn Console, question: &Question, round: u32, style: Style) -> Result<String, Reply> {
    let recommended = question.recommended.as_deref().map(str::trim).unwrap_or_default();
    let (prompt, if_empty) = match recommended {
        "" => ("   > ".to_owned(), ""),
        short if is_short(short) => (format!("   [{}] > ", safe(short)), short),
        _ => ("   [as recommended] > ".to_owned(), ""),
    };
    loop {
        let typed = match console.line(&prompt, if_empty) {
            Typed::Line(line) => line,
            Typed::Away => return Err(Reply::Pause),
            Typed::Interrupted => return Err(Reply::Interrupted),
        };
        match meant(question, &typed, round) {
            Meant::Answer(answer) => return Ok(answer),
            Meant::Pause => return Err(Reply::Pause),
            Meant::Edit => match console.edit(&question.text) {
                Ok(text) if text.trim().is_empty() => {
                    console.say("   The page is empty: nothing was taken.\n");
                }
                Ok(text) => return Ok(text),
                Err(problem) => console.say(&format!("   {}\n", safe(&problem))),
            },
            Meant::Review(name) => show(console, &name, style),
            Meant::Nothing(why) => console.say(&format!("   {why}\n")),
        }
    }
}

fn feedback(console: &mut dyn Console, style: Style) -> Result<String, Reply> {
    console.say("\n   What should be revised? (e opens your editor)\n");
    let question = Question {
        key: FEEDBACK.to_owned(),
        text: "What should be revised?".to_owned(),
        recommended: None,
        choices: Vec::new(),
        approval: false,
    };
    answer(console, &question, 1, style)
}

fn show(console: &mut dyn Console, name: &str, style: Style) {
    let name = name.trim();
    match console.read(name) {
        Ok(text) => {
            let title = style.paint(Tone::Heading, &format!("── {}", safe(name)));
            console.say(&format!("\n{title}\n{}\n── end\n\n", safe(text.trim_end())));
        }
        Err(problem) => console.say(&format!("   {}\n", safe(&problem))),
    }
}

/// What a person meant by a line.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    Answer(String),
    Pause,
    Edit,
    Review(String),
    /// Nothing that counts, and why.
    Nothing(String),
}

fn meant(question: &Question, typed: &str, round: u32) -> Meant {
    let typed = typed.trim();
    let recommended = question.recommended.as_deref().map(str::trim).unwrap_or_default();
    if typed.is_empty() {
        return if recommended.is_empty() {
            Meant::Nothing(wanted(question, round))
        } else {
            Meant::Answer(recommended.to_owned())
        };
    }
    if is_pause(&Value::from(typed)) {
        return Meant::Pause;
    }
    if let Some(name) = review(typed) {
        return Meant::Review(name.to_owned());
    }
    let choices = choices(question, round);
    if choices.is_empty() {
        return match typed {
            "e" | "E" | "/edit" => Meant::Edit,
            "y" | "Y" if recommended == "yes" => Meant::Answer("yes".to_owned()),
            "n" | "N" if ["yes", "no"].contains(&recommended) => Meant::Answer("no".to_owned()),
            typed => Meant::Answer(typed.to_owned()),
        };
    }
    let lower = typed.to_lowercase();
    let exact = choices.iter().find(|choice| choice.to_lowercase() == lower);
    let mut begins = choices.iter().filter(|choice| choice.to_lowercase().starts_with(&lower));
    let only = begins.next().filter(|_| begins.next().is_none());
    match exact.or(only).filter(|choice| accepts(question, choice, round)) {
        Some(choice) => Meant::Answer(choice.clone()),
        None => Meant::Nothing(wanted(question, round)),
    }
}

/// The only answers that count, if there are such.
fn choices(question: &Question, round: u32) -> Vec<String> {
    match (question.approval, round <= MAX_ROUNDS) {
        (true, true) => ["yes", "no", "revise"].map(str::to_owned).to_vec(),
        (true, false) => ["yes", "no"].map(str::to_owned).to_vec(),
        (false, _) => question.choices.clone(),
    }
}

fn wanted(question: &Question, round: u32) -> String {
    match choices(question, round).as_slice() {
        [] => "This needs an answer.".to_owned(),
        choices => format!("Please answer {}.", choices.join(" or ")),
    }
}

fn is_short(answer: &str) -> bool {
    columns(answer) <= SHORT && !answer.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Somebody who says these things, one after the other, and then goes away.
    struct Script {
        says: Vec<&'static str>,
        heard: String,
    }

    impl Console for Script {
        fn say(&mut self, text: &str) {
            self.heard += text;
        }

        fn line(&mut self, prompt: &str, if_empty: &str) -> Typed {
            self.heard += prompt;
            let said = if self.says.is_empty() { "<esc>" } else { self.says.remove(0) };
            self.heard += if said.is_empty() { if_empty } else { said };
            self.heard.push('\n');
            match said {
                "<esc>" => Typed::Away,
                "<ctrl-c>" => Typed::Interrupted,
                line => Typed::Line(line.to_owned()),
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

    fn question(key: &str, text: &str, recommended: Option<&str>) -> Question {
        Question {
            key: key.to_owned(),
            text: text.to_owned(),
            recommended: recommended.map(str::to_owned),
            choices: Vec::new(),
            approval: false,
        }
    }

    fn approval() -> Question {
        Question { approval: true, ..question("approval", "Do you approve this design?", None) }
    }

    fn choice() -> Question {
        let choices = ["keep", "discard", "abort"].map(str::to_owned).to_vec();
        Question { choices, ..question("dirty-tree", "2 files changed.", Some("keep")) }
    }

    fn gate(open: Vec<Question>, round: u32) -> GateView {
        GateView {
            gate: "post-design".to_owned(),
            subject: Vec::new(),
            page: String::new(),
            open,
            is_rejected: false,
            round,
        }
    }

    fn held(view: &GateView, says: &[&'static str], style: Style) -> (Talk, String) {
        let mut script = Script { says: says.to_vec(), heard: String::new() };
        let talk = talk(&mut script, view, style);
        (talk, script.heard)
    }

    fn answers(view: &GateView, says: &[&'static str]) -> (Value, Option<Reply>) {
        let (talk, _) = held(view, says, Style::plain());
        (Value::Object(talk.answers), talk.end)
    }

    #[test]
    fn lines_become_answers() {
        let (free, deep) =
            (question("scope", "Is it right?", Some("yes")), question("depth", "How deep?", None));
        let empty = question("empty", "Empty?", Some("no"));
        let paused = Some(Reply::Pause);
        for (question, round, says, expected, end) in [
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
            assert_eq!(answers(&view, &says), (expected, end), "{says:?} to {}", question.key);
        }
    }

    #[test]
    fn what_was_answered_before_going_away_is_kept() {
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
        let says = ["", "", "burn", "k", "review: design.md", "r", "shorter"];
        let (_, heard) = held(&post_design(), &says, Style { width, ..Style::plain() });
        // A prompt after which nothing is said ends with a blank.
        heard.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
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
