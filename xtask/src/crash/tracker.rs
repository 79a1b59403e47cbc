//! An approved design killed at every durable write up to its end, with a tracker whose server fails: each time there
//! is exactly one issue, the files name it, and each webhook event was delivered.
//!
//! The design is run to its last gate once. Each round starts there: the design is approved, killed at one write and
//! resumed a few minutes later.

use super::design::{Files, compare_files, read_files};
use super::points::{self, Point};
use super::workers::{Queue, run_parallel};
use crate::TaskResult;
use crate::design::DesignRig;
use charrette_testkit::WebhookListener;
use charrette_testkit::linear::{LinearFault, LinearServer};
use charrette_testkit::panel::{FEATURE, Panel};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::ops::Range;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of durable writes after the tracker was called, webhook messages included, that decide if the issue is
/// recorded. Every sample kills at them, and a full run does so with every list of server faults.
const DECISIVE_WRITES: usize = 8;

const INTEGRATIONS: &str = r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#;

/// Time of the resumed run: a little after the kill, on the same day.
const LATER: &str = "2026-11-15T12:07:00.000Z";

/// Webhook events of a whole run.
const EXPECTED_EVENTS: [&str; 4] =
    ["phase.finished research", "phase.finished write", "phase.finished validate", "run.finished -"];

/// Server faults of a round, by request and in order. All but one drop a connection when the issue is created; that one
/// answers with 500.
const SERVER_FAULTS: [&[(&str, LinearFault)]; 7] = [
    &[("issueCreate", LinearFault::DropAfter)],
    &[("issueCreate", LinearFault::DropBefore), ("issueCreate", LinearFault::DropAfter)],
    &[("issueCreate", LinearFault::ServerErrorAfter), ("issue", LinearFault::DropAfter)],
    &[
        ("teams", LinearFault::TooManyRequests(Some(0))),
        ("issueCreate", LinearFault::DropAfter),
        ("issue", LinearFault::DropBefore),
    ],
    &[("issueCreate", LinearFault::TooManyRequests(Some(1))), ("issueCreate", LinearFault::DropAfter)],
    &[
        ("issueCreate", LinearFault::Truncated),
        ("issueCreate", LinearFault::DropAfter),
        ("issue", LinearFault::ServerError),
    ],
    &[("teams", LinearFault::Slow), ("issueCreate", LinearFault::DropAfter), ("issue", LinearFault::Slow)],
];

/// A kill with a list of server faults.
struct Round<'a> {
    point: &'a Point,
    server: usize,
}

/// Totals of all rounds.
#[derive(Default)]
struct Tally {
    /// Rounds in which the process was killed before it ended.
    killed: AtomicUsize,
    /// Rounds in which the issue had been created but not recorded.
    unrecorded: AtomicUsize,
    /// Rounds in which a webhook delivery was repeated.
    redelivered: AtomicUsize,
}

/// Kills at every Nth point or at about this many, and always at the decisive ones.
pub(super) fn crash(every: usize, about: Option<usize>) -> TaskResult {
    let setup = RoundSetup::new()?;
    let log = setup.rig.panel.sandbox.outside("strace.log");
    let services = Services::start(&[]);
    setup.configure(&services);
    setup.run_to_success(&points::trace_durable_writes(&log, &["connect"]), None)?;
    let (expected, all) = (read_files(&setup.rig)?, points::durable_writes(&log)?);
    setup.check(&services, &expected)?;
    let called = points::durable_writes_before(&log, &format!("htons({})", services.linear.port()))?;

    let evenly = |about: usize| all.len().div_ceil(about.saturating_sub(DECISIVE_WRITES).max(1));
    let every = about.map_or(every, |about| every.max(evenly(about)));
    let rounds = rounds(&all, every, called..called + DECISIVE_WRITES);
    let (tally, unused_setup) = (Tally::default(), Mutex::new(Some(setup)));
    run_parallel(&rounds, |queue| {
        let unused = unused_setup.lock().ok().and_then(|mut setup| setup.take());
        let setup = unused.map_or_else(RoundSetup::new, Ok)?;
        kill_in_rounds(&setup, queue, &expected, &tally)
    })?;
    let points: BTreeSet<_> = rounds.iter().map(|round| (&round.point.call, round.point.nth)).collect();
    let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
    println!(
        "an approved design killed {} times at {} of {} durable writes, with server faults: one issue each time, named in all files; {} times it had been created but not recorded, {} times a webhook delivery was repeated",
        count(&tally.killed),
        points.len(),
        all.len(),
        count(&tally.unrecorded),
        count(&tally.redelivered)
    );
    Ok(())
}

