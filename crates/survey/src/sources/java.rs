//! Java: source archives of `pom.xml`'s dependencies in Maven's local repository.

use super::find::{Candidate, Lookup};
use super::imports::ImportName;
use super::roots::is_plain;
use std::collections::HashMap;
use std::path::PathBuf;

/// Declared artifacts; found if their source archive was downloaded.
pub(super) fn candidates(lookup: &Lookup<'_>) -> Vec<Candidate> {
    let poms = lookup.files("pom.xml");
    let mut properties: HashMap<&str, &str> = HashMap::new();
    let mut declared: Vec<Artifact<'_>> = Vec::new();
    for (_, text) in &poms {
        read_pom(text, &mut properties, &mut declared);
    }
    // A parent manages the versions of its modules.
    let managed: HashMap<(&str, &str), &str> = declared
        .iter()
        .filter_map(|artifact| Some(((artifact.group, artifact.name), artifact.version?)))
        .collect();
    let mut found: Vec<Candidate> = Vec::new();
    for artifact in &declared {
        if found.iter().any(|known| known.name == artifact.name) {
            continue;
        }
        let version = managed.get(&(artifact.group, artifact.name)).copied().unwrap_or_default();
        let property = version.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let version = property.map_or(version, |name| properties.get(name).copied().unwrap_or_default());
        found.push(Candidate {
            name: artifact.name.to_owned(),
            version: version.to_owned(),
            path: source_archive(lookup, artifact, version),
            imported_as: vec![ImportName::Package(artifact.group.to_owned())],
            standard: false,
        });
    }
    found
}

#[derive(Debug, Default, Clone, PartialEq)]
struct Artifact<'a> {
    group: &'a str,
    name: &'a str,
    version: Option<&'a str>,
}

/// Properties and dependencies of a `pom.xml`, one element on a line.
fn read_pom<'a>(text: &'a str, properties: &mut HashMap<&'a str, &'a str>, declared: &mut Vec<Artifact<'a>>) {
    let mut artifact: Option<Artifact<'a>> = None;
    let (mut in_properties, mut in_exclusions) = (false, false);
    for line in text.lines().map(str::trim) {
        match line {
            "<properties>" => in_properties = true,
            "</properties>" => in_properties = false,
            "<exclusions>" => in_exclusions = true,
            "</exclusions>" => in_exclusions = false,
            "<dependency>" => artifact = Some(Artifact::default()),
            "</dependency>" => {
                declared.extend(artifact.take().filter(|artifact| !artifact.name.is_empty()));
            }
            _ => {
                let Some((name, value)) = element(line) else { continue };
                match (&mut artifact, name) {
                    (Some(artifact), "groupId") if !in_exclusions => artifact.group = value,
                    (Some(artifact), "artifactId") if !in_exclusions => artifact.name = value,
                    (Some(artifact), "version") => artifact.version = Some(value),
                    (None, _) if in_properties => {
                        properties.insert(name, value);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Name and text of `<name>text</name>`.
fn element(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix('<')?.split_once('>')?;
    Some((name, rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?.trim()))
}

fn source_archive(lookup: &Lookup<'_>, artifact: &Artifact<'_>, version: &str) -> Option<PathBuf> {
    let Artifact { group, name, .. } = artifact;
    if ![name, version].iter().all(|part| is_plain(part)) || !group.split('.').all(is_plain) {
        return None;
    }
    let repository = lookup.roots.maven_repository.as_deref()?;
    let folder = repository.join(group.replace('.', "/")).join(name).join(version);
    Some(folder.join(format!("{name}-{version}-sources.jar"))).filter(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pom_declares_artifacts_and_properties() {
        let text = "<properties>\n<v.slf4j>2.0.1</v.slf4j>\n</properties>\n<artifactId>me</artifactId>\n<dependency>\n  <groupId>org.slf4j</groupId>\n  <artifactId>slf4j-api</artifactId>\n  <version>${v.slf4j}</version>\n <exclusions>\n<exclusion>\n<groupId>no</groupId>\n<artifactId>no</artifactId>\n</exclusion>\n</exclusions>\n</dependency>\n";
        let (mut properties, mut declared) = (HashMap::new(), Vec::new());
        read_pom(text, &mut properties, &mut declared);
        assert_eq!(properties.get("v.slf4j"), Some(&"2.0.1"));
        let expected = Artifact { group: "org.slf4j", name: "slf4j-api", version: Some("${v.slf4j}") };
        assert_eq!(declared, [expected]);
    }
}
