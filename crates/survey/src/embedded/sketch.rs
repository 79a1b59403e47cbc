//! The sketches, one per lens.
//!
//! Structure and reuse; failures and boundaries; what manifests and history offer; the smallest
//! set of files and its tests. Three paragraphs each: decisions, files, trade-offs.

use super::citable_facts::{
    CitableFacts, NO_MODEL, file_citation, is_citable, join_list, risk_citation, risk_clause, sanitize,
};
use super::inputs::DraftInputs;
use crate::report::RankedFile;
use crate::tree::kind::language;

/// Text of a sketch if the survey found no file.
const NO_FILES: &str = "No file of the repository has words of the request, so there is nothing to build on; a person must name the place.";

/// Architecture lens: structure and reuse.
pub(super) fn architecture(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let sources = facts.sources();
    let Some(first) = facts.first() else { return empty_sketch() };
    let symbols: Vec<String> = facts
        .symbols_of(&first.path)
        .iter()
        .take(3)
        .map(|symbol| format!("{} ({}:{})", sanitize(&symbol.name, 60), symbol.path, symbol.line))
        .collect();
    let reuse = if symbols.is_empty() {
        String::new()
    } else {
        format!(" What it defines already should be reused rather than repeated: {}.", join_list(&symbols))
    };
    let guides: Vec<String> = inputs
        .survey
        .conventions
        .iter()
        .filter(|convention| convention.kind == "guide" && !convention.text.contains("pull request"))
        .filter_map(|convention| Some((convention.path.as_deref()?, &convention.text)))
        .filter(|(path, _)| is_citable(path))
        .map(|(path, text)| format!("{path} ({})", sanitize(text, 60)))
        .take(2)
        .collect();
    let guides = if guides.is_empty() {
        String::new()
    } else {
        format!(" To be read before: {}.", join_list(&guides))
    };
    let decisions = format!(
        "The change belongs in the existing file {}: of all code that ships, most speaks for it.{reuse}{guides}",
        file_citation(first)
    );
    let mut files = vec![changed_files(&sources, 4, first)];
    for file in sources.iter().take(3) {
        let users = facts.users_of(&file.path);
        if !users.is_empty() {
            files.push(format!("{} is used by {}, which must keep working.", file.path, join_list(&users)));
        }
    }
    let large: Vec<String> = facts
        .risks()
        .iter()
        .filter(|risk| risk.kind == "large" && sources.iter().take(4).any(|file| file.path == risk.path))
        .map(|risk| {
            format!("{} ({})", risk.path, sanitize(risk.text.split(':').next().unwrap_or_default(), 40))
        })
        .collect();
    let price = if large.is_empty() {
        "Staying inside an existing file is cheap now; if it gets a second job, a file of its own would have been better, and that is for a person to judge.".to_owned()
    } else {
        format!(
            "Staying inside an existing file adds to files that are large already: {}. Whether to split them first is for a person to judge.",
            join_list(&large)
        )
    };
    paragraphs(&[decisions, files.join(" "), price])
}

/// Edge lens: failures and boundaries.
pub(super) fn edges(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let Some(first) = facts.first() else { return empty_sketch() };
    let risks = facts.risks();
    let fragile: Vec<_> = risks.iter().filter(|risk| risk.kind != "large").take(4).collect();
    let decisions = if fragile.is_empty() {
        format!(
            "Nothing in the files of this change looks fragile by itself, so the boundaries decide: what is empty, too long, malformed or asked twice must be reported where it enters, in the existing file {}.",
            file_citation(first)
        )
    } else {
        let places: Vec<String> =
            fragile.iter().map(|risk| format!("at {} {}", risk_citation(risk), risk_clause(risk))).collect();
        format!(
            "The change must be guarded where today's code is fragile: {}. Where new code rests on one of these, it has to report an error first; the implementer has to find out which of them it reaches.",
            join_list(&places)
        )
    };
    let mut paths: Vec<&str> = Vec::new();
    for path in fragile.iter().map(|risk| risk.path.as_str()).chain([first.path.as_str()]) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let mut tested = Vec::new();
    for path in paths.iter().take(3) {
        tested.push(match facts.covered_by(path) {
            None => format!("{path} has no test that was found, so it needs one before it changes."),
            Some(tests) => format!("{path} changes under the eyes of {tests}."),
        });
    }
    let price = "The price is more code for cases that may be rare. Which limits hold, what happens when two of these run at once, and whether half-finished work may stay are not in any file: a person must decide.".to_owned();
    paragraphs(&[decisions, tested.join(" "), price])
}

