//! Checks after a design.

use super::design_run::{DesignResult, DesignRun};
use super::{Design, SeatedAgent};
use charrette_store::ledger::calls;
use charrette_testkit::Sandbox;
use charrette_testkit::panel::FEATURE;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every step of a regular design that an agent takes, besides debates.
const STEPS: [&str; 29] = [
    "aggregator",
    "clarifier",
    "discusser",
    "finisher",
    "illustrator",
    "judge/judge-claude",
    "judge/judge-codex",
    "judge/judge-cursor",
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
    "writer",
];

/// Number of contested decisions.
const CONTESTED: usize = 3;

/// Runs all checks; the error is the first that fails.
pub(super) fn of(design: &Design, room: &DesignRun, ended: &DesignResult) -> Result<(), String> {
    let ends = [("resumed", &ended.resumed), ("check", &ended.checked), ("reference", &ended.reference)];
    for (name, end) in ends {
        if end.code != Some(0) {
            return Err(format!("{name} ended with {:?}: {} {}", end.code, end.stdout, end.stderr));
        }
    }
    // A kill spares the client, which leads a group of its own: it is the resumed run that ends it.
    let is_program = design.clients().iter().any(|(_, client)| client.has_tools());
    if ended.orphaned.is_empty() == is_program {
        return Err(format!("the killed run left {:?} behind", ended.orphaned));
    }
    nothing(&ended.left, "processes are left")?;
    nothing(&room.connected_beyond(), "it connected beyond loopback")?;
    no_recorded_call_is_repeated(design, ended)?;
    let [sandbox, reference] = room.sandboxes();
    let document = document(sandbox)?;
    recorded_agents_were_called(design, &document, &ended.asked)?;
    vendors_are_named(design, &ended.resumed.stdout)?;
    all_calls_are_on_the_ledger(design, &workspace(sandbox, &document))?;
    decisions_are_on_record(design, &workspace(sandbox, &document))?;
    both_came_to_the_same_end(sandbox, reference)
}

/// Each seat was asked once; the one that was killed while it thought, twice.
fn no_recorded_call_is_repeated(design: &Design, ended: &DesignResult) -> Result<(), String> {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for step in ended.asked.iter().filter_map(|line| line["step"].as_str()) {
        *asked.entry(step.to_owned()).or_default() += 1;
    }
    let once = steps(design).into_iter().map(|step| {
        let times = if step == "synthesist" { 2 } else { 1 };
        (step, times)
    });
    let expected: BTreeMap<String, usize> = once.collect();
    let all: BTreeSet<&String> = asked.keys().chain(expected.keys()).collect();
    let differs = |step: &&String| asked.get(*step) != expected.get(*step);
    let times = |step: &String| format!("{step} {} times", asked.get(step).unwrap_or(&0));
    let other: Vec<String> = all.into_iter().filter(differs).map(times).collect();
    nothing(&other, "the model was asked")
}

fn steps(design: &Design) -> Vec<String> {
    let debated = (1..=CONTESTED).filter(|rank| !design.undebated.contains(rank));
    let debates =
        debated.flat_map(|rank| ["thesis", "antithesis"].map(|side| format!("debate/{rank}-{side}")));
    STEPS.iter().map(|step| (*step).to_owned()).chain(debates).collect()
}

/// The document says who took a step, and the question came over that agent's interface.
fn recorded_agents_were_called(design: &Design, document: &Value, asked: &[Value]) -> Result<(), String> {
    for step in steps(design) {
        let recorded = document["phases"].as_object().into_iter().flatten();
        let mut recorded = recorded.map(|(_, phase)| &phase["steps"][&step]["agent"]);
        let agent = recorded.find_map(Value::as_str).unwrap_or_default();
        let seated = design.seated.iter().find(|seated| seated.name == agent);
        let seated = seated.ok_or_else(|| format!("{step} was taken by {agent:?}"))?;
        let other = asked.iter().find(|line| line["step"] == *step && line["api"] != seated.api);
        if let Some(line) = other {
            return Err(format!("{step} was taken by {agent}, but asked over {}", line["api"]));
        }
    }
    let idle =
        |seated: &&SeatedAgent| !document.to_string().contains(&format!("\"agent\":\"{}\"", seated.name));
    let idle: Vec<String> = design.seated.iter().filter(idle).map(|seated| seated.name.to_owned()).collect();
    nothing(&idle, "nothing to do had")
}

fn vendors_are_named(design: &Design, page: &str) -> Result<(), String> {
    let mut vendors: Vec<&str> = design.seated.iter().map(|seated| seated.vendor).collect();
    vendors.sort_unstable();
    let plural = if vendors.len() == 1 { "vendor" } else { "vendors" };
    for did in ["sat", "voted"] {
        let line = format!("{} distinct {plural} {did}: {}", vendors.len(), vendors.join(", "));
        if !page.lines().any(|found| found == line) {
            return Err(format!("the last page does not say {line:?}: {page}"));
        }
    }
    Ok(())
}

/// Each seat has a row with what it used, and with a price where its client names one.
fn all_calls_are_on_the_ledger(design: &Design, workspace: &Path) -> Result<(), String> {
    let rows = calls(workspace).map_err(|error| error.to_string())?;
    for step in steps(design) {
        let answered: Vec<_> = rows.iter().filter(|row| row.step == step && row.is_answered()).collect();
        let [row] = answered.as_slice() else {
            return Err(format!("the ledger has {} rows for {step}", answered.len()));
        };
        let is_priced = design.seated.iter().any(|seated| seated.name == row.agent && seated.is_priced);
        if (row.input, row.output) != (Some(2000), Some(20)) || row.usd.is_some() != is_priced {
            return Err(format!(
                "the ledger says of {step}: {:?} in, {:?} out, {:?} dollars",
                row.input, row.output, row.usd
            ));
        }
    }
    Ok(())
}

fn decisions_are_on_record(design: &Design, workspace: &Path) -> Result<(), String> {
    let text = fs_err::read_to_string(workspace.join("dialectic-resolutions.md"))
        .map_err(|error| error.to_string())?;
    let found: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("**Disposition**: ")).collect();
    let disposition = |rank: usize| if design.undebated.contains(&rank) { "bucket-skipped" } else { "voted" };
    let expected: Vec<&str> = (1..=CONTESTED).map(disposition).collect();
    if found == expected { Ok(()) } else { Err(format!("the decisions are {found:?}, not {expected:?}")) }
}

/// Compares the files with those of an uninterrupted run, except ledgers.
fn both_came_to_the_same_end(sandbox: &Sandbox, reference: &Sandbox) -> Result<(), String> {
    let [one, other] = [left(sandbox)?, left(reference)?];
    let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
    let differ: Vec<String> = names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect();
    nothing(&differ, "not as in one go are")
}

/// Files of a run, by name.
fn left(sandbox: &Sandbox) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    let workspace = workspace(sandbox, &document(sandbox)?);
    walk(&workspace, "", &mut found).map_err(|error| error.to_string())?;
    found.retain(|name, _| {
        !["timing-ledger.tsv", "tokens.jsonl", "events.jsonl", "execution-issues.md"].contains(&name.as_str())
    });
    walk(&sandbox.path("specs"), "specs/", &mut found).map_err(|error| error.to_string())?;
    Ok(found)
}

fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) -> std::io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{name}/"), found)?;
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

fn nothing(found: &[String], problem: &str) -> Result<(), String> {
    if found.is_empty() { Ok(()) } else { Err(format!("{problem}: {}", found.join("; "))) }
}
