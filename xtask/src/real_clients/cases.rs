//! Test cases of a client, as data: script of the model, arguments of charrette, expected end.

use super::clients::{Client, tool_call};
use serde_json::{Value, json};

/// Final answer of the model.
pub(super) const ANSWER: &str = "The needle is in the haystack.";

/// Files outside the repository that the shell of a client must not be able to write, relative to it.
pub(super) const ESCAPES: [&str; 5] = [
    "../home/.bashrc",
    "../home/.config/charrette/planted",
    "../home/.local/state/charrette/planted",
    "../outside",
    "../tmp/planted",
];

/// File in the repository that shows that the shell ran.
pub(super) const ESCAPE_PROOF: &str = "shell-ran";

/// Script beside the repository that tries to write every one of [`ESCAPES`].
pub(super) const ESCAPE_SCRIPT: &str = "escape.sh";

/// Content of [`ESCAPE_SCRIPT`].
pub(super) fn escape_script() -> String {
    let attempts = ESCAPES.map(|file| format!("echo x > {file}\npython3 -c 'open(\"{file}\", \"w\")'\n"));
    format!("{}echo x > {ESCAPE_PROOF}\n", attempts.concat())
}

/// Worktrees of two tasks, relative to the repository. The client works in the first.
pub(super) const WORKTREES: [&str; 2] = [
    "../home/.local/state/charrette/worktrees/run/T001",
    "../home/.local/state/charrette/worktrees/run/T002",
];

/// Files that the shell of a client in the first of [`WORKTREES`] must not be able to write, relative to the repository.
pub(super) const WORKTREE_ESCAPES: [&str; 10] = [
    "planted",
    ".git/planted",
    ".git/hooks/pre-commit",
    ".git/refs/heads/planted",
    ".git/refs/charrette/run",
    ".git/worktrees/T001/planted",
    "../home/.local/state/charrette/worktrees/run/T002/planted",
    "../home/.bashrc",
    "../home/.config/charrette/planted",
    "../home/.local/state/charrette/planted",
];

/// Name of a section that the shell tries to add to `.git/config`.
pub(super) const PLANTED_SECTION: &str = "planted-section";

/// Script in the worktree that tries to write every one of [`WORKTREE_ESCAPES`], and `.git/config`.
pub(super) fn worktree_script(repository: &str) -> String {
    let attempts = WORKTREE_ESCAPES.map(|file| {
        let file = format!("{repository}/{file}");
        format!("mkdir -p \"$(dirname '{file}')\"\necho x > '{file}'\npython3 -c 'open(\"{file}\", \"w\")'\n")
    });
    let git = format!(
        "printf '[{PLANTED_SECTION}]\\n' >> '{repository}/.git/config'\ngit config {PLANTED_SECTION}.x y\n\
         git branch planted\ngit commit --allow-empty -m planted\ngit update-ref refs/charrette/run HEAD\n"
    );
    format!("{}{git}echo x > {ESCAPE_PROOF}\n", attempts.concat())
}

/// Test case of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// `charrette agents` lists it with its version.
    Found,
    /// `charrette agents probe` reports it as healthy.
    Probe,
    /// It reads a file in a read-only seat, and answers.
    Answer,
    /// It tries to write in a read-only seat.
    RefusedWrite,
    /// It writes in a seat that may write.
    Write,
    /// Its own shell tries to write outside, in a seat that may write.
    Escape,
    /// It writes in the worktree of a task, and its shell tries to write in the checkout, in `.git` and in another worktree.
    Worktree,
    /// It tries what the hook denies in a seat that may write.
    Hooked,
    /// The service of its vendor fails.
    ServiceError,
    /// Its vendor rejects the key.
    WrongKey,
    /// A rate limit longer than the maximum wait.
    RateLimit,
    /// Its vendor never answers.
    Hang,
}

/// Expected end of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedEnd {
    Answered,
    /// With one of these kinds of failure.
    Failed(&'static [&'static str]),
    /// With a list of agents.
    Listed,
}

impl Case {
    /// Cases that apply to a client.
    pub(super) fn for_client(client: &Client) -> Vec<Case> {
        let all = [
            // Slow cases first, to keep all workers busy.
            Case::Hang,
            Case::ServiceError,
            Case::RateLimit,
            Case::WrongKey,
            Case::Answer,
            Case::RefusedWrite,
            Case::Write,
            Case::Escape,
            Case::Worktree,
            Case::Hooked,
            Case::Probe,
            Case::Found,
        ];
        let applies = |case: &Case| match case {
            Case::Found | Case::Write => client.is_built_in(),
            Case::Escape | Case::Worktree => client.is_built_in() && client.shell.is_some(),
            Case::RefusedWrite => client.has_tools(),
            Case::Hooked => !client.denied_by_hook.is_empty(),
            _ => true,
        };
        all.into_iter().filter(applies).collect()
    }

