//! The flow of a research run: a survey, three researchers in parallel, one set of notes with verified code references.

use super::artifacts::{ARTIFACTS, DELIVERED};
use super::seats::SEATS;
use crate::artifact::{Artifact, Artifacts, Input};
use crate::order::RunOrder;
use crate::panel::{Panel, PanelContext, SurveyArtifact, seat_label, step_id, survey};
use crate::ports::checkout::{Delivery, PortError};
use crate::run::{PhaseHandle, Run};
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::seats::{Seat, SeatGroup};
use serde::{Deserialize, Serialize};

pub(super) const DISCOVERY: &str = "discovery";
pub(super) const SYNTHESIS: &str = "synthesis";

/// Researches a topic.
pub(super) async fn research(run: &Run<'_>) -> FlowResult<()> {
    let phase = run.phase(DISCOVERY);
    let stage = phase.stage("1");
    let survey = survey(&phase).await?;
    let panel = panel_for(run.order(), survey);
    let findings = discover(&phase, &panel).await?;
    stage.finish(format!("{} researchers answered", findings.len()));
    phase.finish(None).await?;
    run.stop_if_last_requested(DISCOVERY)?;

    let phase = run.phase(SYNTHESIS);
    let stage = phase.stage("2");
    let notes = synthesise(&phase, &panel, &findings).await?;
    deliver(&phase, &notes).await?;
    stage.show_document("Research Notes", notes.name());
    stage.finish("research notes saved");
    phase.finish_run(None).await
}

fn panel_for(order: &RunOrder, survey: SurveyArtifact) -> Panel {
    Panel::new(PanelContext {
        feature: order.feature.clone(),
        // There is no specification.
        spec_path: String::new(),
        date: order.date.clone(),
        summary_words: order.summary_words,
        roles: order.roles.clone(),
        relevant_files: survey.relevant_files,
        sources: survey.sources,
        seats: super::FLOW.seat_tables(),
        artifacts: ARTIFACTS,
    })
}

/// Asks three researchers in parallel.
async fn discover(phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<Vec<Artifacts>> {
    let researchers: Vec<&'static Seat> =
        SEATS.iter().filter(|seat| seat.group == Some(SeatGroup::Researchers)).collect();
    let lanes = researchers.iter().map(|seat| (step_id(seat), seat_label(seat)));
    phase.stage_handle("1").show_lanes("Researchers", lanes);
    let named = researchers.into_iter().map(|seat| (seat.id, seat));
    phase
        .parallel("researchers", named, |seat| async move { phase.agent(panel.assign(seat).call()?).await })
        .await
}

/// Has the findings merged into notes. Cited places that do not exist are sent back once, then struck out.
async fn synthesise(phase: &PhaseHandle<'_>, panel: &Panel, findings: &[Artifacts]) -> FlowResult<Artifact> {
    let call = panel.call("topic-synthesist")?.reads(findings);
    let notes = phase.agent_file(call).await?;
    let (step, name) = (Step::new("notes/checked").reads(&notes), notes.name().to_owned());
    let struck: usize = phase
        .step(step, move |context| async move { Ok(context.text(&name)?.matches(STRUCK_MARK).count()) })
        .await?;
    if struck > 0 {
        phase.warn(format!(
            "{struck} places that the notes cited are not in the repository and were struck out"
        ));
    }
    Ok(notes)
}

/// Mark of a place that was struck out.
const STRUCK_MARK: &str = charrette_model::panel::places::STRUCK_MARK;

/// Path and digest of a delivered file. Only a file with this digest may be replaced by a later delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DeliveryRecord {
    path: String,
    digest: String,
}

/// Writes the notes to the path of `--out`. A file that an earlier attempt did not write is never replaced.
async fn deliver(phase: &PhaseHandle<'_>, notes: &Artifact) -> FlowResult<()> {
    let Some(path) = phase.run.order().text("out").map(str::to_owned) else { return Ok(()) };
    let checkout = phase.run.ports.checkout.clone();
    let step = Step::new("deliver")
        .reads(notes)
        .reads(&Input::given("out", &path))
        .revises([DELIVERED])
        .touches_checkout();
    let name = notes.name().to_owned();
    let shown_path = path.clone();
    phase
        .step::<(), _>(step, move |context| async move {
            let before = context.optional_text(DELIVERED)?;
            let before: Option<DeliveryRecord> = before.and_then(|text| serde_json::from_str(&text).ok());
            let replaces = before.filter(|before| before.path == path).map(|before| before.digest);
            let text = context.text(&name)?;
            let digest = charrette_store::workspace::sha256(text.as_bytes());
            let delivery = Delivery { path: path.clone(), text, replaces };
            checkout.deliver(delivery).await.map_err(|refusal| match refusal {
                PortError::Refused(reason) => StepError::Refused(reason),
                PortError::Failed(reason) => StepError::Failed(reason),
                PortError::Interrupted => StepError::Interrupted,
            })?;
            let record = serde_json::to_string_pretty(&DeliveryRecord { path, digest }).unwrap_or_default();
            context.write(DELIVERED, record + "\n")
        })
        .await?;
    phase.stage_handle("2").print_line(format!("Notes written to {shown_path}"));
    Ok(())
}
