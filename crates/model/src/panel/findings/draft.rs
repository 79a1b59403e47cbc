//! Incremental parser of a single finding.

use super::focus::{Focus, Tag, find_focus, leading_tags};
use super::parser::Finding;
use super::severity::FindingSeverity;
use crate::markdown::{
    MARKS, StrippedLine, is_blank, label, label_at, strip_decoration, trim_before, trimmed,
};
use crate::problem::Problem;
use memchr::{memchr, memchr_iter};
use std::borrow::Cow;

/// Finding whose lines are still being read.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    n: u32,
    line: usize,
    focus: Option<Focus>,
    severity: Option<FindingSeverity>,
    out_of_scope: bool,
    /// Rest of the first line of a finding with a severity.
    title: Cow<'a, str>,
    /// Length of the text before the label of the concern: the title of a finding without a severity.
    headline: usize,
    concern: Cow<'a, str>,
    revision: Cow<'a, str>,
    part: Part,
}

/// Part of a finding that the next line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Title,
    Concern,
    Revision,
    Focus,
    Severity,
}

/// Labels of the parts. The first [`INLINE_LABELS`] also count in the middle of a line.
const LABELS: [(&str, Part); 17] = [
    ("suggested revision", Part::Revision),
    ("proposed revision", Part::Revision),
    ("suggested fix", Part::Revision),
    ("revision", Part::Revision),
    ("suggestion", Part::Revision),
    ("recommendation", Part::Revision),
    ("fix", Part::Revision),
    ("concern", Part::Concern),
    ("issue", Part::Concern),
    ("problem", Part::Concern),
    ("finding", Part::Concern),
    ("description", Part::Concern),
    ("focus", Part::Focus),
    ("focus area", Part::Focus),
    ("tag", Part::Focus),
    ("category", Part::Focus),
    ("severity", Part::Severity),
];
const INLINE_LABELS: usize = 3;

const BOLD: &str = "**";

impl<'a> Draft<'a> {
    /// Starts a finding with the text after its number. `bold`: emphasis is open at its start.
    pub(super) fn new(n: u32, line: usize, text: &'a str, bold: bool) -> Draft<'a> {
        let mut draft = Draft {
            n,
            line,
            focus: None,
            severity: None,
            out_of_scope: false,
            title: Cow::Borrowed(""),
            headline: 0,
            concern: Cow::Borrowed(""),
            revision: Cow::Borrowed(""),
            part: Part::Concern,
        };
        let rest = leading_tags(text, |tag| match tag {
            Tag::Focus(focus) => draft.focus = draft.focus.or(Some(focus)),
            Tag::Severity(severity) => draft.severity = draft.severity.or(Some(severity)),
            Tag::OutOfScope => draft.out_of_scope = true,
        });
        // Only findings of the present form have a severity, and their first line is the title.
        if draft.severity.is_some() {
            draft.part = Part::Title;
        }
        match split_emphasis(text, rest, bold) {
            // The opening mark was stripped with the number or a tag; strip the closing mark too.
            Some((emphasised, after)) => {
                draft.add(&strip_decoration(emphasised));
                draft.end_title();
                let is_titled = !draft.title.is_empty();
                let after =
                    if is_titled { after.trim_start_matches(|c| is_blank(c) || is_dash(c)) } else { after };
                draft.add(&strip_decoration(after));
            }
            None => draft.add(&strip_decoration(rest)),
        }
        draft.end_title();
        draft
    }

    fn end_title(&mut self) {
        if self.part == Part::Title {
            self.part = Part::Concern;
        }
    }

    /// Adds a line, or the rest of one.
    pub(super) fn add(&mut self, line: &StrippedLine<'a>) {
        let Some(colon) = memchr(b':', line.text.as_bytes()) else { return self.put(line.content) };
        let Some((part, value)) = read_label(line, colon) else {
            return self.put_from(line.content, line.content.len() - line.text.len() + colon);
        };
        if part == Part::Focus {
            self.focus = self.focus.or_else(|| Focus::parse(value));
            return;
        }
        if part == Part::Severity {
            self.severity = self.severity.or_else(|| FindingSeverity::parse(value));
            return;
        }
        self.part = part;
        if part == Part::Concern && self.headline == 0 {
            self.headline = self.concern.len();
        }
        if part == Part::Concern && self.concern.ends_with(char::is_alphanumeric) {
            self.concern.to_mut().push(':');
        }
        self.put_from(value, 0);
    }

    /// True if a heading is the label of a part; the lines below it then belong to that part.
    pub(super) fn accept_heading(&mut self, line: &StrippedLine<'a>) -> bool {
        let name = line.text.trim_end_matches(MARKS);
        match part_named(name) {
            Some(part) => self.part = part,
            None if label(line).is_some_and(|label| part_named(label.name).is_some()) => self.add(line),
            None => return false,
        }
        true
    }

    /// Appends text to the current part. In a concern, a revision may begin at the first colon or a later one.
    fn put_from(&mut self, text: &'a str, colon: usize) {
        let is_before_revision = matches!(self.part, Part::Title | Part::Concern);
        let inline = if is_before_revision { inline_revision(text, colon) } else { None };
        let Some((concern, revision)) = inline else { return self.put(text) };
        self.put(concern);
        self.part = Part::Revision;
        self.put(revision);
    }

    fn put(&mut self, text: &'a str) {
        match self.part {
            Part::Title => append(&mut self.title, text),
            Part::Concern => append(&mut self.concern, text),
            Part::Revision => append(&mut self.revision, text),
            Part::Focus => self.focus = self.focus.or_else(|| Focus::parse(text)),
            Part::Severity => self.severity = self.severity.or_else(|| FindingSeverity::parse(text)),
        }
    }

    /// The finding, if it has a concern. Reports missing parts to `errors`.
    pub(super) fn finish(self, errors: &mut Vec<Problem>) -> Option<Finding<'a>> {
        let Draft { n, line, severity, out_of_scope, revision, headline, .. } = self;
        // A finding in one line has its whole text in the title.
        let (title, concern) = match (self.title, self.concern) {
            (title, concern) if concern.is_empty() => (Cow::Borrowed(""), title),
            (title, concern) if title.is_empty() => (copy_start(&concern, headline), concern),
            parts => parts,
        };
        let title = Some(without_emphasis(title)).filter(|title| !title.is_empty());
        let mut missing = |what: &str| {
            if errors.len() < MAX_ERRORS {
                errors.push(Problem::new(line, format!("finding {n} has no {what}")));
            }
        };
        if concern.is_empty() {
            missing("concern");
            return None;
        }
        let focus = self.focus.or_else(|| find_focus(&concern));
        if focus.is_none() {
            missing("focus tag");
        }
        let revision = Some(revision).filter(|revision| !revision.is_empty());
        if revision.is_none() && !out_of_scope {
            missing("suggested revision");
        }
        Some(Finding { n, title, severity, focus, concern, revision, out_of_scope })
    }
}

