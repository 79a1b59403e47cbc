//! What was typed after `charrette design`, and what is meant by it: which run, how far, and from where.

use crate::commands::design::DesignArgs;
use crate::designing::level::{self, Nest};
use crate::designing::{self, Manner};
use crate::error::{CommandError, ErrorKind};
use crate::site::Site;
use crate::{drive, webhooks, workspaces};
use charrette_engine::explain::forecast;
use charrette_engine::flows::design::PHASES;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName, GateState, PhaseStatus};
use charrette_model::feature::name::FeaturePath;
use charrette_model::shown::shown;
use charrette_model::spec::resolver::Level;
use charrette_store::workspace::sha256;

/// What a design is to do.
#[derive(Debug)]
pub(crate) struct Order {
    /// The run.
    pub(crate) name: DocumentName,
    /// How it goes about it.
    pub(crate) way: Way,
    /// The last phase to go through.
    pub(crate) until: &'static str,
    /// The run that is there already.
    pub(crate) existing: Option<Checkpoint>,
    /// What is designed.
    pub(crate) level: Level,
    /// It begins, lies in nothing, and somebody has said which level it is.
    pub(crate) is_standalone: bool,
}

/// Where a design starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// From the beginning. A run that is there is archived.
    Begin {
        /// What was asked for, word for word.
        request: String,
    },
    /// From wherever it stopped.
    GoOn,
    /// From a phase, again.
    Again {
        /// Which.
        phase: &'static str,
        /// Everything in it, and not only what comes from the writer on.
        all: bool,
    },
}

/// Reads what was typed.
pub(crate) fn read(site: &Site, args: &DesignArgs) -> Result<Order, CommandError> {
    if site.repository.is_none() {
        let message = format!("{} is not in a git repository", site.root.display());
        return Err(CommandError::failed(message).hint("Begin one: git init"));
    }
    let phase = args.phase.as_deref().map(known_phase).transpose()?;
    let asked = level::asked(args)?;
    let nest = Nest::here(site)?;
    let (name, level) = run_meant(site, args, &nest)?;
    let loaded = site.documents().load(&name)?;
    let existing = loaded.map(|loaded| loaded.document);
    let until = phase.unwrap_or(PHASES[2]);
    let level = level_of(&name, existing.as_ref(), level)?;
    let request = |args: &DesignArgs| match &args.feature {
        Some(typed) if !is_description(&name, typed) => {
            name.feature().and_then(|path| nest.request(path)).map_or_else(|| request(args), Ok)
        }
        _ => request(args),
    };
    let way = match (&existing, phase) {
        (None, _) if args.resume => return Err(drive::no_checkpoint(&name)),
        (None, Some("write" | "validate")) => return Err(too_early(until)),
        (None, _) => Way::Begin { request: request(args)? },
        (Some(document), phase) if args.resume => {
            resumable(site, &name, document, phase)?;
            Way::GoOn
        }
        (Some(document), Some(phase)) => {
            may_do_again(site, &name, document, phase)?;
            Way::Again { phase, all: args.fresh }
        }
        (Some(document), None) => match args.feature.as_deref() {
            // Named, not described: what was asked for is on record.
            Some(typed) if !is_description(&name, typed) => {
                Way::Begin { request: kept_request(site, document)? }
            }
            _ => Way::Begin { request: request(args)? },
        },
    };
    let begins = matches!(way, Way::Begin { .. });
    let path = name.feature();
    if let (true, Some(path)) = (begins, path) {
        nest.no_collision(path, level)?;
    }
    let is_standalone = begins
        && asked.is_some_and(|level| level != Level::Project)
        && path.is_some_and(|path| !path.is_nested());
    Ok(Order { name, way, until, existing, level, is_standalone })
}

/// The level of a run: what it was begun as, else what is asked for now.
fn level_of(
    name: &DocumentName,
    existing: Option<&Checkpoint>,
    asked: Option<Level>,
) -> Result<Level, CommandError> {
    let begun = existing.map(|document| Manner::of(document).level);
    match (begun, asked, name.feature()) {
        (Some(begun), Some(asked), Some(path)) if begun != asked => Err(level::collision(path, begun)),
        (begun, asked, _) => Ok(begun.or(asked).unwrap_or_default()),
    }
}

/// Everything from the writer on, for a phase that is done again without `--fresh`.
pub(crate) fn is_from_the_writer_on(phase: &str, step: &str) -> bool {
    const STEPS: [&str; 7] = [
        "writer",
        "spec-files",
        "spec-files/before",
        "post-design/page",
        "status/draft",
        "status/approved",
        "tracker/record",
    ];
    phase == PHASES[2] || (phase == PHASES[1] && STEPS.contains(&step))
}

fn known_phase(typed: &str) -> Result<&'static str, CommandError> {
    PHASES.into_iter().find(|phase| *phase == typed).ok_or_else(|| {
        let valid = PHASES.join(", ");
        CommandError::usage(format!("Invalid phase \"{}\". Valid values: {valid}", shown(typed)))
    })
}

fn too_early(phase: &str) -> CommandError {
    let message = match phase {
        "write" => "Research phase must complete before write.",
        _ => "Spec files must exist before validation.",
    };
    CommandError::failed(message).hint("Run it from the beginning: leave out --phase")
}

