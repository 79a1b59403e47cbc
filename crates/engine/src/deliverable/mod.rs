//! The six files a design leaves behind, made from the writer's three drafts and the records of the panel.
//!
//! [`files`] puts them together; [`Templates`] are their frames, which a team can replace. What must be true is
//! written by code, whatever an agent wrote: `head` the lines at the top of each file, `design` the sections that
//! must be there, `record` who decided what by which votes, `summary` the page a person reads first. [`status`]
//! changes the status in all of them at once, [`mod@shown`] is what the second gate shows of them.
//!
//! Everything is text in and text out. Whether the result is good enough is `charrette_model::spec::check`'s to say.

mod design;
mod head;
mod issue;
mod materials;
mod put_together;
mod record;
pub mod shown;
pub mod status;
mod summary;
mod templates;

pub use issue::{IssueText, issue_text, with_issue};
pub use materials::{DeliverableError, Materials, SeatTaken};
pub use put_together::files;
pub use shown::{Shown, shown};
pub use status::{Status, with_status, without_status};
pub use templates::Templates;
