//! Compound commands: groups, subshells, loops, branches, functions and tests.

use super::reader::Reader;
use super::syntax::{Node, Word};

impl Reader<'_> {
    /// A compound command, if one begins here.
    pub(super) fn compound(&mut self) -> Option<Node> {
        if self.peek() == b'(' && !self.is_end() {
            return Some(self.parenthesis());
        }
        let keyword = self.keyword()?;
        let node = match keyword {
            "{" => {
                self.at += 1;
                let node = self.list(&["}"]);
                self.expect("}");
                node
            }
            "[[" => {
                self.at += 2;
                Node::Expression(self.test_words())
            }
            "if" => {
                self.at += 2;
                let ends = ["then", "elif", "else", "fi"];
                let mut parts = vec![self.list(&ends)];
                while ["then", "elif", "else"].iter().any(|keyword| self.accept_keyword(keyword)) {
                    parts.push(self.list(&ends));
                }
                self.expect("fi");
                Node::Branches { words: Vec::new(), parts }
            }
            "while" | "until" => {
                self.at += 5;
                let parts = vec![self.list(&["do"]), self.do_body()];
                Node::Branches { words: Vec::new(), parts }
            }
            "for" | "select" => {
                self.at += keyword.len();
                self.for_loop()
            }
            "case" => {
                self.at += 4;
                self.case()
            }
            "function" => {
                self.at += 8;
                self.function()?
            }
            "coproc" => {
                self.at += 6;
                self.command()
            }
            _ => return None,
        };
        Some(node)
    }

    fn parenthesis(&mut self) -> Node {
        if self.starts_with("((") {
            self.at += 2;
            if let Some(word) = self.arithmetic() {
                return Node::Expression(vec![word]);
            }
            self.at -= 2;
        }
        self.at += 1;
        let node = self.list(&[]);
        if !self.accept(")") {
            self.is_malformed = true;
        }
        Node::Subshell(Box::new(node))
    }

    fn accept_keyword(&mut self, keyword: &str) -> bool {
        self.skip_lines();
        let found = self.keyword() == Some(keyword);
        if found {
            self.at += keyword.len();
        }
        found
    }

    fn expect(&mut self, keyword: &str) {
        if !self.accept_keyword(keyword) {
            self.is_malformed = true;
        }
    }

    /// `do … done`, or `{ … }`.
    fn do_body(&mut self) -> Node {
        if self.accept_keyword("{") {
            let node = self.list(&["}"]);
            self.expect("}");
            return node;
        }
        self.expect("do");
        let node = self.list(&["done"]);
        self.expect("done");
        node
    }

    fn for_loop(&mut self) -> Node {
        self.skip_blanks();
        if self.starts_with("((") {
            self.at += 2;
            let words = self.arithmetic().into_iter().collect();
            self.skip_lines();
            self.accept(";");
            let parts = vec![self.do_body()];
            return Node::Branches { words, parts };
        }
        let variable = self.word().plain().unwrap_or_default().to_owned();
        let mut items = None;
        if self.accept_keyword("in") {
            items = Some(self.words_of_line());
        }
        self.skip_lines();
        self.accept(";");
        Node::For { variable, items, body: Box::new(self.do_body()) }
    }

    /// Words up to the end of the command.
    fn words_of_line(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let before = self.at;
            let word = self.word();
            if self.at == before {
                return words;
            }
            words.push(word);
        }
    }

    fn case(&mut self) -> Node {
        self.skip_blanks();
        let mut words = vec![self.word()];
        let mut parts = Vec::new();
        self.expect("in");
        loop {
            self.skip_lines();
            if self.is_end() || self.keyword() == Some("esac") {
                break;
            }
            self.accept("(");
            loop {
                words.extend(self.words_of_line());
                if !self.accept("|") {
                    break;
                }
            }
            let before = self.at;
            if self.accept(")") {
                parts.push(self.list(&["esac"]));
                let _ = self.accept(";;&") || self.accept(";;") || self.accept(";&");
            } else {
                self.is_malformed = true;
                parts.push(self.list(&["esac"]));
                if self.at == before {
                    self.skip_one();
                }
            }
        }
        self.expect("esac");
        Node::Branches { words, parts }
    }

    /// `function name [()] body`.
    fn function(&mut self) -> Option<Node> {
        self.skip_blanks();
        let name = self.word().plain()?.to_owned();
        self.skip_blanks();
        if self.accept("(") {
            self.skip_blanks();
            self.accept(")");
        }
        self.skip_lines();
        let body = self.command().into();
        Some(Node::Function { name, body })
    }

    /// Words of `[[ … ]]`, in which operators redirect nothing.
    fn test_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_lines();
            if self.is_end() {
                self.is_malformed = true;
                return words;
            }
            if self.keyword() == Some("]]") {
                self.at += 2;
                return words;
            }
            let before = self.at;
            let word = self.word();
            if self.at == before {
                self.skip_one();
            } else {
                words.push(word);
            }
        }
    }
}
