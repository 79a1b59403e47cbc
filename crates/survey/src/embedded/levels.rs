//! Seats of projects and features: splits the request along folders and files of the repository.
//!
//! A feature of a project is an area of the tree that matches the request; a specification of a feature is a source
//! file that matches it. A part that uses another comes after it. Nothing more is known without a model, and every
//! text says so.

use super::citable_facts::{CitableFacts, NO_MODEL, file_citation, join_list, risk_sentence, sanitize};
use super::draft::{DraftError, required_artifact};
use super::inputs::DraftInputs;
use super::research::respond_without_issues;
use super::validate::render_verdict;
use crate::report::RankedFile;
use charrette_model::feature::name::FeaturePath;
use charrette_model::markdown::flat;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PROJECT_PARTS};
use charrette_model::panel::severity::{Severity, severity_findings};
use charrette_model::seats::files::join_files;
use charrette_model::spec::check::{check_level, level_shape};
use charrette_model::spec::resolver::SpecLevel;
use charrette_model::words;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Maximum number of parts.
const MAX_PARTS: usize = 7;
/// Folders that only group others.
const CONTAINER_FOLDERS: [&str; 9] =
    ["src", "lib", "libs", "crates", "packages", "apps", "app", "pkg", "internal"];

/// One part of the split.
struct Part<'a> {
    name: String,
    files: Vec<&'a RankedFile>,
    /// Earlier parts it uses.
    depends_on: Vec<String>,
}

impl Part<'_> {
    fn description(&self) -> String {
        let places: Vec<String> = self.files.iter().take(3).map(|file| file_citation(file)).collect();
        if places.is_empty() {
            return "The whole request: no file of the repository has its words.".to_owned();
        }
        format!("What the request means for {}.", join_list(&places))
    }

    fn line(&self) -> String {
        format!("- {}: {}", self.name, self.description())
    }
}

/// Drafts the answer of the researcher seat that proposes the split.
pub(super) fn breakdown(inputs: &DraftInputs<'_>, seat: &str, level: SpecLevel) -> String {
    let facts = CitableFacts::new(inputs);
    let parts = split_into_parts(inputs, &facts, level);
    let what = level.inner().map_or("part", SpecLevel::as_str);
    let mut prose: Vec<String> =
        parts.iter().map(|part| format!("A {what} called {}: {}", part.name, part.description())).collect();
    prose.push("The cut follows the files that the words of the request lead to; whether it is the right one, a person must say.".to_owned());
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    respond_without_issues(
        inputs,
        seat,
        &json!({"recommendations": [format!("Cut it into {}", join_list(&names))]}),
        &prose,
    )
}

/// Drafts the answer of the aggregator seat: six sections, within the word limit.
pub(super) fn aggregate(inputs: &DraftInputs<'_>, level: SpecLevel) -> String {
    let facts = CitableFacts::new(inputs);
    let parts = split_into_parts(inputs, &facts, level);
    let asks = format!("The request {}.", sanitize(&facts.request_phrases().asks, 200));
    let list = parts.iter().map(Part::line).collect::<Vec<_>>().join("\n");
    let order: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let first = format!("{} first; nothing in the repository says more about the order.", order[0]);
    let risks: Vec<String> =
        facts.risks().iter().take(3).map(|risk| format!("- {}.", risk_sentence(risk))).collect();
    let risks = if risks.is_empty() { "None that files show.".to_owned() } else { risks.join("\n") };
    let boundary =
        "Everything the request does not name stays outside. Where exactly it ends, a person must decide.";
    let person = "No file names a person: to be filled in.";
    let waits = use_order_sentence(&parts);
    let (labels, said) = if level == SpecLevel::Project {
        (PROJECT_PARTS, [&asks, person, &list, boundary, &first, &risks])
    } else {
        (FEATURE_PARTS, [&asks, &list, &waits, boundary, &risks, "None that files show."])
    };
    let page = |said: [&str; 6]| {
        let mut text = format!("> {NO_MODEL}\n");
        for (label, said) in labels.iter().zip(said) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n## {label}\n{said}\n");
        }
        text
    };
    let whole = page(said);
    if words::measure_summary(&whole, inputs.summary_words).error.is_none() {
        return whole;
    }
    page(["See the request."; 6])
}

