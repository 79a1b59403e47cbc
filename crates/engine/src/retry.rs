//! The second request to an agent whose answer was refused: the answer itself, everything that is wrong with it, and the
//! request for the corrected whole. It follows the original prompt.

use crate::prompt::{condense, fence};
use std::fmt::Write as _;

/// Maximum size of a quoted answer. Clients take larger prompts, but not together with inputs of any size.
const MAX_QUOTED_BYTES: usize = 128 * 1024;

/// Renders the request for a corrected answer.
pub(crate) fn render_retry(answer: &str, problems: &[String], cites_wrongly: bool) -> String {
    let mut text = "\n# Your last answer\n\n".to_owned();
    // Writing to a string cannot fail.
    let _ = match answer.trim() {
        "" => write!(text, "It was empty."),
        answer if answer.len() > MAX_QUOTED_BYTES => {
            let part = condense(answer, MAX_QUOTED_BYTES);
            write!(
                text,
                "You gave this answer, condensed here; it cannot be used as it is:\n\n{}",
                fence(&part)
            )
        }
        answer => write!(text, "You gave this answer; it cannot be used as it is:\n\n{}", fence(answer)),
    };
    text.push_str("\n\n## What is wrong with it\n\n");
    for (n, problem) in problems.iter().enumerate() {
        let _ = writeln!(text, "{}. {problem}", n + 1);
    }
    text.push_str(
        "\nGive the whole answer again, corrected, in the form that was asked for: all of it, not only the corrected parts, \
         and without remarks on the correction.\n",
    );
    if cites_wrongly {
        text.push_str(
            "Look up each cited place before you name it. Where you cannot find one, drop the claim that rests on it. A file \
             that is yet to be created is marked `(new)` behind its path.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refused_answer_is_quoted_with_all_its_problems() {
        let problems = ["line 1: no title".to_owned(), "line 2: src/a.rs:9: the file has 2 lines".to_owned()];
        let text = render_retry("First.\n```\ncode\n```\nSee src/a.rs:9.\n", &problems, true);
        assert!(text.contains("\n````\nFirst.\n```\ncode\n```\nSee src/a.rs:9.\n````\n"), "{text}");
        assert!(
            text.contains("1. line 1: no title\n2. line 2: src/a.rs:9: the file has 2 lines\n"),
            "{text}"
        );
        assert!(text.contains("`(new)`") && text.contains("the whole answer again"), "{text}");
        assert!(!render_retry("x", &problems, false).contains("(new)"));
        assert!(render_retry(" \n", &problems, false).contains("It was empty."));
    }

    #[test]
    fn a_huge_answer_is_condensed() {
        let text = render_retry(&"word\n".repeat(100_000), &["too long".to_owned()], false);
        assert!(text.len() < MAX_QUOTED_BYTES + 2000 && text.contains("condensed"), "{}", text.len());
    }
}
