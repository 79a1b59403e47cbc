//! The three researchers: what is wanted, what it touches, how the work divides.
//!
//! Each answers with a handoff response and cited prose below it.

use super::ground::{Ground, NO_MODEL, listed, place, risk_clause, risk_place, risk_sentence, said};
use super::inputs::Inputs;
use serde_json::{Value, json};

/// So many files are described.
const DESCRIBED: usize = 6;

/// What is wanted, against what is there.
pub(super) fn requirements(inputs: &Inputs<'_>, seat: &str) -> String {
    let ground = Ground::new(inputs);
    // What ships comes before what tests and describes it.
    let mut files = ground.files.clone();
    files.sort_by_key(|file| file.kind != "source");
    let existing: Vec<Value> =
        files.iter().take(DESCRIBED).enumerate().map(|(n, file)| existing(n, file)).collect();
    let mut prose = vec![format!("The request {}.", ground.wish().asks)];
    if existing.is_empty() {
        prose.push(
            "No file of the repository has words of the request, so nothing that exists can be named."
                .to_owned(),
        );
    }
    for file in files.iter().take(DESCRIBED) {
        let reasons: Vec<String> = file.reasons.iter().take(2).map(|reason| said(reason, 160)).collect();
        prose.push(format!("{} {}.", place(file), reasons.join("; it ")));
    }
    prose.extend(ground.unknown_words().map(|note| said(note, 200)));
    prose.push("What the behaviour must be in detail, for whom, and within which limits stands in no file: a person must say.".to_owned());
    let recommendations = ground.first().map(|file| format!("Begin reading at {}", place(file)));
    let findings = json!({"existing_implementations": existing, "recommendations": recommendations.into_iter().collect::<Vec<_>>()});
    answer(inputs, seat, &findings, &prose)
}

fn existing(n: usize, file: &crate::report::RankedFile) -> Value {
    let relevance = ["high", "high", "medium", "medium"].get(n).unwrap_or(&"low");
    let description =
        file.reasons.first().map_or_else(|| "named by the survey".to_owned(), |reason| said(reason, 160));
    json!({"file": place(file), "description": description, "relevance": relevance})
}

/// What it touches: users, dependencies, what changes together.
pub(super) fn dependencies(inputs: &Inputs<'_>, seat: &str) -> String {
    let ground = Ground::new(inputs);
    let mut patterns = Vec::new();
    let mut prose = Vec::new();
    for commit in ground.commits().iter().take(3) {
        let Some(file) = commit.files.iter().find(|path| super::ground::is_citable(path)) else { continue };
        let id = commit.id.get(..9).unwrap_or(&commit.id);
        let subject = said(&commit.subject, 100);
        patterns.push(json!({"file": file, "pattern": format!("changed by {id}, \"{subject}\""), "recommendation": "follow how that commit did it"}));
        let files: Vec<&str> = commit
            .files
            .iter()
            .map(String::as_str)
            .filter(|path| super::ground::is_citable(path))
            .take(5)
            .collect();
        prose.push(format!("Commit {id} (\"{subject}\") changed {}.", listed(&files)));
    }
    for file in ground.sources().iter().take(4) {
        let users = ground.users_of(&file.path);
        if !users.is_empty() {
            prose.push(format!("{} is used by {}.", file.path, listed(&users)));
        }
    }
    for dependency in ground.related_dependencies().iter().take(3) {
        prose.push(format!(
            "{}:{} already brings in {}, which shares a word with the request.",
            dependency.path,
            dependency.line,
            said(&dependency.name, 60)
        ));
    }
    let conflicts: Vec<Value> = ground
        .risks()
        .iter()
        .filter(|risk| matches!(risk.kind.as_str(), "deprecated" | "todo"))
        .take(3)
        .map(|risk| json!({"type": "pattern", "description": format!("{}: {}", risk_place(risk), risk_clause(risk)), "severity": "info"}))
        .collect();
    if prose.is_empty() {
        prose.push("History, imports and manifests show nothing that depends on this.".to_owned());
    }
    let findings = json!({"patterns_found": patterns, "conflicts": conflicts});
    answer(inputs, seat, &findings, &prose)
}

/// How the work divides, and what proves it.
pub(super) fn tasks(inputs: &Inputs<'_>) -> String {
    let ground = Ground::new(inputs);
    let mut recommendations = Vec::new();
    let mut prose = Vec::new();
    for file in ground.sources().iter().take(4) {
        match ground.covered_by(&file.path) {
            None => prose.push(format!("No test was found for {}.", file.path)),
            Some(tests) => prose.push(format!("{} is covered by {tests}.", file.path)),
        }
    }
    let near = ground.first().and_then(|file| ground.tests_of(&file.path).first().copied());
    if let Some(test) = near.or_else(|| ground.tests().first().copied()) {
        recommendations.push(format!("Write the failing test first, in {test}"));
    }
    let commands = &inputs.survey.commands;
    for (name, run) in [("built", &commands.build), ("tested", &commands.test), ("checked", &commands.lint)] {
        let found = run.as_deref().and_then(|run| commands.found.iter().find(|found| found.run == run));
        if let Some(found) = found.filter(|found| super::ground::is_citable(&found.path)) {
            prose.push(format!(
                "It is {name} with \"{}\" ({}:{}).",
                said(&found.run, 120),
                found.path,
                found.line
            ));
        }
    }
    for risk in ground.risks().iter().take(4) {
        prose.push(format!("{}.", risk_sentence(risk)));
    }
    if prose.is_empty() {
        prose.push("Neither tests nor commands were found.".to_owned());
    }
    answer(inputs, "researcher-tasks", &json!({"recommendations": recommendations}), &prose)
}

/// A response without questions.
pub(super) fn answer(inputs: &Inputs<'_>, seat: &str, findings: &Value, prose: &[String]) -> String {
    respond(inputs, seat, findings, prose, &[])
}

/// A response whose summary is its prose, as far as there is room.
pub(super) fn respond(
    inputs: &Inputs<'_>,
    seat: &str,
    findings: &Value,
    prose: &[String],
    issues: &[String],
) -> String {
    let mut summary = NO_MODEL.to_owned();
    let room = inputs.summary_words.saturating_sub(20).min(300);
    for sentence in prose {
        if summary.split_whitespace().count() + sentence.split_whitespace().count() > room {
            break;
        }
        summary = format!("{summary} {sentence}");
    }
    let response = json!({
        "task_id": seat, "phase": "research", "status": "complete", "decision": "PROCEED",
        "findings": findings, "context_summary": summary, "issues": issues,
    });
    let json = serde_json::to_string_pretty(&response).unwrap_or_default();
    format!("```json\n{json}\n```\n\n> {NO_MODEL}\n\n{}\n", prose.join("\n\n"))
}
