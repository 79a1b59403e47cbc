//! The Linear client against a server that enforces Linear's schema.

use charrette_integrations::linear::{Linear, LinearError, LinearOptions, NewIssue};
use charrette_integrations::{RetryPolicy, stable_id};
use charrette_testkit::linear::{LinearFault, LinearServer};
use secrecy::SecretString;
use std::time::Duration;

/// Short waits, so that tests are quick.
fn options() -> LinearOptions {
    let retry = RetryPolicy {
        max_tries: 4,
        first_wait: Duration::from_millis(1),
        max_wait: Duration::from_secs(2),
        jitter_seed: Some(0),
    };
    LinearOptions { retry, timeout: Duration::from_secs(10) }
}

fn client(server: &LinearServer) -> Linear {
    Linear::new(&server.url(), SecretString::from(LinearServer::KEY), options()).unwrap()
}

fn issue() -> NewIssue {
    NewIssue {
        id: stable_id(&["run", "step"]),
        team: LinearServer::TEAM.to_owned(),
        title: "[Design] Add Login".to_owned(),
        description: "## Add Login\n\nText with \"quotes\" and ünïcode.".to_owned(),
    }
}

thread_local! {
    /// One runtime per test, because open connections belong to a runtime.
    static RUNTIME: tokio::runtime::Runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
}

fn run<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| runtime.block_on(work))
}

#[test]
fn a_team_is_found_by_id_key_and_name() {
    let server = LinearServer::start();
    let linear = client(&server);
    for (wanted, key) in [
        (LinearServer::TEAM, "BASE"),
        ("BASE", "BASE"),
        ("base", "BASE"),
        ("Basecamp", "BASE"),
        (" basecamp ", "BASE"),
        ("OPS", "OPS"),
    ] {
        assert_eq!(run(linear.team(wanted)).unwrap().key, key, "{wanted}");
    }
    assert_eq!(run(linear.team("nobody")), Err(LinearError::NoTeam("nobody".to_owned())));
    let unknown = "00000000-0000-4000-8000-000000000000";
    assert_eq!(run(linear.team(unknown)), Err(LinearError::NoTeam(unknown.to_owned())));
    let twins = run(linear.team("twin")).unwrap_err().to_string();
    assert!(twins.ends_with("TWA, TWB"), "{twins}");
    assert_eq!(run(linear.viewer()).unwrap(), "Ada L");
    assert_eq!(server.rejections(), [""; 0], "the schema allows everything that was asked");
}

#[test]
fn an_issue_is_created_once_and_found_afterwards() {
    let server = LinearServer::start();
    let linear = client(&server);
    assert_eq!(run(linear.issue(&issue().id)), Ok(None));
    let made = run(linear.create(&issue())).unwrap();
    assert_eq!(
        (made.identifier.as_str(), made.url.as_str()),
        ("BASE-123", "https://linear.app/acme/issue/BASE-123")
    );
    let other_words = NewIssue { title: "Another".to_owned(), ..issue() };
    assert_eq!(run(linear.create(&issue())).unwrap(), made);
    assert_eq!(run(linear.create(&other_words)).unwrap(), made);
    assert_eq!(run(linear.issue(&issue().id)), Ok(Some(made)));
    let issues = server.issues();
    assert_eq!(issues.len(), 1);
    assert_eq!(issues[0]["title"], issue().title);
    assert_eq!(issues[0]["description"], issue().description);
}

#[test]
fn repeated_requests_create_one_issue() {
    let mishaps = [
        LinearFault::TooManyRequests(Some(0)),
        LinearFault::TooManyRequests(Some(1)),
        LinearFault::TooManyRequests(None),
        LinearFault::RateLimited,
        LinearFault::ServerError,
        LinearFault::ServerErrorAfter,
        LinearFault::DropBefore,
        LinearFault::DropAfter,
        LinearFault::Truncated,
        LinearFault::NotJson,
    ];
    for first in mishaps {
        for second in [LinearFault::DropAfter, LinearFault::ServerError, LinearFault::DropBefore] {
            let server = LinearServer::start();
            server.inject_faults("issueCreate", &[first, second]);
            let made = run(client(&server).create(&issue()));
            assert!(made.is_ok(), "{first:?}, {second:?}: {made:?}");
            assert_eq!(server.issues().len(), 1, "{first:?}, {second:?}");
        }
    }
}

#[test]
fn reading_an_issue_is_retried_too() {
    let server = LinearServer::start();
    let linear = client(&server);
    let made = run(linear.create(&issue())).unwrap();
    server.inject_faults(
        "issue",
        &[LinearFault::ServerError, LinearFault::DropBefore, LinearFault::TooManyRequests(Some(0))],
    );
    assert_eq!(run(linear.create(&issue())), Ok(made));
    assert_eq!(server.requests(), ["issueCreate", "issueCreate", "issue", "issue", "issue", "issue"]);
}

