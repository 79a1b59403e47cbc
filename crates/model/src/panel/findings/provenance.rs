//! Provenance of a review: does it name a place in the repository or in the plan?
//!
//! Places are recognised by their shape, in any language: a path with an extension, `router.ex:48`, a well-known file
//! name, a folder in inline code, a section of the plan, an address, quoted code. Whether a cited place exists is
//! checked elsewhere. The collector of the plumbing has its own, narrower list in [`crate::collect::substance`].

use super::parser::{FindingsStatus, NO_ISSUES_FOUND, read_findings};
use crate::collect::command::Validation;
use crate::collect::substance::{AnswerRejection, validate_answer};
use crate::markdown::{is_blank, lines, trimmed};
use crate::panel::places::cited_places;

/// Checks that a review is one: findings with enough words and at least one place, or `NO_ISSUES_FOUND`. `sections`
/// are the headings of the plan. The error tells the reviewer what to change.
pub fn check_review(text: &str, sections: &[&str]) -> Result<(), String> {
    let read = read_findings(text);
    match read.status {
        FindingsStatus::NoIssues => return Ok(()),
        FindingsStatus::Invalid => {
            let reason = read.errors.first().map(|problem| format!(": {}", problem.message));
            let reason = reason.unwrap_or_default();
            return Err(format!("neither numbered findings nor exactly {NO_ISSUES_FOUND}{reason}"));
        }
        FindingsStatus::Findings => {}
    }
    match validate_answer(Some(text), Validation::Check) {
        Err(AnswerRejection::NoMarker) if !names_place(text, sections) => Err(NO_PLACE.to_owned()),
        Err(rejection @ AnswerRejection::Words { .. }) => Err(rejection.to_string()),
        _ => Ok(()),
    }
}

const NO_PLACE: &str = "no finding names a place: cite the file it is about (path or path:line), or the section of \
                        the plan, such as \"Edge cases\"";

/// True if a text names a file, a folder, or one of the `sections` of the plan.
pub fn names_place(text: &str, sections: &[&str]) -> bool {
    if !cited_places(text).is_empty() {
        return true;
    }
    lines(text).any(|line| {
        words(line.text).any(|word| is_file(&word))
            || sections.iter().any(|section| names_section(line.text, section))
    })
}

/// Word of a line that may be a path.
struct Word<'a> {
    text: &'a str,
    /// True if it stands alone in inline code.
    is_code: bool,
}

fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    line.split('`').enumerate().flat_map(|(part, text)| {
        let alone = part % 2 == 1 && !trimmed(text).contains(is_blank);
        text.split(|c| is_blank(c) || "\"'()[]{}<>|,;*“”‘’".contains(c))
            .filter(|word| !word.is_empty())
            // A call is no file: `store.read()`.
            .filter(|word| !text[crate::markdown::offset_in(text, word) + word.len()..].starts_with('('))
            .map(move |word| Word { text: word, is_code: alone })
    })
}

fn is_file(word: &Word<'_>) -> bool {
    let text = word.text.trim_end_matches(['.', ':', '!', '?', '…', '—', '–']);
    let text = text.trim_start_matches("./");
    if text.contains("://") || text.starts_with(['/', '~']) || text.split('/').any(|part| part == "..") {
        return false;
    }
    match text.trim_end_matches('/').rsplit_once('/') {
        Some((folder, name)) => {
            let is_folder = text.ends_with('/') || word.is_code;
            let is_plain = |part: &str| {
                !part.is_empty()
                    && !part.ends_with('.')
                    && part.contains(|c: char| c.is_alphanumeric() || c == '*')
            };
            folder.split('/').all(is_plain)
                && !is_host(folder.split('/').next().unwrap_or_default())
                && (has_extension(name) || is_known_name(name) || is_folder && is_plain(name))
        }
        None => is_known_name(text) || has_extension(text) && !is_host(text) && !is_version(text),
    }
}

/// True for `stem.ext`: the extension begins with a letter and is short and lower-case, or one of the few that are not.
fn has_extension(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_lower = extension.starts_with(|c: char| c.is_ascii_lowercase())
        && extension.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    // "e.g." and "p.m." have stems of one letter.
    let stem_letters = stem.chars().filter(|c| c.is_alphanumeric()).count();
    let is_abbreviation = stem_letters == 1 && extension.len() == 1;
    stem.contains(char::is_alphabetic)
        && !stem.ends_with('.')
        && !is_abbreviation
        && (is_lower && extension.len() <= MAX_EXTENSION || CAPITAL_EXTENSIONS.contains(&extension))
}

const MAX_EXTENSION: usize = 10;

/// Extensions with a capital letter; all others are the next word of a sentence: "done.Then".
const CAPITAL_EXTENSIONS: [&str; 7] = ["R", "Rmd", "S", "C", "H", "F90", "Dockerfile"];

/// True for `example.com`; a file may be below it in a URL, but not in a repository.
fn is_host(name: &str) -> bool {
    const ENDS: [&str; 7] = ["com", "dev", "internal", "io", "local", "net", "org"];
    name.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end))
}

