//! `charrette trust`, and the decision of a person that commands wait for.

use crate::BINARY;
use charrette_testkit::{Output, Pty, Sandbox};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;

const SETTINGS: &str = "[agents.mine]\nkind = \"command\"\ncommand = \"./agent\"\n";
const UNTRUSTED: &str =
    "2 settings of this repository are not trusted and not used. To look at it and decide: charrette trust\n";

/// A repository with an agent of its own that answers and leaves a mark.
pub(crate) fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("charrette.toml", SETTINGS);
    program(&sandbox, "agent", "echo 'An answer of the agent.'");
    sandbox
}

/// A program in the repository that leaves a mark.
pub(crate) fn program(sandbox: &Sandbox, name: &str, then: &str) {
    sandbox.write(name, format!("#!/bin/sh\necho \"$0\" >> '{}'\n{then}\n", mark(sandbox).display()));
    fs_err::set_permissions(sandbox.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The file in which programs of the repository leave their mark.
pub(crate) fn mark(sandbox: &Sandbox) -> PathBuf {
    sandbox.outside("mark")
}

/// The binary without the trust that sandboxes give.
pub(crate) fn command(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.command(BINARY);
    command.args(args).env_remove("CHARRETTE_TRUST").env("PATH", "/usr/bin:/bin");
    command
}

pub(crate) fn charrette(sandbox: &Sandbox, args: &[&str]) -> Output {
    Output::capture(command(sandbox, args), b"")
}

fn trust_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".local/state/charrette/trust.json")
}

fn shown(sandbox: &Sandbox) -> Value {
    charrette(sandbox, &["trust", "--show", "--json"]).json()
}

pub(crate) fn digest(sandbox: &Sandbox) -> String {
    shown(sandbox)["digest"].as_str().unwrap().to_owned()
}

/// Trusts the present content, as a script would.
pub(crate) fn trust(sandbox: &Sandbox) {
    let output = charrette(sandbox, &["trust", &format!("--trust={}", digest(sandbox))]);
    assert_eq!(output.code, Some(0), "{output:?}");
}

fn ask(sandbox: &Sandbox, more: &[&str]) -> Output {
    let args = ["ask", "--agent", "mine", "--prompt", "x", "--output", "out.txt"];
    charrette(sandbox, &[&args[..], more].concat())
}

#[test]
fn a_repository_without_such_settings_needs_no_trust_and_nothing_is_written() {
    let sandbox = Sandbox::repository();
    sandbox.write("charrette.toml", "[limits]\nparallel = 2\n[policy]\nrepo_settings = false\n");
    let output = charrette(&sandbox, &["trust"]);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "This repository makes charrette run, send or obey nothing: no trust is needed.\n")
    );
    assert_eq!(shown(&sandbox)["state"], "not-needed");
    assert_eq!(charrette(&sandbox, &["status"]).stderr, "");
    assert!(!trust_file(&sandbox).parent().unwrap().exists());
}

