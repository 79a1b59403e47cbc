//! Webhook delivery of a design: at least once, signed, and never blocking the run.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_integrations::webhook::signature;
use charrette_testkit::panel::{FEATURE, REQUEST};
use charrette_testkit::{HttpRequest, Output, WebhookListener};
use serde_json::Value;
use std::collections::BTreeSet;

const SECRET: &str = "wh_s3cr3t_0f_th3_t3st";

fn configure(workshop: &Workshop, listener: &WebhookListener) {
    workshop
        .write_settings(&format!("[webhooks]\nurl = \"{}\"\nsecret_env = \"HOOK_SECRET\"\n", listener.url()));
}

fn design(workshop: &Workshop, args: &[&str]) -> Output {
    let answers = workshop.answers();
    let args = [&["design", "--answers", answers.to_str().unwrap(), "--auto"], args].concat();
    let mut command = workshop.command(BINARY, args);
    command.env("HOOK_SECRET", SECRET);
    Output::capture(command, b"")
}

fn body(request: &HttpRequest) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn delivered_events(requests: &[HttpRequest]) -> Vec<String> {
    let name = |request: &HttpRequest| {
        let body = body(request);
        format!("{} {}", body["event"].as_str().unwrap(), body["phase"].as_str().unwrap_or("-"))
    };
    requests.iter().map(name).collect()
}

const ALL: [&str; 4] =
    ["phase.finished research", "phase.finished write", "phase.finished validate", "run.finished -"];

#[test]
fn webhooks_for_phases_and_runs_are_delivered_once_and_signed() {
    let (workshop, listener) = (Workshop::brief(), WebhookListener::start(200));
    configure(&workshop, &listener);
    let output = design(&workshop, &[REQUEST]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let requests = listener.take_requests();
    let mut found = delivered_events(&requests);
    found.sort();
    let mut all = ALL.to_vec();
    all.sort_unstable();
    assert_eq!(found, all);
    let document = workshop.document();
    for request in &requests {
        let body = body(request);
        assert_eq!(
            request.header("x-charrette-signature"),
            Some(&*signature(SECRET.as_bytes(), &request.body))
        );
        assert_eq!(request.header("x-charrette-delivery"), body["id"].as_str());
        assert_eq!((&body["feature"], &body["run"]), (&Value::from(FEATURE), &document["run"]["id"]));
        assert!(body["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{body}");
    }
    assert!(!format!("{output:?}").contains("Warning"), "{output:?}");
}

#[test]
fn a_failed_webhook_is_a_warning_and_retried_by_the_next_start() {
    let (workshop, listener) = (Workshop::brief(), WebhookListener::start(500));
    configure(&workshop, &listener);
    let output = design(&workshop, &[REQUEST]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let warning = "Warning: webhook delivery failed: it answered with 500. The next start retries it.";
    assert_eq!(output.stderr.matches(warning).count(), 1, "{output:?}");
    assert_eq!(delivered_events(&listener.take_requests())[0], ALL[0], "the oldest comes first");

    listener.set_status(204);
    let output = design(&workshop, &[FEATURE, "--phase=validate"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let requests = listener.take_requests();
    let found: BTreeSet<String> = delivered_events(&requests).into_iter().collect();
    assert!(ALL.iter().all(|event| found.contains(*event)), "{found:?}");
    let ids: Vec<Value> = requests.iter().map(|request| body(request)["id"].clone()).collect();
    let distinct: BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
    assert_eq!(ids.len(), distinct.len(), "what arrived is not told again: {ids:?}");
}

#[test]
fn undelivered_webhooks_of_a_complete_design_are_delivered() {
    let (workshop, listener) = (Workshop::brief(), WebhookListener::start(500));
    configure(&workshop, &listener);
    assert_eq!(design(&workshop, &[REQUEST]).code, Some(0));
    listener.take_requests();
    listener.set_status(204);
    let output = design(&workshop, &[FEATURE, "--resume"]);
    assert!(output.stderr.contains("is already complete"), "{output:?}");
    let mut found = delivered_events(&listener.take_requests());
    assert_eq!(found.pop().as_deref(), ALL.last().copied(), "the run after its phases");
    found.sort();
    assert_eq!(found, ["phase.finished research", "phase.finished validate", "phase.finished write"]);
    design(&workshop, &[FEATURE, "--resume"]);
    assert_eq!(delivered_events(&listener.take_requests()), [""; 0], "once it has arrived");
}

#[test]
fn an_invalid_webhook_is_a_warning_and_nothing_is_sent() {
    let (workshop, listener) = (Workshop::brief(), WebhookListener::start(200));
    workshop
        .write_settings(&format!("[webhooks]\nurl = \"{}\"\nsecret_env = \"NOT_THERE\"\n", listener.url()));
    let output = design(&workshop, &["--phase=research", REQUEST]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let warning =
        "Warning: webhooks are off for this run: webhooks.secret_env names NOT_THERE, which is not set";
    assert!(output.stderr.contains(warning), "{output:?}");
    assert!(!output.stderr.contains("webhook delivery failed"), "{output:?}");
    assert_eq!(listener.take_requests().len(), 0, "nothing is sent unsigned");
}
