//! `charrette design`: takes a feature from a request to an approved specification.

use crate::commands::preview::{self, PreviewDecision, PreviewOptions};
use crate::drive::{self, DriveOptions};
use crate::invocation::Invocation;
use crate::progress::DisplayOptions;
use crate::run_end::{RunEnd, report_end};
use crate::{input, output, trusted_site};
use charrette_app::closing::note_closing_page_shown;
use charrette_app::entry_check::check_entry;
use charrette_app::nesting::{Nesting, Session, WorkerMode};
use charrette_app::run_lookup::feature_argument;
use charrette_app::start_plan::StartRequest;
use charrette_app::{AppError, Site, spec_location, start};
use charrette_engine::Stop;
use charrette_engine::flows::design::{DesignFlags, FLOW};
use charrette_model::checkpoint::DocumentName;
use charrette_model::progress::StepPrefix;
use charrette_model::spec::resolver::SpecLevel;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Design a feature: from a request to an approved specification
///
/// Steps: research, sketches, debate, plan, review with votes, your approval, six specification files. Several agents
/// sketch and debate, you are asked at the gates, and all intermediate files are kept. If no agent is installed, the
/// embedded agent writes a draft from a survey of the repository. An interrupted run continues with --resume without
/// repeating agent calls that succeeded. Work that is too large for one spec is designed as a project (a list of
/// features) or a feature (a list of specs) first.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct DesignArgs {
    /// Description of the feature, in your own words and in quotes; or the name of an existing design; `-` reads the
    /// description from standard input
    #[arg(value_name = "FEATURE")]
    pub(crate) words: Vec<String>,
    /// Read the description from a file
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    pub(crate) from: Option<PathBuf>,
    /// Name of the feature [default: derived from the description]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Level of the design: project, feature or spec
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,
    /// Same as --level project: a list of features with their descriptions
    #[arg(long)]
    pub(crate) project: bool,
    /// Same as --level feature: a list of specs with their dependencies
    #[arg(long = "feature")]
    pub(crate) as_feature: bool,
    /// Same as --level spec
    #[arg(long)]
    pub(crate) spec: bool,
    /// Parent: the project of a feature, or the feature of a spec
    #[arg(long, value_name = "PATH")]
    pub(crate) parent: Option<String>,
    /// Run only this phase: research, write or validate
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// Resume an existing run
    #[arg(long)]
    pub(crate) resume: bool,
    /// Start over: the phase given by --phase, otherwise the whole run
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Refuse an existing run instead of archiving it
    #[arg(long, hide = true)]
    pub(crate) must_be_new: bool,
    /// Skip the clarifying questions and both discussion rounds
    #[arg(long)]
    pub(crate) auto: bool,
    /// Make two generic sketches instead of four with one lens each
    #[arg(long)]
    pub(crate) quick: bool,
    /// Pass both gates without questions; the design stays unapproved
    #[arg(long)]
    pub(crate) no_checkpoint: bool,
    /// Resume at the last gate, where you approve the design; also if the run passed it with --no-checkpoint. Nothing
    /// before the gate is repeated
    #[arg(long, conflicts_with_all = ["no_checkpoint", "phase", "fresh", "must_be_new"])]
    pub(crate) approve: bool,
    /// Let the embedded agent, which uses no model, take the place of agents that fail
    #[arg(long)]
    pub(crate) embedded: bool,
    /// Print the preview and exit
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run without confirmation
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// File with answers to the questions of the run, YAML or JSON; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Branch state as known to the caller, trusted without a check: `IS_MAIN=… IS_USER_BRANCH=… USER_PREFIX=… CURRENT_BRANCH=…`
    #[arg(long, value_name = "K=V …")]
    pub(crate) branch_info: Option<String>,
    /// Session file of a calling run (KEY=VALUE lines); results are written to its folder
    #[arg(long, value_name = "PATH")]
    pub(crate) session_env: Option<PathBuf>,
    /// Prefix for step numbers and names, set by a calling run: `1.` or `1.::design plan`
    #[arg(long, value_name = "PREFIX", allow_hyphen_values = true)]
    pub(crate) step_prefix: Option<String>,
    /// Run the steps from the sketches to the review in a worker process; ignored with --quick
    #[arg(long)]
    pub(crate) subagent: bool,
}

