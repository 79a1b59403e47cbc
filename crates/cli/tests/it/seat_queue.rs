//! Agents of kind `queue`: the real program waits, and threads of these tests serve its calls with `charrette seats`.

use crate::BINARY;
use crate::workshop::{FAKE_AGENT, REGULAR};
use charrette_testkit::Output;
use charrette_testkit::panel::{FEATURE, Panel, REQUEST};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// An agent that a test plays, beside the scripted ones.
const PERSON: &str = "[agents.ada]\nkind = \"queue\"\nvendor = \"people\"\nmodel = \"calm\"\n";

/// The three agents of the panel as queues. Probes are on: a queue is never probed.
const ALL_QUEUES: &str = "[agents.claude]\nkind = \"queue\"\n[agents.codex]\nkind = \"queue\"\n\
                          [agents.cursor]\nkind = \"queue\"\n[policy]\nprobe = true\n";

fn panel(settings: &str) -> Panel {
    let panel = Panel::regular(&*FAKE_AGENT);
    panel.write_settings(settings);
    panel
}

fn start(panel: &Panel, args: &[&str]) -> Child {
    let mut command = panel.command(BINARY, args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn start_ask(panel: &Panel, prompt: &str, output: &str) -> Child {
    start(panel, &["ask", "--agent", "ada", "--prompt", prompt, "--output", output])
}

fn end(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    Output {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

/// `charrette seats` with these arguments.
fn seats(panel: &Panel, args: &[&str]) -> Output {
    panel.run(BINARY, ["seats"].iter().chain(args))
}

/// `charrette seats` at another time.
fn seats_at(panel: &Panel, now: &str, args: &[&str]) -> Output {
    let mut command = panel.command(BINARY, ["seats"].iter().chain(args));
    command.env("CHARRETTE_NOW", now);
    Output::capture(command, b"")
}

fn next(panel: &Panel) -> Value {
    let output = seats(panel, &["next", "--wait", "30", "--json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    output.json()
}

fn answer(panel: &Panel, id: &str, text: &[u8]) -> Output {
    Output::capture(panel.command(BINARY, ["seats", "answer", id, "--file", "-"]), text)
}

fn id(call: &Value) -> &str {
    call["id"].as_str().unwrap()
}

fn listed(panel: &Panel) -> Vec<Value> {
    seats(panel, &["list", "--json"]).json()["calls"].as_array().unwrap().clone()
}

/// Answer of the scripted agent to a call, which it also logs.
fn scripted_answer(panel: &Panel, call: &Value) -> String {
    let text = |name: &str| call[name].as_str().unwrap();
    // The chief designer, investigators and walkers have a copy of HEAD to try things in.
    let has_copy = text("folder") != text("repository") && Path::new(text("folder")).join(".git").exists();
    let may_try = ["planner", "reviser", "mender", "finisher", "writer", "investigator-", "walker-"];
    let may_try = may_try.iter().any(|group| text("seat").starts_with(group));
    assert_eq!((has_copy, &call["writing"]), (may_try, &has_copy.into()));
    let mut command = panel.command(&*FAKE_AGENT, [panel.script().to_str().unwrap(), text("agent")]);
    command.env("CHARRETTE_SEAT", text("seat"));
    command.env("CHARRETTE_LANE", format!("x/{}-{}-1", text("phase"), text("step").replace('/', ".")));
    let said = Output::capture(command, &fs_err::read(text("prompt")).unwrap());
    assert_eq!(said.code, Some(0), "{call}: {said:?}");
    said.stdout
}

/// Serves calls until `done`; counts the answers.
fn serve(panel: &Panel, done: &AtomicBool, answered: &AtomicUsize) {
    while !done.load(Ordering::SeqCst) {
        let taken = seats(panel, &["next", "--json", "--wait", "1"]);
        if taken.code == Some(3) {
            continue;
        }
        let call = taken.json();
        let said = scripted_answer(panel, &call);
        let given = answer(panel, id(&call), said.as_bytes());
        assert_eq!(given.code, Some(0), "{given:?}");
        answered.fetch_add(1, Ordering::SeqCst);
    }
}

/// Runs a command while two servers play all seats.
fn run_served(panel: &Panel, args: &[&str]) -> Output {
    let (done, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let servers: Vec<_> = (0..2).map(|_| scope.spawn(|| serve(panel, &done, &answered))).collect();
        let output = panel.run(BINARY, args);
        done.store(true, Ordering::SeqCst);
        for server in servers {
            server.join().unwrap();
        }
        output
    })
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_mins(1);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn queue_folder(panel: &Panel) -> PathBuf {
    panel.sandbox.home().join(".local/state/charrette/queue")
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_question_is_answered_by_whoever_takes_it() {
    let panel = panel(PERSON);
    let asked = start_ask(&panel, "What is a parcel?", "out.txt");
    let call = next(&panel);
    let expected = json!({
        "v": 1, "run": "ask", "feature": null, "phase": "", "step": "", "seat": "ask", "agent": "ada", "vendor": "people",
        "model": "calm", "effort": null, "attempt": 1, "writing": false, "web": false,
        "created_at": "2026-11-15T12:00:00.000Z", "deadline": "2026-11-15T12:30:00.000Z",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&call[name], value, "{name}");
    }
    let folder = queue_folder(&panel).join("ada").join(id(&call));
    assert_eq!(call["prompt"], json!(folder.join("prompt.md")));
    assert_eq!(call["answer"], json!(folder.join("answer.md")));
    assert_eq!(call["lease"]["expires_at"], "2026-11-15T13:00:00.000Z");
    assert_eq!(fs_err::read_to_string(folder.join("prompt.md")).unwrap(), "What is a parcel?");
    for (path, private) in [
        (queue_folder(&panel), 0o700),
        (folder.clone(), 0o700),
        (folder.join("prompt.md"), 0o600),
        (folder.join("call.json"), 0o600),
        (folder.join("lease.json"), 0o600),
    ] {
        assert_eq!(mode(&path), private, "{}", path.display());
    }
    assert_eq!(listed(&panel)[0]["state"], "leased");

    let given = answer(&panel, id(&call), b"A thing that is sent.\n");
    assert_eq!(
        (given.code, given.stderr.as_str()),
        (Some(0), &*format!("Answered call {} for the seat ask.\n", id(&call)))
    );
    let second = answer(&panel, id(&call), b"Another thing.\n");
    assert_eq!(second.code, Some(4), "the first answer counts: {second:?}");
    let output = end(asked);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(panel.sandbox.read("out.txt"), "A thing that is sent.\n");

    let late = answer(&panel, id(&call), b"Another thing.\n");
    assert_eq!(late.code, Some(4), "{late:?}");
    assert!(late.stderr.contains("is over (its answer was taken); this answer was not taken"), "{late:?}");
    assert_eq!(listed(&panel), [Value::Null; 0]);
    assert_eq!(seats(&panel, &["next"]).code, Some(3));
    let ledger = panel.sandbox.home().join(".local/state/charrette/asks/tokens.jsonl");
    let ledger = fs_err::read_to_string(ledger).unwrap();
    assert!(ledger.contains(r#""agent":"ada""#) && ledger.contains(r#""model":"calm""#), "{ledger}");
}

#[test]
fn the_pages_for_people_say_what_to_do() {
    let panel = panel(PERSON);
    let asked = start_ask(&panel, "What is a parcel?", "out.txt");
    wait_until("the call is there", || !listed(&panel).is_empty());
    let id = id(&listed(&panel)[0]).to_owned();
    let list = seats(&panel, &["list"]).stdout;
    assert_eq!(
        list,
        format!("CALL              AGENT  SEAT  RUN  AGE  STATE\n{id}  ada    ask   ask  0s   open\n")
    );
    let page = seats(&panel, &["next", "--holder", "Ada", "--lease", "60"]).stdout;
    let folder = queue_folder(&panel).join("ada").join(&id);
    assert_eq!(
        page,
        format!(
            "call      {id}\nseat      ask\nagent     ada\nrun       ask\nfolder    may read {}\nprompt    {}/prompt.md\n\
             lease     until 2026-11-15T12:01:00.000Z, deadline 2026-11-15T12:30:00.000Z\n\
             answer    charrette seats answer {id} --file FILE\n",
            panel.sandbox.work().canonicalize().unwrap().display(),
            folder.display()
        )
    );
    let list = seats_at(&panel, "2026-11-15T12:00:30.000Z", &["list"]).stdout;
    assert!(list.ends_with(" 30s  leased by Ada until 2026-11-15T12:01:00.000Z\n"), "{list}");
    assert_eq!(answer(&panel, &id, b"x").code, Some(0));
    assert_eq!(end(asked).code, Some(0));
}

#[test]
fn a_design_is_played_through_the_queue_killed_and_resumed_and_nothing_is_asked_twice() {
    let panel = panel(ALL_QUEUES);
    let answers = panel.answers().to_str().unwrap().to_owned();
    let (done, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| serve(&panel, &done, &answered));
        }
        let mut driver = start(&panel, &["design", REQUEST, "--answers", &answers]);
        wait_until("some seats are played", || answered.load(Ordering::SeqCst) >= 9);
        send(&driver, Signal::KILL);
        driver.wait().unwrap();
        // The servers go on with what they have, and with what is open, while no driver runs.
        wait_until("the queue is served", || listed(&panel).is_empty());
        done.store(true, Ordering::SeqCst);
    });
    let output = run_served(&panel, &["design", FEATURE, "--resume", "--answers", &answers]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(panel.calls(), REGULAR, "each seat was asked once");
    let document = panel.sandbox.read(&format!(".claude/state/design-{FEATURE}.json"));
    let workspace =
        serde_json::from_str::<Value>(&document).unwrap()["run"]["workspace"].as_str().unwrap().to_owned();
    let ledger = panel.sandbox.read(&format!("{workspace}/tokens.jsonl"));
    let records: Vec<Value> = ledger.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps: BTreeSet<&str> = records.iter().map(|record| record["step"].as_str().unwrap()).collect();
    assert_eq!(steps.len(), REGULAR.len(), "every call is on the ledger");
    assert!(panel.sandbox.path(&format!("specs/{FEATURE}/design.md")).exists());
    assert_eq!(listed(&panel), [Value::Null; 0]);
    // The run has ended in order: no text stays in the queue.
    for agent in ["claude", "codex", "cursor"] {
        for call in fs_err::read_dir(queue_folder(&panel).join(agent)).unwrap() {
            let mut files: Vec<_> = fs_err::read_dir(call.unwrap().path())
                .unwrap()
                .map(|file| file.unwrap().file_name())
                .collect();
            files.sort();
            assert_eq!(files, ["call.json", "driver.lock", "over.json"]);
        }
    }
}

#[test]
fn ctrl_c_leaves_the_call_in_the_queue_for_the_next_time() {
    let panel = panel(PERSON);
    let asked = start_ask(&panel, "What is a parcel?", "out.txt");
    let call = next(&panel);
    send(&asked, Signal::INT);
    assert_eq!(end(asked).code, Some(130));
    let open = listed(&panel);
    assert_eq!((open[0]["state"].as_str(), &open[0]["driven"]), (Some("leased"), &json!(false)));
    assert_eq!(answer(&panel, id(&call), b"A thing.").code, Some(0), "nobody waits, but somebody will");
    let again = end(start_ask(&panel, "What is a parcel?", "out.txt"));
    assert_eq!((again.code, panel.sandbox.read("out.txt").as_str()), (Some(0), "A thing."));
}

#[test]
fn a_queue_nobody_serves_ends_with_the_clock_and_the_chain_goes_on() {
    let panel = panel(&format!(
        "{PERSON}[seats]\nresearchers = [\"ada\", \"claude\"]\n[clocks]\nsketch = 3\nreview = 3\n"
    ));
    let research = panel.answer_text("research/requirements");
    for side in ["structure", "behaviour", "history"] {
        panel.set_answer(&format!("research/{side}"), &research);
    }
    panel.set_answer(
        "topic-synthesist",
        "## Findings\n\nIn `parcels/routes.py:1`.\n\n## Code references\n\n- `parcels/routes.py:1`: routes\n\n## Recommendations\n\nNone\n\n## Open questions\n\nNone\n",
    );
    let driver = start(&panel, &["research", "how parcels are announced", "--json"]);
    let late = next(&panel);
    assert_eq!(late["feature"], "how-parcels-are-announced");
    let output = end(driver);
    assert_eq!(output.code, Some(0), "{output:?}");
    let finished: Vec<&str> =
        output.stdout.lines().filter(|line| line.contains(r#""agent.finished""#)).collect();
    let timed_out = finished.iter().filter(|line| line.contains("(limit: 3s)")).count();
    assert!(timed_out >= 1, "{finished:?}");
    let calls = panel.calls();
    assert_eq!(
        calls.iter().filter(|call| call.starts_with("research/")).count(),
        3,
        "claude took over: {calls:?}"
    );
    assert_eq!(listed(&panel), [Value::Null; 0], "the calls are over");
    let refused = answer(&panel, id(&late), b"too late");
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains("is over (the clock of its seat ended)"), "{refused:?}");
}

#[test]
fn servers_of_one_queue_never_get_the_same_call() {
    let panel = panel(PERSON);
    let asked: Vec<Child> =
        (0..6).map(|n| start_ask(&panel, &format!("Question {n}"), &format!("out{n}.txt"))).collect();
    wait_until("all calls are there", || listed(&panel).len() == 6);
    let taken = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let output = seats(&panel, &["next", "--agent", "ada", "--json"]);
                    if output.code == Some(3) {
                        return;
                    }
                    taken.lock().unwrap().push(id(&output.json()).to_owned());
                }
            });
        }
    });
    let taken = taken.into_inner().unwrap();
    assert_eq!((taken.len(), taken.iter().collect::<BTreeSet<_>>().len()), (6, 6), "{taken:?}");
    for id in &taken {
        assert_eq!(answer(&panel, id, format!("Answer to {id}").as_bytes()).code, Some(0));
    }
    for child in asked {
        assert_eq!(end(child).code, Some(0));
    }
}

#[test]
fn an_expired_lease_makes_a_call_available_again() {
    let panel = panel(PERSON);
    let asked = start_ask(&panel, "What is a parcel?", "out.txt");
    wait_until("the call is there", || !listed(&panel).is_empty());
    let first = seats(&panel, &["next", "--lease", "60", "--json"]).json();
    assert_eq!(seats_at(&panel, "2026-11-15T12:00:59.000Z", &["next"]).code, Some(3));
    let second = seats_at(&panel, "2026-11-15T12:01:00.000Z", &["next", "--lease", "60", "--json"]).json();
    assert_eq!(first["id"], second["id"]);
    assert_eq!(answer(&panel, id(&first), b"by the first").code, Some(0), "whoever has the id may answer");
    assert_eq!(answer(&panel, id(&second), b"by the second").code, Some(4));
    assert_eq!(end(asked).code, Some(0));
    assert_eq!(panel.sandbox.read("out.txt"), "by the first");
}

#[test]
fn answers_are_limited_checked_and_redacted() {
    let panel = panel(&format!("{PERSON}[limits]\noutput_mb = 1\n"));
    let mut command =
        panel.command(BINARY, ["ask", "--agent", "ada", "--prompt", "x", "--output", "out.txt", "--json"]);
    command.env("SOME_API_KEY", "s3cret-and-long-enough-to-be-one");
    let asked = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let call = next(&panel);
    for (text, code, message) in [
        (vec![b'x'; (1 << 20) + 1], 1, "standard input exceeds 1 MiB"),
        (b" \n".to_vec(), 2, "the answer is empty"),
        (b"\xff".to_vec(), 1, "input is not valid UTF-8"),
    ] {
        let refused = answer(&panel, id(&call), &text);
        assert_eq!(refused.code, Some(code), "{refused:?}");
        assert!(refused.stderr.contains(message), "{refused:?}");
    }
    assert_eq!(answer(&panel, id(&call), b"it is s3cret-and-long-enough-to-be-one\n").code, Some(0));
    assert_eq!(end(asked).code, Some(0));
    assert!(!panel.sandbox.read("out.txt").contains("s3cret"));

    let asked = start(&panel, &["ask", "--agent", "ada", "--prompt", "y", "--output", "out.txt", "--json"]);
    let call = next(&panel);
    // A program may write the file itself.
    fs_err::write(call["answer"].as_str().unwrap(), vec![b'x'; (1 << 20) + 1]).unwrap();
    let output = end(asked);
    assert_eq!((output.code, &output.json()["kind"]), (Some(1), &json!("flood")), "{output:?}");
    assert_eq!(output.json()["message"], "output exceeded 1 MB (limits.output_mb)");
}

#[test]
fn names_and_ids_cannot_leave_the_queue() {
    let panel = panel(&format!("{PERSON}[agents.\"../../x\"]\nkind = \"queue\"\n"));
    let outside = panel.run(BINARY, ["ask", "--agent", "../../x", "--prompt", "x", "--output", "out.txt"]);
    assert_eq!(outside.code, Some(1), "{outside:?}");
    assert!(outside.stderr.contains("unknown agent ../../x"), "{outside:?}");
    let problems = panel.run(BINARY, ["agents", "--json"]).json()["problems"].to_string();
    assert!(problems.contains("a name has at most 64 letters"), "{problems}");
    for (args, code) in [
        (&["next", "--agent", "../../x"][..], 2),
        (&["answer", "../../../x", "--file", "pyproject.toml"], 2),
        (&["answer", "0123456789abcdef", "--file", "pyproject.toml"], 1),
        (&["answer", "0123456789abcdef"], 2),
        (&["next", "--lease", "0"], 2),
    ] {
        let refused = seats(&panel, args);
        assert_eq!(refused.code, Some(code), "{args:?}: {refused:?}");
    }
    assert!(!queue_folder(&panel).exists());
}

#[test]
fn a_queue_is_listed_and_never_probed() {
    let panel = panel(PERSON);
    let agents = panel.run(BINARY, ["agents", "--json"]).json();
    let ada =
        agents["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == "ada").unwrap().clone();
    assert_eq!(
        (&ada["kind"], &ada["installed"], &ada["healthy"]),
        (&json!("queue"), &json!(true), &json!(true))
    );
    let probed = panel.run(BINARY, ["agents", "probe", "ada"]);
    assert_eq!((probed.code, probed.stdout.as_str()), (Some(0), "ada: healthy\n"), "{probed:?}");
    assert!(!queue_folder(&panel).exists(), "nobody was asked");
    let checks = panel.run(BINARY, ["doctor", "--json"]).json();
    let of_ada = |check: &&Value| check["found"].as_str().unwrap().starts_with("ada");
    let found: Vec<&Value> = checks["checks"].as_array().unwrap().iter().filter(of_ada).collect();
    assert_eq!((found.len(), &found[0]["status"]), (1, &json!("ok")), "{checks}");
}

#[test]
fn an_abandoned_run_leaves_no_open_calls() {
    let panel = panel(ALL_QUEUES);
    let driver = start(&panel, &["research", "how parcels are announced"]);
    let call = next(&panel);
    send(&driver, Signal::TERM);
    assert_eq!(end(driver).code, Some(130));
    assert!(!listed(&panel).is_empty());
    assert_eq!(panel.run(BINARY, ["abandon", "how-parcels-are-announced"]).code, Some(0));
    assert_eq!(listed(&panel), [Value::Null; 0]);
    let refused = answer(&panel, id(&call), b"for nobody");
    assert!(refused.code == Some(4) && refused.stderr.contains("its run was abandoned"), "{refused:?}");
}
