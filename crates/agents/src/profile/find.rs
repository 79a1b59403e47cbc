//! Finds the program of a client, and its version.

use super::roster::{Agent, Roster};
use crate::host::HostEnvironment;
use crate::sandbox::{CallPlaces, CallSandbox, SandboxConfig};
use charrette_sandbox::lane::Mark;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Time limit for the version command of a client.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);

impl Agent {
    /// The program and its subcommand, if it is installed.
    pub fn program(&self, host: &HostEnvironment) -> Option<Vec<OsString>> {
        if let Some(command) = &self.command {
            return Some(vec![find_program(command, host)?.into()]);
        }
        self.profile.programs.iter().find_map(|words| {
            let (program, rest) = words.split_first()?;
            let mut found: Vec<OsString> = vec![find_program(program, host)?.into()];
            found.extend(rest.iter().map(OsString::from));
            Some(found)
        })
    }

    /// True if its program is found, or it needs none.
    pub fn is_installed(&self, host: &HostEnvironment) -> bool {
        !self.profile.transport.needs_program() || self.program(host).is_some()
    }

    /// Message for an agent that is not installed.
    pub fn missing_message(&self) -> String {
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

    /// Its version: the first number with a dot in the output of its version command, which runs in the sandbox.
    pub fn version(
        &self,
        host: &HostEnvironment,
        roster: &Roster,
        sandbox: &SandboxConfig,
    ) -> Option<String> {
        if self.profile.version.is_empty() {
            return None;
        }
        let mut words = self.program(host)?;
        words.extend(self.profile.version.iter().map(OsString::from));
        let scratch = sandbox.is_active().then(|| ScratchFolder::create(host, &self.name)).flatten();
        if sandbox.is_active() && scratch.is_none() {
            return None;
        }
        let places = scratch.as_ref().map(|scratch| CallPlaces {
            lane: &scratch.0,
            temporary: &scratch.0,
            folder: None,
            writable: None,
        });
        let sandbox = places.and_then(|places| CallSandbox::new(sandbox, self, roster, host, places));
        if let Some(sandbox) = &sandbox {
            words = sandbox.wrap(&words, Mark::OF_NOBODY);
        }
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env_clear().envs(self.environment(host, None)).stdin(Stdio::null());
        if let Some(scratch) = &scratch {
            command.env("TMPDIR", &scratch.0);
        }
        find_version(&run_with_timeout(command, VERSION_TIMEOUT)?)
    }

    /// True if its profile was tested with this version, or with one that differs in the last part only.
    pub fn is_tested(&self, version: &str) -> bool {
        let family = |version: &str| version.rsplit_once('.').map(|(family, _)| family.to_owned());
        self.profile.tested.iter().any(|tested| tested == version || family(tested) == family(version))
    }
}

/// A folder for the temporary files of one query; removed when dropped.
struct ScratchFolder(PathBuf);

impl ScratchFolder {
    fn create(host: &HostEnvironment, name: &str) -> Option<ScratchFolder> {
        let parent = host.get("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let folder = parent.join(format!("charrette-version-{}-{name}", std::process::id()));
        fs_err::create_dir(&folder).ok()?;
        Some(ScratchFolder(folder.canonicalize().ok()?))
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = fs_err::remove_dir_all(&self.0);
    }
}

/// The program of that name: on PATH, or at a path relative to the repository.
fn find_program(name: &str, host: &HostEnvironment) -> Option<PathBuf> {
    if name.contains('/') {
        let path = match name.strip_prefix("~/") {
            Some(rest) => PathBuf::from(host.get("HOME")?).join(rest),
            None => host.folder.join(name),
        };
        return is_program(&path).then_some(path);
    }
    let path = host.get("PATH")?;
    // A relative entry could lead into the repository, which is not trusted.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn find_version(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "()/,v".contains(c));
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    words.filter(is_version).map(|word| word.trim_end_matches(['.', ':', ';']).to_owned()).next()
}

/// Output of a program, if it ends in time. Its children are ended with it.
fn run_with_timeout(mut command: Command, timeout: Duration) -> Option<String> {
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
    let text = receive.recv_timeout(timeout).ok();
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
    fn versions_are_found_in_output() {
        for (text, version) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("0.61.0\n", Some("0.61.0")),
            ("v1.2.3\n", Some("1.2.3")),
            ("2026.09.02-abc123\n", Some("2026.09.02-abc123")),
            ("no version here\n", None),
            ("", None),
        ] {
            assert_eq!(find_version(text).as_deref(), version, "{text}");
        }
    }
}
