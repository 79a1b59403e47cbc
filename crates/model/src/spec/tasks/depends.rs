//! Who waits for whom: arrows, lists, and circles that nobody can get out of.

use super::list::TaskList;
use crate::spec::Problem;
use crate::spec::ids::{self, Id, IdKind};
use std::collections::{BTreeMap, BTreeSet};

/// The most tasks one text is taken to name. A few bytes can name a long range, so there must be an end.
const MOST: usize = 300;

/// The tasks a text names: `T001, T002`, `[1, 2]`, `T003-T005`. Other words are passed over.
pub fn ids_in(text: &str) -> impl Iterator<Item = Id> {
    let words = text.split([',', ';', ' ', '\t', '[', ']', '(', ')']);
    let ids = words.flat_map(|word| {
        let word = word.trim_matches(['*', '`', '_', '.']);
        match word.split_once(['-', '–', '…']).map(|(first, last)| (task(first), task(last))) {
            Some((Some(first), Some(last))) => between(first, last),
            _ => task(word).into_iter().collect(),
        }
    });
    ids.take(MOST)
}

fn task(word: &str) -> Option<Id> {
    if let Some(id) = Id::parse(word) {
        return (id.kind == IdKind::Task).then_some(id);
    }
    ids::number(word).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| Id::task(&number))
}

/// The tasks from one to another; both ends alone if they are not plain numbers, or too far apart to be meant.
fn between(first: Id, last: Id) -> Vec<Id> {
    match (first.number.parse::<usize>(), last.number.parse::<usize>()) {
        (Ok(from), Ok(to)) if from <= to && to - from < MOST => {
            (from..=to).map(|number| Id::task(&number.to_string())).collect()
        }
        _ => vec![first, last],
    }
}

/// The pairs of a line `T001 ---> T002 -> T003, T004`: first what comes first. `None` if it has no arrow.
pub fn arrows(line: &str) -> Option<Vec<(Id, Id)>> {
    let sides: Vec<Vec<Id>> = split_at_arrows(line)?.into_iter().map(|side| ids_in(side).collect()).collect();
    let mut pairs = Vec::new();
    for (before, after) in sides.iter().zip(&sides[1..]) {
        for first in before {
            pairs.extend(after.iter().map(|second| (first.clone(), second.clone())));
        }
    }
    Some(pairs)
}

/// The sides of `->`, `-->`, `=>`, `→` and their longer forms.
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

/// Dependencies on tasks that do not exist, and circles.
pub(in crate::spec) fn problems(list: &TaskList) -> Vec<Problem> {
    let known: BTreeSet<&Id> = list.tasks.iter().map(|task| &task.id).collect();
    let mut problems = Vec::new();
    let mut edges: BTreeMap<&Id, Vec<(&Id, usize)>> = BTreeMap::new();
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
    problems.extend(circle(&edges));
    problems
}

/// The first circle, walked without recursion so that a long chain cannot exhaust the stack.
fn circle(edges: &BTreeMap<&Id, Vec<(&Id, usize)>>) -> Option<Problem> {
    let mut finished: BTreeSet<&Id> = BTreeSet::new();
    for start in edges.keys() {
        let mut path: Vec<(&Id, usize)> = vec![(start, 0)];
        let mut on_path: BTreeSet<&Id> = BTreeSet::from([*start]);
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
                        .map(Id::to_string)
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

    fn named(ids: impl Iterator<Item = Id>) -> String {
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
            assert_eq!(named(ids_in(text)), ids, "{text}");
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
            let found = arrows(line).unwrap();
            let found: Vec<_> = found.iter().map(|(from, to)| format!("{from} {to}")).collect();
            assert_eq!(found.join(", "), pairs, "{line}");
        }
        for none in ["T001 then T002", "a > b", "<b>", ""] {
            assert_eq!(arrows(none), None, "{none}");
        }
    }

    #[test]
    fn a_megabyte_of_arrows_is_linear() {
        assert_eq!(arrows(&"->".repeat(1 << 19)).map(|pairs| pairs.len()), Some(0));
        assert_eq!(arrows(&"-".repeat(1 << 20)), None);
        assert_eq!(arrows(&"- >".repeat(1 << 18)), None);
    }
}
