//! `arena tally`: the verdicts of one or more rounds, un-blinded, as Markdown.

use super::effort::{Effort, effort};
use super::folder::{Arena, Order, Side};
use super::verdict::{CRITERIA, Label, Verdict, parse};
use crate::TaskResult;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A round with its verdicts.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) name: String,
    pub(super) commit: String,
    pub(super) judged: Vec<JudgedVerdict>,
    pub(super) panel: Effort,
    pub(super) lone: Effort,
}

/// A verdict after un-blinding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JudgedVerdict {
    pub(super) judge: String,
    /// Scores of the panel and of the lone designer, for each criterion.
    pub(super) scores: [(f64, f64); 5],
    pub(super) prefers: Side,
    pub(super) confidence: u8,
    /// Numbers of faults found in the panel's files and in the lone designer's.
    pub(super) faults: (usize, usize),
}

pub(super) fn tally(folders: &[PathBuf], out: Option<&Path>) -> TaskResult {
    let rounds = folders.iter().map(|folder| read_round(folder)).collect::<TaskResult<Vec<_>>>()?;
    let report = render(&rounds);
    print!("{report}");
    if let Some(out) = out {
        fs_err::write(out, report)?;
    }
    Ok(())
}

fn read_round(folder: &Path) -> TaskResult<Round> {
    let arena = Arena::open(folder)?;
    let order = arena.order()?.ok_or_else(|| format!("{} is not blind yet", arena.folder.display()))?;
    let mut judged = Vec::new();
    for (judge, path) in arena.verdicts()? {
        let verdict = parse(&fs_err::read_to_string(&path)?)
            .map_err(|errors| format!("{}: {}", path.display(), errors.join("; ")))?;
        judged.push(unblind(judge, &verdict, &order));
    }
    Ok(Round {
        name: arena.record.name.clone(),
        commit: arena.record.commit.chars().take(10).collect(),
        judged,
        panel: effort(&arena, Side::Panel)?,
        lone: effort(&arena, Side::Lone)?,
    })
}

pub(super) fn unblind(judge: String, verdict: &Verdict, order: &Order) -> JudgedVerdict {
    let panel_is_a = order.a == Side::Panel;
    let swap_scores = |(a, b): (f64, f64)| if panel_is_a { (a, b) } else { (b, a) };
    let prefers = match verdict.prefers {
        Label::A => order.a,
        Label::B => order.b,
    };
    let (a, b) = verdict.faults;
    JudgedVerdict {
        judge,
        scores: verdict.scores.map(swap_scores),
        prefers,
        confidence: verdict.confidence,
        faults: if panel_is_a { (a, b) } else { (b, a) },
    }
}

/// Renders the report: one table per round, then all rounds together.
pub(super) fn render(rounds: &[Round]) -> String {
    let mut text = String::new();
    for round in rounds {
        let _ = write!(text, "## {} at {}\n\n", round.name, round.commit);
        if round.judged.is_empty() {
            text.push_str("Nobody has judged yet.\n\n");
        } else {
            text.push_str(&render_verdicts(&round.judged));
        }
        text.push_str(&render_efforts(round));
    }
    let all: Vec<JudgedVerdict> = rounds.iter().flat_map(|round| round.judged.iter().cloned()).collect();
    if rounds.len() > 1 && !all.is_empty() {
        let _ = write!(text, "## All {} requests\n\n", rounds.len());
        text.push_str("| request | for the panel | for the lone designer | panel's scores | lone designer's scores |\n|---|---|---|---|---|\n");
        for round in rounds.iter().filter(|round| !round.judged.is_empty()) {
            let (panel, lone) = count(&round.judged);
            let (panel_mean, lone_mean) = mean_of_all(&round.judged);
            let _ =
                writeln!(text, "| {} | {panel} | {lone} | {panel_mean:.1} | {lone_mean:.1} |", round.name);
        }
        let (panel_mean, lone_mean) = mean_of_all(&all);
        let (panel, lone) = count(&all);
        let _ = writeln!(text, "| **all** | **{panel}** | **{lone}** | {panel_mean:.1} | {lone_mean:.1} |");
        text.push('\n');
    }
    text.push_str(&conclusion(&all));
    text
}

fn render_verdicts(judged: &[JudgedVerdict]) -> String {
    let mut text = String::from("| | ");
    for verdict in judged {
        let _ = write!(text, "{}: panel | {}: lone | ", verdict.judge, verdict.judge);
    }
    text.push_str("mean: panel | mean: lone |\n|---|");
    text.push_str(&"---|".repeat(judged.len() * 2 + 2));
    text.push('\n');
    for (n, criterion) in CRITERIA.iter().enumerate() {
        let _ = write!(text, "| {criterion} |");
        for verdict in judged {
            let (panel, lone) = verdict.scores[n];
            let _ = write!(text, " {panel} | {lone} |");
        }
        let (panel, lone) = mean(judged.iter().map(|verdict| verdict.scores[n]));
        let _ = writeln!(text, " {panel:.1} | {lone:.1} |");
    }
    let _ = write!(text, "| faults |");
    for verdict in judged {
        let _ = write!(text, " {} | {} |", verdict.faults.0, verdict.faults.1);
    }
    text.push_str(" | |\n| **verdict** |");
    for verdict in judged {
        let cell = |side: Side| {
            if verdict.prefers == side { format!("**{} %**", verdict.confidence) } else { String::new() }
        };
        let _ = write!(text, " {} | {} |", cell(Side::Panel), cell(Side::Lone));
    }
    let (panel, lone) = count(judged);
    let _ = write!(text, " **{panel}** | **{lone}** |\n\n");
    text
}

