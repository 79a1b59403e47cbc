//! Two hundred wrong citations of varied kinds, planted into answers about a repository in several languages, and two
//! hundred right ones of the same variety: every wrong one is found, and no right one is refused.

use super::facts::tests::Files;
use super::{CitationRules, CitationVerdict, WrongCitation, check_citations, strike_wrong_citations};
use std::fmt::Write as _;

/// Number of lines of each file.
const LINES: usize = 60;

/// Files of the tree: languages, documents, names without extension, with blanks, brackets and other scripts.
const PATHS: [&str; 25] = [
    "src/http/limit.rs",
    "lib/app/router.ex",
    "lib/app_web/live/page.html.heex",
    "src/Data/Parser.hs",
    "infra/main.tf",
    "infra/prod.tfvars",
    "docs/config.rst",
    "docs/guide.adoc",
    "cmd/server/main.go",
    "app/[slug]/page.tsx",
    "web/src/Button.svelte",
    "pkg/__init__.py",
    "Makefile",
    "LICENSE",
    ".github/workflows/ci.yml",
    ".gitignore",
    "docs/my notes.md",
    "docs/größe.md",
    "docs/日本語.md",
    "bin/deploy",
    "db/migrate/001_create-users.sql",
    "src/main/java/org/acme/App.java",
    "lib/engine.zig",
    "schema.proto",
    "kernel/spin+lock.c",
];

fn line_text(path: &str, line: usize) -> String {
    format!("    let value_{line} = compute({line}, \"{}\");", path.len())
}

fn tree() -> Files {
    let texts: Vec<(String, String)> = PATHS
        .iter()
        .map(|path| ((*path).to_owned(), (1..=LINES).map(|line| line_text(path, line) + "\n").collect()))
        .collect();
    Files { texts: texts.into_iter().collect(), head: None }
}

/// A place and what is said to stand there.
struct Planted {
    path: String,
    first: usize,
    last: usize,
    quoted: String,
}

/// The forms in which agents cite.
const FORMS: usize = 8;

/// Writes a citation as the form says. The names with blanks need inline code in all of them.
fn written(form: usize, planted: &Planted) -> String {
    let Planted { path, first, last, quoted } = planted;
    let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
    match form {
        0 => format!("The value is computed at `{path}:{lines}`, and nothing guards it at 12:30."),
        1 => format!("- `{path}`:{lines}: it is read on port:8080 and http://localhost:3000 only"),
        2 => format!(
            "1. [correctness] [major] `{path}:{lines}` drops the error\n   Suggested revision: return it."
        ),
        3 => format!("- `{path}:{lines}`: \"{quoted}\""),
        4 => format!("| `{path}:{lines}` | std::fmt:12 formats it | 3:1 |"),
        5 => format!("`{path}:{first}-{last}`:\n\n> {quoted}\n\nSo it holds."),
        6 => format!("FINDING_1: YES — `{path}:{first}–{last}` says \"{quoted}\" (v1.2:3)"),
        _ => format!(
            "```json\n{{\"findings\": [{{\"location\": \"{path}:{lines}\", \"at\": \"12:30\"}}]}}\n```"
        ),
    }
}

fn right(n: usize) -> Planted {
    let path = PATHS[n % PATHS.len()];
    let first = 1 + n * 7 % (LINES - 4);
    let last = if (n / FORMS).is_multiple_of(2) { first } else { first + 3 };
    Planted { path: path.to_owned(), first, last, quoted: line_text(path, first).trim().to_owned() }
}

/// Spoils a right citation: another file, another folder, past the end, the end before the beginning, other words.
fn wrong(n: usize) -> Planted {
    let planted = right(n);
    let form = n % FORMS;
    let quotes = matches!(form, 3 | 5 | 6);
    match n / FORMS % 5 {
        0 => {
            let (folder, name) = planted.path.rsplit_once('/').unwrap_or(("", &planted.path));
            let path =
                if folder.is_empty() { format!("absent/{name}") } else { format!("{folder}/absent-{name}") };
            Planted { path, ..planted }
        }
        1 if planted.path == "bin/deploy" => Planted { path: "bin/nowhere/deploy".to_owned(), ..planted },
        1 => Planted { path: format!("nowhere/{}", planted.path), ..planted },
        2 => Planted { first: LINES + 1 + n, last: LINES + 1 + n, ..planted },
        3 => Planted { first: 9, last: 3, ..planted },
        _ if quotes => Planted { quoted: format!("let value = forget({n}, now);"), ..planted },
        _ => Planted { last: LINES + 5, ..planted },
    }
}

/// Answers with twenty citations each.
fn answers(plant: impl Fn(usize) -> Planted) -> Vec<String> {
    (0..10)
        .map(|answer| {
            let mut text =
                "# Answer\n\nWritten at 10:15, on node.js:20, for me@example.com:25.\n\n".to_owned();
            for n in answer * 20..answer * 20 + 20 {
                let _ = writeln!(text, "{}\n", written(n % FORMS, &plant(n)));
            }
            text
        })
        .collect()
}

fn rules() -> CitationRules {
    CitationRules { fences_quote: true, ..CitationRules::default() }
}

#[test]
fn two_hundred_wrong_citations_are_found() {
    let tree = tree();
    let mut kinds = [0; 4];
    let mut found = 0;
    for answer in answers(wrong) {
        let report = check_citations(&answer, &tree, &rules());
        assert_eq!((report.wrong().count(), report.right()), (20, 0), "{answer}\n{:#?}", report.citations);
        found += report.wrong().count();
        for citation in report.wrong() {
            let CitationVerdict::Wrong(wrong) = &citation.verdict else { continue };
            kinds[match wrong {
                WrongCitation::NoSuchFile { .. } => 0,
                WrongCitation::PastEnd { .. } => 1,
                WrongCitation::RangeReversed => 2,
                WrongCitation::Misquoted { .. } | WrongCitation::Folder => 3,
            }] += 1;
        }
        let struck = strike_wrong_citations(&answer, &report);
        let left = check_citations(&struck.text, &tree, &rules());
        assert_eq!(left.wrong().count() + struck.count, 20, "{}", struck.text);
        assert!(
            left.wrong().all(|citation| struck.text.lines().nth(citation.line - 1).unwrap().starts_with('{'))
        );
    }
    assert_eq!(found, 200);
    assert!(kinds.iter().all(|kind| *kind >= 10), "{kinds:?}");
}

#[test]
fn two_hundred_right_citations_are_accepted() {
    let tree = tree();
    let mut found = 0;
    for answer in answers(right) {
        let report = check_citations(&answer, &tree, &rules());
        assert_eq!(report.problems(), [], "{answer}");
        assert_eq!(report.right(), 20, "{answer}\n{:#?}", report.citations);
        found += report.right();
        assert_eq!(strike_wrong_citations(&answer, &report).text, answer);
    }
    assert_eq!(found, 200);
}
