//! Applies the edits of an answer to a document.

use super::answer::{Edit, Verb, trim_blank_lines};
use super::headings::{Headings, heading_of, loose_title};
use super::{ChangeKind, EditedText, SectionChange};
use crate::escape::printable;
use crate::markdown::{flat, heading, offset_in, trimmed};
use crate::problem::Problem;
use crate::spec::sections::Section;
use std::cmp::Reverse;
use std::collections::HashMap;

/// New text for a range of the document.
struct Splice {
    start: usize,
    end: usize,
    text: String,
    is_added: bool,
    level: usize,
}

pub(super) fn apply(document: &str, edits: &[Edit<'_>]) -> Result<EditedText, Vec<Problem>> {
    let headings = Headings::parse(document);
    let targets = find_targets(&headings, edits)?;
    let mut problems = conflicts(&headings, edits, &targets);
    let mut splices = Vec::new();
    let mut changes = Vec::new();
    for (edit, target) in edits.iter().zip(&targets) {
        let section = &headings.sections[*target];
        let before = &document[section.start..section.end];
        problems.extend(check_levels(&headings, edit, *target));
        let (text, kind, heading) = match edit.verb {
            Verb::Replace => match replaced(document, section, edit) {
                Ok(text) => (text, ChangeKind::Replaced, heading_of(section)),
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            },
            Verb::Delete => (String::new(), ChangeKind::Deleted, heading_of(section)),
            Verb::AddAfter => {
                let first = Headings::parse(edit.text).sections.first().map(heading_of);
                (edit.text.to_owned(), ChangeKind::Added, first.unwrap_or_default())
            }
        };
        let text = with_line_ends(&text, line_end(document));
        if edit.verb != Verb::Replace || text != before {
            changes.push(SectionChange { heading, kind });
        }
        let is_added = edit.verb == Verb::AddAfter;
        let start = if is_added { section.end } else { section.start };
        splices.push(Splice { start, end: section.end, text, is_added, level: section.level });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    splices.sort_by_key(|splice| (splice.start, !splice.is_added, Reverse(splice.level)));
    let text = splice_all(document, &splices);
    check_result(&headings, &splices, &text, edits)?;
    Ok(EditedText { text, is_whole: false, changes })
}

/// The section of each edit.
fn find_targets(headings: &Headings<'_>, edits: &[Edit<'_>]) -> Result<Vec<usize>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut targets = Vec::with_capacity(edits.len());
    for edit in edits {
        match headings.find(edit.heading) {
            Ok(target) => targets.push(target),
            Err(miss) => {
                let message = headings.describe(edit.heading, &miss, problems.is_empty());
                problems.push(Problem::new(edit.line, message));
            }
        }
    }
    if problems.is_empty() { Ok(targets) } else { Err(problems) }
}

/// Reports sections that are edited twice, and edits inside a section that is replaced or deleted.
fn conflicts(headings: &Headings<'_>, edits: &[Edit<'_>], targets: &[usize]) -> Vec<Problem> {
    let mut taken: HashMap<usize, &Edit<'_>> = HashMap::new();
    let mut problems = Vec::new();
    for (edit, target) in edits.iter().zip(targets).filter(|(edit, _)| edit.verb != Verb::AddAfter) {
        if let Some(first) = taken.get(target) {
            let message = format!(
                "'{}' is {} in line {} already: one edit per section",
                heading_of(&headings.sections[*target]),
                past(first.verb),
                first.line
            );
            problems.push(Problem::new(edit.line, message));
        } else {
            taken.insert(*target, edit);
        }
    }
    for (edit, target) in edits.iter().zip(targets) {
        let outer = headings.ancestors(*target).find_map(|above| Some((above, taken.get(&above)?)));
        if let Some((above, first)) = outer {
            let message = format!(
                "'{}' is a part of '{}', which is {} in line {}",
                heading_of(&headings.sections[*target]),
                heading_of(&headings.sections[above]),
                past(first.verb),
                first.line
            );
            problems.push(Problem::new(edit.line, message));
        }
    }
    problems
}

fn past(verb: Verb) -> &'static str {
    if verb == Verb::Delete { "deleted" } else { "replaced" }
}

/// Reports an added text without a heading, and headings that would take in the sections that follow.
fn check_levels(headings: &Headings<'_>, edit: &Edit<'_>, target: usize) -> Option<Problem> {
    if edit.verb == Verb::Delete {
        return None;
    }
    let first_line = edit.text.lines().next().unwrap_or_default();
    if edit.verb == Verb::AddAfter && heading(first_line).is_none() {
        let message = "the text to add does not begin with a heading: a new section needs one";
        return Some(Problem::new(edit.line, message));
    }
    let own = &headings.sections[target];
    let is_repeated = |section: &Section<'_>| {
        edit.verb == Verb::Replace && section.start == 0 && is_same_title(section, own)
    };
    let inside = Headings::parse(edit.text);
    let highest = inside.sections.iter().filter(|section| !is_repeated(section)).min_by_key(|s| s.level)?;
    let next = headings.next_after(target).filter(|next| next.level > highest.level)?;
    let message = format!(
        "'{}' would take in '{}', which follows: give it {} hashes",
        heading_of(highest),
        heading_of(next),
        next.level
    );
    Some(Problem::new(edit.line, message))
}

