//! The decision record of `design.md`, from the records of the panel: participants, dispositions, votes.

use super::materials::Materials;
use charrette_model::markdown::flat;
use charrette_model::panel::debate::DebateSide;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::resolutions::{DecisionOutcome, DecisionResolution, read_resolutions};
use charrette_model::panel::tally_file::read_voting_tally;
use charrette_model::spec::ids::mentions;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Heading of the record. A section with this heading in a draft is replaced.
pub(super) const TITLE: &str = "Record of the panel";

/// Heading of the record in older files, where it was a part of the decisions.
pub(super) const OLDER_TITLE: &str = "How they were decided";

/// Text of the decision record, without its heading.
pub(super) fn decision_record(materials: &Materials) -> String {
    let walked = materials.walkthroughs.as_deref().map_or_else(String::new, |text| text.trim().to_owned());
    let parts = [inert(&materials.authorship.headline()), decisions(materials), review(materials), walked];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// A row of the table of contested decisions.
struct DecisionRow<'a> {
    n: u32,
    title: &'a str,
    decided: &'a str,
    other: &'a str,
    disposition: String,
    votes: String,
}

/// Table of the contested decisions.
fn decisions(materials: &Materials) -> String {
    let contested = read_decisions(materials.contested.as_deref().unwrap_or_default()).contested;
    let (resolutions, problems) = read_resolutions(materials.resolutions.as_deref().unwrap_or_default());
    let resolved: BTreeMap<u32, &DecisionResolution> =
        resolutions.iter().map(|entry| (entry.n, entry)).collect();
    let mut rows = Vec::new();
    for entry in &resolutions {
        let decision = contested.iter().find(|decision| decision.n == entry.n);
        let other =
            decision.map_or("–", |d| if d.chosen == entry.resolution { &d.alternative } else { &d.chosen });
        rows.push(DecisionRow {
            n: entry.n,
            title: &entry.title,
            decided: &entry.resolution,
            other,
            disposition: disposition(entry),
            votes: vote_counts(entry),
        });
    }
    for decision in contested.iter().filter(|decision| !resolved.contains_key(&decision.n)) {
        rows.push(DecisionRow {
            n: decision.n,
            title: &decision.title,
            decided: &decision.chosen,
            other: &decision.alternative,
            disposition: "not debated; the synthesis stands".to_owned(),
            votes: "–".to_owned(),
        });
    }
    if rows.is_empty() && problems.is_empty() {
        return "No decision was contested.".to_owned();
    }
    rows.sort_by_key(|row| row.n);
    let mut table = String::from("| Contested | Decided | Against | How | Votes |\n|---|---|---|---|---|\n");
    for DecisionRow { n, title, decided, other, disposition, votes } in rows {
        let [title, decided, other, disposition] = [title, decided, other, &disposition].map(cell);
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| DECISION_{n}: {title} | {decided} | {other} | {disposition} | {votes} |");
    }
    if !problems.is_empty() {
        let _ = writeln!(table, "\nPart of the record could not be read ({} places).", problems.len());
    }
    table.trim_end().to_owned()
}

fn disposition(entry: &DecisionResolution) -> String {
    match entry.outcome {
        DecisionOutcome::Voted { winner: DebateSide::Thesis, .. } => "voted: upheld".to_owned(),
        DecisionOutcome::Voted { winner: DebateSide::AntiThesis, .. } => "voted: overturned".to_owned(),
        other => format!("{}: {}", other.disposition().name(), entry.why),
    }
}

fn vote_counts(entry: &DecisionResolution) -> String {
    match entry.outcome {
        DecisionOutcome::Voted { thesis, anti_thesis, .. } => {
            format!("{} to {}", thesis.max(anti_thesis), thesis.min(anti_thesis))
        }
        _ => "–".to_owned(),
    }
}

/// Table of the votes on the findings of the plan review.
fn review(materials: &Materials) -> String {
    let rows = read_voting_tally(materials.tally.as_deref().unwrap_or_default());
    if rows.is_empty() {
        return "Plan review: nothing was voted on.".to_owned();
    }
    let findings = rows.iter().filter(|row| row.is_in_scope()).count();
    let outside = rows.len() - findings;
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.is_in_scope()) {
        *outcomes.entry(&row.outcome).or_default() += 1;
    }
    let counts: Vec<String> = outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
    let mut text =
        format!("Plan review: {findings} in scope ({}), {outside} out of scope.\n\n", counts.join(", "));
    text.push_str("| Item | YES | NO | EXONERATE | Outcome |\n|---|---|---|---|---|\n");
    for row in &rows {
        let _ =
            writeln!(text, "| {} | {} | {} | {} | {} |", row.id, row.yes, row.no, row.exonerate, row.outcome);
    }
    text.trim_end().replace(" ()", "")
}

/// Maximum number of characters of a cell.
const MAX_CELL_CHARS: usize = 240;

/// Text on one line, without links and without ids that would be dangling references.
pub(super) fn inert(text: &str) -> String {
    break_ids(&flat(text).replace('[', "(").replace(']', ")"))
}

/// Text as a table cell: inert, with escaped bars.
fn cell(text: &str) -> String {
    let mut cell = inert(text).replace('|', "\\|");
    if cell.chars().count() > MAX_CELL_CHARS {
        cell = cell.chars().take(MAX_CELL_CHARS).collect::<String>() + "…";
    }
    if cell.is_empty() { "–".to_owned() } else { cell }
}

/// Breaks up ids, because those of the panel are not those of the files.
pub(super) fn break_ids(text: &str) -> String {
    let mut broken = String::with_capacity(text.len());
    let mut rest = text;
    for (spelled, _) in mentions(text) {
        let Some((before, after)) = rest.split_once(spelled) else { continue };
        let letters = spelled.bytes().take_while(u8::is_ascii_alphabetic).count();
        let number = spelled[letters..].trim_start_matches('-');
        broken.extend([before, &spelled[..letters], " ", number]);
        rest = after;
    }
    broken + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_hold_nothing_that_leads_elsewhere() {
        assert_eq!(cell("see REQ-9.9, [C1](x) | T001\nUS2"), "see REQ 9.9, (C1)(x) \\| T 001 US 2");
        assert_eq!(mentions(&cell("REQ-1 T0012 NFR3")).count(), 0);
        assert_eq!(cell(" "), "–");
    }
}
