//! One call of one agent, over any transport.

use super::login::logged_out_reason;
use super::state::AgentPool;
use crate::acp;
use crate::openai;
use crate::outcome::{Failure, FailureKind, Outcome};
use crate::profile::{Access, Agent, Invocation, Transport};
use crate::sandbox::{CallPlaces, CallSandbox, SettingsWatch};
use crate::supervisor::{
    ActivityMonitor, CallTimeouts, CaptureTarget, LineRedactor, ProcessProtocol, ProcessSpec, StdinInput,
    supervise,
};
use crate::verify::BUILD_CACHES;
use charrette_engine::cancel::Urgency;
use charrette_model::checkpoint::Usage;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use crate::supervisor::{CallReport, EndHook};

/// Parameters of one call.
#[derive(Debug, Clone, Copy)]
pub struct AgentCall<'a> {
    pub agent: &'a Agent,
    pub prompt: &'a str,
    pub seat: &'a str,
    /// Step that makes the call.
    pub origin: CallOrigin<'a>,
    /// Folder that the agent works in; none for the repository.
    pub folder: Option<&'a Path>,
    /// True if the agent may change files there.
    pub writing: bool,
    pub session: Option<ResumedSession<'a>>,
    /// Time limit of the whole call.
    pub timeout: Duration,
    /// True to end it on a rate limit, instead of letting the client retry.
    pub ends_on_rate_limit: bool,
    /// Scratch folder. It must exist.
    pub lane: &'a Path,
    /// Id of the run.
    pub run: &'a str,
    pub lane_name: &'a str,
    /// File that captures standard output.
    pub stdout: &'a Path,
    /// File that captures standard error.
    pub stderr: &'a Path,
    pub on_end: EndHook<'a>,
}

/// Step of a run that makes a call; empty outside a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallOrigin<'a> {
    pub phase: &'a str,
    pub step: &'a str,
    /// True if the call may use the web.
    pub web: bool,
}

/// A session to resume.
#[derive(Debug, Clone, Copy)]
pub struct ResumedSession<'a> {
    pub id: &'a str,
    /// Usage of the session so far.
    pub usage: Option<&'a Usage>,
}

impl AgentPool {
    /// Calls an agent, within its timeouts and limits.
    pub async fn call(&self, call: AgentCall<'_>) -> CallReport {
        let agent = call.agent;
        let mut report = self.perform(call).await;
        if let Err(failure) = &mut report.outcome.answer
            && failure.kind == FailureKind::Credentials
            && let Some(login) = &agent.profile.login
        {
            failure.message = logged_out_reason(login, &failure.message);
        }
        match &report.outcome.answer {
            Err(failure) if failure.kind == FailureKind::Interrupted => {}
            answer => {
                let reason = |failure: &Failure| self.redactor().redact(&failure.message).into_owned();
                self.note_result(&agent.name, answer.as_ref().map(|_| ()).map_err(reason));
            }
        }
        report
    }

    async fn perform(&self, call: AgentCall<'_>) -> CallReport {
        let timeouts = self.policy().timeouts(call.timeout, call.agent.profile.streams);
        let on_end = call.on_end;
        let report = match call.agent.profile.transport {
            Transport::Openai => self.call_endpoint(call, timeouts).await,
            Transport::Queue => self.call_queue(call, timeouts).await,
            Transport::Process | Transport::Acp => match self.process_spec(call, timeouts) {
                Ok(spec) => return supervise(spec, self.cancel(), on_end).await,
                Err(problem) => CallReport::without_process(Outcome::failed(FailureKind::Start, problem)),
            },
        };
        (on_end.0)(&report);
        report
    }

    /// Command line of a call, for messages and records.
    pub fn command_line(&self, call: &AgentCall<'_>) -> Option<Vec<OsString>> {
        let file = prompt_file(call.lane);
        call.agent.arguments(self.host(), &self.invocation(call, &file))
    }

