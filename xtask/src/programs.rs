//! Programs the tasks need: our own binary, linked statically, and the empty program it is measured against.
//! Build targets are in [`crate::targets`].

use crate::Outcome;
use crate::targets::Target;
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

/// Cargo as if it was started at a prompt: some build scripts run anew when they see who started us.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("CARGO_PKG_") || shown.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command.current_dir(root());
    command
}

/// The release binary, linked as it is published.
pub(crate) fn static_charrette() -> Outcome<PathBuf> {
    static_build("release", &[], &Target::of(std::env::consts::ARCH)?)
}

/// Features of the published binary, as arguments of cargo: everything optional costs more than it is worth to most
/// users. Who wants to draw diagrams or count tokens exactly builds from source, where everything is on.
pub(crate) const PUBLISHED: &[&str] = &["--no-default-features"];

/// Builds the binary without a dynamic loader and without relocations, which is what counts for start-up.
/// It does not say where on this machine it was built, so that another one can build the same.
pub(crate) fn static_build(profile: &str, features: &[&str], target: &Target) -> Outcome<PathBuf> {
    let root = root();
    let linking = ["-C", "target-feature=+crt-static", "-C", "relocation-model=static"];
    let mut places: Vec<String> =
        cargo_home().iter().map(|home| format!("{}=/cargo", home.display())).collect();
    places.push(format!("{}=/charrette", root.display()));
    let mut flags: Vec<String> = linking.map(str::to_owned).into();
    flags.extend(places.iter().map(|place| format!("--remap-path-prefix={place}")));
    let in_c: Vec<String> = places.iter().map(|place| format!("-ffile-prefix-map={place}")).collect();
    let status = cargo()
        .args(["build", "--quiet", "--locked", "--package", "charrette-cli"])
        .args(["--profile", profile, "--target", &target.name])
        .args(features)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env(format!("CFLAGS_{}", target.name.replace('-', "_")), in_c.join(" "))
        .envs(target.environment())
        .status()?;
    if !status.success() {
        return Err(format!("the {profile} binary for {} does not build", target.name).into());
    }
    Ok(root.join("target").join(&target.name).join(profile).join("charrette"))
}

fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}

/// Builds the binary as tests use it.
pub(crate) fn debug_charrette() -> Outcome<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "charrette-cli"]);
    if !command.status()?.success() {
        return Err("the binary does not build".into());
    }
    Ok(root().join("target").join("debug").join("charrette"))
}

/// Builds the rehearsal: the real command line with a small flow, and the agent it uses.
pub(crate) fn rehearsal() -> Outcome<PathBuf> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "charrette-rehearsal"]).args(profile);
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
