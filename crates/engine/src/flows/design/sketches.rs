//! Step 2a: independent sketches side by side, and one synthesis of them.

use super::artifacts::{CONTESTED, SYNTHESIS};
use super::brief::Brief;
use super::flow::Seatings;
use super::seats::sketches;
use crate::artifact::{Artifact, Artifacts, Input};
use crate::panel::{Desk, seat_label, step_id};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::Flow;
use charrette_model::seats::Seat;
use std::collections::HashMap;

/// The sketches of a run.
pub(super) struct Sketched {
    pub(super) files: Vec<Artifact>,
    /// Who drew which.
    pub(super) seated: Seatings,
}

/// Has every sketch of the run drawn. None is ever left out.
pub(super) async fn sketch(write: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<Sketched> {
    let stage = write.stage("2a");
    let seats: Vec<&'static Seat> = sketches(brief.quick).iter().collect();
    let title = if brief.quick { "Sketches (quick)" } else { "Sketches (regular)" };
    stage.lanes(title, seats.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let named = seats.iter().map(|seat| (seat.id, *seat));
    let drawn = write.parallel("sketches", named, |seat| draw(write, desk, seat)).await?;
    let (mut files, mut seated) = (Vec::new(), Seatings::new());
    for (seat, (drawn, agent)) in seats.iter().zip(drawn) {
        files.extend(drawn.0);
        seated.extend(agent.map(|agent| (seat.id.to_owned(), agent)));
    }
    Ok(Sketched { files, seated })
}

async fn draw(
    write: &PhaseHandle<'_>,
    desk: &Desk,
    seat: &'static Seat,
) -> Flow<(Artifacts, Option<String>)> {
    let came = write.seated(desk.assign(seat).call()?).await?;
    Ok((came.artifacts, came.agent))
}

/// What the sketches came to.
pub(super) struct Synthesis {
    /// The decisions they leave contested.
    pub(super) contested: Artifact,
}

/// Brings the sketches together, and names what they leave contested.
pub(super) async fn synthesise(
    write: &PhaseHandle<'_>,
    desk: &Desk,
    brief: &Brief,
    sketches: &[Artifact],
) -> Flow<Synthesis> {
    for pair in identical(write, sketches).await? {
        write.warn(format!("{pair} are the same, word for word"));
    }
    let how = if brief.quick {
        "This is a quick run: two plain sketches, attributed by tool; there are no lenses to report on."
    } else {
        "There are four sketches, each with a lens of its own; report what each lens adds."
    };
    write.agent(desk.seat("synthesist")?.note(how).call()?.reads(sketches)).await?;
    // The stage began with the sketches; this is what it came to.
    let stage = write.ongoing("2a");
    stage.show("Approach Synthesis", SYNTHESIS);
    stage.done("synthesis saved");
    Ok(Synthesis { contested: Artifact::fixed(CONTESTED) })
}

/// Sketches that say the same are one voice, and people should know.
async fn identical(write: &PhaseHandle<'_>, sketches: &[Artifact]) -> Flow<Vec<String>> {
    let names: Vec<String> = sketches.iter().map(|sketch| sketch.name().to_owned()).collect();
    let inputs: Vec<Input> = names.iter().map(|name| Input::Artifact(name.clone())).collect();
    let step = Step::new("sketch/compared").reads(&inputs);
    write
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
