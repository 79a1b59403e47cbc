//! The survey: one look, put in order, with what can be said about the best files.

use crate::facts;
use crate::facts::risks::end_of_code;
use crate::facts::tests::Candidate;
use crate::history::log;
use crate::look::{Look, look};
use crate::outline::{Defined, outline};
use crate::portions::in_portions;
use crate::rank::evidence::Evidence;
use crate::rank::order::{Ranked, order};
use crate::rank::reasons::{LIKE, Reasons};
use crate::rank::weights::Weights;
use crate::rank::{past, text};
use crate::report::{Import, Lines, RankedFile, Risk, SimilarCommit, Survey, Symbol};
use crate::tree::content;
use crate::tree::kind::Kind;
use crate::words::split::{is_wide, terms, words};
use charrette_git::Git;
use std::path::{Path, PathBuf};

/// What is asked, and of which repository.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The root of the work tree.
    pub root: &'a Path,
    /// The feature, in a person's words.
    pub request: &'a str,
    /// How many files to name.
    pub top: usize,
    /// Where to remember what was seen, if anywhere.
    pub cache: Option<&'a Path>,
}

/// Why nothing could be said.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// There is no such folder.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
}

/// So many files are looked into for symbols, tests and risks, however many are named.
pub(crate) const LOOKED_INTO: usize = 12;
const MOST_SYMBOLS_PER_FILE: usize = 5;
const MOST_RISKS: usize = 24;
const MOST_COMMITS: usize = 6;
const MOST_COMMIT_FILES: usize = 12;

/// Surveys a repository for a request.
pub fn survey(ask: Ask<'_>) -> Result<Survey, SurveyError> {
    if !ask.root.is_dir() {
        return Err(SurveyError::NotAFolder(ask.root.to_owned()));
    }
    let look = look(ask.root, ask.request, ask.cache);
    let evidence = &look.evidence;
    let partners = look.partners();
    let ranked = order(evidence, &partners, &Weights::default());
    let likeness = past::likeness(evidence);
    let reasons = Reasons::new(evidence, &ranked, &partners, &likeness);
    let named: Vec<&Ranked> = ranked.iter().take(ask.top).collect();
    let files = named.iter().map(|ranked| ranked_file(evidence, ranked, &reasons)).collect();
    let texts: Vec<(usize, String)> = named
        .iter()
        .take(LOOKED_INTO)
        .filter_map(|ranked| {
            Some((ranked.file, content::read_text(ask.root, &evidence.files[ranked.file].path)?))
        })
        .collect();
    let candidates: Vec<Candidate<'_>> =
        texts.iter().map(|(file, text)| Candidate { file: *file, text }).collect();
    let tests = facts::tests::find(evidence, &candidates, &partners);
    let covered: Vec<&str> = tests.iter().flat_map(|test| &test.covers).map(String::as_str).collect();
    let languages = facts::stack::languages(&look.listed);
    Ok(Survey {
        request: ask.request.to_owned(),
        head: look.head.clone(),
        files,
        symbols: symbols(evidence, &texts),
        risks: risks(evidence, &texts, &covered),
        tests,
        commands: facts::commands::find(ask.root, &look.listed, &languages),
        conventions: facts::conventions::find(evidence, &look.listed),
        similar_commits: similar_commits(evidence, &likeness),
        changes: facts::changes::find(evidence, &named.iter().map(|ranked| ranked.file).collect::<Vec<_>>()),
        imports: imports(evidence, &named),
        dependencies: facts::stack::dependencies(ask.root, &look.listed),
        languages,
        notes: notes(ask, &look),
    })
}

fn ranked_file(evidence: &Evidence, ranked: &Ranked, reasons: &Reasons<'_>) -> RankedFile {
    let file = &evidence.files[ranked.file];
    RankedFile {
        path: file.path.clone(),
        score: (ranked.score * 1000.0).round() / 1000.0,
        reasons: reasons.of(ranked),
        kind: file.kind.name().to_owned(),
        lines: lines(evidence, ranked.file),
    }
}

fn lines(evidence: &Evidence, file: usize) -> Option<Lines> {
    evidence.passages.get(&file).map(|passage| Lines { first: passage.first, last: passage.last })
}

/// What the best files define that the request is about; for each file the best, in order of lines.
fn symbols(evidence: &Evidence, texts: &[(usize, String)]) -> Vec<Symbol> {
    let rarity = text::rarity(evidence);
    let mut all = Vec::new();
    let outlines =
        in_portions(texts, 1, || |(file, text): &(usize, String)| outline(&evidence.files[*file].path, text));
    for ((file, text), outline) in texts.iter().zip(outlines) {
        let path = &evidence.files[*file].path;
        let end = end_of_code(path, text);
        let near = lines(evidence, *file);
        let mut found: Vec<(f64, Defined)> = outline
            .into_iter()
            .filter(|defined| defined.line <= end)
            .map(|defined| (worth(evidence, &rarity, &defined, near), defined))
            .filter(|(worth, _)| *worth > 0.0)
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.line.cmp(&b.1.line)));
        found.truncate(MOST_SYMBOLS_PER_FILE);
        found.sort_by_key(|(_, defined)| defined.line);
        all.extend(found.into_iter().map(|(_, defined)| Symbol {
            name: defined.name,
            kind: defined.kind.to_owned(),
            path: path.clone(),
            line: defined.line,
        }));
    }
    all
}

