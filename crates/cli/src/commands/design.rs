//! `charrette design`: a feature, from a request to an approved specification.

use crate::arguments::Global;
use crate::designing::by_hand;
use crate::designing::order::{self, Order, Way};
use crate::designing::screens::{self, Decided};
use crate::designing::{self, Manner};
use crate::drive::{self, Beginning, Outfit};
use crate::driven::Driven;
use crate::error::CommandError;
use crate::nesting::{Nesting, Part, Session};
use crate::site::Site;
use crate::stopping::ended;
use crate::{answers, output};
use charrette_engine::flows::design::PHASES;
use charrette_engine::journal::RunPlace;
use charrette_model::checkpoint::TransitionError;
use charrette_model::checkpoint::progress::{forget_steps, set_flags};
use charrette_model::progress::StepPrefix;
use charrette_store::Lease;
use clap::Args;
use std::path::PathBuf;
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
    fn manner(&self) -> Manner {
        Manner { auto: self.auto, quick: self.quick, no_checkpoint: self.no_checkpoint, ..Manner::default() }
    }
}

pub(crate) fn design(global: &Global, args: &DesignArgs) -> Result<ExitCode, CommandError> {
    let site = Site::open(global)?;
    let order = order::read(&site, args)?;
    if order.is_standalone {
        let level = order.level.as_str();
        output::note(global, &format!("Creating standalone {level}. Link to parent later."));
    }
    // A file that cannot be read is better found now than at the first gate.
    let nesting = nesting(args)?;
    let answers = args.answers.as_deref().map(answers::read_file).transpose()?.unwrap_or_default();
    let order = match screens::preview(global, &site, args, order)? {
        Decided::Run(order) => *order,
        Decided::Leave(code) => return Ok(code),
    };
    let (lease, place, resumed) = match &order.way {
        Way::Begin { request } => begun(&site, args, &order, request)?,
        Way::GoOn => gone_on(global, &site, args, &order)?,
        Way::Again { phase, all } => done_again(global, &site, args, &order, phase, *all)?,
    };
    let brief = designing::brief(&site, &order.name, &place.document, order.until)?;
    let session = nesting.session.clone();
    let part = if args.subagent && !brief.quick { Part::AllButHeavy } else { Part::Everything };
    let driven = Driven::Design(Box::new(brief), args.branch_info.clone(), Nesting { part, ..nesting });
    let stopped = drive::drive_on(global, driven, place, (Some(lease), answers, resumed), &site)?;
    match session {
        Some(session) => {
            screens::closing_for_caller(global, &order.name, session.path(), &stopped)?;
        }
        None => screens::closing(global, &site, &order.name, &stopped)?,
    }
    ended(global, &order.name, stopped)
}

/// Where the run stands among others, as it was typed.
fn nesting(args: &DesignArgs) -> Result<Nesting, CommandError> {
    let session = args.session_env.as_deref().map(Session::open).transpose()?.flatten().map(Arc::new);
    let prefix = StepPrefix::parse(args.step_prefix.as_deref().unwrap_or_default());
    Ok(Nesting { prefix, session, part: Part::default() })
}

/// Begins a run. One that is there already is archived first.
fn begun(
    site: &Site,
    args: &DesignArgs,
    order: &Order,
    request: &str,
) -> Result<(Lease, RunPlace, bool), CommandError> {
    let outfit = Outfit {
        flags: Manner { level: order.level, ..args.manner() }.flags(),
        files: designing::role_texts(site)?,
    };
    if let Some(archive) = site.documents().abandon(&order.name, site.now)? {
        output::log(&format!(
            "The run that was there is archived in {}; its workspace is kept.",
            site.relative(&archive).display()
        ));
        by_hand::keep(site, order, &archive)?;
    }
    let beginning = Beginning { name: order.name.clone(), request, answers: None };
    let (lease, place) = drive::begin_run_here(site, &beginning, &PHASES, outfit)?;
    Ok((lease, place, false))
}

/// Goes on with a run, in the manner it was begun and in the manner asked for now.
fn gone_on(
    global: &Global,
    site: &Site,
    args: &DesignArgs,
    order: &Order,
) -> Result<(Lease, RunPlace, bool), CommandError> {
    let (lease, mut place) = drive::reopen(global, site, &order.name)?;
    let before = Manner::of(&place.document);
    let now = before.and(args.manner());
    if now != before {
        let changed =
            place.documents.transition(&place.name, "flags", site.now, |on_disk, circumstances| {
                set_flags(on_disk.ok_or(TransitionError::Gone)?, now.flags(), circumstances)
            })?;
        place.document = changed.document;
    }
    Ok((lease, place, true))
}

/// Does a phase again: what the panel said is kept unless everything is to be done again.
fn done_again(
    global: &Global,
    site: &Site,
    args: &DesignArgs,
    order: &Order,
    phase: &'static str,
    all: bool,
) -> Result<(Lease, RunPlace, bool), CommandError> {
    let (lease, mut place, resumed) = gone_on(global, site, args, order)?;
    let changed = place.documents.transition(&place.name, "again", site.now, |on_disk, circumstances| {
        let mut document = on_disk.ok_or(TransitionError::Gone)?;
        for name in PHASES.into_iter().skip_while(|name| *name != phase) {
            let whole = all && name == phase;
            let is_meant = |step: &str| whole || order::is_from_the_writer_on(name, step);
            document = forget_steps(document, name, is_meant, circumstances)?;
        }
        Ok(document)
    })?;
    place.document = changed.document;
    Ok((lease, place, resumed))
}
