//! An approved design and the tracker: one issue, whatever is killed, dropped or misconfigured.

use crate::BINARY;
use crate::workshop::{Workshop, tree};
use charrette_testkit::Output;
use charrette_testkit::linear::{LinearFault, LinearServer};
use charrette_testkit::panel::FEATURE;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const POST: &str = "post-design: {what_built: \"proceed\", decisions: \"yes\", risks: \"no additional\", omissions: \"nothing missing\", confidence: \"no concerns\", approval: \"yes\"}\n";
const NOT_FOUND: &str = "Linear configuration not found. Create .claude/config/integrations.json with linear.enabled and linear.team";

/// Goes on with the run, with the tracker's key in the environment.
fn resume_with(workshop: &Workshop, key: Option<&str>) -> Output {
    Output::capture(command(workshop, key, &["design", FEATURE, "--resume"]), b"")
}

fn command(workshop: &Workshop, key: Option<&str>, args: &[&str]) -> std::process::Command {
    let mut command = workshop.command(BINARY, args);
    if let Some(key) = key {
        command.env("LINEAR_API_KEY", key);
    }
    command
}

/// A design that was approved, and not driven since.
fn approved() -> Workshop {
    let workshop = Workshop::brief();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.answer(POST).code, Some(0));
    workshop.calls();
    workshop
}

