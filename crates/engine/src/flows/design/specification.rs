//! Steps 3b, 3c and 4: the diagram, the six files, and the rejected findings.

use super::artifacts::{
    CONTESTED, DESIGN, DIAGRAM, DIAGRAM_CANDIDATE, DIAGRAM_SVG, ISSUES, OUT_OF_SCOPE, REPAIRED, REQUIREMENTS,
    RESOLUTIONS, TALLY, TASKS, WRITE_SUMMARY,
};
use super::brief::Brief;
use super::difference::difference;
use crate::artifact::{Artifact, Input};
use crate::deliverable::{self, Materials, SeatOccupant};
use crate::panel::{Panel, SeatAgent};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::diagram::check::{DiagramMode, check};
use charrette_model::diagram::fences::fences;
use charrette_model::diagram::{single, warnings};
use charrette_model::spec::tasks::list::TaskList;
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};

/// Names of the six files, in the order they are listed.
pub(super) const FILES: [&str; 6] =
    ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

/// Drafts of the writer.
pub(super) const DRAFTS: [&str; 3] = [REQUIREMENTS, DESIGN, TASKS];

/// Optional records of the panel that the files include.
const RECORDS: [&str; 4] = [RESOLUTIONS, TALLY, CONTESTED, DIAGRAM];

/// Digest of all drafts of the writer.
pub(super) fn drafts_digest(context: &StepContext, drafts: &[&str]) -> Result<String, StepError> {
    let mut text = String::new();
    for name in drafts {
        text += &context.text(name)?;
    }
    Ok(sha256(text.as_bytes()))
}

/// Artifact name of a file of the specification.
pub(super) fn spec_file(name: &str) -> String {
    format!("specs/{name}")
}

/// Artifact names of the six files.
pub(super) fn spec_names() -> Vec<String> {
    FILES.iter().map(|name| spec_file(name)).collect()
}

/// The six files as inputs.
pub(super) fn spec_files() -> Vec<Input> {
    spec_names().into_iter().map(Input::Artifact).collect()
}

/// Recorded outcome of the diagram step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DiagramOutcome {
    Promoted,
    Rejected(String),
}

/// Step 3b: a diagram of the plan. It is optional: if anything fails, the run continues without.
pub(super) async fn illustrate(phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<()> {
    let stage = phase.stage("3b");
    let outcome = phase.agent_outcome(panel.call("illustrator")?.may_fail()).await?;
    if outcome.agent.is_none() {
        stage.warn("generation failed, proceeding without diagram");
        return Ok(());
    }
    let renderer = phase.run.ports.diagrams.clone();
    let step = Step::new("diagram/promote").reads(DIAGRAM_CANDIDATE);
    let outcome: DiagramOutcome = phase
        .step(step, move |context| async move {
            let candidate = context.text(DIAGRAM_CANDIDATE)?;
            let report = check(&candidate, DiagramMode::Markdown, None);
            if report.diagrams.is_empty() {
                return reject_diagram(&context, "no-fence");
            }
            if !report.is_ok() {
                return reject_diagram(&context, &report.tokens());
            }
            let Ok(diagram) = single::diagram(&candidate) else {
                return reject_diagram(&context, "several-fences");
            };
            match renderer.render(diagram).await {
                Err(_) => reject_diagram(&context, "parse-error"),
                Ok(svg) => {
                    context.write(DIAGRAM, candidate)?;
                    if let Some(svg) = svg {
                        context.write(DIAGRAM_SVG, svg)?;
                    }
                    Ok(DiagramOutcome::Promoted)
                }
            }
        })
        .await?;
    match outcome {
        DiagramOutcome::Promoted => {
            stage.show_document("Architecture Diagram", DIAGRAM);
            stage.finish(if phase.run.ports.caller.is_some() { "saved" } else { "generated" });
        }
        DiagramOutcome::Rejected(token) => {
            log_rejected_diagram(phase, &token).await?;
            phase.warn(warnings::architecture_line(&token));
        }
    }
    Ok(())
}

/// Logs a rejected diagram in the caller's issue log.
async fn log_rejected_diagram(phase: &PhaseHandle<'_>, token: &str) -> FlowResult<()> {
    let Some(caller) = phase.run.ports.caller.clone() else { return Ok(()) };
    let subject = (caller.identity(), token);
    let step = Step::new("hand-over/diagram").reads(&Input::given("rejected", &subject));
    let entry = warnings::architecture_entry(token);
    let problem: Option<String> =
        phase.step(step, move |_| async move { Ok(caller.log_warning(&entry).err()) }).await?;
    if let Some(problem) = problem {
        phase.warn(format!("cannot write to the caller's issue log: {problem}"));
    }
    Ok(())
}

/// Logs a rejected diagram in the run's issue log: error tokens only, never its text.
fn reject_diagram(context: &StepContext, tokens: &str) -> Result<DiagramOutcome, StepError> {
    context.write(ISSUES, warnings::append("", &warnings::architecture_entry(tokens)))?;
    Ok(DiagramOutcome::Rejected(tokens.to_owned()))
}

/// Step 3c: asks the writer for drafts and publishes the six files made from them.
pub(super) async fn write_files(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    summary: &Artifact,
    seat_agents: &[SeatAgent],
) -> FlowResult<()> {
    let stage = phase.stage("3c");
    phase.agent(panel.call("writer")?).await?;
    let sources = Sources { summary, seat_agents };
    let published = publish(phase, "spec-files", DRAFTS, brief, &sources).await?;
    stage.finish(published.counted);
    Ok(())
}

/// Recorded result of the step that publishes the files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PublishResult {
    counted: String,
    replaced: Vec<ReplacedFile>,
}

