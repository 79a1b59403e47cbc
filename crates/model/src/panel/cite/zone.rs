//! Parts of an answer: prose, code, JSON, lines whose form must stay, and lines of a log.

use crate::markdown::{Line, lines, strip_decoration};

/// Part of an answer that a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    Prose,
    /// Prose that other programs read: lists of files, markers of edits. Checked, never altered.
    Fixed,
    /// A block of JSON. Checked, never altered.
    Json,
    /// Any other code fence: output of programs, proposed code.
    Code,
    /// Line of a log: cites nothing.
    Log,
}

/// The lines of a text with their zones.
pub(super) fn zones(text: &str) -> Vec<(Line<'_>, Zone)> {
    let mut fence = Zone::Code;
    let mut was_fenced = false;
    let mut in_object = false;
    let mut is_first = true;
    let mut found = Vec::new();
    for line in lines(text) {
        let bare = line.text.trim();
        if line.fenced && (!was_fenced || is_fence_with_info(bare)) {
            let info = bare.trim_start_matches(['`', '~']).trim().to_ascii_lowercase();
            fence = if info.starts_with("json") { Zone::Json } else { Zone::Code };
        }
        was_fenced = line.fenced;
        // A handoff response may stand first without a fence.
        if is_first && !bare.is_empty() {
            in_object = bare.starts_with('{');
            is_first = false;
        }
        let zone = match () {
            () if in_object => Zone::Json,
            () if is_log_line(bare) => Zone::Log,
            () if line.fenced => fence,
            () if is_fixed(line.text) => Zone::Fixed,
            () => Zone::Prose,
        };
        in_object = in_object && !line.text.starts_with('}');
        found.push((line, zone));
    }
    found
}

fn is_fence_with_info(line: &str) -> bool {
    let info = line.trim_start_matches(['`', '~']);
    line.len() - info.len() >= 3 && !info.is_empty()
}

/// True for lists of files, votes' markers and markers of edits.
fn is_fixed(line: &str) -> bool {
    const LABELS: [&str; 5] = ["files", "affected files", "file", "files_changed", "raised by"];
    let bare = strip_decoration(line);
    let label = bare.text.split(':').next().unwrap_or_default().trim_matches(['*', '_', '`', ' ']);
    bare.text.starts_with("===")
        || (bare.text.len() > label.len() && LABELS.iter().any(|known| known.eq_ignore_ascii_case(label)))
}

/// True for a line that begins with a time stamp, as logs do.
fn is_log_line(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ', '`', '[', '(', '-']);
    let shape: String = line.chars().take(24).map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    let dated = ["9999-99-99 99:99", "9999-99-99T99:99", "9999/99/99 99:99", "99/99/9999 99:99"];
    let syslog = shape
        .get(3..)
        .is_some_and(|rest| rest.starts_with(" 99 99:99:99") || rest.starts_with("  9 99:99:99"));
    let klog = shape.starts_with(['I', 'W', 'E', 'F']) && shape[1..].starts_with("9999 99:99:99");
    dated.iter().any(|date| shape.starts_with(date)) || shape.starts_with("99:99:99") || syslog || klog
}

#[cfg(test)]
mod tests {
    use super::Zone::{Code, Fixed, Json, Log, Prose};
    use super::*;

    #[test]
    fn lines_have_zones() {
        let text = "Prose.\n**Files:** src/a.rs\n```json\n{}\n```\n```rust\nlet x;\n```\n=== replace: ## Approach ===\n\
                    E0501 12:34:56.789 main.go:33] x\n- Affected files: a\nFiles are read.\nNov 17 10:00:00 host a.py:3";
        let found: Vec<Zone> = zones(text).into_iter().map(|(_, zone)| zone).collect();
        assert_eq!(found, [Prose, Fixed, Json, Json, Json, Code, Code, Code, Fixed, Log, Fixed, Prose, Log]);
        let found: Vec<Zone> = zones("{\n \"a\": 1\n}\nProse").into_iter().map(|(_, zone)| zone).collect();
        assert_eq!(found, [Json, Json, Json, Prose]);
    }
}