#[test]
fn reading_commands_work_without_it_and_say_so_in_one_line() {
    let sandbox = repository();
    for args in
        [&["status"][..], &["agents"], &["survey", "x"], &["roles", "list"], &["research", "x", "--dry-run"]]
    {
        let output = charrette(&sandbox, args);
        assert_eq!(output.code, Some(0), "{args:?}: {output:?}");
        assert_eq!(output.stderr.matches(UNTRUSTED).count(), 1, "{args:?}: {output:?}");
    }
    assert!(charrette(&sandbox, &[]).stdout.contains(UNTRUSTED));
    assert_eq!(charrette(&sandbox, &["status", "--quiet"]).stderr, "");
    let listed = charrette(&sandbox, &["agents", "--json"]).json();
    assert!(listed["agents"].as_array().unwrap().iter().all(|agent| agent["name"] != "mine"), "{listed}");
    let doctor = charrette(&sandbox, &["doctor"]).stdout;
    let line =
        "warn  trust: 2 settings of this repository are not trusted and not used\n      -> charrette trust\n";
    assert!(doctor.contains(line), "{doctor}");
    let config = charrette(&sandbox, &["config", "show"]).json();
    assert_eq!(config["values"]["agents.mine.command"], Value::Null);
    let repository = &config["repository"];
    assert_eq!((&repository["trusted"], &repository["digest"]), (&json!(false), &json!(digest(&sandbox))));
    assert_eq!(
        repository["ignored"],
        json!([
            {"name": "agents.mine.command", "origin": "charrette.toml:3", "why": "this repository is not trusted"},
            {"name": "agents.mine.kind", "origin": "charrette.toml:2", "why": "this repository is not trusted"},
        ])
    );
    assert_eq!(charrette(&sandbox, &["config", "check"]).json()["warnings"], json!([UNTRUSTED.trim_end()]));
    // Plumbing uses nothing of it, and does not mention it.
    assert_eq!(charrette(&sandbox, &["checkpoint", "list"]).stderr, "");
    assert!(!mark(&sandbox).exists());
}

#[test]
fn without_a_terminal_commands_that_run_something_are_refused() {
    let sandbox = repository();
    let digest = digest(&sandbox);
    let before = sandbox.git(["status", "--porcelain", "--ignored"]);
    for args in [
        &["ask", "--agent", "mine", "--prompt", "x", "--output", "out.txt"][..],
        &["agents", "probe"],
        &["design", "add a login", "--auto", "--yes"],
        &["research", "the login", "--yes"],
        &["resume", "add-login"],
    ] {
        let output = charrette(&sandbox, args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(4), ""), "{args:?}: {output:?}");
        assert_eq!(
            output.stderr,
            format!(
                "error: this repository's settings need your trust before they run or send anything\n  \
                 charrette.toml: agents.mine.command = \"./agent\"\n  charrette.toml: agents.mine.kind = \"command\"\n\
                 Digest: {digest}\n\
                 hint: Nothing was run. Look at it and decide, at a terminal: charrette trust\n\
                 hint: Without a terminal, for exactly this content: --trust={digest}\n"
            ),
            "{args:?}"
        );
    }
    assert!(!mark(&sandbox).exists());
    assert_eq!(sandbox.git(["status", "--porcelain", "--ignored"]), before);
    assert!(!trust_file(&sandbox).exists());
}