#[test]
fn retries_are_limited() {
    for (mishap, said, requests) in [
        (LinearFault::ServerError, "Linear answered with 500: \"trouble\"", 4),
        (LinearFault::DropBefore, "Linear cannot be reached: ", 4),
        (LinearFault::TooManyRequests(None), "Linear asks to wait", 4),
        (LinearFault::RateLimited, "Linear asks to wait", 4),
        (LinearFault::TooManyRequests(Some(3600)), "Linear asks to wait 3600 seconds", 1),
        (LinearFault::NotJson, "the answer of Linear was not understood: <html>oh</html>", 4),
        (LinearFault::UnexpectedShape, "the answer of Linear was not understood: missing field", 1),
        (LinearFault::Flood, "Linear sent more than the 1048576 bytes that are read", 1),
    ] {
        let server = LinearServer::start();
        server.inject_permanent_fault(Some(mishap));
        let error = run(client(&server).team("BASE")).unwrap_err().to_string();
        assert!(error.starts_with(said), "{mishap:?}: {error}");
        assert_eq!(server.requests().len(), requests, "{mishap:?}");
    }
}

#[test]
fn a_silent_server_is_a_timeout() {
    let server = LinearServer::start();
    server.inject_permanent_fault(Some(LinearFault::Hang));
    let retry = RetryPolicy { max_tries: 2, ..options().retry };
    let options = LinearOptions { retry, timeout: Duration::from_millis(200) };
    let linear = Linear::new(&server.url(), SecretString::from(LinearServer::KEY), options).unwrap();
    let error = run(linear.create(&issue())).unwrap_err();
    assert_eq!(error, LinearError::Unreachable("no complete response within 0.2 s".to_owned()));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn connection_errors_do_not_repeat_the_address() {
    let server = LinearServer::start();
    let url = server.url().replace("http://", "http://user:secret@");
    drop(server);
    let linear = Linear::new(&url, SecretString::from(LinearServer::KEY), options()).unwrap();
    let error = run(linear.viewer()).unwrap_err().to_string();
    assert!(error.starts_with("Linear cannot be reached: ") && !error.contains("secret"), "{error}");
}

#[test]
fn a_refused_key_is_not_retried_and_not_repeated() {
    let server = LinearServer::start();
    let wrong = "lin_api_wr0ngk3ywr0ngk3y";
    let linear = Linear::new(&server.url(), SecretString::from(wrong), options()).unwrap();
    let error = run(linear.viewer()).unwrap_err();
    assert!(matches!(error, LinearError::Unauthorised(_)), "{error:?}");
    assert!(!format!("{error} {error:?} {linear:?}").contains(wrong));
    let odd = Linear::new(&server.url(), SecretString::from("a\nb"), options()).unwrap();
    assert_eq!(run(odd.viewer()), Err(LinearError::Key));

    server.inject_permanent_fault(Some(LinearFault::EchoKey));
    let error = run(client(&server).viewer()).unwrap_err().to_string();
    assert_eq!(error, "Linear refuses: what is [key]?");
    let error = run(client(&server).create(&issue())).unwrap_err().to_string();
    assert_eq!(error, "Linear refuses: what is [key]?");
}

#[test]
fn a_refusal_without_conflict_is_an_error() {
    let server = LinearServer::start();
    let nowhere = NewIssue { team: "00000000-0000-4000-8000-000000000000".to_owned(), ..issue() };
    let error = run(client(&server).create(&nowhere)).unwrap_err();
    assert_eq!(error, LinearError::Rejected("Entity not found: Team".to_owned()));
    assert_eq!(server.issues().len(), 0);
}

#[test]
fn the_server_refuses_what_the_schema_does_not_know() {
    use std::io::{Read as _, Write as _};
    let server = LinearServer::start();
    let address = server.url().trim_start_matches("http://").trim_end_matches("/graphql").to_owned();
    let ask = |body: &str| {
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\nauthorization: {}\r\ncontent-length: {}\r\n\r\n",
            LinearServer::KEY,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    for body in [
        r#"{"query": "{ viewer { nickname } }", "variables": {}}"#,
        r#"{"query": "{ team(key: \"BASE\") { id } }", "variables": {}}"#,
        r#"{"query": "{ issue { id } }", "variables": {}}"#,
        r#"{"query": "query Q($id: String) { issue(id: $id) { id } }", "variables": {"id": "x"}}"#,
        r#"{"query": "query Q($id: String!) { issue(id: $id) { id } }", "variables": {}}"#,
        r#"{"query": "query Q($id: String!) { issue(id: $id) { id } }", "variables": {"id": "x", "more": 1}}"#,
        r#"{"query": "mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { success } }", "variables": {"input": {"title": "no team"}}}"#,
        r#"{"query": "mutation M($input: IssueCreateInput!) { issueCreate(input: $input) { success } }", "variables": {"input": {"teamId": "x", "team": "y"}}}"#,
        "{",
    ] {
        assert!(ask(body).starts_with("HTTP/1.1 400"), "{body}");
    }
    assert!(
        ask(r#"{"query": "{ viewer { name } }", "variables": {}}"#)
            .contains(r#"{"data":{"viewer":{"name":"Ada L"}}}"#)
    );
}
