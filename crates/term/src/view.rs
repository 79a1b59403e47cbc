//! View of a run: shows its events as they come.

use crate::event_renderer::{ArtifactReader, DocumentDisplay, EventRenderer};
use crate::screen::Screen;
use crate::style::Style;
use charrette_engine::Event;
use charrette_model::progress::StepPrefix;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Redraw interval of the live table.
const TICK_INTERVAL: Duration = Duration::from_millis(200);

/// Output format of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewFormat {
    /// Lines for people, and on a terminal a live table below them.
    Text {
        /// Prefix that the caller of a nested run gives to its stage numbers and names.
        prefix: StepPrefix,
        documents: DocumentDisplay,
    },
    /// One JSON object per event and line.
    JsonEvents,
    /// No output; warnings are collected.
    Silent,
}

/// View of a run. Clones share it.
#[derive(Clone)]
pub struct View(Arc<Inner>);

struct Inner {
    renderer: Mutex<EventRenderer>,
    screen: Screen,
    is_json: bool,
    is_silent: bool,
    is_live: bool,
    began: Instant,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("View")
    }
}

impl View {
    /// View on a screen; `reader` reads the artifacts that are shown. On a terminal the live table redraws itself.
    pub fn new(format: ViewFormat, style: Style, screen: Screen, reader: ArtifactReader) -> View {
        let (is_json, is_silent) = (format == ViewFormat::JsonEvents, format == ViewFormat::Silent);
        let is_live = style.is_tty && !is_json && !is_silent;
        let (prefix, documents) = match format {
            ViewFormat::Text { prefix, documents } => (prefix, documents),
            ViewFormat::JsonEvents | ViewFormat::Silent => (StepPrefix::default(), DocumentDisplay::Brief),
        };
        let renderer = Mutex::new(EventRenderer::new(prefix, documents, style, reader));
        let inner = Arc::new(Inner { renderer, screen, is_json, is_silent, is_live, began: Instant::now() });
        if is_live {
            spawn_ticker(Arc::downgrade(&inner));
        }
        View(inner)
    }

    /// Watcher that shows every event. Write errors do not stop a run.
    pub fn watcher(&self) -> Arc<dyn Fn(&Event) + Send + Sync> {
        let inner = self.0.clone();
        Arc::new(move |event| inner.show(event))
    }

    /// Prints the heading of the current stage, if it was not shown yet, before something else is shown.
    pub fn announce_stage(&self) {
        let mut renderer = self.0.renderer();
        let lines = renderer.announce_stage();
        if self.0.is_text() {
            self.0.screen.print(&lines);
        }
    }

    /// All warnings of the run, once each.
    pub fn warnings(&self) -> Vec<String> {
        self.0.renderer().warnings().to_vec()
    }

    pub fn screen(&self) -> &Screen {
        &self.0.screen
    }
}

impl Inner {
    fn show(&self, event: &Event) {
        let mut renderer = self.renderer();
        let now = self.began.elapsed();
        let lines = renderer.render(&event.kind, now);
        if self.is_json && !event.kind.is_display_only() {
            self.screen.print(&[serde_json::to_string(event).unwrap_or_default()]);
        }
        if self.is_text() {
            self.screen.print(&lines);
        }
        self.refresh(&renderer, now);
    }

    fn refresh(&self, renderer: &EventRenderer, now: Duration) {
        if self.is_live {
            self.screen.show_rows(renderer.rows(now));
        }
    }

    fn is_text(&self) -> bool {
        !self.is_json && !self.is_silent
    }

    fn renderer(&self) -> MutexGuard<'_, EventRenderer> {
        self.renderer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.is_live {
            self.screen.show_rows(Vec::new());
        }
    }
}

/// Starts the thread that redraws the live table; a step may keep the runtime busy. It ends with the view.
fn spawn_ticker(view: Weak<Inner>) {
    let _ = std::thread::Builder::new().name("live table".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(TICK_INTERVAL);
            let Some(view) = view.upgrade() else { return };
            let renderer = view.renderer();
            view.refresh(&renderer, view.began.elapsed());
        }
    });
}
