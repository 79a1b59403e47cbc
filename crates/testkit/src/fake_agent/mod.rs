//! An agent that does as a script says: a real program, so that everything around it is real too.
//!
//! `fake-agent [ANYTHING] SCRIPT NAME` reads its prompt on standard input and does what the script says. A script is
//! a JSON file or a folder; which part of it an agent plays is told in `script`, what a part can say in `program`.
//! What is said in the light of a prompt is in `prompted`, for the mock model too.
//! With `FAKE_AGENT_LOG`, every call leaves a line there: the seat or step, the agent, a fingerprint of the prompt.

mod program;
mod prompted;
mod script;

pub use program::{append, fingerprint, main};
pub(crate) use prompted::{Prompted, prompted};
