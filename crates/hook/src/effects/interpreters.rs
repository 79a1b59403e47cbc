//! Shells, which are read, and interpreters of other languages, which are not.

use super::effect::{Danger, Effect};
use super::options::Options;
use super::walk::{Stream, Walker};
use crate::shell::Argument;

const SHELLS: [&str; 11] =
    ["sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "fish", "yash", "rbash", "posh"];

/// Interpreters with the option that takes a script as text, and options that only print.
const INTERPRETERS: [(&str, &[&str]); 17] = [
    ("python", &["-c"]),
    ("python2", &["-c"]),
    ("python3", &["-c"]),
    ("pypy3", &["-c"]),
    ("node", &["-e", "-p", "--eval", "--print"]),
    ("nodejs", &["-e", "-p", "--eval", "--print"]),
    ("bun", &["-e", "-p"]),
    ("deno", &["eval"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("osascript", &["-e"]),
    ("pwsh", &["-c", "-Command"]),
    ("powershell", &["-c", "-Command"]),
    ("tclsh", &[]),
    ("Rscript", &["-e"]),
];

/// Notes the effects of a shell or an interpreter. None if the program is neither.
pub(super) fn run(walker: &mut Walker<'_>, name: &str, rest: &[Argument], input: &Stream) -> Option<Stream> {
    if SHELLS.contains(&name) {
        return Some(shell(walker, name, rest, input));
    }
    let versioned = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let (_, text_options) = INTERPRETERS
        .iter()
        .find(|(known, _)| *known == name || (*known == versioned && versioned == "python"))?;
    if rest.len() == 1
        && (rest[0].is("--version") || rest[0].is("-V") || rest[0].is("-v") || rest[0].is("--help"))
    {
        return Some(Stream::Unknown);
    }
    let operand = rest.iter().find(|argument| !argument.is_option() || argument.is("-"));
    let has_text = rest.iter().any(|argument| {
        text_options.iter().any(|option| argument.prefix().starts_with(option) && argument.prefix() != "--")
    });
    let reads_stdin = !has_text && operand.is_none_or(|operand| operand.is("-"));
    let is_module = rest.first().is_some_and(|first| first.is("-m"));
    if reads_stdin && !is_module && matches!(input, Stream::Download) {
        walker.note(Effect::Danger(Danger::DownloadRun));
    }
    if operand.is_some_and(Argument::is_download) && !has_text {
        walker.note(Effect::Danger(Danger::DownloadRun));
    }
    walker.note(Effect::Unreadable(format!("a program in {name}")));
    Some(Stream::Unknown)
}

fn shell(walker: &mut Walker<'_>, name: &str, rest: &[Argument], input: &Stream) -> Stream {
    let options = Options::read_until_operand(rest, &["-O", "+O", "--rcfile", "--init-file", "-o"]);
    if options.has(&["--version"]) || options.has(&["--help"]) {
        return Stream::Unknown;
    }
    let (flags, operands) = (&options, &options.operands);
    if flags.has(&["-c"]) {
        let Some(text) = operands.first() else { return Stream::Unknown };
        if text.is_download() {
            walker.note(Effect::Danger(Danger::DownloadRun));
            return Stream::Unknown;
        }
        let parameters = operands.get(2..).unwrap_or_default().to_vec();
        let outer = walker.scope.clone();
        walker.scope.parameters = Some(parameters);
        let output = if let Some(script) = text.known() {
            walker.script(script, input.clone())
        } else {
            walker.note(Effect::Unreadable(format!("{name} -c with a text that is not known")));
            walker.guess_from_text(std::slice::from_ref(text));
            Stream::Unknown
        };
        walker.scope = outer;
        return output;
    }
    let outer = walker.scope.clone();
    let output = match operands.first().filter(|_| !flags.has(&["-s"])) {
        Some(file) if !file.is("-") && !file.is("/dev/stdin") => {
            run_script_file(walker, name, Some(file));
            Stream::Unknown
        }
        _ => match input {
            Stream::Text(text) => {
                if let Some(script) = text.known() {
                    walker.script(script, Stream::Unknown)
                } else {
                    walker.note(Effect::Unreadable(format!("{name} with a text that is not known")));
                    walker.guess_from_text(std::slice::from_ref(text));
                    Stream::Unknown
                }
            }
            Stream::Download => {
                walker.note(Effect::Danger(Danger::DownloadRun));
                Stream::Unknown
            }
            Stream::Unknown => {
                walker.note(Effect::Unreadable(format!("{name} with input that is not known")));
                Stream::Unknown
            }
        },
    };
    walker.scope = outer;
    output
}

/// A script in a file: read if it is a process substitution with known output.
pub(super) fn run_script_file(walker: &mut Walker<'_>, name: &str, file: Option<&Argument>) {
    let Some(file) = file else { return };
    if file.is_download() {
        walker.note(Effect::Danger(Danger::DownloadRun));
    } else if let Some(script) = file.content() {
        walker.script(script, Stream::Unknown);
    } else {
        walker.note(Effect::Unreadable(format!("{name} with the file {}", file.lossy())));
    }
}
