//! The implementation plan: its sections, and what it must account for.
//!
//! A section that does not apply says so with its reason: `None: no data is stored`. A plan names every contested
//! decision with its reason; a revised one accounts for exactly the findings or broken scenarios it was given. The files
//! it names are checked with the specification, in [`crate::spec::check`].

use super::ids::{ItemId, ItemKind};
use crate::markdown::{MARKS, is_blank, lines, strip_decoration, trim_around};
use crate::problem::Problem;
use crate::spec::sections::{Section, Sections};
use crate::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Sections that every plan has had, in order.
pub const SECTIONS: [&str; 5] =
    ["Files to modify/create", "Approach", "Edge cases", "Failure modes", "Testing strategy"];

/// Index in [`SECTIONS`] of the section that a cosmetic or documentation change may leave out.
pub const FAILURE_MODES: usize = 3;

/// Further sections, which may say `None: reason`.
const FURTHER_SECTIONS: [&str; 6] = [
    "Interfaces and data",
    "Error handling",
    "Scenarios",
    "Order of work",
    "Roll-out and roll-back",
    "Rejected alternatives",
];

const DECISIONS: &str = "Decisions";
const MEASURE_FIRST: &str = "Measure first";
const FINDINGS_RESOLVED: &str = "Findings resolved";
const BREAKS_RESOLVED: &str = "Breaks resolved";

/// Minimum number of words of a decision with its reason.
const MIN_DECISION_WORDS: usize = 8;

/// Inputs that a plan must account for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanDuties {
    /// Numbers of the contested decisions.
    pub decisions: Vec<u32>,
    /// Accepted findings that this plan solves.
    pub accepted: Vec<ItemId>,
    /// Scenarios that broke and that this plan mends.
    pub breaks: Vec<String>,
    /// True if an investigation said that something must be measured first.
    pub measurements: bool,
}

/// A concrete case that the plan must hold for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// `S1`, `S2` and so on.
    pub id: String,
    pub text: String,
}

/// Reports missing and empty sections of the oldest form of a plan.
pub fn missing_sections(text: &str) -> Vec<Problem> {
    let needed = SECTIONS.iter().enumerate().filter(|(index, _)| *index != FAILURE_MODES);
    find_missing(&Sections::parse(text), needed.map(|(_, title)| *title), false)
}

/// Reports everything that a plan lacks: sections, decisions, and what it was asked to solve.
pub fn check_plan(text: &str, duties: &PlanDuties) -> Vec<Problem> {
    let sections = Sections::parse(text);
    let mut problems = missing_sections(text);
    problems.extend(find_missing(&sections, FURTHER_SECTIONS.into_iter(), true));
    problems.extend(unexplained_decisions(&sections, &duties.decisions));
    if duties.measurements {
        problems.extend(find_missing(&sections, [MEASURE_FIRST].into_iter(), false));
    }
    problems.extend(check_scenarios(&sections, text));
    let findings = duties.accepted.iter().map(ToString::to_string).collect();
    problems.extend(check_account(&sections, FINDINGS_RESOLVED, &findings, is_finding));
    let breaks = duties.breaks.iter().cloned().collect();
    problems.extend(check_account(&sections, BREAKS_RESOLVED, &breaks, is_scenario));
    problems
}

/// The scenarios of a plan, in order.
pub fn read_scenarios(text: &str) -> Vec<Scenario> {
    let sections = Sections::parse(text);
    let Some(section) = exact(&sections, "Scenarios") else { return Vec::new() };
    let items = items(&section).filter_map(|(_, name, rest)| {
        is_scenario(&name).then(|| Scenario { id: name.to_uppercase(), text: rest })
    });
    items.collect()
}

/// Missing and empty sections. With `may_be_none`, a bare "None" counts as empty and "None: reason" does not.
fn find_missing<'a>(
    sections: &Sections<'_>,
    titles: impl Iterator<Item = &'a str>,
    may_be_none: bool,
) -> Vec<Problem> {
    let missing = |title: &str| match sections.find(&[title]) {
        None => Some(Problem::new(1, format!("the section '{title}' is missing"))),
        Some(section) if section.body.trim().is_empty() => {
            Some(Problem::new(section.line, format!("the section '{title}' is empty")))
        }
        Some(section) if may_be_none && is_bare_none(section.body) => {
            Some(Problem::new(section.line, format!("the section '{title}' says None without a reason")))
        }
        Some(_) => None,
    };
    titles.filter_map(missing).collect()
}

fn is_bare_none(body: &str) -> bool {
    body.trim_matches(|c: char| !c.is_alphanumeric()).eq_ignore_ascii_case("none")
}

