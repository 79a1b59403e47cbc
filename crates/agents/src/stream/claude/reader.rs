//! Parser of Claude Code's events.
//!
//! The last `result` line decides: `is_error`, `terminal_reason` and a text. Neither the exit code nor
//! `subtype` does: an API error has the subtype `success`, and a prompt that a hook refused ends with code 0. A
//! client that was ended while more turns were to come has not answered.

use super::turns::Turns;
use super::usage::ResultUsage;
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::stream::event::Object;
use crate::stream::output_record::{OutputRecord, failure, needs_attention};
use crate::stream::reader::{OutputReader, ProcessEnd};
use crate::stream::{clean, failure_text};
use charrette_model::checkpoint::Usage;
use std::time::{Duration, SystemTime};

/// Maximum number of line ids that are remembered.
const MAX_IDS: usize = 1024;

#[derive(Debug)]
pub(in crate::stream) struct ClaudeReader {
    record: OutputRecord,
    earlier: Option<Usage>,
    now: fn() -> SystemTime,
    turns: Turns,
    /// Ids of the lines read so far.
    seen: Vec<String>,
    answer: Option<Result<String, Failure>>,
    usage: ResultUsage,
    /// Error that the client is retrying.
    retrying: Option<Failure>,
}

impl ClaudeReader {
    pub(in crate::stream) fn new(max_bytes: usize, earlier: Option<&Usage>) -> ClaudeReader {
        ClaudeReader {
            record: OutputRecord::new(max_bytes),
            earlier: earlier.cloned(),
            now: SystemTime::now,
            turns: Turns::default(),
            seen: Vec::new(),
            answer: None,
            usage: ResultUsage::default(),
            retrying: None,
        }
    }
}

impl OutputReader for ClaudeReader {
    fn read_line(&mut self, line: &[u8]) {
        let line = clean::line(line);
        let Some(event) = self.record.event(&line) else { return };
        self.record.session(event.text("session_id"));
        match event.text("type").as_deref() {
            Some("system") => self.read_system(&event),
            Some("assistant") => self.read_assistant(&event),
            Some("user") => self.read_tool_results(&event),
            Some("rate_limit_event") => self.read_rate_limit(&event),
            Some("result") => self.read_result(&event),
            _ => {}
        }
    }

    fn is_complete(&self) -> bool {
        self.answer.is_some() && self.turns.are_finished()
    }

    fn pending_failure(&self) -> Option<FailureKind> {
        if self.record.exceeds_limit() {
            return Some(FailureKind::OutputLimit);
        }
        needs_attention(self.retrying.as_ref())
    }

    fn outcome(mut self: Box<Self>, end: &ProcessEnd<'_>) -> Outcome {
        let answer = match self.answer.take() {
            Some(Err(failure)) => Err(failure),
            Some(_) if !self.turns.have_results() => {
                Err(self.missing_answer(end, "ended in a turn that followed its last result"))
            }
            Some(_) if end.was_signalled() && self.turns.expect_more() => {
                Err(self.missing_answer(end, "ended before its background tasks"))
            }
            Some(Ok(answer)) => Ok(answer),
            None => Err(self.missing_answer(end, "no result")),
        };
        if answer.is_ok() && self.turns.have_running_command() {
            self.record.note("it answered while a command it had started was still running");
        }
        let usage = self.usage.of_process(self.earlier.as_ref());
        self.record.outcome(answer, usage, self.usage.session)
    }
}

impl ClaudeReader {
    fn read_system(&mut self, event: &Object<'_>) {
        match event.text("subtype").as_deref() {
            Some("init") => self.read_init(event),
            Some("api_retry") => self.read_retry(event),
            Some("permission_denied") => {
                self.record.deny(event.text("tool_use_id"), &event.text("tool_name").unwrap_or_default());
            }
            Some("task_started") => self.turns.task_started(event),
            Some("task_updated") => self.turns.task_updated(event),
            Some("task_notification") => self.turns.task_notified(event),
            Some("background_tasks_changed") => self.turns.tasks_changed(event),
            _ => {}
        }
    }

    /// A tool that the seat does not have is reported as an error of the tool, not as a denial.
    fn read_tool_results(&mut self, event: &Object<'_>) {
        let results = event.object("message").map(|message| message.objects("content")).unwrap_or_default();
        for result in results.iter().filter(|result| result.flag("is_error") == Some(true)) {
            let content = result.text("content").unwrap_or_default();
            let Some((_, missing)) = content.split_once("No such tool available: ") else { continue };
            let tool = missing.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            self.record.deny(result.text("tool_use_id"), tool);
        }
    }

