//! Interactive Claude Code with a person at the terminal: one call starts a design, the model is free, the gates appear as
//! forms that are filled in by keys, and the model is woken at the end. Once more with the server killed in between, and with
//! Claude Code restarted in between.

use super::super::case_run::Programs;
use super::super::install::InstalledClients;
use super::super::processes;
use super::session::{FEATURE, REQUEST, Session};
use charrette_testkit::Pty;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Timeout of one expected screen.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Time after which a key counts as lost, and how often it is typed.
const KEY_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_KEYS: usize = 6;
/// Enough rows for the longest form.
const ROWS: u16 = 120;
const COLUMNS: u16 = 160;
/// What the person adds to the first answer of the first gate.
const ADDED: &str = ", by mail too";
/// Most fields of a form.
const MAX_FIELDS: usize = 40;
const DOWN: &str = "\u{1b}[B";
const RIGHT: &str = "\u{1b}[C";
const ENTER: &str = "\r";

/// A session with a person.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Interactive {
    pub(in super::super) name: &'static str,
    mishap: Mishap,
}

/// What happens between the two gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mishap {
    Nothing,
    /// The server is killed; the person lets the host connect again.
    ServerKilled,
    /// Claude Code is killed and started again; the person asks for the same design.
    HostRestarted,
}

pub(in super::super) const ALL: [Interactive; 3] = [
    Interactive { name: "host/claude-interactive", mishap: Mishap::Nothing },
    Interactive { name: "host/claude-interactive-server-killed", mishap: Mishap::ServerKilled },
    Interactive { name: "host/claude-interactive-restarted", mishap: Mishap::HostRestarted },
];

impl Interactive {
    /// Runs the session; the error is the first failed check.
    pub(in super::super) fn run(
        &self,
        programs: &Programs,
        installed: &InstalledClients,
        runs: &Path,
    ) -> Result<(), String> {
        let session = Session::prepare(self.name, "claude", &script(), programs, runs)
            .and_then(|session| skip_introduction(&session).map(|()| session))
            .map_err(|error| error.to_string())?;
        let start = || {
            let arguments =
                ["--mcp-config", "{config}", "--strict-mcp-config", "--allowedTools", "mcp__charrette__*"];
            session.command(programs, installed, &arguments).map_err(|error| error.to_string()).map(
                |mut command| {
                    command.env("TERM", "xterm-256color");
                    Terminal { pty: Pty::start_full_screen(command, ROWS, COLUMNS) }
                },
            )
        };
        let result = self.talk(&session, &start);
        let left = session.check_processes();
        result?;
        left?;
        check_record(&session)
    }

    fn talk(&self, session: &Session, start: &dyn Fn() -> Result<Terminal, String>) -> Result<(), String> {
        let mut terminal = start()?;
        terminal.ask("Design a greeting with charrette.")?;
        terminal.expect("the free model", "The design is running.")?;
        terminal.expect("the form of the first gate", "pre-design asks")?;
        terminal.pty.send(ADDED);
        terminal.expect("the typed answer", ADDED)?;
        terminal.accept()?;
        match self.mishap {
            Mishap::Nothing => {}
            Mishap::ServerKilled => {
                await_answers(session)?;
                kill_server(session)?;
                terminal.reconnect()?;
            }
            Mishap::HostRestarted => {
                terminal.expect("the form of the second gate", "post-design asks")?;
                drop(terminal);
                processes::kill_processes_of(&session.home());
                terminal = start()?;
                terminal.ask("Go on with the greeting.")?;
            }
        }
        terminal.expect("the form of the second gate", "post-design asks")?;
        terminal.approve()?;
        terminal.accept()?;
        terminal.expect("the woken model", "The design is finished.")?;
        terminal.leave()?;
        session.check_files()
    }
}

/// The model's turns: it starts the design, is free, and is woken by the end. A new conversation does the same.
fn script() -> Value {
    let order =
        json!({"command": "design", "request": REQUEST, "feature": FEATURE, "options": {"auto": true}});
    let turns = json!([
        {"calls": [{"tool": "mcp__charrette__start", "arguments": order}]},
        {"text": "The design is running."},
        {"text": "The design is finished."},
    ]);
    json!({"order": "history", "turns": turns, "side": {"text": "a title"}, "after": {"text": "nothing more"}})
}

/// Answers what Claude Code asks at its first start.
fn skip_introduction(session: &Session) -> crate::TaskResult {
    let path = session.home().join(".claude.json");
    let mut settings: Value = serde_json::from_str(&fs_err::read_to_string(&path)?)?;
    settings["hasCompletedOnboarding"] = true.into();
    settings["theme"] = "dark".into();
    settings["customApiKeyResponses"] = json!({"approved": ["dummy"], "rejected": []});
    fs_err::write(path, settings.to_string())?;
    Ok(())
}

