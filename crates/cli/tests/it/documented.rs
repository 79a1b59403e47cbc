//! The run that README.md and docs/design.md show is a real one: it is made again here and compared, line by line.

use charrette_testkit::panel::{REQUEST, parcels};
use charrette_testkit::{Output, Sandbox};
use std::path::Path;

/// Command line shown in both documents.
const FLAGS: [&str; 3] = ["--auto", "--no-checkpoint", "--yes"];

/// A design on a machine with git and no agent at all.
fn designed() -> Output {
    let sandbox = parcels();
    let bin = sandbox.outside("bin");
    fs_err::create_dir(&bin).unwrap();
    let git = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|path| path.exists())
        .unwrap();
    std::os::unix::fs::symlink(git, bin.join("git")).unwrap();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_charrette"));
    command.args(["design", REQUEST]).args(FLAGS).env("PATH", &bin);
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert_leaves_only_the_specification(&sandbox);
    output
}

fn assert_leaves_only_the_specification(sandbox: &Sandbox) {
    assert_eq!(sandbox.git(["status", "--porcelain"]), "?? specs/");
}

/// The same on every machine: how long something took is not, nor who was ready first.
fn steady(output: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in output.lines() {
        let table = |line: &str| {
            line.starts_with("📊").then(|| line.split(": |").next().map(str::to_owned)).flatten()
        };
        if table(line).is_some() && lines.last().and_then(|last| table(last)) == table(line) {
            lines.pop();
        }
        lines.push(without_times(line).trim_end().to_owned());
    }
    lines
}

/// `✅ 12s` and `(1m3s)` become `✅ 0s` and `(0s)`; the folder of the sandbox goes.
fn without_times(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let bare = word.trim_matches(['(', ')']);
        let is_time = bare.ends_with('s')
            && bare.starts_with(|c: char| c.is_ascii_digit())
            && bare.chars().all(|c| c.is_ascii_digit() || "hms".contains(c));
        words.push(if is_time { word.replace(bare, "0s") } else { word.to_owned() });
    }
    let line = words.join(" ");
    match line.split_once("/charrette-test-") {
        Some((before, after)) => {
            let start = before.rfind(' ').map_or(0, |at| at + 1);
            let end = after.find("/work/").map_or(after.len(), |at| at + "/work/".len());
            format!("{}{}", &before[..start], &after[end..])
        }
        None => line,
    }
}

/// The first block of a document after `mark`.
fn block(document: &str, mark: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document);
    let text = fs_err::read_to_string(path).unwrap();
    let after = text.split_once(mark).unwrap_or_else(|| panic!("{document} has no {mark}")).1;
    let mut lines = after.lines().skip_while(|line| !line.starts_with("```"));
    let opening = lines.next().unwrap_or_default();
    // A longer fence, so that the output may have fences of its own.
    let fence = &opening[..opening.len() - opening.trim_start_matches('`').len()];
    lines.take_while(|line| *line != fence).map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn the_run_in_the_documents_is_what_happens() {
    let output = steady(&designed().stdout);
    let whole = block("docs/design.md", "<!-- a run:");
    assert!(whole == output, "docs/design.md shows another run than this one:\n{}", output.join("\n"));

    // README shows the parts worth seeing; what is left out is marked.
    let shown = block("README.md", "<!-- a run, in parts:");
    let mut rest = output.iter();
    for line in shown.iter().skip(1).filter(|line| line.as_str() != "…") {
        assert!(rest.any(|printed| printed == line), "README.md shows a line that does not come: {line}");
    }
}
