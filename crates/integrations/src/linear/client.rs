//! The client: requests with retries, and an issue that is created once however often that is requested.

use super::error::LinearError;
use super::graphql::{
    CREATE, CreateData, GraphqlError, GraphqlResponse, ISSUE, IssueData, IssueNode, TEAMS, TeamsData, VIEWER,
    ViewerData,
};
use super::options::LinearOptions;
use crate::text::redact;
use charrette_http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use charrette_http::{
    Address, HttpClient, HttpError, PlainHttp, RetryPolicy, RetryVerdict, StatusCode, Timeouts,
};
use charrette_model::escape::printable;
use charrette_model::spec::record::LinearIssue;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// Maximum size of a response; those we ask for have a few hundred bytes.
const MAX_RESPONSE_BYTES: usize = 1 << 20;
/// Maximum length of an issue's identifier or URL.
const MAX_FIELD_BYTES: usize = 2000;

/// The Linear client, for one key.
#[derive(Debug)]
pub struct Linear {
    http: HttpClient,
    key: SecretString,
    retry: RetryPolicy,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Team {
    /// A UUID.
    pub id: String,
    /// The prefix of its issues: `ENG`.
    pub key: String,
    pub name: String,
}

/// An issue to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssue {
    /// Chosen by us: the same for every try. See [`crate::stable_id`].
    pub id: String,
    /// The team's UUID.
    pub team: String,
    pub title: String,
    /// Markdown.
    pub description: String,
}

/// A failed request.
#[derive(Debug)]
enum RequestError {
    /// A retry may help, after the wait that the service asks for.
    Temporary(LinearError, Option<Duration>),
    Permanent(LinearError),
    /// An error in the response that some operations can handle.
    Graphql(Box<GraphqlError>),
}

impl Linear {
    pub fn new(endpoint: &str, key: SecretString, options: LinearOptions) -> Result<Linear, LinearError> {
        let address = Address::parse(endpoint, PlainHttp::LoopbackOnly).map_err(LinearError::Endpoint)?;
        let http = HttpClient::new(address, Timeouts::total(options.timeout))
            .map_err(|error| LinearError::Unreachable(error.to_string()))?;
        Ok(Linear { http, key, retry: options.retry })
    }

    /// The name of the key's owner.
    pub async fn viewer(&self) -> Result<String, LinearError> {
        let data: ViewerData = self.query(VIEWER, json!({})).await?;
        Ok(printable(&data.viewer.name).to_string())
    }

    /// The team with that UUID, key or name. A key takes precedence over a name.
    pub async fn team(&self, wanted: &str) -> Result<Team, LinearError> {
        let wanted = wanted.trim();
        let filter = if uuid::Uuid::parse_str(wanted).is_ok() {
            json!({"id": {"eq": wanted}})
        } else {
            json!({"or": [{"key": {"eqIgnoreCase": wanted}}, {"name": {"eqIgnoreCase": wanted}}]})
        };
        let data: TeamsData = self.query(TEAMS, json!({"filter": filter})).await?;
        select_team(data.teams.nodes, wanted)
    }

    /// Creates an issue, or finds the one that an earlier try has created.
    pub async fn create(&self, issue: &NewIssue) -> Result<LinearIssue, LinearError> {
        let NewIssue { id, team, title, description } = issue;
        let input = json!({"id": id, "teamId": team, "title": title, "description": description});
        let refusal = match self.request::<CreateData>(CREATE, json!({"input": input})).await {
            Ok(CreateData { issue_create: created }) => match created.issue {
                Some(issue) if created.success => return issue.validate(),
                _ => LinearError::Rejected("it gave no reason".to_owned()),
            },
            Err(RequestError::Graphql(error)) => self.rejected(&error),
            Err(RequestError::Temporary(error, _) | RequestError::Permanent(error)) => return Err(error),
        };
        // If the issue exists, it is the one that was requested, no matter how the refusal is worded.
        match self.issue(id).await {
            Ok(Some(issue)) => Ok(issue),
            Ok(None) | Err(_) => Err(refusal),
        }
    }

