//! Judges the citations of a text against the facts.

use super::excerpt::holds_secrets;
use super::facts::{SourceFacts, SourceKind};
use super::form::{PathForm, first_folder, form_with_line, form_without_line};
use super::mention::{Mention, mentions};
use super::newness::{declared_new, is_marked_new, is_new, speaks_of_absence};
use super::quote::{Quote, quote_of};
use super::zone::Zone;
use super::{
    CheckedCitation, CitationReport, CitationRules, CitationVerdict, UncheckedReason, WrongCitation,
};
use crate::escape::one_line;
use crate::markdown::Line;
use std::collections::BTreeSet;

/// Number of lines by which a quotation may miss its place.
const TOLERANCE: usize = 3;
/// Maximum number of files of the same name that are looked at.
const MAX_NAMESAKES: usize = 12;
/// Maximum number of files of the same name that are suggested.
const MAX_SUGGESTED: usize = 3;
/// Maximum length of a cited line in a message.
const MAX_SHOWN_CHARS: usize = 160;

/// Checks the citations of a text. What is wrong in the work tree but right at HEAD is right.
pub fn check_citations(text: &str, facts: &dyn SourceFacts, rules: &CitationRules) -> CitationReport {
    let (found, lines) = mentions(text);
    let mut new = declared_new(text);
    new.extend(rules.new_files.iter().cloned());
    let judge = Judge { lines: &lines, rules, new: &new };
    CitationReport { citations: found.iter().filter_map(|mention| judge.judge(mention, facts)).collect() }
}

struct Judge<'a> {
    lines: &'a [(Line<'a>, Zone)],
    rules: &'a CitationRules,
    new: &'a BTreeSet<String>,
}

