//! Execution issues: a Markdown log with one section per category.

use crate::escape::{one_line, printable};
use crate::markdown::heading;
use crate::plumbing::CommandAnswer;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};

/// Categories, which are the headings of the log.
pub const CATEGORIES: [&str; 7] = [
    "Pre-existing Code Issues",
    "Tool Failures",
    "Permission Prompts",
    "External Reviewer Issues",
    "CI Issues",
    "Warnings",
    "Q/A",
];

const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[
        Flag::Value("--log"),
        Flag::Value("--category"),
        Flag::Value("--entry"),
        Flag::Value("--entry-file"),
    ],
    takes_arguments: false,
};

/// Parsed arguments of `charrette ledger issue`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRequest {
    /// Path of the log.
    pub log: String,
    pub category: &'static str,
    pub entry: IssueEntry,
}

/// Source of a new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssueEntry {
    Text(String),
    /// Path of a file with the text.
    File(String),
}

impl IssueRequest {
    /// Parses the arguments. On error: the answer to print.
    pub fn parse(args: &[String]) -> Result<IssueRequest, CommandAnswer> {
        let (typed, problem) = parse_flags(args, GRAMMAR);
        match problem {
            None => {}
            Some(FlagError::Unknown(flag)) => {
                return Err(usage_error(&format!("unknown flag: {}", printable(flag))));
            }
            Some(FlagError::NoValue(flag)) => return Err(usage_error(&format!("missing value for {flag}"))),
            Some(FlagError::Argument(word)) => {
                return Err(usage_error(&format!("unknown argument: {}", printable(word))));
            }
        }
        let filled = |name: &str| typed.value(name).filter(|value| !value.trim().is_empty());
        let Some(log) = filled("--log") else { return Err(usage_error("--log is required")) };
        let Some(category) = filled("--category") else { return Err(usage_error("--category is required")) };
        let Some(category) = CATEGORIES.iter().find(|known| **known == category) else {
            return Err(usage_error(&format!("invalid category: {}", printable(category))));
        };
        let entry = match (filled("--entry"), filled("--entry-file")) {
            (Some(text), None) => IssueEntry::Text(text.to_owned()),
            (None, Some(file)) => IssueEntry::File(file.to_owned()),
            _ => return Err(usage_error("exactly one of --entry and --entry-file is required")),
        };
        Ok(IssueRequest { log: log.to_owned(), category, entry })
    }

    /// The answer after the entry was appended.
    pub fn success(&self) -> CommandAnswer {
        CommandAnswer::ok(vec!["APPENDED=true".to_owned(), format!("LOG={}", one_line(&self.log))])
    }
}

/// The answer to an invalid command line: exit 1.
pub fn usage_error(message: &str) -> CommandAnswer {
    failed(1, &format!("usage: {message}"))
}

/// The answer when the entry could not be appended: exit 2.
pub fn append_error(message: &str) -> CommandAnswer {
    failed(2, message)
}

fn failed(code: u8, message: &str) -> CommandAnswer {
    let stdout = vec!["FAILED=true".to_owned(), format!("ERROR={}", one_line(message))];
    CommandAnswer { code, stdout, stderr: Vec::new() }
}

/// The log with an entry appended to the section with that heading, which is created if missing.
pub fn append(log: &str, heading: &str, entry: &str) -> String {
    let entry = entry.trim_end_matches(['\n', '\r']);
    let Some(at) = end_of_section(log, heading) else {
        let gap = match log {
            "" => "",
            log if log.ends_with("\n\n") => "",
            log if log.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return format!("{log}{gap}{heading}\n\n{entry}\n");
    };
    let (before, after) = log.split_at(at);
    let gap = if before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{gap}{entry}\n{after}")
}

/// Offset of the byte after the section's last non-blank line.
fn end_of_section(log: &str, heading: &str) -> Option<usize> {
    let mut end = None;
    let mut at = 0;
    for line in log.split_inclusive('\n') {
        at += line.len();
        let text = line.trim();
        match end {
            None if text == heading => end = Some(at),
            None => {}
            Some(_) if is_section(text) => break,
            Some(_) if text.is_empty() => {}
            Some(_) => end = Some(at),
        }
    }
    end
}

/// True for a heading of the third level or above.
fn is_section(line: &str) -> bool {
    heading(line).is_some_and(|(level, _)| level <= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_goes_to_the_end_of_its_section() {
        for (log, expected) in [
            ("", "### CI Issues\n\n- new\n"),
            ("# Log\n", "# Log\n\n### CI Issues\n\n- new\n"),
            ("# Log", "# Log\n\n### CI Issues\n\n- new\n"),
            ("### CI Issues\n\n- old\n", "### CI Issues\n\n- old\n- new\n"),
            ("### CI Issues", "### CI Issues\n- new\n"),
            (
                "### CI Issues\n- old\n\n### Warnings\n- x\n",
                "### CI Issues\n- old\n- new\n\n### Warnings\n- x\n",
            ),
            ("### CI Issues\n- old\n#### more\n- sub", "### CI Issues\n- old\n#### more\n- sub\n- new\n"),
            ("### CI Issues and more\n", "### CI Issues and more\n\n### CI Issues\n\n- new\n"),
        ] {
            assert_eq!(append(log, "### CI Issues", "- new\n\n"), expected, "{log:?}");
        }
    }

    #[test]
    fn arguments_are_validated() {
        let read = |line: &str| {
            let words = line.split('|').filter(|word| !word.is_empty()).map(str::to_owned);
            IssueRequest::parse(&words.collect::<Vec<_>>())
        };
        let request = read("--log|l.md|--category|Q/A|--entry|- a\n  b").unwrap();
        assert_eq!(request.entry, IssueEntry::Text("- a\n  b".to_owned()));
        assert_eq!(request.success().stdout, ["APPENDED=true", "LOG=l.md"]);
        for (line, message) in [
            ("", "--log is required"),
            ("--log|l", "--category is required"),
            ("--log|l|--category|Bugs|--entry|x", "invalid category: Bugs"),
            ("--log|l|--category|warnings|--entry|x", "invalid category: warnings"),
            ("--log|l|--category|Warnings", "exactly one of --entry and --entry-file is required"),
            (
                "--log|l|--category|Warnings|--entry|x|--entry-file|y",
                "exactly one of --entry and --entry-file is required",
            ),
            ("--log|l|--category|Warnings|--entry|  ", "exactly one of --entry and --entry-file is required"),
            ("--log", "missing value for --log"),
            ("--nope", "unknown flag: --nope"),
            ("word", "unknown argument: word"),
        ] {
            let answer = read(line).unwrap_err();
            assert_eq!(answer.code, 1);
            assert_eq!(
                answer.stdout,
                ["FAILED=true".to_owned(), format!("ERROR=usage: {message}")],
                "{line}"
            );
        }
    }
}
