//! Badly behaved agents, called one at a time: each ends in a clear record and leaves no orphaned process.

use crate::stage::{BINARY, FAKE_AGENT, Stage};
use charrette_testkit::Output;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

/// Calls a client that prints plain text. `extra` are more arguments.
fn ask(stage: &Stage, part: &Value, extra: &[&str]) -> Output {
    let mut said = json!({"answer": ""});
    said.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    stage.script(&json!({"alpha": {"*": said}}));
    let mut arguments =
        vec!["ask", "--agent", "alpha", "--prompt", "Say something.", "--output", "out.txt", "--json"];
    arguments.extend(extra);
    stage.run(&arguments)
}

/// Calls a client that prints as Claude Code does.
fn ask_claude(stage: &Stage, part: &Value, extra: &[&str], settings: &str) -> Output {
    let script = stage.file("script.json");
    stage.script(&json!({"claude": {"*": part}}));
    stage.sandbox.write(
        "charrette.toml",
        format!(
            "{settings}\n[agents.claude]\ncommand = {FAKE_AGENT:?}\nargs = [{:?}, \"claude\"]\nenv = [\"FAKE_AGENT_LOG\"]\n",
            script.display().to_string()
        ),
    );
    let mut arguments =
        vec!["ask", "--agent", "claude", "--prompt", "Say something.", "--output", "out.txt", "--json"];
    arguments.extend(extra);
    stage.run(&arguments)
}

/// A successful stream as the client prints it.
fn success(text: &str) -> String {
    [
        json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "m-1", "tools": [], "mcp_servers": []}),
        json!({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "session_id": "s-1",
               "num_turns": 1, "total_cost_usd": 0.25, "terminal_reason": "completed", "permission_denials": [],
               "usage": {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 7},
               "modelUsage": {"m-1": {"inputTokens": 100, "outputTokens": 7, "cacheReadInputTokens": 20, "costUSD": 0.25, "costBasis": "list"}}}),
    ]
    .map(|line| line.to_string() + "\n")
    .concat()
}

fn done(stage: &Stage) -> String {
    stage.sandbox.read("out.txt.done").trim().to_owned()
}

#[test]
fn an_answer_is_written_with_its_side_files() {
    let stage = Stage::set();
    let output = ask(&stage, &json!({"answer": "Here I am: {seat}\n"}), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.sandbox.read("out.txt"), "Here I am: ask\n");
    assert_eq!(
        (done(&stage), stage.sandbox.read("out.txt.prompt")),
        ("0".to_owned(), "Say something.".to_owned())
    );
    assert!(stage.sandbox.read("out.txt.meta").starts_with("TOOL=alpha\n"));
    assert_eq!(stage.sandbox.read("out.txt.dirty-tree"), "STATUS=clean\nMODE=baseline\n");
    assert_eq!(output.json()["status"], "answered");
    assert_eq!(output.json()["usage"], Value::Null, "plain text says nothing about cost");
}

#[test]
fn cost_model_and_session_id_are_recorded() {
    let stage = Stage::set();
    let output = ask_claude(&stage, &json!({"answer": success("Hello.")}), &[], "");
    assert_eq!(output.code, Some(0), "{output:?}");
    let told = output.json();
    assert_eq!(told["usage"], json!({"input": 100, "output": 7, "cached": 20, "usd": 0.25}));
    assert_eq!((&told["model"], &told["session"]), (&json!("m-1"), &json!("s-1")));
    assert_eq!(stage.sandbox.read("out.txt").trim(), "Hello.");
}

#[test]
fn an_agent_that_says_nothing_useful_has_not_answered() {
    let refused = |result: Value| {
        let mut line = json!({"type": "result", "subtype": "success", "is_error": false, "result": "", "session_id": "s"});
        for (key, value) in result.as_object().unwrap() {
            line[key] = value.clone();
        }
        json!({"answer": format!("{line}\n")})
    };
    let stage = Stage::set();
    for (part, kind) in [
        // It claims success and did nothing.
        (refused(json!({"terminal_reason": null, "num_turns": 0})), "no-answer"),
        (refused(json!({"terminal_reason": "tool_deferred"})), "no-answer"),
        (
            refused(
                json!({"is_error": true, "terminal_reason": "api_error", "api_error_status": 401, "result": "Please run /login"}),
            ),
            "credentials",
        ),
        (
            refused(json!({"is_error": true, "terminal_reason": "api_error", "api_error_status": 500})),
            "service",
        ),
        (
            refused(json!({"is_error": true, "terminal_reason": "prompt_too_long", "api_error_status": 400})),
            "limit",
        ),
        (json!({"answer": "Segmentation fault\n"}), "no-answer"),
        (json!({}), "no-answer"),
        (json!({"exit_early": 3}), "no-answer"),
    ] {
        let output = ask_claude(&stage, &part, &[], "");
        assert_eq!((output.code, &output.json()["kind"]), (Some(1), &json!(kind)), "{part}: {output:?}");
        assert!(!stage.sandbox.path("out.txt").exists(), "{part}: no answer, no file");
        assert!(!stage.sandbox.read("out.txt.diag").trim().is_empty());
        assert_ne!(done(&stage), "0");
    }
}

