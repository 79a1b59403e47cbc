//! The program, and the members of a part:
//!
//! | member | effect |
//! |---|---|
//! | `answer` | prints this; `{digest}`, `{seat}`, `{agent}` and `{env:NAME}` are filled in |
//! | `says` | prints this file of the folder; `{task}` is the name of the task in the prompt, `{digest}` a digest of the prompt, and a line that begins with `{given:TEXT}` is printed only if the prompt has that text |
//! | `given` | in a list of parts: play this one only if the prompt has this text |
//! | `answer_hex` | prints these bytes |
//! | `answer_file` | prints this file, such as recorded output of a real client |
//! | `stderr` | prints this to standard error first |
//! | `exit` | exits with this code |
//! | `exit_early` | exits with this code before it has read its prompt |
//! | `sleep_ms` | waits before answering |
//! | `hang` | never exits, once it has answered |
//! | `flood_mb` | prints this many megabytes before it answers |
//! | `flood_line_mb` | prints one line of this many megabytes before it answers |
//! | `ignores_term` | ignores SIGTERM and has to be killed |
//! | `child_ms` | leaves an orphaned child that lives this long |
//! | `daemon_ms` | leaves a daemon, in a session of its own, that lives this long and holds its output |
//! | `writes` | writes these files in its working folder: name to content |
//! | `shell` | runs this with `sh -c` in its working folder, before it answers |
//! | `commits` | commits everything in its working folder |
//! | `fail_once` | fails the first time in this seat: a mark is left in the folder of that name |

use super::prompt_answers::{fill_in, select_part};
use super::script::AgentCall;
use serde_json::Value;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// Set for the copy of itself that `ignores_term` starts: ignored signals are inherited.
const IGNORING_TERM: &str = "FAKE_AGENT_IGNORES_TERM";

/// Entry point of `fake-agent`.
#[expect(clippy::disallowed_methods, reason = "a program of its own, with its own environment")]
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let [.., script, agent] = arguments.as_slice() else {
        return fail("usage: fake-agent SCRIPT NAME");
    };
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let call = AgentCall::new(script, agent, &variable("CHARRETTE_SEAT"), &variable("CHARRETTE_LANE"));
    let parts = match call.parts() {
        Ok(parts) => parts,
        Err(problem) => return fail(&problem),
    };
    if parts.iter().any(|part| part["ignores_term"] == true) && std::env::var_os(IGNORING_TERM).is_none() {
        return restart_ignoring_term(&arguments);
    }
    if let Some(code) = parts.first().and_then(|part| part["exit_early"].as_u64()) {
        return exit_with(code);
    }
    let mut prompt = String::new();
    let _ = std::io::stdin().read_to_string(&mut prompt);
    let part = select_part(&parts, &prompt);
    run_part(&part, &Invocation { call: &call, prompt: &prompt, log: std::env::var_os("FAKE_AGENT_LOG") })
}

struct Invocation<'a> {
    call: &'a AgentCall,
    prompt: &'a str,
    log: Option<OsString>,
}

fn run_part(part: &Value, invocation: &Invocation<'_>) -> ExitCode {
    let digest = fingerprint(invocation.prompt);
    if let Some(log) = &invocation.log {
        append(log.as_ref(), &format!("{} {} {digest}\n", invocation.call.step, invocation.call.agent));
    }
    let prompts = invocation.call.script.join("prompts");
    if prompts.is_dir() {
        let _ = fs_err::write(prompts.join(invocation.call.step.replace('/', ".")), invocation.prompt);
    }
    if let Some(millis) = part["child_ms"].as_u64() {
        let _ = Command::new("sleep").arg(seconds(millis)).stdout(Stdio::null()).spawn();
    }
    if let Some(millis) = part["daemon_ms"].as_u64() {
        let _ = Command::new("setsid").args(["-f", "sleep", &seconds(millis)]).status();
    }
    if let Some(folder) = part["fail_once"].as_str() {
        let mark = std::path::Path::new(folder).join(invocation.call.step.replace('/', "."));
        if fs_err::OpenOptions::new().write(true).create_new(true).open(mark).is_ok() {
            return fail("failing once, as the script says");
        }
    }
    for (name, content) in part["writes"].as_object().into_iter().flatten() {
        let _ = fs_err::write(name, content.as_str().unwrap_or_default());
    }
    if let Some(script) = part["shell"].as_str() {
        let _ = Command::new("sh").args(["-c", script]).stdout(Stdio::null()).stdin(Stdio::null()).status();
    }
    if part["commits"] == true {
        let _ = Command::new("git").args(["add", "-A"]).status();
        let _ = Command::new("git").args(["commit", "-q", "-m", "as the script says"]).status();
    }
    if let Some(complaint) = part["stderr"].as_str() {
        let _ = writeln!(std::io::stderr(), "{complaint}");
    }
    std::thread::sleep(Duration::from_millis(part["sleep_ms"].as_u64().unwrap_or(0)));
    let _ = write_answer(part, invocation, &digest);
    if part["hang"] == true {
        loop {
            std::thread::sleep(Duration::from_hours(1));
        }
    }
    exit_with(part["exit"].as_u64().unwrap_or(0))
}

