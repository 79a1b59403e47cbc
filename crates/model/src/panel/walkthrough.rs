//! Walk-throughs: scenarios traced through the plan step by step, each with its outcome.
//!
//! ```text
//! ### S4: four threads at the last token
//! 1. Four threads ask the same bucket (deploy/service.toml:5).
//! 2. `take` refills and takes under one lock (Approach).
//! HOLDS
//! ```
//!
//! The last line of a scenario is `HOLDS` or `BREAKS at step 2: why`; a walker that is no model writes `NOT TRACED`, because it
//! only looks up paths and tests. A walker adds scenarios that the plan does not list
//! as `W1`, `W2` and so on. The scenarios of a plan are read in [`super::plan`].

use super::plan::Scenario;
use crate::markdown::{Line, MARKS, flat, heading, is_blank, lines, strip_decoration, trim_around};
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Outcome of a scenario that no model walked through.
pub const NOT_TRACED: &str = "NOT TRACED";

/// Minimum number of steps of a scenario.
const MIN_STEPS: usize = 2;

/// A scenario with its steps and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkedScenario {
    /// `S4`, or `W1` for a scenario of the walker's own.
    pub id: String,
    pub title: String,
    pub steps: Vec<String>,
    pub outcome: WalkResult,
}

/// Outcome of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WalkResult {
    Holds,
    /// Nobody traced it; what it names exists.
    Untraced,
    Breaks {
        /// Number of the step, as written.
        step: usize,
        why: String,
    },
}

impl WalkResult {
    pub fn is_break(&self) -> bool {
        matches!(self, WalkResult::Breaks { .. })
    }
}

/// Splits scenarios between two walkers, alternately.
pub fn assign_scenarios(scenarios: &[Scenario]) -> [Vec<Scenario>; 2] {
    let every_other = |first: usize| scenarios.iter().skip(first).step_by(2).cloned().collect();
    [every_other(0), every_other(1)]
}

/// Gives the walkers' own scenarios names that differ: the `W1` of a second walker becomes the next free number.
pub fn name_apart(walks: &mut [Vec<WalkedScenario>]) {
    let mut taken: HashSet<String> = HashSet::new();
    for scenario in walks.iter_mut().flatten() {
        let is_own = scenario.id.starts_with('W');
        let mut n = 1;
        while is_own && taken.contains(&scenario.id) {
            scenario.id = format!("W{n}");
            n += 1;
        }
        taken.insert(scenario.id.clone());
    }
}

/// Writes scenarios in the form of a plan's list.
pub fn write_scenarios(scenarios: &[Scenario]) -> String {
    scenarios.iter().fold("## Scenarios\n".to_owned(), |mut text, scenario| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {}: {}", scenario.id, flat(&scenario.text));
        text
    })
}

/// Parses a walk-through and checks that every assigned scenario has steps and an outcome.
pub fn read_walkthrough(text: &str, assigned: &[&str]) -> (Vec<WalkedScenario>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut walked: Vec<WalkedScenario> = Vec::new();
    let mut seen = HashSet::new();
    for section in sections(text) {
        if !seen.insert(section.id.clone()) {
            problems.push(Problem::new(section.line, format!("{} is there already", section.id)));
            continue;
        }
        walked.extend(section.read(&mut problems));
    }
    for id in assigned {
        if !seen.contains(*id) {
            problems
                .push(Problem::new(1, format!("the scenario {id} is missing: expected '### {id}: title'")));
        }
    }
    if seen.is_empty() && assigned.is_empty() {
        problems
            .push(Problem::new(1, "expected '### S1: title' with numbered steps and an outcome below it"));
    }
    (walked, problems)
}

