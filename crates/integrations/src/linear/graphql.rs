//! GraphQL documents, and the types of their responses.

use serde::Deserialize;
use serde_json::Value;

pub(super) const VIEWER: &str = "query Viewer { viewer { name } }";

pub(super) const TEAMS: &str =
    "query Teams($filter: TeamFilter!) { teams(filter: $filter, first: 20) { nodes { id key name } } }";

pub(super) const CREATE: &str = "mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { identifier url } } }";

pub(super) const ISSUE: &str = "query Issue($id: String!) { issue(id: $id) { identifier url } }";

#[derive(Debug, Deserialize)]
pub(super) struct GraphqlResponse {
    pub(super) data: Option<Value>,
    #[serde(default)]
    pub(super) errors: Vec<GraphqlError>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct GraphqlError {
    message: String,
    extensions: Extensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Extensions {
    code: Option<String>,
    user_presentable_message: Option<String>,
}

impl GraphqlError {
    /// The service's code for this kind of error.
    pub(super) fn code(&self) -> &str {
        self.extensions.code.as_deref().unwrap_or_default()
    }

    /// The message for people; else the one for programs.
    pub(super) fn message(&self) -> &str {
        self.extensions.user_presentable_message.as_deref().unwrap_or(&self.message)
    }

    pub(super) fn is_not_found(&self) -> bool {
        let mentions = |text: &str| text.to_ascii_lowercase().contains("not found");
        mentions(&self.message) || mentions(self.message())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ViewerData {
    pub(super) viewer: Viewer,
}

#[derive(Debug, Deserialize)]
pub(super) struct Viewer {
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct TeamsData {
    pub(super) teams: TeamNodes,
}

#[derive(Debug, Deserialize)]
pub(super) struct TeamNodes {
    pub(super) nodes: Vec<super::client::Team>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateData {
    pub(super) issue_create: CreatePayload,
}

#[derive(Debug, Deserialize)]
pub(super) struct CreatePayload {
    pub(super) success: bool,
    pub(super) issue: Option<IssueNode>,
}

#[derive(Debug, Deserialize)]
pub(super) struct IssueData {
    pub(super) issue: IssueNode,
}

#[derive(Debug, Deserialize)]
pub(super) struct IssueNode {
    pub(super) identifier: String,
    pub(super) url: String,
}
