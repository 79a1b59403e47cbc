//! The session environment that a calling run passes to a nested one.

use super::pairs::{first, parse_bool};
use crate::escape::printable;

/// A path that means "do not read and do not write".
pub const DISCARD: &str = "/dev/null";

const REPO: &str = "REPO";
const REPO_UNAVAILABLE: &str = "REPO_UNAVAILABLE";
const CODEX_HEALTHY: &str = "CODEX_HEALTHY";
const CURSOR_HEALTHY: &str = "CURSOR_HEALTHY";
const TOKEN_SESSION_ID: &str = "CHARRETTE_TOKEN_SESSION_ID";
const CLAUDE_SOURCE_FILE: &str = "CHARRETTE_CLAUDE_SOURCE_FILE";
const TIMING_LEDGER: &str = "CHARRETTE_TIMING_LEDGER";

/// The known values. Other keys are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionEnv {
    /// Name of the repository at its host.
    pub repo: Option<String>,
    /// True if the host could not be reached.
    pub repo_unavailable: Option<bool>,
    /// Health of Codex. False skips its probe.
    pub codex_healthy: Option<bool>,
    /// Health of Cursor. False skips its probe.
    pub cursor_healthy: Option<bool>,
    /// Session id of the token ledger.
    pub token_session_id: Option<String>,
    /// Path of the calling client's transcript.
    pub claude_source_file: Option<String>,
    /// Path of the timing ledger.
    pub timing_ledger: Option<String>,
}

impl SessionEnv {
    /// Parses a session file. The first value of a key counts; an empty one is absent.
    pub fn parse(text: &str) -> SessionEnv {
        let value = |key| first(text, key).filter(|value| !value.is_empty());
        let owned = |key| value(key).map(str::to_owned);
        let flag = |key| value(key).and_then(parse_bool);
        SessionEnv {
            repo: owned(REPO),
            repo_unavailable: flag(REPO_UNAVAILABLE),
            codex_healthy: flag(CODEX_HEALTHY),
            cursor_healthy: flag(CURSOR_HEALTHY),
            token_session_id: owned(TOKEN_SESSION_ID),
            claude_source_file: owned(CLAUDE_SOURCE_FILE),
            timing_ledger: owned(TIMING_LEDGER),
        }
    }

    /// The file's text, or the first value that is not allowed in it.
    pub fn text(&self) -> Result<String, UnsafeValue> {
        let mut text = String::new();
        let mut write = |key: &'static str, value: Option<&str>, is_safe: fn(&str) -> bool| {
            let Some(value) = value else { return Ok(()) };
            if !is_safe(value) {
                return Err(UnsafeValue { key, value: value.to_owned() });
            }
            for part in [key, "=", value, "\n"] {
                text.push_str(part);
            }
            Ok(())
        };
        let bool_text = |truth: Option<bool>| truth.map(|truth| if truth { "true" } else { "false" });
        write(REPO, self.repo.as_deref(), is_one_line)?;
        write(REPO_UNAVAILABLE, bool_text(self.repo_unavailable), is_one_line)?;
        write(CODEX_HEALTHY, bool_text(self.codex_healthy), is_one_line)?;
        write(CURSOR_HEALTHY, bool_text(self.cursor_healthy), is_one_line)?;
        write(TOKEN_SESSION_ID, self.token_session_id.as_deref(), is_token_id)?;
        write(CLAUDE_SOURCE_FILE, self.claude_source_file.as_deref(), is_plain_path)?;
        write(TIMING_LEDGER, self.timing_ledger.as_deref(), is_plain_path)?;
        Ok(text)
    }
}

/// A value that would not survive a round trip, or that its key does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid value for {key}: {}", printable(.value))]
pub struct UnsafeValue {
    pub key: &'static str,
    pub value: String,
}

/// `[A-Za-z0-9_.-]{1,128}`
fn is_token_id(value: &str) -> bool {
    consists_of(value, 128, b"_.-")
}

/// `[A-Za-z0-9_./~+-]{1,512}`
fn is_plain_path(value: &str) -> bool {
    consists_of(value, 512, b"_./~+-")
}

fn consists_of(value: &str, longest: usize, marks: &[u8]) -> bool {
    (1..=longest).contains(&value.len())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || marks.contains(&b))
}

fn is_one_line(value: &str) -> bool {
    !value.is_empty() && !value.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_keys_are_read_and_the_rest_is_passed_over() {
        let env = SessionEnv::parse(
            "REPO=ada/engine\r\nPATH=/evil\n#CODEX_HEALTHY=true\nCODEX_HEALTHY=false\nCODEX_HEALTHY=true\nCURSOR_HEALTHY=maybe\nCHARRETTE_TIMING_LEDGER=/tmp/x=y.tsv\nCHARRETTE_TOKEN_SESSION_ID=\n",
        );
        assert_eq!(
            env,
            SessionEnv {
                repo: Some("ada/engine".to_owned()),
                codex_healthy: Some(false),
                timing_ledger: Some("/tmp/x=y.tsv".to_owned()),
                ..SessionEnv::default()
            }
        );
    }

    #[test]
    fn values_that_could_mislead_a_reader_are_not_written() {
        let repo = |value: &str| SessionEnv { repo: Some(value.to_owned()), ..SessionEnv::default() };
        let token =
            |value: &str| SessionEnv { token_session_id: Some(value.to_owned()), ..SessionEnv::default() };
        let path =
            |value: &str| SessionEnv { timing_ledger: Some(value.to_owned()), ..SessionEnv::default() };
        for (env, key) in [
            (repo("a\nCODEX_HEALTHY=true"), "REPO"),
            (repo("a\0"), "REPO"),
            (repo(""), "REPO"),
            (token(""), TOKEN_SESSION_ID),
            (token("a b"), TOKEN_SESSION_ID),
            (token("a/b"), TOKEN_SESSION_ID),
            (token(&"x".repeat(129)), TOKEN_SESSION_ID),
            (path("/tmp/$(id)"), TIMING_LEDGER),
            (path("/tmp/a b"), TIMING_LEDGER),
            (path(&"x".repeat(513)), TIMING_LEDGER),
        ] {
            assert_eq!(env.text().unwrap_err().key, key, "{env:?}");
        }
        for fine in [token(&"x".repeat(128)), path("~/a+b/c_d-1.tsv"), path(&"x".repeat(512)), repo("ada/é")]
        {
            assert!(fine.text().is_ok(), "{fine:?}");
        }
    }

    fn any_env() -> impl Strategy<Value = SessionEnv> {
        let text = || prop::option::of(".{0,20}");
        let any_bool = || prop::option::of(any::<bool>());
        (
            text(),
            any_bool(),
            any_bool(),
            any_bool(),
            prop::option::of("[A-Za-z0-9_.-]{1,20}"),
            text(),
            prop::option::of("[A-Za-z0-9_./~+-]{1,20}"),
        )
            .prop_map(
                |(
                    repo,
                    repo_unavailable,
                    codex_healthy,
                    cursor_healthy,
                    token_session_id,
                    claude_source_file,
                    timing_ledger,
                )| {
                    SessionEnv {
                        repo,
                        repo_unavailable,
                        codex_healthy,
                        cursor_healthy,
                        token_session_id,
                        claude_source_file,
                        timing_ledger,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(env in any_env()) {
            if let Ok(text) = env.text() {
                prop_assert_eq!(SessionEnv::parse(&text), env);
            }
        }
    }
}