/// A scenario's lines, before they are understood.
struct Section<'a> {
    id: String,
    title: &'a str,
    line: usize,
    lines: Vec<Line<'a>>,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut is_open = false;
    for line in lines(text) {
        let head = if line.fenced { None } else { heading(line.text) };
        match head.map(|(_, title)| scenario_head(title)) {
            Some(Some((id, title))) => {
                sections.push(Section { id, title, line: line.number, lines: Vec::new() });
                is_open = true;
            }
            Some(None) => is_open = false,
            None => {
                if let Some(section) = sections.last_mut().filter(|_| is_open) {
                    section.lines.push(line);
                }
            }
        }
    }
    sections
}

/// Id and title of a heading such as `S4: four threads`.
fn scenario_head(title: &str) -> Option<(String, &str)> {
    let is_mark = |c| is_blank(c) || MARKS.contains(&c);
    let opening = &title[..title.len() - title.trim_start_matches(is_mark).len()];
    let title = title[opening.len()..].trim_end_matches(is_blank);
    // What opened before the name closes at the end.
    let title = if opening.is_empty() { title } else { title.trim_end_matches(MARKS) };
    let (name, rest) = title.split_once([':', ' ']).unwrap_or((title, ""));
    let id = name.trim_end_matches(|c| MARKS.contains(&c)).to_ascii_uppercase();
    let number = id.strip_prefix(['S', 'W'])?;
    let is_id = number.len() <= 4 && number.parse::<u32>().is_ok_and(|n| n > 0);
    let is_rest = |c: char| is_blank(c) || MARKS.contains(&c) || matches!(c, ':' | '-' | '–' | '—');
    is_id.then(|| (id.clone(), trim_around(rest, is_rest)))
}

impl Section<'_> {
    fn read(&self, problems: &mut Vec<Problem>) -> Option<WalkedScenario> {
        let id = &self.id;
        let filled: Vec<&Line<'_>> =
            self.lines.iter().filter(|line| !line.text.trim_matches(is_blank).is_empty()).collect();
        let outcome = filled.last().and_then(|line| outcome(line.text));
        let steps: Vec<String> =
            filled.iter().filter(|line| !line.fenced).filter_map(|line| numbered(line.text)).collect();
        if steps.len() < MIN_STEPS {
            let message = format!("{id} has {} numbered steps; expected at least {MIN_STEPS}", steps.len());
            problems.push(Problem::new(self.line, message));
        }
        let Some(outcome) = outcome else {
            let line = filled.last().map_or(self.line, |line| line.number);
            let message = format!("the last line of {id} must be 'HOLDS' or 'BREAKS at step N: why'");
            problems.push(Problem::new(line, message));
            return None;
        };
        if let WalkResult::Breaks { step, .. } = outcome
            && step > steps.len()
        {
            let message = format!("{id} breaks at step {step}, but has {} steps", steps.len());
            problems.push(Problem::new(self.line, message));
        }
        let title = if self.title.is_empty() { id.as_str() } else { self.title };
        Some(WalkedScenario { id: id.clone(), title: flat(title), steps, outcome })
    }
}

/// Text of a numbered line.
fn numbered(line: &str) -> Option<String> {
    let line = line.trim_start_matches(is_blank);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(['.', ')'])?.trim_matches(is_blank);
    (digits > 0 && !rest.is_empty()).then(|| rest.to_owned())
}

/// Outcome in a line of its own.
fn outcome(line: &str) -> Option<WalkResult> {
    let line = strip_decoration(line).content;
    let line = line.trim_matches(|c| is_blank(c) || MARKS.contains(&c));
    let line = line.strip_prefix("Outcome:").map_or(line, |rest| rest.trim_start_matches(is_blank));
    if line.trim_end_matches('.').eq_ignore_ascii_case("HOLDS") {
        return Some(WalkResult::Holds);
    }
    if line.trim_end_matches('.').eq_ignore_ascii_case(NOT_TRACED) {
        return Some(WalkResult::Untraced);
    }
    let rest = line.strip_prefix("BREAKS").or_else(|| line.strip_prefix("Breaks"))?;
    let (at, why) = rest.split_once(':').or_else(|| rest.split_once('—'))?;
    let step = at.split(|c: char| !c.is_ascii_digit()).find(|word| !word.is_empty())?.parse().ok()?;
    let why = flat(trim_around(why, |c| is_blank(c) || MARKS.contains(&c)));
    (step > 0 && !why.is_empty()).then_some(WalkResult::Breaks { step, why })
}

