//! The conformance suite of the protocol against `charrette mcp`, behind an HTTP front of the test kit: the suite speaks only
//! HTTP. Every check must pass, except those of [`EXEMPTIONS`], each with the reason why it does not apply.

use super::REVISIONS;
use crate::TaskResult;
use charrette_testkit::McpFront;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Check of every message against the schema of the protocol, which is never exempt.
const WIRE_SCHEMA: &str = "wire-schema-valid";
/// Length of the time at the end of the name of a folder of results, with its dash.
const STAMP: usize = "-2026-11-18T00-00-00-000Z".len();

/// Why a check does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// It calls a tool, prompt or resource that only the suite's own test server has.
    TestServer,
    /// It is about the transport over HTTP, which the front of the test kit plays.
    Http,
    /// It is about an optional feature that charrette does not offer and does not announce.
    NotOffered,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::TestServer => "needs tools, prompts or resources of the suite's own test server",
            Reason::Http => "is about the transport over HTTP; charrette serves standard streams",
            Reason::NotOffered => "is about an optional feature that charrette does not announce",
        }
    }
}

/// A check, or with an empty name all checks of a scenario, that does not apply.
struct Exemption {
    scenario: &'static str,
    check: &'static str,
    reason: Reason,
}

const fn exempt(scenario: &'static str, check: &'static str, reason: Reason) -> Exemption {
    Exemption { scenario, check, reason }
}

/// What does not apply. What these scenarios are about is tested with our own tools in `crates/cli/tests/it/mcp`.
const EXEMPTIONS: &[Exemption] = &[
    exempt("tools-call-simple-text", "", Reason::TestServer),
    exempt("tools-call-image", "", Reason::TestServer),
    exempt("tools-call-audio", "", Reason::TestServer),
    exempt("tools-call-embedded-resource", "", Reason::TestServer),
    exempt("tools-call-mixed-content", "", Reason::TestServer),
    exempt("tools-call-error", "", Reason::TestServer),
    exempt("tools-call-with-progress", "", Reason::TestServer),
    exempt("tools-call-elicitation", "", Reason::TestServer),
    exempt("tools-call-sampling", "", Reason::TestServer),
    exempt("elicitation-sep1034-defaults", "", Reason::TestServer),
    exempt("elicitation-sep1330-enums", "", Reason::TestServer),
    exempt("json-schema-2020-12", "", Reason::TestServer),
    exempt("prompts-get-simple", "", Reason::TestServer),
    exempt("prompts-get-with-args", "", Reason::TestServer),
    exempt("prompts-get-embedded-resource", "", Reason::TestServer),
    exempt("prompts-get-with-image", "", Reason::TestServer),
    exempt("resources-read-text", "", Reason::TestServer),
    exempt("resources-read-binary", "", Reason::TestServer),
    exempt("resources-templates-read", "", Reason::TestServer),
    exempt("input-required-result-basic-elicitation", "", Reason::TestServer),
    exempt("input-required-result-basic-list-roots", "", Reason::TestServer),
    exempt("input-required-result-basic-sampling", "", Reason::TestServer),
    exempt("input-required-result-capability-check", "", Reason::TestServer),
    exempt("input-required-result-ignore-extra-params", "", Reason::TestServer),
    exempt("input-required-result-missing-input-response", "", Reason::TestServer),
    exempt("input-required-result-multi-round", "", Reason::TestServer),
    exempt("input-required-result-multiple-input-requests", "", Reason::TestServer),
    exempt("input-required-result-non-tool-request", "", Reason::TestServer),
    exempt("input-required-result-request-state", "", Reason::TestServer),
    exempt("input-required-result-result-type", "", Reason::TestServer),
    exempt("input-required-result-tampered-state", "", Reason::TestServer),
    exempt("tasks-lifecycle", "", Reason::TestServer),
    exempt("tasks-mrtr-composition", "", Reason::TestServer),
    exempt("tasks-mrtr-input", "", Reason::TestServer),
    exempt("tasks-request-state-removal", "", Reason::TestServer),
    exempt("tasks-required-task-error", "", Reason::TestServer),
    exempt("tasks-wire-fields", "", Reason::TestServer),
    exempt("server-sse-polling", "server-sse-test-reconnection-tool", Reason::TestServer),
    exempt("server-stateless", "sep-2575-server-rejects-undeclared-capability", Reason::TestServer),
    exempt("server-stateless", "sep-2575-missing-capability-http-400", Reason::TestServer),
    exempt("server-stateless", "sep-2575-http-server-no-independent-requests-on-stream", Reason::TestServer),
    exempt("server-stateless", "sep-2575-server-no-log-without-loglevel", Reason::TestServer),
    exempt("tasks-capability-negotiation", "sep-2663-server-rejects-undeclared-client", Reason::TestServer),
    exempt("tasks-capability-negotiation", "tasks-per-request-meta-opt-in", Reason::TestServer),
    exempt("tasks-dispatch-and-envelope", "tasks-server-directed-creation-no-hint", Reason::TestServer),
    exempt("tasks-dispatch-and-envelope", "sep-2663-legacy-task-param-ignored", Reason::TestServer),
    exempt("tasks-dispatch-and-envelope", "tasks-immediate-result-shortcut", Reason::TestServer),
    exempt(
        "tasks-dispatch-and-envelope",
        "tasks-result-type-complete-on-non-task-responses",
        Reason::TestServer,
    ),
    exempt("tasks-dispatch-and-envelope", "sep-2663-durable-create-strong-consistency", Reason::TestServer),
    exempt("dns-rebinding-protection", "", Reason::Http),
    exempt("http-custom-header-server-validation", "", Reason::Http),
    exempt("http-header-validation", "", Reason::Http),
    exempt("tasks-request-headers", "", Reason::Http),
    exempt("server-stateless", "sep-2575-http-server-header-mismatch-400", Reason::Http),
    exempt("completion-complete", "", Reason::NotOffered),
    exempt("logging-set-level", "", Reason::NotOffered),
    exempt("tools-call-with-logging", "", Reason::NotOffered),
    exempt("resources-subscribe", "", Reason::NotOffered),
    exempt("resources-unsubscribe", "", Reason::NotOffered),
];

