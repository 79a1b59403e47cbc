//! `charrette ask`: one supervised call of one agent, with everything about it in files beside the answer.

use crate::here::Here;
use crate::{input, output, runtime};
use charrette_agents::outcome::{Clock, Failure, FailureKind};
use charrette_agents::profile::Agent;
use charrette_agents::room::{Call, Report, Room, asks_folder, chain_of};
use charrette_app::AppError;
use charrette_app::Site;
use charrette_app::ports;
use charrette_app::room::{self, Purpose};
use charrette_checkout::tree::Snapshot;
use charrette_engine::Cancel;
use charrette_git::Git;
use charrette_model::panel::names::REQUEST;
use charrette_model::seats::EMBEDDED;
use charrette_model::shown::shown;
use charrette_model::sidecar::{self, Meta};
use charrette_model::tree::{Change, ChangeKind};
use charrette_store::atomic::replace_private;
use charrette_store::ledger::calls;
use clap::{ArgGroup, Args};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Ask one agent one thing, supervised, and keep what it answers
///
/// Beside FILE stand FILE.done (how it ended, written last), FILE.meta (how it was called), FILE.prompt, FILE.diag
/// (what went wrong), FILE.sidecar (its standard error) and FILE.json (what it printed, if that is not the answer
/// itself). Exits with 0 if it answered, 124 if a clock ran out, 1 otherwise.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("whom").required(true)), group(ArgGroup::new("what").required(true)))]
pub(crate) struct AskArgs {
    /// Which agent
    #[arg(long, value_name = "NAME", group = "whom")]
    agent: Option<String>,
    /// Whoever may take this seat, in order, until one answers
    #[arg(long, value_name = "ID", group = "whom")]
    seat: Option<String>,
    /// What to ask
    #[arg(long, value_name = "TEXT", group = "what", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// A file with what to ask; standard input for `-`
    #[arg(long, value_name = "FILE", group = "what")]
    prompt_file: Option<PathBuf>,
    /// Where the answer goes
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// How many seconds it may take in all
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Let it change files
    #[arg(long)]
    write: bool,
    /// Go on with this session of the agent
    #[arg(long, value_name = "ID", requires = "agent")]
    session: Option<String>,
}

pub(crate) fn ask(here: &Here, args: &AskArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let place = Place::of(&args.output)?;
    let prompt = match (&args.prompt, &args.prompt_file) {
        (Some(text), _) => text.clone(),
        (None, file) => input::text(file.as_deref())?,
    };
    if prompt.trim().is_empty() {
        return Err(AppError::usage("there is nothing to ask: the prompt is empty"));
    }
    runtime::block_on(async |cancel| {
        let room = room::open(
            &site,
            Purpose { purpose: "ask".to_owned(), seats: site.registry.seats(), ..Purpose::default() },
            ports::tree(&site),
            &cancel,
        );
        let asked = Asked { here, args, site: &site, room: &room, place: &place, prompt: &prompt };
        asked.all(&cancel).await
    })
}

/// Where the answer and all that belongs to it go.
struct Place {
    output: PathBuf,
}

