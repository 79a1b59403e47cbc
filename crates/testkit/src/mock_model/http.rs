//! As much of HTTP/1.1 as agent clients use: bodies with a length or in chunks, connections that are kept.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::net::TcpStream;

/// No client sends more in one request; a length beyond this is a mistake.
const MOST_BYTES: usize = 256 << 20;

/// What a client asked.
#[derive(Debug)]
pub struct Request {
    /// Its method.
    pub method: String,
    /// Its path, with its query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// What came with it.
    pub body: Vec<u8>,
}

impl Request {
    /// The next request of a connection; none when the client has closed it.
    pub(crate) fn read(connection: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
        let mut line = String::new();
        if connection.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(bad("no request line"));
        };
        let mut request = Request { method, path, headers: Vec::new(), body: Vec::new() };
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
            chunks(connection)?
        } else {
            let length = request.header("content-length").map_or(Ok(0), str::parse);
            exactly(connection, length.map_err(|_| bad("no length"))?)?
        };
        Ok(Some(request))
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path without its query.
    pub fn route(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// The body as JSON; `null` if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

fn chunks(connection: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        connection.read_line(&mut line)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| bad("no size of a chunk"))?;
        body.extend(exactly(connection, size)?);
        connection.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn exactly(connection: &mut BufReader<TcpStream>, length: usize) -> io::Result<Vec<u8>> {
    if length > MOST_BYTES {
        return Err(bad("a body that long"));
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok(body)
}

fn bad(what: &str) -> io::Error {
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

/// Starts an answer that comes in events.
pub(crate) fn begin_events(to: &mut TcpStream) -> io::Result<()> {
    to.write_all(
        b"HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n",
    )
}

/// One event, in a chunk of its own.
pub(crate) fn event(to: &mut TcpStream, name: Option<&str>, data: &str) -> io::Result<()> {
    let named = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    let text = format!("{named}data: {data}\n\n");
    to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

/// The end of the events; the connection can be used again.
pub(crate) fn end_events(to: &mut TcpStream) -> io::Result<()> {
    to.write_all(b"0\r\n\r\n")
}
