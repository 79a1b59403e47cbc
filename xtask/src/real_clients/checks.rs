//! Checks the result of a case.

use super::case_run::{CaseResult, CaseRun};
use super::cases::{
    ANSWER, Case, ESCAPE_PROOF, ESCAPES, ExpectedEnd, PLANTED_SECTION, WORKTREE_ESCAPES, WORKTREES,
};
use super::clients::Client;
use super::hostile::NEEDLE;
use serde_json::{Value, json};
use std::process::Command;

/// Runs all checks; the error is the first that fails.
pub(super) fn check(client: &Client, case: Case, run: &CaseRun, result: &CaseResult) -> Result<(), String> {
    check_side_effects(client, case, run, result)?;
    let report: Value = serde_json::from_str(&result.stdout).map_err(|_| {
        format!("expected JSON on stdout, got {:?}; {}", result.stdout, last_lines(&result.stderr))
    })?;
    match case.end() {
        ExpectedEnd::Answered => check_answer(run, result, &report)?,
        ExpectedEnd::Failed(_) if run.model_requests().is_empty() => {
            return Err(format!("the model got no request: {}", last_lines(&result.stderr)));
        }
        ExpectedEnd::Failed(kinds) => check_failure(kinds, result, &report)?,
        ExpectedEnd::Listed => check_listing(client, case, &report)?,
    }
    match case {
        Case::Answer => {
            check_prompt(run)?;
            check_usage(client, &report)?;
            if client.has_tools() { check_read(run) } else { Ok(()) }
        }
        Case::RefusedWrite => check_refusals(client, run, &report),
        Case::Write => check_writes(client, run),
        Case::Escape => check_escapes(run),
        Case::Worktree => check_worktree(client, run),
        Case::Hooked => check_hooked(client, run),
        _ => Ok(()),
    }
}

/// Checks for orphans, changed files, sprung traps and external connections.
fn check_side_effects(client: &Client, case: Case, run: &CaseRun, result: &CaseResult) -> Result<(), String> {
    if result.code.is_none() {
        return Err(format!("it did not end: {}", last_lines(&result.stderr)));
    }
    expect_empty(&result.orphans, "orphaned processes")?;
    expect_empty(&run.sprung_traps(), "sprung traps")?;
    expect_empty(&run.external_connections(), "it connected beyond loopback")?;
    let requests = run.model_requests();
    for (_, body) in &requests {
        let unexpected = client.reads_traps.iter().fold(body.clone(), |body, trap| body.replace(trap, ""));
        if let Some(at) = unexpected.find("TRAP-") {
            let trap: String = unexpected[at..].chars().take(20).collect();
            return Err(format!("a request to the model contains {trap:?}"));
        }
    }
    if !matches!(case, Case::Write | Case::Escape) {
        expect_empty(&changes(run)?, "the work tree has changed")?;
    }
    Ok(())
}

fn check_answer(run: &CaseRun, result: &CaseResult, report: &Value) -> Result<(), String> {
    expect_equal("status", &report["status"], &json!("answered"))
        .map_err(|problem| format!("{problem}: {report}"))?;
    expect_equal("exit code", &json!(result.code), &json!(0))?;
    let answer = run.answer().unwrap_or_default();
    expect_equal("answer", &json!(answer.trim_end()), &json!(ANSWER))
}

fn check_failure(kinds: &[&str], result: &CaseResult, report: &Value) -> Result<(), String> {
    expect_equal("status", &report["status"], &json!("failed"))?;
    let kind = report["kind"].as_str().unwrap_or_default();
    if !kinds.contains(&kind) {
        return Err(format!("it failed with {kind:?}, not {kinds:?}: {}", report["message"]));
    }
    let code = if kind.starts_with("timeout") { 124 } else { 1 };
    expect_equal("exit code", &json!(result.code), &json!(code))
}

fn check_listing(client: &Client, case: Case, report: &Value) -> Result<(), String> {
    let rows = report["agents"].as_array().map_or(&[][..], Vec::as_slice);
    let key = if case == Case::Found { "name" } else { "agent" };
    let row = rows
        .iter()
        .find(|row| row[key] == client.name)
        .ok_or_else(|| format!("it is not listed in {report}"))?;
    if case == Case::Probe {
        return expect_equal("healthy", &row["healthy"], &json!(true))
            .map_err(|problem| format!("{problem}: {row}"));
    }
    let version = client.package.map(|(_, version)| version).unwrap_or_default();
    let is_expected_version =
        row["version"].as_str().is_some_and(|row_version| row_version.contains(version));
    if is_expected_version && row["version_tested"] == true {
        Ok(())
    } else {
        Err(format!("its version is not {version}: {row}"))
    }
}

fn check_prompt(run: &CaseRun) -> Result<(), String> {
    let requests = run.model_requests();
    let (_, body) = requests.first().ok_or("the model got no request")?;
    let body: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
    if contains_text(&body, run.prompt()) {
        Ok(())
    } else {
        Err("the prompt was changed on the way".to_owned())
    }
}

/// True if any string in the value contains a text.
fn contains_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| contains_text(item, text)),
        Value::Object(members) => members.values().any(|member| contains_text(member, text)),
        _ => false,
    }
}

