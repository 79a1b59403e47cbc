//! What a person sees of a run at a terminal, and how they answer it. Rules are elsewhere: this shows and asks.
//!
//! [`View`] turns the events of a run into lines, breadcrumbs and a live table on a [`Screen`]. [`TerminalAsker`] asks
//! the questions of a gate at a [`Terminal`], one readable page each.
//! [`Preview`] and [`Closing`] are the pages before and after a run: plain data in, text out; [`confirm()`] and
//! [`existing()`] ask what to do about the first.
//!
//! Nothing is printed that the caller did not give a place for, and the environment is not read: [`Style`] says
//! whether there is colour, how wide the screen is, and whether it is a terminal.

#![warn(missing_docs)]

mod asker;
mod closing;
mod confirm;
mod crew;
mod dialog;
mod editor;
mod keys;
mod lanes;
mod line;
mod preview;
mod render;
mod screen;
mod story;
mod style;
mod table;
mod terminal;
mod text;
mod view;

pub use asker::{Desk, Reader, TerminalAsker};
pub use confirm::{Confirmed, Existing, confirm, existing};
pub use render::Render;
pub use screen::Screen;
pub use story::ArtifactReader;
pub use style::Style;
pub use terminal::Terminal;
pub use view::{Manner, View};
