//! Checks the places that a specification cites: `path:line`, and text quoted together with one.

use super::issue::{IssueCode, SpecIssue};
use super::spec_files::ParsedSpec;
use crate::panel::cite::{CitationRules, SourceFacts, check_citations};

pub(super) fn issues(spec: &ParsedSpec<'_>, facts: &dyn SourceFacts) -> Vec<SpecIssue> {
    let files = spec.files.entries();
    let rules = CitationRules {
        own_files: files.iter().map(|(name, _)| (*name).to_owned()).chain(["plan.txt".to_owned()]).collect(),
        new_files: spec.files_known.new.clone(),
        // Paths alone are checked where they are listed, by the rules for tasks and plans.
        only_with_lines: true,
        ..CitationRules::default()
    };
    // The three files that are written by hand.
    let written = files.iter().take(3);
    let issues = written.flat_map(|(name, text)| {
        let report = check_citations(text, facts, &rules);
        let issue = |(line, text): (usize, String)| SpecIssue::new(name, line, IssueCode::WrongPlace, text);
        report.wrong().map(|cited| (cited.line, cited.to_string())).map(issue).collect::<Vec<_>>()
    });
    issues.collect()
}
