//! Dialog at a gate: a page to read, then one question after the other, until all are answered or the person ends the
//! dialog. After an invalid answer the question is asked again.

use crate::markdown::render_markdown;
use crate::style::{Style, Tone};
use crate::terminal::LineInput;
use crate::text::{columns, fit, safe, wrapped};
use charrette_engine::gate::{FEEDBACK, GateQuestion, GateView, Reply};
use charrette_model::checkpoint::gate::{MAX_ROUNDS, accepts, is_dialog_word, is_pause, review_request};
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
    let mut dialog = Dialog { console, view, style, answers: Map::new() };
    let end = dialog.run().err();
    DialogOutcome { answers: dialog.answers, end }
}

/// A dialog and the answers so far.
struct Dialog<'a> {
    console: &'a mut dyn Console,
    view: &'a GateView,
    style: Style,
    answers: Map<String, Value>,
}

/// Next move of the person.
enum Move {
    Answer(String),
    Back,
    List,
    /// Take the recommended answers to this question and all that follow.
    AllRecommended,
}

impl Dialog<'_> {
    fn run(&mut self) -> Result<(), Reply> {
        let mut at = 0;
        while let Some(question) = self.view.open.get(at) {
            self.console.print(&question_text(at + 1, question, self.view.round, self.style));
            match self.ask(question)? {
                Move::Answer(answer) => {
                    self.take(question, answer)?;
                    at += 1;
                }
                Move::Back if at == 0 => self.say("This is the first question."),
                Move::Back => at -= 1,
                Move::List => self.list(),
                Move::AllRecommended => {
                    if self.confirm_all(at)? {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Records an answer, with what belongs to it: the feedback of a revision, the reason of a refusal.
    fn take(&mut self, question: &GateQuestion, answer: String) -> Result<(), Reply> {
        let asks_feedback = !self.view.open.iter().any(|question| question.key == FEEDBACK);
        let answer = if lacks_reason(question, &answer) {
            let reason = self.ask_text("What is wrong?", true)?;
            format!("{}: {reason}", answer.trim_end_matches([':', '.', ' ']))
        } else {
            answer
        };
        let verdict = question.approval.then(|| answer.clone());
        self.answers.insert(question.key.clone(), Value::from(answer));
        let feedback = match verdict.as_deref() {
            Some("revise") if asks_feedback => self.ask_text("What should be revised?", true)?,
            Some("no") if asks_feedback => self.ask_text("What is wrong? (Enter if that is clear)", false)?,
            _ => String::new(),
        };
        if !feedback.is_empty() {
            self.answers.insert(FEEDBACK.to_owned(), Value::from(feedback));
        }
        Ok(())
    }

    /// Asks for a text that belongs to an answer; empty only if it is not required.
    fn ask_text(&mut self, text: &str, is_required: bool) -> Result<String, Reply> {
        self.console.print("\n");
        self.say(&format!("{text} (e opens your editor)"));
        let question = GateQuestion::free_text(FEEDBACK, text);
        loop {
            match self.console.read_line("   > ", "") {
                LineInput::Line(line) if line.trim().is_empty() && !is_required => return Ok(String::new()),
                LineInput::Line(line) => match parse_line(&question, &line, 1) {
                    ParsedLine::Answer(answer) => return Ok(answer),
                    other => {
                        if let Some(answer) = self.handle(&question, other)? {
                            return Ok(answer);
                        }
                    }
                },
                LineInput::Closed => return Err(Reply::Pause),
                LineInput::Interrupted => return Err(Reply::Interrupted),
            }
        }
    }

    /// Says something about the question, below it.
    fn say(&mut self, text: &str) {
        self.console.print(&remark(text, self.style));
    }

    /// The questions with the answers given so far.
    fn list(&mut self) {
        let width = self.style.width.min(MAX_WIDTH).saturating_sub(6);
        let mut lines = Vec::new();
        for (n, question) in self.view.open.iter().enumerate() {
            let first = question.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let answer = match self.answers.get(&question.key).and_then(Value::as_str) {
                Some(answer) => format!("→ {}", answer.lines().next().unwrap_or_default()),
                None => "(open)".to_owned(),
            };
            for (line, lead) in [(first, format!("{:>4}. ", n + 1)), (&answer, " ".repeat(6))] {
                lines.push(format!("{lead}{}", fit(&safe(line), width)));
            }
        }
        self.console.print(&format!("{}\n", lines.join("\n")));
    }

    /// Shows the remaining questions and takes the recommended answers to all of them, if the person agrees.
    fn confirm_all(&mut self, at: usize) -> Result<bool, Reply> {
        let rest = &self.view.open[at..];
        let without = rest.iter().find(|question| !question.approval && recommended(question).is_empty());
        if let Some(question) = without {
            let number = 1 + at + rest.iter().position(|other| other.key == question.key).unwrap_or_default();
            self.say(&format!("Question {number} has no recommended answer; answer it by itself first."));
            return Ok(false);
        }
        for (n, question) in rest.iter().enumerate().skip(1) {
            self.console.print(&question_text(at + n + 1, question, self.view.round, self.style));
        }
        let approves = if rest.iter().any(|question| question.approval) { ", and approve" } else { "" };
        self.console.print("\n");
        self.say(&format!(
            "Take the recommended answers to these {} questions{approves}? (yes / no)",
            rest.len()
        ));
        let question = GateQuestion {
            choices: ["yes", "no"].map(str::to_owned).to_vec(),
            ..GateQuestion::free_text("all", "Take the recommended answers?")
        };
        let Move::Answer(answer) = self.ask(&question)? else { return Ok(false) };
        if answer != "yes" {
            return Ok(false);
        }
        for question in rest {
            let answer = if question.approval { "yes" } else { recommended(question) };
            self.answers.insert(question.key.clone(), Value::from(answer));
        }
        Ok(true)
    }

    /// Asks until there is a valid answer, or a wish to move.
    fn ask(&mut self, question: &GateQuestion) -> Result<Move, Reply> {
        let (prompt, if_empty) = match recommended(question) {
            "" => ("   > ".to_owned(), ""),
            short if is_short(short) => (format!("   [{}] > ", safe(short)), short),
            _ => ("   [as recommended] > ".to_owned(), ""),
        };
        loop {
            let typed = match self.console.read_line(&prompt, if_empty) {
                LineInput::Line(line) => line,
                LineInput::Closed => return Err(Reply::Pause),
                LineInput::Interrupted => return Err(Reply::Interrupted),
            };
            match parse_line(question, &typed, self.view.round) {
                ParsedLine::Answer(answer) => return Ok(Move::Answer(answer)),
                ParsedLine::Back => return Ok(Move::Back),
                ParsedLine::List => return Ok(Move::List),
                ParsedLine::AllRecommended => return Ok(Move::AllRecommended),
                other => {
                    if let Some(answer) = self.handle(question, other)? {
                        return Ok(Move::Answer(answer));
                    }
                }
            }
        }
    }

    /// Handles a line that is no answer by itself; returns the text from the editor, if that was wanted.
    fn handle(&mut self, question: &GateQuestion, line: ParsedLine) -> Result<Option<String>, Reply> {
        match line {
            ParsedLine::Pause => return Err(Reply::Pause),
            ParsedLine::Help => self.console.print(&help(question, self.view.round, self.style)),
            ParsedLine::Review(name) => show_file(self.console, &name, self.style),
            ParsedLine::Invalid(why) => self.say(&why),
            ParsedLine::Edit => match self.console.edit(&question.text) {
                Ok(text) if text.trim().is_empty() => {
                    self.say("The file is empty; no answer was taken.");
                }
                Ok(text) => return Ok(Some(text)),
                Err(problem) => self.say(&problem),
            },
            ParsedLine::Answer(_) | ParsedLine::Back | ParsedLine::List | ParsedLine::AllRecommended => {
                self.say("Please answer this one first.");
            }
        }
        Ok(None)
    }
}

fn recommended(question: &GateQuestion) -> &str {
    question.recommended.as_deref().map(str::trim).unwrap_or_default()
}

/// Answers that say that something is wrong, and not what.
const BARE_REFUSALS: [&str; 10] = [
    "no",
    "n",
    "changes",
    "correct with changes",
    "corrections",
    "concerns",
    "adjustments",
    "suggest alternative",
    "resolve",
    "add",
];

/// True for a bare "no" or "changes" to a question whose recommended answer confirms something.
fn lacks_reason(question: &GateQuestion, answer: &str) -> bool {
    let bare = answer.trim_end_matches([':', '.', ' ', '!']).to_lowercase();
    let confirmation = recommended(question);
    // To "any concerns?", "no" is the confirmation.
    let confirms = bare == "no" && confirmation.to_lowercase().starts_with("no");
    !question.approval
        && question.choices.is_empty()
        && is_short(confirmation)
        && !confirmation.is_empty()
        && BARE_REFUSALS.contains(&bare.as_str())
        && !confirms
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
        lines.extend(render_markdown(view.page.trim_end(), Style { width, ..style }));
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
    let help = "Enter takes the answer in brackets, ? shows what else you can type, stop pauses.";
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
    let shown = render_markdown(question.text.trim_end(), Style { width, ..style });
    for (n, line) in shown.iter().enumerate() {
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

/// Help text with the input that a question accepts.
fn help(question: &GateQuestion, round: u32, style: Style) -> String {
    let answers = match (choices(question, round).as_slice(), recommended(question)) {
        ([], "") => "Type your answer.".to_owned(),
        ([], _) => "Enter takes the recommended answer; anything else that you type is yours.".to_owned(),
        (choices, _) => format!("Answer {}.", choices.join(" or ")),
    };
    let moves = "e opens your editor. review: FILE shows a file, review: lists them. back returns to the question before, \
                 list shows all questions, yes to all takes the recommended answers to this and the following \
                 questions, stop pauses and keeps what you answered.";
    remark(&format!("{answers} {moves}"), style)
}

fn show_file(console: &mut dyn Console, name: &str, style: Style) {
    let name = name.trim();
    match console.read(name) {
        Ok(text) => {
            let title = style.paint(Tone::Heading, &format!("── {}", safe(name)));
            let is_markdown = [".md", ".txt"].iter().any(|ending| name.ends_with(ending));
            let text = if is_markdown {
                render_markdown(text.trim_end(), style).join("\n")
            } else {
                safe(text.trim_end())
            };
            console.print(&format!("\n{title}\n{text}\n── end\n\n"));
        }
        Err(problem) => console.print(&remark(&problem, style)),
    }
}

/// A remark below a question, indented and wrapped.
fn remark(text: &str, style: Style) -> String {
    let lines = wrapped(&safe(text), style.width.min(MAX_WIDTH).saturating_sub(3));
    format!("   {}\n", lines.join("\n   "))
}

/// Parsed input line.
#[derive(Debug, PartialEq, Eq)]
enum ParsedLine {
    Answer(String),
    Pause,
    Edit,
    Help,
    Back,
    List,
    AllRecommended,
    Review(String),
    /// Not a valid answer, with the reason.
    Invalid(String),
}

fn parse_line(question: &GateQuestion, typed: &str, round: u32) -> ParsedLine {
    let typed = typed.trim();
    let recommended = recommended(question);
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
    if is_dialog_word(typed) {
        return match typed.to_lowercase().as_str() {
            "?" => ParsedLine::Help,
            "back" => ParsedLine::Back,
            "list" => ParsedLine::List,
            _ => ParsedLine::AllRecommended,
        };
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
mod tests;
