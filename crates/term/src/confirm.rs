//! What is asked before a run: whether to run, and what to do about a run that is there already.

use crate::terminal::{Terminal, Typed};
use crate::text::{safe, wrapped};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a person decided at the preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmed {
    /// Run.
    Run,
    /// Leave everything as it is.
    Cancel,
    /// Ctrl-C.
    Interrupted,
}

/// What a person decided about a run that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Go on with it.
    Resume,
    /// Put it away and begin anew.
    Fresh,
    /// Leave everything as it is.
    Cancel,
    /// Ctrl-C.
    Interrupted,
}

/// Asks whether to run what the preview shows. Enter runs it.
pub fn confirm(terminal: &Terminal) -> Confirmed {
    let options =
        [(&["run", "yes", "y"][..], Confirmed::Run), (&["cancel", "no", "n", "q"], Confirmed::Cancel)];
    choose(terminal, "Run this?", "[Run / Cancel] > ", &options, (Confirmed::Cancel, Confirmed::Interrupted))
}

/// Asks what to do about a run that is there already; `what` says in words which it is. Enter goes on with it.
pub fn existing(terminal: &Terminal, what: &str) -> Existing {
    let options = [
        (&["resume"][..], Existing::Resume),
        (&["fresh", "start fresh", "s"], Existing::Fresh),
        (&["cancel", "q"], Existing::Cancel),
    ];
    let prompt = "[Resume / start Fresh / Cancel] > ";
    choose(terminal, what, prompt, &options, (Existing::Cancel, Existing::Interrupted))
}

/// Asks until one of the options is named, by a word or its first letter. The first one is for Enter.
fn choose<T: Copy>(
    terminal: &Terminal,
    question: &str,
    prompt: &str,
    options: &[(&[&str], T)],
    (away, interrupted): (T, T),
) -> T {
    let Ok(mut conversation) = terminal.conversation(Arc::new(AtomicBool::new(false))) else { return away };
    conversation.say(&(wrapped(&safe(question), terminal.style().width).join("\n") + "\n"));
    loop {
        match conversation.line(prompt, options.first().map_or("", |(words, _)| words[0])) {
            Typed::Away => return away,
            Typed::Interrupted => return interrupted,
            Typed::Line(line) => {
                if let Some(chosen) = chosen(&line, options) {
                    return chosen;
                }
                let words: Vec<&str> = options.iter().map(|(words, _)| words[0]).collect();
                conversation.say(&format!("Please answer {}.\n", words.join(" or ")));
            }
        }
    }
}

fn chosen<T: Copy>(line: &str, options: &[(&[&str], T)]) -> Option<T> {
    let line = line.trim().to_lowercase();
    let is_meant = |words: &[&str]| {
        words.contains(&line.as_str()) || words[0].chars().map(String::from).next() == Some(line.clone())
    };
    let found = options.iter().find(|(words, _)| is_meant(words)).map(|(_, option)| *option);
    // A wish to stop is one to leave everything as it is, and that is the last option.
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
            assert_eq!(chosen(line, &options), expected, "{line}");
        }
    }
}
