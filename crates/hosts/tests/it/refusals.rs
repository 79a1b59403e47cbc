//! Files that cannot be changed: nothing at all is changed then.

use crate::bench::{Bench, snapshot};
use charrette_hosts::{Client, Part};
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
    let clients = [Client::Claude, Client::Codex];
    let plan = bench.plan_parts(&clients, &bench.repository(), &[Part::Hooks]);
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
    let plan = bench.plan_parts(&Client::ALL, &bench.repository(), &[Part::Hooks]);
    let reasons: Vec<&str> = plan.problems.iter().map(|problem| problem.reason.as_str()).collect();
    assert_eq!(reasons.len(), 5, "{reasons:?}");
    assert_eq!(reasons[0], "it is not UTF-8 text");
    assert!(reasons[1].ends_with(".codex is not a folder"), "{reasons:?}");
    assert_eq!(reasons[3], "it is not a file");
    assert_eq!(reasons[4], "it exists and was not written by charrette init; move it elsewhere");
}

#[test]
fn a_link_that_leads_out_of_the_repository_is_refused_and_one_that_stays_inside_is_not() {
    let bench = Bench::new();
    let outside = bench.sandbox.outside("elsewhere");
    fs_err::create_dir_all(&outside).unwrap();
    fs_err::write(outside.join("mcp.json"), "{}\n").unwrap();
    std::os::unix::fs::symlink(&outside, bench.root().join(".cursor")).unwrap();
    std::os::unix::fs::symlink(outside.join("mcp.json"), bench.root().join(".mcp.json")).unwrap();
    let clients = [Client::Claude, Client::Cursor];
    let plan = bench.plan_parts(&clients, &bench.repository(), &[Part::Hooks, Part::Mcp]);
    let refused =
        plan.problems.iter().filter(|problem| problem.reason.contains("leads out of the repository"));
    assert_eq!(refused.count(), 3, "{:?}", plan.problems);
    assert_eq!(bench.remove_parts(&clients, &bench.repository(), &Part::ALL), 0);
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 1);
    for link in [".cursor", ".mcp.json"] {
        fs_err::remove_file(bench.root().join(link)).unwrap();
    }
    fs_err::create_dir_all(bench.root().join("editors")).unwrap();
    std::os::unix::fs::symlink("editors", bench.root().join(".cursor")).unwrap();
    assert!(bench.install_parts(&clients, &bench.repository(), &[Part::Hooks]) > 0);
    assert!(bench.root().join("editors/hooks.json").is_file());
}

#[test]
fn servers_in_a_form_that_cannot_be_extended_are_refused_with_the_reason() {
    for (client, file, text, reason) in [
        (Client::Claude, ".mcp.json", "{\"mcpServers\": []}", "mcpServers is not an object"),
        (Client::Cursor, ".cursor/mcp.json", "{\"mcpServers\": ", "it is not valid JSON: "),
        (Client::Opencode, "opencode.jsonc", "{\"mcp\": 1}", "mcp is not an object"),
        (Client::Codex, ".codex/config.toml", "a = 1\na = 2\n", "it is not valid TOML: "),
        (
            Client::Codex,
            ".codex/config.toml",
            "mcp_servers = { x = { command = \"y\" } }\n",
            "mcp_servers cannot be extended by a section",
        ),
    ] {
        let bench = Bench::new();
        bench.sandbox.write(file, text);
        let plan = bench.plan_parts(&[client], &bench.repository(), &[Part::Mcp]);
        assert_eq!(plan.problems.len(), 1, "{text}");
        assert!(plan.problems[0].reason.starts_with(reason), "{text}: {}", plan.problems[0].reason);
    }
}

#[test]
fn a_skill_of_somebody_else_is_not_overwritten() {
    let bench = Bench::new();
    bench
        .sandbox
        .write(".agents/skills/charrette-design/SKILL.md", "---\nname: charrette-design\n---\nmine\n");
    let plan = bench.plan_parts(&[Client::Codex], &bench.repository(), &[Part::Skills]);
    assert_eq!(plan.problems.len(), 1, "{plan:?}");
    assert!(
        plan.problems[0].reason.starts_with("it exists and was not written by charrette init"),
        "{plan:?}"
    );
}
