//! Invalid arguments, input and state files: clear messages, existing data unchanged.

use crate::{DOCUMENT, DOCUMENT_ARGS, charrette, charrette_with, checkpoint};
use charrette_testkit::{Output, Sandbox};
use std::os::unix::fs::symlink;

/// The five calls never fail: they answer, exit 0 and log one line.
fn assert_silent_failure(output: &Output, answer: &str, message: &str) {
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), answer), "{output:?}");
    assert!(output.stderr.contains(message), "expected {message:?} in {:?}", output.stderr);
    assert_eq!(output.stderr.lines().count(), 1, "{:?}", output.stderr);
}

#[test]
fn invalid_feature_names_are_rejected() {
    let sandbox = Sandbox::repository();
    for (feature, message) in [
        ("../../etc/passwd", "Invalid spec name '../../etc/passwd'. Use lowercase-kebab-case format."),
        ("Add Login", "Invalid spec name 'Add Login'."),
        ("a\u{1b}[31mred\n", "Invalid spec name 'a\\u{1b}[31mred\\n'."),
        (
            "checkpoint",
            "Reserved spec name 'checkpoint'. Reserved names: checkpoint, templates, node_modules, dist, build",
        ),
        ("", "Spec name cannot be empty after normalization."),
        (&"x".repeat(300), "exceeds maximum length of 200 characters."),
    ] {
        let output = charrette_with(
            &sandbox,
            &["checkpoint", "update-phase", "research", "--command", "design", "--feature", feature],
            b"{}",
        );
        assert_silent_failure(&output, "false\n", message);
        let output =
            charrette(&sandbox, &["checkpoint", "load", "--command", "design", "--feature", feature]);
        assert_silent_failure(&output, "null\n", message);
        assert_eq!(charrette(&sandbox, &["abandon", feature]).code, Some(2));
    }
    assert!(!sandbox.path(".claude").exists());
}

