//! Configuration: layers, origins, checks, and the files to begin with.

use crate::{BINARY, charrette};
use charrette_testkit::{Output, Sandbox};
use serde_json::json;

#[test]
fn config_show_prints_the_origin_of_every_value() {
    let sandbox = Sandbox::repository();
    sandbox.write(
        "charrette.toml",
        "[limits]\nparallel = 2\n[clocks]\nidle = 10\n[budget]\nrun_usd = 9\nday_usd = 1\n",
    );
    let user = sandbox.home().join(".config/charrette/charrette.toml");
    std::fs::create_dir_all(user.parent().unwrap()).unwrap();
    std::fs::write(&user, "limits.parallel = 3\nlimits.output_mb = 8\nbudget.run_usd = 5\n").unwrap();
    let extra = sandbox.outside("extra.toml");
    std::fs::write(&extra, "clocks.idle = 30\n").unwrap();
    let mut command = sandbox.command(BINARY);
    command.args(["config", "show"]).env("CHARRETTE_CONFIG", &extra);
    let shown = Output::capture(command, b"").json();
    let value = |name: &str| shown["values"][name].clone();
    assert_eq!(value("limits.parallel"), json!({"value": 2, "origin": "charrette.toml:2"}));
    assert_eq!(value("limits.output_mb"), json!({"value": 8, "origin": format!("{}:2", user.display())}));
    assert_eq!(value("budget.run_usd"), json!({"value": 5.0, "origin": format!("{}:3", user.display())}));
    assert_eq!(value("budget.day_usd"), json!({"value": 1.0, "origin": "charrette.toml:7"}));
    assert_eq!(value("clocks.idle"), json!({"value": 30, "origin": format!("{}:1", extra.display())}));
    assert_eq!(value("clocks.grace"), json!({"value": 5, "origin": "default"}));
    assert_eq!(shown["integrations"]["linear"]["enabled"], false);
    let layers: Vec<&str> =
        shown["layers"].as_array().unwrap().iter().map(|layer| layer["layer"].as_str().unwrap()).collect();
    assert_eq!(layers, ["user", "repository", "environment"]);
    let why = format!("a repository can only lower it (5.0 from {}:3)", user.display());
    assert_eq!(
        shown["repository"]["ignored"],
        json!([{"name": "budget.run_usd", "origin": "charrette.toml:6", "why": why}])
    );
    let limits = &shown["repository"]["limits"];
    assert_eq!(limits["linear.endpoint"], "a repository cannot set it");
    assert_eq!(limits["agents.*.command"], "counts once the repository is trusted");
    assert_eq!(limits["limits.parallel"], json!(null));
}

#[test]
fn configuration_errors_name_file_and_line() {
    let sandbox = Sandbox::repository();
    assert_eq!(
        charrette(&sandbox, &["config", "check"]).json(),
        json!({"valid": true, "errors": [], "warnings": []})
    );
    sandbox.write("charrette.toml", "[limits]\nparalel = 2\n[hooks]\non_error = \"shut\"\n");
    sandbox.write(".claude/config/integrations.json", "{\"linear\": {\"enabled\": true}, \"jira\": 1}");
    let checked = charrette(&sandbox, &["config", "check"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(
        checked.json(),
        json!({
            "valid": false,
            "errors": [
                "charrette.toml:4: hooks.on_error takes \"open\" or \"closed\", not \"shut\"",
                "Linear configuration not found. Create .claude/config/integrations.json with linear.enabled and linear.team (linear.enabled is true, but linear.team is missing)"
            ],
            "warnings": ["charrette.toml:2: unknown setting limits.paralel; did you mean limits.parallel?"]
        })
    );
    let status = charrette(&sandbox, &["status"]);
    assert!(status.stderr.contains("did you mean limits.parallel?"), "{}", status.stderr);
    assert_eq!(charrette(&sandbox, &["status", "--quiet"]).stderr, "");

    sandbox.write(".claude/config/integrations.json", b"\xff\xfe");
    assert_eq!(charrette(&sandbox, &["config", "check"]).code, Some(1));
}

#[test]
fn config_init_writes_valid_files_and_overwrites_nothing() {
    let sandbox = Sandbox::repository();
    let created = charrette(&sandbox, &["config", "init"]).json();
    assert_eq!(
        (created["created"].as_array().unwrap().len(), created["kept"].as_array().unwrap().len()),
        (2, 0)
    );
    assert_eq!(charrette(&sandbox, &["config", "check"]).json()["valid"], true);
    let uncommented: String = sandbox
        .read("charrette.toml")
        .lines()
        .filter(|line| !line.contains('…'))
        .map(|line| format!("{}\n", line.trim_start_matches("# ")))
        .skip(1)
        .collect();
    sandbox.write("charrette.toml", uncommented);
    assert_eq!(
        charrette(&sandbox, &["config", "check"]).json(),
        json!({"valid": true, "errors": [], "warnings": []})
    );
    let before = sandbox.read("charrette.toml");
    assert_eq!(charrette(&sandbox, &["config", "init"]).json()["created"], json!([]));
    assert_eq!(sandbox.read("charrette.toml"), before);
}
