//! Malformed output: mixed, cut, doubled, deep, enormous. No parser may panic on it, exceed its output limit,
//! or find an answer where there is none.

use crate::fixtures::Capture;
use charrette_agents::outcome::{FailureKind, Outcome};
use charrette_agents::stream::{OutputFormat, ProcessEnd};
use proptest::prelude::*;

const NOISE: &[&[u8]] = &[
    b"",
    b"Warning: something is not quite right",
    b"\x1b[33mwarn\x1b[0m deprecated",
    b"\0\0\0",
    b"\xff\xfe{\"type\":\"result\"",
    b"{",
    b"}",
    b"[]",
    b"null",
    b"{\"type\":\"result\"}",
    b"{\"type\":\"result\",\"is_error\":false}",
    b"{\"type\":\"result\",\"status\":\"success\"}",
    b"{\"type\":\"turn.completed\"}",
    b"{\"type\":\"turn.completed\",\"usage\":[1,2]}",
    b"{\"type\":\"step_finish\",\"part\":{\"reason\":\"stop\",\"tokens\":{\"input\":-3,\"cache\":7}}}",
    b"{\"type\":3,\"part\":null}",
    b"{\"type\":\"assistant\",\"message\":\"\\ud800\"}",
    b"{\"type\":\"system\",\"subtype\":\"task_started\"}",
    b"{\"type\":\"result\",\"usage\":{\"input_tokens\":1e400}}",
    b"{\"type\":\"result\",\"usage\":{\"input_tokens\":99999999999999999999999}}",
];

#[test]
fn noise_alone_is_no_answer() {
    for format in OutputFormat::ALL.into_iter().filter(|format| *format != OutputFormat::Text) {
        for noise in NOISE {
            let outcome = read(format, &[noise], &ENDED);
            assert!(outcome.answer.is_err(), "{format:?} {}", String::from_utf8_lossy(noise));
        }
        assert!(read(format, NOISE, &ENDED).answer.is_err(), "{format:?}");
    }
}

#[test]
fn warnings_between_the_lines_change_nothing_but_the_notes() {
    let warnings: [&[u8]; 4] = [b"Warning: x", b"\x1b[33mwarn\x1b[0m", b"\xff\xfe", b"(node:12) [DEP0040]"];
    for capture in Capture::all() {
        // A document over several lines is one unit.
        if capture.stdout.starts_with(b"{\n") {
            continue;
        }
        let clean: Vec<&[u8]> = capture.stdout.split(|byte| *byte == b'\n').collect();
        let mixed: Vec<&[u8]> = clean.iter().flat_map(|line| [warnings[line.len() % 4], line]).collect();
        let (mut quiet, mut noisy) =
            (read(capture.format, &clean, &ENDED), read(capture.format, &mixed, &ENDED));
        assert_eq!(quiet.notes.len() + 1, noisy.notes.len());
        (quiet.notes, noisy.notes) = (Vec::new(), Vec::new());
        assert_eq!(quiet, noisy);
    }
}

#[test]
fn lines_in_colour_and_with_carriage_returns_are_read() {
    for capture in Capture::all() {
        let clean: Vec<&[u8]> = capture.stdout.split(|byte| *byte == b'\n').collect();
        let coloured: Vec<Vec<u8>> = clean
            .iter()
            .map(|line| {
                if line.len() > 1 {
                    [b"\x1b[2K\x1b[0;32m", *line, b"\x1b[0m\r"].concat()
                } else {
                    line.to_vec()
                }
            })
            .collect();
        let coloured: Vec<&[u8]> = coloured.iter().map(Vec::as_slice).collect();
        assert_eq!(read(capture.format, &clean, &ENDED), read(capture.format, &coloured, &ENDED));
    }
}

