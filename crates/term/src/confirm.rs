//! Questions before a run: confirmation of the preview, and the choice about an existing run.

use crate::terminal::{LineInput, Terminal};
use crate::text::{safe, wrapped};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Decision at the preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    Run,
    Cancel,
    /// Ctrl-C.
    Interrupted,
}

/// Decision about an existing run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingRunChoice {
    Resume,
    /// Archive it and start a new run.
    Fresh,
    Cancel,
    /// Ctrl-C.
    Interrupted,
}

/// Asks for confirmation of the preview. Enter confirms.
pub fn confirm(terminal: &Terminal) -> Confirmation {
    let options =
        [(&["run", "yes", "y"][..], Confirmation::Run), (&["cancel", "no", "n", "q"], Confirmation::Cancel)];
    choose(
        terminal,
        "Run this?",
        "[Run / Cancel] > ",
        &options,
        Confirmation::Cancel,
        Confirmation::Interrupted,
    )
}

/// Asks whether changes that were shown are to be made. Enter confirms.
pub fn confirm_changes(terminal: &Terminal, question: &str) -> Confirmation {
    let options =
        [(&["yes", "apply"][..], Confirmation::Run), (&["no", "cancel", "q"], Confirmation::Cancel)];
    choose(terminal, question, "[Yes / No] > ", &options, Confirmation::Cancel, Confirmation::Interrupted)
}

/// Asks what to do about an existing run, which `what` describes. Enter resumes it.
pub fn choose_existing_run(terminal: &Terminal, what: &str) -> ExistingRunChoice {
    let options = [
        (&["resume"][..], ExistingRunChoice::Resume),
        (&["fresh", "start fresh", "s"], ExistingRunChoice::Fresh),
        (&["cancel", "q"], ExistingRunChoice::Cancel),
    ];
    let prompt = "[Resume / start Fresh / Cancel] > ";
    choose(terminal, what, prompt, &options, ExistingRunChoice::Cancel, ExistingRunChoice::Interrupted)
}

/// Answer to the question of trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    Yes,
    No,
    /// Ctrl-C.
    Interrupted,
}

/// Shows a page, whose lines stay as they are, and asks whether its content is trusted. Enter declines.
pub fn ask_trust(terminal: &Terminal, page: &str) -> TrustAnswer {
    let options = [(&["no", "cancel", "q"][..], TrustAnswer::No), (&["yes"], TrustAnswer::Yes)];
    let shown: Vec<String> = page.lines().map(safe).collect();
    if let Ok(session) = terminal.start_session(Arc::new(AtomicBool::new(false))) {
        session.print(&(shown.join("\n") + "\n\n"));
    }
    let question = "Trust exactly this content?";
    choose(terminal, question, "[No / Yes] > ", &options, TrustAnswer::No, TrustAnswer::Interrupted)
}

/// Asks until an option is chosen by a word or its first letter. Enter chooses the first one.
fn choose<T: Copy>(
    terminal: &Terminal,
    question: &str,
    prompt: &str,
    options: &[(&[&str], T)],
    cancelled: T,
    interrupted: T,
) -> T {
    let Ok(mut session) = terminal.start_session(Arc::new(AtomicBool::new(false))) else { return cancelled };
    session.print(&(wrapped(&safe(question), terminal.style().width).join("\n") + "\n"));
    loop {
        match session.read_line(prompt, options.first().map_or("", |(words, _)| words[0])) {
            LineInput::Closed => return cancelled,
            LineInput::Interrupted => return interrupted,
            LineInput::Line(line) => {
                if let Some(chosen) = parse_choice(&line, options) {
                    return chosen;
                }
                let words: Vec<&str> = options.iter().map(|(words, _)| words[0]).collect();
                session.print(&format!("Please answer {}.\n", words.join(" or ")));
            }
        }
    }
}

fn parse_choice<T: Copy>(line: &str, options: &[(&[&str], T)]) -> Option<T> {
    let line = line.trim().to_lowercase();
    let matches_line = |words: &[&str]| {
        words.contains(&line.as_str()) || words[0].chars().map(String::from).next() == Some(line.clone())
    };
    let found = options.iter().find(|(words, _)| matches_line(words)).map(|(_, option)| *option);
    // "stop" means the last option, which cancels.
    let stop = options.last().filter(|_| line == "stop").map(|(_, option)| *option);
    let first = options.first().filter(|_| line.is_empty()).map(|(_, option)| *option);
    found.or(stop).or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_first_letters_choose() {
        let options = [(&["resume"][..], 'r'), (&["fresh", "start fresh"], 'f'), (&["cancel"], 'c')];
        for (line, expected) in [
            ("", Some('r')),
            ("R", Some('r')),
            ("Start Fresh", Some('f')),
            (" f ", Some('f')),
            ("cancel", Some('c')),
            ("stop", Some('c')),
            ("res", None),
            ("yes", None),
        ] {
            assert_eq!(parse_choice(line, &options), expected, "{line}");
        }
    }
}