impl Judge<'_> {
    /// The checked citation; none if the words cite nothing.
    fn judge(&self, mention: &Mention, facts: &dyn SourceFacts) -> Option<CheckedCitation> {
        if mention.lines.is_none() && self.rules.only_with_lines {
            return None;
        }
        let judged = self.judge_with(mention, facts)?;
        if !matches!(judged.verdict, CitationVerdict::Wrong(_)) {
            return Some(judged);
        }
        let at_head = facts.at_head().and_then(|head| self.judge_with(mention, head));
        Some(at_head.filter(|head| head.verdict == CitationVerdict::Right).unwrap_or(judged))
    }

    fn judge_with(&self, mention: &Mention, facts: &dyn SourceFacts) -> Option<CheckedCitation> {
        let existing = self.existing(mention, facts);
        if existing.is_empty() {
            return self.judge_missing(mention, facts);
        }
        let quote = mention.lines.and_then(|_| quote_of(mention, self.lines, self.rules.fences_quote));
        let mut first = None;
        for (path, kind) in existing {
            let verdict = judge_file(&path, kind, mention, quote.as_ref(), facts);
            if !matches!(verdict, CitationVerdict::Wrong(_)) {
                return Some(checked(mention, path, verdict));
            }
            first = first.or(Some(checked(mention, path, verdict)));
        }
        first
    }

    /// The readings that exist: as written, below an allowed folder, or as the end of longer paths.
    fn existing(&self, mention: &Mention, facts: &dyn SourceFacts) -> Vec<(String, SourceKind)> {
        let paths = || mention.readings.iter().map(|reading| reading.path.as_str());
        let is_looked_up = |path: &str| !path.starts_with('/') || self.is_allowed(path);
        let known = |path: String| facts.kind(&path).map(|kind| (path, kind));
        let direct: Vec<_> = paths()
            .filter(|path| is_looked_up(path) && !climbs(path))
            .filter_map(|path| known(path.trim_end_matches('/').to_owned()))
            .collect();
        if !direct.is_empty() || (mention.lines.is_none() && mention.zone == Zone::Code) {
            return direct;
        }
        let relative = || paths().filter(|path| !path.starts_with(['/', '~', '$']) && !climbs(path));
        let folders = || self.rules.outside_folders.iter().map(|folder| folder.trim_end_matches('/'));
        let below: Vec<_> = relative()
            .filter(|path| path.contains('/'))
            .flat_map(|path| folders().flat_map(move |folder| readings_below(folder, path)))
            .filter_map(known)
            .collect();
        if !below.is_empty() {
            return below;
        }
        let tails = relative().map(tail).filter(|tail| tail.contains('.') || tail.contains('/'));
        let tails = tails.flat_map(|tail| facts.ending_in(tail)).take(MAX_NAMESAKES);
        tails.filter_map(|path| facts.kind(&path).map(|kind| (path, kind))).collect()
    }

    fn is_allowed(&self, path: &str) -> bool {
        let below = |folder: &str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        !climbs(path) && self.rules.outside_folders.iter().any(|folder| below(folder))
    }

    /// Judges a mention of a file that is not there.
    fn judge_missing(&self, mention: &Mention, facts: &dyn SourceFacts) -> Option<CheckedCitation> {
        let path = &mention.readings[0].path;
        let form = if mention.lines.is_some() { form_with_line(path) } else { form_without_line(path) };
        let is_file = match form {
            PathForm::File => true,
            PathForm::Outside => return Some(unchecked(mention, UncheckedReason::OutsideRepository)),
            // A name without an extension: in a folder of the repository, or with a range. `library/postgres:16` is an image.
            PathForm::Perhaps => {
                let is_range = mention.lines.is_some_and(|(first, last)| first != last);
                mention.lines.is_some()
                    && path.contains('/')
                    && !path.contains("...")
                    && (is_range || facts.kind(first_folder(path)) == Some(SourceKind::Folder))
            }
        };
        if !is_file || is_placeholder(mention, self.lines) {
            return None;
        }
        let is_own = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            self.rules.own_files.iter().any(|own| matches(own, path) || matches(own, name))
        };
        let paths = || mention.readings.iter().map(|reading| reading.path.as_str());
        if paths().any(is_own) {
            return Some(unchecked(mention, UncheckedReason::OwnFile));
        }
        if paths().any(|path| is_new(path, self.new)) || is_marked_new(mention, self.lines) {
            return Some(unchecked(mention, UncheckedReason::New));
        }
        if mention.lines.is_none() && paths().any(|path| self.rules.named_files.contains(path)) {
            return None;
        }
        let line = self.lines.get(mention.index).map_or("", |(line, _)| line.text);
        match mention.zone {
            Zone::Code => return Some(unchecked(mention, UncheckedReason::InCode)),
            // In a list of files a new one may be marked elsewhere; the checks of the specification know.
            Zone::Json | Zone::Fixed if mention.lines.is_none() => return None,
            _ if mention.lines.is_none() && speaks_of_absence(line) => return None,
            _ => {}
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut similar = if path.contains('/') { facts.ending_in(name) } else { Vec::new() };
        similar.truncate(MAX_SUGGESTED);
        let wrong = CitationVerdict::Wrong(WrongCitation::NoSuchFile { similar });
        Some(checked(mention, path.clone(), wrong))
    }
}

/// True if a name fits a pattern, in which `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return name.ends_with(part);
        }
        let Some(at) = name.find(part) else { return false };
        name = &name[at + part.len()..];
    }
    true
}

/// Readings of a relative path below an allowed folder: from there, or from its parent if it begins with the name of the
/// folder, as in `nix-0.30.1/src/lib.rs`.
fn readings_below(folder: &str, path: &str) -> impl Iterator<Item = String> {
    let named = folder.rsplit_once('/').and_then(|(parent, name)| {
        let rest = path.strip_prefix(name)?;
        rest.starts_with('/').then(|| format!("{parent}/{path}"))
    });
    named.into_iter().chain([format!("{folder}/{path}")])
}

fn climbs(path: &str) -> bool {
    path.split('/').any(|part| part == "..")
}

