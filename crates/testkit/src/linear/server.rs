//! Mock Linear server: fixed teams, created issues, injected faults.

use super::schema::{Operation, load_schema, parse_operation};
use crate::mock_model::http::{self, HttpRequest};
use apollo_compiler::Schema;
use apollo_compiler::validation::Valid;
use serde_json::{Value, json};
use std::io::{self, BufReader, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// An injected fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearFault {
    /// 429, with an optional `Retry-After` in seconds.
    TooManyRequests(Option<u64>),
    /// Rate limit as Linear reports it: 400 and a code.
    RateLimited,
    /// 500, nothing executed.
    ServerError,
    /// 500 after executing the request.
    ServerErrorAfter,
    /// Slow answer after executing the request.
    Slow,
    /// Connection closed before executing the request.
    DropBefore,
    /// Connection closed after executing the request.
    DropAfter,
    /// Half of the answer, after executing the request.
    Truncated,
    /// No answer.
    Hang,
    /// An endless answer.
    Flood,
    /// An answer that is not JSON.
    NotJson,
    /// JSON of an unexpected shape.
    UnexpectedShape,
    /// An error message that contains the API key.
    EchoKey,
}

/// Mock Linear server. Stops when dropped.
#[derive(Debug)]
pub struct LinearServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    schema: Valid<Schema>,
    state: Mutex<State>,
    closing: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    teams: Vec<Value>,
    issues: Vec<Value>,
    requests: Vec<String>,
    rejections: Vec<String>,
    faults: Vec<(String, LinearFault)>,
    always: Option<LinearFault>,
    connections: Vec<TcpStream>,
}

impl LinearServer {
    /// The accepted API key.
    pub const KEY: &str = "lin_api_k3y0fth3s3rv3r1nth3t3st";
    /// UUID of the team `BASE`.
    pub const TEAM: &str = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";