/// Waits until the answers of the first gate are on record.
fn await_answers(session: &Session) -> Result<(), String> {
    let until = Instant::now() + TIMEOUT;
    while session.document("design")?["gates"]["pre-design"]["state"] != "answered" {
        if Instant::now() > until {
            return Err("the answers were not recorded".to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Kills the server of the session.
fn kill_server(session: &Session) -> Result<(), String> {
    let found = processes::processes_of(&session.home());
    let servers = found.iter().filter(|(_, command)| command.trim_end().ends_with("charrette mcp"));
    let ids: Vec<&String> = servers.map(|(id, _)| id).collect();
    let [id] = ids[..] else { return Err(format!("not one server: {found:?}")) };
    let killed = std::process::Command::new("kill").args(["-KILL", id]).status();
    if killed.is_ok_and(|status| status.success()) { Ok(()) } else { Err("the server lives".to_owned()) }
}

/// Checks that the answers are on record as the person's, and that the model was told the end.
fn check_record(session: &Session) -> Result<(), String> {
    let gates = session.document("design")?["gates"].clone();
    let (before, after) = (&gates["pre-design"], &gates["post-design"]);
    let first = before["answers"]["understanding"].as_str().unwrap_or_default();
    if !first.ends_with(ADDED) {
        return Err(format!("the typed answer is not on record: {before}"));
    }
    for (gate, key) in [(before, "understanding"), (after, "approval")] {
        if gate["by"] == "agent" || gate["via"][key]["client"] != "claude-code" {
            return Err(format!("the answers are not on record as the person's: {gate}"));
        }
    }
    if after["state"] != "approved" {
        return Err(format!("the design is not approved: {after}"));
    }
    let is_woken = session.told().iter().any(|told| told.contains("<task-notification>"));
    if is_woken { Ok(()) } else { Err("the model was not woken by the end of the task".to_owned()) }
}

/// The terminal of the person.
struct Terminal {
    pty: Pty,
}

impl Terminal {
    /// Waits until a text is on the screen.
    fn expect(&mut self, what: &str, text: &str) -> Result<(), String> {
        self.wait(what, |screen| screen.contains(text))
    }

    fn wait(&mut self, what: &str, is_wanted: impl Fn(&str) -> bool) -> Result<(), String> {
        let seen = self.pty.wait_for_screen(TIMEOUT, is_wanted);
        seen.map(drop).map_err(|screen| format!("{what} did not appear:\n{screen}"))
    }

    /// Types a prompt and sends it.
    fn ask(&mut self, prompt: &str) -> Result<(), String> {
        self.wait("the prompt", |screen| screen.lines().any(|line| line.trim() == "❯"))?;
        self.pty.send(prompt);
        self.expect("the typed prompt", prompt)?;
        self.pty.send(ENTER);
        Ok(())
    }

    /// Goes down to the line that has the cursor and starts with this.
    fn go_to(&mut self, field: &str) -> Result<(), String> {
        for _ in 0..MAX_FIELDS {
            let before = self.pty.screen();
            if marked_line(&before).is_some_and(|line| line.starts_with(field)) {
                return Ok(());
            }
            self.pty.send(DOWN);
            // A lost key is typed again.
            let _ = self.pty.wait_for_screen(KEY_TIMEOUT, |screen| {
                marked_line(screen).is_some() && marked_line(screen) != marked_line(&before)
            });
        }
        Err(format!("there is no field {field}:\n{}", self.pty.screen()))
    }

    /// Accepts the form.
    fn accept(&mut self) -> Result<(), String> {
        self.go_to("Accept")?;
        let is_over = |screen: &str| marked_line(screen).is_none_or(|line| !line.starts_with("Accept"));
        // A key that comes while the host still draws the form may be lost.
        for _ in 0..MAX_KEYS {
            self.pty.send(ENTER);
            if self.pty.wait_for_screen(KEY_TIMEOUT, is_over).is_ok() {
                return Ok(());
            }
        }
        Err(format!("the form does not end:\n{}", self.pty.screen()))
    }

    /// Chooses yes for the approval.
    fn approve(&mut self) -> Result<(), String> {
        self.go_to("approval")?;
        self.pty.send(RIGHT);
        self.expect("the choices", "◯ revise")?;
        self.pty.send(ENTER);
        self.expect("the choice", "✔ approval: yes")
    }

    /// Ends the session.
    fn leave(&mut self) -> Result<(), String> {
        self.ask("/exit")?;
        // The screen is of no interest; the wait ends with the program.
        let _ = self.pty.wait_for_screen(TIMEOUT, |_| false);
        Ok(())
    }

    /// Lets the host start the server again, in its dialog of servers.
    fn reconnect(&mut self) -> Result<(), String> {
        self.ask("/mcp")?;
        self.expect("the list of servers", "Manage MCP servers")?;
        self.expect("the failed server", "✘ charrette")?;
        self.pty.send(ENTER);
        self.expect("the server", "1. Reconnect")?;
        self.pty.send(ENTER);
        Ok(())
    }
}

/// Line of a form with the cursor, without marks of the host: the last marked one, because prompts above have the same mark.
fn marked_line(screen: &str) -> Option<String> {
    let line = screen.lines().rfind(|line| line.trim_start().starts_with('❯'))?;
    Some(line.trim_start_matches(|c: char| c.is_whitespace() || "❯✔*".contains(c)).to_owned())
}
