//! The survey: a snapshot of the repository, ranked, with facts about the best files.

use crate::facts;
use crate::facts::risks::end_of_code;
use crate::facts::tests::TestedFile;
use crate::history::log;
use crate::imports::Modules;
use crate::outline::{Definition, outline};
use crate::parallel::parallel_map;
use crate::rank::evidence::Evidence;
use crate::rank::order::{ScoredFile, rank_files};
use crate::rank::passage::{PASSAGE_LINES, modules};
use crate::rank::reasons::{Reasons, SIMILAR_SUBJECT};
use crate::rank::weights::Weights;
use crate::rank::{commits, text};
use crate::report::{
    Dependency, DependencySource, Import, LineRange, RankedFile, Risk, SimilarCommit, SourceCount, Survey,
    Symbol,
};
use crate::snapshot::{RepositorySnapshot, take_snapshot};
use crate::sources::find::{Lookup, find_sources};
use crate::sources::roots::SourceRoots;
use crate::tree::content;
use crate::tree::kind::FileKind;
use crate::words::split::{is_wide, terms, words};
use charrette_git::Git;
use std::path::{Path, PathBuf};

/// Options of a survey.
#[derive(Debug, Clone, Copy)]
pub struct SurveyOptions<'a> {
    /// Root of the work tree.
    pub root: &'a Path,
    /// The feature, in the user's words.
    pub request: &'a str,
    /// Maximum number of files to rank.
    pub top: usize,
    /// Folder of the index cache, if one is to be used.
    pub cache: Option<&'a Path>,
    /// Folders of this machine with the sources of dependencies; without them none are looked for.
    pub sources: Option<&'a SourceRoots>,
}

/// Errors of [`survey`].
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
}

/// Number of top files inspected for symbols, tests and risks, even if more are ranked.
pub(crate) const INSPECTED_FILES: usize = 12;
const MAX_SYMBOLS_PER_FILE: usize = 5;
const MAX_RISKS: usize = 24;
const MAX_COMMITS: usize = 6;
const MAX_COMMIT_FILES: usize = 12;

/// Surveys a repository for a request.
pub fn survey(options: SurveyOptions<'_>) -> Result<Survey, SurveyError> {
    if !options.root.is_dir() {
        return Err(SurveyError::NotAFolder(options.root.to_owned()));
    }
    let snapshot = take_snapshot(options.root, options.request, options.cache);
    let evidence = &snapshot.evidence;
    let test_pairs = snapshot.test_pairs();
    let ranked = rank_files(evidence, &test_pairs, &Weights::default());
    let similarity = commits::subject_similarity(evidence);
    let reasons = Reasons::new(evidence, &ranked, &test_pairs, &similarity);
    let named: Vec<&ScoredFile> = ranked.iter().take(options.top).collect();
    let files = named.iter().map(|ranked| ranked_file(evidence, ranked, &reasons)).collect();
    let texts: Vec<(usize, String)> = named
        .iter()
        .take(INSPECTED_FILES)
        .filter_map(|ranked| {
            Some((ranked.file, content::read_text(options.root, &evidence.files[ranked.file].path)?))
        })
        .collect();
    let outlines = parallel_map(&texts, 1, || {
        |(file, text): &(usize, String)| outline(&evidence.files[*file].path, text)
    });
    let modules = modules(options.root, &evidence.files);
    let tested = texts.iter().zip(&outlines);
    let tested: Vec<TestedFile<'_>> =
        tested.map(|((file, text), definitions)| TestedFile { file: *file, text, definitions }).collect();
    let tests = facts::tests::find(options.root, evidence, &modules, &tested);
    let languages = facts::stack::languages(&snapshot.listed);
    let dependencies = facts::stack::dependencies(options.root, &snapshot.listed);
    let (sources, sources_found) = sources(options, &snapshot, &dependencies, &texts);
    Ok(Survey {
        request: options.request.to_owned(),
        head: snapshot.head.clone(),
        files,
        symbols: symbols(evidence, &texts, outlines),
        risks: risks(evidence, &texts),
        tests,
        commands: facts::commands::find(options.root, &snapshot.listed, &languages),
        conventions: facts::conventions::find(evidence, &snapshot.listed),
        similar_commits: similar_commits(evidence, &similarity),
        changes: facts::changes::find(evidence, &named.iter().map(|ranked| ranked.file).collect::<Vec<_>>()),
        imports: imports(options.root, evidence, &modules, &named),
        dependencies,
        sources,
        sources_found,
        languages,
        notes: notes(options, &snapshot),
    })
}

