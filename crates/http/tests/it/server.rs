//! A server on a loopback port that sends one scripted response for each connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// Starts a server for as many requests as there are responses. Returns its URL and the requests it receives.
pub(crate) fn serve(responses: Vec<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/path?token=s3cret", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        for response in responses {
            let (mut connection, _) = listener.accept().unwrap();
            sender.send(read_request(&connection)).unwrap();
            // The client may have read enough and be gone.
            let _ = connection.write_all(response.as_bytes());
        }
    });
    (url, requests)
}

/// A complete response with a body and more header lines.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
}

fn read_request(connection: &TcpStream) -> String {
    let mut reader = BufReader::new(connection);
    let (mut request, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        request += &line;
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    request + &String::from_utf8(body).unwrap()
}
