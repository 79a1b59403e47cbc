//! The tool `wait`: looks at a run, and while it works, waits for news with progress for the host.

use crate::arguments::{MAX_WAIT, WaitArguments};
use crate::calls;
use crate::results::RunResult;
use crate::server::{Host, Server};
use crate::tasks;
use charrette_app::AppError;
use charrette_app::look::Standing;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use std::time::Duration;
use tokio::time::Instant;

/// Interval at which a working run is looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(300);
/// Interval at which the host is told that the call is alive.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// Looks at a run. Returns when it no longer works, when there is news since the mark, or when the time is up.
pub(crate) async fn wait(
    server: &Server,
    arguments: WaitArguments,
    host: &Host,
    context: &RequestContext<RoleServer>,
) -> Result<RunResult, AppError> {
    let WaitArguments { feature, command, seconds, since } = arguments;
    let has_forms = host.has_forms;
    let look = async |feature: Option<String>, command: Option<String>| {
        server.work(move |site| calls::look(site, feature.as_deref(), command.as_deref(), has_forms)).await
    };
    let first = look(feature.clone(), command.clone()).await?;
    let Some(run) = &first.run else { return Ok(first) };
    // From here on the same run, even if a newer one is started meanwhile.
    let (feature, command) = (Some(run.feature.clone()), Some(run.command.clone()));
    let mark = since.unwrap_or_else(|| run.mark.clone());
    let Ok(_place) = server.waits.try_acquire() else {
        return Ok(first.did("Too many calls wait already; this one only looked."));
    };
    let started = Instant::now();
    let deadline = started + Duration::from_secs(seconds.min(MAX_WAIT));
    let mut told = started;
    let mut result = first;
    loop {
        let Some(run) = &result.run else { return Ok(result) };
        let is_news = run.state != Standing::Working || run.mark != mark;
        let now = Instant::now();
        if is_news || now >= deadline {
            return Ok(result);
        }
        if now >= told + PROGRESS_INTERVAL
            && let Some(token) = context.meta.get_progress_token()
        {
            told = now;
            let seconds = (now - started).as_secs_f64().floor();
            let progress = ProgressNotificationParam::new(token, seconds).with_message(tasks::message(run));
            // A host that has gone away is noticed elsewhere.
            let _ = context.peer.notify_progress(progress).await;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK_INTERVAL.min(deadline - now)) => {}
            () = context.ct.cancelled() => return Ok(result),
        }
        result = look(feature.clone(), command.clone()).await?;
    }
}
