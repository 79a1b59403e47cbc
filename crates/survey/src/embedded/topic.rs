//! The three researchers of a topic: structure, behaviour, history, as far as the survey knows.
//!
//! Each answers with a handoff response and cited prose below it. Every place is checked again before it is cited,
//! and foreign text (lines, commit subjects) is quoted so that nothing in it parses as a citation.

use super::citable_facts::{CitableFacts, is_citable, join_list, sanitize};
use super::inputs::DraftInputs;
use super::research::respond;
use crate::report::{FileChanges, RankedFile, Risk, SimilarCommit};
use crate::surveyor::INSPECTED_FILES;
use crate::tree::kind::stem;
use charrette_model::panel::places::defuse_citations;
use serde_json::{Value, json};

/// Maximum number of files described.
const MAX_DESCRIBED: usize = 8;
/// Maximum number of risks named.
const MAX_NOTABLE_RISKS: usize = 6;

/// Structure: files, definitions, entry files, dependencies.
pub(super) fn structure(inputs: &DraftInputs<'_>) -> String {
    let topic = TopicFacts::new(inputs);
    let files = topic.first_files();
    let places: Vec<String> = files.iter().filter_map(|file| topic.file_citation(file)).collect();
    let mut prose = vec![match places.get(..places.len().min(3)) {
        Some(first @ [_, ..]) => format!("The words of the topic lead first to {}.", join_list(first)),
        _ if inputs.survey.files.is_empty() => {
            "No file of the repository has a word of the topic, so no place can be named.".to_owned()
        }
        _ => "Files have words of the topic, but none with a name that can be cited.".to_owned(),
    }];
    prose.extend(files.iter().filter_map(|file| topic.describe_file(file)));
    let entries: Vec<String> = files
        .iter()
        .filter(|file| is_entry(&file.path))
        .filter_map(|file| topic.file_citation(file))
        .collect();
    if !entries.is_empty() {
        prose.push(format!("Folders are entered through {}.", join_list(&entries)));
    }
    for dependency in topic.facts.related_dependencies().iter().take(3) {
        if let Some(place) = topic.citation(&dependency.path, dependency.line) {
            let name = quote(&dependency.name, 60);
            prose.push(format!("{place} brings in {name}, whose name shares a word with the topic."));
        }
    }
    prose.extend(topic.command_sentence("built", inputs.survey.commands.build.as_deref()));
    prose.extend(topic.command_sentence("checked", inputs.survey.commands.lint.as_deref()));
    let mut issues = Vec::new();
    if places.is_empty() {
        issues.push("No place can be named for the topic: which words does the code use for it?".to_owned());
    } else {
        prose.push("These are places where words stand. Whether they are all of the topic, a search for words cannot tell.".to_owned());
        issues.extend(
            topic.facts.unknown_words().map(|note| format!("{} What is meant by that?", quote(note, 200))),
        );
    }
    let existing: Vec<Value> =
        (0..).zip(&files).flat_map(|(n, file)| topic.file_findings(file, relevance(n))).collect();
    let begin: Vec<String> =
        places.first().map(|place| format!("Begin reading at {place}")).into_iter().collect();
    let findings = json!({"existing_implementations": existing, "recommendations": begin});
    respond(inputs, "topic-structure", &findings, &prose, &issues)
}

