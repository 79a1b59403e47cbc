//! Names of code in a request: `Engine.Run`, `app.route()`, `RateLimiter`, `:reload`.

/// A name that a request gives to something in the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestedSymbol {
    /// Last name: `Run` of `Engine.Run`.
    pub(crate) name: String,
    /// Name before it: `Engine` of `Engine.Run`.
    pub(crate) owner: Option<String>,
    /// True for a command such as `:reload`, which has no definition of that name but stands in a string.
    pub(crate) command: bool,
    /// True if the title has it.
    pub(crate) title: bool,
}

/// Maximum number of names.
const MAX_SYMBOLS: usize = 8;

/// Names in a request, each once; `title_end` is the end of its title.
pub(crate) fn requested_symbols(request: &str, title_end: usize) -> Vec<RequestedSymbol> {
    let mut all: Vec<RequestedSymbol> = Vec::new();
    let mut add = |text: &str, quoted: bool, at: usize| {
        let Some(mut symbol) = symbol(text, quoted) else { return };
        symbol.title = at < title_end;
        let known = all.iter().any(|known| known.name == symbol.name && known.owner == symbol.owner);
        if !known && all.len() < MAX_SYMBOLS {
            all.push(symbol);
        }
    };
    for quote in ['`', '"', '\''] {
        let mut rest = 0;
        while let Some((start, end)) = quoted_span(request, rest, quote) {
            add(&request[start..end], true, start);
            rest = end + 1;
        }
    }
    let mut at = 0;
    for word in request.split_inclusive(char::is_whitespace) {
        let edges = |c: char| {
            matches!(c, ',' | '.' | ';' | '!' | '?' | '(' | ')' | '[' | ']' | '`' | '"' | '\'' | '*')
        };
        let called = word.trim_end().trim_end_matches([',', '.', ';', '!', '?']).ends_with("()");
        add(word.trim().trim_matches(edges).trim_end_matches(':'), called, at);
        at += word.len();
    }
    all
}

/// Next text between two quotes on one line, without blanks inside.
fn quoted_span(text: &str, from: usize, quote: char) -> Option<(usize, usize)> {
    let mut from = from;
    loop {
        let start = from + text.get(from..)?.find(quote)? + 1;
        let end = start + text.get(start..)?.find([quote, '\n', ' ']).filter(|end| *end > 0)?;
        if text[end..].starts_with(quote) {
            return Some((start, end));
        }
        from = start;
    }
}

/// A name: quoted ones of any form; others only if their form is that of code.
fn symbol(text: &str, quoted: bool) -> Option<RequestedSymbol> {
    if let Some(command) = text.strip_prefix(':').filter(|name| !name.starts_with(':')) {
        let fits = command.len() > 1
            && command.starts_with(|c: char| c.is_ascii_lowercase())
            && command.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        return fits.then(|| named(command, None, true));
    }
    let text = text.trim_end_matches("()").trim_start_matches('@');
    let text = text.replace("::", ".").replace('#', ".");
    let mut parts = text.rsplit('.');
    let name = parts.next().filter(|name| name.len() > 2 && is_identifier(name))?;
    let owner = parts.next();
    if owner.is_some_and(|owner| !is_identifier(owner)) {
        return None;
    }
    let camel =
        |name: &str| name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let of_code =
        name.contains('_') || camel(name) || owner.is_some_and(|owner| owner.starts_with(char::is_uppercase));
    (quoted || of_code).then(|| named(name, owner, false))
}

fn named(name: &str, owner: Option<&str>, command: bool) -> RequestedSymbol {
    RequestedSymbol { name: name.to_owned(), owner: owner.map(str::to_owned), command, title: false }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(request: &str) -> Vec<String> {
        let show = |symbol: RequestedSymbol| {
            let owner = symbol.owner.map(|owner| format!("{owner}.")).unwrap_or_default();
            let command = if symbol.command { ":" } else { "" };
            format!("{command}{owner}{}", symbol.name)
        };
        requested_symbols(request, request.len()).into_iter().map(show).collect()
    }

    #[test]
    fn names_of_code_are_seen() {
        for (request, expected) in [
            ("let `Engine.Run` take a context", vec!["Engine.Run"]),
            ("Engine::run must stop", vec!["Engine.run"]),
            ("make :reload keep the cursor", vec![":reload"]),
            ("the `routes` command, and `:w`", vec!["routes"]),
            ("call serve_forever() in RateLimiter.", vec!["serve_forever", "RateLimiter"]),
            ("print 'routes' sorted", vec!["routes"]),
            ("plain words. And more: this, e.g. that", vec![]),
            ("it's a user's choice", vec![]),
            ("see https://a.example/B.html and README", vec![]),
        ] {
            assert_eq!(shown(request), expected, "{request}");
        }
    }
}
