//! Changes of files that are shown before they are made, and the question whether to make them.

use crate::invocation::Invocation;
use crate::{output, progress};
use charrette_app::{AppError, ErrorKind, Site};
use charrette_hosts::{Change, FileChange, diff};
use charrette_model::escape::one_line;
use charrette_term::{Confirmation, confirm_changes};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Asks whether to make the changes that were shown. `typed` is the command, for hints.
pub(super) fn ask(invocation: &Invocation, typed: &str) -> Result<Confirmation, AppError> {
    let Some(terminal) = progress::terminal(invocation, &output::stdout_screen()) else {
        return Err(AppError::new(ErrorKind::Refused, "there is no terminal to ask at; nothing was changed")
            .hint(format!("Make the changes: {typed} --yes; only look: {typed} --dry-run")));
    };
    let confirmation = confirm_changes(&terminal, "Make these changes?");
    if let Confirmation::Cancel = confirmation {
        output::print_line("Cancelled. Nothing was changed.")?;
    }
    Ok(confirmation)
}

pub(super) fn to_json(site: &Site, change: &FileChange) -> Value {
    json!({
        "path": site.relative(&change.path),
        "written": change.target,
        "change": word(change),
        "reasons": change.reasons,
        "diff": diff(change.before.as_deref().unwrap_or_default(), change.after.as_deref().unwrap_or_default()),
    })
}

fn word(change: &FileChange) -> &'static str {
    match change.kind() {
        Change::Create => "create",
        Change::Edit => "edit",
        Change::Delete => "delete",
    }
}

/// All changes as text: edits as a diff; of files that belong to charrette only their size.
pub(super) fn render<'a>(site: &Site, changes: impl IntoIterator<Item = &'a FileChange>) -> String {
    let mut text = String::new();
    for change in changes {
        let path = site.relative(&change.path).display().to_string();
        let _ = writeln!(text, "{} {}", word(change), one_line(&path));
        if change.is_linked() {
            let _ = writeln!(text, "  a link: {} is written", one_line(&change.target.display().to_string()));
        }
        let before = change.before.as_deref().unwrap_or_default();
        let after = change.after.as_deref().unwrap_or_default();
        if change.is_owned && change.kind() != Change::Edit {
            let content = if change.kind() == Change::Create { after } else { before };
            let _ =
                writeln!(text, "  {} lines, all of them written by charrette init", content.lines().count());
            continue;
        }
        for line in diff(before, after).lines() {
            let _ = writeln!(text, "  {}", shown(line));
        }
    }
    text.trim_end().to_owned()
}

/// A line of a file for the terminal: tabs stay, other control characters are escaped.
fn shown(line: &str) -> String {
    let line = line.strip_suffix('\r').unwrap_or(line);
    line.split('\t').map(one_line).collect::<Vec<_>>().join("\t")
}
