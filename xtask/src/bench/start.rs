//! Start-up time of the program as `cargo install` builds it.

use super::ratio::{Figure, compare};
use crate::Outcome;
use crate::programs::{cargo, root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "start: charrette --version, cargo install";

/// Maximum ratio to an empty Rust program built the same way.
const LIMIT: f64 = 4.0;

pub(super) fn figures(only: &str) -> Outcome<Vec<Figure>> {
    if !NAME.contains(only) {
        return Ok(Vec::new());
    }
    let scratch = scratch("start")?;
    let empty = empty_rust_program(scratch.path())?;
    let charrette = installed_charrette()?;
    let run = |program: PathBuf| {
        move || -> Outcome {
            Command::new(&program).arg("--version").output()?;
            Ok(())
        }
    };
    Ok(vec![compare(NAME, LIMIT, 300, run(charrette), run(empty))?])
}

/// Builds what `cargo install` would install: the release profile with default features, linked dynamically.
fn installed_charrette() -> Outcome<PathBuf> {
    let status =
        cargo().args(["build", "--quiet", "--locked", "--release", "--package", "charrette-cli"]).status()?;
    if !status.success() {
        return Err("the release binary does not build".into());
    }
    Ok(root().join("target").join("release").join("charrette"))
}

fn empty_rust_program(folder: &Path) -> Outcome<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs_err::write(&source, "fn main() {}\n")?;
    let status =
        Command::new("rustc").args(["-O", "--edition", "2024", "-o"]).arg(&program).arg(&source).status()?;
    if !status.success() {
        return Err("the empty program does not build".into());
    }
    Ok(program)
}
