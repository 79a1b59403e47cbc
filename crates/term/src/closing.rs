//! Renders the closing page of a run: files, votes, costs, open issues, next command.

use crate::markdown::unmarked;
use crate::render::Render;
use crate::style::{Style, Tone};
use crate::table::{Column, table};
use crate::text::wrapped;
use charrette_engine::pages::{ClosingPage, SeatCost, VoteResult};
use charrette_model::escape::one_line;
use charrette_model::progress::elapsed;
use std::fmt::Write as _;

/// Maximum line width, however wide the screen is.
const MAX_WIDTH: usize = 120;

impl Render for ClosingPage {
    fn render(&self, style: Style) -> String {
        let style = Style { width: style.width.min(MAX_WIDTH), ..style };
        let mut page = Page { style, lines: Vec::new() };
        page.heading(&self.title);
        for note in &self.notes {
            page.lines.extend(wrapped(&one_line(note), style.width));
        }
        page.table("Files", &[text("file"), text("")], &file_rows(self));
        page.table("Votes", &[text("about"), text("outcome"), text("votes"), text("by")], &vote_rows(self));
        let heads = [
            text("seat"),
            text("agent"),
            number("calls"),
            number("in"),
            number("out"),
            number("usd"),
            number("time"),
        ];
        page.table("Cost", &heads, &cost_rows(self));
        page.list("Decided by you", &self.decided);
        page.list("Undecided", &self.undecided);
        page.list("Out of scope", &self.out_of_scope);
        let rejected: Vec<String> =
            self.rejected.iter().map(|(finding, reason)| format!("{finding}: {reason}")).collect();
        page.list("Findings not adopted", &rejected);
        page.list("Warnings", &self.warnings);
        page.command("To commit", self.commit.as_deref());
        page.command("Next", self.next.as_deref());
        page.lines.join("\n") + "\n"
    }
}

fn file_rows(page: &ClosingPage) -> Vec<Vec<String>> {
    page.files.iter().map(|(name, about)| vec![one_line(name), one_line(about)]).collect()
}

fn vote_rows(page: &ClosingPage) -> Vec<Vec<String>> {
    let row =
        |vote: &VoteResult| [&vote.about, &vote.outcome, &vote.votes, &vote.by].map(|cell| one_line(cell));
    page.votes.iter().map(|vote| row(vote).to_vec()).collect()
}

fn cost_rows(page: &ClosingPage) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = page.costs.iter().map(cost_row).collect();
    if page.costs.len() > 1 {
        let mut total = SeatCost { seat: "total".to_owned(), ..SeatCost::default() };
        for cost in &page.costs {
            total.calls += cost.calls;
            total.seconds += cost.seconds;
            total.input = sum(total.input, cost.input);
            total.output = sum(total.output, cost.output);
            total.usd = cost.usd.map(|usd| total.usd.unwrap_or_default() + usd).or(total.usd);
        }
        let mut row = cost_row(&total);
        for (n, cell) in row.iter_mut().enumerate() {
            // Unknown values are not zero: the total is a lower bound.
            if *cell != "?" && rows.iter().any(|row| row[n] == "?") {
                cell.insert(0, '≥');
            }
        }
        rows.push(row);
    }
    rows
}

fn cost_row(cost: &SeatCost) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or_else(|| "?".to_owned(), thousands);
    let usd = cost.usd.map_or_else(|| "?".to_owned(), |usd| format!("{usd:.2}"));
    vec![
        one_line(&cost.seat),
        one_line(&cost.agent),
        cost.calls.to_string(),
        count(cost.input),
        count(cost.output),
        usd,
        elapsed(cost.seconds),
    ]
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or_default().saturating_add(b.unwrap_or_default())),
    }
}