#[test]
fn invalid_phase_names_are_rejected() {
    let sandbox = Sandbox::repository();
    for phase in ["__proto__", "a/b", "", "a b", &"x".repeat(65)] {
        let output = checkpoint(&sandbox, &["update-phase", phase], "{}");
        assert_silent_failure(&output, "false\n", "Invalid phase name");
    }
    let output =
        checkpoint(&sandbox, &["save"], r#"{"version": 1, "phases": {"__proto__": {"status": "complete"}}}"#);
    assert_silent_failure(&output, "false\n", "Invalid phase name '__proto__'");
    assert!(!sandbox.path(".claude").exists());
}

#[test]
fn a_time_longer_than_a_year_is_a_usage_error() {
    let sandbox = Sandbox::repository();
    for arguments in [
        &["ask", "--agent", "claude", "--prompt", "x", "--output", "o", "--timeout"][..],
        &["seats", "next", "--lease"],
    ] {
        for seconds in ["0", "31536001", "9223372036854775807", "18446744073709551615"] {
            let output = charrette(&sandbox, &[arguments, &[seconds]].concat());
            assert_eq!(output.code, Some(2), "{arguments:?} {seconds}: {output:?}");
            assert!(output.stderr.contains("1..=31536000"), "{output:?}");
        }
    }
}

#[test]
fn unknown_commands_are_usage_errors() {
    let sandbox = Sandbox::repository();
    let output = charrette(&sandbox, &["checkpoint", "load", "--command", "test"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(
        output.stderr.contains("invalid value 'test'") && output.stderr.contains("design"),
        "{}",
        output.stderr
    );
}

#[test]
fn invalid_documents_and_data_are_rejected() {
    let sandbox = Sandbox::repository();
    checkpoint(
        &sandbox,
        &["update-phase", "research"],
        r#"{"status": "complete", "context_summary": "keep me"}"#,
    );
    let before = sandbox.read(DOCUMENT);
    let ten_megabytes = "x".repeat(10 << 20);
    let many_words = "word ".repeat(2 << 20);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let too_large = format!("{{\"version\": 1, \"x\": \"{}\"}}", "x".repeat(17 << 20));
    for (operation, stdin, message) in [
        ("save", String::new(), "the file is empty"),
        ("save", "{".to_owned(), "not JSON"),
        ("save", "[]".to_owned(), "not a JSON object"),
        ("save", deep, "recursion limit"),
        (
            "save",
            "{\"version\": 2}".to_owned(),
            "Cannot save checkpoint with unsupported schema version: 2 (expected 1)",
        ),
        (
            "save",
            "{}".to_owned(),
            "Cannot save checkpoint with unsupported schema version: undefined (expected 1)",
        ),
        ("save", "{\"version\": 1, \"state\": []}".to_owned(), "state: invalid type: sequence"),
        ("save", "{\"version\": 1, \"started_at\": \"soon\"}".to_owned(), "is not an ISO 8601 time"),
        ("save", too_large, "exceeds 16 MiB"),
        (
            "save",
            format!(
                "{{\"version\": 1, \"phases\": {{\"a\": {{\"status\": \"complete\", \"context_summary\": \"{ten_megabytes}\"}}}}}}"
            ),
            "Phase \"a\" Context summary exceeds 65536 byte limit",
        ),
        (
            "save",
            format!("{{\"version\": 1, \"state\": {{\"context_summary\": \"{many_words}\"}}}}"),
            "Context summary exceeds 500 token limit (actual: 2097152 tokens)",
        ),
        ("update-phase", String::new(), "Invalid data for phase \"write\": not JSON"),
        ("update-phase", "3".to_owned(), "Invalid data for phase \"write\": expected a JSON object"),
        ("update-phase", "{\"status\": \"finished\"}".to_owned(), "status: unknown variant `finished`"),
        ("update-phase", "{\"tasks\": {\"T1\": 3}}".to_owned(), "Invalid data for phase \"write\": tasks.T1"),
    ] {
        let operation = if operation == "save" { vec!["save"] } else { vec!["update-phase", "write"] };
        assert_silent_failure(&checkpoint(&sandbox, &operation, &stdin), "false\n", message);
        assert_eq!(sandbox.read(DOCUMENT), before);
    }
    for bytes in [&b"{\"version\": 1, \"x\": \"\xff\"}"[..], b"\0\0\0"] {
        let args: Vec<&str> = ["checkpoint", "save"].iter().chain(&DOCUMENT_ARGS).copied().collect();
        assert_silent_failure(
            &charrette_with(&sandbox, &args, bytes),
            "false\n",
            "Cannot save checkpoint: not ",
        );
    }
    assert_eq!(sandbox.read(DOCUMENT), before);
}

#[test]
fn corrupt_documents_are_reported_and_kept() {
    for (content, message) in [
        ("", "Checkpoint file exists but is corrupt: "),
        ("{\"version\": 1, ", "Checkpoint file exists but is corrupt: "),
        ("\0\0\0\0", "Checkpoint file exists but is corrupt: "),
        ("{\"version\": 2}", "Unsupported checkpoint schema version: 2 (expected 1)"),
    ] {
        let sandbox = Sandbox::repository();
        sandbox.write(DOCUMENT, content);
        for (operation, stdin, answer) in [
            (&["load"][..], "", "null\n"),
            (&["update-phase", "research"], "{}", "false\n"),
            (&["complete"], "", "false\n"),
            (&["save"], "{\"version\": 1}", "false\n"),
        ] {
            let output = checkpoint(&sandbox, operation, stdin);
            assert_silent_failure(&output, answer, message);
            assert!(output.stderr.contains("design-add-login.json"), "{}", output.stderr);
            assert!(
                output.stderr.contains("charrette abandon add-login --command design"),
                "{}",
                output.stderr
            );
        }
        assert_eq!(sandbox.read(DOCUMENT), content);
        assert_eq!(charrette(&sandbox, &["abandon", "add-login", "--command", "design"]).code, Some(0));
        assert_eq!(checkpoint(&sandbox, &["update-phase", "research"], "{}").stdout, "true\n");
    }
}

#[test]
fn symlinks_folders_and_bare_repositories_are_rejected() {
    let sandbox = Sandbox::repository();
    sandbox.write("target.json", "{\"version\": 1}");
    sandbox.write(".claude/state/.keep", "");
    symlink("../../target.json", sandbox.path(DOCUMENT)).unwrap();
    assert_silent_failure(&checkpoint(&sandbox, &["load"], ""), "null\n", "is a symbolic link");
    assert_silent_failure(
        &checkpoint(&sandbox, &["update-phase", "a"], "{}"),
        "false\n",
        "is a symbolic link",
    );
    assert_eq!(sandbox.read("target.json"), "{\"version\": 1}");
    remove_file(&sandbox, DOCUMENT);

    sandbox.write(&format!("{DOCUMENT}/inside"), "");
    assert_silent_failure(&checkpoint(&sandbox, &["load"], ""), "null\n", "is not a regular file");

    let bare = sandbox.outside("bare.git");
    sandbox.git(["init", "-q", "--bare", bare.to_str().unwrap()]);
    let args: Vec<&str> =
        ["-C", bare.to_str().unwrap(), "checkpoint", "load"].iter().chain(&DOCUMENT_ARGS).copied().collect();
    assert_silent_failure(&charrette(&sandbox, &args), "null\n", "has no work tree");
    let status = charrette(&sandbox, &["-C", bare.to_str().unwrap(), "status"]);
    assert_eq!(status.code, Some(1));
    assert!(status.stderr.contains("hint: Run charrette in a work tree"), "{}", status.stderr);
}

fn remove_file(sandbox: &Sandbox, path: &str) {
    std::fs::remove_file(sandbox.path(path)).unwrap();
}

#[test]
fn state_outside_a_repository_is_saved_with_a_note() {
    let sandbox = Sandbox::new();
    let first = checkpoint(&sandbox, &["update-phase", "research"], "{}");
    assert_silent_failure(&first, "true\n", "Not a git repository: state is stored in ");
    assert_eq!(checkpoint(&sandbox, &["update-phase", "research"], "{}").stderr, "");
    assert_eq!(checkpoint(&sandbox, &["load"], "").json().get("head_commit"), None);
}

#[test]
fn git_environment_variables_choose_the_repository() {
    let sandbox = Sandbox::repository();
    let other = sandbox.outside("other");
    sandbox.git(["init", "-q", other.to_str().unwrap()]);
    let mut command = sandbox.command(crate::BINARY);
    command.args(["checkpoint", "update-phase", "research"]).args(DOCUMENT_ARGS);
    command.env("GIT_DIR", other.join(".git")).env("GIT_WORK_TREE", &other);
    assert_eq!(Output::capture(command, b"{}").stdout, "true\n");
    assert!(other.join(DOCUMENT).exists() && !sandbox.path(DOCUMENT).exists());
}

#[test]
fn an_invalid_charrette_now_is_a_usage_error() {
    let sandbox = Sandbox::repository();
    let mut command = sandbox.command(crate::BINARY);
    command.arg("status").env("CHARRETTE_NOW", "half past ten");
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(2));
    assert!(
        output.stderr.starts_with("error: CHARRETTE_NOW: 'half past ten' is not an ISO 8601 time"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_missing_folder_is_a_usage_error() {
    let sandbox = Sandbox::repository();
    assert_eq!(charrette(&sandbox, &["-C", "/no/such/folder", "status"]).code, Some(2));
}

#[test]
fn a_temp_file_left_by_a_kill_is_gone_after_the_next_change() {
    let sandbox = Sandbox::repository();
    checkpoint(&sandbox, &["update-phase", "research"], "{}");
    sandbox.write(".claude/state/.design-add-login.json.tmp", "{\"ver");
    assert_eq!(checkpoint(&sandbox, &["update-phase", "research"], "{}").stdout, "true\n");
    assert!(!sandbox.path(".claude/state/.design-add-login.json.tmp").exists());
}
