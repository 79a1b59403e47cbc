//! From the materials to the six files.

use super::materials::{DeliverableError, Materials};
use super::templates::Templates;
use super::{design, head, status, summary};
use charrette_model::spec::meta::Meta;
use charrette_model::spec::record::{DRAFT, SpecRecord};
use charrette_model::spec::summary::{status as status_of, title};
use charrette_model::spec::tasks::{TaskList, with_counts};
use serde::Serialize;

/// `requirements.md`, `design.md`, `tasks.md`, `summary.md`, `spec.json` and `meta.yaml`, as drafts.
///
/// With the built-in templates, the files given back as drafts come out as they are: nothing is added twice.
pub fn files(
    materials: &Materials,
    templates: &Templates,
) -> Result<Vec<(String, String)>, DeliverableError> {
    let name = title(&materials.feature);
    let frame = Frame { materials, templates };
    let requirements = frame.filled("requirements.md", &name, &materials.requirements, str::to_owned)?;
    let design = frame.filled("design.md", &format!("Design: {name}"), &materials.design, |body| {
        design::completed(body, materials)
    })?;
    let tasks = frame.filled("tasks.md", &format!("Tasks: {name}"), &materials.tasks, with_counts)?;
    let list = TaskList::parse(&tasks);
    let page = Page {
        feature_name: &name,
        status: status::Status::Draft.word(),
        one_paragraph_summary: summary::paragraph(&materials.context_summary, &requirements, &design, &list),
        decisions: summary::decisions(&design),
        created: materials.created(),
        spec_id: &materials.feature,
    };
    let summary = templates.render("summary.md", &page)?;
    if status_of(&summary) != Some(page.status) {
        return Err(templates.lacks("summary.md", STATUS_LINE));
    }
    let named = [
        ("requirements.md", requirements),
        ("design.md", design),
        ("tasks.md", tasks),
        ("summary.md", summary),
        ("spec.json", record(materials, &list)),
        ("meta.yaml", meta(materials, &list)),
    ];
    Ok(named.map(|(name, text)| (name.to_owned(), text)).into())
}

const STATUS_LINE: &str = "line \"> **Status:** {{ status }}\"";

impl Materials {
    fn created(&self) -> &str {
        self.created.as_deref().unwrap_or(&self.today)
    }
}

struct Frame<'a> {
    materials: &'a Materials,
    templates: &'a Templates,
}

/// What the templates of the three drafts may use.
#[derive(Serialize)]
struct Values<'a> {
    title: &'a str,
    status: &'a str,
    created: &'a str,
    spec_id: &'a str,
    notes: &'a [String],
    body: &'a str,
}

/// What the template of the summary may use.
#[derive(Serialize)]
struct Page<'a> {
    feature_name: &'a str,
    status: &'a str,
    one_paragraph_summary: String,
    decisions: Vec<String>,
    created: &'a str,
    spec_id: &'a str,
}

impl Frame<'_> {
    /// A draft in its frame, with `change` made to its body.
    fn filled(
        &self,
        name: &str,
        title: &str,
        draft: &str,
        change: impl FnOnce(&str) -> String,
    ) -> Result<String, DeliverableError> {
        let draft = head::taken_apart(draft, title);
        let body = change(&draft.body);
        let body = body.trim();
        let values = Values {
            title: &draft.title,
            status: status::Status::Draft.word(),
            created: self.materials.created(),
            spec_id: &self.materials.feature,
            notes: &draft.notes,
            body,
        };
        let text = self.templates.render(name, &values)?;
        if status_of(&text) != Some(values.status) {
            return Err(self.templates.lacks(name, STATUS_LINE));
        }
        if !text.contains(body) {
            return Err(self.templates.lacks(name, "text of the writer: {{ body }}"));
        }
        Ok(text)
    }
}

fn record(materials: &Materials, list: &TaskList) -> String {
    let record = SpecRecord {
        created: materials.created().to_owned(),
        parent_project: materials.parent_project.clone(),
        parent_feature: materials.parent_feature.clone(),
        ..SpecRecord::draft(&materials.feature, list, &materials.today)
    };
    record.text()
}

fn meta(materials: &Materials, list: &TaskList) -> String {
    let (complete, total) = list.counts();
    let meta = Meta {
        id: Some(materials.feature.clone()),
        parent_project: materials.parent_project.clone(),
        parent_feature: materials.parent_feature.clone(),
        status: Some(DRAFT.to_owned()),
        created: Some(materials.created().to_owned()),
        updated: Some(materials.today.clone()),
        tasks_total: Some(total),
        tasks_complete: Some(complete),
        ..Meta::default()
    };
    meta.text()
}
