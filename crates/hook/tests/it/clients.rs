//! Inputs of the clients: captured ones of Claude Code and Codex, documented ones of the others.

use crate::stage::{Stage, Who, is_denied, text};
use charrette_hook::{Answer, hook};
use serde_json::{Value, json};

/// A captured input, with the folder of the session replaced.
fn captured(stage: &Stage, file: &str) -> String {
    let path = format!("{}/tests/fixtures/{file}", env!("CARGO_MANIFEST_DIR"));
    fs_err::read_to_string(path).unwrap().replace("/repo", text(&stage.root))
}

fn answer(stage: &Stage, who: Who, event: &str, input: &str) -> Answer {
    hook(event, &stage.environment(who), input.as_bytes())
}

#[test]
fn captured_inputs_of_claude_code() {
    let stage = Stage::new();
    let write = captured(&stage, "claude/002-PreToolUse.stdin.json");
    assert!(is_denied(&answer(&stage, Who::ReadOnlyLane, "PreToolUse", &write)));
    assert_eq!(answer(&stage, Who::Session, "PreToolUse", &write), Answer::Allow);
    let commit = captured(&stage, "claude/005-PreToolUse.stdin.json");
    assert!(is_denied(&answer(&stage, Who::ReadOnlyLane, "PreToolUse", &commit)));
    assert!(is_denied(&answer(&stage, Who::WriteLane, "PreToolUse", &commit)));
    assert_eq!(answer(&stage, Who::Session, "PreToolUse", &commit), Answer::Allow);
    for who in crate::stage::ALL {
        let stop = captured(&stage, "claude/008-Stop.stdin.json");
        assert_eq!(answer(&stage, who, "Stop", &stop), Answer::Allow);
        let stop = captured(&stage, "claude/claude-SubagentStop.stdin.json");
        assert_eq!(answer(&stage, who, "SubagentStop", &stop), Answer::Allow);
    }
}

#[test]
fn captured_inputs_of_codex() {
    let stage = Stage::new();
    let shell = captured(&stage, "codex/002-PreToolUse.stdin.json");
    assert!(is_denied(&answer(&stage, Who::ReadOnlyLane, "PreToolUse", &shell)));
    assert_eq!(answer(&stage, Who::Session, "PreToolUse", &shell), Answer::Allow);
    let stop = captured(&stage, "codex/004-Stop.stdin.json");
    assert_eq!(answer(&stage, Who::Session, "Stop", &stop), Answer::Allow);
    let patch = |file: &str| {
        let patch = format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch");
        json!({"command": patch})
    };
    let tool = |who, file: &str| stage.tool(who, "apply_patch", &patch(file));
    assert!(is_denied(&tool(Who::ReadOnlyLane, "src/lib.rs")));
    assert_eq!(tool(Who::WriteLane, "src/lib.rs"), Answer::Allow);
    assert!(is_denied(&tool(Who::WriteLane, "../work/src/lib.rs")));
    assert_eq!(tool(Who::Session, "src/lib.rs"), Answer::Allow);
    assert!(is_denied(&tool(Who::Session, ".claude/state/design-login.json")));
    assert!(is_denied(&tool(Who::Session, ".env")));
    assert!(is_denied(&stage.tool(Who::WriteLane, "apply_patch", &json!({"command": "no file lines"}))));
    let argv = json!({"command": ["bash", "-lc", "git switch main"]});
    assert!(is_denied(&stage.tool(Who::Session, "shell", &argv)));
    let elsewhere = json!({"cmd": "git switch main", "workdir": "../elsewhere"});
    assert_eq!(stage.tool(Who::Session, "exec_command", &elsewhere), Answer::Allow);
}

