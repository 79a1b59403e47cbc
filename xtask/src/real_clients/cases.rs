//! Test cases of a client, as data: script of the model, arguments of charrette, expected end.

use super::clients::{Client, call};
use serde_json::{Value, json};

/// Final answer of the model.
pub(super) const ANSWER: &str = "The needle is in the haystack.";

/// One thing that is done to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// `charrette agents` knows its version.
    Found,
    /// `charrette agents probe` says that it works.
    Probe,
    /// It reads a file in a read-only seat, and answers.
    Answer,
    /// It tries to write in a read-only seat.
    RefusedWrite,
    /// It writes where it may.
    Write,
    /// Its vendor's service fails.
    ServiceError,
    /// Its vendor does not accept the key.
    WrongKey,
    /// A rate limit longer than the maximum wait.
    RateLimit,
    /// Its vendor never answers.
    Hang,
}

/// Expected end of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With the answer.
    Answered,
    /// Without, for one of these reasons.
    Failed(&'static [&'static str]),
    /// The command says something else than what became of a call.
    Listed,
}

impl Case {
    /// Cases that apply to a client.
    pub(super) fn of(client: &Client) -> Vec<Case> {
        let all = [
            // Slow cases first, to keep all workers busy.
            Case::Hang,
            Case::ServiceError,
            Case::RateLimit,
            Case::WrongKey,
            Case::Answer,
            Case::RefusedWrite,
            Case::Write,
            Case::Probe,
            Case::Found,
        ];
        let fits = |case: &Case| match case {
            Case::Found | Case::Write => client.is_built_in(),
            Case::RefusedWrite => client.has_tools(),
            _ => true,
        };
        all.into_iter().filter(fits).collect()
    }

    /// Its name, with the client's.
    pub(super) fn name(self, client: &Client) -> String {
        let name = match self {
            Case::Found => "found",
            Case::Probe => "probe",
            Case::Answer => "answer",
            Case::RefusedWrite => "refused-write",
            Case::Write => "write",
            Case::ServiceError => "service-error",
            Case::WrongKey => "wrong-key",
            Case::RateLimit => "rate-limit",
            Case::Hang => "hang",
        };
        format!("{}/{name}", client.name)
    }

    /// Script of the model.
    pub(super) fn script(self, client: &Client, repository: &str) -> Value {
        let answer = json!({"text": ANSWER, "usage": {"input": 2000, "output": 20, "cached": 500}});
        let turns = match self {
            Case::Found => json!([]),
            Case::Probe => json!([{"text": "OK"}]),
            Case::Answer => match client.read {
                Some(read) => {
                    let reading =
                        json!({"calls": [call(read, repository)], "usage": {"input": 1000, "output": 10}});
                    json!([reading, answer])
                }
                None => json!([answer]),
            },
            Case::RefusedWrite | Case::Write => {
                let escapes = if self == Case::Write { &[][..] } else { client.escapes };
                let writing = escapes
                    .iter()
                    .chain(client.writes)
                    .map(|write| json!({"calls": [call(*write, repository)]}));
                writing.chain([answer]).collect()
            }
            // Clients that can be told so try again at once.
            Case::ServiceError => {
                json!([{"status": 500, "message": "out of order", "headers": {"retry-after-ms": "10"}}])
            }
            Case::WrongKey => json!([{"status": 401, "message": "invalid api key"}]),
            Case::RateLimit => {
                json!([{"status": 429, "message": "rate limit reached, try again later", "headers": {"retry-after-ms": "10"}}])
            }
            Case::Hang => json!([{"hang": true}]),
        };
        let mut script = json!({"order": "history", "turns": turns});
        // Some clients also ask for a title, without tools. An endpoint is never given any.
        if client.has_tools() {
            script["side"] = json!({"text": "A title"});
        }
        script
    }

    /// Arguments of charrette.
    pub(super) fn arguments(self, client: &Client) -> Vec<String> {
        let words: &[&str] = match self {
            Case::Found => &["agents", "--json"],
            Case::Probe => &["agents", "probe", client.name, "--json"],
            _ => &[
                "ask",
                "--json",
                "--timeout",
                "100",
                "--prompt-file",
                "../prompt.md",
                "--output",
                "../answer.md",
                "--agent",
                client.name,
            ],
        };
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if self == Case::Write {
            words.push("--write".to_owned());
        }
        words
    }

    /// Clocks and policies for it.
    pub(super) fn settings(self) -> &'static str {
        match self {
            // The first byte of some comes only with the model's first.
            Case::Hang => "[clocks]\nidle = 6\nfirst_byte = 20\ngrace = 2\n",
            Case::RateLimit => "[policy]\nrate_limit = \"fallback\"\n",
            _ => "",
        }
    }

    /// Expected end.
    pub(super) fn end(self) -> End {
        match self {
            Case::Found | Case::Probe => End::Listed,
            Case::Answer | Case::RefusedWrite | Case::Write => End::Answered,
            Case::ServiceError => End::Failed(&["service"]),
            Case::WrongKey => End::Failed(&["credentials"]),
            Case::RateLimit => End::Failed(&["rate-limit"]),
            Case::Hang => End::Failed(&["timeout-idle", "timeout-first-byte"]),
        }
    }
}
