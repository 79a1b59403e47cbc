//! Where a command works: folder, repository, configuration, time.

use crate::App;
use crate::environment::{CHARRETTE_NOW, Environment};
use crate::error::AppError;
use crate::notices::Notices;
use charrette_engine::Registry;
use charrette_model::config::{Layer, Problem, Settings, read_layers};
use charrette_model::stamp::{Now, Stamp};
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, Repository, locate, repository};
use jiff::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place a command works in.
#[derive(Debug, Clone)]
pub struct Site {
    /// The commands that can be driven here.
    pub registry: Registry,
    /// The process we run in.
    pub environment: Arc<Environment>,
    /// Where notices go.
    pub notices: Notices,
    /// The top of the work tree; outside a repository, the current folder.
    pub root: PathBuf,
    /// The repository, if we are in one.
    pub repository: Option<Repository>,
    /// Where configuration was looked for.
    pub layers: Vec<ConfigFile>,
    /// What it says.
    pub settings: Settings,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// The time.
    pub now: Now,
}

/// A place where configuration is looked for.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Whose it is.
    pub layer: &'static str,
    /// Where it would be.
    pub path: PathBuf,
    /// Whether it is there.
    pub present: bool,
}

impl Site {
    /// Finds out where we are. Problems of the configuration are kept, not raised.
    pub fn find(app: &App, environment: Arc<Environment>, notices: Notices) -> Result<Site, AppError> {
        let now = now(&environment)?;
        let folder = environment
            .folder
            .canonicalize()
            .map_err(|error| AppError::failed(format!("cannot tell where we are: {error}")))?;
        let location =
            if environment.git_is_redirected() { repository::ask_git(&folder) } else { locate(&folder) };
        let (root, repository) = match location {
            Ok(Location::WorkTree(repository)) => (repository.work_tree.clone(), Some(repository)),
            Ok(Location::Outside) => (folder, None),
            Ok(Location::Bare(path)) => {
                let message = format!("{} has no work tree, so there is no place for state", path.display());
                return Err(
                    AppError::failed(message).hint("Run charrette in a work tree: git worktree add ../work")
                );
            }
            Err(error) => return Err(AppError::failed(format!("cannot find the repository: {error}"))),
        };
        let (mut layers, files, mut problems) = config_files(&root, &environment);
        layers.extend(app.settings.clone());
        let (settings, found) = read_layers(&layers);
        problems.extend(found);
        let registry = app.registry.clone();
        Ok(Site { registry, environment, notices, root, repository, layers: files, settings, problems, now })
    }

    /// The same, saying what is odd about the configuration.
    pub fn open(app: &App, environment: Arc<Environment>, notices: Notices) -> Result<Site, AppError> {
        let site = Site::find(app, environment, notices)?;
        for problem in &site.problems {
            site.notices.note(format!("Warning: {}", problem.message()));
        }
        Ok(site)
    }

    /// The state documents here.
    pub fn documents(&self) -> Documents {
        let folder = StateFolder::new(&self.root, self.settings.state_folder());
        let holder = Holder {
            pid: std::process::id(),
            since: self.now.stamp().to_string(),
            command: self.environment.command_line.clone(),
        };
        Documents::new(folder, self.repository.clone(), holder, self.settings.summary_words())
    }

    /// A path as a person at the root of the repository would type it.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// The time, or the one it was frozen at.
pub fn now(environment: &Environment) -> Result<Now, AppError> {
    match environment.now() {
        None => Ok(Now::real(Timestamp::now())),
        Some(text) => {
            let stamp = Stamp::parse(&text.to_string_lossy())
                .map_err(|error| AppError::usage(format!("{CHARRETTE_NOW}: {error}")))?;
            Ok(Now::frozen(stamp.at()))
        }
    }
}

/// The configuration files, lowest layer first: repository, user, environment.
fn config_files(root: &Path, environment: &Environment) -> (Vec<Layer>, Vec<ConfigFile>, Vec<Problem>) {
    let places = [
        ("repository", Some(root.join("charrette.toml")), false),
        ("user", environment.user_config_file(), false),
        ("environment", environment.config_file(), true),
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
    (layers, files, problems)
}
