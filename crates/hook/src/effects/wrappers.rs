//! Programs that run another program: `env`, `sudo`, `nohup`, `time`, `timeout`, `xargs` and the like.

use super::effect::Effect;
use super::options::Options;
use super::walk::{Stream, Walker};
use crate::shell::Argument;

/// Wrappers with their options that take a value, and the number of operands before the program.
const WRAPPERS: [(&str, &[&str], usize); 27] = [
    ("nohup", &[], 0),
    ("time", &["-f", "-o", "--format", "--output"], 0),
    ("gtime", &["-f", "-o"], 0),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("gtimeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "-p"], 0),
    ("chrt", &[], 1),
    ("taskset", &["-c"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("unbuffer", &[], 0),
    ("setsid", &[], 0),
    ("command", &[], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    ("noglob", &[], 0),
    ("nocorrect", &[], 0),
    ("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group", "--chdir"], 0),
    ("doas", &["-u", "-C"], 0),
    ("caffeinate", &["-t", "-w"], 0),
    ("rlwrap", &[], 0),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
    ("strace", &["-o", "-e", "-p", "-s", "-u"], 0),
    ("xvfb-run", &["-n", "-s", "-e"], 0),
    ("flock", &["-w", "-E", "--timeout"], 1),
    ("chronic", &[], 0),
];

/// Notes the effects of the wrapped program. None if the program is no wrapper.
pub(super) fn run(walker: &mut Walker<'_>, name: &str, rest: &[Argument], input: &Stream) -> Option<Stream> {
    match name {
        "env" => return Some(env(walker, rest, input)),
        "xargs" | "gxargs" => return Some(xargs(walker, rest, input)),
        "parallel" => {
            walker.note(Effect::Unreadable("parallel".to_owned()));
            // Each word after `:::` is an argument of one call.
            let is_mark = |argument: &Argument| argument.prefix().starts_with(":::");
            let mut command: Vec<Argument> =
                rest.iter().take_while(|argument| !is_mark(argument)).cloned().collect();
            let start = command.iter().position(|argument| !argument.is_option())?;
            let words: Vec<Argument> =
                rest.iter().skip(command.len() + 1).filter(|argument| !is_mark(argument)).cloned().collect();
            command.drain(..start);
            for word in if words.is_empty() { vec![Argument::unknown()] } else { words } {
                let call: Vec<Argument> = command.iter().cloned().chain([word]).collect();
                walker.run(&call, Stream::Unknown);
            }
            return Some(Stream::Unknown);
        }
        "command" if rest.first().is_some_and(|first| first.is("-v") || first.is("-V")) => {
            return Some(Stream::Unknown);
        }
        "watch" | "su" | "script" | "runuser" => return Some(command_text(walker, name, rest)),
        _ => {}
    }
    let (_, with_value, operands) = WRAPPERS.iter().find(|(wrapper, ..)| *wrapper == name)?;
    if matches!(name, "strace" | "sudo" | "doas" | "flock") {
        // More than reading, whatever it runs.
        walker.note(Effect::Runs(name.to_owned()));
    }
    let mut start = skip_options(rest, with_value);
    while rest.get(start).is_some_and(is_assignment) {
        start += 1;
    }
    start += operands;
    let wrapped = rest.get(start..).unwrap_or_default();
    if wrapped.is_empty() {
        return Some(Stream::Unknown);
    }
    if wrapped[0].is("-c") && name == "flock" {
        return Some(match wrapped.get(1).and_then(Argument::known) {
            Some(text) => walker.script(text, Stream::Unknown),
            None => Stream::Unknown,
        });
    }
    Some(walker.run(wrapped, input.clone()))
}

/// Number of arguments before the first operand.
fn skip_options(arguments: &[Argument], with_value: &[&str]) -> usize {
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        if argument.is("--") {
            return at + 1;
        }
        if !argument.is_option() {
            break;
        }
        at += 1 + usize::from(argument.known().is_some_and(|text| with_value.contains(&text)));
    }
    at
}

fn is_assignment(argument: &Argument) -> bool {
    let name = argument.prefix().split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn env(walker: &mut Walker<'_>, rest: &[Argument], input: &Stream) -> Stream {
    let mut at = 0;
    let outer = walker.scope.place.clone();
    while let Some(argument) = rest.get(at) {
        if is_assignment(argument) {
            let name = argument.prefix().split('=').next().unwrap_or_default().to_owned();
            let value = argument.strip_prefix(&format!("{name}=")).unwrap_or_default();
            walker.assign(&name, value);
            at += 1;
            continue;
        }
        match argument.known() {
            Some("-u" | "--unset") => at += 2,
            Some("-C" | "--chdir") => {
                if let Some(folder) = rest.get(at + 1) {
                    walker.scope.place = walker.scope.place_of(folder);
                }
                at += 2;
            }
            Some("-S" | "--split-string") => {
                let text = rest.get(at + 1).and_then(Argument::known).unwrap_or_default().to_owned();
                return walker.script(&text, input.clone());
            }
            Some(text) if text.starts_with("-S") || text.starts_with("--split-string=") => {
                let text = text.trim_start_matches("--split-string=").trim_start_matches("-S");
                return walker.script(text, input.clone());
            }
            Some("--") => {
                at += 1;
                break;
            }
            _ if argument.is_option() || argument.is("-") => at += 1,
            _ => break,
        }
    }
    let wrapped = rest.get(at..).unwrap_or_default();
    let output = if wrapped.is_empty() { Stream::Unknown } else { walker.run(wrapped, input.clone()) };
    walker.scope.place = outer;
    output
}

fn xargs(walker: &mut Walker<'_>, rest: &[Argument], input: &Stream) -> Stream {
    const WITH_VALUE: [&str; 15] = [
        "-I",
        "-n",
        "-P",
        "-L",
        "-d",
        "-s",
        "-a",
        "-E",
        "--max-args",
        "--max-procs",
        "--replace",
        "--delimiter",
        "--arg-file",
        "--max-lines",
        "--max-chars",
    ];
    let start = skip_options(rest, &WITH_VALUE);
    let (before, wrapped) = rest.split_at(start.min(rest.len()));
    let options = Options::read(before, &WITH_VALUE);
    let words: Vec<Argument> = match input {
        Stream::Text(text) if text.known().is_some() => {
            text.known().unwrap_or_default().split_whitespace().map(Argument::text).collect()
        }
        // Any number of words.
        _ => vec![Argument::unknown(), Argument::unknown()],
    };
    let mut command: Vec<Argument> =
        if wrapped.is_empty() { vec![Argument::text("echo")] } else { wrapped.to_vec() };
    let replaced = options.value(&["-I", "--replace"]).and_then(Argument::known);
    match replaced.or(options.has(&["-i"]).then_some("{}")) {
        Some(mark) => {
            for argument in &mut command {
                if argument.known().is_some_and(|text| text.contains(mark)) {
                    *argument = words
                        .first()
                        .cloned()
                        .filter(|_| words.len() == 1 && argument.is(mark))
                        .unwrap_or_else(Argument::unknown);
                }
            }
        }
        None => command.extend(words),
    }
    walker.run(&command, Stream::Unknown)
}

/// Programs that take a shell command as text: `su -c TEXT`, `script -c TEXT`, `watch TEXT`.
fn command_text(walker: &mut Walker<'_>, name: &str, rest: &[Argument]) -> Stream {
    walker.note(Effect::Runs(name.to_owned()));
    if name == "watch" {
        let start = skip_options(rest, &["-n", "--interval"]);
        let words: Vec<String> = rest.get(start..).unwrap_or_default().iter().map(Argument::lossy).collect();
        return walker.script(&words.join(" "), Stream::Unknown);
    }
    let options = Options::read(rest, &["-c", "--command", "-u", "-s"]);
    match options.value(&["-c", "--command"]) {
        Some(text) => {
            let text = text.lossy();
            walker.script(&text, Stream::Unknown)
        }
        None => Stream::Unknown,
    }
}
