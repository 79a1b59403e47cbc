//! The server: one thread accepts connections, one thread per connection answers.

use super::api::{Api, ModelRequest};
use super::http::{self, HttpRequest};
use super::log::Log;
use super::marks;
use super::script::{ChosenTurn, Script, Turn, TurnQuery};
use serde_json::{Map, Value, json};
use std::io::{self, BufReader};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Poll interval of a waiting thread.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Mock model on a loopback port. Stops when dropped.
#[derive(Debug)]
pub struct MockModel {
    address: SocketAddr,
    log: PathBuf,
    state: Arc<ServerState>,
    listener: Option<JoinHandle<()>>,
}

/// State shared by all connections.
#[derive(Debug)]
struct ServerState {
    script: Mutex<Script>,
    log: Mutex<Log>,
    connections: Mutex<Vec<TcpStream>>,
    closing: AtomicBool,
}

impl MockModel {
    /// Starts on a free port.
    pub fn start(script: Script, log: &Path) -> io::Result<MockModel> {
        MockModel::start_on(0, script, log)
    }

    /// Starts on a port; 0 is a free one.
    pub fn start_on(port: u16, script: Script, log: &Path) -> io::Result<MockModel> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(ServerState {
            script: Mutex::new(script),
            log: Mutex::new(Log::new(log)?),
            connections: Mutex::default(),
            closing: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || listen(&listener, &shared));
        Ok(MockModel { address, log: log.to_owned(), state, listener: Some(thread) })
    }

