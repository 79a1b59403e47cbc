//! The application without a front end: a design and a research run, started, answered, resumed, stopped and read as values.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use charrette_app::answer::{AnswerOutcome, answering_with_file, questions, record};
use charrette_app::answers_file::parse;
use charrette_app::drive::{FrontEnd, drive};
use charrette_app::start::OpenRun;
use charrette_app::start_plan::{self, StartPlan, StartRequest};
use charrette_app::status::{RunState, status};
use charrette_app::stop::{StopOutcome, stop};
use charrette_app::trust::{Kept, TrustGrant, TrustState, accept};
use charrette_app::{
    App, Environment, ErrorKind, Notices, Site, closing, events, explain, preview, read, run_lookup, start,
};
use charrette_engine::flows::{design, research};
use charrette_engine::gate::{GateView, Reply};
use charrette_engine::ports::{Asker, BoxFuture};
use charrette_engine::{Cancel, FlowResult, FlowSpec, Stop};
use charrette_model::checkpoint::{DocumentName, StopKind};
use charrette_testkit::Sandbox;
use charrette_testkit::panel::parcels;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

/// Asker without a person.
struct Nobody;

impl Asker for Nobody {
    fn ask<'a>(&'a self, _: &'a GateView) -> BoxFuture<'a, Reply> {
        Box::pin(async { Reply::Unattended })
    }
}

fn site(sandbox: &Sandbox) -> Site {
    site_with_trust(sandbox, TrustGrant::None)
}

