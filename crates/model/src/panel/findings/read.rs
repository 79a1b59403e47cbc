//! Finds the findings in a review.

use super::draft::Draft;
use super::focus::{Focus, Tag, leading_tags};
use crate::panel::cited;
use crate::panel::lines::{Bare, MARKS, Marker, Problem, bare, is_blank, lines, list_marker, trimmed};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The whole answer of a reviewer who found nothing.
pub const NO_ISSUES_FOUND: &str = "NO_ISSUES_FOUND";

/// What a review says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewerFindings<'a> {
    /// Findings, none, or neither can be told.
    pub status: FindingsStatus,
    /// In order.
    pub findings: Vec<Finding<'a>>,
    /// What is missing or unclear. Findings are kept even if something is missing from them.
    pub errors: Vec<Problem>,
}

/// How a review ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingsStatus {
    /// There is at least one finding.
    Findings,
    /// The answer is exactly [`NO_ISSUES_FOUND`].
    NoIssues,
    /// Neither.
    Invalid,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'a> {
    /// Its number as written, or the next one if that is taken.
    pub n: u32,
    /// What it is about.
    pub focus: Option<Focus>,
    /// What is wrong.
    pub concern: Cow<'a, str>,
    /// What the plan should say instead.
    pub revision: Option<Cow<'a, str>>,
    /// Whether it is worth tracking, but not here.
    pub out_of_scope: bool,
}

impl Finding<'_> {
    /// The files the concern names, with their lines.
    pub fn paths(&self) -> Vec<&str> {
        cited::paths(&self.concern)
    }
}

/// A finding with what follows from it, as it is printed.
#[derive(Serialize)]
struct Printed<'a> {
    n: u32,
    focus: Option<Focus>,
    concern: &'a str,
    revision: Option<&'a str>,
    out_of_scope: bool,
    paths: Vec<&'a str>,
}

impl Serialize for Finding<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let printed = Printed {
            n: self.n,
            focus: self.focus,
            concern: &self.concern,
            revision: self.revision.as_deref(),
            out_of_scope: self.out_of_scope,
            paths: self.paths(),
        };
        printed.serialize(serializer)
    }
}

/// Reads a review.
///
/// A finding starts with a number (`1.`, `### 1)`, `**1.**`, `Finding 1:`), or as a list item with a tag in front,
/// and goes on until the next one or the next heading. Lines indented further belong to it, numbered or not, and
/// so do lists below a finding that is a heading.
pub fn read_findings(text: &str) -> ReviewerFindings<'_> {
    if trimmed(text) == NO_ISSUES_FOUND {
        return ReviewerFindings { status: FindingsStatus::NoIssues, findings: vec![], errors: vec![] };
    }
    let mut reader = Reader::new();
    let mut no_issues = None;
    for line in lines(text).filter(|line| !line.fenced) {
        let bare = bare(line.text);
        if bare.text == NO_ISSUES_FOUND {
            no_issues = no_issues.or(Some(line.number));
        } else if !is_empty_or_rule(&bare) {
            reader.line(line.number, &bare);
        }
    }
    reader.close();
    let Reader { findings, mut errors, .. } = reader;
    match no_issues {
        Some(line) if findings.is_empty() => {
            errors.push(Problem::new(line, format!("{NO_ISSUES_FOUND} must be the whole answer")));
        }
        Some(line) => errors.push(Problem::new(line, format!("{NO_ISSUES_FOUND} stands beside findings"))),
        None if findings.is_empty() && errors.is_empty() => {
            errors.push(Problem::new(1, format!("expected numbered findings, or exactly {NO_ISSUES_FOUND}")));
        }
        None => {}
    }
    let status = if findings.is_empty() { FindingsStatus::Invalid } else { FindingsStatus::Findings };
    ReviewerFindings { status, findings, errors }
}

/// A blank line, or one that only draws a line across the page.
fn is_empty_or_rule(line: &Bare<'_>) -> bool {
    line.item.is_none()
        && !line.text.starts_with(|c| c != '-')
        && line.text.trim_matches(['-', ' ']).is_empty()
}

struct Reader<'a> {
    findings: Vec<Finding<'a>>,
    errors: Vec<Problem>,
    open: Option<Draft<'a>>,
    /// The number of the last finding.
    last: u32,
    /// Whether any finding has a number of its own.
    numbered: bool,
    /// How far the open finding is indented; a number further in is part of it.
    indent: usize,
    /// Whether the open finding starts with a heading; then only a heading starts the next one.
    headed: bool,
}

impl<'a> Reader<'a> {
    fn new() -> Reader<'a> {
        let (findings, errors) = (Vec::new(), Vec::new());
        Reader { findings, errors, open: None, last: 0, numbered: false, indent: 0, headed: false }
    }

    fn line(&mut self, number: usize, line: &Bare<'a>) {
        let is_inside = line.indent > self.indent || self.headed && !line.heading;
        if !(is_inside && self.open.is_some())
            && let Some(start) = start(line, self.numbered)
        {
            self.close();
            self.indent = line.indent;
            self.headed = line.heading;
            self.numbered |= start.n.is_some();
            self.last = start.n.filter(|n| *n > self.last).unwrap_or(self.last.saturating_add(1));
            self.open = Some(Draft::new(self.last, number, start.text, start.bold));
        } else if let Some(draft) = &mut self.open {
            if !line.heading {
                draft.add(line);
            } else if !draft.takes_heading(line) {
                self.close();
            }
        }
    }

    fn close(&mut self) {
        if let Some(draft) = self.open.take() {
            self.findings.extend(draft.finish(&mut self.errors));
        }
    }
}

/// Where a finding starts.
struct Start<'a> {
    n: Option<u32>,
    text: &'a str,
    bold: bool,
}

/// The finding that starts on a line. Where findings are numbered, an item without a number starts one only if
/// it is out of scope.
fn start<'a>(line: &Bare<'a>, numbered: bool) -> Option<Start<'a>> {
    if let Some(Marker::Number(n)) = line.item {
        return Some(Start { n: Some(n), text: line.content, bold: false });
    }
    let named = match line.text.as_bytes().first()? {
        b'0'..=b'9' => number(line.text),
        b'f' | b'F' => named(line.text),
        _ => None,
    };
    if let Some((n, text)) = named {
        return Some(Start { n: Some(n), text, bold: line.content.starts_with("**") });
    }
    let listed = line.item.is_some() && !numbered;
    let starts = listed || line.text.starts_with('[');
    let (mut tagged, mut out_of_scope) = (false, false);
    leading_tags(if starts { line.content } else { "" }, |tag| {
        tagged = true;
        out_of_scope |= tag == Tag::OutOfScope;
    });
    (out_of_scope || tagged && listed).then_some(Start { n: None, text: line.content, bold: false })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let (Marker::Number(n), rest) = list_marker(text)? else { return None };
    Some((n, rest))
}

/// `Finding 3: …`, `FINDING_3 — …`, `Finding #3`.
fn named(text: &str) -> Option<(u32, &str)> {
    let (_, rest) = text.split_at_checked(NAME.len()).filter(|(word, _)| word.eq_ignore_ascii_case(NAME))?;
    let rest = rest.trim_start_matches([' ', '_', '#']);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let n = rest[..digits].parse().ok()?;
    let after = rest[digits..].trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    // "Finding 3 depends on it" is about a finding, and does not start one.
    let is_name = !after.starts_with(char::is_alphanumeric);
    is_name.then(|| (n, rest[digits..].trim_start_matches([':', '.', ')', ' ', '-', '—', '–'])))
}

const NAME: &str = "finding";
