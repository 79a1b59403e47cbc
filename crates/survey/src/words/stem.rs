//! Forms of a word brought together: "parser", "parses", "parsing" and "parse" have one stem.
//!
//! It only cuts endings off, so it is fast enough for every word of a repository. A wrong cut does no harm as
//! long as all forms of a word are cut alike: nobody sees a stem.

/// Cuts the endings off `word`, which is in lower case. Returns the length of what is left.
pub(crate) fn stem(word: &mut [u8]) -> usize {
    if word.len() <= 3 || !word.iter().all(u8::is_ascii_lowercase) {
        return word.len();
    }
    let mut n = singular(word);
    for (ending, at_least) in PLAIN {
        n = without(&word[..n], ending, at_least);
    }
    n = without_tense(&word[..n]);
    let agent = without(&word[..n], b"er", 4).min(without(&word[..n], b"or", 4));
    n = if agent < n { single(&word[..agent]) } else { n };
    if word[..n].ends_with(b"ional") {
        n -= 2;
    }
    if word[..n].ends_with(b"tion") || word[..n].ends_with(b"sion") {
        n = without(&word[..n], b"ion", 3);
    }
    n = without(&word[..n], b"ive", 4);
    n = without(&word[..n], b"e", 3);
    n = without(&word[..n], b"at", 6);
    if let Some(last) = word[..n].last_mut().filter(|last| **last == b'y') {
        *last = b'i';
    }
    n
}

/// The usual long form of an abbreviation, as stems. What is no abbreviation stays.
pub(crate) fn spelled_out(stem: &[u8]) -> &[u8] {
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

/// Endings that are simply cut, with the least that must be left.
const PLAIN: [(&[u8], usize); 4] = [(b"ly", 4), (b"ness", 4), (b"able", 4), (b"ible", 4)];

fn singular(word: &[u8]) -> usize {
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

fn without_tense(word: &[u8]) -> usize {
    let n = word.len();
    if word.ends_with(b"ied") && n > 4 {
        return n - 2;
    }
    for ending in [b"ing".as_slice(), b"ed"] {
        let left = without(word, ending, 3);
        let vowel = word[..left].iter().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
        if left < n && vowel && !word.ends_with(b"eed") && word != b"embed" {
            return single(&word[..left]);
        }
    }
    n
}

/// Undoes the doubling of the last letter: "runn", "formatt".
fn single(word: &[u8]) -> usize {
    match word {
        [.., a, b] if a == b && word.len() > 3 && !matches!(b, b'l' | b's' | b'z' | b'e') => word.len() - 1,
        _ => word.len(),
    }
}

fn without(word: &[u8], ending: &[u8], at_least: usize) -> usize {
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
        String::from_utf8(spelled_out(&bytes).to_vec()).unwrap()
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
    fn what_is_no_plain_word_is_left_alone() {
        for word in ["", "a", "utf8", "größen", "x86", "is"] {
            assert_eq!(stemmed(word), word);
        }
    }
}
