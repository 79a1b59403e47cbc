//! Scripted agent: a real program, so that everything around it is real too.
//!
//! `fake-agent [ANYTHING] SCRIPT NAME` reads its prompt on standard input and follows the script. A script is
//! a JSON file or a folder; `script` selects the part for a call, `program` defines the members of a part,
//! `prompt_answers` selects answers by prompt, for the mock model too.
//! With `FAKE_AGENT_LOG`, every call appends a line there: the seat or step, the agent, a fingerprint of the prompt. If the
//! folder of the script has a folder `prompts`, the last prompt of each step is kept there.

mod program;
mod prompt_answers;
mod script;

pub use program::{append, fingerprint, main};
pub(crate) use prompt_answers::{PromptAnswer, answer_prompt};
