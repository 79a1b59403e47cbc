//! Webhooks against somebody who listens.

use charrette_integrations::webhook::{Message, Webhook, WebhookError, signature};
use charrette_testkit::Listener;
use secrecy::SecretString;
use std::time::Duration;

fn message() -> Message {
    Message {
        id: "0f0e0d0c-0b0a-4908-8706-050403020100".to_owned(),
        event: "phase.finished".to_owned(),
        run: "r".to_owned(),
        feature: Some("add-login".to_owned()),
        phase: Some("research".to_owned()),
        at: "2026-01-31T00:00:00.000Z".to_owned(),
    }
}

fn deliver(url: &str, secret: Option<&str>, patience: Duration) -> Result<(), WebhookError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let hook = Webhook::new(url, secret.map(SecretString::from), patience)?;
    runtime.block_on(hook.deliver(&message()))
}

const LONG: Duration = Duration::from_secs(10);

#[test]
fn a_message_arrives_with_its_id_and_a_signature_that_can_be_checked() {
    let listener = Listener::start(204);
    assert_eq!(deliver(&listener.url(), Some("s3cret"), LONG), Ok(()));
    let [request] = &listener.received()[..] else { panic!("one request") };
    assert_eq!(serde_json::from_slice::<Message>(&request.body).unwrap(), message());
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-charrette-event"), Some("phase.finished"));
    assert_eq!(request.header("x-charrette-delivery"), Some(message().id.as_str()));
    let expected = signature(b"s3cret", &request.body);
    assert_eq!(request.header("x-charrette-signature"), Some(expected.as_str()));
}

#[test]
fn without_a_secret_there_is_no_signature() {
    let listener = Listener::start(200);
    assert_eq!(deliver(&listener.url(), None, LONG), Ok(()));
    assert_eq!(listener.received()[0].header("x-charrette-signature"), None);
}

#[test]
fn whatever_is_no_success_is_a_failure() {
    for status in [302, 400, 404, 500] {
        let listener = Listener::start(status);
        assert_eq!(deliver(&listener.url(), None, LONG), Err(WebhookError::Refused(status)));
        assert_eq!(listener.received().len(), 1, "it is not tried twice, and nobody is followed");
    }
    let gone = Listener::start(200).url();
    let said = deliver(&format!("{gone}/t0ken"), None, LONG).unwrap_err().to_string();
    assert!(said.starts_with("it cannot be reached: ") && !said.contains("t0ken"), "{said}");
    let silent = Listener::start(0);
    let said = deliver(&silent.url(), None, Duration::from_millis(200)).unwrap_err().to_string();
    assert_eq!(said, "it cannot be reached: it did not answer in time");
    assert!(matches!(deliver("http://example.org/x", None, LONG), Err(WebhookError::Address(_))));
}
