//! Pages as text.

use crate::style::Style;

/// Something that can be shown at a terminal.
pub trait Render {
    /// The text, in that style.
    fn render(&self, style: Style) -> String;
}
