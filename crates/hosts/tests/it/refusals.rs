//! Files that cannot be changed: nothing at all is changed then.

use crate::bench::{Bench, snapshot};
use charrette_hosts::{Client, Receipts, plan_installation};
use std::os::unix::fs::PermissionsExt as _;

/// The reason for which a file is refused.
fn refusal(text: &str) -> String {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", text);
    let plan = bench.plan(Client::Claude, &bench.repository());
    assert_eq!(plan.problems.len(), 1, "{text}");
    plan.problems[0].reason.clone()
}

#[test]
fn files_that_cannot_be_parsed_are_refused_with_the_reason() {
    assert_eq!(refusal("{\"a\": 1, \"a\": 2}"), "the key a is there twice");
    assert_eq!(refusal("{\"x\": [{\"b\": 1, \"\\u0062\": 2}]}"), "the key b is there twice");
    assert_eq!(refusal("{\"hooks\": []}"), "hooks is not an object");
    assert_eq!(refusal("{\"hooks\": {\"PreToolUse\": {}}}"), "hooks.PreToolUse is not a list");
    assert_eq!(refusal("[]"), "the file is not an object");
    for torn in [
        "{\"hooks\": {",
        "{\"a\": 1",
        "{a: 1}",
        "{'a': 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": .5}",
        "// only\n",
    ] {
        assert!(refusal(torn).starts_with("it is not valid JSON: "), "{torn}: {}", refusal(torn));
    }
}

#[test]
fn one_refused_file_refuses_all() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", "{}\n");
    bench.sandbox.write(".codex/hooks.json", "{\"hooks\": ");
    let plan = plan_installation(&[Client::Claude, Client::Codex], &bench.repository(), &Receipts::default());
    assert_eq!(plan.problems.len(), 1);
    assert!(
        plan.problems[0].to_string().contains(".codex/hooks.json: it is not valid JSON"),
        "{}",
        plan.problems[0]
    );
}

#[test]
fn read_only_files_are_refused_and_stay() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", "{}\n");
    let path = bench.root().join(".claude/settings.json");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let before = snapshot(&bench.root());
    let plan = bench.plan(Client::Claude, &bench.repository());
    assert!(
        plan.problems[0].reason.starts_with("it is read-only; to allow the change: chmod u+w"),
        "{plan:?}"
    );
    assert_eq!(snapshot(&bench.root()), before);
}

#[test]
fn a_read_only_file_that_is_complete_is_no_problem() {
    let bench = Bench::new();
    bench.install(Client::Claude, &bench.repository());
    let path = bench.root().join(".claude/settings.json");
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let plan = bench.plan(Client::Claude, &bench.repository());
    assert_eq!((plan.problems.len(), plan.changes.len()), (0, 0));
}

#[test]
fn what_is_no_file_of_text_is_refused() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", b"{\"a\": \"\xff\"}");
    fs_err::create_dir_all(bench.root().join(".cursor/hooks.json")).unwrap();
    bench.sandbox.write(".codex", "a file");
    std::os::unix::fs::symlink("nowhere", bench.root().join(".gemini")).unwrap();
    bench.sandbox.write(".opencode/plugins/charrette.js", "export const Mine = 1\n");
    let plan = plan_installation(&Client::ALL, &bench.repository(), &Receipts::default());
    let reasons: Vec<&str> = plan.problems.iter().map(|problem| problem.reason.as_str()).collect();
    assert_eq!(reasons.len(), 5, "{reasons:?}");
    assert_eq!(reasons[0], "it is not UTF-8 text");
    assert!(reasons[1].ends_with(".codex is not a folder"), "{reasons:?}");
    assert_eq!(reasons[3], "it is not a file");
    assert_eq!(reasons[4], "it exists and was not written by charrette init; move it elsewhere");
}
