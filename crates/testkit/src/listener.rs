//! Somebody who listens on a loopback port, keeps what was said, and always gives the same answer.

pub use crate::mock_model::http::Request;
use std::io::{self, BufReader, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A listener. It ends with this value.
#[derive(Debug)]
pub struct Listener {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    status: AtomicU16,
    received: Mutex<Vec<Request>>,
    connections: Mutex<Vec<TcpStream>>,
    closing: AtomicBool,
}

impl Listener {
    /// Listens on a free port, and answers with that status; with 0, never.
    pub fn start(status: u16) -> Listener {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap_or_else(|error| panic!("{error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("{error}"));
        let shared = Arc::new(Shared { status: AtomicU16::new(status), ..Shared::default() });
        let room = Arc::clone(&shared);
        let thread = std::thread::spawn(move || listen(&listener, &room));
        Listener { address, shared, thread: Some(thread) }
    }

    /// Answers with another status from now on.
    pub fn answers(&self, status: u16) {
        self.shared.status.store(status, Ordering::SeqCst);
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    /// What was received since the last time this was asked.
    pub fn received(&self) -> Vec<Request> {
        std::mem::take(&mut self.shared.received.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for connection in self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // The thread is waiting for somebody.
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
            // Somebody who went away is none of our business.
            let _ = serve(connection, &shared);
        });
    }
}

fn serve(connection: TcpStream, shared: &Shared) -> io::Result<()> {
    let mut writer = connection.try_clone()?;
    let mut reader = BufReader::new(connection);
    while let Some(request) = Request::read(&mut reader)? {
        let status = shared.status.load(Ordering::SeqCst);
        shared.received.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        if status != 0 {
            let head =
                format!("HTTP/1.1 {status} Listened\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n");
            writer.write_all(head.as_bytes())?;
        }
    }
    // Somebody else holds it too, to end it with the listener.
    writer.shutdown(Shutdown::Both)
}
