//! Kernel sandbox of a process: it writes where its rules say, and reads everything that they do not hide.
//!
//! On Linux the rules are enforced by Landlock, without privileges, for the process and everything it starts, and they
//! cannot be taken back. A process is put into the sandbox by [`launcher`]: a mode of the product that applies the
//! rules to itself and then becomes the program; [`small_program`] has that mode too. [`kernel`] tells how far this
//! system enforces them, [`network`] takes the network away, and [`lane`]
//! marks every process of a lane, with or without rules.
//!
//! Landlock does not control metadata: modes, owners, times and extended attributes of any file of the user can be
//! changed, and names in hidden folders can be listed.

pub mod kernel;
pub mod lane;
pub mod launcher;
pub mod network;
pub mod refusals;
mod rules;
pub mod small_program;
#[cfg(target_os = "linux")]
mod visible;

pub use kernel::Protection;
pub use network::NetworkIsolation;
pub use rules::Rules;
