//! Conventions of npm, pnpm, Yarn and Bun.

use super::super::manifests::package_manager;
use super::proposal::{ProposedCommand, ProposedCommands, RepositoryFiles, TEST, from};
use serde_json::Value;

const MANIFEST: &str = "package.json";

/// Test runners, with the arguments that run one test by its name.
const RUNNERS: [(&str, &str); 6] = [
    ("vitest", "vitest run --reporter=verbose -t"),
    ("jest", "jest --verbose -t"),
    ("mocha", "mocha --grep"),
    ("ava", "ava --verbose --match"),
    ("@playwright/test", "playwright test --reporter=list -g"),
    ("playwright", "playwright test --reporter=list -g"),
];

pub(super) fn propose(files: &RepositoryFiles) -> ProposedCommands {
    let manifest: Value = serde_json::from_str(files.text(MANIFEST)).unwrap_or_default();
    let manager = package_manager(&manifest, &files.siblings());
    let execute = match manager {
        "pnpm" => "pnpm exec",
        "yarn" => "yarn",
        "bun" => "bunx",
        _ => "npx",
    };
    let types = (has_dependency(&manifest, "typescript") && files.has("tsconfig.json"))
        .then(|| from(&format!("{execute} tsc --noEmit"), "tsconfig.json"));
    ProposedCommands {
        setup: Some(setup(files, &manifest, manager)),
        build: None,
        lint: linter(files, &manifest).map(|(command, file)| from(&format!("{execute} {command}"), file)),
        types,
        fast: None,
        test: (manager == "bun" && manifest["scripts"]["test"].is_null() && has_tests(files))
            .then(|| from("bun test", MANIFEST)),
        test_one: test_one(&manifest, manager, execute).map(|run| from(&run, MANIFEST)),
    }
}

fn setup(files: &RepositoryFiles, manifest: &Value, manager: &str) -> ProposedCommand {
    let asked = manifest["packageManager"].as_str().unwrap_or_default();
    let is_classic = !files.has(".yarnrc.yml") && (asked.is_empty() || asked.starts_with("yarn@1"));
    let (run, lock) = match manager {
        "pnpm" => ("pnpm install --frozen-lockfile", "pnpm-lock.yaml"),
        "yarn" if is_classic => ("yarn install --frozen-lockfile", "yarn.lock"),
        "yarn" => ("yarn install --immutable", "yarn.lock"),
        "bun" => (
            "bun install --frozen-lockfile",
            files.first_of(&["bun.lock", "bun.lockb"]).unwrap_or("bun.lock"),
        ),
        _ => ("npm ci", "package-lock.json"),
    };
    if files.has(lock) { from(run, lock) } else { from(&format!("{manager} install"), MANIFEST) }
}

/// A linter that is configured, without a script for it.
fn linter(files: &RepositoryFiles, manifest: &Value) -> Option<(&'static str, &'static str)> {
    let eslint = [
        "eslint.config.js",
        "eslint.config.mjs",
        "eslint.config.cjs",
        "eslint.config.ts",
        ".eslintrc.json",
        ".eslintrc.js",
        ".eslintrc.cjs",
        ".eslintrc.yml",
    ];
    let configured = |name: &str, files_of: &[&'static str]| {
        files.first_of(files_of).filter(|_| has_dependency(manifest, name))
    };
    configured("eslint", &eslint)
        .map(|file| ("eslint .", file))
        .or_else(|| Some(("biome check", configured("@biomejs/biome", &["biome.json", "biome.jsonc"])?)))
}

/// The runner that the script of the tests names, else one of the dependencies.
fn test_one(manifest: &Value, manager: &str, execute: &str) -> Option<String> {
    let script = manifest["scripts"]["test"].as_str().unwrap_or_default();
    let is_named = |name: &str| script.split([' ', '/']).any(|word| word == name);
    if script.contains("node --test") || script.contains("node:test") {
        return Some(format!("node --test --test-name-pattern {TEST}"));
    }
    if is_named("bun") || (manager == "bun" && script.is_empty()) {
        return Some(format!("bun test -t {TEST}"));
    }
    let runner = RUNNERS.into_iter().find(|(name, _)| is_named(name));
    let runner = runner.or_else(|| RUNNERS.into_iter().find(|(name, _)| has_dependency(manifest, name)));
    runner.map(|(_, arguments)| format!("{execute} {arguments} {TEST}"))
}

fn has_dependency(manifest: &Value, name: &str) -> bool {
    ["devDependencies", "dependencies"].iter().any(|kind| manifest[*kind].get(name).is_some())
}

fn has_tests(files: &RepositoryFiles) -> bool {
    files
        .paths
        .iter()
        .any(|path| path.contains(".test.") || path.contains("_test.") || path.contains(".spec."))
}
