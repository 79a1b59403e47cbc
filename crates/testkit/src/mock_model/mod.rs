//! Mock model: plays a script behind the HTTP APIs of real agent clients.
//!
//! It answers Anthropic's messages, the responses and chat completions of `OpenAI`, and Gemini's `generateContent`,
//! whole or as a stream of events. A test writes the model's answers into a script, runs a real
//! client against it, and reads the client's requests from the log.
//!
//! As a library it is a [`MockModel`] that stops when dropped. As the program `mock-model` (see
//! [`program`]) it can be started inside a network namespace, beside the client.
//!
//! # The script
//!
//! ```json
//! {"order": "history",
//!  "lanes": [{"when": "SEAT-B", "turns": [{"text": "for that seat"}]}, {"turns": [{"text": "for all others"}]}],
//!  "side": {"text": "a title"},
//!  "after": {"text": "nothing more to say"}}
//! ```
//!
//! | member | meaning |
//! |---|---|
//! | `lanes` | conversations; the first whose `when` occurs in the user's text is taken, one without `when` takes all |
//! | `turns` | short for one lane that takes all |
//! | `order` | `arrival` (default): each request of a lane gets its next turn. `history`: as many turns are skipped as the request already holds, so that a repeated request gets the same turn again |
//! | `panel` | a folder of answers as the fake agent has them, `{"folder": "…", "usage": {…}}`: a prompt that names its task gets that seat's answer, whatever the lanes say. Of a part `says`, `answer`, `sleep_ms` and `hang` count |
//! | `side` | turn for requests without tools, such as one for a title; absent: the same as any other |
//! | `after` | turn when the turns are used up |
//!
//! | member of a turn | meaning |
//! |---|---|
//! | `text`, `thinking` | text of the model, and its thinking before |
//! | `calls` | tools it calls: `{"tool": "Write", "arguments": {…}}`, with `namespace` where an API has them; the argument `"{mark}"` is replaced by the first mark of a gate in the last text that the model got |
//! | `usage` | `{"input": 100, "output": 7, "cached": 20}`, copied into the usage fields of the API |
//! | `status`, `message`, `headers`, `body` | an error instead: HTTP status, message, extra headers, and the whole body if it must be a certain one |
//! | `delay_ms` | waits before the first byte |
//! | `hang` | never answers |
//! | `cut_after` | breaks the connection after that many events |
//!
//! # The log
//!
//! One JSON object per request: `n`, `method`, `path`, `api`, `model`, `stream`, `tools` (names), `history`
//! (assistant turns), `last` (last text by the user or a tool), `credential` (name of the header, never its
//! value), `lane`, `turn` (a number, `side`, `after` or `panel`), `step` (of the seat of the panel) and `body`, the file with the request's body.

mod api;
pub(crate) mod http;
mod log;
mod marks;
pub mod program;
mod script;
mod server;

pub use script::Script;
pub use server::MockModel;