    /// The issue with that id, if there is one.
    pub async fn issue(&self, id: &str) -> Result<Option<LinearIssue>, LinearError> {
        match self.request::<IssueData>(ISSUE, json!({"id": id})).await {
            Ok(data) => data.issue.validate().map(Some),
            Err(RequestError::Graphql(error)) if error.is_not_found() => Ok(None),
            Err(error) => Err(self.linear_error(error)),
        }
    }

    async fn query<T: DeserializeOwned>(&self, document: &str, variables: Value) -> Result<T, LinearError> {
        self.request(document, variables).await.map_err(|error| self.linear_error(error))
    }

    /// Sends a document, with retries: every document here is safe to repeat.
    async fn request<T: DeserializeOwned>(
        &self,
        document: &str,
        variables: Value,
    ) -> Result<T, RequestError> {
        let body = json!({"query": document, "variables": variables}).to_string();
        let data = self.retry.run(|| self.send(body.clone()), retry_verdict, |_| ()).await?;
        serde_json::from_value(data).map_err(|error| {
            RequestError::Permanent(LinearError::InvalidResponse(printable(&error.to_string()).to_string()))
        })
    }

    /// One try: sends a body, returns the data of the response.
    async fn send(&self, body: String) -> Result<Value, RequestError> {
        let headers = self.headers().ok_or(RequestError::Permanent(LinearError::Key))?;
        let response = self.http.post(headers, body).await.map_err(http_error)?;
        let (status, retry_after) = (response.status(), response.retry_after());
        let body = response.body(MAX_RESPONSE_BYTES).await.map_err(http_error)?;
        self.parse_response(status, retry_after, &body)
    }

    fn parse_response(
        &self,
        status: StatusCode,
        retry_after: Option<Duration>,
        body: &[u8],
    ) -> Result<Value, RequestError> {
        let response = serde_json::from_slice::<GraphqlResponse>(body);
        let error = response.as_ref().ok().and_then(|response| response.errors.first());
        let message = match error {
            Some(error) => redact(error.message(), &self.key),
            None if body.trim_ascii().is_empty() => "nothing".to_owned(),
            None => redact(&String::from_utf8_lossy(body), &self.key),
        };
        let code = error.map(GraphqlError::code).unwrap_or_default().to_owned();
        let service = || LinearError::Service { status: status.as_u16(), message: message.clone() };
        match (status.as_u16(), code.as_str()) {
            (429, _) | (_, "RATELIMITED") => {
                let error = LinearError::RateLimited(retry_after.map(|wait| wait.as_secs()));
                return Err(RequestError::Temporary(error, retry_after));
            }
            (401 | 403, _) | (_, "AUTHENTICATION_ERROR" | "FORBIDDEN") => {
                return Err(RequestError::Permanent(LinearError::Unauthorised(message)));
            }
            (500.., _) | (_, "INTERNAL_SERVER_ERROR") => {
                return Err(RequestError::Temporary(service(), retry_after));
            }
            _ => {}
        }
        match response {
            Ok(mut response) if !response.errors.is_empty() => {
                Err(RequestError::Graphql(Box::new(response.errors.swap_remove(0))))
            }
            _ if !status.is_success() => Err(RequestError::Permanent(service())),
            Ok(GraphqlResponse { data: Some(data), .. }) => Ok(data),
            Ok(_) => {
                Err(RequestError::Permanent(LinearError::InvalidResponse("it holds no data".to_owned())))
            }
            Err(_) => Err(RequestError::Temporary(LinearError::InvalidResponse(message), retry_after)),
        }
    }

    /// The key is the header's whole value: it is no bearer token.
    fn headers(&self) -> Option<HeaderMap> {
        let mut key = HeaderValue::from_str(self.key.expose_secret().trim()).ok()?;
        key.set_sensitive(true);
        let json = HeaderValue::from_static("application/json");
        Some(HeaderMap::from_iter([(AUTHORIZATION, key), (CONTENT_TYPE, json)]))
    }

    fn linear_error(&self, error: RequestError) -> LinearError {
        match error {
            RequestError::Temporary(error, _) | RequestError::Permanent(error) => error,
            RequestError::Graphql(error) => self.rejected(&error),
        }
    }

    fn rejected(&self, error: &GraphqlError) -> LinearError {
        LinearError::Rejected(redact(error.message(), &self.key))
    }
}