#[test]
fn failures_of_plain_programs_are_diagnosed() {
    let stage = Stage::set();
    for (part, code, diagnosis) in [
        (json!({}), "99", "produced no output"),
        (json!({"exit": 7}), "7", "exit code 7"),
        (json!({"exit_early": 9}), "9", "exit code 9"),
        (json!({"answer": "half", "exit": 2}), "2", "exit code 2"),
    ] {
        let output = ask(&stage, &part, &[]);
        assert_eq!(output.code, Some(1), "{part}: {output:?}");
        assert_eq!(done(&stage), code, "{part}");
        assert!(
            stage.sandbox.read("out.txt.diag").contains(diagnosis),
            "{part}: {}",
            stage.sandbox.read("out.txt.diag")
        );
    }
}

#[test]
fn a_silent_agent_is_ended_by_its_timeout() {
    let stage = Stage::set();
    let hang = json!({"hang": true});
    let output = ask(&stage, &hang, &["--timeout", "1"]);
    assert_eq!((output.code, &output.json()["kind"]), (Some(124), &json!("timeout")), "{output:?}");
    assert_eq!(done(&stage), "124");
    assert!(stage.sandbox.read("out.txt.diag").starts_with("Timed out after 1s (limit: 1s)"));

    let output = ask_claude(&stage, &hang, &[], "clocks.first_byte = 1");
    assert_eq!(
        (output.code, &output.json()["kind"]),
        (Some(124), &json!("timeout-first-byte")),
        "{output:?}"
    );

    let stalls = json!({"answer": "{\"type\":\"system\",\"subtype\":\"init\"}\n", "hang": true});
    let output = ask_claude(&stage, &stalls, &[], "clocks.idle = 1");
    assert_eq!((output.code, &output.json()["kind"]), (Some(124), &json!("timeout-idle")), "{output:?}");
}

#[test]
fn an_agent_that_ignores_sigterm_is_killed() {
    let stage = Stage::set();
    let output = ask(&stage, &json!({"hang": true, "ignores_term": true}), &["--timeout", "1"]);
    assert_eq!(output.code, Some(124), "{output:?}");
    assert_eq!(stage.alive(), [0; 0]);
}

#[test]
fn an_agent_that_answers_and_does_not_exit_has_answered() {
    let stage = Stage::set();
    let output = ask_claude(&stage, &json!({"answer": success("Hello."), "hang": true}), &[], "");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(output.json()["notes"], json!(["answered but did not exit; it was ended"]));
    assert_eq!(stage.alive(), [0; 0]);
}

#[test]
fn an_agent_that_closes_its_output_and_does_not_exit_has_not_answered() {
    let stage = Stage::set();
    let program = stage.file("mute");
    for (print, like) in
        [("", "kind = \"command\""), ("printf ' \\n';", "kind = \"command\""), ("", "like = \"claude\"")]
    {
        let script = format!("#!/bin/sh\ncat > /dev/null; {print} echo why >&2; exec >&-; sleep 600\n");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let command = program.display().to_string();
        stage.sandbox.write(
            "charrette.toml",
            format!("clocks.grace = 1\n[agents.mute]\n{like}\ncommand = {command:?}\n"),
        );
        let output = stage.run(&["ask", "--agent", "mute", "--prompt", "x", "--output", "out.txt", "--json"]);
        let told = output.json();
        assert_eq!(
            (output.code, &told["kind"]),
            (Some(1), &json!("no-answer")),
            "{like} {print}: {output:?}"
        );
        assert!(!told.to_string().contains("answered but"), "{like} {print}: {output:?}");
        let diagnosis = stage.sandbox.read("out.txt.diag");
        let says = "closed its output without an answer and did not exit; it was ended: why";
        assert!(diagnosis.contains(says), "{like} {print}: {diagnosis}");
    }
}

