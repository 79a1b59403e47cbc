//! Lines of JSON-RPC over a pair of pipes, both ways at once and within bounds.
//!
//! What is to be sent waits in a buffer and goes out while the other side is listened to: an agent that does not
//! read while it writes must not stop us from reading.

use crate::stream::clean;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// How much more than the longest line may wait to be sent.
const MOST_WAITING: usize = 1 << 20;

/// How much is read at once, at first.
const FIRST_BUFFER: usize = 8 << 10;

/// Both pipes.
#[derive(Debug)]
pub(super) struct Wire<R, W> {
    from: R,
    to: W,
    received: Vec<u8>,
    /// How much of what was received has been given out.
    read: usize,
    /// How much of it is known to hold no end of a line.
    searched: usize,
    waiting: Vec<u8>,
    sent: usize,
    most: usize,
    is_deaf: bool,
}

/// Why there is no next line.
#[derive(Debug)]
pub(super) enum Closed {
    /// The other side is gone.
    Ended,
    /// It wrote, or made us write, more than anybody will read.
    Flooded,
    /// The pipe failed.
    Failed(io::Error),
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Wire<R, W> {
    /// A wire that accepts lines of at most `most` bytes.
    pub(super) fn new(from: R, to: W, most: usize) -> Wire<R, W> {
        Wire {
            from,
            to,
            received: Vec::with_capacity(FIRST_BUFFER),
            read: 0,
            searched: 0,
            waiting: Vec::new(),
            sent: 0,
            most,
            is_deaf: false,
        }
    }

    /// Puts a line behind those that wait.
    pub(super) fn send(&mut self, line: &str) {
        self.waiting.extend_from_slice(line.as_bytes());
        self.waiting.push(b'\n');
    }

    /// The next line, cleaned. Meanwhile what waits is sent.
    pub(super) async fn next(&mut self) -> Result<String, Closed> {
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.received.len() > self.most || self.waiting.len() - self.sent > self.most + MOST_WAITING {
                return Err(Closed::Flooded);
            }
            let is_sending = !self.is_deaf && self.sent < self.waiting.len();
            tokio::select! {
                biased;
                sent = send_some(&mut self.to, &self.waiting[self.sent..]), if is_sending => match sent {
                    Ok(count) => self.has_sent(count),
                    // It may still say why it does not listen.
                    Err(_) => self.is_deaf = true,
                },
                read = self.from.read_buf(&mut self.received) => match read {
                    Ok(0) => return self.last_line().ok_or(Closed::Ended),
                    Ok(_) => {}
                    Err(error) => return Err(Closed::Failed(error)),
                },
            }
        }
    }

    fn take_line(&mut self) -> Option<String> {
        let end = memchr::memchr(b'\n', &self.received[self.searched..]).map(|at| self.searched + at);
        let Some(end) = end else {
            // What was given out is dropped once there is nothing else to give.
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

    /// What was left without an end when the other side went.
    fn last_line(&mut self) -> Option<String> {
        let rest = std::mem::take(&mut self.received);
        let line = clean::line(&rest).into_owned();
        self.searched = 0;
        (!line.trim().is_empty()).then_some(line)
    }

    fn has_sent(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.waiting.len() {
            self.waiting.clear();
            self.sent = 0;
        }
    }
}

/// Sends what can be sent at once. Nothing is lost if it is dropped half-way.
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
    fn lines_come_whole_however_they_are_cut() {
        on_one_thread(async {
            let (mut other, mine) = duplex(3);
            let (from, to) = tokio::io::split(mine);
            let mut wire = Wire::new(from, to, 100);
            let write = async {
                other.write_all("one\ntw\u{e9}\n\nlast".as_bytes()).await.unwrap();
                drop(other);
            };
            let read = async {
                let mut lines = Vec::new();
                while let Ok(line) = wire.next().await {
                    lines.push(line);
                }
                lines
            };
            let ((), lines) = tokio::join!(write, read);
            assert_eq!(lines, ["one", "tw\u{e9}", "", "last"]);
        });
    }

    #[test]
    fn a_line_that_does_not_end_is_a_flood() {
        on_one_thread(async {
            let (mut other, mine) = duplex(64);
            let (from, to) = tokio::io::split(mine);
            let mut wire = Wire::new(from, to, 1000);
            let write = async { while other.write_all(&[b'x'; 64]).await.is_ok() {} };
            tokio::select! {
                () = write => panic!("nobody refused"),
                line = wire.next() => assert!(matches!(line, Err(Closed::Flooded))),
            }
        });
    }

    #[test]
    fn sending_does_not_wait_for_somebody_who_writes_first() {
        on_one_thread(async {
            let (mut other, mine) = duplex(16);
            let (from, to) = tokio::io::split(mine);
            let mut wire = Wire::new(from, to, 10_000);
            wire.send(&"question ".repeat(100));
            let theirs = async {
                other.write_all("x".repeat(500).as_bytes()).await.unwrap();
                other.write_all(b"\n").await.unwrap();
                let mut heard = vec![0; 901];
                other.read_exact(&mut heard).await.unwrap();
                other.write_all(b"heard\n").await.unwrap();
            };
            let ours = async {
                assert_eq!(wire.next().await.unwrap().len(), 500);
                assert_eq!(wire.next().await.unwrap(), "heard");
            };
            tokio::join!(theirs, ours);
        });
    }

    #[test]
    fn somebody_who_does_not_listen_may_still_speak() {
        on_one_thread(async {
            let (their_end, from) = duplex(64);
            let (deaf, to) = duplex(64);
            drop(deaf);
            let mut wire = Wire::new(from, to, 1000);
            wire.send("hello?");
            let mut their_end = their_end;
            their_end.write_all(b"not listening\n").await.unwrap();
            assert_eq!(wire.next().await.unwrap(), "not listening");
            drop(their_end);
            assert!(matches!(wire.next().await, Err(Closed::Ended)));
        });
    }
}
