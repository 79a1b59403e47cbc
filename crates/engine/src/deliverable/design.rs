//! `design.md`: the writer's draft, completed with the required sections.

use super::materials::Materials;
use super::record::{OLDER_TITLE, TITLE, decision_record};
use charrette_model::spec::check::confidence;
use charrette_model::spec::sections::{Section, Sections};

/// Headings that the decisions may have.
pub(super) const DECISIONS: &[&str] = &["Decisions", "Design Decisions", "Key Decisions"];

/// Completes the body of the file: with the decision record, risks and confidence.
pub(super) fn complete(body: &str, materials: &Materials) -> String {
    let mut body = without_record(body);
    if let Some(walked) = materials.walkthroughs.as_deref().filter(|walked| !walked.trim().is_empty()) {
        body = with_section(&body, &["Scenarios"], "Scenarios", walked.trim(), SCENARIO_FOLLOWERS);
    }
    body =
        with_section(&body, DECISIONS, "Decisions", "The writer named no decision.", &["Risk", "Confidence"]);
    body = with_section(&body, &["Risk"], "Risks", "The writer named no risk.", &["Confidence"]);
    body = with_section(
        &body,
        &["Confidence"],
        "Confidence",
        "low: the writer did not say how sure it is.",
        &[],
    );
    with_record(&with_level(&body), materials)
}

/// Sections that stand behind the scenarios.
const SCENARIO_FOLLOWERS: &[&str] = &["Decisions", "Design Decisions", "Key Decisions", "Risk", "Confidence"];

/// Removes the decision records of an earlier call or of the writer.
fn without_record(body: &str) -> String {
    let sections = Sections::parse(body);
    let mut records: Vec<Section<'_>> = (1..=6)
        .flat_map(|level| sections.at_level(level))
        .filter(|section| section.has_title(TITLE) || section.has_title(OLDER_TITLE))
        .collect();
    records.sort_by_key(|record| record.start);
    let (mut kept, mut from) = (Vec::new(), 0);
    for record in records.iter().filter(|record| record.end > record.start) {
        if record.start >= from {
            kept.push(&body[from..record.start]);
            from = record.end;
        }
    }
    kept.push(&body[from..]);
    join(&kept)
}

/// Adds the record of the panel as the last section, before the diagram.
fn with_record(body: &str, materials: &Materials) -> String {
    let sections = Sections::parse(body);
    let at = find_section(&sections, &["Architecture Diagram"]).map_or(body.len(), |diagram| diagram.start);
    let record = format!("## {TITLE}\n\n{}", decision_record(materials));
    join(&[&body[..at], &record, &body[at..]])
}

/// Adds a section if it is missing or empty: before the first of `followers`, else at the end.
fn with_section(body: &str, titles: &[&str], title: &str, otherwise: &str, followers: &[&str]) -> String {
    let sections = Sections::parse(body);
    match find_section(&sections, titles) {
        Some(section) if section.body.trim().is_empty() => {
            join(&[&body[..section.end], otherwise, &body[section.end..]])
        }
        Some(_) => body.to_owned(),
        None => {
            let at =
                sections.find(followers).filter(|next| next.level <= 2).map_or(body.len(), |next| next.start);
            join(&[&body[..at], &format!("## {title}\n\n{otherwise}"), &body[at..]])
        }
    }
}

/// Adds a confidence level if the section has none.
fn with_level(body: &str) -> String {
    let unclear = |section: &Section<'_>| confidence(section.body).is_none();
    let Some(section) = find_section(&Sections::parse(body), &["Confidence"]).filter(unclear) else {
        return body.to_owned();
    };
    let below = section.end - section.body.len();
    join(&[&body[..below], "low: the writer gave no level.", &body[below..]])
}

/// Finds a section; a heading of level 1 is the title of the file.
fn find_section<'a>(sections: &Sections<'a>, titles: &[&str]) -> Option<Section<'a>> {
    sections.find(titles).filter(|section| section.level > 1)
}

/// Joins non-empty pieces with an empty line between them.
fn join(pieces: &[&str]) -> String {
    let pieces: Vec<&str> = pieces
        .iter()
        .map(|piece| piece.trim_matches('\n'))
        .filter(|piece| !piece.trim().is_empty())
        .collect();
    pieces.join("\n\n")
}