/// Every Nth point and the decisive ones, each with the next list of server faults; if N is 1, also the decisive ones
/// with all lists.
fn rounds(all: &[Point], every: usize, decisive: Range<usize>) -> Vec<Round<'_>> {
    let is_chosen = |index: &usize| index.is_multiple_of(every) || decisive.contains(index);
    let chosen = (0..all.len()).filter(is_chosen).map(|index| &all[index]);
    let one_each =
        chosen.zip((0..SERVER_FAULTS.len()).cycle()).map(|(point, server)| Round { point, server });
    let with_all_faults = if every == 1 { all.get(decisive.clone()).unwrap_or_default() } else { &[] };
    let on_each = |point| (0..SERVER_FAULTS.len()).map(move |server| Round { point, server });
    one_each.chain(with_all_faults.iter().flat_map(on_each)).collect()
}

/// Worker: does each round of the queue.
fn kill_in_rounds(
    setup: &RoundSetup,
    queue: &Queue<'_, Round<'_>>,
    expected: &Files,
    tally: &Tally,
) -> TaskResult {
    while let Some(round) = queue.take() {
        let Round { point, server } = round;
        setup.run_round(round, expected, tally).map_err(|problem| {
            format!("the approved design {point}, with server faults {server}: {problem}")
        })?;
    }
    Ok(())
}

/// A design at its last gate.
struct RoundSetup {
    rig: DesignRig,
}

/// Servers of a round.
struct Services {
    linear: LinearServer,
    hook: WebhookListener,
}

impl Services {
    fn start(faults: &[(&str, LinearFault)]) -> Services {
        let (linear, hook) = (LinearServer::start(), WebhookListener::start(200));
        for (request, fault) in faults {
            linear.inject_faults(request, &[*fault]);
        }
        Services { linear, hook }
    }
}

impl RoundSetup {
    /// Runs a design to its last gate.
    fn new() -> TaskResult<RoundSetup> {
        let rig = DesignRig::with_panel(|agent| {
            let panel = Panel::brief(agent);
            panel.sandbox.write(".claude/config/integrations.json", INTEGRATIONS);
            panel.sandbox.git(["add", "--all"]);
            panel.sandbox.commit("Use Linear");
            panel.sandbox.git(["push", "-q"]);
            panel
        })?;
        let answers = fs_err::read_to_string(rig.panel.answers())?;
        let (earlier_answers, _) = answers.split_once("post-design:").ok_or("the script has no last gate")?;
        rig.panel.write_gate_answers(earlier_answers);
        let output = rig.run(&[])?;
        if output.status.code() != Some(3) {
            return Err(command_error("the design did not reach its last gate", &output));
        }
        rig.panel.write_gate_answers(&answers);
        rig.save_start()?;
        Ok(RoundSetup { rig })
    }

    /// Configures the URLs of the servers for the next run.
    fn configure(&self, services: &Services) {
        let (linear, hook) = (services.linear.url(), services.hook.url());
        self.rig
            .panel
            .write_settings(&format!("[linear]\nendpoint = {linear:?}\n[webhooks]\nurl = {hook:?}\n"));
    }

    /// Approves the design, kills it, resumes it and checks the result.
    fn run_round(&self, round: &Round<'_>, expected: &Files, tally: &Tally) -> TaskResult {
        let services = Services::start(SERVER_FAULTS[round.server]);
        self.rig.restore()?;
        self.configure(&services);
        let killed = self.run(&round.point.strace_without_children(), None)?;
        let (is_created, is_recorded) = (!services.linear.issues().is_empty(), self.has_recorded_issue());
        services.linear.requests();
        if !self.is_complete() {
            self.run_to_success(&[], Some(LATER))?;
        }
        if is_recorded && !services.linear.requests().is_empty() {
            return Err("the issue was recorded, but the tracker was called again".into());
        }
        let is_redelivered = self.check(&services, expected)?;
        let count = |counter: &AtomicUsize, is: bool| counter.fetch_add(usize::from(is), Ordering::SeqCst);
        count(&tally.killed, killed.status.signal() == Some(9));
        count(&tally.unrecorded, is_created && !is_recorded);
        count(&tally.redelivered, is_redelivered);
        Ok(())
    }

    fn has_recorded_issue(&self) -> bool {
        let document = self.rig.document().unwrap_or_default();
        document["phases"]["write"]["steps"]["tracker/issue"]["status"] == "done"
    }

