//! Rules for the check of citations in a seat's answer. The cited lines of ballots are in `quotes`.

use super::calls::PanelContext;
use crate::citation_check::CitationPolicy;
use charrette_model::seats::{AnswerForm, Seat};
use std::sync::Arc;

/// Files that matter for citations in a flow: no file of the flow counts as one of the repository, and the sources of
/// dependencies that the seats are told about may be cited.
#[derive(Debug, Clone)]
pub(super) struct FlowFiles {
    own: Arc<[String]>,
    source_folders: Arc<[String]>,
}

impl FlowFiles {
    pub(super) fn new(context: &PanelContext) -> FlowFiles {
        let of_flow = context.artifacts.iter().map(|artifact| artifact.name);
        let of_seats = context.seats.all().flat_map(|seat| seat.writes.iter().copied());
        FlowFiles {
            own: of_flow.chain(of_seats).map(str::to_owned).collect(),
            source_folders: source_folders(&context.sources).into(),
        }
    }

    /// Policy for the answer of a seat.
    pub(super) fn policy(&self, seat: &Seat) -> CitationPolicy {
        CitationPolicy {
            own_files: self.own.clone(),
            outside_folders: self.source_folders.clone(),
            // In these a fence below a place is the code that shall stand there.
            fences_quote: !matches!(
                seat.form,
                AnswerForm::Plan
                    | AnswerForm::SpecFiles
                    | AnswerForm::Sketch
                    | AnswerForm::Synthesis
                    | AnswerForm::Defense
            ),
        }
    }
}

/// Absolute folders of the sources of dependencies; each line is `name version: folder`.
fn source_folders(sources: &[String]) -> Vec<String> {
    let folders = sources.iter().filter_map(|line| Some(line.split_once(": ")?.1.trim()));
    folders.filter(|folder| folder.starts_with('/')).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_folders() {
        let lines = ["serde 1.0: /home/me/.cargo/serde-1.0", "left-pad 1: node_modules/left-pad", "odd"];
        assert_eq!(source_folders(&lines.map(str::to_owned)), ["/home/me/.cargo/serde-1.0"]);
    }
}
