//! Entry check of a new run, before anything of it is created; and refusals of the entry in the words of a person.

use crate::error::{AppError, ErrorKind};
use crate::ports;
use crate::sandbox;
use crate::site::Site;
use crate::start_facts::check_start;
use crate::start_plan::{StartMode, StartPlan};
use charrette_engine::Cancel;
use charrette_engine::ports::PortError;
use charrette_model::gate::preflight;

/// Refuses a new run that its entry gate would refuse, as far as that can be told without asking the remote.
pub fn check_entry(site: &Site, plan: &StartPlan, branch_info: Option<&str>) -> Result<(), AppError> {
    sandbox::check_required(site)?;
    check_start(site, plan, false)?;
    if !plan.flow.makes_branch || !matches!(plan.mode, StartMode::New { .. }) {
        return Ok(());
    }
    let checkout = ports::checkout(site, &plan.name, branch_info, &Cancel::default());
    match checkout.check_entry() {
        Err(PortError::Refused(message)) => {
            Err(refusal(site, &message).hint("Nothing was created. Then type the same command again"))
        }
        // Whatever else is wrong is met, and told, when the run starts.
        _ => Ok(()),
    }
}

/// Error of an entry gate that refused a run. The lines for programs are kept, ahead of the others.
pub fn refusal(site: &Site, message: &str) -> AppError {
    let raw = leading_assignments(message);
    let rest = message.lines().skip(raw.len()).collect::<Vec<_>>();
    let prefix = ports::facts(site).map(|facts| facts.user_prefix).unwrap_or_default();
    let error = raw.iter().find_map(|line| line.strip_prefix("PREFLIGHT_ERROR="));
    let Some((problem, hints)) = error.and_then(|error| preflight::describe(error, &prefix)) else {
        let mut error = AppError::new(ErrorKind::Refused, rest.first().unwrap_or(&"refused"));
        error.machine = raw.iter().map(|line| (*line).to_owned()).collect();
        return rest.iter().skip(1).fold(error, AppError::more);
    };
    let mut refused = AppError::new(ErrorKind::Refused, problem);
    refused.machine = raw.iter().chain(&rest).map(|line| (*line).to_owned()).collect();
    hints.iter().fold(refused, AppError::hint)
}

/// Leading `KEY=VALUE` lines, which are for programs.
pub fn leading_assignments(message: &str) -> Vec<&str> {
    let is_assignment = |line: &&str| {
        line.split_once('=').is_some_and(|(key, _)| {
            !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    message.lines().take_while(is_assignment).collect()
}
