//! What was typed after `charrette design`, and what is meant by it: which run, how far, and from where.

use crate::commands::design::DesignArgs;
use crate::drive;
use crate::error::{CommandError, ErrorKind};
use crate::site::Site;
use crate::workspaces;
use charrette_engine::explain::forecast;
use charrette_engine::flows::design::PHASES;
use charrette_model::checkpoint::{Checkpoint, Command, DocumentName, GateState, PhaseStatus};
use charrette_model::feature::name::{FeaturePath, InvalidName};
use charrette_model::shown::shown;
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
    let name = run_meant(site, args)?;
    let loaded = site.documents().load(&name)?;
    let existing = loaded.map(|loaded| loaded.document);
    let until = phase.unwrap_or(PHASES[2]);
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
    Ok(Order { name, way, until, existing })
}

/// Everything from the writer on, for a phase that is done again without `--fresh`.
pub(crate) fn is_from_the_writer_on(phase: &str, step: &str) -> bool {
    const STEPS: [&str; 6] =
        ["writer", "spec-files", "post-design/page", "status/draft", "status/approved", "tracker/record"];
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
    name.feature().is_none_or(|feature| feature.as_str() != typed.trim())
}

fn kept_request(site: &Site, document: &Checkpoint) -> Result<String, CommandError> {
    let workspace = workspaces::workspace_of(site, document)?;
    let kept = workspace.read("request.md", None).map_err(CommandError::failed)?;
    let kept = kept
        .ok_or_else(|| CommandError::failed("the request of that run is gone; describe the feature again"))?;
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

/// The run that is meant: by its name, by its description, or the one that changed last.
fn run_meant(site: &Site, args: &DesignArgs) -> Result<DocumentName, CommandError> {
    if let Some(name) = &args.name {
        let name = FeaturePath::parse(name).map_err(CommandError::usage)?;
        return Ok(DocumentName::new(Command::Design, Some(name)));
    }
    let typed = args.feature.as_deref().map(str::trim).filter(|typed| !typed.is_empty());
    let Some(typed) = typed else {
        if args.resume || args.phase.is_some() {
            return newest(site);
        }
        request(args)?;
        return newest(site);
    };
    let design = |name: FeaturePath| DocumentName::new(Command::Design, Some(name));
    let documents = site.documents();
    if let Ok(name) = FeaturePath::parse(typed).map(design)
        && documents.load(&name)?.is_some()
    {
        return Ok(name);
    }
    // The same request goes on under its name; another one that would be called the same gets a number.
    let digest = sha256(request(args)?.as_bytes());
    let is_anothers = |name: &str| {
        let Ok(name) = FeaturePath::parse(name).map(design) else { return true };
        let Ok(Some(loaded)) = documents.load(&name) else { return false };
        loaded.document.run.and_then(|run| run.request).is_none_or(|request| request != digest)
    };
    match FeaturePath::derive(typed, is_anothers) {
        Ok(name) => Ok(design(name)),
        // Nothing in it can be part of a file's name, as in a language without Latin letters.
        Err(InvalidName::Empty) => {
            FeaturePath::derive("feature", is_anothers).map(design).map_err(CommandError::usage)
        }
        Err(error) => Err(CommandError::usage(error)),
    }
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
    let folder = site.root.join(crate::designing::spec_folder(site, name));
    if !folder.join("requirements.md").exists() {
        return Err(too_early("validate"));
    }
    let approved = document.gates.get("post-design").is_some_and(|gate| gate.state == GateState::Approved);
    if approved || crate::designing::Manner::of(document).no_checkpoint {
        return earlier_phases_are_complete(document, phase);
    }
    let feature = drive::shown_feature(name);
    Err(CommandError::new(ErrorKind::Refused, "the design is not approved, so there is nothing to validate")
        .hint(format!("Go to the gate: charrette design {feature} --resume")))
}
