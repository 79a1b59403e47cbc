//! Reads the structure of a script: lists, pipelines and simple commands. Tolerant: it always returns a tree.

use super::here_documents::PendingBody;
use super::syntax::{Item, Node, Redirection, RedirectionKind, SimpleCommand};

/// Levels of nesting that are read.
pub(super) const MAX_DEPTH: usize = 60;

/// Most commands and words of a script that are read: the time must stay short.
const MAX_TOKENS: usize = 20_000;

/// A script that was read.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) node: Node,
    /// Something a shell would refuse, such as an open quote.
    pub(crate) is_malformed: bool,
    /// True if nesting or length exceeded their limits: the rest was not read.
    pub(crate) is_too_deep: bool,
}

/// Reads a script.
pub(crate) fn read(text: &str) -> Script {
    read_nested(text, 0)
}

/// [`read`] for text inside a script, at that depth.
pub(super) fn read_nested(text: &str, depth: usize) -> Script {
    let mut reader = Reader::new(text, depth);
    let mut node = reader.list(&[]);
    while reader.at < reader.bytes.len() && !reader.is_too_deep {
        // A closing token without its opening one.
        reader.is_malformed = true;
        reader.at += 1;
        let rest = reader.list(&[]);
        node = Node::List(vec![item(node), item(rest)]);
    }
    Script { node, is_malformed: reader.is_malformed, is_too_deep: reader.is_too_deep }
}