    fn read_init(&mut self, event: &Object<'_>) {
        if self.is_repeated(event) {
            return;
        }
        self.turns.start_turn();
        if self.record.model.is_none() {
            self.record.model(event.text("model"));
        }
        for server in event.objects("mcp_servers") {
            let (name, status) = (server.text("name"), server.text("status"));
            if let (Some(name), Some(status @ ("failed" | "needs-auth"))) = (name, status.as_deref()) {
                self.record.note(&format!("MCP server {name}: {status}"));
            }
        }
    }

    fn read_assistant(&mut self, event: &Object<'_>) {
        let Some(message) = event.object("message") else { return };
        let model = message.text("model");
        let is_real = model.as_ref().is_some_and(|model| !model.starts_with('<'));
        if is_real && event.text("error").is_none() {
            self.retrying = None;
        }
        let is_main = event.text("parent_tool_use_id").is_none();
        if is_main {
            self.record.model(model);
        }
    }

    /// The client retries after a wait.
    fn read_retry(&mut self, event: &Object<'_>) {
        let status = event.status("error_status");
        let error = event.text("error").unwrap_or_default();
        let kind = match failure_text::classify(status, &error) {
            Some(FailureKind::RateLimit { retry_after: None }) => FailureKind::RateLimit {
                retry_after: event.count("retry_delay_ms").map(Duration::from_millis),
            },
            Some(kind) => kind,
            None => FailureKind::Service { status },
        };
        let attempt = event.count("attempt").unwrap_or_default();
        let status = status.map_or("no status".to_owned(), |status| status.to_string());
        self.retrying = Some(failure(kind, &format!("{error} ({status}), attempt {attempt}")));
    }

    /// Rate limit of the subscription; only `rejected` means that it is reached.
    fn read_rate_limit(&mut self, event: &Object<'_>) {
        let Some(limits) = event.object("rate_limit_info") else { return };
        let is_reached = limits.is("status", "rejected") && limits.flag("isUsingOverage") != Some(true);
        if !is_reached {
            return;
        }
        let retry_after = limits.count("resetsAt").and_then(|at| self.time_until(at));
        let which = limits.text("rateLimitType").unwrap_or_default();
        self.retrying =
            Some(failure(FailureKind::RateLimit { retry_after }, &format!("rate limit reached {which}")));
    }

    /// Time until a moment that is given in seconds, or in milliseconds, since 1970.
    fn time_until(&self, at: u64) -> Option<Duration> {
        let seconds = if at > 100_000_000_000 { at / 1000 } else { at };
        let at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
        Some(at.duration_since((self.now)()).unwrap_or_default())
    }

    fn read_result(&mut self, event: &Object<'_>) {
        if self.is_repeated(event) {
            return;
        }
        self.turns.finish_turn(event);
        self.usage.add(event);
        for denial in event.objects("permission_denials") {
            self.record.deny(denial.text("tool_use_id"), &denial.text("tool_name").unwrap_or_default());
        }
        if self.record.model.is_none() {
            let models = event.object("modelUsage");
            let first = models.and_then(|models| models.members().next().map(|(name, _)| name.to_owned()));
            self.record.model(first);
        }
        // The earlier one is superseded, and two are not held.
        self.answer = None;
        let answer = self.parse_answer(event);
        if answer.is_ok() {
            self.retrying = None;
        }
        self.answer = Some(answer);
    }

