//! Markdown links, and where they lead: to a file of the specification, to a file of the repository, to a heading.

use super::all::Read;
use super::issue::{Code, Issue};
use crate::shown::shown;
use crate::spec::outline::outline;
use crate::spec::sections::Sections;
use std::collections::{BTreeMap, BTreeSet};

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target<'a> {
    pub(super) line: usize,
    pub(super) to: &'a str,
}

impl<'a> Target<'a> {
    /// The file, without the heading in it.
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
    for line in outline(text).lines.iter().filter(|line| !line.code) {
        let mut in_code = false;
        // Between backticks nothing is a link.
        for part in line.text.split('`') {
            if !in_code {
                found.extend(inline(part).map(|to| Target { line: line.number, to }));
            }
            in_code = !in_code;
        }
        found.extend(defined(line.text).map(|to| Target { line: line.number, to }));
    }
    found
}

fn inline(text: &str) -> impl Iterator<Item = &str> {
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

fn defined(line: &str) -> Option<&str> {
    let (_, target) = line.trim_start().strip_prefix('[')?.split_once("]: ")?;
    let target = target.trim().trim_start_matches('<');
    target.split([' ', '>']).next().filter(|target| !target.is_empty())
}

pub(super) fn issues(read: &Read<'_>) -> Vec<Issue> {
    let files = read.files.named();
    let mut headings: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
        headings.insert(name, Sections::of(text).titles().map(anchor).collect());
    }
    let leads_somewhere = |from: &str, target: Target<'_>| {
        let file = target.file();
        if is_elsewhere(target.to) {
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
        // Seen from the root: how deep the folder of the specification lies is not known here.
        let mut path = file.trim_start_matches('/');
        while let Some(above) = path.strip_prefix("../") {
            path = above;
        }
        read.files_known.has(&unescaped(path))
    };
    let mut issues = Vec::new();
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".md")) {
        for target in targets(text).into_iter().filter(|target| !leads_somewhere(name, *target)) {
            let message = format!("the link to {} leads nowhere", shown(target.to));
            issues.push(Issue::new(name, target.line, Code::DanglingLink, message));
        }
    }
    issues
}

/// An address with a scheme: nobody looks there.
fn is_elsewhere(target: &str) -> bool {
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

/// The second heading of a name is called `name-1`.
fn first_of_its_name(fragment: &str) -> &str {
    match fragment.rsplit_once('-') {
        Some((name, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => fragment,
    }
}

/// `%20` as the space it stands for.
fn unescaped(path: &str) -> String {
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
    fn anchors_are_those_of_the_web() {
        assert_eq!(anchor("D1: Counts live in `memory`"), "d1-counts-live-in-memory");
        assert!(is_elsewhere("https://x.y/z") && is_elsewhere("mailto:a@b"));
        assert!(!is_elsewhere("src/a.rs") && !is_elsewhere("#x"));
    }
}
