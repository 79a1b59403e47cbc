//! Shell text as a shell reads it: words, quotes, operators, redirections, substitutions and here-documents.
//!
//! [`syntax`] has the types, [`reader`] reads the structure, [`words`] the words, [`here_documents`] their bodies.
//! [`argument`] is a word after expansion, as far as it is known without running anything; [`expansion`] computes it.

pub(crate) mod argument;
mod arithmetic;
mod compound;
pub(crate) mod expansion;
mod here_documents;
pub(crate) mod reader;
pub(crate) mod syntax;
mod words;

pub(crate) use argument::{Argument, Atom};
pub(crate) use reader::read;
pub(crate) use syntax::{Node, Redirection, RedirectionKind, SimpleCommand, Word};
