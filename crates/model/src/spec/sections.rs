//! Sections of a Markdown file: a heading and everything below it, up to the next heading of its level.

use crate::markdown::{heading, offset_in, outline};

/// Text with its headings. Headings in code and in comments do not count.
#[derive(Debug, Clone, Default)]
pub struct Sections<'a> {
    text: &'a str,
    headings: Vec<Heading<'a>>,
}

#[derive(Debug, Clone)]
struct Heading<'a> {
    level: usize,
    title: &'a str,
    /// Normalised title.
    plain: String,
    line: usize,
    start: usize,
    below: usize,
}

/// Section of a Markdown file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section<'a> {
    pub title: &'a str,
    pub level: usize,
    /// Line number of the heading, from 1.
    pub line: usize,
    /// Byte offset of the heading.
    pub start: usize,
    /// Byte offset of the end.
    pub end: usize,
    /// Text below the heading.
    pub body: &'a str,
}

impl Section<'_> {
    /// True if its title begins with these words.
    pub fn has_title(&self, title: &str) -> bool {
        normalise_title(self.title).starts_with(&normalise_title(title))
    }
}

impl<'a> Sections<'a> {
    /// Parses the headings of a text.
    pub fn parse(text: &'a str) -> Sections<'a> {
        let lines = outline(text).lines;
        let headings = lines.iter().filter(|line| !line.fenced).filter_map(|line| {
            let (level, title) = heading(line.text)?;
            let start = offset_in(text, line.text);
            let after = start + line.text.len();
            let below = text[after..].find('\n').map_or(text.len(), |end| after + end + 1);
            Some(Heading { level, title, plain: normalise_title(title), line: line.number, start, below })
        });
        Sections { text, headings: headings.collect() }
    }

    /// The first section whose title begins with one of these words, at any level. The title of the file is
    /// considered last.
    pub fn find(&self, titles: &[&str]) -> Option<Section<'a>> {
        let wanted: Vec<String> = titles.iter().map(|title| normalise_title(title)).collect();
        let fits = |heading: &Heading<'_>| wanted.iter().any(|title| heading.plain.starts_with(title));
        let below = self.headings.iter().position(|heading| heading.level > 1 && fits(heading));
        below.or_else(|| self.headings.iter().position(fits)).map(|index| self.section(index))
    }

    /// All sections of a level, in order.
    pub fn at_level(&self, level: usize) -> impl Iterator<Item = Section<'a>> {
        let fitting = self.headings.iter().enumerate().filter(move |(_, heading)| heading.level == level);
        fitting.map(|(index, _)| self.section(index))
    }

    /// All sections of every level, in order.
    pub fn all(&self) -> impl Iterator<Item = Section<'a>> {
        (0..self.headings.len()).map(|index| self.section(index))
    }

    /// The titles of all headings.
    pub fn titles(&self) -> impl Iterator<Item = &'a str> {
        self.headings.iter().map(|heading| heading.title)
    }

    fn section(&self, index: usize) -> Section<'a> {
        let Heading { level, title, line, start, below, .. } = self.headings[index];
        let end = self.headings[index + 1..]
            .iter()
            .find(|next| next.level <= level)
            .map_or(self.text.len(), |next| next.start);
        Section { title, level, line, start, end, body: &self.text[below.min(end)..end] }
    }
}

/// Normalises a title: "1. **Edge Cases**" becomes "edge cases".
fn normalise_title(title: &str) -> String {
    let kept: String = title.chars().map(|c| if c.is_alphabetic() { c } else { ' ' }).collect();
    kept.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\u{feff}# Design\r\n\r\n## 1. Overview\r\nOne.\r\n\r\n### Detail\nTwo.\n```\n## Risks\n```\n## **Data Models**:\n\n## Risks";

    #[test]
    fn a_section_ends_at_the_next_heading_of_its_level() {
        let sections = Sections::parse(TEXT);
        let overview = sections.find(&["Overview"]).unwrap();
        assert_eq!((overview.level, overview.line, overview.title), (2, 3, "1. Overview"));
        assert_eq!(overview.body, "One.\r\n\r\n### Detail\nTwo.\n```\n## Risks\n```\n");
        assert!(TEXT[overview.start..overview.end].starts_with("## 1. Overview\r\nOne."));
        assert_eq!(sections.find(&["Data Model"]).unwrap().body, "\n");
        assert_eq!(sections.find(&["Risk"]).map(|risks| (risks.line, risks.body)), Some((13, "")));
        assert_eq!(sections.find(&["Testing", "Detail"]).unwrap().body, "Two.\n```\n## Risks\n```\n");
        assert_eq!(sections.find(&["Architecture"]), None);
        let titles: Vec<_> = sections.at_level(2).map(|section| section.title).collect();
        assert_eq!(titles, ["1. Overview", "**Data Models**:", "Risks"]);
    }
}
