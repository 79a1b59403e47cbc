//! The verdict of a judge: scores for both sides, the worst faults, the winner and how sure the judge is.

use charrette_model::markdown::{lines, parse_label};

/// Criteria, in the order of the reports.
pub(super) const CRITERIA: [&str; 5] = ["correctness", "completeness", "security", "buildability", "clarity"];

/// A verdict about the blind sides.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    /// Scores of A and B, from 0 to 10, for each of [`CRITERIA`].
    pub(super) scores: [(f64, f64); 5],
    pub(super) prefers: Label,
    /// Certainty, from 50 to 100 percent.
    pub(super) confidence: u8,
    /// Numbers of faults found in A and in B.
    pub(super) faults: (usize, usize),
}

/// Name of a blind side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    A,
    B,
}

/// Parses a verdict. Decoration is forgiven; what is missing or impossible is named.
pub(super) fn parse(text: &str) -> Result<Verdict, Vec<String>> {
    let mut errors = Vec::new();
    let mut scores = [(0.0, 0.0); 5];
    for (score, criterion) in scores.iter_mut().zip(CRITERIA) {
        match find_scores(text, criterion) {
            Ok(found) => *score = found,
            Err(error) => errors.push(error),
        }
    }
    let prefers = label(text, "verdict").and_then(|value| match value.trim_matches(['*', '`', ' ', '.']) {
        "A" | "a" => Ok(Label::A),
        "B" | "b" => Ok(Label::B),
        other => Err(format!("verdict is '{other}', not A or B")),
    });
    let confidence = label(text, "confidence").and_then(|value| {
        let digits: String =
            value.trim_start_matches(['*', '`', ' ']).chars().take_while(char::is_ascii_digit).collect();
        let percent = digits.parse::<u8>().ok().filter(|percent| (50..=100).contains(percent));
        percent.ok_or_else(|| format!("confidence is '{}', not 50 to 100", value.trim()))
    });
    match (prefers, confidence) {
        (Ok(prefers), Ok(confidence)) if errors.is_empty() => Ok(Verdict {
            scores,
            prefers,
            confidence,
            faults: (count_faults(text, "a"), count_faults(text, "b")),
        }),
        (prefers, confidence) => {
            errors.extend(prefers.err());
            errors.extend(confidence.err());
            Err(errors)
        }
    }
}

/// Scores of a row `| correctness | 7 | 8.5 |`; the last such row counts.
fn find_scores(text: &str, criterion: &str) -> Result<(f64, f64), String> {
    let row = lines(text).filter(|line| line.text.trim_start().starts_with('|')).filter_map(|line| {
        let cells: Vec<&str> = line.text.trim().trim_matches('|').split('|').map(plain).collect();
        let names = cells.first().is_some_and(|name| name.to_lowercase().starts_with(criterion));
        names.then(|| {
            (
                cells.get(1).copied().unwrap_or_default().to_owned(),
                cells.get(2).copied().unwrap_or_default().to_owned(),
            )
        })
    });
    let (a, b) = row.last().ok_or_else(|| format!("no row for {criterion}"))?;
    let score = |cell: &str| {
        let number = cell.split('/').next().unwrap_or_default().trim().replace(',', ".");
        number.parse::<f64>().ok().filter(|score| (0.0..=10.0).contains(score))
    };
    score(&a).zip(score(&b)).ok_or_else(|| format!("{criterion} has the scores '{a}' and '{b}', not 0 to 10"))
}

fn plain(cell: &str) -> &str {
    cell.trim_matches(|c: char| c == '*' || c == '`' || c == '_' || c.is_whitespace())
}

/// Value of the last line with that label, outside of code.
fn label<'a>(text: &'a str, name: &str) -> Result<&'a str, String> {
    let found = lines(text).filter_map(|line| {
        let line = line.text.trim_start_matches(['>', '#', ' ']);
        parse_label(line).filter(|(label, _)| label == name).map(|(_, value)| value)
    });
    found.last().ok_or_else(|| format!("no line {}:", name.to_uppercase()))
}

/// List items below the heading `Faults of A`.
fn count_faults(text: &str, side: &str) -> usize {
    let mut is_inside = false;
    let mut faults = 0;
    for line in lines(text) {
        let line = line.text;
        if line.starts_with('#') {
            is_inside = line.trim_matches(['#', ' ', '*']).to_lowercase() == format!("faults of {side}");
        } else if is_inside
            && (line.starts_with("- ")
                || line.starts_with("* ")
                || line.starts_with(|c: char| c.is_ascii_digit()))
        {
            faults += 1;
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Verdict\n\n| criterion | A | B |\n|---|---|---|\n| correctness | 7 | 8.5 |\n| **Completeness** | 6,5 | 8/10 |\n| security | 5 | 7 |\n| buildability | 6 | 8 |\n| clarity | 6 | 8 |\n\n## Faults of A\n\n- [critical] x\n- [minor] y\n\n## Faults of B\n\n1. [major] z\n\n**VERDICT:** B\nCONFIDENCE: 72 %\n";

    #[test]
    fn a_verdict_is_read() {
        let verdict = parse(GOOD).unwrap();
        assert_eq!(verdict.scores, [(7.0, 8.5), (6.5, 8.0), (5.0, 7.0), (6.0, 8.0), (6.0, 8.0)]);
        assert_eq!((verdict.prefers, verdict.confidence, verdict.faults), (Label::B, 72, (2, 1)));
    }

    #[test]
    fn what_is_missing_or_impossible_is_named() {
        for (from, to, error) in [
            ("| security | 5 | 7 |\n", "", "no row for security"),
            (
                "| clarity | 6 | 8 |",
                "| clarity | 6 | 11 |",
                "clarity has the scores '6' and '11', not 0 to 10",
            ),
            ("**VERDICT:** B", "VERDICT: A or B", "verdict is 'A or B', not A or B"),
            ("**VERDICT:** B\n", "", "no line VERDICT:"),
            ("72 %", "40", "confidence is '40', not 50 to 100"),
            ("CONFIDENCE: 72 %\n", "", "no line CONFIDENCE:"),
        ] {
            let text = GOOD.replace(from, to);
            assert_ne!(text, GOOD, "{from}");
            assert_eq!(parse(&text), Err(vec![error.to_owned()]));
        }
    }
}
