//! Checks after a case.

use super::cases::{ANSWER, Case, End};
use super::clients::Client;
use super::hostile::NEEDLE;
use super::stage::{CaseResult, Stage};
use serde_json::{Value, json};
use std::process::Command;

/// Runs all checks; the error is the first that fails.
pub(super) fn of(client: &Client, case: Case, stage: &Stage, ended: &CaseResult) -> Result<(), String> {
    is_clean(client, case, stage, ended)?;
    let said: Value = serde_json::from_str(&ended.stdout)
        .map_err(|_| format!("no JSON but {:?}; {}", ended.stdout, tail(&ended.stderr)))?;
    match case.end() {
        End::Answered => answered(stage, ended, &said)?,
        End::Failed(_) if stage.asked().is_empty() => {
            return Err(format!("the model was not even asked: {}", tail(&ended.stderr)));
        }
        End::Failed(kinds) => failed(kinds, ended, &said)?,
        End::Listed => listed(client, case, &said)?,
    }
    match case {
        Case::Answer => {
            prompt_arrived(stage)?;
            used(client, &said)?;
            if client.has_tools() { was_read(stage) } else { Ok(()) }
        }
        Case::RefusedWrite => refused(client, stage, &said),
        Case::Write => wrote(client, stage),
        _ => Ok(()),
    }
}

/// Checks for orphans, changed files, sprung traps and external connections.
fn is_clean(client: &Client, case: Case, stage: &Stage, ended: &CaseResult) -> Result<(), String> {
    if ended.code.is_none() {
        return Err(format!("it did not end: {}", tail(&ended.stderr)));
    }
    expect(&ended.left, "processes are left")?;
    expect(&stage.sprung_traps(), "the repository got in")?;
    expect(&stage.connected_beyond(), "it connected beyond loopback")?;
    let asked = stage.asked();
    for (_, body) in &asked {
        let known = client.reads_traps.iter().fold(body.clone(), |body, trap| body.replace(trap, ""));
        if let Some(at) = known.find("TRAP-") {
            let trap: String = known[at..].chars().take(20).collect();
            return Err(format!("the model was told {trap:?}"));
        }
    }
    if case != Case::Write {
        expect(&changes(stage)?, "the tree has changed")?;
    }
    Ok(())
}

fn answered(stage: &Stage, ended: &CaseResult, said: &Value) -> Result<(), String> {
    same("status", &said["status"], &json!("answered")).map_err(|problem| format!("{problem}: {said}"))?;
    same("exit code", &json!(ended.code), &json!(0))?;
    let answer = stage.answer().unwrap_or_default();
    same("answer", &json!(answer.trim_end()), &json!(ANSWER))
}

fn failed(kinds: &[&str], ended: &CaseResult, said: &Value) -> Result<(), String> {
    same("status", &said["status"], &json!("failed"))?;
    let kind = said["kind"].as_str().unwrap_or_default();
    if !kinds.contains(&kind) {
        return Err(format!("it failed with {kind:?}, not {kinds:?}: {}", said["message"]));
    }
    let code = if kind.starts_with("timeout") { 124 } else { 1 };
    same("exit code", &json!(ended.code), &json!(code))
}

fn listed(client: &Client, case: Case, said: &Value) -> Result<(), String> {
    let rows = said["agents"].as_array().map_or(&[][..], Vec::as_slice);
    let key = if case == Case::Found { "name" } else { "agent" };
    let row =
        rows.iter().find(|row| row[key] == client.name).ok_or_else(|| format!("it is not in {said}"))?;
    if case == Case::Probe {
        return same("healthy", &row["healthy"], &json!(true)).map_err(|problem| format!("{problem}: {row}"));
    }
    let version = client.package.map(|(_, version)| version).unwrap_or_default();
    let is_known = row["version"].as_str().is_some_and(|known| known.contains(version));
    if is_known && row["version_tested"] == true {
        Ok(())
    } else {
        Err(format!("its version is not {version}: {row}"))
    }
}

fn prompt_arrived(stage: &Stage) -> Result<(), String> {
    let asked = stage.asked();
    let (_, body) = asked.first().ok_or("the model was not asked")?;
    let body: Value = serde_json::from_str(body).map_err(|error| error.to_string())?;
    if holds(&body, stage.prompt()) { Ok(()) } else { Err("the prompt did not arrive as it was".to_owned()) }
}

/// True if any string in the value contains a text.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds(item, text)),
        Value::Object(members) => members.values().any(|member| holds(member, text)),
        _ => false,
    }
}

fn was_read(stage: &Stage) -> Result<(), String> {
    let asked = stage.asked();
    let read = asked.iter().any(|(line, _)| line["last"].as_str().is_some_and(|last| last.contains(NEEDLE)));
    if read { Ok(()) } else { Err("it could not read the repository".to_owned()) }
}

fn used(client: &Client, said: &Value) -> Result<(), String> {
    let Some((input, output, cached)) = client.usage else {
        return same("usage", &said["usage"], &Value::Null);
    };
    let counted = json!({"input": said["usage"]["input"], "output": said["usage"]["output"], "cached": said["usage"]["cached"]});
    same("usage", &counted, &json!({"input": input, "output": output, "cached": cached}))
}

/// Nothing was written, the client went on, and it is known what was refused.
fn refused(client: &Client, stage: &Stage, said: &Value) -> Result<(), String> {
    let asked = stage.asked();
    if asked.len() != client.escapes.len() + client.writes.len() + 1 {
        return Err(format!("the model was asked {} times", asked.len()));
    }
    expect(&written(client, stage), "it wrote")?;
    if !client.tells_refusals {
        return Ok(());
    }
    let tools: Vec<&str> = client.writes.iter().map(|(tool, _)| *tool).collect();
    let denied: Vec<&str> =
        said["denied"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if tools.iter().all(|tool| denied.contains(tool)) {
        Ok(())
    } else {
        Err(format!("denied are {denied:?}, not {tools:?}"))
    }
}

fn wrote(client: &Client, stage: &Stage) -> Result<(), String> {
    let written = written(client, stage);
    if written.len() == client.writes.len() { Ok(()) } else { Err(format!("it wrote only {written:?}")) }
}

fn written(client: &Client, stage: &Stage) -> Vec<String> {
    let names = (0..client.writes.len()).map(|n| format!("written-{n}"));
    names.filter(|name| stage.repository().join(name).exists()).collect()
}

/// Changes that git reports.
fn changes(stage: &Stage) -> Result<Vec<String>, String> {
    let output = Command::new("git").args(["status", "--porcelain"]).current_dir(stage.repository()).output();
    let output = output.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn expect(found: &[String], problem: &str) -> Result<(), String> {
    if found.is_empty() { Ok(()) } else { Err(format!("{problem}: {}", found.join("; "))) }
}

fn same(what: &str, is: &Value, should: &Value) -> Result<(), String> {
    if is == should { Ok(()) } else { Err(format!("{what} is {is}, not {should}")) }
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}
