//! `research-notes.md`: what a topic looks like in the code, in four sections. Every cited place is checked.
//!
//! A section begins with its name, as a heading of any level or emphasised on a line of its own, and ends at
//! the next one. A code reference is a line with a place and its description (`code_references`): `-
//! src/http/mod.rs:48: the chain that every request passes`. Places are parsed by [`super::places`].

pub use super::code_references::CodeReference;

use super::code_references::{ReferenceParser, none_reason};
use super::places::{
    CitedPlace, PlaceFacts, StruckText, WrongPlace, line_places, strike_wrong_places, wrong_places,
};
use crate::markdown::{Line, MARKS, is_blank, lines, strip_decoration, trimmed};
use crate::problem::Problem;
use serde::Serialize;

/// Parsed research notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResearchNotes {
    pub findings: String,
    pub code_references: Vec<CodeReference>,
    /// None if the section says `None`.
    pub recommendations: Option<String>,
    /// None if the section says `None`.
    pub open_questions: Option<String>,
    /// All cited places of the text, in order.
    pub places: Vec<CitedPlace>,
}

/// Sections of the notes, in order.
pub const SECTIONS: [&str; 4] = ["Findings", "Code references", "Recommendations", "Open questions"];

/// Content of a section without entries.
pub const NONE: &str = "None";

const FINDINGS: usize = 0;
const REFERENCES: usize = 1;
const RECOMMENDATIONS: usize = 2;
const QUESTIONS: usize = 3;

/// Parses research notes. Without problems their form is valid; [`check_places`] checks the content.
pub fn read_research_notes(text: &str) -> (ResearchNotes, Vec<Problem>) {
    let (starts, mut problems) = section_starts(text);
    let mut parser = ReferenceParser::default();
    let mut open: Option<SectionStart<'_>> = None;
    let mut bodies = [const { String::new() }; 4];
    for line in lines(text) {
        let start = starts.iter().find(|start| start.line == line.number).copied();
        let ends = open.is_some_and(|open| {
            open.level < EMPHASISED && heading_level(line).is_some_and(|level| level <= open.level)
        });
        open = start.or_else(|| open.filter(|_| !ends));
        let within = open.map(|open| open.section);
        if within == Some(REFERENCES) && start.is_none() {
            parser.read_line(line);
        } else {
            parser.places.extend(line_places(line, 0));
        }
        if let Some(section) = within {
            bodies[section].push_str(start.map_or(line.text, |start| start.rest));
            bodies[section].push('\n');
        }
    }
    for (section, name) in SECTIONS.into_iter().enumerate() {
        let Some(start) = starts.iter().find(|start| start.section == section) else { continue };
        problems.extend(section_problem(section, name, start.line, &bodies[section], &parser));
    }
    problems.append(&mut parser.problems);
    let section_text =
        |section: usize| Some(trimmed(&bodies[section]).to_owned()).filter(|text| !says_none(text));
    let notes = ResearchNotes {
        findings: trimmed(&bodies[FINDINGS]).to_owned(),
        code_references: parser.references,
        recommendations: section_text(RECOMMENDATIONS).filter(|text| !text.is_empty()),
        open_questions: section_text(QUESTIONS).filter(|text| !text.is_empty()),
        places: parser.places,
    };
    (notes, problems)
}

/// The cited places that do not exist in the repository.
pub fn check_places(notes: &ResearchNotes, facts: &dyn PlaceFacts) -> Vec<WrongPlace> {
    wrong_places(&notes.places, facts)
}

/// Strikes the wrong places. The form stays valid: a struck code reference is still parsed as one.
pub fn strike_places(text: &str, wrong: &[WrongPlace]) -> StruckText {
    strike_wrong_places(text, &read_research_notes(text).0.places, wrong)
}

/// First line of a section.
#[derive(Debug, Clone, Copy)]
struct SectionStart<'a> {
    section: usize,
    line: usize,
    /// Level of its heading; [`EMPHASISED`] is below all headings.
    level: usize,
    /// Text after the name on the same line.
    rest: &'a str,
}