/// A title without the emphasis around it.
fn without_emphasis(title: Cow<'_, str>) -> Cow<'_, str> {
    fn inside(text: &str) -> Option<&str> {
        text.strip_prefix(BOLD)?.strip_suffix(BOLD).filter(|inside| !inside.contains(BOLD))
    }
    match title {
        Cow::Borrowed(text) => Cow::Borrowed(inside(text).unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(inside(&text).unwrap_or(&text).to_owned()),
    }
}

/// The first `length` bytes of a part.
fn copy_start<'a>(part: &Cow<'a, str>, length: usize) -> Cow<'a, str> {
    match part {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..length]),
        Cow::Owned(text) => Cow::Owned(text[..length].to_owned()),
    }
}

/// Maximum number of reported errors.
const MAX_ERRORS: usize = 500;

/// Splits `rest` at the mark that closes emphasis, if emphasis is open at its start.
fn split_emphasis<'a>(text: &str, rest: &'a str, bold: bool) -> Option<(&'a str, &'a str)> {
    // Most lines have no mark at all, and searching one byte is much cheaper than searching two.
    memchr(b'*', rest.as_bytes())?;
    let marks = text[..text.len() - rest.len()].matches(BOLD).count() + usize::from(bold);
    rest.split_once(BOLD).filter(|_| marks % 2 == 1)
}

/// The part a line is labelled with, and its value.
fn read_label<'a>(line: &StrippedLine<'a>, colon: usize) -> Option<(Part, &'a str)> {
    let label = label_at(line, colon)?;
    Some((part_named(label.name)?, label.value))
}

fn part_named(name: &str) -> Option<Part> {
    LABELS.iter().find(|(label, _)| label.eq_ignore_ascii_case(name)).map(|(_, part)| *part)
}

/// Splits a line at a revision label in its middle, at byte `from` or later.
fn inline_revision(text: &str, from: usize) -> Option<(&str, &str)> {
    memchr_iter(b':', &text.as_bytes()[from..]).find_map(|colon| {
        let colon = from + colon;
        let before = text[..colon].trim_end_matches(MARKS);
        let (rest, _) = LABELS[..INLINE_LABELS].iter().find_map(|(name, _)| {
            let (rest, end) = before.split_at_checked(before.len().checked_sub(name.len())?)?;
            let is_word = !rest.ends_with(char::is_alphanumeric);
            (is_word && end.eq_ignore_ascii_case(name)).then_some((rest, end))
        })?;
        let concern = rest.trim_end_matches(|c| is_blank(c) || MARKS.contains(&c) || is_dash(c));
        let revision = trim_before(&text[colon + 1..], |c| is_blank(c) || MARKS.contains(&c));
        Some((concern, revision))
    })
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '—' | '–' | '(')
}

/// Appends text to a part, with a space in between unless it begins with punctuation. A single line is
/// borrowed; only a second one is copied.
fn append<'a>(part: &mut Cow<'a, str>, text: &'a str) {
    let text = trimmed(text);
    if part.is_empty() {
        *part = Cow::Borrowed(text);
    } else if !text.is_empty() {
        if let Cow::Borrowed(first) = part {
            let mut copy = String::with_capacity(first.len() + 1 + text.len());
            copy.push_str(first);
            *part = Cow::Owned(copy);
        }
        let part = part.to_mut();
        if !text.starts_with(['.', ',', ';', ':', '!', '?']) {
            part.push(' ');
        }
        part.push_str(text);
    }
}
