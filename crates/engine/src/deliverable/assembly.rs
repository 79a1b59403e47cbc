//! Assembles the six files from their materials.

use super::materials::{DeliverableError, Materials};
use super::templates::Templates;
use super::{design, draft, record, status, summary};
use charrette_model::spec::meta::SpecMeta;
use charrette_model::spec::open_points::open_points;
use charrette_model::spec::record::{DRAFT, SpecRecord};
use charrette_model::spec::summary::{status as status_of, title};
use charrette_model::spec::tasks::{TaskList, with_counts};
use serde::Serialize;

/// Assembles `requirements.md`, `design.md`, `tasks.md`, `summary.md`, `spec.json` and `meta.yaml`, with status draft.
///
/// Idempotent with the built-in templates: the files, passed as drafts, are unchanged.
pub fn assemble(
    materials: &Materials,
    templates: &Templates,
) -> Result<Vec<(String, String)>, DeliverableError> {
    let name = title(&materials.feature);
    let renderer = DraftRenderer { materials, templates };
    let requirements = renderer.render("requirements.md", &name, &materials.requirements, str::to_owned)?;
    let design = renderer.render("design.md", &format!("Design: {name}"), &materials.design, |body| {
        design::complete(body, materials)
    })?;
    let tasks = renderer.render("tasks.md", &format!("Tasks: {name}"), &materials.tasks, with_counts)?;
    let list = TaskList::parse(&tasks);
    let resolutions = materials.resolutions.as_deref().unwrap_or_default();
    let values = SummaryValues {
        feature_name: &draft::feature_title(&materials.requirements, &name),
        status: status::SpecStatus::Draft.word(),
        authorship: record::inert(&materials.authorship.headline()),
        one_paragraph_summary: summary::paragraph(&materials.context_summary, &requirements, &design, &list),
        decisions: summary::decisions(&design, resolutions),
        created: materials.created(),
        spec_id: &materials.feature,
    };
    let summary = templates.render("summary.md", &values)?;
    let open: usize = [&requirements, &design, &tasks].iter().map(|text| open_points(text).len()).sum();
    let summary = with_open_points(&summary, open);
    if status_of(&summary) != Some(values.status) {
        return Err(templates.missing_part("summary.md", STATUS_LINE));
    }
    let named = [
        ("requirements.md", requirements),
        ("design.md", design),
        ("tasks.md", tasks),
        ("summary.md", summary),
        ("spec.json", spec_json(materials, &list)),
        ("meta.yaml", meta_yaml(materials, &list)),
    ];
    Ok(named.map(|(name, text)| (name.to_owned(), text)).into())
}

const STATUS_LINE: &str = "line \"> **Status:** {{ status }}\"";

impl Materials {
    fn created(&self) -> &str {
        self.created.as_deref().unwrap_or(&self.today)
    }
}

/// Notes below the status how many points are open.
fn with_open_points(summary: &str, count: usize) -> String {
    let Some(status) = summary.lines().find(|line| status_of(line).is_some()).filter(|_| count > 0) else {
        return summary.to_owned();
    };
    summary.replacen(status, &format!("{status}\n> **Open points:** {count}, for a person to fill in"), 1)
}

/// Renders drafts with their templates.
struct DraftRenderer<'a> {
    materials: &'a Materials,
    templates: &'a Templates,
}

/// Values for the templates of the three drafts.
#[derive(Serialize)]
struct DraftValues<'a> {
    title: &'a str,
    status: &'a str,
    created: &'a str,
    spec_id: &'a str,
    notes: &'a [String],
    body: &'a str,
}

/// Values for the template of `summary.md`.
#[derive(Serialize)]
struct SummaryValues<'a> {
    feature_name: &'a str,
    status: &'a str,
    authorship: String,
    one_paragraph_summary: String,
    decisions: Vec<String>,
    created: &'a str,
    spec_id: &'a str,
}

impl DraftRenderer<'_> {
    /// Renders a draft, with `change` applied to its body.
    fn render(
        &self,
        name: &str,
        title: &str,
        draft: &str,
        change: impl FnOnce(&str) -> String,
    ) -> Result<String, DeliverableError> {
        let draft = draft::split_draft(draft, title);
        let body = change(&draft.body);
        let body = body.trim();
        let values = DraftValues {
            title: &draft.title,
            status: status::SpecStatus::Draft.word(),
            created: self.materials.created(),
            spec_id: &self.materials.feature,
            notes: &draft.notes,
            body,
        };
        let text = self.templates.render(name, &values)?;
        if status_of(&text) != Some(values.status) {
            return Err(self.templates.missing_part(name, STATUS_LINE));
        }
        if !text.contains(body) {
            return Err(self.templates.missing_part(name, "text of the writer: {{ body }}"));
        }
        Ok(text)
    }
}

fn spec_json(materials: &Materials, list: &TaskList) -> String {
    let record = SpecRecord {
        created: materials.created().to_owned(),
        parent_project: materials.parent_project.clone(),
        parent_feature: materials.parent_feature.clone(),
        ..SpecRecord::draft(&materials.feature, list, &materials.today)
    };
    record.to_text()
}

fn meta_yaml(materials: &Materials, list: &TaskList) -> String {
    let (complete, total) = list.counts();
    let meta = SpecMeta {
        id: Some(materials.feature.clone()),
        parent_project: materials.parent_project.clone(),
        parent_feature: materials.parent_feature.clone(),
        status: Some(DRAFT.to_owned()),
        created: Some(materials.created().to_owned()),
        updated: Some(materials.today.clone()),
        tasks_total: Some(total),
        tasks_complete: Some(complete),
        ..SpecMeta::default()
    };
    meta.to_text()
}