const EMPHASISED: usize = 7;

/// First line of each section, and problems for missing and duplicate ones. Among lines with the same name the
/// highest heading counts; a lower one is a heading inside a section.
fn section_starts(text: &str) -> (Vec<SectionStart<'_>>, Vec<Problem>) {
    let mut starts: [Option<SectionStart<'_>>; 4] = [None; 4];
    let mut duplicates: [Option<usize>; 4] = [None; 4];
    let mut fenced = [false; 4];
    for line in lines(text) {
        let Some(start) = section_start(line) else { continue };
        let section = start.section;
        match starts[section] {
            _ if line.fenced => fenced[section] = true,
            Some(known) if known.level == start.level => {
                duplicates[section] = duplicates[section].or(Some(line.number));
            }
            Some(known) if known.level < start.level => {}
            _ => (starts[section], duplicates[section]) = (Some(start), None),
        }
    }
    let mut problems = Vec::new();
    for (section, name) in SECTIONS.into_iter().enumerate() {
        match (starts[section], duplicates[section]) {
            (None, _) if fenced[section] => {
                problems
                    .push(Problem::new(1, format!("{name} stands in a code fence: write it without one")));
            }
            (None, _) => problems.push(Problem::new(1, format!("the section '{name}' is missing"))),
            (Some(first), Some(line)) => {
                let message = format!("the section '{name}' is there already, in line {}", first.line);
                problems.push(Problem::new(line, message));
            }
            (Some(_), None) => {}
        }
    }
    (starts.into_iter().flatten().collect(), problems)
}

/// The section that a line starts.
fn section_start(line: Line<'_>) -> Option<SectionStart<'_>> {
    let bare = strip_decoration(line.text);
    if bare.item.is_some() || !(bare.heading || bare.emphasised()) {
        return None;
    }
    let (name, rest) = bare.text.split_once(':').unwrap_or((bare.text, ""));
    let name = normalised_title(name);
    let section = SECTIONS.iter().position(|section| normalised_title(section) == name)?;
    let rest =
        if bare.emphasised() { rest.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c)) } else { rest };
    Some(SectionStart { section, line: line.number, level: heading_level(line).unwrap_or(EMPHASISED), rest })
}

