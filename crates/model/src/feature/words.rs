//! Slugs: the words of a description in lower case, ASCII letters and digits only. A description
//! without any Latin letter is transcribed.

/// Words that say nothing about a feature, left out where a name would be too long.
const STOP_WORDS: [&str; 62] = [
    "a", "about", "after", "all", "also", "an", "and", "are", "as", "at", "be", "because", "been", "before",
    "but", "by", "can", "could", "do", "does", "each", "every", "for", "from", "has", "have", "if", "in",
    "into", "is", "it", "its", "must", "of", "on", "one", "or", "our", "over", "shall", "should", "so",
    "some", "such", "than", "that", "the", "their", "then", "there", "they", "this", "to", "we", "when",
    "where", "which", "while", "will", "with", "would", "you",
];

/// Words that begin a new clause.
const CONJUNCTIONS: [&str; 12] =
    ["because", "before", "if", "so", "that", "when", "where", "whereas", "which", "while", "who", "without"];

/// Name for a description, of at most `limit` bytes: all its words if they fit, else those of its first clause, without
/// the words that say nothing. Words stay whole.
pub fn name_slug(description: &str, limit: usize) -> String {
    let latin = slug(description, limit);
    if latin.is_empty() {
        return slug(&transcribed(description), limit);
    }
    let all = slug(description, limit.saturating_add(1));
    if all.len() <= limit && !is_cut(description, &all, limit) {
        return all;
    }
    let line = description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches(['#', '>', '-', '*', ' ']);
    let whole = slug(line, limit.saturating_add(1));
    if whole.len() <= limit && whole.contains('-') && !is_cut(line, &whole, limit) {
        return whole;
    }
    let clause = first_clause(line);
    let short = slug(clause, limit.saturating_add(1));
    if short.len() <= limit && !is_cut(clause, &short, limit) && short.contains('-') {
        return without_dangling(&short);
    }
    let longer = slug(clause, usize::MAX);
    let said: Vec<&str> = longer.split('-').filter(|word| !STOP_WORDS.contains(word)).collect();
    let said = slug(&said.join(" "), limit);
    if said.is_empty() { slug(line, limit) } else { said }
}

/// The letters of other scripts, as far as they can be written in Latin ones.
fn transcribed(text: &str) -> String {
    let letters = |c: char| if c.is_alphanumeric() { any_ascii::any_ascii_char(c) } else { " " };
    text.chars().map(letters).collect()
}

/// True if a slug does not hold all words of a text.
fn is_cut(text: &str, slug_of_text: &str, limit: usize) -> bool {
    slug(text, usize::MAX).len() > slug_of_text.len().min(limit)
}

/// The text up to the first mark or word that begins another clause, if two words come before it.
fn first_clause(line: &str) -> &str {
    let mark = |(at, c): (usize, char)| {
        let next = line[at + c.len_utf8()..].chars().next();
        (matches!(c, ',' | ';' | ':' | '.' | '?' | '!') && next.is_none_or(char::is_whitespace))
            || matches!(c, '(' | '—' | '–' | '。' | '，' | '、')
    };
    let marks = line.char_indices().filter(|&found| mark(found)).map(|(at, _)| at);
    let words = line.char_indices().filter(|(_, c)| *c == ' ').filter_map(|(at, _)| {
        let next = line[at..].split_whitespace().next()?.to_lowercase();
        CONJUNCTIONS.contains(&next.as_str()).then_some(at)
    });
    let mut ends: Vec<usize> = marks.chain(words).collect();
    ends.sort_unstable();
    let is_enough = |end: &usize| line[..*end].split_whitespace().count() > 1;
    ends.into_iter().find(is_enough).map_or(line, |end| &line[..end])
}

/// A name that does not end in a word which says nothing.
fn without_dangling(name: &str) -> String {
    let mut words: Vec<&str> = name.split('-').collect();
    while words.len() > 1 && words.last().is_some_and(|word| STOP_WORDS.contains(word)) {
        words.pop();
    }
    words.join("-")
}

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
    fn names_are_made_of_words_that_say_something() {
        for (description, name) in [
            ("add rate limiting to the public API", "add-rate-limiting-to-the-public-api"),
            (
                "let blueprints register their own JSON provider",
                "let-blueprints-register-their-own-json-provider",
            ),
            ("add a Context helper which renders YAML with indentation", "add-a-context-helper"),
            (
                "Add charrette mcp, an MCP server over stdio, so that a coding agent can start a design",
                "add-charrette-mcp",
            ),
            (
                "# Export invoices as PDF\n\nEvery month a customer wants all of them in one file.",
                "export-invoices-as-pdf",
            ),
            (
                "support a configurable per connection timeout and retry budget of all background workers",
                "support-configurable-per-connection-timeout-retry",
            ),
            ("数据 导出", "shuju-daochu"),
            ("Экспорт данных", "eksport-dannykh"),
            ("公開APIにレート制限を追加する", "api"),
            ("🚦 → ✅", ""),
            (
                "supercalifragilisticexpialidocious-and-then-some-more words",
                "supercalifragilisticexpialidocious-more-words",
            ),
        ] {
            assert_eq!(name_slug(description, 50), name, "{description}");
        }
    }

    #[test]
    fn a_megabyte_without_a_space_is_one_cut_word() {
        assert_eq!(slug(&"é".repeat(1 << 20), 50), "e".repeat(50));
    }
}
