//! Output of `status`, `abandon`, help and the version.

use crate::{charrette, charrette_with, checkpoint};
use charrette_testkit::{Output, Sandbox};
use insta::assert_snapshot;

fn at(sandbox: &Sandbox, time: &str, args: &[&str], stdin: &str) -> Output {
    let mut command = sandbox.command(crate::BINARY);
    command.args(args).env("CHARRETTE_NOW", time);
    Output::capture(command, stdin.as_bytes())
}

#[test]
fn the_status_of_several_runs() {
    let sandbox = Sandbox::repository();
    let update = |time: &str, command: &str, feature: &str, phase: &str, status: &str| {
        let args = ["checkpoint", "update-phase", phase, "--command", command, "--feature", feature];
        assert_eq!(at(&sandbox, time, &args, &format!("{{\"status\": \"{status}\"}}")).stdout, "true\n");
    };
    update("2026-11-10T12:00:00Z", "design", "checkout-page", "research", "failed");
    sandbox.commit("something else");
    update("2026-11-15T09:30:00Z", "implement", "add-login", "phase-2", "in_progress");
    update("2026-11-15T11:59:18Z", "design", "shop/cart/coupons", "research", "complete");
    at(
        &sandbox,
        "2026-11-15T11:20:00Z",
        &["checkpoint", "update-phase", "push", "--command", "ship"],
        "{\"status\": \"complete\"}",
    );
    at(&sandbox, "2026-11-15T11:21:00Z", &["checkpoint", "complete", "--command", "ship"], "");
    sandbox.write(".claude/state/review-add-login.json", "{\"version\": 1,");
    let page = charrette(&sandbox, &["status"]).stdout.replace(sandbox.work().to_str().unwrap(), "REPO");
    assert_snapshot!(page, @r"
    FEATURE            COMMAND    PHASE              AGE  HEAD
    shop.cart.coupons  design     write              42s  -
    -                  ship       complete           39m  -
    add-login          implement  phase-2            2h   -
    checkout-page      design     research (failed)  5d   moved
    add-login          review     unreadable         -    -

    Checkpoint file exists but is corrupt: REPO/.claude/state/review-add-login.json (not JSON (EOF while parsing a value at line 1 column 14))
    ");
}

#[test]
fn abandoned_runs_are_archived() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "research"], "{}");
    charrette_with(
        &sandbox,
        &["checkpoint", "update-phase", "analysis", "--command", "review", "--feature", "add-login"],
        b"{}",
    );
    assert_snapshot!(charrette(&sandbox, &["abandon", "add-login"]).stdout, @r"
    design-add-login: archived in .claude/state/archive/design-add-login-20261115T120000Z.json.zst
    review-add-login: archived in .claude/state/archive/review-add-login-20261115T120000Z.json.zst
    ");
    let again = charrette(&sandbox, &["abandon", "add-login"]);
    assert_eq!(again.code, Some(1));
    assert_snapshot!(again.stderr, @r"
    error: no run found for add-login
    hint: List runs: charrette status
    ");
}

#[test]
fn help_lists_every_command() {
    let sandbox = Sandbox::repository();
    let help = charrette(&sandbox, &["help", "--all"]);
    assert_eq!(help.code, Some(0));
    let commands: Vec<&str> = help
        .stdout
        .lines()
        .take_while(|line| *line != "Options:")
        .filter(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(
        commands,
        [
            "design",
            "implement",
            "research",
            "survey",
            "check",
            "verify",
            "next",
            "done",
            "status",
            "answer",
            "resume",
            "stop",
            "events",
            "log",
            "watch",
            "abandon",
            "agents",
            "roles",
            "ask",
            "seats",
            "mcp",
            "ledger",
            "init",
            "doctor",
            "trust",
            "config",
            "plugin",
            "completions",
            "checkpoint",
            "decisions",
            "ballot",
            "findings",
            "verdict",
            "tokens",
            "flags",
            "handoff",
            "gate",
            "branch",
            "diagram",
            "manifest",
            "session-env",
            "collect",
            "dirty-tree",
        ]
    );
    assert!(charrette(&sandbox, &["--version"]).stdout.starts_with("charrette 0."));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::repository();
    let script = format!("{} checkpoint schema | head -n 1", crate::BINARY);
    let output = sandbox.run("sh", ["-c", &script], b"");
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (Some(0), "{\n", ""));
}
