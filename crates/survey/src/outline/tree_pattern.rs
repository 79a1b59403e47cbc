//! Patterns of syntax trees, in the part of tree-sitter's query notation that the outlines need: nodes with children,
//! fields, alternatives of nodes without children, and captures.
//!
//! tree-sitter's own queries analyze the whole grammar when they are prepared, which takes longer than parsing most files.

use crate::syntax::descendants;
use std::num::NonZeroU16;
use tree_sitter::{Language, Node, TreeCursor};

/// Patterns of a language, in the order of its query file.
#[derive(Debug)]
pub(super) struct Patterns(Vec<Pattern>);

/// A node that matches if its kind and its children match.
#[derive(Debug)]
struct Pattern {
    /// Kinds, one of which the node has.
    kinds: Vec<u16>,
    /// Field of the parent that holds the node.
    field: Option<NonZeroU16>,
    children: Vec<Pattern>,
    capture: Option<String>,
}

/// A place in a syntax tree that a pattern fits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match<'p, 't> {
    /// Position of the pattern in its file.
    pub(super) pattern: usize,
    /// The node captured as `@name`.
    pub(super) name: Node<'t>,
    /// The node captured under another name.
    pub(super) whole: Node<'t>,
    /// That name.
    pub(super) kind: &'p str,
}

/// Captured nodes of a partial match.
type Captures<'p, 't> = Vec<(&'p str, Node<'t>)>;

const NAME: &str = "name";

impl Patterns {
    /// Reads a query file. None if it uses other notation, or names that the grammar does not have.
    pub(super) fn read(text: &str, language: &Language) -> Option<Patterns> {
        let mut reader = Reader { tokens: tokens(text), language };
        let mut all = Vec::new();
        while !reader.tokens.is_empty() {
            all.push(reader.pattern(None)?);
        }
        Some(Patterns(all))
    }

    /// All matches in a tree with both captures, in order of the nodes that their patterns begin with.
    pub(super) fn matches<'p, 't>(&'p self, root: Node<'t>) -> Vec<Match<'p, 't>> {
        let mut all = Vec::new();
        for node in descendants(root) {
            for (number, pattern) in self.0.iter().enumerate() {
                if !pattern.kinds.contains(&node.kind_id()) {
                    continue;
                }
                all.extend(pattern.captures(node).iter().filter_map(|captures| {
                    let (_, name) = captures.iter().find(|(capture, _)| *capture == NAME)?;
                    let (kind, whole) = captures.iter().find(|(capture, _)| *capture != NAME)?;
                    Some(Match { pattern: number, name: *name, whole: *whole, kind })
                }));
            }
        }
        all
    }
}

impl Pattern {
    /// Captures of every way in which a node of the right kind matches.
    fn captures<'p, 't>(&'p self, node: Node<'t>) -> Vec<Captures<'p, 't>> {
        let own: Captures<'p, 't> = self.capture.iter().map(|name| (name.as_str(), node)).collect();
        let mut all = vec![own];
        if !self.children.is_empty() {
            let below = children(node);
            all = matched_children(&self.children, &below, &all);
        }
        all
    }

    /// True if kind and field of a node are right.
    fn fits(&self, child: &(Option<NonZeroU16>, Node<'_>)) -> bool {
        let (field, node) = child;
        (self.field.is_none() || self.field == *field) && self.kinds.contains(&node.kind_id())
    }
}

/// Ways in which patterns match children of a node, in their order, each added to those found so far.
fn matched_children<'p, 't>(
    patterns: &'p [Pattern],
    below: &[(Option<NonZeroU16>, Node<'t>)],
    before: &[Captures<'p, 't>],
) -> Vec<Captures<'p, 't>> {
    let Some((first, rest)) = patterns.split_first() else { return before.to_vec() };
    let mut all = Vec::new();
    for (at, child) in below.iter().enumerate().filter(|(_, child)| first.fits(child)) {
        let found = first.captures(child.1);
        let joined: Vec<Captures<'p, 't>> = before
            .iter()
            .flat_map(|earlier| found.iter().map(|later| [earlier.as_slice(), later].concat()))
            .collect();
        all.extend(matched_children(rest, &below[at + 1..], &joined));
    }
    all
}

/// Named children of a node, with the fields that hold them.
fn children(node: Node<'_>) -> Vec<(Option<NonZeroU16>, Node<'_>)> {
    let mut cursor: TreeCursor<'_> = node.walk();
    let mut all = Vec::new();
    if cursor.goto_first_child() {
        loop {
            if cursor.node().is_named() {
                all.push((cursor.field_id(), cursor.node()));
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    all
}

/// Tokens of a query file: brackets, `field:`, `@capture` and names. The first is last, to be taken with `pop`.
fn tokens(text: &str) -> Vec<String> {
    let spaced = ["(", ")", "[", "]"]
        .iter()
        .fold(text.to_owned(), |text, bracket| text.replace(bracket, &format!(" {bracket} ")));
    spaced.split_whitespace().rev().map(str::to_owned).collect()
}

struct Reader<'a> {
    tokens: Vec<String>,
    language: &'a Language,
}

impl Reader<'_> {
    /// Reads one node with its children and its capture.
    fn pattern(&mut self, field: Option<NonZeroU16>) -> Option<Pattern> {
        let mut pattern = Pattern { kinds: Vec::new(), field, children: Vec::new(), capture: None };
        match self.tokens.pop()?.as_str() {
            "(" => {
                pattern.kinds.push(self.kind()?);
                while !self.take(")") {
                    let field = self.field()?;
                    pattern.children.push(self.pattern(field)?);
                }
            }
            "[" => {
                while !self.take("]") {
                    let is_bare = self.take("(");
                    pattern.kinds.extend(self.kind().filter(|_| is_bare));
                    if !self.take(")") {
                        return None;
                    }
                }
            }
            _ => return None,
        }
        if self.tokens.last().is_some_and(|next| next.starts_with('@')) {
            pattern.capture = self.tokens.pop().map(|name| name[1..].to_owned());
        }
        Some(pattern)
    }

    fn kind(&mut self) -> Option<u16> {
        Some(self.language.id_for_node_kind(&self.tokens.pop()?, true)).filter(|kind| *kind != 0)
    }

    /// The field before a node. The outer none stands for a field that the grammar does not have.
    #[expect(clippy::option_option, reason = "a node without a field is no error")]
    fn field(&mut self) -> Option<Option<NonZeroU16>> {
        match self.tokens.last()?.strip_suffix(':') {
            None => Some(None),
            Some(name) => {
                let field = self.language.field_id_for_name(name)?;
                self.tokens.pop();
                Some(Some(field))
            }
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.tokens.pop_if(|next| next == token).is_some()
    }
}
