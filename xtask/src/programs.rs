//! Programs the tasks need: our own binary, linked statically, and the empty program it is measured against.

use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// A folder on the same disk as the project, empty, for one task.
pub(crate) fn scratch(task: &str) -> Outcome<tempfile::TempDir> {
    let parent = root().join("target").join("xtask");
    fs_err::create_dir_all(&parent)?;
    Ok(tempfile::Builder::new().prefix(task).tempdir_in(parent)?)
}

/// The cargo that runs us, as if it did not: what it tells us about this package would have others be built anew, who
/// watch the same variables.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    let is_about_us = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_about_us)) {
        command.env_remove(name);
    }
    command
}

/// Builds the release binary without a dynamic loader and without relocations, as it is published.
///
/// For musl where that target is installed, else for glibc: what counts for start-up is the linking.
pub(crate) fn static_charrette() -> Outcome<PathBuf> {
    let arch = std::env::consts::ARCH;
    let musl = format!("{arch}-unknown-linux-musl");
    let target = if is_installed(&musl)? { musl } else { format!("{arch}-unknown-linux-gnu") };
    let status = cargo()
        .args(["build", "--quiet", "--release", "--package", "charrette-cli", "--target", &target])
        .env("RUSTFLAGS", "-C target-feature=+crt-static -C relocation-model=static")
        .current_dir(root())
        .status()?;
    if !status.success() {
        return Err("the release binary does not build".into());
    }
    Ok(root().join("target").join(target).join("release").join("charrette"))
}

/// Builds the binary as tests use it.
pub(crate) fn debug_charrette() -> Outcome<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "charrette-cli"]).current_dir(root());
    if !command.status()?.success() {
        return Err("the binary does not build".into());
    }
    Ok(root().join("target").join("debug").join("charrette"))
}

fn is_installed(target: &str) -> Outcome<bool> {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output()?;
    Ok(Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

/// Builds the rehearsal: the real command line with a small flow, and the agent it uses.
pub(crate) fn rehearsal() -> Outcome<PathBuf> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "charrette-rehearsal"]).args(profile).current_dir(root());
    if !command.status()?.success() {
        return Err("the rehearsal does not build".into());
    }
    let folder = if cfg!(debug_assertions) { "debug" } else { "release" };
    Ok(root().join("target").join(folder).join("charrette-rehearsal"))
}

/// An empty program in C, linked statically: the least that starting anything costs.
pub(crate) fn empty_program(folder: &Path) -> Outcome<PathBuf> {
    let (source, program) = (folder.join("empty.c"), folder.join("empty"));
    fs_err::write(&source, "int main(void) { return 0; }\n")?;
    let status = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&program).arg(&source).status()?;
    if !status.success() {
        return Err("the empty program does not build: is there a C compiler with a static libc?".into());
    }
    Ok(program)
}

/// A repository with one commit, of what is already there.
pub(crate) fn repository(folder: &Path) -> Outcome {
    git(folder, &["init", "-q", "-b", "main"])?;
    git(folder, &["add", "--all"])?;
    git(
        folder,
        &[
            "-c",
            "user.name=Ada L",
            "-c",
            "user.email=ada@example.com",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "first",
        ],
    )
}

fn git(folder: &Path, args: &[&str]) -> Outcome {
    fs_err::create_dir_all(folder)?;
    let status = Command::new("git").args(args).current_dir(folder).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
}
