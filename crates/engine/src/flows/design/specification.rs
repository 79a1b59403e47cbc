//! Steps 3b, 3c and 4: the diagram, the six files, and the findings that changed nothing.

use super::artifacts::{
    CONTESTED, DESIGN, DIAGRAM, DIAGRAM_CANDIDATE, DIAGRAM_SVG, ISSUES, OUT_OF_SCOPE, REPAIRED, REQUIREMENTS,
    RESOLUTIONS, TALLY, TASKS, WRITE_SUMMARY,
};
use super::brief::Brief;
use super::difference::difference;
use super::flow::Seatings;
use crate::artifact::{Artifact, Input};
use crate::deliverable::{self, Materials, SeatTaken};
use crate::panel::Desk;
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::Flow;
use charrette_model::diagram::check::{Mode, check};
use charrette_model::diagram::fences::fences;
use charrette_model::diagram::{single, warnings};
use charrette_model::spec::tasks::list::TaskList;
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};

/// The six files, in the order they are listed.
pub(super) const FILES: [&str; 6] =
    ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

/// The three the writer drafts.
pub(super) const DRAFTS: [&str; 3] = [REQUIREMENTS, DESIGN, TASKS];

/// What the panel left behind that the files tell about, where it is there.
const RECORDS: [&str; 4] = [RESOLUTIONS, TALLY, CONTESTED, DIAGRAM];

/// Tells drafts of the writer apart.
pub(super) fn drafts_digest(context: &StepContext, drafts: &[&str]) -> Result<String, StepError> {
    let mut text = String::new();
    for name in drafts {
        text += &context.text(name)?;
    }
    Ok(sha256(text.as_bytes()))
}

/// A file of the specification, as steps call it.
pub(super) fn spec_file(name: &str) -> String {
    format!("specs/{name}")
}

/// All six, as steps call them.
pub(super) fn spec_names() -> Vec<String> {
    FILES.iter().map(|name| spec_file(name)).collect()
}

/// All six, as inputs.
pub(super) fn spec_files() -> Vec<Input> {
    spec_names().into_iter().map(Input::Artifact).collect()
}

/// What became of a diagram.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Drawn {
    Promoted,
    Rejected(String),
}

/// Step 3b: a diagram of the plan. Whatever goes wrong with it, the run goes on without.
pub(super) async fn illustrate(write: &PhaseHandle<'_>, desk: &Desk) -> Flow<()> {
    let stage = write.stage("3b");
    let came = write.seated(desk.call("illustrator")?.may_fail()).await?;
    if came.agent.is_none() {
        stage.warn("generation failed, proceeding without diagram");
        return Ok(());
    }
    let drawing = write.run.ports.drawing.clone();
    let step = Step::new("diagram/promote").reads(DIAGRAM_CANDIDATE);
    let drawn: Drawn = write
        .step(step, move |context| async move {
            let candidate = context.text(DIAGRAM_CANDIDATE)?;
            let report = check(&candidate, Mode::Markdown, None);
            if report.diagrams.is_empty() {
                return rejected(&context, "no-fence");
            }
            if !report.is_ok() {
                return rejected(&context, &report.tokens());
            }
            let Ok(diagram) = single::diagram(&candidate) else {
                return rejected(&context, "several-fences");
            };
            match drawing.draw(diagram).await {
                Err(_) => rejected(&context, "parse-error"),
                Ok(svg) => {
                    context.write(DIAGRAM, candidate)?;
                    context.write(DIAGRAM_SVG, svg)?;
                    Ok(Drawn::Promoted)
                }
            }
        })
        .await?;
    match drawn {
        Drawn::Promoted => {
            stage.show("Architecture Diagram", DIAGRAM);
            stage.done(if write.run.ports.caller.is_some() { "saved" } else { "generated" });
        }
        Drawn::Rejected(token) => {
            log_for_caller(write, &token).await?;
            write.warn(warnings::architecture_line(&token));
        }
    }
    Ok(())
}

/// A diagram that cannot be used is on the caller's log of issues, too.
async fn log_for_caller(write: &PhaseHandle<'_>, token: &str) -> Flow<()> {
    let Some(caller) = write.run.ports.caller.clone() else { return Ok(()) };
    let about = (caller.identity(), token);
    let step = Step::new("hand-over/diagram").reads(&Input::given("rejected", &about));
    let entry = warnings::architecture_entry(token);
    let problem: Option<String> =
        write.step(step, move |_| async move { Ok(caller.log_warning(&entry).err()) }).await?;
    if let Some(problem) = problem {
        write.warn(format!("the caller's log of issues was not written: {problem}"));
    }
    Ok(())
}

/// A diagram that cannot be used is on the run's own log of issues: its tokens, never any of its text.
fn rejected(context: &StepContext, tokens: &str) -> Result<Drawn, StepError> {
    context.write(ISSUES, warnings::append("", &warnings::architecture_entry(tokens)))?;
    Ok(Drawn::Rejected(tokens.to_owned()))
}