/// Writes broken scenarios with their steps, for whoever mends them.
pub fn write_breaks(broken: &[&WalkedScenario]) -> String {
    let mut text = String::new();
    for WalkedScenario { id, title, steps, outcome } in broken {
        let WalkResult::Breaks { step, why } = outcome else { continue };
        let _ = writeln!(text, "### {id}: {title}");
        for (n, step) in (1..).zip(steps) {
            let _ = writeln!(text, "{n}. {step}");
        }
        let _ = writeln!(text, "BREAKS at step {step}: {why}\n");
    }
    text
}

/// Ids of the scenarios in a file of broken ones.
pub fn read_breaks(text: &str) -> Vec<String> {
    read_walkthrough(text, &[]).0.into_iter().map(|scenario| scenario.id).collect()
}

/// Summary of a walk-through: how many scenarios hold, were not traced, broke, and still break.
pub fn summarise_walks(first: &[WalkedScenario], second: &[WalkedScenario], still_broken: usize) -> String {
    let count = |walks: &[WalkedScenario], is: fn(&WalkResult) -> bool| {
        walks.iter().filter(|scenario| is(&scenario.outcome)).count()
    };
    let is_untraced = |outcome: &WalkResult| *outcome == WalkResult::Untraced;
    let (walked, broken) = (first.len(), count(first, WalkResult::is_break));
    let (untraced, untraced_again) = (count(first, is_untraced), count(second, is_untraced));
    let left = match (broken, untraced) {
        (0, 0) => return format!("{walked} scenarios hold"),
        (0, untraced) if untraced == walked => {
            return format!(
                "{walked} scenarios not traced, because no model walked them (paths and tests exist)"
            );
        }
        (0, untraced) => return format!("{} scenarios hold, {untraced} not traced", walked - untraced),
        (_, 0) => String::new(),
        (_, untraced) => format!(", {untraced} not traced"),
    };
    match (broken, still_broken) {
        (broken, 0) if untraced_again > 0 => {
            format!(
                "{walked} scenarios, {broken} broke, {untraced_again} not traced since the plan was changed{left}"
            )
        }
        (1, 0) => format!("{walked} scenarios, 1 broke and was mended{left}"),
        (broken, 0) => format!("{walked} scenarios, {broken} broke and were mended{left}"),
        (broken, still) => format!("{walked} scenarios, {broken} broke, {still} still break{left}"),
    }
}

