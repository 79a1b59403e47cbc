//! Walks over syntax trees without recursion: texts of strangers may nest deeply.

use tree_sitter::{Node, TreeCursor};

/// All named nodes below a node, itself included, in order of the text.
pub(crate) fn descendants(node: Node<'_>) -> Descendants<'_> {
    Descendants { cursor: node.walk(), depth: 0, started: false }
}

/// Iterator of [`descendants`].
pub(crate) struct Descendants<'a> {
    cursor: TreeCursor<'a>,
    depth: usize,
    started: bool,
}

impl<'a> Iterator for Descendants<'a> {
    type Item = Node<'a>;

    fn next(&mut self) -> Option<Node<'a>> {
        loop {
            if !self.advance() {
                return None;
            }
            if self.cursor.node().is_named() {
                return Some(self.cursor.node());
            }
        }
    }
}

impl Descendants<'_> {
    /// Moves to the next node; false at the end.
    fn advance(&mut self) -> bool {
        if !self.started {
            self.started = true;
            return true;
        }
        if self.cursor.goto_first_child() {
            self.depth += 1;
            return true;
        }
        loop {
            if self.depth == 0 {
                return false;
            }
            if self.cursor.goto_next_sibling() {
                return true;
            }
            self.cursor.goto_parent();
            self.depth -= 1;
        }
    }
}

/// Named children of a node, without comments.
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.kind().contains("comment")).collect()
}

/// The nodes around a node, the nearest first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}

/// Text of a node; empty if it is not text.
pub(crate) fn node_text<'a>(node: Node<'_>, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}
