//! Markdown for a terminal: headings and rules are drawn, emphasis marks removed, lists and quotations set with a hanging
//! indent, tables laid out, all wrapped to the width. What it does not know it leaves as it is.

use crate::style::{Style, Tone};
use crate::table::{Column, table};
use crate::text::{columns, safe, wrapped};

/// Renders a text from outside; no line is wider than the style, except in code.
pub(crate) fn render_markdown(text: &str, style: Style) -> Vec<String> {
    let text = safe(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut page = Page { style, lines: Vec::new() };
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if let Some(fence) = fence(line) {
            let code = lines[at..].iter().take_while(|line| !closes(line, fence)).count();
            page.lines.extend(lines[at..at + code].iter().map(|line| format!("    {line}")));
            at = (at + code + 1).min(lines.len());
        } else if is_table_row(line) {
            let rest = lines[at..].iter().take_while(|line| is_table_row(line)).count();
            page.table(&lines[at - 1..at + rest]);
            at += rest;
        } else if lines.get(at).is_some_and(|next| is_underline(next)) && !line.trim().is_empty() {
            page.heading(line);
            at += 1;
        } else {
            page.line(line);
        }
    }
    page.lines
}

/// Text on one line without emphasis marks and quotation marks of Markdown.
pub(crate) fn unmarked(line: &str) -> String {
    line.strip_prefix("> ").unwrap_or(line).replace("**", "")
}

struct Page {
    style: Style,
    lines: Vec<String>,
}

impl Page {
    fn line(&mut self, line: &str) {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if let Some(title) = heading(body) {
            self.heading(title);
        } else if is_rule(body) {
            self.lines.push(self.style.paint(Tone::Quiet, &"─".repeat(self.style.width.min(60))));
        } else if let Some(quoted) = body.strip_prefix('>') {
            self.hanging(indent, "│ ", "│ ", quoted.trim_start());
        } else if let Some(item) = ["- ", "* ", "+ "].iter().find_map(|mark| body.strip_prefix(mark)) {
            self.hanging(indent, "• ", "  ", item);
        } else if let Some((number, item)) = numbered(body) {
            self.hanging(indent, number, &" ".repeat(columns(number)), item);
        } else {
            self.hanging(indent, "", "", body);
        }
    }

    fn heading(&mut self, title: &str) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
        for line in wrapped(&inline(title.trim_end_matches([' ', '#'])), self.style.width) {
            self.lines.push(self.style.paint(Tone::Heading, &line));
        }
    }

    /// A paragraph whose first line begins with `first` and the others with `other`.
    fn hanging(&mut self, indent: usize, first: &str, other: &str, text: &str) {
        let indent = " ".repeat(indent.min(self.style.width / 3));
        let room = self.style.width.saturating_sub(indent.len() + columns(first).max(columns(other)));
        for (n, line) in wrapped(&inline(text), room).iter().enumerate() {
            let lead = if n == 0 { first } else { other };
            self.lines.push(format!("{indent}{lead}{line}").trim_end().to_owned());
        }
    }

    fn table(&mut self, rows: &[&str]) {
        let is_separator =
            |row: &&&str| row.chars().any(|c| c == '-') && row.chars().all(|c| "|-: ".contains(c));
        let mut cells = rows.iter().filter(|row| !is_separator(row)).map(|row| table_cells(row));
        let Some(heads) = cells.next() else { return };
        let heads: Vec<Column<'_>> = heads.iter().map(|title| Column { title, is_number: false }).collect();
        let rows: Vec<Vec<String>> = cells.collect();
        let laid_out = table(&heads, &rows, 0, Style { color: false, ..self.style });
        if laid_out.iter().any(|line| columns(line) > self.style.width) {
            // Too many columns for the screen: one paragraph per row.
            let titles = heads.iter().map(|head| head.title.to_owned()).collect();
            for row in std::iter::once(&titles).chain(&rows) {
                self.hanging(0, "", "  ", &row.join(" · "));
            }
        } else {
            self.lines.extend(table(&heads, &rows, 0, self.style));
        }
    }
}

fn table_cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner.replace("\\|", "\u{1}").split('|').map(|cell| inline(cell.trim()).replace('\u{1}', "|")).collect()
}

/// Text without emphasis marks. Code spans keep their backticks, and what is inside them.
fn inline(text: &str) -> String {
    let mut plain = String::new();
    for (n, part) in text.split('`').enumerate() {
        if n > 0 {
            plain.push('`');
        }
        if n % 2 == 0 {
            plain.push_str(&part.replace("**", "").replace("__", ""));
        } else {
            plain.push_str(part);
        }
    }
    plain
}

/// Title of a heading.
fn heading(line: &str) -> Option<&str> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| title.trim())
}

fn is_rule(line: &str) -> bool {
    let solid: String = line.split_whitespace().collect();
    solid.len() >= 3 && ["-", "*", "_"].iter().any(|mark| solid.replace(mark, "").is_empty())
}

/// True for the line below a heading that is underlined.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && line.bytes().all(|byte| byte == b'=')
}

fn is_table_row(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line[1..].contains('|')
}

/// Number with its mark, and the text of a numbered item.
fn numbered(line: &str) -> Option<(&str, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") "))?;
    (1..=4).contains(&digits).then(|| (&line[..digits + 2], rest))
}

/// Mark of a code fence: its character and length.
fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

fn closes(line: &str, (mark, length): (char, usize)) -> bool {
    let line = line.trim();
    line.chars().count() >= length && line.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Post-Design Checkpoint\n======================\n\n## Decisions\n\nThe **limiter** is a `mid**dleware` in front of the router.\n\n- one\n  - two words that are longer than the line allows\n1. first\n> **quoted** text\n\n---\n\n| decision | votes |\n|---|---:|\n| where **it** lives | 2-1 |\n\n```rust\nlet a = \"**\";\n```\n\u{1b}[2Jwiped\n";

    #[test]
    fn nothing_raw_is_left() {
        let lines = render_markdown(TEXT, Style { width: 40, ..Style::plain() });
        assert!(lines.iter().all(|line| columns(line) <= 40), "{lines:#?}");
        insta::assert_snapshot!(lines.join("\n"), @r#"
        Post-Design Checkpoint

        Decisions

        The limiter is a `mid**dleware` in front
        of the router.

        • one
          • two words that are longer than the
            line allows
        1. first
        │ quoted text

        ────────────────────────────────────────

        decision        votes
        where it lives  2-1

            let a = "**";
        \u{1b}[2Jwiped
        "#);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_rendered_within_the_width(text in "[a-z#>|`*=1.\\- \n制]{0,120}", width in 20_usize..60) {
            let style = Style { width, ..Style::plain() };
            for line in render_markdown(&text, style) {
                proptest::prop_assert!(columns(&line) <= width || line.starts_with("    "), "{line:?}");
            }
        }
    }
}
