//! Captured output of real clients, and the expected outcome of each call.

use charrette_agents::outcome::{Failure, FailureKind, Outcome};
use charrette_agents::stream::{OutputFormat, OutputReader, ProcessEnd};
use charrette_model::checkpoint::Usage;
use std::path::{Path, PathBuf};

/// Output limit of the parsers here.
const MOST: usize = 1 << 20;

/// A captured output: its file, its exit code, and its expected outcome, line by line.
type Case = (&'static str, i32, &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "claude-401-retries.jsonl",
        143,
        &[
            "Credentials: authentication_failed (401), attempt 5",
            "model claude-opus-5-5",
            "id 833c3f90-b661-4ac5-893e-e1c42e2ad93c",
        ],
    ),
    (
        "claude-429-retries.jsonl",
        0,
        &[
            "answer \"recovered\"",
            "used 11688 read, 0 cached, 5 written, $0.046852",
            "session 11688 read, 0 cached, 5 written, $0.046852",
            "model claude-opus-5-5",
            "id ebea14f9-6a8b-4cc1-aace-52c99babe523",
        ],
    ),
    (
        "claude-background-shell.jsonl",
        0,
        &[
            "answer \"it is finished\"",
            "used 35189 read, 0 cached, 43 written, $0.141616",
            "session 35189 read, 0 cached, 43 written, $0.141616",
            "model claude-opus-5-5",
            "id f6d6b46a-f446-46d4-8325-933ed959a663",
        ],
    ),
    (
        "claude-mcp-stream.jsonl",
        0,
        &[
            "answer \"mcp done: ECHO:x\\n\\nThis tool's input schema was not in your prompt when you called it. The input schema is: {\\\"type\\\":\\\"object\\\",\\\"properties\\\":{\\\"text\\\":{\\\"type\\\":\\\"string\\\"}},\\\"required\\\":[\\\"text\\\"]}\\nIf your input does not match this schema, correct it and call the tool again. If it matches, the error above has another cause. If the corrected call fails the same way, call ToolSearch with query \\\"select:mcp__echo__fail\\\" to load the tool, then call it again.\"",
            "used 35517 read, 0 cached, 152 written, $0.145108",
            "session 35517 read, 0 cached, 152 written, $0.145108",
            "model claude-opus-5-5",
            "id 25e60f41-b836-4897-96ad-67eaa4abbc1c",
        ],
    ),
    (
        "claude-result-400.json",
        1,
        &[
            "Limit: Prompt is too long · this conversation is a single exchange and cannot be compacted — the request size comes mostly from system prompt, tool definitions, or attachments.",
            "used 0 read, 0 cached, 0 written, $0",
            "session 0 read, 0 cached, 0 written, $0",
            "id f6c34dae-78e4-4d5d-b2f4-4e7989daa5d1",
        ],
    ),
    (
        "claude-result-401.json",
        1,
        &[
            "Credentials: Invalid API key · Fix external API key",
            "used 0 read, 0 cached, 0 written, $0",
            "session 0 read, 0 cached, 0 written, $0",
            "id 65de26e5-0dc8-45c4-82f5-a53703b1e762",
        ],
    ),
    (
        "claude-result-429.json",
        1,
        &[
            "RateLimit { retry_after: None }: API Error: Request rejected (429) · rate limited",
            "used 0 read, 0 cached, 0 written, $0",
            "session 0 read, 0 cached, 0 written, $0",
            "id f9985cfe-df57-43a8-8a38-191693468a18",
        ],
    ),
    (
        "claude-result-500.json",
        1,
        &[
            "Service { status: Some(500) }: API Error: 500 boom. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:35657).",
            "used 0 read, 0 cached, 0 written, $0",
            "session 0 read, 0 cached, 0 written, $0",
            "id fd694c93-fdbb-4874-b52a-3f7788b5d893",
        ],
    ),
    (
        "claude-result-budget.json",
        1,
        &[
            "Limit: Reached maximum budget ($0.01)",
            "used 100000 read, 0 cached, 1000 written, $0.42",
            "session 100000 read, 0 cached, 1000 written, $0.42",
            "model claude-opus-5-5",
            "id 77d09751-7a09-4a47-b61e-c66fc7a32f66",
        ],
    ),
    (
        "claude-result-maxturns.json",
        1,
        &[
            "Limit: Reached maximum number of turns (2)",
            "used 23448 read, 0 cached, 34 written, $0.094472",
            "session 23448 read, 0 cached, 34 written, $0.094472",
            "model claude-opus-5-5",
            "id a1dc1122-c3f1-4cc6-a0d7-b3f0e4d3cc37",
        ],
    ),
    (
        "claude-result-schema.json",
        0,
        &[
            "answer \"{\\\"name\\\":\\\"bob\\\",\\\"n\\\":3}\"",
            "used 11773 read, 0 cached, 18 written, $0.047452",
            "session 11773 read, 0 cached, 18 written, $0.047452",
            "model claude-opus-5-5",
            "id a57bcf4d-f355-438b-bff9-22012fdc2a49",
        ],
    ),
    (
        "claude-result-success.json",
        0,
        &[
            "answer \"Hello from the mock model.\"",
            "used 100 read, 20 cached, 7 written, $0.000544",
            "session 100 read, 20 cached, 7 written, $0.000544",
            "model claude-opus-5-5",
            "id 95d0612d-0e7d-4cfb-8eaa-cb2570a5d8ce",
        ],
    ),
    (
        "claude-resumed.json",
        0,
        &[
            "answer \"three\"",
            "used 3000 read, 600 cached, 30 written, $0.01272",
            "session 3000 read, 600 cached, 30 written, $0.01272",
            "model claude-opus-5-5",
            "id 18e5c7fd-ab9e-4345-9c4d-3b66733bf721",
        ],
    ),
    (
        "claude-resumed.jsonl",
        0,
        &[
            "answer \"two\"",
            "used 1000 read, 300 cached, 10 written, $0.00426",
            "session 2000 read, 600 cached, 20 written, $0.00852",
            "model claude-opus-5-5",
            "id 18e5c7fd-ab9e-4345-9c4d-3b66733bf721",
        ],
    ),
    (
        "claude-shell-left.jsonl",
        143,
        &[
            "answer \"waiting for it\"",
            "used 23236 read, 0 cached, 33 written, $0.093604",
            "session 23236 read, 0 cached, 33 written, $0.093604",
            "model claude-opus-5-5",
            "id d140d984-a3ad-403b-9ab9-7eae1e4ac2ea",
            "note it answered while a command it had started was still running",
        ],
    ),
    (
        "claude-stream-hook-events.jsonl",
        0,
        &[
            "answer \"All done.\"",
            "used 35415 read, 0 cached, 75 written, $0.14316",
            "session 35415 read, 0 cached, 75 written, $0.14316",
            "model claude-opus-5-5",
            "id 6bf36db9-e8c8-43ca-9add-6a1e8691a5f2",
            "denied Write",
            "denied Bash",
        ],
    ),
    (
        "claude-stream-input.jsonl",
        0,
        &[
            "answer \"second\"",
            "used 23401 read, 0 cached, 8 written, $0.093764",
            "session 23401 read, 0 cached, 8 written, $0.093764",
            "model claude-opus-5-5",
            "id bd8208e5-067b-4235-9f41-7d23e0fa45c3",
        ],
    ),
    (
        "claude-stream-partial.jsonl",
        0,
        &[
            "answer \"Hello partial world, streaming in pieces.\"",
            "used 11688 read, 0 cached, 13 written, $0.047012",
            "session 11688 read, 0 cached, 13 written, $0.047012",
            "model claude-opus-5-5",
            "id 8bbbbb08-b083-41c1-a25c-75d88cabf67b",
        ],
    ),
    (
        "claude-subagent.jsonl",
        0,
        &[
            "answer \"done\"",
            "used 43157 read, 0 cached, 45 written, $0.173528",
            "session 43157 read, 0 cached, 45 written, $0.173528",
            "model claude-opus-5-5",
            "id 6579d7c3-06f3-47f6-8fb2-e6ac91aa0576",
        ],
    ),
    (
        "codex-err401.jsonl",
        1,
        &[
            "Credentials: unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1:37709/v1/responses",
            "id 01a1e074-cdf4-7f81-9a5d-fd46b0d92b57",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "codex-err429.jsonl",
        1,
        &[
            "RateLimit { retry_after: None }: exceeded retry limit, last status: 429 Too Many Requests",
            "id 01a1e074-c58e-7991-bf73-d5bed90a1eea",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "codex-err500.jsonl",
        1,
        &[
            "Service { status: None }: We’re currently experiencing high demand, which may cause temporary errors.",
            "id 01a1e074-bacb-7610-8281-c1b90b6e6d6e",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "codex-exec.jsonl",
        0,
        &[
            "answer \"All done\"",
            "used 53127 read, 0 cached, 99 written, no price",
            "session 53127 read, 0 cached, 99 written, no price",
            "id 01a1e074-6baf-7d12-9fc3-a87c37950170",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "codex-hello.jsonl",
        0,
        &[
            "answer \"Hello from mock\"",
            "used 100 read, 20 cached, 7 written, no price",
            "session 100 read, 20 cached, 7 written, no price",
            "id 01a1e073-f323-7b41-baa9-232bc43dd61d",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "codex-hooks.jsonl",
        0,
        &[
            "answer \"All done\"",
            "used 19712 read, 0 cached, 26 written, no price",
            "session 19712 read, 0 cached, 26 written, no price",
            "id 01a1e080-3663-7543-b0be-b8bfba49aafa",
            "note `--dangerously-bypass-hook-trust` is enabled. Enabled hooks may run without review for this invocation.",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "codex-schema.jsonl",
        0,
        &[
            "answer \"{\\\"ok\\\":true,\\\"n\\\":4}\"",
            "used 10429 read, 0 cached, 8 written, no price",
            "session 10429 read, 0 cached, 8 written, no price",
            "id 01a1e074-85dc-7c62-8666-1a1bf851c2f9",
            "note Model metadata for `mock-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        ],
    ),
    (
        "cursor-hello.jsonl",
        0,
        &[
            "answer \"One file: a README.\"",
            "used 25 read, 5 cached, 7 written, no price",
            "model Composer 2",
            "id c6b62c6f-7ead-4fd6-9922-e952131177ff",
            "denied write",
        ],
    ),
    (
        "cursor-login.stderr.txt",
        1,
        &[
            "Credentials: no result: exit code 1: Error: Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.",
        ],
    ),
    ("cursor-result.json", 0, &["answer \"Hello from Cursor\"", "id c6b62c6f-7ead-4fd6-9922-e952131177ff"]),
    (
        "gemini-429.jsonl",
        0,
        &[
            "answer \"recovered\"",
            "used 8294 read, 0 cached, 5 written, no price",
            "model gemini-2.5-flash",
            "id 4f54aa68-ab2a-469f-b68c-bcb5f91b7489",
        ],
    ),
    ("gemini-err403.stderr.txt", 147, &["Credentials: nope", "id 1dddd0bc-e0b8-4a8b-9f60-968039b98938"]),
    (
        "gemini-hello.json",
        0,
        &[
            "answer \"Hello from mock\"",
            "used 100 read, 0 cached, 7 written, no price",
            "model gemini-2.5-flash",
            "id 23f5239f-4463-462f-b577-cbd7ad505a54",
        ],
    ),
    (
        "gemini-plan.jsonl",
        0,
        &[
            "answer \"could not\"",
            "used 25236 read, 0 cached, 50 written, no price",
            "model gemini-2.5-flash",
            "id 3a40e2db-74dd-4906-88b3-c6ab6cdc6e43",
            "denied write_file",
            "denied run_shell_command",
        ],
    ),
    (
        "gemini-tools.jsonl",
        0,
        &[
            "answer \"All done\"",
            "used 50339 read, 0 cached, 74 written, no price",
            "model gemini-2.5-flash",
            "id 40b9598a-ff04-4a93-850a-e92820515730",
        ],
    ),
    (
        "opencode-denied.jsonl",
        0,
        &[
            "answer \"could not\"",
            "used 17222 read, 0 cached, 50 written, no price",
            "id ses_e1e655cabffesEwc25nGAp2CZz",
            "denied write",
            "denied bash",
        ],
    ),
    (
        "opencode-err400.jsonl",
        1,
        &["Service { status: Some(400) }: nope", "id ses_e1f8814c5ffeydTG9TJpyceR1O"],
    ),
    ("opencode-err401.jsonl", 1, &["Credentials: bad key", "id ses_e1e657aafffenX4AOQ0Izs5p5d"]),
    (
        "opencode-hello.jsonl",
        0,
        &[
            "answer \"Hello from mock\"",
            "used 100 read, 0 cached, 7 written, $0.000114",
            "id ses_e1f897be9ffelRDOKlJK4ZX1qj",
        ],
    ),
    (
        "opencode-tools.jsonl",
        0,
        &[
            "answer \"All done\"",
            "used 31629 read, 0 cached, 72 written, $0.031773",
            "id ses_e1f8868caffeV5mBJSOHoZU0SP",
        ],
    ),
];

#[test]
fn captured_outputs_have_the_expected_outcome() {
    for (file, code, expected) in CASES {
        let capture = Capture::read(file);
        let outcome = capture.outcome(*code);
        assert_eq!(in_lines(&outcome), *expected, "{file}");
    }
}

#[test]
fn every_captured_output_is_in_the_table() {
    let mut files: Vec<String> = fs_err::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| {
            !name.starts_with("acp-")
                && (!name.ends_with(".stderr.txt") || !folder().join(beside(name)).exists())
        })
        .collect();
    files.sort();
    let mut listed: Vec<&str> = CASES.iter().map(|(file, ..)| *file).collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}

#[test]
fn a_client_that_lingers_after_its_answer_has_answered() {
    for (file, ..) in CASES {
        let capture = Capture::read(file);
        let mut reader = capture.reader();
        capture.lines().for_each(|line| reader.read_line(line));
        let complete = reader.is_complete();
        let outcome = reader.outcome(&ProcessEnd { code: None, signal: Some(15), stderr: &capture.stderr });
        if complete {
            // A complete answer does not depend on the end of the process.
            assert_eq!(outcome.answer, capture.outcome(0).answer, "{file}");
        } else {
            assert!(outcome.answer.is_err() || *file == "claude-shell-left.jsonl", "{file}");
        }
    }
}

#[test]
fn an_output_that_breaks_off_makes_no_answer_before_the_line_that_decides() {
    for (file, code, _) in CASES {
        let capture = Capture::read(file);
        let whole = capture.outcome(*code).answer.ok();
        for cut in cuts(&capture.stdout) {
            for code in [Some(0), Some(*code), None] {
                let outcome = Capture { stdout: capture.stdout[..cut].to_vec(), ..capture.clone() }
                    .ended(&ProcessEnd { code, signal: code.is_none().then_some(9), stderr: "" });
                let superseded = SUPERSEDED.iter().find(|(of, ..)| of == file);
                match outcome.answer.ok() {
                    Some(answer) if Some(&answer) == whole.as_ref() => {
                        assert!(cut >= capture.decided_at(usize::MAX), "{file} cut at {cut}: {answer:?}");
                    }
                    Some(answer) => {
                        assert_eq!(
                            Some(answer.as_str()),
                            superseded.map(|(_, answer)| *answer),
                            "{file} cut at {cut}"
                        );
                        assert!(cut >= capture.decided_at(1), "{file} cut at {cut}: {answer:?}");
                    }
                    None => assert!(cut < capture.stdout.len() || whole.is_none(), "{file} cut at {cut}"),
                }
            }
        }
    }
}

/// Outputs in which a later answer supersedes a complete one.
const SUPERSEDED: &[(&str, &str)] =
    &[("claude-stream-input.jsonl", "first"), ("claude-background-shell.jsonl", "waiting for it")];

#[test]
fn pending_failures_are_reported_during_retries() {
    let limit =
        |millis| FailureKind::RateLimit { retry_after: Some(std::time::Duration::from_millis(millis)) };
    let cases = [
        ("claude-401-retries.jsonl", 2, Some(FailureKind::Credentials)),
        ("claude-429-retries.jsonl", 2, Some(limit(1000))),
        ("claude-429-retries.jsonl", 3, None),
        ("codex-err401.jsonl", 4, Some(FailureKind::Credentials)),
        ("codex-err429.jsonl", 4, Some(FailureKind::RateLimit { retry_after: None })),
        ("codex-err500.jsonl", 4, None),
    ];
    for (file, lines, trouble) in cases {
        let capture = Capture::read(file);
        let mut reader = capture.reader();
        capture.lines().take(lines).for_each(|line| reader.read_line(line));
        assert_eq!(reader.pending_failure(), trouble, "{file} after {lines} lines");
    }
    let capture = Capture::read("gemini-429.jsonl");
    let mut reader = capture.reader();
    capture.stderr.lines().for_each(|line| reader.read_stderr_line(line.as_bytes()));
    assert_eq!(reader.pending_failure(), Some(FailureKind::RateLimit { retry_after: None }));
    capture.lines().for_each(|line| reader.read_line(line));
    assert_eq!(reader.pending_failure(), None);
}

#[test]
fn earlier_usage_of_a_resumed_session_is_subtracted() {
    let earlier = Usage { input: 1000, output: 10, cached: 300, usd: Some(0.00426) };
    let own = Usage { input: 1000, output: 10, cached: 300, usd: Some(0.00426) };
    let cases = [("claude-resumed.jsonl", Some(&earlier)), ("claude-resumed.jsonl", None)];
    for (file, earlier) in cases {
        assert_eq!(Capture::read(file).after(earlier).usage.as_ref(), Some(&own), "{file}");
    }
    // The single result of a third call has the usage of the session: the earlier usage must be subtracted.
    let earlier = Usage { input: 2000, output: 20, cached: 600, usd: Some(0.00852) };
    let usage = Capture::read("claude-resumed.json").after(Some(&earlier)).usage;
    assert_eq!(usage, Some(Usage { input: 1000, output: 10, cached: 0, usd: Some(0.0042) }));
}

/// Captured output of a client.
#[derive(Clone)]
pub(crate) struct Capture {
    pub(crate) format: OutputFormat,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Capture {
    pub(crate) fn all() -> Vec<Capture> {
        CASES.iter().map(|(file, ..)| Capture::read(file)).collect()
    }

    fn read(file: &str) -> Capture {
        let format = match file.split('-').next().unwrap() {
            "claude" => OutputFormat::ClaudeStream,
            "codex" => OutputFormat::CodexJsonl,
            "cursor" => OutputFormat::CursorStream,
            "gemini" => OutputFormat::GeminiStream,
            "opencode" => OutputFormat::OpencodeJsonl,
            other => panic!("no reader for {other}"),
        };
        let read = |file: &str| fs_err::read(folder().join(file)).unwrap_or_default();
        let stem = file.split('.').next().unwrap();
        let stderr = String::from_utf8(read(&format!("{stem}.stderr.txt"))).unwrap();
        let stdout = if file.ends_with(".stderr.txt") { Vec::new() } else { read(file) };
        Capture { format, stdout, stderr }
    }

    fn reader(&self) -> Box<dyn OutputReader> {
        self.format.reader(MOST, None)
    }

    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.stdout.split(|byte| *byte == b'\n')
    }

    fn outcome(&self, code: i32) -> Outcome {
        self.ended(&ProcessEnd { code: Some(code), signal: None, stderr: &self.stderr })
    }

    fn ended(&self, end: &ProcessEnd<'_>) -> Outcome {
        let mut reader = self.reader();
        self.lines().for_each(|line| reader.read_line(line));
        reader.outcome(end)
    }

    fn after(&self, earlier: Option<&Usage>) -> Outcome {
        let mut reader = self.format.reader(MOST, earlier);
        self.lines().for_each(|line| reader.read_line(line));
        reader.outcome(&ProcessEnd { code: Some(0), signal: None, stderr: "" })
    }

    /// End offsets of the lines that decide the outcome.
    fn decided_at(&self, nth: usize) -> usize {
        let marks: &[&str] = match self.format {
            OutputFormat::CodexJsonl => &[r#""type":"turn.completed""#],
            OutputFormat::OpencodeJsonl => &[r#""reason":"stop""#],
            _ => &[r#""type":"result""#],
        };
        let mut end = 0;
        let ends = self.lines().filter_map(|line| {
            end += line.len() + 1;
            let text = String::from_utf8_lossy(line);
            marks.iter().any(|mark| text.contains(mark)).then_some(end - 1)
        });
        // The last line of a document decides.
        ends.take(nth).last().unwrap_or_else(|| self.stdout.trim_ascii_end().len())
    }
}

/// Offsets to cut at: every line end, many within lines, and all near the end.
fn cuts(stdout: &[u8]) -> impl Iterator<Item = usize> {
    let end = stdout.len();
    (0..=end).filter(move |at| at % 97 == 0 || at + 40 > end || stdout[*at] == b'\n')
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn beside(stderr: &str) -> String {
    stderr.replace(".stderr.txt", ".jsonl")
}

/// An outcome in readable form.
fn in_lines(outcome: &Outcome) -> Vec<String> {
    let mut lines = vec![match &outcome.answer {
        Ok(text) => format!("answer {text:?}"),
        Err(Failure { kind, message }) => format!("{kind:?}: {message}"),
    }];
    let usage = |usage: &Usage| {
        let usd = usage.usd.map_or("no price".to_owned(), |usd| format!("${usd}"));
        format!("{} read, {} cached, {} written, {usd}", usage.input, usage.cached, usage.output)
    };
    lines.extend(outcome.usage.iter().map(|used| format!("used {}", usage(used))));
    lines.extend(outcome.session_total.iter().map(|used| format!("session {}", usage(used))));
    lines.extend(outcome.model.iter().map(|model| format!("model {model}")));
    lines.extend(outcome.session.iter().map(|session| format!("id {session}")));
    lines.extend(outcome.denied.iter().map(|denied| format!("denied {denied}")));
    lines.extend(outcome.notes.iter().map(|note| format!("note {note}")));
    lines
}
