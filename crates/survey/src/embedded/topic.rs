//! The three researchers of a topic: what exists, what happens, how it came about, as far as the survey knows.
//!
//! Each answers with a handoff response and cited prose below it. Every place is looked up again before it is cited,
//! and words of others (lines, subjects of commits) are quoted so that nothing in them reads as a citation.

use super::ground::{Ground, is_citable, listed, said};
use super::inputs::Inputs;
use super::research::respond;
use crate::report::{FileChanges, RankedFile, Risk, SimilarCommit};
use crate::surveyor::LOOKED_INTO;
use crate::tree::kind::stem;
use charrette_model::panel::places::without_citations;
use serde_json::{Value, json};

/// So many files are described.
const DESCRIBED: usize = 8;
/// So many lines are named that are worth a look.
const WORTH_A_LOOK: usize = 6;

/// What exists and how it hangs together.
pub(super) fn structure(inputs: &Inputs<'_>) -> String {
    let topic = Topic::new(inputs);
    let files = topic.first_files();
    let places: Vec<String> = files.iter().filter_map(|file| topic.place_of(file)).collect();
    let mut prose = vec![match places.get(..places.len().min(3)) {
        Some(first @ [_, ..]) => format!("The words of the topic lead first to {}.", listed(first)),
        _ if inputs.survey.files.is_empty() => {
            "No file of the repository has a word of the topic, so no place can be named.".to_owned()
        }
        _ => "Files have words of the topic, but none with a name that can be cited.".to_owned(),
    }];
    prose.extend(files.iter().filter_map(|file| topic.described(file)));
    let entries: Vec<String> =
        files.iter().filter(|file| is_entry(&file.path)).filter_map(|file| topic.place_of(file)).collect();
    if !entries.is_empty() {
        prose.push(format!("Folders are entered through {}.", listed(&entries)));
    }
    for dependency in topic.ground.related_dependencies().iter().take(3) {
        if let Some(place) = topic.place(&dependency.path, dependency.line) {
            let name = quoted(&dependency.name, 60);
            prose.push(format!("{place} brings in {name}, whose name shares a word with the topic."));
        }
    }
    prose.extend(topic.command("built", inputs.survey.commands.build.as_deref()));
    prose.extend(topic.command("checked", inputs.survey.commands.lint.as_deref()));
    let mut issues = Vec::new();
    if places.is_empty() {
        issues.push("No place can be named for the topic: which words does the code use for it?".to_owned());
    } else {
        prose.push("These are places where words stand. Whether they are all of the topic, a search for words cannot tell.".to_owned());
        issues.extend(
            topic.ground.unknown_words().map(|note| format!("{} What is meant by that?", quoted(note, 200))),
        );
    }
    let existing: Vec<Value> =
        (0..).zip(&files).flat_map(|(n, file)| topic.listed(file, relevance(n))).collect();
    let begin: Vec<String> =
        places.first().map(|place| format!("Begin reading at {place}")).into_iter().collect();
    let findings = json!({"existing_implementations": existing, "recommendations": begin});
    respond(inputs, "topic-structure", &findings, &prose, &issues)
}

