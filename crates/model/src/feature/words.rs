//! Slugs: the words of a description in lower case, ASCII letters and digits only.

/// The words of `text` joined by hyphens, as many as fit into `limit` bytes.
///
/// Words are kept whole; only a first word that is too long by itself is cut.
pub fn slug(text: &str, limit: usize) -> String {
    let mut name = String::new();
    let mut word = String::new();
    for c in text.chars().chain(std::iter::once(' ')) {
        // "don't" is one word, and a word that cannot fit any more need not be collected.
        if matches!(c, '\'' | '’') || (word.len() <= limit && push_letters(c, &mut word)) {
            continue;
        }
        if c.is_alphanumeric() && word.len() > limit || word.is_empty() {
            continue;
        }
        if name.is_empty() {
            word.truncate(limit);
            name = std::mem::take(&mut word);
        } else if name.len() + 1 + word.len() <= limit {
            name.push('-');
            name.push_str(&word);
            word.clear();
        } else {
            break;
        }
    }
    name
}

/// Appends the ASCII form of a character; false if it separates words.
fn push_letters(c: char, word: &mut String) -> bool {
    let c = c.to_lowercase().next().unwrap_or(c);
    let plain = match c {
        'a'..='z' | '0'..='9' => {
            word.push(c);
            return true;
        }
        'à'..='å' => "a",
        'æ' => "ae",
        'ç' => "c",
        'è'..='ë' => "e",
        'ì'..='ï' => "i",
        'ñ' => "n",
        'ò'..='ö' | 'ø' => "o",
        'ù'..='ü' => "u",
        'ý' | 'ÿ' => "y",
        'ß' => "ss",
        _ => return false,
    };
    word.push_str(plain);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_whole_unless_the_first_is_too_long() {
        for (text, limit, name) in [
            ("Add rate limiting", 50, "add-rate-limiting"),
            ("Add rate limiting", 8, "add-rate"),
            ("Add rate limiting", 7, "add"),
            ("  --Don't / shouldn’t_panic!  ", 50, "dont-shouldnt-panic"),
            ("Größe des Menüs à la carte", 50, "grosse-des-menus-a-la-carte"),
            ("supercalifragilistic word", 5, "super"),
            ("数据 导出 v2", 50, "v2"),
            ("数据", 50, ""),
            ("", 50, ""),
            ("x", 0, ""),
        ] {
            assert_eq!(slug(text, limit), name, "{text:?} in {limit}");
        }
    }

    #[test]
    fn a_megabyte_without_a_space_is_one_cut_word() {
        assert_eq!(slug(&"é".repeat(1 << 20), 50), "e".repeat(50));
    }
}
