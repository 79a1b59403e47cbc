//! Drafts of the writer: title, quoted lines at the top, body. The lines about status, date and id are dropped, because
//! code writes them; everything else is kept.

use charrette_model::markdown::flat;
use charrette_model::markdown::{heading, outline, parse_label};
use charrette_model::spec::tasks::TaskList;

/// A draft, split into its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) title: String,
    /// Other quoted lines at the top, with their marks.
    pub(super) notes: Vec<String>,
    pub(super) body: String,
}

/// Splits a draft; `title` is the default title. Unclosed fences and comments are closed.
pub(super) fn split_draft(text: &str, title: &str) -> Draft {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty()).peekable();
    let own_title = lines.peek().and_then(|line| parse_title(line));
    if own_title.is_some() {
        lines.next();
    }
    let mut notes: Vec<String> = Vec::new();
    while let Some(line) =
        lines.next_if(|line| line.trim().is_empty() || is_quoted(line) || is_metadata(line))
    {
        if is_quoted(line) && !is_metadata(line) {
            notes.push(line.trim().to_owned());
        }
    }
    let is_blank = |note: &&String| note.trim_start_matches(['>', ' ']).is_empty();
    let first = notes.iter().take_while(is_blank).count();
    notes.drain(..first);
    let kept = notes.len() - notes.iter().rev().take_while(is_blank).count();
    notes.truncate(kept);
    let body: Vec<&str> = lines.collect();
    Draft {
        title: own_title.unwrap_or_else(|| title.to_owned()),
        notes,
        body: close_open_blocks(body.join("\n").trim()),
    }
}

/// Title of the feature, as the writer chose it for the requirements; `title` is the default title.
pub(super) fn feature_title(requirements: &str, title: &str) -> String {
    let chosen = split_draft(requirements, title).title;
    let about = chosen.split_once(':').filter(|(word, _)| word.trim().eq_ignore_ascii_case("requirements"));
    let about = about.map_or(chosen.as_str(), |(_, rest)| rest).trim();
    if about.is_empty() { title.to_owned() } else { about.to_owned() }
}

/// Parses the title from a heading of level 1. A heading of a task, a phase or the progress is no title.
fn parse_title(line: &str) -> Option<String> {
    let (_, title) = heading(line).filter(|(level, _)| *level == 1)?;
    let title = flat(title).trim_matches(['#', ' ']).to_owned();
    let list = TaskList::parse(&format!("# {title}\n**Total:** 0/0"));
    let begins_work = !list.tasks.is_empty() || !list.phases.is_empty() || list.progress.total.is_some();
    (title.contains(char::is_alphanumeric) && !begins_work).then_some(title)
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// True for the lines that code writes: status, date, id.
fn is_metadata(line: &str) -> bool {
    let inside = line.trim_start().trim_start_matches('>').trim_start();
    let label = parse_label(inside).map(|(label, _)| label);
    label.is_some_and(|label| ["status", "created", "updated", "spec id", "spec"].contains(&label.as_str()))
}

/// Closes the last fence and comment, so that text can be appended.
fn close_open_blocks(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(fence) = outline(&text).unclosed_fence {
        let closing = char::from(fence.mark.byte).to_string().repeat(fence.mark.length);
        text = format!("{text}\n{closing}");
    }
    if outline(&text).ends_in_comment {
        text.push_str("\n-->");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_lines_are_removed_and_other_lines_are_kept() {
        let draft = split_draft(
            "\u{feff}\r\n# Rate  limiting\r\n\r\n> A note.\r\n>\r\n> **Status:** Approved\r\n> **Created:** never\r\n**Spec ID:** x\r\n\r\n## Overview\r\n> **Status:** quoted\r\n",
            "x",
        );
        assert_eq!(
            (draft.title.as_str(), draft.notes.as_slice()),
            ("Rate limiting", &["> A note.".to_owned()][..])
        );
        assert_eq!(draft.body, "## Overview\n> **Status:** quoted");
        let draft = split_draft("## Overview\n", "Title");
        assert_eq!((draft.title.as_str(), draft.body.as_str()), ("Title", "## Overview"));
        assert_eq!(split_draft("", "Title").body, "");
    }

    #[test]
    fn the_feature_has_the_title_of_its_requirements() {
        for (text, title) in [
            ("# A server for agents: charrette mcp\n\n## Overview\nx", "A server for agents: charrette mcp"),
            ("# Requirements: `mcp` server\n", "`mcp` server"),
            ("# Requirements:\n", "Mcp Server"),
            ("## Overview\nx", "Mcp Server"),
        ] {
            assert_eq!(feature_title(text, "Mcp Server"), title, "{text}");
        }
    }

    #[test]
    fn unclosed_fences_and_comments_are_closed() {
        for (text, closed) in [
            ("a\n~~~~\nb", "a\n~~~~\nb\n~~~~"),
            ("a\n<!-- b", "a\n<!-- b\n-->"),
            ("# -\n<!--", "# -\n<!--\n-->"),
            ("a\n```\nb\n```", "a\n```\nb\n```"),
        ] {
            assert_eq!(close_open_blocks(text), closed);
        }
    }
}
