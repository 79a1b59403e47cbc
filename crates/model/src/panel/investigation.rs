//! `investigation-<n>.md`: what an investigator found out about one question of [`super::inquiries`].
//!
//! ```text
//! ## Answer
//! FACT: the host clears the environment of its servers.
//! ## Evidence
//! - `src/spawn.rs:88`: `command.env_clear()`
//! ## Consequence for the plan
//! The guard reads a file instead of a variable.
//! ## Sources
//! - <https://example.org/docs> (2026-11-17): says the same
//! ```
//!
//! The answer is a fact with evidence, `UNKNOWN:` with the reason, or `MEASURE FIRST:` with what to measure. Cited
//! places are checked by [`super::places`]; `sources` reads the pages.

mod sources;

pub use sources::{Source, sources_file};

use super::citations::cites_line;
use super::parts::{Part, none_reason, read_entries, read_parts};
use crate::markdown::{MARKS, flat, is_blank, label, lines, strip_decoration, trimmed};
use crate::problem::Problem;
use crate::words;
use sources::{find_address, parse_source, source_line};
use std::fmt::Write as _;

/// Answer of an investigator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Investigation {
    pub kind: AnswerKind,
    /// The fact, the reason why it is unknown, or what to measure; on one line.
    pub answer: String,
    /// Places, commands with their output, addresses; as written.
    pub evidence: Vec<String>,
    /// Consequence for the plan: a thing it must do or must not do.
    pub consequence: String,
    /// Pages that were read.
    pub sources: Vec<Source>,
}

/// Kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerKind {
    Fact,
    /// It cannot be known here.
    Unknown,
    /// The plan must begin with a measurement.
    MeasureFirst,
}

impl AnswerKind {
    pub const ALL: [AnswerKind; 3] = [AnswerKind::Fact, AnswerKind::Unknown, AnswerKind::MeasureFirst];

    /// The word of the grammar.
    pub fn name(self) -> &'static str {
        match self {
            AnswerKind::Fact => "FACT",
            AnswerKind::Unknown => "UNKNOWN",
            AnswerKind::MeasureFirst => "MEASURE FIRST",
        }
    }
}

const ANSWER: usize = 0;
const EVIDENCE: usize = 1;
const CONSEQUENCE: usize = 2;
const SOURCES: usize = 3;
const PARTS: [&str; 4] = ["Answer", "Evidence", "Consequence for the plan", "Sources"];

/// Parses an investigation; none without a readable answer. It is complete if there are no problems.
pub fn read_investigation(text: &str) -> (Option<Investigation>, Vec<Problem>) {
    let mut parts = read_parts(text, &PARTS);
    if parts[CONSEQUENCE].is_none() {
        let [short, ..] = read_parts(text, &["Consequence"]);
        parts[CONSEQUENCE] = short;
    }
    let mut problems = Vec::new();
    let found = read_answer(parts[ANSWER].as_ref(), &mut problems);
    let evidence =
        read_evidence(parts[EVIDENCE].as_ref(), found.as_ref().map(|(kind, _)| *kind), &mut problems);
    let consequence = read_consequence(parts[CONSEQUENCE].as_ref(), &mut problems);
    let mut sources = read_sources(parts[SOURCES].as_ref());
    add_cited_sources(&mut sources, &evidence);
    problems.sort();
    let investigation =
        found.map(|(kind, answer)| Investigation { kind, answer, evidence, consequence, sources });
    (investigation, problems)
}

