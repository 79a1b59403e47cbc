//! Steps 3b, 3c and 4: the diagram, the six files, and the rejected findings.

use super::artifacts::{
    CONTESTED, DESIGN, DIAGRAM, DIAGRAM_CANDIDATE, DIAGRAM_SECOND, DIAGRAM_SVG, ISSUES, OPEN_POINTS,
    OUT_OF_SCOPE, REPAIRED, REQUIREMENTS, RESOLUTIONS, TALLY, TASKS, WALK_RECORD, WRITE_SUMMARY,
};
use super::brief::Brief;
use super::correction::correct_drafts;
use crate::artifact::{Artifact, Input};
use crate::authorship::Authorship;
use crate::deliverable::{self, Materials};
use crate::difference::difference;
use crate::panel::{Chief, Panel};
use crate::run::PhaseHandle;
use crate::step::{Step, StepContext, StepError};
use crate::stop::FlowResult;
use charrette_model::diagram::check::{DiagramMode, check};
use charrette_model::diagram::fences::fences;
use charrette_model::diagram::{single, warnings};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::spec::tasks::list::TaskList;
use charrette_store::workspace::sha256;
use serde::{Deserialize, Serialize};

/// Names of the six files, in the order they are listed.
pub(super) const FILES: [&str; 6] =
    ["requirements.md", "design.md", "tasks.md", "summary.md", "spec.json", "meta.yaml"];

/// Names of the three drafts that the files are made from.
pub(super) type Drafts = [&'static str; 3];

/// Drafts of the writer.
pub(super) const DRAFTS: Drafts = [REQUIREMENTS, DESIGN, TASKS];

/// Optional records of the panel that the files include.
const RECORDS: [&str; 5] = [RESOLUTIONS, TALLY, CONTESTED, DIAGRAM, WALK_RECORD];

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

/// Step 3b: a diagram of the plan. A rejected one is drawn once more, with the reason. It is optional: if anything fails,
/// the run continues without.
pub(super) async fn illustrate(phase: &PhaseHandle<'_>, panel: &Panel) -> FlowResult<()> {
    let stage = phase.stage("3b");
    let drawn = phase.agent_outcome(panel.call("illustrator")?.may_fail()).await?;
    if drawn.agent.is_none() {
        stage.warn("generation failed, proceeding without diagram");
        return Ok(());
    }
    let mut outcome = promote_diagram(phase, "diagram/promote", DIAGRAM_CANDIDATE).await?;
    if let DiagramOutcome::Rejected(token) = &outcome {
        let note =
            format!("Your first diagram was refused, reason: {token}. Draw it again without that fault.");
        let call = panel.seat("illustrator")?.note(note).call()?;
        let call = call.step_id("illustrator/again").reads(DIAGRAM_CANDIDATE);
        let call = call
            .writes_only(&[DIAGRAM_SECOND])
            .grammar(|answer| Ok(vec![(DIAGRAM_SECOND.to_owned(), format!("{}\n", answer.trim_end()))]));
        if phase.agent_outcome(call.may_fail()).await?.agent.is_some() {
            outcome = promote_diagram(phase, "diagram/promote-again", DIAGRAM_SECOND).await?;
        }
    }
    match outcome {
        DiagramOutcome::Promoted => {
            stage.show_document("Architecture Diagram", DIAGRAM);
            stage.finish(if phase.run.ports.caller.is_some() { "saved" } else { "generated" });
        }
        DiagramOutcome::Rejected(token) => {
            log_issue(phase, &token).await?;
            log_rejected_diagram(phase, &token).await?;
            phase.warn(warnings::architecture_line(&token));
        }
    }
    Ok(())
}

/// Checks a proposed diagram, parses it, and makes it the diagram of the design.
async fn promote_diagram(
    phase: &PhaseHandle<'_>,
    id: &str,
    candidate: &'static str,
) -> FlowResult<DiagramOutcome> {
    let renderer = phase.run.ports.diagrams.clone();
    let rejected = |reason: &str| Ok(DiagramOutcome::Rejected(reason.to_owned()));
    phase
        .step(Step::new(id).reads(candidate), move |context| async move {
            let text = context.text(candidate)?;
            let report = check(&text, DiagramMode::Markdown, None);
            if report.diagrams.is_empty() {
                return rejected("no-fence");
            }
            if !report.is_ok() {
                return rejected(&report.tokens());
            }
            let Ok(diagram) = single::diagram(&text) else { return rejected("several-fences") };
            match renderer.render(diagram).await {
                Err(_) => rejected("parse-error"),
                Ok(svg) => {
                    context.write(DIAGRAM, text)?;
                    if let Some(svg) = svg {
                        context.write(DIAGRAM_SVG, svg)?;
                    }
                    Ok(DiagramOutcome::Promoted)
                }
            }
        })
        .await
}

/// Logs a rejected diagram in the run's issue log: error tokens only, never its text.
async fn log_issue(phase: &PhaseHandle<'_>, tokens: &str) -> FlowResult<()> {
    let step = Step::new("diagram/rejected").reads(&Input::given("rejected", &tokens));
    let entry = warnings::append("", &warnings::architecture_entry(tokens));
    phase.step(step, move |context| async move { context.write(ISSUES, entry) }).await
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

/// Step 3c: asks the chief designer for drafts, has them corrected once if the rules find something, and publishes the six files
/// made from them.
pub(super) async fn write_files(
    phase: &PhaseHandle<'_>,
    panel: &Panel,
    brief: &Brief,
    plan: &Artifact,
    sources: &Sources<'_>,
) -> FlowResult<WrittenFiles> {
    let stage = phase.stage("3c");
    phase.agent(sources.chief.write(panel, "")?.revises(&DRAFTS)).await?;
    let drafts = correct_drafts(phase, panel, brief, plan, sources).await?;
    let published = publish(phase, "spec-files", drafts, None, brief, sources).await?;
    stage.finish(published.counted);
    Ok(WrittenFiles { drafts, attempt: published.attempt })
}

/// The six files as they were written from drafts.
pub(super) struct WrittenFiles {
    pub(super) drafts: Drafts,
    attempt: u32,
}

impl WrittenFiles {
    /// Input of steps that change the files after they were written: where one was deleted all are written again, and what
    /// was recorded in them is recorded again.
    pub(super) fn input(&self) -> Vec<Input> {
        let is_again = self.attempt > 1;
        is_again.then(|| Input::given("attempt of spec-files", &self.attempt)).into_iter().collect()
    }
}

/// Recorded result of the step that publishes the files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PublishResult {
    counted: String,
    replaced: Vec<ReplacedFile>,
    /// Absent in records of earlier versions.
    #[serde(default)]
    attempt: u32,
}

/// A replaced file that was changed outside this run: name and diff to the new version.
pub(super) type ReplacedFile = (String, String);

/// Sources of the files besides the drafts.
pub(super) struct Sources<'a> {
    pub(super) summary: &'a Artifact,
    /// The chief designer, who writes them.
    pub(super) chief: &'a Chief,
}

