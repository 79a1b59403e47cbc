//! An agent that does as a script says: a real program, so that everything around it is real too.
//!
//! `fake-agent SCRIPT NAME` reads its prompt on standard input and looks in the script (JSON) for what an
//! agent of that name does in the seat it was given, then for `*`:
//!
//! ```json
//! {"alpha": {"researcher-a": {"answer": "I read {digest}."}, "*": {"exit": 1}}, "*": {"*": {"answer": "Fine."}}}
//! ```
//!
//! | member | what it does |
//! |---|---|
//! | `answer` | prints this; `{digest}`, `{seat}` and `{agent}` are filled in |
//! | `exit` | ends with this code |
//! | `sleep_ms` | waits before answering |
//! | `child_ms` | leaves a child behind that lives this long |
//! | `fail_once` | fails the first time in this seat: a mark is left in the folder of that name |

use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// The program.
#[expect(clippy::disallowed_methods, reason = "a program of its own, with its own environment")]
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, script, agent] = arguments.as_slice() else {
        return complain("usage: fake-agent SCRIPT NAME");
    };
    let seat = std::env::var("CHARRETTE_SEAT").unwrap_or_default();
    let Ok(script) = fs_err::read_to_string(script)
        .map_err(|error| error.to_string())
        .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()))
    else {
        return complain("the script cannot be read");
    };
    let mut prompt = String::new();
    let _ = std::io::stdin().read_to_string(&mut prompt);
    let part = script.get(agent).or_else(|| script.get("*")).cloned().unwrap_or_default();
    let part = part.get(&seat).or_else(|| part.get("*")).cloned().unwrap_or_default();
    play(&part, &Cue { agent, seat: &seat, prompt: &prompt, log: std::env::var_os("FAKE_AGENT_LOG") })
}

struct Cue<'a> {
    agent: &'a str,
    seat: &'a str,
    prompt: &'a str,
    log: Option<std::ffi::OsString>,
}

fn play(part: &Value, cue: &Cue<'_>) -> ExitCode {
    let digest = fingerprint(cue.prompt);
    if let Some(log) = &cue.log {
        append(log.as_ref(), &format!("{} {} {digest}\n", cue.seat, cue.agent));
    }
    if let Some(millis) = part["child_ms"].as_u64() {
        let _ = Command::new("sleep")
            .arg(format!("{}", Duration::from_millis(millis).as_secs_f64()))
            .stdout(Stdio::null())
            .spawn();
    }
    if let Some(folder) = part["fail_once"].as_str() {
        let mark = std::path::Path::new(folder).join(cue.seat.replace('/', "."));
        if fs_err::OpenOptions::new().write(true).create_new(true).open(mark).is_ok() {
            return complain("failing once, as the script says");
        }
    }
    std::thread::sleep(Duration::from_millis(part["sleep_ms"].as_u64().unwrap_or(0)));
    let answer = part["answer"].as_str().unwrap_or_default();
    let answer =
        answer.replace("{digest}", &digest).replace("{seat}", cue.seat).replace("{agent}", cue.agent);
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush());
    let code = part["exit"].as_u64().and_then(|code| u8::try_from(code).ok()).unwrap_or(0);
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

/// FNV-1a: the same text gives the same digits on every machine.
pub fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn complain(message: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "fake-agent: {message}");
    ExitCode::FAILURE
}
