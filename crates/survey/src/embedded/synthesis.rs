//! The synthesist: agreement and disagreement of the sketches, judged by the files they cite.
//!
//! A decision is contested only if the texts show it: another file to begin in, or explicitly opposite approaches.

use super::citable_facts::{NO_MODEL, is_citable, join_list};
use super::draft::DraftError;
use super::inputs::DraftInputs;
use crate::tree::kind::{FileKind, file_kind};
use charrette_model::panel::citations;
use charrette_model::panel::decisions::{Decision, Impact, write_decisions};
use charrette_model::seats::files::join_files;

/// A sketch and the existing files it cites.
struct Sketch<'a> {
    name: &'a str,
    text: String,
    files: Vec<String>,
}

/// Writes the synthesis and the contested decisions.
pub(super) fn synthesise(inputs: &DraftInputs<'_>) -> Result<String, DraftError> {
    let sketches: Vec<Sketch<'_>> = inputs
        .artifacts_like("", "-sketch-", "-output.txt")
        .into_iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(name, text)| Sketch { name, text: text.to_lowercase(), files: cited_files(inputs, text) })
        .collect();
    if sketches.is_empty() {
        return Err(DraftError::Missing("sketches"));
    }
    let decisions = contested_decisions(&sketches);
    let synthesis = render_synthesis(&sketches, &decisions);
    let notice = if decisions.is_empty() { String::new() } else { format!("> {NO_MODEL}\n\n") };
    let decisions = format!("{notice}{}", write_decisions(&decisions));
    Ok(join_files(&[("approach-synthesis.txt", &synthesis), ("contested-decisions.md", &decisions)]))
}

/// Existing files a text cites, each once, in order.
pub(super) fn cited_files(inputs: &DraftInputs<'_>, text: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for path in citations::paths(text).into_iter().map(strip_line) {
        if !files.iter().any(|known| known == path) && is_citable(path) && inputs.files.lines(path).is_some()
        {
            files.push(path.to_owned());
        }
    }
    files
}

/// A citation without its line.
pub(super) fn strip_line(citation: &str) -> &str {
    citation
        .rsplit_once(':')
        .filter(|(_, line)| line.starts_with(|c: char| c.is_ascii_digit()))
        .map_or(citation, |(path, _)| path)
}

/// First file of each sketch, with the sketches that begin there.
fn starting_files<'a>(sketches: &'a [Sketch<'a>]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut starts: Vec<(&str, Vec<&str>)> = Vec::new();
    for sketch in sketches {
        let code = sketch.files.iter().find(|path| matches!(file_kind(path), Some(FileKind::Source)));
        let Some(first) = code.or(sketch.files.first()) else { continue };
        match starts.iter_mut().find(|(file, _)| file == first) {
            Some((_, names)) => names.push(sketch.name),
            None => starts.push((first, vec![sketch.name])),
        }
    }
    // Ties keep the order of names, so that the same sketches always give the same synthesis.
    starts.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    starts
}

