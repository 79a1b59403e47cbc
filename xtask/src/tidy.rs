//! House rules, checked by `cargo xtask tidy` and by a test.
//!
//! [`edges`] checks the dependencies between crates, [`sizes`] the length of files, [`generated`] the files made from
//! code, [`links`] the links in Markdown, [`walk`] the functions named in ARCHITECTURE.md, [`git`] that only one crate
//! starts git, [`words`] that shared code does not name a command.

mod edges;
mod generated;
mod git;
mod links;
mod sizes;
mod source;
mod walk;
mod words;

use crate::{TaskResult, programs::root};

/// Runs all checks and reports all problems together.
pub(crate) fn tidy(fix: bool) -> TaskResult {
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
    fn the_workspace_is_tidy() {
        if let Err(problems) = super::tidy(false) {
            panic!("{problems}");
        }
    }
}
