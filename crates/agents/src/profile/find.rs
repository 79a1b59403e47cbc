//! Finding a client on this machine, and which version it is.

use super::roster::Agent;
use super::schema::Talk;
use crate::surroundings::Surroundings;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a client may take to say its version.
const VERSION_PATIENCE: Duration = Duration::from_secs(20);

impl Agent {
    /// The program and the words that must follow it, if it is on this machine.
    pub fn program(&self, surroundings: &Surroundings) -> Option<Vec<OsString>> {
        if let Some(command) = &self.command {
            return Some(vec![find(command, surroundings)?.into()]);
        }
        self.profile.programs.iter().find_map(|words| {
            let (program, rest) = words.split_first()?;
            let mut found: Vec<OsString> = vec![find(program, surroundings)?.into()];
            found.extend(rest.iter().map(OsString::from));
            Some(found)
        })
    }

    /// Whether it can be called at all: its program is there, or it needs none.
    pub fn is_installed(&self, surroundings: &Surroundings) -> bool {
        self.profile.talk == Talk::Openai || self.program(surroundings).is_some()
    }

    /// What is missing, for a person.
    pub fn what_is_missing(&self) -> String {
        let programs = || {
            let names: Vec<String> = self.profile.programs.iter().map(|words| words.join(" ")).collect();
            names.join(" or ")
        };
        let names = self.command.clone().unwrap_or_else(programs);
        match &self.profile.install {
            Some(install) if self.command.is_none() => {
                format!("{names} is not on PATH; to get it: {install}")
            }
            _ => format!("{names} cannot be found or is not a program"),
        }
    }

    /// The version it says it is: the first number with a dot in what it prints.
    pub fn version(&self, surroundings: &Surroundings) -> Option<String> {
        let program = self.program(surroundings)?;
        if self.profile.version.is_empty() {
            return None;
        }
        let mut command = Command::new(&program[0]);
        command
            .args(&program[1..])
            .args(&self.profile.version)
            .env_clear()
            .envs(self.environment(surroundings, None))
            .stdin(Stdio::null());
        version_in(&output_within(command, VERSION_PATIENCE)?)
    }

    /// Whether this version is one its profile was tried with: the same up to the last part.
    pub fn is_tested(&self, version: &str) -> bool {
        let family = |version: &str| version.rsplit_once('.').map(|(family, _)| family.to_owned());
        self.profile.tested.iter().any(|tested| tested == version || family(tested) == family(version))
    }
}

/// The program of that name: on PATH, or where a path says, seen from the repository.
fn find(name: &str, surroundings: &Surroundings) -> Option<PathBuf> {
    if name.contains('/') {
        let path = match name.strip_prefix("~/") {
            Some(rest) => PathBuf::from(surroundings.get("HOME")?).join(rest),
            None => surroundings.folder.join(name),
        };
        return is_program(&path).then_some(path);
    }
    let path = surroundings.get("PATH")?;
    // A relative entry would depend on where we are, and the repository is not to be trusted.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "()/,v".contains(c));
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    words.filter(is_version).map(|word| word.trim_end_matches(['.', ':', ';']).to_owned()).next()
}

/// What a program prints, if it ends in time. What it starts is ended with it.
fn output_within(mut command: Command, patience: Duration) -> Option<String> {
    use std::io::Read as _;
    use std::os::unix::process::CommandExt as _;
    command.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.take(4096).read_to_string(&mut text);
        let _ = send.send(text);
    });
    let text = receive.recv_timeout(patience).ok();
    let group = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_clients_print() {
        for (text, version) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("0.61.0\n", Some("0.61.0")),
            ("v1.2.3\n", Some("1.2.3")),
            ("2026.09.02-abc123\n", Some("2026.09.02-abc123")),
            ("no version here\n", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text}");
        }
    }
}
