//! The HTTP/1.1 that agent clients use: bodies with a length or in chunks, connections that are kept.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::net::TcpStream;

/// Maximum size of a body; a longer one is an error.
const MAX_BODY_BYTES: usize = 256 << 20;

/// An HTTP request.
#[derive(Debug)]
pub struct HttpRequest {
    pub method: String,
    /// Path with its query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl HttpRequest {
    /// Reads the next request of a connection; none when the client has closed it.
    pub(crate) fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Option<HttpRequest>> {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(invalid_data("missing request line"));
        };
        let mut request = HttpRequest { method, path, headers: Vec::new(), body: Vec::new() };
        loop {
            let mut line = String::new();
            connection.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        if request.header("expect").is_some_and(|expect| expect.eq_ignore_ascii_case("100-continue")) {
            connection.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = if request.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
            read_chunks(connection)?
        } else {
            let length = request.header("content-length").map_or(Ok(0), str::parse);
            read_exactly(connection, length.map_err(|_| invalid_data("invalid content-length"))?)?
        };
        Ok(Some(request))
    }

    /// Value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Path without its query.
    pub fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Body as JSON; `null` if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

fn read_chunks(connection: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        connection.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| invalid_data("invalid chunk size"))?;
        body.extend(read_exactly(connection, size)?);
        connection.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn read_exactly(connection: &mut BufReader<TcpStream>, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY_BYTES {
        return Err(invalid_data("body exceeds 256 MB"));
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(body)
}

fn invalid_data(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Answers with JSON.
pub(crate) fn answer(
    to: &mut TcpStream,
    status: u16,
    headers: &[(String, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let extra: String = headers.iter().flat_map(|(name, value)| [name, ": ", value, "\r\n"]).collect();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{extra}"
    );
    to.write_all(format!("{head}\r\n{body}").as_bytes())
}

/// Starts an event stream.
pub(crate) fn begin_events(to: &mut TcpStream) -> io::Result<()> {
    to.write_all(
        b"HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n",
    )
}

/// Sends one event, in a chunk of its own.
pub(crate) fn event(to: &mut TcpStream, name: Option<&str>, data: &str) -> io::Result<()> {
    let named = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    let text = format!("{named}data: {data}\n\n");
    to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

/// Ends an event stream; the connection can be used again.
pub(crate) fn end_events(to: &mut TcpStream) -> io::Result<()> {
    to.write_all(b"0\r\n\r\n")
}
