//! Remedies of a finding: what a reviewer proposes, options where reviewers differ, and smaller remedies of voters.
//!
//! `A: undo the write; B: write to a copy` are options. A voter chooses one with `YES B`, or supports the fact with
//! less than the proposal: `YES (smaller: log it)`. [`super::vote_lines`] parses the votes.

use super::review_items::ReviewItem;
use crate::markdown::{MARKS, flat, is_blank, trim_before};
use std::fmt::Write as _;

/// One of several remedies of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemedyOption {
    pub letter: char,
    pub text: String,
}

/// Remedy that a voter wants with its YES.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Remedy {
    /// The revision as proposed.
    #[default]
    AsProposed,
    /// The option with this letter.
    Option(char),
    /// Less than the proposal, in the voter's words.
    Smaller(String),
}

/// Parses options; empty if there are fewer than two.
///
/// Letters are consecutive from A. Each stands at the start or after `;`, `,`, `.`, and is followed by `:` or `)`.
pub(super) fn read_options(text: &str) -> Vec<RemedyOption> {
    let mut options: Vec<RemedyOption> = Vec::new();
    let mut rest = text;
    for letter in 'A'..='Z' {
        let Some((before, after)) = split_at_letter(rest, letter, options.is_empty()) else { break };
        if let Some(last) = options.last_mut() {
            last.text = trim_option(before);
        }
        options.push(RemedyOption { letter, text: String::new() });
        rest = after;
    }
    if let Some(last) = options.last_mut() {
        last.text = trim_option(rest);
    }
    let is_whole = options.len() > 1 && options.iter().all(|option| !option.text.is_empty());
    if is_whole { options } else { Vec::new() }
}

/// Splits a text at the mark of an option: `A:`, `B)`, `**C**:`, `Option D:`.
fn split_at_letter(text: &str, letter: char, at_start: bool) -> Option<(&str, &str)> {
    let from = |c| is_blank(c) || MARKS.contains(&c) || c == '(';
    text.match_indices(letter).find_map(|(at, _)| {
        let after = text[at + 1..].trim_start_matches(MARKS).trim_start_matches(is_blank);
        let after = after.strip_prefix([':', ')'])?.trim_start_matches([':']);
        let after = trim_before(after, |c| MARKS.contains(&c));
        let before = text[..at].trim_end_matches(from);
        let before = strip_word(before, "option").trim_end_matches(from);
        let starts = if at_start { before.is_empty() } else { before.ends_with([';', ',', '.']) };
        starts.then_some((before, after))
    })
}

fn strip_word<'a>(text: &'a str, word: &str) -> &'a str {
    let split = text.len().checked_sub(word.len()).and_then(|at| text.split_at_checked(at));
    split.filter(|(_, end)| end.eq_ignore_ascii_case(word)).map_or(text, |(start, _)| start)
}

fn trim_option(text: &str) -> String {
    let text = trim_before(text, |c| is_blank(c) || MARKS.contains(&c));
    flat(text.trim_end_matches(|c| is_blank(c) || matches!(c, ';' | ',')))
}

/// Writes options as [`read_options`] parses them.
pub(super) fn format_options(options: &[RemedyOption]) -> String {
    let options = options.iter().map(|option| format!("{}: {}", option.letter, flat(&option.text)));
    options.collect::<Vec<_>>().join("; ")
}

