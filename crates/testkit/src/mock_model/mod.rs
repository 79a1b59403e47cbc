//! A model that says what a script says, behind the HTTP interfaces that real agent clients speak.
//!
//! It answers Anthropic's messages, the responses and chat completions of `OpenAI`, and Gemini's `generateContent`,
//! whole or as a stream of events. Nothing here thinks: a test writes down what the model will say, lets a real
//! client talk to it, and then reads in the log what the client really sent.
//!
//! As a library it is a [`MockModel`] that lives as long as its value. As the program `mock-model` (see
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
//! | `lanes` | conversations; the first whose `when` occurs in what the user said is taken, one without `when` takes all |
//! | `turns` | short for one lane that takes all |
//! | `order` | `arrival` (default): each request of a lane gets its next turn. `history`: as many turns are passed over as the request already holds, so that a repeated request gets the same turn again |
//! | `panel` | a folder of answers as the fake agent has them, `{"folder": "…", "usage": {…}}`: a prompt that names its task gets that seat's answer, whatever the lanes say. Of a part `says`, `answer`, `sleep_ms` and `hang` count |
//! | `side` | what a request without tools gets, such as one for a title; absent: the same as any other |
//! | `after` | what is said when the turns are used up |
//!
//! | member of a turn | meaning |
//! |---|---|
//! | `text`, `thinking` | what the model says, and thinks before |
//! | `calls` | tools it calls: `{"tool": "Write", "arguments": {…}}`, with `namespace` where an interface has them |
//! | `usage` | `{"input": 100, "output": 7, "cached": 20}`, put into the fields of the interface as they stand |
//! | `status`, `message`, `headers`, `body` | an error instead: HTTP status, words, extra headers, and the whole body if it must be a certain one |
//! | `delay_ms` | waits before the first byte |
//! | `hang` | never answers |
//! | `cut_after` | breaks the connection after so many events |
//!
//! # The log
//!
//! One JSON object per request: `n`, `method`, `path`, `api`, `model`, `stream`, `tools` (names), `history`
//! (assistant turns), `last` (what the user or a tool said last), `credential` (the header it came in, never its
//! value), `lane`, `turn` (a number, `side`, `after` or `panel`), `step` (of the seat of the panel) and `body`, the file with the request's body.

mod api;
pub(crate) mod http;
mod log;
pub mod program;
mod script;
mod server;

pub use script::Script;
pub use server::MockModel;
