//! The ledger of tokens that scripts keep: one JSON object per line, for marks and for what a vendor counted.

use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::shown::shown;
use jiff::Timestamp;
use serde::Serialize;

const GRAMMAR: Grammar = Grammar { flags: &[Flag::Value("--ledger")], takes_arguments: true };

/// How long a label may be.
const LABEL_CHARS: usize = 64;

/// What `charrette ledger tokens` was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `--ledger`.
    pub ledger: Option<String>,
    /// What to do.
    pub action: Action,
    /// What was passed over.
    pub warnings: Vec<String>,
}

/// What to do with the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Add a row.
    Append(Row),
    /// Print the ledger.
    Dump,
}

/// A row, but for the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Row {
    /// A step begins.
    Mark {
        /// Which.
        step: String,
    },
    /// What a vendor counted.
    Vendor {
        /// Which vendor.
        vendor: String,
        /// Tokens read.
        input: u64,
        /// Tokens written.
        output: u64,
        /// Tokens read from a cache.
        cache_read: u64,
        /// Tokens written to a cache.
        cache_create: u64,
        /// All of them; the sum of the others if the vendor names no total.
        total: u64,
        /// Where the figures come from: a short label.
        raw: String,
    },
}

impl Row {
    /// The row as text, without its line end.
    pub fn text(&self, now: Timestamp) -> String {
        #[derive(Serialize)]
        struct Stamped<'a> {
            #[serde(flatten)]
            row: &'a Row,
            ts: String,
        }
        let ts = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        serde_json::to_string(&Stamped { row: self, ts }).unwrap_or_default()
    }
}

impl Request {
    /// Reads the arguments; if they make no sense, why.
    pub fn read(args: &[String]) -> Result<Request, String> {
        let (typed, problem) = read(args, GRAMMAR);
        match problem {
            Some(FlagProblem::Unknown(flag)) => return Err(format!("unknown flag: {}", shown(flag))),
            Some(FlagProblem::NoValue(flag)) => return Err(format!("missing value for {flag}")),
            Some(FlagProblem::Argument(_)) | None => {}
        }
        let ledger = typed.value("--ledger").map(str::to_owned);
        let mut warnings = Vec::new();
        let action = match typed.arguments.as_slice() {
            ["dump"] => Action::Dump,
            ["mark", step] if !step.is_empty() => Action::Append(Row::Mark { step: (*step).to_owned() }),
            ["mark", ..] => return Err("mark takes the name of one step".to_owned()),
            ["record-vendor", vendor, counts @ ..] if !vendor.is_empty() && !vendor.contains('=') => {
                Action::Append(vendor_row(vendor, counts, &mut warnings))
            }
            ["record-vendor", ..] => return Err("record-vendor takes the name of a vendor first".to_owned()),
            [] => return Err("nothing to do: mark, record-vendor or dump".to_owned()),
            [other, ..] => return Err(format!("unknown subcommand: {}", shown(other))),
        };
        Ok(Request { ledger, action, warnings })
    }
}

fn vendor_row(vendor: &str, counts: &[&str], warnings: &mut Vec<String>) -> Row {
    const KEYS: [&str; 5] = ["input", "output", "cache_read", "cache_create", "total"];
    let mut numbers: [Option<u64>; 5] = [None; 5];
    let mut raw = String::new();
    for pair in counts {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        match KEYS.iter().position(|known| *known == key) {
            Some(at) => match value.parse() {
                Ok(number) => numbers[at] = Some(number),
                Err(_) => warnings.push(format!("{key} must be an unsigned number: {}", shown(value))),
            },
            None if key == "raw" => raw = value.chars().take(LABEL_CHARS).collect(),
            None => warnings.push(format!("unknown record-vendor key: {}", shown(key))),
        }
    }
    let [input, output, cache_read, cache_create, total] = numbers;
    let parts = [input, output, cache_read, cache_create].map(Option::unwrap_or_default);
    let sum = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part));
    let [input, output, cache_read, cache_create] = parts;
    let (vendor, total) = (vendor.to_owned(), total.unwrap_or(sum));
    Row::Vendor { vendor, input, output, cache_read, cache_create, total, raw }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &[&str]) -> Result<Request, String> {
        Request::read(&line.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn rows_are_typed() {
        let now: Timestamp = "2026-11-15T12:00:00.123Z".parse().unwrap();
        for (line, expected, warnings) in [
            (
                &["mark", "Step \"1\"\n"][..],
                r#"{"type":"mark","step":"Step \"1\"\n","ts":"2026-11-15T12:00:00Z"}"#,
                0,
            ),
            (
                &["record-vendor", "codex", "input=5", "output=2", "raw=codex_review"],
                r#"{"type":"vendor","vendor":"codex","input":5,"output":2,"cache_read":0,"cache_create":0,"total":7,"raw":"codex_review","ts":"2026-11-15T12:00:00Z"}"#,
                0,
            ),
            (
                &["record-vendor", "x", "total=123", "input=-1", "cost=9", "word"],
                r#"{"type":"vendor","vendor":"x","input":0,"output":0,"cache_read":0,"cache_create":0,"total":123,"raw":"","ts":"2026-11-15T12:00:00Z"}"#,
                3,
            ),
        ] {
            let request = asked(line).unwrap();
            let Action::Append(row) = &request.action else { panic!("{line:?}") };
            assert_eq!(row.text(now), expected);
            assert_eq!(request.warnings.len(), warnings, "{line:?}");
        }
        let request = asked(&["dump", "--ledger", "a", "--ledger", "b"]).unwrap();
        assert_eq!((request.action, request.ledger.as_deref()), (Action::Dump, Some("b")));
        for line in
            [&["record-vendor"][..], &["record-vendor", "total=1"], &["mark"], &["x"], &[], &["mark", "--x"]]
        {
            assert!(asked(line).is_err(), "{line:?}");
        }
    }
}
