//! The seats of projects and features: a cut along what the repository already has apart.
//!
//! A feature of a project is an area of the tree that the request leads to; a specification of a feature is a source
//! file that it leads to. What uses another comes after it. That is all that can be known without a model, and every
//! text says so.

use super::draft::{DraftError, needed};
use super::ground::{Ground, NO_MODEL, listed, place, risk_sentence, said};
use super::inputs::Inputs;
use super::research::answer;
use super::validate::written;
use crate::report::RankedFile;
use charrette_model::feature::name::FeaturePath;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PROJECT_PARTS};
use charrette_model::panel::lines::flat;
use charrette_model::panel::severity::{Severity, findings_in};
use charrette_model::seats::files::marker;
use charrette_model::spec::check::{check_level, shape};
use charrette_model::spec::resolver::Level;
use charrette_model::words;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most parts that something is cut into.
const MOST: usize = 7;
/// Folders that only hold others.
const FRAMES: [&str; 9] = ["src", "lib", "libs", "crates", "packages", "apps", "app", "pkg", "internal"];

/// One part of the cut.
struct Part<'a> {
    name: String,
    files: Vec<&'a RankedFile>,
    /// Which earlier parts it uses.
    after: Vec<String>,
}

impl Part<'_> {
    fn about(&self) -> String {
        let places: Vec<String> = self.files.iter().take(3).map(|file| place(file)).collect();
        if places.is_empty() {
            return "The whole request: no file of the repository has its words.".to_owned();
        }
        format!("What the request means for {}.", listed(&places))
    }

    fn line(&self) -> String {
        format!("- {}: {}", self.name, self.about())
    }
}

/// The researcher who cuts.
pub(super) fn breakdown(inputs: &Inputs<'_>, seat: &str, level: Level) -> String {
    let ground = Ground::new(inputs);
    let parts = cut(inputs, &ground, level);
    let what = level.inner().map_or("part", Level::as_str);
    let mut prose: Vec<String> =
        parts.iter().map(|part| format!("A {what} called {}: {}", part.name, part.about())).collect();
    prose.push("The cut follows the files that the words of the request lead to; whether it is the right one, a person must say.".to_owned());
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    answer(inputs, seat, &json!({"recommendations": [format!("Cut it into {}", listed(&names))]}), &prose)
}

