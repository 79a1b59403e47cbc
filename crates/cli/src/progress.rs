//! How a run is shown here, and who is asked: decided from the flags, the environment and what the streams are.

use crate::here::Here;
use crate::output;
use charrette_engine::Cancel;
use charrette_model::progress::StepPrefix;
use charrette_term::{ArtifactReader, Desk, Manner, Reader, Screen, Style, Terminal, TerminalAsker, View};
use rustix::termios::{isatty, tcgetwinsize};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Component, Path, PathBuf};

/// A file that is larger is not shown at a question.
const MOST_SHOWN: u64 = 1 << 20;

/// What a calling run says about how a nested one is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Showing {
    /// What it puts in front of numbers and names.
    pub(crate) prefix: StepPrefix,
    /// Files worth reading are named, not shown.
    pub(crate) terse: bool,
}

/// Whether a person sees standard output.
pub(crate) fn is_terminal() -> bool {
    isatty(io::stdout())
}

/// How text may look on standard output.
pub(crate) fn style(here: &Here) -> Style {
    style_of(here, io::stdout().as_fd())
}

/// A view of a run on standard output.
pub(crate) fn view(here: &Here, showing: Showing, reader: ArtifactReader) -> View {
    let manner = match (here.json, here.quiet) {
        (true, _) => Manner::Events,
        (false, true) => Manner::Silent,
        (false, false) => Manner::Lines { prefix: showing.prefix, terse: showing.terse },
    };
    let style = style(here);
    View::new(
        manner,
        Style { is_tty: style.is_tty && here.environment.may_redraw(), ..style },
        output::screen(),
        reader,
    )
}

/// The same for a run that is over: nothing ticks.
pub(crate) fn still_view(here: &Here, showing: Showing, reader: ArtifactReader) -> View {
    let manner = if here.json {
        Manner::Events
    } else {
        Manner::Lines { prefix: showing.prefix, terse: showing.terse }
    };
    View::new(manner, Style { is_tty: false, ..style(here) }, output::screen(), reader)
}

/// The terminal to ask at, if somebody sits there. Questions go to `screen`, which is standard output, unless that
/// is not seen or belongs to a program.
pub(crate) fn terminal(here: &Here, screen: &Screen) -> Option<Terminal> {
    if !isatty(io::stdin()) {
        return None;
    }
    let (style, screen) = if isatty(io::stdout()) && !here.json {
        (style(here), screen.clone())
    } else if isatty(io::stderr()) {
        (style_of(here, io::stderr().as_fd()), output::side_screen())
    } else {
        return None;
    };
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    Some(Terminal::new(input, screen, style))
}

/// Asks at that terminal.
pub(crate) fn asker(
    here: &Here,
    view: &View,
    terminal: Terminal,
    shelves: Vec<PathBuf>,
    cancel: Cancel,
) -> TerminalAsker {
    let desk = Desk {
        terminal,
        editor: here.environment.editor(),
        scratch: here.environment.temporary_folder(),
        reader: reader(shelves),
        cancel,
    };
    TerminalAsker::new(view.clone(), desk)
}

fn style_of(here: &Here, stream: BorrowedFd<'_>) -> Style {
    let is_tty = isatty(stream);
    let width = tcgetwinsize(stream).ok().map(|size| usize::from(size.ws_col)).filter(|&width| width > 0);
    Style {
        color: is_tty && !here.no_color && here.environment.wants_color(),
        width: width.unwrap_or(Style::plain().width),
        is_tty,
    }
}

/// Reads a file of these folders, the first that has it; nothing outside them.
fn reader(shelves: Vec<PathBuf>) -> Reader {
    Box::new(move |name| {
        if name.is_empty() {
            return Err("Which file? As in: review: FILE".to_owned());
        }
        let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || name.contains('\0') {
            return Err(format!("{name}: only files of this run can be shown"));
        }
        match shelves.iter().find_map(|shelf| found(shelf, name)) {
            Some(path) => text_of(&path).map_err(|error| format!("{name}: {error}")),
            None => Err(format!("{name}: there is no such file in this run")),
        }
    })
}

/// A file in a folder, also under the name that has the folder in front. A link that leads out of it is none.
fn found(shelf: &Path, name: &str) -> Option<PathBuf> {
    let shelf = shelf.canonicalize().ok()?;
    let inside =
        |path: PathBuf| path.canonicalize().ok().filter(|path| path.starts_with(&shelf) && path.is_file());
    let full = || shelf.ancestors().skip(1).take(3).find_map(|folder| inside(folder.join(name)));
    inside(shelf.join(name)).or_else(full)
}

fn text_of(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(MOST_SHOWN + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_SHOWN {
        return Err(io::Error::other(format!("too large to show here; it is {}", path.display())));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_run_can_be_seen() {
        let sandbox = charrette_testkit::Sandbox::repository();
        for (name, text) in [("specs/x/design.md", "d"), (".specs/1-x/plan.txt", "p"), ("secret", "s")] {
            let path = sandbox.path(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        std::os::unix::fs::symlink(sandbox.path("secret"), sandbox.path("specs/x/link.md")).unwrap();
        let read = reader(vec![sandbox.path("specs/x"), sandbox.path(".specs/1-x")]);
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