/// The kind and the text of the answer: the first line of the part that begins with a kind, and all below it.
fn read_answer(part: Option<&Part<'_>>, problems: &mut Vec<Problem>) -> Option<(AnswerKind, String)> {
    const FORMS: &str =
        "'FACT: …', 'UNKNOWN: why' or 'MEASURE FIRST: what, how, and what each outcome means'";
    let Some(part) = part else {
        problems.push(Problem::new(
            1,
            format!("the section 'Answer' is missing: write '## Answer', and below it {FORMS}"),
        ));
        return None;
    };
    let text = part.text();
    let mut found: Option<(AnswerKind, String)> = None;
    for line in lines(&text).filter(|line| !line.fenced) {
        let Some((kind, value)) = parse_kind(line.text, found.is_some()) else { continue };
        match &found {
            None => found = Some((kind, format!("{value}{}", &text[line.start + line.text.len()..]))),
            Some((first, _)) if *first != kind => {
                let message = format!("the answer is both {} and {}: write one", first.name(), kind.name());
                problems.push(Problem::new(part.line, message));
                return None;
            }
            Some(_) => {}
        }
    }
    let Some((kind, rest)) = found else {
        problems.push(Problem::new(part.line, format!("the answer begins with none of {FORMS}")));
        return None;
    };
    let answer = flat(&rest);
    if !answer.contains(char::is_alphanumeric) {
        let message = match kind {
            AnswerKind::Fact => "FACT says nothing: state it in one or two sentences",
            AnswerKind::Unknown => "UNKNOWN gives no reason: say why it cannot be known here",
            AnswerKind::MeasureFirst => {
                "MEASURE FIRST says nothing: say what to measure, how, and what each outcome means"
            }
        };
        problems.push(Problem::new(part.line, message));
        return None;
    }
    Some((kind, answer))
}

