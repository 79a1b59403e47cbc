//! Tables: a table of votes goes as a whole, a column that says who goes alone.

use super::SubjectMatter;
use super::rules;

/// Titles of columns that make a table a record of votes.
const VOTE_COLUMNS: &[&str] =
    &["votes", "vote", "yes", "no", "exonerate", "tally", "thesis", "antithesis", "anti_thesis"];

/// Titles of columns that say who, or how it was decided.
const ATTRIBUTION_COLUMNS: &[&str] = &[
    "from",
    "how decided",
    "proposer",
    "proposers",
    "proposed by",
    "reviewer",
    "reviewers",
    "raised by",
    "found by",
    "seat",
    "seats",
    "agent",
    "agents",
    "vendor",
    "vendors",
    "voted by",
    "disposition",
    "walked by",
    "walker",
    "walkers",
    "traced by",
    "accepted by",
    "finding",
    "findings",
    "outcome of the walk-through",
];

/// Cleans the rows of a table; empty if it was a record of votes.
pub(super) fn clean(rows: &[&str], subject: &SubjectMatter) -> Vec<String> {
    let Some(header) = rows.first().map(|row| cells(row)) else { return Vec::new() };
    let titles: Vec<String> =
        header.iter().map(|cell| cell.trim_matches(['*', '_', '`', ' ']).to_lowercase()).collect();
    let votes = titles.iter().filter(|title| VOTE_COLUMNS.contains(&title.as_str())).count();
    let says_votes = titles.iter().any(|title| ["votes", "vote", "tally"].contains(&title.as_str()));
    if (says_votes && !subject.has("votes")) || votes >= 2 {
        return Vec::new();
    }
    let is_kept =
        |column: usize| titles.get(column).is_none_or(|title| !ATTRIBUTION_COLUMNS.contains(&title.as_str()));
    // A table of nothing but attributions is no table.
    if (0..titles.len()).filter(|column| is_kept(*column)).count() == 0 {
        return Vec::new();
    }
    let clean_row = |row: &&str| {
        let kept: Vec<String> = cells(row)
            .iter()
            .enumerate()
            .filter(|(column, _)| is_kept(*column))
            .map(|(_, cell)| if is_rule(cell) { "---".to_owned() } else { rules::clean_cell(cell, subject) })
            .collect();
        format!("| {} |", kept.join(" | "))
    };
    rows.iter().map(clean_row).collect()
}

/// Cells of a row; a bar in inline code or behind a backslash belongs to its cell.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let inside = row.strip_prefix('|').unwrap_or(row);
    let inside = inside.strip_suffix('|').filter(|rest| !rest.ends_with('\\')).unwrap_or(inside);
    let (mut cells, mut cell, mut in_code, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in inside.chars() {
        match c {
            '|' if !in_code && !escaped => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            _ => {
                in_code ^= c == '`';
                cell.push(c);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    cells.push(cell.trim().to_owned());
    cells
}

/// True for a cell of the line below the header.
fn is_rule(cell: &str) -> bool {
    cell.len() >= 3 && cell.chars().all(|c| c == '-' || c == ':')
}