/// The lower-case letters of a short title: equal for `1. Code references` and `CODE_REFERENCES **`.
fn normalised_title(text: &str) -> String {
    let start = text.char_indices().nth(40).map_or(text, |(end, _)| &text[..end]);
    start.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// Level of a heading.
fn heading_level(line: Line<'_>) -> Option<usize> {
    let hashes = trimmed(line.text).bytes().take_while(|b| *b == b'#').count();
    (!line.fenced && (1..=6).contains(&hashes)).then_some(hashes)
}

/// The problem of an empty or useless section.
fn section_problem(
    section: usize,
    name: &str,
    line: usize,
    body: &str,
    parser: &ReferenceParser,
) -> Option<Problem> {
    let body = trimmed(body);
    let message = match section {
        _ if body.is_empty() && section > REFERENCES => {
            format!("the section '{name}' is empty: write {NONE} if there is nothing to say")
        }
        _ if body.is_empty() => format!("the section '{name}' is empty"),
        FINDINGS if says_none(body) => {
            format!("the section '{name}' must say what was looked for, if nothing was found")
        }
        REFERENCES if parser.references.is_empty() && !parser.struck => match none_reason(body) {
            Some("") if body.lines().count() == 1 => {
                format!("the section '{name}' says {NONE}: say why, as in '{NONE}: no file mentions it'")
            }
            Some(_) => return None,
            None => format!("the section '{name}' has no line with path:line and what is there"),
        },
        _ => return None,
    };
    Some(Problem::new(line, message))
}

/// True if a text is `None`, with or without a reason on the same line.
fn says_none(text: &str) -> bool {
    !text.contains('\n') && none_reason(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: &str = "# Requests\n\n## Findings\nEvery request passes one chain (src/http/mod.rs:48).\n\n### Order\nAs listed there.\n\n\
                         ## Code references\n- `src/http/mod.rs:48-60`: the chain\n- src/config.rs:31 — the timeouts\n\n\
                         ## Recommendations\n1. Read the chain first.\n\n## Open questions\nNone.\n";

    fn messages(text: &str) -> Vec<(usize, String)> {
        let (_, problems) = read_research_notes(text);
        problems.into_iter().map(|problem| (problem.line, problem.message)).collect()
    }

    fn with_references(lines: &str) -> String {
        format!(
            "## Findings\nx\n## Code references\n{lines}\n## Recommendations\nNone\n## Open questions\nNone\n"
        )
    }

    #[test]
    fn the_four_sections_are_read_in_many_shapes() {
        let (notes, problems) = read_research_notes(WHOLE);
        assert_eq!(problems, []);
        assert_eq!(
            notes.findings,
            "Every request passes one chain (src/http/mod.rs:48).\n\n### Order\nAs listed there."
        );
        assert_eq!(notes.recommendations.as_deref(), Some("1. Read the chain first."));
        assert_eq!(notes.open_questions, None);
        let places: Vec<String> =
            notes.places.iter().map(|cited| format!("{} {}", cited.line, cited.place)).collect();
        assert_eq!(places, ["4 src/http/mod.rs:48", "10 src/http/mod.rs:48-60", "11 src/config.rs:31"]);
        assert_eq!(serde_json::to_value(&notes).unwrap()["code_references"][1]["about"], "the timeouts");
        for text in [
            format!("\u{feff}{}", WHOLE.replace('\n', "\r\n")),
            WHOLE
                .replace("## Findings", "## 1. **FINDINGS**")
                .replace("## Open questions\n", "## Open Questions: "),
            WHOLE.replace("## Code references", "##### Code References:").replace("## Rec", "#### Rec"),
            WHOLE
                .replace("## Findings", "**Findings**")
                .replace("## Open questions\n", "**Open questions:** "),
        ] {
            let (read, problems) = read_research_notes(&text);
            assert_eq!(problems, [], "{text}");
            assert_eq!(read.findings.replace('\r', ""), notes.findings, "{text}");
            assert_eq!((read.open_questions, read.code_references.len()), (None, 2), "{text}");
        }
    }

    #[test]
    fn missing_empty_and_duplicate_sections_are_reported() {
        let missing = |name: &str| (1, format!("the section '{name}' is missing"));
        assert_eq!(messages(""), SECTIONS.map(missing));
        assert_eq!(messages(&WHOLE.replace("## Rec", "## My rec")), [missing("Recommendations")]);
        let empty = WHOLE.replace("1. Read the chain first.", "");
        assert_eq!(
            messages(&empty),
            [(
                13,
                "the section 'Recommendations' is empty: write None if there is nothing to say".to_owned()
            )]
        );
        let twice = format!("{WHOLE}\n## Findings\nMore.\n");
        assert_eq!(messages(&twice), [(19, "the section 'Findings' is there already, in line 3".to_owned())]);
        assert_eq!(read_research_notes(&twice).0, read_research_notes(WHOLE).0);
        let fenced: Vec<String> =
            messages(&format!("```\n{WHOLE}```\n")).into_iter().map(|(_, message)| message).collect();
        assert_eq!(
            fenced,
            SECTIONS.map(|name| format!("{name} stands in a code fence: write it without one"))
        );
    }

    #[test]
    fn nothing_found_must_say_what_was_looked_for() {
        let none = |findings: &str, references: &str| {
            let text = format!(
                "## Findings\n{findings}\n## Code references\n{references}\n## Recommendations\n- **None**\n## Open questions\nNone of the callers was run.\n"
            );
            let (notes, problems) = read_research_notes(&text);
            assert_eq!(notes.recommendations, None);
            assert_eq!(notes.open_questions.as_deref(), Some("None of the callers was run."));
            problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
        };
        assert_eq!(none("Looked for retries; there are none.", "None: no file says retry."), [""; 0]);
        assert_eq!(none("Looked.", "- None — the repository is empty"), [""; 0]);
        assert_eq!(none("Looked.", "None.\n\nThe repository is empty."), [""; 0]);
        assert_eq!(
            none("None.", "None."),
            [
                "the section 'Findings' must say what was looked for, if nothing was found",
                "the section 'Code references' says None: say why, as in 'None: no file mentions it'"
            ]
        );
        assert_eq!(
            none("x", "See the code."),
            ["the section 'Code references' has no line with path:line and what is there"]
        );
    }

    #[test]
    fn a_section_ends_where_another_begins() {
        let text = WHOLE.replace("## Recommendations", "## Sources\n- a book\n\n## Recommendations");
        assert_eq!(messages(&text), []);
        assert_eq!(read_research_notes(&text).0.code_references.len(), 2);
        let inside = WHOLE.replace("### Order", "### Open questions");
        assert_eq!(messages(&inside), [], "a heading inside a section");
        assert!(read_research_notes(&inside).0.findings.contains("### Open questions"));
        let item = WHOLE.replace("As listed", "- **Recommendations**: none\n\nAs listed");
        assert_eq!(messages(&item), [], "an item of a list");
    }

    #[test]
    fn wrong_places_are_reported_and_struck() {
        let facts = |path: &str| match path {
            "src/http/mod.rs" => Some(59),
            "LICENSE" => Some(3),
            _ => None,
        };
        let text = WHOLE
            .replace("1. Read", "- LICENSE:9 is text\n1. Read")
            .replace("— the", "— `LICENSE:9` and the");
        let (notes, _) = read_research_notes(&text);
        let wrong = check_places(&notes, &facts);
        let told: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            ["src/http/mod.rs:48-60: the file has 59 lines", "src/config.rs:31: there is no such file"],
            "outside of code references, a word and a number are no place"
        );
        let struck = strike_places(&text, &wrong);
        assert_eq!(struck.count, 2);
        assert!(
            struck
                .text
                .contains("- `(struck: no such place)`: the chain\n- (struck: no such place) — `LICENSE")
        );
        let (left, problems) = read_research_notes(&struck.text);
        assert_eq!(problems, []);
        assert_eq!((left.code_references.len(), check_places(&left, &facts).len()), (0, 0));
        let glued = with_references("- src/a.rs:1: x\n- LICENSE:3src/b.rs:1 and `src/c.rs`:7");
        let (notes, _) = read_research_notes(&glued);
        let struck = strike_places(&glued, &check_places(&notes, &|_: &str| None));
        assert_eq!(
            read_research_notes(&struck.text).0.places,
            [],
            "nothing becomes a place: {}",
            struck.text
        );
        assert_eq!(strike_places(&text, &[]), StruckText { text: text.clone(), count: 0 });
    }

    #[test]
    fn huge_notes_take_linear_time() {
        for line in
            ["- a.rs:1 x\n", "# Findings\n", "**Code references**\n", "- `\n", "|", "- None\n", "`a.rs`:1 "]
        {
            let text = with_references(&line.repeat(1 << 15));
            let (notes, _) = read_research_notes(&text);
            let wrong = check_places(&notes, &|_: &str| None);
            assert_eq!(strike_places(&text, &wrong).count, notes.places.len());
        }
    }

    proptest! {
        #[test]
        fn any_text_parses_and_striking_adds_no_problems(
            text in "((## Findings\n|## Code references\n|\\*\\*Open questions\\*\\*\n|# Recommendations\n|None|- |LICENSE:3|src/|a\\.rs|ä|:|[0-9]|`|\\||\\[|\\]|\\(| |\r|\n|\0|\\PC){0,4}){0,30}"
        ) {
            let (notes, problems) = read_research_notes(&text);
            let wrong = check_places(&notes, &|_: &str| None);
            let struck = strike_places(&text, &wrong);
            prop_assert_eq!(struck.count, notes.places.len());
            let (left, after) = read_research_notes(&struck.text);
            prop_assert_eq!(left.places, vec![]);
            prop_assert!(after.len() <= problems.len(), "{:?}\n{:?}", problems, after);
        }
    }
}
