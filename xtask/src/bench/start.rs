//! Start-up time of the program as `cargo install` builds it.

use super::ratio::{Figure, compare};
use crate::TaskResult;
use crate::programs::{cargo, create_scratch_folder, root};
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "start: charrette --version, cargo install";

/// Maximum ratio to an empty Rust program built the same way.
const LIMIT: f64 = 4.0;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    if !NAME.contains(only) {
        return Ok(Vec::new());
    }
    let scratch = create_scratch_folder("start")?;
    let empty = build_empty_rust_program(scratch.path())?;
    let charrette = build_installable_charrette()?;
    let run = |program: PathBuf| {
        move || -> TaskResult {
            Command::new(&program).arg("--version").output()?;
            Ok(())
        }
    };
    Ok(vec![compare(NAME, LIMIT, 300, run(charrette), run(empty))?])
}

/// Builds the binary that `cargo install` would install: the release profile with default features, linked dynamically.
fn build_installable_charrette() -> TaskResult<PathBuf> {
    let status =
        cargo().args(["build", "--quiet", "--locked", "--release", "--package", "charrette-cli"]).status()?;
    if !status.success() {
        return Err("the release binary does not build".into());
    }
    Ok(root().join("target").join("release").join("charrette"))
}

fn build_empty_rust_program(folder: &Path) -> TaskResult<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs_err::write(&source, "fn main() {}\n")?;
    let status =
        Command::new("rustc").args(["-O", "--edition", "2024", "-o"]).arg(&program).arg(&source).status()?;
    if !status.success() {
        return Err("the empty program does not build".into());
    }
    Ok(program)
}
