//! Finds the section of a document that an edit names by its heading, alone or below its parents.

use crate::escape::printable;
use crate::markdown::{flat, heading, list_marker, trimmed};
use crate::spec::sections::{Section, Sections};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Most headings in a message.
const LISTED_HEADINGS: usize = 40;
/// Most headings that are compared to find the nearest one, and most characters of each.
const COMPARED_HEADINGS: usize = 200;
const COMPARED_CHARS: usize = 60;

/// The sections of a document as a tree.
pub(super) struct Headings<'a> {
    pub(super) sections: Vec<Section<'a>>,
    /// Index of the section around each one.
    parents: Vec<Option<usize>>,
    by_title: HashMap<String, Vec<usize>>,
    by_loose_title: HashMap<String, Vec<usize>>,
}

/// Why a heading names no section.
pub(super) enum Miss {
    Unknown,
    Ambiguous(Vec<usize>),
}

impl<'a> Headings<'a> {
    pub(super) fn parse(text: &'a str) -> Headings<'a> {
        let sections: Vec<Section<'a>> = Sections::parse(text).all().collect();
        let mut parents = Vec::with_capacity(sections.len());
        let mut around: Vec<usize> = Vec::new();
        let (mut by_title, mut by_loose_title) = (HashMap::new(), HashMap::new());
        for (index, section) in sections.iter().enumerate() {
            while around.last().is_some_and(|above| sections[*above].level >= section.level) {
                around.pop();
            }
            parents.push(around.last().copied());
            around.push(index);
            let list = |map: &mut HashMap<String, Vec<usize>>, title: String| {
                if !title.is_empty() {
                    map.entry(title).or_default().push(index);
                }
            };
            list(&mut by_title, flat(section.title));
            list(&mut by_loose_title, loose_title(section.title));
        }
        Headings { sections, parents, by_title, by_loose_title }
    }

    /// The section that `wanted` names: `## Title`, `Title` or `## Parent > ### Child`.
    pub(super) fn find(&self, wanted: &str) -> Result<usize, Miss> {
        let mut found = self.candidates(wanted);
        if found.is_empty() {
            found = self.candidates_below(wanted);
        }
        match found.as_slice() {
            [] => Err(Miss::Unknown),
            [only] => Ok(*only),
            _ => Err(Miss::Ambiguous(found)),
        }
    }

    /// The sections with this title: as it stands, else however it is decorated; of this level, else of any.
    fn candidates(&self, wanted: &str) -> Vec<usize> {
        let (level, title) = read_heading(wanted);
        let exact = self.by_title.get(&flat(title));
        let Some(found) = exact.or_else(|| self.by_loose_title.get(&loose_title(title))) else {
            return Vec::new();
        };
        let has_level = |index: &&usize| Some(self.sections[**index].level) == level;
        if found.iter().any(|index| has_level(&index)) {
            found.iter().filter(has_level).copied().collect()
        } else {
            found.clone()
        }
    }

    fn candidates_below(&self, wanted: &str) -> Vec<usize> {
        let mut parts: Vec<&str> = wanted.split(" > ").map(trimmed).collect();
        // Deeper than any heading.
        if parts.len() > 6 {
            return Vec::new();
        }
        let Some(last) = parts.pop().filter(|_| !parts.is_empty()) else { return Vec::new() };
        let above: Vec<Vec<usize>> = parts.iter().map(|part| self.candidates(part)).collect();
        let mut found = self.candidates(last);
        found.retain(|index| {
            let mut wanted = above.iter().rev().peekable();
            for parent in self.ancestors(*index) {
                wanted.next_if(|fitting| fitting.contains(&parent));
            }
            wanted.peek().is_none()
        });
        found
    }

    /// The sections around one, from the inside out; six at most.
    pub(super) fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.parents[index], |above| self.parents[*above])
    }

    /// The first section that begins after this one ends.
    pub(super) fn next_after(&self, index: usize) -> Option<&Section<'a>> {
        let end = self.sections[index].end;
        let at = self.sections.partition_point(|section| section.start < end);
        self.sections.get(at)
    }

    /// Heading with its parents, as an edit can name it.
    fn path(&self, index: usize) -> String {
        let mut path = vec![heading_of(&self.sections[index])];
        path.extend(self.ancestors(index).map(|above| heading_of(&self.sections[above])));
        path.reverse();
        // The title of the file tells nothing apart.
        if path.len() > 2 && self.sections.iter().filter(|section| section.level == 1).count() == 1 {
            path.remove(0);
        }
        path.join(" > ")
    }

    /// Numbers that are equal for sections of the same title below the same parents.
    pub(super) fn path_hashes(&self) -> Vec<u64> {
        let mut hashes: Vec<u64> = Vec::with_capacity(self.sections.len());
        for (section, parent) in self.sections.iter().zip(&self.parents) {
            let mut hasher = DefaultHasher::new();
            parent.map(|parent| hashes[parent]).hash(&mut hasher);
            (section.level, flat(section.title)).hash(&mut hasher);
            hashes.push(hasher.finish());
        }
        hashes
    }

    /// Describes a miss; `is_first` lists all headings.
    pub(super) fn describe(&self, wanted: &str, miss: &Miss, is_first: bool) -> String {
        let wanted_text = printable(wanted);
        match miss {
            Miss::Ambiguous(found) => {
                let mut paths: Vec<String> =
                    found.iter().take(6).map(|index| format!("'{}'", self.path(*index))).collect();
                paths.dedup();
                if paths.len() < 2 {
                    format!(
                        "there are {} sections '{wanted_text}' below the same heading, which cannot be told apart: replace the section around them",
                        found.len()
                    )
                } else {
                    let all = paths.join(" or ");
                    format!("there are {} sections '{wanted_text}': name its parent, {all}", found.len())
                }
            }
            Miss::Unknown if self.sections.is_empty() => {
                format!("there is no section '{wanted_text}': the document has no headings")
            }
            Miss::Unknown => {
                let mut message = format!("there is no section '{wanted_text}'");
                if !is_first {
                    return message;
                }
                if let Some(nearest) = self.nearest(wanted) {
                    message = format!("{message}; the nearest is '{}'", heading_of(&self.sections[nearest]));
                }
                let all: Vec<String> = self.sections.iter().take(LISTED_HEADINGS).map(heading_of).collect();
                let more = if self.sections.len() > LISTED_HEADINGS { ", …" } else { "" };
                format!("{message}. The document has: {}{more}", all.join(", "))
            }
        }
    }

    fn nearest(&self, wanted: &str) -> Option<usize> {
        let short = |title: &str| loose_title(title).chars().take(COMPARED_CHARS).collect::<String>();
        let last = wanted.rsplit(" > ").next().unwrap_or(wanted);
        let (level, title) = read_heading(last);
        let wanted = short(title);
        let scored = self.sections.iter().take(COMPARED_HEADINGS).enumerate().map(|(index, section)| {
            let same_level = if Some(section.level) == level { 0.05 } else { 0.0 };
            (index, strsim::jaro_winkler(&wanted, &short(section.title)) + same_level)
        });
        scored.max_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(index, _)| index)
    }
}

/// Level and title of a heading; a title alone has no level.
pub(super) fn read_heading(text: &str) -> (Option<usize>, &str) {
    heading(text).map_or((None, trimmed(text)), |(level, title)| (Some(level), title))
}

/// Heading with its hashes, on one line.
pub(super) fn heading_of(section: &Section<'_>) -> String {
    format!("{} {}", "#".repeat(section.level), printable(&flat(section.title)))
}

/// Title without numbering, emphasis, punctuation and case: "1. **Edge Cases**:" becomes "edge cases".
pub(super) fn loose_title(title: &str) -> String {
    let title = list_marker(title).map_or(title, |(_, rest)| rest);
    let kept: String = title.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    flat(&kept.to_lowercase())
}
