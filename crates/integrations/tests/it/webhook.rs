//! Webhook delivery to a server on loopback.

use charrette_integrations::webhook::{Webhook, WebhookError, WebhookMessage, signature};
use charrette_testkit::WebhookListener;
use secrecy::SecretString;
use std::time::Duration;

fn message() -> WebhookMessage {
    WebhookMessage {
        id: "0f0e0d0c-0b0a-4908-8706-050403020100".to_owned(),
        event: "phase.finished".to_owned(),
        run: "r".to_owned(),
        feature: Some("add-login".to_owned()),
        phase: Some("research".to_owned()),
        at: "2026-01-31T00:00:00.000Z".to_owned(),
    }
}

fn deliver(url: &str, secret: Option<&str>, timeout: Duration) -> Result<(), WebhookError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let hook = Webhook::new(url, secret.map(SecretString::from), timeout)?;
    runtime.block_on(hook.deliver(&message()))
}

const LONG: Duration = Duration::from_secs(10);

#[test]
fn a_message_arrives_with_its_id_and_a_signature_that_can_be_checked() {
    let listener = WebhookListener::start(204);
    assert_eq!(deliver(&listener.url(), Some("s3cret"), LONG), Ok(()));
    let [request] = &listener.take_requests()[..] else { panic!("one request") };
    assert_eq!(serde_json::from_slice::<WebhookMessage>(&request.body).unwrap(), message());
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-charrette-event"), Some("phase.finished"));
    assert_eq!(request.header("x-charrette-delivery"), Some(message().id.as_str()));
    let expected = signature(b"s3cret", &request.body);
    assert_eq!(request.header("x-charrette-signature"), Some(expected.as_str()));
}

#[test]
fn without_a_secret_there_is_no_signature() {
    let listener = WebhookListener::start(200);
    assert_eq!(deliver(&listener.url(), None, LONG), Ok(()));
    assert_eq!(listener.take_requests()[0].header("x-charrette-signature"), None);
}

#[test]
fn every_status_but_success_is_an_error() {
    for status in [302, 400, 404, 500] {
        let listener = WebhookListener::start(status);
        assert_eq!(deliver(&listener.url(), None, LONG), Err(WebhookError::Refused(status)));
        assert_eq!(listener.take_requests().len(), 1, "no retry, and no redirect is followed");
    }
    let gone = WebhookListener::start(200).url();
    let said = deliver(&format!("{gone}/t0ken"), None, LONG).unwrap_err().to_string();
    assert!(said.starts_with("it cannot be reached: ") && !said.contains("t0ken"), "{said}");
    let silent = WebhookListener::start(0);
    let said = deliver(&silent.url(), None, Duration::from_millis(200)).unwrap_err().to_string();
    assert_eq!(said, "it cannot be reached: no complete response within 0.2 s");
    assert!(matches!(deliver("http://example.org/x", None, LONG), Err(WebhookError::Address(_))));
}
