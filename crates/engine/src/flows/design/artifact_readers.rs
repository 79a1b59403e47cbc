//! Readers of the files of a design: the inputs of each seat, made from the table of [`super::artifacts`] when the program
//! is compiled.

use super::artifacts::ARTIFACTS;
use super::stages::STAGES;
use crate::artifact::{ArtifactSpec, names_seat};

/// Seats that read no words of the person: they rearrange what others wrote.
const WITHOUT_PERSON: [&str; 2] = ["merger", "illustrator"];

/// Files that a seat of a step reads, for its table.
macro_rules! reads {
    ($seat:literal, $step:literal) => {
        const {
            &$crate::flows::design::artifact_readers::reads_of::<
                { $crate::flows::design::artifact_readers::count_reads($seat, $step) },
            >($seat, $step)
        }
    };
}
pub(super) use reads;

/// Number of files that a seat reads.
pub(super) const fn count_reads(seat: &str, step: &str) -> usize {
    let (mut n, mut found) = (0, 0);
    while n < ARTIFACTS.len() {
        if is_reader(&ARTIFACTS[n], seat, step) {
            found += 1;
        }
        n += 1;
    }
    found
}

/// Files that a seat reads, in the order of the table.
pub(super) const fn reads_of<const N: usize>(seat: &str, step: &str) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut n, mut found) = (0, 0);
    while n < ARTIFACTS.len() {
        if is_reader(&ARTIFACTS[n], seat, step) {
            names[found] = ARTIFACTS[n].name;
            found += 1;
        }
        n += 1;
    }
    names
}

/// True if a seat reads the file: it is named, or the file binds every seat from its step on.
pub(super) const fn is_reader(artifact: &ArtifactSpec, seat: &str, step: &str) -> bool {
    if names_seat(artifact.readers, seat) || names_seat(artifact.by_path, seat) {
        return true;
    }
    match artifact.binds_after {
        Some(stage) => stage_index(step) > stage_index(stage) && !names_seat(&WITHOUT_PERSON, seat),
        None => false,
    }
}

const fn stage_index(number: &str) -> usize {
    let mut n = 0;
    while n < STAGES.len() {
        if names_seat(&[STAGES[n].number], number) {
            return n;
        }
        n += 1;
    }
    panic!("unknown stage")
}
