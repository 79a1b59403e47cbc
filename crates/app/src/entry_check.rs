//! Entry check of a new run, before anything of it is created; and refusals of the entry in the words of a person.

use crate::checkout_lease::worktree_of;
use crate::error::{AppError, ErrorKind};
use crate::ports;
use crate::run_lookup::feature_argument;
use crate::sandbox;
use crate::site::Site;
use crate::start_facts::check_start;
use crate::start_plan::{StartMode, StartPlan};
use charrette_engine::Cancel;
use charrette_engine::ports::PortError;
use charrette_model::escape::shell_word;
use charrette_model::gate::{preflight, texts};

/// Refuses a new run that its entry gate would refuse, as far as that can be told without asking the remote.
pub fn check_entry(site: &Site, plan: &StartPlan, branch_info: Option<&str>) -> Result<(), AppError> {
    sandbox::check_required(site)?;
    check_start(site, plan, false)?;
    if !plan.flow.makes_branch || !matches!(plan.mode, StartMode::New { .. }) {
        return Ok(());
    }
    let checkout = ports::checkout(site, &plan.name, branch_info, &Cancel::default());
    match checkout.check_entry() {
        Err(PortError::Refused(message)) if message == texts::INTERRUPTED_RUN => {
            let feature = feature_argument(&plan.name);
            Err(AppError::new(ErrorKind::Refused, message)
                .hint(format!("Resume it: charrette resume {feature}")))
        }
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
    let (prefix, main) = ports::facts(site).map(|facts| (facts.user_prefix, facts.main)).unwrap_or_default();
    let elsewhere = worktree_of(site, &main).map(|folder| shell_word(&folder));
    let error = raw.iter().find_map(|line| line.strip_prefix("PREFLIGHT_ERROR="));
    let described = error.and_then(|error| preflight::describe(error, &prefix, elsewhere.as_deref()));
    let Some((problem, hints)) = described else {
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
