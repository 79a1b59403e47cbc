//! Lock files made of `[[package]]` tables: Cargo, Poetry, uv.

/// A package of a lock file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LockedPackage<'a> {
    pub(super) name: &'a str,
    pub(super) version: &'a str,
    /// Registry or repository; empty for a package of the repository itself in Cargo's format.
    pub(super) source: &'a str,
    /// `name`, or `name version` where the name alone is ambiguous (Cargo only).
    pub(super) dependencies: Vec<&'a str>,
}

/// Packages of a lock file, in its order.
pub(super) fn packages(text: &str) -> Vec<LockedPackage<'_>> {
    let mut packages: Vec<LockedPackage<'_>> = Vec::new();
    // In the fields of a package, and in its list of dependencies.
    let (mut inside, mut listing) = (false, false);
    for line in text.lines() {
        let line = line.trim();
        if listing {
            listing = !line.starts_with(']');
            if let (Some(package), Some(item)) = (packages.last_mut(), quoted(line)) {
                package.dependencies.push(item);
            }
            continue;
        }
        if line.starts_with('[') {
            inside = line == "[[package]]";
            if inside {
                packages.push(LockedPackage::default());
            }
            continue;
        }
        let Some((key, value)) = line.split_once(" = ").filter(|_| inside) else { continue };
        let Some(package) = packages.last_mut() else { continue };
        match key {
            "name" => package.name = quoted(value).unwrap_or_default(),
            "version" => package.version = quoted(value).unwrap_or_default(),
            "source" => package.source = quoted(value).unwrap_or(value),
            "dependencies" => listing = value == "[",
            _ => {}
        }
    }
    packages.retain(|package| !package.name.is_empty() && !package.version.is_empty());
    packages
}

/// The first quoted text of a line that begins with a quote.
fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read() {
        let text = "# x\nversion = 4\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\ndependencies = [\n \"log\",\n \"rand 0.8.5\",\n]\n\n[[package]]\nname = \"log\"\nversion = \"0.4.1\"\nsource = \"registry+https://x\"\n\n[package.extras]\nname = \"no\"\n\n[metadata]\nname = \"no\"\n[[package]]\nname = \"broken\"\n";
        let found = packages(text);
        assert_eq!(
            found,
            [
                LockedPackage {
                    name: "own",
                    version: "0.1.0",
                    source: "",
                    dependencies: vec!["log", "rand 0.8.5"]
                },
                LockedPackage {
                    name: "log",
                    version: "0.4.1",
                    source: "registry+https://x",
                    dependencies: vec![]
                },
            ]
        );
        assert_eq!(packages("dependencies = [\n \"a\",\n"), []);
    }
}