/// Scenarios that pass because their tool is unknown to charrette: a pass says nothing.
const EMPTY_PASSES: [&str; 1] = ["input-required-result-validate-input"];

/// Result of a scenario.
struct Scenario {
    revision: &'static str,
    name: String,
    /// Checks that passed, without that of the schema.
    passed: usize,
    problems: Vec<Problem>,
}

/// A check of the suite that did not pass.
struct Problem {
    check: String,
    message: String,
}

impl Scenario {
    /// True if the scenario tested something of charrette's own.
    fn applies(&self) -> bool {
        let is_exempt =
            EXEMPTIONS.iter().any(|exemption| exemption.scenario == self.name && exemption.check.is_empty());
        self.passed > 0 && !is_exempt && !EMPTY_PASSES.contains(&self.name.as_str())
    }
}

/// Runs the suite in both revisions. `home` has the package, `folder` gets the results.
pub(super) fn run(home: &Path, folder: &Path, front: &McpFront) -> TaskResult {
    let mut scenarios = Vec::new();
    for revision in REVISIONS {
        let results = folder.join(format!("conformance-{revision}"));
        // The suite needs a newer Node than the other programs.
        let modules = home.join("node_modules");
        let mut suite = Command::new(modules.join(format!("node-linux-{}/bin/node", super::arch())));
        suite.arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"));
        suite.args(["server", "--url", &front.url(), "--requirements", revision, "--output-dir"]);
        let output = suite.arg(&results).current_dir(home).output()?;
        fs_err::write(folder.join(format!("conformance-{revision}.log")), &output.stdout)?;
        let found = read_results(revision, &results)?;
        if found.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("the conformance suite ran nothing for {revision}: {said}").into());
        }
        scenarios.extend(found);
    }
    let exempted = judge(&scenarios)?;
    report(&scenarios, &exempted);
    Ok(())
}

/// Reads the results of a run.
fn read_results(revision: &'static str, results: &Path) -> TaskResult<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    for entry in fs_err::read_dir(results)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let name = name.strip_prefix("server-").unwrap_or(&name);
        let name = name.get(..name.len().saturating_sub(STAMP)).unwrap_or(name).to_owned();
        let checks = fs_err::read_to_string(entry.path().join("checks.json"))?;
        let checks: Vec<Value> = serde_json::from_str(&checks)?;
        let mut scenario = Scenario { revision, name, passed: 0, problems: Vec::new() };
        for check in checks {
            match check["status"].as_str() {
                Some("SUCCESS") if check["id"] == WIRE_SCHEMA => {}
                Some("SUCCESS") => scenario.passed += 1,
                Some("INFO" | "SKIPPED") => {}
                _ => scenario.problems.push(Problem {
                    check: check["id"].as_str().unwrap_or_default().to_owned(),
                    message: check["errorMessage"].as_str().unwrap_or_default().to_owned(),
                }),
            }
        }
        scenarios.push(scenario);
    }
    Ok(scenarios)
}

/// Fails if a check did not pass without an exemption, or if an exemption is not needed any more. Returns the number of checks
/// by the reason of their exemption.
fn judge(scenarios: &[Scenario]) -> TaskResult<BTreeMap<Reason, usize>> {
    let mut unneeded: Vec<&Exemption> = EXEMPTIONS.iter().collect();
    let mut exempted: BTreeMap<Reason, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for Scenario { revision, name, problems, .. } in scenarios {
        for Problem { check, message } in problems {
            let applies = |exemption: &&Exemption| {
                exemption.scenario == name
                    && (exemption.check == check || (exemption.check.is_empty() && check != WIRE_SCHEMA))
            };
            if let Some(exemption) = EXEMPTIONS.iter().find(applies) {
                unneeded.retain(|other| !std::ptr::eq(*other, exemption));
                *exempted.entry(exemption.reason).or_default() += 1;
            } else {
                wrong.push(format!("{revision} {name} {check}: {message}"));
            }
        }
    }
    let unneeded = unneeded.iter().map(|exemption| {
        format!("{} {}: passes, so that its exemption can be removed", exemption.scenario, exemption.check)
    });
    wrong.extend(unneeded);
    if wrong.is_empty() {
        return Ok(exempted);
    }
    Err(format!("the conformance suite:\n{}", wrong.join("\n")).into())
}

/// Prints what was tested, and how much does not apply.
fn report(scenarios: &[Scenario], exempted: &BTreeMap<Reason, usize>) {
    for revision in REVISIONS {
        let all: Vec<&Scenario> = scenarios.iter().filter(|scenario| scenario.revision == revision).collect();
        let applying = || all.iter().filter(|scenario| scenario.applies());
        let whole = applying().filter(|scenario| scenario.problems.is_empty()).count();
        let checks: usize = applying().map(|scenario| scenario.passed).sum();
        println!(
            "{revision} conformance suite: {} scenarios run, no invalid message; {whole} passed whole, {} in part \
             ({checks} checks), {} do not apply",
            all.len(),
            applying().count() - whole,
            all.len() - applying().count()
        );
    }
    for (reason, count) in exempted {
        println!("  {count} checks do not apply: each {}", reason.text());
    }
}
