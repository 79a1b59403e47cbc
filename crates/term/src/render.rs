//! Rendering of pages as text.

use crate::style::Style;

/// Page that can be rendered as text.
pub trait Render {
    fn render(&self, style: Style) -> String;
}