/// The remedy that the voters with a YES chose. `wanted` is in the order of the voters.
///
/// The remedy with most voters wins. In a tie a smaller remedy wins, because the others want at least that; then the
/// first option.
pub fn choose_remedy(item: &ReviewItem, wanted: &[Remedy]) -> String {
    let smaller: Vec<&str> = wanted
        .iter()
        .filter_map(|remedy| match remedy {
            Remedy::Smaller(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let as_proposed = wanted.iter().filter(|remedy| **remedy == Remedy::AsProposed).count();
    let votes = |letter| wanted.iter().filter(|remedy| **remedy == Remedy::Option(letter)).count();
    let mut best: Option<(&RemedyOption, usize)> = None;
    for option in &item.options {
        let count = votes(option.letter);
        if count > best.map_or(0, |(_, most)| most) {
            best = Some((option, count));
        }
    }
    let of_option = best.map_or(0, |(_, count)| count);
    if !smaller.is_empty() && smaller.len() >= of_option.max(as_proposed) {
        let mut text = format!("smaller than proposed: {}", smaller.join("; "));
        let proposed = proposal(item);
        if !proposed.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, " (proposed: {proposed})");
        }
        return text;
    }
    match best {
        Some((option, count)) if count >= as_proposed || item.revision.is_empty() => {
            format!("option {}: {}", option.letter, option.text)
        }
        _ => proposal(item),
    }
}

/// The revision as proposed, or all options.
pub(super) fn proposal(item: &ReviewItem) -> String {
    match (item.revision.as_str(), item.options.as_slice()) {
        (revision, []) => revision.to_owned(),
        ("", options) => format!("one of {}", format_options(options)),
        (revision, options) => format!("{revision} One of {}", format_options(options)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::review_items::read_review_items;

    fn told(text: &str) -> String {
        read_options(text).iter().map(|o| format!("{}={}", o.letter, o.text)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn options_are_read_as_people_write_them() {
        for (text, expected) in [
            ("A: undo it; B: write to a copy", "A=undo it|B=write to a copy"),
            ("A) undo it, B) copy, C) nothing.", "A=undo it|B=copy|C=nothing."),
            ("**A**: undo; **B**: copy", "A=undo|B=copy"),
            ("(A) undo. (B) copy", "A=undo.|B=copy"),
            ("Option A: undo; Option B: copy", "A=undo|B=copy"),
            ("A: x: y; z; B: w (plan B: no)", "A=x: y; z|B=w (plan B: no)"),
            ("A: use option B: no", ""),
            ("A: undo", ""),
            ("A: ; B: copy", ""),
            ("B: copy; A: undo", ""),
            ("undo or copy", ""),
            ("", ""),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
        let many = ('A'..='Z').map(|letter| format!("{letter}: x; ")).collect::<Vec<_>>().concat();
        assert_eq!(read_options(&many).len(), 26);
        assert_eq!(told(&format_options(&read_options("A) a, B) b"))), "A=a|B=b");
    }

    #[test]
    fn the_remedy_of_most_voters_wins_and_a_tie_goes_to_the_smaller() {
        let item = |fields: &str| {
            read_review_items(&format!("### FINDING_1: t\nFrom: a#1\nConcern: c\n{fields}")).0.remove(0)
        };
        let plain = item("Revision: Undo it.");
        let options = item("Options: A: undo; B: copy");
        let both = item("Revision: Repair it.\nOptions: A: undo; B: copy");
        let smaller = |text: &str| Remedy::Smaller(text.to_owned());
        let (yes, a, b) = (Remedy::AsProposed, Remedy::Option('A'), Remedy::Option('B'));
        for (item, wanted, expected) in [
            (&plain, vec![yes.clone(), yes.clone()], "Undo it."),
            (&plain, vec![], "Undo it."),
            (
                &plain,
                vec![yes.clone(), smaller("log it")],
                "smaller than proposed: log it (proposed: Undo it.)",
            ),
            (&plain, vec![yes.clone(), yes.clone(), smaller("log it")], "Undo it."),
            (
                &plain,
                vec![smaller("log it"), smaller("warn"), yes.clone()],
                "smaller than proposed: log it; warn (proposed: Undo it.)",
            ),
            (&options, vec![b.clone(), a.clone(), b.clone()], "option B: copy"),
            (&options, vec![b.clone(), a.clone()], "option A: undo"),
            (&options, vec![yes.clone(), yes.clone()], "one of A: undo; B: copy"),
            (&options, vec![yes.clone(), yes.clone(), b.clone()], "option B: copy"),
            (&both, vec![yes.clone(), yes.clone(), b.clone()], "Repair it. One of A: undo; B: copy"),
            (&options, vec![Remedy::Option('Z'), yes], "one of A: undo; B: copy"),
        ] {
            assert_eq!(choose_remedy(item, &wanted), expected, "{wanted:?}");
        }
    }
}
