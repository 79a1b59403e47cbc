//! Form of a path: whether a word can only be a file of the repository, may be one, or is something else, such
//! as a host with a port, a module path or a version.

/// Kind of a word, by its form alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathForm {
    /// A file of the repository: if there is none, the citation is wrong.
    File,
    /// A file only if it exists; otherwise another word.
    Perhaps,
    /// A file outside the repository: absolute, above the root, in a home folder, or in a module of another project.
    Outside,
}

/// Form of a path that is cited with a line number.
pub(super) fn form_with_line(path: &str) -> PathForm {
    if leads_outside(path) {
        return PathForm::Outside;
    }
    let (folder, file) = split(path);
    if is_template(path) || is_product(path) || (folder.is_none() && path.contains('@')) {
        return PathForm::Perhaps;
    }
    let is_file = match (folder, extension(file)) {
        _ if is_dot_file(file) || PLAIN_NAMES.contains(&file) => true,
        (Some(_), Some(_)) => true,
        (None, Some(extension)) => is_known(extension),
        (_, None) => false,
    };
    if is_file { PathForm::File } else { PathForm::Perhaps }
}

/// Form of a path that is named without a line number.
pub(super) fn form_without_line(path: &str) -> PathForm {
    if leads_outside(path) {
        return PathForm::Outside;
    }
    let (folder, file) = split(path);
    let is_file = folder.is_some()
        && extension(file).is_some_and(is_known)
        && !is_template(path)
        && !GENERATED.contains(&first_folder(path));
    if is_file { PathForm::File } else { PathForm::Perhaps }
}

/// The first component of a path.
pub(super) fn first_folder(path: &str) -> &str {
    path.split('/').next().unwrap_or(path)
}

/// True if a path is absolute, climbs, starts at a home folder or a variable, or names a module by its host.
fn leads_outside(path: &str) -> bool {
    let first = first_folder(path);
    let is_host = first == "localhost"
        || (!first.starts_with('.')
            && first.contains('.')
            && first.len() < path.len()
            && !first.contains('…'))
        || path.split("@v").skip(1).any(|version| version.starts_with(|c: char| c.is_ascii_digit()));
    path.starts_with(['/', '~', '$']) || path.split('/').any(|part| part == "..") || is_host
}

fn split(path: &str) -> (Option<&str>, &str) {
    path.rsplit_once('/').map_or((None, path), |(folder, file)| (Some(folder), file))
}