/// The aggregator: six parts, within the limit of words.
pub(super) fn aggregate(inputs: &Inputs<'_>, level: Level) -> String {
    let ground = Ground::new(inputs);
    let parts = cut(inputs, &ground, level);
    let asks = format!("The request {}.", said(&ground.wish().asks, 200));
    let list = parts.iter().map(Part::line).collect::<Vec<_>>().join("\n");
    let order: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    let first = format!("{} first; nothing in the repository says more about the order.", order[0]);
    let risks: Vec<String> =
        ground.risks().iter().take(3).map(|risk| format!("- {}.", risk_sentence(risk))).collect();
    let risks = if risks.is_empty() { "None that files show.".to_owned() } else { risks.join("\n") };
    let boundary =
        "Whatever the request does not name stays outside. Where exactly it ends, a person must decide.";
    let person = "Nobody is named in a file: a person must say.";
    let waits = waiting(&parts);
    let (labels, said) = if level == Level::Project {
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

/// The writer: the page and the manifest.
pub(super) fn write(inputs: &Inputs<'_>, level: Level) -> Result<String, DraftError> {
    needed(inputs, "context-summary.md")?;
    let ground = Ground::new(inputs);
    let parts = cut(inputs, &ground, level);
    let list = parts.iter().map(Part::line).collect::<Vec<_>>().join("\n");
    let (title, asks) = (ground.title(), said(&ground.wish().asks, 300));
    let (page, manifest) = if level == Level::Project {
        let features: Vec<Value> = parts
            .iter()
            .map(|part| json!({"name": part.name, "description": part.about(), "rough_specs": stems(&part.files)}))
            .collect();
        let page = format!(
            "# {title}\n\n> {NO_MODEL}\n\n## Vision\nThe request {asks}. What it is for, and for whom, a person must say.\n\n## Scope\nThe places that the words of the request lead to:\n{list}\n\n## Feature List\n{list}\n\n## Out of Scope\nWhatever the request does not name.\n"
        );
        (page, json!({"project": last(inputs.feature), "features": features}))
    } else {
        let specs: Vec<Value> = parts
            .iter()
            .map(|part| json!({"name": part.name, "description": part.about(), "depends_on": part.after}))
            .collect();
        let order: Vec<String> = (1..).zip(&parts).map(|(n, part)| format!("{n}. {}", part.name)).collect();
        let page = format!(
            "# {title}\n\n> {NO_MODEL}\n\n## Overview\nThe request {asks}.\n\n## Spec List\n{list}\n\n## Build Order\n{}\n\n{}\n",
            waiting(&parts),
            order.join("\n")
        );
        (page, json!({"feature": last(inputs.feature), "specs": specs}))
    };
    let names = shape(level).map_or(["", ""], |shape| [shape.page, shape.manifest]);
    let manifest = serde_json::to_string_pretty(&manifest).unwrap_or_default();
    Ok(format!("{}\n{page}\n{}\n{manifest}\n", marker(names[0]), marker(names[1])))
}

/// The validator: the deterministic checks, and nothing that would need judgement.
pub(super) fn validate(inputs: &Inputs<'_>, level: Level) -> Result<String, DraftError> {
    let (page, manifest) = match level {
        Level::Project => (needed(inputs, "project.md")?, needed(inputs, "features.json")?),
        _ => (needed(inputs, "feature.md")?, needed(inputs, "specs.json")?),
    };
    let issues = check_level(level, page, manifest);
    let mut found: Vec<String> = issues.iter().map(|issue| format!("[CRITICAL] {issue}")).collect();
    for line in inputs.artifact("checks.md").lines().flat_map(findings_in) {
        let known = format!("[CRITICAL] {}", flat(&line.text));
        if line.severity == Severity::Critical && !found.contains(&known) {
            found.push(known);
        }
    }
    Ok(written(&found))
}

/// The parts that something is cut into: never none.
fn cut<'a>(inputs: &Inputs<'a>, ground: &Ground<'a>, level: Level) -> Vec<Part<'a>> {
    let sources = ground.sources();
    let files = if sources.is_empty() { ground.files.clone() } else { sources };
    let mut parts: Vec<Part<'a>> = Vec::new();
    for file in files {
        let named = if level == Level::Project { area(&file.path) } else { stem(&file.path) };
        let Some(name) = named else { continue };
        if let Some(part) = parts.iter_mut().find(|part| part.name == name) {
            part.files.push(file);
        } else if parts.len() < MOST {
            parts.push(Part { name, files: vec![file], after: Vec::new() });
        }
    }
    if parts.is_empty() {
        let name = last(inputs.feature).to_owned();
        parts.push(Part { name, files: Vec::new(), after: Vec::new() });
    }
    in_order(ground, &mut parts);
    parts
}

/// What is used comes before what uses it, as far as that goes without a circle: each part waits for earlier ones only.
fn in_order(ground: &Ground<'_>, parts: &mut [Part<'_>]) {
    let uses = |one: &Part<'_>, other: &Part<'_>| {
        let users: Vec<&str> = other.files.iter().flat_map(|file| ground.users_of(&file.path)).collect();
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
        let after = before.iter().filter(|other| uses(&rest[0], other)).map(|other| other.name.clone());
        rest[0].after = after.collect();
    }
}

/// What waits for what, in a sentence.
fn waiting(parts: &[Part<'_>]) -> String {
    let waits: Vec<String> = parts
        .iter()
        .filter(|part| !part.after.is_empty())
        .map(|part| format!("{} uses {}", part.name, listed(&part.after)))
        .collect();
    if waits.is_empty() {
        return "No file uses another of these, so any order will do.".to_owned();
    }
    format!("What is used comes first: {}.", waits.join("; "))
}

fn stems(files: &[&RankedFile]) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for stem in files.iter().filter_map(|file| stem(&file.path)) {
        if !stems.contains(&stem) && stems.len() < MOST {
            stems.push(stem);
        }
    }
    stems
}

/// The area of the tree that a file is in: its first folder that is more than a frame, else the file itself.
fn area(path: &str) -> Option<String> {
    let mut folders: Vec<&str> = path.split('/').collect();
    let file = folders.pop()?;
    let folder = folders.into_iter().find(|folder| !FRAMES.contains(folder));
    folder.map_or_else(|| stem(file), kebab)
}

/// What a file is called; a file that is called as every other one is called as its folder.
fn stem(path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.trim_start_matches('.').split('.').next()?;
    if ["mod", "lib", "main", "index", "__init__"].contains(&stem) {
        let above = folder.rsplit('/').find(|name| !name.is_empty() && !FRAMES.contains(name));
        return above.and_then(kebab).or_else(|| kebab(stem));
    }
    kebab(stem)
}

/// A name as manifests want it; nothing if there is none in it.
fn kebab(text: &str) -> Option<String> {
    FeaturePath::derive(text, |_| false).ok().map(|name| name.as_str().to_owned())
}

fn last(feature: &str) -> &str {
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
            assert_eq!(area(path).as_deref(), Some(of_project), "{path}");
            assert_eq!(stem(path).as_deref(), Some(of_feature), "{path}");
        }
    }
}
