//! A small MCP client over standard input and output, in both revisions of the protocol.

use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Time after which a silent server counts as hanging.
const PATIENCE: Duration = Duration::from_mins(2);

/// Revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revision {
    /// 2025-11-25: a session that starts with `initialize`.
    Session,
    /// 2026-07-28: every request is complete in itself.
    Modern,
}

/// What the client says about itself.
#[derive(Debug, Clone)]
pub struct McpHost {
    pub revision: Revision,
    pub name: String,
    pub version: String,
    pub capabilities: Value,
}

impl McpHost {
    /// A host without any capability.
    pub fn plain(revision: Revision) -> McpHost {
        McpHost {
            revision,
            name: "test-host".to_owned(),
            version: "1.2.3".to_owned(),
            capabilities: json!({}),
        }
    }

    /// A host that shows forms.
    pub fn with_forms(revision: Revision) -> McpHost {
        McpHost { capabilities: json!({"elicitation": {"form": {}}}), ..McpHost::plain(revision) }
    }

    /// A host with forms and tasks.
    pub fn with_tasks() -> McpHost {
        let capabilities =
            json!({"elicitation": {"form": {}}, "extensions": {"io.modelcontextprotocol/tasks": {}}});
        McpHost { capabilities, ..McpHost::plain(Revision::Modern) }
    }
}

type Replies = Box<dyn FnMut(&Value) -> Value>;

/// A client with its server.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    host: McpHost,
    next_id: u64,
    replies: Option<Replies>,
    early: VecDeque<Value>,
    /// Notifications of the server, in order.
    pub notifications: Vec<Value>,
}

impl McpClient {
    /// Starts the server and, in a session, greets it.
    pub fn start(mut server: Command, host: McpHost) -> McpClient {
        let mut child = server
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let mut client = McpClient {
            child,
            stdin,
            lines,
            host,
            next_id: 0,
            replies: None,
            early: VecDeque::new(),
            notifications: Vec::new(),
        };
        if client.host.revision == Revision::Session {
            client.greet();
        }
        client
    }

    fn greet(&mut self) {
        let host = self.host.clone();
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": host.capabilities,
            "clientInfo": {"name": host.name, "version": host.version},
        });
        let greeted = self.request("initialize", params);
        assert_eq!(greeted["result"]["protocolVersion"], "2025-11-25", "{greeted}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    /// Sets how requests of the server are answered; the function gets the request and gives the result.
    pub fn reply_with(&mut self, replies: impl FnMut(&Value) -> Value + 'static) {
        self.replies = Some(Box::new(replies));
    }

    /// Id of the server's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the server is connected");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.send_bytes(line.as_bytes());
    }

    /// Sends a request and returns its id.
    pub fn send_request(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let mut params = params;
        if self.host.revision == Revision::Modern {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": self.host.name, "version": self.host.version},
                "io.modelcontextprotocol/clientCapabilities": self.host.capabilities,
            });
            let members = params.as_object_mut().expect("parameters are an object");
            let own = members.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            for (name, value) in meta.as_object().expect("an object") {
                own[name] = value.clone();
            }
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    /// Sends a request and waits for its response: the whole message.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.response(id)
    }

    /// Waits for the response to a request, and serves the server meanwhile.
    pub fn response(&mut self, id: u64) -> Value {
        if let Some(at) = self.early.iter().position(|message| message["id"] == id) {
            return self.early.remove(at).expect("found");
        }
        loop {
            let message = self.next_message().expect("the server answers before it ends");
            if message.get("method").is_some() {
                self.take(&message);
            } else if message["id"] == id {
                return message;
            } else {
                self.early.push_back(message);
            }
        }
    }

    fn take(&mut self, message: &Value) {
        let Some(id) = message.get("id") else {
            self.notifications.push(message.clone());
            return;
        };
        let reply = match self.replies.as_mut() {
            Some(replies) => json!({"jsonrpc": "2.0", "id": id, "result": replies(message)}),
            None => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "not here"}}),
        };
        self.send(&reply);
    }

    /// The next message of the server; none at its end. Every line must be a message of the protocol.
    pub fn next_message(&mut self) -> Option<Value> {
        let line = match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("the server says nothing"),
        };
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Calls a tool; the result, which may say `isError`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let mut params = json!({"name": tool});
        params["arguments"] = arguments;
        let response = self.request("tools/call", params);
        assert!(response.get("error").is_none(), "{tool}: {response}");
        response["result"].clone()
    }

    /// Calls a tool that must succeed; its structured content.
    pub fn value(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {}", result["content"][0]["text"]);
        result["structuredContent"].clone()
    }

    /// Calls a tool that must refuse; what it says.
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// Calls `wait` until the run no longer works; the last look.
    pub fn settle(&mut self, feature: &str) -> Value {
        loop {
            let value = self.value("wait", json!({"feature": feature, "seconds": 20}));
            if value["run"]["state"] != "working" {
                return value["run"].clone();
            }
        }
    }

    /// Ends the server without asking it.
    pub fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// Closes standard input and waits for the end; the exit code.
    pub fn close(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