/// How much of the request stands in a name, and whether the name is where the request's words are.
fn worth(evidence: &Evidence, rarity: &[f64], defined: &Defined, near: Option<Lines>) -> f64 {
    let mut found = vec![false; rarity.len()];
    for (_, word) in words(defined.name.as_bytes()) {
        terms(word, |term, _| {
            if let Some(at) = evidence.query.terms.iter().position(|wanted| wanted.term == term) {
                found[at] = true;
            }
        });
    }
    let named: f64 =
        (0..found.len()).filter(|n| found[*n]).map(|n| rarity[n] * evidence.query.terms[n].weight).sum();
    let around = near.is_some_and(|near| defined.line <= near.last && defined.last >= near.first);
    if around && matches!(defined.kind, "function" | "method" | "heading") { named + 1.0 } else { named }
}

fn risks(evidence: &Evidence, texts: &[(usize, String)], covered: &[&str]) -> Vec<Risk> {
    let mut all = Vec::new();
    for (file, text) in texts {
        let known = &evidence.files[*file];
        if known.kind != Kind::Source {
            continue;
        }
        all.extend(facts::risks::in_file(&known.path, text, lines(evidence, *file)));
        if !covered.contains(&known.path.as_str()) && text.lines().count() > 20 {
            let text = "no test was found that covers this file".to_owned();
            all.push(Risk { path: known.path.clone(), line: 1, kind: "untested".to_owned(), text });
        }
    }
    all.truncate(MOST_RISKS);
    all
}

fn similar_commits(evidence: &Evidence, likeness: &[f64]) -> Vec<SimilarCommit> {
    let mut like: Vec<usize> = (0..likeness.len()).filter(|nth| likeness[*nth] >= LIKE).collect();
    like.sort_by(|a, b| likeness[*b].total_cmp(&likeness[*a]).then(a.cmp(b)));
    like.truncate(MOST_COMMITS);
    let commit = |nth: usize| {
        let commit = &evidence.commits[nth];
        let files = commit.files.iter().take(MOST_COMMIT_FILES);
        let files = files.map(|file| evidence.files[*file as usize].path.clone()).collect();
        SimilarCommit { id: commit.id.clone(), subject: commit.subject.clone(), files }
    };
    like.into_iter().map(commit).collect()
}

/// Who of the named files uses whom.
fn imports(evidence: &Evidence, named: &[&Ranked]) -> Vec<Import> {
    let is_named = |file: usize| named.iter().any(|ranked| ranked.file == file);
    let mut all = Vec::new();
    for from in named.iter().map(|ranked| ranked.file) {
        let to = evidence.imports.get(&from).into_iter().flatten().filter(|to| is_named(**to));
        all.extend(to.map(|to| Import {
            from: evidence.files[from].path.clone(),
            to: evidence.files[*to].path.clone(),
        }));
    }
    all
}

fn notes(ask: Ask<'_>, look: &Look) -> Vec<String> {
    let mut notes = Vec::new();
    let words: Vec<&str> =
        look.evidence.query.terms.iter().filter(|term| !term.pair).map(|term| term.word.as_str()).collect();
    if words.is_empty() {
        notes.push("The request has no word that could be looked for.".to_owned());
    } else if look.evidence.hits.is_empty() {
        notes.push("No word of the request stands anywhere in the repository.".to_owned());
    } else {
        notes.extend(unknown_words(&look.evidence));
    }
    if look.head.is_none() && !Git::new(ask.root).agrees(&["--version"]) {
        notes.push("The git program is not there, so nothing is said about history.".to_owned());
    } else if look.head.is_none() {
        notes.push("There are no commits, so nothing is said about history.".to_owned());
    } else if log::is_shallow(ask.root) {
        notes.push("This is a shallow clone: history is known only in part.".to_owned());
    }
    if look.unnameable > 0 {
        notes.push(format!("{} files have names that are not UTF-8 and were left out.", look.unnameable));
    }
    notes
}

/// How the note about words that stand nowhere begins.
pub(crate) const UNKNOWN_WORDS: &str = "Nowhere in the repository:";
const MOST_UNKNOWN: usize = 8;
const LONGEST_WORD: usize = 40;

/// The words of the request that no file has.
fn unknown_words(evidence: &Evidence) -> Option<String> {
    let mut met = vec![false; evidence.query.terms.len()];
    evidence.hits.iter().for_each(|hit| met[hit.term] = true);
    let terms = evidence.query.terms.iter().zip(met);
    // Half of a word in a script without blanks is no word, and nobody writes words of that length.
    let is_word = |word: &str| !is_wide(word) && word.len() <= LONGEST_WORD;
    let unknown = terms.filter(|(term, met)| !met && !term.pair && !term.is_common() && is_word(&term.word));
    let words: Vec<String> =
        unknown.map(|(term, _)| format!("\"{}\"", term.word)).take(MOST_UNKNOWN).collect();
    (!words.is_empty()).then(|| format!("{UNKNOWN_WORDS} {}.", words.join(", ")))
}
