//! Cases of edits by section.

use super::*;
use crate::spec::sections::Section;
use proptest::prelude::*;

const PLAN: &str = "\u{feff}# Plan\n\nIntro.\n\n## Approach\n\nOld way.\n\n### Detail\nOne.\n\n## 2. **Edge cases**\n- none\n\n### Detail\n```\n## Approach\n=== delete: ## Approach ===\n```\n\n\n## Tests\nAll of it.";

fn edited(answer: &str) -> String {
    apply_edits(PLAN, answer).unwrap_or_else(|problems| panic!("{answer}: {problems:?}")).text
}

fn refused(answer: &str) -> Vec<(usize, String)> {
    let problems = apply_edits(PLAN, answer).expect_err(answer);
    problems.into_iter().map(|problem| (problem.line, problem.message)).collect()
}

#[test]
fn a_section_is_replaced_and_the_rest_stays() {
    let expected = PLAN.replace("Old way.\n\n### Detail\nOne.", "New way.");
    for answer in [
        "=== replace: ## Approach ===\nNew way.",
        "Here are the edits.\n\n=== replace: ## Approach ===\n\n\nNew way.\n\n\n",
        "=== REPLACE: ## approach ===\n## Approach\n\nNew way.\n",
        "=== replace: Approach ===\n### Approach\n\nNew way.\n=== end ===\n",
        "**=== replace: ## Approach ===**\r\nNew way.\r\n",
        "### ==== replace: ## Approach ## ====\nNew way.",
        "=== replace ## Approach\nNew way.",
        "```text\n=== replace: ## Approach ===\nNew way.\n```",
        "=== replace: ## Approach ===\n```markdown\n## Approach\n\nNew way.\n```",
        "=== replace: # Plan > ## Approach ===\n```\n## Approach\n\nNew way.\n```\n",
    ] {
        assert_eq!(edited(answer), expected, "{answer}");
    }
}

#[test]
fn sections_are_added_deleted_and_renamed() {
    for (answer, from, to) in [
        ("=== add after: ## Approach ===\n## New\nText.\n", "## 2.", "## New\nText.\n\n## 2."),
        ("=== add after: ## Tests ===\n## New\nText.\n", "All of it.", "All of it.\n\n## New\nText.\n"),
        ("=== insert after: Approach ===\n### Sub\nText.\n", "## 2.", "### Sub\nText.\n\n## 2."),
        ("=== delete: ## Tests ===", "## Tests\nAll of it.", ""),
        ("=== delete: ## Approach > ### Detail ===\nIt says nothing.\n", "### Detail\nOne.\n\n", ""),
        ("=== replace: ## Tests ===\n## Proof\nAll.\n", "## Tests\nAll of it.", "## Proof\nAll."),
        (
            "=== replace: Edge cases ===\nMany.\n",
            "- none\n\n### Detail\n```\n## Approach\n=== delete: ## Approach ===\n```",
            "Many.",
        ),
        ("=== replace: Tests ===\n```rust\nfn x() {}\n```\n", "All of it.", "```rust\nfn x() {}\n```"),
        ("=== replace: Tests ===\n```\n# install\nmake\n```\n", "All of it.", "```\n# install\nmake\n```"),
        ("=== add after: Tests ===\n```md\n## New\nx\n```\n", "All of it.", "All of it.\n\n## New\nx\n"),
        ("=== replace: Tests ===\n=====\n=== x ===\n", "All of it.", "=====\n=== x ==="),
        (
            "=== replace: ## Tests ===\nAll.\n=== add after: ## Tests ===\n## A\na\n=== add-after: ## Tests ===\n## B\nb\n=== delete: ## Approach > Detail ===",
            "",
            "",
        ),
    ] {
        let expected = match from {
            "" => {
                PLAN.replace("### Detail\nOne.\n\n", "").replace("All of it.", "All.\n\n## A\na\n\n## B\nb\n")
            }
            _ => PLAN.replacen(from, to, 1),
        };
        assert_eq!(edited(answer), expected, "{answer}");
    }
    let inner =
        "=== add after: ## Approach ===\n## B\nb\n=== add after: ## Approach > ### Detail ===\n### C\nc\n";
    assert!(edited(inner).contains("One.\n\n### C\nc\n\n## B\nb\n\n## 2."));
}

#[test]
fn line_ends_follow_the_document() {
    let document = PLAN.replace('\n', "\r\n");
    let answer = "=== replace: ## Tests ===\na\nb\n=== add after: ## Tests ===\n## New\nc";
    let text = apply_edits(&document, answer).unwrap().text;
    assert_eq!(text, document.replace("All of it.", "a\r\nb\r\n\r\n## New\r\nc\r\n"));
}

