//! The library of roles: the built-in ones and a team's overrides.
//!
//! A file in the team's folder overrides the built-in role or part of the same name. It is rendered for every seat
//! of its role when it is loaded. An invalid override is an error of that role; there is no silent fallback to the
//! built-in text.

use super::built_in::{PARTS, ROLES};
use super::front_matter::{self, FrontMatter};
use super::overrides::RoleOverrides;
use super::role::{Role, RoleError, TextOrigin};
use super::sample;
use super::template::{TemplateSet, Texts};
use charrette_model::seats::{AnswerForm, Seat, SeatTables};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folder of a team's own definitions, from the root of the repository.
pub const ROLE_FOLDER: &str = ".charrette/roles";

/// The roles of all seats.
#[derive(Debug, Clone)]
pub struct Roles {
    by_name: BTreeMap<&'static str, Result<Role, RoleError>>,
    parts: Arc<Texts>,
    unknown_files: Vec<RoleError>,
}

impl Roles {
    /// The built-in roles of these seats.
    pub fn built_in(seats: &SeatTables) -> Roles {
        Roles::build(seats, |_| Ok(None))
    }

    /// The built-in roles with the overrides in `folder` below `root`. The folder need not exist.
    pub fn load(root: &Path, folder: &Path, seats: &SeatTables) -> Roles {
        Roles::with_overrides(&RoleOverrides::read(root, folder), seats)
    }

    /// The built-in roles with overrides.
    pub fn with_overrides(overrides: &RoleOverrides, seats: &SeatTables) -> Roles {
        let mut roles = Roles::build(seats, |name| overrides.text_of(name));
        roles.unknown_files = overrides.unknown_files().to_vec();
        roles
    }

    pub fn get(&self, name: &str) -> Result<&Role, RoleError> {
        match self.by_name.get(name) {
            Some(role) => role.as_ref().map_err(RoleError::clone),
            None => Err(RoleError::UnknownRole(name.to_owned())),
        }
    }

    /// The role that a seat plays.
    pub fn for_seat(&self, seat: &Seat) -> Result<&Role, RoleError> {
        self.get(seat.role)
    }

    /// All roles by name; an invalid one as its error.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Result<&Role, &RoleError>)> {
        self.by_name.iter().map(|(name, role)| (*name, role.as_ref()))
    }

    /// The shared text of that name, such as `parts/rules`.
    pub fn part(&self, name: &str) -> Option<(&TextOrigin, &str)> {
        self.parts.get(name).map(|(origin, text)| (origin, text.as_str()))
    }

    /// All errors, without duplicates.
    pub fn problems(&self) -> Vec<RoleError> {
        let mut problems: Vec<RoleError> = Vec::new();
        let invalid = self.by_name.values().filter_map(|role| role.as_ref().err());
        for problem in invalid.chain(&self.unknown_files) {
            if !problems.contains(problem) {
                problems.push(problem.clone());
            }
        }
        problems
    }

    /// The team's own texts by file name, to be pinned with a run: loaded with [`Roles::load`], they give the same prompts
    /// when the team has changed them since.
    pub fn own_files(&self) -> impl Iterator<Item = (String, &str)> {
        let roles = self.by_name.values().filter_map(|role| role.as_ref().ok());
        let roles = roles.map(|role| (role.name, &role.origin, role.text.as_str()));
        let parts = self.parts.iter().map(|(name, (origin, text))| (*name, origin, text.as_str()));
        let own = roles.chain(parts).filter(|(_, origin, _)| **origin != TextOrigin::BuiltIn);
        own.map(|(name, _, text)| (format!("{name}.md"), text))
    }

    /// Builds all roles; `override_of` returns the team's text of a role or part.
    fn build(
        seats: &SeatTables,
        override_of: impl Fn(&'static str) -> Result<Option<(PathBuf, String)>, RoleError>,
    ) -> Roles {
        let pick = |name, built_in: &str| match override_of(name) {
            Ok(Some((path, text))) => Ok((TextOrigin::File(path), text)),
            Ok(None) => Ok((TextOrigin::BuiltIn, built_in.to_owned())),
            Err(error) => Err(error),
        };
        let mut parts = Texts::new();
        let mut invalid_part = None;
        for (name, built_in) in PARTS {
            match pick(*name, built_in) {
                Ok(part) => {
                    parts.insert(*name, part);
                }
                Err(error) => invalid_part = invalid_part.or(Some(error)),
            }
        }
        let parts = Arc::new(parts);
        // Pinned texts are mostly the built-in ones, which need no trial rendering.
        let has_own_part =
            PARTS.iter().any(|(name, built_in)| parts.get(name).is_some_and(|(_, text)| text != built_in));
        let role = |name: &'static str, built_in: &str| {
            // Any role may include an invalid part.
            invalid_part.clone().map_or(Ok(()), Err)?;
            let (origin, text) = pick(name, built_in)?;
            let is_own = has_own_part || text != built_in;
            let role = define_role(name, origin, text, built_in, &parts, seats)?;
            if is_own {
                role.seats.iter().try_for_each(|seat| sample::render(&role, seat).map(drop))?;
            }
            Ok(role)
        };
        let by_name = ROLES.iter().map(|(name, built_in)| (*name, role(name, built_in))).collect();
        Roles { by_name, parts, unknown_files: Vec::new() }
    }
}