/// Drafts the answer of the writer seat: the page and the manifest.
pub(super) fn write(inputs: &DraftInputs<'_>, level: SpecLevel) -> Result<String, DraftError> {
    required_artifact(inputs, "context-summary.md")?;
    let facts = CitableFacts::new(inputs);
    let parts = split_into_parts(inputs, &facts, level);
    let list = parts.iter().map(Part::line).collect::<Vec<_>>().join("\n");
    let (title, asks) = (facts.title(), sanitize(&facts.request_phrases().asks, 300));
    let (page, manifest) = if level == SpecLevel::Project {
        let features: Vec<Value> = parts
            .iter()
            .map(|part| json!({"name": part.name, "description": part.description(), "rough_specs": part_names(&part.files)}))
            .collect();
        let page = format!(
            "# {title}\n\n> {NO_MODEL}\n\n## Vision\nThe request {asks}. What it is for, and for whom, a person must say.\n\n## Scope\nThe places that the words of the request lead to:\n{list}\n\n## Feature List\n{list}\n\n## Out of Scope\nEverything the request does not name.\n"
        );
        (page, json!({"project": leaf_name(inputs.feature), "features": features}))
    } else {
        let specs: Vec<Value> = parts
            .iter()
            .map(|part| json!({"name": part.name, "description": part.description(), "depends_on": part.depends_on}))
            .collect();
        let order: Vec<String> = (1..).zip(&parts).map(|(n, part)| format!("{n}. {}", part.name)).collect();
        let page = format!(
            "# {title}\n\n> {NO_MODEL}\n\n## Overview\nThe request {asks}.\n\n## Spec List\n{list}\n\n## Build Order\n{}\n\n{}\n",
            use_order_sentence(&parts),
            order.join("\n")
        );
        (page, json!({"feature": leaf_name(inputs.feature), "specs": specs}))
    };
    let names = level_shape(level).map_or(["", ""], |shape| [shape.page, shape.manifest]);
    let manifest = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    Ok(join_files(&[(names[0], &page), (names[1], &manifest)]))
}

/// Drafts the answer of the validator seat: the deterministic checks only.
pub(super) fn validate(inputs: &DraftInputs<'_>, level: SpecLevel) -> Result<String, DraftError> {
    let (page, manifest) = match level {
        SpecLevel::Project => {
            (required_artifact(inputs, "project.md")?, required_artifact(inputs, "features.json")?)
        }
        _ => (required_artifact(inputs, "feature.md")?, required_artifact(inputs, "specs.json")?),
    };
    let issues = check_level(level, page, manifest);
    let mut found: Vec<String> = issues.iter().map(|issue| format!("[CRITICAL] {issue}")).collect();
    for line in inputs.artifact("checks.md").lines().flat_map(severity_findings) {
        let known = format!("[CRITICAL] {}", flat(&line.text));
        if line.severity == Severity::Critical && !found.contains(&known) {
            found.push(known);
        }
    }
    Ok(render_verdict(&found))
}

/// Splits the request into parts; at least one.
fn split_into_parts<'a>(
    inputs: &DraftInputs<'a>,
    facts: &CitableFacts<'a>,
    level: SpecLevel,
) -> Vec<Part<'a>> {
    let sources = facts.sources();
    let files = if sources.is_empty() { facts.files.clone() } else { sources };
    let mut parts: Vec<Part<'a>> = Vec::new();
    for file in files {
        let named = if level == SpecLevel::Project { area_name(&file.path) } else { part_name(&file.path) };
        let Some(name) = named else { continue };
        if let Some(part) = parts.iter_mut().find(|part| part.name == name) {
            part.files.push(file);
        } else if parts.len() < MAX_PARTS {
            parts.push(Part { name, files: vec![file], depends_on: Vec::new() });
        }
    }
    if parts.is_empty() {
        let name = leaf_name(inputs.feature).to_owned();
        parts.push(Part { name, files: Vec::new(), depends_on: Vec::new() });
    }
    sort_by_use(facts, &mut parts);
    parts
}