#[test]
fn a_pipe_in_the_place_of_the_settings_is_a_change_of_settings() {
    let stage = Stage::set();
    let settings = stage.sandbox.home().join(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let place = settings.display();
    for replace in
        [format!("mkfifo {place}"), format!("ln -s /dev/zero {place}"), format!("truncate -s 1T {place}")]
    {
        let _ = std::fs::remove_file(&settings);
        std::fs::write(&settings, "{}").unwrap();
        let part = json!({"answer": success("Hello."), "shell": format!("rm {place}; {replace}")});
        let output = ask_claude(&stage, &part, &[], "");
        assert_eq!((output.code, &output.json()["kind"]), (Some(1), &json!("no-answer")), "{output:?}");
        let says = format!(
            "settings of the client changed while it was at work, so its answer is not used: look at {place}"
        );
        assert!(stage.sandbox.read("out.txt.diag").contains(&says), "{output:?}");
        // It is no change in the next call.
        let output = ask_claude(&stage, &json!({"answer": success("Hello.")}), &[], "");
        assert_eq!(output.code, Some(0), "{replace}: {output:?}");
    }
}

#[test]
fn orphaned_processes_are_ended_even_a_daemon_that_holds_the_output() {
    let stage = Stage::set();
    let part = json!({"answer": "Done.\n", "child_ms": 60_000, "daemon_ms": 60_000});
    let output = ask(&stage, &part, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    // The daemon for certain; the child goes with its group, and may just not be gone yet.
    assert!(matches!(output.json()["left_behind"].as_u64(), Some(1 | 2)), "{output:?}");
    assert_eq!(stage.alive(), [0; 0]);
}

#[test]
fn output_is_limited_in_memory_and_on_disk_and_its_end_is_kept() {
    let stage = Stage::set();
    stage.sandbox.write("charrette.toml", "limits.output_mb = 1\n");
    let output = ask(&stage, &json!({"flood_mb": 200, "answer": "Done.\n"}), &[]);
    assert_eq!((output.code, &output.json()["kind"]), (Some(1), &json!("flood")), "{output:?}");

    let flood = json!({"flood_mb": 20, "flood_line_mb": 9, "answer": success("After all that.")});
    let output = ask_claude(&stage, &flood, &[], "limits.output_mb = 1");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.sandbox.read("out.txt").trim(), "After all that.");
    let kept = stage.sandbox.read("out.txt.json");
    assert!(kept.len() < 1_100_000, "{} bytes are kept", kept.len());
    assert!(kept.starts_with("flood flood") && kept.trim_end().ends_with('}'), "beginning and end are kept");
    assert!(kept.contains(" bytes left out ...]"));

    let output = ask_claude(&stage, &json!({"flood_mb": 10_240}), &[], "limits.output_mb = 1");
    assert_eq!((output.code, &output.json()["kind"]), (Some(1), &json!("flood")), "{output:?}");
    assert_eq!(stage.alive(), [0; 0]);
}

#[test]
fn escapes_nul_and_broken_utf8_do_not_reach_the_answer() {
    let stage = Stage::set();
    // ESC[31m red ESC[0m NUL half a sequence, a bell, and a window title.
    let hex = "1b5b33316d7265641b5b306d00c3072e1b5d303b6576696c07206f6b0a";
    let output = ask(&stage, &json!({"answer_hex": hex}), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.sandbox.read("out.txt"), "red\u{fffd}. ok\n");
}

#[test]
fn a_secret_that_is_echoed_reaches_no_file_and_no_screen() {
    let stage = Stage::set();
    let secret = "s3cr3t-value-that-nobody-may-see";
    stage.sandbox.write("charrette.toml", "[agents.echo]\nlike = \"claude\"\n");
    stage.script(&json!({"alpha": {"*": {"answer": "The key is {env:ANTHROPIC_API_KEY}, sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.\n", "stderr": "using sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"}}}));
    stage.sandbox.write(
        "charrette.toml",
        format!(
            "[agents.echo]\nkind = \"command\"\ncommand = {FAKE_AGENT:?}\nargs = [{:?}, \"alpha\"]\nenv = [\"ANTHROPIC_API_KEY\"]\n",
            stage.file("script.json").display().to_string()
        ),
    );
    let mut command = stage.command(&[
        "ask",
        "--agent",
        "echo",
        "--prompt",
        "What is the key?",
        "--output",
        "out.txt",
        "--json",
    ]);
    command.env("ANTHROPIC_API_KEY", secret);
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(
        stage.sandbox.read("out.txt").contains("[redacted: ANTHROPIC_API_KEY]"),
        "{}",
        stage.sandbox.read("out.txt")
    );
    let found = stage.sandbox.run(
        "grep",
        ["-rlE", &format!("{secret}|abcdefghijklmnopqrstuvwxyz0123456789"), ".", "../home"],
        b"",
    );
    let allowed = ["./charrette.toml"];
    let leaks: Vec<&str> = found.stdout.lines().filter(|line| !allowed.contains(line)).collect();
    assert_eq!(leaks, [""; 0]);
    assert!(!output.stdout.contains(secret) && !output.stderr.contains(secret));
}

#[test]
fn no_agent_sees_secrets_that_are_not_for_it() {
    let stage = Stage::set();
    let mut command = stage.command(&["ask", "--agent", "alpha", "--prompt", "x", "--output", "out.txt"]);
    stage.script(&json!({"alpha": {"*": {"answer": "[{env:GITHUB_TOKEN}] [{env:PATH}]\n"}}}));
    command.env("GITHUB_TOKEN", "for-somebody-else-entirely");
    assert_eq!(Output::capture(command, b"").code, Some(0));
    assert!(stage.sandbox.read("out.txt").starts_with("[] ["), "{}", stage.sandbox.read("out.txt"));
}

#[test]
fn files_written_by_a_read_only_agent_are_reported_and_kept() {
    let stage = Stage::set();
    let part = json!({"answer": "I fixed it.\n", "writes": {"evil.txt": "mine"}});
    let output = ask(&stage, &part, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let changed = output.json()["changed"].clone();
    assert!(changed.as_array().unwrap().iter().any(|change| change["path"] == "evil.txt"), "{changed}");
    assert!(stage.sandbox.read("out.txt.dirty-tree").starts_with("STATUS=dirty\n"));
    assert!(output.stderr.contains("may only read"), "{output:?}");
    let allowed = ask(&stage, &json!({"answer": "Yes.\n", "writes": {"fine.txt": "x"}}), &["--write"]);
    assert_eq!(allowed.json()["changed"], json!([]));
}

#[test]
fn a_prompt_of_any_size_and_shape_arrives_whole() {
    let stage = Stage::set();
    let prompt = "--help\n$(rm -rf /)\n`x`\n".to_owned() + &"long line ".repeat(40_000);
    std::fs::write(stage.file("prompt.md"), &prompt).unwrap();
    stage.script(&json!({"alpha": {"*": {"answer": "{digest}\n"}}}));
    let file = stage.file("prompt.md");
    let output = stage.run(&[
        "ask",
        "--agent",
        "alpha",
        "--prompt-file",
        file.to_str().unwrap(),
        "--output",
        "out.txt",
    ]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.sandbox.read("out.txt").trim(), charrette_testkit::fake_agent::fingerprint(&prompt));
}

#[test]
fn invalid_calls_are_refused_before_any_launch() {
    let stage = Stage::set();
    for (arguments, says) in [
        (vec!["--agent", "nobody", "--prompt", "x", "--output", "o"], "unknown agent nobody"),
        (vec!["--agent", "gemini", "--prompt", "x", "--output", "o"], "gemini is not on PATH"),
        (vec!["--seat", "throne", "--prompt", "x", "--output", "o"], "unknown seat throne"),
        (vec!["--agent", "alpha", "--prompt", " ", "--output", "o"], "the prompt is empty"),
        (
            vec!["--agent", "alpha", "--prompt", "x", "--output", "a b"],
            "the path of --output may contain only",
        ),
        (vec!["--agent", "alpha", "--prompt", "x", "--output", "no/such/o"], "does not exist"),
        (vec!["--agent", "alpha", "--prompt", "x", "--output", "o", "--timeout", "0"], "0 is not in"),
    ] {
        let mut command = stage.command(&["ask"]);
        command.args(&arguments).env("PATH", "/usr/bin:/bin");
        let output = Output::capture(command, b"");
        assert!(matches!(output.code, Some(1 | 2)), "{arguments:?}: {output:?}");
        assert!(output.stderr.contains(says), "{arguments:?}: {output:?}");
    }
    assert_eq!(stage.executed(), [""; 0]);
}

/// A daemon without an environment, as a shell program that runs while `alive` exists, and touches `beat`.
fn daemon(stage: &Stage, body: &str) -> String {
    let program = stage.file("daemon");
    std::fs::write(&program, format!("#!/bin/sh\ncd {}\n{body}\n", stage.file("").display())).unwrap();
    std::fs::write(stage.file("alive"), "").unwrap();
    format!("setsid -f env -i PATH=/usr/bin:/bin sh {} > /dev/null 2>&1; sleep 0.3", program.display())
}

#[test]
fn daemons_that_replace_themselves_end_with_their_lane() {
    // Answers SIGTERM with a child, and ends.
    let respawn = "trap 'sh daemon & exit' TERM; while [ -e alive ]; do : > beat; sleep 0.05; done";
    // Ignores SIGTERM and is a new process all the time.
    let hop = "trap '' TERM; [ -e alive ] || exit; : > beat; sh daemon & exit";
    let slow_hop = "trap '' TERM; [ -e alive ] || exit; : > beat; sleep 0.002; sh daemon & exit";
    for body in [respawn, hop, slow_hop] {
        let stage = Stage::set();
        stage.sandbox.write("charrette.toml", "clocks.grace = 1\n");
        let output = ask(&stage, &json!({"answer": "Done.\n", "shell": daemon(&stage, body)}), &[]);
        let was_there = std::fs::remove_file(stage.file("beat"));
        std::thread::sleep(std::time::Duration::from_millis(500));
        let is_there = stage.file("beat").exists();
        std::fs::remove_file(stage.file("alive")).unwrap();
        assert_eq!(output.code, Some(0), "{body}: {output:?}");
        assert!(output.json()["left_behind"].as_u64() > Some(0), "{body}: {output:?}");
        assert!(was_there.is_ok() && !is_there, "{body}");
    }
}

#[test]
fn an_agent_leads_a_session_of_its_own_without_a_sandbox_too() {
    let stage = Stage::set();
    let facts = stage.file("facts");
    // The shell is a child of the agent.
    let shell = format!(
        "{{ echo $PPID; cut -d' ' -f6 /proc/$$/stat; (: < /dev/tty) 2> /dev/null && echo terminal || echo none; \
           grep NoNewPrivs /proc/self/status; }} > {}",
        facts.display()
    );
    let output = ask(&stage, &json!({"answer": "Done.\n", "shell": shell}), &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let facts = std::fs::read_to_string(facts).unwrap();
    let facts: Vec<&str> = facts.lines().collect();
    assert_eq!(facts[0], facts[1], "session of the agent: {facts:?}");
    assert_eq!(facts[2..], ["none", "NoNewPrivs:\t1"], "{facts:?}");
}

#[test]
fn a_flood_on_standard_error_does_not_take_back_an_answer() {
    let stage = Stage::set();
    let script = "echo Done.; exec >&-; while :; do head -c 1000000 /dev/zero >&2; done";
    stage.sandbox.write(
        "charrette.toml",
        format!(
            "limits.output_mb = 1\n[agents.loud]\nkind = \"command\"\nvendor = \"loud\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script:?}]\n"
        ),
    );
    let output = stage.run(&["ask", "--agent", "loud", "--prompt", "x", "--output", "out.txt", "--json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(stage.sandbox.read("out.txt"), "Done.\n");
    assert_eq!(output.json()["notes"], json!(["answered but did not exit; it was ended"]));
}

#[test]
fn a_flood_on_the_standard_error_of_a_protocol_agent_is_limited() {
    let stage = Stage::set();
    let script = "while :; do head -c 1000000 /dev/zero >&2; done";
    stage.sandbox.write(
        "charrette.toml",
        format!(
            "limits.output_mb = 1\n[agents.loud]\nkind = \"acp\"\nvendor = \"loud\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script:?}]\n"
        ),
    );
    let output = stage.run(&["ask", "--agent", "loud", "--prompt", "x", "--output", "out.txt", "--json"]);
    assert_eq!((output.code, &output.json()["kind"]), (Some(1), &json!("flood")), "{output:?}");
}

#[test]
fn what_a_script_had_started_before_it_became_the_driver_is_not_ended() {
    let stage = Stage::set();
    let script = "sleep 600 > server.log 2>&1 & echo $! > server
        exec \"$0\" ask --agent alpha --prompt x --output out.txt --json";
    let mut command = stage.command_of("sh");
    command.args(["-c", script, BINARY]);
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(0), "{output:?}");
    let server: i32 = stage.sandbox.read("server").trim().parse().unwrap();
    let server = rustix::process::Pid::from_raw(server).unwrap();
    rustix::process::kill_process(server, rustix::process::Signal::KILL).expect("the server is still there");
}
