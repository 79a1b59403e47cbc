//! Handler of the protocol, in both revisions: the session model up to 2025-11-25, and 2026-07-28 with its self-contained
//! requests.

use crate::arguments::{StartArguments, parse};
use crate::calls::{self, LaunchedRun};
use crate::place::Place;
use crate::results::{RunResult, failure, refusal, success};
use crate::{answering, catalog, prompts, resources, tasks, waiting};
use charrette_app::host_answer::{AnswerAuthor, HostClient};
use charrette_app::look::{self, Look, Standing};
use charrette_app::stop::stop as stop_driver;
use charrette_app::{AppError, Site};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, CreateTaskResult, GetPromptRequestParams, GetPromptResponse,
    GetTaskParams, GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Maximum number of calls that wait for news at the same time; further ones only look.
const MAX_WAITS: usize = 16;
/// Time for a driver to end after its task was cancelled.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(30);

/// The server of one connection.
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) place: Arc<Place>,
    /// Made when they are asked for: their schemas are half of the cost of a start.
    tools: Arc<OnceLock<Vec<Tool>>>,
    pub(crate) waits: Arc<Semaphore>,
    session: Arc<Mutex<Session>>,
}

/// Memory of a session. Nothing depends on it but what this host is shown.
#[derive(Debug, Default)]
struct Session {
    /// Names of runs by id: document stems, so that a poll reads one document.
    known_runs: HashMap<String, (String, String)>,
    /// Forms that the person closed, by id of the run.
    dismissed: HashMap<String, HashSet<String>>,
    /// Tasks that the host cancelled.
    cancelled: HashSet<String>,
}

/// The host at the other end, as far as a call needs it.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) client: HostClient,
    pub(crate) has_forms: bool,
    pub(crate) has_tasks: bool,
    pub(crate) is_modern: bool,
}

impl Host {
    fn of(context: &RequestContext<RoleServer>) -> Host {
        let client = context.client_info();
        let capabilities = context.client_capabilities();
        // A host that names neither forms nor addresses means forms.
        let elicitation = capabilities.as_ref().and_then(|capabilities| capabilities.elicitation.as_ref());
        let is_modern = is_modern(context);
        Host {
            client: HostClient {
                name: client.as_ref().map(|client| client.name.clone()),
                version: client.as_ref().map(|client| client.version.clone()),
            },
            has_forms: elicitation.is_some_and(|modes| modes.form.is_some() || modes.url.is_none()),
            has_tasks: is_modern && capabilities.is_some_and(|capabilities| capabilities.supports_tasks()),
            is_modern,
        }
    }
}

/// True if the request uses the revision without sessions.
pub(crate) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl Server {
    pub fn new(place: Place) -> Server {
        Server {
            place: Arc::new(place),
            tools: Arc::default(),
            waits: Arc::new(Semaphore::new(MAX_WAITS)),
            session: Arc::default(),
        }
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| catalog::tools(self.place.app()))
    }

    /// Runs blocking work on the site, on a thread of its own. A panic is an error of this call only.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Site) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let place = self.place.clone();
        let done = tokio::task::spawn_blocking(move || work(&place.site()?)).await;
        done.unwrap_or_else(|error| Err(internal_error(&error)))
    }

    /// Runs work on the site that takes about a millisecond on this thread: to wake another one and to be woken takes as
    /// long.
    pub(crate) fn work_here<T>(
        &self,
        work: impl FnOnce(&Site) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let done = catch_unwind(AssertUnwindSafe(|| work(&self.place.site()?)));
        done.unwrap_or_else(|_| Err(internal_error(&"the call failed inside")))
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, CallToolResult> {
        let host = Host::of(context);
        let CallToolRequestParams { name, arguments, input_responses, .. } = request;
        let has_forms = host.has_forms;
        let wrong =
            |message: String| refusal(format!("{message}\nhint: Nothing was changed. See the tool's schema"));
        let failed = |error: AppError| failure(&error);
        let result = match name.as_ref() {
            "start" => {
                let arguments: StartArguments = parse(arguments).map_err(wrong)?;
                let launched = self.work(move |site| calls::start(site, arguments)).await.map_err(failed)?;
                return Ok(self.launched(launched, &host));
            }
            "resume" => {
                let arguments = parse(arguments).map_err(wrong)?;
                let launched =
                    self.work(move |site| calls::resume(site, &arguments)).await.map_err(failed)?;
                return Ok(self.launched(launched, &host));
            }
            "stop" => {
                let arguments = parse(arguments).map_err(wrong)?;
                let result =
                    self.work(move |site| calls::stop(site, &arguments, has_forms)).await.map_err(failed)?;
                success(result.text(), &result)
            }
            "wait" => {
                let arguments = parse(arguments).map_err(wrong)?;
                let result = waiting::wait(self, arguments, &host, context).await.map_err(failed)?;
                success(result.text(), &result)
            }
            "answer" => {
                let arguments = parse(arguments).map_err(wrong)?;
                return answering::answer(self, arguments, input_responses, &host, context).await;
            }
            "read" => {
                let arguments = parse(arguments).map_err(wrong)?;
                let result = self.work(move |site| calls::read(site, arguments)).await.map_err(failed)?;
                success(result.text(), &result)
            }
            "check" => {
                let arguments = parse(arguments).map_err(wrong)?;
                let (text, value) =
                    self.work(move |site| calls::check(site, &arguments)).await.map_err(failed)?;
                success(text, &value)
            }
            "survey" => {
                let arguments = parse(arguments).map_err(wrong)?;
                let (text, value) =
                    self.work(move |site| calls::survey(site, &arguments)).await.map_err(failed)?;
                success(text, &value)
            }
            _ => return Err(refusal("unknown tool")),
        };
        Ok(result.into())
    }

    /// Result of a start or a resume: a task for hosts that have them, as long as the run goes on by itself or the host can
    /// ask the person.
    fn launched(&self, launched: LaunchedRun, host: &Host) -> CallToolResponse {
        let LaunchedRun { look, did } = launched;
        let goes_on = look.state == Standing::Working || (look.state == Standing::Waiting && host.has_forms);
        if host.has_tasks && goes_on {
            let mut session = self.session();
            session.cancelled.remove(&look.run);
            // A call that asks for the run again shows its forms again.
            session.dismissed.remove(&look.run);
            return CreateTaskResult::new(tasks::seed(&look)).into();
        }
        let result = RunResult::of(look, host.has_forms).did(did);
        success(result.text(), &result).into()
    }

    /// The run of a task, and the look at it.
    async fn task_look(&self, id: &str) -> Result<Look, ErrorData> {
        let known = self.session().known_runs.get(id).cloned();
        let wanted = id.to_owned();
        let found = self
            .work(move |site| {
                if let Some((feature, command)) = known
                    && let Ok(name) = look::find(site, Some(&feature), Some(&command))
                    && let Ok(found) = look::look(site, &name)
                    && found.run == wanted
                {
                    return Ok(Some(found));
                }
                let Some(name) = look::find_by_id(site, &wanted)? else { return Ok(None) };
                look::look(site, &name).map(Some)
            })
            .await;
        match found {
            Ok(Some(look)) => {
                let name = (look.feature.clone(), look.command.clone());
                self.session().known_runs.insert(look.run.clone(), name);
                Ok(look)
            }
            Ok(None) => {
                Err(ErrorData::invalid_params("no run has this id: it was abandoned or never started", None))
            }
            Err(error) => Err(ErrorData::internal_error(error.message, None)),
        }
    }
}

