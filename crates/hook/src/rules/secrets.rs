//! Files with secrets: environment files, private keys, credential stores, and the inside of `.git`.

use std::path::{Component, Path};

/// Kind of a secret at a path, for messages.
pub(super) fn secret(path: &Path, home: Option<&Path>) -> Option<&'static str> {
    let parts: Vec<String> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            _ => None,
        })
        .collect();
    let (file, folders) = parts.split_last()?;
    if folders.iter().any(|folder| folder == ".git") {
        return Some("inside .git");
    }
    if is_environment_file(file) {
        return Some("an environment file");
    }
    if is_private_key(file) {
        return Some("a private key");
    }
    let is_at_home = home.is_some_and(|home| path.parent() == Some(home));
    is_credential_store(file, folders, is_at_home).then_some("a credential store")
}

/// Endings of files that show the form of an environment file without its secrets.
const EXAMPLES: [&str; 7] = ["example", "sample", "template", "dist", "defaults", "tmpl", "tpl"];

fn is_environment_file(file: &str) -> bool {
    let is_example = || file.split(['.', '-', '_']).any(|part| EXAMPLES.contains(&part));
    let is_named = file == ".env" || file == ".envrc" || file.starts_with(".env.") || file.ends_with(".env");
    is_named && !is_example()
}

fn is_private_key(file: &str) -> bool {
    const ENDINGS: [&str; 7] = [".key", ".p12", ".pfx", ".ppk", ".kdbx", ".jks", ".keystore"];
    const PUBLIC: [&str; 6] = ["cert", "ca", "chain", "pub", "public", "bundle"];
    let is_ssh_key = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].iter().any(|name| {
        file.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || (rest.starts_with('_') && !rest.ends_with(".pub")))
    });
    let is_pem = file.strip_suffix(".pem").is_some_and(|stem| {
        !stem.split(['.', '-', '_']).any(|part| PUBLIC.iter().any(|word| part.starts_with(word)))
    });
    is_ssh_key || is_pem || ENDINGS.iter().any(|ending| file.ends_with(ending))
}

fn is_credential_store(file: &str, folders: &[String], is_at_home: bool) -> bool {
    const FILES: [&str; 14] = [
        ".netrc",
        "_netrc",
        ".git-credentials",
        ".pgpass",
        ".htpasswd",
        ".vault-token",
        ".dockercfg",
        ".my.cnf",
        "credentials.json",
        "secrets.json",
        "secrets.yml",
        "secrets.yaml",
        "secrets.toml",
        ".credentials.json",
    ];
    const AT_HOME: [&str; 3] = [".npmrc", ".pypirc", ".yarnrc"];
    let folder = folders.last().map_or("", String::as_str);
    let is_below = |name: &str| folders.iter().any(|part| part == name);
    let is_public_ssh =
        file.ends_with(".pub") || matches!(file, "known_hosts" | "config" | "authorized_keys");
    FILES.contains(&file)
        || (is_at_home && AT_HOME.contains(&file))
        || (file == "credentials" && matches!(folder, ".aws" | "aws"))
        || (file == "config" && folder == ".kube")
        || (file == "config.json" && folder == ".docker")
        || (file == "hosts.yml" && folder == "gh")
        || (file == "auth.json" && folder == ".codex")
        || (is_below("gcloud") && file.contains("credential"))
        || is_below(".gnupg")
        || (is_below(".ssh") && !is_public_ssh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_their_examples() {
        let home = Path::new("/home/ada");
        for path in [
            "/r/.env",
            "/r/.env.prod.local",
            "/r/prod.env",
            "/r/.envrc",
            "/r/.env.test",
            "/r/x/.ENV",
            "/r/.git/config",
            "/r/.git/hooks/pre-commit",
            "/home/ada/.ssh/id_ed25519",
            "/home/ada/.ssh/work",
            "/r/server.key",
            "/r/private-key.pem",
            "/home/ada/.aws/credentials",
            "/r/aws/credentials",
            "/home/ada/.npmrc",
            "/home/ada/.netrc",
            "/r/.git-credentials",
            "/home/ada/.kube/config",
            "/home/ada/.claude/.credentials.json",
        ] {
            assert!(secret(Path::new(path), Some(home)).is_some(), "{path}");
        }
        for path in [
            "/r/.env.example",
            "/r/.env.sample",
            "/r/example.env",
            "/r/.environment",
            "/r/src/env.rs",
            "/r/.gitignore",
            "/r/.github/workflows/ci.yml",
            "/home/ada/.ssh/id_ed25519.pub",
            "/home/ada/.ssh/config",
            "/r/cert.pem",
            "/r/ca-bundle.pem",
            "/r/keyboard.rs",
            "/r/.npmrc",
            "/r/docs/credentials.md",
            "/r/.git",
            "/r/monkey.txt",
        ] {
            assert!(secret(Path::new(path), Some(home)).is_none(), "{path}");
        }
    }
}