#[test]
fn a_digest_trusts_exactly_one_content() {
    let sandbox = repository();
    let digest = digest(&sandbox);
    let output = ask(&sandbox, &[&format!("--trust={digest}")]);
    assert_eq!((output.code, output.stderr.contains("Warning")), (Some(0), false), "{output:?}");
    assert_eq!(sandbox.read("out.txt").trim(), "An answer of the agent.");
    assert!(mark(&sandbox).exists(), "the same program is watched for elsewhere");
    assert!(!trust_file(&sandbox).exists(), "a flag is for one command");
    let mut by_variable = command(&sandbox, &["agents"]);
    by_variable.env("CHARRETTE_TRUST", &digest);
    assert!(Output::capture(by_variable, b"").stdout.contains("\nmine "));

    fs_err::remove_file(mark(&sandbox)).unwrap();
    sandbox.write("charrette.toml", format!("{SETTINGS}args = [\"--more\"]\n"));
    let output = ask(&sandbox, &[&format!("--trust={digest}")]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(
        output.stderr.starts_with("error: this repository's content is not that of --trust\n"),
        "{output:?}"
    );
    assert!(!mark(&sandbox).exists());
    // Comments and order are no content.
    sandbox.write(
        "charrette.toml",
        "# Ours.\n[agents.mine]\ncommand = \"./agent\" # here\nkind = \"command\"\n",
    );
    assert_eq!(ask(&sandbox, &[&format!("--trust={digest}")]).code, Some(0));
}

#[test]
fn trust_without_a_digest_works_and_warns() {
    let sandbox = repository();
    let warning = format!(
        "Warning: 2 settings of this repository are used unseen, because of --trust or CHARRETTE_TRUST. To trust exactly this content: --trust={}\n",
        digest(&sandbox)
    );
    let output = ask(&sandbox, &["--trust"]);
    assert_eq!((output.code, output.stderr.matches(&warning).count()), (Some(0), 1), "{output:?}");
    for (value, works) in [("1", true), ("0", false), ("", false)] {
        let mut command = command(&sandbox, &["agents"]);
        command.env("CHARRETTE_TRUST", value);
        let output = Output::capture(command, b"");
        assert_eq!(output.stdout.contains("\nmine "), works, "{value}: {output:?}");
        assert_eq!(output.stderr.contains(&warning), works, "{value}: {output:?}");
    }
    assert!(!trust_file(&sandbox).exists());
}

#[test]
fn a_person_is_asked_once_and_again_with_a_diff_when_it_changes() {
    let sandbox = repository();
    let args = ["ask", "--agent", "mine", "--prompt", "x", "--output", "out.txt"];
    for (answer, code) in [("no\r", 4), ("\r", 4), ("\u{1b}", 4), ("\u{3}", 130)] {
        let mut pty = Pty::start(command(&sandbox, &args), 100);
        pty.wait_for("agents.mine.command = \"./agent\"");
        pty.wait_for(&format!("Digest: {}", digest(&sandbox)));
        pty.answer("[No / Yes] > ", answer);
        assert_eq!(pty.wait_for_exit(), Some(code), "{}", pty.screen());
        assert!(pty.has_cooked_modes());
        assert!(!mark(&sandbox).exists() && !trust_file(&sandbox).exists(), "{}", pty.screen());
    }
    let mut pty = Pty::start(command(&sandbox, &args), 100);
    pty.answer("[No / Yes] > ", "yes\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    assert!(mark(&sandbox).exists());
    assert_eq!(trust_file(&sandbox).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // Now it is used without a question, without a terminal, by every command.
    let output = ask(&sandbox, &[]);
    assert_eq!((output.code, output.stderr.contains("trust")), (Some(0), false), "{output:?}");
    assert!(charrette(&sandbox, &["agents"]).stdout.contains("\nmine "));

    sandbox.write("charrette.toml", format!("{SETTINGS}args = [\"--more\"]\n"));
    let refused = ask(&sandbox, &[]);
    assert_eq!(refused.code, Some(4));
    assert!(
        refused.stderr.starts_with("error: this repository's settings have changed since you trusted them\n"),
        "{refused:?}"
    );
    assert!(refused.stderr.contains("\n  +  agents.mine.args = [\"--more\"]\n"), "{refused:?}");
    let mut pty = Pty::start(command(&sandbox, &args), 100);
    pty.wait_for("has changed since you trusted it (2026-11-15T12:00:00.000Z)");
    pty.wait_for("+  agents.mine.args = [\"--more\"]");
    pty.answer("[No / Yes] > ", "yes\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    // Both contents were accepted.
    assert_eq!(ask(&sandbox, &[]).code, Some(0));
    sandbox.write("charrette.toml", SETTINGS);
    assert_eq!(ask(&sandbox, &[]).code, Some(0));
}

#[test]
fn the_command_shows_keeps_lists_and_forgets() {
    let sandbox = repository();
    let digest = digest(&sandbox);
    let page = format!(
        "charrette.toml\n  agents.mine.command = \"./agent\"\n  agents.mine.kind = \"command\"\n\nDigest: {digest}\n"
    );
    let show = charrette(&sandbox, &["trust", "--show"]);
    assert_eq!((show.code, show.stdout), (Some(0), format!("{page}Not trusted, not used.\n")));
    let bare = charrette(&sandbox, &["trust"]);
    assert_eq!(bare.code, Some(4), "{bare:?}");
    assert_eq!(bare.stdout, format!("This repository makes charrette run, send or obey:\n\n{page}"));
    assert!(
        bare.stderr
            .contains(&format!("hint: Or accept exactly this content: charrette trust --trust={digest}\n"))
    );
    assert_eq!(charrette(&sandbox, &["trust", "--list"]).stdout, "");

    let mut pty = Pty::start(command(&sandbox, &["trust"]), 100);
    pty.answer("[No / Yes] > ", "y\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    let trusted = charrette(&sandbox, &["trust"]);
    let since = format!("Trusted since 2026-11-15T12:00:00.000Z.\nDigest: {digest}\n");
    assert_eq!((trusted.code, trusted.stdout), (Some(0), since));
    let repository = sandbox.path(".git").canonicalize().unwrap();
    let listed = charrette(&sandbox, &["trust", "--list"]).stdout;
    assert_eq!(listed, format!("2026-11-15T12:00:00.000Z  {digest}  {}\n", repository.display()));
    let listed = charrette(&sandbox, &["trust", "--list", "--json"]).json();
    assert_eq!(listed[0]["repository"], json!(repository));

    assert_eq!(charrette(&sandbox, &["trust", "--revoke"]).code, Some(0));
    assert_eq!(charrette(&sandbox, &["trust"]).code, Some(4));
    let again = charrette(&sandbox, &["trust", "--revoke"]).stdout;
    assert_eq!(again, "Nothing of this repository was trusted.\n");
    trust(&sandbox);
    assert_eq!(charrette(&sandbox, &["trust"]).code, Some(0));
}

#[test]
fn work_trees_of_one_repository_share_it_and_copies_do_not() {
    let sandbox = repository();
    sandbox.git(["add", "-A"]);
    sandbox.commit("settings");
    trust(&sandbox);
    let (tree, copy) = (sandbox.outside("tree"), sandbox.outside("copy"));
    sandbox.git(["worktree", "add", "-q", tree.to_str().unwrap()]);
    sandbox.git(["clone", "-q", ".", copy.to_str().unwrap()]);
    symlink(sandbox.work(), sandbox.outside("link")).unwrap();
    for (folder, code) in [(&tree, 0), (&copy, 4), (&sandbox.outside("link"), 0), (&sandbox.work(), 0)] {
        let output = charrette(&sandbox, &["-C", folder.to_str().unwrap(), "trust"]);
        assert_eq!(output.code, Some(code), "{}: {output:?}", folder.display());
    }
}

#[test]
fn a_torn_file_is_moved_aside_and_said_and_trusts_nothing() {
    let sandbox = repository();
    trust(&sandbox);
    let whole = fs_err::read_to_string(trust_file(&sandbox)).unwrap();
    fs_err::write(trust_file(&sandbox), &whole[..whole.len() - 20]).unwrap();
    let output = charrette(&sandbox, &["status"]);
    let moved = trust_file(&sandbox).with_file_name("trust.json.torn-1");
    assert!(
        output.stderr.contains(UNTRUSTED)
            && output.stderr.contains(&format!("is moved to {}\n", moved.display())),
        "{output:?}"
    );
    assert!(moved.exists() && !trust_file(&sandbox).exists());
    assert_eq!(ask(&sandbox, &[]).code, Some(4));
    trust(&sandbox);
    assert_eq!(ask(&sandbox, &[]).code, Some(0));
}

#[test]
fn a_file_that_others_can_write_is_refused_with_a_cure() {
    let sandbox = repository();
    trust(&sandbox);
    fs_err::set_permissions(trust_file(&sandbox), std::fs::Permissions::from_mode(0o666)).unwrap();
    let cure = format!("hint: Check its content, then: chmod 600 '{}'\n", trust_file(&sandbox).display());
    for output in
        [ask(&sandbox, &[]), charrette(&sandbox, &["trust"]), charrette(&sandbox, &["trust", "--revoke"])]
    {
        assert_eq!(output.code, Some(4), "{output:?}");
        assert!(output.stderr.contains("can be written by others (mode 666)\n"), "{output:?}");
        assert!(output.stderr.contains(&cure), "{output:?}");
    }
    let doctor = charrette(&sandbox, &["doctor"]).stdout;
    assert!(doctor.contains("-> Check its content, then: chmod 600"), "{doctor}");
    // Nobody is asked as long as the answer could be forged.
    let mut pty = Pty::start(command(&sandbox, &["trust"]), 100);
    assert_eq!(pty.wait_for_exit(), Some(4), "{}", pty.screen());
    assert_eq!(ask(&sandbox, &[&format!("--trust={}", digest(&sandbox))]).code, Some(0), "needs no file");
    fs_err::set_permissions(trust_file(&sandbox), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(ask(&sandbox, &[]).code, Some(0));
}

#[test]
fn an_answer_that_cannot_be_kept_counts_for_this_command() {
    let sandbox = repository();
    // Nothing can be created there, not even by root.
    for (variable, value) in
        [("XDG_STATE_HOME", "/proc/none"), ("XDG_STATE_HOME", sandbox.path("state").to_str().unwrap())]
    {
        let mut command = command(&sandbox, &["trust"]);
        command.env(variable, value);
        let mut pty = Pty::start(command, 200);
        pty.answer("[No / Yes] > ", "yes\r");
        pty.wait_for("Warning: your answer counts for this command only, it could not be kept: ");
        assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    }
    assert!(!sandbox.path("state").exists());
}

#[test]
fn a_state_folder_inside_the_repository_is_not_believed() {
    let sandbox = repository();
    trust(&sandbox);
    // The file that would be believed comes with the repository.
    sandbox.write("home/.local/state/charrette/trust.json", fs_err::read(trust_file(&sandbox)).unwrap());
    let path = sandbox.path("home/.local/state/charrette/trust.json");
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink(sandbox.path("home"), sandbox.outside("linked")).unwrap();
    for home in [sandbox.path("home"), sandbox.outside("linked")] {
        let mut inside = command(&sandbox, &["trust"]);
        inside.env("HOME", home);
        let output = Output::capture(inside, b"");
        assert_eq!(output.code, Some(4), "{output:?}");
        assert!(output.stderr.contains("is inside this repository\n"), "{output:?}");
    }
    assert_eq!(charrette(&sandbox, &["trust"]).code, Some(0), "the user's own file is");
}

#[test]
fn a_link_to_a_device_is_a_problem_and_not_the_end() {
    let sandbox = Sandbox::repository();
    symlink("/dev/zero", sandbox.path("charrette.toml")).unwrap();
    fs_err::create_dir_all(sandbox.path(".claude/config")).unwrap();
    symlink("/dev/zero", sandbox.path(".claude/config/integrations.json")).unwrap();
    let output = charrette(&sandbox, &["status"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("charrette.toml is not a file of at most 1 MB\n"), "{output:?}");
    let doctor = charrette(&sandbox, &["doctor"]).stdout;
    assert!(doctor.contains("integrations.json is not a file of at most 1 MB"), "{doctor}");
}

#[test]
fn what_changes_during_the_question_is_not_used() {
    let sandbox = repository();
    let args = ["ask", "--agent", "mine", "--prompt", "x", "--output", "out.txt"];
    let mut pty = Pty::start(command(&sandbox, &args), 100);
    pty.wait_for("[No / Yes] > ");
    sandbox.write("charrette.toml", format!("{SETTINGS}args = [\"--more\"]\n"));
    pty.send("yes\r");
    pty.wait_for("error: this repository's settings have changed while you looked at them");
    assert_eq!(pty.wait_for_exit(), Some(4), "{}", pty.screen());
    assert!(!mark(&sandbox).exists());
    assert_eq!(ask(&sandbox, &[]).code, Some(4));
    sandbox.write("charrette.toml", SETTINGS);
    assert_eq!(ask(&sandbox, &[]).code, Some(0), "the yes was for what was shown");
}
