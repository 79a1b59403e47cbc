//! Summary of a design for the post-design gate.

use super::design::DECISIONS;
use super::summary::{list_items, plain_text};
use charrette_model::implement::Proof;
use charrette_model::markdown::is_decoration;
use charrette_model::spec::check::confidence;
use charrette_model::spec::ids::{IdKind, SpecId};
use charrette_model::spec::sections::Sections;
use charrette_model::spec::sentences::sentences;
use charrette_model::spec::tasks::TaskList;
use serde::{Deserialize, Serialize};

/// Decisions, risks and confidence of a design. The field names are on record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateSummary {
    /// Title and first sentence of each decision.
    pub decisions: Vec<String>,
    pub risks: Vec<String>,
    /// Items of the section "Out of Scope".
    pub omissions: Vec<String>,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// Areas of lower confidence; empty if none are named.
    pub weaker_areas: String,
    /// Proof of each task, as it will be executed.
    #[serde(default)]
    pub proofs: Vec<String>,
}

/// Extracts the summary from the files.
pub fn gate_summary(files: &[(String, String)]) -> GateSummary {
    let text = |name: &str| files.iter().find(|(file, _)| file == name).map_or("", |(_, text)| text.as_str());
    let design = Sections::parse(text("design.md"));
    let requirements = Sections::parse(text("requirements.md"));
    let listed = |section: Option<charrette_model::spec::sections::Section<'_>>| {
        section.map(|section| entries(section.body)).unwrap_or_default()
    };
    let confidence = design.find(&["Confidence"]).and_then(|section| confidence(section.body));
    GateSummary {
        decisions: decisions(&design),
        risks: listed(design.find(&["Risk"])),
        omissions: listed(requirements.find(&["Out of Scope"])),
        confidence: confidence.as_ref().map_or("low", |confidence| confidence.level).to_owned(),
        weaker_areas: confidence.map(|confidence| plain_text(confidence.rest)).unwrap_or_default(),
        proofs: proofs(text("tasks.md")),
    }
}

/// Proofs that tasks state, one line each.
fn proofs(tasks: &str) -> Vec<String> {
    let stated = TaskList::parse(tasks).tasks.into_iter().filter_map(|task| Some((task.id, task.proof?.0)));
    let shown = stated.map(|(id, value)| match Proof::parse(&value) {
        Ok(proof) => format!("{id}: {proof}"),
        Err(error) => format!("{id}: {error}"),
    });
    shown.collect()
}

/// Decisions of a design: those with a heading, else the list in the section of decisions.
fn decisions(design: &Sections<'_>) -> Vec<String> {
    let mut decisions = Vec::new();
    for section in (2..=6).flat_map(|level| design.at_level(level).collect::<Vec<_>>()) {
        let title = section.title.trim_start_matches(is_decoration);
        let title = title.strip_prefix("Decision ").unwrap_or(title);
        if SpecId::parse_prefix(title).is_none_or(|(id, _)| id.kind != IdKind::Decision) {
            continue;
        }
        let first = sentences(&plain_text(section.body)).into_iter().next();
        let about = first.map(|first| format!(" — {first}")).unwrap_or_default();
        decisions.push((section.line, format!("{}{about}", plain_text(title))));
    }
    decisions.sort();
    if decisions.is_empty() {
        return design.find(DECISIONS).map(|section| entries(section.body)).unwrap_or_default();
    }
    decisions.into_iter().map(|(_, decision)| decision).collect()
}

/// Items of a list; a section without a list is one entry.
fn entries(body: &str) -> Vec<String> {
    let mut entries: Vec<String> = list_items(body).iter().map(|item| plain_text(item)).collect();
    if entries.is_empty() {
        entries.push(plain_text(body));
    }
    entries.retain(|entry| !entry.is_empty());
    entries
}
