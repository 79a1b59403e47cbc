//! Conventions of Go.

use super::proposal::{ProposedCommands, RepositoryFiles, TEST, from};

pub(super) fn propose(files: &RepositoryFiles) -> ProposedCommands {
    let of_module = |run: &str| Some(from(run, "go.mod"));
    let linter = files.first_of(&[".golangci.yml", ".golangci.yaml"]);
    ProposedCommands {
        setup: of_module("go mod download"),
        build: of_module("go build ./..."),
        lint: linter.map(|file| from("golangci-lint run", file)).or(of_module("go vet ./...")),
        types: None,
        test: of_module("go test ./..."),
        fast: of_module("go test -short ./..."),
        test_one: of_module(&format!("go test -v -run '^{TEST}$' ./...")),
    }
}