/// Decisions that the plan does not name with a reason, and names of decisions that nobody contested.
fn unexplained_decisions(sections: &Sections<'_>, decisions: &[u32]) -> Vec<Problem> {
    let section = exact(sections, DECISIONS);
    let Some(section) = section else {
        let problem = Problem::new(
            1,
            format!("the section '{DECISIONS}' is missing: name each contested decision with its reason"),
        );
        return if decisions.is_empty() { Vec::new() } else { vec![problem] };
    };
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    for (line, name, rest) in items(&section) {
        let Some(id) = ItemId::parse(&name).filter(|id| id.kind == ItemKind::Decision) else { continue };
        if !decisions.contains(&id.n) {
            problems.push(Problem::new(line, format!("{id} is not one of the contested decisions")));
        } else if !named.insert(id.n) {
            problems.push(Problem::new(line, format!("{id} is there already")));
        } else if words::count(&rest) < MIN_DECISION_WORDS {
            problems.push(Problem::new(line, format!("{id} needs what was decided and its reason")));
        }
    }
    let unnamed = decisions.iter().filter(|n| !named.contains(n));
    problems.extend(unnamed.map(|n| {
        let message =
            format!("DECISION_{n} is not named in '{DECISIONS}': expected '- DECISION_{n}: what, because …'");
        Problem::new(section.line, message)
    }));
    problems
}

/// Scenarios must be numbered, unless the section says that none apply.
fn check_scenarios(sections: &Sections<'_>, text: &str) -> Vec<Problem> {
    let Some(section) = exact(sections, "Scenarios") else { return Vec::new() };
    let says_none = section.body.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c));
    let says_none = says_none.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("none"));
    let scenarios = read_scenarios(text);
    let mut seen = BTreeSet::new();
    let twice = scenarios.iter().find(|scenario| !seen.insert(scenario.id.as_str()));
    if let Some(twice) = twice {
        return vec![Problem::new(section.line, format!("the scenario {} is there twice", twice.id))];
    }
    if !scenarios.is_empty() || says_none || section.body.trim().is_empty() {
        return Vec::new();
    }
    vec![Problem::new(section.line, "expected scenarios as '- S1: text', one line each".to_owned())]
}

/// Compares the items of a section with what it must account for: each once, and no other.
fn check_account(
    sections: &Sections<'_>,
    title: &str,
    wanted: &BTreeSet<String>,
    is_id: fn(&str) -> bool,
) -> Vec<Problem> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let Some(section) = exact(sections, title) else {
        let all: Vec<&str> = wanted.iter().map(String::as_str).collect();
        return vec![Problem::new(
            1,
            format!("the section '{title}' is missing: it accounts for {}", all.join(", ")),
        )];
    };
    let mut problems = Vec::new();
    let mut named = BTreeSet::new();
    for (line, name, rest) in items(&section) {
        let id = name.to_uppercase();
        if !is_id(&id) {
            continue;
        }
        if !wanted.contains(&id) {
            problems.push(Problem::new(line, format!("{id} is none of those that '{title}' accounts for")));
        } else if rest.is_empty() {
            problems.push(Problem::new(line, format!("{id}: say where it went")));
        }
        if !named.insert(id.clone()) {
            problems.push(Problem::new(line, format!("{id} is in '{title}' twice")));
        }
    }
    let lost = wanted.iter().filter(|id| !named.contains(*id));
    problems.extend(lost.map(|id| Problem::new(section.line, format!("{id} is missing in '{title}'"))));
    problems
}

fn is_finding(name: &str) -> bool {
    ItemId::parse(name).is_some_and(|id| id.kind == ItemKind::Finding)
}

fn is_scenario(name: &str) -> bool {
    let number = name.strip_prefix(['S', 's', 'W', 'w']).unwrap_or_default();
    number.len() <= 4 && number.parse::<u32>().is_ok_and(|n| n > 0)
}

/// A section with exactly this title.
fn exact<'a>(sections: &Sections<'a>, title: &str) -> Option<Section<'a>> {
    let found = (2..=6).flat_map(|level| sections.at_level(level));
    let plain = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    found.filter(|section| plain(section.title) == plain(title)).min_by_key(|section| section.start)
}