/// A figure of an effort, if it is known.
type Figure = fn(&Effort) -> Option<u64>;

fn render_efforts(round: &Round) -> String {
    let mut text = String::from("| effort | panel | lone |\n|---|---|---|\n");
    let figures: [(&str, Figure); 6] = [
        ("calls", |effort| effort.calls),
        ("tokens read", |effort| effort.input),
        ("tokens written", |effort| effort.output),
        ("words of prompts", |effort| effort.prompt_words),
        ("words of answers", |effort| effort.answer_words),
        ("words of the documents", |effort| Some(effort.document_words)),
    ];
    let shown = |figure: Option<u64>| figure.map_or("–".to_owned(), |figure| figure.to_string());
    for (name, figure) in figures {
        let _ =
            writeln!(text, "| {name} | {} | {} |", shown(figure(&round.panel)), shown(figure(&round.lone)));
    }
    text.push('\n');
    text
}

fn conclusion(all: &[JudgedVerdict]) -> String {
    if all.is_empty() {
        return "No verdicts.\n".to_owned();
    }
    let (panel, lone) = count(all);
    // How sure the judges are that the panel is better: 50 is a draw.
    let for_panel = all.iter().map(|verdict| match verdict.prefers {
        Side::Panel => f64::from(verdict.confidence),
        Side::Lone => 100.0 - f64::from(verdict.confidence),
    });
    let (sure, _) = mean(for_panel.map(|percent| (percent, 0.0)));
    let outcome = match panel.cmp(&lone) {
        std::cmp::Ordering::Greater => "The panel has the majority",
        std::cmp::Ordering::Less => "The lone designer has the majority",
        std::cmp::Ordering::Equal => "A draw",
    };
    format!("{outcome}: {panel} to {lone} verdicts; mean confidence that the panel is better: {sure:.0} %.\n")
}

/// Verdicts for the panel and for the lone designer.
fn count(judged: &[JudgedVerdict]) -> (usize, usize) {
    let panel = judged.iter().filter(|verdict| verdict.prefers == Side::Panel).count();
    (panel, judged.len() - panel)
}

fn mean_of_all(judged: &[JudgedVerdict]) -> (f64, f64) {
    mean(judged.iter().flat_map(|verdict| verdict.scores))
}

fn mean(pairs: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let (mut panel, mut lone, mut number) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        panel += a;
        lone += b;
        number += 1.0;
    }
    (panel / number, lone / number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(prefers: Label) -> Verdict {
        Verdict { scores: [(6.0, 8.0); 5], prefers, confidence: 70, faults: (3, 1) }
    }

    fn round(judged: Vec<JudgedVerdict>) -> Round {
        Round {
            name: "x".to_owned(),
            commit: "abc".to_owned(),
            judged,
            panel: Effort { calls: Some(40), document_words: 900, ..Effort::default() },
            lone: Effort { calls: Some(1), document_words: 800, ..Effort::default() },
        }
    }

    #[test]
    fn verdicts_are_turned_back() {
        let seed = (0..64).find(|seed| Order::from_seed(*seed).a == Side::Lone).unwrap();
        let turned = unblind("ada".to_owned(), &verdict(Label::A), &Order::from_seed(seed));
        assert_eq!(turned.prefers, Side::Lone);
        assert_eq!((turned.scores[0], turned.faults), ((8.0, 6.0), (1, 3)));
        let seed = (0..64).find(|seed| Order::from_seed(*seed).a == Side::Panel).unwrap();
        let kept = unblind("ada".to_owned(), &verdict(Label::A), &Order::from_seed(seed));
        assert_eq!((kept.prefers, kept.scores[0], kept.faults), (Side::Panel, (6.0, 8.0), (3, 1)));
    }

    #[test]
    fn reports_have_every_round_and_all_together() {
        let order = Order { seed: 1, a: Side::Panel, b: Side::Lone };
        let two = vec![
            unblind("ada".to_owned(), &verdict(Label::A), &order),
            unblind("bob".to_owned(), &verdict(Label::B), &order),
        ];
        let one = vec![unblind("ada".to_owned(), &verdict(Label::A), &order)];
        let text = render(&[round(two), round(one), round(Vec::new())]);
        for line in [
            "| | ada: panel | ada: lone | bob: panel | bob: lone | mean: panel | mean: lone |",
            "| correctness | 6 | 8 | 6 | 8 | 6.0 | 8.0 |",
            "| **verdict** | **70 %** |  |  | **70 %** | **1** | **1** |",
            "| calls | 40 | 1 |",
            "| tokens read | – | – |",
            "## All 3 requests",
            "| **all** | **2** | **1** | 6.0 | 8.0 |",
            "Nobody has judged yet.",
            "The panel has the majority: 2 to 1 verdicts; mean confidence that the panel is better: 57 %.",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(render(&[round(Vec::new())]).ends_with("No verdicts.\n"));
    }
}
