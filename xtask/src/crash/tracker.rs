//! An approved design killed at every durable write up to its end, with a tracker whose server misbehaves: there is
//! exactly one issue each time, the files name it, and the webhook was told everything.
//!
//! The design is brought to its last gate once. Each round begins there: it is approved and killed at one write, then
//! goes on undisturbed, a little later.

use super::design::{Files, compare, files};
use super::points::{self, Point};
use super::workers::{Queue, side_by_side};
use crate::Outcome;
use crate::design::Rig;
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

/// So many writes after the tracker was called, those about messages of the webhook among them, decide whether the
/// issue is known. They are hit in every sample, and on every server if all points are.
const DECISIVE: usize = 8;

const INTEGRATIONS: &str = r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#;

/// Time of the resumed run: a little after the kill, on the same day.
const LATER: &str = "2026-11-15T12:07:00.000Z";

/// Webhook events of a whole run.
const TOLD: [&str; 4] =
    ["phase.finished research", "phase.finished write", "phase.finished validate", "run.finished -"];

/// Server faults of a round, by request and in order. All drop a connection when the issue is made,
/// but for one that answers with 500 then.
const SERVERS: [&[(&str, LinearFault)]; 7] = [
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

/// One kill.
struct Round<'a> {
    point: &'a Point,
    server: usize,
}

/// Totals of all rounds.
#[derive(Default)]
struct Tally {
    /// The process was there to be killed, and was.
    killed: AtomicUsize,
    /// The issue was made by then, and not on record.
    unknown: AtomicUsize,
    /// The webhook was told something twice.
    retold: AtomicUsize,
}

/// Kills at every Nth point, or at about as many as wanted; where it matters most, always.
pub(super) fn crash(every: usize, about: Option<usize>) -> Outcome {
    let desk = RoundSetup::set()?;
    let log = desk.rig.panel.sandbox.outside("strace.log");
    let services = Services::start(&[]);
    desk.point_to(&services);
    desk.run_well(&points::watching(&log, &["connect"]), None)?;
    let (expected, all) = (files(&desk.rig)?, points::durable_writes(&log)?);
    desk.check(&services, &expected)?;
    let called = points::durable_writes_before(&log, &format!("htons({})", services.linear.port()))?;

    let evenly = |about: usize| all.len().div_ceil(about.saturating_sub(DECISIVE).max(1));
    let every = about.map_or(every, |about| every.max(evenly(about)));
    let rounds = rounds(&all, every, called..called + DECISIVE);
    let (tally, free) = (Tally::default(), Mutex::new(Some(desk)));
    side_by_side(&rounds, |queue| {
        let free = free.lock().ok().and_then(|mut free| free.take());
        let desk = free.map_or_else(RoundSetup::set, Ok)?;
        kill_them(&desk, queue, &expected, &tally)
    })?;
    let hit: BTreeSet<_> = rounds.iter().map(|round| (&round.point.call, round.point.nth)).collect();
    let count = |counter: &AtomicUsize| counter.load(Ordering::SeqCst);
    println!(
        "an approved design killed {} times at {} of {} durable writes, on servers that drop what they have done: one issue each time, in all files; {} times it had been created but not recorded, {} times a webhook delivery was repeated",
        count(&tally.killed),
        hit.len(),
        all.len(),
        count(&tally.unknown),
        count(&tally.retold)
    );
    Ok(())
}

/// Every Nth point and the decisive ones, one server after the other; if it is all of them, the decisive ones with all
/// servers.
fn rounds(all: &[Point], every: usize, decisive: Range<usize>) -> Vec<Round<'_>> {
    let is_chosen = |index: &usize| index.is_multiple_of(every) || decisive.contains(index);
    let chosen = (0..all.len()).filter(is_chosen).map(|index| &all[index]);
    let one_each = chosen.zip((0..SERVERS.len()).cycle()).map(|(point, server)| Round { point, server });
    let again = if every == 1 { all.get(decisive.clone()).unwrap_or_default() } else { &[] };
    let on_each = |point| (0..SERVERS.len()).map(move |server| Round { point, server });
    one_each.chain(again.iter().flat_map(on_each)).collect()
}

/// Takes round after round until none is left.
fn kill_them(desk: &RoundSetup, queue: &Queue<'_, Round<'_>>, expected: &Files, tally: &Tally) -> Outcome {
    while let Some(round) = queue.take() {
        let Round { point, server } = round;
        desk.kill(round, expected, tally)
            .map_err(|problem| format!("the approved design {point}, with server {server}: {problem}"))?;
    }
    Ok(())
}

/// A design at its last gate.
struct RoundSetup {
    rig: Rig,
}

/// Servers of a round.
struct Services {
    linear: LinearServer,
    hook: WebhookListener,
}

impl Services {
    fn start(mishaps: &[(&str, LinearFault)]) -> Services {
        let (linear, hook) = (LinearServer::start(), WebhookListener::start(200));
        for (request, mishap) in mishaps {
            linear.inject_faults(request, &[*mishap]);
        }
        Services { linear, hook }
    }
}