fn site_with_trust(sandbox: &Sandbox, trust: TrustGrant) -> Site {
    let variables = [
        ("HOME", sandbox.home().into_os_string()),
        // No agent is installed there.
        ("PATH", OsString::from("/usr/bin:/bin")),
        ("CHARRETTE_NOW", OsString::from("2026-11-15T12:00:00.000Z")),
    ];
    let environment = Environment {
        variables: variables
            .map(|(name, value)| (OsString::from(name), value))
            .into_iter()
            .collect::<BTreeMap<_, _>>(),
        folder: sandbox.work(),
        command_line: "a test".to_owned(),
        program: None,
        trust,
    };
    Site::open(&App::product(), Arc::new(environment), Notices::silent()).unwrap()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn start_run(
    site: &Site,
    flow: &'static FlowSpec,
    typed: &str,
    cancel: &Cancel,
) -> (DocumentName, FlowResult<()>) {
    let plan = start_plan::resolve(site, &StartRequest::new(flow, Some(typed))).unwrap();
    let page = preview::preview(site, &plan, &[]).unwrap();
    assert_eq!(page.command, format!("charrette {}", flow.command.as_str()));
    assert_eq!(page.stages.len(), flow.phases.len());
    let opened = start::open(site, &plan).unwrap();
    (plan.name, block_on(drive(site, opened, FrontEnd::asking(Arc::new(Nobody)), cancel)).unwrap())
}

fn resume_run(site: &Site, name: &DocumentName) -> FlowResult<()> {
    let opened = start::reopen(site, name).unwrap();
    block_on(drive(site, opened, FrontEnd::asking(Arc::new(Nobody)), &Cancel::default())).unwrap()
}

fn answer(site: &Site, name: &DocumentName, yaml: &str) {
    let outcome = record(site, name, &parse(yaml, "test").unwrap(), &answering_with_file(site)).unwrap();
    assert!(matches!(outcome, AnswerOutcome::Recorded(_)), "{outcome:?}");
}

const PRE: &str = "pre-design: {understanding: \"yes\", approach: \"yes\", assumptions: \"all correct\", trade_offs: \"yes\", scope: \"scope is right\", unknowns: \"proceed\"}\n";
const POST: &str = "post-design: {what_built: \"proceed\", decisions: \"yes\", risks: \"no additional\", omissions: \"nothing missing\", confidence: \"no concerns\", open_1: \"leave open\", open_2: \"leave open\", open_3: \"leave open\", open_4: \"leave open\", open_5: \"leave open\", approval: \"yes\"}\n";

#[test]
fn a_design_is_started_answered_resumed_and_read() {
    let sandbox = parcels();
    let site = site(&sandbox);
    let (name, outcome) =
        start_run(&site, &design::FLOW, "add rate limiting to the public API", &Cancel::default());
    assert!(matches!(outcome, Err(Stop::Waiting(_))), "{outcome:?}");
    assert_eq!(run_lookup::find_run(&site, Some(&name.feature().unwrap().to_string()), None).unwrap(), name);

    let waiting = questions(&site, &name).unwrap();
    assert_eq!(waiting[0].gate, "pre-design");
    let runs = status(&site).unwrap().runs;
    assert_eq!(
        (runs[0].state, runs[0].stopped.as_ref().map(|stopped| stopped.kind)),
        (RunState::Open, Some(StopKind::Waiting))
    );
    assert!(
        read::artifact(&site, &name, "gates/pre-design-1.md")
            .unwrap()
            .unwrap()
            .contains("Pre-Design Checkpoint")
    );

    answer(&site, &name, PRE);
    let outcome = resume_run(&site, &name);
    assert!(matches!(outcome, Err(Stop::Waiting(_))), "{outcome:?}");
    answer(&site, &name, POST);
    let outcome = resume_run(&site, &name);
    assert_eq!(outcome, Ok(()));

    assert_eq!(status(&site).unwrap().runs[0].state, RunState::Complete);
    let artifacts = read::artifacts(&site, &name).unwrap();
    assert!(artifacts.iter().any(|artifact| artifact == "specs/design.md"), "{artifacts:?}");
    assert!(read::artifact(&site, &name, "plan.txt").unwrap().is_some());
    assert!(read::artifact(&site, &name, "../../../etc/passwd").is_err());
    assert!(explain::explain(&site, &name).unwrap().iter().all(|step| step.why.is_none()));
    let page = closing::closing(&site, &name, &Ok(()), Vec::new()).unwrap().unwrap();
    assert!(page.title.ends_with("Approved with open points (5)."), "{}", page.title);
    let (told, unreadable) = events::events(&site, &name).unwrap();
    assert!(told.len() > 50 && unreadable == 0, "{} events", told.len());
}

#[test]
fn a_cancelled_run_can_be_resumed() {
    let sandbox = parcels();
    let site = site(&sandbox);
    let cancel = Cancel::default();
    cancel.request();
    let (name, outcome) = start_run(&site, &research::FLOW, "how parcels are announced", &cancel);
    assert_eq!(outcome, Err(Stop::Interrupted));
    let stopped = status(&site).unwrap().runs[0].stopped.clone().unwrap();
    assert_eq!(stopped.kind, StopKind::Interrupted);
    assert_eq!(stop(&site, &name, Duration::from_secs(1)).unwrap(), StopOutcome::NotDriven);
    assert_eq!(resume_run(&site, &name), Ok(()));
    assert!(read::artifact(&site, &name, "research-notes.md").unwrap().unwrap().contains("## Findings"));
    assert_eq!(status(&site).unwrap().runs[0].stopped, None);
}

/// Opens a run of research that nothing drives yet.
fn open_research(site: &Site) -> (StartPlan, OpenRun) {
    let request = StartRequest::new(&research::FLOW, Some("how parcels are announced"));
    let plan = start_plan::resolve(site, &request).unwrap();
    let opened = start::open(site, &plan).unwrap();
    (plan, opened)
}

#[test]
fn two_drivers_never_drive_one_run() {
    let sandbox = parcels();
    let site = site(&sandbox);
    let (plan, opened) = open_research(&site);
    let Err(second) = start::reopen(&site, &plan.name) else { panic!("a second driver") };
    assert!(second.message.contains("is being driven"), "{}", second.message);
    assert!(stop(&site, &plan.name, Duration::from_secs(1)).is_err(), "it is this process");
    drop(opened);
    assert!(start::reopen(&site, &plan.name).is_ok());
}

#[test]
fn only_the_holder_of_the_lease_is_terminated() {
    let sandbox = parcels();
    let site = site(&sandbox);
    let (plan, opened) = open_research(&site);
    let mut stranger = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    // Somebody holds the lease, and it names a process that has nothing to do with it.
    let lease = site.documents().folder().lease(&plan.name);
    let named = serde_json::json!({"pid": stranger.id(), "since": "long ago", "command": "sleep"});
    fs_err::write(&lease, named.to_string()).unwrap();
    let refused = stop(&site, &plan.name, Duration::from_secs(1)).unwrap_err();
    assert!(refused.message.contains("no process was ended"), "{}", refused.message);
    assert_eq!(stranger.try_wait().unwrap(), None, "it is still at work");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    drop(opened);
}

/// Every front end is refused, not only the command line.
#[test]
fn a_run_begins_once_the_repository_is_trusted() {
    let sandbox = parcels();
    sandbox.write("charrette.toml", "[agents.theirs]\nkind = \"queue\"\n[webhooks]\nevents = []\n");
    let untrusted = site(&sandbox);
    assert_eq!(untrusted.trust.state, TrustState::Untrusted);
    assert!(untrusted.settings.webhook_events().len() == 2 && untrusted.ignored.len() == 2);
    let plan = start_plan::resolve(&untrusted, &StartRequest::new(&research::FLOW, Some("parcels"))).unwrap();
    let error = start::open(&untrusted, &plan).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Refused, "{error:?}");
    assert!(error.more.iter().any(|line| line.contains("agents.theirs.kind = \"queue\"")), "{error:?}");
    assert!(!sandbox.path(".claude/state").exists() && !sandbox.path(".specs").exists());

    let digest = untrusted.trust.manifest.digest().to_owned();
    let given = site_with_trust(&sandbox, TrustGrant::Digest(digest.clone()));
    assert_eq!(
        (&given.trust.state, given.trust.digest_in_use()),
        (&TrustState::Given, Some(digest.as_str()))
    );
    assert!(given.settings.webhook_events().is_empty() && given.ignored.is_empty());
    assert_eq!(accept(&untrusted).unwrap(), Kept::Yes);
    let accepted = site(&sandbox);
    assert!(matches!(accepted.trust.state, TrustState::Accepted { .. }), "{:?}", accepted.trust.state);
    assert!(start::open(&accepted, &plan).is_ok());
}
