//! Conventions of Cargo.

use super::proposal::{ProposedCommands, RepositoryFiles, TEST, from};

pub(super) fn propose(files: &RepositoryFiles) -> ProposedCommands {
    const MANIFEST: &str = "Cargo.toml";
    let text = files.text(MANIFEST);
    let is_workspace = text.lines().any(|line| line.trim() == "[workspace]");
    let all = if is_workspace { " --workspace" } else { "" };
    let of_manifest = |run: String| Some(from(&run, MANIFEST));
    let clippy = files
        .first_of(&["clippy.toml", ".clippy.toml"])
        .or(text.contains("lints.clippy]").then_some(MANIFEST))
        .map(|file| from(&format!("cargo clippy{all} --all-targets -- -D warnings"), file));
    let format =
        files.first_of(&["rustfmt.toml", ".rustfmt.toml"]).map(|file| from("cargo fmt --check", file));
    let nextest = files.first_of(&[".config/nextest.toml"]);
    let run_tests = if nextest.is_some() { "cargo nextest run" } else { "cargo test" };
    ProposedCommands {
        setup: Some(if files.has("Cargo.lock") {
            from("cargo fetch --locked", "Cargo.lock")
        } else {
            from("cargo fetch", MANIFEST)
        }),
        build: of_manifest(format!("cargo build{all}")),
        lint: clippy.or(format),
        types: None,
        test: Some(from(&format!("{run_tests}{all}"), nextest.unwrap_or(MANIFEST))),
        fast: None,
        test_one: Some(from(&format!("{run_tests}{all} {TEST}"), nextest.unwrap_or(MANIFEST))),
    }
}