/// What was asked for, word for word.
fn request(args: &DesignArgs) -> Result<String, CommandError> {
    let typed = args.feature.as_deref().unwrap_or_default();
    if typed.trim().is_empty() {
        return Err(CommandError::usage("say what you want to design")
            .hint("For example: charrette design \"add rate limiting to the public API\""));
    }
    Ok(format!("{}\n", typed.trim_end_matches('\n')))
}

fn is_description(name: &DocumentName, typed: &str) -> bool {
    let Ok(typed) = FeaturePath::parse(typed.trim()) else { return true };
    // A path, or its last part.
    name.feature().is_none_or(|path| *path != typed && path.last() != typed.as_str())
}

fn kept_request(site: &Site, document: &Checkpoint) -> Result<String, CommandError> {
    let workspace = workspaces::workspace_of(site, document)?;
    let kept = workspace.read("request.md", None).map_err(CommandError::failed)?;
    let kept = kept
        .ok_or_else(|| CommandError::failed("the request of that run is gone; describe the feature again"))?;
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

/// The run that is meant: by its name, by its description, or the one that changed last; and its level, as far as that
/// is said.
fn run_meant(
    site: &Site,
    args: &DesignArgs,
    nest: &Nest,
) -> Result<(DocumentName, Option<Level>), CommandError> {
    let typed = args.feature.as_deref().map(str::trim).filter(|typed| !typed.is_empty());
    if typed.is_none() && args.name.is_none() {
        if !args.resume && args.phase.is_none() {
            request(args)?;
        }
        return Ok((newest(site)?, level::asked(args)?));
    }
    let design = |name: FeaturePath| DocumentName::new(Command::Design, Some(name));
    let documents = site.documents();
    // The same request goes on under its name; another one that would be called the same gets a number.
    let is_anothers = |path: &FeaturePath, digest: &str| {
        let Ok(Some(loaded)) = documents.load(&design(path.clone())) else { return false };
        loaded.document.run.and_then(|run| run.request).is_none_or(|request| request != digest)
    };
    let derived = |parent: Option<&FeaturePath>| {
        let digest = sha256(request(args)?.as_bytes());
        level::derive(typed.unwrap_or_default(), parent, |path| is_anothers(path, &digest))
            .map_err(CommandError::usage)
    };
    let place = level::meant(site, args, nest, typed.unwrap_or_default(), derived)?;
    Ok((design(place.path), place.level))
}

/// The design that changed last.
fn newest(site: &Site) -> Result<DocumentName, CommandError> {
    let rows = site.documents().list()?;
    let design = rows.into_iter().find(|row| row.name.command() == Command::Design.as_str());
    design.map(|row| row.name).ok_or_else(|| {
        CommandError::failed("there is no design here yet")
            .hint("Begin one: charrette design \"what you want\"")
    })
}

fn phase_is(document: &Checkpoint, phase: &str, status: PhaseStatus) -> bool {
    document.phases.get(phase).is_some_and(|found| found.status == status)
}

/// `--resume` has nothing to do for a run that is complete, unless somebody changed something since; nor for a phase
/// that is.
fn resumable(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    phase: Option<&'static str>,
) -> Result<(), CommandError> {
    let feature = drive::shown_feature(name);
    let steps = forecast(document, &workspaces::workspace_of(site, document)?);
    let changed = steps.iter().any(|step| step.why.is_some());
    if document.completed_at.is_some() && !changed {
        // It may have been killed between its end and its last messages.
        webhooks::catch_up(site, name);
        return Err(CommandError::failed(format!(
            "Design for \"{feature}\" is already complete. Run without --resume to start fresh."
        )));
    }
    match phase {
        Some(phase) if phase_is(document, phase, PhaseStatus::Complete) => {
            Err(CommandError::failed(format!(
                "Phase {phase} of \"{feature}\" is already complete. Run without --resume to do it again."
            )))
        }
        Some(phase) => earlier_phases_are_complete(document, phase),
        None => Ok(()),
    }
}

fn earlier_phases_are_complete(document: &Checkpoint, phase: &'static str) -> Result<(), CommandError> {
    let earlier = PHASES.into_iter().take_while(|name| *name != phase);
    if earlier.into_iter().all(|name| phase_is(document, name, PhaseStatus::Complete)) {
        return Ok(());
    }
    let research_is_missing = !phase_is(document, PHASES[0], PhaseStatus::Complete);
    Err(too_early(if research_is_missing && phase == "validate" { "validate" } else { phase }))
}

fn may_do_again(
    site: &Site,
    name: &DocumentName,
    document: &Checkpoint,
    phase: &'static str,
) -> Result<(), CommandError> {
    if phase != "validate" {
        return earlier_phases_are_complete(document, phase);
    }
    let folder = site.root.join(designing::spec_folder(site, name));
    let written = designing::deliverables(Manner::of(document).level);
    if !written.first().is_some_and(|(file, _)| folder.join(file).exists()) {
        return Err(too_early("validate"));
    }
    let approved = document.gates.get("post-design").is_some_and(|gate| gate.state == GateState::Approved);
    if approved || Manner::of(document).no_checkpoint {
        return earlier_phases_are_complete(document, phase);
    }
    let feature = drive::shown_feature(name);
    Err(CommandError::new(ErrorKind::Refused, "the design is not approved, so there is nothing to validate")
        .hint(format!("Go to the gate: charrette design {feature} --resume")))
}
