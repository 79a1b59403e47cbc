//! Lines that others added since a task began, and that a merge with it would lose.
//!
//! Only files that both sides changed are looked at. Lines are counted: one that was moved is not lost.

use super::error::Result;
use super::places::Places;
use charrette_engine::ports::worktrees::{MergeOrder, ObjectId};
use charrette_model::escape::printable;
use std::collections::{BTreeMap, HashMap};

/// Maximum number of lines that are told.
const MAX_LINES: usize = 20;
/// Maximum length of a line that is told, in characters.
const MAX_LENGTH: usize = 200;

/// Lines that the merged tree lacks, each as `path: line`.
pub(super) fn lost_lines(places: &Places, order: &MergeOrder, merged: &str) -> Result<Vec<String>> {
    if order.base == order.tip {
        return Ok(Vec::new());
    }
    let theirs = changed_files(places, &order.base, &order.tip)?;
    let ours = changed_files(places, &order.base, &order.commit)?;
    let both: Vec<(&Vec<u8>, &Sides)> =
        theirs.iter().filter(|(path, sides)| ours.contains_key(*path) && sides.new.is_some()).collect();
    if both.is_empty() {
        return Ok(Vec::new());
    }
    let in_merged = |path: &[u8]| [merged.as_bytes(), b":", path].concat();
    let mut names = Vec::new();
    for (path, sides) in &both {
        let old = sides.old.as_ref().map_or_else(|| b"none".to_vec(), |id| id.clone().into_bytes());
        let new = sides.new.clone().unwrap_or_default().into_bytes();
        names.extend([old, new, in_merged(path)]);
    }
    // Where the task moved a file to.
    let new_files: Vec<&Vec<u8>> =
        ours.iter().filter(|(_, sides)| sides.old.is_none()).map(|(path, _)| path).collect();
    let split = names.len();
    let is_any_missing = both.iter().any(|(path, _)| ours[*path].new.is_none());
    if is_any_missing {
        names.extend(new_files.iter().map(|path| in_merged(path)));
    }
    let contents = places.read_objects(&names)?;
    let elsewhere: Vec<&[u8]> = contents[split..].iter().flatten().map(Vec::as_slice).collect();
    let mut lost = Vec::new();
    for ((path, _), contents) in both.iter().zip(contents[..split].chunks(3)) {
        let [old, new, merged] = contents else { continue };
        let (old, new) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
        if new.contains(&0) {
            continue;
        }
        let merged: Vec<&[u8]> = match merged {
            Some(merged) => vec![merged],
            None => elsewhere.clone(),
        };
        let path = String::from_utf8_lossy(path);
        for line in missing_lines(old, new, &merged) {
            let text: String = String::from_utf8_lossy(line).trim_end().chars().take(MAX_LENGTH).collect();
            lost.push(format!("{}: {}", printable(&path), printable(&text)));
        }
    }
    lost.truncate(MAX_LINES);
    Ok(lost)
}

/// Objects of a file before and after.
#[derive(Debug)]
struct Sides {
    old: Option<ObjectId>,
    new: Option<ObjectId>,
}

/// Files that differ between two commits, by path.
fn changed_files(places: &Places, from: &str, to: &str) -> Result<BTreeMap<Vec<u8>, Sides>> {
    let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to];
    let output = places.git().bytes(&args)?;
    let mut fields = output.split(|byte| *byte == 0);
    let mut files = BTreeMap::new();
    while let (Some(facts), Some(path)) = (fields.next(), fields.next()) {
        let facts = String::from_utf8_lossy(facts);
        let facts: Vec<&str> = facts.split(' ').collect();
        let [old_mode, mode, old, new, _] = facts[..] else { continue };
        let file = |mode: &str, id: &str| mode.ends_with(['4', '5']).then(|| id.to_owned());
        files.insert(path.to_vec(), Sides { old: file(old_mode, old), new: file(mode, new) });
    }
    Ok(files)
}

/// Lines that were added from `old` to `new` and that the merged files do not have as often, in their order.
fn missing_lines<'a>(old: &[u8], new: &'a [u8], merged: &[&[u8]]) -> Vec<&'a [u8]> {
    let (old, mut kept) = (count_lines(&[old]), count_lines(merged));
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    let mut missing = Vec::new();
    for line in lines(new) {
        let count = seen.entry(line).or_insert(0);
        *count += 1;
        let is_added = *count > old.get(line).copied().unwrap_or(0);
        if !is_added {
            continue;
        }
        match kept.get_mut(line) {
            Some(left) if *left > 0 => *left -= 1,
            _ => missing.push(line),
        }
    }
    missing
}

fn count_lines<'a>(texts: &[&'a [u8]]) -> HashMap<&'a [u8], usize> {
    let mut counts = HashMap::new();
    for line in texts.iter().flat_map(|text| lines(text)) {
        *counts.entry(line).or_insert(0) += 1;
    }
    counts
}

/// Lines with something in them, without line ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|byte| *byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_added_lines_that_are_not_there_are_missing() {
        let missing = |old: &str, new: &str, merged: &str| -> Vec<String> {
            let missing = missing_lines(old.as_bytes(), new.as_bytes(), &[merged.as_bytes()]);
            missing.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
        };
        assert_eq!(missing("a\n", "a\nb\n", "a\nb\nc\n"), Vec::<String>::new());
        assert_eq!(missing("a\n", "a\nb\nc\n", "a\nc\n"), ["b"]);
        assert_eq!(missing("}\n", "}\nb\n}\n", "b\n}\n"), Vec::<String>::new());
        assert_eq!(missing("a\n", "b\na\n\n", "b\r\n"), Vec::<String>::new());
        assert_eq!(missing("", "x\nx\n", "x\n"), ["x"]);
    }
}
