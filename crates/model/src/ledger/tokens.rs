//! The token ledger of scripts: one JSON object per line, for marks and for usage reported by vendors.

use crate::escape::printable;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};
use jiff::Timestamp;
use serde::Serialize;

const GRAMMAR: FlagGrammar = FlagGrammar { flags: &[Flag::Value("--ledger")], takes_arguments: true };

/// Maximum length of a label.
const LABEL_CHARS: usize = 64;

/// Parsed arguments of `charrette ledger tokens`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRequest {
    /// `--ledger`.
    pub ledger: Option<String>,
    pub action: TokenAction,
    /// Warnings about ignored arguments.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenAction {
    Append(TokenRow),
    /// Print the ledger.
    Dump,
}

/// A row without its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum TokenRow {
    /// Start of a step.
    Mark { step: String },
    /// Usage reported by a vendor.
    Vendor {
        vendor: String,
        /// Tokens read.
        input: u64,
        /// Tokens written.
        output: u64,
        /// Tokens read from a cache.
        cache_read: u64,
        /// Tokens written to a cache.
        cache_create: u64,
        /// Total; the sum of the others if the vendor reports none.
        total: u64,
        /// Short label of the figures' source.
        raw: String,
    },
}

impl TokenRow {
    /// The row as text, without line end.
    pub fn text(&self, now: Timestamp) -> String {
        #[derive(Serialize)]
        struct Stamped<'a> {
            #[serde(flatten)]
            row: &'a TokenRow,
            ts: String,
        }
        let ts = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        serde_json::to_string(&Stamped { row: self, ts }).unwrap_or_default()
    }
}

impl TokenRequest {
    /// Parses the arguments.
    pub fn parse(args: &[String]) -> Result<TokenRequest, String> {
        let (typed, problem) = parse_flags(args, GRAMMAR);
        match problem {
            Some(FlagError::Unknown(flag)) => return Err(format!("unknown flag: {}", printable(flag))),
            Some(FlagError::NoValue(flag)) => return Err(format!("missing value for {flag}")),
            Some(FlagError::Argument(_)) | None => {}
        }
        let ledger = typed.value("--ledger").map(str::to_owned);
        let mut warnings = Vec::new();
        let action = match typed.arguments.as_slice() {
            ["dump"] => TokenAction::Dump,
            ["mark", step] if !step.is_empty() => {
                TokenAction::Append(TokenRow::Mark { step: (*step).to_owned() })
            }
            ["mark", ..] => return Err("mark takes the name of one step".to_owned()),
            ["record-vendor", vendor, counts @ ..] if !vendor.is_empty() && !vendor.contains('=') => {
                TokenAction::Append(vendor_row(vendor, counts, &mut warnings))
            }
            ["record-vendor", ..] => return Err("record-vendor takes the name of a vendor first".to_owned()),
            [] => return Err("nothing to do: mark, record-vendor or dump".to_owned()),
            [other, ..] => return Err(format!("unknown subcommand: {}", printable(other))),
        };
        Ok(TokenRequest { ledger, action, warnings })
    }
}

fn vendor_row(vendor: &str, counts: &[&str], warnings: &mut Vec<String>) -> TokenRow {
    const KEYS: [&str; 5] = ["input", "output", "cache_read", "cache_create", "total"];
    let mut numbers: [Option<u64>; 5] = [None; 5];
    let mut raw = String::new();
    for pair in counts {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        match KEYS.iter().position(|known| *known == key) {
            Some(at) => match value.parse() {
                Ok(number) => numbers[at] = Some(number),
                Err(_) => warnings.push(format!("{key} must be an unsigned number: {}", printable(value))),
            },
            None if key == "raw" => raw = value.chars().take(LABEL_CHARS).collect(),
            None => warnings.push(format!("unknown record-vendor key: {}", printable(key))),
        }
    }
    let [input, output, cache_read, cache_create, total] = numbers;
    let parts = [input, output, cache_read, cache_create].map(Option::unwrap_or_default);
    let sum = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part));
    let [input, output, cache_read, cache_create] = parts;
    let (vendor, total) = (vendor.to_owned(), total.unwrap_or(sum));
    TokenRow::Vendor { vendor, input, output, cache_read, cache_create, total, raw }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<TokenRequest, String> {
        TokenRequest::parse(&line.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
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
            let request = parse(line).unwrap();
            let TokenAction::Append(row) = &request.action else { panic!("{line:?}") };
            assert_eq!(row.text(now), expected);
            assert_eq!(request.warnings.len(), warnings, "{line:?}");
        }
        let request = parse(&["dump", "--ledger", "a", "--ledger", "b"]).unwrap();
        assert_eq!((request.action, request.ledger.as_deref()), (TokenAction::Dump, Some("b")));
        for line in
            [&["record-vendor"][..], &["record-vendor", "total=1"], &["mark"], &["x"], &[], &["mark", "--x"]]
        {
            assert!(parse(line).is_err(), "{line:?}");
        }
    }
}
