//! Conventions of Maven and Gradle.

use super::proposal::{ProposedCommands, RepositoryFiles, TEST, from};

pub(super) const MANIFESTS: [&str; 5] =
    ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

pub(super) fn propose(files: &RepositoryFiles) -> ProposedCommands {
    let Some(manifest) = files.first_of(&MANIFESTS) else { return ProposedCommands::default() };
    let run = |command: String| Some(from(&command, manifest));
    if manifest == "pom.xml" {
        let maven = if files.has("mvnw") { "./mvnw" } else { "mvn" };
        let text = files.text(manifest);
        let checks =
            [("maven-checkstyle-plugin", "checkstyle:check"), ("spotless-maven-plugin", "spotless:check")];
        let check = checks.into_iter().find(|(plugin, _)| text.contains(plugin));
        return ProposedCommands {
            setup: None,
            build: run(format!("{maven} -B -DskipTests package")),
            lint: check.and_then(|(_, goal)| run(format!("{maven} -B {goal}"))),
            types: None,
            test: run(format!("{maven} -B test")),
            fast: None,
            test_one: run(format!("{maven} -B test -Dtest={TEST}")),
        };
    }
    let gradle = if files.has("gradlew") { "./gradlew" } else { "gradle" };
    let builds = ["build.gradle", "build.gradle.kts"];
    let check = [("spotless", "spotlessCheck"), ("ktlint", "ktlintCheck"), ("checkstyle", "checkstyleMain")]
        .into_iter()
        .find_map(|(plugin, task)| Some(from(&format!("{gradle} {task}"), files.mentions(&builds, plugin)?)));
    ProposedCommands {
        setup: None,
        build: run(format!("{gradle} assemble")),
        lint: check,
        types: None,
        test: run(format!("{gradle} test")),
        fast: None,
        test_one: run(format!("{gradle} test --tests {TEST}")),
    }
}
