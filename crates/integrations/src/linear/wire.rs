//! What goes over the wire: the four documents, and the shapes of their answers.

use serde::Deserialize;
use serde_json::Value;

pub(super) const VIEWER: &str = "query Viewer { viewer { name } }";

pub(super) const TEAMS: &str =
    "query Teams($filter: TeamFilter!) { teams(filter: $filter, first: 20) { nodes { id key name } } }";

pub(super) const CREATE: &str = "mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { identifier url } } }";

pub(super) const ISSUE: &str = "query Issue($id: String!) { issue(id: $id) { identifier url } }";

/// Any answer.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) data: Option<Value>,
    #[serde(default)]
    pub(super) errors: Vec<Complaint>,
}

/// One error of an answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Complaint {
    message: String,
    extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Extensions {
    code: Option<String>,
    user_presentable_message: Option<String>,
}

impl Complaint {
    /// What kind of error it is, as the service calls it.
    pub(super) fn code(&self) -> &str {
        self.extensions.code.as_deref().unwrap_or_default()
    }

    /// What it says to people; else what it says to programs.
    pub(super) fn said(&self) -> &str {
        self.extensions.user_presentable_message.as_deref().unwrap_or(&self.message)
    }

    /// Whether it says that there is no such thing.
    pub(super) fn is_not_found(&self) -> bool {
        let says = |text: &str| text.to_ascii_lowercase().contains("not found");
        says(&self.message) || says(self.said())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ViewerData {
    pub(super) viewer: Named,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct TeamsData {
    pub(super) teams: Teams,
}

#[derive(Debug, Deserialize)]
pub(super) struct Teams {
    pub(super) nodes: Vec<super::client::Team>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateData {
    pub(super) issue_create: Created,
}

#[derive(Debug, Deserialize)]
pub(super) struct Created {
    pub(super) success: bool,
    pub(super) issue: Option<Issue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct IssueData {
    pub(super) issue: Issue,
}

#[derive(Debug, Deserialize)]
pub(super) struct Issue {
    pub(super) identifier: String,
    pub(super) url: String,
}
