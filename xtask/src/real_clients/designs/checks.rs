//! Checks the result of a design.

use super::design_run::{DesignResult, DesignRun};
use super::{Design, SeatedAgent};
use charrette_store::ledger::calls;
use charrette_testkit::Sandbox;
use charrette_testkit::panel::FEATURE;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Steps of a regular design with an agent call, except debates.
const STEPS: [&str; 33] = [
    "aggregator",
    "clarifier",
    "discusser",
    "finisher",
    "illustrator",
    "inquirer",
    "judge/judge-claude",
    "judge/judge-codex",
    "judge/judge-cursor",
    "mender",
    "merger",
    "planner",
    "research/dependencies",
    "research/requirements",
    "research/tasks",
    "review/reviewer-arch",
    "review/reviewer-edge",
    "review/reviewer-innovation",
    "review/reviewer-pragmatic",
    "reviser",
    "scoper",
    "sketch/codex-innovation",
    "sketch/codex-pragmatic",
    "sketch/cursor-arch",
    "sketch/cursor-edge",
    "synthesist",
    "validator",
    "vote/voter-claude",
    "vote/voter-codex",
    "vote/voter-cursor",
    "walk/walker-1",
    "walk/walker-2",
    "writer",
];

/// Seats that answer a question; their steps are named after it.
const INVESTIGATORS: [&str; 2] = ["investigate/investigator-1", "investigate/investigator-2"];

/// Calls that are made twice: the one at which the run is killed, and that of the walker who walks again.
const TWICE: [&str; 2] = ["synthesist", "walk/walker-2"];

/// Number of contested decisions.
const CONTESTED: usize = 3;

/// Runs all checks; the error is the first that fails.
pub(super) fn check(design: &Design, run: &DesignRun, result: &DesignResult) -> Result<(), String> {
    let outputs =
        [("resumed", &result.resumed), ("check", &result.checked), ("reference", &result.reference)];
    for (name, output) in outputs {
        if output.code != Some(0) {
            return Err(format!("{name} ended with {:?}: {} {}", output.code, output.stdout, output.stderr));
        }
    }
    // A killed run leaves its client, which has its own process group, as an orphan; the resumed run kills it.
    let is_program = design.clients().iter().any(|(_, client)| client.has_tools());
    if result.orphans_of_kill.is_empty() == is_program {
        return Err(format!("the killed run left the orphans {:?}", result.orphans_of_kill));
    }
    expect_empty(&result.orphans_of_resume, "orphaned processes")?;
    expect_empty(&run.external_connections(), "it connected beyond loopback")?;
    check_repeated_calls(design, result)?;
    let [sandbox, reference] = run.sandboxes();
    let document = document(sandbox)?;
    check_agents(design, &document, &result.requests)?;
    check_vendors(design, &result.resumed.stdout)?;
    check_ledger(design, &workspace(sandbox, &document))?;
    check_decisions(design, &workspace(sandbox, &document))?;
    check_same_files(sandbox, reference)
}

/// Checks that each step was called once, and some twice.
fn check_repeated_calls(design: &Design, result: &DesignResult) -> Result<(), String> {
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for step in result.requests.iter().filter_map(|line| line["step"].as_str()) {
        *calls.entry(step.to_owned()).or_default() += 1;
    }
    let called = steps(design).into_iter().chain(INVESTIGATORS.map(str::to_owned));
    let counts = called.map(|step| {
        let times = if TWICE.contains(&step.as_str()) { 2 } else { 1 };
        (step, times)
    });
    let expected: BTreeMap<String, usize> = counts.collect();
    let all: BTreeSet<&String> = calls.keys().chain(expected.keys()).collect();
    let differs = |step: &&String| calls.get(*step) != expected.get(*step);
    let times = |step: &String| format!("{step} {} times", calls.get(step).unwrap_or(&0));
    let other: Vec<String> = all.into_iter().filter(differs).map(times).collect();
    expect_empty(&other, "unexpected number of calls")
}

fn steps(design: &Design) -> Vec<String> {
    let debated = (1..=CONTESTED).filter(|rank| !design.undebated.contains(rank));
    let debates =
        debated.flat_map(|rank| ["thesis", "antithesis"].map(|side| format!("debate/{rank}-{side}")));
    STEPS.iter().map(|step| (*step).to_owned()).chain(debates).collect()
}

