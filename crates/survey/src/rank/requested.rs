//! Definitions of the names that a request spells out: a member by its type, a command by the line that registers it.

use super::evidence::Evidence;
use super::text;
use super::weights::Weights;
use crate::outline::{Definition, outline};
use crate::parallel::parallel_map;
use crate::tree::content;
use crate::tree::kind::{FileKind, stem};
use crate::words::split::{parts, term_of};
use crate::words::symbols::RequestedSymbol;
use std::path::Path;

/// A definition that the request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestedDefinition {
    /// Position of the file.
    pub(crate) file: usize,
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    /// First and last line.
    pub(crate) line: usize,
    pub(crate) last: usize,
    /// Number of definitions of the same name: with more, each says less.
    pub(crate) rivals: usize,
    /// True if the title of the request has the name.
    pub(crate) title: bool,
}

/// Maximum number of files parsed for a name.
const MAX_FILES: usize = 24;
/// A name that more files define says nothing.
const MAX_RIVALS: usize = 4;

/// Finds the definitions of the names in the request, in its order.
pub(crate) fn find_requested(root: &Path, evidence: &Evidence) -> Vec<RequestedDefinition> {
    if evidence.query.symbols.is_empty() {
        return Vec::new();
    }
    let scores = text::bm25_scores(evidence, &Weights::default());
    let mut all = Vec::new();
    for symbol in &evidence.query.symbols {
        let files = candidates(evidence, symbol, &scores);
        let found = parallel_map(&files, 2, || {
            |file: &usize| {
                let path = &evidence.files[*file].path;
                let text = content::read_text(root, path).filter(|text| text.contains(&symbol.name));
                text.map(|text| definitions(path, &text, symbol)).unwrap_or_default()
            }
        });
        let mut found: Vec<(usize, Match)> = files
            .iter()
            .zip(found)
            .flat_map(|(file, found)| found.into_iter().map(|found| (*file, found)))
            .collect();
        // A member of the named type outranks others of its name.
        let best = found.iter().map(|(_, found)| found.rank).max().unwrap_or(0);
        found.retain(|(_, found)| found.rank == best);
        if found.len() <= MAX_RIVALS {
            let rivals = found.len();
            all.extend(found.into_iter().map(|(file, found)| RequestedDefinition {
                file,
                name: symbol.name.clone(),
                kind: found.kind,
                line: found.line,
                last: found.last,
                rivals,
                title: symbol.title,
            }));
        }
    }
    all
}

struct Match {
    kind: &'static str,
    line: usize,
    last: usize,
    /// The more, the better it fits.
    rank: usize,
}

/// Sources that have all words of the name; those that may define it first.
fn candidates(evidence: &Evidence, symbol: &RequestedSymbol, scores: &[f64]) -> Vec<usize> {
    let mut wanted: Vec<usize> = Vec::new();
    for part in parts(symbol.name.as_bytes()) {
        let term = term_of(&String::from_utf8_lossy(part).to_lowercase());
        wanted.extend(evidence.query.terms.iter().position(|known| known.term == term));
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<(bool, usize)> = Vec::new();
    for hits in evidence.hits.chunk_by(|a, b| a.file == b.file) {
        let file = hits[0].file;
        let has = |term: &usize| hits.iter().any(|hit| hit.term == *term && hit.count.body > 0);
        if evidence.files[file].kind == FileKind::Source && wanted.iter().all(has) {
            let defines = hits.iter().any(|hit| wanted.contains(&hit.term) && hit.count.defs > 0);
            found.push((defines, file));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(scores[b.1].total_cmp(&scores[a.1])).then(a.1.cmp(&b.1)));
    found.truncate(MAX_FILES);
    found.into_iter().map(|(_, file)| file).collect()
}

/// Definitions of a name in a text.
fn definitions(path: &str, text: &str, symbol: &RequestedSymbol) -> Vec<Match> {
    let mut found: Vec<Match> = Vec::new();
    if !symbol.command {
        let named = outline(path, text).into_iter().filter(|definition| definition.name == symbol.name);
        found.extend(named.filter_map(|definition| {
            let rank = fit(path, &definition, symbol)?;
            Some(Match { kind: definition.kind, line: definition.line, last: definition.last, rank })
        }));
    }
    if symbol.owner.is_none() && found.is_empty() {
        let lines = text.lines().enumerate();
        let registers = lines.filter(|(_, line)| is_registration(line, &symbol.name));
        found.extend(registers.map(|(n, _)| Match { kind: "command", line: n + 1, last: n + 1, rank: 1 }));
    }
    found
}

/// Degree to which a definition fits; none if the name belongs to something else.
fn fit(path: &str, definition: &Definition, symbol: &RequestedSymbol) -> Option<usize> {
    match (&symbol.owner, &definition.owner) {
        (Some(wanted), Some(owner)) if wanted == owner => Some(4),
        // `module.function`
        (Some(wanted), None) => wanted.eq_ignore_ascii_case(stem(path)).then_some(3),
        (Some(_), Some(_)) => None,
        (None, None) => Some(3),
        (None, Some(_)) => Some(2),
    }
}

/// True for a line that gives a command its name: `name: "reload"`, `command("routes")`.
fn is_registration(line: &str, name: &str) -> bool {
    let at = ['"', '\''].iter().find_map(|quote| line.find(&format!("{quote}{name}{quote}")));
    let Some(at) = at else { return false };
    let before = line[..at].trim_end();
    ["name:", "name =", "name=", "command(", "Command::new(", "add_parser(", "add_command(", "subcommand("]
        .iter()
        .any(|registers| before.ends_with(registers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::symbols::requested_symbols;

    fn lines(path: &str, text: &str, request: &str) -> Vec<(usize, usize)> {
        let symbol = requested_symbols(request, request.len()).remove(0);
        definitions(path, text, &symbol).into_iter().map(|found| (found.line, found.rank)).collect()
    }

    #[test]
    fn a_member_is_found_by_its_type() {
        let go = "package gin\n\nfunc (c *Context) Run() {}\n\nfunc (e *Engine) Run(addr string) error {\n\treturn nil\n}\n";
        assert_eq!(lines("gin.go", go, "`Engine.Run`"), [(5, 4)]);
        let rust = "struct A;\nimpl A {\n    fn run() {}\n}\nimpl B {\n    fn run() {}\n}\n";
        assert_eq!(lines("a.rs", rust, "`B::run`"), [(6, 4)]);
        let python = "class A:\n    def run(self):\n        pass\n\ndef run():\n    pass\n";
        assert_eq!(lines("x.py", python, "`A.run`"), [(2, 4)]);
        assert_eq!(lines("tool.py", python, "`tool.run`"), [(5, 3)]);
        assert_eq!(lines("x.py", python, "`B.run`"), []);
    }

    #[test]
    fn a_command_is_found_where_it_gets_its_name() {
        let rust = "const A: &[C] = &[C {\n    name: \"reload\",\n    doc: \"reload the file\",\n}];\nfn f() { g(\"reload\") }\n";
        assert_eq!(lines("typed.rs", rust, "`:reload`"), [(2, 1)]);
        assert_eq!(
            lines("cli.py", "@click.command(\"routes\", short_help=\"x\")\ndef f():\n    pass\n", "`routes`"),
            [(1, 1)]
        );
        assert_eq!(lines("cli.py", "x = [\"routes\"]\n", "`routes`"), []);
    }
}
