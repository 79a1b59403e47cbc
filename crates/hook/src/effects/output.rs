//! Output of programs, as far as it follows from their arguments: it may be run by a shell, or name a folder or branch.

use super::walk::{Stream, Walker};
use crate::shell::{Argument, Atom};

/// Longest output that is followed.
const MAX_BYTES: usize = 1 << 20;

pub(super) fn of_program(walker: &Walker<'_>, name: &str, rest: &[Argument], input: &Stream) -> Stream {
    match name {
        "curl" | "fetch" | "http" | "https" | "xh" => return Stream::Download,
        "wget" if writes_to_stdout(rest) => return Stream::Download,
        "echo" => return echo(rest),
        "printf" => return printf(rest),
        _ if matches!(input, Stream::Download) => return Stream::Download,
        _ => {}
    }
    match name {
        "cat" if rest.iter().all(|argument| argument.is("-") || argument.is_option()) => input.clone(),
        "cat" => match rest {
            [file] => match file.content() {
                Some(text) => Stream::Text(Argument::text(text)),
                None if file.is_download() => Stream::Download,
                None => Stream::Unknown,
            },
            _ => Stream::Unknown,
        },
        "tee" => input.clone(),
        "pwd" => text_of(&walker.scope.folder(walker.surroundings).to_string_lossy()),
        "mktemp" => Stream::Text(Argument { atoms: vec![Atom::Fresh] }),
        "git" => git(walker, rest),
        _ => Stream::Unknown,
    }
}

fn text_of(text: &str) -> Stream {
    Stream::Text(Argument::text(text))
}

/// `-O -` or `-qO-`.
fn writes_to_stdout(rest: &[Argument]) -> bool {
    rest.iter().any(|argument| {
        let text = argument.prefix();
        text.ends_with("O-") || text == "--output-document=-" || text == "-O" || text == "-qO"
    })
}

fn echo(rest: &[Argument]) -> Stream {
    let mut interprets = false;
    let mut ends_line = true;
    let mut words = rest;
    while let Some((first, others)) = words.split_first() {
        match first.known() {
            Some("-n") => ends_line = false,
            Some("-e") => interprets = true,
            Some("-ne" | "-en") => (interprets, ends_line) = (true, false),
            Some("-E") => {}
            _ => break,
        }
        words = others;
    }
    let mut text = Argument::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            text.push(Atom::Text(" ".to_owned()));
        }
        for atom in &word.atoms {
            text.push(match atom {
                Atom::Text(text) if interprets => Atom::Text(unescape(text)),
                other => other.clone(),
            });
        }
    }
    if ends_line {
        text.push(Atom::Text("\n".to_owned()));
    }
    Stream::Text(text)
}

fn printf(rest: &[Argument]) -> Stream {
    let Some((format, mut words)) = rest.split_first() else { return Stream::Unknown };
    let Some(format) = format.known() else { return Stream::Unknown };
    let format = unescape(format);
    let mut text = Argument::default();
    let mut length = 0;
    loop {
        let mut rest = format.as_str();
        let taken = words.len();
        while let Some(at) = rest.find('%') {
            text.push(Atom::Text(rest[..at].to_owned()));
            length += at;
            let directive = rest[at + 1..].chars().next();
            match directive {
                Some('%') => text.push(Atom::Text("%".to_owned())),
                Some('s' | 'b' | 'q') => {
                    if let Some((word, others)) = words.split_first() {
                        word.atoms.iter().cloned().for_each(|atom| text.push(atom));
                        length += word.lossy().len();
                        words = others;
                    }
                }
                _ => return Stream::Unknown,
            }
            rest = &rest[at + 2..];
        }
        text.push(Atom::Text(rest.to_owned()));
        length += rest.len();
        if words.is_empty() || words.len() == taken || length > MAX_BYTES {
            return Stream::Text(text);
        }
    }
}

/// Escapes of `echo -e` and `printf`.
fn unescape(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            clean.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => clean.push('\n'),
            Some('t') => clean.push('\t'),
            Some('x') => {
                let digits: String = letters.clone().take(2).take_while(char::is_ascii_hexdigit).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                clean.extend(code);
                letters.by_ref().take(digits.len()).for_each(drop);
            }
            Some('0') => {
                let digits: String = letters.clone().take(3).take_while(|digit| digit.is_digit(8)).collect();
                let code = u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32);
                clean.extend(code);
                letters.by_ref().take(digits.len()).for_each(drop);
            }
            Some('\\') | None => clean.push('\\'),
            Some(other) => clean.extend(['\\', other]),
        }
    }
    clean
}

fn git(walker: &Walker<'_>, rest: &[Argument]) -> Stream {
    let words: Option<Vec<&str>> = rest.iter().map(Argument::known).collect();
    let folder = walker.scope.folder(walker.surroundings);
    let branch = || walker.surroundings.facts.current_branch(&folder);
    match words.as_deref() {
        Some(["rev-parse", "--show-toplevel"]) => text_of(&folder.to_string_lossy()),
        Some(
            ["branch", "--show-current"]
            | ["rev-parse", "--abbrev-ref", "HEAD"]
            | ["symbolic-ref", "--short", "HEAD" | "-q"]
            | ["symbolic-ref", "--short", "-q", "HEAD"],
        ) => branch().map_or(Stream::Unknown, |branch| text_of(&branch)),
        _ => Stream::Unknown,
    }
}
