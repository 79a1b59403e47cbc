//! A webhook receiver on a loopback port: records requests and answers with a fixed status.

pub use crate::mock_model::http::HttpRequest;
use std::io::{self, BufReader, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Webhook receiver. Stops when dropped.
#[derive(Debug)]
pub struct WebhookListener {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    status: AtomicU16,
    received: Mutex<Vec<HttpRequest>>,
    connections: Mutex<Vec<TcpStream>>,
    closing: AtomicBool,
}

impl WebhookListener {
    /// Listens on a free port and answers with that status; with 0, it never answers.
    pub fn start(status: u16) -> WebhookListener {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap_or_else(|error| panic!("{error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let shared = Arc::new(Shared { status: AtomicU16::new(status), ..Shared::default() });
        let server_state = Arc::clone(&shared);
        let thread = std::thread::spawn(move || listen(&listener, &server_state));
        WebhookListener { address, shared, thread: Some(thread) }
    }

    /// Changes the status of later answers.
    pub fn set_status(&self, status: u16) {
        self.shared.status.store(status, Ordering::SeqCst);
    }

    /// URL to post to.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// Requests received since the last call.
    pub fn take_requests(&self) -> Vec<HttpRequest> {
        std::mem::take(&mut self.shared.received.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for WebhookListener {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for connection in self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the thread, which is blocked in `accept`.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((connection, _)) = listener.accept() {
        if shared.closing.load(Ordering::SeqCst) {
            return;
        }
        if let Ok(other) = connection.try_clone() {
            shared.connections.lock().unwrap_or_else(PoisonError::into_inner).push(other);
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
        let status = shared.status.load(Ordering::SeqCst);
        shared.received.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        if status != 0 {
            let head =
                format!("HTTP/1.1 {status} Listened\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n");
            writer.write_all(head.as_bytes())?;
        }
    }
    // `connections` holds a clone, so closing ours is not enough.
    writer.shutdown(Shutdown::Both)
}
