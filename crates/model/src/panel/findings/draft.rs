//! One finding while its lines are read.

use super::focus::{Focus, Tag, any_focus, leading_tags};
use super::read::Finding;
use crate::panel::cited;
use crate::panel::lines::{MARKS, Problem, bare, is_blank, label};

/// A finding that may still go on.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) n: u32,
    line: usize,
    focus: Option<Focus>,
    out_of_scope: bool,
    concern: String,
    revision: String,
    part: Part,
}

/// The part of a finding the next line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Concern,
    Revision,
    Focus,
}

/// Names of the parts. The first three revisions also count in the middle of a line.
const LABELS: [(&str, Part); 16] = [
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
];
const INLINE: usize = 3;

const BOLD: &str = "**";

impl Draft {
    /// Starts a finding with what follows its number; `bold` says that emphasis is open there.
    pub(super) fn new(n: u32, line: usize, text: &str, bold: bool) -> Draft {
        let mut draft = Draft {
            n,
            line,
            focus: None,
            out_of_scope: false,
            concern: String::new(),
            revision: String::new(),
            part: Part::Concern,
        };
        let rest = leading_tags(text, |tag| match tag {
            Tag::Focus(focus) => draft.focus = draft.focus.or(Some(focus)),
            Tag::OutOfScope => draft.out_of_scope = true,
        });
        let marks = text[..text.len() - rest.len()].matches(BOLD).count() + usize::from(bold);
        match rest.split_once(BOLD).filter(|_| marks % 2 == 1) {
            // The opening mark went with the number or a tag; its closing mark goes too.
            Some((emphasised, after)) => draft.add(&format!("{emphasised}{after}")),
            None => draft.add(rest),
        }
        draft
    }

    /// Adds a line, or what is left of one.
    pub(super) fn add(&mut self, text: &str) {
        let Some((part, value)) = labelled(text) else { return self.put(text) };
        if part == Part::Focus {
            self.focus = self.focus.or_else(|| Focus::parse(value));
            return;
        }
        self.part = part;
        if part == Part::Concern && self.concern.ends_with(char::is_alphanumeric) {
            self.concern.push(':');
        }
        self.put(value);
    }

    /// Whether a heading names a part of this finding; what follows then belongs to it.
    pub(super) fn takes_heading(&mut self, text: &str) -> bool {
        let name = text.trim_end_matches(|c| is_blank(c) || MARKS.contains(&c));
        match LABELS.iter().find(|(label, _)| label.eq_ignore_ascii_case(name)) {
            Some((_, part)) => self.part = *part,
            None if labelled(text).is_some() => self.add(text),
            None => return false,
        }
        true
    }

    /// Puts text where it belongs; a revision may begin in the middle of it.
    fn put(&mut self, text: &str) {
        match inline_revision(text).filter(|_| self.part == Part::Concern) {
            Some((concern, revision)) => {
                append(&mut self.concern, concern);
                self.part = Part::Revision;
                append(&mut self.revision, revision);
            }
            None => match self.part {
                Part::Concern => append(&mut self.concern, text),
                Part::Revision => append(&mut self.revision, text),
                Part::Focus => self.focus = self.focus.or_else(|| Focus::parse(text)),
            },
        }
    }

    /// The finding, if there is one, and what is missing from it.
    pub(super) fn finish(self, errors: &mut Vec<Problem>) -> Option<Finding> {
        let Draft { n, line, out_of_scope, concern, .. } = self;
        let mut missing = |what: &str| errors.push(Problem::new(line, format!("finding {n} has no {what}")));
        if concern.is_empty() {
            missing("concern");
            return None;
        }
        let focus = self.focus.or_else(|| any_focus(&concern));
        if focus.is_none() {
            missing("focus tag");
        }
        let revision = Some(self.revision).filter(|revision| !revision.is_empty());
        if revision.is_none() && !out_of_scope {
            missing("suggested revision");
        }
        let paths = cited::paths(&concern);
        Some(Finding { n, focus, concern, revision, out_of_scope, paths })
    }
}

/// The part a line names, and what it says about it.
fn labelled(text: &str) -> Option<(Part, &str)> {
    let label = label(&bare(text))?;
    let (_, part) = LABELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(label.name))?;
    Some((*part, label.value))
}

/// What stands before and after a revision that begins inside a line.
fn inline_revision(text: &str) -> Option<(&str, &str)> {
    text.match_indices(':').find_map(|(colon, _)| {
        let before = text[..colon].trim_end_matches(MARKS);
        let labels = LABELS[..INLINE].iter();
        let start = labels.filter_map(|(name, _)| before.len().checked_sub(name.len()).zip(Some(*name)));
        let (start, _) = start
            .filter(|(start, name)| before.get(*start..).is_some_and(|end| end.eq_ignore_ascii_case(name)))
            .find(|(start, _)| !before[..*start].ends_with(char::is_alphanumeric))?;
        let concern = before[..start].trim_end_matches(|c| is_blank(c) || MARKS.contains(&c) || is_dash(c));
        let revision = text[colon + 1..].trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
        Some((concern, revision))
    })
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '—' | '–' | '(')
}

/// Adds text to a part, with one space in between.
fn append(part: &mut String, text: &str) {
    let text = text.trim_matches(is_blank);
    if !part.is_empty() && !text.is_empty() {
        part.push(' ');
    }
    part.push_str(text);
}
