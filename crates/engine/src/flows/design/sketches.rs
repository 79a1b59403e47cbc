//! Step 2a: independent sketches in parallel, and their synthesis.

use super::artifacts::{CONTESTED, SYNTHESIS};
use super::brief::Brief;
use super::seats::sketches;
use super::specification::authorship;
use crate::agent_step::AgentOutcome;
use crate::artifact::{Artifact, Input};
use crate::panel::{Panel, seat_label, step_id};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::FlowResult;
use charrette_model::seats::Seat;
use std::collections::HashMap;

/// Has every sketch of the run drawn; all of them are required.
pub(super) async fn draw_sketches(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
) -> FlowResult<Vec<Artifact>> {
    let stage = phase.stage("2a");
    let seats: Vec<&'static Seat> = sketches(brief.quick).iter().collect();
    let title = if brief.quick { "Sketches (quick)" } else { "Sketches (regular)" };
    stage.show_lanes(title, seats.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = seats.iter().map(|seat| (seat.id, *seat));
    let drawn = phase.parallel("sketches", named, |seat| draw_sketch(phase, panel, seat)).await?;
    Ok(drawn.into_iter().flat_map(|outcome| outcome.artifacts.0).collect())
}

async fn draw_sketch(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    seat: &'static Seat,
) -> FlowResult<AgentOutcome> {
    phase.agent_outcome(panel.assign(seat).call()?).await
}

/// Result of the synthesis.
pub(super) struct Synthesis {
    /// Contested decisions.
    pub(super) contested: Artifact,
}

/// Has the sketches synthesised and their contested decisions listed.
pub(super) async fn synthesise(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    sketches: &[Artifact],
) -> FlowResult<Synthesis> {
    let same = identical_pairs(phase, sketches).await?;
    // Without a model all sketches come from the same survey.
    if !authorship(phase, brief).is_without_model() {
        for pair in &same {
            phase.warn(format!("{pair} are identical"));
        }
    }
    let note = if brief.quick {
        "This is a quick run: two plain sketches, attributed by tool; there are no lenses to report on."
    } else {
        "There are four sketches, each with a lens of its own; report what each lens adds."
    };
    phase.agent(panel.seat("synthesist")?.note(note).call()?.reads(sketches)).await?;
    // The stage began with the sketches and ends here.
    let stage = phase.stage_handle("2a");
    stage.show_document("Approach Synthesis", SYNTHESIS);
    stage.finish("synthesis saved");
    Ok(Synthesis { contested: Artifact::fixed(CONTESTED) })
}

/// Pairs of identical sketches, which count as one opinion.
async fn identical_pairs(phase: &PhaseHandle<'_>, sketches: &[Artifact]) -> FlowResult<Vec<String>> {
    let names: Vec<String> = sketches.iter().map(|sketch| sketch.name().to_owned()).collect();
    let inputs: Vec<Input> = names.iter().map(|name| Input::Artifact(name.clone())).collect();
    let step = Step::new("sketch/compared").reads(&inputs);
    phase
        .step(step, move |context| async move {
            let mut first: HashMap<String, String> = HashMap::new();
            let mut same = Vec::new();
            for name in names {
                let text = context.text(&name)?.split_whitespace().collect::<Vec<_>>().join(" ");
                match first.get(&text) {
                    Some(other) => same.push(format!("{other} and {name}")),
                    None => {
                        first.insert(text, name);
                    }
                }
            }
            Ok(same)
        })
        .await
}
