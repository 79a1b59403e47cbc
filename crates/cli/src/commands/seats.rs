//! `charrette seats`: plays seats whose agent is of kind `queue`: takes calls, answers them, lists what is open.

use crate::arguments::seconds;
use crate::invocation::Invocation;
use crate::{input, output};
use charrette_agents::queue::{LeaseRequest, LeasedCall, ListedCall};
use charrette_app::{AppError, Site, seat_queue};
use charrette_model::escape::printable;
use charrette_model::queue::{CallState, QueuedCall};
use charrette_model::stamp::{Now, Stamp};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Play seats yourself: take calls of agents of kind "queue", and answer them
///
/// A call of such an agent waits in the user's state folder until it has an answer or the clock of its seat ends. A person,
/// a script or another agent can serve it, from any folder of this machine.
#[derive(Debug, Args)]
pub(crate) struct SeatsArgs {
    #[command(subcommand)]
    command: SeatsCommand,
}

#[derive(Debug, Subcommand)]
enum SeatsCommand {
    /// Take the oldest open call, and print where its prompt is and how to answer
    ///
    /// No other client gets the call until the lease expires. Exit 3 if there is no open call.
    Next(NextArgs),
    /// Answer a call; the first answer counts
    ///
    /// Exit 4 if the call has an answer already or is over, 1 if it is unknown.
    Answer(AnswerArgs),
    /// List calls that wait for an answer
    List,
}

#[derive(Debug, Args)]
struct NextArgs {
    /// Only calls of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Seconds to wait for a call
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
    /// Seconds until the call is given to somebody else, unless it is answered
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = seconds())]
    lease: u64,
    /// Name of the server, for `seats list` [default: the process that started this command]
    #[arg(long, value_name = "TEXT")]
    holder: Option<String>,
}

#[derive(Debug, Args)]
struct AnswerArgs {
    /// Id of the call
    id: String,
    /// File with the answer; `-` for standard input
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
}

pub(crate) fn seats(invocation: &Invocation, args: &SeatsArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site()?;
    match &args.command {
        SeatsCommand::Next(args) => next(invocation, &site, args),
        SeatsCommand::Answer(args) => answer(invocation, &site, args),
        SeatsCommand::List => list(invocation, &site),
    }
}

fn next(invocation: &Invocation, site: &Site, args: &NextArgs) -> Result<ExitCode, AppError> {
    let parent = || format!("process {}", std::os::unix::process::parent_id());
    let holder = args.holder.clone().unwrap_or_else(parent);
    let request = LeaseRequest {
        agent: args.agent.as_deref(),
        holder: &holder,
        duration: Duration::from_secs(args.lease),
    };
    let Some(taken) = seat_queue::take_next(site, request, Duration::from_secs(args.wait))? else {
        output::note(invocation, "No open call.");
        return Ok(ExitCode::from(3));
    };
    if invocation.json {
        output::print_json(&taken_json(&taken))?;
    } else {
        output::print_line(&taken_page(&taken))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn taken_page(taken: &LeasedCall) -> String {
    let LeasedCall { call, lease, prompt, .. } = taken;
    let access = if call.writing { "may change files in" } else { "may read" };
    let web = if call.web { "; may use the web" } else { "" };
    let lines = [
        format!("call      {}", call.id),
        format!("seat      {}", seat_text(call)),
        format!("agent     {}", printable(&call.agent)),
        format!("run       {}", run_text(call)),
        format!("folder    {access} {}{web}", printable(&call.folder)),
        format!("prompt    {}", printable(&prompt.to_string_lossy())),
        format!("lease     until {}, deadline {}", lease.expires_at, call.deadline),
        format!("answer    charrette seats answer {} --file FILE", call.id),
    ];
    lines.join("\n")
}

fn taken_json(taken: &LeasedCall) -> Value {
    let LeasedCall { call, lease, prompt, answer } = taken;
    let mut value = json!(call);
    value["prompt"] = json!(prompt.to_string_lossy());
    value["answer"] = json!(answer.to_string_lossy());
    value["lease"] = json!({"holder": lease.holder, "expires_at": lease.expires_at});
    value
}

fn answer(invocation: &Invocation, site: &Site, args: &AnswerArgs) -> Result<ExitCode, AppError> {
    let text = input::read_text_up_to(&args.file, seat_queue::max_answer_bytes(site))
        .map_err(|error| error.hint("The limit of an answer is limits.output_mb"))?;
    let call = seat_queue::answer(site, &args.id, &text)?;
    if invocation.json {
        output::print_json(&call)?;
    } else {
        output::note(invocation, &format!("Answered call {} for the seat {}.", call.id, seat_text(&call)));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    let calls = seat_queue::open_calls(site)?;
    if invocation.json {
        let rows: Vec<Value> = calls.iter().map(|listed| listed_json(listed, site.now)).collect();
        output::print_json(&json!({ "calls": rows }))?;
    } else if calls.is_empty() {
        output::note(invocation, "No open calls.");
    } else {
        for line in table(&calls, site.now) {
            output::print_line(&line)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn listed_json(listed: &ListedCall, now: Now) -> Value {
    let mut value = json!(listed.call);
    value["state"] = json!(listed.state);
    value["age_seconds"] = json!(seconds_between(&listed.call.created_at, now));
    value["driven"] = json!(listed.driven);
    value["prompt"] = json!(listed.prompt.to_string_lossy());
    value["lease"] = match &listed.lease {
        Some(lease) => json!({"holder": lease.holder, "expires_at": lease.expires_at}),
        None => Value::Null,
    };
    value
}

fn table(calls: &[ListedCall], now: Now) -> Vec<String> {
    let head = ["CALL", "AGENT", "SEAT", "RUN", "AGE", "STATE"].map(str::to_owned);
    let row = |listed: &ListedCall| {
        let call = &listed.call;
        let state = match (listed.state, &listed.lease) {
            (CallState::Leased, Some(lease)) => {
                format!("leased by {} until {}", printable(&lease.holder), lease.expires_at)
            }
            (CallState::Suspended, _) => "suspended until its run is resumed".to_owned(),
            _ if !listed.driven => "open, its run is not driven".to_owned(),
            _ => "open".to_owned(),
        };
        let age = age_text(seconds_between(&call.created_at, now));
        let text = |text: &str| printable(text).to_string();
        [call.id.clone(), text(&call.agent), text(&call.seat), run_text(call), age, state]
    };
    let cells: Vec<[String; 6]> = [head].into_iter().chain(calls.iter().map(row)).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let line = |row: &[String; 6]| {
        let mut text = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            text.push_str(cell);
            text.push_str(&" ".repeat(width - cell.chars().count() + 2));
        }
        text + &row[5]
    };
    cells.iter().map(line).collect()
}

/// The seat, with its step where that is not the same.
fn seat_text(call: &QueuedCall) -> String {
    let seat = printable(&call.seat);
    let step = if call.step.is_empty() || call.step == call.seat {
        String::new()
    } else {
        format!(", step {}", printable(&call.step))
    };
    let again = if call.attempt > 1 { format!(", attempt {}", call.attempt) } else { String::new() };
    format!("{seat}{step}{again}")
}

fn run_text(call: &QueuedCall) -> String {
    printable(call.feature.as_deref().unwrap_or(&call.run)).to_string()
}

fn seconds_between(since: &Stamp, now: Now) -> u64 {
    u64::try_from(now.at().duration_since(since.at()).as_secs()).unwrap_or(0)
}

fn age_text(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}
