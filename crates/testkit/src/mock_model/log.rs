//! Request log on disk: one line per request, and every body in a file of its own.

use super::http::HttpRequest;
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// Headers with credentials; their values are not logged.
const CREDENTIALS: [&str; 4] = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/// The log of one mock model.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    bodies: PathBuf,
    requests: u64,
}

impl Log {
    /// Opens a log at `path`; the bodies go to the folder `path` + `.bodies`.
    pub(super) fn new(path: &Path) -> io::Result<Log> {
        let mut bodies = path.as_os_str().to_owned();
        bodies.push(".bodies");
        let bodies = PathBuf::from(bodies);
        fs_err::create_dir_all(&bodies)?;
        fs_err::OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Log { path: path.to_owned(), bodies, requests: 0 })
    }

    /// Number of the next request.
    pub(super) fn next(&self) -> u64 {
        self.requests + 1
    }

    /// Records a request with these fields.
    pub(super) fn record(&mut self, request: &HttpRequest, about: Map<String, Value>) -> io::Result<()> {
        self.requests += 1;
        let body = format!("{:04}.json", self.requests);
        if !request.body.is_empty() {
            fs_err::write(self.bodies.join(&body), &request.body)?;
        }
        let credential = CREDENTIALS.iter().find(|name| request.header(name).is_some());
        let mut line = json!({
            "n": self.requests,
            "method": request.method,
            "path": request.path,
            "credential": credential,
        });
        if let Some(line) = line.as_object_mut() {
            line.extend(about);
            line.insert("body".to_owned(), if request.body.is_empty() { Value::Null } else { body.into() });
        }
        crate::fake_agent::append(&self.path, &format!("{line}\n"));
        Ok(())
    }
}