/// Builds a role from its text. Keys that a team's own front matter leaves out default to the built-in one.
fn define_role(
    name: &'static str,
    origin: TextOrigin,
    text: String,
    built_in: &str,
    parts: &Arc<Texts>,
    seats: &SeatTables,
) -> Result<Role, RoleError> {
    let parse = |origin: &TextOrigin, text: &str| {
        front_matter::parse(text).map_err(|error| RoleError::in_text(origin, name, error.line, error.message))
    };
    let (front, first_line) = parse(&origin, &text)?;
    let original = if text == built_in { front.clone() } else { parse(&TextOrigin::BuiltIn, built_in)?.0 };
    check_fixed_keys(&front, &original, name).map_err(|(key, message)| {
        RoleError::in_text(&origin, name, front_matter::key_line(&text, key), message)
    })?;
    let form = AnswerForm::ALL.into_iter().find(|form| Some(form.name()) == original.grammar.as_deref());
    let unknown_form = || RoleError::in_text(&TextOrigin::BuiltIn, name, 1, "unknown grammar");
    let texts = TemplateSet::new(name, origin.clone(), &text, first_line, parts.clone());
    Ok(Role {
        name,
        seats: seats.all().filter(|seat| seat.role == name).collect(),
        reads: original.reads.unwrap_or_default(),
        writes: original.writes.unwrap_or_default(),
        form: form.ok_or_else(unknown_form)?,
        mode: original.mode.unwrap_or_default(),
        max_words: front.max_words.or(original.max_words),
        model: front.model,
        web: front.web,
        origin,
        text,
        texts: Arc::new(texts),
    })
}

/// Checks the keys that a team cannot change, because they follow from the seats of the role.
fn check_fixed_keys(
    own: &FrontMatter,
    built_in: &FrontMatter,
    name: &str,
) -> Result<(), (&'static str, String)> {
    if own.name != name {
        let named = charrette_model::escape::printable(&own.name);
        return Err(("name", format!("name is '{named}', expected {name}")));
    }
    // The order does not matter; it differed in earlier versions.
    let list = |names: &Option<Vec<String>>| {
        names.as_ref().map(|names| {
            let mut names = names.clone();
            names.sort();
            names.join(", ")
        })
    };
    let keys = [
        ("reads", list(&own.reads), list(&built_in.reads)),
        ("writes", list(&own.writes), list(&built_in.writes)),
        ("grammar", own.grammar.clone(), built_in.grammar.clone()),
        ("mode", own.mode.clone(), built_in.mode.clone()),
    ];
    for (key, own, built_in) in keys {
        if own.is_some() && own != built_in {
            let expected = built_in.unwrap_or_default();
            return Err((key, format!("{key} cannot be changed; it must be {expected}")));
        }
    }
    Ok(())
}
