//! A rejected diagram in the log of a run: one line under `### Warnings`, with tokens and never any text.

use crate::shown::one_line;

/// The heading entries go under.
pub const HEADING: &str = "### Warnings";

/// The entry for a step whose diagram was refused.
pub fn entry(step: &str, tokens: &str) -> String {
    format!("- **Step {} — mermaid sanitizer rejected:** {tokens}", one_line(step))
}

/// The entry for an architecture diagram that a design run goes on without.
pub fn architecture_entry(tokens: &str) -> String {
    format!("- **Step 3b — architecture diagram rejected:** {tokens}")
}

/// What a design run says when its architecture diagram was refused.
pub fn architecture_line(tokens: &str) -> String {
    format!(
        "**⚠ 3b: architecture diagram — rejected by mermaid sanitizer (REASON_TOKEN={tokens}); proceeding without diagram.**"
    )
}

/// The log with an entry at the end of its warnings, which are added if there are none yet.
pub fn append(log: &str, entry: &str) -> String {
    let Some(at) = end_of_warnings(log) else {
        let gap = match log {
            "" => "",
            log if log.ends_with("\n\n") => "",
            log if log.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return format!("{log}{gap}{HEADING}\n\n{entry}\n");
    };
    let (before, after) = log.split_at(at);
    let gap = if before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{gap}{entry}\n{after}")
}

/// The byte after the last line of the section that is not blank.
fn end_of_warnings(log: &str) -> Option<usize> {
    let mut end = None;
    let mut at = 0;
    for line in log.split_inclusive('\n') {
        at += line.len();
        let text = line.trim();
        match end {
            None if text == HEADING => end = Some(at),
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
            ("", "### Warnings\n\n- new\n"),
            ("# Log\n", "# Log\n\n### Warnings\n\n- new\n"),
            ("# Log", "# Log\n\n### Warnings\n\n- new\n"),
            ("### Warnings\n\n- old\n", "### Warnings\n\n- old\n- new\n"),
            ("### Warnings", "### Warnings\n- new\n"),
            (
                "### Warnings\n- old\n\n### CI Issues\n- x\n",
                "### Warnings\n- old\n- new\n\n### CI Issues\n- x\n",
            ),
            ("### Warnings\n- old\n#### more\n- sub", "### Warnings\n- old\n#### more\n- sub\n- new\n"),
        ] {
            assert_eq!(append(log, "- new"), expected, "{log:?}");
        }
    }

    #[test]
    fn a_step_cannot_forge_a_second_line() {
        assert_eq!(
            entry("3b\n### Q/A", "pipe-in-node-label"),
            "- **Step 3b\\n### Q/A — mermaid sanitizer rejected:** pipe-in-node-label"
        );
    }
}
