//! Starts drivers of runs: processes of our own program that lead their own group, outlive the process that started
//! them, and end by themselves at the next gate.

use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::look;
use crate::run_lookup::feature_argument;
use crate::site::Site;
use crate::start_plan::{self, StartMode, StartRequest};
use charrette_engine::flow::EMBEDDED_FLAG;
use charrette_engine::{FlowSpec, OptionSpec, OptionValue};
use charrette_model::checkpoint::DocumentName;
use charrette_model::escape::printable;
use charrette_store::Lease;
use charrette_store::workspace::sha256;
use serde_json::{Map, Value};
use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time to wait until a driver has taken its lease and written its document, or has ended.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Polling interval while waiting for a driver.
const POLL_INTERVAL: Duration = Duration::from_millis(25);
/// Time that another process has to create the run for which it holds the checkout.
const RACE_GRACE: Duration = Duration::from_secs(3);
/// Bytes kept of what a driver prints before it has a document.
const MAX_OUTPUT: usize = 16 << 10;
/// Exit code of a driver that waits for answers.
const WAITING: i32 = 3;

/// A command and its flow.
pub type Flow = FlowSpec;

/// A run to start.
#[derive(Debug, Clone, Default)]
pub struct StartOrder {
    pub command: String,
    /// The request, in the words of the user.
    pub request: Option<String>,
    /// Name of the run; derived from the request if absent.
    pub feature: Option<String>,
    /// Options of the command, by name.
    pub options: Map<String, Value>,
}

/// Outcome of a start or a resume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launched {
    pub name: DocumentName,
    pub outcome: LaunchOutcome,
}

/// Effect of a start or a resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchOutcome {
    /// A driver was started and has the run.
    Started,
    /// A driver was started; it has not taken the run yet.
    Unconfirmed,
    /// The run was there already; nothing was started.
    AlreadyThere,
}

/// Starts a run, or finds the one that the same request has started before. Nothing is archived.
pub fn start(site: &Site, order: &StartOrder) -> Result<Launched, AppError> {
    refuse_inside_agent(site, "start a run")?;
    let flow = site.registry.get(&order.command);
    let Some(flow) = flow else {
        return Err(look::parse_command(site, &order.command)
            .err()
            .unwrap_or_else(|| AppError::usage("unknown command")));
    };
    let options = option_arguments(flow, &order.options)?;
    // A command that works on a specification is told its name, and nothing else.
    let (asked, feature) = if flow.needs_spec {
        (None, order.feature.clone().or_else(|| order.request.clone()))
    } else {
        (order.request.clone(), order.feature.clone())
    };
    let request = StartRequest {
        name: asked.as_ref().and(feature.clone()),
        must_be_new: true,
        ..StartRequest::new(flow, asked.as_deref().or(feature.as_deref()))
    };
    let plan = start_plan::resolve(site, &request)?;
    let StartMode::New { request: text } = &plan.mode else {
        return Err(AppError::failed("only new runs are started; resume the others"));
    };
    let digest = sha256(text.as_bytes());
    if plan.existing.is_some() {
        return existing(site, plan.name, &digest);
    }
    let mut arguments = vec![order.command.clone()];
    arguments.extend(["--must-be-new", "--yes", "--quiet"].map(str::to_owned));
    arguments.extend(options);
    if let Some(name) = &request.name {
        arguments.push(format!("--name={name}"));
    }
    let stdin = if let Some(text) = &asked {
        arguments.push("-".to_owned());
        text.clone()
    } else {
        arguments.extend(["--".to_owned(), feature.unwrap_or_default()]);
        String::new()
    };
    let driver = Driver::spawn(site, &arguments, &stdin)?;
    let mut name = plan.name;
    let mut grace = None;
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        let ended = driver.ended();
        match request_digest(site, &name)? {
            Some(found) if found == digest => {
                if driver.holds(site, &name)? || ended.as_ref().is_some_and(EndedDriver::is_success) {
                    return Ok(Launched { name, outcome: LaunchOutcome::Started });
                }
                if ended.is_some() || look::driver(site, &name)?.is_some() {
                    // Another process started the same request first, or the run stopped at once and says why.
                    return Ok(Launched { name, outcome: LaunchOutcome::AlreadyThere });
                }
            }
            // Another request took the derived name first; the driver derives the next one.
            Some(_) if request.name.is_none() => name = start_plan::run_name(site, &request)?,
            _ => {}
        }
        if let Some(ended) = ended {
            // Another process may be about to create the same run: it holds the checkout, and no document is there yet.
            let grace = *grace.get_or_insert_with(|| Instant::now() + RACE_GRACE);
            if !is_checkout_held(site)? || Instant::now() >= grace {
                return Err(ended.error("the run could not be started"));
            }
        }
        if Instant::now() >= deadline {
            return Ok(Launched { name, outcome: LaunchOutcome::Unconfirmed });
        }
        sleep(POLL_INTERVAL);
    }
}

