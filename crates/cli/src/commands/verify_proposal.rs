//! Verify commands for a run that has none: proposed at the terminal, before the preview.

use super::file_changes;
use crate::invocation::Invocation;
use crate::{output, progress, trusted_site};
use charrette_app::verify_init::{apply, propose};
use charrette_app::{AppError, ErrorKind, Site};
use charrette_term::Confirmation;

/// The site, with verify commands if a person takes what the repository suggests. Without a terminal, or without anything to
/// suggest, it stays as it is, and the start of the run is refused with a hint.
pub(super) fn with_proposed(invocation: &Invocation, site: Site) -> Result<Site, AppError> {
    let has_terminal = progress::terminal(invocation, &output::stdout_screen()).is_some();
    if !site.settings.verify().is_empty() || invocation.json || !has_terminal {
        return Ok(site);
    }
    let Ok(proposal) = propose(&site, false) else { return Ok(site) };
    let Some(change) = &proposal.change else { return Ok(site) };
    output::print_line("No verify commands are configured. This repository suggests:\n")?;
    output::print_line(&file_changes::render(&site, [change]))?;
    match file_changes::ask(invocation, "charrette verify init")? {
        Confirmation::Run => {}
        Confirmation::Cancel => return Ok(site),
        Confirmation::Interrupted => return Err(AppError::new(ErrorKind::Interrupted, "interrupted")),
    }
    apply(change)?;
    output::print_line("Written to charrette.toml.")?;
    trusted_site::open(invocation)
}