    /// Base URL, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Log lines so far.
    pub fn requests(&self) -> Vec<Value> {
        let text = fs_err::read_to_string(&self.log).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Body of a request, by its line in the log.
    pub fn body(&self, request: &Value) -> Value {
        let mut folder = self.log.as_os_str().to_owned();
        folder.push(".bodies");
        let path = Path::new(&folder).join(request["body"].as_str().unwrap_or_default());
        fs_err::read_to_string(path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Blocks while it listens: for ever.
    pub(super) fn serve(mut self) {
        if let Some(thread) = self.listener.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.state.closing.store(true, Ordering::Release);
        for connection in lock(&self.state.connections).drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the thread, which is blocked in `accept`.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.listener.take() {
            let _ = thread.join();
        }
    }
}

fn listen(listener: &TcpListener, state: &Arc<ServerState>) {
    for connection in listener.incoming() {
        if state.is_closing() {
            return;
        }
        let Ok(connection) = connection else { continue };
        let _ = connection.set_nodelay(true);
        if let Ok(copy) = connection.try_clone() {
            lock(&state.connections).push(copy);
        }
        let state = Arc::clone(state);
        // A client that breaks off ends only its own connection.
        std::thread::spawn(move || {
            let _ = state.serve_connection(connection);
        });
    }
}

impl ServerState {
    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    fn serve_connection(&self, connection: TcpStream) -> io::Result<()> {
        let mut to = connection.try_clone()?;
        let mut from = BufReader::new(connection);
        while let Some(request) = HttpRequest::read(&mut from)? {
            let outcome = self.respond(&request, &mut to);
            if outcome.is_err() || request.header("connection").is_some_and(|value| value == "close") {
                let _ = to.shutdown(Shutdown::Both);
                return outcome;
            }
        }
        Ok(())
    }

    fn respond(&self, request: &HttpRequest, to: &mut TcpStream) -> io::Result<()> {
        let route = request.route();
        if request.header("content-encoding").is_some_and(|encoding| encoding != "identity") {
            lock(&self.log).record(request, log_fields("encoded"))?;
            return http::answer(
                to,
                415,
                &[],
                &json!({"error": {"message": "content-encoding is not supported"}}),
            );
        }
        if request.method != "POST" {
            lock(&self.log).record(request, log_fields("other"))?;
            let models = route.trim_end_matches('/').ends_with("/models");
            let data =
                if models { json!([{"id": "mock", "object": "model", "type": "model"}]) } else { json!([]) };
            return http::answer(to, 200, &[], &json!({"object": "list", "data": data, "models": []}));
        }
        if let Some(answer) = count_tokens(request) {
            lock(&self.log).record(request, log_fields("count"))?;
            return http::answer(to, 200, &[], &answer);
        }
        let Some(api) = Api::from_route(route) else {
            lock(&self.log).record(request, log_fields("unknown"))?;
            return http::answer(
                to,
                404,
                &[],
                &json!({"error": {"message": format!("unknown route {route}")}}),
            );
        };
        let model_request = api.read(route, &request.json());
        let (n, chosen) = self.choose(request, api, &model_request)?;
        self.send_turn(&chosen.turn, api, &model_request, n, to)
    }

    fn choose(
        &self,
        request: &HttpRequest,
        api: Api,
        model_request: &ModelRequest,
    ) -> io::Result<(u64, ChosenTurn)> {
        // Locked together, so that the order of the log is the order of the turns.
        let (mut script, mut log) = (lock(&self.script), lock(&self.log));
        let query = TurnQuery {
            user_text: &model_request.user_text,
            task_text: &model_request.task_text,
            has_tools: !model_request.tools.is_empty(),
            history: model_request.history,
        };
        let (n, mut chosen) = (log.next(), script.choose(query));
        marks::fill(&mut chosen.turn, &model_request.last);
        let mut line = log_fields(api.name());
        for (name, value) in [
            ("model", json!(model_request.model)),
            ("stream", json!(model_request.stream)),
            ("tools", json!(model_request.tools)),
            ("history", json!(model_request.history)),
            ("last", json!(model_request.last)),
            ("lane", json!(chosen.lane)),
            ("turn", chosen.name.clone()),
        ] {
            line.insert(name.to_owned(), value);
        }
        if let Some(step) = &chosen.step {
            line.insert("step".to_owned(), step.clone().into());
        }
        log.record(request, line)?;
        Ok((n, chosen))
    }

    fn send_turn(
        &self,
        turn: &Turn,
        api: Api,
        model_request: &ModelRequest,
        n: u64,
        to: &mut TcpStream,
    ) -> io::Result<()> {
        let until = (!turn.hang).then(|| Instant::now() + turn.delay);
        self.wait(until, to)?;
        if let Some(error) = &turn.error {
            let body = error.body.clone().unwrap_or_else(|| api.error(error));
            return http::answer(to, error.status, &error.headers, &body);
        }
        let reply = api.reply(turn, &model_request.model, n);
        if !model_request.stream && turn.cut_after.is_none() {
            return http::answer(to, 200, &[], &reply.whole);
        }
        http::begin_events(to)?;
        for event in reply.events.iter().take(turn.cut_after.unwrap_or(usize::MAX)) {
            http::event(to, event.name, &event.data)?;
        }
        if turn.cut_after.is_some() {
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "cut, as scripted"));
        }
        http::end_events(to)
    }

    /// Waits until a moment, or for ever with none, unless the client disconnects or this model is dropped.
    fn wait(&self, until: Option<Instant>, client: &TcpStream) -> io::Result<()> {
        while until.is_none_or(|until| Instant::now() < until) {
            client.set_read_timeout(Some(POLL_INTERVAL))?;
            let seen = client.peek(&mut [0]);
            client.set_read_timeout(None)?;
            match seen {
                Ok(0) => return Err(io::ErrorKind::ConnectionAborted.into()),
                Ok(_) => std::thread::sleep(POLL_INTERVAL),
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                }
                Err(error) => return Err(error),
            }
            if self.is_closing() {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
        }
        Ok(())
    }
}

/// Answer to a token count request, if it is one: four bytes are one token.
fn count_tokens(request: &HttpRequest) -> Option<Value> {
    let tokens = request.body.len().div_ceil(4);
    match request.route() {
        route if route.ends_with("/count_tokens") => Some(json!({"input_tokens": tokens})),
        route if route.ends_with(":countTokens") => Some(json!({"totalTokens": tokens})),
        _ => None,
    }
}

fn log_fields(api: &str) -> Map<String, Value> {
    Map::from_iter([("api".to_owned(), api.into())])
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