    fn invocation<'a>(&'a self, call: &AgentCall<'a>, prompt_file: &'a Path) -> Invocation<'a> {
        Invocation {
            access: Access {
                writing: call.writing,
                web: call.origin.web,
                sandboxed: self.sandbox().is_full(),
            },
            folder: call.folder.unwrap_or(&self.host().folder),
            repo_settings: self.policy().repo_settings,
            session: call.session.map(|session| session.id),
            lane: call.lane,
            prompt_file,
        }
    }

    fn process_spec(&self, call: AgentCall<'_>, timeouts: CallTimeouts) -> Result<ProcessSpec, String> {
        let agent = call.agent;
        if let Some(missing) = self.sandbox().missing() {
            return Err(missing);
        }
        let file = prompt_file(call.lane);
        let invocation = self.invocation(&call, &file);
        let command = agent.arguments(self.host(), &invocation).ok_or_else(|| agent.missing_message())?;
        let max_bytes = usize::try_from(self.policy().output_bytes).unwrap_or(usize::MAX);
        let earlier = call.session.and_then(|session| session.usage);
        let protocol = match agent.profile.transport {
            Transport::Acp => ProcessProtocol::Acp(acp::AcpRequest {
                prompt: call.prompt.to_owned(),
                folder: invocation.folder.to_owned(),
                writing: call.writing,
                web: call.origin.web,
                model: agent.model.clone(),
                session: call.session.map(|session| session.id.to_owned()),
                max_bytes,
            }),
            _ => ProcessProtocol::Stdio {
                stdin: if agent.reads_prompt_from_stdin() {
                    StdinInput::Text(escape_slash(call.prompt))
                } else {
                    StdinInput::Closed
                },
                reader: agent.profile.output.reader(max_bytes, earlier),
            },
        };
        for (name, text) in agent.files(self.host()) {
            let written = write_private_file(&call.lane.join(name), &text);
            written.map_err(|error| format!("{name} cannot be written for it: {error}"))?;
        }
        if agent.profile.transport == Transport::Process && !agent.reads_prompt_from_stdin() {
            write_private_file(&file, call.prompt)
                .map_err(|error| format!("its prompt cannot be written: {error}"))?;
        }
        let temporary = call.lane.join(TEMPORARY);
        fs_err::create_dir_all(&temporary)
            .map_err(|error| format!("its temporary folder cannot be created: {error}"))?;
        let places = CallPlaces {
            lane: call.lane,
            temporary: &temporary,
            folder: call.folder,
            // Without a folder of its own the agent was asked to change the repository itself.
            writable: call.writing.then_some(invocation.folder),
        };
        let sandbox = CallSandbox::new(self.sandbox(), agent, self.roster(), self.host(), places);
        // Registered first, so that an orphan can be found.
        let token = self
            .lane_token(call.lane_name)
            .map_err(|error| format!("was not started, because its driver cannot be registered: {error}"))?;
        let mut environment: BTreeMap<OsString, OsString> = agent.environment(self.host(), Some(&invocation));
        if sandbox.as_ref().is_some_and(CallSandbox::is_in_force) && call.writing {
            // Their usual places are not writable.
            let caches = BUILD_CACHES.map(|(name, folder)| (name.into(), temporary.join(folder).into()));
            environment.extend(caches);
        }
        environment.insert("TMPDIR".into(), temporary.into());
        environment.insert("CHARRETTE_RUN".into(), call.run.into());
        environment.insert("CHARRETTE_SEAT".into(), call.seat.into());
        if let Some(folder) = &self.host().active_folder {
            environment.insert("CHARRETTE_STATE".into(), folder.into());
        }
        if call.writing {
            // Its scratch folder too. Paths that cannot be listed give no right to write.
            let folders = std::env::join_paths([invocation.folder, call.lane]).unwrap_or_default();
            environment.insert("CHARRETTE_WRITES".into(), folders);
        }
        Ok(ProcessSpec {
            command,
            sandbox,
            settings: SettingsWatch::start(agent, self.host()),
            environment,
            folder: invocation.folder.to_owned(),
            protocol,
            timeouts,
            ends_on_rate_limit: call.ends_on_rate_limit,
            stdout: CaptureTarget { path: call.stdout.to_owned(), redactor: self.line_redactor() },
            stderr: CaptureTarget { path: call.stderr.to_owned(), redactor: self.line_redactor() },
            max_bytes: self.policy().output_bytes,
            token,
        })
    }

    async fn call_endpoint(&self, call: AgentCall<'_>, timeouts: CallTimeouts) -> CallReport {
        let agent = call.agent;
        let key = agent.key_env.as_deref().map(|name| (name, self.host().get(name)));
        let key = match key {
            Some((name, None)) => {
                let problem = format!("agents.{}.key_env names {name}, which is not set", agent.name);
                return CallReport::without_process(Outcome::failed(FailureKind::Credentials, problem));
            }
            Some((_, Some(key))) => Some(key.to_string_lossy().into_owned().into()),
            None => None,
        };
        let endpoint = openai::Endpoint {
            url: agent.url.clone().unwrap_or_default(),
            key,
            model: agent.model.clone(),
            effort: agent.effort.clone(),
            max_bytes: usize::try_from(self.policy().output_bytes).unwrap_or(usize::MAX),
        };
        let activity = ActivityMonitor::start();
        let on_activity = || activity.record_activity();
        let outcome = tokio::select! {
            outcome = openai::complete(&endpoint, call.prompt, &on_activity) => outcome,
            timeout = activity.timed_out(&timeouts) => {
                let message = timeouts.message(timeout, activity.elapsed());
                Outcome::failed(FailureKind::Timeout(timeout), message)
            }
            () = self.cancel().wait_for(Urgency::Soon) => Outcome::failed(FailureKind::Interrupted, "interrupted"),
        };
        let mut report = CallReport { elapsed: activity.elapsed(), ..CallReport::without_process(outcome) };
        if let Err(failure) = &mut report.outcome.answer
            && failure.kind == FailureKind::Start
        {
            failure.message = match endpoint.address() {
                Ok(address) => format!("{} cannot be reached: {}", address.origin(), failure.message),
                Err(error) => format!("agents.{}.url cannot be used: {error}", agent.name),
            };
        }
        report
    }

    /// Removes secrets from captured output.
    pub(crate) fn line_redactor(&self) -> LineRedactor {
        let mut redactor = self.redactor().clone();
        LineRedactor::new(move |line| redactor.redact_line(line))
    }
}

/// A prompt that does not begin with a slash, which clients would take for a command of their own.
fn escape_slash(prompt: &str) -> String {
    if prompt.starts_with('/') { format!("\n{prompt}") } else { prompt.to_owned() }
}

/// Folder of temporary files in a lane.
const TEMPORARY: &str = "tmp";

fn prompt_file(lane: &Path) -> PathBuf {
    lane.join("prompt.md")
}

/// Writes a file that is private to this user.
pub(super) fn write_private_file(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file = std::fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}
