//! Step 2a: independent sketches side by side, and one synthesis of them.

use super::brief::Brief;
use super::flow::Seatings;
use crate::artifact::{Artifact, Input};
use crate::panel::{Desk, seat_label, step_id};
use crate::run::PhaseHandle;
use crate::step::Step;
use crate::stop::Flow;
use charrette_model::seats::{self, Seat};
use std::collections::HashMap;

/// Has every sketch of the run drawn. None is ever left out.
pub(super) async fn sketch(write: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<Seatings> {
    let stage = write.stage("2a");
    let seats: Vec<&'static Seat> = seats::sketches(brief.quick).collect();
    let title = if brief.quick { "Sketches (quick)" } else { "Sketches (regular)" };
    stage.lanes(title, seats.iter().map(|seat| (step_id(seat), seat_label(seat))));
    let drawn = write.parallel(seats.clone(), |seat| draw(write, desk, seat)).await?;
    let drawn = seats.iter().zip(drawn).filter_map(|(seat, agent)| Some((seat.id.to_owned(), agent?)));
    Ok(drawn.collect())
}

async fn draw(write: &PhaseHandle<'_>, desk: &Desk, seat: &'static Seat) -> Flow<Option<String>> {
    Ok(write.seated(desk.assign(seat).call()?).await?.agent)
}

/// Brings the sketches together, and names what they leave contested.
pub(super) async fn synthesise(write: &PhaseHandle<'_>, desk: &Desk, brief: &Brief) -> Flow<()> {
    let sketches: Vec<Artifact> = seats::sketches(brief.quick)
        .flat_map(|seat| seat.writes)
        .map(|name| Artifact::named(*name))
        .collect();
    for pair in identical(write, &sketches).await? {
        write.warn(format!("{pair} are the same, word for word"));
    }
    let how = if brief.quick {
        "This is a quick run: two plain sketches, attributed by tool; there are no lenses to report on."
    } else {
        "There are four sketches, each with a lens of its own; report what each lens adds."
    };
    write.agent(desk.seat("synthesist")?.note(how).call()?.reads(&sketches)).await?;
    // The stage began with the sketches; this is what it came to.
    let stage = write.ongoing("2a");
    stage.show("Approach Synthesis", "approach-synthesis.txt");
    stage.done("synthesis saved");
    Ok(())
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