impl DesignArgs {
    /// Level given by `--level` or one of its short flags.
    fn level(&self) -> Result<Option<SpecLevel>, AppError> {
        let named = self.level.as_deref().map(spec_location::parse_level).transpose()?;
        let flags = [
            (self.project, SpecLevel::Project),
            (self.as_feature, SpecLevel::Feature),
            (self.spec, SpecLevel::Spec),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, level)| level);
        let all: Vec<SpecLevel> = named.into_iter().chain(flags).collect();
        match all.as_slice() {
            [] => Ok(None),
            [level] => Ok(Some(*level)),
            _ => Err(AppError::usage("Only one of --project, --feature, --spec allowed")),
        }
    }

    fn request(&self) -> Result<StartRequest, AppError> {
        let flags = DesignFlags {
            auto: self.auto,
            quick: self.quick,
            no_checkpoint: self.no_checkpoint,
            approve: self.approve,
            embedded: self.embedded,
            level: SpecLevel::Spec,
        };
        Ok(StartRequest {
            flow: &FLOW,
            typed: input::read_request("design", &self.words, self.from.as_deref())?,
            name: self.name.clone(),
            level: self.level()?,
            parent: self.parent.clone(),
            phase: self.phase.clone(),
            resume: self.resume || self.approve,
            fresh: self.fresh,
            must_be_new: self.must_be_new,
            flags: flags.to_map(),
        })
    }

    /// Flags that are not stored with the run, as typed.
    fn unstored_flags(&self) -> Vec<String> {
        let all = [
            (self.subagent, "--subagent"),
            (self.resume, "--resume"),
            (self.fresh, "--fresh"),
            (self.dry_run, "--dry-run"),
        ];
        let set = all.iter().filter(|(set, _)| *set).map(|(_, name)| (*name).to_owned());
        set.chain(self.phase.as_ref().map(|phase| format!("--phase={phase}"))).collect()
    }
}

pub(crate) fn design(invocation: &Invocation, args: &DesignArgs) -> Result<ExitCode, AppError> {
    let is_nested = args.session_env.as_ref().is_some_and(|path| !path.as_os_str().is_empty());
    let site = match (args.dry_run, is_nested) {
        (true, _) => invocation.site()?,
        (false, true) => trusted_site::open_unattended(invocation)?,
        (false, false) => trusted_site::open(invocation)?,
    };
    let request = args.request()?;
    let plan = preview::resolve_plan(&site, &request)?;
    if plan.is_standalone {
        let level = plan.level.as_str();
        output::note(invocation, &format!("Creating standalone {level}. Link to parent later."));
    }
    // Read early, so that an unreadable file fails now and not at the first gate.
    let session = open_session(&site, args)?;
    let answers = input::read_answers_for(&FLOW, args.answers.as_deref())?;
    let options = PreviewOptions {
        fresh: args.fresh,
        dry_run: args.dry_run,
        yes: args.yes,
        is_nested,
        unstored_flags: args.unstored_flags(),
    };
    let plan = match preview::show_preview(invocation, &site, &options, plan)? {
        PreviewDecision::Run(plan) => *plan,
        PreviewDecision::Exit(code) => return Ok(code),
    };
    if !is_nested {
        check_entry(&site, &plan, args.branch_info.as_deref())?;
    }
    let opened = start::open(&site, &plan)?;
    let flags = opened.storage.document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    let uses_worker = args.subagent && !DesignFlags::from_map(&flags).quick;
    let worker_mode = if uses_worker { WorkerMode::Delegated } else { WorkerMode::InProcess };
    let prefix = StepPrefix::parse(args.step_prefix.as_deref().unwrap_or_default());
    let options = DriveOptions {
        answers,
        display: DisplayOptions { prefix, terse: session.is_some() },
        nesting: Nesting { session: session.clone(), worker_mode },
        branch_info: args.branch_info.clone(),
    };
    let end = drive::drive_with_view(invocation, &site, opened, options)?;
    match session {
        Some(session) => {
            report_to_caller(invocation, &plan.name, session.path(), &end)?;
            if end.outcome.is_ok() {
                note_closing_page_shown(&site, &plan.name);
            }
        }
        None => drive::print_closing_page(invocation, &site, &plan.name, &end)?,
    }
    report_end(invocation, &site, &plan.name, end)
}

/// Opens the session file of a calling run, if `--session-env` is given.
fn open_session(site: &Site, args: &DesignArgs) -> Result<Option<Arc<Session>>, AppError> {
    let session = args.session_env.as_deref().map(|path| Session::open(path, &site.notices)).transpose()?;
    Ok(session.flatten().map(Arc::new))
}

/// Repeats the warnings of a completed run to its caller, which has a closing page of its own. For a run that stopped,
/// logs the command that resumes it for the same caller.
fn report_to_caller(
    invocation: &Invocation,
    name: &DocumentName,
    env: &Path,
    end: &RunEnd,
) -> Result<(), AppError> {
    if !matches!(end.outcome, Ok(()) | Err(Stop::RequestedPhasesDone)) {
        let (feature, env) = (feature_argument(name), env.display());
        let command = format!("charrette design {feature} --resume --session-env {env}");
        output::note(invocation, &format!("Resume for the same caller: {command}"));
        return Ok(());
    }
    if invocation.json || invocation.quiet {
        return Ok(());
    }
    for warning in &end.warnings {
        if warning.starts_with("**⚠") {
            output::print_line(warning)?;
        } else {
            output::print_line(&format!("**⚠ {warning}**"))?;
        }
    }
    Ok(())
}