fn configure(workshop: &Workshop, integrations: &str) {
    let path = workshop.sandbox.path(".claude/config/integrations.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, integrations).unwrap();
}

/// Has approved designs tracked there.
fn enable(workshop: &Workshop, server: &LinearServer) {
    configure(workshop, r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#);
    workshop.write_settings(&format!("[linear]\nendpoint = \"{}\"\n", server.url()));
}

/// The same for everybody who works there: the design's branch begins at what origin has.
pub(crate) fn enable_for_all(workshop: &Workshop, server: &LinearServer) {
    enable(workshop, server);
    workshop.sandbox.git(["add", "--all"]);
    workshop.sandbox.commit("use Linear");
    workshop.sandbox.git(["push", "-q"]);
}

fn spec(workshop: &Workshop) -> Value {
    serde_json::from_str(&std::fs::read_to_string(workshop.spec("spec.json")).unwrap()).unwrap()
}

/// True if any file below a folder contains a text.
fn is_written(folder: &Path, text: &str) -> bool {
    let has = |bytes: &Vec<u8>| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    tree(folder).values().any(has)
}

#[test]
fn an_approval_makes_one_issue_and_all_files_say_so() {
    let (workshop, server) = (approved(), LinearServer::start());
    enable(&workshop, &server);
    let output = resume_with(&workshop, Some(LinearServer::KEY));
    assert_eq!(output.code, Some(0), "{output:?}");
    let url = "https://linear.app/acme/issue/BASE-123";
    assert!(output.stdout.contains(&format!("Linear: BASE-123 - {url}\n")), "{output:?}");
    let [issue] = &server.issues()[..] else { panic!("one issue: {:?}", server.issues()) };
    assert_eq!(issue["team"]["key"], "BASE");
    let title = charrette_model::spec::summary::title(FEATURE);
    assert_eq!(issue["title"], format!("[Design] {title}"));
    let description = issue["description"].as_str().unwrap();
    assert!(description.starts_with(&format!("## {title}\n\n")), "{description}");
    let link = format!("\n\n**Spec:** specs/{FEATURE}/\n\n### Key Decisions\n- ");
    assert!(description.contains(&link), "{description}");
    assert_eq!(spec(&workshop)["linear"], json!({"identifier": "BASE-123", "url": url}));
    assert_eq!(spec(&workshop)["status"], "approved");
    let text = |name: &str| std::fs::read_to_string(workshop.spec(name)).unwrap();
    assert!(text("summary.md").contains("**Status:** Approved"), "{}", text("summary.md"));
    assert!(text("meta.yaml").contains("status: approved"), "{}", text("meta.yaml"));
    assert_eq!(workshop.calls(), ["validator codex"]);
    assert_eq!(server.rejections(), [""; 0]);
    assert_eq!(workshop.gate("post-design"), "approved");

    // Nothing is asked again, and the gate stays shut.
    server.requests();
    let again = Output::capture(
        command(&workshop, Some(LinearServer::KEY), &["design", FEATURE, "--phase=validate"]),
        b"",
    );
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(server.requests(), [""; 0]);
    for folder in [workshop.sandbox.path("."), workshop.sandbox.home()] {
        assert!(!is_written(&folder, LinearServer::KEY), "the key is in {}", folder.display());
    }
    assert!(!format!("{output:?}{again:?}").contains(LinearServer::KEY));
}

#[test]
fn a_failure_halts_and_only_this_step_is_tried_again() {
    let (workshop, server) = (approved(), LinearServer::start());
    enable(&workshop, &server);
    for (key, why) in [
        (None, "LINEAR_API_KEY is not set"),
        (
            Some("lin_api_wr0ng0n3wr0ng0n3"),
            "Linear does not accept the key in LINEAR_API_KEY: the key is not valid",
        ),
    ] {
        let output = resume_with(&workshop, key);
        assert_eq!(output.code, Some(1), "{output:?}");
        let said = format!(
            "error: Linear issue creation failed: {why}\nFix the Linear configuration and re-run with: charrette design {FEATURE} --resume\n"
        );
        assert!(output.stderr.ends_with(&said), "{output:?}");
        assert_eq!(workshop.gate("post-design"), "approved");
        assert_eq!(workshop.calls(), [""; 0], "nobody validates what has no issue");
    }
    let output = resume_with(&workshop, Some(LinearServer::KEY));
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(workshop.calls(), ["validator codex"]);
    assert_eq!(server.issues().len(), 1);
}

#[test]
fn an_invalid_tracker_file_halts_and_a_disabled_or_missing_one_does_not() {
    let workshop = approved();
    for text in ["{", "[]", r#"{"linear": {"enabled": true}}"#, r#"{"linear": {"enabled": "yes"}}"#] {
        configure(&workshop, text);
        let output = resume_with(&workshop, None);
        assert_eq!(output.code, Some(1), "{text}: {output:?}");
        assert!(output.stderr.contains(&format!("error: {NOT_FOUND}")), "{text}: {output:?}");
        assert_eq!((workshop.calls(), workshop.gate("post-design")), (Vec::new(), "approved".to_owned()));
    }
    configure(&workshop, r#"{"linear": {"enabled": false}}"#);
    let output = resume_with(&workshop, None);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!format!("{output:?}").contains("Linear"), "{output:?}");
    assert_eq!(spec(&workshop)["linear"], Value::Null);

    let absent = approved();
    let output = resume_with(&absent, None);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(output.stdout.matches("no Linear issue").count(), 1, "{output:?}");
}

#[test]
fn a_repository_cannot_have_the_key_sent_elsewhere() {
    let (workshop, server, theirs) = (approved(), LinearServer::start(), LinearServer::start());
    configure(&workshop, r#"{"linear": {"enabled": true, "team": "Basecamp"}}"#);
    // In the user's own file, below the repository's.
    let user = workshop.sandbox.home().join(".config/charrette/charrette.toml");
    let settings = std::fs::read_to_string(&user).unwrap();
    std::fs::write(&user, format!("{settings}[linear]\nendpoint = \"{}\"\n", server.url())).unwrap();
    let settings = format!("[linear]\nendpoint = \"{}\"\n", theirs.url());
    std::fs::write(workshop.sandbox.path("charrette.toml"), settings).unwrap();
    let output = resume_with(&workshop, Some(LinearServer::KEY));
    assert_eq!(output.code, Some(0), "{output:?}");
    let warning = "Warning: charrette.toml:2: linear.endpoint is ignored: a repository cannot set it";
    assert!(output.stderr.contains(warning), "{output:?}");
    assert_eq!((server.issues().len(), theirs.requests()), (1, Vec::new()));
}

#[test]
fn without_an_approval_there_is_no_issue() {
    let (workshop, server) = (Workshop::brief(), LinearServer::start());
    enable_for_all(&workshop, &server);
    let output = workshop.start(&["--auto", "--no-checkpoint"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(workshop.sandbox.path(".claude/config/integrations.json").exists());
    assert_eq!(server.requests(), [""; 0]);
}

/// The same moment, again and again: killed anywhere between the approval and the end, on a server that also drops
/// connections when it is done.
#[test]
fn killed_again_and_again_on_the_way_there_is_exactly_one_issue() {
    let workshop = approved();
    let kept = workshop.sandbox.outside("kept");
    let root = workshop.sandbox.path(".");
    let copy = |from: &Path, to: &Path| {
        let status = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
        assert!(status.success());
    };
    std::fs::create_dir(&kept).unwrap();
    for folder in [".claude", ".specs", "specs"] {
        copy(&root.join(folder), &kept.join(folder));
    }
    let (mut kills, mut random) = (0, 7_u64);
    for round in 0..10 {
        for folder in [".claude", ".specs", "specs"] {
            std::fs::remove_dir_all(root.join(folder)).unwrap();
            copy(&kept.join(folder), &root.join(folder));
        }
        let server = LinearServer::start();
        enable(&workshop, &server);
        if round % 2 == 0 {
            server.inject_faults("issueCreate", &[LinearFault::DropAfter]);
        }
        for _ in 0..2 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut child = command(&workshop, Some(LinearServer::KEY), &["design", FEATURE, "--resume"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis((random >> 33) % 900));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
            child.wait().unwrap();
        }
        let is_complete = !workshop.document()["completed_at"].is_null();
        if !is_complete {
            let output = resume_with(&workshop, Some(LinearServer::KEY));
            assert_eq!(output.code, Some(0), "round {round}: {output:?}");
        }
        let [issue] = &server.issues()[..] else { panic!("round {round}: {:?}", server.issues()) };
        assert_eq!(spec(&workshop)["linear"]["identifier"], issue["identifier"], "round {round}");
        assert_eq!(spec(&workshop)["status"], "approved", "round {round}");
        assert_eq!(workshop.gate("post-design"), "approved", "round {round}");
    }
    assert!(kills > 0, "somebody was killed");
}

#[test]
fn doctor_checks_the_configured_tracker() {
    let (workshop, server) = (Workshop::brief(), LinearServer::start());
    let doctor = |key: Option<&str>| Output::capture(command(&workshop, key, &["doctor"]), b"").stdout;
    assert!(!doctor(None).contains("linear"));
    enable(&workshop, &server);
    assert!(
        doctor(Some(LinearServer::KEY)).contains("ok    linear: connected as Ada L; team Basecamp (BASE)\n")
    );
    let unset = doctor(None);
    assert!(
        unset.contains("FAIL  linear: LINEAR_API_KEY is not set\n      -> export LINEAR_API_KEY="),
        "{unset}"
    );
    configure(&workshop, r#"{"linear": {"enabled": true, "team": "Nobody"}}"#);
    let team = doctor(Some(LinearServer::KEY));
    assert!(team.contains("FAIL  linear: there is no team \"Nobody\""), "{team}");
    configure(&workshop, "{");
    let invalid = doctor(None);
    assert!(invalid.contains(NOT_FOUND), "{invalid}");
    assert!(invalid.contains("-> Fix or delete .claude/config/integrations.json\n"), "{invalid}");
}
