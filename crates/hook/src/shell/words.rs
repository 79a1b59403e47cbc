//! Words: quotes, escapes, variables and substitutions.

use super::reader::{Reader, is_meta, read_nested};
use super::syntax::{Part, Variable, VariableForm, Word};

impl Reader<'_> {
    /// The word at this place; empty if none begins here.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word::default();
        self.count();
        while !self.is_end() {
            match self.peek() {
                b'<' | b'>' if self.peek_at(1) == b'(' => {
                    self.at += 2;
                    word.parts.push(Part::Process(self.substituted().into()));
                }
                b'(' if ends_with_pattern(&word) => {
                    self.at += 1;
                    let inside = self.pattern();
                    word.parts.push(Part::Pattern(inside));
                }
                byte if is_meta(byte) => break,
                b'\r' if matches!(self.peek_at(1), b'\n' | 0) => break,
                b'\'' => {
                    self.at += 1;
                    let text = self.until_quote();
                    word.push_quoted(&text);
                }
                b'"' => {
                    self.at += 1;
                    let inside = self.quoted_text(Some(b'"'));
                    word.push_quoted("");
                    word.parts.extend(inside.parts);
                }
                b'\\' => self.escape(&mut word),
                b'$' => self.dollar(&mut word, false),
                b'`' => self.backticks(&mut word, false),
                _ => {
                    let text = self.run_of(|byte| {
                        is_meta(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'\r')
                    });
                    word.push_plain(&text);
                }
            }
        }
        word
    }

    /// `NAME=value`, `NAME+=value`, `NAME[x]=value` or `NAME=( … )`, if one begins here.
    pub(super) fn assignment(&mut self) -> Option<(String, Word)> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if length == 0 || rest[0].is_ascii_digit() {
            return None;
        }
        let mut end = length;
        if rest.get(end) == Some(&b'[') {
            end += rest[end..].iter().take(200).position(|byte| *byte == b']')? + 1;
        }
        let is_appended = rest.get(end) == Some(&b'+');
        end += usize::from(is_appended);
        if rest.get(end) != Some(&b'=') {
            return None;
        }
        let name = self.text[self.at..self.at + length].to_owned();
        self.at += end + 1;
        let mut word = if self.peek() == b'(' && !self.is_end() {
            self.at += 1;
            Word { parts: vec![Part::Opaque(self.pattern())] }
        } else {
            self.word()
        };
        if is_appended || end > length {
            word = Word { parts: vec![Part::Opaque(word)] };
        }
        Some((name, word))
    }

    /// Words up to a closing parenthesis, as one.
    fn pattern(&mut self) -> Word {
        let mut all = Word::default();
        if !self.enter() {
            return all;
        }
        while !self.is_end() && !self.accept(")") {
            self.skip_lines();
            let before = self.at;
            let word = self.word();
            all.parts.extend(word.parts);
            if self.at == before && self.peek() != b')' {
                if self.accept("(") {
                    all.parts.extend(self.pattern().parts);
                } else {
                    self.skip_one();
                }
            }
        }
        self.leave();
        all
    }

    /// Text up to a single quote.
    fn until_quote(&mut self) -> String {
        let text = self.run_of(|byte| byte == b'\'');
        if !self.accept("'") {
            self.is_malformed = true;
        }
        text
    }

    /// Text up to a byte that `ends` accepts, at least one character.
    fn run_of(&mut self, ends: impl Fn(u8) -> bool) -> String {
        let rest = &self.bytes[self.at..];
        let mut length = rest.iter().position(|byte| ends(*byte)).unwrap_or(rest.len());
        if length == 0 && !rest.is_empty() && rest[0] == b'\r' {
            length = 1;
        }
        let text = &self.text[self.at..self.at + length];
        self.at += length;
        text.to_owned()
    }

    /// A backslash outside quotes.
    fn escape(&mut self, word: &mut Word) {
        self.at += 1;
        if self.accept("\n") || self.accept("\r\n") {
            return;
        }
        match self.text[self.at..].chars().next() {
            Some(character) => {
                self.at += character.len_utf8();
                word.push_quoted(character.encode_utf8(&mut [0; 4]));
            }
            None => word.push_plain("\\"),
        }
    }

    /// Text in double quotes up to that byte, or a whole text without one: expansions, but no words.
    pub(super) fn quoted_text(&mut self, end: Option<u8>) -> Word {
        let mut word = Word::default();
        loop {
            if self.is_end() {
                self.is_malformed |= end.is_some();
                return word;
            }
            match self.peek() {
                byte if Some(byte) == end => {
                    self.at += 1;
                    return word;
                }
                b'\\' => {
                    self.at += 1;
                    if self.accept("\n") || self.accept("\r\n") {
                        continue;
                    }
                    if matches!(self.peek(), b'$' | b'`' | b'"' | b'\\') && !self.is_end() {
                        word.push_quoted(&self.text[self.at..=self.at]);
                        self.at += 1;
                    } else {
                        word.push_quoted("\\");
                    }
                }
                b'$' => self.dollar(&mut word, true),
                b'`' => self.backticks(&mut word, true),
                _ => {
                    let rest = &self.bytes[self.at..];
                    let stops = |byte: &u8| matches!(byte, b'\\' | b'$' | b'`') || Some(*byte) == end;
                    let length = rest.iter().position(stops).unwrap_or(rest.len());
                    word.push_quoted(&self.text[self.at..self.at + length]);
                    self.at += length;
                }
            }
        }
    }

    /// An expansion that begins with a dollar sign.
    fn dollar(&mut self, word: &mut Word, is_quoted: bool) {
        self.at += 1;
        if !self.enter() {
            return;
        }
        if self.starts_with("((") {
            self.at += 2;
            if let Some(inside) = self.arithmetic() {
                word.parts.push(Part::Opaque(inside));
                self.leave();
                return;
            }
            self.at -= 2;
        }
        match self.peek() {
            b'(' => {
                self.at += 1;
                let node = self.substituted().into();
                word.parts.push(Part::Commands { node, is_quoted });
            }
            b'{' => {
                self.at += 1;
                self.braced_variable(word, is_quoted);
            }
            b'[' => {
                self.at += 1;
                let inside = self.quoted_text(Some(b']'));
                word.parts.push(Part::Opaque(inside));
            }
            b'\'' if !is_quoted => {
                self.at += 1;
                self.ansi_c_text(word);
            }
            b'"' if !is_quoted => {}
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name =
                    self.run_of(|byte| !byte.is_ascii_alphanumeric() && byte != b'_' || !byte.is_ascii());
                word.parts.push(variable(name, is_quoted, VariableForm::Value));
            }
            byte if byte.is_ascii_digit()
                || matches!(byte, b'@' | b'*' | b'#' | b'?' | b'$' | b'!' | b'-') =>
            {
                let name = self.text[self.at..=self.at].to_owned();
                self.at += 1;
                word.parts.push(variable(name, is_quoted, VariableForm::Value));
            }
            _ if is_quoted => word.push_quoted("$"),
            _ => word.push_plain("$"),
        }
        self.leave();
    }

    /// `${ … }`, after the brace.
    fn braced_variable(&mut self, word: &mut Word, is_quoted: bool) {
        if matches!(self.peek(), b' ' | b'\n' | b'\t' | b'|') {
            // Commands in place, as in ksh and new bash.
            self.at += usize::from(self.peek() == b'|');
            let node = self.list(&["}"]);
            self.accept("}");
            word.parts.push(Part::Commands { node: node.into(), is_quoted });
            return;
        }
        let is_opaque = matches!(self.peek(), b'#' | b'!') && self.peek_at(1) != b'}';
        self.at += usize::from(is_opaque);
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let length = if length == 0 && !rest.is_empty() && rest[0].is_ascii() { 1 } else { length };
        let name = self.text[self.at..self.at + length].to_owned();
        self.at += length;
        let operator_at = self.at;
        for operator in [":-", ":=", "-", "=", ":+", "+"] {
            if !is_opaque && self.accept(operator) {
                let inside = self.quoted_or_plain(is_quoted);
                let form = if operator.ends_with('+') {
                    VariableForm::Alternative(inside)
                } else {
                    VariableForm::Default(inside)
                };
                word.parts.push(variable(name, is_quoted, form));
                return;
            }
        }
        self.at = operator_at;
        let inside = self.quoted_or_plain(is_quoted);
        let form = if inside.parts.is_empty() && !is_opaque {
            VariableForm::Value
        } else {
            VariableForm::Opaque(inside)
        };
        word.parts.push(variable(name, is_quoted, form));
    }

    /// The word of an operator in `${ … }`, up to the brace.
    fn quoted_or_plain(&mut self, is_quoted: bool) -> Word {
        let mut word = Word::default();
        while !self.is_end() {
            match self.peek() {
                b'}' => {
                    self.at += 1;
                    return word;
                }
                b'\'' if !is_quoted => {
                    self.at += 1;
                    let text = self.until_quote();
                    word.push_quoted(&text);
                }
                b'"' => {
                    self.at += 1;
                    if !self.enter() {
                        return word;
                    }
                    let inside = self.quoted_text(Some(b'"'));
                    self.leave();
                    word.parts.extend(inside.parts);
                }
                b'\\' => self.escape(&mut word),
                b'$' => self.dollar(&mut word, is_quoted),
                b'`' => self.backticks(&mut word, is_quoted),
                _ => {
                    let rest = &self.bytes[self.at..];
                    let stops = |byte: &u8| matches!(byte, b'}' | b'\'' | b'"' | b'\\' | b'$' | b'`');
                    let length = rest.iter().skip(1).position(stops).map_or(rest.len(), |found| found + 1);
                    let text = self.text[self.at..self.at + length].to_owned();
                    if is_quoted {
                        word.push_quoted(&text);
                    } else {
                        word.push_plain(&text);
                    }
                    self.at += length;
                }
            }
        }
        self.is_malformed = true;
        word
    }

    /// Commands up to the closing parenthesis, which is consumed.
    fn substituted(&mut self) -> super::Node {
        // Bodies of here-documents of the outer line come after that line, not inside.
        let outer = std::mem::take(&mut self.pending);
        let node = self.list(&[]);
        self.pending.splice(0..0, outer);
        if !self.accept(")") {
            self.is_malformed = true;
        }
        node
    }

    fn backticks(&mut self, word: &mut Word, is_quoted: bool) {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.text[self.at..].chars().next() {
                None => {
                    self.is_malformed = true;
                    break;
                }
                Some('`') => {
                    self.at += 1;
                    break;
                }
                Some('\\') => {
                    self.at += 1;
                    let escaped = self.peek();
                    let is_removed = matches!(escaped, b'`' | b'\\' | b'$') || (is_quoted && escaped == b'"');
                    if !is_removed {
                        text.push('\\');
                    }
                    if let Some(character) = self.text[self.at..].chars().next() {
                        text.push(character);
                        self.at += character.len_utf8();
                    }
                }
                Some(character) => {
                    text.push(character);
                    self.at += character.len_utf8();
                }
            }
        }
        let script = read_nested(&text, self.depth + 1);
        self.is_malformed |= script.is_malformed;
        self.is_too_deep |= script.is_too_deep;
        word.parts.push(Part::Commands { node: script.node.into(), is_quoted });
    }

    /// `$'…'`, after the quote.
    fn ansi_c_text(&mut self, word: &mut Word) {
        let mut text = String::new();
        loop {
            let Some(character) = self.text[self.at..].chars().next() else {
                self.is_malformed = true;
                break;
            };
            self.at += character.len_utf8();
            match character {
                '\'' => break,
                '\\' => self.ansi_c_escape(&mut text),
                other => text.push(other),
            }
        }
        word.push_quoted(&text);
    }

    fn ansi_c_escape(&mut self, text: &mut String) {
        let Some(character) = self.text[self.at..].chars().next() else { return };
        self.at += character.len_utf8();
        match character {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'e' | 'E' => text.push('\u{1b}'),
            'a' => text.push('\u{7}'),
            'x' => self.push_code(text, 16, 2, 0),
            'u' => self.push_code(text, 16, 4, 0),
            'U' => self.push_code(text, 16, 8, 0),
            digit if digit.is_digit(8) => self.push_code(text, 8, 2, digit.to_digit(8).unwrap_or_default()),
            other => text.push(other),
        }
    }

    /// The character of a code with at most `digits` further digits.
    fn push_code(&mut self, text: &mut String, radix: u32, digits: usize, first: u32) {
        let mut code = first;
        for _ in 0..digits {
            let Some(digit) = char::from(self.peek()).to_digit(radix).filter(|_| !self.is_end()) else {
                break;
            };
            code = code.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        text.push(char::from_u32(code).unwrap_or('\u{fffd}'));
    }
}

fn variable(name: String, is_quoted: bool, form: VariableForm) -> Part {
    Part::Variable(Variable { name, is_quoted, form })
}

/// True if an extended pattern follows an opening parenthesis here.
fn ends_with_pattern(word: &Word) -> bool {
    matches!(word.parts.last(), Some(Part::Plain(text)) if text.ends_with(['!', '@', '?', '*', '+']))
}
