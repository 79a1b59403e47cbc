//! `charrette implement`: from an approved specification to proven commits.

use super::verify_proposal::with_proposed;
use crate::commands::preview::{self, PreviewDecision, PreviewOptions};
use crate::drive::{self, DriveOptions};
use crate::invocation::Invocation;
use crate::{input, trusted_site};
use charrette_app::entry_check::check_entry;
use charrette_app::start_facts::check_start;
use charrette_app::start_plan::StartRequest;
use charrette_app::{AppError, start};
use charrette_engine::flows::implement::{FLOW, ImplementFlags};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Implement an approved specification: one proven commit per task
///
/// Agents change worktrees of their own; charrette runs the verify commands and proofs, has every change reviewed by
/// another vendor where one is installed, commits it, and integrates it. Your checkout is only moved by a fast-forward at
/// the end. An interrupted run continues with --resume, and nothing that was accepted is done again.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ImplementArgs {
    /// Name of the specification [default: the only one there is]
    #[arg(value_name = "FEATURE")]
    pub(crate) feature: Option<String>,
    /// Only these tasks; their prerequisites must be done
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',')]
    pub(crate) task: Vec<String>,
    /// Only the tasks of this phase of tasks.md, by number; or only this phase of the run: implementation or validation
    #[arg(long, value_name = "N|PHASE")]
    pub(crate) phase: Option<String>,
    /// Only this task and those after it in tasks.md
    #[arg(long, value_name = "ID")]
    pub(crate) from: Option<String>,
    /// Only this task and those before it in tasks.md
    #[arg(long, value_name = "ID")]
    pub(crate) until: Option<String>,
    /// Pause after this many integrated tasks, or after each phase of tasks.md
    #[arg(long, value_name = "N|phase")]
    pub(crate) pause_after: Option<String>,
    /// One task at a time
    #[arg(long, conflicts_with = "parallel")]
    pub(crate) sequential: bool,
    /// Maximum number of tasks at work at the same time [default: implement.parallel]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) parallel: Option<u16>,
    /// Leave out the reviews: of each task, and of the whole change
    #[arg(long)]
    pub(crate) no_review: bool,
    /// Implement a specification that is not approved, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Create a Linear issue for each follow-up, once you have approved their texts; with --resume also for a complete run
    #[arg(long)]
    pub(crate) issues: bool,
    /// Resume an existing run
    #[arg(long)]
    pub(crate) resume: bool,
    /// Start over
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Refuse an existing run instead of archiving it
    #[arg(long, hide = true)]
    pub(crate) must_be_new: bool,
    /// Print the preview and exit
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Run without confirmation
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// File with answers to the questions of the run, YAML or JSON; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
}

impl ImplementArgs {
    /// Number of the phase of tasks.md, if `--phase` names one.
    fn task_phase(&self) -> Option<u32> {
        self.phase.as_deref().and_then(|phase| phase.trim().parse().ok())
    }

    fn request(&self) -> StartRequest {
        let flags = ImplementFlags {
            tasks: self.task.clone(),
            task_phase: self.task_phase(),
            from: self.from.clone(),
            until: self.until.clone(),
            pause_after: self.pause_after.clone(),
            sequential: self.sequential,
            parallel: self.parallel.map(usize::from),
            no_review: self.no_review,
            force: self.force,
            issues: self.issues,
        };
        StartRequest {
            phase: self.phase.clone().filter(|_| self.task_phase().is_none()),
            resume: self.resume,
            fresh: self.fresh,
            must_be_new: self.must_be_new,
            flags: flags.to_map(),
            ..StartRequest::new(&FLOW, self.feature.as_deref())
        }
    }

    /// Flags that are not stored with the run, as typed.
    fn unstored_flags(&self) -> Vec<String> {
        let all = [(self.resume, "--resume"), (self.fresh, "--fresh"), (self.dry_run, "--dry-run")];
        let set = all.iter().filter(|(set, _)| *set).map(|(_, name)| (*name).to_owned());
        let phase = self.phase.as_ref().filter(|_| self.task_phase().is_none());
        set.chain(phase.map(|phase| format!("--phase={phase}"))).collect()
    }
}

pub(crate) fn implement(invocation: &Invocation, args: &ImplementArgs) -> Result<ExitCode, AppError> {
    let site = if args.dry_run {
        invocation.site()?
    } else {
        with_proposed(invocation, trusted_site::open(invocation)?)?
    };
    let request = args.request();
    let plan = preview::resolve_plan(&site, &request)?;
    check_start(&site, &plan, true)?;
    let answers = input::read_answers_for(&FLOW, args.answers.as_deref())?;
    let options = PreviewOptions {
        fresh: args.fresh,
        dry_run: args.dry_run,
        yes: args.yes,
        is_nested: false,
        unstored_flags: args.unstored_flags(),
    };
    if !args.dry_run {
        check_entry(&site, &plan, None)?;
    }
    let plan = match preview::show_preview(invocation, &site, &options, plan)? {
        PreviewDecision::Run(plan) => *plan,
        PreviewDecision::Exit(code) => return Ok(code),
    };
    let opened = start::open(&site, &plan)?;
    drive::drive_to_exit(invocation, &site, opened, DriveOptions { answers, ..DriveOptions::default() })
}
