//! Builds the programs that the tasks need: charrette, linked statically, and the empty program it is measured against.
//! Build targets are in [`crate::targets`].

use crate::TaskResult;
use crate::targets::Target;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Root folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Creates an empty temporary folder on the same disk as the project.
pub(crate) fn create_scratch_folder(task: &str) -> TaskResult<tempfile::TempDir> {
    let parent = root().join("target").join("xtask");
    fs_err::create_dir_all(&parent)?;
    Ok(tempfile::Builder::new().prefix(task).tempdir_in(parent)?)
}

/// Cargo without the variables of the cargo that runs xtask: some build scripts would run again because of them.
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

/// Builds the static release binary with all features.
pub(crate) fn build_static_charrette() -> TaskResult<PathBuf> {
    build_static("release", &[], &Target::find(std::env::consts::ARCH)?)
}

/// Arguments of cargo that select the features of the published binary, which leaves out the optional ones for size. To
/// render SVG or count tokens exactly, build from source, where both features are on by default.
pub(crate) const PUBLISHED_FEATURES: &[&str] = &["--no-default-features"];

/// Builds static binaries without relocations, for a fast start: charrette, and the hook beside it.
pub(crate) fn build_static(profile: &str, features: &[&str], target: &Target) -> TaskResult<PathBuf> {
    let mut command = static_build("build", "charrette-cli", profile, target, &[]);
    if !command.args(features).status()?.success() {
        return Err(format!("the {profile} binary for {} does not build", target.name).into());
    }
    Ok(root().join("target").join(&target.name).join(profile).join("charrette"))
}

/// Builds the hook of the archives, which is smaller and starts faster than the one that `cargo install` builds.
pub(crate) fn build_published_hook(target: &Target) -> TaskResult<PathBuf> {
    if !published_hook("build", target).status()?.success() {
        return Err(format!("the hook for {} does not build", target.name).into());
    }
    Ok(root().join("target").join(&target.name).join(HOOK_PROFILE).join("published-hook"))
}

/// Runs the tests of that hook with the hook as it is published. Its first look must not need libc, and in a program that is
/// linked dynamically libc is there already.
pub(crate) fn test_published_hook(target: &Target) -> TaskResult {
    if published_hook("test", target).status()?.success() {
        return Ok(());
    }
    Err(format!("the hook for {} fails its tests", target.name).into())
}

const HOOK_PROFILE: &str = "dist-hook";

fn published_hook(task: &str, target: &Target) -> Command {
    let one_segment = ["-C", "link-arg=-Wl,-z,noseparate-code"];
    static_build(task, "charrette-published-hook", HOOK_PROFILE, target, &one_segment)
}

/// Build or test of static programs. They contain no paths of this machine, so that builds are reproducible.
fn static_build(task: &str, package: &str, profile: &str, target: &Target, flags: &[&str]) -> Command {
    let linking = ["-C", "target-feature=+crt-static", "-C", "relocation-model=static"];
    let mut prefixes: Vec<String> =
        cargo_home().iter().map(|home| format!("{}=/cargo", home.display())).collect();
    prefixes.push(format!("{}=/charrette", root().display()));
    let mut flags: Vec<String> = linking.iter().chain(flags).map(|flag| (*flag).to_owned()).collect();
    flags.extend(prefixes.iter().map(|prefix| format!("--remap-path-prefix={prefix}")));
    let c_flags: Vec<String> = prefixes.iter().map(|prefix| format!("-ffile-prefix-map={prefix}")).collect();
    let mut command = cargo();
    command
        .args([task, "--quiet", "--locked", "--package", package])
        .args(["--profile", profile, "--target", &target.name])
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env(format!("CFLAGS_{}", target.name.replace('-', "_")), c_flags.join(" "))
        .envs(target.environment());
    command
}

fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}

/// Builds the binary that `cargo install` would install: the release profile with default features, linked dynamically.
pub(crate) fn build_installable_charrette() -> TaskResult<PathBuf> {
    let status =
        cargo().args(["build", "--quiet", "--locked", "--release", "--package", "charrette-cli"]).status()?;
    if !status.success() {
        return Err("the release binary does not build".into());
    }
    Ok(root().join("target").join("release").join("charrette"))
}

/// Builds charrette in the profile of this program.
pub(crate) fn build_charrette() -> TaskResult<PathBuf> {
    if cfg!(debug_assertions) { build_debug_charrette() } else { build_installable_charrette() }
}

/// Builds the debug binary, which tests use.
pub(crate) fn build_debug_charrette() -> TaskResult<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "charrette-cli"]);
    if !command.status()?.success() {
        return Err("the binary does not build".into());
    }
    Ok(root().join("target").join("debug").join("charrette"))
}

/// Builds the rehearsal: the real command line with small test flows, and the fake agent they use.
pub(crate) fn build_rehearsal() -> TaskResult<PathBuf> {
    let profile: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };
    let mut command = cargo();
    command.args(["build", "--quiet", "--package", "charrette-rehearsal"]).args(profile);
    if !command.status()?.success() {
        return Err("the rehearsal does not build".into());
    }
    let folder = if cfg!(debug_assertions) { "debug" } else { "release" };
    Ok(root().join("target").join(folder).join("charrette-rehearsal"))
}

/// Builds an empty static C program: the minimal cost of starting a program.
pub(crate) fn build_empty_program(folder: &Path) -> TaskResult<PathBuf> {
    let (source, program) = (folder.join("empty.c"), folder.join("empty"));
    fs_err::write(&source, "int main(void) { return 0; }\n")?;
    let status = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&program).arg(&source).status()?;
    if !status.success() {
        return Err("the empty program does not build: is there a C compiler with a static libc?".into());
    }
    Ok(program)
}

/// Creates a git repository in a folder, with one commit of its files.
pub(crate) fn create_repository(folder: &Path) -> TaskResult {
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

fn git(folder: &Path, args: &[&str]) -> TaskResult {
    fs_err::create_dir_all(folder)?;
    let status = Command::new("git").args(args).current_dir(folder).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?} failed").into()) }
}