/// Checks that the request of each step came over the API of the agent in the document, and that each agent has steps.
fn check_agents(design: &Design, document: &Value, requests: &[Value]) -> Result<(), String> {
    for step in steps(design) {
        let recorded = document["phases"].as_object().into_iter().flatten();
        let mut recorded = recorded.map(|(_, phase)| &phase["steps"][&step]["agent"]);
        let name = recorded.find_map(Value::as_str).unwrap_or_default();
        let agent = design.agents.iter().find(|agent| agent.name == name);
        let agent = agent.ok_or_else(|| format!("{step} was done by {name:?}"))?;
        let other = requests.iter().find(|line| line["step"] == *step && line["api"] != agent.api);
        if let Some(line) = other {
            return Err(format!("{step} was done by {name}, but requested over {}", line["api"]));
        }
    }
    let idle =
        |agent: &&SeatedAgent| !document.to_string().contains(&format!("\"agent\":\"{}\"", agent.name));
    let idle: Vec<String> = design.agents.iter().filter(idle).map(|agent| agent.name.to_owned()).collect();
    expect_empty(&idle, "agents without a step")
}

fn check_vendors(design: &Design, page: &str) -> Result<(), String> {
    let mut vendors: Vec<&str> = design.agents.iter().map(|agent| agent.vendor).collect();
    vendors.sort_unstable();
    let plural = if vendors.len() == 1 { "vendor" } else { "vendors" };
    let names = vendors.join(", ");
    let sentence = format!("{} distinct {plural} took part ({names}), {names} voted.", vendors.len());
    let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
    if !flat.contains(&sentence) {
        return Err(format!("the output lacks the sentence {sentence:?}: {page}"));
    }
    Ok(())
}

/// Checks that each step has one ledger row with its tokens, and a price if its client reports one.
fn check_ledger(design: &Design, workspace: &Path) -> Result<(), String> {
    let rows = calls(workspace).map_err(|error| error.to_string())?;
    for step in steps(design) {
        let answered: Vec<_> = rows.iter().filter(|row| row.step == step && row.is_answered()).collect();
        let [row] = answered.as_slice() else {
            return Err(format!("the ledger has {} rows for {step}", answered.len()));
        };
        let is_priced = design.agents.iter().any(|agent| agent.name == row.agent && agent.is_priced);
        if (row.input, row.output) != (Some(2000), Some(20)) || row.usd.is_some() != is_priced {
            return Err(format!(
                "the ledger row of {step} is {:?} in, {:?} out, {:?} dollars",
                row.input, row.output, row.usd
            ));
        }
    }
    Ok(())
}

fn check_decisions(design: &Design, workspace: &Path) -> Result<(), String> {
    let text = fs_err::read_to_string(workspace.join("dialectic-resolutions.md"))
        .map_err(|error| error.to_string())?;
    let found: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("**Disposition**: ")).collect();
    let disposition = |rank: usize| if design.undebated.contains(&rank) { "bucket-skipped" } else { "voted" };
    let expected: Vec<&str> = (1..=CONTESTED).map(disposition).collect();
    if found == expected { Ok(()) } else { Err(format!("the decisions are {found:?}, not {expected:?}")) }
}

/// Compares the files with those of the uninterrupted run, except ledgers.
fn check_same_files(sandbox: &Sandbox, reference: &Sandbox) -> Result<(), String> {
    let [one, other] = [read_files(sandbox)?, read_files(reference)?];
    let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
    let differ: Vec<String> = names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect();
    expect_empty(&differ, "files that differ from the uninterrupted run")
}

/// Reads the files of a run, by name.
fn read_files(sandbox: &Sandbox) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    let workspace = workspace(sandbox, &document(sandbox)?);
    collect_files(&workspace, "", &mut found).map_err(|error| error.to_string())?;
    found.retain(|name, _| {
        !["timing-ledger.tsv", "tokens.jsonl", "events.jsonl", "execution-issues.md"].contains(&name.as_str())
    });
    collect_files(&sandbox.path("specs"), "specs/", &mut found).map_err(|error| error.to_string())?;
    Ok(found)
}

fn collect_files(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect_files(&entry.path(), &format!("{name}/"), found)?;
        } else {
            found.insert(name, fs_err::read(entry.path())?);
        }
    }
    Ok(())
}

fn document(sandbox: &Sandbox) -> Result<Value, String> {
    let path = sandbox.path(&format!(".claude/state/design-{FEATURE}.json"));
    let bytes = fs_err::read(path).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

fn workspace(sandbox: &Sandbox, document: &Value) -> PathBuf {
    sandbox.path(document["run"]["workspace"].as_str().unwrap_or_default())
}

fn expect_empty(items: &[String], problem: &str) -> Result<(), String> {
    if items.is_empty() { Ok(()) } else { Err(format!("{problem}: {}", items.join("; "))) }
}
