//! Files that belong to charrette as a whole: the plugin of opencode, and copies of the pages about formats.

use std::path::{Path, PathBuf};

/// Start of every such file, after the sign of a comment.
const MARK: &str = "Written by charrette init";

/// True if a file is one of ours.
pub fn has_mark(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.contains(MARK))
}

/// The plugin of opencode: asks the hook before each tool.
pub fn opencode_plugin() -> String {
    include_str!("opencode_plugin.js").to_owned()
}

/// Copies of the pages about formats that agents and people in a repository work with: path and content.
pub fn format_pages(root: &Path) -> Vec<(PathBuf, String)> {
    let folder = root.join(".claude").join("formats");
    [
        ("checkpoint.md", include_str!("../../../docs/formats/checkpoint.md")),
        ("handoff.md", include_str!("../../../docs/formats/handoff.md")),
    ]
    .into_iter()
    .map(|(name, page)| {
        let mark = format!("<!-- {MARK}: a copy of docs/formats/{name} of charrette. -->\n");
        (folder.join(name), mark + &without_links(page))
    })
    .collect()
}

/// A page without links to its neighbours, which are not copied.
fn without_links(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find("](") {
        let (before, link) = rest.split_at(at);
        let Some(end) = link.find(')') else { break };
        let label = before.rfind('[');
        match label {
            Some(label) if !link.starts_with("](http") && !link.starts_with("](#") => {
                text.push_str(&before[..label]);
                text.push_str(&before[label + 1..]);
            }
            _ => text.push_str(&rest[..=at + end]),
        }
        rest = &link[end + 1..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_owned_file_has_the_mark() {
        assert!(has_mark(&opencode_plugin()));
        let pages = format_pages(Path::new("/r"));
        assert_eq!(pages.len(), 2);
        for (path, page) in pages {
            assert!(has_mark(&page), "{}", path.display());
            assert!(!page.contains("](checkpoint") && !page.contains("](handoff") && !page.contains("](.."));
        }
        assert!(!has_mark("# Checkpoint\n"));
    }

    #[test]
    fn links_to_neighbours_become_their_label() {
        let page = "See [a](b.md), [site](https://example.com) and [there](#there); list[0] (x).\n";
        assert_eq!(
            without_links(page),
            "See a, [site](https://example.com) and [there](#there); list[0] (x).\n"
        );
    }
}
