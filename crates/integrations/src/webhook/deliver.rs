//! Delivery of one message to one URL.

use super::signature::signature;
use charrette_http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use charrette_http::{Address, AddressError, HttpClient, PlainHttp, Timeouts};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The body of a webhook request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookMessage {
    /// The same for every delivery of the message.
    pub id: String,
    /// Kind of event: `phase.finished`.
    pub event: String,
    /// Id of the run.
    pub run: String,
    pub feature: Option<String>,
    pub phase: Option<String>,
    /// Time of the event.
    pub at: String,
}

/// A URL that receives messages.
#[derive(Debug)]
pub struct Webhook {
    http: HttpClient,
    secret: Option<SecretString>,
}

/// Reason a message was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    #[error("webhooks.url cannot be used: {0}")]
    Address(AddressError),
    /// The HTTP client could not be built.
    #[error("webhooks cannot be sent: {0}")]
    Setup(String),
    #[error("the message cannot be encoded: {0}")]
    Encoding(String),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// The receiver answered with a status that is no success.
    #[error("it answered with {0}")]
    Refused(u16),
}

impl Webhook {
    /// `secret` signs the messages; `timeout` is the time limit of one delivery.
    pub fn new(url: &str, secret: Option<SecretString>, timeout: Duration) -> Result<Webhook, WebhookError> {
        let address = Address::parse(url, PlainHttp::LoopbackOnly).map_err(WebhookError::Address)?;
        let http = HttpClient::new(address, Timeouts::total(timeout))
            .map_err(|error| WebhookError::Setup(error.to_string()))?;
        Ok(Webhook { http, secret })
    }

    /// Sends a message once. It is delivered if the status is a success; the body of the response is not read.
    pub async fn deliver(&self, message: &WebhookMessage) -> Result<(), WebhookError> {
        let body =
            serde_json::to_string(message).map_err(|error| WebhookError::Encoding(error.to_string()))?;
        let response = self
            .http
            .post(self.headers(message, &body), body)
            .await
            .map_err(|error| WebhookError::Unreachable(error.to_string()))?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(WebhookError::Refused(status.as_u16())) }
    }

    fn headers(&self, message: &WebhookMessage, body: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let secret = self.secret.as_ref();
        let signature = secret.map(|secret| signature(secret.expose_secret().as_bytes(), body.as_bytes()));
        let values = [
            ("x-charrette-event", Some(message.event.clone())),
            ("x-charrette-delivery", Some(message.id.clone())),
            ("x-charrette-signature", signature),
        ];
        for (name, value) in values {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        headers
    }
}
