//! Here-documents: their bodies follow the line of the operator.

use super::reader::Reader;
use super::syntax::{Part, Word};
use std::cell::OnceCell;
use std::rc::Rc;

/// A here-document whose body follows.
pub(super) struct PendingBody {
    delimiter: String,
    /// True if the delimiter is quoted: nothing in the body is expanded.
    is_verbatim: bool,
    strips_tabs: bool,
    body: Rc<OnceCell<Word>>,
}

impl Reader<'_> {
    /// The delimiter after `<<`. Returns a word that gets the body once it is read.
    pub(super) fn here_document(&mut self, strips_tabs: bool) -> Word {
        let word = self.word();
        let is_verbatim = word.parts.iter().any(|part| matches!(part, Part::Quoted(_)));
        let delimiter = word.parts.iter().map(|part| match part {
            Part::Plain(text) | Part::Quoted(text) => text.as_str(),
            _ => "",
        });
        let body = Rc::new(OnceCell::new());
        self.pending.push(PendingBody {
            delimiter: delimiter.collect(),
            is_verbatim,
            strips_tabs,
            body: body.clone(),
        });
        Word { parts: vec![Part::Body(body)] }
    }

    /// Reads the bodies of the line that just ended.
    pub(super) fn read_bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            while !self.is_end() {
                let rest = &self.text[self.at..];
                let line = rest.split_inclusive('\n').next().unwrap_or_default();
                self.at += line.len();
                let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches(['\n', '\r']) == pending.delimiter {
                    break;
                }
                text.push_str(line);
            }
            let word = if pending.is_verbatim {
                Word { parts: vec![Part::Quoted(text)] }
            } else {
                let mut reader = Reader::new(&text, self.depth + 1);
                let word = reader.quoted_text(None);
                self.is_too_deep |= reader.is_too_deep;
                word
            };
            let _ = pending.body.set(word);
        }
    }
}
