//! Where text goes: lines that stay, above rows that change. While somebody is being asked, both wait.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A screen, or a file that stands for one. Copies of it are the same screen.
#[derive(Clone)]
pub struct Screen(Arc<Mutex<Paper>>);

struct Paper {
    out: Box<dyn Write + Send>,
    /// The rows that are redrawn, as they stand on the screen.
    rows: Vec<String>,
    /// What is printed when nobody is being asked any more.
    waiting: Vec<String>,
    is_held: bool,
}

impl Screen {
    /// A screen that writes there.
    pub fn new(out: Box<dyn Write + Send>) -> Screen {
        Screen(Arc::new(Mutex::new(Paper { out, rows: Vec::new(), waiting: Vec::new(), is_held: false })))
    }

    /// Prints lines that stay. A screen that is gone stops nobody.
    pub fn print(&self, lines: &[String]) {
        let mut paper = self.paper();
        if paper.is_held {
            paper.waiting.extend_from_slice(lines);
        } else if !lines.is_empty() {
            let rows = std::mem::take(&mut paper.rows);
            paper.draw(rows.len(), lines, rows);
        }
    }

    /// Shows these rows below everything else, instead of those before.
    pub(crate) fn show(&self, rows: Vec<String>) {
        let mut paper = self.paper();
        if !paper.is_held && paper.rows != rows {
            let before = paper.rows.len();
            paper.draw(before, &[], rows);
        }
    }

    /// Keeps the screen for a conversation, until what is returned is dropped.
    pub(crate) fn hold(&self) -> Held {
        let mut paper = self.paper();
        let before = paper.rows.len();
        paper.draw(before, &[], Vec::new());
        paper.is_held = true;
        Held(self.clone())
    }

    fn paper(&self) -> MutexGuard<'_, Paper> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}

impl Paper {
    /// One write, so that nothing else comes between: away with the old rows, the lines, the new rows.
    fn draw(&mut self, before: usize, lines: &[String], rows: Vec<String>) {
        let mut text = String::new();
        if before > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "\r\u{1b}[{before}A\u{1b}[J");
        }
        for line in lines.iter().chain(&rows) {
            text.push_str(line);
            text.push('\n');
        }
        self.rows = rows;
        self.write(&text);
    }

    fn write(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

/// A screen that is kept for a conversation.
#[derive(Debug)]
pub(crate) struct Held(Screen);

impl Held {
    /// Writes at once, exactly this.
    pub(crate) fn write(&self, text: &str) {
        self.0.paper().write(text);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut paper = self.0.paper();
        paper.is_held = false;
        let lines = std::mem::take(&mut paper.waiting);
        paper.draw(0, &lines, Vec::new());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What was written to a screen.
    #[derive(Clone, Default)]
    pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

    impl Written {
        pub(crate) fn screen(&self) -> Screen {
            Screen::new(Box::new(self.clone()))
        }

        pub(crate) fn text(&self) -> String {
            String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
        }
    }

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn lines_go_above_the_rows_that_change() {
        let written = Written::default();
        let screen = written.screen();
        screen.show(lines("a 1s\nb 1s"));
        assert_eq!(written.text(), "a 1s\nb 1s\n");
        screen.print(&lines("said"));
        assert_eq!(written.text(), "\r\u{1b}[2A\u{1b}[Jsaid\na 1s\nb 1s\n");
        screen.show(lines("a 1s\nb 1s"));
        assert_eq!(written.text(), "", "nothing changed, nothing is drawn");
        screen.show(Vec::new());
        assert_eq!(written.text(), "\r\u{1b}[2A\u{1b}[J");
    }

    #[test]
    fn while_somebody_is_asked_everything_else_waits() {
        let written = Written::default();
        let screen = written.screen();
        screen.show(lines("a 1s"));
        let held = screen.hold();
        screen.print(&lines("said"));
        screen.show(lines("a 2s"));
        held.write("question? ");
        assert_eq!(written.text(), "a 1s\n\r\u{1b}[1A\u{1b}[Jquestion? ");
        drop(held);
        assert_eq!(written.text(), "said\n");
    }
}