/// A replaced file that was changed outside this run: name and diff to the new version.
pub(super) type ReplacedFile = (String, String);

/// Sources of the files besides the drafts.
pub(super) struct Sources<'a> {
    pub(super) summary: &'a Artifact,
    pub(super) seat_agents: &'a [SeatAgent],
}

/// Assembles the six files from three drafts and publishes them.
pub(super) async fn publish(
    phase: &PhaseHandle<'_>,
    id: &str,
    drafts: [&'static str; 3],
    brief: &Brief,
    sources: &Sources<'_>,
) -> FlowResult<PublishResult> {
    let seats = occupants(brief, sources.seat_agents);
    let summary = sources.summary.name().to_owned();
    let records: Vec<Input> = RECORDS.iter().map(|name| Input::optional(*name)).collect();
    let step = Step::new(id)
        .reads(&drafts.map(Artifact::named))
        .reads(sources.summary)
        .reads(&records)
        .reads(&Input::given("seats", &seats))
        .revises(spec_names())
        .touches_checkout();
    let is_repair = drafts != DRAFTS;
    let step = if is_repair { step.reads(&DRAFTS.map(Artifact::named)) } else { step };
    let brief = brief.clone();
    let published: PublishResult = phase
        .step(step, move |context| async move {
            let [requirements, design, tasks] = drafts;
            let (parent_project, parent_feature) = brief.parents();
            let materials = Materials {
                feature: brief.name().to_owned(),
                parent_project,
                parent_feature,
                today: brief.date.clone(),
                requirements: context.text(requirements)?,
                design: context.text(design)?,
                tasks: context.text(tasks)?,
                context_summary: context.text(&summary)?,
                resolutions: context.optional_text(RECORDS[0])?,
                tally: context.optional_text(RECORDS[1])?,
                contested: context.optional_text(RECORDS[2])?,
                created: None,
                occupants: seats,
            };
            let diagram = context.optional_text(DIAGRAM)?;
            if is_repair {
                context.write(REPAIRED, format!("{}\n", drafts_digest(&context, &DRAFTS)?))?;
            }
            write_spec_files(&context, &materials, diagram.as_deref(), &brief)
        })
        .await?;
    report_replaced(phase, &published.replaced);
    Ok(published)
}

/// Warns about replaced files that were changed outside this run.
pub(super) fn report_replaced(phase: &PhaseHandle<'_>, replaced: &[ReplacedFile]) {
    for (name, difference) in replaced {
        phase.warn(format!(
            "{name} was changed outside this run; the old version is kept in superseded/{name}.*"
        ));
        phase.stage_handle("3c").print_line(difference);
    }
}

fn write_spec_files(
    context: &StepContext,
    materials: &Materials,
    diagram: Option<&str>,
    brief: &Brief,
) -> Result<PublishResult, StepError> {
    let files = deliverable::assemble(materials, &brief.templates)
        .map_err(|error| StepError::Failed(error.to_string()))?;
    let (mut counted, mut replaced) = (String::new(), Vec::new());
    for (name, text) in &files {
        let text = match diagram {
            Some(diagram) if name == "design.md" => &append_diagram(text, diagram),
            _ => text,
        };
        replaced.extend(write_spec_file(context, name, text)?);
        if name == "tasks.md" {
            let tasks = TaskList::parse(text);
            counted = format!("{} tasks across {} phases", tasks.tasks.len(), tasks.phase_names().len());
        }
    }
    let summary =
        format!("Created {} spec files in {} covering {counted}.\n", files.len(), brief.spec_folder);
    context.write(WRITE_SUMMARY, summary)?;
    Ok(PublishResult { counted: format!("{} files, {counted}", files.len()), replaced })
}

/// Writes a file of the specification. Returns the file it replaced, if that was changed outside this run.
pub(super) fn write_spec_file(
    context: &StepContext,
    name: &str,
    text: &str,
) -> Result<Option<ReplacedFile>, StepError> {
    let file = spec_file(name);
    let present = context.present(&file)?;
    let before = present.bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let replaced = match before {
        Some(before) if before != text && !present.is_own => Some(difference(&before, text)),
        _ => None,
    };
    context.write(&file, text)?;
    Ok(replaced.map(|difference| (file, difference)))
}

/// Appends the diagram, unless the design has one.
fn append_diagram(design: &str, diagram: &str) -> String {
    if !fences(design).is_empty() {
        return design.to_owned();
    }
    format!("{}\n\n{}\n", design.trim_end(), diagram.trim())
}

fn occupants(brief: &Brief, seat_agents: &[SeatAgent]) -> Vec<SeatOccupant> {
    let occupant = |SeatAgent { seat, agent }: &SeatAgent| SeatOccupant {
        seat: seat.clone(),
        agent: agent.clone(),
        vendor: brief.vendors.get(agent).unwrap_or(agent).clone(),
    };
    seat_agents.iter().map(occupant).collect()
}

/// Step 4: shows the findings that the vote rejected.
pub(super) async fn report_rejected(phase: &PhaseHandle<'_>, rejected: &Artifact) -> FlowResult<()> {
    let stage = phase.stage("4");
    let (step, name) = (Step::new("rejected/any").reads(rejected), rejected.name().to_owned());
    let has_rejected: bool =
        phase.step(step, |context| async move { Ok(!context.text(&name)?.trim().is_empty()) }).await?;
    if has_rejected {
        stage.show_document("Unimplemented Plan Review Suggestions", rejected.name());
        if phase.run.ports.caller.is_some() {
            stage.finish("saved");
        }
    } else {
        stage.finish("all suggestions implemented");
    }
    stage.show_document("Out-of-Scope Observations", OUT_OF_SCOPE);
    Ok(())
}
