//! An HTTP front of an MCP server that speaks over its standard streams, for clients that only speak HTTP, such as the
//! conformance suite of the protocol. The server is the real program; the front carries messages and keeps no protocol state.
//!
//! `initialize` starts a server process for the session, which ends with its DELETE. Requests without a session, as the
//! revision 2026-07-28 sends them, share one process.

use crate::mock_model::http::{self, HttpRequest};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time after which a silent server counts as hanging.
const PATIENCE: Duration = Duration::from_mins(1);
/// Header that names a session.
const SESSION: &str = "mcp-session-id";
/// Key of the revision in the metadata of a request.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";

/// HTTP front. Its thread ends with the program.
#[derive(Debug)]
pub struct McpFront {
    address: SocketAddr,
}

impl McpFront {
    /// Listens on a port, 0 for a free one; `server` is the command that starts a server process.
    pub fn start(port: u16, server: impl Fn() -> Command + Send + Sync + 'static) -> io::Result<McpFront> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let sessions = Arc::new(Sessions {
            server: Box::new(server),
            open: Mutex::default(),
            shared: Mutex::default(),
            count: AtomicU64::new(0),
        });
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let sessions = Arc::clone(&sessions);
                std::thread::spawn(move || {
                    // A client that breaks off ends only its own connection.
                    let _ = sessions.serve(connection);
                });
            }
        });
        Ok(McpFront { address })
    }

    /// Address of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

struct Sessions {
    server: Box<dyn Fn() -> Command + Send + Sync>,
    /// Server processes by session.
    open: Mutex<HashMap<String, Arc<ServerProcess>>>,
    /// Server process of requests without a session.
    shared: Mutex<Option<Arc<ServerProcess>>>,
    count: AtomicU64,
}

impl Sessions {
    fn serve(&self, connection: TcpStream) -> io::Result<()> {
        let mut to = connection.try_clone()?;
        let mut from = BufReader::new(connection);
        while let Some(request) = HttpRequest::read(&mut from)? {
            match request.method.as_str() {
                "POST" => self.post(&request, &mut to)?,
                "DELETE" => {
                    let ended = request.header(SESSION).and_then(|name| lock(&self.open).remove(name));
                    respond(&mut to, if ended.is_some() { 200 } else { 404 })?;
                }
                // The front opens no stream of its own.
                _ => respond(&mut to, 405)?,
            }
        }
        Ok(())
    }

    fn post(&self, request: &HttpRequest, to: &mut TcpStream) -> io::Result<()> {
        let message = request.json();
        if !message.is_object() {
            let error = json!({"code": -32700, "message": "the body is no message"});
            return http::answer(to, 400, &[], &json!({"jsonrpc": "2.0", "id": null, "error": error}));
        }
        let is_modern = message["params"]["_meta"].get(REVISION).is_some();
        let mut headers = Vec::new();
        let server = if let Some(name) = request.header(SESSION) {
            let Some(server) = lock(&self.open).get(name).cloned() else { return respond(to, 404) };
            server
        } else if message["method"] == "initialize" && !is_modern {
            let name = format!("session-{}", self.count.fetch_add(1, Ordering::Relaxed));
            let server = Arc::new(ServerProcess::start((self.server)())?);
            lock(&self.open).insert(name.clone(), Arc::clone(&server));
            headers.push((SESSION.to_owned(), name));
            server
        } else {
            self.shared_server()?
        };
        if message.get("id").is_none() || message.get("method").is_none() {
            server.send(&message)?;
            return respond(to, 202);
        }
        carry(&server, &message, &headers, to)
    }

    fn shared_server(&self) -> io::Result<Arc<ServerProcess>> {
        let mut shared = lock(&self.shared);
        if let Some(server) = shared.as_ref().filter(|server| server.is_alive()) {
            return Ok(Arc::clone(server));
        }
        let server = Arc::new(ServerProcess::start((self.server)())?);
        *shared = Some(Arc::clone(&server));
        Ok(server)
    }
}

