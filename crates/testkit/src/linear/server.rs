//! The server: teams that are there from the start, issues that are made, and things that go wrong.

use super::schema::{Operation, operation, schema};
use crate::mock_model::http::{self, Request};
use apollo_compiler::Schema;
use apollo_compiler::validation::Valid;
use serde_json::{Value, json};
use std::io::{self, BufReader, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Something that goes wrong once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// 429, with a `Retry-After` of so many seconds.
    TooMany(Option<u64>),
    /// Too many requests, the way Linear says it: 400 and a code.
    RateLimited,
    /// 500.
    Trouble,
    /// It is done, and then 500.
    TroubleAfter,
    /// It is done, and the answer takes its time.
    Slow,
    /// The connection is closed before anything is done.
    DropBefore,
    /// It is done, and then the connection is closed.
    DropAfter,
    /// It is done, and half of the answer is sent.
    Half,
    /// No answer comes.
    Hang,
    /// The answer has no end.
    Flood,
    /// The answer is not JSON.
    Nonsense,
    /// The answer is JSON of another shape.
    OtherShape,
    /// The answer repeats the key.
    Echo,
}

/// The server. It ends with this value.
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
    refused: Vec<String>,
    mishaps: Vec<(String, Mishap)>,
    always: Option<Mishap>,
    connections: Vec<TcpStream>,
}

impl LinearServer {
    /// The key that is accepted.
    pub const KEY: &str = "lin_api_k3y0fth3s3rv3r1nth3t3st";
    /// A team's UUID.
    pub const TEAM: &str = "9cfb482a-81e3-4154-b5b9-2c805e70a02d";

    /// Starts on a free port, with the teams `BASE` (Basecamp), `OPS` (Base) and two that are called Twin.
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
        let shared = Arc::new(Shared { schema: schema(), state, closing: AtomicBool::new(false) });
        let room = Arc::clone(&shared);
        let thread = std::thread::spawn(move || listen(&listener, &room));
        LinearServer { address, shared, listener: Some(thread) }
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://{}/graphql", self.address)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Every issue that was made.
    pub fn issues(&self) -> Vec<Value> {
        self.state().issues.clone()
    }

    /// The root field of every request, in order, and forgets them.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }

    /// What the schema or the rules did not allow, one line each.
    pub fn refused(&self) -> Vec<String> {
        self.state().refused.clone()
    }

    /// The next requests for that root field meet these, one each.
    pub fn happens(&self, field: &str, mishaps: &[Mishap]) {
        self.state().mishaps.extend(mishaps.iter().map(|mishap| (field.to_owned(), *mishap)));
    }

    /// Every request meets this one from now on; with none, all is well again.
    pub fn always(&self, mishap: Option<Mishap>) {
        self.state().always = mishap;
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
        // The listener is waiting for somebody.
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
            // A client that went away is none of our business.
            let _ = serve(connection, &shared);
        });
    }
}

fn serve(connection: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut writer = connection.try_clone()?;
    let mut reader = BufReader::new(connection);
    while let Some(request) = Request::read(&mut reader)? {
        if !reply(&mut writer, &request, shared)? {
            break;
        }
    }
    // Somebody else holds it too, to end it with the server.
    writer.shutdown(Shutdown::Both)
}

