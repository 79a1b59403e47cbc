//! The scripted model on a loopback port. Clients use it as their proxy too, so that nothing else is reached.

use super::http::{self, HttpRequest};
use super::script::{ModelRequest, Script, ScriptLog, ToolCall};
use super::{generate, messages, responses};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A scripted model. Stops when dropped.
#[derive(Debug)]
pub(crate) struct ScriptedModel {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    script: Script,
    log: Mutex<ScriptLog>,
    connections: Mutex<Vec<TcpStream>>,
    is_closing: AtomicBool,
}

impl ScriptedModel {
    /// Listens on a free port of loopback.
    pub(crate) fn start(script: Script) -> io::Result<ScriptedModel> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { script, ..Shared::default() });
        let served = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve(&listener, &served));
        Ok(ScriptedModel { address, shared, thread: Some(thread) })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that happened so far.
    pub(crate) fn log(&self) -> ScriptLog {
        lock(&self.shared.log).clone()
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.is_closing.store(true, Ordering::Release);
        for connection in lock(&self.shared.connections).iter() {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the thread, which waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((connection, _)) = listener.accept() {
        if shared.is_closing.load(Ordering::Acquire) {
            return;
        }
        if let Ok(copy) = connection.try_clone() {
            lock(&shared.connections).push(copy);
        }
        let shared = Arc::clone(shared);
        // A client that breaks off ends only its own connection.
        std::thread::spawn(move || shared.serve_connection(connection));
    }
}

impl Shared {
    fn serve_connection(&self, connection: TcpStream) -> io::Result<()> {
        let mut to = connection.try_clone()?;
        let mut from = BufReader::new(connection);
        while let Some(request) = HttpRequest::read(&mut from)? {
            self.respond(&request, &mut to)?;
        }
        Ok(())
    }

    fn respond(&self, request: &HttpRequest, to: &mut TcpStream) -> io::Result<()> {
        let is_elsewhere = request.method == "CONNECT" || request.target.starts_with("http");
        if is_elsewhere {
            lock(&self.log).refused.push(request.target.clone());
            return http::answer(
                to,
                403,
                "application/json",
                "{\"error\": {\"message\": \"only the scripted model is here\"}}",
            );
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let route = request.route();
        let events = if request.method == "POST" && route.ends_with("/messages") {
            let request = messages::read(&body);
            messages::reply(self.choose(&request).as_ref(), &request)
        } else if request.method == "POST" && route.ends_with("/responses") {
            let request = responses::read(&body);
            responses::reply(self.choose(&request).as_ref(), &request)
        } else if request.method == "POST" && route.ends_with(":streamGenerateContent") {
            let request = generate::read(route, &body);
            let event = generate::reply(self.choose(&request).as_ref());
            return http::answer(to, 200, "text/event-stream", &format!("data: {event}\n\n"));
        } else if request.method == "POST" && route.ends_with(":generateContent") {
            let request = generate::read(route, &body);
            let answer = generate::reply(self.choose(&request).as_ref());
            return http::answer(to, 200, "application/json", &answer.to_string());
        } else {
            let (status, answer) = match route {
                _ if route.ends_with(":countTokens") => (200, json!({"totalTokens": 1})),
                _ if route.ends_with("/count_tokens") => (200, json!({"input_tokens": 1})),
                _ if route.ends_with("/models") => (200, json!({"object": "list", "data": [], "models": []})),
                _ => (404, json!({"error": {"message": "unknown route"}})),
            };
            return http::answer(to, status, "application/json", &answer.to_string());
        };
        let mut stream = String::new();
        for (name, data) in events {
            let _ = write!(stream, "event: {name}\ndata: {data}\n\n");
        }
        http::answer(to, 200, "text/event-stream", &stream)
    }

    fn choose(&self, request: &ModelRequest) -> Option<ToolCall> {
        self.script.next(request, &mut lock(&self.log))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