#[test]
fn every_line_twice_is_the_same_call() {
    for capture in Capture::all().into_iter().filter(|capture| capture.format != OutputFormat::GeminiStream) {
        let clean: Vec<&[u8]> = capture.stdout.split(|byte| *byte == b'\n').collect();
        let doubled: Vec<&[u8]> = clean.iter().flat_map(|line| [*line, *line]).collect();
        let (once, twice) = (read(capture.format, &clean, &ENDED), read(capture.format, &doubled, &ENDED));
        // Cursor's lines have no ids, so messages between two calls are doubled.
        if capture.format == OutputFormat::CursorStream {
            assert_eq!(once.answer.is_ok(), twice.answer.is_ok());
        } else {
            assert_eq!(once, twice);
        }
    }
}

#[test]
fn an_answer_keeps_no_control_characters() {
    let raw = r"a\u0000b\u001b[31mc\u001b[0m\td\n\u0007e";
    let lines: [(OutputFormat, String); 5] = [
        (
            OutputFormat::ClaudeStream,
            format!(r#"{{"type":"result","is_error":false,"num_turns":1,"result":"{raw}"}}"#),
        ),
        (OutputFormat::CursorStream, format!(r#"{{"type":"result","is_error":false,"result":"{raw}"}}"#)),
        (OutputFormat::GeminiStream, format!(r#"{{"response":"{raw}"}}"#)),
        (
            OutputFormat::CodexJsonl,
            format!(
                "{{\"type\":\"item.completed\",\"item\":{{\"type\":\"agent_message\",\"text\":\"{raw}\"}}}}\n{{\"type\":\"turn.completed\"}}"
            ),
        ),
        (
            OutputFormat::OpencodeJsonl,
            format!(
                "{{\"type\":\"text\",\"part\":{{\"text\":\"{raw}\"}}}}\n{{\"type\":\"step_finish\",\"part\":{{\"reason\":\"stop\"}}}}"
            ),
        ),
    ];
    for (format, lines) in lines {
        let lines: Vec<&[u8]> = lines.as_bytes().split(|byte| *byte == b'\n').collect();
        assert_eq!(read(format, &lines, &ENDED).answer.as_deref(), Ok("abc\td\ne"), "{format:?}");
    }
    let text = read(OutputFormat::Text, &[b"a\0b\x1b[31mc\x1b[0m\td", b"\x07e\xf0\x9f"], &ENDED);
    assert_eq!(text.answer.as_deref(), Ok("abc\td\ne\u{fffd}\n"));
}

#[test]
fn the_output_limit_bounds_memory() {
    let long = "x".repeat(5000);
    let lines = [
        (OutputFormat::Text, long.clone()),
        (
            OutputFormat::ClaudeStream,
            format!(r#"{{"type":"result","is_error":false,"num_turns":1,"result":"{long}"}}"#),
        ),
        (
            OutputFormat::CursorStream,
            format!(r#"{{"type":"assistant","message":{{"content":[{{"text":"{long}"}}]}}}}"#),
        ),
        (
            OutputFormat::GeminiStream,
            format!(r#"{{"type":"message","role":"assistant","content":"{long}","delta":true}}"#),
        ),
        (
            OutputFormat::CodexJsonl,
            format!(r#"{{"type":"item.completed","item":{{"type":"agent_message","text":"{long}"}}}}"#),
        ),
        (OutputFormat::OpencodeJsonl, format!(r#"{{"type":"text","part":{{"text":"{long}"}}}}"#)),
    ];
    for (format, line) in lines {
        let mut reader = format.reader(4096, None);
        reader.read_line(line.as_bytes());
        assert_eq!(reader.pending_failure(), Some(FailureKind::OutputLimit), "{format:?}");
        assert_eq!(reader.outcome(&ENDED).answer.unwrap_err().kind, FailureKind::OutputLimit, "{format:?}");
    }
}

#[test]
fn a_document_that_never_ends_is_not_held_for_ever() {
    let mut reader = OutputFormat::GeminiStream.reader(4096, None);
    reader.read_line(b"{");
    for _ in 0..100_000 {
        reader.read_line(b"  \"a\": 1,");
    }
    assert_eq!(reader.pending_failure(), Some(FailureKind::OutputLimit));
}

#[test]
fn depth_is_no_danger() {
    let deep = [b"{\"type\":\"result\",\"result\":".as_slice(), &b"[{\"a\":".repeat(200_000)].concat();
    let closed = [deep.as_slice(), b"1", &b"}]".repeat(200_000), b"}"].concat();
    for format in OutputFormat::ALL.into_iter().filter(|format| *format != OutputFormat::Text) {
        assert!(read(format, &[&deep], &ENDED).answer.is_err());
        assert!(read(format, &[&closed], &ENDED).answer.is_err());
    }
}

#[test]
fn a_line_that_was_cut_is_noted() {
    let cut = b"{\"type\":\"result\",\"is_error\":false,\"num_turns\":1,\"result\":\"the answer is very lon";
    let outcome = read(OutputFormat::ClaudeStream, &[cut], &ENDED);
    assert_eq!(outcome.answer.unwrap_err().kind, FailureKind::NoAnswer);
    assert!(outcome.notes[0].starts_with("one line of its output could not be read: {\"type\":\"result\""));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Lines of all clients and noise, in any order and cut anywhere, through every reader.
    #[test]
    fn any_lines_in_any_order_are_survived(
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 0..40),
        code in prop::option::of(0..256_i32),
        stderr in "[ -~\n{}\"]{0,80}",
    ) {
        let captures = Capture::all();
        let mut lines: Vec<&[u8]> = captures.iter().flat_map(|capture| capture.stdout.split(|byte| *byte == b'\n')).collect();
        lines.extend(NOISE);
        let chosen: Vec<&[u8]> = picks
            .iter()
            .map(|(line, cut, whole)| {
                let line = lines[line.index(lines.len())];
                if *whole { line } else { &line[..cut.index(line.len() + 1)] }
            })
            .collect();
        let end = ProcessEnd { code, signal: code.is_none().then_some(9), stderr: &stderr };
        for format in OutputFormat::ALL {
            let mut reader = format.reader(1 << 16, None);
            for line in &chosen {
                reader.read_line(line);
                reader.read_stderr_line(line);
                let _ = (reader.is_complete(), reader.pending_failure());
            }
            let outcome = reader.outcome(&end);
            if let Ok(answer) = &outcome.answer {
                prop_assert!(!answer.trim().is_empty());
                prop_assert!(!answer.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
            } else if let Err(failure) = &outcome.answer {
                prop_assert!(!failure.message.is_empty() && !failure.message.contains('\n'));
            }
        }
    }

    /// Lines of a client with those of others between them: its own last line decides.
    #[test]
    fn lines_of_other_clients_do_not_change_an_answer(
        own in any::<prop::sample::Index>(),
        others in prop::collection::vec(any::<prop::sample::Index>(), 1..10),
    ) {
        let captures = Capture::all();
        let codex: Vec<&Capture> = captures.iter().filter(|capture| capture.format == OutputFormat::CodexJsonl).collect();
        let foreign: Vec<&[u8]> = captures
            .iter()
            .filter(|capture| capture.format == OutputFormat::ClaudeStream)
            .flat_map(|capture| capture.stdout.split(|byte| *byte == b'\n'))
            .collect();
        let own = codex[own.index(codex.len())];
        let clean: Vec<&[u8]> = own.stdout.split(|byte| *byte == b'\n').collect();
        let mixed: Vec<&[u8]> = clean
            .iter()
            .enumerate()
            .flat_map(|(at, line)| [foreign[others[at % others.len()].index(foreign.len())], *line])
            .collect();
        prop_assert_eq!(read(own.format, &clean, &ENDED), read(own.format, &mixed, &ENDED));
    }

    #[test]
    fn any_bytes_are_survived(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        for format in OutputFormat::ALL.into_iter().filter(|format| *format != OutputFormat::Text) {
            prop_assert!(read(format, &lines, &ENDED).answer.is_err());
        }
    }
}

const ENDED: ProcessEnd<'static> = ProcessEnd { code: Some(0), signal: None, stderr: "" };

fn read(format: OutputFormat, lines: &[&[u8]], end: &ProcessEnd<'_>) -> Outcome {
    let mut reader = format.reader(1 << 20, None);
    for line in lines {
        reader.read_line(line);
    }
    reader.outcome(end)
}