/// What happens, as far as tests, settings and single lines show it.
pub(super) fn behaviour(inputs: &Inputs<'_>) -> String {
    let topic = Topic::new(inputs);
    let sources = topic.sources_looked_into();
    let untested: Vec<&str> = sources
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| topic.ground.tests_of(path).is_empty())
        .collect();
    let mut prose = vec![match untested.as_slice() {
        [] if sources.is_empty() => {
            "No source file was found for the topic, so nothing can be said about what happens.".to_owned()
        }
        [] => "Tests were found for every source file that the words of the topic lead to first.".to_owned(),
        untested if untested.len() == sources.len() => {
            format!("No test was found for {}, where the words of the topic lead first.", listed(untested))
        }
        untested => format!(
            "No test was found for {}. For the other source files that the words of the topic lead to first there are tests.",
            listed(untested)
        ),
    }];
    prose.push(
        "No code was run, and no call was followed: who uses whom is known from imports only.".to_owned(),
    );
    prose.extend(topic.command("tested", inputs.survey.commands.test.as_deref()));
    for file in &sources {
        prose.extend(
            topic.ground.covered_by(&file.path).map(|tests| format!("{} is covered by {tests}.", file.path)),
        );
    }
    let tests: Vec<&str> = topic.ground.tests().into_iter().take(4).collect();
    let apart = tests.iter().filter(|test| !is_named(&sources, test));
    prose.extend(apart.filter_map(|test| Some(format!("{test} has {}.", topic.definitions(test)?))));
    prose.extend(
        sources
            .iter()
            .filter_map(|file| Some(format!("{} is used by {}.", file.path, topic.users(&file.path)?))),
    );
    let looks = topic.worth_a_look(|risk| !matches!(risk.kind.as_str(), "large" | "untested"));
    prose.extend(
        looks.iter().map(|(place, clause, line)| format!("Worth a look at {place}: {clause}{line}.")),
    );
    for file in topic.ground.of_kind("config").into_iter().take(3) {
        prose.extend(topic.place_of(file).map(|place| format!("Settings: {place} {}.", first_reason(file))));
    }
    let mut recommendations: Vec<String> =
        tests.first().map(|test| format!("Read {test} for what is meant to happen")).into_iter().collect();
    recommendations.extend(looks.first().map(|(place, clause, _)| format!("Check {place}, where {clause}")));
    let issues: Vec<String> = untested
        .iter()
        .take(3)
        .map(|path| format!("What holds the behaviour of {path} in place? No test was found for it."))
        .collect();
    let tested = tests.iter().filter_map(|test| topic.test(test));
    let odd = looks
        .iter()
        .take(4)
        .map(|(place, clause, line)| finding(place, &format!("{clause}{line}"), "medium"));
    let existing: Vec<Value> = tested.chain(odd).collect();
    let findings = json!({"existing_implementations": existing, "recommendations": recommendations});
    respond(inputs, "topic-behaviour", &findings, &prose, &issues)
}

/// How it came about, as far as the first lines of commit messages tell.
pub(super) fn history(inputs: &Inputs<'_>) -> String {
    let topic = Topic::new(inputs);
    let changes: Vec<(&FileChanges, String)> = inputs
        .survey
        .changes
        .iter()
        .filter_map(|changes| Some((changes, topic.place(&changes.path, topic.line_of(&changes.path))?)))
        .collect();
    let limits: Vec<String> = inputs
        .survey
        .notes
        .iter()
        .filter(|note| note.contains("history"))
        .map(|note| quoted(note, 200))
        .collect();
    let most = changes.iter().rev().max_by_key(|(changes, _)| changes.commits);
    let mut prose = vec![match most {
        Some((changes, _)) => format!(
            "Of the files that the words of the topic lead to, {} changed most often: in {} of the {} commits looked at.",
            changes.path, changes.commits, changes.of
        ),
        None => "No commit was found that changed a file with words of the topic.".to_owned(),
    }];
    prose.extend(limits.iter().cloned());
    for (changes, place) in &changes {
        let latest: Vec<String> =
            changes.latest.iter().map(|change| commit(&change.id, &change.date, &change.subject)).collect();
        let beside: Vec<String> = changes
            .together
            .iter()
            .filter(|together| is_citable(&together.path))
            .map(|together| format!("{} ({} times)", together.path, together.times))
            .collect();
        let beside = if beside.is_empty() {
            String::new()
        } else {
            format!(" It changed together with {}.", listed(&beside))
        };
        prose.push(format!(
            "{place}: changed by {}, last by {}.{beside}",
            commits(changes.commits),
            latest.join("; before that by ")
        ));
    }
    let similar: Vec<&SimilarCommit> = topic.ground.commits().iter().take(4).collect();
    prose.extend(similar.iter().filter_map(|commit| touched(commit)));
    let open = topic.worth_a_look(|risk| matches!(risk.kind.as_str(), "todo" | "deprecated"));
    prose.extend(open.iter().map(|(place, clause, line)| format!("Unfinished at {place}: {clause}{line}.")));
    prose.extend(topic.ground.changelog().map(|path| format!("What changed for users is told in {path}.")));
    prose
        .push("Only the first lines of commit messages were read: reasons may stand in the rest.".to_owned());
    let existing: Vec<Value> = (0..)
        .zip(&changes)
        .map(|(n, (changes, place))| {
            let last =
                changes.latest.first().map(|change| format!(", last on {}", change.date)).unwrap_or_default();
            finding(place, &format!("changed by {}{last}", commits(changes.commits)), relevance(n))
        })
        .collect();
    let patterns: Vec<Value> = similar.iter().filter_map(|commit| pattern(commit)).collect();
    let read: Vec<String> = similar
        .first()
        .map(|commit| {
            format!("Read commit {} as a whole: its subject says what the topic says", short(&commit.id))
        })
        .into_iter()
        .collect();
    let findings =
        json!({"existing_implementations": existing, "patterns_found": patterns, "recommendations": read});
    let mut issues = limits;
    issues.push("Why it was done like this: the reasons in commit messages were not read.".to_owned());
    respond(inputs, "topic-history", &findings, &prose, &issues)
}

