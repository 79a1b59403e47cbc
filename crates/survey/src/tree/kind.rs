//! File kinds and languages, by path.

/// Purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileKind {
    /// Code that ships.
    Source,
    /// Test code.
    Test,
    /// Prose.
    Doc,
    /// Settings, manifests, pipelines.
    Config,
    /// Other text: fixtures, snapshots, tables.
    Data,
}

impl FileKind {
    /// Name in `survey.json`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FileKind::Source => "source",
            FileKind::Test => "test",
            FileKind::Doc => "doc",
            FileKind::Config => "config",
            FileKind::Data => "data",
        }
    }
}

/// Kind of a path; none for files no person writes: media, archives, lock files, vendored code.
pub(crate) fn file_kind(path: &str) -> Option<FileKind> {
    let lower = path.to_ascii_lowercase();
    let name = file_name(&lower);
    let extension = extension(name);
    if is_vendored(&lower) || is_generated(name) || BINARY_EXTENSIONS.binary_search(&extension).is_ok() {
        return None;
    }
    let language = language(path);
    if language.is_none() && in_folder(&lower, &DATA_FOLDERS) {
        return Some(FileKind::Data);
    }
    Some(match language {
        Some(_) if in_folder(&lower, &TEST_FOLDERS) && is_test_data(&lower) => FileKind::Data,
        Some(language) if language.is_code() && is_test(&lower) => FileKind::Test,
        // Code, but a settings file.
        Some(_) if SETTINGS.contains(&lower.as_str()) => FileKind::Config,
        Some(language) if language.is_code() => FileKind::Source,
        Some(_) if in_folder(&lower, &DATA_FOLDERS) => FileKind::Data,
        Some(Language { prose: true, .. }) => FileKind::Doc,
        Some(_) => FileKind::Config,
        None if is_prose_name(name) => FileKind::Doc,
        None if name.starts_with('.') || !name.contains('.') => FileKind::Config,
        None => FileKind::Data,
    })
}

/// Settings files written in a programming language.
const SETTINGS: [&str; 4] = ["docs/conf.py", "doc/conf.py", "docs/source/conf.py", "noxfile.py"];

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Language {
    /// Display name.
    pub(crate) name: &'static str,
    prose: bool,
    settings: bool,
}

impl Language {
    /// True for programming languages, false for prose and settings.
    pub(crate) fn is_code(self) -> bool {
        !self.prose && !self.settings
    }
}

/// Language of a path.
pub(crate) fn language(path: &str) -> Option<Language> {
    let lower = file_name(path).to_ascii_lowercase();
    let name = match lower.as_str() {
        "makefile" | "gnumakefile" | "justfile" => "mk",
        "dockerfile" | "containerfile" => "dockerfile",
        "rakefile" | "gemfile" => "rb",
        _ => extension(&lower),
    };
    let row = LANGUAGES.iter().find(|(_, extensions)| extensions.contains(&name))?;
    let (name, _) = row;
    let prose = matches!(*name, "Markdown" | "reStructuredText" | "AsciiDoc");
    let settings = matches!(*name, "TOML" | "YAML" | "JSON" | "INI" | "XML" | "Nix");
    Some(Language { name, prose, settings })
}

/// Last segment of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// File name up to its first dot.
pub(crate) fn stem(path: &str) -> &str {
    let name = file_name(path);
    match name.find('.') {
        Some(0) | None => name,
        Some(dot) => &name[..dot],
    }
}

/// Folder of a path; empty at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// True for the lower-case path of a test, by its folder or by the naming conventions of its language.
fn is_test(path: &str) -> bool {
    let stem = stem(path);
    let name = file_name(path);
    in_folder(path, &TEST_FOLDERS)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || stem.ends_with("_spec")
        || matches!(stem, "test" | "tests" | "conftest")
        || name.contains(".test.")
        || name.contains(".spec.")
        || is_java_test(path)
}

/// True for `FooTest.java`. Only for languages with that convention: the path is in lower case.
fn is_java_test(path: &str) -> bool {
    let java = [".java", ".kt", ".scala", ".cs", ".swift"].iter().any(|extension| path.ends_with(extension));
    java && ["test", "tests", "spec", "it"].iter().any(|ending| stem(path).ends_with(ending))
}

