//! Published archives: static Linux binaries with man pages and completions, and checksums.
//!
//! [`man`] makes the pages, [`notices`] the licences, [`archive`] packs them so that the same input gives the same bytes, [`elf`] looks
//! whether a binary is what it should be. What can be built here is in [`crate::targets`].

mod archive;
mod elf;
pub(crate) mod man;
mod notices;

use crate::Outcome;
use crate::bench::ratio::{Figure, compare};
use crate::programs::{PUBLISHED, cargo, empty_program, root, scratch, static_build};
use crate::targets::Target;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The machines we publish for.
const MACHINES: [&str; 2] = ["x86_64", "aarch64"];

/// Each shell, and the name under which it looks for completions.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "charrette.bash"),
    ("elvish", "charrette.elv"),
    ("fish", "charrette.fish"),
    ("powershell", "_charrette.ps1"),
    ("zsh", "_charrette"),
];

/// A binary that was built and looked at.
#[derive(Debug)]
struct Built {
    target: Target,
    binary: PathBuf,
}

/// Builds for every machine it can, and says which it cannot.
pub(crate) fn dist() -> Outcome {
    let (mut built, mut left_out) = (Vec::new(), Vec::new());
    for machine in MACHINES {
        match Target::of(machine) {
            Ok(target) => built.push(build(machine, target)?),
            Err(reason) => left_out.push(format!("left out: {machine}: {reason}")),
        }
    }
    let Some(native) = built.iter().find(|built| built.target.runs_here()) else {
        return Err(format!("nothing was built that runs here\n{}", left_out.join("\n")).into());
    };
    let scratch = scratch("dist")?;
    let extras = scratch.path().join("extras");
    lay_out_extras(native, &extras)?;
    let folder = root().join("target").join("dist");
    archive::clear(&folder)?;
    let mut archives = Vec::new();
    for Built { target, binary } in &built {
        let name = format!("charrette-{VERSION}-{}", target.name);
        let archive = archive::pack(&name, binary, &extras, &folder)?;
        println!("{}: {}", archive.display(), megabytes(&archive)?);
        println!("  binary: {}, static", megabytes(binary)?);
        archives.push(archive);
    }
    let sums = archive::write_sums(&folder, &archives)?;
    println!("{}: verified", sums.display());
    println!("{}", start_time(&native.binary, scratch.path())?);
    for reason in &left_out {
        println!("{reason}");
    }
    Ok(())
}

fn build(machine: &str, target: Target) -> Outcome<Built> {
    eprintln!("building for {}; this takes minutes", target.name);
    let binary = static_build("dist", PUBLISHED, &target)?;
    elf::check_static(&fs_err::read(&binary)?, machine)
        .map_err(|problem| format!("{}: {problem}", binary.display()))?;
    if target.runs_here() {
        let version = output_of(&binary, &["--version"])?;
        if version != format!("charrette {VERSION}\n") {
            return Err(format!("{} --version says {version:?}", binary.display()).into());
        }
    }
    Ok(Built { target, binary })
}

/// Lays out the files beside the binary; the same for each machine.
fn lay_out_extras(native: &Built, folder: &Path) -> Outcome {
    write_man_pages(&folder.join("man").join("man1"))?;
    let completions = folder.join("completions");
    fs_err::create_dir_all(&completions)?;
    for (shell, name) in COMPLETIONS {
        fs_err::write(completions.join(name), output_of(&native.binary, &["completions", shell])?)?;
    }
    notices::write(&native.target.name, &folder.join("LICENSES-OF-OTHERS.txt"))?;
    archive::copy_documents(&root(), folder)
}

/// Writes the pages of the commands that the published binary has: fewer than this one knows, which has all features.
fn write_man_pages(folder: &Path) -> Outcome {
    let mut xtask = cargo();
    xtask
        .args(["run", "--quiet", "--locked", "--package", "xtask"])
        .args(PUBLISHED)
        .args(["--", "man"])
        .arg(folder);
    if !xtask.status()?.success() {
        return Err("the man pages were not written".into());
    }
    Ok(())
}

fn output_of(program: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new(program).args(args).output()?;
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{} {args:?}: {error}", program.display()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn megabytes(file: &Path) -> Outcome<String> {
    let bytes = fs_err::metadata(file)?.len();
    Ok(format!("{}.{} MB ({bytes} bytes)", bytes / 1_000_000, bytes / 100_000 % 10))
}

fn start_time(binary: &Path, scratch: &Path) -> Outcome<Figure> {
    let empty = empty_program(scratch)?;
    let start = |program: PathBuf| {
        move || -> Outcome {
            Command::new(&program).arg("--version").output()?;
            Ok(())
        }
    };
    compare("start: charrette --version", 2.5, 300, start(binary.to_owned()), start(empty))
}
