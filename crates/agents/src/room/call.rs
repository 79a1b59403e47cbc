//! One call of one agent, however it is reached.

use super::shared::Room;
use crate::acp;
use crate::openai;
use crate::outcome::{FailureKind, Outcome};
use crate::profile::{Agent, Occasion, Talk};
use crate::supervisor::{Clocks, Conversation, Errand, Feed, Kept, Pulse, Scribe, supervise};
use charrette_engine::cancel::Urgency;
use charrette_model::checkpoint::Usage;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use crate::supervisor::Report;

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Whom.
    pub agent: &'a Agent,
    /// What is asked.
    pub prompt: &'a str,
    /// Which seat it is for.
    pub seat: &'a str,
    /// Whether it may change the tree.
    pub writing: bool,
    /// A session to go on with, and what it has used so far.
    pub session: Option<(&'a str, Option<&'a Usage>)>,
    /// How long it may take in all.
    pub total: Duration,
    /// Whether to end it as soon as its vendor says to wait.
    pub ends_on_rate_limit: bool,
    /// A scratch folder of its own. It must exist.
    pub lane: &'a Path,
    /// Which run and lane it is.
    pub token: (&'a str, &'a str),
    /// Where its standard output and standard error are kept.
    pub kept: (&'a Path, &'a Path),
}

impl Room {
    /// Calls an agent, and sees it through.
    pub async fn call(&self, call: Call<'_>) -> Report {
        let clocks = self.rules().clocks(call.total, call.agent.profile.streams);
        match call.agent.profile.talk {
            Talk::Openai => self.call_endpoint(call, clocks).await,
            Talk::Process | Talk::Acp => match self.errand(call, clocks) {
                Ok(errand) => supervise(errand, self.cancel()).await,
                Err(problem) => Report::of(Outcome::failed(FailureKind::Start, problem)),
            },
        }
    }

    /// The argv of a call, as it is shown and recorded.
    pub fn command_of(&self, call: &Call<'_>) -> Option<Vec<OsString>> {
        let file = prompt_file(call.lane);
        call.agent.arguments(self.surroundings(), &self.occasion(call, &file))
    }

    fn occasion<'a>(&self, call: &Call<'a>, prompt_file: &'a Path) -> Occasion<'a> {
        Occasion {
            writing: call.writing,
            repo_settings: self.rules().repo_settings,
            session: call.session.map(|(session, _)| session),
            lane: call.lane,
            prompt_file,
        }
    }

    fn errand(&self, call: Call<'_>, clocks: Clocks) -> Result<Errand, String> {
        let agent = call.agent;
        let file = prompt_file(call.lane);
        let occasion = self.occasion(&call, &file);
        let command =
            agent.arguments(self.surroundings(), &occasion).ok_or_else(|| agent.what_is_missing())?;
        let most = usize::try_from(self.rules().output_bytes).unwrap_or(usize::MAX);
        let earlier = call.session.and_then(|(_, earlier)| earlier);
        let conversation = match agent.profile.talk {
            Talk::Acp => Conversation::Acp(acp::AcpOrder {
                prompt: call.prompt.to_owned(),
                folder: self.surroundings().folder.clone(),
                writing: call.writing,
                model: agent.model.clone(),
                session: call.session.map(|(session, _)| session.to_owned()),
                most,
            }),
            _ => Conversation::Printed {
                feed: if agent.is_fed() { Feed::Text(fed(call.prompt)) } else { Feed::Nothing },
                reader: agent.profile.output.reader(most, earlier),
            },
        };
        for (name, text) in &agent.profile.files {
            let written = write_privately(&call.lane.join(name), text);
            written.map_err(|error| format!("{name} cannot be written for it: {error}"))?;
        }
        if agent.profile.talk == Talk::Process && !agent.is_fed() {
            write_privately(&file, call.prompt)
                .map_err(|error| format!("its prompt cannot be written: {error}"))?;
        }
        // Nothing is started that could not be found again.
        let token = self
            .token(call.token.1)
            .map_err(|error| format!("was not started, because that could not be put on record: {error}"))?;
        let mut environment: BTreeMap<OsString, OsString> =
            agent.environment(self.surroundings(), Some(&occasion));
        environment.insert("CHARRETTE_RUN".into(), call.token.0.into());
        environment.insert("CHARRETTE_SEAT".into(), call.seat.into());
        Ok(Errand {
            command,
            environment,
            folder: self.surroundings().folder.clone(),
            conversation,
            clocks,
            ends_on_rate_limit: call.ends_on_rate_limit,
            stdout: Kept { path: call.kept.0.to_owned(), scribe: self.scribe() },
            stderr: Kept { path: call.kept.1.to_owned(), scribe: self.scribe() },
            most: self.rules().output_bytes,
            token,
        })
    }

    async fn call_endpoint(&self, call: Call<'_>, clocks: Clocks) -> Report {
        let agent = call.agent;
        let key = agent.key_env.as_deref().map(|name| (name, self.surroundings().get(name)));
        let key = match key {
            Some((name, None)) => {
                let problem = format!("{name} is not set, and agents.{}.key_env names it", agent.name);
                return Report::of(Outcome::failed(FailureKind::Credentials, problem));
            }
            Some((_, Some(key))) => Some(key.to_string_lossy().into_owned().into()),
            None => None,
        };
        let endpoint = openai::Endpoint {
            url: agent.url.clone().unwrap_or_default(),
            key,
            model: agent.model.clone(),
            effort: agent.effort.clone(),
            most: usize::try_from(self.rules().output_bytes).unwrap_or(usize::MAX),
        };
        let pulse = Pulse::start();
        let beat = || pulse.beat();
        let outcome = tokio::select! {
            outcome = openai::ask(&endpoint, call.prompt, &beat) => outcome,
            clock = pulse.ran_out(&clocks) => {
                Outcome::failed(FailureKind::Clock(clock), clocks.verdict(clock, pulse.elapsed()))
            }
            () = self.cancel().requested(Urgency::Soon) => Outcome::failed(FailureKind::Interrupted, "interrupted"),
        };
        let mut report = Report { elapsed: pulse.elapsed(), ..Report::of(outcome) };
        if let Err(failure) = &mut report.outcome.answer
            && failure.kind == FailureKind::Start
        {
            failure.message = format!("{} cannot be reached: {}", endpoint.url, failure.message);
        }
        report
    }

    /// Somebody who writes down what agents say, without the secrets.
    pub(super) fn scribe(&self) -> Scribe {
        let mut redactor = self.redactor().clone();
        Scribe::new(move |line| redactor.line(line))
    }
}

/// A prompt as it is fed. Clients take one that begins with a slash for a command of their own.
fn fed(prompt: &str) -> String {
    if prompt.starts_with('/') { format!("\n{prompt}") } else { prompt.to_owned() }
}

fn prompt_file(lane: &Path) -> PathBuf {
    lane.join("prompt.md")
}

/// Writes a file that only we may read.
pub(super) fn write_privately(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file = std::fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
