//! Requests: statuses, retries over real connections, limits, and errors without secrets.

use crate::server::{response, serve};
use charrette_http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use charrette_http::{
    Address, AddressError, HttpClient, HttpError, HttpResponse, PlainHttp, RetryPolicy, RetryVerdict,
    Timeouts,
};
use std::net::TcpListener;
use std::time::{Duration, Instant};

const POLICY: RetryPolicy = RetryPolicy {
    max_tries: 4,
    first_wait: Duration::from_millis(1),
    max_wait: Duration::from_secs(5),
    jitter_seed: Some(1),
};

fn client(url: &str) -> HttpClient {
    client_with(url, Timeouts::total(Duration::from_secs(10)))
}

fn client_with(url: &str, timeouts: Timeouts) -> HttpClient {
    HttpClient::new(Address::parse(url, PlainHttp::LoopbackOnly).unwrap(), timeouts).unwrap()
}

fn headers() -> HeaderMap {
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("k3y"))])
}

/// A failed try: a status that is no success, or no response.
#[derive(Debug, PartialEq)]
enum Failure {
    Status(u16, Option<Duration>),
    Http(HttpError),
}

async fn send(client: &HttpClient) -> Result<HttpResponse, Failure> {
    let response = client.post(headers(), "{}".to_owned()).await.map_err(Failure::Http)?;
    if response.status().is_success() {
        return Ok(response);
    }
    Err(Failure::Status(response.status().as_u16(), response.retry_after()))
}

fn classify(failure: &Failure) -> RetryVerdict {
    match failure {
        Failure::Status(429 | 503, Some(wait)) => RetryVerdict::After(*wait),
        Failure::Status(429 | 503, None) | Failure::Http(HttpError::Connect(_)) => RetryVerdict::Backoff,
        Failure::Status(..) | Failure::Http(_) => RetryVerdict::Never,
    }
}

/// Sends with retries; counts the waits.
async fn send_with_retries(client: &HttpClient) -> (Result<HttpResponse, Failure>, Vec<Duration>) {
    let mut waits = Vec::new();
    let sent = POLICY.run(|| send(client), classify, |wait| waits.push(wait.wait)).await;
    (sent, waits)
}

#[tokio::test]
async fn a_request_is_sent_with_its_headers_and_body() {
    let (url, requests) = serve(vec![response(200, "x-a: b\r\n", "hello")]);
    let answer = send(&client(&url)).await.unwrap();
    assert_eq!(answer.header("x-a"), Some("b"));
    assert_eq!(answer.body(5).await.unwrap(), b"hello");
    let request = requests.recv().unwrap();
    assert!(request.starts_with("POST /path?token=s3cret HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: k3y\r\n") && request.ends_with("\r\n\r\n{}"), "{request}");
    assert!(request.contains("user-agent: charrette/"), "{request}");
}

#[tokio::test]
async fn a_client_by_itself_never_retries() {
    let (url, requests) = serve(vec![response(503, "", ""), response(200, "", "")]);
    assert_eq!(send(&client(&url)).await.unwrap_err(), Failure::Status(503, None));
    assert_eq!(requests.try_iter().count(), 1);
}

#[tokio::test]
async fn a_503_is_retried_until_it_is_over() {
    let (url, requests) = serve(vec![response(503, "", ""), response(503, "", ""), response(200, "", "ok")]);
    let (answer, waits) = send_with_retries(&client(&url)).await;
    assert_eq!(answer.unwrap().body(10).await.unwrap(), b"ok");
    assert_eq!((waits.len(), requests.try_iter().count()), (2, 3));
}

#[tokio::test]
async fn a_429_is_retried_after_the_wait_it_asks_for() {
    let (url, requests) = serve(vec![response(429, "retry-after: 1\r\n", ""), response(200, "", "")]);
    let start = Instant::now();
    let (answer, waits) = send_with_retries(&client(&url)).await;
    assert!(answer.is_ok() && start.elapsed() >= Duration::from_secs(1));
    assert!(waits.len() == 1 && waits[0] >= Duration::from_secs(1), "{waits:?}");
    assert_eq!(requests.try_iter().count(), 2);
}

