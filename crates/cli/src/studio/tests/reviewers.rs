//! What is said about reviewers who are not there or do not answer.

use super::place::wait;
use crate::room::SiteClock;
use crate::studio::availability::availability;
use charrette_agents::profile::Roster;
use charrette_agents::room::{Embedded, Furnishing, Room, Rules};
use charrette_agents::surroundings::Surroundings;
use charrette_engine::Cancel;
use charrette_model::config::{Layer, read_layers};
use charrette_model::seats::Group;
use charrette_model::stamp::Now;
use charrette_testkit::Sandbox;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

/// What a program does that answers as it should, and one that does not.
const WORKS: &str = "echo OK";
const BROKEN: &str = "exit 7";

/// Nobody is asked anything here.
struct Inside;

impl Embedded for Inside {
    fn answer(&self, _: &str, _: &BTreeMap<String, String>) -> Option<Result<String, String>> {
        None
    }
}

/// A room with these agents, each a program that does so; all others are not installed.
fn room(sandbox: &Sandbox, agents: &[(&str, &str)], more: &str) -> Room {
    let mut text = more.to_owned();
    for (agent, does) in agents {
        let program = sandbox.outside(agent);
        let called = sandbox.outside("called");
        let script = format!("#!/bin/sh\necho {agent} >> '{}'\n{does}\n", called.display());
        fs_err::write(&program, script).unwrap();
        fs_err::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        writeln!(text, "[agents.{agent}]\nkind = \"command\"\nvendor = \"v-{agent}\"\ncommand = {program:?}")
            .unwrap();
    }
    let (settings, problems) = read_layers(&[Layer { origin: "test".to_owned(), text }]);
    assert_eq!(problems, []);
    let (roster, problems) = Roster::configured(&settings);
    assert_eq!(problems, []);
    let variables = BTreeMap::from([("PATH".into(), "/nowhere".into())]);
    Room::open(Furnishing {
        roster,
        surroundings: Surroundings { folder: sandbox.work(), in_repository: false, variables },
        rules: Rules::configured(&settings),
        state_folder: sandbox.outside("state"),
        driver: "test".to_owned(),
        purpose: "test".to_owned(),
        clock: Arc::new(SiteClock(Now::real("2026-11-15T12:00:00Z".parse().unwrap()))),
        cancel: Cancel::default(),
        embedded: Some(Arc::new(Inside)),
    })
}

/// Who was called, in the order of names.
fn called(sandbox: &Sandbox) -> Vec<String> {
    let text = fs_err::read_to_string(sandbox.outside("called")).unwrap_or_default();
    let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
    names.sort();
    names
}

fn missing(tool: &str) -> String {
    format!("**⚠ {tool} not available (binary not found). Proceeding without {tool} reviewer.**")
}

fn unhealthy(tool: &str, instead: &str) -> String {
    format!(
        "**⚠ {tool} installed but not responding (health check failed: Retry exit code 7: it said nothing). Using {instead} replacement.**"
    )
}

#[test]
fn whoever_sits_in_the_place_of_a_reviewer_is_named() {
    for (agents, said, calls) in [
        (&[][..], vec![missing("Codex"), missing("Cursor")], &[][..]),
        (&[("codex", WORKS), ("cursor", WORKS)], vec![], &["codex", "cursor"]),
        (
            &[("codex", BROKEN), ("claude", WORKS)],
            vec![unhealthy("Codex", "Claude"), missing("Cursor")],
            &["claude", "codex", "codex"],
        ),
        (
            &[("codex", BROKEN), ("cursor", WORKS), ("claude", WORKS)],
            vec![unhealthy("Codex", "Cursor")],
            &["codex", "codex", "cursor"],
        ),
        (
            &[("codex", BROKEN), ("cursor", BROKEN), ("gemini", WORKS)],
            vec![unhealthy("Codex", "Gemini"), unhealthy("Cursor", "Gemini")],
            &["codex", "codex", "cursor", "cursor", "gemini"],
        ),
        (
            &[("codex", BROKEN), ("claude", BROKEN)],
            vec![unhealthy("Codex", "embedded agent"), missing("Cursor")],
            &["claude", "claude", "codex", "codex"],
        ),
    ] {
        let sandbox = Sandbox::new();
        let room = room(&sandbox, agents, "");
        assert_eq!(wait(availability(&room, true)), said, "{agents:?}");
        assert_eq!(called(&sandbox), calls, "{agents:?}");
    }
}

#[test]
fn nobody_is_called_who_should_not_be() {
    let sandbox = Sandbox::new();
    let agents = [("codex", BROKEN), ("claude", WORKS)];
    assert_eq!(wait(availability(&room(&sandbox, &agents, ""), false)), [missing("Cursor")]);
    let settings = "[policy]\nprobe = false\n";
    assert_eq!(wait(availability(&room(&sandbox, &agents, settings), true)), [missing("Cursor")]);
    assert_eq!(called(&sandbox), [""; 0]);
}

#[test]
fn reviewers_that_no_seat_is_meant_for_are_not_missed() {
    let sandbox = Sandbox::new();
    let groups = charrette_model::seats::SEATS.iter().map(|seat| seat.group.map_or(seat.id, Group::name));
    let mut settings = String::from("[seats]\n");
    for group in groups.collect::<std::collections::BTreeSet<_>>() {
        writeln!(settings, "{group} = [\"claude\"]").unwrap();
    }
    assert_eq!(wait(availability(&room(&sandbox, &[("codex", BROKEN)], &settings), true)), [""; 0]);
    assert_eq!(called(&sandbox), [""; 0]);
}
