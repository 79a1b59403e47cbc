//! All roles: the built-in ones, and a team's own where it has some.
//!
//! A file in the team's folder takes the place of the built-in text of the same name, a role or a part. It is
//! tried on every seat of its role when it is read. One that cannot be used is an error of that role, and the
//! built-in text is not used behind the team's back.

use super::built_in::{PARTS, ROLES};
use super::front_matter::{self, FrontMatter};
use super::role::{Origin, Role, RoleError};
use super::sample;
use super::template::Texts;
use charrette_model::seats::{AnswerForm, Seat, SeatTables};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a team keeps its own definitions, from the root of the repository.
pub const ROLE_FOLDER: &str = ".charrette/roles";

/// Definitions are a page or two. What is larger is something else.
const MAX_BYTES: u64 = 256 * 1024;

/// All roles.
#[derive(Debug, Clone)]
pub struct Roles {
    by_name: BTreeMap<&'static str, Result<Role, RoleError>>,
    parts: BTreeMap<&'static str, (Origin, String)>,
    strays: Vec<RoleError>,
}

impl Roles {
    /// The roles that come with charrette, for these seats.
    pub fn built_in(seats: &SeatTables) -> Roles {
        Roles::with(seats, |_| Ok(None))
    }

    /// The same, with what `folder` below `root` has of its own. The folder need not exist.
    pub fn load(root: &Path, folder: &Path, seats: &SeatTables) -> Roles {
        let own = OwnTexts { root, folder };
        let mut roles = Roles::with(seats, |name| own.text(name));
        roles.strays = own.strays();
        roles
    }

    /// The role of that name.
    pub fn get(&self, name: &str) -> Result<&Role, RoleError> {
        match self.by_name.get(name) {
            Some(role) => role.as_ref().map_err(RoleError::clone),
            None => Err(RoleError::Unknown(name.to_owned())),
        }
    }

    /// The role that a seat plays.
    pub fn of_seat(&self, seat: &Seat) -> Result<&Role, RoleError> {
        self.get(seat.role)
    }

    /// Every name, with its role or what is wrong with it.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Result<&Role, &RoleError>)> {
        self.by_name.iter().map(|(name, role)| (*name, role.as_ref()))
    }

    /// The shared text of that name, such as `parts/rules`.
    pub fn part(&self, name: &str) -> Option<(&Origin, &str)> {
        self.parts.get(name).map(|(origin, text)| (origin, text.as_str()))
    }

    /// Everything that is wrong, each thing once.
    pub fn problems(&self) -> Vec<RoleError> {
        let mut problems: Vec<RoleError> = Vec::new();
        let broken = self.by_name.values().filter_map(|role| role.as_ref().err());
        for problem in broken.chain(&self.strays) {
            if !problems.contains(problem) {
                problems.push(problem.clone());
            }
        }
        problems
    }

    /// Every text by the name of its file, to be kept with a run: read from there with [`Roles::load`], they
    /// give the same prompts after an upgrade.
    pub fn files(&self) -> impl Iterator<Item = (String, &str)> {
        let roles = self.by_name.values().filter_map(|role| role.as_ref().ok());
        let roles = roles.map(|role| (role.name, role.text.as_str()));
        let parts = self.parts.iter().map(|(name, (_, text))| (*name, text.as_str()));
        roles.chain(parts).map(|(name, text)| (format!("{name}.md"), text))
    }

    /// All roles, `own` giving the texts that take the place of built-in ones.
    fn with(
        seats: &SeatTables,
        own: impl Fn(&'static str) -> Result<Option<(PathBuf, String)>, RoleError>,
    ) -> Roles {
        let pick = |name, built_in: &str| match own(name) {
            Ok(Some((path, text))) => Ok((Origin::File(path), text)),
            Ok(None) => Ok((Origin::BuiltIn, built_in.to_owned())),
            Err(error) => Err(error),
        };
        let mut parts = BTreeMap::new();
        let mut unusable = None;
        for (name, built_in) in PARTS {
            match pick(*name, built_in) {
                Ok(part) => {
                    parts.insert(*name, part);
                }
                Err(error) => unusable = unusable.or(Some(error)),
            }
        }
        // What a run has pinned is mostly what comes with charrette, which is known to be good.
        let own_part =
            PARTS.iter().any(|(name, built_in)| parts.get(name).is_some_and(|(_, text)| text != built_in));
        let role = |name: &'static str, built_in: &str| {
            // A part that cannot be read may be in any role.
            unusable.clone().map_or(Ok(()), Err)?;
            let (origin, text) = pick(name, built_in)?;
            let tried = own_part || text != built_in;
            let role = defined(name, origin, text, built_in, &parts, seats)?;
            if tried {
                role.seats.iter().try_for_each(|seat| sample::rendered(&role, seat).map(drop))?;
            }
            Ok(role)
        };
        let by_name = ROLES.iter().map(|(name, built_in)| (*name, role(name, built_in))).collect();
        Roles { by_name, parts, strays: Vec::new() }
    }
}

