//! Templates of the files: built in, or a team's own from `specs/templates/`.
//!
//! `spec.json` and `meta.yaml` have none: they are written by code, for programs.

use super::materials::DeliverableError;
use crate::template;
use minijinja::value::Serde;
use serde::Serialize;
use std::collections::BTreeMap;

/// Templates by the name of the rendered file.
#[derive(Debug, Clone)]
pub struct Templates(BTreeMap<&'static str, Template>);

#[derive(Debug, Clone)]
struct Template {
    /// Path, or `built-in …`, for errors.
    origin: String,
    text: String,
}

const BUILT_IN: [(&str, &str); 4] = [
    ("requirements.md", include_str!("../../../../assets/templates/requirements.md.jinja")),
    ("design.md", include_str!("../../../../assets/templates/design.md.jinja")),
    ("tasks.md", include_str!("../../../../assets/templates/tasks.md.jinja")),
    ("summary.md", include_str!("../../../../assets/templates/summary.md.jinja")),
];

/// File name suffix of templates.
const SUFFIX: &str = ".jinja";

impl Templates {
    /// Names of the files that have a template.
    pub fn files() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    pub fn built_in() -> Templates {
        let built_in = BUILT_IN.map(|(name, text)| {
            (name, Template { origin: format!("built-in {name}{SUFFIX}"), text: text.to_owned() })
        });
        Templates(built_in.into())
    }

    /// Built-in templates with overrides: (`summary.md.jinja`, or a path that ends with it; text).
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

    /// Renders a template.
    pub(super) fn render(&self, name: &str, values: &impl Serialize) -> Result<String, DeliverableError> {
        let template = self.0.get(name).ok_or_else(|| DeliverableError::UnknownTemplate {
            file: name.to_owned(),
            known: String::new(),
        })?;
        let environment = template::environment();
        let rendered = environment
            .template_from_str(&template.text)
            .and_then(|parsed| template::render(&parsed, Serde(values)))
            .map_err(|error| template.error(&error))?;
        Ok(rendered.replace("\r\n", "\n").trim().to_owned() + "\n")
    }

    /// Error about a rendered file that lacks a required part.
    pub(super) fn missing_part(&self, name: &str, missing: &'static str) -> DeliverableError {
        let file = self.0.get(name).map_or(name, |template| &template.origin).to_owned();
        DeliverableError::MissingPart { file, missing }
    }
}

impl Template {
    /// Checks the syntax, and that nothing in it grows without a limit.
    fn check(&self) -> Result<(), DeliverableError> {
        template::check(&self.text).map_err(|(line, message)| DeliverableError::Template {
            file: self.origin.clone(),
            line,
            message,
        })?;
        let environment = template::environment();
        environment.template_from_str(&self.text).map(|_| ()).map_err(|error| self.error(&error))
    }

    fn error(&self, error: &minijinja::Error) -> DeliverableError {
        let (line, message) = template::describe_error(template::root_cause(error), &self.text);
        DeliverableError::Template { file: self.origin.clone(), line, message }
    }
}
