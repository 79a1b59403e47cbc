//! `charrette init`: shown, asked, written, removed.

use crate::{BINARY, charrette};
use charrette_testkit::{Output, Pty, Sandbox};
use std::os::unix::fs::PermissionsExt as _;

const SETTINGS: &str = ".claude/settings.json";
const MINE: &str = "{\n  // mine\n  \"model\": \"opus\",\n}\n";

/// A repository with settings of Claude Code.
fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write(SETTINGS, MINE);
    sandbox
}

fn init(sandbox: &Sandbox, args: &[&str]) -> Output {
    let args: Vec<&str> = ["init"].iter().chain(args).copied().collect();
    charrette(sandbox, &args)
}

#[test]
fn changes_are_shown_then_made_then_taken_back() {
    let sandbox = repository();
    let shown = init(&sandbox, &["--client", "claude", "--client", "opencode", "--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("edit .claude/settings.json"), "{}", shown.stdout);
    assert!(
        shown.stdout.contains("+            \"command\": \"charrette-hook PreToolUse\","),
        "{}",
        shown.stdout
    );
    assert!(shown.stdout.contains("create .opencode/plugins/charrette.js"), "{}", shown.stdout);
    assert!(shown.stdout.ends_with("Dry run complete. No changes made.\n"), "{}", shown.stdout);
    assert_eq!(sandbox.read(SETTINGS), MINE);

    let made = init(&sandbox, &["--client", "claude", "--client", "opencode", "--yes"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stdout.contains("Installed for Claude Code, opencode."), "{}", made.stdout);
    assert!(made.stdout.contains("Restart open sessions of Claude Code, opencode"), "{}", made.stdout);
    assert!(sandbox.path(".claude/formats/checkpoint.md").exists());
    assert!(sandbox.path(".claude/skills/charrette-design/SKILL.md").exists());
    assert!(sandbox.read(".mcp.json").contains("\"command\": \"charrette\""));
    assert!(
        made.stdout.contains("Claude Code: approve the server charrette of .mcp.json"),
        "{}",
        made.stdout
    );

    let again = init(&sandbox, &["--client", "claude", "--client", "opencode", "--yes"]);
    assert!(again.stdout.starts_with("Up to date: Claude Code, opencode. Nothing was changed."), "{again:?}");

    let removed = init(&sandbox, &["--remove", "--yes"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert_eq!(sandbox.read(SETTINGS), MINE);
    for gone in [".opencode", ".claude/formats", ".claude/skills", ".agents", ".mcp.json", "opencode.json"] {
        assert!(!sandbox.path(gone).exists(), "{gone}");
    }
    let nothing = init(&sandbox, &["--remove", "--yes"]);
    assert_eq!(nothing.stdout, "Nothing of charrette is installed here. Nothing was changed.\n");
}

#[test]
fn without_a_terminal_nothing_is_changed_unasked() {
    let sandbox = repository();
    let refused = init(&sandbox, &["--client", "claude"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(
        refused.stderr.contains("error: there is no terminal to ask at; nothing was changed"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("charrette init --client claude --yes"), "{refused:?}");
    assert_eq!(sandbox.read(SETTINGS), MINE);
}

#[test]
fn at_a_terminal_the_person_decides() {
    let sandbox = repository();
    for (answer, code, is_changed) in [("n\r", 0, false), ("y\r", 0, true)] {
        let mut command = sandbox.command(BINARY);
        command.args(["init", "--client", "claude"]).env("TERM", "xterm");
        let mut pty = Pty::start(command, 100);
        pty.wait_for("Make these changes?");
        pty.answer("[Yes / No]", answer);
        assert_eq!(pty.wait_for_exit(), Some(code));
        assert_eq!(sandbox.read(SETTINGS) != MINE, is_changed, "{answer:?}");
    }
}

#[test]
fn check_names_everything_that_is_missing() {
    let sandbox = repository();
    let missing = init(&sandbox, &["--client", "claude", "--check"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    for line in [
        ".claude/settings.json: hook PreToolUse is missing",
        ".claude/settings.json: hook SessionStart is missing",
        ".claude/formats/handoff.md: it is missing",
        ".mcp.json: server charrette is missing",
        ".claude/skills/charrette-status/SKILL.md: it is missing",
    ] {
        assert!(missing.stdout.contains(line), "{line} in {}", missing.stdout);
    }
    assert_eq!(sandbox.read(SETTINGS), MINE);

    init(&sandbox, &["--client", "claude", "--yes"]);
    let bin = sandbox.outside("bin");
    fs_err::create_dir_all(&bin).unwrap();
    for program in ["charrette-hook", "charrette"] {
        fs_err::write(bin.join(program), "#!/bin/sh\n").unwrap();
        fs_err::set_permissions(bin.join(program), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let with_hook = |args: &[&str]| {
        let mut command = sandbox.command(BINARY);
        let path = std::env::var("PATH").unwrap();
        command.args(args).env("PATH", format!("{}:{path}", bin.display()));
        Output::capture(command, b"")
    };
    let complete = with_hook(&["init", "--client", "claude", "--check"]);
    assert_eq!(
        (complete.code, complete.stdout.as_str()),
        (Some(0), "Everything is installed.\n"),
        "{complete:?}"
    );
    let narrowed = sandbox.read(SETTINGS).replacen("\"timeout\": 10", "\"timeout\": 1", 1);
    sandbox.write(SETTINGS, narrowed);
    let different = with_hook(&["init", "--client", "claude", "--check", "--json"]);
    assert_eq!(different.code, Some(1));
    let expected = serde_json::json!({
        "complete": false,
        "differences": [".claude/settings.json: hook PreToolUse is not as init writes it"],
        "notes": [],
    });
    assert_eq!(different.json(), expected);
}

#[test]
fn parts_are_chosen_and_removed_one_by_one() {
    let sandbox = repository();
    let shown = init(&sandbox, &["--client", "claude", "--only", "mcp"]);
    assert!(shown.stderr.contains("charrette init --client claude --only mcp --yes"), "{shown:?}");
    let made = init(&sandbox, &["--client", "claude", "--only", "mcp,skills", "--yes"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(!made.stdout.contains("--prove-hooks"), "{}", made.stdout);
    assert_eq!(sandbox.read(SETTINGS), MINE);
    assert!(sandbox.path(".mcp.json").exists() && !sandbox.path(".claude/formats").exists());
    assert_eq!(init(&sandbox, &["--remove", "--only", "skills", "--yes"]).code, Some(0));
    assert!(sandbox.path(".mcp.json").exists() && !sandbox.path(".claude/skills").exists());
    assert_eq!(init(&sandbox, &["--only", "plugins", "--yes"]).code, Some(2));
}

#[test]
fn parts_of_the_plug_in_are_not_installed_twice() {
    let sandbox = repository();
    init(&sandbox, &["--client", "claude", "--only", "mcp", "--yes"]);
    let settings = "{\"enabledPlugins\": {\"charrette@charrette\": true}}";
    fs_err::create_dir_all(sandbox.home().join(".claude")).unwrap();
    fs_err::write(sandbox.home().join(SETTINGS), settings).unwrap();
    let made = init(&sandbox, &["--client", "claude", "--client", "codex", "--yes"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    for said in [
        "Claude Code has the plug-in of charrette (",
        "which brings hooks, server, skills: not installed a second time.",
        "charrette init --client claude --remove",
    ] {
        assert!(made.stdout.contains(said), "{said} in {}", made.stdout);
    }
    assert_eq!(sandbox.read(SETTINGS), MINE);
    assert!(!sandbox.path(".claude/skills").exists() && sandbox.path(".codex/config.toml").exists());
    let checked = init(&sandbox, &["--client", "claude", "--only", "hooks", "--check"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
}

#[test]
fn a_file_that_cannot_be_parsed_stops_everything() {
    let sandbox = repository();
    sandbox.write(".gemini/settings.json", "{\"a\": 1, \"a\": 2}");
    let refused = init(&sandbox, &["--client", "claude", "--client", "gemini", "--yes"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains(".gemini/settings.json: the key a is there twice"), "{}", refused.stderr);
    assert!(refused.stderr.contains("Nothing was changed"), "{}", refused.stderr);
    assert_eq!(sandbox.read(SETTINGS), MINE);
    assert!(!sandbox.path(".claude/formats").exists());
}

#[test]
fn the_configuration_of_the_user_is_changed_through_its_link() {
    let sandbox = Sandbox::new();
    let dotfiles = sandbox.outside("dotfiles.json");
    fs_err::write(&dotfiles, MINE).unwrap();
    fs_err::create_dir_all(sandbox.home().join(".claude")).unwrap();
    std::os::unix::fs::symlink(&dotfiles, sandbox.home().join(SETTINGS)).unwrap();
    // Found by its folder in the home.
    let made = init(&sandbox, &["--user", "--yes"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.stdout.contains("dotfiles.json is written"), "{}", made.stdout);
    assert!(fs_err::read_to_string(&dotfiles).unwrap().contains("charrette-hook SessionStart"));
    assert_eq!(init(&sandbox, &["--user", "--remove", "--yes"]).code, Some(0));
    assert_eq!(fs_err::read_to_string(&dotfiles).unwrap(), MINE);
    assert!(sandbox.home().join(SETTINGS).symlink_metadata().unwrap().is_symlink());
}

#[test]
fn an_agent_in_a_seat_changes_and_proves_nothing() {
    let sandbox = repository();
    for args in [
        &["init", "--client", "claude", "--yes"][..],
        &["init", "--remove", "--yes"],
        &["doctor", "--prove-hooks"],
    ] {
        let mut command = sandbox.command(BINARY);
        command.args(args).env("CHARRETTE_LANE", "driver/lane");
        let refused = Output::capture(command, b"");
        assert_eq!(refused.code, Some(4), "{refused:?}");
        assert!(refused.stderr.contains("an agent cannot"), "{refused:?}");
    }
    assert_eq!(sandbox.read(SETTINGS), MINE);
}

#[test]
fn places_and_clients_that_are_not_there_are_said() {
    let outside = Sandbox::new();
    let refused = init(&outside, &["--client", "claude", "--yes"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("charrette init --user"), "{}", refused.stderr);
    let sandbox = Sandbox::repository();
    let mut command = sandbox.command(BINARY);
    command.args(["init", "--yes"]).env("PATH", "/usr/bin:/bin");
    let none = Output::capture(command, b"");
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.stderr.contains("charrette init --client claude"), "{}", none.stderr);
    assert_eq!(init(&sandbox, &["--client", "emacs", "--yes"]).code, Some(2));
}

#[test]
fn without_hooks_there_is_nothing_to_prove() {
    let sandbox = Sandbox::repository();
    let proof = charrette(&sandbox, &["doctor", "--prove-hooks"]);
    assert_eq!(proof.code, Some(1), "{proof:?}");
    assert!(
        proof.stdout.contains("none are installed for Claude Code, Codex or Gemini CLI"),
        "{}",
        proof.stdout
    );
}