/// Behaviour: tests, settings and notable lines.
pub(super) fn behaviour(inputs: &DraftInputs<'_>) -> String {
    let topic = TopicFacts::new(inputs);
    let sources = topic.inspected_sources();
    let untested: Vec<&str> = sources
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| topic.facts.tests_of(path).is_empty())
        .collect();
    let mut prose = vec![match untested.as_slice() {
        [] if sources.is_empty() => {
            "No source file was found for the topic, so nothing can be said about what happens.".to_owned()
        }
        [] => "Tests were found for every source file that the words of the topic lead to first.".to_owned(),
        untested if untested.len() == sources.len() => {
            format!(
                "Imports and names show no test of {}, where the words of the topic lead first.",
                join_list(untested)
            )
        }
        untested => format!(
            "Imports and names show no test of {}. For the other source files that the words of the topic lead to first there are tests.",
            join_list(untested)
        ),
    }];
    prose.push(
        "No code was run, and no call was followed: who uses whom is known from imports only.".to_owned(),
    );
    prose.extend(topic.command_sentence("tested", inputs.survey.commands.test.as_deref()));
    for file in &sources {
        prose.extend(
            topic.facts.covered_by(&file.path).map(|tests| format!("{} is covered by {tests}.", file.path)),
        );
    }
    let tests: Vec<&str> = topic.facts.tests().into_iter().take(4).collect();
    let apart = tests.iter().filter(|test| !is_named(&sources, test));
    prose.extend(apart.filter_map(|test| Some(format!("{test} has {}.", topic.definitions(test)?))));
    prose.extend(
        sources
            .iter()
            .filter_map(|file| Some(format!("{} is used by {}.", file.path, topic.user_list(&file.path)?))),
    );
    let looks = topic.notable_risks(|risk| risk.kind != "large");
    prose.extend(
        looks.iter().map(|(place, clause, line)| format!("Worth a look at {place}: {clause}{line}.")),
    );
    for file in topic.facts.of_kind("config").into_iter().take(3) {
        prose.extend(
            topic.file_citation(file).map(|place| format!("Settings: {place} {}.", first_reason(file))),
        );
    }
    let mut recommendations: Vec<String> =
        tests.first().map(|test| format!("Read {test} for what is meant to happen")).into_iter().collect();
    recommendations.extend(looks.first().map(|(place, clause, _)| format!("Check {place}, where {clause}")));
    let issues: Vec<String> = untested
        .iter()
        .take(3)
        .map(|path| {
            format!("What holds the behaviour of {path} in place? Imports and names show no test of it.")
        })
        .collect();
    let tested = tests.iter().filter_map(|test| topic.test_finding(test));
    let odd = looks
        .iter()
        .take(4)
        .map(|(place, clause, line)| finding(place, &format!("{clause}{line}"), "medium"));
    let existing: Vec<Value> = tested.chain(odd).collect();
    let findings = json!({"existing_implementations": existing, "recommendations": recommendations});
    respond(inputs, "topic-behaviour", &findings, &prose, &issues)
}

/// History: commits of the files, by subject.
pub(super) fn history(inputs: &DraftInputs<'_>) -> String {
    let topic = TopicFacts::new(inputs);
    let changes: Vec<(&FileChanges, String)> = inputs
        .survey
        .changes
        .iter()
        .filter_map(|changes| {
            Some((changes, topic.citation(&changes.path, topic.first_line(&changes.path))?))
        })
        .collect();
    let limits: Vec<String> = inputs
        .survey
        .notes
        .iter()
        .filter(|note| note.contains("history"))
        .map(|note| quote(note, 200))
        .collect();
    let most = changes.iter().rev().max_by_key(|(changes, _)| changes.commits);
    let mut prose = vec![match most {
        Some((changes, _)) => format!(
            "Of the files that the words of the topic lead to, {} changed most often: in {} of the {} commits looked at.",
            changes.path, changes.commits, changes.commits_examined
        ),
        None => "No commit was found that changed a file with words of the topic.".to_owned(),
    }];
    prose.extend(limits.iter().cloned());
    for (changes, place) in &changes {
        let latest: Vec<String> = changes
            .latest
            .iter()
            .map(|change| commit_label(&change.id, &change.date, &change.subject))
            .collect();
        let beside: Vec<String> = changes
            .together
            .iter()
            .filter(|together| is_citable(&together.path))
            .map(|together| format!("{} ({} times)", together.path, together.times))
            .collect();
        let beside = if beside.is_empty() {
            String::new()
        } else {
            format!(" It changed together with {}.", join_list(&beside))
        };
        prose.push(format!(
            "{place}: changed by {}, last by {}.{beside}",
            commit_count(changes.commits),
            latest.join("; before that by ")
        ));
    }
    let similar: Vec<&SimilarCommit> = topic.facts.commits().iter().take(4).collect();
    prose.extend(similar.iter().filter_map(|commit| describe_commit(commit)));
    let open = topic.notable_risks(|risk| matches!(risk.kind.as_str(), "todo" | "deprecated"));
    prose.extend(open.iter().map(|(place, clause, line)| format!("Unfinished at {place}: {clause}{line}.")));
    prose.extend(topic.facts.changelog().map(|path| format!("What changed for users is told in {path}.")));
    prose
        .push("Only the first lines of commit messages were read: reasons may stand in the rest.".to_owned());
    let existing: Vec<Value> = (0..)
        .zip(&changes)
        .map(|(n, (changes, place))| {
            let last =
                changes.latest.first().map(|change| format!(", last on {}", change.date)).unwrap_or_default();
            finding(place, &format!("changed by {}{last}", commit_count(changes.commits)), relevance(n))
        })
        .collect();
    let patterns: Vec<Value> = similar.iter().filter_map(|commit| commit_pattern(commit)).collect();
    let read: Vec<String> = similar
        .first()
        .map(|commit| {
            format!("Read commit {} as a whole: its subject says what the topic says", short_id(&commit.id))
        })
        .into_iter()
        .collect();
    let findings =
        json!({"existing_implementations": existing, "patterns_found": patterns, "recommendations": read});
    let mut issues = limits;
    issues.push("Why it was done like this: the reasons in commit messages were not read.".to_owned());
    respond(inputs, "topic-history", &findings, &prose, &issues)
}

