//! What is driven: a flow that this binary knows, or a design made ready for this site.

use crate::designing;
use crate::drive::Extension;
use crate::error::CommandError;
use crate::nesting::{Around, Nesting};
use crate::site::Site;
use crate::studio::StudioHere;
use crate::studio::availability::availability;
use crate::tracker::TrackerHere;
use charrette_agents::room::Room;
use charrette_engine::flows::design::{Brief, Design};
use charrette_engine::ports::BoxFuture;
use charrette_engine::{Flow, FlowDefinition, Run};
use charrette_model::checkpoint::{Checkpoint, DocumentName};
use std::sync::Arc;

/// A flow to be driven.
pub(crate) enum Driven {
    /// One that this binary knows.
    Known(&'static dyn FlowDefinition),
    /// A design, what the caller says about the branch, and where it stands among other runs.
    Design(Box<Brief>, Option<String>, Nesting),
}

impl Driven {
    /// What a run of that command goes through, when nobody says otherwise.
    pub(crate) fn of(
        extension: Extension,
        site: &Site,
        name: &DocumentName,
        document: &Checkpoint,
    ) -> Result<Driven, CommandError> {
        let known = extension.flows.iter().copied().find(|flow| flow.command() == name.command());
        match (known, name.command()) {
            (Some(flow), _) => Ok(Driven::Known(flow)),
            (None, "design") => {
                let brief = designing::brief(site, name, document, LAST_PHASE)?;
                Ok(Driven::Design(Box::new(brief), None, Nesting::default()))
            }
            (None, command) => {
                Err(CommandError::failed(format!("this version of charrette cannot drive runs of {command}")))
            }
        }
    }

    /// Whether it has pages before and after.
    pub(crate) fn has_pages(&self) -> bool {
        matches!(self, Driven::Design(..))
    }

    /// Where it stands among other runs.
    pub(crate) fn nesting(&self) -> Nesting {
        match self {
            Driven::Known(_) => Nesting::default(),
            Driven::Design(_, _, nesting) => nesting.clone(),
        }
    }

    /// Which agents that seats are meant for are not here, or do not answer.
    pub(crate) async fn missing(&self, room: &Room, probing: bool) -> Vec<String> {
        match self {
            Driven::Known(_) => Vec::new(),
            Driven::Design(..) => availability(room, probing).await,
        }
    }

    /// The flow itself, which listens to the request to end where it takes its time.
    pub(crate) fn definition(self, around: &Around<'_>) -> Box<dyn FlowDefinition> {
        match self {
            Driven::Known(flow) => Box::new(Known(flow)),
            Driven::Design(brief, branch_info, nesting) => {
                let info = branch_info.as_deref();
                let studio = StudioHere::of(around.site, around.name, info, around.cancel);
                let manner = (brief.auto, brief.no_checkpoint, info);
                let tracker = TrackerHere::of(around.site, around.cancel);
                let design = Design::new(*brief, Arc::new(studio), Arc::new(tracker));
                Box::new(nesting.around(design, manner, around))
            }
        }
    }
}

/// The last phase of a design.
const LAST_PHASE: &str = "validate";

/// A flow that lives as long as the program.
struct Known(&'static dyn FlowDefinition);

impl FlowDefinition for Known {
    fn command(&self) -> &'static str {
        self.0.command()
    }

    fn phases(&self) -> &'static [&'static str] {
        self.0.phases()
    }

    fn flow<'a>(&'a self, run: &'a Run<'a>) -> BoxFuture<'a, Flow<()>> {
        self.0.flow(run)
    }
}