    /// The answer of a result, or the failure it reports.
    fn parse_answer(&mut self, event: &Object<'_>) -> Result<String, Failure> {
        let mut text = String::new();
        self.record.append(&mut text, &event.text("result").unwrap_or_default());
        if text.trim().is_empty()
            && let Some(structured) = event.object("structured_output").and(event.raw("structured_output"))
        {
            self.record.append(&mut text, structured);
        }
        let reason = event.text("terminal_reason");
        let is_error = event.flag("is_error") != Some(false);
        let subtype = event.text("subtype").unwrap_or_default();
        let message = match text.trim() {
            "" => event.texts("errors").join("; "),
            message => message.to_owned(),
        };
        match reason.as_deref() {
            Some("prompt_too_long" | "max_turns" | "budget_exhausted") => {
                Err(failure(FailureKind::Limit, &message))
            }
            _ if subtype.starts_with("error_max_") => Err(failure(FailureKind::Limit, &message)),
            Some(reason) if reason.starts_with("aborted") => Err(no_answer(&format!("stopped: {reason}"))),
            _ if is_error => Err(self.service_error(event.status("api_error_status"), &message)),
            Some("completed") | None if event.count("num_turns") == Some(0) => {
                Err(no_answer(&format!("its prompt was refused: {message}")))
            }
            Some("completed") | None if text.trim().is_empty() => Err(no_answer("its answer is empty")),
            Some("completed") | None => Ok(text),
            Some(reason) => Err(no_answer(&format!("stopped before it answered: {reason} {message}"))),
        }
    }

    fn service_error(&self, status: Option<u16>, message: &str) -> Failure {
        let retried = self.retrying.as_ref().map(|failure| failure.kind);
        let kind = match failure_text::classify(status, message) {
            // The message has the wait, or the event before it had.
            Some(FailureKind::RateLimit { retry_after: None }) => match (self.reset_in(message), retried) {
                (None, Some(retried @ FailureKind::RateLimit { .. })) => retried,
                (retry_after, _) => FailureKind::RateLimit { retry_after },
            },
            Some(kind) => kind,
            None => retried.unwrap_or(FailureKind::Service { status }),
        };
        let message = if message.is_empty() { "it gave no reason" } else { message };
        failure(kind, message)
    }

    /// The wait in messages of older versions: `…usage limit reached|1794767572`.
    fn reset_in(&self, message: &str) -> Option<Duration> {
        self.time_until(message.rsplit_once('|')?.1.trim().parse().ok()?)
    }

    /// The reason there is no answer, by the best evidence.
    fn missing_answer(&self, end: &ProcessEnd<'_>, what: &str) -> Failure {
        if let Some(retrying) = &self.retrying {
            return retrying.clone();
        }
        // Before it speaks JSON, the client may say on standard output that it is not logged in.
        let plain = if end.code == Some(0) { "" } else { self.record.plain_start() };
        let known = |stderr| {
            let end = ProcessEnd { stderr, ..*end };
            Some((failure_text::classify(None, end.last_stderr_line())?, end))
        };
        let (kind, end) =
            [end.stderr, plain].into_iter().find_map(known).unwrap_or((FailureKind::NoAnswer, *end));
        failure(kind, &format!("{what}: {}", end.describe()))
    }

    /// True if this line was read before.
    fn is_repeated(&mut self, event: &Object<'_>) -> bool {
        let Some(id) = event.text("uuid").filter(|id| id.len() <= 128) else { return false };
        let known = self.seen.contains(&id);
        if !known && self.seen.len() < MAX_IDS {
            self.seen.push(id);
        }
        known
    }
}

