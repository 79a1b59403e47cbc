//! Renders the preview page of a run as a box: context, stages, agents, output, cost.

use crate::render::Render;
use crate::style::{Style, Tone};
use crate::text::{columns, fit, padded, wrapped};
use charrette_engine::pages::{Preview, PreviewStage, StageState};
use charrette_model::escape::one_line;

/// Width of the box, including its borders.
const BOX_WIDTH: usize = 72;

fn indicator(state: StageState) -> (&'static str, &'static str) {
    match state {
        StageState::Complete => ("✓", "complete"),
        StageState::Running => ("●", "running"),
        StageState::Pending => ("○", ""),
        StageState::Failed => ("✗", "failed"),
        StageState::Skipped => ("⊘", "skipped"),
    }
}

impl Render for Preview {
    /// Box of 72 columns, or of the width of a narrower screen.
    fn render(&self, style: Style) -> String {
        let width = BOX_WIDTH.min(style.width).max(20);
        let mut page = Page { inner: width - 2, style, lines: Vec::new() };
        page.edge('┌', '┐');
        let title = format!("{} - {}", one_line(&self.command), one_line(&self.description));
        page.line(Some(Tone::Heading), 0, &title);
        page.section("CONTEXT");
        for (name, value) in &self.context {
            page.wrapped(2, &format!("{}: {}", one_line(name), one_line(value)));
        }
        if !self.checkpoint.is_empty() {
            let phases: Vec<String> =
                self.checkpoint.iter().map(|(phase, state)| format!("{phase}: {state}")).collect();
            page.wrapped(2, &format!("Checkpoint: Loaded ({})", phases.join(", ")));
        }
        if !self.flags.is_empty() {
            page.wrapped(2, &format!("Flags: {}", one_line(&self.flags.join(" "))));
        }
        page.section("STAGES");
        for (n, stage) in self.stages.iter().enumerate() {
            page.stage(n + 1, stage);
        }
        if !self.output.is_empty() {
            page.section("OUTPUT");
            page.wrapped(2, &one_line(&self.output));
            page.items(4, &self.files);
        }
        if !self.cost.is_empty() {
            page.section("COST");
            for line in &self.cost {
                page.wrapped(2, &one_line(line));
            }
        }
        page.edge('└', '┘');
        page.lines.join("\n") + "\n"
    }
}

/// Box under construction.
struct Page {
    inner: usize,
    style: Style,
    lines: Vec<String>,
}

impl Page {
    fn edge(&mut self, left: char, right: char) {
        self.lines.push(format!("{left}{}{right}", "─".repeat(self.inner)));
    }

    fn section(&mut self, title: &str) {
        self.edge('├', '┤');
        self.line(Some(Tone::Heading), 0, title);
    }

    /// Adds one line, cut if it does not fit.
    fn line(&mut self, tone: Option<Tone>, indent: usize, text: &str) {
        let text = padded(&format!(" {}{text}", " ".repeat(indent)), self.inner - 1);
        let text = tone.map_or_else(|| text.clone(), |tone| self.style.paint(tone, &text));
        self.lines.push(format!("│{text} │"));
    }

    /// Adds wrapped text; lines after the first are indented more.
    fn wrapped(&mut self, indent: usize, text: &str) {
        let room = self.inner.saturating_sub(indent + 4).max(2);
        for (n, part) in wrapped(text, room).iter().enumerate() {
            self.line(None, if n == 0 { indent } else { indent + 2 }, part);
        }
    }

    fn stage(&mut self, number: usize, stage: &PreviewStage) {
        let (icon, word) = indicator(stage.state);
        let word = if word.is_empty() { String::new() } else { format!(" ({word})") };
        let brief = one_line(&stage.brief);
        let arrow = if brief.is_empty() { "" } else { " → " };
        self.wrapped(2, &format!("{icon} {number}. {}{word}{arrow}{brief}", one_line(&stage.name)));
        let seats: Vec<String> =
            stage.seats.iter().map(|(seat, agent)| format!("{seat} → {agent}")).collect();
        self.items(6, &seats);
        for (step, why) in &stage.again {
            self.wrapped(6, &format!("again: {}: {}", one_line(step), one_line(why)));
        }
    }

