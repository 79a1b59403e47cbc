//! The top of a draft: its title, and the quoted lines below it. What they say about status, date and id is not
//! believed; everything else is kept.

use charrette_model::panel::lines::flat;
use charrette_model::spec::outline::{heading, labelled, outline};
use charrette_model::spec::tasks::TaskList;

/// A draft taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) title: String,
    /// Quoted lines that say something else, with their marks.
    pub(super) notes: Vec<String>,
    pub(super) body: String,
}

/// Takes a draft apart; `title` is for one that has none. Fences and comments that are left open are closed.
pub(super) fn taken_apart(text: &str, title: &str) -> Draft {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty()).peekable();
    let own = lines.peek().and_then(|line| title_of(line));
    if own.is_some() {
        lines.next();
    }
    let mut notes: Vec<String> = Vec::new();
    while let Some(line) = lines.next_if(|line| line.trim().is_empty() || is_quoted(line) || is_known(line)) {
        if is_quoted(line) && !is_known(line) {
            notes.push(line.trim().to_owned());
        }
    }
    let says_nothing = |note: &&String| note.trim_start_matches(['>', ' ']).is_empty();
    let first = notes.iter().take_while(says_nothing).count();
    notes.drain(..first);
    let kept = notes.len() - notes.iter().rev().take_while(says_nothing).count();
    notes.truncate(kept);
    let body: Vec<&str> = lines.collect();
    Draft { title: own.unwrap_or_else(|| title.to_owned()), notes, body: sealed(body.join("\n").trim()) }
}

/// The title in a heading of the highest level. One that begins a task, a phase or the progress is none.
fn title_of(line: &str) -> Option<String> {
    let (_, title) = heading(line).filter(|(level, _)| *level == 1)?;
    let title = flat(title).trim_matches(['#', ' ']).to_owned();
    let list = TaskList::parse(&format!("# {title}\n**Total:** 0/0"));
    let begins_work = !list.tasks.is_empty() || !list.phases.is_empty() || list.stated.total.is_some();
    (title.contains(char::is_alphanumeric) && !begins_work).then_some(title)
}

fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// A line that code writes: status, date, id.
fn is_known(line: &str) -> bool {
    let inside = line.trim_start().trim_start_matches('>').trim_start();
    let label = labelled(inside).map(|(label, _)| label);
    label.is_some_and(|label| ["status", "created", "updated", "spec id", "spec"].contains(&label.as_str()))
}

/// A text to whose end something can be added: with its last fence and comment closed.
fn sealed(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(open) = outline(&text).unclosed_fence {
        let line = text.lines().nth(open - 1).unwrap_or_default().trim_start();
        let mark = line.chars().next().unwrap_or('`');
        let length = line.chars().take_while(|c| *c == mark).count().max(3);
        text.push('\n');
        text.extend(std::iter::repeat_n(mark, length));
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
    fn what_code_writes_is_taken_out_and_the_rest_is_kept() {
        let apart = taken_apart(
            "\u{feff}\r\n# Rate  limiting\r\n\r\n> A note.\r\n>\r\n> **Status:** Approved\r\n> **Created:** never\r\n**Spec ID:** x\r\n\r\n## Overview\r\n> **Status:** quoted\r\n",
            "x",
        );
        assert_eq!(
            (apart.title.as_str(), apart.notes.as_slice()),
            ("Rate limiting", &["> A note.".to_owned()][..])
        );
        assert_eq!(apart.body, "## Overview\n> **Status:** quoted");
        let apart = taken_apart("## Overview\n", "Title");
        assert_eq!((apart.title.as_str(), apart.body.as_str()), ("Title", "## Overview"));
        assert_eq!(taken_apart("", "Title").body, "");
    }

    #[test]
    fn what_is_left_open_is_closed() {
        for (text, closed) in [
            ("a\n~~~~\nb", "a\n~~~~\nb\n~~~~"),
            ("a\n<!-- b", "a\n<!-- b\n-->"),
            ("# -\n<!--", "# -\n<!--\n-->"),
            ("a\n```\nb\n```", "a\n```\nb\n```"),
        ] {
            assert_eq!(sealed(text), closed);
        }
    }
}