/// Innovation lens: manifests and history.
pub(super) fn innovation(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let Some(first) = facts.first() else { return empty_sketch() };
    let before = facts.commits().iter().find(|commit| commit.files.iter().any(|path| is_citable(path)));
    let related = facts.related_dependencies();
    let mut decisions = Vec::new();
    let mut files: Vec<&str> = Vec::new();
    if let Some(commit) = before {
        let id = commit.id.get(..9).unwrap_or(&commit.id);
        files = commit.files.iter().map(String::as_str).filter(|path| is_citable(path)).take(5).collect();
        decisions.push(format!(
            "Something like it was done before, by commit {id} (\"{}\"): the same shape may serve again.",
            sanitize(&commit.subject, 120)
        ));
    }
    if !related.is_empty() {
        let named: Vec<String> = related
            .iter()
            .take(3)
            .map(|dependency| {
                format!("{} ({}:{})", sanitize(&dependency.name, 60), dependency.path, dependency.line)
            })
            .collect();
        decisions.push(format!("The manifest already brings in {}; perhaps it does part of this, and no new dependency is needed.", join_list(&named)));
    }
    if decisions.is_empty() {
        let language = language(&first.path).map_or("its language", |language| language.name);
        decisions.push(format!("Neither manifest nor history offers an alternative. Before anything is written, the standard library of {} is the place to look, and then the existing file {}.", language, file_citation(first)));
    }
    let touched = if files.is_empty() {
        format!("That would touch {} first.", file_citation(first))
    } else {
        format!("That commit touched {}, so the change would go there again.", join_list(&files))
    };
    let price = match (before, related.is_empty()) {
        (Some(_), false) => {
            "What was right then need not be right now, and a dependency with a fitting name need not fit. Both are leads from names and subjects, not findings; a person must look before relying on them."
        }
        (Some(_), true) => {
            "What was right then need not be right now: it is a lead from a subject, not a finding, and a person must look before relying on it."
        }
        (None, false) => {
            "A dependency with a fitting name need not fit: it is a lead from a name, not a finding, and a person must look before relying on it."
        }
        (None, true) => {
            "Without a precedent the shape is open, and a person must decide it; whether a dependency is worth adding stands in no file."
        }
    };
    paragraphs(&[decisions.join(" "), touched, price.to_owned()])
}

/// Pragmatic lens: the smallest set of files, and its tests.
pub(super) fn pragmatic(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let Some(first) = facts.first() else { return empty_sketch() };
    let decisions = format!(
        "One existing file should be enough: {}. Everything else stays as it is until a test shows that it cannot.",
        file_citation(first)
    );
    let proof = match (facts.covered_by(&first.path), facts.test_command()) {
        (None, Some(run)) => {
            format!("No test was found for it, so one comes first; \"{}\" runs them.", sanitize(run, 100))
        }
        (None, None) => "No test was found for it, so one comes first.".to_owned(),
        (Some(tests), Some(run)) => format!("It is proven by {tests}, run with \"{}\".", sanitize(run, 100)),
        (Some(tests), None) => format!("It is proven by {tests}."),
    };
    let busy: Vec<&str> = facts
        .sources()
        .into_iter()
        .filter(|file| file.reasons.iter().any(|reason| reason.starts_with("changed often")))
        .map(|file| file.path.as_str())
        .take(3)
        .collect();
    let users = facts.users_of(&first.path);
    let mut price = Vec::new();
    if !busy.is_empty() {
        price.push(format!(
            "Much is changed in {}, so a small change there collides least.",
            join_list(&busy)
        ));
    }
    if !users.is_empty() {
        price.push(format!("It is used by {}, where nothing may be noticed of this.", join_list(&users)));
    }
    price.push(
        "What else the request may mean is left out, and a person must say if that is too little.".to_owned(),
    );
    paragraphs(&[decisions, format!("{} {proof}", changed_files(&[first], 1, first)), price.join(" ")])
}

/// No lens: structure, proof and risk together.
pub(super) fn generic(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let Some(first) = facts.first() else { return empty_sketch() };
    let decisions = format!(
        "The change begins in the existing file {}: of all code that ships, most speaks for it.",
        file_citation(first)
    );
    let tests = facts.tests();
    let tests = if tests.is_empty() {
        "No test was found.".to_owned()
    } else {
        format!("The tests are {}.", join_list(&tests[..tests.len().min(3)]))
    };
    let risks: Vec<String> = facts
        .risks()
        .iter()
        .take(2)
        .map(|risk| format!("at {} {}", risk_citation(risk), risk_clause(risk)))
        .collect();
    let risks = if risks.is_empty() {
        "Nothing in these files looks risky by itself.".to_owned()
    } else {
        format!("To mind: {}.", join_list(&risks))
    };
    let price = format!("{risks} What the behaviour must be in detail is for a person to decide.");
    paragraphs(&[decisions, format!("{} {tests}", changed_files(&facts.sources(), 3, first)), price])
}

/// Sentence about the files to change, each with its reason.
fn changed_files(sources: &[&RankedFile], most: usize, first: &RankedFile) -> String {
    let all =
        if sources.is_empty() { std::slice::from_ref(&first) } else { &sources[..sources.len().min(most)] };
    let each: Vec<String> = all
        .iter()
        .map(|file| {
            let reason = file
                .reasons
                .first()
                .map(|reason| format!(" (it {})", sanitize(reason, 140)))
                .unwrap_or_default();
            format!("{}{reason}", file.path)
        })
        .collect();
    format!("This changes {}.", join_list(&each))
}

fn empty_sketch() -> String {
    paragraphs(&[NO_FILES.to_owned(), "No file can be named.".to_owned(), "Everything is open.".to_owned()])
}

fn paragraphs(paragraphs: &[String]) -> String {
    format!("({NO_MODEL}) {}\n", paragraphs.join("\n\n"))
}
