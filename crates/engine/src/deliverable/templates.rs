//! The frames of the files: built in, or a team's own from `specs/templates/`.
//!
//! `spec.json` and `meta.yaml` have none: programs read them, and code writes them.

use super::materials::DeliverableError;
use crate::template;
use minijinja::value::Serde;
use serde::Serialize;
use std::collections::BTreeMap;

/// The templates, by the file they make.
#[derive(Debug, Clone)]
pub struct Templates(BTreeMap<&'static str, Template>);

#[derive(Debug, Clone)]
struct Template {
    /// How people are told of it.
    origin: String,
    text: String,
}

const BUILT_IN: [(&str, &str); 4] = [
    ("requirements.md", include_str!("../../../../assets/templates/requirements.md.jinja")),
    ("design.md", include_str!("../../../../assets/templates/design.md.jinja")),
    ("tasks.md", include_str!("../../../../assets/templates/tasks.md.jinja")),
    ("summary.md", include_str!("../../../../assets/templates/summary.md.jinja")),
];

/// What the name of a template ends with.
const SUFFIX: &str = ".jinja";

impl Templates {
    /// The files that have one.
    pub fn files() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Those that come with charrette.
    pub fn built_in() -> Templates {
        let built_in = BUILT_IN.map(|(name, text)| {
            (name, Template { origin: format!("built-in {name}{SUFFIX}"), text: text.to_owned() })
        });
        Templates(built_in.into())
    }

    /// Those, with some replaced: `summary.md.jinja`, or a path that ends so, and its text.
    pub fn with_overrides(overrides: Vec<(String, String)>) -> Result<Templates, DeliverableError> {
        let mut templates = Templates::built_in();
        for (origin, text) in overrides {
            let name = origin.rsplit('/').next().and_then(|file| file.strip_suffix(SUFFIX));
            let known = BUILT_IN.iter().find(|(known, _)| Some(*known) == name);
            let Some((name, _)) = known else {
                let known: Vec<String> =
                    BUILT_IN.iter().map(|(known, _)| format!("{known}{SUFFIX}")).collect();
                return Err(DeliverableError::UnknownTemplate { file: origin, known: known.join(", ") });
            };
            let template = Template { origin, text };
            template.check()?;
            templates.0.insert(name, template);
        }
        Ok(templates)
    }

    /// Fills one in.
    pub(super) fn render(&self, name: &str, values: &impl Serialize) -> Result<String, DeliverableError> {
        let template = self.0.get(name).ok_or_else(|| DeliverableError::UnknownTemplate {
            file: name.to_owned(),
            known: String::new(),
        })?;
        let rendered = template::environment()
            .render_str(&template.text, Serde(values))
            .map_err(|error| template.error(&error))?;
        Ok(rendered.replace("\r\n", "\n").trim().to_owned() + "\n")
    }

    /// An error about what a template gave.
    pub(super) fn lacks(&self, name: &str, missing: &'static str) -> DeliverableError {
        let file = self.0.get(name).map_or(name, |template| &template.origin).to_owned();
        DeliverableError::NotWhole { file, missing }
    }
}

impl Template {
    /// Whether it is a template at all.
    fn check(&self) -> Result<(), DeliverableError> {
        let environment = template::environment();
        environment.template_from_str(&self.text).map(|_| ()).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &minijinja::Error) -> DeliverableError {
        let (line, message) = template::fault(template::deepest(error), &self.text);
        DeliverableError::Template { file: self.origin.clone(), line, message }
    }
}