fn write_answer(part: &Value, invocation: &Invocation<'_>, digest: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    let megabyte = b"flood flood flood flood flood flood flood flood flood flood flood!!\n".repeat(15420);
    for _ in 0..part["flood_mb"].as_u64().unwrap_or(0) {
        stdout.write_all(&megabyte)?;
    }
    let long = vec![b'x'; 1 << 20];
    for n in (0..part["flood_line_mb"].as_u64().unwrap_or(0)).rev() {
        stdout.write_all(&long)?;
        if n == 0 {
            stdout.write_all(b"\n")?;
        }
    }
    if let Some(file) = part["answer_file"].as_str() {
        stdout.write_all(&fs_err::read(file)?)?;
    }
    if let Some(file) = part["says"].as_str() {
        let text = fs_err::read_to_string(invocation.call.script.join(file))?;
        stdout.write_all(fill_in(&text, invocation.prompt).replace("{digest}", digest).as_bytes())?;
    }
    if let Some(hex) = part["answer_hex"].as_str() {
        let bytes: Vec<u8> =
            (0..hex.len() / 2).filter_map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).ok()).collect();
        stdout.write_all(&bytes)?;
    }
    let answer = part["answer"].as_str().unwrap_or_default();
    let answer = answer
        .replace("{digest}", digest)
        .replace("{seat}", &invocation.call.step)
        .replace("{agent}", &invocation.call.agent);
    stdout.write_all(expand_environment(&answer).as_bytes())?;
    stdout.flush()
}

#[expect(clippy::disallowed_methods, reason = "an agent may say what it finds there")]
fn expand_environment(answer: &str) -> String {
    let Some((before, rest)) = answer.split_once("{env:") else { return answer.to_owned() };
    let Some((name, after)) = rest.split_once('}') else { return answer.to_owned() };
    format!("{before}{}{after}", std::env::var(name).unwrap_or_default())
}

/// Restarts itself with SIGTERM ignored, which a program cannot do without unsafe code.
fn restart_ignoring_term(arguments: &[String]) -> ExitCode {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' TERM; exec \"$0\" \"$@\""]).args(arguments).env(IGNORING_TERM, "1");
    fail(&command.exec().to_string())
}

fn seconds(millis: u64) -> String {
    format!("{}", Duration::from_millis(millis).as_secs_f64())
}

fn exit_with(code: u64) -> ExitCode {
    let code = u8::try_from(code).unwrap_or(1);
    if code > 0 {
        let _ = writeln!(std::io::stderr(), "ending with {code}, as the script says");
    }
    ExitCode::from(code)
}

/// Appends a line in one write, so that lines of several processes do not mix.
pub fn append(log: &std::path::Path, line: &str) {
    if let Ok(mut file) = fs_err::OpenOptions::new().append(true).create(true).open(log) {
        let _ = file.write_all(line.as_bytes());
    }
}

/// FNV-1a hash: the same text gives the same digits on every machine.
pub fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn fail(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "fake-agent: {message}");
    ExitCode::FAILURE
}
