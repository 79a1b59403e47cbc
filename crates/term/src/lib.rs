//! Terminal output and input of a run. The rules are elsewhere.
//!
//! [`View`] renders the events of a run as lines, breadcrumbs and a live table on a [`Screen`]. [`TerminalAsker`] asks
//! the questions of a gate at a [`Terminal`]. [`Render`] renders the pages before and after a run; [`confirm()`] and
//! [`choose_existing_run()`] ask before a run starts.
//!
//! Everything is printed to a [`Screen`] that the caller gives, and the environment is not read: [`Style`] has the
//! colour, the width, and whether the output is a terminal.

mod asker;
mod closing;
mod confirm;
mod continued;
mod dialog;
mod editor;
mod event_renderer;
mod keys;
mod lanes;
mod line_editor;
mod live_table;
mod markdown;
mod preview;
mod render;
mod screen;
mod style;
mod table;
mod terminal;
mod text;
mod view;

pub use asker::{AskerOptions, FileReader, TerminalAsker};
pub use confirm::{
    Confirmation, ExistingRunChoice, TrustAnswer, ask_trust, choose_existing_run, confirm, confirm_changes,
};
pub use event_renderer::{ArtifactReader, DocumentDisplay};
pub use render::Render;
pub use screen::Screen;
pub use style::Style;
pub use terminal::Terminal;
pub use view::{View, ViewFormat};
