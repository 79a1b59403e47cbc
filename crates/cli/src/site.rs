//! Where a command works: folder, repository, configuration, time.

use crate::arguments::Global;
use crate::env_vars;
use crate::error::CommandError;
use crate::output;
use charrette_model::config::{Layer, Problem, Settings, read_layers};
use charrette_model::stamp::{Now, Stamp};
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, Repository, locate, repository};
use jiff::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Settings that a binary built on this one lays over all others.
static LAID_OVER: OnceLock<Layer> = OnceLock::new();

/// Lays settings over all others, for as long as the process lives.
pub(crate) fn lay_over(settings: String) {
    let _ = LAID_OVER.set(Layer { origin: "built in".to_owned(), text: settings });
}

/// The place a command works in.
#[derive(Debug)]
pub(crate) struct Site {
    /// The top of the work tree; outside a repository, the current folder.
    pub(crate) root: PathBuf,
    pub(crate) repository: Option<Repository>,
    pub(crate) layers: Vec<ConfigFile>,
    pub(crate) settings: Settings,
    pub(crate) problems: Vec<Problem>,
    pub(crate) now: Now,
}

/// A place where configuration is looked for.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    pub(crate) layer: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) present: bool,
}

impl Site {
    /// Finds out where we are. Problems of the configuration are kept, not raised.
    pub(crate) fn find() -> Result<Site, CommandError> {
        let now = now()?;
        let folder = current_folder()?;
        let location =
            if env_vars::git_is_redirected() { repository::ask_git(&folder) } else { locate(&folder) };
        let (root, repository) = match location {
            Ok(Location::WorkTree(repository)) => (repository.work_tree.clone(), Some(repository)),
            Ok(Location::Outside) => (folder, None),
            Ok(Location::Bare(path)) => {
                let message = format!("{} has no work tree, so there is no place for state", path.display());
                return Err(CommandError::failed(message)
                    .hint("Run charrette in a work tree: git worktree add ../work"));
            }
            Err(error) => return Err(CommandError::failed(format!("cannot find the repository: {error}"))),
        };
        let (layers, files, mut problems) = config_files(&root);
        let (settings, found) = read_layers(&layers);
        problems.extend(found);
        Ok(Site { root, repository, layers: files, settings, problems, now })
    }

    /// The same, saying what is odd about the configuration.
    pub(crate) fn open(global: &Global) -> Result<Site, CommandError> {
        let site = Site::find()?;
        for problem in &site.problems {
            output::note(global, &format!("Warning: {}", problem.message()));
        }
        Ok(site)
    }

    /// The state documents here.
    pub(crate) fn documents(&self) -> Documents {
        let folder = StateFolder::new(&self.root, self.settings.state_folder());
        let holder = Holder {
            pid: std::process::id(),
            since: self.now.stamp().to_string(),
            command: env_vars::command_line(),
        };
        Documents::new(folder, self.repository.clone(), holder, self.settings.summary_words())
    }

    /// A path as a person at the root of the repository would type it.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// The time, or the one it was frozen at.
pub(crate) fn now() -> Result<Now, CommandError> {
    match env_vars::now() {
        None => Ok(Now::real(Timestamp::now())),
        Some(text) => {
            let stamp = Stamp::parse(&text.to_string_lossy())
                .map_err(|error| CommandError::usage(format!("{}: {error}", env_vars::CHARRETTE_NOW)))?;
            Ok(Now::frozen(stamp.at()))
        }
    }
}

fn current_folder() -> Result<PathBuf, CommandError> {
    Path::new(".")
        .canonicalize()
        .map_err(|error| CommandError::failed(format!("cannot tell where we are: {error}")))
}

/// The configuration files, lowest layer first: repository, user, environment.
fn config_files(root: &Path) -> (Vec<Layer>, Vec<ConfigFile>, Vec<Problem>) {
    let places = [
        ("repository", Some(root.join("charrette.toml")), false),
        ("user", env_vars::user_config_file(), false),
        ("environment", env_vars::config_file(), true),
    ];
    let (mut layers, mut files, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (layer, path, required) in places {
        let Some(path) = path else { continue };
        let mut present = false;
        match fs_err::read_to_string(&path) {
            Ok(text) => {
                present = true;
                let origin = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                layers.push(Layer { origin, text });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !required => {}
            Err(error) => problems.push(Problem::Error { message: error.to_string() }),
        }
        files.push(ConfigFile { layer, path, present });
    }
    layers.extend(LAID_OVER.get().cloned());
    (layers, files, problems)
}
