//! `charrette agents`, `doctor` and `ask` on a machine without agents.

use crate::BINARY;
use charrette_testkit::{Output, Sandbox};
use serde_json::json;

/// A repository with something to find.
fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write(
        "src/limit.rs",
        "//! Rate limiting.\npub fn limit_requests() -> u32 {\n    // TODO: count per client\n    10\n}\n",
    );
    sandbox.write("src/main.rs", "mod limit;\n\nfn main() {\n    limit::limit_requests();\n}\n");
    sandbox.write("Cargo.toml", "[package]\nname = \"shop\"\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("feat: rate limiting of requests");
    sandbox
}

/// The binary where no agent is installed, whatever this machine has.
fn charrette(sandbox: &Sandbox, args: &[&str]) -> Output {
    let mut command = sandbox.command(BINARY);
    command.args(args).env("PATH", "/usr/bin:/bin");
    Output::capture(command, b"")
}

#[test]
fn every_agent_is_listed_with_its_missing_program() {
    let sandbox = repository();
    let listed = charrette(&sandbox, &["agents", "--json"]).json();
    let agents = listed["agents"].as_array().unwrap();
    let names: Vec<&str> = agents.iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["claude", "codex", "cursor", "gemini", "opencode", "embedded"]);
    assert_eq!(agents[0]["installed"], json!(false));
    let with_web: Vec<&str> = agents
        .iter()
        .filter(|agent| agent["web"] == true)
        .map(|agent| agent["name"].as_str().unwrap())
        .collect();
    assert_eq!(with_web, ["claude", "codex", "gemini", "opencode"]);
    assert!(agents[0]["missing"].as_str().unwrap().contains("npm install -g @anthropic-ai/claude-code"));
    let seats = agents[5]["seats"].as_array().unwrap();
    assert!(seats.contains(&json!("planner")), "with nobody else here, it plans");
    assert!(!seats.iter().any(|seat| seat.as_str().unwrap().starts_with("judge")), "it never judges");
    assert!(!seats.iter().any(|seat| seat.as_str().unwrap().starts_with("debate")), "it never debates");
}

#[test]
fn doctor_prints_a_cure_for_every_problem() {
    let sandbox = repository();
    sandbox.write("charrette.toml", "[seats]\nlead = [\"clod\"]\n[limits]\nparalel = 2\n");
    let report = charrette(&sandbox, &["doctor", "--json"]);
    let checks = report.json()["checks"].as_array().unwrap().clone();
    let problems: Vec<&str> = checks
        .iter()
        .filter(|check| check["check"] == "configuration")
        .map(|check| check["found"].as_str().unwrap())
        .collect();
    assert!(problems.iter().any(|found| found.contains("limits.parallel")), "{problems:?}");
    assert!(problems.iter().any(|found| found.contains("no such agent: clod")), "{problems:?}");
    for check in &checks {
        assert_eq!(
            check["status"] == "ok",
            check["cure"].is_null(),
            "whatever is not well has a cure: {check}"
        );
    }
    sandbox.write("charrette.toml", "");
    let outside = charrette(&Sandbox::new(), &["doctor"]);
    assert_eq!(outside.code, Some(1), "{outside:?}");
    assert!(
        outside.stdout.contains("FAIL  repository: ")
            && outside.stdout.contains("is not in a git repository"),
        "{outside:?}"
    );
}

#[test]
fn the_embedded_agent_takes_only_its_seats() {
    let sandbox = repository();
    let ask = |seat: &str| {
        charrette(
            &sandbox,
            &[
                "ask",
                "--seat",
                seat,
                "--prompt",
                "limit requests per client",
                "--output",
                "out.txt",
                "--json",
            ],
        )
    };
    for seat in ["researcher-requirements", "cursor-arch", "codex-pragmatic", "planner"] {
        let output = ask(seat);
        assert_eq!(output.code, Some(0), "{seat}: {output:?}");
        assert_eq!(output.json()["agent"], "embedded");
        let answer = sandbox.read("out.txt");
        assert!(answer.contains("src/limit.rs"), "{seat} looks at the file it is about: {answer}");
        assert_eq!(sandbox.read("out.txt.done"), "0\n");
    }
    let twice = [ask("planner"), ask("planner")].map(|_| sandbox.read("out.txt"));
    assert_eq!(twice[0], twice[1], "the same question gets the same answer");
    for seat in ["judge-claude", "debate-1-thesis"] {
        let output = ask(seat);
        assert_eq!(output.code, Some(1), "{seat}: {output:?}");
        assert!(output.stderr.contains("no installed agent may take the seat"), "{output:?}");
        assert_eq!(sandbox.read("out.txt.done"), "99\n", "whoever waits is told");
    }
}

#[test]
fn errors_of_an_endpoint_do_not_repeat_its_credentials() {
    let sandbox = repository();
    let message = |settings: &str| {
        let config = sandbox.outside("own.toml");
        std::fs::write(&config, format!("[agents.local]\nkind = \"openai\"\n{settings}\n")).unwrap();
        let mut command = sandbox.command(BINARY);
        let args = ["ask", "--agent", "local", "--prompt", "hello", "--output", "out.txt", "--json"];
        command.args(args).env("CHARRETTE_CONFIG", &config);
        let output = Output::capture(command, b"");
        assert!(!format!("{output:?}").contains("s3cret"), "{output:?}");
        output.json()["message"].as_str().unwrap().to_owned()
    };
    let unreachable = message("url = \"http://me:s3cret@127.0.0.1:1/s3cret\"");
    assert!(unreachable.starts_with("http://127.0.0.1:1 cannot be reached: "), "{unreachable}");
    let invalid = message("url = \"ftp://me:s3cret@127.0.0.1/\"");
    assert_eq!(invalid, "agents.local.url cannot be used: it is not an http or https address");
    let keyless = message("url = \"http://127.0.0.1:1/\"\nkey_env = \"NOT_THERE\"");
    assert_eq!(keyless, "agents.local.key_env names NOT_THERE, which is not set");
}