fn retry_verdict(error: &RequestError) -> RetryVerdict {
    match error {
        RequestError::Temporary(_, Some(wait)) => RetryVerdict::After(*wait),
        RequestError::Temporary(_, None) => RetryVerdict::Backoff,
        RequestError::Permanent(_) | RequestError::Graphql(_) => RetryVerdict::Never,
    }
}

fn http_error(error: HttpError) -> RequestError {
    match error {
        HttpError::BodyTooLarge { limit } => RequestError::Permanent(LinearError::TooLarge(limit)),
        HttpError::Setup(_) => RequestError::Permanent(LinearError::Unreachable(error.to_string())),
        error => RequestError::Temporary(LinearError::Unreachable(error.to_string()), None),
    }
}

/// The one team that has the key or the name.
fn select_team(mut teams: Vec<Team>, wanted: &str) -> Result<Team, LinearError> {
    let by_key = teams.iter().position(|team| team.key.eq_ignore_ascii_case(wanted));
    match (by_key, teams.len()) {
        (Some(index), _) => Ok(teams.swap_remove(index)),
        (None, 1) => Ok(teams.swap_remove(0)),
        (None, 0) => Err(LinearError::NoTeam(printable(wanted).to_string())),
        (None, _) => {
            let keys: Vec<&str> = teams.iter().map(|team| team.key.as_str()).collect();
            let keys = printable(&keys.join(", ")).to_string();
            Err(LinearError::AmbiguousTeam { name: printable(wanted).to_string(), keys })
        }
    }
}

impl IssueNode {
    /// The issue, if its fields are safe to show on a terminal and to keep in a committed file.
    fn validate(self) -> Result<LinearIssue, LinearError> {
        let IssueNode { identifier, url } = self;
        let is_plain = |text: &str| {
            !text.is_empty()
                && text.len() <= MAX_FIELD_BYTES
                && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let is_url = url.starts_with("https://") || url.starts_with("http://");
        if is_plain(&identifier) && is_plain(&url) && is_url {
            Ok(LinearIssue { identifier, url })
        } else {
            Err(LinearError::InvalidResponse("the issue has no valid identifier and URL".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn team(key: &str, name: &str) -> Team {
        Team { id: format!("id of {key}"), key: key.to_owned(), name: name.to_owned() }
    }

    #[test]
    fn team_keys_precede_names_and_names_must_be_unique() {
        let choose = |teams: &[Team], wanted: &str| {
            select_team(teams.to_vec(), wanted).map(|team| team.key).map_err(|error| error.to_string())
        };
        let (eng, ops) = (team("ENG", "Engineering"), team("OPS", "eng"));
        assert_eq!(choose(&[ops.clone(), eng.clone()], "eng"), Ok("ENG".to_owned()));
        assert_eq!(choose(std::slice::from_ref(&eng), "Engineering"), Ok("ENG".to_owned()));
        assert!(choose(&[], "nobody").unwrap_err().contains("no team \"nobody\""));
        let two = choose(&[team("A", "Web"), team("B", "web")], "web").unwrap_err();
        assert!(two.ends_with("A, B"), "{two}");
    }

    #[test]
    fn a_client_that_cannot_be_set_up_is_not_retried() {
        let verdict = |error| retry_verdict(&http_error(error));
        assert_eq!(verdict(HttpError::Setup("no certificates".to_owned())), RetryVerdict::Never);
        assert_eq!(verdict(HttpError::Connect("refused".to_owned())), RetryVerdict::Backoff);
    }

    #[test]
    fn issues_with_unsafe_fields_are_refused() {
        let check = |identifier: &str, url: &str| {
            IssueNode { identifier: identifier.to_owned(), url: url.to_owned() }.validate().is_ok()
        };
        assert!(check("ENG-1", "https://linear.app/acme/issue/ENG-1"));
        for (identifier, url) in [
            ("", "https://x.y"),
            ("ENG-1", ""),
            ("ENG\n1", "https://x.y"),
            ("ENG-1", "javascript:alert(1)"),
            ("ENG-1", "https://x.y/\u{1b}[2J"),
            ("ENG-1", "https://x y"),
        ] {
            assert!(!check(identifier, url), "{identifier:?} {url:?}");
        }
    }
}
