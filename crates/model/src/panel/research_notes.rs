//! `research-notes.md`: what a topic looks like in the code, in four sections. Every place in it can be looked up.
//!
//! A section begins with its name, as a heading of any level or emphasised on a line of its own, and goes on until the
//! next one. A code reference is a line that says where something is and what is there (`code_references`):
//! `- src/http/mod.rs:48: the chain that every request passes`. Places themselves are read by [`super::places`].

pub use super::code_references::CodeReference;

use super::code_references::{Reading, none_because};
use super::lines::{Line, MARKS, Problem, bare, is_blank, lines, trimmed};
use super::places::{CitedPlace, PlaceFacts, Struck, WrongPlace, places_in, strike, wrong_places};
use serde::Serialize;

/// What was found out about a topic.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResearchNotes {
    /// What is true of the topic in this repository.
    pub findings: String,
    /// Where to look.
    pub code_references: Vec<CodeReference>,
    /// What to do, if anything.
    pub recommendations: Option<String>,
    /// What could not be found out, if anything.
    pub open_questions: Option<String>,
    /// Every place that is cited in any part of the text, in order.
    pub places: Vec<CitedPlace>,
}

/// The sections, in order.
pub const SECTIONS: [&str; 4] = ["Findings", "Code references", "Recommendations", "Open questions"];

/// What a section says that has nothing to say.
pub const NONE: &str = "None";

const FINDINGS: usize = 0;
const REFERENCES: usize = 1;
const RECOMMENDATIONS: usize = 2;
const QUESTIONS: usize = 3;

/// Reads notes. Without problems they may be used, as far as their form goes; see [`check_places`] for the rest.
pub fn read_research_notes(text: &str) -> (ResearchNotes, Vec<Problem>) {
    let (starts, mut problems) = starts(text);
    let mut reading = Reading::default();
    let mut open: Option<Start<'_>> = None;
    let mut bodies = [const { String::new() }; 4];
    for line in lines(text) {
        let start = starts.iter().find(|start| start.line == line.number).copied();
        let ends = open.is_some_and(|open| {
            open.level < EMPHASISED && level(line).is_some_and(|level| level <= open.level)
        });
        open = start.or_else(|| open.filter(|_| !ends));
        let within = open.map(|open| open.section);
        if within == Some(REFERENCES) && start.is_none() {
            reading.reference_line(line);
        } else {
            reading.places.extend(places_in(line, 0));
        }
        if let Some(section) = within {
            bodies[section].push_str(start.map_or(line.text, |start| start.rest));
            bodies[section].push('\n');
        }
    }
    for (section, name) in SECTIONS.into_iter().enumerate() {
        let Some(start) = starts.iter().find(|start| start.section == section) else { continue };
        problems.extend(lacking(section, name, start.line, &bodies[section], &reading));
    }
    problems.append(&mut reading.problems);
    let said = |section: usize| Some(trimmed(&bodies[section]).to_owned()).filter(|text| !is_none(text));
    let notes = ResearchNotes {
        findings: trimmed(&bodies[FINDINGS]).to_owned(),
        code_references: reading.references,
        recommendations: said(RECOMMENDATIONS).filter(|text| !text.is_empty()),
        open_questions: said(QUESTIONS).filter(|text| !text.is_empty()),
        places: reading.places,
    };
    (notes, problems)
}

/// The cited places that the repository does not have.
pub fn check_places(notes: &ResearchNotes, facts: &dyn PlaceFacts) -> Vec<WrongPlace> {
    wrong_places(&notes.places, facts)
}

/// Takes wrong places out of notes. They keep their form: what is left of a code reference is still read as one.
pub fn strike_places(text: &str, wrong: &[WrongPlace]) -> Struck {
    strike(text, &read_research_notes(text).0.places, wrong)
}

/// Where a section begins.
#[derive(Debug, Clone, Copy)]
struct Start<'a> {
    section: usize,
    line: usize,
    /// Of its heading; emphasis is below all headings.
    level: usize,
    /// What the line says behind its name.
    rest: &'a str,
}

const EMPHASISED: usize = 7;

/// Where each section begins, and what is missing or there twice. Of several lines with one name the highest heading
/// counts; a lower one is a heading inside a section.
fn starts(text: &str) -> (Vec<Start<'_>>, Vec<Problem>) {
    let mut starts: [Option<Start<'_>>; 4] = [None; 4];
    let mut again: [Option<usize>; 4] = [None; 4];
    let mut fenced = [false; 4];
    for line in lines(text) {
        let Some(start) = start(line) else { continue };
        let section = start.section;
        match starts[section] {
            _ if line.fenced => fenced[section] = true,
            Some(known) if known.level == start.level => {
                again[section] = again[section].or(Some(line.number));
            }
            Some(known) if known.level < start.level => {}
            _ => (starts[section], again[section]) = (Some(start), None),
        }
    }
    let mut problems = Vec::new();
    for (section, name) in SECTIONS.into_iter().enumerate() {
        match (starts[section], again[section]) {
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

/// The section a line begins, if it is the name of one.
fn start(line: Line<'_>) -> Option<Start<'_>> {
    let bare = bare(line.text);
    if bare.item.is_some() || !(bare.heading || bare.emphasised()) {
        return None;
    }
    let (name, rest) = bare.text.split_once(':').unwrap_or((bare.text, ""));
    let name = letters(name);
    let section = SECTIONS.iter().position(|section| letters(section) == name)?;
    let rest =
        if bare.emphasised() { rest.trim_start_matches(|c| is_blank(c) || MARKS.contains(&c)) } else { rest };
    Some(Start { section, line: line.number, level: level(line).unwrap_or(EMPHASISED), rest })
}

/// The letters of a short text, whatever stands between them: `1. Code references`, `CODE_REFERENCES **`.
fn letters(text: &str) -> String {
    let start = text.char_indices().nth(40).map_or(text, |(end, _)| &text[..end]);
    start.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

/// The level of a heading.
fn level(line: Line<'_>) -> Option<usize> {
    let hashes = trimmed(line.text).bytes().take_while(|b| *b == b'#').count();
    (!line.fenced && (1..=6).contains(&hashes)).then_some(hashes)
}

/// What a section lacks.
fn lacking(section: usize, name: &str, line: usize, body: &str, reading: &Reading) -> Option<Problem> {
    let body = trimmed(body);
    let message = match section {
        _ if body.is_empty() && section > REFERENCES => {
            format!("the section '{name}' is empty: write {NONE} if there is nothing to say")
        }
        _ if body.is_empty() => format!("the section '{name}' is empty"),
        FINDINGS if is_none(body) => {
            format!("the section '{name}' must say what was looked for, if nothing was found")
        }
        REFERENCES if reading.references.is_empty() && !reading.struck => match none_because(body) {
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

/// Whether a text says that there is nothing, and no more.
fn is_none(text: &str) -> bool {
    !text.contains('\n') && none_because(text).is_some()
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
    fn what_is_missing_empty_or_there_twice_is_said_with_its_line() {
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
            messages(&format!("```\n{WHOLE}```\n")).into_iter().map(|(_, said)| said).collect();
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
    fn wrong_places_are_told_and_struck() {
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
        assert_eq!(strike_places(&text, &[]), Struck { text: text.clone(), count: 0 });
    }

    #[test]
    fn enormous_notes_are_read_once() {
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
        fn no_notes_are_too_strange_and_striking_breaks_nothing(
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
