//! The tracker's client against a server that enforces Linear's schema.

use charrette_integrations::linear::{Linear, LinearError, NewIssue, Patience};
use charrette_integrations::stable_id;
use charrette_testkit::linear::{LinearServer, Mishap};
use secrecy::SecretString;
use std::time::Duration;

/// Hardly any waits, so that tests are quick.
fn patience() -> Patience {
    Patience {
        attempts: 4,
        first_wait: Duration::from_millis(1),
        longest_wait: Duration::from_secs(2),
        attempt: Duration::from_secs(10),
    }
}

fn client(server: &LinearServer) -> Linear {
    Linear::new(&server.url(), SecretString::from(LinearServer::KEY), patience()).unwrap()
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
    /// Connections that are kept belong to a runtime, so each test has one.
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
    assert_eq!(server.refused(), [""; 0], "the schema allows everything that was asked");
}

#[test]
fn an_issue_is_made_once_and_found_when_it_is_asked_for_again() {
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
fn whatever_happens_on_the_way_there_is_one_issue() {
    let mishaps = [
        Mishap::TooMany(Some(0)),
        Mishap::TooMany(Some(1)),
        Mishap::TooMany(None),
        Mishap::RateLimited,
        Mishap::Trouble,
        Mishap::TroubleAfter,
        Mishap::DropBefore,
        Mishap::DropAfter,
        Mishap::Half,
        Mishap::Nonsense,
    ];
    for first in mishaps {
        for second in [Mishap::DropAfter, Mishap::Trouble, Mishap::DropBefore] {
            let server = LinearServer::start();
            server.happens("issueCreate", &[first, second]);
            let made = run(client(&server).create(&issue()));
            assert!(made.is_ok(), "{first:?}, {second:?}: {made:?}");
            assert_eq!(server.issues().len(), 1, "{first:?}, {second:?}");
        }
    }
}

#[test]
fn reading_back_is_tried_again_as_well() {
    let server = LinearServer::start();
    let linear = client(&server);
    let made = run(linear.create(&issue())).unwrap();
    server.happens("issue", &[Mishap::Trouble, Mishap::DropBefore, Mishap::TooMany(Some(0))]);
    assert_eq!(run(linear.create(&issue())), Ok(made));
    assert_eq!(server.requests(), ["issueCreate", "issueCreate", "issue", "issue", "issue", "issue"]);
}

#[test]
fn there_is_an_end_to_trying() {
    for (mishap, said, requests) in [
        (Mishap::Trouble, "Linear answered with 500: \"trouble\"", 4),
        (Mishap::DropBefore, "Linear cannot be reached: ", 4),
        (Mishap::TooMany(None), "Linear asks to wait", 4),
        (Mishap::RateLimited, "Linear asks to wait", 4),
        (Mishap::TooMany(Some(3600)), "Linear asks to wait 3600 seconds", 1),
        (Mishap::Nonsense, "the answer of Linear was not understood: <html>oh</html>", 4),
        (Mishap::OtherShape, "the answer of Linear was not understood: missing field", 1),
        (Mishap::Flood, "Linear sent more than the 1048576 bytes that are read", 1),
    ] {
        let server = LinearServer::start();
        server.always(Some(mishap));
        let error = run(client(&server).team("BASE")).unwrap_err().to_string();
        assert!(error.starts_with(said), "{mishap:?}: {error}");
        assert_eq!(server.requests().len(), requests, "{mishap:?}");
    }
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let server = LinearServer::start();
    server.always(Some(Mishap::Hang));
    let patience = Patience { attempts: 2, attempt: Duration::from_millis(200), ..patience() };
    let linear = Linear::new(&server.url(), SecretString::from(LinearServer::KEY), patience).unwrap();
    let error = run(linear.create(&issue())).unwrap_err();
    assert_eq!(error, LinearError::Unreachable("it did not answer in time".to_owned()));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn nobody_there_is_said_without_the_address() {
    let server = LinearServer::start();
    let url = server.url().replace("http://", "http://user:secret@");
    drop(server);
    let linear = Linear::new(&url, SecretString::from(LinearServer::KEY), patience()).unwrap();
    let error = run(linear.viewer()).unwrap_err().to_string();
    assert!(error.starts_with("Linear cannot be reached: ") && !error.contains("secret"), "{error}");
}

#[test]
fn a_key_that_is_refused_is_refused_at_once_and_never_repeated() {
    let server = LinearServer::start();
    let wrong = "lin_api_wr0ngk3ywr0ngk3y";
    let linear = Linear::new(&server.url(), SecretString::from(wrong), patience()).unwrap();
    let error = run(linear.viewer()).unwrap_err();
    assert!(matches!(error, LinearError::Unauthorised(_)), "{error:?}");
    assert!(!format!("{error} {error:?} {linear:?}").contains(wrong));
    let odd = Linear::new(&server.url(), SecretString::from("a\nb"), patience()).unwrap();
    assert_eq!(run(odd.viewer()), Err(LinearError::Key));

    server.always(Some(Mishap::Echo));
    let error = run(client(&server).viewer()).unwrap_err().to_string();
    assert_eq!(error, "Linear refuses: what is [key]?");
    let error = run(client(&server).create(&issue())).unwrap_err().to_string();
    assert_eq!(error, "Linear refuses: what is [key]?");
}

#[test]
fn a_refusal_that_is_no_conflict_stays_one() {
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
