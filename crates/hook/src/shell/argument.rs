//! A word after expansion, as far as it is known without running anything.

/// Most atoms of an argument. What follows is unknown.
const MAX_ATOMS: usize = 200;

/// One argument of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Argument {
    pub(crate) atoms: Vec<Atom>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Atom {
    Text(String),
    /// A pattern that the shell replaces by names of files: `*`, `?` or `[…]`.
    Glob(String),
    /// Something that only the shell knows.
    Unknown,
    /// Something from the network.
    Download,
    /// A file with that content, such as the path of a process substitution.
    Content(String),
    /// A path that the command itself creates outside the repository, such as that of `mktemp`.
    Fresh,
}

impl Argument {
    pub(crate) fn text(text: &str) -> Argument {
        Argument { atoms: vec![Atom::Text(text.to_owned())] }
    }

    pub(crate) fn unknown() -> Argument {
        Argument { atoms: vec![Atom::Unknown] }
    }

    pub(crate) fn push(&mut self, atom: Atom) {
        let is_full = self.atoms.len() >= MAX_ATOMS;
        match (self.atoms.last_mut(), atom) {
            (Some(Atom::Text(last)), Atom::Text(text)) => last.push_str(&text),
            (Some(_), Atom::Text(text)) if text.is_empty() => {}
            (Some(Atom::Text(last)), atom) if last.is_empty() => {
                self.atoms.pop();
                self.atoms.push(atom);
            }
            (_, atom) if !is_full => self.atoms.push(atom),
            (Some(Atom::Unknown), _) => {}
            _ => self.atoms.push(Atom::Unknown),
        }
    }

    /// The text, if all of it is known.
    pub(crate) fn known(&self) -> Option<&str> {
        match self.atoms.as_slice() {
            [Atom::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text as far as it is known, for messages and for looking into it.
    pub(crate) fn lossy(&self) -> String {
        let atoms = self.atoms.iter().map(|atom| match atom {
            Atom::Text(text) | Atom::Glob(text) => text.as_str(),
            Atom::Unknown | Atom::Fresh | Atom::Download | Atom::Content(_) => "…",
        });
        atoms.collect()
    }

    /// Known text at the beginning.
    pub(crate) fn prefix(&self) -> &str {
        match self.atoms.first() {
            Some(Atom::Text(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn has_unknown(&self) -> bool {
        self.atoms.iter().any(|atom| !matches!(atom, Atom::Text(_) | Atom::Glob(_)))
    }

    /// True if some of it comes from the network.
    pub(crate) fn is_download(&self) -> bool {
        self.atoms.contains(&Atom::Download)
    }

    /// Content of the file that it names, if that is known.
    pub(crate) fn content(&self) -> Option<&str> {
        match self.atoms.as_slice() {
            [Atom::Content(text)] => Some(text),
            _ => None,
        }
    }

    pub(crate) fn has_glob(&self) -> bool {
        self.atoms.iter().any(|atom| matches!(atom, Atom::Glob(_)))
    }

    pub(crate) fn is_fresh(&self) -> bool {
        matches!(self.atoms.first(), Some(Atom::Fresh))
    }

    /// The argument without a known beginning, if it has that.
    pub(crate) fn strip_prefix(&self, prefix: &str) -> Option<Argument> {
        let Some(Atom::Text(first)) = self.atoms.first() else { return None };
        let rest = first.strip_prefix(prefix)?;
        let mut atoms = self.atoms.clone();
        if rest.is_empty() && atoms.len() > 1 {
            atoms.remove(0);
        } else {
            atoms[0] = Atom::Text(rest.to_owned());
        }
        Some(Argument { atoms })
    }

    /// True if it begins with a dash: an option.
    pub(crate) fn is_option(&self) -> bool {
        let prefix = self.prefix();
        prefix.starts_with('-') && prefix != "-"
    }

    /// True if it is exactly that text.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.known() == Some(text)
    }

    /// True if a pattern of this argument fits a name.
    pub(crate) fn fits(&self, name: &str) -> bool {
        let pattern: Vec<Token> = self.atoms.iter().flat_map(tokens).collect();
        let name: Vec<char> = name.chars().collect();
        matches(&pattern, &name)
    }
}

enum Token {
    Character(char),
    One,
    Class { characters: Vec<char>, is_negated: bool },
    Any,
}

fn tokens(atom: &Atom) -> Vec<Token> {
    match atom {
        Atom::Text(text) => text.chars().map(Token::Character).collect(),
        Atom::Glob(text) if text == "?" => vec![Token::One],
        Atom::Glob(text) if text.starts_with('[') => {
            let inside = text.trim_start_matches('[').trim_end_matches(']');
            let is_negated = inside.starts_with(['!', '^']);
            let characters = inside.trim_start_matches(['!', '^']).chars().collect();
            vec![Token::Class { characters, is_negated }]
        }
        _ => vec![Token::Any],
    }
}

/// Matches with one point of return, so that the time is at most the product of both lengths.
fn matches(pattern: &[Token], name: &[char]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        let fits = match pattern.get(p) {
            Some(Token::Any) => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some(Token::One) => true,
            Some(Token::Character(character)) => *character == name[n],
            Some(Token::Class { characters, is_negated }) => class_fits(characters, name[n]) != *is_negated,
            None => false,
        };
        if fits {
            p += 1;
            n += 1;
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            p = at + 1;
            n = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|token| matches!(token, Token::Any))
}

fn class_fits(characters: &[char], wanted: char) -> bool {
    let is_in_range = |range: &[char]| range[1] == '-' && (range[0]..=range[2]).contains(&wanted);
    characters.contains(&wanted) || characters.windows(3).any(is_in_range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(parts: &[&str]) -> Argument {
        let atom = |part: &&str| match part.chars().next() {
            Some('*' | '?' | '[') => Atom::Glob((*part).to_owned()),
            _ => Atom::Text((*part).to_owned()),
        };
        Argument { atoms: parts.iter().map(atom).collect() }
    }

    #[test]
    fn patterns_fit_names() {
        assert!(pattern(&["g", "?", "t"]).fits("git"));
        assert!(pattern(&["g", "*"]).fits("git"));
        assert!(pattern(&["[a-h]", "it"]).fits("git"));
        assert!(!pattern(&["[!g]", "it"]).fits("git"));
        assert!(!pattern(&["g", "*", "x"]).fits("git"));
    }
}