#[test]
fn changes_are_named() {
    let changes = |answer: &str| {
        let edited = apply_edits(PLAN, answer).unwrap();
        let all: Vec<_> = edited.changes.iter().map(|c| format!("{:?} {}", c.kind, c.heading)).collect();
        (edited.is_whole, all.join(", "))
    };
    let edits = "=== replace: ## Tests ===\nAll of it.\n=== delete: ## Approach ===\n=== add after: ## Tests ===\n## New\nx";
    assert_eq!(changes(edits), (false, "Deleted ## Approach, Added ## New".to_owned()));
    let whole = "# Plan\n## Approach\nNew.\n## Tests\nAll of it.\n## More\nx";
    let all = "Replaced ## Approach, Added ## More, Deleted ## 2. **Edge cases**";
    assert_eq!(changes(whole), (true, all.to_owned()));
    assert_eq!(changes(PLAN), (true, String::new()));
    assert_eq!(
        changes("No headings at all."),
        (true, "Deleted ## Approach, Deleted ## 2. **Edge cases**, Deleted ## Tests".to_owned())
    );
}

#[test]
fn an_answer_without_edits_is_the_new_text() {
    for answer in ["# New\ntext\n", "\n# New\ntext", "```markdown\n# New\ntext\n```"] {
        let edited = apply_edits(PLAN, answer).unwrap();
        assert_eq!((edited.text.as_str(), edited.is_whole), ("# New\ntext\n", true), "{answer}");
    }
    let example = "# Grammar\n```\n=== replace: ## Approach ===\nx\n```\n";
    assert_eq!(edited(example), example);
}

#[test]
fn unknown_and_ambiguous_headings_are_named_with_the_nearest() {
    let all = "# Plan, ## Approach, ### Detail, ## 2. **Edge cases**, ### Detail, ## Tests";
    let nearest = |wanted: &str, nearest: &str| {
        format!("there is no section '{wanted}'; the nearest is '{nearest}'. The document has: {all}")
    };
    assert_eq!(
        refused("=== replace: ## Aproach ===\nx\n=== delete: ## Test ===\n"),
        [(1, nearest("## Aproach", "## Approach")), (3, "there is no section '## Test'".to_owned())]
    );
    assert_eq!(
        refused("a\n=== delete: ## Tests > ### Detail ===\n"),
        [(2, nearest("## Tests > ### Detail", "### Detail"))]
    );
    assert_eq!(
        refused("=== delete: ### Detail ===\n"),
        [(1, "there are 2 sections '### Detail': name its parent, '## Approach > ### Detail' or '## 2. **Edge cases** > ### Detail'".to_owned())]
    );
    let twins = apply_edits("## A\na\n## A\nb\n", "=== delete: ## A ===").unwrap_err();
    assert!(twins[0].message.contains("cannot be told apart"), "{twins:?}");
    let empty = apply_edits("text", "=== delete: ## A ===").unwrap_err();
    assert_eq!(empty[0].message, "there is no section '## A': the document has no headings");
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    for (answer, line, message) in [
        ("", 1, "the answer is empty"),
        ("```\n```", 1, "the answer is empty"),
        ("=== replace: ## Tests ===\n", 1, "there is no text below this line"),
        ("=== replace: ## Tests ===\n## Tests\n", 1, "there is no text below the heading"),
        ("=== add after: ## Tests ===\n", 1, "there is no text below this line"),
        ("=== add after: ## Tests ===\ntext\n", 1, "the text to add does not begin with a heading"),
        ("=== change: ## Tests ===\ntext\n", 1, "'change' is no edit"),
        ("## New\nx\n=== delete: ## Tests ===\n", 1, "there are sections outside of the edits"),
        ("=== delete: ## Tests ===\n## New\nx\n", 1, "there are sections below this deletion"),
        ("=== delete: ## Tests ===\n=== end ===\n## New\nx\n", 2, "there are sections outside of the edits"),
        ("=== delete: ## Tests ===\n=== replace: Tests ===\nx", 2, "'## Tests' is deleted in line 1 already"),
        (
            "\n=== replace: ## Tests ===\nx\n=== replace: ## Tests ===\nx",
            4,
            "'## Tests' is replaced in line 2 already",
        ),
        (
            "=== delete: ## Approach ===\n=== replace: ## Approach > ### Detail ===\nx",
            2,
            "'### Detail' is a part of '## Approach', which is deleted in line 1",
        ),
        (
            "=== add after: ## Approach > ### Detail ===\n### X\nx\n=== replace: Approach ===\nx",
            1,
            "'### Detail' is a part of '## Approach', which is replaced in line 4",
        ),
        (
            "=== replace: ## Tests ===\n```\nx\n=== delete: ## Approach ===\n",
            2,
            "this code fence is never closed",
        ),
        ("=== replace: ## Approach ===\n<!--\nx\n", 1, "the edits hide '## 2. **Edge cases**'"),
        ("=== add after: ## Approach ===\n## Tests\nx\n", 1, "'## Tests' would be there twice"),
        ("=== replace: ## Approach ===\nx\n## Tests\nx\n", 1, "'## Tests' would be there twice"),
        (
            "=== add after: ## Approach ===\n# New\nx\n",
            1,
            "'# New' would take in '## 2. **Edge cases**', which follows: give it 2 hashes",
        ),
        (
            "=== replace: ## Approach > ### Detail ===\n## Other\nx\n",
            1,
            "the new text of '### Detail' begins with another heading",
        ),
        ("=== delete: # Plan ===\n", 1, "the edits delete the whole document"),
        ("Edits:\n```\n=== delete: ## Tests ===\n```\n", 3, "the edits stand inside a code fence"),
    ] {
        let problems = refused(answer);
        assert_eq!(problems[0].0, line, "{answer}: {problems:?}");
        assert!(problems[0].1.starts_with(message), "{answer}: {problems:?}");
    }
    let many: Vec<String> = (0..=200).map(|n| format!("=== add after: Tests ===\n## N{n}\nx\n")).collect();
    assert_eq!(refused(&many.concat()), [(601, "201 edits: 200 at most".to_owned())]);
}

