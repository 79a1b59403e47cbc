//! Dependencies between tasks: lists, arrows and cycles.

use super::list::TaskList;
use crate::spec::Problem;
use crate::spec::ids::{self, IdKind, SpecId};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of tasks named by one text. A few bytes can name a long range.
const MAX_IDS: usize = 300;

/// Parses the tasks a text names: `T001, T002`, `[1, 2]`, `T003-T005`. Other words are skipped.
pub fn parse_task_ids(text: &str) -> impl Iterator<Item = SpecId> {
    let words = text.split([',', ';', ' ', '\t', '[', ']', '(', ')']);
    let ids = words.flat_map(|word| {
        let word = word.trim_matches(['*', '`', '_', '.']);
        match word
            .split_once(['-', '–', '…'])
            .map(|(first, last)| (parse_task_id(first), parse_task_id(last)))
        {
            Some((Some(first), Some(last))) => expand_range(first, last),
            _ => parse_task_id(word).into_iter().collect(),
        }
    });
    ids.take(MAX_IDS)
}

fn parse_task_id(word: &str) -> Option<SpecId> {
    if let Some(id) = SpecId::parse(word) {
        return (id.kind == IdKind::Task).then_some(id);
    }
    ids::parse_number(word).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| SpecId::task(&number))
}

/// The tasks of a range; only both ends if they are not plain numbers, or further apart than [`MAX_IDS`].
fn expand_range(first: SpecId, last: SpecId) -> Vec<SpecId> {
    match (first.number.parse::<usize>(), last.number.parse::<usize>()) {
        (Ok(from), Ok(to)) if from <= to && to - from < MAX_IDS => {
            (from..=to).map(|number| SpecId::task(&number.to_string())).collect()
        }
        _ => vec![first, last],
    }
}

/// Parses a line `T001 ---> T002 -> T003, T004` into pairs of prerequisite and dependent. None without an
/// arrow.
pub fn parse_arrows(line: &str) -> Option<Vec<(SpecId, SpecId)>> {
    let sides: Vec<Vec<SpecId>> =
        split_at_arrows(line)?.into_iter().map(|side| parse_task_ids(side).collect()).collect();
    let mut pairs = Vec::new();
    for (before, after) in sides.iter().zip(&sides[1..]) {
        for first in before {
            pairs.extend(after.iter().map(|second| (first.clone(), second.clone())));
        }
    }
    Some(pairs)
}

/// Splits at `->`, `-->`, `=>`, `→` and their longer forms.
fn split_at_arrows(line: &str) -> Option<Vec<&str>> {
    let mut sides = Vec::new();
    let mut start = 0;
    for (at, head) in line.match_indices(['>', '→']) {
        let shaft = line[start..at].trim_end_matches(['-', '=', '─', '.']);
        if head == ">" && shaft.len() == at - start {
            continue;
        }
        sides.push(shaft);
        start = at + head.len();
    }
    if sides.is_empty() {
        return None;
    }
    sides.push(&line[start..]);
    Some(sides)
}

/// Reports dependencies on unknown tasks, and the first cycle.
pub(in crate::spec) fn problems(list: &TaskList) -> Vec<Problem> {
    let known: BTreeSet<&SpecId> = list.tasks.iter().map(|task| &task.id).collect();
    let mut problems = Vec::new();
    let mut edges: BTreeMap<&SpecId, Vec<(&SpecId, usize)>> = BTreeMap::new();
    for task in &list.tasks {
        for (id, line) in &task.depends_on {
            if known.contains(id) {
                edges.entry(&task.id).or_default().push((id, *line));
            } else {
                problems
                    .push(Problem::new(*line, format!("{} depends on {id}, which does not exist", task.id)));
            }
        }
    }
    problems.extend(find_cycle(&edges));
    problems
}

/// The first cycle; iterative, so that a long chain cannot exhaust the stack.
fn find_cycle(edges: &BTreeMap<&SpecId, Vec<(&SpecId, usize)>>) -> Option<Problem> {
    let mut finished: BTreeSet<&SpecId> = BTreeSet::new();
    for start in edges.keys() {
        let mut path: Vec<(&SpecId, usize)> = vec![(start, 0)];
        let mut on_path: BTreeSet<&SpecId> = BTreeSet::from([*start]);
        while let Some((id, next)) = path.last_mut() {
            let (id, edge) = (*id, edges.get(id).and_then(|targets| targets.get(*next)));
            *next += 1;
            match edge {
                None => {
                    finished.insert(id);
                    on_path.remove(id);
                    path.pop();
                }
                Some((target, line)) if on_path.contains(target) => {
                    let mut names: Vec<String> = path
                        .iter()
                        .map(|(id, _)| *id)
                        .skip_while(|id| id != target)
                        .map(SpecId::to_string)
                        .collect();
                    names.push(target.to_string());
                    return Some(Problem::new(
                        *line,
                        format!("Dependency cycle detected: {}", names.join(" -> ")),
                    ));
                }
                Some((target, _)) if finished.contains(target) => {}
                Some((target, _)) => {
                    on_path.insert(target);
                    path.push((target, 0));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(ids: impl Iterator<Item = SpecId>) -> String {
        ids.map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_name_tasks_by_id_number_and_range() {
        for (text, ids) in [
            ("T001, T002", "T001 T002"),
            ("[1, 2]", "T001 T002"),
            ("1", "T001"),
            ("T003-T005", "T003 T004 T005"),
            ("T005-T003", "T005 T003"),
            ("T001-T99999999999", "T001 T99999999999"),
            ("none", ""),
            ("T001 (parser), US1", "T001"),
            ("`T001`, **T002**.", "T001 T002"),
            ("", ""),
        ] {
            assert_eq!(named(parse_task_ids(text)), ids, "{text}");
        }
    }

    #[test]
    fn arrows_point_from_what_comes_first() {
        for (line, pairs) in [
            ("T001 ---> T002", "T001 T002"),
            ("T001 -> T002 --> T003", "T001 T002, T002 T003"),
            ("T001, T002 => T003", "T001 T003, T002 T003"),
            ("T001 → T002, T003", "T001 T002, T001 T003"),
            ("T001 ──> T002", "T001 T002"),
            ("T001-->T002", "T001 T002"),
            ("     \\--> T003", ""),
        ] {
            let found = parse_arrows(line).unwrap();
            let found: Vec<_> = found.iter().map(|(from, to)| format!("{from} {to}")).collect();
            assert_eq!(found.join(", "), pairs, "{line}");
        }
        for none in ["T001 then T002", "a > b", "<b>", ""] {
            assert_eq!(parse_arrows(none), None, "{none}");
        }
    }

    #[test]
    fn a_megabyte_of_arrows_is_linear() {
        assert_eq!(parse_arrows(&"->".repeat(1 << 19)).map(|pairs| pairs.len()), Some(0));
        assert_eq!(parse_arrows(&"-".repeat(1 << 20)), None);
        assert_eq!(parse_arrows(&"- >".repeat(1 << 18)), None);
    }
}
