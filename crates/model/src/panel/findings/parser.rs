//! Parser of a plan review: splits it into findings.

use super::draft::Draft;
use super::focus::{Focus, Tag, leading_tags};
use super::severity::FindingSeverity;
use crate::markdown::{MARKS, Marker, StrippedLine, is_blank, lines, list_marker, strip_decoration, trimmed};
use crate::panel::citations;
use crate::problem::Problem;
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The whole answer of a reviewer without findings.
pub const NO_ISSUES_FOUND: &str = "NO_ISSUES_FOUND";

/// Parsed plan review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewerFindings<'a> {
    pub status: FindingsStatus,
    pub findings: Vec<Finding<'a>>,
    /// Missing or unclear parts. An incomplete finding is kept if it has a concern.
    pub errors: Vec<Problem>,
}

/// Kind of answer of a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingsStatus {
    /// At least one finding.
    Findings,
    /// The answer is exactly [`NO_ISSUES_FOUND`].
    NoIssues,
    /// Neither of the two.
    Invalid,
}

/// Finding of a reviewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'a> {
    /// Number as written, or the next free one if it is taken.
    pub n: u32,
    /// Title as written; see [`Finding::title`].
    pub title: Option<Cow<'a, str>>,
    /// None in the older form.
    pub severity: Option<FindingSeverity>,
    pub focus: Option<Focus>,
    pub concern: Cow<'a, str>,
    /// Suggested revision of the plan.
    pub revision: Option<Cow<'a, str>>,
    pub out_of_scope: bool,
}

impl Finding<'_> {
    /// The title, else the first sentence of the concern.
    pub fn title(&self) -> Cow<'_, str> {
        match &self.title {
            Some(title) => Cow::Borrowed(title),
            None => shorten_title(&self.concern),
        }
    }

    /// Files cited in concern, revision and title, each once, with their line numbers.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths = citations::paths(&self.concern);
        // The title of the older form is a part of the concern.
        let title = self.title.as_deref().filter(|_| self.severity.is_some());
        for path in [self.revision.as_deref(), title].into_iter().flatten().flat_map(citations::paths) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }
}

/// Maximum number of characters of a derived title.
const TITLE_CHARS: usize = 100;

/// The first sentence of a concern, cut at a word.
fn shorten_title(concern: &str) -> Cow<'_, str> {
    let ends = concern.match_indices(['.', '!', '?']).map(|(at, _)| at);
    let mut ends = ends.filter(|at| concern[at + 1..].starts_with(is_blank));
    let first = ends.find(|at| !ABBREVIATIONS.iter().any(|word| concern[..*at].ends_with(word)));
    let sentence = trimmed(&concern[..first.unwrap_or(concern.len())]).trim_end_matches('.');
    match sentence.char_indices().nth(TITLE_CHARS) {
        None => Cow::Borrowed(sentence),
        Some((limit, _)) => {
            let cut = sentence[..limit].rfind(is_blank).unwrap_or(limit);
            Cow::Owned(format!("{}…", sentence[..cut].trim_end_matches([',', ';', ':', '(', ' '])))
        }
    }
}

/// Words whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "cf", "vs", "resp", "etc"];

/// JSON form of a finding, with its cited paths.
#[derive(Serialize)]
struct FindingJson<'a> {
    n: u32,
    focus: Option<Focus>,
    concern: &'a str,
    revision: Option<&'a str>,
    out_of_scope: bool,
    paths: Vec<&'a str>,
    /// Only with a severity, so that reviews of the older form are printed as ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<FindingSeverity>,
}

impl Serialize for Finding<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let printed = FindingJson {
            n: self.n,
            focus: self.focus,
            concern: &self.concern,
            revision: self.revision.as_deref(),
            out_of_scope: self.out_of_scope,
            paths: self.paths(),
            title: self.severity.map(|_| self.title()),
            severity: self.severity,
        };
        printed.serialize(serializer)
    }
}

/// Parses a plan review.
///
/// A finding starts with a number (`1.`, `### 1)`, `**1.**`, `Finding 1:`), or as a list item with a tag in
/// front, and ends at the next one or the next heading. Lines indented further belong to it, numbered or not,
/// and so do lists below a finding that is a heading.
pub fn read_findings(text: &str) -> ReviewerFindings<'_> {
    if trimmed(text) == NO_ISSUES_FOUND {
        return ReviewerFindings { status: FindingsStatus::NoIssues, findings: vec![], errors: vec![] };
    }
    let mut parser = Parser::new();
    let mut no_issues = None;
    for line in lines(text).filter(|line| !line.fenced) {
        let bare = strip_decoration(line.text);
        if bare.text == NO_ISSUES_FOUND {
            no_issues = no_issues.or(Some(line.number));
        } else if !is_empty_or_rule(&bare) {
            parser.line(line.number, &bare);
        }
    }
    parser.close();
    let Parser { findings, mut errors, .. } = parser;
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

/// True for a blank line or a horizontal rule.
fn is_empty_or_rule(line: &StrippedLine<'_>) -> bool {
    line.item.is_none()
        && !line.text.starts_with(|c| c != '-')
        && line.text.trim_matches(['-', ' ']).is_empty()
}

struct Parser<'a> {
    findings: Vec<Finding<'a>>,
    errors: Vec<Problem>,
    open: Option<Draft<'a>>,
    /// Number of the last finding.
    last: u32,
    /// True once a finding has a number of its own.
    numbered: bool,
    /// Indent of the open finding; a number further in is part of it.
    indent: usize,
    /// True if the open finding starts with a heading; then only a heading starts the next one.
    headed: bool,
}

impl<'a> Parser<'a> {
    fn new() -> Parser<'a> {
        let (findings, errors) = (Vec::new(), Vec::new());
        Parser { findings, errors, open: None, last: 0, numbered: false, indent: 0, headed: false }
    }

    fn line(&mut self, number: usize, line: &StrippedLine<'a>) {
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
            } else if !draft.accept_heading(line) {
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

/// First line of a finding.
struct Start<'a> {
    n: Option<u32>,
    text: &'a str,
    bold: bool,
}

/// The finding that starts on a line. In a numbered review, an item without a number starts one only if it is
/// out of scope.
fn start<'a>(line: &StrippedLine<'a>, numbered: bool) -> Option<Start<'a>> {
    if let Some(Marker::Number(n)) = line.item {
        return Some(Start { n: Some(n), text: line.content, bold: false });
    }
    let named = match line.text.as_bytes().first()? {
        b'0'..=b'9' => parse_number(line.text),
        b'f' | b'F' => parse_name(line.text),
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

fn parse_number(text: &str) -> Option<(u32, &str)> {
    let (Marker::Number(n), rest) = list_marker(text)? else { return None };
    Some((n, rest))
}

/// Parses `Finding 3: …`, `FINDING_3 — …`, `Finding #3`.
fn parse_name(text: &str) -> Option<(u32, &str)> {
    let (_, rest) = text.split_at_checked(NAME.len()).filter(|(word, _)| word.eq_ignore_ascii_case(NAME))?;
    let rest = rest.trim_start_matches([' ', '_', '#']);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let n = rest[..digits].parse().ok()?;
    let after = rest[digits..].trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    // "Finding 3 depends on it" mentions a finding and does not start one.
    let is_name = !after.starts_with(char::is_alphanumeric);
    is_name.then(|| (n, rest[digits..].trim_start_matches([':', '.', ')', ' ', '-', '—', '–'])))
}

const NAME: &str = "finding";