/// Assembles the six files from three drafts and publishes them. `repairs` are the drafts that failed validation.
pub(super) async fn publish(
    phase: &PhaseHandle<'_>,
    id: &str,
    drafts: Drafts,
    repairs: Option<Drafts>,
    brief: &Brief,
    sources: &Sources<'_>,
) -> FlowResult<PublishResult> {
    let authorship = authorship(phase, brief);
    let summary = sources.summary.name().to_owned();
    let step =
        read_materials(Step::new(id), drafts, &authorship, sources).revises(spec_names()).touches_checkout();
    let step = step.reads(&[Input::optional(OPEN_POINTS)]);
    let step = repairs.iter().fold(step, |step, failed| step.reads(&failed.map(Artifact::named)));
    let brief = brief.clone();
    let published: PublishResult = phase
        .step(step, move |context| async move {
            let mut materials = materials(&context, drafts, &summary, authorship, &brief)?;
            let filled = context.optional_text(OPEN_POINTS)?.unwrap_or_default();
            for text in [&mut materials.requirements, &mut materials.design, &mut materials.tasks] {
                *text = fill_open_points(text, &filled);
            }
            let diagram = context.optional_text(DIAGRAM)?;
            if let Some(failed) = repairs {
                context.write(REPAIRED, format!("{}\n", drafts_digest(&context, &failed)?))?;
            }
            write_spec_files(&context, &materials, diagram.as_deref(), &brief)
        })
        .await?;
    report_replaced(phase, &published.replaced);
    Ok(published)
}

/// A text with its open points as the person filled them in.
fn fill_open_points(text: &str, filled: &str) -> String {
    let (answers, _) = read_discussion(filled);
    answers.iter().fold(text.to_owned(), |text, answer| text.replace(&answer.question, &answer.resolution))
}

/// A step that reads everything the six files are made from.
pub(super) fn read_materials(
    step: Step,
    drafts: Drafts,
    authorship: &Authorship,
    sources: &Sources<'_>,
) -> Step {
    let records: Vec<Input> = RECORDS.iter().map(|name| Input::optional(*name)).collect();
    step.reads(&drafts.map(Artifact::named))
        .reads(sources.summary)
        .reads(&records)
        .reads(&Input::given("seats", authorship))
}

/// Everything the six files are made from.
pub(super) fn materials(
    context: &StepContext,
    drafts: Drafts,
    summary: &str,
    authorship: Authorship,
    brief: &Brief,
) -> Result<Materials, StepError> {
    let [requirements, design, tasks] = drafts;
    let (parent_project, parent_feature) = brief.parents();
    Ok(Materials {
        feature: brief.name().to_owned(),
        parent_project,
        parent_feature,
        today: brief.date.clone(),
        requirements: context.text(requirements)?,
        design: context.text(design)?,
        tasks: context.text(tasks)?,
        context_summary: context.text(summary)?,
        resolutions: context.optional_text(RESOLUTIONS)?,
        tally: context.optional_text(TALLY)?,
        contested: context.optional_text(CONTESTED)?,
        walkthroughs: context.optional_text(WALK_RECORD)?,
        created: None,
        authorship,
    })
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
    let counted = format!("{} files, {counted}", files.len());
    Ok(PublishResult { counted, replaced, attempt: context.attempt() })
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

/// Participants so far.
pub(super) fn authorship(phase: &PhaseHandle<'_>, brief: &Brief) -> Authorship {
    Authorship::new(&phase.run.participation.seats(), &brief.vendors)
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
