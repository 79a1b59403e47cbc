//! The program `mock-model [--port N] SCRIPT LOG [-- PROGRAM ARGUMENT…]`.
//!
//! With a program it runs that one, with the address in `MOCK_URL`, and ends with its exit code. Without one it
//! prints its address and serves until it is killed. A certain port is for network namespaces, where every port
//! is free and a client's configuration can be written beforehand.

use super::script::Script;
use super::server::MockModel;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Entry point of `mock-model`.
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(&arguments).unwrap_or_else(|problem| {
        let _ = writeln!(std::io::stderr(), "mock-model: {problem}");
        ExitCode::FAILURE
    })
}

fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let (own, program) = match arguments.iter().position(|argument| argument == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let (port, own) = match own {
        [flag, port, own @ ..] if flag == "--port" => (port.parse().map_err(|_| "invalid port")?, own),
        own => (0, own),
    };
    let [script, log] = own else {
        return Err("usage: mock-model [--port N] SCRIPT LOG [-- PROGRAM ARGUMENT...]".to_owned());
    };
    let text = fs_err::read_to_string(script).map_err(|error| error.to_string())?;
    let script = Script::parse(&text).map_err(|problem| format!("{script}: {problem}"))?;
    let model = MockModel::start_on(port, script, Path::new(log))
        .map_err(|error| format!("cannot start the server: {error}"))?;
    let [program, rest @ ..] = program else {
        let _ = writeln!(std::io::stdout(), "{}", model.url());
        model.serve();
        return Ok(ExitCode::SUCCESS);
    };
    let status = Command::new(program).args(rest).env("MOCK_URL", model.url()).status();
    let status = status.map_err(|error| format!("{program}: {error}"))?;
    // As a shell does: 128 plus the signal number. Only SIGKILL is assumed, because the exit code does not say which.
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(137)))
}
