//! The client: one request at a time, tried again while that makes sense, and an issue that is made once however
//! often it is asked for.

use super::error::LinearError;
use super::patience::Patience;
use super::wire::{
    Answer, CREATE, Complaint, CreateData, ISSUE, Issue, IssueData, TEAMS, TeamsData, VIEWER, ViewerData,
};
use crate::http::{self, Cut};
use charrette_model::shown::shown;
use charrette_model::spec::record::LinearIssue;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, StatusCode, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// How much of an answer is read; those we ask for are a few hundred bytes.
const MOST: usize = 1 << 20;
/// Longer than any identifier or address of an issue.
const LONGEST: usize = 2000;

/// The tracker, for one key.
#[derive(Debug)]
pub struct Linear {
    url: Url,
    key: SecretString,
    http: Client,
    patience: Patience,
}

/// A team.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Team {
    /// Its UUID.
    pub id: String,
    /// What its issues begin with: `ENG`.
    pub key: String,
    /// What people call it.
    pub name: String,
}

/// An issue to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssue {
    /// Its id, chosen by us: the same for every attempt. See [`crate::stable_id`].
    pub id: String,
    /// The team's UUID.
    pub team: String,
    /// Its title.
    pub title: String,
    /// Its description, as Markdown.
    pub description: String,
}

/// Why an attempt came to nothing.
#[derive(Debug)]
enum Setback {
    /// Another attempt may do better, after a while.
    Again(LinearError, Option<Duration>),
    /// No other attempt will.
    Final(LinearError),
    /// It was understood and refused, for a reason that some operations can do something about.
    Complaint(Box<Complaint>),
}

impl Linear {
    /// The tracker at that address.
    pub fn new(endpoint: &str, key: SecretString, patience: Patience) -> Result<Linear, LinearError> {
        let url = http::address(endpoint).map_err(LinearError::Endpoint)?;
        let client = http::client(&url, patience.attempt);
        let http = client.map_err(|error| LinearError::Unreachable(http::in_words(error)))?;
        Ok(Linear { url, key, http, patience })
    }

    /// Whose key it is.
    pub async fn viewer(&self) -> Result<String, LinearError> {
        let data: ViewerData = self.data(VIEWER, json!({})).await?;
        Ok(shown(&data.viewer.name).to_string())
    }

    /// The team of that UUID, key or name. A key counts more than a name.
    pub async fn team(&self, wanted: &str) -> Result<Team, LinearError> {
        let wanted = wanted.trim();
        let filter = if uuid::Uuid::parse_str(wanted).is_ok() {
            json!({"id": {"eq": wanted}})
        } else {
            json!({"or": [{"key": {"eqIgnoreCase": wanted}}, {"name": {"eqIgnoreCase": wanted}}]})
        };
        let data: TeamsData = self.data(TEAMS, json!({"filter": filter})).await?;
        chosen(data.teams.nodes, wanted)
    }

    /// Makes an issue, or finds the one that an earlier attempt has made.
    pub async fn create(&self, issue: &NewIssue) -> Result<LinearIssue, LinearError> {
        let NewIssue { id, team, title, description } = issue;
        let input = json!({"id": id, "teamId": team, "title": title, "description": description});
        let refusal = match self.ask::<CreateData>(CREATE, json!({"input": input})).await {
            Ok(CreateData { issue_create: created }) => match created.issue {
                Some(issue) if created.success => return issue.checked(),
                _ => LinearError::Rejected("it gave no reason".to_owned()),
            },
            Err(Setback::Complaint(complaint)) => self.rejected(&complaint),
            Err(Setback::Again(error, _) | Setback::Final(error)) => return Err(error),
        };
        // Whatever the words of the refusal: if the issue is there, it is the one that was asked for.
        match self.issue(id).await {
            Ok(Some(issue)) => Ok(issue),
            Ok(None) | Err(_) => Err(refusal),
        }
    }

    /// The issue of that id, if there is one.
    pub async fn issue(&self, id: &str) -> Result<Option<LinearIssue>, LinearError> {
        match self.ask::<IssueData>(ISSUE, json!({"id": id})).await {
            Ok(data) => data.issue.checked().map(Some),
            Err(Setback::Complaint(complaint)) if complaint.is_not_found() => Ok(None),
            Err(setback) => Err(self.error(setback)),
        }
    }

    async fn data<T: DeserializeOwned>(&self, document: &str, variables: Value) -> Result<T, LinearError> {
        self.ask(document, variables).await.map_err(|setback| self.error(setback))
    }

