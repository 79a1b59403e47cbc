//! The HTTP/1.1 that clients use: bodies with a length or in chunks, connections that are kept.

use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::net::TcpStream;

/// Largest body and longest line that are read, in bytes.
const MAX_BODY_BYTES: usize = 64 << 20;
const MAX_LINE_BYTES: u64 = 64 << 10;

/// An HTTP request.
#[derive(Debug)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    /// Path, or the address of another place for a proxy.
    pub(super) target: String,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    /// Reads the next request of a connection; none when the client has closed it.
    pub(super) fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Option<HttpRequest>> {
        let line = read_line(connection)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = read_line(connection)?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
                "transfer-encoding" => is_chunked = value.contains("chunked"),
                "expect" => connection.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if is_chunked { read_chunks(connection)? } else { read_exactly(connection, length)? };
        Ok(Some(HttpRequest { method, target, body }))
    }

    /// Path without its query.
    pub(super) fn route(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

fn read_line(connection: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    connection.by_ref().take(MAX_LINE_BYTES).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn read_chunks(connection: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(connection)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(io::Error::other)?;
        body.extend(read_exactly(connection, size)?);
        read_line(connection)?;
        if size == 0 || body.len() > MAX_BODY_BYTES {
            return Ok(body);
        }
    }
}

fn read_exactly(connection: &mut BufReader<TcpStream>, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY_BYTES {
        return Err(io::Error::other("body exceeds 64 MB"));
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(body)
}

/// Sends an answer.
pub(super) fn answer(to: &mut TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    to.write_all(head.as_bytes())?;
    to.write_all(body.as_bytes())?;
    to.flush()
}