    /// Name of the case, after that of the client.
    pub(super) fn name(self, client: &Client) -> String {
        let name = match self {
            Case::Found => "found",
            Case::Probe => "probe",
            Case::Answer => "answer",
            Case::RefusedWrite => "refused-write",
            Case::Write => "write",
            Case::Escape => "escape",
            Case::Worktree => "worktree",
            Case::Hooked => "hooked",
            Case::ServiceError => "service-error",
            Case::WrongKey => "wrong-key",
            Case::RateLimit => "rate-limit",
            Case::Hang => "hang",
        };
        format!("{}/{name}", client.name)
    }

    /// Script of the model, for a client that works in that folder.
    pub(super) fn script(self, client: &Client, repository: &str) -> Value {
        let answer = json!({"text": ANSWER, "usage": {"input": 2000, "output": 20, "cached": 500}});
        let turns = match self {
            Case::Found => json!([]),
            Case::Probe => json!([{"text": "OK"}]),
            Case::Answer => match client.read {
                Some((tool, arguments)) => {
                    let read_turn = json!({"calls": [tool_call(tool, arguments, repository)], "usage": {"input": 1000, "output": 10}});
                    json!([read_turn, answer])
                }
                None => json!([answer]),
            },
            Case::RefusedWrite | Case::Write => {
                let escapes = if self == Case::Write { &[][..] } else { client.escapes };
                let write_turns = escapes
                    .iter()
                    .chain(client.writes)
                    .map(|(tool, arguments)| json!({"calls": [tool_call(tool, arguments, repository)]}));
                write_turns.chain([answer]).collect()
            }
            Case::Escape => {
                let (tool, argument) = client.shell.unwrap_or_default();
                // In a script: clients look for paths outside in the commands themselves.
                let command = format!("sh ../{ESCAPE_SCRIPT}");
                let arguments = json!({argument: command, "description": "escape"}).to_string();
                json!([{"calls": [tool_call(tool, &arguments, repository)]}, answer])
            }
            Case::Worktree => {
                let (tool, argument) = client.shell.unwrap_or_default();
                let arguments =
                    json!({argument: format!("sh {ESCAPE_SCRIPT}"), "description": "escape"}).to_string();
                let writes = client.writes.iter().map(|(tool, arguments)| (*tool, (*arguments).to_owned()));
                let turns = writes
                    .chain([(tool, arguments)])
                    .map(|(tool, arguments)| json!({"calls": [tool_call(tool, &arguments, repository)]}));
                turns.chain([answer]).collect()
            }
            Case::Hooked => {
                let calls = client.denied_by_hook.iter().map(|(tool, arguments, _)| (*tool, *arguments));
                let turns = calls
                    .chain(client.read)
                    .map(|(tool, arguments)| json!({"calls": [tool_call(tool, arguments, repository)]}));
                turns.chain([answer]).collect()
            }
            // Some clients obey the header and retry at once.
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
        // Some clients also request a title, without tools. Requests to an endpoint have no tools at all.
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
        if matches!(self, Case::Write | Case::Escape | Case::Worktree | Case::Hooked) {
            words.push("--write".to_owned());
        }
        if self == Case::Worktree {
            words.extend(["--worktree".to_owned(), WORKTREES[0].to_owned()]);
        }
        words
    }

    /// Timeouts and policies of the case.
    pub(super) fn settings(self) -> &'static str {
        match self {
            // Some clients print nothing before the first byte of the model.
            Case::Hang => "[clocks]\nidle = 6\nfirst_byte = 20\ngrace = 2\n",
            Case::RateLimit => "[policy]\nrate_limit = \"fallback\"\n",
            _ => "",
        }
    }

    /// Expected end.
    pub(super) fn end(self) -> ExpectedEnd {
        match self {
            Case::Found | Case::Probe => ExpectedEnd::Listed,
            Case::Answer
            | Case::RefusedWrite
            | Case::Write
            | Case::Escape
            | Case::Worktree
            | Case::Hooked => ExpectedEnd::Answered,
            Case::ServiceError => ExpectedEnd::Failed(&["service"]),
            Case::WrongKey => ExpectedEnd::Failed(&["credentials"]),
            Case::RateLimit => ExpectedEnd::Failed(&["rate-limit"]),
            Case::Hang => ExpectedEnd::Failed(&["timeout-idle", "timeout-first-byte"]),
        }
    }
}
