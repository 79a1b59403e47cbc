//! Splits prose into sentences, well enough to count them and to take the first few.

/// The sentences of a text, each on one line. A sentence has at least one letter or digit.
pub fn sentences(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = String::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if !open.is_empty() {
            open.push(' ');
        }
        let mut rest = word;
        // Full-width marks end a sentence without a space after them.
        while let Some((at, mark)) = rest.char_indices().find(|(_, c)| matches!(c, '。' | '！' | '？')) {
            let (before, after) = rest.split_at(at + mark.len_utf8());
            open.push_str(before);
            close(&mut open, &mut found);
            rest = after;
        }
        open.push_str(rest);
        if ends_sentence(rest) && words.peek().is_none_or(|next| starts_sentence(next)) {
            close(&mut open, &mut found);
        }
    }
    close(&mut open, &mut found);
    found
}

fn close(open: &mut String, found: &mut Vec<String>) {
    let sentence = std::mem::take(open);
    if sentence.contains(char::is_alphanumeric) {
        found.push(sentence.trim().to_owned());
    }
}

/// True if a word can end a sentence.
fn ends_sentence(word: &str) -> bool {
    let bare = word.trim_end_matches(['"', '\'', ')', ']', '*', '_', '`', '”', '’', '»']);
    let stops = bare.ends_with(['.', '!', '?', '…']);
    let short = ["e.g.", "i.e.", "cf.", "vs.", "approx.", "resp.", "no."];
    let word = bare.trim_start_matches(['(', '[', '"', '*', '_']);
    stops && !short.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// True if a word can start a sentence.
fn starts_sentence(word: &str) -> bool {
    !word.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_are_told_apart() {
        for (text, count) in [
            ("", 0),
            ("...", 0),
            ("One", 1),
            ("One. Two! Three?", 3),
            ("Version 1.5 of a.rs is used, e.g. Redis. It is old.", 2),
            ("See (a.rs). \"Done.\" Next.", 3),
            ("It ends at line 3. then goes on.", 1),
            ("速い。そして簡単。", 2),
            ("速い。Fast.", 2),
        ] {
            assert_eq!(sentences(text).len(), count, "{text}: {:?}", sentences(text));
        }
        assert_eq!(sentences("One\ntwo. Three"), ["One two.", "Three"]);
    }

    proptest! {
        #[test]
        fn no_character_is_lost(text in "([a-zA-Z.!? \n。]|\\PC){0,60}") {
            let kept: String = sentences(&text).concat().chars().filter(|c| c.is_alphanumeric()).collect();
            let all: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
            prop_assert_eq!(kept, all);
        }
    }
}