fn no_answer(message: &str) -> Failure {
    failure(FailureKind::NoAnswer, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: ProcessEnd<'static> = ProcessEnd { code: Some(0), signal: None, stderr: "" };
    const KILLED: ProcessEnd<'static> = ProcessEnd { code: None, signal: Some(15), stderr: "" };

    /// Asked to end, it exits by itself.
    const TERMINATED: ProcessEnd<'static> = ProcessEnd { code: Some(143), signal: None, stderr: "" };

    fn reader(lines: &[&str]) -> Box<ClaudeReader> {
        let mut reader = ClaudeReader::new(1 << 20, None);
        reader.now = || SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        for line in lines {
            reader.read_line(line.as_bytes());
        }
        Box::new(reader)
    }

    fn result(members: &str) -> String {
        format!(
            r#"{{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","num_turns":1,{members}}}"#
        )
    }

    #[test]
    fn exit_code_0_and_the_word_success_make_no_answer() {
        let cases = [
            (
                r#""is_error":false,"terminal_reason":null,"num_turns":0,"result":"blocked by hook""#,
                FailureKind::NoAnswer,
                "its prompt was refused: blocked by hook",
            ),
            (
                r#""is_error":false,"terminal_reason":"tool_deferred","num_turns":1,"result":"""#,
                FailureKind::NoAnswer,
                "stopped before it answered: tool_deferred",
            ),
            (
                r#""is_error":false,"terminal_reason":"hook_stopped","num_turns":1,"result":"half""#,
                FailureKind::NoAnswer,
                "stopped before it answered: hook_stopped half",
            ),
            (
                r#""is_error":false,"terminal_reason":"something_new","num_turns":1,"result":"half""#,
                FailureKind::NoAnswer,
                "stopped before it answered: something_new half",
            ),
            (
                r#""is_error":false,"terminal_reason":"completed","num_turns":3,"result":"  ""#,
                FailureKind::NoAnswer,
                "its answer is empty",
            ),
            (
                r#""is_error":true,"terminal_reason":"aborted_streaming","num_turns":1"#,
                FailureKind::NoAnswer,
                "stopped: aborted_streaming",
            ),
            (
                r#""terminal_reason":"completed","num_turns":1,"result":"no is_error""#,
                FailureKind::Service { status: None },
                "no is_error",
            ),
            (
                r#""is_error":true,"num_turns":1,"result":"Claude AI usage limit reached|1600""#,
                FailureKind::RateLimit { retry_after: Some(Duration::from_mins(10)) },
                "Claude AI usage limit reached|1600",
            ),
            (
                r#""is_error":true,"num_turns":1,"subtype":"error_during_execution","errors":["a","b"]"#,
                FailureKind::Service { status: None },
                "a; b",
            ),
        ];
        for (members, kind, message) in cases {
            let line = format!(r#"{{"type":"result",{members}}}"#);
            let outcome = reader(&[&line]).outcome(&ENDED);
            assert_eq!(outcome.answer, Err(Failure { kind, message: message.into() }), "{members}");
        }
    }

    #[test]
    fn rate_limits_are_reported_until_the_client_works_again() {
        let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"retry_delay_ms":1500,"error_status":429,"error":"rate_limit"}"#;
        let rejected = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":4600,"rateLimitType":"five_hour"}}"#;
        let synthetic =
            r#"{"type":"assistant","error":"rate_limit","message":{"model":"<synthetic>","content":[]}}"#;
        let works = r#"{"type":"assistant","message":{"model":"m","content":[]}}"#;
        let limit =
            |millis| Some(FailureKind::RateLimit { retry_after: Some(Duration::from_millis(millis)) });
        assert_eq!(reader(&[retry]).pending_failure(), limit(1500));
        assert_eq!(reader(&[rejected]).pending_failure(), limit(3_600_000));
        assert_eq!(reader(&[rejected, synthetic]).pending_failure(), limit(3_600_000));
        assert_eq!(reader(&[retry, works]).pending_failure(), None);
        for harmless in [
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":4600}}"#,
            r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","isUsingOverage":true}}"#,
            r#"{"type":"rate_limit_event","rate_limit_info":"rejected"}"#,
            r#"{"type":"rate_limit_event"}"#,
            r#"{"type":"system","subtype":"api_retry","error_status":529,"error":"overloaded"}"#,
        ] {
            assert_eq!(reader(&[harmless]).pending_failure(), None, "{harmless}");
        }
        let refused = r#"{"type":"result","is_error":true,"num_turns":1,"result":"You've hit your limit · resets 2pm"}"#;
        let outcome = reader(&[rejected, refused]).outcome(&ENDED);
        assert_eq!(outcome.answer.unwrap_err().kind, limit(3_600_000).unwrap());
    }

    #[test]
    fn background_tasks_delay_completion() {
        let init = |n: u8| format!(r#"{{"type":"system","subtype":"init","uuid":"i{n}"}}"#);
        let (first, second) = (init(1), init(2));
        let started = r#"{"type":"system","subtype":"task_started","task_id":"t","task_type":"local_agent"}"#;
        let shell = r#"{"type":"system","subtype":"task_started","task_id":"t","task_type":"local_bash"}"#;
        let ended = r#"{"type":"system","subtype":"task_notification","task_id":"t","status":"completed"}"#;
        let stopped = r#"{"type":"system","subtype":"task_notification","task_id":"t","status":"stopped"}"#;
        let none = r#"{"type":"system","subtype":"background_tasks_changed","tasks":[]}"#;
        let one = result(r#""result":"one","uuid":"r1""#);
        let two = result(r#""result":"two","uuid":"r2""#);
        let queued = result(r#""result":"one","queued_turn_count":1"#);
        let cases: &[(&str, &[&str], bool, Option<&str>)] = &[
            ("one turn", &[&first, &one], true, Some("one")),
            ("a lone result", &[&one], true, Some("one")),
            ("a turn is queued", &[&first, &queued], false, None),
            ("an agent runs", &[&first, started, &one], false, None),
            ("it ended, nobody was woken yet", &[&first, started, &one, ended, none], false, None),
            ("somebody was woken", &[&first, started, &one, ended, &second], false, None),
            ("and answered", &[&first, started, &one, ended, &second, &two], true, Some("two")),
            ("it ended within the turn", &[&first, started, ended, &one], true, Some("one")),
            ("results are held back", &[&first, started, ended, &second, &one], false, None),
            ("and come together", &[&first, started, ended, &second, &one, &two], true, Some("two")),
            ("the same result twice", &[&first, &second, &one, &one], false, None),
            ("the same turn twice", &[&first, &first, &one], true, Some("one")),
            ("all tasks are gone", &[&first, started, none, &one], true, Some("one")),
            ("a shell was left", &[&first, shell, &one], false, Some("one")),
            ("a shell was stopped with its parent", &[&first, shell, &one, stopped, none], true, Some("one")),
            ("an agent was stopped with its parent", &[&first, started, &one, stopped, none], false, None),
            ("an agent was stopped by its parent", &[&first, started, stopped, &one], true, Some("one")),
            ("no result", &[&first], false, None),
        ];
        for (what, lines, complete, answer) in cases {
            assert_eq!(reader(lines).is_complete(), *complete, "{what}");
            for end in [KILLED, TERMINATED] {
                let outcome = reader(lines).outcome(&end);
                assert_eq!(outcome.answer.as_deref().ok(), *answer, "{what}");
            }
        }
    }

    #[test]
    fn usage_is_this_processes_and_a_guessed_price_is_none() {
        let model = |input: u64, usd: f64, basis: &str| {
            format!(
                r#"{{"m":{{"inputTokens":{input},"outputTokens":1,"cacheReadInputTokens":5,"cacheCreationInputTokens":2,"costUSD":{usd},"costBasis":"{basis}"}}}}"#
            )
        };
        let usage = |input, output, cached, usd| Usage { input, output, cached, usd };
        let earlier = usage(102, 1, 5, Some(0.5));
        let json_mode =
            result(&format!(r#""result":"a","total_cost_usd":1.5,"modelUsage":{}"#, model(200, 1.5, "list")));
        let mut reader = ClaudeReader::new(1000, Some(&earlier));
        reader.read_line(json_mode.as_bytes());
        let outcome = Box::new(reader).outcome(&ENDED);
        assert_eq!(outcome.usage, Some(usage(100, 0, 0, Some(1.0))));
        assert_eq!(outcome.session_total, Some(usage(202, 1, 5, Some(1.5))));

        let stream = result(&format!(
            r#""result":"a","total_cost_usd":1.5,"modelUsage":{},"model_usage_since_last_result":{}"#,
            model(200, 1.5, "unknown"),
            model(100, 1.0, "unknown")
        ));
        let mut reader = ClaudeReader::new(1000, Some(&earlier));
        reader.read_line(stream.as_bytes());
        let outcome = Box::new(reader).outcome(&ENDED);
        assert_eq!(outcome.usage, Some(usage(102, 1, 5, None)));
        assert_eq!(outcome.session_total, Some(usage(202, 1, 5, None)));

        let bare = result(r#""result":"a","usage":{"input_tokens":3,"output_tokens":2}"#);
        let mut reader = ClaudeReader::new(1000, Some(&earlier));
        reader.read_line(bare.as_bytes());
        assert_eq!(Box::new(reader).outcome(&ENDED).usage, Some(usage(3, 2, 0, None)));
    }

    #[test]
    fn an_mcp_server_that_failed_is_a_note_and_a_structured_answer_is_one() {
        let init = r#"{"type":"system","subtype":"init","mcp_servers":[{"name":"a","status":"failed"},{"name":"b","status":"connected"}]}"#;
        let structured = result(r#""result":"","structured_output":{"a": 1}"#);
        let outcome = reader(&[init, &structured]).outcome(&ENDED);
        assert_eq!(outcome.notes, ["MCP server a: failed"]);
        assert_eq!(outcome.answer.as_deref(), Ok(r#"{"a": 1}"#));
    }
}
