//! Digest of a survey for a prompt: Markdown, one line for each thing, at most [`MAX_BYTES`] long.
//!
//! A researcher begins with it; everything else is in `survey.json`, and the sources of dependencies are named in every
//! prompt. [`crate::render`] is the page for people.

use crate::report::{RankedFile, Survey};
use charrette_model::escape::printable;
use std::fmt::Write as _;

/// Maximum size of a digest.
pub const MAX_BYTES: usize = 5 * 1024;

/// Bytes of each section. Together with the headings they stay below [`MAX_BYTES`].
const FILE_BYTES: usize = 2200;
const RISK_BYTES: usize = 500;
const COMMIT_BYTES: usize = 600;
const COMMAND_BYTES: usize = 600;
const NOTE_BYTES: usize = 250;

/// Condenses a survey.
pub fn survey_digest(survey: &Survey) -> String {
    let mut text = head(survey);
    let files: Vec<String> = survey.files.iter().map(|file| file_line(survey, file)).collect();
    // The size of a file is no news to its reader.
    let risks = survey.risks.iter().filter(|risk| risk.kind != "large");
    let risks = risks.map(|risk| {
        format!("{}:{} {}: {}", plain(&risk.path, 90), risk.line, risk.kind, plain(&risk.text, 80))
    });
    let commits = survey.similar_commits.iter().map(|commit| {
        let files: Vec<String> = commit.files.iter().take(2).map(|path| plain(path, 60)).collect();
        let more = more(commit.files.len(), files.len());
        let files = if files.is_empty() { String::new() } else { format!(": {}{more}", files.join(", ")) };
        format!("{} \"{}\"{files}", commit.id.get(..9).unwrap_or(&commit.id), plain(&commit.subject, 80))
    });
    section(&mut text, "Files, most likely first", files, FILE_BYTES);
    section(&mut text, "Risks in these files", risks.collect(), RISK_BYTES);
    section(&mut text, "Similar commits", commits.collect(), COMMIT_BYTES);
    section(&mut text, "Commands and conventions", commands(survey), COMMAND_BYTES);
    section(&mut text, "Notes", survey.notes.iter().map(|note| plain(note, 200)).collect(), NOTE_BYTES);
    text
}

fn head(survey: &Survey) -> String {
    let head = survey.head.as_deref().map(|head| head.get(..9).unwrap_or(head));
    let head = head.map_or_else(|| "without commits".to_owned(), |head| format!("at commit {head}"));
    let languages = survey.languages.iter().take(4);
    let languages: Vec<String> =
        languages.map(|language| format!("{} {}", language.files, language.name)).collect();
    let files = if languages.is_empty() { "no readable files".to_owned() } else { languages.join(", ") };
    format!(
        "# Survey of the repository {head} ({files})\n\nMade by a program from words, names and history: a file may be listed by coincidence, and one that matters may be missing. `survey.json` has all of it.\n"
    )
}

/// Path with the closest lines, kind, reasons, definitions and tests of a file.
fn file_line(survey: &Survey, file: &RankedFile) -> String {
    let lines = file.lines.map_or_else(String::new, |lines| match lines.last - lines.first {
        0 => format!(":{}", lines.first),
        _ => format!(":{}-{}", lines.first, lines.last),
    });
    // The lines stand behind the path.
    let reason = |reason: &String| {
        let end = [", closest in lines ", ", on line "].iter().find_map(|mark| reason.rfind(mark));
        plain(&reason[..end.unwrap_or(reason.len())], 90)
    };
    let reasons: Vec<String> = file.reasons.iter().take(2).map(reason).collect();
    let mut line = format!("{}{lines} ({}): {}", plain(&file.path, 120), file.kind, reasons.join("; "));
    let symbols = survey.symbols.iter().filter(|symbol| symbol.path == file.path).take(3);
    let symbols: Vec<String> =
        symbols.map(|symbol| format!("{}:{}", plain(&symbol.name, 40), symbol.line)).collect();
    if !symbols.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(line, "; defines {}", symbols.join(", "));
    }
    let covering: Vec<&str> = survey
        .tests
        .iter()
        .filter(|test| test.covers.contains(&file.path))
        .map(|test| if test.path == file.path { "inside the file" } else { test.path.as_str() })
        .collect();
    let tests: Vec<String> = covering.iter().take(2).map(|path| plain(path, 90)).collect();
    if !tests.is_empty() {
        let _ = write!(line, "; tests {}{}", tests.join(", "), more(covering.len(), tests.len()));
    }
    line
}

fn commands(survey: &Survey) -> Vec<String> {
    let commands = &survey.commands;
    let all = [("build", &commands.build), ("test", &commands.test), ("lint", &commands.lint)];
    let runs =
        all.iter().filter_map(|(kind, run)| Some(format!("{kind}: `{}`", plain(run.as_deref()?, 120))));
    let conventions = survey.conventions.iter().map(|convention| {
        let path = convention.path.as_deref().filter(|path| !convention.text.contains(path));
        let path = path.map(|path| format!(" ({})", plain(path, 60))).unwrap_or_default();
        format!("{}: {}{path}", convention.kind, plain(&convention.text, 100))
    });
    runs.chain(conventions).collect()
}

/// Adds a section if it has lines; those beyond its size are counted.
fn section(text: &mut String, title: &str, lines: Vec<String>, most: usize) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {title}\n");
    let all = lines.len();
    let mut size = 0;
    for (n, line) in lines.into_iter().enumerate() {
        size += line.len() + "- \n".len();
        if size > most {
            let _ = writeln!(text, "- and {} more in survey.json", all - n);
            return;
        }
        let _ = writeln!(text, "- {line}");
    }
}

