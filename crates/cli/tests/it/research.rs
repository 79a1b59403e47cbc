//! `charrette research`: a cited map of the code, by agents on a script and by the embedded one.

use crate::BINARY;
use crate::workshop::FAKE_AGENT;
use charrette_testkit::panel::{Panel, parcels};
use charrette_testkit::{Output, Sandbox};
use serde_json::Value;

const TOPIC: &str = "how parcels are announced";
const NAME: &str = "how-parcels-are-announced";

/// The product in a repository, on a machine without any agent.
fn alone(sandbox: &Sandbox, args: &[&str]) -> Output {
    let mut command = sandbox.command(BINARY);
    command.args(args).env("PATH", "/usr/bin:/bin");
    Output::capture(command, b"")
}

fn document(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read(&format!(".claude/state/research-{NAME}.json"))).unwrap()
}

fn notes(sandbox: &Sandbox) -> String {
    let workspace = document(sandbox)["run"]["workspace"].as_str().unwrap().to_owned();
    sandbox.read(&format!("{workspace}/research-notes.md"))
}

/// Every place a text cites is in the repository.
fn every_place_is_real(sandbox: &Sandbox, text: &str) -> usize {
    let places = charrette_model::panel::places::cited_places(text);
    for cited in &places {
        let path = sandbox.path(&cited.place.path);
        let lines = fs_err::read_to_string(&path).map_or(0, |text| text.lines().count());
        assert!(cited.place.last <= lines, "{:?} has {lines} lines", cited.place);
    }
    places.len()
}

#[test]
fn without_any_agent_there_are_notes_with_real_places() {
    let sandbox = parcels();
    let output = alone(&sandbox, &["research", TOPIC, "--out", "notes/announced.md"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let text = notes(&sandbox);
    assert!(every_place_is_real(&sandbox, &text) > 3, "{text}");
    assert_eq!(sandbox.read("notes/announced.md"), text);
    assert!(output.stdout.contains("No model took part"), "{output:?}");
    let phases = &document(&sandbox)["state"]["completed_phases"];
    assert_eq!(phases, &serde_json::json!(["discovery", "synthesis"]));
    assert_eq!(sandbox.git(["branch", "--show-current"]), "main", "HEAD is left alone");
    assert_eq!(sandbox.git(["status", "--porcelain"]), "?? notes/");
}

#[test]
fn notes_are_delivered_relative_to_the_current_folder() {
    let sandbox = parcels();
    let output =
        alone(&sandbox, &["-C", "tests", "research", TOPIC, "--out", "../doc/announced.md", "--quiet"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(sandbox.read("doc/announced.md"), notes(&sandbox));
    let output = alone(&sandbox, &["-C", "tests", "research", "the routes", "--out", "here.md", "--quiet"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(sandbox.read("tests/here.md").contains("## Code references"));
}

#[test]
fn a_file_of_the_users_own_is_never_replaced() {
    let sandbox = parcels();
    sandbox.write("mine.md", "my own words\n");
    let refused = alone(&sandbox, &["research", TOPIC, "--out", "mine.md"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert_eq!(sandbox.read("mine.md"), "my own words\n");
    fs_err::remove_file(sandbox.path("mine.md")).unwrap();
    let done = alone(&sandbox, &["research", NAME, "--resume"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(sandbox.read("mine.md"), notes(&sandbox));
}

#[test]
fn a_complete_run_says_so_and_a_fresh_one_begins_again() {
    let sandbox = parcels();
    assert_eq!(alone(&sandbox, &["research", TOPIC, "--quiet"]).code, Some(0));
    // The first one shows the page that was not shown.
    let shown = alone(&sandbox, &["research", NAME, "--resume"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let again = alone(&sandbox, &["research", NAME, "--resume"]);
    assert_eq!(again.code, Some(1), "{again:?}");
    assert!(again.stderr.contains(&format!("Research for \"{NAME}\" is already complete.")), "{again:?}");
    let fresh = alone(&sandbox, &["research", NAME, "--fresh", "--quiet"]);
    assert_eq!(fresh.code, Some(0), "{fresh:?}");
    assert!(fresh.stderr.contains("is archived"), "{fresh:?}");
    for (args, message) in [
        (&["research"][..], "say what you want to research"),
        (&["research", "nothing", "--resume"], "No checkpoint found for \"nothing\""),
        (&["research", TOPIC, "--phase", "write"], "Invalid phase"),
    ] {
        let refused = alone(&sandbox, args);
        assert!(refused.code != Some(0) && refused.stderr.contains(message), "{args:?} {refused:?}");
    }
}

#[test]
fn an_invalid_citation_is_returned_once_and_then_removed() {
    let panel = Panel::with_sandbox(parcels(), &*FAKE_AGENT);
    let research = panel.answer_text("research/requirements");
    for side in ["structure", "behaviour", "history"] {
        panel.set_answer(&format!("research/{side}"), &research);
    }
    let wrong = "## Findings\n\nIt is announced in `parcels/routes.py:1` and in `parcels/ghost.py:7`.\n\n## Code references\n\n- `parcels/routes.py:1`: the routes\n\n## Recommendations\n\nNone\n\n## Open questions\n\nNone\n";
    panel.set_answer("topic-synthesist", wrong);
    let output = panel.run(BINARY, ["research", TOPIC]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let text = notes(&panel.sandbox);
    assert!(text.contains("parcels/routes.py:1") && !text.contains("ghost.py:7"), "{text}");
    assert!(output.stdout.contains("1 places that the notes cited are not in the repository"), "{output:?}");
    let asked = panel.calls().into_iter().filter(|call| call.starts_with("topic-synthesist")).count();
    assert_eq!(asked, 2, "asked once, and once more with the reason");
    let line =
        output.stdout.lines().find(|line| line.contains("Citations: ")).expect("the closing page counts");
    assert!(line.contains(" checked, 1 wrong (0 corrected, 1 struck)"), "{line}");
    let cost = panel.run(BINARY, ["ledger", "cost", NAME]);
    assert!(cost.stdout.contains(" checked, 1 wrong (0 corrected, 1 struck)."), "{cost:?}");
    let cost = panel.run(BINARY, ["ledger", "cost", NAME, "--json"]);
    let cost: serde_json::Value = serde_json::from_str(&cost.stdout).unwrap();
    let struck: u64 =
        cost["citations"].as_object().unwrap().values().filter_map(|vendor| vendor["struck"].as_u64()).sum();
    assert_eq!((struck, cost["seats"]["topic-synthesist"]["citations"]["wrong"].as_u64()), (1, Some(1)));
}