fn check_read(run: &CaseRun) -> Result<(), String> {
    let requests = run.model_requests();
    let is_read =
        requests.iter().any(|(line, _)| line["last"].as_str().is_some_and(|last| last.contains(NEEDLE)));
    if is_read { Ok(()) } else { Err("it could not read the repository".to_owned()) }
}

fn check_usage(client: &Client, report: &Value) -> Result<(), String> {
    let Some((input, output, cached)) = client.usage else {
        return expect_equal("usage", &report["usage"], &Value::Null);
    };
    let counted = json!({"input": report["usage"]["input"], "output": report["usage"]["output"], "cached": report["usage"]["cached"]});
    expect_equal("usage", &counted, &json!({"input": input, "output": output, "cached": cached}))
}

/// Checks that nothing was written, that the client continued, and that it reported the refused tools.
fn check_refusals(client: &Client, run: &CaseRun, report: &Value) -> Result<(), String> {
    let requests = run.model_requests();
    if requests.len() != client.escapes.len() + client.writes.len() + 1 {
        return Err(format!("the model got {} requests", requests.len()));
    }
    expect_empty(&written_files(client, run), "it wrote")?;
    if !client.reports_refusals {
        return Ok(());
    }
    let tools: Vec<&str> = client.writes.iter().map(|(tool, _)| *tool).collect();
    let denied: Vec<&str> =
        report["denied"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if tools.iter().all(|tool| denied.contains(tool)) {
        Ok(())
    } else {
        Err(format!("refused tools are {denied:?}, not {tools:?}"))
    }
}

fn check_writes(client: &Client, run: &CaseRun) -> Result<(), String> {
    let written_files = written_files(client, run);
    if written_files.len() == client.writes.len() {
        Ok(())
    } else {
        Err(format!("it wrote only {written_files:?}"))
    }
}

/// Checks that the shell of the client ran and wrote nothing outside the repository.
fn check_escapes(run: &CaseRun) -> Result<(), String> {
    if !run.repository().join(ESCAPE_PROOF).exists() {
        return Err("its shell did not run".to_owned());
    }
    let escaped = ESCAPES.iter().filter(|file| run.repository().join(file).exists());
    expect_empty(&escaped.map(|file| (*file).to_owned()).collect::<Vec<_>>(), "its shell wrote")
}

/// Checks that the client and its shell wrote in their worktree, and nowhere else.
fn check_worktree(client: &Client, run: &CaseRun) -> Result<(), String> {
    let (repository, worktree) = (run.repository(), run.repository().join(WORKTREES[0]));
    let missing = (0..client.writes.len()).map(|n| format!("written-{n}")).chain([ESCAPE_PROOF.to_owned()]);
    let missing: Vec<String> = missing.filter(|name| !worktree.join(name).exists()).collect();
    expect_empty(&missing, "it did not write")?;
    let escaped = WORKTREE_ESCAPES.iter().filter(|file| repository.join(file).exists());
    expect_empty(&escaped.map(|file| (*file).to_owned()).collect::<Vec<_>>(), "its shell wrote")?;
    let config = fs_err::read_to_string(repository.join(".git/config")).map_err(|error| error.to_string())?;
    if config.contains(PLANTED_SECTION) {
        return Err("its shell changed .git/config".to_owned());
    }
    let commits =
        Command::new("git").args(["rev-list", "--all", "--count"]).current_dir(&repository).output();
    let commits = commits.map(|commits| String::from_utf8_lossy(&commits.stdout).trim().to_owned());
    expect_equal("commits", &json!(commits.unwrap_or_default()), &json!("1"))
}

/// Checks that the model was told each reason of the hook, that nothing was written, and that reading worked.
fn check_hooked(client: &Client, run: &CaseRun) -> Result<(), String> {
    let requests = run.model_requests();
    for (number, (tool, arguments, reason)) in client.denied_by_hook.iter().enumerate() {
        let told = requests.get(number + 1).and_then(|(line, _)| line["last"].as_str()).unwrap_or_default();
        if !told.contains("charrette: ") || !told.contains(reason) {
            return Err(format!("{tool} {arguments} was not denied with {reason:?}, but: {told}"));
        }
    }
    let outside = run.repository().with_file_name("outside");
    if outside.exists() {
        return Err(format!("{} was written", outside.display()));
    }
    let log =
        Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(run.repository()).output();
    let commits = log.map(|log| String::from_utf8_lossy(&log.stdout).trim().to_owned());
    expect_equal("commits", &json!(commits.unwrap_or_default()), &json!("1"))?;
    check_read(run)
}

fn written_files(client: &Client, run: &CaseRun) -> Vec<String> {
    let names = (0..client.writes.len()).map(|n| format!("written-{n}"));
    names.filter(|name| run.repository().join(name).exists()).collect()
}

/// Changes that git reports.
fn changes(run: &CaseRun) -> Result<Vec<String>, String> {
    let output = Command::new("git").args(["status", "--porcelain"]).current_dir(run.repository()).output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn expect_empty(items: &[String], problem: &str) -> Result<(), String> {
    if items.is_empty() { Ok(()) } else { Err(format!("{problem}: {}", items.join("; "))) }
}

fn expect_equal(what: &str, actual: &Value, expected: &Value) -> Result<(), String> {
    if actual == expected { Ok(()) } else { Err(format!("{what} is {actual}, not {expected}")) }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}