#[test]
fn an_open_fence_of_the_document_takes_nothing_in() {
    let document = "## A\na\n## B\n```\nnever closed";
    let problems = apply_edits(document, "=== add after: ## B ===\n## C\nc").unwrap_err();
    assert!(problems[0].message.starts_with("the edits hide '## C'"), "{problems:?}");
    let text = apply_edits(document, "=== replace: ## A ===\nb").unwrap().text;
    assert_eq!(text, "## A\nb\n## B\n```\nnever closed");
}

#[test]
fn hostile_answers_are_read_in_time() {
    let deep: Vec<String> = (0..20_000).map(|n| format!("{} h{}\n", "#".repeat(n % 6 + 1), n % 7)).collect();
    let wide = format!("## {}\n{}", "x ".repeat(60_000), "# \0\u{202e}a\n".repeat(10_000));
    let markers = "=== replace: ## h3 ===\n## h3\nx\n".repeat(3_000);
    let long =
        format!("=== replace: {} ===\nx\n=== delete: {} ===", "a > ".repeat(50_000), "#".repeat(100_000));
    let deep = deep.concat();
    for document in [&deep, &wide, &markers, &long] {
        for answer in [&deep, &wide, &markers, &long] {
            let _ = apply_edits(document, answer);
        }
    }
}

fn any_document() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "#{1,3} [a-d]",
        "[a-d ]{0,6}",
        "- x",
        "```",
        "  x  ",
        "<!-- x -->",
        "=== x ===",
        "\u{85}"
    ];
    (prop::collection::vec(line, 0..20), prop::sample::select(vec!["\n", "\r\n"]), any::<bool>())
        .prop_map(|(lines, end, last)| lines.join(end) + if last { end } else { "" })
}

/// A name under which exactly this section is found.
fn name_of(document: &str, section: &Section<'_>) -> Option<String> {
    let headings = headings::Headings::parse(document);
    let name = headings::heading_of(section);
    headings.find(&name).ok().map(|_| name)
}

proptest! {
    #[test]
    fn a_section_replaced_with_itself_changes_nothing(document in any_document(), repeats in any::<bool>()) {
        for section in Sections::parse(&document).all() {
            let whole = &document[section.start..section.end];
            let text = if repeats { whole } else { section.body };
            let Some(name) = name_of(&document, &section).filter(|_| !section.body.trim().is_empty()) else { continue };
            // Without its heading, a text that begins with the same title cannot be told from one that repeats it.
            let first = Sections::parse(section.body).all().next();
            if !repeats && first.is_some_and(|first| first.level <= section.level || first.title == section.title) {
                continue;
            }
            // Neither can code that begins with the heading be told from a section in a fence.
            if !repeats && section.body.trim().trim_start_matches('`').trim_start().starts_with(&name) {
                continue;
            }
            let Ok(edited) = apply_edits(&document, &format!("=== replace: {name} ===\n{text}\n")) else {
                // Only a text with an open fence or a marker of its own is refused.
                prop_assert!(whole.contains("```"), "{document:?} {name}");
                continue;
            };
            prop_assert_eq!((&edited.text, edited.changes.len()), (&document, 0), "{}", name);
        }
    }

    #[test]
    fn everything_outside_of_an_edit_stays(document in any_document(), text in "[a-d]{1,5}(\n[a-d]{0,3}){0,3}") {
        for section in Sections::parse(&document).all() {
            let Some(name) = name_of(&document, &section) else { continue };
            for answer in [format!("=== replace: {name} ===\n{text}"), format!("=== delete: {name} ===")] {
                let Ok(edited) = apply_edits(&document, &answer) else { continue };
                prop_assert!(edited.text.starts_with(&document[..section.start]));
                prop_assert!(edited.text.ends_with(&document[section.end..]));
            }
        }
    }

    #[test]
    fn no_answer_is_too_strange(document in any_document(), answer in "((===|replace: |delete: |add after: |# |## |a|b| > |```|\r|\n|\0|\\PC){0,4}){0,20}") {
        let _ = apply_edits(&document, &answer);
    }
}
