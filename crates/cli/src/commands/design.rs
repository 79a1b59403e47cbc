//! `charrette design`: a feature, from a request to an approved specification.

use crate::commands::before::{self, Before, Decided};
use crate::driving::{self, Driving};
use crate::here::Here;
use crate::progress::Showing;
use crate::stopping::{Stopped, ended};
use crate::{input, output};
use charrette_app::nesting::{Nesting, Part, Session};
use charrette_app::order::StartRequest;
use charrette_app::which::shown_feature;
use charrette_app::{AppError, Site, places, start};
use charrette_engine::Stop;
use charrette_engine::flows::design::{DesignFlags, FLOW};
use charrette_model::checkpoint::DocumentName;
use charrette_model::progress::StepPrefix;
use charrette_model::spec::resolver::Level;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Design a feature: from a request to an approved specification
///
/// Research, sketches, a debate, a plan, a review with votes, your approval, six files. Several agents sketch and
/// argue, you are asked at the gates, and everything anybody wrote is kept. Without any
/// agent installed, the embedded one makes a draft from what the repository says for itself. A run that stops for
/// whatever reason goes on with --resume; agents that have answered are not asked again. What is too large for one
/// spec is designed as a project or a feature first, which lists what it is cut into.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct DesignArgs {
    /// What you want, in your own words; or the name of a design that exists
    pub(crate) feature: Option<String>,
    /// The name of the feature, instead of one made from the description
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What to design: project, feature or spec
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,
    /// The same as --level project: features, and what each is about
    #[arg(long)]
    pub(crate) project: bool,
    /// The same as --level feature: specs, and what waits for what
    #[arg(long = "feature")]
    pub(crate) as_feature: bool,
    /// The same as --level spec
    #[arg(long)]
    pub(crate) spec: bool,
    /// What it belongs to: the project of a feature, the feature of a spec
    #[arg(long, value_name = "PATH")]
    pub(crate) parent: Option<String>,
    /// Only this phase: research, write or validate
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// Go on with a run that exists
    #[arg(long)]
    pub(crate) resume: bool,
    /// Do everything again: the phase with --phase, else the whole run
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Skip the questions in between: clarification and both discussions
    #[arg(long)]
    pub(crate) auto: bool,
    /// Two plain sketches instead of four with a lens each
    #[arg(long)]
    pub(crate) quick: bool,
    /// Pass both gates without asking; nothing is approved then
    #[arg(long)]
    pub(crate) no_checkpoint: bool,
    /// Show what would happen and stop there
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run without asking first
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Answers to questions that will come, YAML or JSON; standard input for `-`
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// What the caller knows about the branch, to be trusted: `IS_MAIN=… IS_USER_BRANCH=… USER_PREFIX=… CURRENT_BRANCH=…`
    #[arg(long, value_name = "K=V …")]
    pub(crate) branch_info: Option<String>,
    /// The file with which a calling run hands values over; what comes of this one is left beside it
    #[arg(long, value_name = "PATH")]
    pub(crate) session_env: Option<PathBuf>,
    /// What a calling run puts in front of numbers and names: `1.` or `1.::design plan`
    #[arg(long, value_name = "PREFIX", allow_hyphen_values = true)]
    pub(crate) step_prefix: Option<String>,
    /// Have the part from the sketches to the review done by a process of its own; not with --quick
    #[arg(long)]
    pub(crate) subagent: bool,
}

impl DesignArgs {
    /// The level that was asked for, if any was.
    fn level(&self) -> Result<Option<Level>, AppError> {
        let named = self.level.as_deref().map(places::level_named).transpose()?;
        let flags =
            [(self.project, Level::Project), (self.as_feature, Level::Feature), (self.spec, Level::Spec)];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, level)| level);
        let all: Vec<Level> = named.into_iter().chain(flags).collect();
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
            level: Level::Spec,
        };
        Ok(StartRequest {
            flow: &FLOW,
            typed: self.feature.clone(),
            name: self.name.clone(),
            level: self.level()?,
            parent: self.parent.clone(),
            phase: self.phase.clone(),
            resume: self.resume,
            fresh: self.fresh,
            flags: flags.to_map(),
        })
    }

    /// The flags that a run does not keep, as they were typed.
    fn typed(&self) -> Vec<String> {
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

pub(crate) fn design(here: &Here, args: &DesignArgs) -> Result<ExitCode, AppError> {
    let site = here.site()?;
    let request = args.request()?;
    let order = before::read(&site, &request)?;
    if order.is_standalone {
        let level = order.level.as_str();
        output::note(here, &format!("Creating standalone {level}. Link to parent later."));
    }
    // A file that cannot be read is better found now than at the first gate.
    let session = session(&site, args)?;
    let answers = args.answers.as_deref().map(input::answers).transpose()?.unwrap_or_default();
    let is_nested = args.session_env.as_ref().is_some_and(|path| !path.as_os_str().is_empty());
    let page =
        Before { fresh: args.fresh, dry_run: args.dry_run, yes: args.yes, is_nested, typed: args.typed() };
    let order = match before::preview(here, &site, &page, order)? {
        Decided::Run(order) => *order,
        Decided::Leave(code) => return Ok(code),
    };
    let opened = start::open(&site, &order)?;
    let flags = opened.place.document.run.as_ref().map(|run| run.flags.clone()).unwrap_or_default();
    let hands_over = args.subagent && !DesignFlags::of(&flags).quick;
    let part = if hands_over { Part::HandedOver } else { Part::Whole };
    let prefix = StepPrefix::parse(args.step_prefix.as_deref().unwrap_or_default());
    let driving = Driving {
        answers,
        showing: Showing { prefix, terse: session.is_some() },
        nesting: Nesting { session: session.clone(), part },
        branch_info: args.branch_info.clone(),
    };
    let stopped = driving::show(here, &site, opened, driving)?;
    match session {
        Some(session) => closing_for_caller(here, &order.name, session.path(), &stopped)?,
        None => driving::last_page(here, &site, &order.name, &stopped)?,
    }
    ended(here, &order.name, stopped)
}

/// What a calling run hands over, as it was typed.
fn session(site: &Site, args: &DesignArgs) -> Result<Option<Arc<Session>>, AppError> {
    let session = args.session_env.as_deref().map(|path| Session::open(path, &site.notices)).transpose()?;
    Ok(session.flatten().map(Arc::new))
}

/// Repeats to a calling run what people should know; it has its own page. One that stopped can be gone on with for
/// the same caller, which the usual hints do not know of.
fn closing_for_caller(
    here: &Here,
    name: &DocumentName,
    env: &Path,
    stopped: &Stopped,
) -> Result<(), AppError> {
    if !matches!(stopped.outcome, Ok(()) | Err(Stop::Enough)) {
        let (feature, env) = (shown_feature(name), env.display());
        let again = format!("charrette design {feature} --resume --session-env {env}");
        output::note(here, &format!("To go on for the same caller: {again}"));
        return Ok(());
    }
    if here.json || here.quiet {
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