fn ranked_file(evidence: &Evidence, ranked: &ScoredFile, reasons: &Reasons<'_>) -> RankedFile {
    let file = &evidence.files[ranked.file];
    RankedFile {
        path: file.path.clone(),
        score: (ranked.score * 1000.0).round() / 1000.0,
        reasons: reasons.explain(ranked),
        kind: file.kind.name().to_owned(),
        lines: lines(evidence, ranked.file),
    }
}

/// The definition that the request names, else the best passage.
fn lines(evidence: &Evidence, file: usize) -> Option<LineRange> {
    let requested = evidence.requested.iter().find(|definition| definition.file == file);
    if let Some(definition) = requested {
        let last = definition.last.min(definition.line + PASSAGE_LINES - 1);
        return Some(LineRange { first: definition.line, last });
    }
    evidence.passages.get(&file).map(|passage| LineRange { first: passage.first, last: passage.last })
}

/// Definitions of the best files that match the request; for each file the best, in order of lines.
fn symbols(evidence: &Evidence, texts: &[(usize, String)], outlines: Vec<Vec<Definition>>) -> Vec<Symbol> {
    let idf = text::idf(evidence);
    let mut all = Vec::new();
    for ((file, text), outline) in texts.iter().zip(outlines) {
        let path = &evidence.files[*file].path;
        let end = end_of_code(path, text);
        let near = lines(evidence, *file);
        let mut found: Vec<(f64, Definition)> = outline
            .into_iter()
            .filter(|definition| definition.line <= end)
            .map(|definition| (symbol_score(evidence, &idf, &definition, near), definition))
            .filter(|(worth, _)| *worth > 0.0)
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.line.cmp(&b.1.line)));
        found.truncate(MAX_SYMBOLS_PER_FILE);
        found.sort_by_key(|(_, definition)| definition.line);
        all.extend(found.into_iter().map(|(_, definition)| Symbol {
            name: definition.name,
            kind: definition.kind.to_owned(),
            path: path.clone(),
            line: definition.line,
        }));
    }
    // What the request names comes first.
    let named = |symbol: &Symbol| {
        !evidence.requested.iter().any(|definition| {
            definition.line == symbol.line && evidence.files[definition.file].path == symbol.path
        })
    };
    all.retain(named);
    let requested = evidence.requested.iter().map(|definition| Symbol {
        name: definition.name.clone(),
        kind: definition.kind.to_owned(),
        path: evidence.files[definition.file].path.clone(),
        line: definition.line,
    });
    requested.chain(all).collect()
}

/// Score of a definition: the request's words in its name, and one more if it overlaps the best passage.
fn symbol_score(evidence: &Evidence, idf: &[f64], definition: &Definition, near: Option<LineRange>) -> f64 {
    let mut found = vec![false; idf.len()];
    for (_, word) in words(definition.name.as_bytes()) {
        terms(word, |term, _| {
            if let Some(at) = evidence.query.terms.iter().position(|wanted| wanted.term == term) {
                found[at] = true;
            }
        });
    }
    let named: f64 =
        (0..found.len()).filter(|n| found[*n]).map(|n| idf[n] * evidence.query.terms[n].weight).sum();
    let around = near.is_some_and(|near| definition.line <= near.last && definition.last >= near.first);
    if around && matches!(definition.kind, "function" | "method" | "heading") { named + 1.0 } else { named }
}

fn risks(evidence: &Evidence, texts: &[(usize, String)]) -> Vec<Risk> {
    let mut all = Vec::new();
    for (file, text) in texts {
        let known = &evidence.files[*file];
        if known.kind != FileKind::Source {
            continue;
        }
        all.extend(facts::risks::find_risks(&known.path, text, lines(evidence, *file)));
    }
    all.truncate(MAX_RISKS);
    all
}

