//! What is shown and asked before a run: the preview, and what becomes of a run that is there already.

use crate::here::Here;
use crate::{output, progress, runtime};
use charrette_app::order::{self, RunOrder, StartRequest, Way};
use charrette_app::preview;
use charrette_app::which::shown_feature;
use charrette_app::{AppError, ErrorKind, Site, webhooks};
use charrette_term::{Confirmed, Existing, Render as _, Terminal, confirm, existing};
use std::process::ExitCode;

/// What was typed about it.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Before {
    /// Do everything again.
    pub(crate) fresh: bool,
    /// Stop after the preview.
    pub(crate) dry_run: bool,
    /// Run without asking first.
    pub(crate) yes: bool,
    /// A program calls us: it gets no page, and is not asked whether to run.
    pub(crate) is_nested: bool,
    /// The flags that a run does not keep.
    pub(crate) typed: Vec<String>,
}

/// What a person made of the preview.
pub(crate) enum Decided {
    /// This is to be done.
    Run(Box<RunOrder>),
    /// Nothing is; the exit code.
    Leave(ExitCode),
}

/// Finds out what is meant. A run that is complete may have been killed between its end and its last messages.
pub(crate) fn read(site: &Site, request: &StartRequest) -> Result<RunOrder, AppError> {
    let order = order::read(site, request);
    if let Err(error) = &order
        && error.kind == ErrorKind::AlreadyComplete
        && site.settings.webhook_url().is_some()
        && let Ok(name) = order::named(site, request)
    {
        let _ = runtime::block_on(async |_| {
            webhooks::catch_up(site, &name).await;
            Ok(())
        });
    }
    order
}

/// Shows what would happen, and asks where that is wanted and a person is there. Without a terminal the page is
/// shown and the run goes on.
pub(crate) fn preview(
    here: &Here,
    site: &Site,
    before: &Before,
    order: RunOrder,
) -> Result<Decided, AppError> {
    let is_unasked = before.yes || before.dry_run || before.is_nested;
    let person = if is_unasked { None } else { progress::terminal(here, &output::screen()) };
    let order = match about_existing(site, before, person.as_ref(), order) {
        Ok(order) => order,
        Err(code) => return Ok(Decided::Leave(code)),
    };
    if !here.json && !here.quiet && (!before.is_nested || before.dry_run) {
        let page = preview::preview(site, &order, &before.typed)?;
        output::line(page.render(progress::style(here)).trim_end())?;
    }
    if before.dry_run {
        if !here.json {
            output::line("Dry run complete. No changes made.")?;
        }
        return Ok(Decided::Leave(ExitCode::SUCCESS));
    }
    match person.map_or(Confirmed::Run, |terminal| confirm(&terminal)) {
        Confirmed::Run => Ok(Decided::Run(Box::new(order))),
        Confirmed::Cancel => {
            output::line("Cancelled. Nothing was changed.")?;
            Ok(Decided::Leave(ExitCode::SUCCESS))
        }
        Confirmed::Interrupted => Ok(Decided::Leave(ExitCode::from(130))),
    }
}

/// What is to become of a run that is there, where that was not said.
fn about_existing(
    site: &Site,
    before: &Before,
    person: Option<&Terminal>,
    mut order: RunOrder,
) -> Result<RunOrder, ExitCode> {
    let Some(document) = order.existing.as_ref().filter(|_| matches!(order.way, Way::Begin { .. })) else {
        return Ok(order);
    };
    // A run that is complete has nothing left to go on with.
    let goes_on = document.completed_at.is_none();
    let decided = match (site.settings.existing_run(), person) {
        _ if before.fresh || !goes_on => Existing::Fresh,
        ("resume", _) => Existing::Resume,
        ("ask", Some(terminal)) => {
            let feature = shown_feature(&order.name);
            existing(terminal, &format!("There is a run for {feature} already, and it is not complete."))
        }
        _ => Existing::Fresh,
    };
    match decided {
        Existing::Resume => order.way = Way::GoOn,
        Existing::Fresh => {}
        Existing::Cancel => return Err(ExitCode::SUCCESS),
        Existing::Interrupted => return Err(ExitCode::from(130)),
    }
    Ok(order)
}