/// A survey, and places in it that still exist.
struct Topic<'a> {
    inputs: &'a Inputs<'a>,
    ground: Ground<'a>,
}

impl<'a> Topic<'a> {
    fn new(inputs: &'a Inputs<'a>) -> Topic<'a> {
        Topic { inputs, ground: Ground::new(inputs) }
    }

    /// The first files, what ships before what tests and describes it.
    fn first_files(&self) -> Vec<&'a RankedFile> {
        let mut files = self.ground.files.clone();
        files.sort_by_key(|file| file.kind != "source");
        files.truncate(DESCRIBED);
        files
    }

    /// The first source files of those that the survey has looked into: only of these it knows the tests.
    fn sources_looked_into(&self) -> Vec<&'a RankedFile> {
        let looked_into: Vec<&str> =
            self.inputs.survey.files.iter().take(LOOKED_INTO).map(|file| file.path.as_str()).collect();
        let sources = self.ground.sources().into_iter();
        sources.filter(|file| looked_into.contains(&file.path.as_str())).take(5).collect()
    }

    /// A place, if the file has that line.
    fn place(&self, path: &str, line: usize) -> Option<String> {
        let there = is_citable(path) && line > 0 && self.inputs.files.lines(path)? >= line;
        there.then(|| format!("{path}:{line}"))
    }

    fn place_of(&self, file: &RankedFile) -> Option<String> {
        self.place(&file.path, file.lines.map_or(1, |lines| lines.first))
    }

    /// The line of a file to look at first.
    fn line_of(&self, path: &str) -> usize {
        let file = self.inputs.survey.files.iter().find(|file| file.path == path);
        file.and_then(|file| file.lines).map_or(1, |lines| lines.first)
    }

    /// Why a file is named, and what it defines.
    fn described(&self, file: &RankedFile) -> Option<String> {
        let reasons: Vec<String> = file.reasons.iter().take(2).map(|reason| quoted(reason, 160)).collect();
        let mut text = format!("{}: {}.", self.place_of(file)?, reasons.join("; "));
        if let Some(defined) = self.definitions(&file.path) {
            text = format!("{text} It defines {defined}.");
        }
        Some(text)
    }

    /// What a reader should open of a file: what it defines, or else where the words stand.
    fn listed(&self, file: &RankedFile, relevance: &str) -> Vec<Value> {
        let symbols = self.ground.symbols_of(&file.path).into_iter().take(3);
        let defined: Vec<Value> = symbols
            .filter_map(|symbol| {
                let name = format!("{} {}", symbol.kind, quoted(&symbol.name, 60));
                Some(finding(&self.place(&file.path, symbol.line)?, &name, relevance))
            })
            .collect();
        if !defined.is_empty() {
            return defined;
        }
        self.place_of(file).map(|place| finding(&place, &first_reason(file), relevance)).into_iter().collect()
    }

    /// A test, and what it tests as far as that is known.
    fn test(&self, path: &str) -> Option<Value> {
        let symbol = self.ground.symbols_of(path).first().copied();
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
            ([], Some(symbol)) => format!("{} {}", symbol.kind, quoted(&symbol.name, 60)),
            ([], None) => "a test with words of the topic".to_owned(),
            (covered, _) => format!("tests {}", listed(covered)),
        };
        Some(finding(&self.place(path, symbol.map_or(1, |symbol| symbol.line))?, &about, "high"))
    }

    /// What a file defines that the topic is about.
    fn definitions(&self, path: &str) -> Option<String> {
        let symbols = self.ground.symbols_of(path);
        let defined: Vec<String> = symbols
            .iter()
            .filter_map(|symbol| {
                let place = self.place(path, symbol.line)?;
                Some(format!("{} {} ({place})", symbol.kind, quoted(&symbol.name, 60)))
            })
            .collect();
        (!defined.is_empty()).then(|| listed(&defined))
    }

    fn users(&self, path: &str) -> Option<String> {
        let users = self.ground.users_of(path);
        (!users.is_empty()).then(|| listed(&users))
    }

    /// One of the repository's own commands, with where it stands.
    fn command(&self, done: &str, run: Option<&str>) -> Option<String> {
        let found = self.inputs.survey.commands.found.iter().find(|found| Some(found.run.as_str()) == run)?;
        let place = self.place(&found.path, found.line)?;
        Some(format!("The repository is {done} with \"{}\" ({place}).", quoted(&found.run, 120)))
    }

    /// Lines to look at: where, why, and what stands there if that can be quoted to the letter.
    fn worth_a_look(&self, fits: fn(&Risk) -> bool) -> Vec<(String, &'static str, String)> {
        let risks = self.ground.risks().into_iter().filter(|risk| fits(risk)).take(WORTH_A_LOOK);
        risks
            .filter_map(|risk| {
                let shown = quoted(&risk.text, 100);
                let exact = risk.text.split_whitespace().collect::<Vec<_>>().join(" ");
                let is_exact = exact.starts_with(shown.trim_end_matches([' ', '…']));
                let line = if is_exact { format!(" (\"{shown}\")") } else { String::new() };
                Some((self.place(&risk.path, risk.line)?, why(&risk.kind)?, line))
            })
            .collect()
    }
}

