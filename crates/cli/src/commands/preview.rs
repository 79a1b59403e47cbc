//! Preview before a run: the preview page, its confirmation, and the choice to resume or replace an existing run.

use crate::invocation::Invocation;
use crate::{output, progress, runtime};
use charrette_app::preview;
use charrette_app::run_lookup::feature_argument;
use charrette_app::start_plan::{self, StartMode, StartPlan, StartRequest};
use charrette_app::{AppError, ErrorKind, Site, webhooks};
use charrette_model::redact::mentions_secret;
use charrette_term::{Confirmation, ExistingRunChoice, Render as _, Terminal, choose_existing_run, confirm};
use std::process::ExitCode;

/// Options of the preview.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct PreviewOptions {
    /// `--fresh`: replace an existing run.
    pub(crate) fresh: bool,
    /// `--dry-run`: stop after the preview.
    pub(crate) dry_run: bool,
    /// `--yes`: run without confirmation.
    pub(crate) yes: bool,
    /// True if another run calls this one: no preview page, no confirmation.
    pub(crate) is_nested: bool,
    /// Flags of this call that are not stored with the run, as typed.
    pub(crate) unstored_flags: Vec<String>,
}

/// Decision at the preview.
pub(crate) enum PreviewDecision {
    Run(Box<StartPlan>),
    /// Exit without a run.
    Exit(ExitCode),
}

/// Resolves a request to a start plan. If the run is already complete, delivers webhooks that a kill left undelivered.
pub(crate) fn resolve_plan(site: &Site, request: &StartRequest) -> Result<StartPlan, AppError> {
    let plan = start_plan::resolve(site, request);
    if let Err(error) = &plan
        && error.kind == ErrorKind::AlreadyComplete
        && site.settings.webhook_url().is_some()
        && let Ok(name) = start_plan::run_name(site, request)
    {
        let _ = runtime::block_on(async |_| {
            webhooks::deliver_pending(site, &name).await;
            Ok(())
        });
    }
    plan
}

/// Prints the preview and asks for confirmation. Without a terminal, or with `--yes`, the run starts unconfirmed.
pub(crate) fn show_preview(
    invocation: &Invocation,
    site: &Site,
    options: &PreviewOptions,
    plan: StartPlan,
) -> Result<PreviewDecision, AppError> {
    if let StartMode::New { request } = &plan.mode
        && (*site.environment.redactor().redact(request) != **request || mentions_secret(request))
    {
        let (state, specs) = (site.settings.state_folder(), site.settings.specs_folder());
        site.notices.problem(format!(
            "Warning: the request contains what looks like a password, key or token. It will be given to agents and stored: \
             in the workspace, and with the whole command line in {state}/locks and {state}/history. It may also end up in \
             the files in {specs}, which are committed. Cancel and write it without, if that is not intended.",
        ));
    }
    let is_unattended = options.yes || options.dry_run || options.is_nested;
    let person = if is_unattended { None } else { progress::terminal(invocation, &output::stdout_screen()) };
    let plan = match decide_existing_run(site, options, person.as_ref(), plan) {
        Ok(plan) => plan,
        Err(code) => return Ok(PreviewDecision::Exit(code)),
    };
    if !invocation.json && !invocation.quiet && (!options.is_nested || options.dry_run) {
        let page = preview::preview(site, &plan, &options.unstored_flags)?;
        output::print_line(page.render(progress::style(invocation)).trim_end())?;
    }
    if options.dry_run {
        if invocation.json {
            output::print_json(&preview::preview(site, &plan, &options.unstored_flags)?)?;
        } else {
            output::print_line("Dry run complete. No changes made.")?;
        }
        return Ok(PreviewDecision::Exit(ExitCode::SUCCESS));
    }
    match person.map_or(Confirmation::Run, |terminal| confirm(&terminal)) {
        Confirmation::Run => Ok(PreviewDecision::Run(Box::new(plan))),
        Confirmation::Cancel => {
            output::print_line("Cancelled. Nothing was changed.")?;
            Ok(PreviewDecision::Exit(ExitCode::SUCCESS))
        }
        Confirmation::Interrupted => Ok(PreviewDecision::Exit(ExitCode::from(130))),
    }
}

/// Decides whether an incomplete run of the same name is resumed or replaced: by flag, by setting, or by asking.
fn decide_existing_run(
    site: &Site,
    options: &PreviewOptions,
    person: Option<&Terminal>,
    mut plan: StartPlan,
) -> Result<StartPlan, ExitCode> {
    let Some(document) = plan.existing.as_ref().filter(|_| matches!(plan.mode, StartMode::New { .. })) else {
        return Ok(plan);
    };
    let is_resumable = document.completed_at.is_none();
    let choice = match (site.settings.existing_run(), person) {
        // Refused when it is opened.
        _ if plan.must_be_new => ExistingRunChoice::Fresh,
        _ if options.fresh || !is_resumable => ExistingRunChoice::Fresh,
        ("resume", _) => ExistingRunChoice::Resume,
        ("ask", Some(terminal)) => {
            let feature = feature_argument(&plan.name);
            choose_existing_run(terminal, &format!("An incomplete run for {feature} already exists."))
        }
        _ => ExistingRunChoice::Fresh,
    };
    match choice {
        ExistingRunChoice::Resume => plan.mode = StartMode::Resume,
        ExistingRunChoice::Fresh => {}
        ExistingRunChoice::Cancel => return Err(ExitCode::SUCCESS),
        ExistingRunChoice::Interrupted => return Err(ExitCode::from(130)),
    }
    Ok(plan)
}
