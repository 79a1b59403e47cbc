//! One message to one address.

use super::signature::signature;
use crate::http::{self, AddressProblem};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The same however often it is sent.
    pub id: String,
    /// What kind of thing happened: `phase.finished`.
    pub event: String,
    /// The run it happened in.
    pub run: String,
    /// The feature that run is about.
    pub feature: Option<String>,
    /// The phase, if it is about one.
    pub phase: Option<String>,
    /// When it happened.
    pub at: String,
}

/// An address that wants to be told.
#[derive(Debug)]
pub struct Webhook {
    url: Url,
    secret: Option<SecretString>,
    http: Client,
}

/// Why a message did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The address cannot be used.
    #[error("webhooks.url cannot be used: {0}")]
    Address(AddressProblem),
    /// Nobody answers there.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// Somebody does, and does not take it.
    #[error("it answered with {0}")]
    Refused(u16),
}

impl Webhook {
    /// That address. With a secret, messages are signed. Each may take that long.
    pub fn new(url: &str, secret: Option<SecretString>, patience: Duration) -> Result<Webhook, WebhookError> {
        let url = http::address(url).map_err(WebhookError::Address)?;
        let client = http::client(&url, patience);
        let http = client.map_err(|error| WebhookError::Unreachable(http::in_words(error)))?;
        Ok(Webhook { url, secret, http })
    }

    /// Sends a message once. It has arrived if the answer is a success; what else the answer says is not read.
    pub async fn deliver(&self, message: &Message) -> Result<(), WebhookError> {
        // A message has only text members, which is all that could fail.
        let body = serde_json::to_string(message).unwrap_or_default();
        let sent = self.http.post(self.url.clone()).headers(self.headers(message, &body)).body(body).send();
        let response = sent.await.map_err(|error| WebhookError::Unreachable(http::in_words(error)))?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(WebhookError::Refused(status.as_u16())) }
    }

    fn headers(&self, message: &Message, body: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let signed = self.secret.as_ref();
        let signed = signed.map(|secret| signature(secret.expose_secret().as_bytes(), body.as_bytes()));
        let ours = [
            ("x-charrette-event", Some(message.event.clone())),
            ("x-charrette-delivery", Some(message.id.clone())),
            ("x-charrette-signature", signed),
        ];
        for (name, value) in ours {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        headers
    }
}
