//! The three researchers: requirements, dependencies, tasks.
//!
//! Each answers with a handoff response and cited prose below it.

use super::citable_facts::{
    CitableFacts, NO_MODEL, file_citation, join_list, risk_citation, risk_clause, risk_sentence, sanitize,
};
use super::inputs::DraftInputs;
use serde_json::{Value, json};

/// Maximum number of files described.
const MAX_DESCRIBED: usize = 6;

/// Requirements: the request, and the files that match it.
pub(super) fn requirements(inputs: &DraftInputs<'_>, seat: &str) -> String {
    let facts = CitableFacts::new(inputs);
    // Sources before tests and docs.
    let mut files = facts.files.clone();
    files.sort_by_key(|file| file.kind != "source");
    let existing: Vec<Value> =
        files.iter().take(MAX_DESCRIBED).enumerate().map(|(n, file)| file_finding(n, file)).collect();
    let mut prose = vec![format!("The request {}.", facts.request_phrases().asks)];
    if existing.is_empty() {
        prose.push(
            "No file of the repository has words of the request, so nothing that exists can be named."
                .to_owned(),
        );
    }
    for file in files.iter().take(MAX_DESCRIBED) {
        let reasons: Vec<String> = file.reasons.iter().take(2).map(|reason| sanitize(reason, 160)).collect();
        prose.push(format!("{} {}.", file_citation(file), reasons.join("; it ")));
    }
    prose.extend(facts.unknown_words().map(|note| sanitize(note, 200)));
    prose.push("What the behaviour must be in detail, for whom, and within which limits stands in no file: a person must say.".to_owned());
    let recommendations = facts.first().map(|file| format!("Begin reading at {}", file_citation(file)));
    let findings = json!({"existing_implementations": existing, "recommendations": recommendations.into_iter().collect::<Vec<_>>()});
    respond_without_issues(inputs, seat, &findings, &prose)
}

fn file_finding(n: usize, file: &crate::report::RankedFile) -> Value {
    let relevance = ["high", "high", "medium", "medium"].get(n).unwrap_or(&"low");
    let description =
        file.reasons.first().map_or_else(|| "named by the survey".to_owned(), |reason| sanitize(reason, 160));
    json!({"file": file_citation(file), "description": description, "relevance": relevance})
}

/// Dependencies: users, manifests, similar commits.
pub(super) fn dependencies(inputs: &DraftInputs<'_>, seat: &str) -> String {
    let facts = CitableFacts::new(inputs);
    let mut patterns = Vec::new();
    let mut prose = Vec::new();
    for commit in facts.commits().iter().take(3) {
        let Some(file) = commit.files.iter().find(|path| super::citable_facts::is_citable(path)) else {
            continue;
        };
        let id = commit.id.get(..9).unwrap_or(&commit.id);
        let subject = sanitize(&commit.subject, 100);
        patterns.push(json!({"file": file, "pattern": format!("changed by {id}, \"{subject}\""), "recommendation": "follow how that commit did it"}));
        let files: Vec<&str> = commit
            .files
            .iter()
            .map(String::as_str)
            .filter(|path| super::citable_facts::is_citable(path))
            .take(5)
            .collect();
        prose.push(format!("Commit {id} (\"{subject}\") changed {}.", join_list(&files)));
    }
    for file in facts.sources().iter().take(4) {
        let users = facts.users_of(&file.path);
        if !users.is_empty() {
            prose.push(format!("{} is used by {}.", file.path, join_list(&users)));
        }
    }
    for dependency in facts.related_dependencies().iter().take(3) {
        prose.push(format!(
            "{}:{} already brings in {}, which shares a word with the request.",
            dependency.path,
            dependency.line,
            sanitize(&dependency.name, 60)
        ));
    }
    let conflicts: Vec<Value> = facts
        .risks()
        .iter()
        .filter(|risk| matches!(risk.kind.as_str(), "deprecated" | "todo"))
        .take(3)
        .map(|risk| json!({"type": "pattern", "description": format!("{}: {}", risk_citation(risk), risk_clause(risk)), "severity": "info"}))
        .collect();
    if prose.is_empty() {
        prose.push("History, imports and manifests show nothing that depends on this.".to_owned());
    }
    let findings = json!({"patterns_found": patterns, "conflicts": conflicts});
    respond_without_issues(inputs, seat, &findings, &prose)
}

/// Tasks: tests, commands and risks of the best files.
pub(super) fn tasks(inputs: &DraftInputs<'_>) -> String {
    let facts = CitableFacts::new(inputs);
    let mut recommendations = Vec::new();
    let mut prose = Vec::new();
    for file in facts.sources().iter().take(4) {
        match facts.covered_by(&file.path) {
            None => prose.push(format!("No test was found for {}.", file.path)),
            Some(tests) => prose.push(format!("{} is covered by {tests}.", file.path)),
        }
    }
    let near = facts.first().and_then(|file| facts.tests_of(&file.path).first().copied());
    if let Some(test) = near.or_else(|| facts.tests().first().copied()) {
        recommendations.push(format!("Write the failing test first, in {test}"));
    }
    let commands = &inputs.survey.commands;
    for (name, run) in [("built", &commands.build), ("tested", &commands.test), ("checked", &commands.lint)] {
        let found = run.as_deref().and_then(|run| commands.found.iter().find(|found| found.run == run));
        if let Some(found) = found.filter(|found| super::citable_facts::is_citable(&found.path)) {
            prose.push(format!(
                "It is {name} with `{}` ({}:{}).",
                sanitize(&found.run, 120),
                found.path,
                found.line
            ));
        }
    }
    for risk in facts.risks().iter().take(4) {
        prose.push(format!("{}.", risk_sentence(risk)));
    }
    if prose.is_empty() {
        prose.push("Neither tests nor commands were found.".to_owned());
    }
    respond_without_issues(inputs, "researcher-tasks", &json!({"recommendations": recommendations}), &prose)
}

/// Handoff response without issues.
pub(super) fn respond_without_issues(
    inputs: &DraftInputs<'_>,
    seat: &str,
    findings: &Value,
    prose: &[String],
) -> String {
    respond(inputs, seat, findings, prose, &[])
}

/// Handoff response whose summary is as much of the prose as fits.
pub(super) fn respond(
    inputs: &DraftInputs<'_>,
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