impl Place {
    fn of(output: &Path) -> Result<Place, AppError> {
        if !sidecar::is_allowed_output_path(&output.to_string_lossy()) {
            return Err(AppError::failed(
                "the output path may have letters, digits and . _ / - only, because other tools read it from files",
            ));
        }
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return Err(AppError::failed(format!("there is no folder for {}", output.display())));
        }
        Ok(Place { output: std::path::absolute(output).map_err(AppError::failed)? })
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.output.file_name().unwrap_or_default().to_owned();
        name.push(ending);
        self.output.with_file_name(name)
    }

    /// Removes what an earlier call left.
    fn clear(&self) -> Result<(), AppError> {
        let stale = [
            ".done",
            ".meta",
            ".diag",
            ".prompt",
            ".sidecar",
            ".json",
            ".untracked-baseline",
            ".dirty-tree",
            ".dirty-tree.tracked-paths",
            ".dirty-tree.new-untracked-paths",
        ];
        for path in stale.iter().map(|ending| self.beside(ending)).chain([self.output.clone()]) {
            match fs_err::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(AppError::failed(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn put(path: &Path, text: &str) -> Result<(), AppError> {
    replace_private(path, text.as_bytes()).map_err(AppError::failed)
}

/// Everything a call goes by.
struct Asked<'a> {
    here: &'a Here,
    args: &'a AskArgs,
    site: &'a Site,
    room: &'a Room,
    place: &'a Place,
    prompt: &'a str,
}

/// How it ended.
struct Ended {
    agent: String,
    report: Report,
    changes: Vec<Change>,
}

impl Asked<'_> {
    /// Asks whoever may be asked, one after the other, until somebody answers.
    async fn all(&self, cancel: &Cancel) -> Result<ExitCode, AppError> {
        let (named, or_embedded) = self.named()?;
        self.place.clear()?;
        let here = |agent: &Agent| agent.is_installed(self.room.surroundings());
        let agents: Vec<Agent> = named.into_iter().filter(here).collect();
        let mut failures = Vec::new();
        for (n, agent) in agents.iter().enumerate() {
            let ended = self.one(agent).await?;
            let is_last = n + 1 == agents.len() && !or_embedded;
            if ended.report.outcome.answer.is_ok() || cancel.is_requested() || is_last {
                return self.told(&ended, &failures);
            }
            failures.push(ended.agent);
        }
        if or_embedded { self.told(&self.embedded().await?, &failures) } else { Err(self.nobody()?) }
    }

    /// Whom the arguments name, whether they are here or not, and whether the embedded agent comes after them.
    fn named(&self) -> Result<(Vec<Agent>, bool), AppError> {
        let roster = self.room.roster();
        if let Some(name) = &self.args.agent {
            let agent = roster.get(name).cloned().ok_or_else(|| {
                let names: Vec<&str> = roster.all().map(|agent| agent.name.as_str()).collect();
                AppError::failed(format!("there is no agent {}", shown(name)))
                    .hint(format!("There are: {}", names.join(", ")))
            })?;
            return Ok((vec![agent], false));
        }
        let id = self.seat();
        if !self.room.seats().contains(id) {
            return Err(AppError::failed(format!("there is no seat {}", shown(id)))
                .hint("See all of them: charrette roles list"));
        }
        let chain = chain_of(id, self.room.seats(), self.room.rules(), &self.room.candidates());
        let or_embedded = chain.iter().any(|name| name == EMBEDDED);
        Ok((chain.iter().filter_map(|name| roster.get(name).cloned()).collect(), or_embedded))
    }

    /// Nobody can be asked: whoever waits for the answer is told so too.
    fn nobody(&self) -> Result<AppError, AppError> {
        let missing = self.args.agent.as_deref().and_then(|name| self.room.roster().get(name));
        let problem = match missing {
            Some(agent) => format!("{} cannot be asked: {}", agent.name, agent.what_is_missing()),
            None => format!("nobody who is installed may take the seat {}", self.seat()),
        };
        put(&self.place.beside(".diag"), &problem)?;
        put(&self.place.beside(".done"), &sidecar::done_text(99))?;
        Ok(AppError::failed(problem).hint("See what there is: charrette agents"))
    }

    /// Has the embedded agent take the seat. The prompt is the request; there is nothing else to read.
    async fn embedded(&self) -> Result<Ended, AppError> {
        let place = self.place;
        put(&place.beside(".prompt"), self.prompt)?;
        let reads = BTreeMap::from([(REQUEST.to_owned(), self.prompt.to_owned())]);
        let report = self.room.embedded(self.seat(), reads).await;
        let ended = Ended { agent: EMBEDDED.to_owned(), report, changes: Vec::new() };
        self.keep(&ended)?;
        Ok(ended)
    }

    /// Asks one agent, and puts everything about it beside the answer.
    async fn one(&self, agent: &Agent) -> Result<Ended, AppError> {
        let place = self.place;
        let seat = self.seat();
        let lane = self.room.scratch(&format!("ask-{}", agent.name)).map_err(AppError::failed)?;
        let earlier = self.args.session.as_deref().and_then(|session| self.used_before(session));
        let is_text = agent.profile.output.is_text();
        let (stdout, stderr) =
            (if is_text { lane.join("stdout") } else { place.beside(".json") }, place.beside(".sidecar"));
        let call = Call {
            agent,
            prompt: self.prompt,
            seat,
            writing: self.args.write,
            session: self.args.session.as_deref().map(|session| (session, earlier.as_ref())),
            total: Duration::from_secs(self.seconds_given()),
            ends_on_rate_limit: self.room.rules().rate_limit != charrette_agents::room::RateLimit::Wait,
            lane: &lane,
            token: ("ask", seat),
            kept: (&stdout, &stderr),
        };
        put(&place.beside(".prompt"), self.prompt)?;
        put(&place.beside(".meta"), &self.meta(agent, &call))?;
        let before = self.look(true)?;
        let report = self.room.call(call).await;
        let changes = self.changes(before)?;
        let ended = Ended { agent: agent.name.clone(), report, changes };
        let record = self.room.record_of(agent, seat, &ended.report);
        self.room.put_on_ledger(&asks_folder(&room::state_folder(self.site)), &record);
        self.keep(&ended)?;
        let _ = fs_err::remove_dir_all(&lane);
        Ok(ended)
    }

    fn meta(&self, agent: &Agent, call: &Call<'_>) -> String {
        let command = self.room.command_of(call).unwrap_or_default();
        let command: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        sidecar::meta_text(&Meta {
            tool: agent.name.clone(),
            timeout: call.total.as_secs(),
            capture_stdout: true,
            capture_stdout_only: true,
            output_file: self.place.output.to_string_lossy().into_owned(),
            command,
            more: [
                ("OUTER_LAUNCHER", "charrette ask".to_owned()),
                ("OUTER_LAUNCHER_PROMPT_FILE", self.place.beside(".prompt").to_string_lossy().into_owned()),
                ("OUTER_LAUNCHER_WORKDIR", self.site.root.to_string_lossy().into_owned()),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .to_vec(),
        })
    }

    /// What this session had used before, if it is on the ledger.
    fn used_before(&self, session: &str) -> Option<charrette_model::checkpoint::Usage> {
        let calls = calls(&asks_folder(&room::state_folder(self.site))).ok()?;
        let mut of_session = calls.into_iter().filter(|call| call.session.as_deref() == Some(session));
        of_session.next_back()?.session_total
    }

    /// What the tree looks like, where that matters.
    fn look(&self, first: bool) -> Result<Option<Snapshot>, AppError> {
        if self.args.write || self.site.repository.is_none() {
            return Ok(None);
        }
        let snapshot = Snapshot::take(&self.site.root).map_err(AppError::failed)?;
        if first {
            let untracked =
                Git::new(&self.site.root).bytes(&["ls-files", "--others", "--exclude-standard", "-z"]);
            let path = self.place.beside(".untracked-baseline");
            replace_private(&path, &untracked.unwrap_or_default()).map_err(AppError::failed)?;
        }
        Ok(Some(snapshot))
    }

    fn changes(&self, before: Option<Snapshot>) -> Result<Vec<Change>, AppError> {
        let (Some(before), Some(after)) = (before, self.look(false)?) else { return Ok(Vec::new()) };
        let mut changes = before.changes(&after, &self.room.rules().own);
        // What this command itself writes there is not the agent's doing.
        let endings = [".prompt", ".meta", ".json", ".sidecar", ".untracked-baseline", ""];
        let written: Vec<PathBuf> = endings.iter().map(|ending| self.place.beside(ending)).collect();
        changes.retain(|change| !written.contains(&self.site.root.join(change.path.as_path())));
        Ok(changes)
    }

    /// Puts the answer, or what went wrong, where the caller looks for it. The last file is the one that says so.
    fn keep(&self, ended: &Ended) -> Result<(), AppError> {
        let (place, report) = (self.place, &ended.report);
        self.keep_tree(&ended.changes)?;
        match &report.outcome.answer {
            Ok(text) => put(&place.output, &self.room.redactor().text(text))?,
            Err(failure) => put(&place.beside(".diag"), &self.diagnosis(&ended.agent, failure, report))?,
        }
        put(&place.beside(".done"), &sidecar::done_text(code(report)))
    }

    /// Says beside the answer whether the tree is as it was, and what is not.
    fn keep_tree(&self, changes: &[Change]) -> Result<(), AppError> {
        if self.args.write || self.site.repository.is_none() {
            return Ok(());
        }
        let place = self.place;
        if changes.is_empty() {
            return put(&place.beside(".dirty-tree"), "STATUS=clean\nMODE=baseline\n");
        }
        let (new, tracked): (Vec<&Change>, Vec<&Change>) =
            changes.iter().partition(|change| change.kind == ChangeKind::Added);
        for (ending, paths) in
            [(".dirty-tree.tracked-paths", tracked), (".dirty-tree.new-untracked-paths", new)]
        {
            let list: Vec<u8> =
                paths.iter().flat_map(|change| [change.path.as_bytes(), b"\0"].concat()).collect();
            replace_private(&place.beside(ending), &list).map_err(AppError::failed)?;
        }
        put(&place.beside(".dirty-tree"), "STATUS=dirty\nMODE=baseline\nREASON=working-tree-dirty\n")
    }

    /// How long it may take in all.
    fn seconds_given(&self) -> u64 {
        self.args
            .timeout
            .unwrap_or_else(|| self.room.rules().time_for(self.room.seats().seat(self.seat())).as_secs())
    }

    fn seat(&self) -> &str {
        self.args.seat.as_deref().unwrap_or("ask")
    }

    fn diagnosis(&self, agent: &str, failure: &Failure, report: &Report) -> String {
        let (seconds, last) = (report.elapsed.as_secs(), last_said(report));
        let text = match (failure.kind, report.code.and_then(|code| u8::try_from(code).ok())) {
            (FailureKind::NoAnswer, Some(0)) if report.bytes == 0 => sidecar::diag_empty(agent, seconds),
            (FailureKind::NoAnswer, Some(code @ 1..)) => {
                sidecar::diag_exit(code, seconds, report.bytes, last.as_bytes())
            }
            (FailureKind::Clock(Clock::Total), _) => {
                sidecar::diag_timeout(seconds, self.seconds_given(), report.bytes, last.as_bytes())
            }
            _ if failure.message.trim().is_empty() => format!("no answer ({})", failure.kind),
            _ => failure.message.clone(),
        };
        self.room.redactor().text(&text).into_owned()
    }

    /// Tells the person, or the program, how it went.
    fn told(&self, ended: &Ended, failures: &[String]) -> Result<ExitCode, AppError> {
        let Ended { agent, report, changes } = ended;
        let outcome = &report.outcome;
        let redact = |text: &str| self.room.redactor().text(text).into_owned();
        for name in failures {
            output::note(self.here, &format!("{name} did not answer; the next one was asked."));
        }
        for note in &outcome.notes {
            output::note(self.here, &format!("{agent}: {}", redact(note)));
        }
        if report.left_behind > 0 {
            output::note(
                self.here,
                &format!("{agent} left {} processes behind; they were ended.", report.left_behind),
            );
        }
        for change in changes {
            output::note(
                self.here,
                &format!("Warning: {agent} may only read, and {}: {}", change.kind, change.path),
            );
        }
        let failure = outcome.answer.as_ref().err();
        if self.here.json {
            output::json(&json!({
                "agent": agent,
                "fallback_from": failures,
                "status": if failure.is_none() { "answered" } else { "failed" },
                "kind": failure.map(|failure| failure.kind.to_string()),
                "message": failure.map(|failure| redact(&failure.message)),
                "seconds": report.elapsed.as_secs_f64(),
                "usage": outcome.usage,
                "model": outcome.model,
                "session": outcome.session,
                "denied": outcome.denied,
                "notes": outcome.notes.iter().map(|note| redact(note)).collect::<Vec<_>>(),
                "changed": changes,
                "left_behind": report.left_behind,
                "output": failure.map_or_else(|| Value::from(self.place.output.to_string_lossy()), |_| Value::Null),
            }))?;
        }
        match failure {
            None => {
                output::note(self.here, &format!("{agent} answered in {}s.", report.elapsed.as_secs()));
                Ok(ExitCode::SUCCESS)
            }
            Some(failure) => {
                output::log(&format!("{agent} did not answer: {}", redact(&failure.message)));
                output::log(&format!("What there is of it stands beside {}", self.place.output.display()));
                Ok(ExitCode::from(match failure.kind {
                    FailureKind::Clock(_) => 124,
                    FailureKind::Interrupted => 130,
                    _ => 1,
                }))
            }
        }
    }
}

/// What the sentinel says: 0, 124 for a clock, else the code of the process, or 99 if nobody knows.
fn code(report: &Report) -> u8 {
    match &report.outcome.answer {
        Ok(_) => 0,
        Err(Failure { kind: FailureKind::Clock(_), .. }) => 124,
        Err(_) => report.code.and_then(|code| u8::try_from(code).ok()).filter(|code| *code > 0).unwrap_or(99),
    }
}

fn last_said(report: &Report) -> String {
    let text = if report.said.trim().is_empty() { &report.complained } else { &report.said };
    let tail: Vec<char> = text.trim_end().chars().rev().take(200).collect();
    tail.into_iter().rev().collect()
}
