//! A view of a run: its events, shown as they come.

use crate::screen::Screen;
use crate::story::{ArtifactReader, Story};
use crate::style::Style;
use charrette_engine::Event;
use charrette_model::progress::StepPrefix;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often the rows that tick are looked at.
const TICK: Duration = Duration::from_millis(200);

/// In what manner a run is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// To people: lines, and on a terminal a live table below them.
    Lines {
        /// What the caller of a nested run puts in front of its numbers and names.
        prefix: StepPrefix,
        /// Files worth reading are named, not shown.
        terse: bool,
    },
    /// To programs: one JSON object per line.
    Events,
    /// Not at all; warnings are collected.
    Silent,
}

/// A view of a run. Copies of it are the same view.
#[derive(Clone)]
pub struct View(Arc<Inner>);

struct Inner {
    story: Mutex<Story>,
    screen: Screen,
    is_events: bool,
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
    /// A view on that screen; `reader` reads the artifacts that are shown. Where the style says it is a terminal, the rows of the live table tick by themselves.
    pub fn new(manner: Manner, style: Style, screen: Screen, reader: ArtifactReader) -> View {
        let (is_events, is_silent) = (manner == Manner::Events, manner == Manner::Silent);
        let is_live = style.is_tty && !is_events && !is_silent;
        let (prefix, terse) = match manner {
            Manner::Lines { prefix, terse } => (prefix, terse),
            Manner::Events | Manner::Silent => (StepPrefix::default(), false),
        };
        let story = Mutex::new(Story::new(prefix, terse, style, reader));
        let inner = Arc::new(Inner { story, screen, is_events, is_silent, is_live, began: Instant::now() });
        if is_live {
            keep_ticking(Arc::downgrade(&inner));
        }
        View(inner)
    }

    /// Shows every event as it happens. A screen that is gone does not stop a run.
    pub fn watcher(&self) -> Arc<dyn Fn(&Event) + Send + Sync> {
        let inner = self.0.clone();
        Arc::new(move |event| inner.hear(event))
    }

    /// Something that a person sees is about to happen: what was held back about this stage is told first.
    pub fn reveal(&self) {
        let mut story = self.0.story();
        let lines = story.reveal();
        if self.0.tells_people() {
            self.0.screen.print(&lines);
        }
    }

    /// What a person should know at the end of the run: every warning, once.
    pub fn warnings(&self) -> Vec<String> {
        self.0.story().warnings().to_vec()
    }

    /// The screen it is on.
    pub fn screen(&self) -> &Screen {
        &self.0.screen
    }
}

impl Inner {
    fn hear(&self, event: &Event) {
        let mut story = self.story();
        let now = self.began.elapsed();
        let lines = story.hear(&event.kind, now);
        if self.is_events && !event.kind.is_for_people_only() {
            self.screen.print(&[serde_json::to_string(event).unwrap_or_default()]);
        }
        if self.tells_people() {
            self.screen.print(&lines);
        }
        self.refresh(&story, now);
    }

    fn refresh(&self, story: &Story, now: Duration) {
        if self.is_live {
            self.screen.show(story.rows(now));
        }
    }

    fn tells_people(&self) -> bool {
        !self.is_events && !self.is_silent
    }

    fn story(&self) -> MutexGuard<'_, Story> {
        self.story.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.is_live {
            self.screen.show(Vec::new());
        }
    }
}

/// A thread of its own, because a step may keep the runtime busy. It ends with the view.
fn keep_ticking(view: Weak<Inner>) {
    let _ = std::thread::Builder::new().name("live table".to_owned()).spawn(move || {
        loop {
            std::thread::sleep(TICK);
            let Some(view) = view.upgrade() else { return };
            let story = view.story();
            view.refresh(&story, view.began.elapsed());
        }
    });
}