#[tokio::test]
async fn a_longer_wait_than_allowed_is_not_waited_for() {
    let (url, requests) = serve(vec![response(429, "retry-after: 3600\r\n", ""), response(200, "", "")]);
    let (answer, waits) = send_with_retries(&client(&url)).await;
    assert_eq!(answer.unwrap_err(), Failure::Status(429, Some(Duration::from_hours(1))));
    assert_eq!((waits.len(), requests.try_iter().count()), (0, 1));
}

#[tokio::test]
async fn a_refused_connection_is_retried_and_reported_without_secrets() {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let client = client(&format!("http://ada:pa55@{free}/t0ken?key=s3cret"));
    let (answer, waits) = send_with_retries(&client).await;
    let failure = answer.unwrap_err();
    assert!(matches!(failure, Failure::Http(HttpError::Connect(_))), "{failure:?}");
    assert_eq!(waits.len(), 3);
    let shown = format!("{failure:?} {client:?}");
    for secret in ["ada", "pa55", "t0ken", "s3cret", "k3y"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let huge = "x".repeat(100_000);
    let (url, _requests) = serve(vec![response(200, "", &huge), response(200, "", &huge)]);
    let client = client(&url);
    let error = send(&client).await.unwrap().body(99_999).await.unwrap_err();
    assert_eq!(error, HttpError::BodyTooLarge { limit: 99_999 });
    assert_eq!(send(&client).await.unwrap().body(100_000).await.unwrap().len(), 100_000);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_an_error_and_its_beginning_is_kept() {
    let whole = response(200, "", "hello");
    let (url, _requests) = serve(vec![whole[..whole.len() - 2].to_owned()]);
    let mut answer = send(&client(&url)).await.unwrap();
    let mut body = Vec::new();
    let error = answer.read_body(&mut body, 100, &|| ()).await.unwrap_err();
    assert!(matches!(error, HttpError::Broken(_)), "{error:?}");
    assert_eq!(body, b"hel");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (elsewhere, followed) = serve(vec![response(200, "", "")]);
    let (url, _requests) = serve(vec![response(307, &format!("location: {elsewhere}\r\n"), "")]);
    assert_eq!(send(&client(&url)).await.unwrap_err(), Failure::Status(307, None));
    assert_eq!(followed.try_iter().count(), 0);
}

#[tokio::test]
async fn a_silent_server_is_a_timeout() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let client = client_with(&url, Timeouts::total(Duration::from_millis(200)));
    let limit = Duration::from_millis(200);
    assert_eq!(send(&client).await.unwrap_err(), Failure::Http(HttpError::Timeout(limit)));
}

#[tokio::test]
async fn debug_output_of_a_response_is_its_status() {
    let (url, _requests) = serve(vec![response(200, "X-Session: s3cret\r\n", "")]);
    let response = send(&client(&url.replace("/path", "/path-t0ken"))).await.unwrap();
    assert_eq!(format!("{response:?}"), "HttpResponse { status: 200, .. }");
}

#[tokio::test]
async fn tls_is_not_replaced_by_plain_http() {
    let (url, requests) = serve(vec![response(200, "", "")]);
    let failure = send(&client(&url.replace("http://", "https://"))).await.unwrap_err();
    assert!(matches!(failure, Failure::Http(HttpError::Connect(_))), "{failure:?}");
    assert_eq!(requests.try_iter().count(), 0);
}

#[test]
fn plain_http_to_another_host_is_refused() {
    let address = Address::parse("http://example.org/hook", PlainHttp::LoopbackOnly);
    assert_eq!(address.unwrap_err(), AddressError::NotEncrypted);
}