/// Citable facts of a survey whose places still exist.
struct TopicFacts<'a> {
    inputs: &'a DraftInputs<'a>,
    facts: CitableFacts<'a>,
}

impl<'a> TopicFacts<'a> {
    fn new(inputs: &'a DraftInputs<'a>) -> TopicFacts<'a> {
        TopicFacts { inputs, facts: CitableFacts::new(inputs) }
    }

    /// Best files, sources before tests and docs.
    fn first_files(&self) -> Vec<&'a RankedFile> {
        let mut files = self.facts.files.clone();
        files.sort_by_key(|file| file.kind != "source");
        files.truncate(MAX_DESCRIBED);
        files
    }

    /// Best sources among the files the survey inspected: only their tests are known.
    fn inspected_sources(&self) -> Vec<&'a RankedFile> {
        let inspected: Vec<&str> =
            self.inputs.survey.files.iter().take(INSPECTED_FILES).map(|file| file.path.as_str()).collect();
        let sources = self.facts.sources().into_iter();
        sources.filter(|file| inspected.contains(&file.path.as_str())).take(5).collect()
    }

    /// Citation of a line, if the file has that line.
    fn citation(&self, path: &str, line: usize) -> Option<String> {
        let there = is_citable(path) && line > 0 && self.inputs.files.lines(path)? >= line;
        there.then(|| format!("{path}:{line}"))
    }

    fn file_citation(&self, file: &RankedFile) -> Option<String> {
        self.citation(&file.path, file.lines.map_or(1, |lines| lines.first))
    }

    /// First line of a file's best passage.
    fn first_line(&self, path: &str) -> usize {
        let file = self.inputs.survey.files.iter().find(|file| file.path == path);
        file.and_then(|file| file.lines).map_or(1, |lines| lines.first)
    }

    /// Reasons and definitions of a file.
    fn describe_file(&self, file: &RankedFile) -> Option<String> {
        let reasons: Vec<String> = file.reasons.iter().take(2).map(|reason| quote(reason, 160)).collect();
        let mut text = format!("{}: {}.", self.file_citation(file)?, reasons.join("; "));
        if let Some(defined) = self.definitions(&file.path) {
            text = format!("{text} It defines {defined}.");
        }
        Some(text)
    }

    /// Findings of a file: its definitions, else its best passage.
    fn file_findings(&self, file: &RankedFile, relevance: &str) -> Vec<Value> {
        let symbols = self.facts.symbols_of(&file.path).into_iter().take(3);
        let defined: Vec<Value> = symbols
            .filter_map(|symbol| {
                let name = format!("{} {}", symbol.kind, quote(&symbol.name, 60));
                Some(finding(&self.citation(&file.path, symbol.line)?, &name, relevance))
            })
            .collect();
        if !defined.is_empty() {
            return defined;
        }
        self.file_citation(file)
            .map(|place| finding(&place, &first_reason(file), relevance))
            .into_iter()
            .collect()
    }

    /// Finding about a test and the files it covers.
    fn test_finding(&self, path: &str) -> Option<Value> {
        let symbol = self.facts.symbols_of(path).first().copied();
        let known = self.inputs.survey.tests.iter().find(|test| test.path == path);
        let covered: Vec<&str> = known
            .iter()
            .flat_map(|test| &test.covers)
            .map(String::as_str)
            .filter(|path| is_citable(path))
            .take(3)
            .collect();
        let about = match (covered.as_slice(), symbol) {
            ([itself], _) if *itself == path => "has its tests inside".to_owned(),
            ([], Some(symbol)) => format!("{} {}", symbol.kind, quote(&symbol.name, 60)),
            ([], None) => "a test with words of the topic".to_owned(),
            (covered, _) => format!("tests {}", join_list(covered)),
        };
        Some(finding(&self.citation(path, symbol.map_or(1, |symbol| symbol.line))?, &about, "high"))
    }

    /// Definitions of a file that match the topic.
    fn definitions(&self, path: &str) -> Option<String> {
        let symbols = self.facts.symbols_of(path);
        let defined: Vec<String> = symbols
            .iter()
            .filter_map(|symbol| {
                let place = self.citation(path, symbol.line)?;
                Some(format!("{} {} ({place})", symbol.kind, quote(&symbol.name, 60)))
            })
            .collect();
        (!defined.is_empty()).then(|| join_list(&defined))
    }

    fn user_list(&self, path: &str) -> Option<String> {
        let users = self.facts.users_of(path);
        (!users.is_empty()).then(|| join_list(&users))
    }

    /// Sentence about one of the repository's own commands, with its location.
    fn command_sentence(&self, done: &str, run: Option<&str>) -> Option<String> {
        let found = self.inputs.survey.commands.found.iter().find(|found| Some(found.run.as_str()) == run)?;
        let place = self.citation(&found.path, found.line)?;
        Some(format!("The repository is {done} with `{}` ({place}).", quote(&found.run, 120)))
    }

    /// Risks to look at: citation, reason, and the line if it can be quoted exactly.
    fn notable_risks(&self, fits: fn(&Risk) -> bool) -> Vec<(String, &'static str, String)> {
        let risks = self.facts.risks().into_iter().filter(|risk| fits(risk)).take(MAX_NOTABLE_RISKS);
        risks
            .filter_map(|risk| {
                let shown = quote(&risk.text, 100);
                let exact = risk.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_exact = exact.starts_with(shown.trim_end_matches([' ', '…']));
                let line = if is_exact { format!(" (\"{shown}\")") } else { String::new() };
                Some((self.citation(&risk.path, risk.line)?, risk_reason(&risk.kind)?, line))
            })
            .collect()
    }
}