/// True for the lower-case path of a file that tests read or run: neither a test nor a source.
pub(crate) fn is_test_data(path: &str) -> bool {
    in_folder(path, &DATA_FOLDERS) || in_folder(path, &["test_apps", "test_app", "testapp", "testapps"])
}

/// True for what records or prepares work instead of doing it: changelogs, specifications, templates.
pub(crate) fn is_record(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let code = language(path).is_some_and(Language::is_code);
    let changelog = ["changelog", "changes", "history", "news", "release-notes", "release_notes"]
        .iter()
        .any(|name| stem(&lower).starts_with(name));
    let specification = in_folder(&lower, &["specs", ".specs", ".charrette"]);
    let template = in_folder(&lower, &["templates", "template"]);
    !code && (changelog || specification || template)
}

/// True for a test by its path: not data, and not support that tests share.
pub(crate) fn can_hold_tests(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let support = ["support", "helpers", "helper", "common", "util", "utils", "mocks", "__mocks__", "stubs"];
    let by_name = match extension(file_name(&lower)) {
        "py" => {
            let stem = stem(&lower);
            stem.starts_with("test") || stem.ends_with("_test") || stem.ends_with("_tests")
        }
        "go" => lower.ends_with("_test.go"),
        "java" => is_java_test(&lower),
        _ => true,
    };
    by_name && is_test(&lower) && !is_test_data(&lower) && !in_folder(&lower, &support)
}

fn in_folder(path: &str, folders: &[&str]) -> bool {
    folder(path).split('/').any(|part| folders.contains(&part))
}

/// Vendored code.
fn is_vendored(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    path.contains('/') && matches!(first, "vendor" | "third_party" | "third-party")
        || in_folder(path, &["node_modules", "bower_components", ".yarn", ".git"])
}

/// Lock files, licences and generated files.
fn is_generated(name: &str) -> bool {
    const LOCKS: [&str; 13] = [
        "bun.lockb",
        "cargo.lock",
        "composer.lock",
        "flake.lock",
        "gemfile.lock",
        "go.sum",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "yarn.lock",
    ];
    const ENDINGS: [&str; 9] =
        [".min.js", ".min.css", ".map", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".pb.cc", ".pb.h", ".lock"];
    let legal =
        ["license", "licence", "copying", "notice", "unlicense"].iter().any(|word| name.starts_with(word));
    let legal = legal && !name.ends_with(".rs") && !name.ends_with(".py") && !name.ends_with(".go");
    legal || LOCKS.contains(&name) || ENDINGS.iter().any(|ending| name.ends_with(ending)) || name == "uv.lock"
}

fn is_prose_name(name: &str) -> bool {
    ["readme", "changelog", "changes", "history", "news", "authors", "contributing"]
        .iter()
        .any(|prose| name.starts_with(prose))
        || name.ends_with(".txt")
        || name.ends_with(".text")
}