fn similar_commits(evidence: &Evidence, similarity: &[f64]) -> Vec<SimilarCommit> {
    let mut like: Vec<usize> =
        (0..similarity.len()).filter(|nth| similarity[*nth] >= SIMILAR_SUBJECT).collect();
    like.sort_by(|a, b| similarity[*b].total_cmp(&similarity[*a]).then(a.cmp(b)));
    like.truncate(MAX_COMMITS);
    let commit = |nth: usize| {
        let commit = &evidence.commits[nth];
        let files = commit.files.iter().take(MAX_COMMIT_FILES);
        let files = files.map(|file| evidence.files[*file as usize].path.clone()).collect();
        SimilarCommit { id: commit.id.clone(), subject: commit.subject.clone(), files }
    };
    like.into_iter().map(commit).collect()
}

/// Imports between the ranked files.
fn imports(root: &Path, evidence: &Evidence, modules: &Modules<'_>, named: &[&ScoredFile]) -> Vec<Import> {
    let path = |file: usize| evidence.files[file].path.as_str();
    let imported = parallel_map(named, 4, || {
        |from: &&ScoredFile| {
            let text = content::read_text(root, path(from.file)).unwrap_or_default();
            modules.resolve_imports(path(from.file), &text)
        }
    });
    let mut all = Vec::new();
    for (from, imported) in named.iter().zip(imported) {
        let to = imported.into_iter().filter(|to| named.iter().any(|ranked| ranked.file == *to));
        all.extend(to.map(|to| Import { from: path(from.file).to_owned(), to: path(to).to_owned() }));
    }
    all
}

/// Sources of the dependencies on this machine.
fn sources(
    options: SurveyOptions<'_>,
    snapshot: &RepositorySnapshot,
    declared: &[Dependency],
    texts: &[(usize, String)],
) -> (Vec<DependencySource>, SourceCount) {
    let Some(roots) = options.sources else { return Default::default() };
    let lookup = Lookup { root: options.root, listed: &snapshot.listed, declared, roots };
    let path = |file: usize| snapshot.evidence.files[file].path.as_str();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(file, text)| (path(*file), text.as_str())).collect();
    find_sources(&lookup, &texts)
}

fn notes(options: SurveyOptions<'_>, snapshot: &RepositorySnapshot) -> Vec<String> {
    let mut notes = Vec::new();
    let words: Vec<&str> = snapshot
        .evidence
        .query
        .terms
        .iter()
        .filter(|term| !term.pair)
        .map(|term| term.word.as_str())
        .collect();
    if words.is_empty() {
        notes.push("The request has no searchable word.".to_owned());
    } else if snapshot.evidence.hits.is_empty() {
        notes.push("No word of the request stands anywhere in the repository.".to_owned());
    } else {
        notes.extend(unknown_words(&snapshot.evidence));
    }
    if snapshot.head.is_none() && !Git::new(options.root).succeeds(&["--version"]) {
        notes.push("The git program was not found, so the history is unknown.".to_owned());
    } else if snapshot.head.is_none() {
        notes.push("There are no commits, so nothing is said about history.".to_owned());
    } else if log::is_shallow(options.root) {
        notes.push("This is a shallow clone: history is known only in part.".to_owned());
    }
    if snapshot.non_utf8_names > 0 {
        notes.push(format!(
            "{} files have names that are not UTF-8 and were left out.",
            snapshot.non_utf8_names
        ));
    }
    notes
}

/// Prefix of the note about request words that occur nowhere.
pub(crate) const UNKNOWN_WORDS: &str = "Nowhere in the repository:";
const MAX_UNKNOWN: usize = 8;
const MAX_WORD_BYTES: usize = 40;

/// Note about the request words that no file contains.
fn unknown_words(evidence: &Evidence) -> Option<String> {
    let mut met = vec![false; evidence.query.terms.len()];
    evidence.hits.iter().for_each(|hit| met[hit.term] = true);
    let terms = evidence.query.terms.iter().zip(met);
    // In a script without blanks a term is half a word, and longer words than this are not words.
    let is_word = |word: &str| !is_wide(word) && word.len() <= MAX_WORD_BYTES;
    let unknown = terms.filter(|(term, met)| !met && !term.pair && !term.common && is_word(&term.word));
    let words: Vec<String> =
        unknown.map(|(term, _)| format!("\"{}\"", term.word)).take(MAX_UNKNOWN).collect();
    (!words.is_empty()).then(|| format!("{UNKNOWN_WORDS} {}.", words.join(", ")))
}
