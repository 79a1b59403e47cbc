//! Progress view and terminal of a run, chosen by flags, environment and the kinds of the standard streams.

use crate::invocation::Invocation;
use crate::output;
use charrette_engine::Cancel;
use charrette_model::progress::StepPrefix;
use charrette_term::{
    ArtifactReader, AskerOptions, DocumentDisplay, FileReader, Screen, Style, Terminal, TerminalAsker, View,
    ViewFormat,
};
use rustix::termios::{isatty, tcgetwinsize};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Component, Path, PathBuf};

/// Maximum size of a file shown at a question.
const MAX_SHOWN_BYTES: u64 = 1 << 20;

/// Display options that a calling run sets for a nested run.
#[derive(Debug, Clone, Default)]
pub(crate) struct DisplayOptions {
    /// Prefix of step numbers and names.
    pub(crate) prefix: StepPrefix,
    /// True if documents are not shown, because the calling run does that.
    pub(crate) terse: bool,
}

/// True if standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    isatty(io::stdout())
}

/// Text style of standard output: colour and width.
pub(crate) fn style(invocation: &Invocation) -> Style {
    stream_style(invocation, io::stdout().as_fd())
}

/// Live view of a run on standard output.
pub(crate) fn live_view(invocation: &Invocation, display: DisplayOptions, reader: ArtifactReader) -> View {
    let format = match (invocation.json, invocation.quiet) {
        (true, _) => ViewFormat::JsonEvents,
        (false, true) => ViewFormat::Silent,
        (false, false) => text_format(invocation, display),
    };
    let style = style(invocation);
    View::new(
        format,
        Style { is_tty: style.is_tty && invocation.environment.may_redraw(), ..style },
        output::stdout_screen(),
        reader,
    )
}

fn text_format(invocation: &Invocation, display: DisplayOptions) -> ViewFormat {
    let documents = match (display.terse, invocation.verbose) {
        (true, _) => DocumentDisplay::Hidden,
        (false, true) => DocumentDisplay::Whole,
        (false, false) => DocumentDisplay::Brief,
    };
    ViewFormat::Text { prefix: display.prefix, documents }
}

/// View of a finished run, without a live table.
pub(crate) fn static_view(invocation: &Invocation, display: DisplayOptions, reader: ArtifactReader) -> View {
    let format = if invocation.json { ViewFormat::JsonEvents } else { text_format(invocation, display) };
    View::new(format, Style { is_tty: false, ..style(invocation) }, output::stdout_screen(), reader)
}

/// Terminal for questions, if standard input is one. Questions go to `screen` (standard output), or to standard error
/// if standard output is not a terminal or prints JSON.
pub(crate) fn terminal(invocation: &Invocation, screen: &Screen) -> Option<Terminal> {
    if !isatty(io::stdin()) {
        return None;
    }
    let (style, screen) = if isatty(io::stdout()) && !invocation.json {
        (style(invocation), screen.clone())
    } else if isatty(io::stderr()) {
        (stream_style(invocation, io::stderr().as_fd()), output::stderr_screen())
    } else {
        return None;
    };
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    Some(Terminal::new(input, screen, style))
}

/// Asker that puts questions to the person at `terminal`; `folders` hold the files that can be reviewed.
pub(crate) fn terminal_asker(
    invocation: &Invocation,
    view: &View,
    terminal: Terminal,
    folders: Vec<PathBuf>,
    cancel: Cancel,
) -> TerminalAsker {
    let options = AskerOptions {
        terminal,
        editor: invocation.environment.editor(),
        scratch: invocation.environment.temporary_folder(),
        reader: artifact_reader(folders),
        cancel,
    };
    TerminalAsker::new(view.clone(), options)
}

fn stream_style(invocation: &Invocation, stream: BorrowedFd<'_>) -> Style {
    let is_tty = isatty(stream);
    let width = tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col)).filter(|&width| width > 0);
    Style {
        color: is_tty && !invocation.no_color && invocation.environment.wants_color(),
        width: width.unwrap_or(Style::plain().width),
        is_tty,
    }
}

/// Reader of files in these folders, in order; refuses paths outside them.
fn artifact_reader(folders: Vec<PathBuf>) -> FileReader {
    Box::new(move |name| {
        if name.is_empty() {
            return Err(format!("Which file? {}", list_files(&folders)));
        }
        let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || name.contains('\0') {
            return Err(format!("{name}: outside the folders of this run"));
        }
        match folders.iter().find_map(|folder| locate(folder, name)) {
            Some(path) => read_text(&path).map_err(|error| format!("{name}: {error}")),
            None => Err(format!("{name}: no such file in this run. {}", list_files(&folders))),
        }
    })
}

/// Maximum number of files named.
const MAX_NAMED_FILES: usize = 40;

/// The files that can be shown, those of the first folder first.
fn list_files(folders: &[PathBuf]) -> String {
    let mut names: Vec<String> = Vec::new();
    for folder in folders {
        let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let mut found: Vec<String> =
            files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        found.retain(|name| !name.starts_with('.') && !names.contains(name));
        found.sort();
        names.extend(found);
    }
    let more = names.len().saturating_sub(MAX_NAMED_FILES);
    names.truncate(MAX_NAMED_FILES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    if names.is_empty() {
        "There are no files yet.".to_owned()
    } else {
        format!("Files: {}{more}", names.join(", "))
    }
}

/// Finds a file in a folder by its relative path, which may begin with the folder. Symlinks that lead out are ignored.
fn locate(folder: &Path, name: &str) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let inside =
        |path: PathBuf| path.canonicalize().ok().filter(|path| path.starts_with(&folder) && path.is_file());
    let with_folder = || folder.ancestors().skip(1).take(3).find_map(|above| inside(above.join(name)));
    inside(folder.join(name)).or_else(with_folder)
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(MAX_SHOWN_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SHOWN_BYTES {
        return Err(io::Error::other(format!(
            "exceeds {} MiB; open it yourself: {}",
            MAX_SHOWN_BYTES >> 20,
            path.display()
        )));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_run_are_readable() {
        let sandbox = charrette_testkit::Sandbox::repository();
        for (name, text) in [("specs/x/design.md", "d"), (".specs/1-x/plan.txt", "p"), ("secret", "s")] {
            let path = sandbox.path(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("specs/x/link.md")).unwrap();
        let read = artifact_reader(vec![sandbox.path("specs/x"), sandbox.path(".specs/1-x")]);
        for (name, text) in
            [("design.md", "d"), ("specs/x/design.md", "d"), ("plan.txt", "p"), ("./design.md", "")]
        {
            let found = read(name).unwrap_or_default();
            assert_eq!(found, text, "{name}");
        }
        let absolute = sandbox.path("specs/x/design.md").display().to_string();
        for name in ["", "secret", "link.md", "../../secret", "/etc/passwd", &absolute, "a\0b", "specs", "."]
        {
            assert!(read(name).is_err(), "{name:?}");
        }
    }
}
