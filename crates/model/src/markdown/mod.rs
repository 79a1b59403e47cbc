//! The one reader of Markdown, for the answers of agents and for specifications.
//!
//! It works line by line and forgives more than `CommonMark` does: [`lines`] marks the lines inside code [`fences`] and
//! [`strip_decoration`] strips headings, list markers and emphasis; [`outline`] drops comments. A `CommonMark` parser
//! would not do: it reads a badly indented fence as prose and the prose after it as code.

mod fences;
mod lines;
mod outline;
mod trim;

pub use fences::{FenceMark, FenceState, FencedBlock, fences, fences_where, strip_whole_fence};
pub use lines::{
    Label, Line, Lines, MARKS, Marker, StrippedLine, flat, is_blank, label, lines, strip_decoration, trimmed,
};
pub(crate) use lines::{label_at, list_marker};
pub(crate) use outline::offset_in;
pub use outline::{
    Outline, UnclosedFence, heading, is_decoration, item, outline, parse_checkbox, parse_label,
};
pub use trim::{trim_around, trim_before};