const TEST_FOLDERS: [&str; 8] =
    ["test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "integration-tests"];

const DATA_FOLDERS: [&str; 9] = [
    "fixtures",
    "fixture",
    "testdata",
    "test-data",
    "test_data",
    "__snapshots__",
    "snapshots",
    "goldens",
    "golden",
];

/// Languages by extension, the most common first.
const LANGUAGES: [(&str, &[&str]); 42] = [
    ("Rust", &["rs"]),
    ("Python", &["py", "pyi", "pyx"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("Go", &["go"]),
    ("Java", &["java"]),
    ("Markdown", &["md", "mdx", "markdown"]),
    ("TOML", &["toml"]),
    ("YAML", &["yml", "yaml"]),
    ("JSON", &["json", "jsonc", "json5", "jsonl"]),
    ("Shell", &["sh", "bash", "zsh", "fish", "ksh"]),
    ("C", &["c", "h"]),
    ("C++", &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl"]),
    ("C#", &["cs"]),
    ("Kotlin", &["kt", "kts"]),
    ("Ruby", &["rb", "rake", "gemspec"]),
    ("PHP", &["php"]),
    ("Swift", &["swift"]),
    ("Scala", &["scala", "sbt"]),
    ("Objective-C", &["m", "mm"]),
    ("Lua", &["lua"]),
    ("Perl", &["pl", "pm"]),
    ("R", &["r"]),
    ("Haskell", &["hs"]),
    ("OCaml", &["ml", "mli"]),
    ("Elixir", &["ex", "exs"]),
    ("Erlang", &["erl", "hrl"]),
    ("Clojure", &["clj", "cljs", "cljc"]),
    ("Dart", &["dart"]),
    ("Zig", &["zig"]),
    ("Vue", &["vue", "svelte"]),
    ("HTML", &["html", "htm", "jinja", "hbs", "tera", "j2"]),
    ("CSS", &["css", "scss", "sass", "less"]),
    ("SQL", &["sql"]),
    ("Protocol Buffers", &["proto", "graphql", "thrift"]),
    ("reStructuredText", &["rst"]),
    ("AsciiDoc", &["adoc", "asciidoc"]),
    ("Make", &["mk", "cmake", "bzl", "gradle"]),
    ("Dockerfile", &["dockerfile"]),
    ("PowerShell", &["ps1", "bat", "cmd"]),
    ("INI", &["ini", "cfg", "conf", "properties", "env"]),
    ("XML", &["xml", "xsd", "plist"]),
];

/// Extensions of binary files, sorted.
const BINARY_EXTENSIONS: [&str; 63] = [
    "7z", "a", "avi", "bin", "bmp", "bz2", "class", "crate", "dat", "db", "der", "dll", "dmg", "doc", "docx",
    "dylib", "eot", "exe", "gif", "gz", "icns", "ico", "jar", "jpeg", "jpg", "lib", "lz4", "mo", "mov",
    "mp3", "mp4", "o", "obj", "ogg", "otf", "parquet", "pdf", "pem", "png", "ppt", "pptx", "psd", "pyc",
    "rlib", "so", "sqlite", "svg", "tar", "tgz", "tif", "tiff", "ttf", "wasm", "wav", "webm", "webp", "whl",
    "woff", "woff2", "xls", "xlsx", "xz", "zip",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_file_is() {
        for (path, expected) in [
            ("src/lib.rs", Some(FileKind::Source)),
            ("crates/core/flags/defs.rs", Some(FileKind::Source)),
            ("tests/feature.rs", Some(FileKind::Test)),
            ("src/walk_test.go", Some(FileKind::Test)),
            ("app/test_views.py", Some(FileKind::Test)),
            ("src/App.test.tsx", Some(FileKind::Test)),
            ("src/test/java/org/FooTest.java", Some(FileKind::Test)),
            ("org/FooTest.java", Some(FileKind::Test)),
            ("src/latest.rs", Some(FileKind::Source)),
            ("src/contest.py", Some(FileKind::Source)),
            ("README.md", Some(FileKind::Doc)),
            ("CHANGELOG", Some(FileKind::Doc)),
            ("docs/guide.rst", Some(FileKind::Doc)),
            ("Cargo.toml", Some(FileKind::Config)),
            (".github/workflows/ci.yml", Some(FileKind::Config)),
            (".gitignore", Some(FileKind::Config)),
            ("docs/conf.py", Some(FileKind::Config)),
            ("Makefile", Some(FileKind::Source)),
            ("tests/test_apps/cliapp/app.py", Some(FileKind::Data)),
            ("tests/fixtures/app.js", Some(FileKind::Data)),
            ("src/fixtures/app.js", Some(FileKind::Source)),
            ("tests/fixtures/a.json", Some(FileKind::Data)),
            ("tests/snapshots/a.snap", Some(FileKind::Data)),
            ("table.csv", Some(FileKind::Data)),
            ("Cargo.lock", None),
            ("package-lock.json", None),
            ("logo.png", None),
            ("vendor/x/a.go", None),
            ("web/node_modules/a/index.js", None),
            ("app.min.js", None),
            ("api/user.pb.go", None),
        ] {
            assert_eq!(file_kind(path), expected, "{path}");
        }
        assert!(BINARY_EXTENSIONS.is_sorted());
    }

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!((stem("a/b.test.ts"), folder("a/b.test.ts"), file_name("a/b.ts")), ("b", "a", "b.ts"));
        assert_eq!((stem(".gitignore"), folder("x"), stem("")), (".gitignore", "", ""));
        assert_eq!(language("a/Makefile").map(|l| l.name), Some("Make"));
        assert_eq!(language("x.unknown"), None);
    }
}
