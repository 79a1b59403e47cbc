//! Checks Markdown links: targets are files of the specification, files of the repository, or headings.

use super::issue::{IssueCode, SpecIssue};
use super::spec_files::ParsedSpec;
use crate::escape::printable;
use crate::markdown::outline;
use crate::spec::sections::Sections;
use std::collections::{BTreeMap, BTreeSet};

/// Target of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target<'a> {
    pub(super) line: usize,
    pub(super) to: &'a str,
}

impl<'a> Target<'a> {
    /// The file, without the fragment.
    pub(super) fn file(self) -> &'a str {
        let file = self.to.split_once('#').map_or(self.to, |(file, _)| file);
        file.strip_prefix("./").unwrap_or(file)
    }

    fn fragment(self) -> Option<&'a str> {
        self.to.split_once('#').map(|(_, fragment)| fragment).filter(|fragment| !fragment.is_empty())
    }
}

/// The links of a text: `[text](target)`, `![image](target)` and `[name]: target`. Code does not count.
pub(super) fn targets(text: &str) -> Vec<Target<'_>> {
    let mut found = Vec::new();
    for line in outline(text).lines.iter().filter(|line| !line.fenced) {
        let mut in_code = false;
        // Inline code holds no links.
        for part in line.text.split('`') {
            if !in_code {
                found.extend(inline_links(part).map(|to| Target { line: line.number, to }));
            }
            in_code = !in_code;
        }
        found.extend(link_definition(line.text).map(|to| Target { line: line.number, to }));
    }
    found
}

fn inline_links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| {
        let (target, _) = rest.split_once(')')?;
        let target = target.trim();
        let target = match target.strip_prefix('<') {
            Some(open) => open.split_once('>')?.0,
            // A title may follow.
            None => target.split_whitespace().next()?,
        };
        (!target.is_empty()).then_some(target)
    })
}

fn link_definition(line: &str) -> Option<&str> {
    let (_, target) = line.trim_start().strip_prefix('[')?.split_once("]: ")?;
    let target = target.trim().trim_start_matches('<');
    target.split([' ', '>']).next().filter(|target| !target.is_empty())
}

pub(super) fn issues(spec: &ParsedSpec<'_>) -> Vec<SpecIssue> {
    let files = spec.files.entries();
    let mut headings: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
        headings.insert(name, Sections::parse(text).titles().map(anchor).collect());
    }
    let leads_somewhere = |from: &str, target: Target<'_>| {
        let file = target.file();
        if is_external(target.to) {
            return true;
        }
        let own = if file.is_empty() { from } else { file };
        if files.iter().any(|(name, _)| *name == own) {
            return match (target.fragment(), headings.get(own)) {
                (Some(fragment), Some(known)) => {
                    known.contains(fragment) || known.contains(first_of_its_name(fragment))
                }
                _ => true,
            };
        }
        // Relative to the root: the depth of the specification folder is not known here.
        let mut path = file.trim_start_matches('/');
        while let Some(above) = path.strip_prefix("../") {
            path = above;
        }
        spec.files_known.has(&decode_spaces(path))
    };
    let mut issues = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
        for target in targets(text).into_iter().filter(|target| !leads_somewhere(name, *target)) {
            let message = format!("the link to {} leads nowhere", printable(target.to));
            issues.push(SpecIssue::new(name, target.line, IssueCode::DanglingLink, message));
        }
    }
    issues
}

/// True for a URL; these are not checked.
fn is_external(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    target.starts_with("//")
        || scheme.is_some_and(|scheme| {
            scheme.len() > 1 && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+')
        })
}

/// The anchor of a heading.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchor without its number: the second heading of a name has the anchor `name-1`.
fn first_of_its_name(fragment: &str) -> &str {
    match fragment.rsplit_once('-') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => fragment,
    }
}

/// Decodes `%20`.
fn decode_spaces(path: &str) -> String {
    path.replace("%20", " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_code() {
        let text = "[a](design.md#x) and ![b](<a b.png>) `[c](no)` [d](e.md \"title\")\n```\n[f](no)\n```\n[g]: h.md\n[x] (no) [y](";
        let found: Vec<_> = targets(text).iter().map(|target| (target.line, target.to)).collect();
        assert_eq!(found, [(1, "design.md#x"), (1, "a b.png"), (1, "e.md"), (5, "h.md")]);
        assert_eq!(targets(&"](".repeat(1 << 18)).len(), 0);
    }

    #[test]
    fn anchors_are_slugs() {
        assert_eq!(anchor("D1: Counts live in `memory`"), "d1-counts-live-in-memory");
        assert!(is_external("https://x.y/z") && is_external("mailto:a@b"));
        assert!(!is_external("src/a.rs") && !is_external("#x"));
    }
}
