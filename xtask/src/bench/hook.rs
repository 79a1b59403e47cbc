//! Time of the hook, as a client starts it before each tool.

use super::ratio::{Figure, compare};
use super::start::build_empty_rust_program;
use crate::TaskResult;
use crate::programs::{
    build_empty_program, build_published_hook, cargo, create_repository, create_scratch_folder, root,
};
use crate::targets::Target;
use charrette_store::active::{ActiveRegister, ActiveRun, HookSettings, Rights};
use charrette_store::{Holder, Location, locate};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PUBLISHED: &str = "hook: no run, published, to an empty static C program";
const IDLE: &str = "hook: no run, to an empty Rust program";
const DRIVEN: &str = "hook: driven run and 1000 others, to none";

/// Maximum ratio of the published hook to an empty static C program.
const PUBLISHED_LIMIT: f64 = 1.0;
/// Maximum ratio to an empty Rust program built the same way.
const IDLE_LIMIT: f64 = 1.2;
/// Maximum ratio of a driven run, with finished ones beside it, to no run.
const DRIVEN_LIMIT: f64 = 1.3;

const ROUNDS: usize = 500;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let mut figures = Vec::new();
    if PUBLISHED.contains(only) {
        let target = Target::find(std::env::consts::ARCH)?;
        figures.push(measure_published_hook(&build_published_hook(&target)?)?);
    }
    if ![IDLE, DRIVEN].iter().any(|name| name.contains(only)) {
        return Ok(figures);
    }
    let scratch = create_scratch_folder("hook")?;
    let hook = build_hook()?;
    let (idle, driven) = (scratch.path().join("idle"), scratch.path().join("driven"));
    create_repository(&idle)?;
    create_repository(&driven)?;
    drive(&driven)?;
    let call = |program: &Path, folder: &Path| call(program.to_owned(), folder);
    if IDLE.contains(only) {
        let empty = build_empty_rust_program(scratch.path())?;
        figures.push(compare(IDLE, IDLE_LIMIT, ROUNDS, call(&hook, &idle), call(&empty, &idle))?);
    }
    if DRIVEN.contains(only) {
        figures.push(compare(DRIVEN, DRIVEN_LIMIT, ROUNDS, call(&hook, &driven), call(&hook, &idle))?);
    }
    Ok(figures)
}

/// Compares the hook of a published archive with an empty static C program.
pub(crate) fn measure_published_hook(hook: &Path) -> TaskResult<Figure> {
    let scratch = create_scratch_folder("hook")?;
    let idle = scratch.path().join("idle");
    create_repository(&idle)?;
    let empty = build_empty_program(scratch.path())?;
    // As unpacked from an archive: the system maps a file that was copied faster than one that a linker wrote.
    let installed = |program: &Path, name: &str| -> TaskResult<PathBuf> {
        let copy = scratch.path().join(name);
        fs_err::copy(program, &copy)?;
        Ok(copy)
    };
    let (hook, empty) = (installed(hook, "hook-copy")?, installed(&empty, "empty-copy")?);
    compare(PUBLISHED, PUBLISHED_LIMIT, ROUNDS, call(hook, &idle), call(empty, &idle))
}

/// A call in the folder of the session, with the JSON of an ordinary command on standard input.
fn call(program: PathBuf, folder: &Path) -> impl FnMut() -> TaskResult + use<> {
    let folder = folder.to_owned();
    let input = format!(
        "{{\"cwd\": \"{}\", \"tool_name\": \"Bash\", \"tool_input\": {{\"command\": \"git status && ls\"}}}}",
        folder.display()
    );
    move || {
        let mut child = Command::new(&program)
            .arg("PreToolUse")
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // The empty program does not read it.
            let _ = stdin.write_all(input.as_bytes());
        }
        if child.wait()?.success() { Ok(()) } else { Err("the hook denied an ordinary command".into()) }
    }
}

/// Registers a run that this process drives, beside documents of finished ones.
fn drive(folder: &Path) -> TaskResult {
    let root = folder.canonicalize()?;
    let Location::WorkTree(repository) = locate(&root)? else { return Err("no repository".into()) };
    let holder = Holder::of_this_process(String::new(), "bench".to_owned());
    let run = ActiveRun {
        id: "run".to_owned(),
        document: "design-x".to_owned(),
        command: "design".to_owned(),
        feature: Some("x".to_owned()),
        state: root.join(".claude/state"),
        workspace: Some(root.join(".specs/x")),
        root: root.clone(),
        phase: Some("write".to_owned()),
        rights: Rights::ReadOnly,
        branch: Some("x".to_owned()),
        driver: None,
        waits: Vec::new(),
    };
    ActiveRegister::new(Some(&repository), &root, holder).put(run, &HookSettings::default(), Some("main"))?;
    for number in 0..1000 {
        fs_err::write(root.join(format!(".claude/state/design-old-{number}.json")), "{\"version\": 1}")?;
    }
    Ok(())
}

fn build_hook() -> TaskResult<PathBuf> {
    let status =
        cargo().args(["build", "--quiet", "--locked", "--release", "--package", "charrette-cli"]).status()?;
    if !status.success() {
        return Err("the hook does not build".into());
    }
    Ok(root().join("target").join("release").join("charrette-hook"))
}
