//! `design.md`: the writer's words, with what must be there.

use super::materials::Materials;
use super::record::{TITLE, record};
use charrette_model::spec::check::confidence;
use charrette_model::spec::sections::{Section, Sections};

/// The titles the decisions may stand under.
pub(super) const DECISIONS: &[&str] = &["Decisions", "Design Decisions", "Key Decisions"];

/// The body of the file: with the record of the decisions, with risks, with a confidence.
pub(super) fn completed(body: &str, materials: &Materials) -> String {
    let mut body = without_record(body);
    body =
        with_section(&body, DECISIONS, "Decisions", "The writer named no decision.", &["Risk", "Confidence"]);
    body = with_record(&body, materials);
    body = with_section(&body, &["Risk"], "Risks", "The writer named no risk.", &["Confidence"]);
    body = with_section(
        &body,
        &["Confidence"],
        "Confidence",
        "low: the writer did not say how sure it is.",
        &[],
    );
    with_level(&body)
}

/// Without what an earlier call, or a writer who thinks it knows, put there.
fn without_record(body: &str) -> String {
    let sections = Sections::of(body);
    let mut records: Vec<Section<'_>> = (1..=6)
        .flat_map(|level| sections.of_level(level).filter(|section| section.is_named(TITLE)))
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
    joined(&kept)
}

fn with_record(body: &str, materials: &Materials) -> String {
    let sections = Sections::of(body);
    let Some(decisions) = below_title(&sections, DECISIONS) else { return body.to_owned() };
    let marks = "#".repeat((decisions.level + 1).min(6));
    let record = format!("{marks} {TITLE}\n\n{}", record(materials));
    joined(&[&body[..decisions.end], &record, &body[decisions.end..]])
}

/// With a section of that name that says something: before the first of `followers`, else at the end.
fn with_section(body: &str, titles: &[&str], title: &str, otherwise: &str, followers: &[&str]) -> String {
    let sections = Sections::of(body);
    match below_title(&sections, titles) {
        Some(section) if section.body.trim().is_empty() => {
            joined(&[&body[..section.end], otherwise, &body[section.end..]])
        }
        Some(_) => body.to_owned(),
        None => {
            let at = sections
                .named(followers)
                .filter(|next| next.level <= 2)
                .map_or(body.len(), |next| next.start);
            joined(&[&body[..at], &format!("## {title}\n\n{otherwise}"), &body[at..]])
        }
    }
}

/// With a level at the start of the confidence.
fn with_level(body: &str) -> String {
    let unclear = |section: &Section<'_>| confidence(section.body).is_none();
    let Some(section) = below_title(&Sections::of(body), &["Confidence"]).filter(unclear) else {
        return body.to_owned();
    };
    let below = section.end - section.body.len();
    joined(&[&body[..below], "low: the writer gave no level.", &body[below..]])
}

/// A section; a heading of the highest level is a title.
fn below_title<'a>(sections: &Sections<'a>, titles: &[&str]) -> Option<Section<'a>> {
    sections.named(titles).filter(|section| section.level > 1)
}

/// Pieces with an empty line between them.
fn joined(pieces: &[&str]) -> String {
    let pieces: Vec<&str> = pieces
        .iter()
        .map(|piece| piece.trim_matches('\n'))
        .filter(|piece| !piece.trim().is_empty())
        .collect();
    pieces.join("\n\n")
}
