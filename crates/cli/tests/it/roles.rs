//! `charrette roles`: seats, chains and role definitions as a person sees them.

use crate::charrette;
use crate::trust::trust;
use charrette_testkit::Sandbox;
use insta::assert_snapshot;
use serde_json::{Value, json};

const OWN_JUDGE: &str = "---\nname: judge\nmax_words: 50\n---\n# Our judge\n\nAt most {{ role.max_words }} words on {{ request.context.feature }}.\n";

fn seat<'a>(listing: &'a Value, id: &str) -> &'a Value {
    listing["seats"].as_array().unwrap().iter().find(|seat| seat["seat"] == id).unwrap()
}

#[test]
fn every_seat_is_listed_with_who_may_take_it() {
    let sandbox = Sandbox::repository();
    sandbox.write("charrette.toml", "[seats]\nsketches = [\"gemini\", \"*\"]\nplanner = [\"codex\"]\n");
    sandbox.write(".charrette/roles/judge.md", OWN_JUDGE);
    trust(&sandbox);
    let listed = charrette(&sandbox, &["roles", "list"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""));
    let shown: Vec<&str> = listed
        .stdout
        .lines()
        .filter(|line| {
            let first = line.split_whitespace().next().unwrap_or_default();
            [
                "SEAT",
                "cursor-arch",
                "debate-2-thesis",
                "judge-codex",
                "planner",
                "reviewer-edge",
                "validator",
                "*",
            ]
            .contains(&first)
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @"
    SEAT                             GROUP           STEP  ROLE                    EMBEDDED  TEXT                       CHAIN
    cursor-arch                      sketches        2a    sketch-arch             yes       built-in                   gemini, *, claude, embedded
    debate-2-thesis                  debaters        2a.5  thesis                  no        built-in                   codex, *
    judge-codex                      judges          2a.5  judge                   no        .charrette/roles/judge.md  codex, *, claude
    planner                          lead            2b    planner                 yes       built-in                   codex, claude, embedded
    reviewer-edge                    reviewers       3     reviewer                yes       built-in                   cursor, *, claude, embedded
    validator                        -               4c    validator               yes       built-in                   codex, claude, *, embedded
    * any other installed external agent
    ");
}

#[test]
fn roles_are_listed_as_json() {
    let sandbox = Sandbox::repository();
    sandbox.write(
        "charrette.toml",
        "[seats]\nlead = [\"claud\"]\njugdes = [\"codex\"]\nvoters = [\"codex\"]\n[clocks]\nreview = 60\n[agents.x]\nmodel = \"y\"\n",
    );
    let listed = charrette(&sandbox, &["roles", "list", "--json"]);
    assert_eq!(listed.code, Some(0));
    let listing = listed.json();
    assert_eq!(listing["seats"].as_array().unwrap().len(), 76);
    assert_eq!(
        *seat(&listing, "reviewer-edge"),
        json!({
            "seat": "reviewer-edge", "group": "reviewers", "step": "3", "role": "reviewer", "variant": "correctness",
            "reads": [
                "request.md", "answers/research", "context-summary.md", "answers/clarify", "discussion-round1.md", "correction.md",
                "answers/pre-design", "dialectic-resolutions.md", "investigation-*.md", "plan-draft.txt"
            ], "writes": ["cursor-plan-edge-output.txt"], "grammar": "findings",
            "chain": ["cursor", "*", "claude", "embedded"], "chain_from": "default", "embedded": true,
            "seconds": 60, "text": "built-in"
        })
    );
    assert_eq!(seat(&listing, "voter-claude")["chain"], json!(["codex", "claude", "embedded"]));
    assert_eq!(seat(&listing, "voter-claude")["chain_from"], "voters");
    assert_eq!(seat(&listing, "validator")["group"], Value::Null);
    let problems = json!([
        "agents.x is not built in: say how to talk to it with agents.x.kind or agents.x.like",
        "seats.jugdes: no such seat or group; did you mean judges?",
        "seats.lead: no such agent: claud; did you mean claude?"
    ]);
    assert_eq!(listing["problems"], problems);
    for problem in problems.as_array().unwrap() {
        assert!(listed.stderr.contains(problem.as_str().unwrap()), "{}", listed.stderr);
    }
}

#[test]
fn a_definition_is_shown_by_role_or_seat_and_filled_in() {
    let sandbox = Sandbox::repository();
    sandbox.write(".charrette/roles/judge.md", OWN_JUDGE);
    trust(&sandbox);
    let show = |args: &[&str]| {
        let args: Vec<&str> = ["roles", "show"].iter().chain(args).copied().collect();
        charrette(&sandbox, &args)
    };
    assert_eq!(show(&["judge"]).stdout, OWN_JUDGE);
    assert_eq!(show(&["judge-codex"]).stdout, OWN_JUDGE);
    let rendered = show(&["judge-codex", "--rendered"]);
    assert_eq!(rendered.stdout, "# Our judge\n\nAt most 50 words on add-rate-limiting.\n");
    assert_eq!(rendered.stderr, "");
    let by_role = show(&["judge", "--rendered"]);
    assert_eq!(by_role.stdout, rendered.stdout);
    assert_eq!(
        by_role.stderr,
        "Rendered for seat judge-cursor. Seats with this role: judge-cursor, judge-codex, judge-claude\n"
    );
    assert!(show(&["judge", "--built-in"]).stdout.contains("# Judge the debate\n"));
    assert!(show(&["parts/rules"]).stdout.starts_with("## Ground rules\n"));
    assert_eq!(show(&["rules", "--built-in"]), show(&["parts/rules", "--built-in"]), "a part by its name");
    assert!(show(&["finisher", "--rendered"]).stdout.starts_with("# Finish the plan\n"));
    assert_eq!(
        show(&["judge-codex", "--rendered", "--json"]).json(),
        json!({"name": "judge", "seat": "judge-codex", "text_from": ".charrette/roles/judge.md", "text": rendered.stdout})
    );
}

#[test]
fn every_seat_and_role_can_be_shown() {
    let sandbox = Sandbox::repository();
    let listing = charrette(&sandbox, &["roles", "list", "--json"]).json();
    let seats = listing["seats"].as_array().unwrap();
    let names =
        seats.iter().flat_map(|seat| [&seat["seat"], &seat["role"]]).map(|name| name.as_str().unwrap());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let shown = charrette(&sandbox, &["roles", "show", name, "--rendered"]);
        assert_eq!(shown.code, Some(0), "{name}");
        let copies = ["planner", "reviser", "mender", "finisher", "writer", "investigator", "walker"];
        let has_copy = copies.iter().any(|seat| name.starts_with(seat));
        let has_worktree = ["implementer", "conflict-fixer", "fixer"].contains(&name);
        let works = match (has_worktree, has_copy) {
            (true, _) => "You work in a worktree",
            (_, true) => "You work in a copy",
            _ => "You work read-only.",
        };
        assert!(shown.stdout.contains(works), "{name}");
    }
}

#[test]
fn broken_roles_are_reported_with_file_and_line() {
    let sandbox = Sandbox::repository();
    let unknown = charrette(&sandbox, &["roles", "show", "jugde"]);
    assert_eq!(unknown.code, Some(1));
    assert_snapshot!(unknown.stderr, @"
    error: unknown role, seat or part jugde
    hint: List roles and seats: charrette roles list
    ");
    sandbox.write(".charrette/roles/judge.md", OWN_JUDGE.replace("request.context.feature", "feature"));
    sandbox.write(".charrette/roles/jugde.md", OWN_JUDGE);
    trust(&sandbox);
    let broken = charrette(&sandbox, &["roles", "show", "judge-claude"]);
    assert_eq!((broken.code, broken.stdout.as_str()), (Some(1), ""));
    assert_snapshot!(broken.stderr, @"
    error: .charrette/roles/judge.md:7: undefined value, in 'At most {{ role.max_words }} words on {{ feature }}.' (it overrides the built-in judge; delete it to use that)
    hint: Print the built-in text: charrette roles show judge --built-in
    ");
    let listed = charrette(&sandbox, &["roles", "list"]);
    assert_eq!(listed.code, Some(1));
    assert!(listed.stdout.lines().any(|line| line.starts_with("judge-codex ") && line.contains(" broken ")));
    assert!(listed.stdout.lines().any(|line| line.starts_with("planner ") && line.contains(" built-in ")));
    assert_snapshot!(listed.stderr, @"
    Warning: .charrette/roles/judge.md:7: undefined value, in 'At most {{ role.max_words }} words on {{ feature }}.' (it overrides the built-in judge; delete it to use that)
    Warning: .charrette/roles/jugde.md: unknown role or part; the file has no effect
    ");
    assert_eq!(charrette(&sandbox, &["roles", "show", "judge", "--built-in"]).code, Some(0));
    assert_eq!(charrette(&sandbox, &["roles"]).code, Some(2));
}
