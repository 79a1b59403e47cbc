//! Start-up time of the program as `cargo install` builds it, also as the launcher of the sandbox.

use super::ratio::{Figure, compare};
use crate::TaskResult;
use crate::programs::{build_installable_charrette, create_scratch_folder};
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "start: charrette --version, cargo install";

/// Maximum ratio to an empty Rust program built the same way.
const LIMIT: f64 = 4.0;

const SANDBOX_NAME: &str = "sandbox: milliseconds added to a launch";

/// Maximum time that the sandbox adds to a launch, in milliseconds.
const SANDBOX_MILLISECONDS: f64 = 3.0;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let wanted = [NAME, SANDBOX_NAME].map(|name| name.contains(only));
    if wanted == [false, false] {
        return Ok(Vec::new());
    }
    let scratch = create_scratch_folder("start")?;
    let empty = build_empty_rust_program(scratch.path())?;
    let charrette = build_installable_charrette()?;
    let mut figures = Vec::new();
    if wanted[0] {
        let version = |program: &Path| {
            let program = program.to_owned();
            move || run(Command::new(&program).arg("--version"))
        };
        figures.push(compare(NAME, LIMIT, 300, version(&charrette), version(&empty))?);
    }
    if wanted[1] {
        let rules = sandbox_rules(scratch.path())?;
        let small = charrette.with_file_name("charrette-hook");
        let sandboxed = || run(Command::new(&small).arg("box").args(&rules).arg("--").arg(&empty));
        let added = compare(SANDBOX_NAME, 1.0, 300, sandboxed, || run(&mut Command::new(&empty)))?;
        let cost = added.subject - added.baseline;
        figures.push(Figure { subject: cost, baseline: SANDBOX_MILLISECONDS, ..added });
    }
    Ok(figures)
}

/// Rules like those of a seat: a home folder with a hundred entries, of which some are hidden.
fn sandbox_rules(folder: &Path) -> TaskResult<Vec<String>> {
    let home = folder.join("home");
    for number in 0..100 {
        fs_err::create_dir_all(home.join(format!("folder-{number}")))?;
    }
    let rules = [
        ("--write", "folder-1"),
        ("--write", "folder-2"),
        ("--hide", "folder-3"),
        ("--hide", "folder-4"),
        ("--hide", "folder-5/lanes"),
    ];
    fs_err::create_dir_all(home.join("folder-5/lanes"))?;
    let words = rules
        .into_iter()
        .flat_map(|(option, name)| [option.to_owned(), home.join(name).display().to_string()]);
    Ok(words.collect())
}

fn run(command: &mut Command) -> TaskResult {
    let output = command.output()?;
    if output.status.success() { Ok(()) } else { Err(format!("{command:?} failed").into()) }
}

pub(super) fn build_empty_rust_program(folder: &Path) -> TaskResult<PathBuf> {
    let (source, program) = (folder.join("empty.rs"), folder.join("empty"));
    fs_err::write(&source, "fn main() {}\n")?;
    let status =
        Command::new("rustc").args(["-O", "--edition", "2024", "-o"]).arg(&program).arg(&source).status()?;
    if !status.success() {
        return Err("the empty program does not build".into());
    }
    Ok(program)
}
