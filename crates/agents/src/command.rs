//! Any program that reads a prompt on standard input and prints its answer on standard output.

use crate::group::Group;
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use charrette_engine::ports::{AgentAnswer, BoxFuture, LaunchError, LaunchOrder, Launcher};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// How much of an agent's output is kept.
const MOST_BYTES: u64 = 32 << 20;

/// Runs agents that are programs.
#[derive(Debug, Clone)]
pub struct CommandLauncher {
    /// Program and arguments of each agent, by name.
    pub commands: HashMap<String, Vec<String>>,
    /// Where they work.
    pub folder: PathBuf,
    /// How long they may take to end once they are asked to.
    pub grace: Duration,
    /// The request to end.
    pub cancel: Cancel,
}

impl Launcher for CommandLauncher {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        let launcher = self.clone();
        Box::pin(async move { launcher.supervise(order).await })
    }
}

impl CommandLauncher {
    async fn supervise(self, order: LaunchOrder) -> Result<AgentAnswer, LaunchError> {
        if self.cancel.is_requested() {
            return Err(LaunchError::Interrupted);
        }
        let mut group =
            self.start(&order).map_err(|error| LaunchError::Failed(format!("cannot be started: {error}")))?;
        let (stdin, stdout, stderr) =
            (group.child().stdin.take(), group.child().stdout.take(), group.child().stderr.take());
        let talk = async {
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // An agent may answer without having read everything.
                    let _ = stdin.write_all(order.prompt.as_bytes()).await;
                }
            };
            let ((), answer, complaint) = tokio::join!(feed, read(stdout), read(stderr));
            (answer, complaint, group.child().wait().await)
        };
        let (answer, complaint, status) = tokio::select! {
            ended = talk => ended,
            () = self.cancel.requested(Urgency::Soon) => {
                group.end(self.grace, &self.cancel).await;
                return Err(LaunchError::Interrupted);
            }
        };
        let status = status.map_err(|error| LaunchError::Failed(error.to_string()))?;
        if !status.success() {
            let last = complaint.lines().last().unwrap_or("it said nothing").to_owned();
            return Err(LaunchError::Failed(format!("{status}: {last}")));
        }
        Ok(AgentAnswer { text: answer, usage: None })
    }

    fn start(&self, order: &LaunchOrder) -> io::Result<Group> {
        let words = self.commands.get(&order.agent).filter(|words| !words.is_empty());
        let words =
            words.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such agent is configured"))?;
        fs_err::create_dir_all(&order.lane)?;
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env("CHARRETTE_RUN", &order.token.0)
            .env("CHARRETTE_LANE", &order.token.1)
            .env("CHARRETTE_SEAT", &order.seat)
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        Ok(Group::led_by(command.spawn()?))
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let _ = pipe.take(MOST_BYTES).read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
