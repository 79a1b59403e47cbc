//! The tracker issue of a specification: its text, and its reference in the files.

use super::status::{SpecStatus, with_status};
use super::summary::list_items;
use charrette_model::spec::record::{LinearIssue, RecordError, with_approval};
use charrette_model::spec::sections::Sections;
use charrette_model::spec::summary;
use serde::Serialize;

/// Title and description of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IssueText {
    pub title: String,
    /// Markdown.
    pub description: String,
}

/// Text of the issue of a specification. `folder` is the path of the specification and ends with `/`.
pub fn issue_text(files: &[(String, String)], feature: &str, folder: &str) -> IssueText {
    let page = files.iter().find(|(name, _)| name == "summary.md").map_or("", |(_, text)| text.as_str());
    let title = summary::title(feature);
    let about = summary::summary(page).unwrap_or_default();
    let sections = Sections::parse(page);
    let decisions = sections.find(&["Key Decisions"]).map(|section| list_items(section.body));
    let decisions: Vec<String> =
        decisions.unwrap_or_default().iter().map(|decision| format!("- {decision}")).collect();
    IssueText {
        title: format!("[Design] {title}"),
        description: format!(
            "## {title}\n\n{about}\n\n**Spec:** {folder}\n\n### Key Decisions\n{}",
            decisions.join("\n")
        ),
    }
}

/// The files with status approved, the day of the approval and the reference to the issue.
pub fn with_issue(
    files: &[(String, String)],
    issue: &LinearIssue,
    day: &str,
) -> Result<Vec<(String, String)>, RecordError> {
    let mut files = with_status(files, SpecStatus::Approved, day);
    for (name, text) in &mut files {
        if name == "spec.json" {
            *text = with_approval(text, Some(issue), day)?;
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deliverable::without_status;

    fn file(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    fn files() -> Vec<(String, String)> {
        vec![
            file(
                "summary.md",
                "# Add Login\n\n> **Status:** Draft\n\n## Summary\n\nOne.\nTwo.\n\n---\n\n## Key Decisions\n\n1. **Tokens** not cookies\n2. No SSO\n\n## Files\n\n- [x](x.md)\n",
            ),
            file(
                "spec.json",
                "{\n  \"name\": \"add-login\",\n  \"status\": \"draft\",\n  \"updated\": \"2026-01-01\"\n}\n",
            ),
            file("meta.yaml", "id: add-login\nstatus: draft\nupdated: 2026-01-01\n"),
        ]
    }

    #[test]
    fn an_issue_says_what_it_is_about_where_it_is_and_what_was_decided() {
        let text = issue_text(&files(), "add-login", "specs/add-login/");
        assert_eq!(text.title, "[Design] Add Login");
        assert_eq!(
            text.description,
            "## Add Login\n\nOne. Two.\n\n**Spec:** specs/add-login/\n\n### Key Decisions\n- **Tokens** not cookies\n- No SSO"
        );
    }

    #[test]
    fn the_files_change_together_and_what_was_approved_does_not() {
        let issue = LinearIssue { identifier: "BASE-1".to_owned(), url: "https://x.y/BASE-1".to_owned() };
        let after = with_issue(&files(), &issue, "2026-02-03").unwrap();
        assert!(after[0].1.contains("> **Status:** Approved"), "{}", after[0].1);
        let spec: serde_json::Value = serde_json::from_str(&after[1].1).unwrap();
        assert_eq!(spec["linear"], serde_json::json!({"identifier": "BASE-1", "url": "https://x.y/BASE-1"}));
        assert_eq!((&spec["status"], &spec["updated"]), (&"approved".into(), &"2026-02-03".into()));
        assert!(
            after[2].1.contains("status: approved") && after[2].1.contains("2026-02-03"),
            "{}",
            after[2].1
        );
        assert_eq!(without_status(&files()), without_status(&after));
        let broken = [file("spec.json", "{")];
        assert!(with_issue(&broken, &issue, "2026-02-03").is_err());
    }
}