/// Why a line is worth a look. What a line does depends on what stands around it, which was not read.
fn why(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "todo" => "somebody left a note that something is open",
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
    file.reasons.first().map_or_else(|| "named by the survey".to_owned(), |reason| quoted(reason, 160))
}

fn is_entry(path: &str) -> bool {
    ["mod", "lib", "main", "index", "__init__"].contains(&stem(path))
}

fn is_named(files: &[&RankedFile], path: &str) -> bool {
    files.iter().any(|file| file.path == path)
}

fn commits(count: usize) -> String {
    if count == 1 { "one commit".to_owned() } else { format!("{count} commits") }
}

fn short(id: &str) -> &str {
    id.get(..9).unwrap_or(id)
}

fn commit(id: &str, date: &str, subject: &str) -> String {
    format!("{} ({date}, \"{}\")", short(id), quoted(subject, 100))
}

/// The files of a commit that can be cited.
fn files_of(commit: &SimilarCommit) -> Vec<&str> {
    commit.files.iter().map(String::as_str).filter(|path| is_citable(path)).take(5).collect()
}

fn touched(commit: &SimilarCommit) -> Option<String> {
    let files = files_of(commit);
    let subject = quoted(&commit.subject, 100);
    (!files.is_empty()).then(|| {
        format!(
            "Commit {} (\"{subject}\") says similar things and changed {}.",
            short(&commit.id),
            listed(&files)
        )
    })
}

fn pattern(commit: &SimilarCommit) -> Option<Value> {
    let file = *files_of(commit).first()?;
    let pattern = format!("changed by {}, \"{}\"", short(&commit.id), quoted(&commit.subject, 100));
    Some(json!({"file": file, "pattern": pattern, "recommendation": "look at how that commit did it"}))
}

/// Words of others: safe to repeat, and no citation of ours.
pub(super) fn quoted(text: &str, most: usize) -> String {
    without_citations(&said(text, most))
}
