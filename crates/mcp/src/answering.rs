//! The tool `answer`, and forms in tasks: records what the person or the model says about a gate, and lets the run go on
//! when nothing is open any more.

use crate::arguments::AnswerArguments;
use crate::forms::{self, FormReply};
use crate::results::{RunResult, approval_command, error_text, failure, look_text, refusal, success};
use crate::server::{FORM_AUTHOR, Host, Server};
use charrette_app::host_answer::{self, AnswerAuthor, HostAnswer};
use charrette_app::look::{self, Look};
use charrette_app::{AppError, Site, launch};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientResult, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use serde_json::{Map, Value};
use std::time::Duration;

/// Time that a person has for a form in the revisions in which the call stays open meanwhile.
const FORM_TIMEOUT: Duration = Duration::from_secs(280);

/// What became of a form.
pub(crate) enum FormOutcome {
    Recorded(Box<RunResult>),
    Dismissed,
}

/// Answers a gate: with the given answers, or by asking the person in a form.
pub(crate) async fn answer(
    server: &Server,
    arguments: AnswerArguments,
    responses: Option<InputResponses>,
    host: &Host,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, CallToolResult> {
    let AnswerArguments { feature, command, gate, shown, answers } = arguments;
    let run = RunKey { feature, command };
    if let Some(answers) = answers {
        let request = GateAnswers { gate, shown, answers, author: AnswerAuthor::Model };
        return match record(server, &run, request, host).await {
            Ok(result) => Ok(success(result.text(), &result).into()),
            Err(error) => match look_at(server, &run).await {
                Ok(look) => Err(refused(&error, &look)),
                Err(_) => Err(failure(&error)),
            },
        };
    }
    let run = look_at(server, &run).await.map_err(|error| failure(&error))?;
    let wanted = run.gates.iter().find(|open| open.gate == gate);
    let Some(wanted) = wanted.filter(|open| open.shown == shown.trim()) else {
        return Err(refused(
            &AppError::failed("that gate does not ask this now; nothing was recorded"),
            &run,
        ));
    };
    if !host.has_forms {
        let command = approval_command(&run.feature);
        return Err(refusal(format!(
            "this host cannot show a form to the person; nothing was recorded\nhint: Let them type in a terminal: {command}\nhint: \
             Or ask them, and hand in their answers; an approval is theirs"
        )));
    }
    let key = forms::key(wanted);
    let failed = |message: String| refusal(format!("{message}\nhint: Nothing was recorded"));
    let response = if host.is_modern {
        let Some(response) = responses.and_then(|mut responses| responses.remove(&key)) else {
            let form = forms::request(&run.feature, wanted).map_err(failed)?;
            let requests = InputRequests::from([(key, form)]);
            return Ok(InputRequiredResult::from_input_requests(requests).into());
        };
        response
    } else {
        let form = forms::request(&run.feature, wanted).map_err(failed)?;
        ask(form, context).await.map_err(failed)?
    };
    match take_form(server, &run, &key, &response, host).await.map_err(failed)? {
        FormOutcome::Recorded(result) => Ok(success(result.text(), &*result).into()),
        FormOutcome::Dismissed => {
            let command = approval_command(&run.feature);
            Err(refusal(format!(
                "the form was closed without an answer; nothing was recorded, and the gate stays open\nhint: Do not answer \
                 for the person. They can answer later in a terminal: {command}"
            )))
        }
    }
}

/// Records the reply to a form, as the person's.
pub(crate) async fn take_form(
    server: &Server,
    run: &Look,
    key: &str,
    response: &Value,
    host: &Host,
) -> Result<FormOutcome, String> {
    let (gate, shown) = forms::parse_key(key).ok_or("the reply names no form of this run")?;
    let open = run.gates.iter().find(|open| open.gate == gate);
    let Some(open) = open.filter(|open| open.shown == shown) else {
        return Err(format!(
            "{gate} has changed since its form was shown, or is answered; nothing was recorded"
        ));
    };
    match forms::reply(open, response)? {
        FormReply::Dismissed => Ok(FormOutcome::Dismissed),
        FormReply::Filled(answers) => {
            let (gate, shown) = (gate.to_owned(), shown.to_owned());
            let request = GateAnswers { gate, shown, answers, author: FORM_AUTHOR };
            let recorded = record(server, &RunKey::of(run), request, host).await;
            let result = recorded.map_err(|error| error.message)?;
            Ok(FormOutcome::Recorded(Box::new(result)))
        }
    }
}

/// Sends a form to the host and waits for the person.
async fn ask(form: InputRequest, context: &RequestContext<RoleServer>) -> Result<Value, String> {
    let InputRequest::Elicitation(form) = form else { return Err("the gate has no form".to_owned()) };
    let options = PeerRequestOptions::with_timeout(FORM_TIMEOUT);
    let request = ServerRequest::ElicitRequest(form);
    let sent = context.peer.send_cancellable_request(request, options).await;
    let sent = sent.map_err(|error| format!("cannot ask the person: {error}"))?;
    match sent.await_response().await {
        Ok(ClientResult::ElicitResult(reply)) => {
            serde_json::to_value(reply).map_err(|error| error.to_string())
        }
        // A reply that is no reply to a form answers nothing.
        Ok(_) => Err("the host did not reply to the form".to_owned()),
        Err(error) => Err(format!("the host could not show the form: {error}")),
    }
}

/// A run, as a host names it.
#[derive(Clone)]
struct RunKey {
    feature: String,
    command: Option<String>,
}

impl RunKey {
    fn of(run: &Look) -> RunKey {
        RunKey { feature: run.feature.clone(), command: Some(run.command.clone()) }
    }

    fn find(&self, site: &Site) -> Result<look::RunName, AppError> {
        look::find(site, Some(&self.feature), self.command.as_deref())
    }
}

async fn look_at(server: &Server, run: &RunKey) -> Result<Look, AppError> {
    let run = run.clone();
    server.work(move |site| look::look(site, &run.find(site)?)).await
}

struct GateAnswers {
    gate: String,
    shown: String,
    answers: Map<String, Value>,
    author: AnswerAuthor,
}

/// Records answers; the driver is started again when no gate asks anything.
async fn record(
    server: &Server,
    run: &RunKey,
    request: GateAnswers,
    host: &Host,
) -> Result<RunResult, AppError> {
    let GateAnswers { gate, shown, answers, author } = request;
    let answer = HostAnswer { gate, shown, answers, author, client: host.client.clone() };
    let order = AnswerOrder { run: run.clone(), answer, has_forms: host.has_forms };
    let here = server.work_here(|site| order.record_unless_busy(site))?;
    let recorded = if let Some(recorded) = here {
        recorded
    } else {
        let order = order.clone();
        server.work(move |site| order.record(site, order.run.find(site)?)).await?
    };
    match recorded {
        Recorded::More(result) => Ok(*result),
        Recorded::Last(name, did) => {
            server.work(move |site| order.result(site, &name, format!("{did} {}", go_on(site, &name)))).await
        }
    }
}

/// Answers to record in a run.
#[derive(Clone)]
struct AnswerOrder {
    run: RunKey,
    answer: HostAnswer,
    has_forms: bool,
}

impl AnswerOrder {
    /// Records the answers, unless somebody else is changing the run: then the other calls must not wait for them.
    fn record_unless_busy(&self, site: &Site) -> Result<Option<Recorded>, AppError> {
        let name = self.run.find(site)?;
        if look::is_being_changed(site, &name) { Ok(None) } else { self.record(site, name).map(Some) }
    }

    fn record(&self, site: &Site, name: look::RunName) -> Result<Recorded, AppError> {
        let answered = host_answer::record(site, &name, &self.answer)?;
        let did = format!("Recorded: {}.", describe(&self.answer.gate, &answered));
        if answered.is_last {
            return Ok(Recorded::Last(name, did));
        }
        Ok(Recorded::More(Box::new(self.result(site, &name, did)?)))
    }

    fn result(&self, site: &Site, name: &look::RunName, did: String) -> Result<RunResult, AppError> {
        Ok(RunResult::of(look::look(site, name)?, self.has_forms).did(did))
    }
}

/// What became of answers.
enum Recorded {
    /// Something is still asked.
    More(Box<RunResult>),
    /// Nothing is asked any more: the run can go on.
    Last(look::RunName, String),
}

/// Starts the driver again; a failure to do so does not undo the answers.
fn go_on(site: &Site, name: &look::RunName) -> String {
    match launch::resume(site, name) {
        Ok(_) => "The run goes on.".to_owned(),
        Err(error) => {
            let lines = std::iter::once(&error.message).chain(&error.more).chain(&error.hints);
            let lines: Vec<&str> = lines.map(String::as_str).collect();
            format!("The answers are kept, but the run could not go on: {}", lines.join("\n"))
        }
    }
}

fn describe(gate: &str, answered: &host_answer::AnsweredGate) -> String {
    let state = answered.state_word();
    if answered.open.is_empty() {
        format!("{gate} is {state}")
    } else {
        format!("{gate} still asks {}", answered.open.join(", "))
    }
}

/// Error of an answer, with what is open now.
fn refused(error: &AppError, run: &Look) -> CallToolResult {
    refusal(format!("{}\n\n{}", error_text(error), look_text(run).trim_end()))
}
