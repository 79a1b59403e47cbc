//! The pages before and after a design, and what is asked before it.

use crate::arguments::Global;
use crate::commands::design::DesignArgs;
use crate::designing::closing;
use crate::designing::order::{Order, Way};
use crate::designing::preview;
use crate::error::CommandError;
use crate::site::Site;
use crate::stopping::Stopped;
use crate::{drive, output, progress};
use charrette_engine::Stop;
use charrette_model::checkpoint::DocumentName;
use charrette_term::{Confirmed, Existing, Terminal, confirm, existing};
use std::path::Path;
use std::process::ExitCode;

/// What a person made of the preview.
pub(crate) enum Decided {
    /// This is to be done.
    Run(Box<Order>),
    /// Nothing is; the exit code.
    Leave(ExitCode),
}

/// Shows what would happen, and asks where that is wanted and somebody is there. Without a terminal the page is
/// shown and the run goes on.
pub(crate) fn preview(
    global: &Global,
    site: &Site,
    args: &DesignArgs,
    order: Order,
) -> Result<Decided, CommandError> {
    // A caller is a program: it gets no page, and nobody is asked on its behalf whether to run.
    let is_nested = args.session_env.as_ref().is_some_and(|path| !path.as_os_str().is_empty());
    let person = if args.yes || args.dry_run || is_nested { None } else { terminal(global) };
    let order = match about_existing(site, args, person.as_ref(), order) {
        Ok(order) => order,
        Err(code) => return Ok(Decided::Leave(code)),
    };
    if !global.json && !global.quiet && (!is_nested || args.dry_run) {
        let page = preview::preview(site, args, &order)?;
        output::line(page.render(progress::style(global)).trim_end())?;
    }
    if args.dry_run {
        if !global.json {
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

fn terminal(global: &Global) -> Option<Terminal> {
    progress::terminal(global, &output::screen())
}

/// What is to become of a run that is there, where nobody has said.
fn about_existing(
    site: &Site,
    args: &DesignArgs,
    person: Option<&Terminal>,
    mut order: Order,
) -> Result<Order, ExitCode> {
    let Some(document) = order.existing.as_ref().filter(|_| matches!(order.way, Way::Begin { .. })) else {
        return Ok(order);
    };
    // A run that is complete has nothing left to go on with.
    let goes_on = document.completed_at.is_none();
    let decided = match (site.settings.existing_run(), person) {
        _ if args.fresh || !goes_on => Existing::Fresh,
        ("resume", _) => Existing::Resume,
        ("ask", Some(terminal)) => {
            let feature = drive::shown_feature(&order.name);
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

/// Shows what came of it.
pub(crate) fn closing(
    global: &Global,
    site: &Site,
    name: &DocumentName,
    stopped: &Stopped,
) -> Result<(), CommandError> {
    if global.json || global.quiet {
        return Ok(());
    }
    let warnings = stopped.warnings.clone();
    if let Some(page) = closing::closing(site, name, &stopped.outcome, warnings)? {
        output::line("")?;
        output::line(page.render(progress::style(global)).trim_end())?;
    }
    Ok(())
}

/// Repeats to a calling run what people should know; it has its own page. One that stopped can be gone on with for
/// the same caller, which the usual hints do not know of.
pub(crate) fn closing_for_caller(
    global: &Global,
    name: &DocumentName,
    env: &Path,
    stopped: &Stopped,
) -> Result<(), CommandError> {
    if !matches!(stopped.outcome, Ok(()) | Err(Stop::Enough)) {
        let (feature, env) = (drive::shown_feature(name), env.display());
        let again = format!("charrette design {feature} --resume --session-env {env}");
        output::note(global, &format!("To go on for the same caller: {again}"));
        return Ok(());
    }
    if global.json || global.quiet {
        return Ok(());
    }
    for warning in &stopped.warnings {
        if warning.starts_with("**⚠") {
            output::line(warning)?;
        } else {
            output::line(&format!("**⚠ {warning}**"))?;
        }
    }
    Ok(())
}