impl RoundSetup {
    /// Brings a design there.
    fn set() -> Outcome<RoundSetup> {
        let rig = Rig::around(|agent| {
            let panel = Panel::brief(agent);
            panel.sandbox.write(".claude/config/integrations.json", INTEGRATIONS);
            panel.sandbox.git(["add", "--all"]);
            panel.sandbox.commit("Use Linear");
            panel.sandbox.git(["push", "-q"]);
            panel
        })?;
        let answers = fs_err::read_to_string(rig.panel.answers())?;
        let (until_then, _) = answers.split_once("post-design:").ok_or("the script has no last gate")?;
        rig.panel.write_gate_answers(until_then);
        let output = rig.run(&[])?;
        if output.status.code() != Some(3) {
            return Err(not_as_expected("the design does not come to its last gate", &output));
        }
        rig.panel.write_gate_answers(&answers);
        rig.keep()?;
        Ok(RoundSetup { rig })
    }

    /// Has the next run talk to these.
    fn point_to(&self, services: &Services) {
        let (linear, hook) = (services.linear.url(), services.hook.url());
        self.rig
            .panel
            .write_settings(&format!("[linear]\nendpoint = {linear:?}\n[webhooks]\nurl = {hook:?}\n"));
    }

    /// Approves, is killed, and goes on.
    fn kill(&self, round: &Round<'_>, expected: &Files, tally: &Tally) -> Outcome {
        let services = Services::start(SERVERS[round.server]);
        self.rig.restore()?;
        self.point_to(&services);
        let killed = self.run(&round.point.strace_alone(), None)?;
        let (is_made, is_known) = (!services.linear.issues().is_empty(), self.has_recorded_issue());
        services.linear.requests();
        if !self.is_complete() {
            self.run_well(&[], Some(LATER))?;
        }
        if is_known && !services.linear.requests().is_empty() {
            return Err("the issue was on record, and was asked for again".into());
        }
        let is_retold = self.check(&services, expected)?;
        let count = |counter: &AtomicUsize, is: bool| counter.fetch_add(usize::from(is), Ordering::SeqCst);
        count(&tally.killed, killed.status.signal() == Some(9));
        count(&tally.unknown, is_made && !is_known);
        count(&tally.retold, is_retold);
        Ok(())
    }

    /// True if the issue is recorded.
    fn has_recorded_issue(&self) -> bool {
        let document = self.rig.document().unwrap_or_default();
        document["phases"]["write"]["steps"]["tracker/issue"]["status"] == "done"
    }

    /// Approves the design, or goes on with it if that has happened. `now` is when.
    fn run(&self, wrapper: &[OsString], now: Option<&str>) -> Outcome<Output> {
        let mut command = self.rig.command(wrapper);
        command.env("LINEAR_API_KEY", LinearServer::KEY);
        if let Some(now) = now {
            command.env("CHARRETTE_NOW", now);
        }
        Ok(command.output()?)
    }

    /// The same, which must succeed.
    fn run_well(&self, wrapper: &[OsString], now: Option<&str>) -> Outcome {
        let output = self.run(wrapper, now)?;
        let is_well = output.status.success() && self.is_complete();
        if is_well { Ok(()) } else { Err(not_as_expected("the design does not come to its end", &output)) }
    }

    fn is_complete(&self) -> bool {
        self.rig.document().is_some_and(|document| document["completed_at"].is_string())
    }

    /// One issue, in all files, and everything was told. Says whether something was told twice.
    fn check(&self, services: &Services, expected: &Files) -> Outcome<bool> {
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
        let named = json!({"identifier": issue["identifier"], "url": issue["url"]});
        if spec["linear"] != named || spec["status"] != "approved" {
            return Err(format!("spec.json does not hold the issue: {spec}").into());
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
        compare(expected, &files(&self.rig)?)?;
        self.check_deliveries(&services.hook)
    }

    /// Checks that each event was delivered, repeated deliveries with the same id. Returns true if one was repeated.
    fn check_deliveries(&self, hook: &WebhookListener) -> Outcome<bool> {
        let mut told = WebhookDeliveries::default();
        told.receive(hook)?;
        if told.missing().is_some() {
            // Killed between its end and the message: the next start of anything tells it.
            self.start_again()?;
            told.receive(hook)?;
        }
        if let Some(event) = told.missing() {
            return Err(format!("the webhook was not told: {event}").into());
        }
        if let Some((event, ids)) = told.ids.iter().find(|(_, ids)| ids.len() > 1) {
            return Err(format!("{event} was told with {} ids", ids.len()).into());
        }
        Ok(told.messages > told.ids.len())
    }

    /// A start that finds everything done.
    fn start_again(&self) -> Outcome {
        let mut command = self.rig.panel.command(&self.rig.program, ["resume", FEATURE]);
        let output = command.env("CHARRETTE_NOW", LATER).output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(not_as_expected("a design that is complete cannot be resumed", &output))
    }
}

/// Deliveries to a webhook: the ids of each event.
#[derive(Default)]
struct WebhookDeliveries {
    ids: BTreeMap<String, BTreeSet<String>>,
    messages: usize,
}

impl WebhookDeliveries {
    fn receive(&mut self, hook: &WebhookListener) -> Outcome {
        for request in hook.take_requests() {
            let message: Value = serde_json::from_slice(&request.body)?;
            let word = |name: &str| message[name].as_str().unwrap_or("-").to_owned();
            self.ids.entry(format!("{} {}", word("event"), word("phase"))).or_default().insert(word("id"));
            self.messages += 1;
        }
        Ok(())
    }

    fn missing(&self) -> Option<&'static str> {
        TOLD.into_iter().find(|event| !self.ids.contains_key(*event))
    }
}

fn not_as_expected(what: &str, output: &Output) -> Box<dyn std::error::Error> {
    format!("{what}: {} {}", output.status, String::from_utf8_lossy(&output.stderr)).into()
}