/// Fails if a call names no tool of ours.
fn internal_error(problem: &dyn std::fmt::Display) -> AppError {
    AppError::failed(format!("internal error: {problem}"))
        .hint("Other calls are not affected. Please report it")
}

fn check_tool(tools: &[Tool], name: &str) -> Result<(), ErrorData> {
    if tools.iter().any(|tool| tool.name == name) {
        return Ok(());
    }
    let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    Err(ErrorData::invalid_params(format!("unknown tool; known: {}", known.join(", ")), None))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("charrette", env!("CARGO_PKG_VERSION")))
            .with_instructions(catalog::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        check_tool(self.tools(), &request.name)?;
        self.place.learn_root(&context).await;
        Ok(self.call(request, &context).await.unwrap_or_else(Into::into))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let look = self.task_look(&request.task_id).await?;
        let session = self.session();
        let is_cancelled = session.cancelled.contains(&look.run);
        let none = HashSet::new();
        let dismissed = session.dismissed.get(&look.run).unwrap_or(&none);
        let forms = Host::of(&context).has_forms.then_some(dismissed);
        Ok(GetTaskResult::new(tasks::detailed(&look, forms, is_cancelled)))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let host = Host::of(&context);
        if !host.has_forms {
            let message = "this host has not declared that it shows forms, so nothing was recorded";
            return Err(ErrorData::invalid_params(message, None));
        }
        for (key, response) in request.input_responses {
            let look = self.task_look(&request.task_id).await?;
            let reply = answering::take_form(self, &look, &key, &response, &host).await;
            match reply.map_err(|message| ErrorData::invalid_params(message, None))? {
                answering::FormOutcome::Dismissed => {
                    self.session().dismissed.entry(look.run.clone()).or_default().insert(key);
                }
                answering::FormOutcome::Recorded(_) => {}
            }
        }
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let look = self.task_look(&request.task_id).await?;
        let (feature, command) = (look.feature.clone(), look.command.clone());
        let stopped = self
            .work(move |site| {
                charrette_app::enclosure::refuse_below_agent(site, "stop a run")?;
                let name = look::find(site, Some(&feature), Some(&command))?;
                stop_driver(site, &name, CANCEL_TIMEOUT)
            })
            .await;
        stopped.map_err(|error| ErrorData::invalid_request(error.message, None))?;
        self.session().cancelled.insert(look.run);
        Ok(())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.place.learn_root(&context).await;
        let listed = self.work(resources::list).await;
        listed
            .map(ListResourcesResult::with_all_items)
            .map_err(|error| ErrorData::internal_error(error.message, None))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.place.learn_root(&context).await;
        let uri = request.uri.clone();
        let read = self.work(move |site| resources::read(site, &uri)).await;
        let details = serde_json::json!({"uri": request.uri});
        read.map(Into::into).map_err(|error| ErrorData::resource_not_found(error.message, Some(details)))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(self.place.app())))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let wanted = request.arguments.as_ref().and_then(|arguments| arguments.get("request"));
        let text = wanted.map(|text| text.to_string().trim_matches('"').to_owned());
        prompts::get(self.place.app(), &request.name, text.as_deref())
            .map(Into::into)
            .ok_or_else(|| ErrorData::invalid_params("unknown prompt", None))
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        // Not announced, so it is not there.
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.place.forget_root();
    }
}

/// Author of answers in a form: the person at the host.
pub(crate) const FORM_AUTHOR: AnswerAuthor = AnswerAuthor::Person;
