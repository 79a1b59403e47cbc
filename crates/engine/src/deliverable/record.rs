//! How the decisions came about, from the records of the panel: dispositions, votes, and who sat.

use super::materials::{Materials, SeatTaken};
use charrette_model::panel::debate::Side;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::lines::flat;
use charrette_model::panel::resolutions::{Outcome, Resolution, read_resolutions};
use charrette_model::panel::tally_file::read_voting_tally;
use charrette_model::spec::ids::mentioned;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The title over it. Whatever stands below one in a draft is replaced.
pub(super) const TITLE: &str = "How they were decided";

/// The record, without its heading.
pub(super) fn record(materials: &Materials) -> String {
    let parts = [who_sat(&materials.vendors), decisions(materials), review(materials)];
    parts.join("\n\n")
}

/// How many distinct vendors sat, and how many of them voted.
fn who_sat(seats: &[SeatTaken]) -> String {
    if seats.is_empty() {
        return "Who sat is not on record.".to_owned();
    }
    let vendors = |votes_only: bool| -> BTreeSet<String> {
        let models = seats.iter().filter(|seat| !is_embedded(seat));
        models
            .filter(|seat| !votes_only || votes(&seat.seat))
            .map(|seat| seat.vendor.to_lowercase())
            .collect()
    };
    let (sat, voted) = (vendors(false).len(), vendors(true).len());
    if sat == 0 {
        return "No model took part: the embedded agent filled every seat.".to_owned();
    }
    let embedded = if seats.iter().any(is_embedded) {
        " The embedded agent filled in where nobody else sat."
    } else {
        ""
    };
    let plural = if sat == 1 { "vendor" } else { "vendors" };
    format!("{sat} distinct {plural} sat, {voted} voted.{embedded}")
}

fn is_embedded(seat: &SeatTaken) -> bool {
    seat.agent == "embedded" || seat.vendor == "embedded"
}

fn votes(seat: &str) -> bool {
    seat.starts_with("voter") || seat.starts_with("judge")
}

/// One row per decision that was contested.
fn decisions(materials: &Materials) -> String {
    let contested = read_decisions(materials.contested.as_deref().unwrap_or_default()).contested;
    let (resolutions, problems) = read_resolutions(materials.resolutions.as_deref().unwrap_or_default());
    let resolved: BTreeMap<u32, &Resolution> = resolutions.iter().map(|entry| (entry.n, entry)).collect();
    let mut rows = Vec::new();
    for entry in &resolutions {
        let decision = contested.iter().find(|decision| decision.n == entry.n);
        let other =
            decision.map_or("–", |d| if d.chosen == entry.resolution { &d.alternative } else { &d.chosen });
        rows.push((
            entry.n,
            entry.title.as_str(),
            entry.resolution.as_str(),
            other,
            how(entry),
            tally(entry),
        ));
    }
    for decision in contested.iter().filter(|decision| !resolved.contains_key(&decision.n)) {
        let how = "not debated; the synthesis stands".to_owned();
        rows.push((
            decision.n,
            &decision.title,
            &decision.chosen,
            &decision.alternative,
            how,
            "–".to_owned(),
        ));
    }
    if rows.is_empty() && problems.is_empty() {
        return "No decision was contested.".to_owned();
    }
    rows.sort_by_key(|(n, ..)| *n);
    let mut table = String::from("| Contested | Decided | Against | How | Votes |\n|---|---|---|---|---|\n");
    for (n, title, decided, other, how, votes) in rows {
        let [title, decided, other, how] = [title, decided, other, &how].map(cell);
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| DECISION_{n}: {title} | {decided} | {other} | {how} | {votes} |");
    }
    if !problems.is_empty() {
        let _ = writeln!(table, "\nPart of the record could not be read ({} places).", problems.len());
    }
    table.trim_end().to_owned()
}

fn how(entry: &Resolution) -> String {
    match entry.outcome {
        Outcome::Voted { winner: Side::Thesis, .. } => "voted: upheld".to_owned(),
        Outcome::Voted { winner: Side::AntiThesis, .. } => "voted: overturned".to_owned(),
        other => format!("{}: {}", other.disposition().name(), entry.why),
    }
}

fn tally(entry: &Resolution) -> String {
    match entry.outcome {
        Outcome::Voted { thesis, anti_thesis, .. } => {
            format!("{} to {}", thesis.max(anti_thesis), thesis.min(anti_thesis))
        }
        _ => "–".to_owned(),
    }
}

/// The votes on what reviewers found in the plan.
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

/// The longest text of a cell.
const CELL: usize = 240;

/// Somebody's words in a cell: no bars, no links, and no ids that could lead nowhere.
fn cell(text: &str) -> String {
    let flat = flat(text).replace('[', "(").replace(']', ")").replace('|', "\\|");
    let mut cell = harmless(&flat);
    if cell.chars().count() > CELL {
        cell = cell.chars().take(CELL).collect::<String>() + "…";
    }
    if cell.is_empty() { "–".to_owned() } else { cell }
}

/// Ids taken apart: in the words of the panel they mean something else than in the files.
fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    let mut rest = text;
    for (spelled, _) in mentioned(text) {
        let Some((before, after)) = rest.split_once(spelled) else { continue };
        let letters = spelled.bytes().take_while(u8::is_ascii_alphabetic).count();
        let number = spelled[letters..].trim_start_matches('-');
        harmless.extend([before, &spelled[..letters], " ", number]);
        rest = after;
    }
    harmless + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(seat: &str, vendor: &str) -> SeatTaken {
        SeatTaken { seat: seat.to_owned(), agent: vendor.to_owned(), vendor: vendor.to_owned() }
    }

    #[test]
    fn who_sat_is_said_plainly() {
        for (seats, said) in [
            (vec![], "Who sat is not on record."),
            (vec![seat("writer", "embedded")], "No model took part: the embedded agent filled every seat."),
            (
                vec![seat("writer", "anthropic"), seat("voter-claude", "Anthropic")],
                "1 distinct vendor sat, 1 voted.",
            ),
            (
                vec![
                    seat("writer", "anthropic"),
                    seat("judge-codex", "openai"),
                    seat("voter-cursor", "embedded"),
                ],
                "2 distinct vendors sat, 1 voted. The embedded agent filled in where nobody else sat.",
            ),
        ] {
            assert_eq!(who_sat(&seats), said);
        }
    }

    #[test]
    fn cells_hold_nothing_that_leads_elsewhere() {
        assert_eq!(cell("see REQ-9.9, [C1](x) | T001\nUS2"), "see REQ 9.9, (C1)(x) \\| T 001 US 2");
        assert_eq!(mentioned(&cell("REQ-1 T0012 NFR3")).count(), 0);
        assert_eq!(cell(" "), "–");
    }
}
