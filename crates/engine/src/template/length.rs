//! Length of the tags of a template, measured before it is parsed.
//!
//! The parser nests an expression as deep as it has operators, and everything that reads, compiles or drops it then follows
//! it on the stack. An `elif` nests likewise. So both are counted in the tokens.

use super::growth::Refused;
use minijinja::Error;
use minijinja::machinery::{Span, Token, tokenize};

/// Maximum number of tokens of one tag.
const MAX_TOKENS: usize = 400;

/// Maximum number of `elif` in a template.
const MAX_BRANCHES: usize = 200;

/// Maximum size of a text that is written in a tag, in bytes.
const MAX_CONSTANT: usize = 4 << 10;

/// Result of measuring a template: a token that cannot be read, a tag that is too long, or neither.
pub(super) fn check(text: &str) -> Result<Result<(), Refused>, Error> {
    let (mut tag, mut branches) = (Tag::default(), 0);
    for token in tokenize(text, false, super::syntax()) {
        let (token, span) = token?;
        if matches!(token, Token::TemplateData(_)) {
            continue;
        }
        if matches!(token, Token::VariableStart | Token::BlockStart) {
            tag = Tag::starting(span);
        }
        tag.tokens += 1;
        branches += usize::from(tag.tokens == 2 && matches!(token, Token::Ident("elif")));
        if tag.tokens > MAX_TOKENS || branches > MAX_BRANCHES {
            return Ok(Err((tag.line, "too deeply nested".to_owned())));
        }
        if constant_size(&token) > MAX_CONSTANT {
            return Ok(Err((tag.line, format!("a text in a tag exceeds {} KB (limit)", MAX_CONSTANT >> 10))));
        }
    }
    Ok(Ok(()))
}

/// The tag that is read.
#[derive(Default)]
struct Tag {
    /// Line on which it starts.
    line: usize,
    /// Tokens so far, with the one that starts it.
    tokens: usize,
}

impl Tag {
    fn starting(span: Span) -> Tag {
        Tag { line: usize::from(span.start_line), tokens: 0 }
    }
}

fn constant_size(token: &Token<'_>) -> usize {
    match token {
        Token::Str(text) => text.len(),
        Token::String(text) => text.len(),
        _ => 0,
    }
}