    /// Starts on a free port, with the teams `BASE` (Basecamp), `OPS` (Base) and two called Twin.
    pub fn start() -> LinearServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap_or_else(|error| panic!("{error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let team = |id: &str, key: &str, name: &str| json!({"id": id, "key": key, "name": name});
        let teams = vec![
            team(LinearServer::TEAM, "BASE", "Basecamp"),
            team("1b0c7d6e-5a40-4b8e-9d3f-0c1d2e3f4a5b", "OPS", "Base"),
            team("2b0c7d6e-5a40-4b8e-9d3f-0c1d2e3f4a5b", "TWA", "Twin"),
            team("3b0c7d6e-5a40-4b8e-9d3f-0c1d2e3f4a5b", "TWB", "twin"),
        ];
        let state = Mutex::new(State { teams, ..State::default() });
        let shared = Arc::new(Shared { schema: load_schema(), state, closing: AtomicBool::new(false) });
        let server_state = Arc::clone(&shared);
        let thread = std::thread::spawn(move || listen(&listener, &server_state));
        LinearServer { address, shared, listener: Some(thread) }
    }

    /// URL of the GraphQL endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/graphql", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Issues created so far.
    pub fn issues(&self) -> Vec<Value> {
        self.state().issues.clone()
    }

    /// Root fields of the requests since the last call, in order.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }

    /// Requests rejected by the schema or the rules, one line each.
    pub fn rejections(&self) -> Vec<String> {
        self.state().rejections.clone()
    }

    /// Injects these faults into the next requests for that root field, one each.
    pub fn inject_faults(&self, field: &str, faults: &[LinearFault]) {
        self.state().faults.extend(faults.iter().map(|fault| (field.to_owned(), *fault)));
    }

    /// Injects a fault into every request from now on; none removes it.
    pub fn inject_permanent_fault(&self, fault: Option<LinearFault>) {
        self.state().always = fault;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Drop for LinearServer {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for connection in &self.state().connections {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the thread, which is blocked in `accept`.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.listener.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((connection, _)) = listener.accept() {
        if shared.is_closing() {
            return;
        }
        if let Ok(other) = connection.try_clone() {
            shared.state().connections.push(other);
        }
        let shared = Arc::clone(shared);
        std::thread::spawn(move || {
            // Errors of a client that went away are ignored.
            let _ = serve(connection, &shared);
        });
    }
}

fn serve(connection: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut writer = connection.try_clone()?;
    let mut reader = BufReader::new(connection);
    while let Some(request) = HttpRequest::read(&mut reader)? {
        if !reply(&mut writer, &request, shared)? {
            break;
        }
    }
    // `connections` holds a clone, so closing ours is not enough.
    writer.shutdown(Shutdown::Both)
}

/// Answers a request. False if the connection is to be closed.
fn reply(to: &mut TcpStream, request: &HttpRequest, shared: &Shared) -> io::Result<bool> {
    if let Err(rejection) = check_request(request) {
        shared.state().rejections.push(rejection.clone());
        let (status, code) =
            if rejection.contains("key") { (401, "AUTHENTICATION_ERROR") } else { (400, "INVALID_INPUT") };
        return http::answer(to, status, &[], &error_body(&rejection, code)).map(|()| true);
    }
    let operation = match parse_operation(&shared.schema, &request.json()) {
        Ok(operation) => operation,
        Err(rejection) => {
            shared.state().rejections.push(rejection.clone());
            let answer = error_body(&rejection, "GRAPHQL_VALIDATION_FAILED");
            return http::answer(to, 400, &[], &answer).map(|()| true);
        }
    };
    let fault = {
        let mut state = shared.state();
        state.requests.push(operation.name.clone());
        let next = state.faults.iter().position(|(field, _)| *field == operation.name);
        next.map(|index| state.faults.remove(index).1).or(state.always)
    };
    let after = |seconds: &u64| ("retry-after".to_owned(), seconds.to_string());
    match fault {
        None => respond(to, &operation, shared.execute(&operation))?,
        Some(LinearFault::TooManyRequests(wait)) => {
            let headers: Vec<_> = wait.iter().map(after).collect();
            http::answer(to, 429, &headers, &json!({}))?;
        }
        Some(LinearFault::RateLimited) => {
            http::answer(to, 400, &[], &error_body("Rate limit exceeded", "RATELIMITED"))?;
        }
        Some(LinearFault::ServerError) => http::answer(to, 500, &[], &json!("trouble"))?,
        Some(LinearFault::ServerErrorAfter) => {
            let _ = shared.execute(&operation);
            http::answer(to, 500, &[], &json!("trouble"))?;
        }
        Some(LinearFault::Slow) => {
            let executed = shared.execute(&operation);
            std::thread::sleep(Duration::from_millis(300));
            respond(to, &operation, executed)?;
        }
        Some(LinearFault::DropBefore) => return Ok(false),
        Some(LinearFault::DropAfter) => {
            let _ = shared.execute(&operation);
            return Ok(false);
        }
        Some(LinearFault::Truncated) => {
            let _ = shared.execute(&operation);
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n{\"data\": {")?;
            return Ok(false);
        }
        Some(LinearFault::Hang) => {
            while !shared.is_closing() {
                std::thread::sleep(Duration::from_millis(20));
            }
            return Ok(false);
        }
        Some(LinearFault::Flood) => {
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n")?;
            let block = vec![b' '; 1 << 16];
            while !shared.is_closing() {
                to.write_all(&block)?;
            }
            return Ok(false);
        }
        Some(LinearFault::NotJson) => {
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n<html>oh</html>")?;
        }
        Some(LinearFault::UnexpectedShape) => http::answer(to, 200, &[], &json!({"data": {"surprise": 1}}))?,
        Some(LinearFault::EchoKey) => {
            let key = request.header("authorization").unwrap_or_default();
            http::answer(to, 400, &[], &error_body(&format!("what is {key}?"), "INVALID_INPUT"))?;
        }
    }
    Ok(true)
}

/// Checks method, route, content type and API key.
fn check_request(request: &HttpRequest) -> Result<(), String> {
    if request.method != "POST" || request.route() != "/graphql" {
        return Err(format!("{} {}", request.method, request.path));
    }
    if request.header("content-type") != Some("application/json") {
        return Err("the content type is not JSON".to_owned());
    }
    match request.header("authorization") {
        Some(LinearServer::KEY) => Ok(()),
        _ => Err("the key is not valid".to_owned()),
    }
}

fn respond(to: &mut TcpStream, operation: &Operation, executed: Result<Value, String>) -> io::Result<()> {
    match executed {
        Ok(value) => http::answer(to, 200, &[], &json!({"data": operation.answer(&value)})),
        // Linear answers with 200 when the request was valid.
        Err(rejection) => http::answer(to, 200, &[], &error_body(&rejection, "INVALID_INPUT")),
    }
}

fn error_body(message: &str, code: &str) -> Value {
    json!({"data": null, "errors": [{"message": message, "extensions": {"code": code, "userPresentableMessage": message}}]})
}

impl Shared {
    fn execute(&self, operation: &Operation) -> Result<Value, String> {
        let mut state = self.state();
        let argument = |name: &str| operation.arguments.get(name).cloned().unwrap_or_default();
        match (operation.is_mutation, operation.name.as_str()) {
            (false, "viewer") => {
                Ok(json!({"id": "u", "name": "Ada L", "displayName": "ada", "email": "a@b"}))
            }
            (false, "teams") => {
                let filter = argument("filter");
                let fitting: Vec<&Value> = state.teams.iter().filter(|team| fits(team, &filter)).collect();
                Ok(json!({"nodes": fitting}))
            }
            (false, "issue") => {
                let id = argument("id");
                let found = state.issues.iter().find(|issue| issue["id"] == id || issue["identifier"] == id);
                found.cloned().ok_or_else(|| "Entity not found: Issue".to_owned())
            }
            (true, "issueCreate") => create_issue(&mut state, &argument("input")),
            (_, other) => Err(format!("{other} is not supported")),
        }
        .inspect_err(|rejection| state.rejections.push(rejection.clone()))
    }
}

fn create_issue(state: &mut State, input: &Value) -> Result<Value, String> {
    let text = |name: &str| input[name].as_str().unwrap_or_default();
    let team = state.teams.iter().find(|team| team["id"] == input["teamId"]);
    let team = team.ok_or("Entity not found: Team")?.clone();
    if text("title").is_empty() {
        return Err("title must not be empty".to_owned());
    }
    let id = text("id");
    if !is_uuid_v4(id) {
        return Err("id must be a UUID".to_owned());
    }
    if state.issues.iter().any(|issue| issue["id"] == id) {
        return Err(format!("Conflict on insert of Issue: id {id} already exists"));
    }
    let identifier = format!("{}-{}", team["key"].as_str().unwrap_or_default(), state.issues.len() + 123);
    let url = format!("https://linear.app/acme/issue/{identifier}");
    let issue = json!({
        "id": id, "identifier": identifier, "url": url, "team": team, "branchName": identifier,
        "title": text("title"), "description": text("description"),
    });
    state.issues.push(issue.clone());
    Ok(json!({"success": true, "lastSyncId": 1, "issue": issue}))
}

fn is_uuid_v4(id: &str) -> bool {
    let shape = |(index, byte): (usize, u8)| match index {
        8 | 13 | 18 | 23 => byte == b'-',
        14 => byte == b'4',
        19 => b"89ab".contains(&byte),
        _ => byte.is_ascii_hexdigit(),
    };
    id.len() == 36 && id.bytes().enumerate().all(shape)
}

/// Evaluates a filter with the comparisons supported here.
fn fits(team: &Value, filter: &Value) -> bool {
    let lower = |value: &Value| value.as_str().unwrap_or_default().to_lowercase();
    let compares = |found: &Value, how: &Value| {
        how.as_object().into_iter().flatten().all(|(name, value)| match name.as_str() {
            "eq" => found == value,
            "eqIgnoreCase" => lower(found) == lower(value),
            _ => value.is_null(),
        })
    };
    filter.as_object().into_iter().flatten().all(|(name, value)| match name.as_str() {
        "or" => value.as_array().into_iter().flatten().any(|filter| fits(team, filter)),
        "and" => value.as_array().into_iter().flatten().all(|filter| fits(team, filter)),
        name => compares(&team[name], value),
    })
}
