//! Health of tools, shared by nested runs. A tool that failed once stays failed for the session.

use super::pairs::{pairs, parse_bool};

/// Health of the two external tools; `None` where unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    pub codex: Option<bool>,
    pub cursor: Option<bool>,
}

impl Health {
    /// Parses a health file. If a key occurs twice, one "false" is enough.
    pub fn parse(text: &str) -> Health {
        let mut health = Health::default();
        for (key, value) in pairs(text) {
            let tool = match key {
                "CODEX_HEALTHY" => &mut health.codex,
                "CURSOR_HEALTHY" => &mut health.cursor,
                _ => continue,
            };
            *tool = worse(*tool, parse_bool(value));
        }
        health
    }

    /// Combines with later results. "False" never turns back into "true".
    #[must_use]
    pub fn merge(self, later: Health) -> Health {
        Health { codex: worse(self.codex, later.codex), cursor: worse(self.cursor, later.cursor) }
    }

    /// The file's text. An unknown tool counts as healthy.
    pub fn text(self) -> String {
        let (codex, cursor) = (self.codex.unwrap_or(true), self.cursor.unwrap_or(true));
        format!("CODEX_HEALTHY={codex}\nCURSOR_HEALTHY={cursor}\n")
    }
}

fn worse(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one && other),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unknown_health_is_written_as_true() {
        assert_eq!(Health::default().text(), "CODEX_HEALTHY=true\nCURSOR_HEALTHY=true\n");
        assert_eq!(
            Health { codex: Some(false), cursor: None }.text(),
            "CODEX_HEALTHY=false\nCURSOR_HEALTHY=true\n"
        );
    }

    #[test]
    fn one_false_is_enough() {
        for (text, codex, cursor) in [
            ("", None, None),
            ("CODEX_HEALTHY=true\nCODEX_HEALTHY=false\nCODEX_HEALTHY=true", Some(false), None),
            ("# CODEX_HEALTHY=false\nCURSOR_HEALTHY=FALSE\r\n", None, Some(false)),
            ("CODEX_HEALTHY=perhaps\nOTHER_HEALTHY=false", None, None),
        ] {
            assert_eq!(Health::parse(text), Health { codex, cursor }, "{text:?}");
        }
    }

    fn any_health() -> impl Strategy<Value = Health> {
        let any_bool = || prop::option::of(any::<bool>());
        (any_bool(), any_bool()).prop_map(|(codex, cursor)| Health { codex, cursor })
    }

    proptest! {
        #[test]
        fn false_is_never_forgotten_whatever_the_order(all in prop::collection::vec(any_health(), 0..6)) {
            let forward = all.iter().fold(Health::default(), |known, later| known.merge(*later));
            let backward = all.iter().rev().fold(Health::default(), |known, later| known.merge(*later));
            prop_assert_eq!(forward, backward);
            prop_assert_eq!(forward.codex == Some(false), all.iter().any(|health| health.codex == Some(false)));
            let read = Health::parse(&forward.text());
            prop_assert_eq!(read.codex, Some(forward.codex.unwrap_or(true)));
            prop_assert_eq!(read.cursor, Some(forward.cursor.unwrap_or(true)));
        }
    }
}