/// Answers a request. False if the connection is to be closed.
fn reply(to: &mut TcpStream, request: &Request, shared: &Shared) -> io::Result<bool> {
    if let Err(refusal) = is_proper(request) {
        shared.state().refused.push(refusal.clone());
        let (status, code) =
            if refusal.contains("key") { (401, "AUTHENTICATION_ERROR") } else { (400, "INVALID_INPUT") };
        return http::answer(to, status, &[], &complaint(&refusal, code)).map(|()| true);
    }
    let asked = match operation(&shared.schema, &request.json()) {
        Ok(asked) => asked,
        Err(refusal) => {
            shared.state().refused.push(refusal.clone());
            let answer = complaint(&refusal, "GRAPHQL_VALIDATION_FAILED");
            return http::answer(to, 400, &[], &answer).map(|()| true);
        }
    };
    let mishap = {
        let mut state = shared.state();
        state.requests.push(asked.name.clone());
        let next = state.mishaps.iter().position(|(field, _)| *field == asked.name);
        next.map(|index| state.mishaps.remove(index).1).or(state.always)
    };
    let after = |seconds: &u64| ("retry-after".to_owned(), seconds.to_string());
    match mishap {
        None => respond(to, &asked, shared.executed(&asked))?,
        Some(Mishap::TooMany(wait)) => {
            let headers: Vec<_> = wait.iter().map(after).collect();
            http::answer(to, 429, &headers, &json!({}))?;
        }
        Some(Mishap::RateLimited) => {
            http::answer(to, 400, &[], &complaint("Rate limit exceeded", "RATELIMITED"))?;
        }
        Some(Mishap::Trouble) => http::answer(to, 500, &[], &json!("trouble"))?,
        Some(Mishap::TroubleAfter) => {
            let _ = shared.executed(&asked);
            http::answer(to, 500, &[], &json!("trouble"))?;
        }
        Some(Mishap::Slow) => {
            let executed = shared.executed(&asked);
            std::thread::sleep(Duration::from_millis(300));
            respond(to, &asked, executed)?;
        }
        Some(Mishap::DropBefore) => return Ok(false),
        Some(Mishap::DropAfter) => {
            let _ = shared.executed(&asked);
            return Ok(false);
        }
        Some(Mishap::Half) => {
            let _ = shared.executed(&asked);
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 400\r\n\r\n{\"data\": {")?;
            return Ok(false);
        }
        Some(Mishap::Hang) => {
            while !shared.is_closing() {
                std::thread::sleep(Duration::from_millis(20));
            }
            return Ok(false);
        }
        Some(Mishap::Flood) => {
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n")?;
            let block = vec![b' '; 1 << 16];
            while !shared.is_closing() {
                to.write_all(&block)?;
            }
            return Ok(false);
        }
        Some(Mishap::Nonsense) => {
            to.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 15\r\n\r\n<html>oh</html>")?;
        }
        Some(Mishap::OtherShape) => http::answer(to, 200, &[], &json!({"data": {"surprise": 1}}))?,
        Some(Mishap::Echo) => {
            let key = request.header("authorization").unwrap_or_default();
            http::answer(to, 400, &[], &complaint(&format!("what is {key}?"), "INVALID_INPUT"))?;
        }
    }
    Ok(true)
}

/// What every request must be, whatever it asks for.
fn is_proper(request: &Request) -> Result<(), String> {
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

fn respond(to: &mut TcpStream, asked: &Operation, executed: Result<Value, String>) -> io::Result<()> {
    match executed {
        Ok(value) => http::answer(to, 200, &[], &json!({"data": asked.answer(&value)})),
        // Linear answers with 200 when the request was proper.
        Err(refusal) => http::answer(to, 200, &[], &complaint(&refusal, "INVALID_INPUT")),
    }
}

fn complaint(message: &str, code: &str) -> Value {
    json!({"data": null, "errors": [{"message": message, "extensions": {"code": code, "userPresentableMessage": message}}]})
}

impl Shared {
    fn executed(&self, asked: &Operation) -> Result<Value, String> {
        let mut state = self.state();
        let argument = |name: &str| asked.arguments.get(name).cloned().unwrap_or_default();
        match (asked.is_mutation, asked.name.as_str()) {
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
            (true, "issueCreate") => created(&mut state, &argument("input")),
            (_, other) => Err(format!("{other} is not played here")),
        }
        .inspect_err(|refusal| state.refused.push(refusal.clone()))
    }
}

fn created(state: &mut State, input: &Value) -> Result<Value, String> {
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

/// The comparisons of a filter, as far as they are played here.
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
