//! Comparison of test names: the one of a proof, and the one that a runner prints.

/// Endings of file names that are no part of a test's name.
const ENDINGS: [&str; 17] = [
    "py", "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "rb", "php", "rs", "go", "java", "kt",
    "test", "spec",
];

/// True if a runner's name for a test means the test that a proof names. Either of them may be longer at the front:
/// a module, a file, a suite.
pub fn is_same_test(wanted: &str, found: &str) -> bool {
    let (wanted, found) = (parts(wanted), parts(found));
    if wanted.is_empty() || found.is_empty() {
        return false;
    }
    let matches = |wanted: &[String], found: &[String]| {
        let is_end = |long: &[String], short: &[String]| {
            let short = short.join(" ");
            (0..long.len()).any(|from| long[from..].join(" ") == short)
        };
        is_end(found, wanted) || is_end(wanted, found)
    };
    matches(&wanted, &found)
        || without_parameters(&wanted, &found).is_some_and(|found| matches(&wanted, &found))
}

/// The found name without parameters in brackets, if the wanted one has none.
fn without_parameters(wanted: &[String], found: &[String]) -> Option<Vec<String>> {
    let (last, before) = found.split_last()?;
    let open = last.find('[').filter(|at| *at > 0 && last.ends_with(']'))?;
    let is_plain = wanted.last().is_some_and(|name| !name.contains('['));
    is_plain.then(|| before.iter().cloned().chain([last[..open].to_owned()]).collect())
}

/// Parts of a name: modules, files, suites, and the test itself.
fn parts(name: &str) -> Vec<String> {
    let name = name.trim();
    // Parameters may hold any separator.
    let (name, parameters) = match name.find('[').filter(|at| *at > 0 && name.ends_with(']')) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let mut text = name.to_owned();
    for separator in ["::", " > ", " › ", " » ", "#", " / ", " ▸ "] {
        text = text.replace(separator, "\u{1}");
    }
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split('\u{1}') {
        let piece = piece.trim();
        if piece.contains(char::is_whitespace) {
            parts.push(piece.to_owned());
        } else {
            parts.extend(piece.split(['.', '/', '\\']).filter(|part| !part.is_empty()).map(str::to_owned));
        }
    }
    let last = parts.len().saturating_sub(1);
    let mut at = 0;
    parts.retain(|part| {
        at += 1;
        at - 1 == last || !ENDINGS.contains(&part.as_str())
    });
    if let Some(part) = parts.last_mut() {
        *part = part.strip_suffix("()").unwrap_or(part).to_owned() + parameters;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_from_the_end() {
        for (wanted, found) in [
            ("limit::tests::burst", "limit::tests::burst"),
            ("burst", "limit::tests::burst"),
            ("limit::tests::burst", "tests::burst"),
            ("tests/test_a.py::T::test_b", "tests/test_a.py::T::test_b"),
            ("tests/test_a.py::test_b", "tests/test_a.py::test_b[1-2]"),
            ("tests/test_a.py::T::test_b", "test_a.T.test_b"),
            ("test_b[a/b]", "tests/test_a.py::test_b[a/b]"),
            ("TestA/sub", "TestA/sub"),
            ("Limit adds two", "Limit > adds two"),
            ("adds two", "src/a.test.ts > Limit > adds two"),
            ("Limit > adds two", "Limit adds two"),
            ("LimitTest#adds", "com.x.LimitTest.adds"),
            ("LimitTest.adds", "LimitTest > adds()"),
            ("src/a.test.ts > Limit > adds", "src/a.test.ts > Limit > adds"),
        ] {
            assert!(is_same_test(wanted, found), "{wanted} | {found}");
        }
        for (wanted, found) in [
            ("a::works", "b::works"),
            ("burst", "limit::tests::burst_again"),
            ("burst", "first_burst"),
            ("adds", "never adds"),
            ("adds two", "two"),
            ("test_b[1]", "tests/test_a.py::test_b[2]"),
            ("TestA/sub", "TestA/other"),
            ("", "x"),
            ("x", ""),
        ] {
            assert!(!is_same_test(wanted, found), "{wanted} | {found}");
        }
    }
}
