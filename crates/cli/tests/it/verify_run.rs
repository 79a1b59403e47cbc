//! `charrette verify run`: verify commands as real processes in the sandbox.

use crate::BINARY;
use crate::sandbox::{ATTACKS, Sign, WITHOUT, prepare, repository, successes};
use charrette_testkit::{Output, Sandbox};
use serde_json::Value;
use std::fmt::Write as _;

/// A repository, and these settings of its user.
fn site(settings: &str) -> Sandbox {
    let sandbox = repository();
    let file = sandbox.home().join(".config/charrette/charrette.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, format!("[clocks]\ngrace = 1\n{settings}")).unwrap();
    sandbox
}

fn verify(sandbox: &Sandbox, words: &[&str], limit: Option<&str>) -> Output {
    let mut command = sandbox.command(BINARY);
    command.args(["verify", "run"]).args(words).env("GH_TOKEN", "ghp_012345678901234567890123456789012345");
    command.env("SSH_AUTH_SOCK", "/run/agent").env_remove("CHARRETTE_TRUST");
    match limit {
        Some(limit) => command.env("CHARRETTE_LANDLOCK", limit),
        None => command.env_remove("CHARRETTE_LANDLOCK"),
    };
    Output::capture(command, b"")
}

/// The report about one command `test`, in the sandbox.
fn run(test: &str, more: &str) -> Value {
    run_with(test, more, None).0
}

fn run_with(test: &str, more: &str, limit: Option<&str>) -> (Value, Sandbox) {
    let sandbox = site(&format!("[verify]\ntest = {}\n{more}\n", Value::from(test)));
    let output = verify(&sandbox, &["--json"], limit);
    let report: Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let green = report["green"] == true;
    assert_eq!(output.code, Some(i32::from(!green)), "{output:?}");
    (report["commands"][0].clone(), sandbox)
}

fn text(report: &Value) -> &str {
    report["output"].as_str().unwrap()
}

#[test]
fn commands_are_shown_with_their_ends_and_decide_the_exit_code() {
    let sandbox = site(
        "[verify]\nbuild = [\"touch\", \"built by argv\"]\nlint = \"echo first; echo second >&2; exit 3\"\nfast = \"true\"\nsetup = [\"./no-such-program\"]\n",
    );
    let all = verify(&sandbox, &[], None);
    assert_eq!(all.code, Some(1), "{all:?}");
    let lines: Vec<&str> = all.stdout.lines().collect();
    assert!(lines[0].starts_with("build  ok ") && lines[0].ends_with(" s  touch built by argv"), "{all:?}");
    assert!(lines[1].starts_with("lint   exit 3 "), "{all:?}");
    assert_eq!(lines[2..], ["  | first", "  | second"]);
    assert!(sandbox.path("built by argv").exists());
    assert!(all.stderr.contains("The commands have no network but loopback."), "{}", all.stderr);
    let some = verify(&sandbox, &["fast", "build"], None);
    assert_eq!((some.code, some.stdout.lines().count()), (Some(0), 2), "{some:?}");
    assert!(some.stdout.starts_with("build"), "{some:?}");
    let setup = verify(&sandbox, &["setup"], None);
    assert_eq!(setup.code, Some(1), "{setup:?}");
    assert!(
        setup.stdout.contains("not started: ./no-such-program cannot be started: No such file"),
        "{setup:?}"
    );
    let types = verify(&sandbox, &["types"], None);
    assert_eq!(types.code, Some(4), "{types:?}");
    assert!(
        types.stderr.contains("verify.types is not configured")
            && types.stderr.contains("charrette verify init")
    );
    assert_eq!(verify(&sandbox, &["tests"], None).code, Some(2));
    assert_eq!(verify(&site(""), &[], None).code, Some(4));
}

#[test]
fn commands_of_a_repository_run_once_it_is_trusted() {
    let sandbox = site("");
    sandbox.write("charrette.toml", "[verify]\ntest = \"touch ran\"\n");
    let refused = verify(&sandbox, &[], None);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(!sandbox.path("ran").exists());
    let trusted = verify(&sandbox, &["--trust"], None);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    assert!(sandbox.path("ran").exists());
}

#[test]
fn a_hostile_command_changes_the_checkout_and_nothing_else() {
    // In the checkout of the user everything inside may be changed.
    let outside: Vec<_> = ATTACKS.iter().copied().filter(|(victim, ..)| victim.starts_with('~')).collect();
    assert!(outside.len() >= 8);
    for limit in [None, WITHOUT] {
        let sandbox = site("");
        let script = prepare(&sandbox, &outside);
        let file = sandbox.home().join(".config/charrette/charrette.toml");
        std::fs::write(&file, format!("[verify]\ntest = \"sh {}; touch made\"\n", script.display())).unwrap();
        let output = verify(&sandbox, &[], limit);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(sandbox.path("made").exists());
        let expected = if limit.is_none() { 0 } else { outside.len() };
        assert_eq!(successes(&sandbox, &outside).len(), expected, "{:?}", successes(&sandbox, &outside));
    }
    assert!(matches!(outside[0].1, Sign::There | Sign::Forged | Sign::Gone));
}

/// Starts a server on loopback and talks to it; then tries the address of a documentation network.
const NETWORK_TEST: &str = r"
import socket, sys
server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen()
client = socket.create_connection(server.getsockname()); server.accept()[0].send(b'hello'); print(client.recv(5).decode())
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    s.connect(('192.0.2.1', 53)); s.send(b'x'); print('udp sent')
except OSError as error: print('udp refused', error.errno)
names = [name for _, name in socket.if_nameindex()]; print('interfaces', names)
";

#[test]
fn without_network_a_command_has_loopback_and_nothing_else() {
    let test = format!("python3 -c \"{NETWORK_TEST}\"");
    let offline = run(&test, "");
    assert!(text(&offline).starts_with("hello\nudp refused 101\ninterfaces ['lo']\n"), "{offline}");
    // Two of them do not see each other: every command has a loopback of its own.
    let sandbox = site("");
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    for (network, expected) in [("false", "refused"), ("true", "connected")] {
        let connect = format!(
            "python3 -c 'import socket; socket.create_connection((\\\"127.0.0.1\\\", {port})); print(\\\"connected\\\")' || echo refused"
        );
        let file = sandbox.home().join(".config/charrette/charrette.toml");
        std::fs::write(&file, format!("[verify]\nnetwork = {network}\ntest = \"{connect}\"\n")).unwrap();
        let output = verify(&sandbox, &["--json"], None);
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(text(&report["commands"][0]).trim_end().ends_with(expected), "{network}: {report}");
    }
    // Without Landlock too: a namespace of the network needs none.
    let (without, _) = run_with(&test, "", WITHOUT);
    assert!(text(&without).starts_with("hello\nudp refused 101\n"), "{without}");
}

#[test]
fn a_command_has_no_terminal_no_input_and_no_secrets() {
    let report = run(
        "cat; (echo x > /dev/tty) 2>&1; env; ps -o sid= -p $$; echo pid $$; test -t 0 || echo no terminal",
        "",
    );
    let output = text(&report);
    assert!(output.contains("/dev/tty: No such device or address"), "{output}");
    assert!(output.contains("no terminal") && output.contains("CI=true"), "{output}");
    for secret in ["GH_TOKEN", "ghp_", "SSH_AUTH_SOCK"] {
        assert!(!output.contains(secret), "{output}");
    }
    // It leads its own session.
    let session = output.lines().find_map(|line| line.trim().parse::<u32>().ok()).unwrap();
    assert!(output.contains(&format!("pid {session}\n")), "{output}");
}

#[test]
fn a_command_that_hangs_or_floods_is_ended_with_everything_it_started() {
    let mark = format!("{}.125", 3000 + std::process::id());
    let mut script = "trap '' TERM; ".to_owned();
    for start in ["", "setsid ", "env -i /usr/bin/setsid /usr/bin/"] {
        let _ = write!(script, "{start}sleep {mark} & ");
    }
    let hung = run(&format!("{script} while :; do sleep 1; done"), "timeout = 1\n");
    assert_eq!((&hung["ending"], &hung["exit"]), (&Value::from("timed-out"), &Value::Null), "{hung}");
    let alive = || {
        let ps = std::process::Command::new("pgrep")
            .args(["-f", &format!("^(.*/)?sleep {mark}$")])
            .output()
            .unwrap();
        String::from_utf8(ps.stdout).unwrap()
    };
    assert_eq!(alive(), "");
    let flood = run("yes", "[limits]\noutput_mb = 1\n");
    assert_eq!(flood["ending"], "flooded", "{flood}");
    assert!(text(&flood).contains("output exceeded 1 MB (limits.output_mb)"), "{flood}");
    // Daemons that a green command leaves.
    let left = run(&format!("{script} sleep 1; echo fine"), "");
    assert_eq!(left["green"], true, "{left}");
    assert!(text(&left).starts_with("fine\n[left "), "{left}");
    assert_eq!(alive(), "");
    let died = run("kill -KILL $$", "");
    assert_eq!((&died["ending"]["signalled"], &died["exit"]), (&Value::from(9), &Value::Null), "{died}");
}

#[test]
fn a_refused_path_is_named_with_the_setting_that_grants_it() {
    let (report, sandbox) = run_with("mkdir -p $HOME/.cache/tool", "", None);
    assert_eq!(report["green"], false);
    assert!(text(&report).contains("add it to sandbox.writes in your own charrette.toml"), "{report}");
    assert!(!sandbox.home().join(".cache/tool").exists());
    let (granted, _) =
        run_with("mkdir -p $HOME/.cache/tool/x", "[sandbox]\nwrites = [\"~/.cache/tool/\"]\n", None);
    assert_eq!(granted["green"], true, "{granted}");
}

#[test]
fn an_interrupted_command_ends_with_130_and_leaves_nothing() {
    let mark = format!("{}.25", 4000 + std::process::id());
    let sandbox = site(&format!("[verify]\ntest = \"touch begun; setsid sleep {mark}\"\n"));
    let mut command = sandbox.command(BINARY);
    command.args(["verify", "run"]).env_remove("CHARRETTE_LANDLOCK");
    let child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !sandbox.path("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let left = std::process::Command::new("pgrep").args(["-f", &format!("^sleep {mark}$")]).output().unwrap();
    assert_eq!(String::from_utf8(left.stdout).unwrap(), "");
    let copies = std::fs::read_dir(sandbox.home().join(".local/state/charrette/drivers")).unwrap();
    assert_eq!(copies.count(), 0, "the driver has left something");
}