/// ` and 3 more`, if there are more than were shown.
fn more(all: usize, shown: usize) -> String {
    if all > shown { format!(" and {} more", all - shown) } else { String::new() }
}

/// Text on one line, without control characters, at most `most` characters.
fn plain(text: &str, most: usize) -> String {
    let text = printable(text).to_string();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{
        Commands, Convention, LanguageShare, LineRange, Risk, SimilarCommit, Symbol, TestFile,
    };

    fn file(path: &str, kind: &str, reasons: &[&str], lines: Option<LineRange>) -> RankedFile {
        let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
        RankedFile { path: path.to_owned(), score: 1.0, reasons, kind: kind.to_owned(), lines }
    }

    fn survey() -> Survey {
        let passage = Some(LineRange { first: 10, last: 24 });
        Survey {
            request: "rate limiter".to_owned(),
            head: Some("0123456789abcdef".to_owned()),
            files: vec![
                file(
                    "src/limiter.rs",
                    "source",
                    &[
                        "says \"rate\", \"limiter\", closest in lines 10-24",
                        "is named after \"limiter\"",
                        "third",
                    ],
                    passage,
                ),
                file(
                    "docs/limits.md",
                    "doc",
                    &["says \"rate\", on line 3"],
                    Some(LineRange { first: 3, last: 3 }),
                ),
            ],
            symbols: vec![Symbol {
                name: "RateLimiter".to_owned(),
                kind: "struct".to_owned(),
                path: "src/limiter.rs".to_owned(),
                line: 12,
            }],
            tests: vec![
                TestFile { path: "src/limiter.rs".to_owned(), covers: vec!["src/limiter.rs".to_owned()] },
                TestFile { path: "tests/limiter.rs".to_owned(), covers: vec!["src/limiter.rs".to_owned()] },
                TestFile { path: "tests/all.rs".to_owned(), covers: vec!["src/limiter.rs".to_owned()] },
            ],
            commands: Commands { test: Some("cargo test".to_owned()), ..Commands::default() },
            conventions: vec![Convention {
                kind: "changelog".to_owned(),
                text: "a changelog is kept".to_owned(),
                path: Some("CHANGELOG.md".to_owned()),
            }],
            risks: vec![
                Risk {
                    path: "src/limiter.rs".to_owned(),
                    line: 14,
                    kind: "todo".to_owned(),
                    text: "// TODO: burst\u{1b}[31m".to_owned(),
                },
                Risk {
                    path: "src/limiter.rs".to_owned(),
                    line: 1,
                    kind: "large".to_owned(),
                    text: "1000 lines".to_owned(),
                },
            ],
            similar_commits: vec![SimilarCommit {
                id: "abcdef0123456789".to_owned(),
                subject: "limit the rate".to_owned(),
                files: ["src/limiter.rs", "src/lib.rs", "README.md"].map(str::to_owned).to_vec(),
            }],
            languages: vec![LanguageShare { name: "Rust".to_owned(), files: 12 }],
            notes: vec!["Nowhere in the repository: \"burst\".".to_owned()],
            ..Survey::default()
        }
    }

    #[test]
    fn a_survey_is_condensed() {
        insta::assert_snapshot!(survey_digest(&survey()), @r#"
        # Survey of the repository at commit 012345678 (12 Rust)

        Made by a program from words, names and history: a file may be listed by coincidence, and one that matters may be missing. `survey.json` has all of it.

        ## Files, most likely first
        - src/limiter.rs:10-24 (source): says "rate", "limiter"; is named after "limiter"; defines RateLimiter:12; tests inside the file, tests/limiter.rs and 1 more
        - docs/limits.md:3 (doc): says "rate"

        ## Risks in these files
        - src/limiter.rs:14 todo: // TODO: burst\u{1b}[31m

        ## Similar commits
        - abcdef012 "limit the rate": src/limiter.rs, src/lib.rs and 1 more

        ## Commands and conventions
        - test: `cargo test`
        - changelog: a changelog is kept (CHANGELOG.md)

        ## Notes
        - Nowhere in the repository: "burst".
        "#);
    }

    #[test]
    fn a_large_survey_stays_small_and_says_what_it_leaves_out() {
        let mut large = survey();
        let long = "folder-with-a-long-name/".repeat(6);
        let twenty = |n: usize| format!("{long}file{n}.rs");
        large.files = (0..20)
            .map(|n| file(&twenty(n), "source", &["x".repeat(300).as_str(), "y".repeat(300).as_str()], None))
            .collect();
        large.tests =
            (0..20).map(|n| TestFile { path: twenty(n), covers: (0..20).map(twenty).collect() }).collect();
        large.risks = (0..24)
            .map(|n| Risk { path: twenty(n), line: n, kind: "panic".to_owned(), text: "é".repeat(300) })
            .collect();
        large.similar_commits = (0..6)
            .map(|n| SimilarCommit {
                id: "0".repeat(40),
                subject: "s".repeat(200),
                files: vec![twenty(n); 12],
            })
            .collect();
        large.notes = vec!["n".repeat(2000); 5];
        large.conventions = vec![large.conventions[0].clone(); 20];
        let digest = survey_digest(&large);
        assert!(digest.len() <= MAX_BYTES, "{} bytes\n{digest}", digest.len());
        assert!(digest.contains("more in survey.json"), "{digest}");
        assert_eq!(digest.matches("\n## ").count(), 5, "{digest}");
    }

    #[test]
    fn an_empty_survey_has_no_sections() {
        let digest = survey_digest(&Survey::default());
        assert!(!digest.contains("##"), "{digest}");
    }
}
