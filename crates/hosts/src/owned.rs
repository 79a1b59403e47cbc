//! Files that belong to charrette as a whole: the plugin of opencode, skills, the rule of Cursor, and copies of the pages
//! about formats.

use std::path::{Path, PathBuf};

/// In the first line of every such file, or in the first one after its front matter.
const MARK: &str = "Written by charrette init";

/// Start of the name of every skill that is installed without the plug-in, where names have no namespace.
pub(crate) const SKILL_PREFIX: &str = "charrette-";

/// A skill of the plug-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Name in the plug-in.
    pub name: String,
    /// `SKILL.md` of the plug-in.
    pub text: String,
}

/// True if a file is one of ours.
pub fn has_mark(text: &str) -> bool {
    let body = front_matter(text).map_or(text, |(_, body)| body);
    body.lines().next().is_some_and(|line| line.contains(MARK))
}

/// Front matter without its rules, and the text after it.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("---\n")?.split_once("\n---\n")
}

impl Skill {
    /// Name of its folder, and its content there.
    pub(crate) fn installed(&self) -> (String, String) {
        let name = format!("{SKILL_PREFIX}{}", self.name);
        let (front, body) = front_matter(&self.text).unwrap_or(("", &self.text));
        let front: Vec<String> = front
            .lines()
            .map(|line| if line.starts_with("name:") { format!("name: {name}") } else { line.to_owned() })
            .collect();
        let mark = format!("<!-- {MARK}: a copy of the skill {} of charrette. -->", self.name);
        let text = format!("---\n{}\n---\n{mark}\n{body}", front.join("\n"));
        (name, text)
    }
}

/// A rule of Cursor that the agent reads when it fits: how to work with the server.
pub fn cursor_rule() -> String {
    format!(
        "---\ndescription: Designs and researches of several agents with charrette. Use it when the user wants to design, plan, \
         specify or understand a change across several files, or asks how a run is doing.\nalwaysApply: false\n---\n<!-- {MARK}. -->\n{}",
        include_str!("../../../plugin/GEMINI.md")
    )
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
        assert!(has_mark(&opencode_plugin()) && has_mark(&cursor_rule()));
        let pages = format_pages(Path::new("/r"));
        assert_eq!(pages.len(), 2);
        for (path, page) in pages {
            assert!(has_mark(&page), "{}", path.display());
            assert!(!page.contains("](checkpoint") && !page.contains("](handoff") && !page.contains("](.."));
        }
        assert!(!has_mark("# Checkpoint\n"));
    }

    #[test]
    fn an_installed_skill_has_its_folder_as_name_and_the_mark_after_the_front_matter() {
        let text = "---\nname: status\ndescription: Shows runs.\n---\n\n# Runs\n\nname: kept\n".to_owned();
        let (name, installed) = Skill { name: "status".to_owned(), text: text.clone() }.installed();
        assert_eq!(name, "charrette-status");
        assert_eq!(
            installed,
            "---\nname: charrette-status\ndescription: Shows runs.\n---\n<!-- Written by charrette init: a copy of the skill status of charrette. -->\n\n# Runs\n\nname: kept\n"
        );
        assert!(has_mark(&installed) && !has_mark(&text));
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
