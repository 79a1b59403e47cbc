//! Execution issues: what went wrong on the way, in a Markdown file with one section per category.

use crate::plumbing::Answer;
use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::shown::{one_line, shown};

/// The categories, which are the headings of the file.
pub const CATEGORIES: [&str; 7] = [
    "Pre-existing Code Issues",
    "Tool Failures",
    "Permission Prompts",
    "External Reviewer Issues",
    "CI Issues",
    "Warnings",
    "Q/A",
];

const GRAMMAR: Grammar = Grammar {
    flags: &[
        Flag::Value("--log"),
        Flag::Value("--category"),
        Flag::Value("--entry"),
        Flag::Value("--entry-file"),
    ],
    takes_arguments: false,
};

/// What `charrette ledger issue` was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The file.
    pub log: String,
    /// The category.
    pub category: &'static str,
    /// What to add.
    pub entry: Entry,
}

/// What to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// This.
    Text(String),
    /// What stands in this file.
    File(String),
}

impl Request {
    /// Reads the arguments; if they make no sense, the answer to that.
    pub fn read(args: &[String]) -> Result<Request, Answer> {
        let (typed, problem) = read(args, GRAMMAR);
        match problem {
            None => {}
            Some(FlagProblem::Unknown(flag)) => {
                return Err(misused(&format!("unknown flag: {}", shown(flag))));
            }
            Some(FlagProblem::NoValue(flag)) => return Err(misused(&format!("missing value for {flag}"))),
            Some(FlagProblem::Argument(word)) => {
                return Err(misused(&format!("unknown argument: {}", shown(word))));
            }
        }
        let filled = |name: &str| typed.value(name).filter(|value| !value.trim().is_empty());
        let Some(log) = filled("--log") else { return Err(misused("--log is required")) };
        let Some(category) = filled("--category") else { return Err(misused("--category is required")) };
        let Some(category) = CATEGORIES.iter().find(|known| **known == category) else {
            return Err(misused(&format!("invalid category: {}", shown(category))));
        };
        let entry = match (filled("--entry"), filled("--entry-file")) {
            (Some(text), None) => Entry::Text(text.to_owned()),
            (None, Some(file)) => Entry::File(file.to_owned()),
            _ => return Err(misused("exactly one of --entry and --entry-file is required")),
        };
        Ok(Request { log: log.to_owned(), category, entry })
    }

    /// It was added.
    pub fn appended(&self) -> Answer {
        Answer::ok(vec!["APPENDED=true".to_owned(), format!("LOG={}", one_line(&self.log))])
    }
}

/// What was typed makes no sense: exit 1.
pub fn misused(message: &str) -> Answer {
    failed(1, &format!("usage: {message}"))
}

/// It could not be added: exit 2.
pub fn not_appended(message: &str) -> Answer {
    failed(2, message)
}

fn failed(code: u8, message: &str) -> Answer {
    let stdout = vec!["FAILED=true".to_owned(), format!("ERROR={}", one_line(message))];
    Answer { code, stdout, stderr: Vec::new() }
}

/// A log with an entry at the end of the section with that heading, which is added if there is none yet.
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

/// The byte after the last line of the section that is not blank.
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

/// A heading of the third level or above.
fn is_section(line: &str) -> bool {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    (1..=3).contains(&level) && line[level..].starts_with([' ', '\t'])
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
    fn what_was_typed_is_checked() {
        let read = |line: &str| {
            let words = line.split('|').filter(|word| !word.is_empty()).map(str::to_owned);
            Request::read(&words.collect::<Vec<_>>())
        };
        let request = read("--log|l.md|--category|Q/A|--entry|- a\n  b").unwrap();
        assert_eq!(request.entry, Entry::Text("- a\n  b".to_owned()));
        assert_eq!(request.appended().stdout, ["APPENDED=true", "LOG=l.md"]);
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