/// Reason to look at a line. Only a possibility: the code around it was not read.
fn risk_reason(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "todo" => "an open note",
        "panic" => "the program may end instead of reporting an error",
        "unsafe" => "checks of the language are switched off",
        "swallowed" => "an error may be ignored",
        "shell" => "text may be run as code",
        "deprecated" => "something is marked as deprecated",
        _ => return None,
    })
}

fn finding(place: &str, description: &str, relevance: &str) -> Value {
    json!({"file": place, "description": description, "relevance": relevance})
}

fn relevance(n: usize) -> &'static str {
    ["high", "high", "medium", "medium"].get(n).copied().unwrap_or("low")
}

fn first_reason(file: &RankedFile) -> String {
    file.reasons.first().map_or_else(|| "named by the survey".to_owned(), |reason| quote(reason, 160))
}

fn is_entry(path: &str) -> bool {
    ["mod", "lib", "main", "index", "__init__"].contains(&stem(path))
}

fn is_named(files: &[&RankedFile], path: &str) -> bool {
    files.iter().any(|file| file.path == path)
}

fn commit_count(count: usize) -> String {
    if count == 1 { "one commit".to_owned() } else { format!("{count} commits") }
}

fn short_id(id: &str) -> &str {
    id.get(..9).unwrap_or(id)
}

fn commit_label(id: &str, date: &str, subject: &str) -> String {
    format!("{} ({date}, \"{}\")", short_id(id), quote(subject, 100))
}

/// Citable files of a commit.
fn citable_files(commit: &SimilarCommit) -> Vec<&str> {
    commit.files.iter().map(String::as_str).filter(|path| is_citable(path)).take(5).collect()
}

fn describe_commit(commit: &SimilarCommit) -> Option<String> {
    let files = citable_files(commit);
    let subject = quote(&commit.subject, 100);
    (!files.is_empty()).then(|| {
        format!(
            "Commit {} (\"{subject}\") says similar things and changed {}.",
            short_id(&commit.id),
            join_list(&files)
        )
    })
}

fn commit_pattern(commit: &SimilarCommit) -> Option<Value> {
    let file = *citable_files(commit).first()?;
    let pattern = format!("changed by {}, \"{}\"", short_id(&commit.id), quote(&commit.subject, 100));
    Some(json!({"file": file, "pattern": pattern, "recommendation": "look at how that commit did it"}))
}

/// Quotes foreign text: sanitized, and without citations.
pub(super) fn quote(text: &str, most: usize) -> String {
    defuse_citations(&sanitize(text, most))
}
