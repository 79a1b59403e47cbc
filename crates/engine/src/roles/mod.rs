//! Role definitions: the prompts of the seats, as Markdown with front matter that a team can override.
//!
//! The built-in ones are `assets/roles/*.md` ([`built_in`]), a file of the same name in `.charrette/roles/` overrides
//! one ([`overrides`], [`library`]); a run keeps those it began with ([`pinned`]). A definition is a template ([`template`]) that is
//! rendered with a [`request`] for one seat ([`prompt`]). Input from outside is never parsed as a template: requests,
//! decisions and summaries are values. [`crate::flows`] defines the seats; the step of an agent call appends the
//! inputs to the prompt.

pub mod built_in;
mod front_matter;
pub mod library;
pub mod overrides;
pub mod pinned;
mod plain_yaml;
pub mod prompt;
pub mod request;
pub mod role;
pub mod sample;
mod template;

pub use library::{ROLE_FOLDER, Roles};
pub use overrides::RoleOverrides;
pub use pinned::PinnedRoles;
pub use prompt::Prompt;
pub use request::{HandoffRequest, RequestContext};
pub use role::{Role, RoleError, TextOrigin};