fn is_checkout_held(site: &Site) -> Result<bool, AppError> {
    let lease = site.documents().folder().checkout();
    Ok(Lease::holder(&lease).map_err(AppError::failed)?.is_some())
}

/// The run that has the name already: the same request finds it, another one is refused.
fn existing(site: &Site, name: DocumentName, digest: &str) -> Result<Launched, AppError> {
    if request_digest(site, &name)?.as_deref() == Some(digest) {
        return Ok(Launched { name, outcome: LaunchOutcome::AlreadyThere });
    }
    let feature = feature_argument(&name);
    Err(AppError::new(
        ErrorKind::Refused,
        format!("a {} run called {feature} exists, for another request", name.command()),
    )
    .hint("Nothing was started or archived. Give the new one another name (feature)")
    .hint(format!("Or let the person discard the old one: charrette abandon {feature}")))
}

fn request_digest(site: &Site, name: &DocumentName) -> Result<Option<String>, AppError> {
    let loaded = site.documents().load(name)?;
    Ok(loaded.map(|loaded| loaded.document.run.and_then(|run| run.request).unwrap_or_default()))
}

/// Resumes a run: starts a driver for it, unless it is driven or complete.
pub fn resume(site: &Site, name: &DocumentName) -> Result<Launched, AppError> {
    refuse_inside_agent(site, "resume a run")?;
    let before = look::look(site, name)?;
    let is_over = before.state == charrette_model::checkpoint::Standing::Complete;
    if is_over || look::driver(site, name)?.is_some() {
        return Ok(Launched { name: name.clone(), outcome: LaunchOutcome::AlreadyThere });
    }
    let mut arguments = vec!["resume".to_owned(), "--quiet".to_owned()];
    arguments.push(format!("--command={}", name.command()));
    if let Some(feature) = name.feature() {
        arguments.extend(["--".to_owned(), feature.to_string()]);
    }
    let driver = Driver::spawn(site, &arguments, "")?;
    let deadline = Instant::now() + START_TIMEOUT;
    loop {
        if let Some(ended) = driver.ended() {
            // Failures of the run itself are in its document; what is not there is told here.
            let is_recorded = look::look(site, name).is_ok_and(|now| now.stopped.is_some());
            if ended.is_success() || is_recorded {
                return Ok(Launched { name: name.clone(), outcome: LaunchOutcome::Started });
            }
            return Err(ended.error("the run could not be resumed"));
        }
        if driver.holds(site, name)? {
            return Ok(Launched { name: name.clone(), outcome: LaunchOutcome::Started });
        }
        if Instant::now() >= deadline {
            return Ok(Launched { name: name.clone(), outcome: LaunchOutcome::Unconfirmed });
        }
        sleep(POLL_INTERVAL);
    }
}