/// The extension of a file name; it begins with a letter.
fn extension(file: &str) -> Option<&str> {
    let (stem, extension) = file.rsplit_once('.')?;
    let plain = extension.len() <= 16 && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    (!stem.is_empty() && plain && extension.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        .then_some(extension)
}

fn is_known(extension: &str) -> bool {
    let extension = extension.to_ascii_lowercase();
    EXTENSIONS.split_ascii_whitespace().any(|known| known == extension)
}

/// True for names like `.gitignore`.
fn is_dot_file(file: &str) -> bool {
    file.strip_prefix('.').is_some_and(|name| name.len() > 2 && name.starts_with(|c: char| c.is_alphabetic()))
}

/// True for a placeholder such as `path/to/file.rs` or `.../file.rs`.
fn is_template(path: &str) -> bool {
    path.starts_with("path/to/") || path.contains("...") || path.contains('…')
}

/// True for a product that is spelled like a file.
fn is_product(path: &str) -> bool {
    const PRODUCTS: [&str; 16] = [
        "node.js",
        "next.js",
        "vue.js",
        "nuxt.js",
        "react.js",
        "express.js",
        "three.js",
        "d3.js",
        "chart.js",
        "ember.js",
        "alpine.js",
        "angular.js",
        "backbone.js",
        "discord.js",
        "moment.js",
        "electron.js",
    ];
    PRODUCTS.iter().any(|product| product.eq_ignore_ascii_case(path))
}

/// Well-known files without an extension.
const PLAIN_NAMES: [&str; 16] = [
    "Makefile",
    "GNUmakefile",
    "Dockerfile",
    "Containerfile",
    "Justfile",
    "justfile",
    "Rakefile",
    "Gemfile",
    "Procfile",
    "Vagrantfile",
    "Jenkinsfile",
    "LICENSE",
    "COPYING",
    "NOTICE",
    "README",
    "CODEOWNERS",
];

/// Folders of generated files, which come and go.
const GENERATED: [&str; 12] = [
    "target",
    "dist",
    "build",
    "out",
    "node_modules",
    "vendor",
    "tmp",
    "coverage",
    "_build",
    "deps",
    "bin",
    "obj",
];

/// Extensions that make a word a file name.
const EXTENSIONS: &str = "\
    adb adoc ads asciidoc asm astro avsc awk bash bat bats bazel bib bicep bzl c capnp cc cfg cjs clj cljc cljs cmake cmd \
    conf cpp cr cs cshtml csproj css csv cu cue cxx dart dhall dockerfile edn eex ejs el elm erb erl ex exs f90 fbs \
    fish frag fs fsproj fsx gd gemspec gleam glsl go gotmpl gql gradle graphql groovy h haml hbs hcl heex hh hlsl \
    hpp hrl hs htm html hx hxx idl ini ipynb j2 java jinja jinja2 jl js json json5 jsonc jsonl jsx just kt kts latex leex \
    less lhs liquid lisp lock lua m m4 md mdx metal mjs mk ml mli mm mod mts mustache ndjson nim ninja nix njk odin opam \
    pas patch php phtml pl plist pm podspec pp prisma properties proto ps1 psm1 pug purs py pyi pyx r rake razor rb rego \
    resx rkt rs rst ru sass sbt scala scm scss sh slim sln sol sql star styl sum sv svelte svg swift tcl \
    templ tex textile tf tfvars thrift tmpl toml tpl ts tsv tsx twig txt vala vb vert vhd vhdl vue wgsl wit \
    xaml xhtml xml xsd xsl yaml yml zig zsh";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_line_is_told_from_other_words() {
        for (path, form) in [
            ("src/a.rs", PathForm::File),
            ("router.ex", PathForm::File),
            ("docs/config.rst", PathForm::File),
            ("infra/main.tf", PathForm::File),
            ("src/Main.hs", PathForm::File),
            ("a/b.unheardof", PathForm::File),
            ("Makefile", PathForm::File),
            ("docker/Dockerfile", PathForm::File),
            ("LICENSE", PathForm::File),
            (".gitignore", PathForm::File),
            (".github/workflows/ci.yml", PathForm::File),
            ("docs/größe.md", PathForm::File),
            ("src/bin", PathForm::Perhaps),
            ("port", PathForm::Perhaps),
            ("localhost", PathForm::Outside),
            ("example.com", PathForm::Perhaps),
            ("db.internal", PathForm::Perhaps),
            ("config.port", PathForm::Perhaps),
            ("Node.js", PathForm::Perhaps),
            ("me@host.py", PathForm::Perhaps),
            ("path/to/file.rs", PathForm::Perhaps),
            (".../file.rs", PathForm::Perhaps),
            ("library/postgres", PathForm::Perhaps),
            ("/etc/passwd", PathForm::Outside),
            ("~/.ssh/config", PathForm::Outside),
            ("$GOPATH/src/x.go", PathForm::Outside),
            ("../x.rs", PathForm::Outside),
            ("a/../../x.rs", PathForm::Outside),
            ("github.com/a/b/c.go", PathForm::Outside),
            ("quic-go@v0.40.0/server.go", PathForm::Outside),
        ] {
            assert_eq!(form_with_line(path), form, "{path}");
        }
    }

    #[test]
    fn a_path_alone_needs_a_folder_and_a_known_extension() {
        for (path, form) in [
            ("src/a.rs", PathForm::File),
            ("lib/app/router.ex", PathForm::File),
            ("README.md", PathForm::Perhaps),
            ("and/or", PathForm::Perhaps),
            ("application/vnd.api", PathForm::Perhaps),
            ("dist/app.js", PathForm::Perhaps),
            ("gopkg.in/yaml.v3", PathForm::Outside),
            ("/api/users.json", PathForm::Outside),
        ] {
            assert_eq!(form_without_line(path), form, "{path}");
        }
    }
}