pub(super) fn item(node: Node) -> Item {
    Item { node, in_background: false }
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) pending: Vec<PendingBody>,
    pub(super) is_malformed: bool,
    pub(super) is_too_deep: bool,
    /// Arithmetic that is being read, one inside the other.
    pub(super) arithmetic_depth: usize,
    /// Commands and words so far.
    tokens: usize,
    /// Bytes looked at by those scans.
    pub(super) scanned: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, depth: usize) -> Reader<'a> {
        Reader {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth,
            pending: Vec::new(),
            is_malformed: false,
            is_too_deep: false,
            arithmetic_depth: 0,
            tokens: 0,
            scanned: 0,
        }
    }

    pub(super) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    /// A byte ahead; zero at the end of the text.
    pub(super) fn peek_at(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Skips a byte that begins nothing, unless the text has ended.
    pub(super) fn skip_one(&mut self) {
        if !self.is_end() {
            self.at += 1;
        }
    }

    pub(super) fn starts_with(&self, token: &str) -> bool {
        self.bytes[self.at.min(self.bytes.len())..].starts_with(token.as_bytes())
    }

    pub(super) fn accept(&mut self, token: &str) -> bool {
        let found = self.starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Enters a level of nesting; false if there are too many. Then the rest of the text is skipped.
    pub(super) fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.is_too_deep = true;
            self.at = self.bytes.len();
        }
        !self.is_too_deep
    }

    /// Counts a command or a word. Beyond the limit the rest of the text is skipped.
    pub(super) fn count(&mut self) {
        self.tokens += 1;
        if self.tokens > MAX_TOKENS {
            self.is_too_deep = true;
            self.at = self.bytes.len();
        }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Skips blanks, continued lines and comments, but no newline.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'\r' if matches!(self.peek_at(1), b'\n' | 0) => self.at += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.at += 2,
                b'\\' if self.peek_at(1) == b'\r' && self.peek_at(2) == b'\n' => self.at += 3,
                b'#' => {
                    while !self.is_end() && self.peek() != b'\n' {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips blanks and newlines; bodies of here-documents follow their line.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' || self.is_end() {
                return;
            }
            self.at += 1;
            self.read_bodies();
        }
    }

    /// Skips to the next command of a list.
    fn skip_separators(&mut self) {
        loop {
            self.skip_lines();
            if self.peek() != b';' || matches!(self.peek_at(1), b';' | b'&') {
                return;
            }
            self.at += 1;
        }
    }

    /// Commands until one of the keywords, an unmatched `)`, `;;` or the end.
    pub(super) fn list(&mut self, ends: &[&str]) -> Node {
        let mut items = Vec::new();
        if !self.enter() {
            return Node::empty();
        }
        loop {
            self.skip_separators();
            if self.is_end() || self.peek() == b')' || self.starts_with(";;") || self.starts_with(";&") {
                break;
            }
            if self.keyword().is_some_and(|keyword| ends.contains(&keyword)) {
                break;
            }
            let before = self.at;
            let node = self.and_or();
            self.skip_blanks();
            let in_background = self.peek() == b'&';
            if in_background {
                self.at += 1;
            }
            items.push(Item { node, in_background });
            if self.at == before {
                self.is_malformed = true;
                self.skip_one();
            }
        }
        self.leave();
        Node::List(items)
    }

    /// Pipelines joined by `&&` and `||`.
    fn and_or(&mut self) -> Node {
        let mut items = vec![item(self.pipeline())];
        loop {
            self.skip_blanks();
            if !self.accept("&&") && !self.accept("||") {
                break;
            }
            self.skip_lines();
            items.push(item(self.pipeline()));
        }
        if items.len() == 1 { items.remove(0).node } else { Node::List(items) }
    }

    fn pipeline(&mut self) -> Node {
        self.skip_blanks();
        while self.keyword() == Some("!") {
            self.at += 1;
            self.skip_blanks();
        }
        let mut stages = vec![self.command()];
        loop {
            self.skip_blanks();
            if self.starts_with("||") || self.peek() != b'|' {
                break;
            }
            self.at += 1;
            if self.peek() == b'&' {
                self.at += 1;
            }
            self.skip_lines();
            stages.push(self.command());
        }
        if stages.len() == 1 { stages.remove(0) } else { Node::Pipeline(stages) }
    }

    /// A simple or compound command with its redirections.
    pub(super) fn command(&mut self) -> Node {
        self.count();
        self.skip_blanks();
        if !self.enter() {
            return Node::empty();
        }
        let node = match self.compound() {
            Some(node) => {
                let redirections = self.redirections();
                if redirections.is_empty() { node } else { Node::Redirected(Box::new(node), redirections) }
            }
            None => self.simple(),
        };
        self.leave();
        node
    }

    /// The unquoted word at this place, if it may be a keyword. Nothing is consumed.
    pub(super) fn keyword(&self) -> Option<&'a str> {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let length = rest.iter().take(9).take_while(|byte| !is_meta(**byte)).count();
        let word = &rest[..length];
        // Longer than any keyword, or cut in a character: no keyword.
        if length == 9 { None } else { std::str::from_utf8(word).ok() }
    }

    fn simple(&mut self) -> Node {
        let mut command = SimpleCommand::default();
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection() {
                command.redirections.push(redirection);
                continue;
            }
            if self.is_end() || self.at_command_end() {
                break;
            }
            if self.peek() == b'(' {
                if let Some(node) = self.function_body(&command) {
                    return node;
                }
                // Not shell; what is inside is read as a command of its own.
                self.is_malformed = true;
                break;
            }
            if command.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                command.assignments.push(assignment);
                continue;
            }
            let before = self.at;
            let word = self.word();
            if self.at == before {
                break;
            }
            command.words.push(word);
        }
        Node::Simple(command)
    }

    /// True at a character that ends a simple command.
    fn at_command_end(&self) -> bool {
        match self.peek() {
            b'&' => self.peek_at(1) != b'>',
            byte => matches!(byte, b'\n' | b';' | b'|' | b')'),
        }
    }

    /// The body of `name ( ) body`, where the name was just read.
    fn function_body(&mut self, command: &SimpleCommand) -> Option<Node> {
        let [name] = command.words.as_slice() else { return None };
        let name = name.plain()?.to_owned();
        let before = self.at;
        self.at += 1;
        self.skip_blanks();
        if !self.accept(")") {
            self.at = before;
            return None;
        }
        self.skip_lines();
        let body = self.command().into();
        Some(Node::Function { name, body })
    }

    fn redirections(&mut self) -> Vec<Redirection> {
        let mut all = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirection() {
                Some(redirection) => all.push(redirection),
                None => return all,
            }
        }
    }

    /// A redirection, with its number or `{name}`.
    fn redirection(&mut self) -> Option<Redirection> {
        let before = self.at;
        let digits = self.bytes[before.min(self.bytes.len())..].iter().take(10);
        self.at += digits.take_while(|byte| byte.is_ascii_digit()).count();
        let number = &self.bytes[before.min(self.bytes.len())..self.at];
        let is_process = matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(';
        let token =
            if is_process { None } else { OPERATORS.iter().find(|(token, _)| self.starts_with(token)) };
        let Some((token, kind)) = token else {
            self.at = before;
            return None;
        };
        self.at += token.len();
        let is_stdin = token.starts_with('<') && (number.is_empty() || number == b"0");
        self.skip_blanks();
        let (kind, word) = match kind {
            Operator::Document { strips_tabs } => (RedirectionKind::Text, self.here_document(*strips_tabs)),
            Operator::Kind(kind) => (*kind, self.word()),
        };
        Some(Redirection { kind, word, is_stdin })
    }
}

/// A redirection operator.
enum Operator {
    Kind(RedirectionKind),
    Document { strips_tabs: bool },
}

/// Longest first.
const OPERATORS: [(&str, Operator); 13] = [
    ("<<<", Operator::Kind(RedirectionKind::Text)),
    ("<<-", Operator::Document { strips_tabs: true }),
    ("&>>", Operator::Kind(RedirectionKind::Output)),
    ("<<", Operator::Document { strips_tabs: false }),
    ("<>", Operator::Kind(RedirectionKind::Output)),
    ("<&", Operator::Kind(RedirectionKind::Duplicate)),
    (">>", Operator::Kind(RedirectionKind::Output)),
    (">|", Operator::Kind(RedirectionKind::Output)),
    (">&", Operator::Kind(RedirectionKind::Duplicate)),
    ("&>", Operator::Kind(RedirectionKind::Output)),
    (">!", Operator::Kind(RedirectionKind::Output)),
    ("<", Operator::Kind(RedirectionKind::Input)),
    (">", Operator::Kind(RedirectionKind::Output)),
];

/// True for a character that ends an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