/// Sends a request to the server and its messages back: one JSON document, or events if others come before the response.
fn carry(
    server: &ServerProcess,
    message: &Value,
    headers: &[(String, String)],
    to: &mut TcpStream,
) -> io::Result<()> {
    let pending = server.request(message)?;
    let silent = |_| io::Error::new(io::ErrorKind::TimedOut, "the server says nothing");
    let first = pending.messages.recv_timeout(PATIENCE).map_err(silent)?;
    if first.get("method").is_none() {
        return http::answer(to, status_of(&first), headers, &first);
    }
    http::begin_events(to)?;
    let mut next = first;
    loop {
        http::event(to, Some("message"), &next.to_string())?;
        if next.get("method").is_none() {
            return http::end_events(to);
        }
        next = pending.messages.recv_timeout(PATIENCE).map_err(silent)?;
    }
}

/// Status of a response, as the protocol maps errors to HTTP.
fn status_of(response: &Value) -> u16 {
    match response["error"]["code"].as_i64() {
        Some(-32601) => 404,
        Some(-32600 | -32602 | -32700 | -32022..=-32020) => 400,
        _ => 200,
    }
}

/// Answers without a body.
fn respond(to: &mut TcpStream, status: u16) -> io::Result<()> {
    to.write_all(format!("HTTP/1.1 {status} Front\r\ncontent-length: 0\r\n\r\n").as_bytes())
}

/// A server process. Ends when dropped.
struct ServerProcess {
    child: Mutex<Child>,
    stdin: Mutex<ChildStdin>,
    waiting: Arc<Mutex<Waiting>>,
    count: AtomicU64,
}

/// Requests without a response, by the id that the server knows them by: ids of different clients may be the same.
type Waiting = BTreeMap<u64, PendingRequest>;

/// A request whose client waits.
struct PendingRequest {
    id: Value,
    client: Sender<Value>,
}

/// Messages for one request; it is forgotten when dropped.
struct PendingMessages {
    id: u64,
    messages: Receiver<Value>,
    waiting: Arc<Mutex<Waiting>>,
}

impl ServerProcess {
    fn start(mut server: Command) -> io::Result<ServerProcess> {
        let mut child = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (stdin, stdout) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        let waiting = Arc::<Mutex<Waiting>>::default();
        let shared = Arc::clone(&waiting);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Ok(message) = serde_json::from_str(&line) {
                    deliver(message, &shared);
                }
            }
            // Nobody waits for a server that has ended.
            lock(&shared).clear();
        });
        Ok(ServerProcess {
            child: Mutex::new(child),
            stdin: Mutex::new(stdin),
            waiting,
            count: AtomicU64::new(1),
        })
    }

    fn is_alive(&self) -> bool {
        lock(&self.child).try_wait().is_ok_and(|status| status.is_none())
    }

    /// Sends one message.
    fn send(&self, message: &Value) -> io::Result<()> {
        lock(&self.stdin).write_all(format!("{message}\n").as_bytes())
    }

    /// Sends a request under an id of its own.
    fn request(&self, message: &Value) -> io::Result<PendingMessages> {
        let id = self.count.fetch_add(1, Ordering::Relaxed);
        let (client, messages) = channel();
        lock(&self.waiting).insert(id, PendingRequest { id: message["id"].clone(), client });
        let pending = PendingMessages { id, messages, waiting: Arc::clone(&self.waiting) };
        let mut numbered = message.clone();
        numbered["id"] = id.into();
        self.send(&numbered)?;
        Ok(pending)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let mut child = lock(&self.child);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for PendingMessages {
    fn drop(&mut self) {
        lock(&self.waiting).remove(&self.id);
    }
}

/// Hands a message of the server to the client that waits for it; what answers no request goes to the oldest one.
fn deliver(mut message: Value, waiting: &Mutex<Waiting>) {
    let waiting = lock(waiting);
    let is_response = message.get("method").is_none();
    let request = match message["id"].as_u64().filter(|_| is_response) {
        Some(id) => waiting.get(&id),
        None => waiting.values().next(),
    };
    let Some(request) = request else { return };
    if is_response {
        message["id"] = request.id.clone();
    }
    // A client that has gone away needs nothing.
    let _ = request.client.send(message);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
