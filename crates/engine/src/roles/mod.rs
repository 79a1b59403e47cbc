//! Role definitions: what each seat is told, as Markdown with front matter that anybody can read and a team can
//! replace.
//!
//! The built-in ones are `assets/roles/*.md` ([`built_in`]), a file of the same name in `.charrette/roles/` takes
//! the place of one ([`library`]); a run keeps to those it began with ([`pinned`]). A definition is a template ([`template`]) that is filled in with a [`request`]
//! for one seat ([`prompt`]). Nothing from outside is ever taken for a template: requests, decisions and
//! summaries are values. Which seats there are is for [`crate::flows`] to say; what an agent reads is quoted
//! behind the prompt by the step that asks it.

pub mod built_in;
mod front_matter;
pub mod library;
pub mod pinned;
pub mod prompt;
pub mod request;
pub mod role;
pub mod sample;
mod template;

pub use library::{ROLE_FOLDER, Roles};
pub use pinned::PinnedRoles;
pub use prompt::Prompt;
pub use request::{Context, Request};
pub use role::{Origin, Role, RoleError};
