//! Conventions of Ruby: `RSpec`, Rails, Rake, `RuboCop`, Sorbet.

use super::proposal::{ProposedCommands, RepositoryFiles, TEST, from};

const MANIFEST: &str = "Gemfile";

pub(super) fn propose(files: &RepositoryFiles) -> ProposedCommands {
    let gemfile = files.text(MANIFEST);
    let has_folder = |folder: &str| files.paths.iter().any(|path| path.starts_with(folder));
    let rubocop = files.first_of(&[".rubocop.yml"]).or(gemfile.contains("rubocop").then_some(MANIFEST));
    let tests = if gemfile.contains("rspec") || files.has(".rspec") || has_folder("spec/") {
        Some((
            files.first_of(&[".rspec"]).unwrap_or(MANIFEST),
            ["bundle exec rspec", "bundle exec rspec --fail-fast"],
            format!("bundle exec rspec --format documentation -e {TEST}"),
        ))
    } else if files.has("bin/rails") && has_folder("test/") {
        Some((
            "bin/rails",
            ["bin/rails test", "bin/rails test --fail-fast"],
            format!("bin/rails test -v -n {TEST}"),
        ))
    } else if files.has("Rakefile") && has_folder("test/") {
        let all = "bundle exec rake test";
        Some(("Rakefile", [all, all], format!("{all} 'TESTOPTS=--verbose --name={TEST}'")))
    } else {
        None
    };
    ProposedCommands {
        setup: Some(from("bundle install", MANIFEST)),
        build: None,
        lint: rubocop.map(|file| from("bundle exec rubocop", file)),
        types: files.first_of(&["sorbet/config"]).map(|file| from("bundle exec srb tc", file)),
        test: tests.as_ref().map(|(file, [all, _], _)| from(all, file)),
        fast: tests
            .as_ref()
            .filter(|(_, [all, fast], _)| all != fast)
            .map(|(file, [_, fast], _)| from(fast, file)),
        test_one: tests.map(|(file, _, one)| from(&one, file)),
    }
}
