//! Small aligned tables: the first column wraps, the others are cut.

use crate::style::{Style, Tone};
use crate::text::{columns, fit, padded, wrapped};

/// Number of blanks between columns.
const GAP: usize = 2;
/// Minimum width of the first column.
const MIN_FIRST_COLUMN: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<'a> {
    pub(crate) title: &'a str,
    pub(crate) is_number: bool,
}

/// Renders a table within the width of the style.
pub(crate) fn table(heads: &[Column<'_>], rows: &[Vec<String>], indent: usize, style: Style) -> Vec<String> {
    let cell = |row: &[String], n: usize| row.get(n).map_or("", String::as_str).to_owned();
    let widest = |n: usize| {
        let cells = rows.iter().map(|row| columns(&cell(row, n))).max().unwrap_or_default();
        cells.max(columns(heads[n].title))
    };
    let mut widths: Vec<usize> = (0..heads.len()).map(widest).collect();
    let room = style.width.saturating_sub(indent + GAP * heads.len().saturating_sub(1));
    let rest: usize = widths.iter().skip(1).sum();
    if let Some(first) = widths.first_mut() {
        *first = (*first).min(room.saturating_sub(rest).max(MIN_FIRST_COLUMN));
    }
    shrink_to(&mut widths, room);
    let titles: Vec<String> = heads.iter().map(|head| head.title.to_owned()).collect();
    let mut lines: Vec<String> = row_lines(&titles, heads, &widths, indent)
        .iter()
        .map(|line| style.paint(Tone::Heading, line))
        .collect();
    for row in rows {
        lines.extend(row_lines(row, heads, &widths, indent));
    }
    lines
}

/// Shrinks the widest columns, except the first, until all fit.
fn shrink_to(widths: &mut [usize], room: usize) {
    while widths.iter().sum::<usize>() > room {
        let Some(widest) = widths.iter_mut().skip(1).max_by_key(|width| **width).filter(|width| **width > 4)
        else {
            return;
        };
        *widest -= 1;
    }
}

fn row_lines(row: &[String], heads: &[Column<'_>], widths: &[usize], indent: usize) -> Vec<String> {
    let first = wrapped(row.first().map_or("", String::as_str), widths.first().copied().unwrap_or_default());
    let mut lines = Vec::new();
    for (n, part) in first.iter().enumerate() {
        let mut line = " ".repeat(indent) + &padded(part, widths[0]);
        for (column, head) in heads.iter().enumerate().skip(1).filter(|_| n == 0) {
            let text = fit(row.get(column).map_or("", String::as_str), widths[column]);
            let blanks = widths[column].saturating_sub(columns(&text));
            line += &" ".repeat(GAP);
            line += &if head.is_number { " ".repeat(blanks) + &text } else { text + &" ".repeat(blanks) };
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_column_wraps_and_nothing_is_wider_than_the_screen() {
        let heads = [
            Column { title: "decision", is_number: false },
            Column { title: "outcome", is_number: false },
            Column { title: "votes", is_number: true },
        ];
        let rows = vec![
            vec!["レート制限のカウンターをどこに置くか".to_owned(), "upheld".to_owned(), "2-1".to_owned()],
            vec!["short".to_owned(), "an outcome with a very long name".to_owned(), "3-0".to_owned()],
        ];
        let lines = table(&heads, &rows, 2, Style { width: 44, ..Style::plain() });
        assert!(lines.iter().all(|line| columns(line) <= 44), "{lines:#?}");
        insta::assert_snapshot!(lines.join("\n"), @r"
        decision          outcome            votes
        レート制限のカウ  upheld               2-1
        ンターをどこに置
        くか
        short             an outcome with …    3-0
        ");
    }
}
