//! The rules of the house, checked by `cargo xtask tidy` and by a test.
//!
//! [`edges`] says which crate may know which, [`sizes`] how long a file may be, [`generated`] which files are
//! made from code, [`links`] that documents point at what exists, [`walk`] that the way through the code which is written
//! down is the way it goes, [`git`] who may start git, [`words`] that no command has a say in rooms that all share.

mod edges;
mod generated;
mod git;
mod links;
mod sizes;
mod source;
mod walk;
mod words;

use crate::{Outcome, programs::root};

/// Checks everything, and says all that is wrong at once.
pub(crate) fn tidy(fix: bool) -> Outcome {
    let root = root();
    if fix {
        generated::write(&root)?;
    }
    let mut problems = edges::problems(&root)?;
    problems.extend(sizes::problems(&root)?);
    problems.extend(generated::problems(&root)?);
    problems.extend(links::problems(&root)?);
    problems.extend(walk::problems(&root)?);
    problems.extend(git::problems(&root)?);
    problems.extend(words::problems(&root)?);
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n").into()) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_house_is_tidy() {
        if let Err(problems) = super::tidy(false) {
            panic!("{problems}");
        }
    }
}
