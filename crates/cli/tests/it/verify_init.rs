//! `charrette verify init`: proposed, shown, written.

use crate::{BINARY, charrette};
use charrette_testkit::{Output, Pty, Sandbox};
use serde_json::json;

const CONFIG: &str = "charrette.toml";
const MINE: &str = "# mine\n[limits] # of this machine\nparallel = 2\n";

/// A repository with a package of npm.
fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write(
        "package.json",
        "{\n  \"scripts\": {\n    \"lint\": \"eslint .\",\n    \"test\": \"jest\"\n  }\n}\n",
    );
    sandbox.write("package-lock.json", "{}\n");
    sandbox.write("index.js", "");
    sandbox
}

fn verify_init(sandbox: &Sandbox, args: &[&str]) -> Output {
    let args: Vec<&str> = ["verify", "init"].iter().chain(args).copied().collect();
    charrette(sandbox, &args)
}

#[test]
fn the_proposal_is_shown_and_then_written_below_everything_else() {
    let sandbox = repository();
    sandbox.write(CONFIG, MINE);
    let shown = verify_init(&sandbox, &["--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.starts_with("edit charrette.toml\n"), "{}", shown.stdout);
    assert!(shown.stdout.contains("+test = \"npm test\"  # package.json:4\n"), "{}", shown.stdout);
    assert_eq!(sandbox.read(CONFIG), MINE);

    let made = verify_init(&sandbox, &["--yes"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stdout.contains("charrette trust"), "{}", made.stdout);
    let expected = format!(
        "{MINE}\n[verify]\nsetup = \"npm ci\"  # package-lock.json\nlint = \"npm run lint\"  # package.json:3\ntest = \"npm test\"  # package.json:4\ntest_one = [\"npx\", \"jest\", \"--verbose\", \"-t\", \"{{test}}\"]  # package.json\n"
    );
    assert_eq!(sandbox.read(CONFIG), expected);
    let again = verify_init(&sandbox, &["--yes"]);
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (Some(0), "Up to date: the commands are set. Nothing was changed.\n")
    );
    assert_eq!(charrette(&sandbox, &["config", "check"]).code, Some(0));
}

#[test]
fn commands_of_somebody_are_replaced_only_by_force() {
    let sandbox = repository();
    let theirs = "[verify] # by hand\ntest = \"make test\" # slow\ntimeout = 60\n\n[limits]\nparallel = 2\n";
    sandbox.write(CONFIG, theirs);
    let refused = verify_init(&sandbox, &["--yes"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("test is make test; proposed: npm test"), "{}", refused.stderr);
    assert!(refused.stderr.contains("charrette verify init --force"), "{}", refused.stderr);
    assert_eq!(sandbox.read(CONFIG), theirs);

    let forced = verify_init(&sandbox, &["--force", "--yes"]);
    assert_eq!(forced.code, Some(0), "{forced:?}");
    let expected = "[verify] # by hand\ntest = \"npm test\" # slow\ntimeout = 60\nsetup = \"npm ci\"  # package-lock.json\nlint = \"npm run lint\"  # package.json:3\ntest_one = [\"npx\", \"jest\", \"--verbose\", \"-t\", \"{test}\"]  # package.json\n\n[limits]\nparallel = 2\n";
    assert_eq!(sandbox.read(CONFIG), expected);
}

#[test]
fn what_is_set_as_proposed_is_left_without_additions() {
    let sandbox = repository();
    sandbox.write(CONFIG, "[verify]\ntest = \"npm test\"\n");
    let kept = verify_init(&sandbox, &["--yes"]);
    assert_eq!(kept.code, Some(0), "{kept:?}");
    assert!(kept.stdout.starts_with("[verify] is set without setup, lint, test_one."), "{}", kept.stdout);
    assert_eq!(sandbox.read(CONFIG), "[verify]\ntest = \"npm test\"\n");
}

#[test]
fn the_section_of_a_fresh_configuration_is_filled() {
    let sandbox = repository();
    assert_eq!(charrette(&sandbox, &["config", "init"]).code, Some(0));
    let made = verify_init(&sandbox, &["--yes", "--json"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let value = made.json();
    assert_eq!(value["commands"]["test"], json!({"run": "npm test", "from": "package.json:4"}));
    assert_eq!((&value["applied"], &value["change"]["change"]), (&json!(true), &json!("edit")));
    assert_eq!(sandbox.read(CONFIG).matches("[verify]").count(), 1);
    let checked = charrette(&sandbox, &["config", "check"]);
    assert_eq!(checked.json()["valid"], true, "{checked:?}");
}

#[test]
fn nothing_is_written_unasked_or_into_a_file_that_cannot_be_edited() {
    let sandbox = repository();
    let refused = verify_init(&sandbox, &[]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("charrette verify init --yes"), "{refused:?}");
    assert!(!sandbox.path(CONFIG).exists());

    for (answer, is_written) in [("n\r", false), ("y\r", true)] {
        let mut command = sandbox.command(BINARY);
        command.args(["verify", "init"]).env("TERM", "xterm");
        let mut pty = Pty::start(command, 100);
        pty.wait_for("Make these changes?");
        pty.answer("[Yes / No]", answer);
        assert_eq!(pty.wait_for_exit(), Some(0));
        assert_eq!(sandbox.path(CONFIG).exists(), is_written, "{answer:?}");
    }
    sandbox.write(CONFIG, "verify = { test = \"x\" }\n");
    let closed = verify_init(&sandbox, &["--force", "--yes"]);
    assert_eq!(closed.code, Some(1), "{closed:?}");
    assert!(closed.stderr.contains("verify is not a section of its own, [verify]"), "{}", closed.stderr);
}

#[test]
fn an_agent_and_an_empty_repository_get_no_commands() {
    let sandbox = repository();
    let mut command = sandbox.command(BINARY);
    command.args(["verify", "init", "--yes"]).env("CHARRETTE_LANE", "driver/lane");
    let refused = Output::capture(command, b"");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(!sandbox.path(CONFIG).exists());

    let empty = verify_init(&Sandbox::repository(), &["--yes"]);
    assert_eq!(empty.code, Some(1), "{empty:?}");
    assert!(empty.stderr.contains("no command was found"), "{}", empty.stderr);
}
