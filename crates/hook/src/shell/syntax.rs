//! Syntax tree of a shell script, as far as guards need it.

use std::cell::OnceCell;
use std::rc::Rc;

/// A command, simple or compound.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Simple(SimpleCommand),
    /// Commands joined by `|` or `|&`.
    Pipeline(Vec<Node>),
    /// Commands in sequence, joined by `;`, `&`, `&&`, `||` or newlines.
    List(Vec<Item>),
    /// `( … )`: changes of folder and variables end with it.
    Subshell(Box<Node>),
    /// `if`, `while`, `until` and `case`: every part may run. The words are tested values and patterns.
    Branches {
        words: Vec<Word>,
        parts: Vec<Node>,
    },
    /// `for` and `select`. Without items it goes through the positional parameters.
    For {
        variable: String,
        items: Option<Vec<Word>>,
        body: Box<Node>,
    },
    Function {
        name: String,
        body: Rc<Node>,
    },
    /// `[[ … ]]`, `(( … ))`: only substitutions in it run.
    Expression(Vec<Word>),
    Redirected(Box<Node>, Vec<Redirection>),
}

/// A member of a list.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) node: Node,
    /// True after `&`.
    pub(crate) in_background: bool,
}

/// Assignments, words and redirections.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimpleCommand {
    pub(crate) assignments: Vec<(String, Word)>,
    pub(crate) words: Vec<Word>,
    pub(crate) redirections: Vec<Redirection>,
}

#[derive(Debug, Clone)]
pub(crate) struct Redirection {
    pub(crate) kind: RedirectionKind,
    /// Path, text of a here-string, or body of a here-document.
    pub(crate) word: Word,
    /// True for standard input: no number, or 0.
    pub(crate) is_stdin: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectionKind {
    Input,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `<>`.
    Output,
    /// `>&` or `<&`: a number or `-`, else a file.
    Duplicate,
    /// The word is the text of standard input.
    Text,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(crate) enum Part {
    /// Unquoted text.
    Plain(String),
    Quoted(String),
    Variable(Variable),
    /// `$( … )` or backticks.
    Commands {
        node: Rc<Node>,
        is_quoted: bool,
    },
    /// `<( … )` or `>( … )`.
    Process(Rc<Node>),
    /// Extended pattern such as `!(x)`.
    Pattern(Word),
    /// Body of a here-document, which follows the line.
    Body(Rc<OnceCell<Word>>),
    /// Value that is not computed, such as arithmetic. Substitutions in the word run.
    Opaque(Word),
}

#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) is_quoted: bool,
    pub(crate) form: VariableForm,
}

#[derive(Debug, Clone)]
pub(crate) enum VariableForm {
    /// `$name` or `${name}`.
    Value,
    /// `${name:-word}` and `${name:=word}`.
    Default(Word),
    /// `${name:+word}`.
    Alternative(Word),
    /// Any other operator: the value is not computed.
    Opaque(Word),
}

impl Word {
    pub(crate) fn push_plain(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Plain(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(Part::Plain(text.to_owned())),
        }
    }

    pub(crate) fn push_quoted(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Quoted(last)) => last.push_str(text),
            _ => self.parts.push(Part::Quoted(text.to_owned())),
        }
    }

    /// The text, if the word is unquoted text only.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text)] => Some(text),
            _ => None,
        }
    }
}

impl Node {
    /// A command that does nothing.
    pub(crate) fn empty() -> Node {
        Node::List(Vec::new())
    }
}
