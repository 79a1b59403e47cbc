//! Published archives: static Linux binaries with man pages and completions, and checksums.
//!
//! [`man`] writes the man pages, [`notices`] the licences, [`archive`] the reproducible archives; [`elf`] checks that a
//! binary is static. Build targets are in [`crate::targets`].

mod archive;
mod elf;
pub(crate) mod man;
mod notices;

use crate::TaskResult;
use crate::bench;
use crate::bench::ratio::{Figure, compare};
use crate::programs::{
    PUBLISHED_FEATURES, build_empty_program, build_published_hook, build_static, cargo,
    create_scratch_folder, root, test_published_hook,
};
use crate::targets::Target;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Architectures of the published binaries.
const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];

/// Shells with the file names of their completions.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "charrette.bash"),
    ("elvish", "charrette.elv"),
    ("fish", "charrette.fish"),
    ("powershell", "_charrette.ps1"),
    ("zsh", "_charrette"),
];

/// A built and checked binary.
#[derive(Debug)]
struct BuiltBinary {
    target: Target,
    binary: PathBuf,
    hook: PathBuf,
}

/// Builds and packs for every architecture with an installed target, and lists the others.
pub(crate) fn dist() -> TaskResult {
    let (mut built, mut skipped) = (Vec::new(), Vec::new());
    for arch in ARCHITECTURES {
        match Target::find(arch) {
            Ok(target) => built.push(build(arch, target)?),
            Err(reason) => skipped.push(format!("skipped: {arch}: {reason}")),
        }
    }
    let Some(native) = built.iter().find(|built| built.target.is_native()) else {
        return Err(format!("no native binary was built\n{}", skipped.join("\n")).into());
    };
    let scratch = create_scratch_folder("dist")?;
    let extras = scratch.path().join("extras");
    write_extras(native, &extras)?;
    let folder = root().join("target").join("dist");
    archive::clear(&folder)?;
    let mut archives = Vec::new();
    for BuiltBinary { target, binary, hook } in &built {
        let name = format!("charrette-{VERSION}-{}", target.name);
        let archive = archive::pack(&name, [binary, hook], &extras, &folder)?;
        println!("{}: {}", archive.display(), format_size(&archive)?);
        println!("  binary: {}, static", format_size(binary)?);
        archives.push(archive);
    }
    let sums = archive::write_sums(&folder, &archives)?;
    println!("{}: verified", sums.display());
    println!("{}", measure_start(&native.binary, scratch.path())?);
    println!("{}", bench::measure_published_hook(&native.hook)?);
    for reason in &skipped {
        println!("{reason}");
    }
    Ok(())
}

fn build(arch: &str, target: Target) -> TaskResult<BuiltBinary> {
    eprintln!("building for {}; this takes minutes", target.name);
    let binary = build_static("dist", PUBLISHED_FEATURES, &target)?;
    let hook = build_published_hook(&target)?;
    for program in [&binary, &hook] {
        elf::check_static(&fs_err::read(program)?, arch)
            .map_err(|problem| format!("{}: {problem}", program.display()))?;
    }
    if target.is_native() {
        test_published_hook(&target)?;
        let version = run_for_output(&binary, &["--version"])?;
        if version != format!("charrette {VERSION}\n") {
            return Err(format!("{} --version printed {version:?}", binary.display()).into());
        }
    }
    Ok(BuiltBinary { target, binary, hook })
}

/// Writes the other files of an archive, which are the same for each architecture.
fn write_extras(native: &BuiltBinary, folder: &Path) -> TaskResult {
    write_man_pages(&folder.join("man").join("man1"))?;
    let completions = folder.join("completions");
    fs_err::create_dir_all(&completions)?;
    for (shell, name) in COMPLETIONS {
        fs_err::write(completions.join(name), run_for_output(&native.binary, &["completions", shell])?)?;
    }
    notices::write(&native.target.name, &folder.join("LICENSES-OF-OTHERS.txt"))?;
    archive::copy_documents(&root(), folder)
}

/// Writes the man pages with an xtask that has the features of the published binary: this one has all features.
fn write_man_pages(folder: &Path) -> TaskResult {
    let mut xtask = cargo();
    xtask
        .args(["run", "--quiet", "--locked", "--package", "xtask"])
        .args(PUBLISHED_FEATURES)
        .args(["--", "man"])
        .arg(folder);
    if !xtask.status()?.success() {
        return Err("the man pages were not written".into());
    }
    Ok(())
}

fn run_for_output(program: &Path, args: &[&str]) -> TaskResult<String> {
    let output = Command::new(program).args(args).output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{} {args:?}: {error}", program.display()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn format_size(file: &Path) -> TaskResult<String> {
    let bytes = fs_err::metadata(file)?.len();
    Ok(format!("{}.{} MB ({bytes} bytes)", bytes / 1_000_000, bytes / 100_000 % 10))
}

fn measure_start(binary: &Path, scratch: &Path) -> TaskResult<Figure> {
    let empty = build_empty_program(scratch)?;
    let start = |program: PathBuf| {
        move || -> TaskResult {
            Command::new(&program).arg("--version").output()?;
            Ok(())
        }
    };
    compare("start: charrette --version", 2.5, 300, start(binary.to_owned()), start(empty))
}
