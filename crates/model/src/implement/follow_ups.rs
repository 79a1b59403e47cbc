//! `follow-ups.md`: drafts of issues for what was found, accepted and is out of scope.
//!
//! Drafts that touch the same file are worked on one after another, unless their lines are apart. The texts of their issues
//! in a tracker are in [`super::follow_up_issue`].

use super::follow_up_issue::{escaped_lines, headline};
use crate::panel::citations::paths;
use crate::panel::findings::FindingSeverity;
use crate::panel::places::cited_places;
use crate::spec::record::LinearIssue;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// Draft of an issue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    pub title: String,
    pub severity: Option<FindingSeverity>,
    pub concern: String,
    /// What to do about it.
    pub suggestion: String,
    pub places: Vec<TouchedPlace>,
}

/// A file that a draft is about, with its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchedPlace {
    pub path: String,
    /// First and last line; none for the whole file.
    pub lines: Option<(usize, usize)>,
}

impl TouchedPlace {
    fn overlaps(&self, other: &TouchedPlace) -> bool {
        self.path == other.path
            && match (self.lines, other.lines) {
                (Some((first, last)), Some((from, to))) => first <= to && from <= last,
                _ => true,
            }
    }
}

impl fmt::Display for TouchedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            None => f.write_str(&self.path),
            Some((first, last)) if first == last => write!(f, "{}:{first}", self.path),
            Some((first, last)) => write!(f, "{}:{first}-{last}", self.path),
        }
    }
}

impl FollowUp {
    /// True if both may touch the same lines.
    pub fn overlaps(&self, other: &FollowUp) -> bool {
        self.places.iter().any(|one| other.places.iter().any(|two| one.overlaps(two)))
    }

    /// Draft of an issue; the places are those that its texts cite.
    pub fn new(title: &str, concern: &str, suggestion: &str) -> FollowUp {
        let texts = [title, concern, suggestion].join("\n");
        let mut places: Vec<TouchedPlace> = Vec::new();
        let mut add = |place: TouchedPlace| {
            if !places.contains(&place) {
                places.push(place);
            }
        };
        for cited in cited_places(&texts) {
            add(TouchedPlace { path: cited.place.path, lines: Some((cited.place.first, cited.place.last)) });
        }
        for path in paths(&texts).into_iter().filter(|path| !path.contains(':')) {
            add(TouchedPlace { path: path.to_owned(), lines: None });
        }
        FollowUp {
            title: title.to_owned(),
            severity: None,
            concern: concern.to_owned(),
            suggestion: suggestion.to_owned(),
            places,
        }
    }
}

/// Groups drafts so that those of a group can be worked on side by side; the groups follow one another. The numbers are
/// places in the list.
pub fn group_follow_ups(drafts: &[FollowUp]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        // Behind every group with a draft that this one overlaps, so that the order of the list is kept among them.
        let last = groups.iter().rposition(|group| group.iter().any(|other| drafts[*other].overlaps(draft)));
        let group = last.map_or(0, |last| last + 1);
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(at);
    }
    groups
}

/// Earlier drafts that a draft comes after, because they may touch the same lines. The numbers are places in the list.
pub fn predecessors(drafts: &[FollowUp], at: usize) -> Vec<usize> {
    (0..at).filter(|earlier| drafts[*earlier].overlaps(&drafts[at])).collect()
}

/// Renders `follow-ups.md`. `origin` is the issue of the feature, if it has one; `issues` are those of the first drafts, in
/// their order.
pub fn render_follow_ups(
    feature: &str,
    origin: Option<&str>,
    drafts: &[FollowUp],
    issues: &[LinearIssue],
) -> String {
    let mut text = format!("# Follow-ups of {feature}\n\n");
    if drafts.is_empty() {
        text.push_str("None.\n");
        return text;
    }
    let origin = origin.map(|issue| format!(" of {issue}")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Found during the implementation{origin}, accepted, and out of its scope. Each is the draft of an issue."
    );
    for (at, draft) in drafts.iter().enumerate() {
        let severity = draft.severity.map(|severity| format!(" [{}]", severity.name())).unwrap_or_default();
        let concern = escaped_lines(draft.concern.trim());
        let _ = write!(text, "\n## {}. {}{severity}\n\n{concern}\n", at + 1, headline(draft));
        if !draft.suggestion.trim().is_empty() {
            let _ = write!(text, "\n**Suggestion:** {}\n", escaped_lines(draft.suggestion.trim()));
        }
        let before: Vec<String> = predecessors(drafts, at).iter().map(|n| (n + 1).to_string()).collect();
        if !before.is_empty() {
            let _ = write!(text, "\n**After:** {} (same lines)\n", before.join(", "));
        }
        if let Some(LinearIssue { identifier, url }) = issues.get(at) {
            let _ = write!(text, "\n**Issue:** {identifier} - {url}\n");
        }
    }
    text
}