/// The end of an abbreviated path: `…/router.ex`, `.../router.ex`.
fn tail(path: &str) -> &str {
    path.strip_prefix(".../").or_else(|| path.strip_prefix("…/")).unwrap_or(path)
}

/// True for the end of a template or a pattern: `<name>.rs`, `*.rs`, `{a,b}.rs`.
fn is_placeholder(mention: &Mention, lines: &[(Line<'_>, Zone)]) -> bool {
    let Some((line, _)) = lines.get(mention.index) else { return false };
    let before = &line.text[..mention.on_line.start];
    let after = &line.text[mention.on_line.end..];
    let is_pattern = before.ends_with('*') && !before.ends_with("**") && !before.ends_with("_*");
    let closes = before.ends_with(['>', '}', '…']);
    closes
        || (is_pattern && before.trim_end_matches('*').ends_with(['/', '`', ' ']))
        || after.starts_with(['<', '{', '*']) && !after.starts_with("**")
}

fn judge_file(
    path: &str,
    kind: SourceKind,
    mention: &Mention,
    quote: Option<&Quote>,
    facts: &dyn SourceFacts,
) -> CitationVerdict {
    let Some((first, last)) = mention.lines else { return CitationVerdict::Right };
    let wrong = match kind {
        SourceKind::Other => return CitationVerdict::Unchecked(UncheckedReason::NotText),
        SourceKind::Folder => WrongCitation::Folder,
        SourceKind::Text { .. } if last < first => WrongCitation::RangeReversed,
        SourceKind::Text { lines } if last > lines => WrongCitation::PastEnd { lines },
        SourceKind::Text { lines } => {
            let Some(quote) = quote else { return CitationVerdict::Right };
            let end = last.max(first + quote.lines.len() - 1) + TOLERANCE;
            let from = first.saturating_sub(TOLERANCE).max(1);
            if quote.is_in(&facts.lines(path, from, end.min(lines))) {
                return CitationVerdict::Right;
            }
            misquoted(path, first, lines, quote, facts)
        }
    };
    CitationVerdict::Wrong(wrong)
}

fn misquoted(
    path: &str,
    first: usize,
    lines: usize,
    quote: &Quote,
    facts: &dyn SourceFacts,
) -> WrongCitation {
    if holds_secrets(path) {
        return WrongCitation::Misquoted { says: "(not shown)".to_owned(), stands_in: None };
    }
    let says = facts.lines(path, first, first).into_iter().next().unwrap_or_default();
    let start = Quote { lines: vec![quote.shown().to_owned()] };
    let all = facts.lines(path, 1, lines);
    let stands_in =
        all.iter().position(|line| start.is_in(std::slice::from_ref(line))).map(|index| index + 1);
    WrongCitation::Misquoted { says: shown(&says), stands_in }
}

/// A line of a file for a message: on one line, and short.
fn shown(line: &str) -> String {
    let line = one_line(line.trim());
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn checked(mention: &Mention, path: String, verdict: CitationVerdict) -> CheckedCitation {
    // Longer readings begin earlier.
    let reading = mention.readings.iter().find(|reading| reading.path == path);
    let start = reading.map_or(mention.on_line.start, |reading| reading.start);
    let range =
        mention.range.start - (mention.on_line.start - start.min(mention.on_line.start))..mention.range.end;
    CheckedCitation {
        line: mention.line,
        path,
        lines: mention.lines,
        verdict,
        range,
        in_prose: mention.zone == Zone::Prose,
    }
}

fn unchecked(mention: &Mention, reason: UncheckedReason) -> CheckedCitation {
    checked(mention, mention.readings[0].path.clone(), CitationVerdict::Unchecked(reason))
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::Files;
    use super::*;

    fn files() -> Files {
        let code = "use std::fmt;\n\nfn main() {\n    let store = Store::open(path)?;\n    run(&store)\n}\n";
        let mut files = Files::new(&[
            ("src/a.rs", code),
            ("lib/app/router.ex", "defmodule App.Router do\n  get \"/\"\nend\n"),
            ("docs/my notes.md", "# Notes\n"),
            ("docs/größe.md", "# Größe\n"),
            ("LICENSE", "MIT\n"),
            ("Makefile", "all:\n\tcargo build\n"),
            ("logo.png", "\0"),
            ("/deps/quic-1.0/src/lib.rs", "pub fn quic() {}\n"),
        ]);
        files.head = Some(Box::new(Files::new(&[("src/gone.rs", "fn gone() {}\n")])));
        files
    }

    fn rules() -> CitationRules {
        CitationRules {
            own_files: ["plan.txt", "requirements.md", "*-sketch-*-output.txt"].map(str::to_owned).into(),
            outside_folders: vec!["/deps/".to_owned()],
            fences_quote: true,
            ..CitationRules::default()
        }
    }

    #[test]
    fn a_path_that_the_inputs_name_may_be_repeated() {
        let rules = CitationRules { named_files: ["src/b.rs".to_owned()].into(), ..rules() };
        let verdicts = |text: &str| -> Vec<String> {
            check_citations(text, &files(), &rules).citations.iter().map(ToString::to_string).collect()
        };
        assert_eq!(verdicts("`src/b.rs` reads it"), [""; 0]);
        assert_eq!(verdicts("`src/b.rs:3` reads it").len(), 1);
        assert_eq!(verdicts("`src/c.rs` reads it").len(), 1);
    }

    fn verdicts(text: &str) -> Vec<String> {
        let report = check_citations(text, &files(), &rules());
        report.citations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn citations_are_held_against_the_files() {
        for (text, expected) in [
            (
                "src/a.rs:1, `src/a.rs:6` and src/a.rs",
                vec!["src/a.rs:1: right", "src/a.rs:6: right", "src/a.rs: right"],
            ),
            ("src/a.rs:7", vec!["src/a.rs:7: the file has 6 lines"]),
            ("LICENSE:2", vec!["LICENSE:2: the file has 1 line"]),
            ("src/a.rs:6-3", vec!["src/a.rs:6-3: the range ends before it begins"]),
            ("src/b.rs:1", vec!["src/b.rs:1: there is no such file"]),
            ("src/a.rs:3,9", vec!["src/a.rs:3: right", "src/a.rs:9: the file has 6 lines"]),
            (
                "lib/router.ex:1",
                vec!["lib/router.ex:1: there is no such file; of that name there is lib/app/router.ex"],
            ),
            ("router.ex:2 app/router.ex:3", vec!["lib/app/router.ex:2: right", "lib/app/router.ex:3: right"]),
            ("router.ex:48", vec!["lib/app/router.ex:48: the file has 3 lines"]),
            (
                "`docs/my notes.md:1` docs/größe.md:1",
                vec!["docs/my notes.md:1: right", "docs/größe.md:1: right"],
            ),
            ("`docs/my notes.md:9`", vec!["docs/my notes.md:9: the file has 1 line"]),
            ("lib/app:3", vec!["lib/app:3: this is a folder"]),
            ("lib/nothing:3", vec!["lib/nothing:3: there is no such file"]),
            ("other/nothing:3-9", vec!["other/nothing:3-9: there is no such file"]),
            (
                "src/gone.rs:1 and src/gone.rs:2",
                vec!["src/gone.rs:1: right", "src/gone.rs:2: there is no such file"],
            ),
            ("logo.png:3", vec!["logo.png:3: not a text file"]),
            (
                "/deps/quic-1.0/src/lib.rs:1, quic-1.0/src/lib.rs:1",
                vec!["/deps/quic-1.0/src/lib.rs:1: right"; 2],
            ),
            ("/deps/quic-1.0/src/lib.rs:7", vec!["/deps/quic-1.0/src/lib.rs:7: the file has 1 line"]),
            (
                "/etc/passwd:1 and /deps/../etc/x.rs:1",
                vec!["/etc/passwd:1: outside the repository", "/deps/../etc/x.rs:1: outside the repository"],
            ),
            (
                "plan.txt:12, specs/x/requirements.md:3 codex-sketch-edge-output.txt:2",
                vec![
                    "plan.txt:12: a file of this run",
                    "specs/x/requirements.md:3: a file of this run",
                    "codex-sketch-edge-output.txt:2: a file of this run",
                ],
            ),
            (
                "src/new.rs:3 (new), later src/new.rs:9",
                vec!["src/new.rs:3: a new file", "src/new.rs:9: a new file"],
            ),
            ("The parser in `src/parse.rs` reads it", vec!["src/parse.rs: there is no such file"]),
            ("There is no `src/parse.rs`; create `src/parse.rs`", vec![]),
            (
                "```\ntests/probe.rs:3: failed\nsrc/a.rs:99\n```",
                vec!["tests/probe.rs:3: in code", "src/a.rs:99: the file has 6 lines"],
            ),
            ("```json\n{\"at\": \"src/b.rs:1\"}\n```", vec!["src/b.rs:1: there is no such file"]),
        ] {
            assert_eq!(verdicts(text), expected, "{text}");
        }
    }

    #[test]
    fn other_words_cite_nothing() {
        for text in [
            "12:30, 3:1, 16:9, 10:15-10:45, 1.2.3:4",
            "http://localhost:3000/x.rs:3 https://example.com:8443/a/b.rs:12 example.com:443 db.internal:5432",
            "std::fmt:12 crate::store::open:3 std::fs.rs:12",
            "port:8080 PORT:80 timeout:30 replicas:3 \"version\": \"3.8:1\"",
            "me@example.com:25 git@host.org:22 a@b.py:3",
            "library/postgres:16 ghcr:2 app:1.2.3 pkg.name:1.2",
            "2026-11-17T10:00:00Z INFO src/x.rs:3 started\n[10:00:00] src/x.rs:3",
            "C:\\src\\x.rs:12 and src\\x.rs:12",
            "<name>.rs:3, src/*.rs:1, path/to/file.rs:12, {a}/x.rs:3",
            "Node.js:20 and/or:5 TCP/IP:80 DECISION_1:3 FINDING_2: YES",
        ] {
            let found = verdicts(text);
            assert!(
                found.iter().all(|verdict| verdict.ends_with("outside the repository")),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn quoted_text_must_stand_there() {
        for (text, expected) in [
            ("`src/a.rs:4`: \"let store = Store::open(path)?;\"", "right"),
            ("`src/a.rs:4`: \"let  store = … (path)\"", "right"),
            ("src/a.rs:1: \"let store = Store::open(path)?;\"", "right"),
            (
                "src/a.rs:4: `let store = Store::create(path)?;`",
                "the quoted text is not there; it is not in the file, and the cited line says: let store = Store::open(path)?;",
            ),
            (
                "\"let store = Store::shut(path)\" (src/a.rs:2)",
                "the quoted text is not there; it is not in the file, and the cited line is empty",
            ),
            ("`src/a.rs:3`:\n> fn main() {\n> let store", "right"),
            (
                "`src/a.rs:3-4`:\n```rust\nfn main() {\n    let store = Store::make()?;\n```",
                "the quoted text is not there; it stands in line 3, and the cited line says: fn main() {",
            ),
        ] {
            let verdict = check_citations(text, &files(), &rules()).citations[0].verdict.to_string();
            assert_eq!(verdict, expected, "{text}");
        }
        let long = format!("{}needle one two three\n", "x\n".repeat(40));
        let files = Files::new(&[("a.md", &long)]);
        let report = check_citations("a.md:2: \"needle one two three\"", &files, &rules());
        assert_eq!(
            report.problems()[0].message,
            "a.md:2: the quoted text is not there; it stands in line 41, and the cited line says: x"
        );
    }
}
