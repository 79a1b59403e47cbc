//! Screen: permanent lines above live rows. While it is reserved for a question, both wait.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Screen or output file. Clones share it.
#[derive(Clone)]
pub struct Screen(Arc<Mutex<ScreenState>>);

struct ScreenState {
    out: Box<dyn Write + Send>,
    /// Live rows on the screen.
    rows: Vec<String>,
    /// Lines to print when the screen is released.
    waiting: Vec<String>,
    is_reserved: bool,
}

impl Screen {
    /// Screen that writes to `out`.
    pub fn new(out: Box<dyn Write + Send>) -> Screen {
        Screen(Arc::new(Mutex::new(ScreenState {
            out,
            rows: Vec::new(),
            waiting: Vec::new(),
            is_reserved: false,
        })))
    }

    /// Prints permanent lines. Write errors are ignored.
    pub fn print(&self, lines: &[String]) {
        let mut state = self.state();
        if state.is_reserved {
            state.waiting.extend_from_slice(lines);
        } else if !lines.is_empty() {
            let rows = std::mem::take(&mut state.rows);
            state.draw(rows.len(), lines, rows);
        }
    }

    /// Replaces the live rows below the lines.
    pub(crate) fn show_rows(&self, rows: Vec<String>) {
        let mut state = self.state();
        if !state.is_reserved && state.rows != rows {
            let before = state.rows.len();
            state.draw(before, &[], rows);
        }
    }

    /// Reserves the screen for a question until the guard is dropped.
    pub(crate) fn reserve(&self) -> ScreenGuard {
        let mut state = self.state();
        let before = state.rows.len();
        state.draw(before, &[], Vec::new());
        state.is_reserved = true;
        ScreenGuard(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, ScreenState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}

impl ScreenState {
    /// Erases the old rows and prints lines and new rows in one write, so that no other output comes between.
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

/// Guard of a screen that is reserved for a question.
#[derive(Debug)]
pub(crate) struct ScreenGuard(Screen);

impl ScreenGuard {
    /// Writes text immediately and unchanged.
    pub(crate) fn write(&self, text: &str) {
        self.0.state().write(text);
    }
}

impl Drop for ScreenGuard {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_reserved = false;
        let lines = std::mem::take(&mut state.waiting);
        state.draw(0, &lines, Vec::new());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Output of a screen.
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
        screen.show_rows(lines("a 1s\nb 1s"));
        assert_eq!(written.text(), "a 1s\nb 1s\n");
        screen.print(&lines("said"));
        assert_eq!(written.text(), "\r\u{1b}[2A\u{1b}[Jsaid\na 1s\nb 1s\n");
        screen.show_rows(lines("a 1s\nb 1s"));
        assert_eq!(written.text(), "", "nothing changed, nothing is drawn");
        screen.show_rows(Vec::new());
        assert_eq!(written.text(), "\r\u{1b}[2A\u{1b}[J");
    }

    #[test]
    fn output_waits_while_the_screen_is_reserved() {
        let written = Written::default();
        let screen = written.screen();
        screen.show_rows(lines("a 1s"));
        let held = screen.reserve();
        screen.print(&lines("said"));
        screen.show_rows(lines("a 2s"));
        held.write("question? ");
        assert_eq!(written.text(), "a 1s\n\r\u{1b}[1A\u{1b}[Jquestion? ");
        drop(held);
        assert_eq!(written.text(), "said\n");
    }
}