#[test]
fn inputs_of_gemini_cursor_and_opencode() {
    let stage = Stage::new();
    let ask = |who, event: &str, mut input: Value| {
        input["cwd"] = json!(stage.folder(who));
        answer(&stage, who, event, &input.to_string())
    };
    let gemini = |who, tool: &str, arguments: Value| {
        ask(
            who,
            "BeforeTool",
            json!({"hook_event_name": "BeforeTool", "timestamp": "x", "tool_name": tool, "tool_input": arguments}),
        )
    };
    assert!(is_denied(&gemini(Who::Session, "run_shell_command", json!({"command": "git switch main"}))));
    assert_eq!(gemini(Who::Session, "run_shell_command", json!({"command": "git status"})), Answer::Allow);
    assert!(is_denied(&gemini(Who::ReadOnlyLane, "write_file", json!({"file_path": "x", "content": "y"}))));
    assert!(is_denied(&gemini(Who::ReadOnlyLane, "replace", json!({"file_path": "x", "old_string": "y"}))));
    assert_eq!(gemini(Who::ReadOnlyLane, "read_file", json!({"absolute_path": "/x/y"})), Answer::Allow);
    assert!(is_denied(&gemini(Who::Session, "read_many_files", json!({"paths": ["a", ".env"]}))));

    let cursor = |who, event: &str, input: Value| ask(who, event, input);
    assert!(is_denied(&cursor(Who::Session, "beforeShellExecution", json!({"command": "git switch main"}))));
    assert_eq!(cursor(Who::Session, "beforeShellExecution", json!({"command": "ls"})), Answer::Allow);
    assert!(is_denied(&cursor(
        Who::Session,
        "beforeReadFile",
        json!({"file_path": ".env", "content": "A=1"})
    )));
    assert_eq!(
        cursor(Who::Session, "beforeReadFile", json!({"file_path": "a.rs", "content": "x"})),
        Answer::Allow
    );
    let edit =
        json!({"tool_name": "edit_file", "tool_input": {"target_file": ".claude/state/x", "code_edit": "y"}});
    assert!(is_denied(&cursor(Who::Session, "preToolUse", edit)));

    let opencode = |who, tool: &str, arguments: Value| {
        ask(who, "tool.execute.before", json!({"tool": tool, "sessionID": "s", "args": arguments}))
    };
    assert!(is_denied(&opencode(Who::Session, "bash", json!({"command": "git switch main"}))));
    assert!(is_denied(&opencode(Who::ReadOnlyLane, "write", json!({"filePath": "x", "content": ""}))));
    assert!(is_denied(&opencode(Who::ReadOnlyLane, "patch", json!({"patchText": "*** Add File: x\n"}))));
    assert_eq!(opencode(Who::ReadOnlyLane, "read", json!({"filePath": "x"})), Answer::Allow);
}

#[test]
fn other_tools_pass() {
    let stage = Stage::new();
    for (tool, input) in [
        ("TodoWrite", json!({"todos": [{"content": "x"}]})),
        ("WebFetch", json!({"url": "http://127.0.0.1/", "prompt": "x"})),
        ("Agent", json!({"prompt": "git switch main", "description": "x"})),
        ("Glob", json!({"pattern": "**/*.rs", "path": "src"})),
        ("Grep", json!({"pattern": "git push", "path": "."})),
        ("mcp__tracker__list", json!({"query": "main"})),
        ("Unknown", json!({})),
    ] {
        for who in crate::stage::ALL {
            assert_eq!(stage.tool(who, tool, &input), Answer::Allow, "{tool}");
        }
    }
    let shell = json!({"command": "git switch main"});
    assert!(is_denied(&stage.tool(Who::Session, "mcp__box__run_command", &shell)));
    let write = json!({"path": "x", "content": "y"});
    assert!(is_denied(&stage.tool(Who::ReadOnlyLane, "mcp__files__put", &write)));
}

#[test]
fn a_session_is_told_at_its_start() {
    let stage = Stage::new();
    let input = captured(&stage, "claude/000-SessionStart.stdin.json");
    let answer_of = |who| answer(&stage, who, "SessionStart", &input);
    let Answer::Context { event, text } = answer_of(Who::Session) else { panic!("no context") };
    assert_eq!(event, "SessionStart");
    assert!(
        text.contains("design login is driven by process") && text.contains("charrette stop login"),
        "{text}"
    );
    let stdout = answer_of(Who::Session).stdout().unwrap();
    let stdout: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(stdout.as_object().unwrap().len(), 1);
    let output = stdout["hookSpecificOutput"].as_object().unwrap();
    assert_eq!(output.keys().collect::<Vec<_>>(), ["hookEventName", "additionalContext"]);
    assert_eq!(answer_of(Who::ReadOnlyLane), Answer::Allow);

    stage.register().update("run-1", |run| run.waits = vec!["pre-design".to_owned()]).unwrap();
    stage.register().update("run-1", |run| run.driver = None).unwrap();
    let Answer::Context { text, .. } = answer_of(Who::Session) else { panic!("no context") };
    assert!(text.contains("waits for a person at pre-design: charrette answer login"), "{text}");
    assert_eq!(stage.shell(Who::Session, "git switch main"), Answer::Allow, "nothing is driven");
    let codex = captured(&stage, "codex/000-SessionStart.stdin.json");
    assert!(matches!(answer(&stage, Who::Session, "session-start", &codex), Answer::Context { .. }));
}