/// Sorts used parts before their users; each part depends on earlier ones only, so there is no cycle.
fn sort_by_use(facts: &CitableFacts<'_>, parts: &mut [Part<'_>]) {
    let uses = |one: &Part<'_>, other: &Part<'_>| {
        let users: Vec<&str> = other.files.iter().flat_map(|file| facts.users_of(&file.path)).collect();
        one.files.iter().any(|file| users.contains(&file.path.as_str()))
    };
    let used: Vec<usize> = parts
        .iter()
        .map(|one| parts.iter().filter(|other| one.name != other.name && uses(one, other)).count())
        .collect();
    let counts: Vec<(String, usize)> =
        parts.iter().zip(used).map(|(part, used)| (part.name.clone(), used)).collect();
    parts.sort_by_key(|part| counts.iter().find(|(name, _)| *name == part.name).map(|(_, used)| *used));
    for index in 1..parts.len() {
        let (before, rest) = parts.split_at_mut(index);
        let depends_on = before.iter().filter(|other| uses(&rest[0], other)).map(|other| other.name.clone());
        rest[0].depends_on = depends_on.collect();
    }
}

/// Sentence about which part uses which.
fn use_order_sentence(parts: &[Part<'_>]) -> String {
    let waits: Vec<String> = parts
        .iter()
        .filter(|part| !part.depends_on.is_empty())
        .map(|part| format!("{} uses {}", part.name, join_list(&part.depends_on)))
        .collect();
    if waits.is_empty() {
        return "No file uses another of these, so any order will do.".to_owned();
    }
    format!("What is used comes first: {}.", waits.join("; "))
}

fn part_names(files: &[&RankedFile]) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for stem in files.iter().filter_map(|file| part_name(&file.path)) {
        if !stems.contains(&stem) && stems.len() < MAX_PARTS {
            stems.push(stem);
        }
    }
    stems
}

/// Area of the tree that contains a file: its first folder that is not a container, else the file itself.
fn area_name(path: &str) -> Option<String> {
    let mut folders: Vec<&str> = path.split('/').collect();
    let file = folders.pop()?;
    let folder = folders.into_iter().find(|folder| !CONTAINER_FOLDERS.contains(folder));
    folder.map_or_else(|| part_name(file), kebab_name)
}

/// Name of a part from a file; for `mod`, `index` and the like, from its folder.
fn part_name(path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.trim_start_matches('.').split('.').next()?;
    if ["mod", "lib", "main", "index", "__init__"].contains(&stem) {
        let above = folder.rsplit('/').find(|name| !name.is_empty() && !CONTAINER_FOLDERS.contains(name));
        return above.and_then(kebab_name).or_else(|| kebab_name(stem));
    }
    kebab_name(stem)
}

/// A name in kebab case, as manifests want it.
fn kebab_name(text: &str) -> Option<String> {
    FeaturePath::derive(text, |_| false).ok().map(|name| name.as_str().to_owned())
}

fn leaf_name(feature: &str) -> &str {
    feature.rsplit('.').next().unwrap_or(feature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_called_by_areas_and_files() {
        for (path, of_project, of_feature) in [
            ("parcels/app.py", "parcels", "app"),
            ("src/limiter.rs", "limiter", "limiter"),
            ("src/http/mod.rs", "http", "http"),
            ("crates/model/src/lib.rs", "model", "model"),
            ("src/main.rs", "main", "main"),
            ("build/x_y.rs", "build-2", "x-y"),
        ] {
            assert_eq!(area_name(path).as_deref(), Some(of_project), "{path}");
            assert_eq!(part_name(path).as_deref(), Some(of_feature), "{path}");
        }
    }
}