fn is_same_title(one: &Section<'_>, other: &Section<'_>) -> bool {
    let title = loose_title(one.title);
    flat(one.title) == flat(other.title) || !title.is_empty() && title == loose_title(other.title)
}

/// New text of a replaced section: its heading line, the new text below it, and the blanks that ended it.
fn replaced(document: &str, section: &Section<'_>, edit: &Edit<'_>) -> Result<String, Problem> {
    let whole = &document[section.start..section.end];
    let tail = &whole[whole.trim_end().len()..];
    let head = whole[..whole.len() - section.body.len()].trim_end();
    let (first, rest) = edit.text.split_at(edit.text.find('\n').unwrap_or(edit.text.len()));
    let (head, below) = match heading(first) {
        Some((_, title)) if flat(title) == flat(section.title) => (head, rest),
        Some((level, _)) if level == section.level => (first.trim(), rest),
        Some((_, title)) if loose_title(title) == loose_title(section.title) => (head, rest),
        Some((level, _)) if level < section.level => {
            let message = format!(
                "the new text of '{}' begins with another heading: repeat its own, or leave it out",
                heading_of(section)
            );
            return Err(Problem::new(edit.line, message));
        }
        _ => {
            let text = trim_blank_lines(section.body);
            let blanks = if text.is_empty() { 0 } else { offset_in(section.body, text) };
            let line_break = &whole[head.len()..whole.len() - section.body.len() + blanks];
            let line_break = if line_break.contains('\n') { line_break } else { "\n" };
            return Ok(format!("{head}{line_break}{}{tail}", edit.text));
        }
    };
    if below.trim().is_empty() {
        let message = "there is no text below the heading: to remove a section, write '=== delete: … ==='";
        return Err(Problem::new(edit.line, message));
    }
    Ok(format!("{head}{}{tail}", below.trim_end()))
}

fn line_end(document: &str) -> &'static str {
    let first = document.split_inclusive('\n').next().unwrap_or_default();
    if first.ends_with("\r\n") { "\r\n" } else { "\n" }
}

fn with_line_ends(text: &str, line_end: &str) -> String {
    let has_returns = text.contains('\r');
    match line_end {
        "\n" if !has_returns => text.to_owned(),
        "\n" => text.replace("\r\n", "\n"),
        _ => text.replace("\r\n", "\n").replace('\n', "\r\n"),
    }
}

fn splice_all(document: &str, splices: &[Splice]) -> String {
    let line_end = line_end(document);
    let mut text = String::with_capacity(document.len());
    let mut from = 0;
    for splice in splices {
        text.push_str(&document[from..splice.start]);
        from = splice.end;
        if !splice.is_added {
            text.push_str(&splice.text);
            continue;
        }
        if !text.trim_start_matches('\u{feff}').is_empty() {
            let blanks = &text[text.trim_end().len()..];
            let missing = 2_usize.saturating_sub(blanks.matches('\n').count());
            text.push_str(&line_end.repeat(missing));
        }
        text.push_str(splice.text.trim_end());
        text.push_str(line_end);
        if from < document.len() {
            text.push_str(line_end);
        }
    }
    text.push_str(&document[from..]);
    text
}

/// Checks that exactly the expected sections are in the result, none of them twice.
fn check_result(
    before: &Headings<'_>,
    splices: &[Splice],
    text: &str,
    edits: &[Edit<'_>],
) -> Result<(), Vec<Problem>> {
    let line = edits.first().map_or(1, |edit| edit.line);
    let mut expected: Vec<String> = Vec::new();
    let mut kept = before.sections.iter().peekable();
    for splice in splices {
        while let Some(section) = kept.next_if(|section| section.start < splice.start) {
            expected.push(heading_of(section));
        }
        expected.extend(Headings::parse(&splice.text).sections.iter().map(heading_of));
        while kept.next_if(|section| section.start < splice.end).is_some() {}
    }
    expected.extend(kept.map(heading_of));
    let after = Headings::parse(text);
    if trimmed(text).is_empty() {
        return Err(vec![Problem::new(line, "the edits delete the whole document")]);
    }
    let found = after.sections.iter().map(heading_of);
    if let Some(lost) =
        expected.iter().zip(found.chain(std::iter::repeat(String::new()))).find(|(a, b)| *a != b)
    {
        let message = format!(
            "the edits hide '{}': a code fence or comment before it is not closed",
            printable(lost.0)
        );
        return Err(vec![Problem::new(line, message)]);
    }
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for hash in before.path_hashes() {
        *counts.entry(hash).or_default() += 1;
    }
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for (section, hash) in after.sections.iter().zip(after.path_hashes()) {
        let times = seen.entry(hash).or_default();
        *times += 1;
        if *times > 1 && *times > counts.get(&hash).copied().unwrap_or_default() {
            let title = heading_of(section);
            let writes =
                |edit: &&Edit<'_>| Headings::parse(edit.text).sections.iter().any(|s| heading_of(s) == title);
            let line = edits.iter().rev().find(writes).map_or(line, |edit| edit.line);
            let message = format!("'{title}' would be there twice: replace the section that is there");
            return Err(vec![Problem::new(line, message)]);
        }
    }
    Ok(())
}
