//! What a person sees of a run at a terminal, and how they answer it.
#![warn(missing_docs)]
mod lanes;
mod screen;
mod story;
mod style;
mod text;
mod view;
pub use screen::Screen;
pub use style::Style;
pub use view::{Manner, View};
