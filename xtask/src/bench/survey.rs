//! The survey: how often it names the right files, and how fast it is against one `git grep`.
//!
//! [`quality`] asks for past commits at the tree before them, [`speed`] grows trees and takes the time.

mod quality;
mod speed;
mod trees;

pub(super) use quality::recall;
pub(super) use speed::figures;