/// Options of a command that another program may set: none that replaces a decision of a person, none that names a file.
pub fn offered_options(flow: &'static FlowSpec) -> impl Iterator<Item = &'static OptionSpec> {
    flow.options.iter().filter(|option| {
        let replaces_approval = flow.guards.iter().any(|guard| guard.override_flag == option.name);
        !replaces_approval
            && option.name != EMBEDDED_FLAG
            && !matches!(option.value, Some(OptionValue::File(_)))
    })
}

/// Command line arguments of options.
fn option_arguments(flow: &'static FlowSpec, options: &Map<String, Value>) -> Result<Vec<String>, AppError> {
    let mut arguments = Vec::new();
    for (name, value) in options {
        let Some(option) = offered_options(flow).find(|option| option.name == *name) else {
            let known: Vec<&str> = offered_options(flow).map(|option| option.name).collect();
            let message = format!("{} has no option {} here", flow.command.as_str(), printable(name));
            return Err(
                AppError::usage(message).hint(format!("Nothing was started. Options: {}", known.join(", ")))
            );
        };
        match (option.value, value) {
            (None, Value::Bool(true)) => arguments.push(format!("--{name}")),
            (None, Value::Bool(false)) => {}
            (Some(_), Value::String(text)) => arguments.push(format!("--{name}={text}")),
            (kind, _) => {
                let wanted = if kind.is_none() { "true or false" } else { "a text" };
                return Err(
                    AppError::usage(format!("option {name} takes {wanted}")).hint("Nothing was started")
                );
            }
        }
    }
    Ok(arguments)
}

/// A driver that this process started.
struct Driver {
    pid: u32,
    state: Arc<Mutex<DriverState>>,
}

#[derive(Default)]
struct DriverState {
    output: Vec<u8>,
    status: Option<ExitStatus>,
}

/// A driver that has ended.
struct EndedDriver {
    status: ExitStatus,
    output: String,
}

impl Driver {
    /// Starts a driver with these arguments, in the folder of the site.
    fn spawn(site: &Site, arguments: &[String], stdin: &str) -> Result<Driver, AppError> {
        let program = site.environment.program.clone();
        let program = program.ok_or_else(|| AppError::failed("the path of our own program is unknown"))?;
        let mut child = Command::new(&program)
            .args(arguments)
            .current_dir(&site.root)
            // A signal to the group of the host does not reach it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                AppError::failed(format!("cannot start {}: {error}", program.display()))
                    .hint("Nothing was started. If charrette was updated meanwhile, restart the server")
            })?;
        if let Some(mut pipe) = child.stdin.take() {
            // A driver that ends before it has read everything says why itself.
            let _ = pipe.write_all(stdin.as_bytes());
        }
        let (pid, state) = (child.id(), Arc::new(Mutex::new(DriverState::default())));
        watch(child, &state)
            .map_err(|error| AppError::failed(format!("cannot watch the driver: {error}")))?;
        Ok(Driver { pid, state })
    }

    /// True if the driver holds the lease of a run.
    fn holds(&self, site: &Site, name: &DocumentName) -> Result<bool, AppError> {
        Ok(look::driver(site, name)?.is_some_and(|holder| holder.pid == self.pid))
    }

    fn ended(&self) -> Option<EndedDriver> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let status = state.status?;
        Some(EndedDriver { status, output: String::from_utf8_lossy(&state.output).into_owned() })
    }
}

impl EndedDriver {
    fn is_success(&self) -> bool {
        matches!(self.status.code(), Some(0 | WAITING))
    }

    /// Error with everything that the driver printed.
    fn error(&self, message: &str) -> AppError {
        let error =
            AppError::new(ErrorKind::Refused, format!("{message}: its process ended ({})", self.status));
        let lines = self.output.lines().filter(|line| !line.trim().is_empty());
        lines.fold(error, |error, line| error.more(printable(line)))
    }
}

/// Keeps the end of what a driver prints, and its exit status, on threads of their own.
fn watch(mut child: Child, state: &Arc<Mutex<DriverState>>) -> std::io::Result<()> {
    let reader = child.stderr.take().map(|pipe| {
        let state = state.clone();
        std::thread::Builder::new().name("driver output".to_owned()).spawn(move || keep_tail(pipe, &state))
    });
    let reader = reader.transpose()?;
    let state = state.clone();
    std::thread::Builder::new().name("driver".to_owned()).spawn(move || {
        let status = child.wait();
        // The agents of a driver do not inherit its standard error, so it ends with the driver.
        drop(reader.map(std::thread::JoinHandle::join));
        state.lock().unwrap_or_else(PoisonError::into_inner).status = status.ok();
    })?;
    Ok(())
}

fn keep_tail(mut pipe: impl Read, state: &Mutex<DriverState>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.output.extend_from_slice(&buffer[..count]);
        let excess = state.output.len().saturating_sub(MAX_OUTPUT);
        state.output.drain(..excess);
    }
}
