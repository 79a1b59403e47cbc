//! Clients that are not what they seem: the proof says what is wrong, and leaves nothing behind.

use charrette_hosts::{Client, UserFolders};
use charrette_proof::{ClientProgram, Configuration, ProofError, client_version, prove};
use charrette_testkit::Sandbox;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const HOOKS: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "charrette-hook PreToolUse", "timeout": 10}]}]}}"#;

/// A program of that text.
fn program(sandbox: &Sandbox, name: &str, text: &str) -> PathBuf {
    let path = sandbox.outside(name);
    fs_err::write(&path, text).unwrap();
    fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn client(program: &Path, hook: Option<PathBuf>) -> ClientProgram {
    let path = std::env::var_os("PATH").unwrap();
    ClientProgram { client: Client::Claude, program: program.to_owned(), path, hook }
}

fn configuration(sandbox: &Sandbox) -> Configuration {
    sandbox.write(".claude/settings.json", HOOKS);
    Configuration::read(Client::Claude, &sandbox.work(), &UserFolders::below(&sandbox.home())).unwrap()
}

/// A folder for throw-away folders, and nothing else.
fn scratch(sandbox: &Sandbox) -> PathBuf {
    let scratch = sandbox.outside("scratch");
    fs_err::create_dir_all(&scratch).unwrap();
    scratch
}

#[test]
fn a_client_that_never_asks_the_model_is_named() {
    let sandbox = Sandbox::new();
    let fake = program(&sandbox, "fake", "#!/bin/sh\necho it is broken >&2\nexit 7\n");
    let scratch = scratch(&sandbox);
    let error = prove(&client(&fake, None), &configuration(&sandbox), &scratch).unwrap_err();
    assert!(matches!(error, ProofError::NoContact { .. }), "{error}");
    let said = error.to_string();
    assert_eq!(said, "Claude Code did not reach the scripted model: exit code 7: it is broken");
    assert_eq!(fs_err::read_dir(&scratch).unwrap().count(), 0);
}

#[test]
fn a_client_that_runs_no_hooks_fails_and_the_hook_is_named() {
    let sandbox = Sandbox::new();
    // Speaks to the model as a client does, but runs nothing: every call is answered with an empty result.
    let fake = program(
        &sandbox,
        "fake",
        r#"#!/usr/bin/env python3
import json, os, urllib.request
if not os.environ["ANTHROPIC_BASE_URL"].startswith("http://127.0.0.1:"): raise SystemExit(9)
messages = [{"role": "user", "content": "charrette-proof-main"}]
tools = [{"name": name} for name in ["Bash", "Write", "Read", "Agent"]]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
for turn in range(20):
    body = json.dumps({"model": "m", "stream": True, "messages": messages, "tools": tools}).encode()
    request = urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", data=body)
    text = opener.open(request).read().decode()
    if '"tool_use"' not in text: break
    messages.append({"role": "assistant", "content": "x"})
    messages.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "nothing"}]})
"#,
    );
    let hook = program(&sandbox, "hook", "#!/bin/sh\necho no >&2\nexit 2\n");
    let scratch = scratch(&sandbox);
    let verdict = prove(&client(&fake, Some(hook)), &configuration(&sandbox), &scratch).unwrap();
    assert!(!verdict.holds());
    let culprits: Vec<&str> = verdict.failures.iter().map(|failure| failure.culprit.as_str()).collect();
    assert!(culprits.contains(&"PreToolUse") && culprits.contains(&"SessionStart"), "{culprits:?}");
    let reasons: Vec<&str> = verdict.failures.iter().map(|failure| failure.reason.as_str()).collect();
    assert!(reasons.contains(&"the hook is not installed"), "{reasons:?}");
    assert!(
        reasons.contains(&"main thread: `git switch main` was not answered by the hook: nothing"),
        "{reasons:?}"
    );
    assert!(reasons.contains(&"subagent: `git switch main` was never answered by the client"), "{reasons:?}");
    assert_eq!(fs_err::read_dir(&scratch).unwrap().count(), 0);
}

#[test]
fn the_version_is_asked_in_a_throw_away_home() {
    let sandbox = Sandbox::new();
    let fake = program(&sandbox, "fake", "#!/bin/sh\necho 9.8.7 '(fake)'\n");
    let scratch = scratch(&sandbox);
    assert_eq!(client_version(&client(&fake, None), &scratch).as_deref(), Some("9.8.7"));
    assert_eq!(fs_err::read_dir(&scratch).unwrap().count(), 0);
}