/// True for `v1.x`, `2.x`.
fn is_version(name: &str) -> bool {
    let (number, _) = name.rsplit_once('.').unwrap_or((name, ""));
    let number = number.strip_prefix(['v', 'V']).unwrap_or(number);
    !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn is_known_name(name: &str) -> bool {
    KNOWN_NAMES.contains(&name)
}

/// Files known by their name alone.
const KNOWN_NAMES: [&str; 28] = [
    ".dockerignore",
    ".editorconfig",
    ".env",
    ".eslintrc",
    ".gitattributes",
    ".gitignore",
    ".gitmodules",
    ".npmrc",
    ".nvmrc",
    ".prettierrc",
    "Brewfile",
    "CHANGELOG",
    "CODEOWNERS",
    "Dockerfile",
    "GNUmakefile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENSE",
    "Makefile",
    "Podfile",
    "Procfile",
    "README",
    "Rakefile",
    "Tiltfile",
    "Vagrantfile",
    "justfile",
    "makefile",
];

/// True if a line names a section as one: spelled with its capital letter, and either in several words, set off by
/// quotes, code or emphasis, beside the word "section", or in the middle of a sentence.
fn names_section(line: &str, section: &str) -> bool {
    line.match_indices(section).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + section.len()..]);
        let is_word = !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        let is_set_off = before.ends_with(['"', '`', '*', '“', '(', '#']) || before.ends_with("# ");
        let follows = after.trim_start_matches(['"', '`', '*', '”', ' ']);
        let beside_section = ends_with_word(before, "section") || follows.starts_with("section");
        let previous = before.trim_end_matches(is_blank).chars().next_back();
        let in_sentence = previous.is_some_and(|c| c.is_alphanumeric() || c == ',' || c == '§');
        is_word && (section.contains(' ') || is_set_off || beside_section || in_sentence)
    })
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let text = text.trim_end_matches(is_blank).as_bytes();
    text.len() >= word.len() && text[text.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTIONS: [&str; 5] =
        ["Files to modify/create", "Approach", "Edge cases", "Failure modes", "Testing strategy"];

    /// A review of one finding about `place`.
    fn review(place: &str) -> String {
        format!(
            "1. [correctness] [major] Lost updates\n   Two requests that arrive together read the same value and both \
             write it back, so one of the two updates is lost. {place}\n   Suggested revision: take the lock before \
             the first read, and add a test with two writers."
        )
    }

    #[test]
    fn a_review_of_a_repository_in_any_language_is_accepted() {
        for place in [
            // Elixir
            "See router.ex:48.",
            "lib/shop_web/router.ex does so.",
            "It is in mix.exs.",
            "`lib/shop_web/live/` has three.",
            // Haskell
            "See Main.hs.",
            "src/Data/Store/Types.hs:12-30 shows it.",
            "app/Main.lhs, too.",
            "stack.yaml and shop.cabal:14 agree.",
            // Terraform
            "See main.tf.",
            "modules/vpc/variables.tf:7 sets it.",
            "The value is in prod.tfvars.",
            "environments/prod/.terraform.lock.hcl pins it.",
            // reStructuredText
            "docs/config.rst says so.",
            "See index.rst:3",
            // others
            "schema.prisma has it.",
            "build.zig and src/root.zig",
            "`src/http`",
            "charts/app/templates/_helpers.tpl",
            "See Jenkinsfile.",
            "The .gitignore hides it.",
            "analysis/model.R",
            "See https://hexdocs.pm/phoenix/",
            "\n   ```elixir\n   plug :auth\n   ```\n",
        ] {
            assert_eq!(check_review(&review(place), &SECTIONS), Ok(()), "{place}");
        }
    }

    #[test]
    fn a_section_of_the_plan_is_a_place() {
        for place in [
            "Edge cases does not mention it.",
            "The plan's Approach reads first.",
            "(Approach, step 2)",
            "See \"Approach\".",
            "`Approach` is silent.",
            "Approach section, second paragraph.",
            "The section Failure modes is too short.",
        ] {
            assert_eq!(check_review(&review(place), &SECTIONS), Ok(()), "{place}");
        }
        assert_eq!(
            check_review(&review("See Edge cases."), &[]),
            Err(NO_PLACE.to_owned()),
            "of another plan"
        );
    }

    #[test]
    fn prose_without_a_place_is_refused() {
        for place in [
            "",
            "This is so for reads and/or writes, e.g. counters, i.e. numbers, etc.",
            "It happens at 12:30 on localhost:8080 and example.com:443.",
            "The client/server split and the read/write lock do not help.",
            "Approach it differently.",
            "The approach is wrong. Approach is all.",
            "All edge cases are missing.",
            "Version 1.2.3 and v1.x and 2.x do it.",
            "It is done.Then it breaks.",
            "store.read() and self.lock() race.",
            "/etc/passwd and ../secret are elsewhere.",
            "See example.com or github.com/user.",
            "3/4 of them, 24/7.",
        ] {
            assert_eq!(check_review(&review(place), &SECTIONS), Err(NO_PLACE.to_owned()), "{place}");
        }
    }

    #[test]
    fn what_is_no_review_is_told_apart() {
        assert_eq!(check_review("NO_ISSUES_FOUND\n", &SECTIONS), Ok(()));
        assert_eq!(
            check_review("The plan in src/a.rs is fine.", &SECTIONS).unwrap_err(),
            "neither numbered findings nor exactly NO_ISSUES_FOUND: expected numbered findings, or exactly \
             NO_ISSUES_FOUND"
        );
        assert_eq!(
            check_review("1. [security] Keys leak in main.tf.", &SECTIONS).unwrap_err(),
            "body is thin: 6 words outside code fences, at least 30 are required"
        );
    }

    #[test]
    fn huge_lines_take_linear_time() {
        for text in
            ["a/".repeat(1 << 19), "a.b(".repeat(1 << 18), "`".repeat(1 << 20), "Approach".repeat(1 << 17)]
        {
            names_place(&text, &SECTIONS);
        }
    }
}
