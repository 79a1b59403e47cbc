//! Deterministic checks of a project or a feature before it is designed further.

use super::issue::{IssueCode, SpecIssue, sort_issues};
use super::spec_files::is_missing;
use crate::escape::printable;
use crate::feature::name::{FeaturePath, InvalidName};
use crate::spec::manifest::{LevelManifest, ManifestError};
use crate::spec::resolver::SpecLevel;
use crate::spec::sections::Sections;
use std::collections::{BTreeMap, BTreeSet};

/// Files of a project or a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelShape {
    /// Markdown page for people.
    pub page: &'static str,
    pub manifest: &'static str,
    /// Empty marker file.
    pub marker: &'static str,
    /// Required sections of the page.
    pub sections: &'static [&'static str],
}

pub const PROJECT: LevelShape = LevelShape {
    page: "project.md",
    manifest: "features.json",
    marker: ".project-marker",
    sections: &["Vision", "Scope", "Feature List", "Out of Scope"],
};

pub const FEATURE: LevelShape = LevelShape {
    page: "feature.md",
    manifest: "specs.json",
    marker: ".feature-marker",
    sections: &["Overview", "Spec List", "Build Order"],
};

/// The files of a level; none for a specification, which has six files of its own.
pub fn level_shape(level: SpecLevel) -> Option<&'static LevelShape> {
    match level {
        SpecLevel::Project => Some(&PROJECT),
        SpecLevel::Feature => Some(&FEATURE),
        SpecLevel::Spec => None,
    }
}

/// Checks a project or a feature; reports by file and line. An absent file is passed as an empty text. Reports
/// nothing for a specification.
pub fn check_level(level: SpecLevel, page: &str, manifest: &str) -> Vec<SpecIssue> {
    let Some(shape) = level_shape(level) else { return Vec::new() };
    let mut issues: Vec<SpecIssue> = [(shape.page, page), (shape.manifest, manifest)]
        .into_iter()
        .filter(|(_, text)| is_missing(text))
        .map(|(file, _)| {
            SpecIssue::new(file, 1, IssueCode::MissingFile, format_args!("{file} is not there, or empty"))
        })
        .collect();
    if !is_missing(page) {
        issues.extend(check_sections(shape, page));
    }
    if !is_missing(manifest) {
        issues.extend(check_manifest(level, shape, manifest));
    }
    sort_issues(issues)
}

fn check_sections(shape: &LevelShape, page: &str) -> Vec<SpecIssue> {
    let sections = Sections::parse(page);
    let issue = |title: &&str| {
        let found = sections.find(&[title]);
        let (line, what) = match found {
            Some(section) if section.body.trim().is_empty() => (section.line, "is empty"),
            Some(_) => return None,
            None => (1, "is missing"),
        };
        Some(SpecIssue::new(shape.page, line, IssueCode::Section, format_args!("the section {title} {what}")))
    };
    shape.sections.iter().filter_map(issue).collect()
}

fn check_manifest(level: SpecLevel, shape: &LevelShape, text: &str) -> Vec<SpecIssue> {
    let manifest = match LevelManifest::parse(level, text) {
        Ok(manifest) => manifest,
        Err(error) => {
            let code = if matches!(error, ManifestError::NotJson(_)) {
                IssueCode::Unreadable
            } else {
                IssueCode::Malformed
            };
            return vec![SpecIssue::new(shape.manifest, 1, code, error)];
        }
    };
    if manifest.entries.is_empty() {
        let what = level.inner().map_or("entry", SpecLevel::as_str);
        return vec![SpecIssue::new(
            shape.manifest,
            1,
            IssueCode::NoEntry,
            format_args!("there is no {what}"),
        )];
    }
    let line = |name: &str| line_of(text, name);
    let issue = |name: &str, code, message: String| SpecIssue::new(shape.manifest, line(name), code, message);
    let mut issues = Vec::new();
    let mut seen = BTreeSet::new();
    for name in manifest.names() {
        if !seen.insert(name) {
            issues.push(issue(name, IssueCode::Duplicate, format!("'{}' is there twice", printable(name))));
        }
        if let Some(error) = name_error(name) {
            issues.push(issue(name, IssueCode::Name, error.to_string()));
        }
    }
    for entry in &manifest.entries {
        for wanted in entry.depends_on.iter().filter(|wanted| !is_reference(wanted, &seen)) {
            let message = format!(
                "'{}' depends on '{}', which is neither another spec here nor project/feature/spec",
                printable(&entry.name),
                printable(wanted)
            );
            issues.push(issue(&entry.name, IssueCode::Dependency, message));
        }
    }
    if let Some(cycle) = find_cycle(&manifest) {
        let first = cycle.first().copied().unwrap_or_default();
        issues.push(issue(
            first,
            IssueCode::Cycle,
            format!("Dependency cycle detected: {}", cycle.join(" -> ")),
        ));
    }
    issues
}