fn contested_decisions(sketches: &[Sketch<'_>]) -> Vec<Decision> {
    let mut decisions = Vec::new();
    if let [(chosen, supporters), (alternative, others), ..] = starting_files(sketches).as_slice() {
        decisions.push(Decision {
            n: 1,
            title: "Where the change begins".to_owned(),
            chosen: format!("The change begins in {chosen}."),
            alternative: format!("The change begins in {alternative}."),
            tension: format!(
                "For the first: {}. For the second: {}.",
                join_list(supporters),
                join_list(others)
            ),
            impact: Impact::High,
            affected_files: vec![(*chosen).to_owned(), (*alternative).to_owned()],
        });
    }
    for opposite in &OPPOSITES {
        let says = |marks: &[&str]| -> Vec<&str> {
            sketches
                .iter()
                .filter(|sketch| marks.iter().any(|mark| sketch.text.contains(mark)))
                .map(|sketch| sketch.name)
                .collect()
        };
        let (one, other) = (says(opposite.one), says(opposite.other));
        // A sketch that mentions both sides takes neither.
        let one: Vec<&str> = one.iter().filter(|name| !other.contains(name)).copied().collect();
        let other: Vec<&str> =
            other.iter().filter(|name| !says(opposite.one).contains(name)).copied().collect();
        if one.is_empty() || other.is_empty() {
            continue;
        }
        let files = sketches.iter().filter_map(|sketch| sketch.files.first()).fold(
            Vec::new(),
            |mut all: Vec<String>, file| {
                if !all.contains(file) {
                    all.push(file.clone());
                }
                all
            },
        );
        decisions.push(Decision {
            n: u32::try_from(decisions.len() + 1).unwrap_or(1),
            title: opposite.title.to_owned(),
            chosen: opposite.chosen.to_owned(),
            alternative: opposite.alternative.to_owned(),
            tension: format!("For the first: {}. For the second: {}.", join_list(&one), join_list(&other)),
            impact: Impact::Medium,
            affected_files: files,
        });
    }
    decisions
}

/// Two opposite approaches, and phrases that reveal which one a sketch takes.
struct Opposite {
    title: &'static str,
    one: &'static [&'static str],
    chosen: &'static str,
    other: &'static [&'static str],
    alternative: &'static str,
}

/// The first of each pair is the smaller change.
const OPPOSITES: [Opposite; 2] = [
    Opposite {
        title: "An existing file or a new one",
        one: &["existing file", "no new file", "no new module", "extend the existing"],
        chosen: "The change goes into existing files.",
        other: &["(new)", "a new file", "a new module", "new crate", "new package"],
        alternative: "The change gets a file of its own.",
    },
    Opposite {
        title: "A new dependency or none",
        one: &["no new dependency", "no new dependencies", "without a new dependency", "standard library"],
        chosen: "Nothing is added to the manifest.",
        other: &["add the dependency", "new dependency on", "add a dependency", "new crate from"],
        alternative: "A dependency is added that does it.",
    },
];

fn render_synthesis(sketches: &[Sketch<'_>], decisions: &[Decision]) -> String {
    let mut shared: Vec<(&str, usize)> = Vec::new();
    for file in sketches.iter().flat_map(|sketch| &sketch.files) {
        match shared.iter_mut().find(|(known, _)| known == file) {
            Some((_, count)) => *count += 1,
            None => shared.push((file, 1)),
        }
    }
    shared.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let agreed: Vec<String> = shared
        .iter()
        .filter(|(_, count)| *count > 1)
        .take(6)
        .map(|(file, count)| format!("{file} ({count} of {})", sketches.len()))
        .collect();
    let agreement = match agreed.as_slice() {
        [] => "No file is named by more than one sketch.".to_owned(),
        agreed => format!("More than one sketch names {}.", join_list(agreed)),
    };
    let divergence = match decisions {
        [] => "No sketch contradicts another in what it names.".to_owned(),
        decisions => decisions.iter().map(describe_divergence).collect::<Vec<_>>().join(" "),
    };
    let taken: Vec<String> = sketches.iter().map(sketch_summary).collect();
    format!(
        "{NO_MODEL}\n\nAgreement. {agreement}\n\nDivergence. {divergence}\n\nIdeas taken. {}\n",
        taken.join(" ")
    )
}

fn describe_divergence(decision: &Decision) -> String {
    let Decision { title, chosen, alternative, tension, .. } = decision;
    let call = "Until it is debated, the first stands: more sketches name it, or it is the smaller change.";
    format!("{title}: {chosen} Against it: {alternative} {tension} {call}")
}

fn sketch_summary(sketch: &Sketch<'_>) -> String {
    let files = &sketch.files[..sketch.files.len().min(4)];
    let files = if files.is_empty() { "nothing that exists".to_owned() } else { join_list(files) };
    format!("From {}: {files}.", sketch.name)
}