/// Step 3c: the writer's drafts, and the six files made from them.
pub(super) async fn write_files(
    write: &PhaseHandle<'_>,
    desk: &Desk,
    brief: &Brief,
    summary: &Artifact,
    seatings: &Seatings,
) -> Flow<()> {
    let stage = write.stage("3c");
    write.agent(desk.call("writer")?).await?;
    let sources = Sources { summary, seatings };
    let published = publish(write, "spec-files", DRAFTS, brief, &sources).await?;
    stage.done(published.counted);
    Ok(())
}

/// What the step that makes the files says.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Published {
    counted: String,
    /// Files that were not as this run had left them, and how the new ones differ.
    replaced: Vec<Replaced>,
}

/// A file that was not as this run had left it, and how the new one differs.
pub(super) type Replaced = (String, String);

/// What the files tell about besides the drafts.
pub(super) struct Sources<'a> {
    pub(super) summary: &'a Artifact,
    /// Who took which seat.
    pub(super) seatings: &'a Seatings,
}

/// Makes the six files from three drafts, and puts them where they are delivered. Says what they hold.
pub(super) async fn publish(
    phase: &PhaseHandle<'_>,
    id: &str,
    drafts: [&'static str; 3],
    brief: &Brief,
    sources: &Sources<'_>,
) -> Flow<Published> {
    let seats = taken(brief, sources.seatings);
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
    let published: Published = phase
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
                vendors: seats,
            };
            let diagram = context.optional_text(DIAGRAM)?;
            if is_repair {
                context.write(REPAIRED, format!("{}\n", drafts_digest(&context, &DRAFTS)?))?;
            }
            written(&context, &materials, diagram.as_deref(), &brief)
        })
        .await?;
    say_replaced(phase, &published.replaced);
    Ok(published)
}

/// Says which files were replaced that somebody else had written.
pub(super) fn say_replaced(phase: &PhaseHandle<'_>, replaced: &[Replaced]) {
    for (name, difference) in replaced {
        phase.warn(format!(
            "{name} was not as this run had left it; what it was is kept in superseded/{name}.*"
        ));
        phase.ongoing("3c").say(difference);
    }
}

fn written(
    context: &StepContext,
    materials: &Materials,
    diagram: Option<&str>,
    brief: &Brief,
) -> Result<Published, StepError> {
    let files = deliverable::files(materials, &brief.templates)
        .map_err(|error| StepError::Failed(error.to_string()))?;
    let (mut counted, mut replaced) = (String::new(), Vec::new());
    for (name, text) in &files {
        let text = match diagram {
            Some(diagram) if name == "design.md" => &illustrated(text, diagram),
            _ => text,
        };
        replaced.extend(put(context, name, text)?);
        if name == "tasks.md" {
            let tasks = TaskList::parse(text);
            counted = format!("{} tasks across {} phases", tasks.tasks.len(), tasks.phase_names().len());
        }
    }
    let said = format!("Created {} spec files in {} covering {counted}.\n", files.len(), brief.spec_folder);
    context.write(WRITE_SUMMARY, said)?;
    Ok(Published { counted: format!("{} files, {counted}", files.len()), replaced })
}

/// Writes a file of the specification. Says what it replaced, if somebody else had written that.
pub(super) fn put(context: &StepContext, name: &str, text: &str) -> Result<Option<Replaced>, StepError> {
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

/// The design with its diagram at the end, once.
fn illustrated(design: &str, diagram: &str) -> String {
    if !fences(design).is_empty() {
        return design.to_owned();
    }
    format!("{}\n\n{}\n", design.trim_end(), diagram.trim())
}

fn taken(brief: &Brief, seatings: &Seatings) -> Vec<SeatTaken> {
    let taken = |(seat, agent): &(String, String)| SeatTaken {
        seat: seat.clone(),
        agent: agent.clone(),
        vendor: brief.vendors.get(agent).unwrap_or(agent).clone(),
    };
    seatings.iter().map(taken).collect()
}

/// Step 4: what reviewers suggested and the vote did not adopt.
pub(super) async fn report_rejected(write: &PhaseHandle<'_>, rejected: &Artifact) -> Flow<()> {
    let stage = write.stage("4");
    let (step, name) = (Step::new("rejected/any").reads(rejected), rejected.name().to_owned());
    let any: bool =
        write.step(step, |context| async move { Ok(!context.text(&name)?.trim().is_empty()) }).await?;
    if any {
        stage.show("Unimplemented Plan Review Suggestions", rejected.name());
        if write.run.ports.caller.is_some() {
            stage.done("saved");
        }
    } else {
        stage.done("all suggestions implemented");
    }
    stage.show("Out-of-Scope Observations", OUT_OF_SCOPE);
    Ok(())
}