    /// Asks until there is an answer, or no point in asking again. Every document here is safe to repeat.
    async fn ask<T: DeserializeOwned>(&self, document: &str, variables: Value) -> Result<T, Setback> {
        let body = json!({"query": document, "variables": variables}).to_string();
        let mut attempt = 1;
        loop {
            let setback = match self.attempt(body.clone()).await {
                Ok(answer) => return understood(answer),
                Err(setback) => setback,
            };
            let Setback::Again(error, asked) = setback else { return Err(setback) };
            let Some(wait) = self.patience.wait(attempt, asked) else {
                return Err(Setback::Final(error));
            };
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    /// One request, and the data of its answer.
    async fn attempt(&self, body: String) -> Result<Value, Setback> {
        let headers = self.headers().ok_or(Setback::Final(LinearError::Key))?;
        let sent = self.http.post(self.url.clone()).headers(headers).body(body).send().await;
        let response = sent.map_err(|error| unreachable_again(http::in_words(error)))?;
        let status = response.status();
        let asked = response.headers().get(RETRY_AFTER).and_then(|asked| asked.to_str().ok());
        let asked = asked.and_then(|asked| asked.trim().parse().ok()).map(Duration::from_secs);
        let body = http::body(response, MOST).await.map_err(|cut| match cut {
            Cut::TooLarge => Setback::Final(LinearError::TooLarge(MOST)),
            Cut::Broken(why) => unreachable_again(why),
        })?;
        self.read(status, asked, &body)
    }

    fn read(&self, status: StatusCode, asked: Option<Duration>, body: &[u8]) -> Result<Value, Setback> {
        let limited = || Setback::Again(LinearError::RateLimited(asked.map(|wait| wait.as_secs())), asked);
        let answer = serde_json::from_slice::<Answer>(body);
        let complaint = answer.as_ref().ok().and_then(|answer| answer.errors.first());
        let said = match complaint {
            Some(complaint) => http::said(complaint.said(), &self.key),
            None if body.trim_ascii().is_empty() => "nothing".to_owned(),
            None => http::said(&String::from_utf8_lossy(body), &self.key),
        };
        let code = complaint.map(Complaint::code).unwrap_or_default().to_owned();
        let service = || LinearError::Service { status: status.as_u16(), said: said.clone() };
        match (status.as_u16(), code.as_str()) {
            (429, _) | (_, "RATELIMITED") => return Err(limited()),
            (401 | 403, _) | (_, "AUTHENTICATION_ERROR" | "FORBIDDEN") => {
                return Err(Setback::Final(LinearError::Unauthorised(said)));
            }
            (500.., _) | (_, "INTERNAL_SERVER_ERROR") => return Err(Setback::Again(service(), asked)),
            _ => {}
        }
        match answer {
            Ok(mut answer) if !answer.errors.is_empty() => {
                Err(Setback::Complaint(Box::new(answer.errors.swap_remove(0))))
            }
            _ if !status.is_success() => Err(Setback::Final(service())),
            Ok(Answer { data: Some(data), .. }) => Ok(data),
            Ok(_) => Err(Setback::Final(LinearError::NotUnderstood("it holds no data".to_owned()))),
            Err(_) => Err(Setback::Again(LinearError::NotUnderstood(said), asked)),
        }
    }

    /// The key stands in its header as it is: it is no bearer token.
    fn headers(&self) -> Option<HeaderMap> {
        let mut key = HeaderValue::from_str(self.key.expose_secret().trim()).ok()?;
        key.set_sensitive(true);
        let json = HeaderValue::from_static("application/json");
        Some(HeaderMap::from_iter([(AUTHORIZATION, key), (CONTENT_TYPE, json)]))
    }

    fn error(&self, setback: Setback) -> LinearError {
        match setback {
            Setback::Again(error, _) | Setback::Final(error) => error,
            Setback::Complaint(complaint) => self.rejected(&complaint),
        }
    }

    fn rejected(&self, complaint: &Complaint) -> LinearError {
        LinearError::Rejected(http::said(complaint.said(), &self.key))
    }
}

fn unreachable_again(why: String) -> Setback {
    Setback::Again(LinearError::Unreachable(why), None)
}

fn understood<T: DeserializeOwned>(data: Value) -> Result<T, Setback> {
    serde_json::from_value(data)
        .map_err(|error| Setback::Final(LinearError::NotUnderstood(shown(&error.to_string()).to_string())))
}

/// The one team that is meant.
fn chosen(mut teams: Vec<Team>, wanted: &str) -> Result<Team, LinearError> {
    let by_key = teams.iter().position(|team| team.key.eq_ignore_ascii_case(wanted));
    match (by_key, teams.len()) {
        (Some(index), _) => Ok(teams.swap_remove(index)),
        (None, 1) => Ok(teams.swap_remove(0)),
        (None, 0) => Err(LinearError::NoTeam(shown(wanted).to_string())),
        (None, _) => {
            let keys: Vec<&str> = teams.iter().map(|team| team.key.as_str()).collect();
            let keys = shown(&keys.join(", ")).to_string();
            Err(LinearError::SeveralTeams { wanted: shown(wanted).to_string(), keys })
        }
    }
}

impl Issue {
    /// The issue, if it is one that can be shown and kept: this ends up in a committed file and on a screen.
    fn checked(self) -> Result<LinearIssue, LinearError> {
        let Issue { identifier, url } = self;
        let is_plain = |text: &str| {
            !text.is_empty() && text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let is_address = url.starts_with("https://") || url.starts_with("http://");
        if is_plain(&identifier) && is_plain(&url) && is_address {
            Ok(LinearIssue { identifier, url })
        } else {
            Err(LinearError::NotUnderstood("the issue has no proper identifier and address".to_owned()))
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
    fn a_key_counts_more_than_a_name_and_a_name_must_be_the_only_one() {
        let choose = |teams: &[Team], wanted: &str| {
            chosen(teams.to_vec(), wanted).map(|team| team.key).map_err(|error| error.to_string())
        };
        let (eng, ops) = (team("ENG", "Engineering"), team("OPS", "eng"));
        assert_eq!(choose(&[ops.clone(), eng.clone()], "eng"), Ok("ENG".to_owned()));
        assert_eq!(choose(std::slice::from_ref(&eng), "Engineering"), Ok("ENG".to_owned()));
        assert!(choose(&[], "nobody").unwrap_err().contains("no team \"nobody\""));
        let two = choose(&[team("A", "Web"), team("B", "web")], "web").unwrap_err();
        assert!(two.ends_with("A, B"), "{two}");
    }

    #[test]
    fn an_issue_that_could_spoil_a_screen_or_a_file_is_none() {
        let check = |identifier: &str, url: &str| {
            Issue { identifier: identifier.to_owned(), url: url.to_owned() }.checked().is_ok()
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
