//! One run: a folder with a hostile repository, a home, a script; charrette in a namespace; what came of it.

use super::cases::Case;
use super::clients::Client;
use super::install::Installed;
use super::{hostile, namespace};
use crate::Outcome;
use crate::programs;
use serde_json::Value;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where the model listens. In a namespace every port is free.
const PORT: &str = "4173";

/// No case takes longer; if one does, something did not end what it should have.
const PATIENCE: Duration = Duration::from_secs(150);

/// Programs of ours that take part.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) charrette: PathBuf,
    pub(super) mock_model: PathBuf,
}

/// Where a case is played.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    prompt: String,
    /// Whether its connections are looked at.
    traced: bool,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Ended {
    /// The exit code; none if it had to be killed.
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// Processes that were left, by their command lines. They have been ended.
    pub(super) left: Vec<String>,
}

impl Stage {
    /// Builds the scene.
    pub(super) fn set(client: &Client, case: Case, installed: &Installed, folder: &Path) -> Outcome<Stage> {
        let (repository, home, sprung) = (folder.join("repo"), folder.join("home"), folder.join("sprung"));
        for inside in [&repository, &home, &sprung, &folder.join("tmp")] {
            fs_err::create_dir_all(inside)?;
        }
        let model = format!("http://127.0.0.1:{PORT}");
        hostile::repository(&repository, &sprung)?;
        hostile::home(&home, &repository, &model, client.lenient_user)?;
        programs::repository(&repository)?;
        let program = installed.program(client).unwrap_or_default();
        let settings =
            client.settings.replace("{program}", &program.to_string_lossy()).replace("{model}", &model);
        let settings = format!("[agents.{}]\n{settings}\n{}", client.name, case.settings());
        fs_err::create_dir_all(home.join(".config").join("charrette"))?;
        fs_err::write(home.join(".config").join("charrette").join("charrette.toml"), settings)?;
        fs_err::write(
            folder.join("script.json"),
            case.script(client, &repository.to_string_lossy()).to_string(),
        )?;
        let prompt = prompt(case, &home);
        fs_err::write(folder.join("prompt.md"), &prompt)?;
        let variables = client.environment.iter();
        let environment =
            variables.map(|(name, value)| ((*name).to_owned(), value.replace("{model}", &model))).collect();
        Ok(Stage {
            folder: folder.to_owned(),
            arguments: case.arguments(client),
            environment,
            prompt,
            traced: case == Case::Answer,
        })
    }

    /// Plays it.
    pub(super) fn play(&self, programs: &Programs) -> Outcome<Ended> {
        let mut command = namespace::inside(&programs.mock_model);
        command.args(["--port", PORT]).arg(self.folder.join("script.json")).arg(self.log()).arg("--");
        if self.traced && has_strace() {
            command.args([
                "strace",
                "-f",
                "--seccomp-bpf",
                "-qq",
                "-e",
                "trace=connect",
                "-e",
                "signal=none",
                "-o",
            ]);
            command.arg(self.connections());
        }
        command.arg(&programs.charrette).args(&self.arguments);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("TMPDIR", self.folder.join("tmp"))
            .env("LC_ALL", "C.UTF-8")
            .envs(self.environment.iter().cloned())
            .current_dir(self.repository())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let ended = run(command)?;
        fs_err::write(self.folder.join("stdout"), &ended.0)?;
        fs_err::write(self.folder.join("stderr"), &ended.1)?;
        Ok(Ended { code: ended.2, stdout: ended.0, stderr: ended.1, left: self.end_whoever_is_left() })
    }

    /// The answer that charrette put into its file.
    pub(super) fn answer(&self) -> Option<String> {
        fs_err::read_to_string(self.folder.join("answer.md")).ok()
    }

    /// What the client was to be asked.
    pub(super) fn prompt(&self) -> &str {
        &self.prompt
    }

    pub(super) fn repository(&self) -> PathBuf {
        self.folder.join("repo")
    }

    /// The traps that were sprung.
    pub(super) fn sprung(&self) -> Vec<String> {
        let entries = fs_err::read_dir(self.folder.join("sprung")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// What the model was asked, with the bodies, without the questions for a title.
    pub(super) fn asked(&self) -> Vec<(Value, String)> {
        let log = fs_err::read_to_string(self.log()).unwrap_or_default();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let asked = lines.filter(|line| line["turn"].is_number() || line["turn"] == "after");
        let bodies = self.folder.join("log.jsonl.bodies");
        asked
            .map(|line| {
                let body = bodies.join(line["body"].as_str().unwrap_or_default());
                (line, fs_err::read_to_string(body).unwrap_or_default())
            })
            .collect()
    }

    /// Where a connection was made to, beyond loopback. Attempts that the namespace refused are none.
    pub(super) fn connected_beyond(&self) -> Vec<String> {
        let trace = fs_err::read_to_string(self.connections()).unwrap_or_default();
        let is_beyond = |line: &&str| {
            let is_network = line.contains("sa_family=AF_INET");
            let is_loopback = ["\"127.", "\"::1\"", "\"::ffff:127."].iter().any(|here| line.contains(here));
            let is_made = line.ends_with("= 0") || line.contains("EINPROGRESS");
            is_network && !is_loopback && is_made
        };
        trace.lines().filter(is_beyond).map(str::to_owned).collect()
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log.jsonl")
    }

    fn connections(&self) -> PathBuf {
        self.folder.join("connections")
    }

    /// Finds processes that have the home of this stage, which nobody else has, and ends them.
    fn end_whoever_is_left(&self) -> Vec<String> {
        let home = format!("HOME={}", self.home().display());
        let mut left = Vec::new();
        for entry in fs_err::read_dir("/proc").into_iter().flatten().flatten() {
            let environment = fs_err::read(entry.path().join("environ")).unwrap_or_default();
            if !environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes()) {
                continue;
            }
            let command = fs_err::read(entry.path().join("cmdline")).unwrap_or_default();
            left.push(String::from_utf8_lossy(&command).replace('\0', " "));
            let _ = Command::new("kill").args(["-KILL", &entry.file_name().to_string_lossy()]).status();
        }
        left
    }
}

/// A long one with everything a command line would trip over, where the prompt is what matters.
fn prompt(case: Case, home: &Path) -> String {
    if case != Case::Answer {
        return "Do what you think is right.\n".to_owned();
    }
    let secret = home.join("secret.txt");
    let _ = fs_err::write(&secret, "TRAP-secret\n");
    let line = "A line with \"quotes\", a \\ and an umlaut: ü, $HOME, `id`.\n";
    format!(
        "--help\n-p x\n\n{}\nSee @{} as well.\nThe end of the prompt.",
        line.repeat(3600),
        secret.display()
    )
}

/// Runs to the end, or to the end of patience.
fn run(mut command: Command) -> Outcome<(String, String, Option<i32>)> {
    let mut child = command.spawn()?;
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let code = wait(&mut child)?;
    Ok((stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default(), code))
}

fn reader(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn wait(child: &mut Child) -> Outcome<Option<i32>> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if Instant::now() > until {
            let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn has_strace() -> bool {
    Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success())
}
