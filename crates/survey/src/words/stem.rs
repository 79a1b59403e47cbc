//! Stemmer: "parser", "parses", "parsing" and "parse" have one stem.
//!
//! It only strips suffixes, so it is fast enough for every word of a repository. A wrong stem does no harm as
//! long as all forms of a word have the same: stems are never shown.

/// Strips the suffixes of `word`, which is in lower case. Returns the length of the stem.
pub(crate) fn stem(word: &mut [u8]) -> usize {
    if word.len() <= 3 || !word.iter().all(u8::is_ascii_lowercase) {
        return word.len();
    }
    let mut n = strip_plural(word);
    for (ending, at_least) in PLAIN_ENDINGS {
        n = strip_ending(&word[..n], ending, at_least);
    }
    n = strip_tense(&word[..n]);
    let agent = strip_ending(&word[..n], b"er", 4).min(strip_ending(&word[..n], b"or", 4));
    n = if agent < n { undouble_last(&word[..agent]) } else { n };
    if word[..n].ends_with(b"ional") {
        n -= 2;
    }
    if word[..n].ends_with(b"tion") || word[..n].ends_with(b"sion") {
        n = strip_ending(&word[..n], b"ion", 3);
    }
    n = strip_ending(&word[..n], b"ive", 4);
    n = strip_ending(&word[..n], b"e", 3);
    n = strip_ending(&word[..n], b"at", 6);
    if let Some(last) = word[..n].last_mut().filter(|last| **last == b'y') {
        *last = b'i';
    }
    n
}

/// Expands a common abbreviation; stems in and out. Other stems are returned unchanged.
pub(crate) fn expand_abbreviation(stem: &[u8]) -> &[u8] {
    if stem.len() > 8 {
        return stem;
    }
    match stem {
        b"arg" => b"argument",
        b"attr" => b"attribut",
        b"cfg" | b"conf" | b"configur" => b"config",
        b"cmd" => b"command",
        b"ctx" => b"context",
        b"dep" => b"dependenci",
        b"dir" => b"directori",
        b"doc" => b"document",
        b"env" => b"environment",
        b"err" => b"error",
        b"exec" => b"execut",
        b"expr" => b"express",
        b"fmt" => b"format",
        b"fn" | b"func" => b"funct",
        b"impl" => b"implement",
        b"init" => b"initializ",
        b"iter" => b"iterat",
        b"lib" => b"librari",
        b"msg" => b"messag",
        b"param" => b"paramet",
        b"pkg" => b"packag",
        b"regexp" => b"regex",
        b"repo" => b"repositori",
        b"stmt" => b"statement",
        b"tmp" | b"temp" => b"temporari",
        other => other,
    }
}

/// Suffixes that are simply stripped, with the minimum length of the rest.
const PLAIN_ENDINGS: [(&[u8], usize); 4] = [(b"ly", 4), (b"ness", 4), (b"able", 4), (b"ible", 4)];

fn strip_plural(word: &[u8]) -> usize {
    let n = word.len();
    let ends = |ending: &[u8]| word.ends_with(ending);
    if ends(b"sses") || (ends(b"ies") && n > 4) {
        return n - 2;
    }
    if n > 4 && (ends(b"ches") || ends(b"shes") || ends(b"xes") || ends(b"zes")) {
        return n - 2;
    }
    if ends(b"s") && !(ends(b"ss") || ends(b"us") || ends(b"is")) { n - 1 } else { n }
}

fn strip_tense(word: &[u8]) -> usize {
    let n = word.len();
    if word.ends_with(b"ied") && n > 4 {
        return n - 2;
    }
    for ending in [b"ing".as_slice(), b"ed"] {
        let left = strip_ending(word, ending, 3);
        let vowel = word[..left].iter().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
        if left < n && vowel && !word.ends_with(b"eed") && word != b"embed" {
            return undouble_last(&word[..left]);
        }
    }
    n
}

/// Undoes the doubling of the last letter: "runn", "formatt".
fn undouble_last(word: &[u8]) -> usize {
    match word {
        [.., a, b] if a == b && word.len() > 3 && !matches!(b, b'l' | b's' | b'z' | b'e') => word.len() - 1,
        _ => word.len(),
    }
}

fn strip_ending(word: &[u8], ending: &[u8], at_least: usize) -> usize {
    let left = word.len().saturating_sub(ending.len());
    if left >= at_least && word.ends_with(ending) { left } else { word.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stemmed(word: &str) -> String {
        let mut bytes = word.as_bytes().to_vec();
        let n = stem(&mut bytes);
        bytes.truncate(n);
        String::from_utf8(expand_abbreviation(&bytes).to_vec()).unwrap()
    }

    #[test]
    fn the_forms_of_a_word_have_one_stem() {
        for forms in [
            "parse parses parsed parsing parser parsers",
            "print printing printed printer",
            "match matches matched matching matcher matchers",
            "query queries queried",
            "configuration configurations configure configured configurable config cfg",
            "serialize serializer serialized serialization serializing",
            "iterate iterator iteration iterators iter",
            "directory directories dir dirs",
            "run running runner runners runs",
            "format formatter formatting formatted formats fmt",
            "limit limits limiter limited limiting",
            "embed embeds embedding",
            "document documentation docs documents",
            "option options optional optionally",
            "dependency dependencies deps",
            "argument arguments args",
            "validate validation validator validating validates",
            "recursive recursively recursion",
        ] {
            let stems: Vec<String> = forms.split(' ').map(stemmed).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{forms}: {stems:?}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for pair in ["form format", "need new", "class clash", "status state", "test text", "us use"] {
            let (a, b) = pair.split_once(' ').unwrap();
            assert_ne!(stemmed(a), stemmed(b));
        }
    }

    #[test]
    fn other_tokens_are_not_stemmed() {
        for word in ["", "a", "utf8", "größen", "x86", "is"] {
            assert_eq!(stemmed(word), word);
        }
    }
}
