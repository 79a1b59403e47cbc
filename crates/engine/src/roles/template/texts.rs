//! The texts that a role is made of: how they are compiled, and which one an error is in.

use crate::prompt::fence;
use crate::roles::role::{RoleError, TextOrigin};
use crate::template::{self, Failure};
use charrette_model::markdown::flat;
use minijinja::Environment;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

/// Texts by name.
#[derive(Debug, Default)]
pub(in crate::roles) struct Texts {
    by_name: BTreeMap<&'static str, (TextOrigin, String)>,
    /// The first error of a rendering with these texts that took too long.
    slow: OnceLock<RoleError>,
}

impl Texts {
    pub(in crate::roles) fn new() -> Texts {
        Texts::default()
    }

    /// True if a rendering with these texts took too long.
    pub(super) fn is_slow(&self) -> bool {
        self.slow.get().is_some()
    }

    /// Remembers the error of a rendering that took too long, if it is the first.
    pub(super) fn remember_slow(&self, error: &RoleError) {
        let _ = self.slow.set(error.clone());
    }

    /// The part that took too long, and its error.
    pub(super) fn slow_part(&self) -> Option<(&'static str, &RoleError)> {
        let error = self.slow.get()?;
        let (RoleError::InvalidOverride { name, .. } | RoleError::InvalidBuiltIn { name, .. }) = error else {
            return None;
        };
        self.by_name.get_key_value(name.as_str()).map(|(part, _)| (*part, error))
    }
}

impl Deref for Texts {
    type Target = BTreeMap<&'static str, (TextOrigin, String)>;

    fn deref(&self) -> &Self::Target {
        &self.by_name
    }
}

impl DerefMut for Texts {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.by_name
    }
}

/// The texts of a role: its own, and all parts.
#[derive(Debug, Clone)]
pub(super) struct RoleTexts {
    pub(super) role: &'static str,
    pub(super) origin: TextOrigin,
    /// Without its front matter, whose lines are empty, so that line numbers in errors are those of the file.
    pub(super) text: String,
    pub(super) parts: Arc<Texts>,
}

impl RoleTexts {
    /// All texts by name: that of the role, and the parts.
    fn all(&self) -> impl Iterator<Item = (&'static str, &TextOrigin, &str)> {
        let parts = self.parts.iter().map(|(name, (origin, text))| (*name, origin, text.as_str()));
        parts.chain([(self.role, &self.origin, self.text.as_str())])
    }

    pub(super) fn compile(&self) -> Result<Environment<'static>, RoleError> {
        let mut environment = template::environment();
        template::add_text_filter(&mut environment, "line", flat);
        template::add_text_filter(&mut environment, "fenced", fence);
        template::add_text_filter(&mut environment, "json", |text| serde_json::Value::from(text).to_string());
        for (name, origin, text) in self.all() {
            template::check_here(text)
                .map_err(|(line, message)| RoleError::in_text(origin, name, line, message))?;
            let added = environment.add_template_owned(format!("{name}.md"), text.to_owned());
            added.map_err(|error| self.error(name, &error))?;
        }
        Ok(environment)
    }

    /// Converts an error, with the innermost included text and its line.
    pub(super) fn error(&self, name: &str, error: &minijinja::Error) -> RoleError {
        let cause = template::root_cause(error);
        let file = cause.name().and_then(|file| file.strip_suffix(".md")).unwrap_or(name);
        let found = self.all().find(|(known, ..)| *known == file);
        let (file, origin, text) = found.unwrap_or((name, &TextOrigin::BuiltIn, ""));
        let (line, message) = template::describe_error(cause, text);
        RoleError::in_text(origin, file, line, message)
    }

    /// Converts a failure that has no place: it is in the team's own text, or in one of their parts.
    pub(super) fn failure(&self, failure: Failure) -> RoleError {
        let included = self.included();
        let own = self.all().filter(|(_, origin, _)| **origin != TextOrigin::BuiltIn);
        let mut own: Vec<_> = own.map(|(name, origin, _)| (name, origin)).collect();
        if own.iter().any(|(name, _)| *name == self.role || included.contains(name)) {
            // The others were compiled only.
            own.retain(|(name, _)| *name == self.role || included.contains(name));
        }
        own.sort_by_key(|(name, _)| *name != self.role);
        if own.is_empty() {
            own.push((self.role, &self.origin));
        }
        let (name, origin) = own.remove(0);
        let others: Vec<String> = own.iter().map(|(_, origin)| origin.to_string()).collect();
        let included =
            if others.is_empty() { String::new() } else { format!(", with {}", others.join(", ")) };
        RoleError::in_text(origin, name, 1, format!("{failure}{included}"))
    }

    /// Names of the parts that the role includes, and that those include.
    pub(super) fn included(&self) -> Vec<&'static str> {
        let (mut names, mut texts) = (Vec::new(), vec![self.text.as_str()]);
        while let Some(text) = texts.pop() {
            for (name, (_, part)) in self.parts.iter() {
                if !names.contains(name) && text.contains(&format!("{name}.md")) {
                    names.push(*name);
                    texts.push(part);
                }
            }
        }
        names
    }
}