/// Parses `FACT: …`, `**Unknown** — …` or `MEASURE_FIRST: …`: the kind and the text after it. A copied template names
/// several kinds on one line and is none. With `is_exact` only capitals count.
fn parse_kind(line: &str, is_exact: bool) -> Option<(AnswerKind, &str)> {
    let bare = strip_decoration(line);
    let labelled = label(&bare).map(|label| (label.name, label.value));
    let dashed = bare.text.split_once(['—', '–']);
    let candidates = [labelled, dashed, Some((bare.text, ""))];
    let (kind, value) = candidates
        .into_iter()
        .flatten()
        .find_map(|(name, value)| Some((kind_named(name, is_exact)?, value)))?;
    let value = trimmed(value);
    let names_another = AnswerKind::ALL.into_iter().filter(|other| *other != kind).any(|other| {
        value.strip_prefix(other.name()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    (!names_another).then_some((kind, value))
}

fn kind_named(name: &str, is_exact: bool) -> Option<AnswerKind> {
    let name = name.trim_matches(|c| is_blank(c) || MARKS.contains(&c) || c == '.');
    let is_letter = |(a, b): (u8, u8)| {
        a == b || !is_exact && a.eq_ignore_ascii_case(&b) || b == b' ' && matches!(a, b'_' | b'-')
    };
    AnswerKind::ALL
        .into_iter()
        .find(|kind| name.len() == kind.name().len() && name.bytes().zip(kind.name().bytes()).all(is_letter))
}

/// The items of the evidence. A fact and a measurement need at least one that can be checked.
fn read_evidence(
    part: Option<&Part<'_>>,
    kind: Option<AnswerKind>,
    problems: &mut Vec<Problem>,
) -> Vec<String> {
    let text = part.map(Part::text).unwrap_or_default();
    let items: Vec<String> = if none_reason(&text).is_some() && !text.contains('\n') {
        Vec::new()
    } else {
        read_entries(&text).into_iter().map(|entry| entry.text).collect()
    };
    let needs_evidence = matches!(kind, Some(AnswerKind::Fact | AnswerKind::MeasureFirst));
    let line = part.map_or(1, |part| part.line);
    if part.is_none() && needs_evidence {
        let message = "the section 'Evidence' is missing: list places in the code, commands with their output, or addresses";
        problems.push(Problem::new(line, message));
    } else if needs_evidence && !items.iter().any(|item| has_substance(item)) {
        let name = kind.map_or("", AnswerKind::name);
        let message = format!(
            "{name} has no evidence: list a place as `path:line`, a command with its output, an address with its date, or the experiment step by step"
        );
        problems.push(Problem::new(line, message));
    }
    items
}

/// True for a place, code, an address, or an experiment described in a sentence.
fn has_substance(item: &str) -> bool {
    const FEWEST_WORDS: usize = 6;
    item.contains('`')
        || find_address(item).is_some()
        || cites_line(item)
        || words::count(item) >= FEWEST_WORDS
}

fn read_consequence(part: Option<&Part<'_>>, problems: &mut Vec<Problem>) -> String {
    let text = part.map(Part::text).unwrap_or_default();
    let line = part.map_or(1, |part| part.line);
    let message = match part {
        None => "the section 'Consequence for the plan' is missing",
        Some(_) if text.is_empty() => {
            "the section 'Consequence for the plan' is empty: say what the plan must do or must not do"
        }
        Some(_) if none_reason(&text) == Some("") => {
            "the consequence is None without a reason: write 'None: why the plan stays as it is'"
        }
        Some(_) => return text,
    };
    problems.push(Problem::new(line, message));
    text
}

/// Sources with an address. What is missing besides, a date say, is no reason to ask again.
fn read_sources(part: Option<&Part<'_>>) -> Vec<Source> {
    let Some(part) = part.filter(|part| !part.is_empty()) else { return Vec::new() };
    read_entries(&part.text()).iter().filter_map(|entry| parse_source(&entry.text)).collect()
}

/// Adds evidence that begins with an address to the sources.
fn add_cited_sources(sources: &mut Vec<Source>, evidence: &[String]) {
    let opens = |c: char| is_blank(c) || MARKS.contains(&c) || matches!(c, '<' | '[' | '(');
    for item in evidence {
        let start = item.trim_start_matches(opens);
        if !start.starts_with("http://") && !start.starts_with("https://") {
            continue;
        }
        let source = parse_source(item);
        let is_known = |source: &Source| sources.iter().any(|known: &Source| known.address == source.address);
        if let Some(source) = source.filter(|source| !is_known(source)) {
            sources.push(source);
        }
    }
}

/// Writes an investigation in its canonical form.
pub fn write_investigation(investigation: &Investigation) -> String {
    let Investigation { kind, answer, evidence, consequence, sources } = investigation;
    let mut out = format!("## Answer\n{}: {}\n\n## Evidence\n", kind.name(), flat(answer));
    if evidence.is_empty() {
        out.push_str("None.\n");
    }
    for item in evidence {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "- {item}");
    }
    let _ = writeln!(out, "\n## Consequence for the plan\n{}", trimmed(consequence));
    if !sources.is_empty() {
        out.push_str("\n## Sources\n");
    }
    for source in sources {
        let _ = writeln!(out, "{}", source_line(source));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: &str = "## Answer\nFACT: The host clears the environment.\n\n## Evidence\n- `src/spawn.rs:88`: `env_clear()`\n\n\
                         ## Consequence for the plan\nThe guard reads a file.\n\n## Sources\n- <https://example.org/a_(b)> (2026-11-17): says the same\n";

    fn read(text: &str) -> Investigation {
        let (read, problems) = read_investigation(text);
        assert_eq!(problems, [], "{text}");
        read.unwrap()
    }

    fn messages(text: &str) -> Vec<(usize, String)> {
        read_investigation(text).1.into_iter().map(|problem| (problem.line, problem.message)).collect()
    }

    #[test]
    fn a_whole_answer_is_read_and_written() {
        let whole = read(WHOLE);
        assert_eq!(
            (whole.kind, whole.answer.as_str()),
            (AnswerKind::Fact, "The host clears the environment.")
        );
        assert_eq!(whole.evidence, ["`src/spawn.rs:88`: `env_clear()`"]);
        assert_eq!(whole.sources[0].address, "https://example.org/a_(b)");
        assert_eq!(write_investigation(&whole), WHOLE);
        let loose = "\u{feff}# **Answer**\r\n- **Fact:** The host\r\nclears the environment.\r\n\r\n**Evidence**\r\n1. `src/spawn.rs:88`: `env_clear()`\r\n\
                     # Consequence\r\nThe guard reads a file.\r\n# SOURCES:\r\n* https://example.org/a_(b), 2026-11-17 — says the same\r\n";
        assert_eq!(read(loose), whole);
    }

    #[test]
    fn every_kind_is_read_in_many_shapes() {
        use AnswerKind::{Fact, MeasureFirst, Unknown};
        for (answer, kind, text) in [
            ("UNKNOWN: it is `closed`", Unknown, "it is `closed`"),
            ("**UNKNOWN** — no source", Unknown, "no source"),
            ("Unknown – no source: it is closed", Unknown, "no source: it is closed"),
            ("I looked.\n\n**FACT: a `b`**", Fact, "a `b`"),
            ("FACT\n\nIt is so.", Fact, "It is so."),
            ("FACT: **so**\n- and so", Fact, "**so** - and so"),
            ("fact: It is so.\nUnknown: a detail", Fact, "It is so. Unknown: a detail"),
            ("MEASURE FIRST: the time\n```\nUNKNOWN: x\n```", MeasureFirst, "the time ``` UNKNOWN: x ```"),
            ("__Measure-first__: the time", MeasureFirst, "the time"),
            ("MEASURE_FIRST: FACTS about time", MeasureFirst, "FACTS about time"),
        ] {
            let found = read(&WHOLE.replace("FACT: The host clears the environment.", answer));
            assert_eq!((found.kind, found.answer.as_str()), (kind, text), "{answer}");
        }
    }

    #[test]
    fn an_unclear_answer_is_refused() {
        for (answer, message) in [
            ("It is so.", "the answer begins with none of 'FACT: …'"),
            ("The FACT: it is so", "the answer begins with none of"),
            ("```\nFACT: x\n```", "the answer begins with none of"),
            ("FACT / UNKNOWN: x", "the answer begins with none of"),
            ("FACT: UNKNOWN: x", "the answer begins with none of"),
            ("FACT: a\nUNKNOWN: b", "the answer is both FACT and UNKNOWN"),
            ("FACT:", "FACT says nothing"),
            ("UNKNOWN: .", "UNKNOWN gives no reason"),
            ("MEASURE FIRST", "MEASURE FIRST says nothing"),
        ] {
            let (found, problems) =
                read_investigation(&WHOLE.replace("FACT: The host clears the environment.", answer));
            assert_eq!((found, problems.len(), problems[0].line), (None, 1, 1), "{answer}");
            assert!(problems[0].message.starts_with(message), "{answer}: {problems:?}");
        }
        assert_eq!(messages("").len(), 2);
    }

    #[test]
    fn facts_and_measurements_need_evidence() {
        let with = |kind: &str, evidence: &str| {
            messages(&WHOLE.replace("FACT:", kind).replace("- `src/spawn.rs:88`: `env_clear()`\n", evidence))
        };
        for evidence in [
            "- src/spawn.rs:88\n",
            "```\n$ env -i true\n```\n",
            "I started the host twice and printed the environment.\n",
            "- https://example.org/x (2026-11-16): the manual\n",
            "- looked\n- `env`\n",
        ] {
            assert_eq!(with("FACT:", evidence), [], "{evidence}");
            assert_eq!(with("MEASURE FIRST:", evidence), [], "{evidence}");
        }
        for evidence in ["", "None.\n", "None: I did not look at all of it\n", "- the code\n"] {
            assert!(
                with("FACT:", evidence)[0].1.starts_with("FACT has no evidence: list a place"),
                "{evidence}"
            );
            assert!(with("MEASURE FIRST:", evidence)[0].1.starts_with("MEASURE FIRST has no evidence"));
            assert_eq!(with("UNKNOWN:", evidence), [], "{evidence}");
        }
        let without = WHOLE.replace("## Evidence\n- `src/spawn.rs:88`: `env_clear()`\n", "");
        assert!(messages(&without)[0].1.starts_with("the section 'Evidence' is missing"));
        assert_eq!(messages(&without.replace("FACT", "UNKNOWN")), []);
    }

    #[test]
    fn the_consequence_is_said() {
        for (consequence, message) in [
            ("", "the section 'Consequence for the plan' is empty"),
            ("None.", "the consequence is None without a reason"),
        ] {
            let found = messages(&WHOLE.replace("The guard reads a file.", consequence));
            assert_eq!((found.len(), found[0].0), (1, 7));
            assert!(found[0].1.starts_with(message), "{found:?}");
        }
        assert_eq!(
            messages(&WHOLE.replace("The guard reads a file.", "None: the plan says so already.")),
            []
        );
        let missing = WHOLE.replace("## Consequence for the plan\n", "");
        assert_eq!(messages(&missing), [(1, "the section 'Consequence for the plan' is missing".to_owned())]);
    }

    #[test]
    fn sources_have_an_address_and_perhaps_a_day() {
        let with = |source: &str| WHOLE.split("- <https").next().unwrap().to_owned() + source;
        for (source, line) in [
            (
                "- <https://example.org> (2026-11-16): says so",
                "- <https://example.org> (2026-11-16): says so",
            ),
            ("- <https://example.org>: says so", "- <https://example.org> (date not given): says so"),
            ("- <https://example.org> (2026-11-16)", "- <https://example.org> (2026-11-16)"),
        ] {
            assert_eq!(messages(&with(source)), [], "{source}");
            assert_eq!(read(&with(source)).sources.iter().map(source_line).collect::<Vec<_>>(), [line]);
        }
        for nothing in ["None", "- the manual (2026-11-17): says so"] {
            assert_eq!(messages(&with(nothing)), []);
            assert_eq!(read(&with(nothing)).sources, []);
        }
        let cited = WHOLE.replace("- `src", "- <https://example.org/other> says so\n- `src");
        assert_eq!((messages(&cited), read(&cited).sources.len()), (vec![], 2));
        assert_eq!(read(&cited.replace("a_(b)", "other")).sources.len(), 1);
    }

    prop_compose! {
        fn any_investigation()(
            kind in prop::sample::select(AnswerKind::ALL.to_vec()),
            answer in "[a-z]{1,8}( [a-z`*]{1,8}){0,5}",
            evidence in prop::collection::vec("`[a-z]{1,9}\\.rs:[1-9]`: [a-z]{1,9}", 1..4),
            consequence in "[a-z]{1,8}( [a-z]{1,8}){2,5}",
            days in prop::collection::vec("2026-1[0-2]-[12][0-9]", 0..3),
        ) -> Investigation {
            let source = |(n, date): (usize, &String)| Source {
                address: format!("https://example.org/{n}?a=b"), date: date.clone(), what: "it says so".to_owned(),
            };
            let sources = days.iter().enumerate().map(source).collect();
            Investigation { kind, answer: flat(&answer), evidence, consequence, sources }
        }
    }

    proptest! {
        #[test]
        fn written_answers_parse_again(investigation in any_investigation()) {
            let consequence = investigation.consequence.starts_with("none");
            prop_assume!(!consequence);
            prop_assert_eq!(read_investigation(&write_investigation(&investigation)), (Some(investigation), vec![]));
        }

        #[test]
        fn no_answer_is_too_strange(text in "((## |Answer|Evidence|Consequence|Sources|FACT:|UNKNOWN|\\*\\*|- |`|https://|\\(|\\)|2026-11-17|\r|\n|\0|\\PC){0,4}){0,20}") {
            read_investigation(&text);
        }
    }
}