/// Formats a number like `12,345`.
fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn text(title: &'static str) -> Column<'static> {
    Column { title, is_number: false }
}

fn number(title: &'static str) -> Column<'static> {
    Column { title, is_number: true }
}

/// Page under construction.
struct Page {
    style: Style,
    lines: Vec<String>,
}

impl Page {
    fn heading(&mut self, title: &str) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.push(self.style.paint(Tone::Heading, &one_line(title)));
    }

    fn table(&mut self, title: &str, heads: &[Column<'_>], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        self.heading(title);
        let mut lines = table(heads, rows, 2, self.style);
        if heads.iter().filter(|head| !head.title.is_empty()).count() < 2 {
            // A single column title only repeats the heading.
            lines.remove(0);
        }
        self.lines.extend(lines);
    }

    fn list(&mut self, title: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        let mut heading = title.to_owned();
        // Writing to a String cannot fail.
        let _ = write!(heading, " ({})", items.len());
        self.heading(&heading);
        for item in items {
            let item = if self.style.is_tty { unmarked(item) } else { item.clone() };
            for (n, line) in wrapped(&one_line(&item), self.style.width.saturating_sub(4)).iter().enumerate()
            {
                self.lines.push(format!("  {} {line}", if n == 0 { "-" } else { " " }));
            }
        }
    }

    /// Adds a command to type. It is never wrapped, so that it can be copied.
    fn command(&mut self, title: &str, command: Option<&str>) {
        if let Some(command) = command {
            self.heading(&format!("{title}:"));
            self.lines.push(format!("  {}", one_line(command)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::columns;

    fn closing() -> ClosingPage {
        let own = str::to_owned;
        let vote = |about: &str, outcome: &str, votes: &str, by: &str| VoteResult {
            about: own(about),
            outcome: own(outcome),
            votes: own(votes),
            by: own(by),
        };
        let cost = |seat: &str, agent: &str, input, usd, seconds| SeatCost {
            seat: own(seat),
            agent: own(agent),
            calls: 1,
            input,
            output: input.map(|tokens| tokens / 10),
            usd,
            seconds,
        };
        ClosingPage {
            title: own("Design of rate-limit is complete"),
            notes: vec![own("Two distinct vendors sat, two voted.")],
            files: vec![
                (own("specs/rate-limit/requirements.md"), own("9 requirements")),
                (own("specs/rate-limit/tasks.md"), own("14 tasks in 3 phases")),
            ],
            votes: vec![
                vote(
                    "DECISION_1: where the limiter lives, in a middleware or in every single handler of the router",
                    "upheld",
                    "2-1",
                    "cursor, codex, claude",
                ),
                vote(
                    "DECISION_2: レート制限のカウンターをどこに置くか",
                    "overturned",
                    "3-0",
                    "cursor, codex, claude",
                ),
                vote("DECISION_3: header names", "bucket-skipped", "", "no external agent"),
                vote("FINDING_1: no test for the burst", "accepted", "3-0", "cursor, codex, claude"),
            ],
            costs: vec![
                cost("sketch-arch", "cursor", None, None, 252),
                cost("planner", "claude", Some(1_234_567), Some(1.5), 61),
                cost("validator", "claude", Some(890), Some(0.25), 9),
            ],
            decided: vec![own("Where counters live: in memory, for now")],
            undecided: vec![own("FINDING_4: should a refused request count? No quorum.")],
            out_of_scope: vec![own("the admin API has no limits either")],
            rejected: vec![(
                own("FINDING_2: use a database"),
                own(
                    "two of three voted no\u{1b}[2J: one instance is enough for now, and the design says when that changes",
                ),
            )],
            warnings: vec![own("3b: arch diagram — generation failed, proceeding without diagram")],
            commit: Some(own(
                "git add specs/rate-limit && git commit -m \"docs(spec): design of rate-limit\"",
            )),
            next: Some(own("charrette implement rate-limit")),
        }
    }

    #[test]
    fn the_summary_fits_80_columns() {
        let page = closing().render(Style { width: 80, ..Style::plain() });
        assert!(
            page.lines().filter(|line| !line.contains("git add")).all(|line| columns(line) <= 80),
            "{page}"
        );
        insta::assert_snapshot!(page, @r#"
        Design of rate-limit is complete
        Two distinct vendors sat, two voted.

        Files
          specs/rate-limit/requirements.md  9 requirements
          specs/rate-limit/tasks.md         14 tasks in 3 phases

        Votes
          about                             outcome         votes  by
          DECISION_1: where the limiter     upheld          2-1    cursor, codex, claude
          lives, in a middleware or in
          every single handler of the
          router
          DECISION_2:                       overturned      3-0    cursor, codex, claude
          レート制限のカウンターをどこに置
          くか
          DECISION_3: header names          bucket-skipped         no external agent
          FINDING_1: no test for the burst  accepted        3-0    cursor, codex, claude

        Cost
          seat         agent   calls          in       out    usd   time
          sketch-arch  cursor      1           ?         ?      ?  4m12s
          planner      claude      1   1,234,567   123,456   1.50   1m1s
          validator    claude      1         890        89   0.25     9s
          total                    3  ≥1,235,457  ≥123,545  ≥1.75  5m22s

        Decided by you (1)
          - Where counters live: in memory, for now

        Undecided (1)
          - FINDING_4: should a refused request count? No quorum.

        Out of scope (1)
          - the admin API has no limits either

        Findings not adopted (1)
          - FINDING_2: use a database: two of three voted no\u{1b}[2J: one instance is
            enough for now, and the design says when that changes

        Warnings (1)
          - 3b: arch diagram — generation failed, proceeding without diagram

        To commit:
          git add specs/rate-limit && git commit -m "docs(spec): design of rate-limit"

        Next:
          charrette implement rate-limit
        "#);
    }

    #[test]
    fn the_summary_uses_120_columns() {
        let page = closing().render(Style { width: 120, ..Style::plain() });
        insta::assert_snapshot!(page, @r#"
        Design of rate-limit is complete
        Two distinct vendors sat, two voted.

        Files
          specs/rate-limit/requirements.md  9 requirements
          specs/rate-limit/tasks.md         14 tasks in 3 phases

        Votes
          about                                                                     outcome         votes  by
          DECISION_1: where the limiter lives, in a middleware or in every single   upheld          2-1    cursor, codex, claude
          handler of the router
          DECISION_2: レート制限のカウンターをどこに置くか                          overturned      3-0    cursor, codex, claude
          DECISION_3: header names                                                  bucket-skipped         no external agent
          FINDING_1: no test for the burst                                          accepted        3-0    cursor, codex, claude

        Cost
          seat         agent   calls          in       out    usd   time
          sketch-arch  cursor      1           ?         ?      ?  4m12s
          planner      claude      1   1,234,567   123,456   1.50   1m1s
          validator    claude      1         890        89   0.25     9s
          total                    3  ≥1,235,457  ≥123,545  ≥1.75  5m22s

        Decided by you (1)
          - Where counters live: in memory, for now

        Undecided (1)
          - FINDING_4: should a refused request count? No quorum.

        Out of scope (1)
          - the admin API has no limits either

        Findings not adopted (1)
          - FINDING_2: use a database: two of three voted no\u{1b}[2J: one instance is enough for now, and the design says when
            that changes

        Warnings (1)
          - 3b: arch diagram — generation failed, proceeding without diagram

        To commit:
          git add specs/rate-limit && git commit -m "docs(spec): design of rate-limit"

        Next:
          charrette implement rate-limit
        "#);
    }

    #[test]
    fn empty_sections_are_left_out() {
        let page = ClosingPage { title: "Done".to_owned(), ..ClosingPage::default() }.render(Style::plain());
        assert_eq!(page, "Done\n");
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(100), "100");
        assert_eq!(thousands(1_000), "1,000");
    }
}
