//! `summary.md`: the page a person reads first. Only its status line changes later.

/// The title for a feature name: `add-login` becomes `Add Login`.
pub fn title(name: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>())
    };
    name.split(['-', '.', '/']).filter_map(capital).collect::<Vec<_>>().join(" ")
}

/// The value of the line `> **Status:** …`.
pub fn status(text: &str) -> Option<&str> {
    text.lines().find_map(status_of)
}

/// Changes the status line; none if there is no such line.
pub fn with_status(text: &str, status: &str) -> Option<String> {
    let old = text.lines().find_map(status_of)?;
    let at = crate::markdown::offset_in(text, old);
    let gap = if text[..at].ends_with([' ', '\t']) { "" } else { " " };
    Some(format!("{}{gap}{status}{}", &text[..at], &text[at + old.len()..]))
}

/// The text between `## Summary` and the next rule or heading.
pub fn summary(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| !line.trim().eq_ignore_ascii_case("## summary"));
    lines.next()?;
    let body: Vec<&str> =
        lines.map(str::trim).take_while(|line| *line != "---" && !line.starts_with('#')).collect();
    let body = body.join(" ");
    let words: Vec<&str> = body.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn status_of(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('>')?.trim_start();
    let value = rest.strip_prefix("**Status:**").or_else(|| rest.strip_prefix("Status:"))?;
    Some(value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Add Login\r\n\r\n> **Status:** Draft\r\n> **Status:** other\r\n\r\n## Summary\r\n\r\nOne sentence.\r\nAnother one.\r\n\r\n---\r\n\r\n## Key Decisions\r\n";

    #[test]
    fn a_name_becomes_a_title() {
        assert_eq!(title("design-incremental-execution"), "Design Incremental Execution");
        assert_eq!(title("shop.cart"), "Shop Cart");
        assert_eq!(title("2fa"), "2fa");
        assert_eq!(title(""), "");
    }

    #[test]
    fn the_first_status_line_changes_and_nothing_else() {
        assert_eq!(status(TEXT), Some("Draft"));
        let approved = with_status(TEXT, "Approved").unwrap();
        assert_eq!(approved, TEXT.replacen("Draft", "Approved", 1));
        assert_eq!(with_status("# no status", "Approved"), None);
        assert_eq!(with_status("> **Status:**\n", "Draft").as_deref(), Some("> **Status:** Draft\n"));
    }

    #[test]
    fn the_summary_ends_at_the_rule() {
        assert_eq!(summary(TEXT).as_deref(), Some("One sentence. Another one."));
        assert_eq!(summary("## Summary\n\n## Next\n"), None);
        assert_eq!(summary("nothing"), None);
    }
}
