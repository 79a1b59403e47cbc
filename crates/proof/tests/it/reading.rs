//! Configurations and trust, as the user has them.

use charrette_hosts::{Client, UserFolders};
use charrette_proof::{Configuration, Proof, Proofs, Verdict, codex_trust};
use charrette_testkit::Sandbox;

const OWN: &str = r#"{"type": "command", "command": "charrette-hook PreToolUse", "timeout": 10}"#;
const START: &str = r#"{"type": "command", "command": "charrette-hook SessionStart", "timeout": 10}"#;

fn folders(sandbox: &Sandbox) -> UserFolders {
    UserFolders::below(&sandbox.home())
}

#[test]
fn only_our_hooks_and_the_switch_are_read() {
    let sandbox = Sandbox::new();
    let settings = format!(
        "{{\"env\": {{\"ANTHROPIC_BASE_URL\": \"https://elsewhere.example\"}}, \"disableAllHooks\": false, // mine\n\
         \"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [{{\"type\": \"command\", \"command\": \"curl\"}}, {OWN}]}}]}}}}"
    );
    sandbox.write(".claude/settings.json", &settings);
    let configuration = Configuration::read(Client::Claude, &sandbox.work(), &folders(&sandbox)).unwrap();
    assert_eq!(configuration.layers.len(), 1);
    let text = format!("{configuration:?}");
    assert!(!text.contains("curl") && !text.contains("elsewhere"), "{text}");
    // A matcher that narrows the hook is part of what is proven.
    assert!(text.contains("Bash") && text.contains("disableAllHooks"), "{text}");
    assert!(!configuration.is_empty());
    assert_eq!(configuration.missing_events(), ["SessionStart"]);
}

#[test]
fn the_digest_is_that_of_the_hooks_alone() {
    let sandbox = Sandbox::new();
    let digest = |text: &str| {
        sandbox.write(".claude/settings.json", text);
        Configuration::read(Client::Claude, &sandbox.work(), &folders(&sandbox)).unwrap().digest()
    };
    let plain = digest(&format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{OWN}]}}]}}}}"#));
    let other = digest(&format!(r#"{{"model": "x", "hooks": {{"PreToolUse": [{{"hooks": [{OWN}]}}]}}}}"#));
    let narrowed =
        digest(&format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{OWN}]}}]}}}}"#));
    assert_eq!(plain, other);
    assert_ne!(plain, narrowed);
}

#[test]
fn no_hooks_and_torn_files_are_told_apart() {
    let sandbox = Sandbox::new();
    let read = || Configuration::read(Client::Claude, &sandbox.work(), &folders(&sandbox));
    assert!(read().unwrap().is_empty());
    sandbox.write(".claude/settings.json", "{\"hooks\": ");
    assert!(read().unwrap_err().to_string().contains("settings.json: it is not valid JSON"));
}

#[test]
fn codex_skips_what_the_user_has_not_trusted() {
    let sandbox = Sandbox::new();
    let folders = folders(&sandbox);
    assert_eq!(codex_trust(&sandbox.work(), &folders).unwrap(), []);
    let other = r#"{"type": "command", "command": "other"}"#;
    let hooks = format!(
        r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{other}]}}, {{"hooks": [{OWN}]}}], "SessionStart": [{{"hooks": [{START}]}}]}}}}"#
    );
    let path = folders.codex.join("hooks.json");
    fs_err::create_dir_all(&folders.codex).unwrap();
    fs_err::write(&path, hooks).unwrap();
    let trust = codex_trust(&sandbox.work(), &folders).unwrap();
    assert_eq!(trust[0].untrusted, ["PreToolUse", "SessionStart"]);
    let config = format!(
        "[hooks.state.\"{0}:pre_tool_use:1:0\"]\ntrusted_hash = \"sha256:1\"\n\
         [hooks.state.\"{0}:session_start:0:0\"]\ntrusted_hash = \"sha256:2\"\nenabled = false\n",
        path.display()
    );
    fs_err::write(folders.codex.join("config.toml"), config).unwrap();
    let trust = codex_trust(&sandbox.work(), &folders).unwrap();
    assert_eq!(
        (trust[0].trusted.as_slice(), trust[0].untrusted.as_slice()),
        (&["PreToolUse".to_owned()][..], &["SessionStart".to_owned()][..])
    );
}

#[test]
fn results_are_kept_by_client_version_configuration_and_hook() {
    let sandbox = Sandbox::new();
    let proof = |version: &str, calls| Proof {
        client: "claude".to_owned(),
        version: version.to_owned(),
        configuration: "c".to_owned(),
        hook: "h".to_owned(),
        at: "2026-11-15T12:00:00.000Z".to_owned(),
        verdict: Verdict { calls, failures: Vec::new() },
    };
    let mut proofs = Proofs::read(&sandbox.home());
    for (version, calls) in [("1.0", 1), ("2.0", 2), ("1.0", 3)] {
        proofs.add(proof(version, calls));
    }
    proofs.write(&sandbox.home()).unwrap();
    let read = Proofs::read(&sandbox.home());
    assert_eq!(read.get("claude", "1.0", "c", "h").map(|proof| proof.verdict.calls), Some(3));
    assert_eq!(read.get("claude", "2.0", "c", "h").map(|proof| proof.verdict.calls), Some(2));
    assert_eq!(read.get("claude", "2.0", "c", "other"), None);
    assert_eq!(read.newest("claude", "c", "h").map(|proof| proof.version.as_str()), Some("1.0"));
}
