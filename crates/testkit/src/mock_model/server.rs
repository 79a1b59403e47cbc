//! The server: one thread listens, one thread per connection answers.

use super::api::{Api, Asked};
use super::http::{self, Request};
use super::log::Log;
use super::script::{Chosen, Cue, Script, Turn};
use serde_json::{Map, Value, json};
use std::io::{self, BufReader};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a thread that waits looks whether it should go on waiting.
const LOOK: Duration = Duration::from_millis(20);

/// A scripted model on a loopback port. It ends with this value.
#[derive(Debug)]
pub struct MockModel {
    address: SocketAddr,
    log: PathBuf,
    room: Arc<Room>,
    listener: Option<JoinHandle<()>>,
}

/// What all connections share.
#[derive(Debug)]
struct Room {
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

    /// Starts on a certain port; 0 is a free one.
    pub fn start_on(port: u16, script: Script, log: &Path) -> io::Result<MockModel> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let room = Arc::new(Room {
            script: Mutex::new(script),
            log: Mutex::new(Log::new(log)?),
            connections: Mutex::default(),
            closing: AtomicBool::new(false),
        });
        let shared = Arc::clone(&room);
        let thread = std::thread::spawn(move || listen(&listener, &shared));
        Ok(MockModel { address, log: log.to_owned(), room, listener: Some(thread) })
    }

    /// Where it listens, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The log so far.
    pub fn requests(&self) -> Vec<Value> {
        let text = fs_err::read_to_string(&self.log).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The body of a request, by its line in the log.
    pub fn body(&self, request: &Value) -> Value {
        let mut folder = self.log.as_os_str().to_owned();
        folder.push(".bodies");
        let path = Path::new(&folder).join(request["body"].as_str().unwrap_or_default());
        fs_err::read_to_string(path)
            .ok()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Waits as long as it listens: for ever.
    pub(super) fn serve(mut self) {
        if let Some(thread) = self.listener.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for MockModel {
    fn drop(&mut self) {
        self.room.closing.store(true, Ordering::Release);
        for connection in locked(&self.room.connections).drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // The listener looks at the flag when somebody knocks.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.listener.take() {
            let _ = thread.join();
        }
    }
}

fn listen(listener: &TcpListener, room: &Arc<Room>) {
    for connection in listener.incoming() {
        if room.is_closing() {
            return;
        }
        let Ok(connection) = connection else { continue };
        let _ = connection.set_nodelay(true);
        if let Ok(copy) = connection.try_clone() {
            locked(&room.connections).push(copy);
        }
        let room = Arc::clone(room);
        // A client that breaks off in the middle ends its own connection and nothing else.
        std::thread::spawn(move || {
            let _ = room.talk(connection);
        });
    }
}

impl Room {
    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    fn talk(&self, connection: TcpStream) -> io::Result<()> {
        let mut to = connection.try_clone()?;
        let mut from = BufReader::new(connection);
        while let Some(request) = Request::read(&mut from)? {
            let outcome = self.respond(&request, &mut to);
            if outcome.is_err() || request.header("connection").is_some_and(|value| value == "close") {
                let _ = to.shutdown(Shutdown::Both);
                return outcome;
            }
        }
        Ok(())
    }

    fn respond(&self, request: &Request, to: &mut TcpStream) -> io::Result<()> {
        let route = request.route();
        if request.header("content-encoding").is_some_and(|encoding| encoding != "identity") {
            locked(&self.log).note(request, about("encoded"))?;
            return http::answer(
                to,
                415,
                &[],
                &json!({"error": {"message": "only plain bodies are read here"}}),
            );
        }
        if request.method != "POST" {
            locked(&self.log).note(request, about("other"))?;
            let models = route.trim_end_matches('/').ends_with("/models");
            let data =
                if models { json!([{"id": "mock", "object": "model", "type": "model"}]) } else { json!([]) };
            return http::answer(to, 200, &[], &json!({"object": "list", "data": data, "models": []}));
        }
        if let Some(answer) = count(request) {
            locked(&self.log).note(request, about("count"))?;
            return http::answer(to, 200, &[], &answer);
        }
        let Some(api) = Api::of(route) else {
            locked(&self.log).note(request, about("unknown"))?;
            return http::answer(to, 404, &[], &json!({"error": {"message": format!("nothing at {route}")}}));
        };
        let asked = api.read(route, &request.json());
        let (n, chosen) = self.choose(request, api, &asked)?;
        self.play(&chosen.turn, api, &asked, n, to)
    }

    fn choose(&self, request: &Request, api: Api, asked: &Asked) -> io::Result<(u64, Chosen)> {
        // Both at once, so that the order of the log is the order of the turns.
        let (mut script, mut log) = (locked(&self.script), locked(&self.log));
        let cue = Cue { said: &asked.said, has_tools: !asked.tools.is_empty(), history: asked.history };
        let (n, chosen) = (log.next(), script.choose(cue));
        let mut line = about(api.name());
        for (name, value) in [
            ("model", json!(asked.model)),
            ("stream", json!(asked.stream)),
            ("tools", json!(asked.tools)),
            ("history", json!(asked.history)),
            ("last", json!(asked.last)),
            ("lane", json!(chosen.lane)),
            ("turn", chosen.name.clone()),
        ] {
            line.insert(name.to_owned(), value);
        }
        if let Some(step) = &chosen.step {
            line.insert("step".to_owned(), step.clone().into());
        }
        log.note(request, line)?;
        Ok((n, chosen))
    }

    fn play(&self, turn: &Turn, api: Api, asked: &Asked, n: u64, to: &mut TcpStream) -> io::Result<()> {
        let until = (!turn.hang).then(|| Instant::now() + turn.delay);
        self.wait(until, to)?;
        if let Some(refusal) = &turn.refusal {
            let body = refusal.body.clone().unwrap_or_else(|| api.error(refusal));
            return http::answer(to, refusal.status, &refusal.headers, &body);
        }
        let reply = api.reply(turn, &asked.model, n);
        if !asked.stream && turn.cut_after.is_none() {
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

    /// Waits, until a moment or for ever, unless the client leaves or this model ends.
    fn wait(&self, until: Option<Instant>, client: &TcpStream) -> io::Result<()> {
        while until.is_none_or(|until| Instant::now() < until) {
            client.set_read_timeout(Some(LOOK))?;
            let seen = client.peek(&mut [0]);
            client.set_read_timeout(None)?;
            match seen {
                Ok(0) => return Err(io::ErrorKind::ConnectionAborted.into()),
                Ok(_) => std::thread::sleep(LOOK),
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

/// The answer to a question for the number of tokens, if it is one: four bytes are one token.
fn count(request: &Request) -> Option<Value> {
    let tokens = request.body.len().div_ceil(4);
    match request.route() {
        route if route.ends_with("/count_tokens") => Some(json!({"input_tokens": tokens})),
        route if route.ends_with(":countTokens") => Some(json!({"totalTokens": tokens})),
        _ => None,
    }
}

fn about(api: &str) -> Map<String, Value> {
    Map::from_iter([("api".to_owned(), api.into())])
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
