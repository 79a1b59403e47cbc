//! What the second gate shows of a design.

use super::design::DECISIONS;
use super::summary::{items, plain};
use charrette_model::spec::check::confidence;
use charrette_model::spec::ids::{Id, IdKind};
use charrette_model::spec::outline::is_decoration;
use charrette_model::spec::sections::Sections;
use charrette_model::spec::sentences::sentences;
use serde::{Deserialize, Serialize};

/// What a person decides on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Each decision: its title, and the first sentence about it.
    pub decisions: Vec<String>,
    /// What may go wrong.
    pub risks: Vec<String>,
    /// What was left out on purpose.
    pub omissions: Vec<String>,
    /// `high`, `medium` or `low`.
    pub confidence: String,
    /// Where the confidence is lower; empty if nothing is said.
    pub weaker_areas: String,
}

/// Reads it from the files.
pub fn shown(files: &[(String, String)]) -> Shown {
    let text = |name: &str| files.iter().find(|(file, _)| file == name).map_or("", |(_, text)| text.as_str());
    let design = Sections::of(text("design.md"));
    let requirements = Sections::of(text("requirements.md"));
    let listed = |section: Option<charrette_model::spec::sections::Section<'_>>| {
        section.map(|section| entries(section.body)).unwrap_or_default()
    };
    let sure = design.named(&["Confidence"]).and_then(|section| confidence(section.body));
    Shown {
        decisions: decisions(&design),
        risks: listed(design.named(&["Risk"])),
        omissions: listed(requirements.named(&["Out of Scope"])),
        confidence: sure.as_ref().map_or("low", |sure| sure.level).to_owned(),
        weaker_areas: sure.map(|sure| plain(sure.rest)).unwrap_or_default(),
    }
}

/// The decisions of a design; those without a heading of their own as far as they are listed.
fn decisions(design: &Sections<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for section in (2..=6).flat_map(|level| design.of_level(level).collect::<Vec<_>>()) {
        let title = section.title.trim_start_matches(is_decoration);
        let title = title.strip_prefix("Decision ").unwrap_or(title);
        if Id::at_start(title).is_none_or(|(id, _)| id.kind != IdKind::Decision) {
            continue;
        }
        let first = sentences(&plain(section.body)).into_iter().next();
        let about = first.map(|first| format!(" — {first}")).unwrap_or_default();
        found.push((section.line, format!("{}{about}", plain(title))));
    }
    found.sort();
    if found.is_empty() {
        return design.named(DECISIONS).map(|section| entries(section.body)).unwrap_or_default();
    }
    found.into_iter().map(|(_, decision)| decision).collect()
}

/// The items of a list, else what is said in a section as one entry.
fn entries(body: &str) -> Vec<String> {
    let mut entries: Vec<String> = items(body).iter().map(|item| plain(item)).collect();
    if entries.is_empty() {
        entries.push(plain(body));
    }
    entries.retain(|entry| !entry.is_empty());
    entries
}