/// A role from its text. What a team's own front matter leaves out is as in the built-in one.
fn defined(
    name: &'static str,
    origin: Origin,
    text: String,
    built_in: &str,
    parts: &BTreeMap<&'static str, (Origin, String)>,
    seats: &SeatTables,
) -> Result<Role, RoleError> {
    let read = |origin: &Origin, text: &str| {
        front_matter::read(text)
            .map_err(|malformed| RoleError::in_text(origin, name, malformed.line, malformed.message))
    };
    let (front, first_line) = read(&origin, &text)?;
    let (original, _) = read(&Origin::BuiltIn, built_in)?;
    agree(&front, &original, name).map_err(|(key, message)| {
        RoleError::in_text(&origin, name, front_matter::line_of(&text, key), message)
    })?;
    let form = AnswerForm::ALL.into_iter().find(|form| Some(form.name()) == original.grammar.as_deref());
    let unknown_form = || RoleError::in_text(&Origin::BuiltIn, name, 1, "it has no known grammar");
    let mut texts = Texts::default();
    for (part, (origin, text)) in parts {
        texts.insert(part, origin.clone(), text, 1);
    }
    texts.insert(name, origin.clone(), &text, first_line);
    Ok(Role {
        name,
        seats: seats.every().filter(|seat| seat.role == name).collect(),
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

/// What a role reads, writes and answers follows from its seats; a file that says otherwise would be wrong.
fn agree(own: &FrontMatter, built_in: &FrontMatter, name: &str) -> Result<(), (&'static str, String)> {
    if own.name != name {
        let named = charrette_model::shown::shown(&own.name);
        return Err(("name", format!("name is '{named}', but the file is that of {name}")));
    }
    // The order is of no consequence, and was another one in earlier versions.
    let list = |names: &Option<Vec<String>>| {
        names.as_ref().map(|names| {
            let mut names = names.clone();
            names.sort();
            names.join(", ")
        })
    };
    let said = [
        ("reads", list(&own.reads), list(&built_in.reads)),
        ("writes", list(&own.writes), list(&built_in.writes)),
        ("grammar", own.grammar.clone(), built_in.grammar.clone()),
        ("mode", own.mode.clone(), built_in.mode.clone()),
    ];
    for (key, own, built_in) in said {
        if own.is_some() && own != built_in {
            let must = built_in.unwrap_or_default();
            return Err((key, format!("{key} cannot be changed: it is {must}")));
        }
    }
    Ok(())
}

/// A team's own texts.
struct OwnTexts<'a> {
    root: &'a Path,
    folder: &'a Path,
}

impl OwnTexts<'_> {
    /// The team's text of that name, if there is one. A file that leads elsewhere could put anything before an
    /// agent, so only plain files inside the repository count.
    fn text(&self, name: &str) -> Result<Option<(PathBuf, String)>, RoleError> {
        let shown = self.folder.join(format!("{name}.md"));
        let path = self.root.join(&shown);
        let broken = |message: String| RoleError::in_text(&Origin::File(shown.clone()), name, 1, message);
        let kind = match fs_err::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(broken(error.to_string())),
        };
        if !kind.is_file() || !self.is_inside(&path) {
            return Err(broken("not a plain file inside the repository".to_owned()));
        }
        if kind.len() > MAX_BYTES {
            return Err(broken(format!("larger than {} KB", MAX_BYTES / 1024)));
        }
        let text = fs_err::read_to_string(&path).map_err(|error| broken(error.to_string()))?;
        Ok(Some((shown, text)))
    }

    fn is_inside(&self, path: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().ok();
        real(path).zip(real(self.root)).is_some_and(|(path, root)| path.starts_with(root))
    }

    /// Files that stand for nothing, by name. Notes in other formats are nobody's business.
    fn strays(&self) -> Vec<RoleError> {
        let known = |name: &Path| {
            let name = name.with_extension("");
            ROLES.iter().chain(PARTS).any(|(known, _)| Path::new(known) == name)
        };
        let mut strays = Vec::new();
        for below in ["", "parts"] {
            let Ok(entries) = fs_err::read_dir(self.root.join(self.folder).join(below)) else { continue };
            let names = entries.filter_map(|entry| Some(Path::new(below).join(entry.ok()?.file_name())));
            strays.extend(
                names.filter(|name| {
                    name.extension().is_some_and(|extension| extension == "md") && !known(name)
                }),
            );
        }
        strays.sort();
        strays.into_iter().map(|name| RoleError::Stray(self.folder.join(name))).collect()
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