    /// Adds a comma-separated list, wrapped between items.
    fn items(&mut self, indent: usize, items: &[String]) {
        let room = self.inner.saturating_sub(indent + 2).max(2);
        let mut current = String::new();
        for (n, item) in items.iter().enumerate() {
            let comma = if n + 1 < items.len() { "," } else { "" };
            let item = fit(&one_line(item), room - 1) + comma;
            let gap = usize::from(!current.is_empty());
            if columns(&current) + gap + columns(&item) > room {
                self.line(None, indent, &std::mem::take(&mut current));
            }
            if !current.is_empty() {
                current.push(' ');
            }
            current += &item;
        }
        if !current.is_empty() {
            self.line(None, indent, &current);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    fn preview() -> Preview {
        let stage = |state, name: &str, brief: &str, seats: &[(&str, &str)]| PreviewStage {
            state,
            name: name.to_owned(),
            brief: brief.to_owned(),
            seats: pairs(seats),
            again: Vec::new(),
        };
        Preview {
            command: "charrette design".to_owned(),
            description: "add rate limiting to the public API, per key and per address, with headers"
                .to_owned(),
            context: pairs(&[
                ("Feature", "レート制限をパブリックAPIに追加する"),
                ("Branch", "ada/rate-limit"),
                ("Spec", "specs/rate-limit/"),
            ]),
            checkpoint: pairs(&[("research", "complete"), ("write", "pending"), ("validate", "pending")]),
            flags: ["--quick", "--auto"].map(str::to_owned).to_vec(),
            stages: vec![
                stage(StageState::Complete, "research", "map the code, agree on the scope", &[]),
                stage(
                    StageState::Running,
                    "write",
                    "sketch, argue, plan, review, write the spec",
                    &[
                        ("sketch-arch", "cursor"),
                        ("sketch-edge", "cursor"),
                        ("sketch-innovation", "codex"),
                        ("sketch-pragmatic", "codex"),
                        ("planner", "claude"),
                    ],
                ),
                PreviewStage {
                    again: pairs(&[("synthesis", "input approach-synthesis.txt changed")]),
                    ..stage(StageState::Pending, "argue", "", &[])
                },
                stage(StageState::Pending, "validate", "check the spec", &[("validator", "claude\u{1b}[2J")]),
                stage(StageState::Skipped, "tracker", "", &[]),
            ],
            output: "specs/rate-limit/".to_owned(),
            files: ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"]
                .map(str::to_owned)
                .to_vec(),
            cost: vec!["3 runs like this took 12m to 31m and cost $1.20 to $4.10".to_owned()],
        }
    }

    #[test]
    fn the_box_is_72_columns_wide_on_every_screen_that_has_them() {
        let narrow = preview().render(Style { width: 80, ..Style::plain() });
        assert_eq!(narrow, preview().render(Style { width: 120, ..Style::plain() }));
        assert!(narrow.lines().all(|line| columns(line) == BOX_WIDTH), "{narrow}");
        insta::assert_snapshot!(narrow, @r"
        ┌──────────────────────────────────────────────────────────────────────┐
        │ charrette design - add rate limiting to the public API, per key and… │
        ├──────────────────────────────────────────────────────────────────────┤
        │ CONTEXT                                                              │
        │   Feature: レート制限をパブリックAPIに追加する                       │
        │   Branch: ada/rate-limit                                             │
        │   Spec: specs/rate-limit/                                            │
        │   Checkpoint: Loaded (research: complete, write: pending,            │
        │     validate: pending)                                               │
        │   Flags: --quick --auto                                              │
        ├──────────────────────────────────────────────────────────────────────┤
        │ STAGES                                                               │
        │   ✓ 1. research (complete) → map the code, agree on the scope        │
        │   ● 2. write (running) → sketch, argue, plan, review, write the      │
        │     spec                                                             │
        │       sketch-arch → cursor, sketch-edge → cursor,                    │
        │       sketch-innovation → codex, sketch-pragmatic → codex,           │
        │       planner → claude                                               │
        │   ○ 3. argue                                                         │
        │       again: synthesis: input approach-synthesis.txt changed         │
        │   ○ 4. validate → check the spec                                     │
        │       validator → claude\u{1b}[2J                                    │
        │   ⊘ 5. tracker (skipped)                                             │
        ├──────────────────────────────────────────────────────────────────────┤
        │ OUTPUT                                                               │
        │   specs/rate-limit/                                                  │
        │     requirements.md, design.md, tasks.md, summary.md, spec.json,     │
        │     meta.yaml                                                        │
        ├──────────────────────────────────────────────────────────────────────┤
        │ COST                                                                 │
        │   3 runs like this took 12m to 31m and cost $1.20 to $4.10           │
        └──────────────────────────────────────────────────────────────────────┘
        ");
    }

    #[test]
    fn a_narrow_screen_gets_a_narrow_box_and_colour_changes_no_text() {
        let narrow = preview().render(Style { width: 40, ..Style::plain() });
        assert!(narrow.lines().all(|line| columns(line) == 40), "{narrow}");
        let colourful = preview().render(Style { color: true, ..Style::plain() });
        let plain = colourful.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        assert_eq!(plain, preview().render(Style::plain()));
    }
}