    /// Approves the design, or resumes it if it was approved. `now` sets the clock.
    fn run(&self, wrapper: &[OsString], now: Option<&str>) -> TaskResult<Output> {
        let mut command = self.rig.command(wrapper);
        command.env("LINEAR_API_KEY", LinearServer::KEY);
        if let Some(now) = now {
            command.env("CHARRETTE_NOW", now);
        }
        Ok(command.output()?)
    }

    /// Runs the design; an error if it does not succeed.
    fn run_to_success(&self, wrapper: &[OsString], now: Option<&str>) -> TaskResult {
        let output = self.run(wrapper, now)?;
        let is_success = output.status.success() && self.is_complete();
        if is_success { Ok(()) } else { Err(command_error("the design failed", &output)) }
    }

    fn is_complete(&self) -> bool {
        self.rig.document().is_some_and(|document| document["completed_at"].is_string())
    }

    /// Checks that there is one issue, named in all files, and that each webhook event was delivered. Returns true if a
    /// delivery was repeated.
    fn check(&self, services: &Services, expected: &Files) -> TaskResult<bool> {
        let issues = services.linear.issues();
        let [issue] = &issues[..] else {
            return Err(format!("there are {} issues", issues.len()).into());
        };
        if let Some(refusal) =
            services.linear.rejections().iter().find(|line| !line.contains("already exists"))
        {
            return Err(format!("the server refused: {refusal}").into());
        }
        let text = |name: &str| self.rig.panel.sandbox.read(&format!("specs/{FEATURE}/{name}"));
        let spec: Value = serde_json::from_str(&text("spec.json"))?;
        let expected_link = json!({"identifier": issue["identifier"], "url": issue["url"]});
        if spec["linear"] != expected_link || spec["status"] != "approved" {
            return Err(format!("spec.json does not name the issue: {spec}").into());
        }
        for (name, line) in [("summary.md", "**Status:** Approved"), ("meta.yaml", "status: approved")] {
            if !text(name).contains(line) {
                return Err(format!("{name} is not approved").into());
            }
        }
        let gate = &self.rig.document().unwrap_or_default()["gates"]["post-design"]["state"];
        if gate != "approved" {
            return Err(format!("the gate is {gate}").into());
        }
        compare_files(expected, &read_files(&self.rig)?)?;
        self.check_deliveries(&services.hook)
    }

    /// Checks that each event was delivered, repeated deliveries with the same id. Returns true if one was repeated.
    fn check_deliveries(&self, hook: &WebhookListener) -> TaskResult<bool> {
        let mut deliveries = WebhookDeliveries::default();
        deliveries.receive(hook)?;
        if deliveries.missing().is_some() {
            // Killed after the end of the run, before the delivery: the next start of charrette delivers it.
            self.resume_complete_run()?;
            deliveries.receive(hook)?;
        }
        if let Some(event) = deliveries.missing() {
            return Err(format!("the webhook event was not delivered: {event}").into());
        }
        if let Some((event, ids)) = deliveries.ids.iter().find(|(_, ids)| ids.len() > 1) {
            return Err(format!("{event} was delivered with {} ids", ids.len()).into());
        }
        Ok(deliveries.messages > deliveries.ids.len())
    }

    /// Resumes the complete run, which only delivers pending webhooks.
    fn resume_complete_run(&self) -> TaskResult {
        let mut command = self.rig.panel.command(&self.rig.program, ["resume", FEATURE]);
        let output = command.env("CHARRETTE_NOW", LATER).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(command_error("resuming the complete design failed", &output))
    }
}

/// Deliveries to a webhook: the ids of each event.
#[derive(Default)]
struct WebhookDeliveries {
    ids: BTreeMap<String, BTreeSet<String>>,
    messages: usize,
}

impl WebhookDeliveries {
    fn receive(&mut self, hook: &WebhookListener) -> TaskResult {
        for request in hook.take_requests() {
            let message: Value = serde_json::from_slice(&request.body)?;
            let word = |name: &str| message[name].as_str().unwrap_or("-").to_owned();
            self.ids.entry(format!("{} {}", word("event"), word("phase"))).or_default().insert(word("id"));
            self.messages += 1;
        }
        Ok(())
    }

    fn missing(&self) -> Option<&'static str> {
        EXPECTED_EVENTS.into_iter().find(|event| !self.ids.contains_key(*event))
    }
}

fn command_error(what: &str, output: &Output) -> Box<dyn std::error::Error> {
    format!("{what}: {} {}", output.status, String::from_utf8_lossy(&output.stderr)).into()
}
