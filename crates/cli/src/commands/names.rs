//! `charrette names`: the names of the runs here, one per line, for completions.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use std::collections::BTreeSet;
use std::process::ExitCode;

pub(crate) fn names(invocation: &Invocation) -> Result<ExitCode, AppError> {
    let site = invocation.silent_site()?;
    let rows = site.documents().list()?;
    let names: BTreeSet<String> =
        rows.iter().filter_map(|row| Some(row.name.feature()?.to_string())).collect();
    for name in names {
        output::print_line(&name)?;
    }
    Ok(ExitCode::SUCCESS)
}