/// Writes the record of a walk-through: each scenario with its outcome, and that of the second walk if there was one.
pub fn write_record(first: &[WalkedScenario], second: &[WalkedScenario]) -> String {
    if first.is_empty() {
        return "No scenario was walked through.\n".to_owned();
    }
    let mut table = String::from("| Scenario | Outcome |\n|---|---|\n");
    for WalkedScenario { id, title, outcome, .. } in first {
        let again = second.iter().find(|scenario| scenario.id == *id).map(|scenario| &scenario.outcome);
        let outcome = match (outcome, again) {
            (WalkResult::Holds, _) => "holds".to_owned(),
            (WalkResult::Untraced, _) => "not traced (paths and tests exist)".to_owned(),
            (WalkResult::Breaks { why, .. }, Some(WalkResult::Untraced)) => {
                format!("broke, and was not traced since the plan was changed: {why}")
            }
            (WalkResult::Breaks { why, .. }, Some(WalkResult::Holds)) => {
                format!("broke, and holds since the plan was changed: {why}")
            }
            (WalkResult::Breaks { .. }, Some(WalkResult::Breaks { why, .. })) => {
                format!("still breaks: {why}")
            }
            (WalkResult::Breaks { why, .. }, None) => format!("broke, and was not walked again: {why}"),
        };
        let cell = |text: &str| flat(text).replace('|', "\\|");
        let _ = writeln!(table, "| {id}: {} | {} |", cell(title), cell(&outcome));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WALK: &str = "Some words first.\n\n### S1: first use\n1. It starts (src/a.rs:1).\n2) It asks.\n\n**HOLDS**\n\n\
                        ## **S4 – a crash**\n1. It dies.\n2. It starts again.\n   and reads\n3. It asks.\n```\nHOLDS\n```\n\
                        BREAKS at step 2: the lock is still there.\n\n### W1: two at once\n1. a\n2. b\nOutcome: HOLDS.\n\n## Notes\nHOLDS\n";

    #[test]
    fn code_in_a_title_stays() {
        for (title, expected) in [
            ("S8: `http2=True`, a POST", "`http2=True`, a POST"),
            ("S8: a POST over `h2`", "a POST over `h2`"),
            ("**S8: a POST**", "a POST"),
            ("**S8**: a POST", "a POST"),
            ("S8 - a POST", "a POST"),
        ] {
            assert_eq!(scenario_head(title), Some(("S8".to_owned(), expected)), "{title}");
        }
    }

    #[test]
    fn own_scenarios_of_two_walkers_have_different_names() {
        let walked = |id: &str| WalkedScenario {
            id: id.to_owned(),
            title: String::new(),
            steps: Vec::new(),
            outcome: WalkResult::Holds,
        };
        let mut walks = [vec![walked("S1"), walked("W1")], vec![walked("S2"), walked("W1"), walked("W2")]];
        name_apart(&mut walks);
        let ids: Vec<&str> = walks.iter().flatten().map(|walk| walk.id.as_str()).collect();
        assert_eq!(ids, ["S1", "W1", "S2", "W2", "W3"]);
    }

    #[test]
    fn scenarios_are_read_with_their_outcome() {
        let (walked, problems) = read_walkthrough(WALK, &["S1", "S4"]);
        assert_eq!(problems, []);
        let ids: Vec<&str> = walked.iter().map(|scenario| scenario.id.as_str()).collect();
        assert_eq!(ids, ["S1", "S4", "W1"]);
        assert_eq!(walked[1].title, "a crash");
        assert_eq!(walked[1].steps.len(), 3);
        let why = "the lock is still there.".to_owned();
        assert_eq!(walked[1].outcome, WalkResult::Breaks { step: 2, why });
        assert!(!walked[0].outcome.is_break() && !walked[2].outcome.is_break());
    }

    #[test]
    fn what_nobody_traced_does_not_hold() {
        let (untraced, problems) = read_walkthrough("### S1: x\n1. a\n2. b\nNOT TRACED\n", &["S1"]);
        assert_eq!(problems, []);
        assert_eq!(untraced[0].outcome, WalkResult::Untraced);
        let (held, _) = read_walkthrough("### S2: x\n1. a\n2. b\nHOLDS\n", &[]);
        let (broken, _) = read_walkthrough("### S3: x\n1. a\n2. b\nBREAKS at step 1: c\n", &[]);
        let (again, _) = read_walkthrough("### S3: x\n1. a\n2. b\nNOT TRACED\n", &[]);
        let record = write_record(&[untraced.clone(), broken.clone()].concat(), &again);
        assert!(record.contains("| S1: x | not traced (paths and tests exist) |\n"), "{record}");
        assert!(
            record.contains("| S3: x | broke, and was not traced since the plan was changed: c |\n"),
            "{record}"
        );
        for (first, second, still_broken, summary) in [
            (held.clone(), vec![], 0, "1 scenarios hold"),
            (
                untraced.clone(),
                vec![],
                0,
                "1 scenarios not traced, because no model walked them (paths and tests exist)",
            ),
            ([untraced.clone(), held.clone()].concat(), vec![], 0, "1 scenarios hold, 1 not traced"),
            (
                [untraced.clone(), broken.clone()].concat(),
                vec![],
                1,
                "2 scenarios, 1 broke, 1 still break, 1 not traced",
            ),
            (
                [broken.clone(), held].concat(),
                again,
                0,
                "2 scenarios, 1 broke, 1 not traced since the plan was changed",
            ),
        ] {
            assert_eq!(summarise_walks(&first, &second, still_broken), summary);
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        for (text, assigned, message) in [
            ("", &["S1"][..], "the scenario S1 is missing: expected '### S1: title'"),
            ("", &[][..], "expected '### S1: title' with numbered steps and an outcome below it"),
            (
                "### S1: x\n1. a\n2. b\nIt HOLDS as far as I can see\n",
                &["S1"][..],
                "the last line of S1 must be 'HOLDS' or 'BREAKS at step N: why'",
            ),
            ("### S1: x\n1. a\nHOLDS\n", &["S1"][..], "S1 has 1 numbered steps; expected at least 2"),
            (
                "### S1: x\n1. a\n2. b\nBREAKS at step 5: no\n",
                &["S1"][..],
                "S1 breaks at step 5, but has 2 steps",
            ),
            (
                "### S1: x\n1. a\n2. b\nBREAKS at step 1:\n",
                &["S1"][..],
                "the last line of S1 must be 'HOLDS' or 'BREAKS at step N: why'",
            ),
            ("### S1: x\n1. a\n2. b\nHOLDS\n### S1: y\nHOLDS\n", &["S1"][..], "S1 is there already"),
        ] {
            let messages: Vec<String> =
                read_walkthrough(text, assigned).1.into_iter().map(|problem| problem.message).collect();
            assert_eq!(messages, [message], "{text}");
        }
    }

    #[test]
    fn scenarios_are_dealt_to_two_walkers() {
        let scenario = |id: &str| Scenario { id: id.to_owned(), text: "t".to_owned() };
        let all = ["S1", "S2", "S3"].map(scenario);
        let ids = |walker: &[Scenario]| walker.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        let [first, second] = assign_scenarios(&all);
        assert_eq!(
            (ids(&first), ids(&second)),
            (vec!["S1".to_owned(), "S3".to_owned()], vec!["S2".to_owned()])
        );
        assert_eq!(super::super::plan::read_scenarios(&write_scenarios(&all)), all);
    }

    #[test]
    fn breaks_are_written_and_read_again() {
        let (walked, _) = read_walkthrough(WALK, &[]);
        let broken: Vec<&WalkedScenario> = walked.iter().filter(|one| one.outcome.is_break()).collect();
        let text = write_breaks(&broken);
        assert_eq!(read_breaks(&text), ["S4"]);
        assert_eq!(read_walkthrough(&text, &["S4"]).1, []);
        let mended = WalkedScenario { outcome: WalkResult::Holds, ..walked[1].clone() };
        let record = write_record(&walked, &[mended]);
        assert!(record.contains("| S1: first use | holds |\n"), "{record}");
        assert!(
            record.contains("| S4: a crash | broke, and holds since the plan was changed: the lock"),
            "{record}"
        );
        assert!(write_record(&walked, &[walked[1].clone()]).contains("still breaks"));
        assert!(write_record(&walked, &[]).contains("was not walked again"));
        assert_eq!(write_record(&[], &[]), "No scenario was walked through.\n");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(### [SW][0-9]: x\n|[0-9]\\. a\n|HOLDS\n|BREAKS at step 1: b\n|```\n|\\PC{0,20}\n){0,30}") {
            let (walked, _) = read_walkthrough(&text, &["S1"]);
            prop_assert!(walked.len() <= text.matches('#').count());
        }
    }
}