/// Line number of the entry with this name; 1 if there is none.
fn line_of(manifest: &str, name: &str) -> usize {
    let spelled = serde_json::Value::from(name).to_string();
    let names = |line: &str| line.split_once("\"name\"").is_some_and(|(_, rest)| rest.contains(&spelled));
    manifest.lines().position(names).map_or(1, |index| index + 1)
}

/// The error of an invalid entry name.
fn name_error(name: &str) -> Option<InvalidName> {
    match FeaturePath::parse(name) {
        Ok(path) if path.is_nested() || path.as_str() != name => Some(InvalidName::NotKebab(name.to_owned())),
        Ok(_) => None,
        Err(error) => Some(error),
    }
}

/// True for a sibling, or a path `project/feature/spec`, which is not looked up.
fn is_reference(wanted: &str, siblings: &BTreeSet<&str>) -> bool {
    if siblings.contains(wanted) {
        return true;
    }
    let segments: Vec<&str> = wanted.split('/').collect();
    segments.len() == 3 && segments.iter().all(|segment| name_error(segment).is_none())
}

/// The first dependency cycle, in the order of the manifest.
fn find_cycle(manifest: &LevelManifest) -> Option<Vec<&str>> {
    let after: BTreeMap<&str, &[String]> =
        manifest.entries.iter().map(|entry| (entry.name.as_str(), entry.depends_on.as_slice())).collect();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for start in manifest.names() {
        // The current path, each entry with the number of dependencies followed; iterative, so that a long chain
        // cannot exhaust the stack.
        let mut way: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((name, followed)) = way.last_mut() {
            let wanted = after.get(name).and_then(|wanted| wanted.get(*followed));
            let (Some(next), false) = (wanted, done.contains(name)) else {
                done.insert(*name);
                way.pop();
                continue;
            };
            *followed += 1;
            if let Some(from) = way.iter().position(|(name, _)| *name == next.as_str()) {
                let round = way[from..].iter().map(|(name, _)| *name);
                return Some(round.chain([next.as_str()]).collect());
            }
            if after.contains_key(next.as_str()) {
                way.push((next, 0));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT_PAGE: &str = "# Shop\n\n## Vision\nSell.\n\n## Scope\nOnline.\n\n## Feature List\n- cart\n\n## Out of Scope\nStores.\n";
    const FEATURE_PAGE: &str = "# Cart\n\n## Overview\nKeeps.\n\n## Spec List\n- a\n\n## Build Order\n1. a\n";

    fn issue_lines(level: SpecLevel, page: &str, manifest: &str) -> Vec<String> {
        check_level(level, page, manifest).iter().map(ToString::to_string).collect()
    }

    fn specs(pairs: &[(&str, &[&str])]) -> String {
        let specs: Vec<_> = pairs
            .iter()
            .map(|(name, depends_on)| serde_json::json!({"name": name, "description": "x", "depends_on": depends_on}))
            .collect();
        serde_json::to_string_pretty(&serde_json::json!({"feature": "cart", "specs": specs})).unwrap()
    }

    #[test]
    fn a_good_project_and_a_good_feature_have_no_issue() {
        let features =
            r#"{"project": "shop", "features": [{"name": "cart", "description": "x", "rough_specs": []}]}"#;
        assert_eq!(issue_lines(SpecLevel::Project, PROJECT_PAGE, features), [""; 0]);
        let graph = specs(&[("a", &[]), ("b", &["a", "shop/pay/card"]), ("c", &["a", "b"])]);
        assert_eq!(issue_lines(SpecLevel::Feature, FEATURE_PAGE, &graph), [""; 0]);
    }

    #[test]
    fn every_project_issue_is_reported() {
        for (page, manifest, issue) in [
            (PROJECT_PAGE, "", "features.json:1: features.json is not there, or empty [missing-file]"),
            (
                PROJECT_PAGE,
                "{",
                "features.json:1: it is not JSON: EOF while parsing an object at line 1 column 1 [unreadable]",
            ),
            (PROJECT_PAGE, r#"{"features": []}"#, "features.json:1: there is no feature [no-entry]"),
            (
                PROJECT_PAGE,
                "{\"features\": [{\"name\": \"cart\"},\n{\"name\": \"cart\"}]}",
                "features.json:1: 'cart' is there twice [duplicate]",
            ),
            (
                PROJECT_PAGE,
                r#"{"features": [{"name": "dist"}]}"#,
                "features.json:1: Reserved spec name 'dist'. Reserved names: checkpoint, templates, node_modules, dist, build [name]",
            ),
            (
                PROJECT_PAGE,
                r#"{"features": [{"name": "a/b"}]}"#,
                "features.json:1: Invalid spec name 'a/b'. Use lowercase-kebab-case format. Example: 'my-feature-name' [name]",
            ),
            (
                "# Shop\n\n## Vision\nSell.\n\n## Feature List\n- cart\n\n## Out of Scope\nStores.\n",
                r#"{"features": [{"name": "cart"}]}"#,
                "project.md:1: the section Scope is missing [section]",
            ),
            (
                "# Shop\n\n## Vision\n\n## Scope\nx\n\n## Feature List\n- cart\n\n## Out of Scope\nStores.\n",
                r#"{"features": [{"name": "cart"}]}"#,
                "project.md:3: the section Vision is empty [section]",
            ),
        ] {
            assert_eq!(issue_lines(SpecLevel::Project, page, manifest), [issue]);
        }
    }

    #[test]
    fn unknown_dependencies_and_cycles_are_reported() {
        for (pairs, issue) in [
            (
                &[("a", &["zz"][..])][..],
                "'a' depends on 'zz', which is neither another spec here nor project/feature/spec [dependency]",
            ),
            (
                &[("a", &["cart/b"])],
                "'a' depends on 'cart/b', which is neither another spec here nor project/feature/spec [dependency]",
            ),
            (&[("a", &["a"])], "Dependency cycle detected: a -> a [cycle]"),
            (&[("a", &["b"]), ("b", &["a"])], "Dependency cycle detected: a -> b -> a [cycle]"),
            (
                &[("x", &["a"]), ("a", &["b"]), ("b", &["c"]), ("c", &["a"])],
                "Dependency cycle detected: a -> b -> c -> a [cycle]",
            ),
        ] {
            let found = issue_lines(SpecLevel::Feature, FEATURE_PAGE, &specs(pairs));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with("specs.json:") && found[0].ends_with(issue), "{found:?} {issue}");
        }
        // Those outside are not followed.
        assert_eq!(
            issue_lines(SpecLevel::Feature, FEATURE_PAGE, &specs(&[("a", &["shop/cart/a"])])),
            [""; 0]
        );
    }

    #[test]
    fn a_long_cycle_does_not_overflow_the_stack() {
        let names: Vec<String> = (0..5000).map(|n| format!("s{n}")).collect();
        let entries: Vec<_> = (0..5000)
            .map(|n| serde_json::json!({"name": names[n], "depends_on": [names[(n + 1) % 5000]]}))
            .collect();
        let manifest = serde_json::json!({ "specs": entries }).to_string();
        let issues = check_level(SpecLevel::Feature, FEATURE_PAGE, &manifest);
        assert_eq!(issues.iter().filter(|issue| issue.code == IssueCode::Cycle).count(), 1);
    }
}