/// Items of a section's list: line number, name before the colon, and the text after it with the lines that follow.
fn items(section: &Section<'_>) -> impl Iterator<Item = (usize, String, String)> {
    let mut found: Vec<(usize, String, String)> = Vec::new();
    for line in lines(section.body).filter(|line| !line.fenced) {
        let stripped = strip_decoration(line.text);
        let is_nested = line.text.starts_with([' ', '\t']);
        if stripped.item.is_some() && !is_nested {
            let (name, rest) = stripped.content.split_once(':').unwrap_or((stripped.content, ""));
            let is_edge = |c| is_blank(c) || MARKS.contains(&c);
            let name = name.trim_matches(is_edge).to_owned();
            found.push((section.line + line.number, name, trim_around(rest, is_edge).to_owned()));
        } else if let Some((_, _, rest)) = found.last_mut().filter(|_| !stripped.content.is_empty()) {
            rest.push(' ');
            rest.push_str(stripped.content);
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "## Files to modify/create\n- `a.rs`\n\n### 2. **Approach**\nDo it.\n\n## Decisions\n\
        - DECISION_1: counts live in memory, because one process serves everything here.\n- **DECISION_2**: accounts are limited,\n  because the account is known there.\n- My own: a lock.\n\n\
        ## Interfaces and data\n```\n- DECISION_9: code\n```\n\n## Edge Cases:\n- none\n\n## Error handling\nNone: nothing can fail.\n\n\
        ## Scenarios\n- S1: a first use.\n- S2: a crash\n  in the middle.\n\n## Order of work\n1. a\n\n## Roll-out and roll-back\nA restart.\n\n\
        ## Rejected alternatives\n- B: slower.\n\n## Testing strategy\nAll of it.\n";

    fn messages(plan: &str, duties: &PlanDuties) -> Vec<String> {
        check_plan(plan, duties).into_iter().map(|problem| problem.message).collect()
    }

    fn duties() -> PlanDuties {
        PlanDuties { decisions: vec![1, 2], ..PlanDuties::default() }
    }

    #[test]
    fn four_sections_were_always_required() {
        let plan =
            "## Files to modify/create\n- `a.rs`\n\n### 2. **Approach**\nDo it.\n\n## Edge Cases:\n- none\n";
        let messages: Vec<String> =
            missing_sections(plan).into_iter().map(|problem| problem.message).collect();
        assert_eq!(messages, ["the section 'Testing strategy' is missing"]);
        assert_eq!(missing_sections(&format!("{plan}\n## Testing strategy\n")).len(), 1);
        assert_eq!(missing_sections(&format!("{plan}\n## Testing strategy\nAll of it.\n")), []);
        assert_eq!(missing_sections("").len(), 4);
        assert_eq!(missing_sections("```\n## Approach\nx\n```\n").len(), 4);
    }

    #[test]
    fn a_whole_plan_has_no_problem() {
        assert_eq!(messages(PLAN, &duties()), [""; 0]);
        let scenarios = read_scenarios(PLAN);
        assert_eq!(scenarios[1], Scenario { id: "S2".to_owned(), text: "a crash in the middle.".to_owned() });
    }

    #[test]
    fn every_duty_is_checked() {
        for (from, to, message) in [
            ("## Order of work\n1. a\n", "", "the section 'Order of work' is missing"),
            ("None: nothing can fail.", "None.", "the section 'Error handling' says None without a reason"),
            (
                "- DECISION_1",
                "- Something",
                "DECISION_1 is not named in 'Decisions': expected '- DECISION_1: what, because …'",
            ),
            ("- My own", "- DECISION_7", "DECISION_7 is not one of the contested decisions"),
            ("- My own: a lock", "- DECISION_2: again", "DECISION_2 is there already"),
            (
                "in memory, because one process serves everything here",
                "in memory",
                "DECISION_1 needs what was decided and its reason",
            ),
            ("- S2: a", "- S1: a", "the scenario S1 is there twice"),
            (
                "- S1: a first use.\n- S2: a crash\n  in the middle.\n",
                "Many.\n",
                "expected scenarios as '- S1: text', one line each",
            ),
        ] {
            assert!(PLAN.contains(from), "{from}");
            assert_eq!(messages(&PLAN.replace(from, to), &duties()), [message]);
        }
        let none = PLAN.replace(
            "- S1: a first use.\n- S2: a crash\n  in the middle.\n",
            "None: only a comment changes.\n",
        );
        assert_eq!(messages(&none, &duties()), [""; 0]);
        let measured = PlanDuties { measurements: true, ..duties() };
        assert_eq!(messages(PLAN, &measured), ["the section 'Measure first' is missing"]);
        let without: String = PLAN.replace("## Decisions\n", "## Other\n");
        assert_eq!(messages(&without, &duties()).len(), 1);
        assert_eq!(messages(&without, &PlanDuties::default()), [""; 0]);
    }

    #[test]
    fn a_revision_accounts_for_exactly_what_was_accepted() {
        let accepted = [1, 3].map(|n| ItemId { kind: ItemKind::Finding, n }).to_vec();
        let revised = PlanDuties { accepted, breaks: vec!["S2".to_owned()], ..duties() };
        let account = |findings: &str, breaks: &str| {
            messages(
                &format!("{PLAN}\n## Findings resolved\n{findings}\n## Breaks resolved\n{breaks}\n"),
                &revised,
            )
        };
        assert_eq!(
            account(
                "- FINDING_1: moved.\n- `FINDING_3`: gone with the rule.\n- The rest: as it was.",
                "- S2: mended."
            ),
            [""; 0]
        );
        assert_eq!(
            account("- FINDING_1: moved.", "- S2: mended."),
            ["FINDING_3 is missing in 'Findings resolved'"]
        );
        assert_eq!(
            account("- FINDING_1: moved.\n- FINDING_3: x\n- FINDING_4: y", "- S2: mended."),
            ["FINDING_4 is none of those that 'Findings resolved' accounts for"]
        );
        assert_eq!(
            account("- FINDING_1: a\n- FINDING_3:\n", "- S2: mended."),
            ["FINDING_3: say where it went"]
        );
        assert_eq!(
            account("- FINDING_1: a\n- FINDING_3: b\n- FINDING_3: c", "- S2: mended."),
            ["FINDING_3 is in 'Findings resolved' twice"]
        );
        assert_eq!(
            messages(PLAN, &revised),
            [
                "the section 'Findings resolved' is missing: it accounts for FINDING_1, FINDING_3",
                "the section 'Breaks resolved' is missing: it accounts for S2"
            ]
        );
    }
}
