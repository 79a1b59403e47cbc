//! JSON-RPC lines over a pair of pipes, in both directions at once and of bounded size.
//!
//! Outgoing lines are buffered and sent while incoming ones are read: an agent that does not read while it
//! writes must not block us.

use crate::stream::clean;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Maximum size of outgoing lines in addition to the line limit.
const MAX_OUTGOING: usize = 1 << 20;

/// Initial size of the read buffer.
const READ_BUFFER: usize = 8 << 10;

#[derive(Debug)]
pub(super) struct RpcConnection<R, W> {
    from: R,
    to: W,
    received: Vec<u8>,
    /// Number of received bytes that were returned.
    read: usize,
    /// Number of received bytes that were searched for a line end.
    searched: usize,
    outgoing: Vec<u8>,
    /// Number of outgoing bytes that were sent.
    sent: usize,
    max_line_bytes: usize,
    is_write_closed: bool,
}

/// Reason there is no next line.
#[derive(Debug)]
pub(super) enum ConnectionError {
    /// The agent has closed its pipe.
    Closed,
    /// A line, or the outgoing lines, exceed their limit.
    LimitExceeded,
    Failed(io::Error),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> RpcConnection<R, W> {
    pub(super) fn new(from: R, to: W, max_line_bytes: usize) -> RpcConnection<R, W> {
        RpcConnection {
            from,
            to,
            received: Vec::with_capacity(READ_BUFFER),
            read: 0,
            searched: 0,
            outgoing: Vec::new(),
            sent: 0,
            max_line_bytes,
            is_write_closed: false,
        }
    }

    /// Queues a line.
    pub(super) fn send(&mut self, line: &str) {
        self.outgoing.extend_from_slice(line.as_bytes());
        self.outgoing.push(b'\n');
    }

    /// The next line, without control characters. Queued lines are sent meanwhile.
    pub(super) async fn next(&mut self) -> Result<String, ConnectionError> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.received.len() > self.max_line_bytes
                || self.outgoing.len() - self.sent > self.max_line_bytes + MAX_OUTGOING
            {
                return Err(ConnectionError::LimitExceeded);
            }
            let is_sending = !self.is_write_closed && self.sent < self.outgoing.len();
            tokio::select! {
                biased;
                sent = send_some(&mut self.to, &self.outgoing[self.sent..]), if is_sending => match sent {
                    Ok(count) => self.mark_sent(count),
                    // The agent may still report why.
                    Err(_) => self.is_write_closed = true,
                },
                read = self.from.read_buf(&mut self.received) => match read {
                    Ok(0) => return self.last_line().ok_or(ConnectionError::Closed),
                    Ok(_) => {}
                    Err(error) => return Err(ConnectionError::Failed(error)),
                },
            }
        }
    }

    fn take_line(&mut self) -> Option<String> {
        let end = memchr::memchr(b'\n', &self.received[self.searched..]).map(|at| self.searched + at);
        let Some(end) = end else {
            // Returned bytes are dropped when no complete line is left.
            self.received.drain(..self.read);
            self.read = 0;
            self.searched = self.received.len();
            return None;
        };
        let line = clean::line(&self.received[self.read..end]).into_owned();
        self.read = end + 1;
        self.searched = self.read;
        Some(line)
    }

    /// The last line, without a line end.
    fn last_line(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.received);
        let line = clean::line(&rest).into_owned();
        self.searched = 0;
        (!line.trim().is_empty()).then_some(line)
    }

    fn mark_sent(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.outgoing.len() {
            self.outgoing.clear();
            self.sent = 0;
        }
    }
}

/// Sends as much as the pipe takes. Cancel-safe.
async fn send_some<W: AsyncWrite + Unpin>(to: &mut W, bytes: &[u8]) -> io::Result<usize> {
    match to.write(bytes).await? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        count => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::duplex;

    fn on_one_thread<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[test]
    fn lines_do_not_depend_on_chunks() {
        on_one_thread(async {
            let (mut other, mine) = duplex(3);
            let (from, to) = tokio::io::split(mine);
            let mut connection = RpcConnection::new(from, to, 100);
            let write = async {
                other.write_all("one\ntw\u{e9}\n\nlast".as_bytes()).await.unwrap();
                drop(other);
            };
            let read = async {
                let mut lines = Vec::new();
                while let Ok(line) = connection.next().await {
                    lines.push(line);
                }
                lines
            };
            let ((), lines) = tokio::join!(write, read);
            assert_eq!(lines, ["one", "tw\u{e9}", "", "last"]);
        });
    }

    #[test]
    fn a_line_beyond_the_limit_is_an_error() {
        on_one_thread(async {
            let (mut other, mine) = duplex(64);
            let (from, to) = tokio::io::split(mine);
            let mut connection = RpcConnection::new(from, to, 1000);
            let write = async { while other.write_all(&[b'x'; 64]).await.is_ok() {} };
            tokio::select! {
                () = write => panic!("the limit was not enforced"),
                line = connection.next() => assert!(matches!(line, Err(ConnectionError::LimitExceeded))),
            }
        });
    }

    #[test]
    fn sending_does_not_block_reading() {
        on_one_thread(async {
            let (mut other, mine) = duplex(16);
            let (from, to) = tokio::io::split(mine);
            let mut connection = RpcConnection::new(from, to, 10_000);
            connection.send(&"question ".repeat(100));
            let theirs = async {
                other.write_all("x".repeat(500).as_bytes()).await.unwrap();
                other.write_all(b"\n").await.unwrap();
                let mut received = vec![0; 901];
                other.read_exact(&mut received).await.unwrap();
                other.write_all(b"received\n").await.unwrap();
            };
            let ours = async {
                assert_eq!(connection.next().await.unwrap().len(), 500);
                assert_eq!(connection.next().await.unwrap(), "received");
            };
            tokio::join!(theirs, ours);
        });
    }

    #[test]
    fn an_agent_that_does_not_read_can_still_write() {
        on_one_thread(async {
            let (their_end, from) = duplex(64);
            let (deaf, to) = duplex(64);
            drop(deaf);
            let mut connection = RpcConnection::new(from, to, 1000);
            connection.send("hello?");
            let mut their_end = their_end;
            their_end.write_all(b"not listening\n").await.unwrap();
            assert_eq!(connection.next().await.unwrap(), "not listening");
            drop(their_end);
            assert!(matches!(connection.next().await, Err(ConnectionError::Closed)));
        });
    }
}
