//! The survey: ranking quality on past commits ([`quality`]), speed and memory on generated trees ([`trees`]) against
//! one `git grep` ([`speed`]).

mod quality;
mod speed;
mod trees;

pub(super) use quality::measure_recall;
pub(super) use speed::figures;
